// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/section.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

using panto::SetupError;
using panto::catenary::Section;
using panto::catenary::SteadyArm;
using panto::catenary::StitchWire;
using panto::catenary::validate;

namespace section_test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Three spans in which every optional part appears.
Section<> complete() {
    auto section = panto::catenary::stitched_hil(3);
    section.supports[1].messenger_stiffness = 5e5;
    section.supports[1].steady_arm->stiffness = 100.0;
    section.supports[1].steady_arm->held_height = 0.01;
    section.supports[1].stitch_wire->messenger_tension = 12e3;
    section.dropper.stiffness = 1e5;
    return section;
}

/// What validate() says, or nothing.
std::string objection(const Section<>& section) {
    try {
        validate(section);
    } catch (const SetupError& error) {
        return error.what();
    }
    return "";
}

struct Field {
    std::string name;
    std::function<double&(Section<>&)> of;
};

const std::vector<Field> positive_fields{
    {"contact_wire.mass_per_length", [](Section<>& s) -> double& { return s.contact_wire.mass_per_length; }},
    {"contact_wire.tension", [](Section<>& s) -> double& { return s.contact_wire.tension; }},
    {"contact_wire.bending_stiffness", [](Section<>& s) -> double& { return s.contact_wire.bending_stiffness; }},
    {"messenger_wire.mass_per_length", [](Section<>& s) -> double& { return s.messenger_wire.mass_per_length; }},
    {"messenger_wire.tension", [](Section<>& s) -> double& { return s.messenger_wire.tension; }},
    {"messenger_wire.bending_stiffness", [](Section<>& s) -> double& { return s.messenger_wire.bending_stiffness; }},
    {"dropper.stiffness", [](Section<>& s) -> double& { return *s.dropper.stiffness; }},
    {"gravity", [](Section<>& s) -> double& { return s.gravity; }},
    {"spans[1].length", [](Section<>& s) -> double& { return s.spans[1].length; }},
    {"supports[0].messenger_height", [](Section<>& s) -> double& { return s.supports[0].messenger_height; }},
    {"supports[2].messenger_height", [](Section<>& s) -> double& { return s.supports[2].messenger_height; }},
    {"supports[1].messenger_stiffness", [](Section<>& s) -> double& { return *s.supports[1].messenger_stiffness; }},
    {"supports[1].stitch_wire.mass_per_length",
     [](Section<>& s) -> double& { return s.supports[1].stitch_wire->mass_per_length; }},
    {"supports[1].stitch_wire.tension", [](Section<>& s) -> double& { return s.supports[1].stitch_wire->tension; }},
    {"supports[1].stitch_wire.messenger_tension",
     [](Section<>& s) -> double& { return *s.supports[1].stitch_wire->messenger_tension; }},
    {"supports[1].stitch_wire.length", [](Section<>& s) -> double& { return s.supports[1].stitch_wire->length; }},
};

const std::vector<Field> not_negative_fields{
    {"contact_wire.axial_stiffness", [](Section<>& s) -> double& { return s.contact_wire.axial_stiffness; }},
    {"messenger_wire.axial_stiffness", [](Section<>& s) -> double& { return s.messenger_wire.axial_stiffness; }},
    {"dropper.mass_per_length", [](Section<>& s) -> double& { return s.dropper.mass_per_length; }},
    {"dropper.clamp_mass_contact", [](Section<>& s) -> double& { return s.dropper.clamp_mass_contact; }},
    {"dropper.clamp_mass_messenger", [](Section<>& s) -> double& { return s.dropper.clamp_mass_messenger; }},
    {"damping.alpha", [](Section<>& s) -> double& { return s.damping.alpha; }},
    {"damping.beta", [](Section<>& s) -> double& { return s.damping.beta; }},
    {"supports[1].steady_arm.mass_per_length",
     [](Section<>& s) -> double& { return s.supports[1].steady_arm->mass_per_length; }},
    {"supports[1].steady_arm.length", [](Section<>& s) -> double& { return s.supports[1].steady_arm->length; }},
    {"supports[1].steady_arm.stiffness", [](Section<>& s) -> double& { return s.supports[1].steady_arm->stiffness; }},
    {"supports[1].stitch_wire.clamp_mass",
     [](Section<>& s) -> double& { return s.supports[1].stitch_wire->clamp_mass; }},
};

const std::vector<Field> finite_fields{
    {"spans[2].droppers[3].contact_wire_height",
     [](Section<>& s) -> double& { return s.spans[2].droppers[3].contact_wire_height; }},
    {"supports[1].steady_arm.held_height",
     [](Section<>& s) -> double& { return *s.supports[1].steady_arm->held_height; }},
    {"spans[0].droppers[0].position", [](Section<>& s) -> double& { return s.spans[0].droppers[0].position; }},
};

void check_refused(const Field& field, double value) {
    Section<> section = complete();
    field.of(section) = value;
    const std::string text = objection(section);
    CAPTURE(text);
    CHECK(text.find("catenary::Section 'stitched_hil': " + field.name + " must be finite") == 0);
    CHECK(text.ends_with(", got " + panto::shown(value)));
}

}  // namespace

TEST_SUITE("catenary::Section") {
    TEST_CASE("is accepted with every optional part in it") { CHECK(objection(complete()) == ""); }

    TEST_CASE("every quantity that must be positive is named when it is not") {
        for (const Field& field : positive_fields)
            for (const double bad : {0.0, -1.0, not_a_number, infinity, -infinity}) check_refused(field, bad);
    }

    TEST_CASE("every quantity that may be zero is named when it is negative or no number") {
        for (const Field& field : not_negative_fields) {
            for (const double bad : {-1e-9, not_a_number, infinity, -infinity}) check_refused(field, bad);
            Section<> section = complete();
            field.of(section) = 0.0;
            CHECK(objection(section) == "");
        }
    }

    TEST_CASE("every height and position is named when it is no number") {
        for (const Field& field : finite_fields)
            for (const double bad : {not_a_number, infinity, -infinity}) check_refused(field, bad);
        Section<> section = complete();
        section.spans[2].droppers[3].contact_wire_height = -0.05;
        section.supports[1].steady_arm->held_height = -0.05;
        CHECK(objection(section) == "");
    }

    TEST_CASE("every quantity by orders of magnitude beyond any line is named") {
        const auto refuse = [](const Field& field) {
            for (const double bad : {1e13, 1e300}) {
                Section<> section = complete();
                field.of(section) = bad;
                const std::string text = objection(section);
                CAPTURE(text);
                CHECK((text.find(field.name + " is ") != std::string::npos &&
                       text.find(", must be ") != std::string::npos));
            }
        };
        for (const Field& field : positive_fields) refuse(field);
        for (const Field& field : not_negative_fields) refuse(field);
        for (const Field& field : finite_fields) refuse(field);
        Section<> section = complete();
        section.supports[1].messenger_height = 1e7;
        CHECK(objection(section) ==
              "catenary::Section 'stitched_hil': supports[1].messenger_height is 10000000, must "
              "be at most 50: more belongs to no overhead line");
        section = complete();
        section.spans[0].length = 60e3;  // millimetres
        CHECK(objection(section).find("spans[0].length is 60000, must be at most 1000") != std::string::npos);
        section = complete();
        section.contact_wire.tension = 20.0;  // kN
        section.contact_wire.mass_per_length = 98.0;
        CHECK(objection(section).find("contact_wire.tension and mass_per_length give waves of ") != std::string::npos);
    }

    TEST_CASE("needs EA of the droppers only where no stiffness is given") {
        for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
            Section<> section = complete();
            section.dropper.axial_stiffness = bad;
            CHECK(objection(section) == "");
            section.dropper.stiffness.reset();
            CHECK(objection(section).find("dropper.axial_stiffness must be finite and > 0, got " + panto::shown(bad)) !=
                  std::string::npos);
        }
    }

    TEST_CASE("without spans or droppers is refused") {
        CHECK_THROWS_AS(validate(Section<>{}), SetupError);
        Section<> section = complete();
        section.spans.clear();
        CHECK(objection(section) == "catenary::Section 'stitched_hil': spans is empty, at least one span is needed");
        section = complete();
        section.spans[1].droppers.clear();
        CHECK(objection(section) ==
              "catenary::Section 'stitched_hil': spans[1].droppers is empty, at least one dropper is needed");
    }

    TEST_CASE("has one support more than spans") {
        for (const std::size_t count : {0U, 1U, 3U, 5U}) {
            Section<> section = complete();
            section.supports.resize(count, section.supports.front());
            CHECK(objection(section) == "catenary::Section 'stitched_hil': supports has " + std::to_string(count) +
                                            " entries for 3 spans, one more than spans is needed");
        }
    }

    TEST_CASE("has its droppers in order, inside the span and apart from each other") {
        const auto with_position = [](std::size_t dropper, double position) {
            Section<> section = complete();
            section.spans[1].droppers[dropper].position = position;
            return objection(section);
        };
        CHECK(with_position(0, 0.0).find("spans[1].droppers[0].position is 0, must be above 0") != std::string::npos);
        CHECK(with_position(0, -1.0).find("spans[1].droppers[0].position is -1") != std::string::npos);
        CHECK(with_position(6, 65.0).find("spans[1].droppers[6].position is 65, must be above 49.52 (the one "
                                          "before, or the support) and below the span length 65") != std::string::npos);
        CHECK(with_position(6, 70.0).find("spans[1].droppers[6].position is 70") != std::string::npos);
        CHECK(with_position(3, 24.18).find("spans[1].droppers[3].position is 24.18") != std::string::npos);
        CHECK(with_position(3, 20.0).find("spans[1].droppers[3].position is 20") != std::string::npos);
        CHECK(with_position(3, 24.18 + 1e-6) != "");
        CHECK(with_position(3, 24.18 + 0.02) == "");
    }

    TEST_CASE("has nothing but a held height at its ends") {
        for (const std::size_t end : {0U, 3U}) {
            Section<> section = complete();
            section.supports[end].messenger_stiffness = 1e5;
            CHECK(objection(section).find("supports[" + std::to_string(end) + "] is an end") != std::string::npos);
            section = complete();
            section.supports[end].stitch_wire = section.supports[1].stitch_wire;
            CHECK(objection(section).find("is an end") != std::string::npos);
            section = complete();
            section.supports[end].steady_arm = SteadyArm<>{.mass_per_length = 1.0, .length = 1.0, .held_height = 0.0};
            CHECK(objection(section).find("is an end") != std::string::npos);
            section.supports[end].steady_arm = SteadyArm<>{};
            CHECK(objection(section).find("is an end") != std::string::npos);
            section.supports[end].steady_arm = SteadyArm<>{.held_height = 0.1};
            CHECK(objection(section) == "");
            section.supports[end].steady_arm = SteadyArm<>{.held_height = infinity};
            CHECK(objection(section).find("held_height must be finite, got inf") != std::string::npos);
        }
    }

    TEST_CASE("has stitch wires that leave tension to the messenger and do not meet") {
        Section<> section = complete();
        section.supports[1].stitch_wire->tension = section.messenger_wire.tension;
        CHECK(objection(section).find("supports[1].stitch_wire.tension is 15750, must be less than "
                                      "messenger_wire.tension = 15750") != std::string::npos);
        section = complete();
        section.supports[2].stitch_wire->length = 65.0;
        CHECK(objection(section).find("supports[2].stitch_wire.length is 65, must be less than the shorter span, "
                                      "65") != std::string::npos);
        section = complete();
        section.supports[2].stitch_wire->length = 1e-9;  // both clamps at the support, and no wire between
        CHECK(objection(section).find("supports[2].stitch_wire.length is 1e-09, must be at least 0.02 m") !=
              std::string::npos);
    }

    TEST_CASE("knows its length, its supports' positions and its wires' wave speeds") {
        const Section<> section = complete();
        CHECK(section.length() == 195.0);
        CHECK(section.support_position(0) == 0.0);
        CHECK(section.support_position(3) == 195.0);
        // Methods B: 151.41 and 135.02 m/s.
        CHECK(panto::catenary::wave_speed(section.contact_wire) == approx(151.41).epsilon(1e-4));
        CHECK(panto::catenary::wave_speed(section.messenger_wire) == approx(135.02).epsilon(1e-4));
    }
}

}  // namespace section_test
