// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The plain number behind a scalar, for set-up checks and messages.

#pragma once

#include <panto/core/real.hpp>

#include <concepts>

namespace panto::element::detail {

/// Derivatives are dropped: a check looks at the value only.
template <Real Scalar>
[[nodiscard]] double value_of(const Scalar& s) {
    if constexpr (std::convertible_to<Scalar, double>)
        return static_cast<double>(s);
    else
        return static_cast<double>(s.value());
}

}  // namespace panto::element::detail
