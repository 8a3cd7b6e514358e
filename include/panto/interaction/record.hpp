// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The record of a run for evaluation: the contact force along the track, and the motion of the wire.

#pragma once

#include <vector>

namespace panto::interaction {

/// Uplift of the contact wire at one support over a run.
struct SupportHistory {
    double position = 0.0;            ///< m along the track
    std::vector<double> uplift = {};  ///< m from the state without pantograph, one value per sample
};

/// One value per sample, all sampled at the same instants, a constant step apart.
struct ForceRecord {
    std::vector<double> time = {};              ///< s
    std::vector<double> position = {};          ///< m along the track, of the contact point
    std::vector<double> force = {};             ///< N, contact force, not filtered; 0 means no contact
    std::vector<double> height = {};            ///< m, of the contact point, upward from the nominal wire height
    std::vector<SupportHistory> supports = {};  ///< may be empty
};

}  // namespace panto::interaction
