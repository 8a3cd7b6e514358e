// SPDX-License-Identifier: BSD-3-Clause
// Line and pantograph coupled: the contact force, as computed and as the 20 Hz filter of the standards shows it.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/interaction/filter.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/pantograph/presets.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    const catenary::FiniteElements<> line(catenary::stitched_hil(6), {.contact = 1.0, .messenger = 2.0});
    catenary::RealTimeEngine<> wire(line, {.speed = 250.0 / 3.6, .start = 65.0, .dt = 2e-3});
    const auto run = interaction::simulate(wire, {.pantograph = pantograph::preset("DSA380_HiL").params,
                                                  .uplift_force = 130.0,
                                                  .start = interaction::Start::loaded_equilibrium,
                                                  .end = 325.0});
    const auto filtered = interaction::filtered(interaction::ContactForceFilter::butterworth3_zero_phase_3db,
                                                run.contact.force, wire.dt());
    const auto curves = io::thinned_together(run.contact.position, {&run.contact.force, &filtered}, 1.0, 400);
    gallery::draw("04_contact_force", {.title = "Contact force at 250 km/h",
                                       .x_label = "position (m)",
                                       .y_label = "contact force (N)",
                                       .curves = {{"raw", io::Tone::raw, io::Look::thin, curves[0]},
                                                  {"filtered", io::Tone::main, io::Look::line, curves[1]}}});
}
