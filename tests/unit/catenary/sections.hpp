// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sections for the tests of this folder: random ones within sane ranges, mirrored, shifted and scaled ones.

#pragma once

#include <panto/catenary/lines.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

namespace panto::test {

/// Of all random sections; another one by the environment variable PANTO_SEED.
inline unsigned seed() {
    const char* given = std::getenv("PANTO_SEED");
    return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1U;
}

/// Spans of 40 to 70 m that differ, with pre-sag, and at every support one of: fixed or elastic messenger, steady arm
/// with or without held height, stitch wire. Nothing about it is symmetric.
inline catenary::Section<> random_section(unsigned seed, std::size_t spans = 4) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    catenary::Section<> s{
        .name = "random " + std::to_string(seed),
        .contact_wire = {between(0.95, 1.4), between(10e3, 32e3), between(100.0, 250.0)},
        .messenger_wire = {between(0.5, 1.2), between(10e3, 20e3), between(30.0, 150.0)},
        .dropper = {.axial_stiffness = between(50e3, 250e3),
                    .mass_per_length = between(0.0, 0.15),
                    .clamp_mass_contact = between(0.0, 0.25),
                    .clamp_mass_messenger = between(0.0, 0.25)},
        .damping = {.alpha = between(0.0, 0.1), .beta = between(0.0, 1e-3)},
    };
    for (std::size_t i = 0; i < spans; ++i) {
        catenary::Span span{.length = between(40.0, 70.0)};
        const int droppers = std::uniform_int_distribution<int>(4, 9)(random);
        const double pre_sag = span.length * between(0.0, 5e-4), pitch = span.length / droppers;
        for (int j = 0; j < droppers; ++j) {
            const double x = pitch * (j + 0.5 + between(-0.1, 0.1));
            const double first = 0.5 * pitch, last = span.length - first;
            const double along = std::clamp((x - first) / (last - first), 0.0, 1.0);
            span.droppers.push_back({x, -4.0 * pre_sag * along * (1.0 - along)});
        }
        s.spans.push_back(span);
    }
    const double height = between(1.4, 1.8);
    for (std::size_t i = 0; i <= spans; ++i) {
        catenary::Support<> support{.messenger_height = height + between(-0.05, 0.05)};
        if (i > 0 && i < spans) {
            if (between(0.0, 1.0) < 0.5) support.messenger_stiffness = between(1e5, 1e6);
            if (support.messenger_stiffness && i % 2) support.messenger_damping = 300.0 * static_cast<double>(i);
            support.steady_arm = catenary::SteadyArm<>{
                .mass_per_length = between(0.0, 1.5), .length = between(0.5, 1.5), .stiffness = between(0.0, 200.0)};
            if (between(0.0, 1.0) < 0.5) support.steady_arm->held_height = 0.0;
            if (i % 2) support.steady_arm->damping = 100.0 * static_cast<double>(i);
            if (between(0.0, 1.0) < 0.5)
                support.stitch_wire = catenary::StitchWire<>{.mass_per_length = between(0.05, 0.4),
                                                             .tension = between(2e3, 4e3),
                                                             .length = between(10.0, 18.0),
                                                             .clamp_mass = between(0.0, 0.3)};
        }
        s.supports.push_back(support);
    }
    return s;
}

/// Seen from the other side.
inline catenary::Section<> mirrored(catenary::Section<> s) {
    for (auto& span : s.spans) {
        for (auto& dropper : span.droppers) dropper.position = span.length - dropper.position;
        std::reverse(span.droppers.begin(), span.droppers.end());
    }
    std::reverse(s.spans.begin(), s.spans.end());
    std::reverse(s.supports.begin(), s.supports.end());
    return s;
}

/// Everything higher by the same amount, ends included.
inline catenary::Section<> raised(catenary::Section<> s, double by) {
    for (auto& span : s.spans)
        for (auto& dropper : span.droppers) dropper.contact_wire_height += by;
    for (std::size_t i = 0; i < s.supports.size(); ++i) {
        auto& support = s.supports[i];
        support.messenger_height += by;
        const bool end = i == 0 || i + 1 == s.supports.size();
        if (end && !support.steady_arm) support.steady_arm = catenary::SteadyArm<>{.held_height = 0.0};
        if (support.steady_arm && support.steady_arm->held_height) *support.steady_arm->held_height += by;
    }
    return s;
}

/// All masses, tensions and stiffnesses multiplied by the same factor: same shape, same motion, scaled forces.
inline catenary::Section<> scaled(catenary::Section<> s, double factor) {
    const auto scale = [&](auto&... values) { ((values *= factor), ...); };
    for (auto* wire : {&s.contact_wire, &s.messenger_wire})
        scale(wire->mass_per_length, wire->tension, wire->bending_stiffness, wire->axial_stiffness);
    if (s.dropper.stiffness) scale(*s.dropper.stiffness);
    scale(s.dropper.axial_stiffness, s.dropper.mass_per_length, s.dropper.clamp_mass_contact,
          s.dropper.clamp_mass_messenger);
    for (auto& support : s.supports) {
        if (support.messenger_stiffness) scale(*support.messenger_stiffness);
        if (support.messenger_damping) scale(*support.messenger_damping);
        if (support.steady_arm)
            scale(support.steady_arm->mass_per_length, support.steady_arm->stiffness, support.steady_arm->damping);
        if (support.stitch_wire && support.stitch_wire->messenger_tension)
            scale(*support.stitch_wire->messenger_tension);
        if (support.stitch_wire)
            scale(support.stitch_wire->mass_per_length, support.stitch_wire->tension, support.stitch_wire->clamp_mass);
    }
    return s;
}

}  // namespace panto::test
