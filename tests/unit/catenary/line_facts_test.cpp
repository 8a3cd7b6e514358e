// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/line_facts.hpp>
#include <panto/catenary/linearised.hpp>
#include <panto/catenary/moving_state_space.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/modelled_passage.hpp>

#include "message.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

using namespace panto;
using namespace panto::catenary;

namespace line_facts_test {
namespace {

/// Droppers with a mass, clamps, arms.
Section<> section() {
    Section<> s = ac_simple_2015();
    s.supports.resize(7), s.spans.resize(6);
    s.supports.back() = s.supports.front();
    return s;
}

std::string difference(const LineFacts& model, const LineFacts& line) {
    return test::message([&] { control::require_same_line(model, line, "test"); });
}

}  // namespace

TEST_CASE("a line is made of the same in the ground's and in the train's frame, in each inner span") {
    const Section<> s = section();
    const FiniteElements<> model(s);
    const LineFacts train = line_facts(periodic_line(s));
    for (const double at : {110.0, 110.0 - 1e-9, 130.0, 219.9}) CHECK(difference(train, line_facts(model, at)).empty());
    CHECK(difference(line_facts(model, 130.0), train).empty());
    // A piece of another length at the beginning does not matter to the others.
    Section<> other = s;
    other.spans[0] = {.length = 40.0, .droppers = {{20.0, 0.0}}};
    CHECK(difference(train, line_facts(FiniteElements<>(other), 115.0)).empty());
    CHECK(difference(train, line_facts(FiniteElements<>(other), 15.0)).find("length of a span is 40 m") !=
          std::string::npos);
}

TEST_CASE("each quantity of a line shows, under the name of its field") {
    const auto shows = [](const std::function<void(Section<>&)>& change, const char* name) {
        const Section<> told = section();
        Section<> other = told;
        change(other);
        const std::string text =
            difference(line_facts(FiniteElements<>(told), 130.0), line_facts(FiniteElements<>(other), 130.0));
        CAPTURE(text);
        CHECK(text.find(name) != std::string::npos);
    };
    shows([](auto& s) { s.contact_wire.tension *= 1.01; }, "the line's contact_wire.tension is 22220 N");
    shows([](auto& s) { s.messenger_wire.tension *= 0.99; }, "messenger_wire.tension");
    shows([](auto& s) { s.contact_wire.mass_per_length += 0.1; }, "contact_wire.mass_per_length is 1.45 kg/m");
    shows([](auto& s) { s.messenger_wire.mass_per_length += 0.1; }, "messenger_wire.mass_per_length");
    shows([](auto& s) { s.contact_wire.bending_stiffness *= 2.0; }, "contact_wire.bending_stiffness");
    shows([](auto& s) { s.dropper.clamp_mass_contact += 0.1; }, "on a span of the contact_wire");
    shows([](auto& s) { s.dropper.clamp_mass_messenger += 0.1; }, "on a span of the messenger_wire");
    shows([](auto& s) { s.dropper.axial_stiffness *= 0.9; }, "droppers[0].stiffness");
    shows([](auto& s) { s.spans[2].droppers[4].position += 0.1; }, "droppers[4].position is 27.6 m");
    shows([](auto& s) { s.spans[2].droppers.pop_back(); }, "number of droppers in a span is 8");
    shows([](auto& s) { s.supports[2].steady_arm = {.mass_per_length = 0.7, .length = 1.0}; },
          "on a span of the contact_wire");
    shows([](auto& s) { s.supports[2].steady_arm->stiffness = 50.0; }, "steady_arm.stiffness is 50 N/m");
    shows([](auto& s) { s.supports[2].messenger_stiffness = {}, s.supports[2].messenger_damping = {}; },
          "messenger_stiffness is inf N/m");
    const auto stitch = [](auto& s) {
        s.supports[2].stitch_wire = {.mass_per_length = 0.6, .tension = 3e3, .length = 8.0};
    };
    shows(stitch, "stitch_wire.tension is 3000 N");
}

TEST_CASE("engines and models of a line tell what it is made of") {
    const PeriodicLine span{.period = 40.0,
                            .contact_wire = {.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3},
                            .messenger_wire = {.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3},
                            .droppers = {{.position = 20.0, .stiffness = 1e3}},
                            .on_messenger = {{.stiffness = 1e5}}};
    const auto engine = moving_engine(span, {.speed = 40.0, .dt = 1e-2, .cells = 20, .spans = 1});
    const LineFacts expected = line_facts(span);
    REQUIRE(!expected.empty());
    const auto same = [&](const LineFacts& told) {
        return told.size() == expected.size() && difference(expected, told).empty();
    };
    CHECK(same(engine.line_facts()));
    CHECK(same(periodic_state_space(engine, 50).line));
    const Section<> ground = equal_spans(
        {.contact_wire = {1.35, 20e3, 150.0}, .messenger_wire = {1.35, 20e3, 150.0}, .dropper = {.stiffness = 1e3}}, 4,
        {.length = 40.0, .droppers = {{20.0, 0.0}}}, {.messenger_height = 1.0, .messenger_stiffness = 1e5},
        {.messenger_height = 1.0});
    const RealTimeEngine<> wire(FiniteElements<>(ground, {.contact = 4.0, .messenger = 8.0}),
                                {.speed = 40.0, .start = 40.0, .dt = 1e-2, .accept_coarse_mesh = true});
    CHECK(same(wire.line_facts(50.0)));
    CHECK(same(periodic_response(LinearisedLine(wire, 3), 2, 1, 2).line));
}

}  // namespace line_facts_test
