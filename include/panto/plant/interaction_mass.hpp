// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The interaction mass that couples the measured force of a rig with the virtual wire [HiL paper, Sec. 2.3]. The
/// coupling (interaction/interaction_mass.hpp) and the design of a controller take the same parameters, and a loop
/// refuses a controller that was designed for another mass.

#pragma once

#include <panto/core/check.hpp>
#include <panto/dynamics/newmark.hpp>

#include <cmath>
#include <concepts>
#include <string_view>

namespace panto::plant {

/// What the damper connects the interaction mass to.
enum class MassDamper {
    ground,  ///< as printed: if mass and wire rise at 0.2 m/s, 50 N s/m take 10 N off the force on the wire
    wire     ///< only motion relative to the wire is damped
};

/// Defaults: Table 2 of the HiL paper.
struct InteractionMassParams {
    double mass = 0.05;       ///< kg
    double damping = 50.0;    ///< N s/m
    double stiffness = 50e3;  ///< N/m
    MassDamper damper = MassDamper::ground;

    /// The mass on a wire at rest, where it does not matter what the damper is connected to.
    [[nodiscard]] constexpr operator dynamics::OscillatorParams<double>() const noexcept {
        return {mass, damping, stiffness};
    }
};

inline constexpr InteractionMassParams table2_interaction_mass{};

/// A part of a loop that contains an interaction mass or was designed for one.
template <class T>
concept KnowsInteractionMass = requires(const T& part) {
    { part.interaction_mass() } noexcept -> std::convertible_to<const InteractionMassParams&>;
};

/// Compares the interaction mass of a design with that of `whose`, such as "the coupling".
/// @param remedy, otherwise  the end of the message: what a user can do
/// @throws SetupError naming the field in which they differ and both values.
inline void require_designed_mass(const dynamics::OscillatorParams<double>& designed,
                                  const dynamics::OscillatorParams<double>& actual, std::string_view where,
                                  std::string_view whose, std::string_view remedy, std::string_view otherwise = {}) {
    const auto compare = [&](double a, double b, std::string_view field, std::string_view unit) {
        require(std::fabs(a - b) <= 1e-9 * std::fmax(std::fabs(a), std::fabs(b)), where,
                "the controller is designed for an interaction mass whose ", field, " is ", a, unit, ", that of ",
                whose, " is ", b, unit, remedy, otherwise);
    };
    compare(designed.mass, actual.mass, "mass", " kg");
    compare(designed.damping, actual.damping, "damping", " N s/m");
    compare(designed.stiffness, actual.stiffness, "stiffness", " N/m");
}

/// Refuses a controller that was designed for an interaction mass other than that of the coupling, if both name theirs.
/// @param otherwise  the end of the message: what else a user can do
/// @throws SetupError naming the field in which they differ and both values.
template <class Controller, class Coupling>
void require_same_interaction_mass(const Controller& controller, const Coupling& coupling, std::string_view where,
                                   std::string_view otherwise = {}) {
    if constexpr (KnowsInteractionMass<Controller> && KnowsInteractionMass<Coupling>) {
        const InteractionMassParams &designed = controller.interaction_mass(), &actual = coupling.interaction_mass();
        constexpr const char* remedy =
            "; give both the same parameters: the controller's interaction_mass and the mass of the coupling, which is "
            "RunPlan::mass in a session";
        require_designed_mass(designed, actual, where, "the coupling", remedy, otherwise);
        const auto end = [](const InteractionMassParams& p) {
            return p.damper == MassDamper::wire ? "wire" : "ground";
        };
        require(designed.damper == actual.damper, where,
                "the controller is designed for an interaction mass whose damper is MassDamper::", end(designed),
                ", that of the coupling is MassDamper::", end(actual), remedy, otherwise);
    }
}

}  // namespace panto::plant
