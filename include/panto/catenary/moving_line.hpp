// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A periodic line for the train's frame: two tensioned beams, and the droppers, masts and clamps of one span.
/// [predictive paper, Sec. 4.1; it omits the masts, without which the line is not held]

#pragma once

#include <panto/catenary/finite_element.hpp>
#include <panto/catenary/line_facts.hpp>
#include <panto/catenary/lines.hpp>
#include <panto/wave/beam.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace panto::catenary {

/// One span of an infinitely long line.
struct PeriodicLine {
    struct Dropper {
        double position = 0.0;      ///< m from the support, 0 to below the period
        double stiffness = 0.0;     ///< N/m
        double damping = 0.0;       ///< N s/m; keeps acting when the dropper is slack
        double static_force = 0.0;  ///< N, tension without pantograph
    };
    /// A spring or damper to the ground, or the mass of a clamp, at a point of a wire.
    struct Attachment {
        double position = 0.0;   ///< m from the support
        double stiffness = 0.0;  ///< N/m
        double damping = 0.0;    ///< N s/m
        double mass = 0.0;       ///< kg
    };

    double period = 0.0;                              ///< m, length of a span
    wave::BeamParams<> contact_wire, messenger_wire;  ///< with viscous damping; material damping 0
    double beta = 0.0;                                ///< s, damping of both wires proportional to their tension
    std::vector<Dropper> droppers = {};               ///< of one span
    std::vector<Attachment> on_contact = {}, on_messenger = {};
    /// Static height of the contact wire, m, and its slope, as a function of the distance from the support, m. If the
    /// function is empty, both are 0.
    std::function<std::array<double, 2>(double)> static_height = {};
};

/// @throws SetupError naming the field, its value and what is allowed.
template <class = void>
void validate(const PeriodicLine& line) {
    constexpr const char* where = "catenary::PeriodicLine";
    require_positive(line.period, where, "period");
    wave::detail::require_beam(line.contact_wire, where);
    wave::detail::require_beam(line.messenger_wire, where);
    for (const wave::BeamParams<>* wire : {&line.contact_wire, &line.messenger_wire}) {
        const char* const name = wire == &line.contact_wire ? "contact_wire" : "messenger_wire";
        require_positive(wire->tension, where, name, ".tension");
        require(!(wire->material_damping > 0.0), where, name, ".material_damping is ", wire->material_damping,
                " N m^2 s, expected 0: in the train's frame a wire is damped by viscous_damping and beta");
    }
    require_not_negative(line.beta, where, "beta");
    const auto place = [&](double x, const char* list, std::size_t i) {
        require(x >= 0.0 && x < line.period, where, list, "[", i, "].position is ", x,
                " m, must be at least 0 and below ", line.period, " m, a span");
    };
    for (std::size_t i = 0; i < line.droppers.size(); ++i) {
        const PeriodicLine::Dropper& d = line.droppers[i];
        place(d.position, "droppers", i);
        require_positive(d.stiffness, where, "droppers[", i, "].stiffness");
        require_not_negative(d.damping, where, "droppers[", i, "].damping");
        require_finite(d.static_force, where, "droppers[", i, "].static_force");
    }
    for (const auto* list : {&line.on_contact, &line.on_messenger}) {
        const char* const name = list == &line.on_contact ? "on_contact" : "on_messenger";
        for (std::size_t i = 0; i < list->size(); ++i) {
            place((*list)[i].position, name, i);
            require_not_negative((*list)[i].stiffness, where, name, "[", i, "].stiffness");
            require_not_negative((*list)[i].damping, where, name, "[", i, "].damping");
            require_not_negative((*list)[i].mass, where, name, "[", i, "].mass");
        }
    }
}

/// The span of a section whose spans are all the same. Rayleigh damping: alpha applies to all masses, beta to tension
/// and droppers. The bending part, beta EI u_xxxxt, is left out: at the wavelength 2 pi / k it is EI k^2 / T times the
/// part that comes from the tension; this factor is below 4.3 % for waves longer than 3 m on the shipped lines.
/// @throws SetupError if the section is not valid, its spans or inner supports differ, it has stitch wires, or the
/// messenger is fixed at the supports: the model needs a spring there.
template <class = void>
[[nodiscard]] PeriodicLine periodic_line(const Section<>& section) {
    constexpr const char* where = "catenary::periodic_line";
    validate(section);
    const auto same_span = [](const Span& a, const Span& b) {
        bool same = std::abs(a.length - b.length) <= 0.0 && a.droppers.size() == b.droppers.size();
        for (std::size_t j = 0; same && j < a.droppers.size(); ++j)
            same = std::abs(a.droppers[j].position - b.droppers[j].position) <= 0.0 &&
                   std::abs(a.droppers[j].contact_wire_height - b.droppers[j].contact_wire_height) <= 0.0;
        return same;
    };
    for (std::size_t i = 1; i < section.spans.size(); ++i)
        require(same_span(section.spans[i], section.spans[0]), where, "spans[", i,
                "] differs from spans[0], expected a line whose spans are all the same");
    const auto number = [](const std::optional<double>& x) { return x ? *x : -1.0; };
    const auto same_support = [&](const Support<>& a, const Support<>& b) {
        const SteadyArm<> none{}, &p = a.steady_arm ? *a.steady_arm : none, &q = b.steady_arm ? *b.steady_arm : none;
        return std::abs(a.messenger_height - b.messenger_height) <= 0.0 &&
               std::abs(number(a.messenger_stiffness) - number(b.messenger_stiffness)) <= 0.0 &&
               std::abs(number(a.messenger_damping) - number(b.messenger_damping)) <= 0.0 &&
               a.steady_arm.has_value() == b.steady_arm.has_value() &&
               std::abs(p.mass_per_length * p.length - q.mass_per_length * q.length) <= 0.0 &&
               std::abs(p.stiffness - q.stiffness) <= 0.0 && std::abs(p.damping - q.damping) <= 0.0 &&
               p.held_height == q.held_height;
    };
    require(section.supports.size() >= 3, where,
            "spans has one entry, must have at least two, with a support between them");
    const Support<>& mast = section.supports[1];
    for (std::size_t i = 1; i + 1 < section.supports.size(); ++i) {
        require(!section.supports[i].stitch_wire, where, "supports[", i,
                "].stitch_wire is given; the moving line has no stitch wires, use a fixed-frame engine");
        require(section.supports[i].messenger_stiffness.has_value(), where, "supports[", i,
                "] fixes the messenger; in the train's frame it needs a spring: give messenger_stiffness, such as "
                "1e5 N/m");
        require(same_support(section.supports[i], mast), where, "supports[", i,
                "] differs from supports[1], expected a line whose inner supports are all the same");
    }

    // Far from the ends of a line, the static shape is the same in every span: take it from the middle of seven spans.
    constexpr std::size_t spans = 7, middle = 3;
    const auto model = std::make_shared<const FiniteElements<>>(
        equal_spans(section, spans, section.spans[0], mast, section.supports.front()));
    const double length = section.spans[0].length, first = static_cast<double>(middle) * length;
    const auto& damping = section.damping;
    const auto beam = [&](const Wire<>& w) {
        return wave::BeamParams<>{.mass_per_length = w.mass_per_length,
                                  .viscous_damping = damping.alpha * w.mass_per_length,
                                  .bending_stiffness = w.bending_stiffness,
                                  .tension = w.tension};
    };
    PeriodicLine line{.period = length,
                      .contact_wire = beam(section.contact_wire),
                      .messenger_wire = beam(section.messenger_wire),
                      .beta = damping.beta};
    const auto add_mass = [&](std::vector<PeriodicLine::Attachment>& list, double x, double mass) {
        if (mass > 0.0) list.push_back({.position = x, .damping = damping.alpha * mass, .mass = mass});
    };
    for (const DropperLink<>& d : model->droppers()) {
        if (d.span != middle) continue;
        const double x = d.position - first, half = 0.5 * section.dropper.mass_per_length * d.length;
        line.droppers.push_back({x, d.stiffness, damping.beta * d.stiffness, d.static_force});
        add_mass(line.on_contact, x, half + section.dropper.clamp_mass_contact);
        add_mass(line.on_messenger, x, half + section.dropper.clamp_mass_messenger);
    }
    line.on_messenger.push_back(
        {.stiffness = *mast.messenger_stiffness, .damping = mast.messenger_damping.value_or(0.0)});
    if (const auto& arm = mast.steady_arm) {
        add_mass(line.on_contact, 0.0, arm->mass_per_length * arm->length / 3.0);
        if (arm->stiffness > 0.0 || arm->damping > 0.0)
            line.on_contact.push_back({.stiffness = arm->stiffness, .damping = arm->damping});
    }
    line.static_height = [model, first](double x) {
        const auto z = model->static_height(first + x);
        return std::array<double, 2>{z[0], z[1]};
    };
    validate(line);
    return line;
}

/// What the span that repeats itself is made of, for comparisons.
template <class = void>
[[nodiscard]] LineFacts line_facts(const PeriodicLine& line) {
    const auto wire = [](const wave::BeamParams<>& w, const std::vector<PeriodicLine::Attachment>& on) {
        detail::SpanOfLine::Wire all{.mass = w.mass_per_length, .tension = w.tension, .bending = w.bending_stiffness};
        for (const PeriodicLine::Attachment& a : on) all.masses += a.mass, all.springs += a.stiffness;
        return all;
    };
    detail::SpanOfLine span{.length = line.period,
                            .contact = wire(line.contact_wire, line.on_contact),
                            .messenger = wire(line.messenger_wire, line.on_messenger)};
    for (const PeriodicLine::Dropper& d : line.droppers) span.droppers.emplace_back(d.position, d.stiffness);
    return detail::facts_of(std::move(span));
}

}  // namespace panto::catenary
