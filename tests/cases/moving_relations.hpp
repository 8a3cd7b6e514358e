// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What must not change of a line in the train's frame: other heights, larger loads, a period later, the mirrored line.

#pragma once

#include <panto/catenary/moving_engine.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace panto::test {

/// A small line of another shape than its mirror image, with masses, dampers and arms: 8 m spans, 16 cells.
inline catenary::PeriodicLine small_line(bool mirrored = false) {
    catenary::PeriodicLine line{
        .period = 8.0,
        .contact_wire = {.mass_per_length = 1.3, .viscous_damping = 0.4, .bending_stiffness = 100.0, .tension = 20e3},
        .messenger_wire = {.mass_per_length = 1.0, .viscous_damping = 0.3, .bending_stiffness = 80.0, .tension = 14e3},
        .beta = 1e-4};
    const auto at = [&](double x) { return mirrored ? std::fmod(8.0 - x, 8.0) : x; };
    line.droppers = {{at(1.1), 3000.0, 2.0, 50.0}, {at(5.3), 2000.0, 0.0, 50.0}};
    line.on_messenger = {{.position = at(0.3), .stiffness = 5e4, .damping = 30.0, .mass = 0.5}};
    line.on_contact = {{.position = at(2.0), .stiffness = 200.0, .damping = 0.2, .mass = 0.3}};
    return line;
}

inline const catenary::MovingGrid small_grid{.speed = 40.0, .dt = 8.0 / (40.0 * 80.0), .cells = 16, .spans = 3};

/// Largest differences of the height in 200 steps from what it must be, m.
struct LineRelations {
    double shifted = 0.0, later = 0.0, mirrored = 0.0, scaled = 0.0;
    double height = 0.0;  ///< largest height itself, so that the differences mean something
};

inline LineRelations line_relations() {
    using catenary::moving_engine;
    catenary::PeriodicLine shifted = small_line();
    shifted.static_height = [](double) { return std::array<double, 2>{0.7, 0.0}; };
    catenary::MovingGrid later = small_grid, mirrored = small_grid;
    later.start = 2.0 * 8.0;
    mirrored.speed = -small_grid.speed;
    // All start with the support at the pantograph, the mirrored line too.
    auto engine = moving_engine(small_line(), small_grid), raised = moving_engine(shifted, small_grid),
         again = moving_engine(small_line(), later), other_way = moving_engine(small_line(true), mirrored),
         doubled = engine;
    LineRelations r;
    const auto differ = [](double& largest, double a, double b) { largest = std::max(largest, std::fabs(a - b)); };
    for (int n = 0; n < 200; ++n) {
        const double force = 100.0 + 50.0 * std::sin(0.1 * n), z = engine.step(force).height;
        differ(r.height, z, 0.0);
        differ(r.shifted, raised.step(force).height, 0.7 + z);
        differ(r.later, again.step(force).height, z);
        differ(r.mirrored, other_way.step(force).height, z);
        differ(r.scaled, doubled.step(2.0 * force).height, 2.0 * z);
    }
    return r;
}

}  // namespace panto::test
