// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The line of the predictive paper, Table 1, with the masts that its equations forget.

#pragma once

#include <panto/catenary/moving_line.hpp>

namespace panto::test {

inline catenary::PeriodicLine predictive_line() {
    const wave::BeamParams<> wire{.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3};
    catenary::PeriodicLine line{.period = 60.0, .contact_wire = wire, .messenger_wire = wire};
    for (const double x : {5.0, 21.67, 38.33, 55.0}) line.droppers.push_back({.position = x, .stiffness = 1000.0});
    line.on_messenger.push_back({.stiffness = 1e5});
    return line;
}

}  // namespace panto::test
