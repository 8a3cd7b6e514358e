// SPDX-License-Identifier: BSD-3-Clause
// The experiment of the predictive paper.
#include "mpc.hpp"

#include <panto/catenary/moving_state_space.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/io/evaluation.hpp>
#include <panto/io/progress.hpp>
#include <panto/rig/histogram.hpp>
#include <panto/rig/impedance_loop.hpp>
#include <panto/rig/nonlinear_impedance_loop.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

using namespace panto;

namespace panto_run {

namespace {

constexpr int line_steps = 5;       // of the line in the train's frame, in a cycle
constexpr int real_time_steps = 2;  // of the real-time engine
constexpr double cell = 60.0 / 39;  // m

struct Sums {
    double energy = 0.0, momentum = 0.0, squares = 0.0, largest = 0.0;  // |DE|, |Dp|, F_cor^2, |F_cor|
    std::int64_t cycles = 0, active = 0, kept = 0;

    void add(const control::ImpedanceMpc& c) {
        const control::CorrectionRecord& b = c.balance();
        energy = std::max(energy, std::fabs(b.total.energy));
        momentum = std::max(momentum, std::fabs(b.total.momentum));
        squares += b.force * b.force;
        largest = std::max(largest, std::fabs(b.force));
        active += b.limited;
        kept += b.kept;
        ++cycles;
    }
};

void add_balances(io::RunRecord& run, const Sums& s, const control::CorrectionRecord& last) {
    const double n = static_cast<double>(std::max<std::int64_t>(1, s.cycles));
    const auto row = [&](const char* name, double value, const char* unit) {
        run.results.push_back({name, value, unit, {}, {}, ""});
    };
    row("energy error, largest", s.energy, "J");
    row("energy error, at the end", last.total.energy, "J");
    row("energy error, part of the cycles within its bounds", last.bounded.energy, "J");
    row("momentum error, largest", s.momentum, "N s");
    row("momentum error, at the end", last.total.momentum, "N s");
    row("correction of the force, rms", std::sqrt(s.squares / n), "N");
    row("correction of the force, largest", s.largest, "N");
    row("cycles in which a limit of the correction acts", 100.0 * static_cast<double>(s.active) / n, "%");
    row("cycles within the bounds of the energy", 100.0 * static_cast<double>(s.kept) / n, "%");
}

/// The lift, N, at a time of the run.
double lift_at(const Options& o, const Job& job, double t) {
    return o.static_force ? *o.static_force : 130.0 + 90.0 * t / job.duration();
}

/// Lets the loop run and records it. @param datum height of the line at which the drive stands at 0, m
template <class Loop>
void carry_out(const Options& o, const Job& job, plant::DriveRig& stand, Loop& loop, double datum, io::RunRecord& run) {
    std::mt19937_64 random(o.seed);
    std::normal_distribution<double> normal;
    interaction::ForceRecord record;
    rig::Histogram times;
    Sums sums;
    io::OwnChart correction{
        .name = "correction",
        .title = "Correction of the force on the line",
        .caption = "F_cor, and the interval that its limits leave in each cycle: change, size, energy.",
        .y_label = "F_cor (N)",
        .series = {{"correction_N", "F_cor"}, {"correction_lowest_N", "lowest"}, {"correction_highest_N", "highest"}}};
    io::OwnChart energy{.name = "energy",
                        .title = "Error of energy",
                        .caption = "Energy that the rig has received and the line has not, by their displacements.",
                        .y_label = "energy (J)",
                        .series = {{"energy_error_J", "energy error"}}};
    io::Progress progress(job.duration());
    const double dt = loop.dt();
    const auto cycles = static_cast<std::int64_t>(std::ceil(job.duration() / dt - 1e-9));
    for (std::int64_t k = 0; k < cycles; ++k) {
        const double t = static_cast<double>(k) * dt;
        stand.set_lift(lift_at(o, job, t));
        const double height = loop.wire().height - datum, force = stand.force();
        run.achieved_position.push_back(stand.drive_state()[0]);
        run.reference_position.push_back(height);
        const Status status = loop.step(o.force_noise * normal(random));
        times.add(loop.took());
        record.time.push_back(t);
        record.position.push_back(job.passage.start + job.passage.speed * t);
        record.force.push_back(force);
        record.height.push_back(height + datum);
        sums.add(loop.controller());
        const control::CorrectionRecord& balance = loop.controller().balance();
        correction.series[0].values.push_back(balance.force);
        correction.series[1].values.push_back(balance.allowed.lower);
        correction.series[2].values.push_back(balance.allowed.upper);
        energy.series[0].values.push_back(balance.leaked);
        progress.update(t);
        if (!usable(status)) run.fault = rig::describe(loop.fault()) + " at " + shown(record.position.back()) + " m";
        if (job.plan.stop_requested->load()) run.fault = "stopped at " + shown(record.position.back()) + " m";
        if (!run.fault.empty()) break;
    }
    run.step_times = io::step_times_of(times, dt);
    io::add_series(run, record, job.plan.evaluation);
    if (run.fault.empty()) static_cast<void>(io::evaluate_or_say_why(run, record, job.plan.evaluation));
    io::add_position_error(run, job.plan.evaluation);
    run.own_charts = {std::move(correction), std::move(energy)};
    add_balances(run, sums, loop.controller().balance());
}

}  // namespace

io::RunRecord mpc_run(const Options& o, const Job& job, io::RunRecord run) {
    const double dt = job.passage.dt;
    const auto line = catenary::periodic_line(job.section);
    auto engine = catenary::moving_engine(line, {.speed = job.passage.speed,
                                                 .dt = dt / line_steps,
                                                 .cells = static_cast<int>(std::round(line.period / cell)),
                                                 .spans = 1,
                                                 .start = job.passage.start});
    auto model = catenary::periodic_state_space(engine, line_steps);

    plant::DriveRigParams params{.pantograph = job.pantograph.params, .lift = lift_at(o, job, 0.0)};
    params.contact_stiffness = job.plan.rig.pad_stiffness;
    params.drive_steps = std::max(1, static_cast<int>(std::round(params.drive.rate * dt)));
    params.drive.rate = params.drive_steps / dt;
    plant::DriveRig stand(params);
    const control::ImpedanceMpcParams told{.drive = rig::drive_model(params)};

    run.sampling = "beginning of each cycle, k * " + shown(1e3 * dt) + " ms after the start";
    run.metadata.emplace_back("lift", o.static_force ? shown(*o.static_force) + " N" : "130 N to 220 N");
    if (o.engine == "realtime") {
        catenary::PassageParams passage = job.passage;
        passage.dt = dt / real_time_steps;
        // Without damping the loop grows at the highest frequency of the cycle, within some 12 s.
        catenary::Section<> section = job.section;
        const double least = catenary::MovingGrid{}.least_damping;
        if (section.damping.beta < least) {
            section.damping.beta = least;
            run.metadata.emplace_back("damping of the line", shown(least) + " s in proportion to its stiffness, added");
        }
        const catenary::RealTimeEngine<> wire(catenary::FiniteElements<>(section, job.mesh), passage);
        for (const std::string& warning : wire.warnings()) run.warnings.push_back(warning);
        const double datum = wire.wire().height;  // the drive starts at 0
        rig::NonlinearImpedanceLoop loop(stand, wire, control::ImpedanceMpc(told, model), datum);
        run.metadata.emplace_back("virtual line", "the section in the ground's frame, " + shown(real_time_steps) +
                                                      " steps a cycle, droppers that only pull");
        carry_out(o, job, stand, loop, datum, run);
    } else {
        const double datum = model.rest[0][0];
        for (auto& rest : model.rest) rest[0] -= datum;
        rig::ImpedanceLoop loop(stand, engine, control::ImpedanceMpc(told, model));
        run.metadata.emplace_back("virtual line", "one span in the train's frame, " + shown(line_steps) +
                                                      " steps a cycle, periodic droppers that pull and push");
        carry_out(o, job, stand, loop, datum, run);
    }
    return run;
}

}  // namespace panto_run
