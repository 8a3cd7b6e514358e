// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Optional members of a controller or a catenary, beyond its concept. A cycle uses those that exist.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/control/concepts.hpp>
#include <panto/rig/fault.hpp>

#include <concepts>
#include <span>

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

/// A controller that estimates the contact force from the readings of a cycle. The catenary is advanced with this
/// force, N, in place of that of the coupling; it is called once per cycle, before update().
template <class C>
concept EstimatingController = requires(C& controller, const Exchange& exchange) {
    { controller.contact_force(exchange) } noexcept -> std::same_as<double>;
};

/// A drive that gives details of a fault, such as which of several drives it was.
template <class D>
concept TellsFault = requires(const D& drive) {
    { drive.fault() } noexcept -> std::convertible_to<const Fault&>;
};

/// A drive that is told when a run begins, before its first reading. Earlier commands, such as those of commissioning,
/// are not part of the run.
template <class D>
concept BeginsRun = requires(D& drive) {
    { drive.begin_run() } noexcept -> std::same_as<void>;
};

}  // namespace panto::rig
