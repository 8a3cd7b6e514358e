// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A rig that differs from the one its controller was designed for, for studies of robustness.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/random.hpp>
#include <panto/plant/rig.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace panto::plant {

/// How the true rig differs from the known one, relative to the known values: 0.15 means 15 % more.
struct Perturbation {
    double pad = 0.0;        ///< of the stiffness of the pad
    double head_mass = 0.0;  ///< of the uppermost mass
    double damping = 0.0;    ///< of every damper of the pantograph
    double motor = 0.0;      ///< of the motor's natural frequency; its damping ratio stays
    double filter = 0.0;     ///< of the cut-off frequency of the force filter
    double delay = 0.0;      ///< s, additional delay of the commands
};

struct PerturbedQuantity {
    std::string_view name{};
    double Perturbation::* value = nullptr;
};

/// Every member of a Perturbation.
inline constexpr std::array<PerturbedQuantity, 6> perturbed_quantities{{{"pad stiffness", &Perturbation::pad},
                                                                        {"head mass", &Perturbation::head_mass},
                                                                        {"damping", &Perturbation::damping},
                                                                        {"motor frequency", &Perturbation::motor},
                                                                        {"filter frequency", &Perturbation::filter},
                                                                        {"delay", &Perturbation::delay}}};

/// `factor` times a perturbation.
[[nodiscard]] inline Perturbation scaled(const Perturbation& p, double factor) noexcept {
    Perturbation s;
    for (const auto& [name, value] : perturbed_quantities) s.*value = factor * p.*value;
    return s;
}

/// The true rig. `nominal` is the rig that the controller was designed for.
/// @param dt  s, period of the loop: the delays of a rig are in periods.
/// @throws SetupError if a quantity would not be positive, or a delay would be negative or too long.
[[nodiscard]] inline RigParams perturbed(const RigParams& nominal, const Perturbation& p, double dt) {
    const char* where = "plant::perturbed";
    require_positive(dt, where, "dt");
    for (const auto& [name, value] : perturbed_quantities)
        require(is_finite(p.*value) && (value == &Perturbation::delay || p.*value > -1.0), where, name,
                " is changed by ", p.*value, ", must be finite and above -1");
    RigParams r = nominal;
    r.pad_stiffness *= 1.0 + p.pad;
    r.pantograph.mass[0] *= 1.0 + p.head_mass;
    r.pantograph.damping *= 1.0 + p.damping;
    r.motor.stiffness *= (1.0 + p.motor) * (1.0 + p.motor);
    r.motor.damping *= 1.0 + p.motor;
    r.force_filter.cut_off *= 1.0 + p.filter;
    r.command_delay += p.delay / dt;
    validate(r, where);
    return r;
}

/// A random perturbation: each quantity is uniformly distributed from -range to range, independently of the others. The
/// same seed gives the same perturbation on every machine.
/// @throws SetupError if a range is negative or not finite.
[[nodiscard]] inline Perturbation random_perturbation(const Perturbation& range, std::uint64_t seed) {
    Random random(seed);
    Perturbation p;
    for (const auto& [name, value] : perturbed_quantities) {
        require_not_negative(range.*value, "plant::random_perturbation", "range of the ", name);
        p.*value = range.*value * (2.0 * random.uniform() - 1.0);
    }
    return p;
}

}  // namespace panto::plant
