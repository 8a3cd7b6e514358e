// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Optional members of a controller or a catenary, beyond its concept. A cycle uses those that exist.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/control/concepts.hpp>

#include <concepts>

namespace panto::rig {

/// A controller that looks ahead says how many steps, at most Preview::capacity.
template <class C>
concept PreviewingController = requires(const C& controller) {
    { controller.preview_steps() } noexcept -> std::convertible_to<int>;
};

using panto::KnowsItsEnd;
using panto::ReportsStatus;

/// A controller that estimates the contact force from the readings of a cycle. The catenary is advanced with this
/// force, N, in place of that of the coupling; it is called once per cycle, before update().
template <class C>
concept EstimatingController = requires(C& controller, const Exchange& exchange) {
    { controller.contact_force(exchange) } noexcept -> std::same_as<double>;
};

}  // namespace panto::rig
