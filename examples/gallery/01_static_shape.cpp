// SPDX-License-Identifier: BSD-3-Clause
// The static shape of a line: heights are prescribed at the droppers, and the wire sags between them.
#include <panto/catenary/finite_element.hpp>
#include <panto/catenary/lines.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    const catenary::FiniteElements<> line(catenary::stitched_hil(3), {.contact = 0.5, .messenger = 1.0});
    io::Points wire, droppers;
    for (double x = 65.0; x <= 130.0; x += 0.25) wire.emplace_back(x, 1e3 * line.static_height(x)[0]);
    for (const auto& d : line.droppers())
        if (d.span == 1) droppers.emplace_back(d.position, 1e3 * line.static_height(d.position)[0]);
    gallery::draw("01_static_shape", {.title = "Contact wire of the stitched line at rest, second span",
                                      .x_label = "position (m)",
                                      .y_label = "height above nominal (mm)",
                                      .curves = {{"contact wire", io::Tone::main, io::Look::line, wire},
                                                 {"droppers", io::Tone::warn, io::Look::points, droppers}}});
}
