// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which coupling between force and wire fits a controller. Set-up code.

#pragma once

#include <panto/core/check.hpp>
#include <panto/interaction/policies.hpp>
#include <panto/rig/parts.hpp>

#include <cmath>
#include <concepts>
#include <string_view>
#include <type_traits>

namespace panto::rig {

/// The coupling that belongs to a controller: none for one that estimates the contact force, as it follows the wire,
/// otherwise the interaction mass.
template <class C>
using CouplingFor =
    std::conditional_t<EstimatingController<C>, interaction::DirectInteraction, interaction::MassInteraction>;

/// @param p   of the mass; not used if there is none
/// @param dt  s
/// @throws SetupError as interaction::MassInteraction.
template <class C>
[[nodiscard]] CouplingFor<C> coupling_for(const interaction::MassInteractionParams& p, double dt) {
    if constexpr (EstimatingController<C>)
        return static_cast<void>(p), static_cast<void>(dt), CouplingFor<C>{};
    else
        return CouplingFor<C>(p, dt);
}

/// A controller that estimates the contact force follows the wire. The datum of a run is where the coupling starts. If
/// this is above the wire, as with a preloaded mass, a drive for positions would jump by the difference when the run
/// begins.
/// @throws SetupError for such a controller, if the coupling does not start at the height of the wire.
template <class C, interaction::CouplingPolicy I>
void require_coupling(const C&, [[maybe_unused]] I coupling, [[maybe_unused]] std::string_view where) {
    if constexpr (EstimatingController<C> && std::same_as<typename C::Command, PositionCommand>) {
        constexpr double press = 100.0;  // N
        const double above = coupling.reset(Motion{}, press).height;
        require(std::fabs(above) <= 1e-9, where,
                "the controller estimates the contact force and follows the wire, but under ", press,
                " N the coupling starts ", 1e3 * above,
                " mm above it, must start at the wire: the drive would jump by this height; use "
                "interaction::DirectInteraction, or a controller without contact_force()");
    }
}

}  // namespace panto::rig
