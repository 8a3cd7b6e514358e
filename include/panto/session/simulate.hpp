// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A simulated run: pantograph and wire coupled implicitly, and the run recorded on disk while it goes on.

#pragma once

#include <panto/interaction/observation.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/io/spool.hpp>
#include <panto/rig/histogram.hpp>
#include <panto/session/evaluation.hpp>
#include <panto/session/loop_record.hpp>
#include <panto/session/run_csv.hpp>
#include <panto/session/run_plan.hpp>
#include <panto/session/run_record.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace panto::io {

/// Runs from the start of the wire to the end of the plan. A run that fails or is stopped ends early, with the reason
/// in run.fault; the samples until then are in the run. `watch(step)` is called after every step.
/// @param running  file in which the run is recorded while it goes on; if empty, there is no file
/// @return the record of the run
/// @throws SetupError if the plan is not valid, or if the file cannot be written.
template <CoupledCatenary Wire, class Watch>
interaction::SimulationRecord simulate(RunRecord& run, Wire& wire, const RunPlan& asked,
                                       const std::filesystem::path& running, Watch&& watch) {
    const RunPlan plan = completed(asked, wire);
    interaction::Simulation<Wire> simulation(wire, simulation_of(plan));
    const auto samples = static_cast<std::size_t>(steps_of(plan, wire)) + 2;
    interaction::Observation<Wire> seen(wire, samples);
    const interaction::ForceRecord& contact = seen.record().contact;
    run.sampling = "end of each step, k * " + shown(1e3 * wire.dt()) + " ms after the start";
    std::optional<Spool> spool;
    if (!running.empty()) spool.emplace(running, spool_head(run, false), samples);
    std::size_t spooled = 0;
    rig::Histogram step_times;
    const Status status = interaction::run(simulation, seen, [&](const interaction::SimulationStep& step) {
        step_times.add(step.took);
        for (; spool && spooled < contact.time.size(); ++spooled)
            spool->append(std::array{contact.time[spooled], contact.position[spooled], contact.force[spooled],
                                     contact.height[spooled]});
        watch(step);
        return !(plan.stop_requested && plan.stop_requested->load(std::memory_order_relaxed));
    });
    if (spool) note_incomplete(run, *spool);
    if (!usable(status)) run.fault = std::string(name(status)) + " at " + shown(wire.position()) + " m";
    run.step_times = step_times_of(step_times);
    add_series(run, seen.record(), plan.evaluation);
    return std::move(seen.record());
}

}  // namespace panto::io
