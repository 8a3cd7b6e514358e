// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A smooth transition of the drive from one height to another, without a jump at either end.

#pragma once

namespace panto::rig {

inline constexpr double steepest_blend = 15.0 / 8.0;  ///< slope of smooth_blend at s = 1/2

/// Rises from 0 at s = 0 to 1 at s = 1, with no speed and no acceleration at both ends: 10 s^3 - 15 s^4 + 6 s^5.
/// Constant outside. Its steepest slope is steepest_blend. @rt
[[nodiscard]] constexpr double smooth_blend(double s) noexcept {
    if (!(s > 0.0)) return 0.0;
    if (s >= 1.0) return 1.0;
    return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

}  // namespace panto::rig
