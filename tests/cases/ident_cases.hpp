// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The axially loaded beam of Publication A: golden output, sensitivities and information, identification from its own
/// record without and with noise, the front of the undamped beam.

#pragma once

#include <panto/ident/beam.hpp>
#include <panto/ident/beam_front.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/opt/levenberg_marquardt.hpp>

#include "../support/golden_json.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace panto::test {

/// Mass per length, viscous and material damping, bending stiffness, tension.
inline Eigen::VectorXd beam_parameters(double rA, double dv, double dm, double EI, double T) {
    Eigen::VectorXd p(5);
    p << rA, dv, dm, EI, T;
    return p;
}

/// amplitude * sum_{j=1..m} sin(2 pi f j t + pi j^2/m) at levels 0..steps.
inline Eigen::VectorXd multisine(double f, int m, double amplitude, double dt, int steps) {
    Eigen::VectorXd record = Eigen::VectorXd::Zero(steps + 1);
    for (int n = 0; n <= steps; ++n)
        for (int j = 1; j <= m; ++j)
            record[n] += amplitude * std::sin(2.0 * std::numbers::pi * f * j * n * dt + std::numbers::pi * j * j / m);
    return record;
}

struct BeamCase {
    ident::BeamExperiment experiment;
    Eigen::VectorXd truth;
};

/// ident_clamped, under a force, or ident_shaker, moved at its right end. Publication A clamps with first order, and
/// its first level takes all of a force that begins with a step, of which half is of second order.
inline BeamCase golden_beam(const std::string& name) {
    constexpr auto as_published = ident::BeamSupport::clamped_first_order;
    if (name == "ident_clamped") {
        BeamCase clamped{{.length = 7.5,
                          .points = 23,
                          .dt = 1e-4,
                          .steps = 2000,
                          .sensors = {9},
                          .left = as_published,
                          .right = as_published,
                          .forces = {{.point = 17, .newton = multisine(10.0, 10, 100.0, 1e-4, 2000)}}},
                         beam_parameters(1.0, 0.5, 0.02, 150.0, 15e3)};
        clamped.experiment.forces[0].newton[0] *= 2.0;
        return clamped;
    }
    ident::BeamExperiment e{.length = 3.75,
                            .points = 16,
                            .dt = 1e-4,
                            .steps = 2000,
                            .sensors = {7},
                            .left = as_published,
                            .right = as_published};
    e.right_motion = multisine(2.0, 5, 1e-3, 1e-4, 2000);
    e.right_motion[0] = 0.0;
    return {e, beam_parameters(2.0, 0.3, 0.05, 200.0, 8e3)};
}

/// From where the golden clamped beam is identified.
inline Eigen::VectorXd beam_guess() { return beam_parameters(1.05, 0.5, 0.03, 140.0, 15.2e3); }

/// Largest relative differences from a golden case.
struct BeamAgreement {
    double output = 0.0, sensitivities = 0.0;
    double singular_values = 0.0;  ///< the first four
    double smallest = 0.0;         ///< the fifth, where the case has one
    double directions = 0.0;       ///< norm of the difference of all entries' magnitudes
    double null_output = 0.0;      ///< what the common scale of all parameters changes, over what each of them does
    double null_direction = 0.0;   ///< 1 - |v_5 . p/|p||
    ident::Information information;
};

inline BeamAgreement agreement_with_golden_beam(const std::string& name) {
    const auto wanted = golden("waves_and_identification.json").at(name);
    const auto [experiment, p] = golden_beam(name);
    const auto off = [](double found, double expected) { return std::abs(found - expected) / std::abs(expected); };
    BeamAgreement a;
    Eigen::VectorXd y;
    Eigen::MatrixXd Psi;
    ident::BeamModel(experiment).response(p, y, Psi);
    for (std::size_t i = 0; i < 3; ++i)
        a.output = std::max(a.output, off(y[i == 0 ? 499 : i == 1 ? 999 : 1999], wanted.at("y_samples")[i]));
    a.output = std::max(a.output, off(y.norm(), wanted.at("y_norm")));
    a.information = ident::information(Psi, 1e-3);
    for (Eigen::Index i = 0; i < 5; ++i) {
        const auto at = static_cast<std::size_t>(i);
        a.sensitivities = std::max({a.sensitivities, off(Psi.col(i).norm(), wanted.at("sens_norms")[at]),
                                    off(Psi(1999, i), wanted.at("sens_last")[at])});
        if (at >= wanted.at("singular_values").size()) continue;
        double& worst = at < 4 ? a.singular_values : a.smallest;
        worst = std::max(worst, off(a.information.singular_values[i], wanted.at("singular_values")[at]));
    }
    a.directions = (golden_matrix(wanted.at("V_cols_abs")) - a.information.directions.cwiseAbs()).norm();
    a.null_output = (Psi * p).norm() / (Psi * p.asDiagonal()).norm();
    a.null_direction = std::abs(1.0 - std::abs(a.information.directions.col(4).dot(p.normalized())));
    return a;
}

/// The misfit of Publication A, Eq. (20): at the guess without noise, at the guess and at the truth with noise.
inline std::array<double, 3> publication_a_misfits() {
    const auto [experiment, truth] = golden_beam("ident_clamped");
    const ident::BeamModel model(experiment);
    const Eigen::VectorXd y = model.response(truth), guess = beam_guess();
    // The sheet's noise: 0.01 m times the sum of twelve numbers of a linear congruential generator, less 6.
    std::uint32_t state = 12345;
    const auto noise = [&] {
        double sum = -6.0;
        for (int i = 0; i < 12; ++i) {
            state = 1664525u * state + 1013904223u;
            sum += state / 4294967296.0;
        }
        return 0.01 * sum;
    };
    const double at_rest = noise();  // the sheet counts level 0, where the model says 0, as a sample
    Eigen::VectorXd noisy = y;
    for (double& sample : noisy) sample += noise();
    const ident::BeamMisfit misfit(model, noisy);
    const auto with_level_0 = [&](const Eigen::VectorXd& p) {
        const double all = noisy.squaredNorm() + at_rest * at_rest;
        return (misfit(p) * noisy.squaredNorm() + at_rest * at_rest) / all;
    };
    return {ident::BeamMisfit(model, y)(guess), with_level_0(guess), with_level_0(truth)};
}

inline opt::LevenbergMarquardt beam_method() {
    opt::LevenbergMarquardt m;
    m.params.bounds.lower = beam_parameters(0.1, 0.0, 0.0, 1.0, 100.0);
    return m;
}

/// The golden clamped beam from its own record.
inline opt::Minimum identify_golden_beam() {
    const auto [experiment, truth] = golden_beam("ident_clamped");
    const ident::BeamModel model(experiment);
    return beam_method().minimize(ident::BeamMisfit(model, model.response(truth)), beam_guess());
}

/// Largest relative error of a parameter.
inline double golden_beam_error(const Eigen::VectorXd& found) {
    const Eigen::VectorXd truth = golden_beam("ident_clamped").truth;
    return (found - truth).cwiseQuotient(truth).cwiseAbs().maxCoeff();
}

/// Of 100 records with noise, those whose 95 % joint ellipsoid holds the truth.
inline int truths_in_beam_ellipsoid() {
    const auto [experiment, truth] = golden_beam("ident_clamped");
    const ident::BeamModel model(experiment);
    const Eigen::VectorXd clean = model.response(truth);
    const double deviation = 1e-3;  // m, of 0.012 m signal: a tenth of dv and a twentieth of dm, far from the bounds
    int inside = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> noise(0.0, deviation);
        Eigen::VectorXd record = clean;
        for (double& sample : record) sample += noise(random);
        const auto found = beam_method().minimize(ident::BeamMisfit(model, record), beam_guess());
        Eigen::VectorXd y;
        Eigen::MatrixXd Psi;
        model.response(found.x, y, Psi);
        inside += ident::distance_squared(Psi, truth - found.x, deviation) <= 11.070;  // chi-square, 5 degrees
    }
    return inside;
}

/// A clamped beam of 7.5 m under a force of ten sines at one point, seen at `sensor`. Steps of 0.3 ms are stable for
/// the true beam, up to 0.365 ms, but not for one that is stiffer by half.
inline ident::BeamExperiment undamped_experiment(int sensor = 31, int at = 58) {
    constexpr auto as_published = ident::BeamSupport::clamped_first_order;
    ident::BeamExperiment e{.length = 7.5,
                            .points = 76,
                            .dt = 3e-4,
                            .steps = 600,
                            .sensors = {sensor},
                            .left = as_published,
                            .right = as_published};
    e.forces = {{at, multisine(10.0, 10, 100.0, 3e-4, 600)}};
    return e;
}

inline Eigen::VectorXd undamped_beam() { return beam_parameters(1.0, 0.0, 0.0, 150.0, 15000.0); }

inline ident::BeamMisfits undamped_records() {
    std::vector<ident::BeamMisfit> all;
    for (const int sensor : {31, 48}) {
        const ident::BeamModel model(undamped_experiment(sensor));
        all.emplace_back(model, model.response(undamped_beam()));
    }
    return ident::BeamMisfits(std::move(all));
}

/// The box of the search: sets whose step is too long for the scheme lie inside.
inline opt::Nsga2Params undamped_search(int generations) {
    opt::Nsga2Params p{.population = 40, .generations = generations, .seed = 5};
    p.bounds.lower = beam_parameters(0.5, 0.0, 0.0, 50.0, 5000.0);
    p.bounds.upper = beam_parameters(1.5, 1.0, 0.05, 300.0, 30000.0);
    return p;
}

struct UndampedFront {
    int members = 0, unstable = 0;
};

inline UndampedFront undamped_front() {
    const ident::BeamMisfits misfits = undamped_records();
    UndampedFront f;
    for (const opt::Individual& member : ident::beam_front(misfits, undamped_search(25)).front) {
        ++f.members;
        f.unstable += !misfits.stable(member.x) || misfits.growth_rate(member.x) > ident::growth_resolution;
    }
    return f;
}

inline std::vector<Measured> beam_figures() {
    std::vector<Measured> all;
    const BeamAgreement clamped = agreement_with_golden_beam("ident_clamped");
    const BeamAgreement shaken = agreement_with_golden_beam("ident_shaker");
    for (const auto& [id, a] : {std::pair{"ident.clamped.", clamped}, std::pair{"ident.shaker.", shaken}}) {
        all.push_back({std::string(id) + "output", a.output});
        all.push_back({std::string(id) + "sensitivities", a.sensitivities});
        all.push_back({std::string(id) + "singular_values", a.singular_values});
        all.push_back({std::string(id) + "directions", a.directions});
    }
    all.push_back({"ident.clamped.smallest", clamped.smallest});
    all.push_back({"ident.clamped.logdet", clamped.information.log_determinant});
    all.push_back({"ident.clamped.trace_inverse", clamped.information.trace_of_inverse});
    all.push_back({"ident.clamped.min_eigenvalue", clamped.information.smallest_eigenvalue});
    all.push_back({"ident.shaker.rank", static_cast<double>(shaken.information.rank)});
    all.push_back(
        {"ident.shaker.fifth", shaken.information.singular_values[4] / shaken.information.singular_values[0]});
    all.push_back({"ident.shaker.null_output", shaken.null_output});
    all.push_back({"ident.shaker.null_direction", shaken.null_direction});
    const auto misfits = publication_a_misfits();
    all.push_back({"ident.misfit.clean", misfits[0]});
    all.push_back({"ident.misfit.noisy", misfits[1]});
    all.push_back({"ident.misfit.truth", misfits[2]});
    const opt::Minimum found = identify_golden_beam();
    all.push_back({"ident.beam.error", golden_beam_error(found.x)});
    all.push_back({"ident.beam.marches", static_cast<double>(found.evaluations)});
    all.push_back({"ident.beam.ellipsoid", static_cast<double>(truths_in_beam_ellipsoid())});
    const UndampedFront front = undamped_front();
    all.push_back({"ident.front.members", static_cast<double>(front.members)});
    all.push_back({"ident.front.unstable", static_cast<double>(front.unstable)});
    return all;
}

}  // namespace panto::test
