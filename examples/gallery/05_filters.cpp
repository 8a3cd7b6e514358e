// SPDX-License-Identifier: BSD-3-Clause
// Four filters, all called "20 Hz": what each makes of a force that jumps from 100 to 150 N.
#include <panto/interaction/filter.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    constexpr double dt = 1e-3;
    std::vector<double> time(1000), force(1000, 100.0);
    for (std::size_t i = 0; i < time.size(); ++i) time[i] = dt * static_cast<double>(i);
    std::fill(force.begin() + 500, force.end(), 150.0);
    io::Chart chart{.title = "A step of the force through the 20 Hz filters",
                    .x_label = "time (s)",
                    .y_label = "force (N)",
                    .x_range = {{0.4, 0.65}}};
    using enum interaction::ContactForceFilter;
    const std::array tones{io::Tone::main, io::Tone::good, io::Tone::warn, io::Tone::limit};
    std::size_t k = 0;
    for (const auto filter :
         {butterworth3_zero_phase_3db, butterworth3_zero_phase_6db, butterworth6_causal, fft_brick_wall}) {
        io::Points points;
        const auto y = interaction::filtered(filter, force, dt);
        for (std::size_t i = 400; i <= 650; ++i) points.emplace_back(time[i], y[i]);
        chart.curves.push_back({std::string(interaction::name(filter)), tones[k++], io::Look::line, points});
    }
    gallery::draw("05_filters", chart);
}
