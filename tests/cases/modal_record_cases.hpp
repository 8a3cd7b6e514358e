// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Records of a beam by its modes, for identification by a scheme that did not make them.

#pragma once

#include <panto/core/random.hpp>
#include <panto/field/modal_beam.hpp>
#include <panto/ident/beam_fit.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace panto::test {

inline std::vector<ident::SineForce> ten_sines() {
    std::vector<ident::SineForce> all;
    for (int j = 1; j <= 10; ++j)
        all.push_back({.newton = 100.0, .hertz = 10.0 * j, .phase = std::numbers::pi * j * j / 10.0});
    return all;
}

struct ModalRecord {
    ident::BeamExperiment experiment;
    Eigen::VectorXd truth, clean;

    [[nodiscard]] Eigen::VectorXd noisy(double deviation, std::uint64_t seed) const {
        panto::Random random(seed);
        Eigen::VectorXd y = clean;
        for (double& sample : y) sample += deviation * random.normal();
        return y;
    }

    [[nodiscard]] Eigen::VectorXd guess() const {
        return truth.cwiseProduct((Eigen::VectorXd(5) << 1.05, 1.0, 1.5, 0.93, 1.013).finished());
    }
};

/// The beam of Publication A, 7.5 m, seen and pushed at the same places on every grid of 22 n + 1 points.
inline ModalRecord modal_record(int points, const std::array<double, 5>& p = {1.0, 0.5, 0.02, 150.0, 15e3},
                                bool clamped = true, double hidden_length = 7.5) {
    constexpr int steps = 2000;
    constexpr double dt = 1e-4;
    const std::vector<ident::SineForce> sines = ten_sines();
    ModalRecord record;
    record.truth = Eigen::Map<const Eigen::VectorXd>(p.data(), 5);
    Eigen::VectorXd newton = Eigen::VectorXd::Zero(steps + 1);
    for (int n = 0; n <= steps; ++n)
        for (const ident::SineForce& s : sines)
            newton[n] += s.newton * std::sin(2.0 * std::numbers::pi * s.hertz * n * dt + s.phase);
    // [experiment]
    const int sensor = 9 * (points - 1) / 22, at = 17 * (points - 1) / 22;
    record.experiment = {.length = 7.5,
                         .points = points,
                         .dt = dt,
                         .steps = steps,
                         .sensors = {sensor},
                         .forces = {{.point = at, .newton = newton}}};
    // [experiment]
    const double dx = 7.5 / (points - 1);
    const ident::ModalBeam beam({.length = hidden_length, .beam = {p[0], p[1], p[2], p[3], p[4]}, .clamped = clamped});
    record.clean = beam.response(at * dx, sines, {sensor * dx}, dt, steps).col(0);
    return record;
}

/// Of 100 records with 1 mm of noise those whose interval holds the truth, for each parameter.
inline std::array<int, 5> truths_in_intervals(int points, int records = 100) {
    const ModalRecord record = modal_record(points);
    std::array<int, 5> inside{};
    for (int seed = 1; seed <= records; ++seed) {
        const auto fit =
            ident::fit_beam(record.experiment, record.noisy(1e-3, static_cast<std::uint64_t>(seed)), record.guess());
        for (Eigen::Index i = 0; i < 5; ++i)
            inside[static_cast<std::size_t>(i)] += fit.lower[i] <= record.truth[i] && record.truth[i] <= fit.upper[i];
    }
    return inside;
}

}  // namespace panto::test
