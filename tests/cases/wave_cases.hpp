// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of the rooms poly, wave and opt, as tests/golden/waves_and_identification.json has them or as they have to
/// be reached.

#pragma once

#include <panto/wave/absorbing.hpp>
#include <panto/wave/absorbing_2d_design.hpp>
#include <panto/wave/absorbing_design.hpp>
#include <panto/wave/absorbing_output_error.hpp>
#include <panto/wave/absorbing_reflection.hpp>
#include <panto/wave/absorbing_stability.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/space_time_error.hpp>
#include <panto/wave/transparent.hpp>
#include <panto/wave/transparent_reflection.hpp>

#include "../support/golden_json.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace panto::test {

/// Beam of Publication B, Sec. 4.1.1.
inline wave::Stencil<double, 2> published_beam(double dt = 9.9e-5) {
    return wave::beam_stencil(wave::BeamParams<double>{.bending_stiffness = 150.0, .tension = 15e3}, 0.05, dt);
}

/// Eq. (33) or (35) of Publication B.
inline wave::AbsorbingStencil published_end(const std::string& which) {
    const Eigen::MatrixXd rows = golden_matrix(golden("data/published_absorbing_stencils.json").at(which));
    Eigen::VectorXd weights(8);
    weights << rows.row(0).transpose(), rows.row(1).transpose();
    return wave::AbsorbingStencil({2, 1, 4}, weights);
}

inline std::vector<Measured> published_absorbing_ends() {
    using namespace wave;
    const auto s = published_beam();
    const SpaceTimeError<2> experiment(s);
    const double clamped = experiment.error(AbsorbingStencil({2, 1, 4}));
    const double largest_step = largest_stable_step([](double dt) { return published_beam(dt); }, 5e-5);
    std::vector<Measured> all{{"wave.dt_max", largest_step}, {"wave.E_clamped", clamped}};
    for (const std::string name : {"33", "35"}) {
        const auto end = published_end("eq" + name);
        const auto joint = joint_reflection(end, boundary_modes(s, 0.1 * std::numbers::pi));
        all.push_back({"wave.S" + name + ".joint", std::abs(joint.reflected())});
        all.push_back({"wave.S" + name + ".E_percent", 100.0 * experiment.error(end) / clamped});
        all.push_back({"wave.S" + name + ".margin", 1.0 - bounded_radius(s, end, 11, FarEnd::absorbing)});
    }
    all.push_back({"wave.S35.warned", low_frequency_warning(published_end("eq35")).empty() ? 0.0 : 1.0});
    return all;
}

/// Design from nothing, three seeds: the worst of them.
inline std::vector<Measured> designed_absorbing_ends() {
    using namespace wave;
    std::vector<Measured> all;
    for (const int levels : {1, 2}) {
        double error = 0.0, rho = 0.0, seconds = 0.0;
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const auto found = design_absorbing(published_beam(), {.form = {2, levels, 4}, .seed = seed});
            error = std::max(error, found.error);
            rho = std::max(rho, found.stability.both);
            seconds = std::max(seconds, found.seconds);
        }
        const std::string id = "wave.design_4_" + std::to_string(levels);
        all.push_back({id + ".E_percent", 100.0 * error});
        all.push_back({id + ".rho_less_1", rho - 1.0});
        all.push_back({id + ".seconds", seconds});
    }
    return all;
}

inline std::vector<Measured> transparent_ends_measured() {
    using namespace wave;
    const auto s = published_beam();
    const SpaceTimeError<2> experiment(s);
    const double clamped = experiment.error(AbsorbingStencil({2, 1, 4}));
    std::vector<Measured> all;
    for (const int states : {16, 32}) {
        const auto ends = transparent_ends(s, {.states = states});
        const std::string id = "wave.transparent_" + std::to_string(states);
        all.push_back({id + ".E_percent", 100.0 * experiment.error(ends.left) / clamped});
        all.push_back({id + ".rho_less_1",
                       transparent_radius(s, ends.left_kernel, ends.right_kernel, OtherEnd::transparent) - 1.0});
    }
    // Contact wire of the predictive impedance-control paper from a train at 60 m/s.
    const BeamParams<double> wire{.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3};
    const auto moving = [&](double dt) { return moving_beam_stencil(wire, 60.0, 0.25, dt); };
    const auto m = moving(std::floor(largest_stable_step(moving, 1e-3) * 1e5) / 1e5);
    const auto ends = transparent_ends(m, {.states = 16});
    double reflected = 0.0;
    for (int i = 0; i <= 60; ++i) {
        const double angle = 2.0 * std::numbers::pi * 0.5 * std::pow(40.0, i / 60.0) * m.dt;
        reflected = std::max({reflected, std::abs(transparent_reflection(m, ends.right_kernel, angle)),
                              std::abs(transparent_reflection(mirrored(m), ends.left_kernel, angle))});
    }
    all.push_back({"wave.moving.reflection", reflected});
    all.push_back({"wave.moving.rho_less_1",
                   transparent_radius(m, ends.left_kernel, ends.right_kernel, OtherEnd::transparent) - 1.0});
    return all;
}

/// Membrane of Publication B, Sec. 4.2: the designed edge of form (5,3,2).
inline std::vector<Measured> designed_edge() {
    using namespace wave;
    const WaveEquation2d membrane({.speed = 10.0, .dx = 0.05, .dy = 0.05, .dt = 1e-3});
    const EdgeDesign design = design_edge(membrane);
    return {{"wave.edge_532.reflection", largest_reflection(membrane, design.edge)},
            {"wave.edge_532.modal_radius", edge_modal_radius(membrane, design.edge)}};
}

}  // namespace panto::test
