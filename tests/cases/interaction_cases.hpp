// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of whole passages off line: the EN 50318:2002 reference model and the stitched line of the HiL paper.

#pragma once

#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/interaction/error_index.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/interaction/statistics.hpp>
#include <panto/pantograph/presets.hpp>

#include "targets.hpp"

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace panto::test {

using catenary::FiniteElements;
using interaction::ContactForceFilter;
using interaction::Coupling;

struct EnRun {
    interaction::SimulationRecord record;
    interaction::FiguresOfMerit figures;
    int most_slack = 0;  // at once, while the pantograph is in the window
    double real_time_factor = 0.0;
};

/// The reference model as its golden run has it: start at 10 m in loaded equilibrium, window 240 to 360 m.
inline EnRun en50318_run(double speed_kmh, double element, double dt) {
    const FiniteElements<> model(catenary::en50318_2002(), {.contact = element, .messenger = element});
    catenary::RealTimeEngine<> engine(model, {.speed = speed_kmh / 3.6, .start = 10.0, .dt = dt});
    EnRun run;
    const auto began = std::chrono::steady_clock::now();
    run.record = interaction::simulate(engine,
                                       {.pantograph = pantograph::preset("EN50318_2002").params,
                                        .uplift_force = 120.0,
                                        .start = interaction::Start::loaded_equilibrium,
                                        .end = 400.0},
                                       [&](double x) {
                                           if (x < 240.0 || x >= 360.0) return true;
                                           int slack = 0;
                                           for (std::size_t j = 0; j < model.droppers().size(); ++j)
                                               slack += engine.dropper_force(j) <= 0.0;
                                           run.most_slack = std::max(run.most_slack, slack);
                                           return true;
                                       });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    run.real_time_factor = run.record.contact.time.back() / took.count();
    run.figures = interaction::figures_of_merit(run.record.contact, {.from = 240.0, .to = 360.0});
    return run;
}

inline double uplift_at(const interaction::FiguresOfMerit& m, double position) {
    for (const auto& s : m.uplift)
        if (std::abs(s.position - position) < 1e-6) return 1e3 * s.uplift;
    return NAN;
}

inline std::vector<Measured> en50318_ranges(int speed_kmh, const interaction::FiguresOfMerit& m) {
    const std::string id = "en" + std::to_string(speed_kmh) + ".range.";
    return {{id + "Fm_N", m.mean},
            {id + "sigma_N", m.sigma},
            {id + "stat_max_N", m.statistical_max},
            {id + "stat_min_N", m.statistical_min},
            {id + "act_max_N", m.actual_max},
            {id + "act_min_N", m.actual_min},
            {id + "uplift_mm", uplift_at(m, 300.0)},
            {id + "loss", m.loss_percent}};
}

/// Everything the golden file knows of the passage at 250 km/h, on the coarsest mesh that is inside all tolerances.
inline std::vector<Measured> en50318_at_250() {
    const EnRun run = en50318_run(250.0, 0.5, 0.5e-3);
    const auto& m = run.figures;
    std::vector<Measured> out = en50318_ranges(250, m);
    const auto add = [&](const std::string& key, double value) { out.push_back({"en250." + key, value}); };
    add("Fm", m.mean);
    add("sigma", m.sigma);
    add("stat_max", m.statistical_max);
    add("stat_min", m.statistical_min);
    add("act_max", m.actual_max);
    add("act_min", m.actual_min);
    add("act_max_raw", m.raw_max);
    add("act_min_raw", m.raw_min);
    add("sigma_raw", m.raw_sigma);
    add("sigma_0_2", m.sigma_0_2);
    add("sigma_0_5", m.sigma_0_5);
    add("sigma_5_20", m.sigma_5_20);
    add("sigma_0_20_fft", m.sigma_0_20_fft);
    add("uplift_mm", uplift_at(m, 300.0));
    for (const char* x : {"240", "360"}) add(std::string("uplift_") + x, uplift_at(m, std::stod(x)));
    add("zc_range_mm", 1e3 * m.height_range);
    add("loss_of_contact_pct", m.loss_percent);
    add("F_static", run.record.contact.force.front());
    add("max_slack_droppers", run.most_slack);
    add("real_time_factor", run.real_time_factor);
    const auto causal = interaction::figures_of_merit(
        run.record.contact, {.from = 240.0, .to = 360.0, .filter = ContactForceFilter::butterworth6_causal});
    add("causal6.Fm", causal.mean);
    add("causal6.sigma", causal.sigma);
    add("causal6.act_max", causal.actual_max);
    add("causal6.act_min", causal.actual_min);
    return out;
}

inline std::vector<Measured> en50318_at_300() { return en50318_ranges(300, en50318_run(300.0, 0.5, 0.5e-3).figures); }

/// How the golden runs of the stitched line are set up; see data/hil_paper_tables.json, "runs".
struct StitchedRun {
    double speed_kmh = 300.0, stiffness = 50e3;
    Coupling coupling = Coupling::implicit;
    interaction::MassDamper damper = interaction::MassDamper::ground;
    catenary::Section<> section = catenary::stitched_hil();
    catenary::MeshSize mesh = {};
    double dt = 2e-3;
};

inline interaction::ForceRecord stitched_passage(const StitchedRun& r) {
    const FiniteElements<> model(r.section, r.mesh);
    catenary::RealTimeEngine<> engine(model, {.speed = r.speed_kmh / 3.6, .start = 130.0, .dt = r.dt});
    interaction::SimulationParams p{.pantograph = pantograph::preset("DSA380_HiL").params,
                                    .uplift_force = 0.00097 * r.speed_kmh * r.speed_kmh + 70.0,
                                    .contact_stiffness = r.stiffness,
                                    .coupling = r.coupling,
                                    .uplift_ramp = 50.0,
                                    .end = 1040.0,
                                    .accept_unstable = true};
    p.mass.damper = r.damper;
    return interaction::simulate(engine, p).contact;
}

inline interaction::FiguresOfMerit stitched_figures(const interaction::ForceRecord& record) {
    return interaction::figures_of_merit(
        record, {.from = 325.0, .to = 975.0, .filter = ContactForceFilter::butterworth3_zero_phase_6db});
}

/// The samples of a series at 325 <= x < 975 m.
inline std::vector<double> in_window(const std::vector<double>& series, const std::vector<double>& position) {
    std::vector<double> out;
    for (std::size_t i = 0; i < position.size(); ++i)
        if (position[i] >= 325.0 && position[i] < 975.0) out.push_back(series[i]);
    return out;
}

struct ErrorIndices {
    double filtered = 0.0, raw = 0.0;  // %
};

inline ErrorIndices error_indices(const interaction::ForceRecord& run, const interaction::ForceRecord& reference,
                                  double dt = 2e-3) {
    const auto filter = [&](const interaction::ForceRecord& r) {
        return in_window(interaction::filtered(ContactForceFilter::butterworth3_zero_phase_6db, r.force, dt),
                         r.position);
    };
    const auto raw = [](const interaction::ForceRecord& r) { return in_window(r.force, r.position); };
    return {interaction::error_index(filter(run), filter(reference)),
            interaction::error_index(raw(run), raw(reference))};
}

inline void append(std::vector<Measured>& out, const std::string& id, const ErrorIndices& e) {
    out.push_back({id + "_filtered", e.filtered});
    out.push_back({id + "_raw", e.raw});
}

/// Statistics and the two couplings with delay at one speed.
inline std::vector<Measured> stitched_at(int speed_kmh) {
    const double v = speed_kmh;
    const std::string id = "sw" + std::to_string(speed_kmh) + ".";
    std::vector<Measured> out;
    const auto reference = stitched_passage({.speed_kmh = v});
    const auto add = [&](const std::string& prefix, const interaction::FiguresOfMerit& m) {
        out.push_back({prefix + "mean", m.mean});
        out.push_back({prefix + "sig", m.raw_sigma});
        out.push_back({prefix + "sig20", m.sigma});
        out.push_back({prefix + "max20", m.actual_max});
        out.push_back({prefix + "min20", m.actual_min});
    };
    const auto figures = stitched_figures(reference);
    add(id, figures);
    out.push_back({id + "uplift", figures.height_max});
    add(id + "pad.", stitched_figures(stitched_passage({.speed_kmh = v, .stiffness = 240e3})));
    append(out, id + "explicit",
           error_indices(stitched_passage({.speed_kmh = v, .coupling = Coupling::explicit_delayed}), reference));
    append(out, id + "mass_relative",
           error_indices(
               stitched_passage(
                   {.speed_kmh = v, .coupling = Coupling::interaction_mass, .damper = interaction::MassDamper::wire}),
               reference));
    return out;
}

/// The interaction mass with its damper to ground, as printed, at softer contacts.
inline std::vector<Measured> stitched_absolute_damper() {
    std::vector<Measured> out;
    const auto at_50k = stitched_passage({});
    for (const int k : {10, 20, 30, 40}) {
        const std::string id = "sw300.mass_absolute_" + std::to_string(k) + "k";
        const auto run = stitched_passage({.stiffness = 1e3 * k, .coupling = Coupling::interaction_mass});
        append(out, id, error_indices(run, stitched_passage({.stiffness = 1e3 * k})));
        if (k >= 30) append(out, id + "_vs50k", error_indices(run, at_50k));
    }
    return out;
}

/// What the modeling choices do to sigma at 300 km/h.
inline std::vector<Measured> stitched_sensitivity() {
    const auto sigma = [](const StitchedRun& r) { return stitched_figures(stitched_passage(r)).sigma; };
    StitchedRun stiff, inner, undamped;
    stiff.section.dropper.axial_stiffness *= 10.0;
    for (auto& support : inner.section.supports)
        if (support.stitch_wire) support.stitch_wire->messenger_tension = inner.section.messenger_wire.tension;
    undamped.section.damping = {};
    const std::string id = "sw300.sensitivity.";
    return {{id + "EAx10", sigma(stiff)},
            {id + "Tinner15750", sigma(inner)},
            {id + "no_damping", sigma(undamped)},
            {id + "mesh_half", sigma({.mesh = {.contact = 0.75, .messenger = 1.5, .stitch = 0.5}})},
            {id + "dt1ms", sigma({.dt = 1e-3})}};
}

/// Interaction mass and pantograph of Tables 1 and 2.
inline std::vector<Measured> mass_loop() {
    const interaction::InteractionMass<> mass({}, 2e-3);
    const pantograph::Lumped<> dsa(pantograph::preset("DSA380_HiL").params, 2e-3);
    std::vector<Measured> out;
    for (const int k : {20, 40, 50, 100, 240})
        out.push_back({"subloop.rho_" + std::to_string(k) + "k", interaction::mass_loop_radius(mass, dsa, 1e3 * k)});
    out.push_back(
        {"subloop.limit", interaction::largest_stable(
                              [&](double k) { return interaction::mass_loop_radius(mass, dsa, k) < 1.0; }, 240e3)});
    return out;
}

}  // namespace panto::test
