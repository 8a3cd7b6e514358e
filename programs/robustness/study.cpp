// SPDX-License-Identifier: BSD-3-Clause
#include "study.hpp"

#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/paper_lqg.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/control/robustness.hpp>
#include <panto/io/pantograph_json.hpp>
#include <panto/io/section_json.hpp>
#include <panto/pantograph/static_force.hpp>
#include <panto/study/serial.hpp>
#ifdef PANTO_STUDY_THREADS
#include <panto/study/threads.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <mutex>
#include <optional>
#include <utility>

using namespace panto;

namespace robustness {

namespace {

constexpr std::size_t outputs = 11;

/// A study with the executor that was asked for.
study::Results with_executor(const Options& o, const study::Description& description,
                             const std::function<std::vector<double>(std::size_t)>& f, const study::Options& options) {
#ifdef PANTO_STUDY_THREADS
    if (o.threads != 1) {
        study::Threads threads(o.threads);
        return study::run(description, threads, f, options);
    }
#endif
    return study::run(description, study::Serial(), f, options);
}

rig::Rehearsed rehearse(const rig::Rehearsal& passage, const Case& c, const plant::RigParams& actual,
                        const rig::Reference& ideal, std::uint64_t seed) {
    const plant::InteractionMassParams& mass = passage.params().interaction;
    if (c.controller == "none") return passage.run(control::Direct(), actual, ideal, seed);
    if (c.controller == "paper_lqg")
        return passage.run(control::PaperLqg({.rig = c.rig, .interaction_mass = mass}, dt), actual, ideal, seed);
    if (c.controller == "lqg")
        return passage.run(control::Lqg({.rig = c.rig, .interaction_mass = mass}, dt), actual, ideal, seed);
    return passage.run(control::PredictiveLqg({.rig = c.rig, .wire = passage.response(ideal.force)}, dt), actual, ideal,
                       seed);
}

std::vector<double> evaluated(const Passage& where, const Case& c) {
    const rig::Rehearsal passage(*where.model, where.params);
    const plant::RigParams actual = plant::perturbed(c.rig, c.perturbation, dt);
    const rig::Reference ideal = passage.reference(actual);
    Figures f{.runs = static_cast<double>(c.seeds), .ideal_loss = ideal.loss_percent, .ideal_smallest = ideal.smallest};
    double sum = 0.0;
    for (int i = 0; i < c.seeds; ++i) {
        const auto r = rehearse(passage, c, actual, ideal, c.first_seed + static_cast<std::uint64_t>(i));
        f.loss = std::max(f.loss, r.loss_percent);
        f.largest = std::max(f.largest, r.largest);
        if (r.complete()) {
            f.complete += 1.0;
            f.index = std::max(f.index, r.index);
            f.error = std::max(f.error, r.error);
            sum += r.index;
        } else if (f.first_fault == Status::ok || (f.reached > 0.0 && !(r.reached > 0.0))) {  // commissioning first
            f.first_fault = r.report.status;
            f.reached = r.reached;
        }
    }
    if (f.complete > 0.0) f.mean_index = sum / f.complete;
    return {f.runs,   f.complete, f.index,      f.mean_index,     f.error,
            f.loss,   f.largest,  f.ideal_loss, f.ideal_smallest, static_cast<double>(f.first_fault),
            f.reached};
}

void add(study::Hash& hash, const plant::RigParams& rig) {
    hash.add(rig.pad_stiffness).add(rig.command_delay).add(rig.reading_delay).add(rig.force_filter.cut_off);
    hash.add(rig.pantograph.mass).add(rig.pantograph.damping).add(rig.pantograph.stiffness);
}

}  // namespace

Passage passage_of(const Options& o, const std::string& line, const std::string& pantograph, double speed_kmh) {
    const auto section = io::section_by_name_or_file(line);
    const auto preset = io::pantograph_by_name_or_file(pantograph);
    const std::size_t spans = section.spans.size();
    require(spans >= 6, "robustness", "--catenary '", line, "' has ", spans, " spans, must have 6 or more");
    const double speed = speed_kmh / 3.6;
    // Fine enough for 20 Hz ahead of the pantograph, as in panto_run.
    const double ahead = catenary::wave_speed(section.contact_wire) - speed;
    require(ahead > 0.0, "robustness", "--speed is ", speed_kmh, " km/h, must be below the wave speed of '", line,
            "', ", 3.6 * (speed + ahead), " km/h");
    const double element = std::clamp(ahead / 40.0, 0.1, 0.75);
    // The middle half of the line, and a quarter of it to settle; in a hurry three spans, and one.
    const std::size_t quarter = spans / 4, begin = spans / 10;
    const std::size_t from = o.quick ? 3 : std::max<std::size_t>(quarter, begin + 1);
    const std::size_t to = o.quick ? 5 : spans - quarter;
    Passage p{.line = section.name, .pantograph = preset.name, .speed_kmh = speed_kmh};
    p.rig = {.pad_stiffness = 1e3 * o.pad,
             .pantograph = preset.params,
             .force_filter = {.cut_off = o.filter},
             .command_delay = o.command_delay,
             .reading_delay = o.reading_delay};
    plant::validate(p.rig, "robustness");
    p.params.passage = {.speed = speed, .start = section.support_position(o.quick ? 2 : begin), .dt = dt};
    p.params.end = section.support_position(to + 1);
    p.params.evaluation.from = section.support_position(from);
    p.params.evaluation.to = section.support_position(to);
    p.params.uplift_force = preset.static_force
                                ? *preset.static_force
                                : pantograph::static_force_at({.law = pantograph::StaticForceLaw::ac}, speed);
    p.model = std::make_shared<const catenary::FiniteElements<>>(
        section, catenary::MeshSize{.contact = element, .messenger = 2.0 * element, .stitch = element / 1.5});
    return p;
}

std::vector<Figures> conduct(const Options& o, const std::vector<Passage>& passages, const std::vector<Case>& cases) {
    study::Hash inputs;
    inputs.add("robustness");
    for (const Passage& p : passages) {
        inputs.add(io::section_to_text(p.model->section()))
            .add(p.pantograph)
            .add(p.speed_kmh)
            .add(p.params.uplift_force);
        inputs.add(p.params.passage.start).add(p.params.end);
        inputs.add(p.params.evaluation.from).add(p.params.evaluation.to);
    }
    for (const Case& c : cases) {
        inputs.add(c.controller).add(c.seeds).add(c.first_seed).add(c.passage);
        add(inputs, plant::perturbed(c.rig, c.perturbation, dt));
        add(inputs, c.rig);
    }
    study::ProgressBar bar;
    const auto results = with_executor(
        o, {.name = "runs on the simulated rig", .count = cases.size(), .outputs = outputs, .inputs = inputs.value()},
        [&](std::size_t i) { return evaluated(passages[cases[i].passage], cases[i]); },
        {.journal = o.journal, .observer = std::ref(bar)});
    std::vector<Figures> all;
    for (const study::Outcome& outcome : results.outcomes) {
        const auto& v = outcome.values;
        Figures f{.reason = outcome.reason};
        if (outcome.ok())
            f = {.runs = v[0],
                 .complete = v[1],
                 .index = v[1] > 0.0 ? v[2] : NAN,
                 .mean_index = v[1] > 0.0 ? v[3] : NAN,
                 .error = v[1] > 0.0 ? v[4] : NAN,
                 .loss = v[5],
                 .largest = v[6],
                 .ideal_loss = v[7],
                 .ideal_smallest = v[8],
                 .first_fault = static_cast<Status>(static_cast<int>(v[9])),
                 .reached = v[10]};
        all.push_back(f);
    }
    return all;
}

Loop loop_of(std::string_view name, const plant::RigParams& told, const control::WireResponse& wire) {
    const auto mass = plant::table2_interaction_mass;
    if (name == "none")
        return [mass](const plant::SampledModel& rig) {
            return control::cut_loop(rig, control::direct_controller(), mass);
        };
    if (name == "paper_lqg")
        return [mass, c = control::PaperLqg({.rig = told, .interaction_mass = mass}, dt)](
                   const plant::SampledModel& rig) { return control::cut_loop(rig, c, mass); };
    if (name == "lqg")
        return [mass, c = control::Lqg({.rig = told, .interaction_mass = mass}, dt)](const plant::SampledModel& rig) {
            return control::cut_loop(rig, c, mass);
        };
    return [wire, c = control::PredictiveLqg({.rig = told, .wire = wire, .accept_stiff_pad = true}, dt)](
               const plant::SampledModel& rig) { return control::cut_loop(rig, c, wire); };
}

control::WireResponse response_of(const Passage& p) {
    return rig::Rehearsal(*p.model, p.params).response(p.params.uplift_force);
}

void in_parallel(const Options& o, const std::string& name, std::size_t n,
                 const std::function<void(std::size_t)>& job) {
    study::ProgressBar bar;
    const auto results = with_executor(o, {.name = name, .count = n},
                                       [&](std::size_t i) {
                                           job(i);
                                           return std::vector<double>{0.0};
                                       },
                                       {.observer = std::ref(bar)});
    for (const auto& outcome : results.outcomes) require(outcome.ok(), "robustness", name, ": ", outcome.reason);
}

}  // namespace robustness
