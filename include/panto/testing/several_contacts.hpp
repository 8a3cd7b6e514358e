// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for lines of your own with several contacts. Include it by name: it is not part of <panto/testing.hpp>.

#pragma once

#include <panto/catenary/several_contacts.hpp>
#include <panto/element/contact.hpp>
#include <panto/testing/findings.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace panto::testing {

struct SeveralContactsTest {
    int steps = 200;
    double contact_stiffness = element::default_contact_stiffness;  ///< N/m
    double head_compliance = 1e-6;                                  ///< m/N
    double stroke = 0.03;  ///< m, amplitude of the heads about the resting wire
};

/// Tests the positions of the contacts, the contact law at each of them, that a head which lifts the wire at one
/// contact alone causes no force at the others, and that reset() restores the start. Leaves the line at its start.
template <SeveralContacts Line>
[[nodiscard]] Findings test_several_contacts(Line& line, const SeveralContactsTest& p = {}) {
    Findings f;
    const double dt = line.dt();
    const std::size_t n = line.contacts();
    if (!expect(f, is_finite(dt) && dt > 0.0, "dt() is ", dt, " s, must be finite and > 0") ||
        !expect(f, n >= 1, "contacts() is 0, must be at least 1"))
        return f;
    line.reset();
    expect(f, line.time() == 0.0, "time() is ", line.time(), " s after reset(), must be 0");
    std::vector<double> rest;
    for (std::size_t i = 0; i < n; ++i) {
        rest.push_back(Motion(line.wire(i)).height);
        expect(f,
               std::fabs(line.position_after(0.0, i) - line.position(i)) <= 1e-9 * (1.0 + std::fabs(line.position(i))),
               "position_after(0) of contact ", i, " is ", line.position_after(0.0, i), " m, but position() is ",
               line.position(i), " m");
        expect(f, line.contact_force(i) == 0.0, "after reset() the force at contact ", i, " is ", line.contact_force(i),
               " N, must be 0");
    }
    // `lifting`: the contact whose head touches the wire, or `all`.
    const std::size_t all = n;
    const auto heads = [&](int step, std::size_t lifting) {
        std::vector<catenary::ImplicitContact<double>> with;
        for (std::size_t i = 0; i < n; ++i) {
            const double swing = p.stroke * std::sin(0.0785 * step + static_cast<double>(i));
            with.push_back({.stiffness = p.contact_stiffness,
                            .head_height = lifting == all || lifting == i ? rest[i] + swing : rest[i] - 100.0,
                            .head_compliance = p.head_compliance});
        }
        return with;
    };
    const auto run = [&](std::size_t lifting) {
        line.reset();
        std::vector<double> seen;
        double law_off = 0.0, largest = 0.0, off_place = 0.0, elsewhere = 0.0;
        for (int step = 0; step < p.steps; ++step) {
            std::vector<double> places;
            for (std::size_t i = 0; i < n; ++i) places.push_back(line.position_after(dt, i));
            const auto with = heads(step, lifting);
            const Status status = line.step_contacts(with);
            if (!expect(f, usable(status), "step_contacts() ends with '", name(status), "' in step ", step + 1)) break;
            for (std::size_t i = 0; i < n; ++i) {
                const double force = line.contact_force(i), height = Motion(line.wire(i)).height;
                const double gap = with[i].head_height - with[i].head_compliance * force - height;
                law_off = std::max(law_off, std::fabs(force - std::max(0.0, with[i].stiffness * gap)));
                largest = std::max(largest, force);
                off_place = std::max(off_place, std::fabs(line.position(i) - places[i]));
                if (lifting != all && lifting != i) elsewhere = std::max(elsewhere, std::fabs(force));
                seen.push_back(force);
                seen.push_back(height);
            }
        }
        expect(f, largest > 0.0, "the wire exerts no force on heads ", p.stroke, " m above it");
        expect(f, law_off <= 1e-6 * (1.0 + largest),
               "the forces differ from the contact law max(0, stiffness (head_height - head_compliance F - wire "
               "height)) by up to ",
               law_off, " N");
        expect(f, off_place <= 1e-6, "a contact stands ", off_place, " m from the place that position_after(dt) gave");
        expect(f, elsewhere == 0.0, "a head 100 m below the wire has a force of ", elsewhere, " N while contact ",
               lifting, " is pressed");
        return seen;
    };
    const std::vector<double> first = run(all);
    for (std::size_t i = 0; i < n && n > 1; ++i) run(i);
    expect(f, first == run(all), "the same heads after reset() do not give the same forces, to the last bit");
    line.reset();
    auto bad = heads(0, all);
    bad.back().head_height = std::numeric_limits<double>::quiet_NaN();
    expect(f, !usable(line.step_contacts(bad)),
           "step_contacts() returns a usable status for a head height that is not a number; if solvable() is false, "
           "return Status::not_finite");
    bad.pop_back();
    expect(f, !usable(line.step_contacts(bad)), "step_contacts() accepts fewer contacts than contacts()");
    line.reset();
    return f;
}

}  // namespace panto::testing
