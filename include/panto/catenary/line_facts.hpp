// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a span of a line is made of (core/line_facts.hpp): geometry, tensions, masses and stiffnesses. A line has the
/// same list in the ground's and in the train's frame. Damping and static shape are not in it: a model in the train's
/// frame has a damping of its own (MovingGrid::least_damping), and often a line without its static shape.

#pragma once

#include <panto/catenary/finite_element.hpp>
#include <panto/core/line_facts.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace panto::catenary {

namespace detail {

struct SpanOfLine {
    struct Wire {
        double mass = 0.0, tension = 0.0, bending = 0.0;  // kg/m, N, N m^2
        double masses = 0.0, springs = 0.0;               // kg and N/m to the ground, of a span
    };
    double length = 0.0;  // m
    Wire contact = {}, messenger = {};
    std::vector<std::pair<double, double>> droppers = {};  // m from the support, N/m
    double stitch_tension = 0.0, stitch_length = 0.0;      // N, m; 0: there is no stitch wire
};

template <class = void>
[[nodiscard]] LineFacts facts_of(SpanOfLine span) {
    constexpr double by_length = 0.02;  // depends on a dropper's length, which is not the same in the outer spans
    LineFacts facts{{"length of a span", span.length, " m"}};
    facts.push_back({"number of droppers in a span", static_cast<double>(span.droppers.size()), ""});
    const auto wire = [&](const std::string& name, const SpanOfLine::Wire& w, const char* spring) {
        facts.push_back({name + ".tension", w.tension, " N"});
        facts.push_back({name + ".mass_per_length", w.mass, " kg/m"});
        facts.push_back({name + ".bending_stiffness", w.bending, " N m^2"});
        facts.push_back({"mass of clamps and arms on a span of the " + name, w.masses, " kg", by_length});
        facts.push_back({spring, w.springs, " N/m"});
    };
    wire("contact_wire", span.contact, "steady_arm.stiffness");
    wire("messenger_wire", span.messenger, "messenger_stiffness");
    facts.push_back({"stitch_wire.tension", span.stitch_tension, " N"});
    facts.push_back({"stitch_wire.length", span.stitch_length, " m"});
    std::sort(span.droppers.begin(), span.droppers.end());
    for (std::size_t j = 0; j < span.droppers.size(); ++j) {
        const std::string name = "droppers[" + std::to_string(j) + "]";
        facts.push_back({name + ".position", span.droppers[j].first, " m"});
        facts.push_back({name + ".stiffness", span.droppers[j].second, " N/m", by_length});
    }
    return facts;
}

}  // namespace detail

/// The facts of the span at a position, m along the line; outside the line, those of the nearest span.
template <Real Scalar>
[[nodiscard]] LineFacts line_facts(const FiniteElements<Scalar>& model, double position) {
    const Section<Scalar>& section = model.section();
    // A position that is a support but for rounding belongs to the span behind it.
    const std::vector<double>& supports = model.mesh().supports;
    const auto inner = supports.begin() + 1;
    const auto i = static_cast<std::size_t>(std::lower_bound(inner, supports.end() - 1, position + 1e-6) - inner);
    const auto wire = [](const Wire<Scalar>& w) {
        return detail::SpanOfLine::Wire{.mass = value_of(w.mass_per_length),
                                        .tension = value_of(w.tension),
                                        .bending = value_of(w.bending_stiffness)};
    };
    detail::SpanOfLine span{.length = section.spans[i].length,
                            .contact = wire(section.contact_wire),
                            .messenger = wire(section.messenger_wire)};
    for (const DropperLink<Scalar>& d : model.droppers()) {
        if (d.span != i) continue;
        const double half = 0.5 * value_of(section.dropper.mass_per_length) * value_of(d.length);
        span.droppers.emplace_back(d.position - supports[i], value_of(d.stiffness));
        span.contact.masses += half + value_of(section.dropper.clamp_mass_contact);
        span.messenger.masses += half + value_of(section.dropper.clamp_mass_messenger);
    }
    if (section.spans.size() < 2) return detail::facts_of(std::move(span));  // without a support between its ends
    const Support<Scalar>& mast = section.supports[std::max<std::size_t>(i, 1)];
    span.messenger.springs =
        mast.messenger_stiffness ? value_of(*mast.messenger_stiffness) : std::numeric_limits<double>::infinity();
    if (const auto& arm = mast.steady_arm) {
        span.contact.masses += value_of(arm->mass_per_length) * value_of(arm->length) / 3.0;
        span.contact.springs = value_of(arm->stiffness);
    }
    if (const auto& stitch = mast.stitch_wire) {
        span.messenger.masses += 2.0 * value_of(stitch->clamp_mass);
        span.stitch_tension = value_of(stitch->tension);
        span.stitch_length = stitch->length;
    }
    return detail::facts_of(std::move(span));
}

}  // namespace panto::catenary
