// SPDX-License-Identifier: BSD-3-Clause
// An overhead line of your own at rest: which dropper lengths give the contact wire its pre-sag, and how soft the line
// is.
#include <panto/catenary.hpp>

#include <cstdio>

using namespace panto;

int main() {
    catenary::Section<> line{
        .name = "my line",
        .contact_wire = {.mass_per_length = 1.082, .tension = 15e3, .bending_stiffness = 130.0},
        .messenger_wire = {.mass_per_length = 0.605, .tension = 12e3, .bending_stiffness = 60.0},
        .dropper = {.axial_stiffness = 120e3,
                    .mass_per_length = 0.09,
                    .clamp_mass_contact = 0.12,
                    .clamp_mass_messenger = 0.12},
        .damping = {.alpha = 0.0125, .beta = 1e-4},
    };
    catenary::Span span{.length = 54.0};
    for (const double x : {5.0, 16.0, 27.0, 38.0, 49.0})  // parabola with 50 mm in the middle, 0 at the outer droppers
        span.droppers.push_back({x, -0.050 * (1.0 - (x - 27.0) * (x - 27.0) / (22.0 * 22.0))});
    const catenary::SteadyArm<> arm{.mass_per_length = 0.9, .length = 1.2};
    line =
        catenary::equal_spans(line, 5, span, {.messenger_height = 1.4, .steady_arm = arm}, {.messenger_height = 1.4});

    const catenary::FiniteElements<> model(line, {.contact = 0.5, .messenger = 1.0});
    std::printf("dropper at m   length m   force N\n");
    for (const auto& d : model.droppers())
        if (d.span == 2) std::printf("%12.2f %10.4f %9.2f\n", d.position, d.length, d.static_force);
    std::printf("\n    x m   height mm   elasticity mm/N   under 150 N\n");
    for (double x = 108.0; x <= 162.0; x += 6.75)
        std::printf("%7.2f %11.1f %17.4f %13.4f\n", x, 1e3 * model.static_height(x)[0],
                    1e3 * catenary::elasticity(model, x), 1e3 * catenary::elasticity(model, x, 150.0));
}
