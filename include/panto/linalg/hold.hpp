// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What every sampled model needs to know of its input: its course between two samples, and how a delay divides into
/// whole periods and a part of one.

#pragma once

#include <cmath>

namespace panto::linalg {

/// The course of an input between two samples.
enum class Hold {
    zero_order,   ///< keeps its value for a period, as drives do
    first_order,  ///< changes linearly to the next value, as a Newmark model of a motor implies
    interpolated [[deprecated("is called first_order now")]] = first_order
};

/// A delay of whole + part periods, 0 <= part < 1.
struct SplitDelay {
    int whole = 0;
    double part = 0.0;

    /// The delay in periods, rounded up: after so many the input acts during the whole period.
    [[nodiscard]] int rounded_up() const noexcept { return whole + (part > 0.0 ? 1 : 0); }
};

/// Splits a delay. Its beginning and its end are timed by the same clock, so a delay within 1e-9 of a whole number of
/// periods counts as whole.
/// @param periods finite, not negative, and below 2^31
[[nodiscard]] inline SplitDelay split_delay(double periods) noexcept {
    const double whole = std::floor(periods + 1e-9), part = periods - whole;
    return {static_cast<int>(whole), part < 1e-9 ? 0.0 : part};
}

}  // namespace panto::linalg
