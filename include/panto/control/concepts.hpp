// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The concept of a controller, and the commands a drive may accept.

#pragma once

#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>

#include <concepts>

namespace panto {

/// Set points a drive may accept. The types are distinct, so that a controller for metres cannot be connected to a
/// drive that expects newtons.
struct PositionCommand {
    double value = 0.0;  ///< m upward
};
struct SpeedCommand {
    double value = 0.0;  ///< m/s upward
};
struct ForceCommand {
    double value = 0.0;  ///< N upward
};

/// Computes the command of a cycle from the Exchange, the record of this cycle.
template <class C>
concept Controller = requires(C& controller, const Exchange& exchange) {
    typename C::Command;
    { controller.update(exchange) } noexcept -> std::same_as<Result<typename C::Command>>;
    { controller.reset(exchange.strip) } noexcept -> std::same_as<void>;
};

}  // namespace panto
