// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Runs a loop and records it, in memory and on disk: the part of a session that works with every loop, whatever it
/// consists of. io::Session runs and records a rig::Cycle in this way; for a rig::ImpedanceLoop write
///
///     rig::Recorder cycles(schedule);
///     io::RunRecord run;
///     auto done = io::recorded_run(run, loop, clock, loop, cycles, {.schedule = schedule, .delay = 1}, watch);
///     io::add_series(run, done.seen, evaluation);

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/interaction/observation.hpp>
#include <panto/interaction/record.hpp>
#include <panto/io/spool.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/timed_cycle.hpp>
#include <panto/session/evaluation.hpp>
#include <panto/session/loop_record.hpp>
#include <panto/session/run_csv.hpp>
#include <panto/session/run_record.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace panto::io {

struct RecordedRunParams {
    rig::Schedule schedule{};
    std::size_t delay = 0;  ///< delay of the readings in cycles, see loop_sample(); 1 if a cycle reads before the line
                            ///< moves and the readings are not late
    double start_force = 0.0;            ///< N, on the line at the start
    std::filesystem::path running = {};  ///< file in which the run is recorded while it goes on; empty: none
};

struct RecordedRun {
    rig::Report report{};
    interaction::SimulationRecord seen{};  ///< force as measured, aligned with the instant at which it was measured
    std::int64_t overruns = 0;             ///< steps that took longer than the period
};

/// Runs the loop and fills in positions of the drive and step times of `run`. If the file could not be written, a
/// warning is added to `run`. `watch(record)` is called in every cycle, and its time counts as part of the cycle.
/// @param line    the line of the loop, or the loop itself if it shows where its line stands
/// @param cycles  made for the schedule
/// @throws SetupError if the file cannot be created; nothing has moved then.
template <rig::Runnable Loop, Clock K, TravellingContact Line, std::invocable<const rig::CycleRecord&> Watch>
RecordedRun recorded_run(RunRecord& run, Loop& loop, K& clock, const Line& line, rig::Recorder& cycles,
                         const RecordedRunParams& p, Watch&& watch) {
    const auto samples = static_cast<std::size_t>(p.schedule.cycles()) + 1;
    rig::TimedCycle<Loop> timed{loop, p.schedule.period};
    interaction::Observation<Line> seen(line, samples);
    interaction::SimulationRecord& record = seen.record();
    std::optional<Spool> spool;
    if (!p.running.empty()) spool.emplace(p.running, spool_head(run, true), samples);
    seen.sample(p.start_force);
    RecordedRun done;
    done.report = rig::run(timed, clock, p.schedule, [&](const rig::CycleRecord& r) noexcept {
        cycles(r);
        seen.sample(r.exchange.wire_force);
        if (spool) append_complete(*spool, record.contact, cycles, p.delay);
        watch(r);
    });
    if (spool) note_incomplete(run, *spool);
    align_readings(run, record.contact, cycles, p.delay);
    run.step_times = step_times_of(timed.times, loop.dt());
    done.overruns = timed.overruns;
    done.seen = std::move(record);
    return done;
}

}  // namespace panto::io
