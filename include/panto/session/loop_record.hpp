// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The record of a closed loop with all quantities at the same instants: the delay of the readings is removed.

#pragma once

#include <panto/interaction/record.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/io/spool.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/session/run_record.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace panto::io {

/// Sample k of the wire is the result of cycle k - 1; the readings of drive and load cell for the same instant arrive
/// `delay` cycles later. Sample 0 is the start: its readings are from the cycle before those of sample 1, or from the
/// first cycle if there is no delay.
struct LoopSample {
    double force = 0.0;      ///< N
    double reference = 0.0;  ///< m
    double achieved = 0.0;   ///< m
};

/// @rt
[[nodiscard]] inline LoopSample loop_sample(const rig::Recorder& recorder, std::size_t k, std::size_t delay) noexcept {
    const std::size_t cycle = k > 0 ? k - 1 : 0;
    const Exchange& read = recorder[std::max<std::size_t>(k + delay, 1) - 1].exchange;
    return {.force = std::max(0.0, read.strip_force),  // noise must not give a negative force
            .reference = recorder[cycle].exchange.reference.height,
            .achieved = read.strip.height};
}

/// Appends the samples that have become complete with the last recorded cycle.
/// @rt
inline void append_complete(Spool& spool, const interaction::ForceRecord& record, const rig::Recorder& recorder,
                            std::size_t delay) noexcept {
    if (recorder.size() <= delay) return;
    const std::size_t last = recorder.size() - delay;
    for (std::size_t k = last == 1 ? 0 : last; k <= last && k < record.time.size(); ++k) {
        const LoopSample sample = loop_sample(recorder, k, delay);
        spool.append(std::array{record.time[k], record.position[k], sample.force, record.height[k], sample.reference,
                                sample.achieved});
    }
}

/// Fills in force, N, and positions, m, and shortens the record to the samples for which these are known.
template <class = void>
void align_readings(RunRecord& run, interaction::ForceRecord& record, const rig::Recorder& recorder,
                    std::size_t delay) {
    const std::size_t complete =
        std::min(record.time.size(), recorder.size() > delay ? recorder.size() - delay + 1 : 0);
    for (auto* series : {&record.time, &record.position, &record.force, &record.height}) series->resize(complete);
    for (auto& support : record.supports) support.uplift.resize(complete);
    for (std::size_t k = 0; k < complete; ++k) {
        const LoopSample sample = loop_sample(recorder, k, delay);
        record.force[k] = sample.force;
        run.achieved_position.push_back(sample.achieved);
        run.reference_position.push_back(sample.reference);
    }
}

/// Ends the record on disk. If rows could not be written, adds a warning to the run.
inline void note_incomplete(RunRecord& run, Spool& spool) {
    if (const std::string trouble = spool.close(); !trouble.empty())
        run.warnings.push_back(std::string(running_file) + " is not complete: " + trouble);
}

/// The first comment of a log.
inline constexpr std::string_view cycles_heading =
    "every cycle of the loop; force and height of the strip as they were read in it";

/// The log of a loop: every cycle as recorded, the faulty one included, with the readings as they arrived.
template <class = void>
[[nodiscard]] CsvTable cycles_of(const rig::Recorder& recorder) {
    CsvTable table;
    table.comments.emplace_back(cycles_heading);
    std::string statuses = "status:";
    for (int s = 0; s <= static_cast<int>(Status::not_running); ++s)
        statuses.append(s > 0 ? ", " : " ").append(shown(s)).append(" ").append(name(static_cast<Status>(s)));
    table.comments.push_back(statuses);
    const auto add = [&](const char* name, auto&& quantity) {
        CsvColumn& column = table.columns.emplace_back(CsvColumn{name, {}});
        column.values.reserve(recorder.size());
        for (const rig::CycleRecord& r : recorder) column.values.push_back(quantity(r));
    };
    const auto microseconds = [](std::chrono::nanoseconds t) { return 1e-3 * static_cast<double>(t.count()); };
    add("time_s", [](const auto& r) { return r.exchange.time; });
    add("status", [](const auto& r) { return static_cast<double>(r.status); });
    add("strip_force_N", [](const auto& r) { return r.exchange.strip_force; });
    add("strip_height_m", [](const auto& r) { return r.exchange.strip.height; });
    add("wire_force_N", [](const auto& r) { return r.exchange.wire_force; });
    add("wire_height_m", [](const auto& r) { return r.exchange.wire.height; });
    add("reference_m", [](const auto& r) { return r.exchange.reference.height; });
    add("command", [](const auto& r) { return r.exchange.command; });
    add("energy_J", [](const auto& r) { return r.exchange.ledger.energy; });
    add("momentum_Ns", [](const auto& r) { return r.exchange.ledger.momentum; });
    add("late_us", [&](const auto& r) { return microseconds(r.late); });
    add("step_us", [&](const auto& r) { return microseconds(r.step_time()); });
    return table;
}

/// Writes the log of a loop.
/// @throws SetupError naming the file if it cannot be written.
template <class = void>
void write_cycles(const std::filesystem::path& file, const rig::Recorder& recorder) {
    write_csv(file, cycles_of(recorder));
}

#ifdef PANTO_COMPILED
extern template void align_readings(RunRecord&, interaction::ForceRecord&, const rig::Recorder&, std::size_t);
extern template void write_cycles(const std::filesystem::path&, const rig::Recorder&);
#endif

}  // namespace panto::io
