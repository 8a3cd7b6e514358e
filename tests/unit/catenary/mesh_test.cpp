// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/mesh.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace panto::catenary;

namespace mesh_test {
namespace {

double longest(const std::vector<double>& nodes) {
    double most = 0.0;
    for (std::size_t i = 1; i < nodes.size(); ++i) most = std::max(most, nodes[i] - nodes[i - 1]);
    return most;
}

bool strictly_rising(const std::vector<double>& nodes) {
    return std::adjacent_find(nodes.begin(), nodes.end(), [](double a, double b) { return !(b - a > 1e-9); }) ==
           nodes.end();
}

}  // namespace

TEST_SUITE("catenary::Mesh") {
    TEST_CASE("has nodes in order, none further apart than asked for, from end to end") {
        for (const auto name : line_names)
            for (const MeshSize& size :
                 {MeshSize{}, MeshSize{0.5, 0.7, 0.3}, MeshSize{100.0, 100.0, 100.0}, MeshSize{1.45, 2.9, 0.9}}) {
                const Section<> section = line(name);
                const Mesh mesh(section, size);
                CHECK(strictly_rising(mesh.contact));
                CHECK(strictly_rising(mesh.messenger));
                CHECK(longest(mesh.contact) <= size.contact + 1e-8);
                CHECK(longest(mesh.messenger) <= size.messenger + 1e-8);
                for (const double end : {mesh.contact.front(), mesh.messenger.front()}) CHECK(end == 0.0);
                for (const double end : {mesh.contact.back(), mesh.messenger.back()})
                    CHECK(end == approx(section.length()));
                for (const auto& stitch : mesh.stitches) {
                    CHECK(strictly_rising(stitch.nodes));
                    CHECK(longest(stitch.nodes) <= size.stitch + 1e-8);
                }
            }
    }

    TEST_CASE("divides a bay evenly and with no more elements than needed") {
        const Mesh mesh(en50318_2002(1), {.contact = 1.0});  // bays of 5, 5.5, 6.5, ... m
        CHECK(mesh.contact[1] == approx(1.0));
        CHECK(mesh.contact[5] == 5.0);
        CHECK(mesh.contact[6] == approx(5.0 + 5.5 / 6.0));
        CHECK(mesh.contact.size() == 1 + 5 + 6 + 7 * 6 + 6 + 5);
    }

    TEST_CASE("puts a node on both wires at every dropper and support") {
        const Section<> section = stitched_hil(3);
        const Mesh mesh(section, {});
        REQUIRE(mesh.droppers.size() == 21);
        for (std::size_t i = 0; i < mesh.droppers.size(); ++i) {
            const auto& d = mesh.droppers[i];
            const double expected = 65.0 * static_cast<double>(i / 7) + section.spans[0].droppers[i % 7].position;
            CHECK(d.span == i / 7);
            CHECK(d.position == approx(expected));
            CHECK(mesh.contact[d.contact_node] == approx(expected));
            const auto& above = d.stitch < 0 ? mesh.messenger : mesh.stitches[static_cast<std::size_t>(d.stitch)].nodes;
            CHECK(above[d.top_node] == approx(expected));
        }
        for (std::size_t s = 0; s < 4; ++s) {
            CHECK(mesh.contact[mesh.contact_supports[s]] == approx(65.0 * static_cast<double>(s)));
            CHECK(mesh.messenger[mesh.messenger_supports[s]] == approx(65.0 * static_cast<double>(s)));
        }
    }

    TEST_CASE("hangs the droppers below a stitch wire from it, and clamps it to the messenger") {
        const Mesh mesh(stitched_hil(3), {});
        REQUIRE(mesh.stitches.size() == 2);
        CHECK(mesh.stitches[0].support == 1);
        CHECK(mesh.messenger[mesh.stitches[0].first_clamp] == approx(56.0));
        CHECK(mesh.messenger[mesh.stitches[0].last_clamp] == approx(74.0));
        for (const auto& d : mesh.droppers) {
            const bool near_first = std::abs(d.position - 65.0) < 9.0, near_second = std::abs(d.position - 130.0) < 9.0;
            CHECK(d.stitch == (near_first ? 0 : near_second ? 1 : -1));
        }
    }

    TEST_CASE("lets a dropper hang from the messenger that sits exactly at a clamp") {
        Section<> section = stitched_hil(2);
        section.supports[1].stitch_wire->length = 12.0;  // clamps at 59 and 71 m, where droppers are
        const Mesh mesh(section, {});
        for (const auto& d : mesh.droppers) CHECK(d.stitch == -1);
    }

    TEST_CASE("refuses a dropper that misses a clamp by next to nothing, whatever the side, and says where") {
        Section<> s = stitched_hil(3);
        const auto with_dropper_at = [&](double x) {
            Section<> changed = s;
            changed.spans[1].droppers.insert(changed.spans[1].droppers.begin() + 1, {x, 0.0});
            return changed;
        };
        for (const double off : {1e-8, 1e-6, 0.9e-3, -1e-6, -0.9e-3})
            CHECK_THROWS_AS(Mesh(with_dropper_at(9.0 + off), {}), panto::SetupError);
        CHECK_THROWS_WITH_AS(Mesh(with_dropper_at(9.0005), {}),
                             "catenary::Mesh: two droppers, clamps or supports at 74 m and 74.0005 m are 0.0005 m "
                             "apart, expected the same place or at least 0.001 m",
                             panto::SetupError);
        for (const double off : {0.0, 1e-10, 2e-3, -2e-3}) CHECK_NOTHROW(Mesh(with_dropper_at(9.0 + off), {}));
    }

    TEST_CASE("refuses element lengths that make no sense") {
        const Section<> section = en50318_2002(1);
        for (const double bad :
             {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            CHECK_THROWS_AS(Mesh(section, {.contact = bad}), panto::SetupError);
            CHECK_THROWS_AS(Mesh(section, {.messenger = bad}), panto::SetupError);
            CHECK_THROWS_AS(Mesh(section, {.stitch = bad}), panto::SetupError);
        }
        CHECK_THROWS_WITH_AS(Mesh(section, {.contact = -1.0}),
                             "catenary::Mesh: size.contact must be finite and > 0, got -1", panto::SetupError);
        CHECK_THROWS_WITH_AS(Mesh(section, {.contact = 1e-9}),
                             "catenary::Mesh: a bay of 5 m needs more than 100000 elements of 1e-09 m; choose longer "
                             "elements",
                             panto::SetupError);
        CHECK_THROWS_AS(Mesh(Section<>{}, {}), panto::SetupError);
    }
}

}  // namespace mesh_test
