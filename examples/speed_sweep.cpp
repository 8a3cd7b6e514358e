// SPDX-License-Identifier: BSD-3-Clause
// Contact force of a pantograph under the AC simple line of the 2015 benchmark over the speed of the train.
#include <panto/catenary.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/interaction/statistics.hpp>
#include <panto/pantograph.hpp>

#include <cstdio>

using namespace panto;

int main() {
    const catenary::FiniteElements<> line(catenary::ac_simple_2015(12), {.contact = 0.6, .messenger = 1.2});
    const pantograph::Preset pantograph = pantograph::preset("DSA380");
    std::printf("km/h   mean N   sigma N   least N   most N   uplift mm   loss %%\n");
    for (const double kmh : {200.0, 225.0, 250.0, 275.0, 300.0}) {
        catenary::RealTimeEngine<> wire(line, {.speed = kmh / 3.6, .start = 55.0, .dt = 1e-3});
        const double force = pantograph::static_force_at({.law = pantograph::StaticForceLaw::ac}, kmh / 3.6);
        const auto run = interaction::simulate(wire, {.pantograph = pantograph.params,
                                                      .uplift_force = force,
                                                      .start = interaction::Start::loaded_equilibrium,
                                                      .end = 600.0});
        const auto m = interaction::figures_of_merit(run.contact, {.from = 275.0, .to = 550.0});
        std::printf("%4.0f %8.1f %9.1f %9.1f %8.1f %11.1f %8.2f\n", kmh, m.mean, m.sigma, m.actual_min, m.actual_max,
                    1e3 * m.uplift_max.value_or(0.0), m.loss_percent);
    }
}
