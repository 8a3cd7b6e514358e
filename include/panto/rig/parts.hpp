// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Optional members of a controller or a catenary, beyond its concept. A cycle uses those that exist.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/rig/fault.hpp>

#include <concepts>
#include <span>
#include <string_view>

namespace panto::rig {

/// A controller with preview. It says how many steps it needs: at most Preview::capacity, or Preview::longest if it
/// LooksFarAhead.
template <class C>
concept PreviewingController = requires(const C& controller) {
    { controller.preview_steps() } noexcept -> std::convertible_to<int>;
};

using panto::KnowsItsEnd;
using panto::ReportsStatus;

/// A controller that receives its whole preview once per cycle, before update(). Entry 0 is the end of the coming step.
/// The memory belongs to the cycle and is valid until the next call. Exchange::preview has the first entries.
template <class C>
concept LooksFarAhead = PreviewingController<C> && requires(C& controller, std::span<const Motion> wire) {
    { controller.look_ahead(wire) } noexcept -> std::same_as<void>;
};

/// A controller that estimates the contact force, N, from the readings of a cycle. The catenary is advanced under this
/// force, not under the force of the coupling. contact_force() is called once per cycle, before update().
template <class C>
concept EstimatingController = requires(C& controller, const Exchange& exchange) {
    { controller.contact_force(exchange) } noexcept -> std::same_as<double>;
};

/// A controller made for the passage of one line: require_line() throws a SetupError if the cycle has another one.
template <class C, class W>
concept MadeForLine = requires(const C& controller, const W& catenary) { controller.require_line(catenary, ""); };

/// A controller that bounds the change of its command per second.
template <class C>
concept BoundsItsRate = requires(const C& controller) {
    { controller.largest_rate() } noexcept -> std::convertible_to<double>;
};

/// Refuses a limit on the rate of the command that such a controller would exceed by itself.
/// @throws SetupError naming both.
template <class C>
void require_rate(const C& controller, double limit, std::string_view where) {
    if constexpr (BoundsItsRate<C>) {
        const double largest = controller.largest_rate();
        require(limit > largest, where, "limits.command_rate is ", limit,
                " per second, but the controller allows itself ", largest,
                " (largest_rate): such a command would stop the run; must be above that");
    }
    static_cast<void>(controller), static_cast<void>(limit), static_cast<void>(where);
}

/// What a command is, and its rate, with the unit of the drive.
template <class Command>
inline constexpr Quantity quantity_of_command = std::same_as<Command, SpeedCommand>   ? Quantity::speed_command
                                                : std::same_as<Command, ForceCommand> ? Quantity::force_command
                                                                                      : Quantity::command;
template <class Command>
inline constexpr Quantity quantity_of_rate = std::same_as<Command, SpeedCommand>   ? Quantity::speed_command_rate
                                             : std::same_as<Command, ForceCommand> ? Quantity::force_command_rate
                                                                                   : Quantity::command_rate;

/// A drive that gives details of a fault, such as which of several drives it was.
template <class D>
concept TellsFault = requires(const D& drive) {
    { drive.fault() } noexcept -> std::convertible_to<const Fault&>;
};

/// Copies the drive's own explanation of its status `why` to `fault`.
/// @return false if the drive has none; `fault` is then unchanged.
template <class D>
[[nodiscard]] bool copy_fault(const D& drive, Status why, Fault& fault) noexcept {
    if constexpr (TellsFault<D>)
        if (const Fault& f = drive.fault(); f.status == why) return fault = f, true;
    return static_cast<void>(drive), static_cast<void>(why), static_cast<void>(fault), false;
}

template <class D>
[[deprecated("is called copy_fault now")]] [[nodiscard]] bool told(const D& drive, Status why, Fault& fault) noexcept {
    return copy_fault(drive, why, fault);
}

/// A drive with begin_run(), which is called when a run begins, before the first reading. Earlier commands, such as
/// those of commissioning, are not part of the run.
template <class D>
concept BeginsRun = requires(D& drive) {
    { drive.begin_run() } noexcept -> std::same_as<void>;
};

/// A controller that also predicts by how much the force will differ from the present one, N, at the steps of its
/// preview. foresee() is called after contact_force() and leaves the state alone. A SequencePredictiveCatenary is then
/// predicted under these forces, and update() finds the differences in Preview::force_change.
template <class C>
concept ForeseeingController =
    EstimatingController<C> && PreviewingController<C> && requires(C& controller, std::span<double> force_change) {
        { controller.foresee(force_change) } noexcept -> std::same_as<void>;
    };

/// A catenary that can be predicted under a sequence of forces, one per step.
template <class W>
concept SequencePredictiveCatenary = requires(W& catenary, std::span<const double> forces, std::span<Motion> ahead) {
    { catenary.predict(forces, ahead) } noexcept -> std::same_as<void>;
};

}  // namespace panto::rig
