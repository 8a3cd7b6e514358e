// SPDX-License-Identifier: BSD-3-Clause
// A rubber spring after Berg: friction makes small motions stiffer than large ones, and every cycle loses energy.
#include <panto/element/rubber.hpp>

#include "plot.hpp"

#include <numbers>

using namespace panto;

int main() {
    const element::BergRubber<> rubber({.elastic = 400e3,
                                        .friction = 600.0,
                                        .friction_stroke = 0.4e-3,
                                        .viscous = {.stiffness = 100e3, .damping = 2e3}});
    io::Chart chart{.title = "Force over compression at 1 Hz, amplitudes of 1, 3 and 6 mm",
                    .x_label = "compression (mm)",
                    .y_label = "force (N)"};
    const std::array tones{io::Tone::good, io::Tone::warn, io::Tone::main};
    std::size_t k = 0;
    for (const double amplitude : {1e-3, 3e-3, 6e-3}) {
        constexpr double dt = 1e-3, omega = 2.0 * std::numbers::pi;
        auto memory = rubber.rest(), rate = memory;
        io::Points loop;
        for (int n = 0; n <= 2000; ++n) {
            const double x = amplitude * std::sin(omega * n * dt), v = omega * amplitude * std::cos(omega * n * dt);
            if (n >= 1000 && n % 5 == 0) loop.emplace_back(1e3 * x, rubber.force(x, v, memory));
            rubber.rate(x, v, memory, rate);
            memory += dt * rate;
            rubber.accept(x, v, memory);
        }
        chart.curves.push_back({shown(1e3 * amplitude) + " mm", tones[k++], io::Look::line, loop});
    }
    gallery::draw("10_rubber", chart);
}
