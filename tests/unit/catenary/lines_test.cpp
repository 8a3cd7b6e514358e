// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

using namespace panto::catenary;

TEST_SUITE("catenary::lines") {
    TEST_CASE("every published line has its own name and is valid") {
        for (const auto name : line_names) {
            const Section<> section = line(name);
            CHECK(section.name == name);
            CHECK_FALSE(section.source.empty());
            CHECK_NOTHROW(validate(section));
        }
        CHECK(line("en50318_2002").spans.size() == 10);
        CHECK(line("ac_simple_2015").spans.size() == 20);
        CHECK(line("stitched_hil").spans.size() == 20);
        CHECK(line("predictive_hil").spans.size() == 20);
    }

    TEST_CASE("an unknown name is answered by the nearest") {
        CHECK_THROWS_WITH_AS(static_cast<void>(line("stiched_hil")),
                             "catenary::line: no catenary is called 'stiched_hil'; did you mean 'stitched_hil'? Known "
                             "are en50318_2002, ac_simple_2015, stitched_hil, predictive_hil",
                             panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(line("")), panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(line("EN50318_2002")), panto::SetupError);
    }

    TEST_CASE("lines of one span have two ends and nothing between") {
        for (const Section<>& section : {en50318_2002(1), ac_simple_2015(1), stitched_hil(1), predictive_hil(1)}) {
            CHECK(section.spans.size() == 1);
            CHECK(section.supports.size() == 2);
            CHECK_NOTHROW(validate(section));
        }
    }

    TEST_CASE("equal spans differ in nothing but the supports at both ends") {
        const Section<> section = stitched_hil(4);
        CHECK(section.length() == 4 * 65.0);
        for (const auto& span : section.spans) CHECK(span.droppers.size() == 7);
        CHECK_FALSE(section.supports[0].stitch_wire.has_value());
        CHECK(section.supports[1].stitch_wire.has_value());
        CHECK(section.supports[3].stitch_wire.has_value());
        CHECK_FALSE(section.supports[4].stitch_wire.has_value());
    }

    TEST_CASE("no spans at all are refused when the section is built") {
        CHECK_THROWS_AS(validate(en50318_2002(0)), panto::SetupError);
    }

    TEST_CASE("the lines are symmetric about the middle of every span") {
        for (const auto name : line_names)
            for (const Span& span : line(name).spans)
                for (std::size_t i = 0; i < span.droppers.size(); ++i) {
                    const auto& mirrored = span.droppers[span.droppers.size() - 1 - i];
                    CHECK(span.length - span.droppers[i].position == approx(mirrored.position));
                    CHECK(span.droppers[i].contact_wire_height == mirrored.contact_wire_height);
                }
    }
}
