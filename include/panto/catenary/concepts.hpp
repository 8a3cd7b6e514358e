// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The concepts of a catenary model.

#pragma once

#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// A law that gives the force on the wire, N, in a prediction: law(k, wire) for step k, counted from 0, where `wire` is
/// the motion of the wire above the strip before this step.
template <class L>
concept WireForceLaw = requires(L& law, std::size_t k, const Motion& wire) {
    { law(k, wire) } noexcept -> std::convertible_to<double>;
};

/// Position of the contact along the track, now and later. The catenary defines how it moves: at constant speed, or
/// like a train that starts and brakes.
template <class M>
concept TravellingContact = requires(const M& catenary, double seconds) {
    { catenary.time() } noexcept -> std::same_as<double>;                   ///< s since the start
    { catenary.position() } noexcept -> std::same_as<double>;               ///< m along the track
    { catenary.position_after(seconds) } noexcept -> std::same_as<double>;  ///< m, `seconds` from now; never decreases
};

/// A catenary that reports the status of its last step. Without it, every step counts as ok.
template <class M>
concept ReportsStatus = requires(const M& catenary) {
    { catenary.status() } noexcept -> std::same_as<Status>;
};

/// A catenary with an end: the number of steps from its start during which the strip is on the line.
template <class M>
concept KnowsItsEnd = requires(const M& catenary) {
    { catenary.steps_on_line() } noexcept -> std::convertible_to<std::int64_t>;
};

/// A catenary whose end has a position, m along the track. One without length() never ends.
template <class M>
concept HasLength = requires(const M& catenary) {
    { catenary.length() } noexcept -> std::same_as<double>;
};

/// A catenary that can be at rest under a static force where the contact starts.
template <class M>
concept RestsUnderForce = requires(M& catenary, const M& observed, double force) {
    { observed.static_height(force) } -> std::same_as<double>;  ///< m, of the wire where the contact starts
    { catenary.rest_under(force) } -> std::same_as<void>;       ///< back to time 0, at rest under `force`
};

}  // namespace panto
