// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a controller is, and the commands a drive may understand.

#pragma once

#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>

#include <concepts>

namespace panto {

/// Set-points a drive may understand. Distinct types, so that a controller that thinks in
/// metres cannot be wired to a drive that expects newtons.
struct PositionCommand {
    double value = 0.0;  ///< m upward
};
struct SpeedCommand {
    double value = 0.0;  ///< m/s upward
};
struct ForceCommand {
    double value = 0.0;  ///< N upward
};

/// Looks at the cycle so far and decides what the drive shall do in the next one.
template <class C>
concept Controller = requires(C& controller, const Exchange& exchange) {
    typename C::Command;
    { controller.update(exchange) } noexcept -> std::same_as<Result<typename C::Command>>;
    { controller.reset(exchange.strip) } noexcept -> std::same_as<void>;
};

}  // namespace panto
