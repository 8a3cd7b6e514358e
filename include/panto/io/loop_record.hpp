// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The record of a closed loop with everything at the instant it belongs to, though a rig's readings come late.

#pragma once

#include <panto/interaction/record.hpp>
#include <panto/io/run_record.hpp>
#include <panto/rig/recorder.hpp>

#include <algorithm>
#include <cstddef>

namespace panto::io {

/// Fills in force and positions, and shortens the record to the samples that have them. Sample k of the wire is the
/// work of cycle k - 1; drive and load cell of that instant are read `delay` cycles later. Sample 0 is the start, when
/// nothing has moved yet.
inline void align_readings(RunRecord& run, interaction::ForceRecord& record, const rig::Recorder& recorder,
                           std::size_t delay) {
    const std::size_t complete =
        std::min(record.time.size(), recorder.size() > delay ? recorder.size() - delay + 1 : 0);
    for (auto* series : {&record.time, &record.position, &record.force, &record.height}) series->resize(complete);
    for (auto& support : record.supports) support.uplift.resize(complete);
    for (std::size_t k = 0; k < complete; ++k) {
        const std::size_t cycle_of_sample = k > 0 ? k - 1 : 0;
        const Exchange& read = recorder[cycle_of_sample + delay].exchange;
        record.force[k] = std::max(0.0, read.strip_force);  // noise must not pass for a pull
        run.achieved_position.push_back(read.strip.height);
        run.reference_position.push_back(recorder[cycle_of_sample].exchange.reference.height);
    }
}

}  // namespace panto::io
