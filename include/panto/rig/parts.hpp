// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a controller or a catenary may offer a cycle beyond its concept. A cycle uses what is there.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/status.hpp>

#include <concepts>
#include <cstdint>

namespace panto::rig {

/// A controller that looks ahead says how many steps, at most Preview::capacity.
template <class C>
concept PreviewingController = requires(const C& controller) {
    { controller.preview_steps() } noexcept -> std::convertible_to<int>;
};

/// A catenary that says how its last step went.
template <class W>
concept ReportsStatus = requires(const W& catenary) {
    { catenary.status() } noexcept -> std::same_as<Status>;
};

/// A catenary that ends somewhere: the steps from its start that the strip stays on it.
template <class W>
concept KnowsItsEnd = requires(const W& catenary) {
    { catenary.steps_on_line() } noexcept -> std::convertible_to<std::int64_t>;
};

/// A controller that estimates the contact force from the readings of a cycle. The catenary is advanced with what it
/// says, N, in place of the coupling's force; it is asked once a cycle, before update().
template <class C>
concept EstimatingController = requires(C& controller, const Exchange& exchange) {
    { controller.contact_force(exchange) } noexcept -> std::same_as<double>;
};

}  // namespace panto::rig
