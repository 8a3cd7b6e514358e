// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Published overhead lines, ready to use.

#pragma once

#include <panto/catenary/section.hpp>
#include <panto/core/names.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace panto::catenary {

/// A section of equal spans. `inner` is the support between two spans, `end` the support at each end of the section.
template <Real Scalar = double>
[[nodiscard]] Section<Scalar> equal_spans(Section<Scalar> common, std::size_t count, const Span& span,
                                          const Support<Scalar>& inner, const Support<Scalar>& end) {
    common.spans.assign(count, span);
    common.supports.assign(count + 1, inner);
    common.supports.front() = common.supports.back() = end;
    return common;
}

/// Reference model of EN 50318:2002, annex A, as reconstructed from two reprints (the standard itself was not
/// available): 10 spans of 60 m, contact wire straight at droppers and supports, droppers without mass. Support
/// stiffness 5e5 N/m; the reprints give 5e4 (effect on sigma below 0.7 N).
[[nodiscard]] inline Section<> en50318_2002(std::size_t spans = 10) {
    const Section<> common{
        .name = "en50318_2002",
        .source =
            "EN 50318:2002 annex A, reconstructed from reprints (doi 10.1080/00423114.2022.2085586; Appl. Sci. "
            "13, 6819)",
        .contact_wire = {.mass_per_length = 1.35, .tension = 20e3, .bending_stiffness = 195.0},
        .messenger_wire = {.mass_per_length = 1.07, .tension = 16e3, .bending_stiffness = 131.7},
        .dropper = {.stiffness = 100e3},
        .damping = {.alpha = 0.0125, .beta = 1e-4},
    };
    Span span{.length = 60.0};
    for (const double x : {5.0, 10.5, 17.0, 23.5, 30.0, 36.5, 43.0, 49.5, 55.0}) span.droppers.push_back({x, 0.0});
    const SteadyArm<> weightless_support{.held_height = 0.0};
    return equal_spans(common, spans, span,
                       {.messenger_height = 1.2, .messenger_stiffness = 5e5, .steady_arm = weightless_support},
                       {.messenger_height = 1.2});
}

/// AC simple line of the 2015 benchmark (Bruni et al., Vehicle System Dynamics 53(3), 412-435), reconstructed from two
/// independent codes: 55 m spans, pre-sag 55 mm. The contact wire is held at height 0 at the supports.
[[nodiscard]] inline Section<> ac_simple_2015(std::size_t spans = 20) {
    const Section<> common{
        .name = "ac_simple_2015",
        .source = "Bruni et al. 2015, doi 10.1080/00423114.2014.953183, reconstructed from two codes; damping recalled",
        .contact_wire = {.mass_per_length = 1.35, .tension = 22e3, .bending_stiffness = 195.0},
        .messenger_wire = {.mass_per_length = 1.08, .tension = 16e3, .bending_stiffness = 131.7},
        .dropper = {.axial_stiffness = 200e3,
                    .mass_per_length = 0.117,
                    .clamp_mass_contact = 0.165,
                    .clamp_mass_messenger = 0.195},
        .damping = {.alpha = 0.0125, .beta = 1e-4},
    };
    Span span{.length = 55.0};
    constexpr std::array<double, 9> pre_sag{0.0, 0.024, 0.041, 0.052, 0.055, 0.052, 0.041, 0.024, 0.0};
    for (std::size_t i = 0; i < pre_sag.size(); ++i)
        span.droppers.push_back({4.5 + 5.75 * static_cast<double>(i), -pre_sag[i]});
    const SteadyArm<> weightless_support{.held_height = 0.0};
    return equal_spans(common, spans, span,
                       {.messenger_height = 1.2, .messenger_stiffness = 5e5, .steady_arm = weightless_support},
                       {.messenger_height = 1.2});
}

/// Stitched line of the HiL paper (Tur et al., tables B.4 to B.6). EA is a tenth of what the size of the wires suggests
/// and the stitch wire has the mass of a dropper; both are kept as printed. Damping is that of the 2015 benchmark.
/// There are stitch wires at inner supports only.
[[nodiscard]] inline Section<> stitched_hil(std::size_t spans = 20) {
    constexpr double clamp = 0.2125;
    const Section<> common{
        .name = "stitched_hil",
        .source =
            "Tur et al., Hardware-in-the-Loop pantograph tests with general overhead contact line geometry, "
            "tables B.4 to B.6 as printed",
        .contact_wire = {.mass_per_length = 1.374,
                         .tension = 31.5e3,
                         .bending_stiffness = 238.7,
                         .axial_stiffness = 1.65e6},
        .messenger_wire = {.mass_per_length = 0.864,
                           .tension = 15.75e3,
                           .bending_stiffness = 136.09,
                           .axial_stiffness = 1.042e6},
        .dropper = {.axial_stiffness = 110e3,
                    .mass_per_length = 0.091,
                    .clamp_mass_contact = clamp,
                    .clamp_mass_messenger = clamp},
        .damping = {.alpha = 0.0125, .beta = 1e-4},
    };
    Span span{.length = 65.0};
    for (const double x : {6.0, 15.48, 24.18, 32.5, 40.82, 49.52, 59.0}) span.droppers.push_back({x, 0.0});
    const SteadyArm<> arm{.mass_per_length = 1.0, .length = 1.15};
    const StitchWire<> stitch{.mass_per_length = 0.091, .tension = 3.5e3, .length = 18.0, .clamp_mass = clamp};
    return equal_spans(common, spans, span, {.messenger_height = 1.3, .steady_arm = arm, .stitch_wire = stitch},
                       {.messenger_height = 1.3});
}

/// Line of the predictive paper (Table 1; Schirrer et al. 2017): both wires are equal, with four soft droppers in a
/// span and no damping. The paper's equations have no masts and no weights. Therefore panto chose the height of the
/// messenger and its support stiffness of 1e5 N/m. Each dropper carries on average 199 N of the weight of the contact
/// wire.
[[nodiscard]] inline Section<> predictive_hil(std::size_t spans = 20) {
    const Wire<> wire{.mass_per_length = 1.35, .tension = 20e3, .bending_stiffness = 150.0};
    const Section<> common{
        .name = "predictive_hil",
        .source = "Schirrer et al. 2017, Mechatronics 41, 17-28, table 1; heights and masts by panto",
        .contact_wire = wire,
        .messenger_wire = wire,
        .dropper = {.stiffness = 1e3},
    };
    Span span{.length = 60.0};
    for (const double x : {5.0, 21.67, 38.33, 55.0}) span.droppers.push_back({x, 0.0});
    return equal_spans(common, spans, span, {.messenger_height = 1.2, .messenger_stiffness = 1e5},
                       {.messenger_height = 1.2});
}

inline constexpr std::array<std::string_view, 4> line_names{"en50318_2002", "ac_simple_2015", "stitched_hil",
                                                            "predictive_hil"};

/// The published line of that name.
/// @throws SetupError with the nearest name if there is none.
[[nodiscard]] inline Section<> line(std::string_view name) {
    if (name == line_names[0]) return en50318_2002();
    if (name == line_names[1]) return ac_simple_2015();
    if (name == line_names[2]) return stitched_hil();
    if (name == line_names[3]) return predictive_hil();
    throw SetupError(unknown_name("catenary::line", "catenary", name, line_names));
}

#ifdef PANTO_COMPILED
extern template Section<double> equal_spans(Section<double>, std::size_t, const Span&, const Support<double>&,
                                            const Support<double>&);
#endif

}  // namespace panto::catenary
