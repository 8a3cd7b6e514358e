// SPDX-License-Identifier: BSD-3-Clause
// A constant force that starts to travel along the line: waves run ahead of it and lift a support before it arrives.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    const catenary::FiniteElements<> line(catenary::stitched_hil(6), {.contact = 1.0, .messenger = 2.0});
    catenary::RealTimeEngine<> wire(line, {.speed = 250.0 / 3.6, .start = 65.0, .dt = 2e-3});
    const std::size_t support = 3;  // at 195 m
    const std::size_t node = line.mesh().contact_supports[support];
    io::Points uplift;
    while (wire.position() < 325.0) {
        wire.step(150.0);
        uplift.emplace_back(wire.time(), 1e3 * wire.uplift(node));
    }
    gallery::draw("03_travelling_force", {.title = "Uplift at a support under 150 N at 250 km/h",
                                          .x_label = "time (s)",
                                          .y_label = "uplift (mm)",
                                          .curves = {{"fourth support", io::Tone::main, io::Look::line, uplift}}});
}
