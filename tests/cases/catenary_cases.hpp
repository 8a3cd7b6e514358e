// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of the static and one-step properties of the shipped lines, and of the engines against each other.

#pragma once

#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>

#include "targets.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace panto::test {

using catenary::FiniteElements;

/// Contact force that keeps several droppers slack: 350 N after a ramp of 0.3 s.
inline double heavy_force(double time) { return 350.0 * std::min(1.0, time / 0.3); }

/// Stitched line of 6 spans: static forces, lengths, stiffness, natural frequencies, one-step matrices.
inline std::vector<Measured> stitched_six_spans() {
    const FiniteElements<> model(catenary::stitched_hil(6));
    std::vector<Measured> out{{"sw6.unknowns", static_cast<double>(model.size())}};
    double sum = 0.0;
    const std::size_t first = 21;  // of the 4th span
    for (std::size_t j = 0; j < 7; ++j) {
        const auto& d = model.droppers()[first + j];
        out.push_back({"sw6.force_" + std::to_string(j + 1), d.static_force});
        out.push_back({"sw6.length_" + std::to_string(j + 1), d.length});
        sum += d.static_force;
    }
    out.push_back({"sw6.sum", sum});
    out.push_back({"sw6.wire_at_support", model.static_height(195.0)[0]});
    out.push_back({"sw6.stiffness_support", 1.0 / catenary::elasticity(model, 195.0)});
    out.push_back({"sw6.stiffness_mid", 1.0 / catenary::elasticity(model, 227.5)});
    out.push_back({"sw6.stiffness_first_dropper", 1.0 / catenary::elasticity(model, 201.0)});

    const auto dense = [&](const linalg::SymmetricBand<>& band) {
        Eigen::MatrixXd full = Eigen::MatrixXd::Zero(band.size(), band.size());
        for (int i = 0; i < band.size(); ++i)
            for (int k = 0; k <= std::min(i, band.half_bandwidth()); ++k)
                full(i, i - k) = full(i - k, i) = band.below(i, k);
        return full;
    };
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(dense(model.stiffness()), dense(model.mass()),
                                                                          Eigen::EigenvaluesOnly);
    for (int m = 0; m < 6; ++m)
        out.push_back(
            {"sw6.frequency_" + std::to_string(m + 1), std::sqrt(modes.eigenvalues()[m]) / (2.0 * std::numbers::pi)});

    const catenary::RealTimeEngine<> engine(model, {.speed = 0.0, .start = 195.0});
    for (const char* x : {"195.0", "201.0", "227.5"})
        out.push_back({std::string("sw6.compliance_") + x, engine.step_compliance(std::stod(x))});
    double largest = 0.0;
    const auto& M = engine.slackening_matrix();
    for (Eigen::Index i = 0; i < M.rows(); ++i)
        for (Eigen::Index j = 0; j < M.cols(); ++j) {
            const double entry = model.droppers()[static_cast<std::size_t>(i)].stiffness * M(i, j);
            if (i != j) largest = std::max(largest, std::abs(entry));
            if (i == j && i >= 21 && i < 28) out.push_back({"sw6.one_plus_idd_" + std::to_string(i - 20), entry});
        }
    out.push_back({"sw6.idd_offdiagonal", largest});
    return out;
}

/// EN 50318:2002 at rest: dropper forces, sag, elasticity.
inline std::vector<Measured> en50318_static(const Targets& targets) {
    const FiniteElements<> model(catenary::en50318_2002(), {.contact = 0.25, .messenger = 0.25});
    std::vector<Measured> out;
    for (std::size_t j = 0; j < 9; ++j)
        out.push_back({"en.dropper_" + std::to_string(j + 1), model.droppers()[36 + j].static_force});
    out.push_back({"en.sag", -1e3 * model.static_height(240.0 + 20.25)[0]});
    for (const std::string& id : targets.order()) {
        const std::string slack = "en.elasticity_slack_", linear = "en.elasticity_";
        if (id.starts_with(slack))
            out.push_back({id, 1e3 * catenary::elasticity(model, std::stod(id.substr(slack.size())), 120.0)});
        else if (id.starts_with(linear))
            out.push_back({id, 1e3 * catenary::elasticity(model, std::stod(id.substr(linear.size())))});
    }
    return out;
}

/// Largest differences between the reference and the real-time engine over a run under a given force.
struct Disagreement {
    double height = 0.0, tension = 0.0;
    int slack_steps = 0, most_slack = 0;
    bool converged = true;
};

template <class Force>
Disagreement compare_engines(const FiniteElements<>& model, const catenary::PassageParams& passage, int steps,
                             Force force) {
    catenary::ReferenceEngine<> reference(model, passage);
    catenary::RealTimeEngine<> real_time(model, passage);
    Disagreement d;
    for (int k = 1; k <= steps; ++k) {
        const double f = force(k * passage.dt);
        d.height = std::max(d.height, std::abs(reference.step(f).height - real_time.step(f).height));
        int slack = 0;
        for (std::size_t j = 0; j < model.droppers().size(); ++j) {
            d.tension = std::max(d.tension, std::abs(reference.dropper_force(j) - real_time.dropper_force(j)));
            slack += reference.dropper_force(j) <= 0.0;
        }
        d.slack_steps += slack;
        d.most_slack = std::max(d.most_slack, slack);
        d.converged = d.converged && reference.status() == Status::ok && real_time.status() == Status::ok;
    }
    return d;
}

/// The set-up of golden/slack_modal_vs_direct at 2, 10 and 50 ms.
inline std::vector<Measured> engines_on_three_spans() {
    const FiniteElements<> model(catenary::stitched_hil(3), {.contact = 3.0, .messenger = 6.0, .stitch = 3.0});
    double height = 0.0, tension = 0.0, most = 0.0;
    for (const double dt : {2e-3, 10e-3, 50e-3}) {
        const auto d = compare_engines(model, {.speed = 80.0, .start = 30.0, .dt = dt, .accept_coarse_mesh = true},
                                       static_cast<int>(std::lround(1.6 / dt)), heavy_force);
        height = std::max(height, d.height);
        tension = std::max(tension, d.tension);
        if (dt == 2e-3) most = d.most_slack;
    }
    return {{"slack244.height", height}, {"slack244.tension", tension}, {"slack244.most_slack", most}};
}

/// Twenty spans of the stitched line at 300 km/h under a force that swings between 50 and 350 N.
inline std::vector<Measured> engines_on_twenty_spans(int steps) {
    const FiniteElements<> model(catenary::stitched_hil());
    const auto d = compare_engines(model, {.speed = 300.0 / 3.6, .start = 130.0}, steps,
                                   [](double t) { return 200.0 + 150.0 * std::sin(6.0 * t); });
    return {{"agree.height", d.height},
            {"agree.tension", d.tension},
            {"agree.slack_steps", static_cast<double>(d.slack_steps)}};
}

/// A section within sane ranges, drawn at random: spans of different lengths and dropper counts, with or without
/// stitch wires, elastic supports and held heights.
inline catenary::Section<> random_section(std::mt19937_64& random) {
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto chance = [&] { return between(0.0, 1.0) < 0.5; };
    catenary::Section<> s{
        .name = "random",
        .contact_wire = {.mass_per_length = between(0.8, 1.6),
                         .tension = between(10e3, 35e3),
                         .bending_stiffness = between(50.0, 300.0)},
        .messenger_wire = {.mass_per_length = between(0.4, 1.3),
                           .tension = between(10e3, 25e3),
                           .bending_stiffness = between(30.0, 200.0)},
        .dropper = {.axial_stiffness = between(80e3, 250e3),
                    .mass_per_length = between(0.0, 0.2),
                    .clamp_mass_contact = between(0.0, 0.3),
                    .clamp_mass_messenger = between(0.0, 0.3)},
        .damping = {.alpha = between(0.0, 0.05), .beta = between(0.0, 2e-4)},
    };
    const bool stitched = chance(), elastic = chance(), held = chance();
    const int spans = std::uniform_int_distribution<int>(2, 8)(random);
    const double pre_sag = between(0.0, 5e-4);  // share of the span
    for (int i = 0; i < spans; ++i) {
        catenary::Span span{.length = between(35.0, 70.0)};
        const int count = std::uniform_int_distribution<int>(4, 9)(random);
        for (int j = 0; j < count; ++j) {
            const double at = (j + 0.5 + between(-0.15, 0.15)) / count;
            span.droppers.push_back({at * span.length, -4.0 * pre_sag * span.length * at * (1.0 - at)});
        }
        s.spans.push_back(span);
    }
    for (int i = 0; i <= spans; ++i) {
        catenary::Support<> support{.messenger_height = between(1.3, 1.8)};
        if (i > 0 && i < spans) {
            if (elastic) support.messenger_stiffness = between(50e3, 1e6);
            support.steady_arm =
                catenary::SteadyArm<>{.mass_per_length = between(0.0, 1.5), .length = between(0.8, 1.4)};
            if (held) support.steady_arm->held_height = 0.0;
            if (stitched)
                support.stitch_wire = catenary::StitchWire<>{.mass_per_length = between(0.09, 0.4),
                                                             .tension = between(1.5e3, 3.5e3),
                                                             .length = between(10.0, 18.0),
                                                             .clamp_mass = between(0.0, 0.3)};
        }
        s.supports.push_back(support);
    }
    return s;
}

/// Worst imbalance at rest of ten random sections.
inline std::vector<Measured> random_residuals() {
    double worst = 0.0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        std::mt19937_64 random(seed);
        worst = std::max(worst, FiniteElements<>(random_section(random)).shape().residual);
    }
    return {{"random.residual", worst}};
}

}  // namespace panto::test
