// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a rig did while its drive was moved up and down: the command of every period and the readings of that period.

#pragma once

#include <vector>

namespace panto::ident {

struct RigRecord {
    std::vector<double> time = {};     ///< s, of each period, evenly spaced
    std::vector<double> command = {};  ///< m, written in this period
    std::vector<double> height = {};   ///< m, of the drive, read in this period; NaN: missing
    std::vector<double> force = {};    ///< N, positive when pressed together, read in this period; NaN: missing
};

}  // namespace panto::ident
