// SPDX-License-Identifier: BSD-3-Clause
// Does the rig settle? The spectral radius of the closed loop against the stiffness of the pad, with and without
// controller.
#include <panto/control/closed_loop.hpp>
#include <panto/control/lqg.hpp>
#include <panto/pantograph/presets.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    constexpr double dt = 2e-3;
    plant::RigParams rig{.pad_stiffness = 240e3, .pantograph = pantograph::preset("DSA380_HiL").params};
    const control::Lqg controller({.rig = rig}, dt);  // designed for 240 kN/m
    io::Points with, without;
    for (double k = 5e3; k <= 300e3; k *= 1.1) {
        rig.pad_stiffness = k;
        const auto plant = plant::sampled_model(rig, dt);
        with.emplace_back(1e-3 * k, control::closed_loop_radius(plant, controller, control::table2_interaction_mass));
        without.emplace_back(1e-3 * k, control::closed_loop_radius(plant, control::direct_controller(),
                                                                   control::table2_interaction_mass));
    }
    gallery::draw("07_stable_pads", {.title = "Spectral radius per cycle; below 1 the loop settles",
                                     .x_label = "stiffness of the pad (kN/m)",
                                     .y_label = "spectral radius",
                                     .curves = {{"no controller", io::Tone::warn, io::Look::line, without},
                                                {"Lqg for 240 kN/m", io::Tone::main, io::Look::line, with}},
                                     .log_x = true});
}
