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
#include <limits>
#include <random>
#include <vector>

namespace panto::test {

struct PredictiveRun {
    using Form = control::ForceCorrectionParams::Form;
    double seconds = 600.0;
    Form form = Form::budget;
    double noise = 0.0;                           ///< N, of the force
    unsigned seed = 1;                            ///< of the noise
    double drive_share = 1.0;                     ///< bandwidth of the drive by that of its model
    double stiffness = 10e3;                      ///< N/m, of the contact strip
    double largest = 20.0, largest_change = 2.0;  ///< N, N per cycle: limits of F_cor
    int lose_every = 0;     ///< of so many readings of the force one is lost: the one before is taken instead
    bool unload = false;    ///< pulls the pantograph off the line for some 70 ms, 12 s after the start
    bool may_ring = false;  ///< a loop that rings is not stopped
};

/// A rig that keeps account of the work its drive does on the pantograph: force and displacement at each step of the
/// drive's own controller, 30 to a cycle.
class WorkingRig {
  public:
    explicit WorkingRig(plant::DriveRigParams p, int lose_every = 0)
        : steps_(p.drive_steps), lose_every_(lose_every), rig_((p.drive_steps = 1, p)), seen_(rig_.force()) {}
    Status step(double command) noexcept {
        Status worst = Status::ok;
        for (int i = 0; i < steps_; ++i) {
            const double force = rig_.force(), height = rig_.drive_state()[0];
            worst = std::max(worst, rig_.step(command));
            work_ += 0.5 * (force + rig_.force()) * (rig_.drive_state()[0] - height);
        }
        if (lose_every_ == 0 || random_() % static_cast<unsigned>(lose_every_) != 0) seen_ = rig_.force();
        return worst;
    }
    [[nodiscard]] double force() const noexcept { return seen_; }  ///< N, as the load cell has it
    [[nodiscard]] bool in_contact() const noexcept { return rig_.force() > 0.0; }
    [[nodiscard]] Eigen::Vector4d drive_state() const noexcept { return rig_.drive_state(); }
    void set_uplift_force(double lift) noexcept { rig_.set_uplift_force(lift); }
    [[nodiscard]] double dt() const noexcept { return steps_ * rig_.dt(); }
    [[nodiscard]] double work() const noexcept { return work_; }  ///< J

  private:
    int steps_, lose_every_;
    plant::DriveRig rig_;
    std::mt19937 random_{2};
    double seen_, work_ = 0.0;
};

/// A line in the train's frame that counts the work of its force: in each step the force times half the rise over two
/// steps, by which the energy of a scheme symmetric in time grows.
struct WorkedLine : catenary::MovingEngine<> {
    explicit WorkedLine(const MovingEngine& line) : MovingEngine(line), before(wire().height) {}
    void advance(double force) noexcept {
        const double now = wire().height;
        MovingEngine::advance(force);
        work += 0.5 * force * (wire().height - before);
        before = now;
    }
    double before, work = 0.0;  // m, J
};

struct PredictiveResult {
    double height_rms_mm = 0.0, height_max_mm = 0.0, correction_rms = 0.0;
    double energy_max = 0.0, energy_late = 0.0, momentum_max = 0.0;  ///< energy_late: after 10 s
    double leak_max = 0.0;  ///< J, greatest energy that one side received and the other did not, step by step of both
    double held_max = 0.0;  ///< J, the same if the line's part is the held force times the rise of a cycle
    double told_max = 0.0;  ///< J, the same as the controller has it
    int bounded = 0, grew = 0;    ///< steps that kept the energy's interval; of these those in which |DE| grew
    double height_last_mm = 0.0;  ///< greatest error of the last 3 s
    int slack = 0, open = 0;      ///< cycles with a slack dropper; without contact
    Status worst = Status::ok;
};

/// Lets the loop run under a lift that reaches `lift` within a second.
template <class Loop>
PredictiveResult measured(Loop& loop, WorkingRig& stand, double lift, const PredictiveRun& run) {
    std::mt19937 random(run.seed);
    std::normal_distribution<double> normal;
    PredictiveResult r;
    const auto cycles = static_cast<int>(std::round(run.seconds / loop.dt()));
    double before = 0.0, held_work = 0.0;
    for (int k = 0; k < cycles; ++k) {
        const double t = k * loop.dt(), wire = loop.wire().height;
        stand.set_uplift_force(run.unload && t > 12.0 && t < 12.1 ? -800.0 : lift * std::min(1.0, t));
        r.leak_max = std::max(r.leak_max, std::fabs(stand.work() - loop.line().work));
        r.held_max = std::max(r.held_max, std::fabs(stand.work() - held_work));
        r.worst = std::max(r.worst, loop.step(run.noise * normal(random)));
        const control::ImpedanceMpc& c = loop.controller();
        held_work += (loop.force() + c.correction()) * (loop.wire().height - wire);
        r.told_max = std::max(r.told_max, std::fabs(c.balance().leaked));
        const double e = 1e3 * c.record().height_error, energy = std::fabs(c.balance().total.energy);
        r.height_rms_mm += e * e / cycles;
        r.height_max_mm = std::max(r.height_max_mm, std::fabs(e));
        r.correction_rms += c.correction() * c.correction() / cycles;
        r.energy_max = std::max(r.energy_max, energy);
        if (t > 10.0) r.energy_late = std::max(r.energy_late, energy);
        if (run.seconds - t < 3.0) r.height_last_mm = std::max(r.height_last_mm, std::fabs(e));
        r.open += !stand.in_contact();
        r.momentum_max = std::max(r.momentum_max, std::fabs(c.balance().total.momentum));
        r.bounded += c.balance().kept;
        r.grew += c.balance().kept && energy > before + 1e-12;
        before = energy;
        if constexpr (requires { loop.line().slack_droppers(); }) r.slack += loop.line().slack_droppers() > 0;
    }
    r.height_rms_mm = std::sqrt(r.height_rms_mm);
    r.correction_rms = std::sqrt(r.correction_rms);
    return r;
}

inline PredictiveResult predictive_run(const PredictiveRun& run) {
    static const auto line =
        catenary::moving_engine(predictive_line(), {.speed = 60.0, .dt = 1.0 / 850.0, .cells = 39, .spans = 1});
    static const auto model = catenary::periodic_state_space(line, 5);
    plant::DriveRigParams params{.pantograph = pantograph::preset("EN50318_2002").params};
    control::ImpedanceMpcParams told{.drive = rig::drive_model(params)};
    told.balance.form = run.form;
    told.balance.largest = run.largest;
    told.balance.largest_change = run.largest_change;
    params.drive.bandwidth *= run.drive_share;
    params.contact_stiffness = run.stiffness;
    params.uplift_force = 0.0;
    WorkingRig stand(params, run.lose_every);
    // Without noise, a load cell out of contact goes on saying 0 N.
    rig::CycleLimits limits{.frozen_time = run.unload ? 2.0 : 0.5};
    if (run.may_ring) limits.ringing.amplitude = std::numeric_limits<double>::infinity();
    rig::ImpedanceLoop loop(stand, WorkedLine(line), control::ImpedanceMpc(told, model), limits);
    return measured(loop, stand, 120.0, run);
}

/// Cycles of 3400 in which a strip of 30 kN/m is off the wire, with drives of 0.7, 1 and 1.3 times the bandwidth of
/// their model: the most with a budget of energy and wide limits, the fewest without correction [predictive paper,
/// Remark 3].
struct StiffStrip {
    int with_budget = 0, without = std::numeric_limits<int>::max();
};
inline StiffStrip stiff_strip() {
    StiffStrip open;
    for (const double share : {0.7, 1.0, 1.3}) {
        PredictiveRun run{
            .seconds = 20.0, .drive_share = share, .stiffness = 30e3, .largest = 100.0, .largest_change = 20.0};
        const PredictiveResult with = predictive_run(run);
        open.with_budget = std::max(open.with_budget, usable(with.worst) ? with.open : std::numeric_limits<int>::max());
        run.largest = run.largest_change = 1e-9;
        run.may_ring = true;
        open.without = std::min(open.without, predictive_run(run).open);
    }
    return open;
}

/// The rows `predictive.*` of targets.json.
inline std::vector<Measured> predictive_loop() {
    using Form = PredictiveRun::Form;
    const auto budget = predictive_run({}), paper = predictive_run({.form = Form::paper}),
               noisy = predictive_run({.noise = 2.0}), slow = predictive_run({.drive_share = 0.8});
    const StiffStrip stiff = stiff_strip();
    return {{"predictive.height_rms_mm", budget.height_rms_mm},
            {"predictive.height_max_mm", budget.height_max_mm},
            {"predictive.correction_share", budget.correction_rms / paper.correction_rms},
            {"predictive.energy", budget.energy_max},
            {"predictive.energy_late", budget.energy_late},
            {"predictive.leak", budget.leak_max},
            {"predictive.momentum", budget.momentum_max},
            {"predictive.theorem1", static_cast<double>(paper.grew)},
            {"predictive.noise.height_rms_mm", noisy.height_rms_mm},
            {"predictive.noise.height_max_mm", noisy.height_max_mm},
            {"predictive.noise.energy", noisy.energy_max},
            {"predictive.noise.energy_late", noisy.energy_late},
            {"predictive.noise.leak", noisy.leak_max},
            {"predictive.noise.momentum", noisy.momentum_max},
            {"predictive.slow.height_rms_mm", slow.height_rms_mm},
            {"predictive.slow.height_max_mm", slow.height_max_mm},
            {"predictive.slow.energy", slow.energy_max},
            {"predictive.slow.leak", slow.leak_max},
            {"predictive.stiff_strip.with_budget", static_cast<double>(stiff.with_budget)},
            {"predictive.stiff_strip.without", static_cast<double>(stiff.without)}};
}

}  // namespace panto::test
