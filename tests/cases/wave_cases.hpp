// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Absorbing and transparent ends as tests/golden/waves_and_identification.json has them or as they have to be.

#pragma once

#include <panto/absorbing/design.hpp>
#include <panto/absorbing/edge_design.hpp>
#include <panto/absorbing/output_error.hpp>
#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/space_time_error.hpp>
#include <panto/absorbing/stability.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/transparent/end.hpp>
#include <panto/transparent/reflection.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/supports.hpp>

#include "../support/golden_json.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <span>
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

/// Sum of squares of the two levels a march stands on: bounds its energy from both sides on a given grid.
template <class M>
double size_of_levels(const M& march) {
    return march.level(0).squaredNorm() + march.level(1).squaredNorm();
}

/// What a march of 100 points of the published beam has left of its size, far end clamped, from random levels: every
/// mode of the grid takes part.
inline double size_left_after(const wave::AbsorbingStencil& end, int steps) {
    wave::March march(published_beam(), 100, end, wave::AbsorbingStencil{});
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    Eigen::VectorXd now = Eigen::VectorXd::Zero(100), before = now;
    for (int k = 2; k < 98; ++k) now[k] = normal(random), before[k] = normal(random);
    march.start(now, before);
    const double first = size_of_levels(march);
    for (int n = 0; n < steps; ++n) march.step();
    return size_of_levels(march) / first;
}

/// Design from nothing, three seeds: the worst of them.
inline std::vector<Measured> designed_absorbing_ends() {
    using namespace wave;
    std::vector<Measured> all;
    for (const int levels : {1, 2}) {
        double error = 0.0, rho = 0.0, seconds = 0.0, left = 0.0;
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const auto found = design_absorbing(published_beam(), {.form = {2, levels, 4}, .seed = seed});
            error = std::max(error, found.error);
            rho = std::max(rho, found.stability.both);
            seconds = std::max(seconds, found.seconds);
            left = std::max(left, size_left_after(found.stencil, 1000000));
        }
        const std::string id = "wave.design_4_" + std::to_string(levels);
        all.push_back({id + ".E_percent", 100.0 * error});
        all.push_back({id + ".rho_less_1", rho - 1.0});
        all.push_back({id + ".seconds", seconds});
        all.push_back({id + ".left", left});
    }
    return all;
}

/// Energy of the published beam in J, by central differences.
inline double published_beam_energy(const Eigen::VectorXd& now, const Eigen::VectorXd& before) {
    constexpr double dx = 0.05, dt = 9.9e-5, tension = 15e3, stiffness = 150.0;
    const Eigen::VectorXd velocity = (now - before) / dt;
    double sum = 0.5 * velocity.squaredNorm();
    for (Eigen::Index i = 1; i + 1 < now.size(); ++i)
        sum += 0.5 * tension * std::pow((now[i + 1] - now[i - 1]) / (2.0 * dx), 2) +
               0.5 * stiffness * std::pow((now[i + 1] - 2.0 * now[i] + now[i - 1]) / (dx * dx), 2);
    return dx * sum;
}

/// The published beam released at rest on `points` points: u^0, a bump of 0.5 m, and u^1 by Taylor, half of what the
/// scheme makes of u^0.
struct ReleasedBeam {
    Eigen::VectorXd start, first;
    ReleasedBeam(const wave::Stencil<double, 2>& s, int points, double center)
        : start(Eigen::VectorXd::Zero(points)), first(start) {
        constexpr double dx = 0.05, width = 0.5;
        for (int i = 0; i < points; ++i)
            if (std::abs(i * dx - center) <= 0.5 * width)
                start[i] = std::pow(std::sin(std::numbers::pi * ((i * dx - center) / width - 0.5)), 2);
        for (int i = 2; i < points - 2; ++i)
            for (int j = -2; j <= 2; ++j) first[i] += 0.5 * s.at(s.now, j) / s.at(s.next, 0) * start[i + j];
    }
};

/// What 20 m of it have left of their energy between a transparent end of m states and a clamped one.
inline double energy_left_by_transparent_end(int states, int steps) {
    using namespace wave;
    const auto s = published_beam();
    const auto ends = transparent_ends(s, {.states = states});
    const auto wall = clamped_first_order(s);
    March<double, 2, TransparentEnd<2>, Support<double, 2>> march(s, 401, ends.left, wall);
    const ReleasedBeam bump(s, 401, 10.0);
    march.start(bump.first, bump.start);
    for (int n = 2; n <= steps; ++n) march.step();
    return published_beam_energy(march.level(), march.level(1)) / published_beam_energy(bump.first, bump.start);
}

/// A contact wire of the predictive impedance-control paper from a train at 60 m/s, 0.25 m between points, at the
/// largest stable step rounded down to 10 us.
inline wave::Stencil<double, 2> moving_contact_wire() {
    using namespace wave;
    const BeamParams<double> wire{.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3};
    const auto moving = [&](double dt) { return moving_beam_stencil(wire, 60.0, 0.25, dt); };
    return moving(std::floor(largest_stable_step(moving, 1e-3) * 1e5) / 1e5);
}

/// A force at `hertz`, faded in over one period, in the middle of a wire of 60 m: largest difference from the endless
/// wire anywhere on it, over the largest displacement of the endless wire. One end is transparent; at the other the
/// wire goes on.
inline double reflected_by_moving_end(const wave::Stencil<double, 2>& s, const wave::TransparentEnd<2>& end,
                                      bool at_left, double hertz) {
    using namespace wave;
    using Line = Eigen::VectorXd;
    using Wall = Support<double, 2>;
    constexpr int inner = 241;
    const int count = static_cast<int>(std::ceil((1.5 + 3.0 / hertz) / s.dt));
    const int outside =
        std::min(count, static_cast<int>(190.0 * count * s.dt / s.dx / 2.0) + 200);  // waves run at 182 m/s
    const Wall wall = clamped_first_order(s);
    March<double, 2, Wall, Wall> endless(s, inner + 2 * outside, wall, wall);
    March<double, 2, TransparentEnd<2>, Wall> left(s, inner + outside, end, wall);
    March<double, 2, Wall, TransparentEnd<2>> right(s, inner + outside, wall, end);
    double error = 0.0, wave = 0.0;
    for (int n = 0; n < count; ++n) {
        const double periods = hertz * n * s.dt;
        const double fade = periods < 1.0 ? 0.5 - 0.5 * std::cos(std::numbers::pi * periods) : 1.0;
        const double force = fade * std::sin(2.0 * std::numbers::pi * periods) / s.dx;
        const auto push = [&](auto& march, int first) {
            const PointLoad<double> load{first + inner / 2, force};
            march.step(std::span<const PointLoad<double>>(&load, 1));
            return march.level().segment(first, inner).eval();
        };
        const Line exact = push(endless, outside);
        const Line cut = at_left ? push(left, 0) : push(right, outside);
        error = std::max(error, (cut - exact).cwiseAbs().maxCoeff());
        wave = std::max(wave, exact.cwiseAbs().maxCoeff());
    }
    return error / wave;
}

/// Frequencies at which the moving wire is pushed.
inline const std::vector<double> moving_wire_hertz{0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0};

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
        all.push_back({id + ".energy_left", energy_left_by_transparent_end(states, 1000000)});
    }
    const auto m = moving_contact_wire();
    const auto ends = transparent_ends(m, {.states = 16});
    double reflected = 0.0;
    for (int i = 0; i <= 60; ++i) {
        const double angle = 2.0 * std::numbers::pi * 0.5 * std::pow(40.0, i / 60.0) * m.dt;
        reflected = std::max({reflected, std::abs(transparent_reflection(m, ends.right_kernel, angle)),
                              std::abs(transparent_reflection(mirrored(m), ends.left_kernel, angle))});
    }
    all.push_back({"wave.moving.reflection", reflected});
    double left = 0.0, right = 0.0;
    for (const double hertz : moving_wire_hertz) {
        left = std::max(left, reflected_by_moving_end(m, ends.left, true, hertz));
        right = std::max(right, reflected_by_moving_end(m, ends.right, false, hertz));
    }
    all.push_back({"wave.moving.left", left});
    all.push_back({"wave.moving.right", right});
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
