// SPDX-License-Identifier: BSD-3-Clause
// A bump on a wire with one clamped and one transparent end: the clamped end reflects it, the other lets it out.
#include <panto/transparent/end.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/supports.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    constexpr int points = 201;
    const auto wire = wave::beam_stencil(
        wave::BeamParams<>{.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3}, 0.1, 1.8e-4);
    const auto ends = wave::transparent_ends(wire);
    wave::March march(wire, points, wave::clamped(wire), ends.right);
    Eigen::VectorXd bump(points);
    for (int i = 0; i < points; ++i) bump[i] = std::exp(-0.01 * (i - 100) * (i - 100));
    march.start(bump, bump);
    io::Chart chart{.title = "Displacement at four instants; clamped on the left, transparent on the right",
                    .x_label = "position (m)",
                    .y_label = "displacement (mm)"};
    const std::array tones{io::Tone::raw, io::Tone::good, io::Tone::warn, io::Tone::main};
    for (std::size_t k = 0, n = 0; k < 4; ++k) {
        for (; n < 230 * k; ++n) march.step();
        io::Points line;
        for (int i = 0; i < points; ++i) line.emplace_back(0.1 * i, march.level()[i]);
        chart.curves.push_back({shown(0.18 * static_cast<double>(n), 3) + " ms", tones[k], io::Look::line, line});
    }
    gallery::draw("09_transparent_end", chart);
}
