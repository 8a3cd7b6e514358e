// SPDX-License-Identifier: BSD-3-Clause
// Several pantographs under one line, without a rig.
#include <panto/catenary/realtime_contacts.hpp>
#include <panto/catenary/reference_contacts.hpp>
#include <panto/interaction/criteria.hpp>
#include <panto/interaction/filter.hpp>
#include <panto/interaction/several_pantographs.hpp>
#include <panto/io/progress.hpp>
#include <panto/session/evaluation.hpp>

#include "job.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace panto;

namespace panto_run {

namespace {

/// Figures of a pantograph that follows, beside those of the leading one, and its force as a chart.
void add_follower(io::RunRecord& run, std::size_t number, const interaction::ForceRecord& record,
                  const interaction::EvaluationParams& evaluation, io::OwnChart& forces) {
    const std::string who = "pantograph " + std::to_string(number);
    const auto figures = interaction::figures_of_merit(record, evaluation);
    const std::size_t limits = run.force_limits.size();
    io::add_criteria(run, interaction::quality_criteria(figures, run.speed), who + ": ");
    run.force_limits.resize(limits);  // those of the leading one
    const auto row = [&](const char* name, double value, const char* unit) {
        run.results.push_back({who + ": " + name, value, unit, {}, {}, ""});
    };
    row("actual max", figures.actual_max, "N");
    row("actual min", figures.actual_min, "N");
    row("loss of contact", figures.loss_percent, "%");
    if (figures.uplift_max) row("uplift at supports, largest", 1e3 * *figures.uplift_max, "mm");
    const std::string column = "force_" + std::to_string(number);
    forces.series.push_back({column + "_N", who + ", raw", record.force});
    forces.series.push_back(
        {column + "_filtered_N", who,
         interaction::filtered(evaluation.filter, record.force, figures.time_step, evaluation.cut_off)});
}

}  // namespace

io::RunRecord simulated_train(const Options& o, const Job& job, io::RunRecord run) {
    std::vector<double> behind;
    for (int i = 1; i < o.pantographs; ++i) behind.push_back(o.spacing * i);
    const interaction::PantographOfTrain one{.pantograph = job.plan.rig.pantograph,
                                             .uplift_force = job.plan.static_force,
                                             .contact_stiffness = job.plan.rig.pad_stiffness};
    const interaction::TrainSimulationParams params{
        .pantographs = std::vector(static_cast<std::size_t>(o.pantographs), one),
        .start = job.plan.start,
        .end = job.plan.end};
    const auto go = [&]<class Line>(Line line) {
        for (const std::string& warning : line.warnings()) run.warnings.push_back(warning);
        io::Progress progress(job.duration());
        const auto seen = interaction::simulate(line, params, [&](double position) {
            progress.update(line.time());
            if (job.plan.stop_requested->load()) run.fault = "stopped at " + shown(position) + " m";
            return run.fault.empty();
        });
        run.sampling = "end of each step, k * " + shown(1e3 * line.dt()) + " ms after the start";
        io::add_series(run, seen[0], job.plan.evaluation);
        if (!run.fault.empty() || !io::evaluate_or_say_why(run, seen[0].contact, job.plan.evaluation)) return;
        io::OwnChart forces{.name = "followers",
                            .title = "Contact force of the pantographs that follow",
                            .caption = "At the same instants as that of the leading pantograph, over its position.",
                            .y_label = "contact force (N)"};
        for (std::size_t i = 1; i < seen.size(); ++i)
            add_follower(run, i + 1, seen[i].contact, job.plan.evaluation, forces);
        run.own_charts.push_back(std::move(forces));
    };
    if (o.engine == "reference")
        go(catenary::ReferenceContacts<>(*job.model, job.passage, behind));
    else
        go(catenary::RealTimeContacts<>(*job.model, job.passage, behind));
    return run;
}

}  // namespace panto_run
