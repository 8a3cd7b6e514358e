// SPDX-License-Identifier: BSD-3-Clause
// The force between wheel and rail against the creepage: linear for little slip, bounded by friction for much.
#include <panto/vehicle/creep.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    const auto patch = vehicle::contact_patch<double>(80e3, 1.0 / 0.46, 1.0 / 0.3, {}, 0.3);
    io::Chart chart{.title = "Longitudinal creep force, load 80 kN, friction 0.3",
                    .x_label = "creepage (%)",
                    .y_label = "force (kN)",
                    .y_range = {{0.0, 30.0}}};
    const auto add = [&](const char* name, io::Tone tone, const auto& law) {
        io::Points points;
        for (double slip = 0.0; slip <= 1.0e-2; slip += 1e-4)
            points.emplace_back(100.0 * slip,
                                std::min(30.0, -1e-3 * law(vehicle::Creepage<>{slip, 0.0, 0.0}, patch).xi));
        chart.curves.push_back({name, tone, io::Look::line, points});
    };
    add("Kalker, linear", io::Tone::raw, vehicle::LinearCreep{});
    add("Polach", io::Tone::warn, vehicle::Polach{});
    add("FASTSIM", io::Tone::main, vehicle::Fastsim(20, 20));
    gallery::draw("11_creep", chart);
}
