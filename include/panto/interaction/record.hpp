// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The record of a run for evaluation: the contact force along the track, the motion of the wire, and its droppers.
/// Simulations and closed loops keep the same record.

#pragma once

#include <cstdint>
#include <vector>

namespace panto::interaction {

/// Uplift of the contact wire at one support over a run.
struct SupportHistory {
    double position = 0.0;            ///< m along the track
    std::vector<double> uplift = {};  ///< m from the state without pantograph, one value per sample
};

/// All series have one value per sample, taken at the same instants with a constant time step.
struct ForceRecord {
    std::vector<double> time = {};              ///< s
    std::vector<double> position = {};          ///< m along the track, of the contact point
    std::vector<double> force = {};             ///< N, contact force, not filtered; 0 means no contact
    std::vector<double> height = {};            ///< m, of the contact point, upward from the nominal wire height
    std::vector<SupportHistory> supports = {};  ///< may be empty
};

/// Tension of a dropper over a run, and how long it was slack.
struct DropperRecord {
    double position = 0.0;         ///< m along the track
    double static_force = 0.0;     ///< N, without pantograph
    double smallest = 0.0;         ///< N
    double largest = 0.0;          ///< N
    std::int64_t slack_steps = 0;  ///< samples in which it was slack
    double slack_time = 0.0;       ///< s, of these samples
    int slack_count = 0;           ///< how often it went slack
};

/// The record of a run. Sample k is the state at time k dt after the start; the start itself is sample 0.
struct SimulationRecord {
    ForceRecord contact = {};  ///< force, position, wire height; uplift at the inner supports if the engine gives it
    std::vector<DropperRecord> droppers = {};  ///< empty if the engine does not give them
    std::vector<int> slack_droppers = {};      ///< number at each sample; empty if the engine does not give it
    std::int64_t unconverged_steps = 0;        ///< steps whose status is usable but not ok; 0 in a sound run
};

}  // namespace panto::interaction
