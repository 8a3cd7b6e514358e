// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The concepts of a catenary model.

#pragma once

#include <panto/core/exchange.hpp>

#include <concepts>
#include <span>

namespace panto {

/// A catenary as a test rig sees it: force in, motion of the wire above the strip out.
template <class M>
concept CatenaryModel = requires(M& catenary, const M& observed, double force) {
    { catenary.step(force) } noexcept -> std::same_as<Motion>;  ///< advance by dt() under `force`, N upward
    { catenary.reset() } noexcept -> std::same_as<void>;        ///< back to the static configuration
    { observed.dt() } noexcept -> std::convertible_to<double>;  ///< s
};

/// A catenary that can predict without advancing: fills `ahead` with the motions of the next steps under a constant
/// force. For controllers with preview.
template <class M>
concept PredictiveCatenary = CatenaryModel<M> && requires(M& catenary, double force, std::span<Motion> ahead) {
    { catenary.predict(force, ahead) } noexcept -> std::same_as<void>;
};

}  // namespace panto
