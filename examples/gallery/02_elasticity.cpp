// SPDX-License-Identifier: BSD-3-Clause
// The elasticity of a line, uplift per newton: a simple line is stiff at its supports, a stitched one nearly even.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/static_load.hpp>

#include "plot.hpp"

using namespace panto;

io::Points elasticity_of(const catenary::Section<>& section) {
    const catenary::FiniteElements<> line(section, {.contact = 1.0, .messenger = 2.0});
    const double from = line.mesh().supports[1], span = line.mesh().supports[2] - from;
    io::Points points;
    for (int i = 0; i <= 60; ++i)
        points.emplace_back(i / 60.0, 1e3 * catenary::elasticity(line, from + span * i / 60.0));
    return points;
}

int main() {
    gallery::draw(
        "02_elasticity",
        {.title = "Elasticity along a span, linear",
         .x_label = "position in the span (part of its length)",
         .y_label = "elasticity (mm/N)",
         .curves = {{"stitched line", io::Tone::main, io::Look::line, elasticity_of(catenary::stitched_hil(3))},
                    {"simple line", io::Tone::warn, io::Look::line, elasticity_of(catenary::ac_simple_2015(3))}},
         .y_range = {{0.0, 1.0}}});
}
