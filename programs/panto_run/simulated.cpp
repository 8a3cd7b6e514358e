// SPDX-License-Identifier: BSD-3-Clause
// Both models coupled, without a rig.
#include <panto/catenary/moving_engine.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/io/progress.hpp>
#include <panto/session/evaluation.hpp>
#include <panto/session/simulate.hpp>

#include "job.hpp"
#include "roof.hpp"

#include <cmath>
#include <utility>

using namespace panto;

namespace panto_run {

namespace {

/// Four spans of the line in the train's frame, with droppers that only pull.
catenary::MovingEngine<> moving_engine_for(const Job& job) {
    const auto line = catenary::periodic_line(job.section);
    const int cells = static_cast<int>(std::ceil(line.period / job.mesh.contact));
    return catenary::moving_engine(
        line, catenary::moving_grid(job.passage, {.cells = cells, .spans = 4, .unilateral = true}));
}

}  // namespace

io::RunRecord simulated(const Options& o, const Job& job, io::RunRecord run, const io::ResultFolder& results) {
    if (o.pantographs > 1) return simulated_train(o, job, std::move(run));
    const auto go = [&]<class Engine>(Engine engine) {
        io::Progress progress(job.duration());
        const auto seen = io::simulate(run, engine, job.plan, results.path() / io::running_file,
                                       [&](const interaction::SimulationStep&) { progress.update(engine.time()); });
        if (!run.fault.empty()) return;
        const auto figures = io::evaluate_or_say_why(run, seen.contact, job.plan.evaluation);
        if (!figures) return;
        add_share_of_roof(run, engine, job, figures->sigma);
        const double kmh = 3.6 * job.passage.speed;
        const bool reference_model = job.section.name == "en50318_2002" && job.pantograph.name == "EN50318_2002";
        if (reference_model && (std::abs(kmh - 250.0) < 0.5 || std::abs(kmh - 300.0) < 0.5))
            io::add_criteria(run, interaction::en50318_2002_ranges(*figures, job.passage.speed), "accepted: ");
    };
    if (o.engine == "reference")
        go(engine_for<catenary::ReferenceEngine<>>(job, run));
    else if (o.engine == "moving")
        go(moving_engine_for(job));
    else
        go(engine_for<catenary::RealTimeEngine<>>(job, run));
    return run;
}

}  // namespace panto_run
