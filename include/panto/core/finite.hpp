// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A finiteness test that works with -ffast-math, with which std::isfinite may always give true.

#pragma once

#include <bit>
#include <cstdint>

namespace panto {

/// False for NaN and infinities; looks at the exponent bits. @rt
[[nodiscard]] constexpr bool is_finite(double value) noexcept {
    constexpr std::uint64_t exponent = 0x7ff0'0000'0000'0000;
    return (std::bit_cast<std::uint64_t>(value) & exponent) != exponent;
}

/// True only for NaN; looks at the bits. @rt
[[nodiscard]] constexpr bool is_nan(double value) noexcept {
    constexpr std::uint64_t fraction = 0x000f'ffff'ffff'ffff;
    return !is_finite(value) && (std::bit_cast<std::uint64_t>(value) & fraction) != 0;
}

}  // namespace panto
