// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The second rig of the papers under its virtual line: one span of 60 m at 60 m/s, 39 cells, damping 1e-4 s,
/// EN50318_2002 with 120 N on a strip of 10 kN/m, commands at 170 Hz.

#pragma once

#include <panto/catenary/moving_state_space.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/rig/impedance_loop.hpp>

#include "../support/predictive_line.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace panto::test {

struct PredictiveRun {
    using Form = control::ForceCorrectionParams::Form;
    double seconds = 600.0;
    Form form = Form::budget;
    double noise = 0.0;        ///< N, of the force
    double drive_share = 1.0;  ///< bandwidth of the drive by that of its model
};

struct PredictiveResult {
    double height_rms_mm = 0.0, height_max_mm = 0.0, correction_rms = 0.0;
    double energy_max = 0.0, energy_late = 0.0, momentum_max = 0.0;  ///< energy_late: after 10 s
    int bounded = 0, grew = 0;  ///< steps that kept the energy's interval; of these those in which |DE| grew
    Status worst = Status::ok;
};

inline PredictiveResult predictive_run(const PredictiveRun& run) {
    static const auto line =
        catenary::moving_engine(predictive_line(), {.speed = 60.0, .dt = 1.0 / 850.0, .cells = 39, .spans = 1});
    static const auto model = catenary::periodic_state_space(line, 5);
    plant::DriveRigParams params{.pantograph = pantograph::preset("EN50318_2002").params};
    control::ImpedanceMpcParams told{.drive = rig::drive_model(params)};
    told.balance.form = run.form;
    params.drive.bandwidth *= run.drive_share;
    params.lift = 0.0;  // at first; 120 N within a second
    plant::DriveRig stand(params);
    rig::ImpedanceLoop loop(stand, line, control::ImpedanceMpc(told, model));
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    PredictiveResult r;
    const auto cycles = static_cast<int>(std::round(run.seconds / loop.dt()));
    double before = 0.0;
    for (int k = 0; k < cycles; ++k) {
        const double t = k * loop.dt();
        stand.set_lift(120.0 * std::min(1.0, t));
        r.worst = std::max(r.worst, loop.step(run.noise * normal(random)));
        const control::ImpedanceMpc& c = loop.controller();
        const double e = 1e3 * c.record().height_error, energy = std::fabs(c.balance().total.energy);
        r.height_rms_mm += e * e / cycles;
        r.height_max_mm = std::max(r.height_max_mm, std::fabs(e));
        r.correction_rms += c.correction() * c.correction() / cycles;
        r.energy_max = std::max(r.energy_max, energy);
        if (t > 10.0) r.energy_late = std::max(r.energy_late, energy);
        r.momentum_max = std::max(r.momentum_max, std::fabs(c.balance().total.momentum));
        r.bounded += c.balance().kept;
        r.grew += c.balance().kept && energy > before + 1e-12;
        before = energy;
    }
    r.height_rms_mm = std::sqrt(r.height_rms_mm);
    r.correction_rms = std::sqrt(r.correction_rms);
    return r;
}

/// The rows `predictive.*` of targets.json.
inline std::vector<Measured> predictive_loop() {
    using Form = PredictiveRun::Form;
    const auto budget = predictive_run({}), paper = predictive_run({.form = Form::paper}),
               noisy = predictive_run({.noise = 2.0}), slow = predictive_run({.drive_share = 0.8});
    return {{"predictive.height_rms_mm", budget.height_rms_mm},
            {"predictive.height_max_mm", budget.height_max_mm},
            {"predictive.correction_share", budget.correction_rms / paper.correction_rms},
            {"predictive.energy", budget.energy_max},
            {"predictive.energy_late", budget.energy_late},
            {"predictive.momentum", budget.momentum_max},
            {"predictive.theorem1", static_cast<double>(paper.grew)},
            {"predictive.noise.height_rms_mm", noisy.height_rms_mm},
            {"predictive.noise.height_max_mm", noisy.height_max_mm},
            {"predictive.noise.energy", noisy.energy_max},
            {"predictive.noise.energy_late", noisy.energy_late},
            {"predictive.noise.momentum", noisy.momentum_max},
            {"predictive.slow.height_rms_mm", slow.height_rms_mm},
            {"predictive.slow.height_max_mm", slow.height_max_mm},
            {"predictive.slow.energy", slow.energy_max}};
}

}  // namespace panto::test
