// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is assumed of noise and touch-downs by the observer of the contact force (contact_observer.hpp).

#pragma once

#include <panto/core/check.hpp>

#include <optional>
#include <string_view>

namespace panto::control {

/// Only the ratios of the standard deviations matter. The defaults are chosen for large margins (docs/control.md): the
/// head is lighter than the true one and damped, and the encoder is trusted.
struct ContactObserverParams {
    std::optional<double> head_mass{};  ///< kg, of the head; empty: 0.8 times the uppermost mass
    double head_damping = 80.0;         ///< N s/m, between head and ground
    double lift_noise = 4.0;            ///< N, standard deviation of the change of d per step
    double head_force_noise = 50.0;     ///< N, standard deviation of the force on the head per step
    double height_noise = 8e-8;         ///< m, weight of the reading of u_m: 8e-8 stands for noise of 0.01 mm
    double force_noise = 0.235;         ///< N, weight of the reading of F, in the same proportion
    double most_noise = 5.0;            ///< largest noise of F^ per noise of the reading of F; force_noise is raised
                                        ///< until this holds, which it does for filters of first order from 50 Hz on
    double force_gate = 200.0;          ///< N, largest error of a reading of F that is not left out
    int gate_longest = 2;               ///< readings in contact that may be left out until one is taken; 0: no gate
    double contact_threshold = 5.0;     ///< N, a reading this much above the output of the force filter means contact;
                                        ///< five standard deviations of the load cell
    double lift_time = 0.5;             ///< s, averaging time of uplift force and F^
    double touch_speed = 0.5;           ///< m/s, standard deviation of the speed with which the head meets the pad
    double touch_lift = 100.0;          ///< N, standard deviation of d at that moment
    double touch_bound = 1.5;           ///< bound of F^ while the gains settle after a touch-down, in units of its mean
    double touch_force = 120.0;         ///< N, smallest value of this bound
};

/// @throws SetupError naming the field that is not valid.
inline void validate(const ContactObserverParams& p, std::string_view where) {
    if (p.head_mass) require_positive(*p.head_mass, where, "head_mass");
    require_not_negative(p.head_damping, where, "head_damping");
    require_positive(p.lift_noise, where, "lift_noise");
    require_positive(p.head_force_noise, where, "head_force_noise");
    require_positive(p.height_noise, where, "height_noise");
    require_positive(p.force_noise, where, "force_noise");
    require(p.most_noise > 1.0, where, "most_noise is ", p.most_noise, ", must be above 1");
    require(p.force_gate > 0.0, where, "force_gate is ", p.force_gate,
            " N, must be > 0; infinity accepts every reading");
    require(p.gate_longest >= 0, where, "gate_longest is ", p.gate_longest, ", must be >= 0");
    require_positive(p.contact_threshold, where, "contact_threshold");
    require_positive(p.lift_time, where, "lift_time");
    require(p.touch_speed > 0.0 && p.touch_speed <= 100.0, where, "touch_speed is ", p.touch_speed,
            " m/s, must be > 0 and at most 100");
    require(p.touch_lift > 0.0 && p.touch_lift <= 1e6, where, "touch_lift is ", p.touch_lift,
            " N, must be > 0 and at most 1e6");
    require(p.touch_bound > 0.0, where, "touch_bound is ", p.touch_bound, ", must be > 0; infinity sets no bound");
    require_not_negative(p.touch_force, where, "touch_force");
}

}  // namespace panto::control
