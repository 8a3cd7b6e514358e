// SPDX-License-Identifier: BSD-3-Clause
// Waves on a grid are slower than waves on a wire: the phase error per step against the points per wavelength.
#include <panto/wave/dispersion.hpp>

#include "plot.hpp"

#include <numbers>

using namespace panto;

int main() {
    const wave::BeamParams<> wire{.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3};
    constexpr double dx = 0.1;
    const double largest = wave::beam_largest_step(wire, dx);
    io::Chart chart{.title = "Phase error of the explicit beam stencil",
                    .x_label = "grid points per wavelength",
                    .y_label = "relative phase error (%)"};
    const std::array tones{io::Tone::main, io::Tone::good, io::Tone::warn};
    std::size_t k = 0;
    for (const double part : {0.99, 0.7, 0.4}) {
        const auto stencil = wave::beam_stencil(wire, dx, part * largest);
        io::Points points;
        for (double count = 4.0; count <= 20.0; count += 0.25) {
            const double theta = 2.0 * std::numbers::pi / count;
            const double exact = wave::beam_frequency(wire, theta / dx).real() * part * largest;
            points.emplace_back(count, 100.0 * (wave::phase(stencil, theta) / exact - 1.0));
        }
        chart.curves.push_back({shown(part) + " of the largest step", tones[k++], io::Look::line, points});
    }
    gallery::draw("08_dispersion", chart);
}
