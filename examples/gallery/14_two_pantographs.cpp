// SPDX-License-Identifier: BSD-3-Clause
// Two pantographs of one train: the trailing one runs through the waves of the leading one, at two distances.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_contacts.hpp>
#include <panto/interaction/filter.hpp>
#include <panto/interaction/several_pantographs.hpp>
#include <panto/pantograph/presets.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    const catenary::FiniteElements<> line(catenary::stitched_hil(8), {.contact = 1.0, .messenger = 2.0});
    const interaction::PantographOfTrain one{.pantograph = pantograph::preset("DSA380_HiL").params,
                                             .uplift_force = 130.0};
    io::Chart chart{.title = "Contact force at 250 km/h, filtered",
                    .x_label = "position of the pantograph (m)",
                    .y_label = "contact force (N)",
                    .x_range = {{195.0, 390.0}}};
    const auto add = [&](const std::string& name, io::Tone tone, const interaction::ForceRecord& record) {
        const auto force = interaction::filtered(interaction::ContactForceFilter::butterworth3_zero_phase_3db,
                                                 record.force, record.time[1]);
        io::Points points;
        for (std::size_t i = 0; i < force.size(); i += 4)
            if (record.position[i] >= 195.0 && record.position[i] <= 390.0)
                points.emplace_back(record.position[i], force[i]);
        chart.curves.push_back({name, tone, io::Look::line, points});
    };
    for (const double distance : {60.0, 100.0}) {
        catenary::RealTimeContacts<> wire(line, {.speed = 250.0 / 3.6, .start = 110.0, .dt = 2e-3}, {distance});
        const auto train = interaction::simulate(
            wire, {.pantographs = {one, one}, .start = interaction::Start::loaded_equilibrium, .end = 500.0});
        if (distance == 60.0) add("leading", io::Tone::raw, train[0].contact);
        add("trailing, " + shown(distance) + " m behind", distance == 60.0 ? io::Tone::warn : io::Tone::main,
            train[1].contact);
    }
    gallery::draw("14_two_pantographs", chart);
}
