// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/static_shape.hpp>

#include "../../support/approx.hpp"
#include "sections.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace panto::catenary;
using panto::SetupError;
using panto::test::mirrored;
using panto::test::raised;
using panto::test::random_section;
using panto::test::scaled;
using panto::test::seed;

namespace static_shape_test {
namespace {

struct Built {
    Mesh mesh;
    StaticShape<> shape;

    explicit Built(const Section<>& section, const MeshSize& size = {}) : mesh(section, size), shape(section, mesh) {}
    double contact(std::size_t node) const { return shape.height[RawUnknowns(mesh).contact(node)]; }
};

/// One span with droppers every `pitch`, the contact wire straight.
Section<> regular(double length, double pitch) {
    Section<> s = en50318_2002(1);
    s.spans[0] = {.length = length};
    for (double x = pitch; x < length - 0.5 * pitch; x += pitch) s.spans[0].droppers.push_back({x, 0.0});
    return s;
}

/// Weight that contact wire, lower clamps, lower halves of the droppers and arms hang on droppers and supports, N.
double contact_weight(const Section<>& s, const StaticShape<>& shape) {
    double mass = s.contact_wire.mass_per_length * s.length();
    for (const double length : shape.dropper_length)
        mass += s.dropper.clamp_mass_contact + 0.5 * s.dropper.mass_per_length * length;
    for (const auto& support : s.supports)
        if (support.steady_arm) mass += 0.5 * support.steady_arm->mass_per_length * support.steady_arm->length;
    return s.gravity * mass;
}

double sum(const std::vector<double>& values) {
    double total = 0.0;
    for (const double v : values) total += v;
    return total;
}

std::string objection(const Section<>& section) {
    try {
        Built{section};
    } catch (const SetupError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_SUITE("catenary::StaticShape") {
    TEST_CASE("the contact wire sags between droppers as a tensioned beam that passes over them level") {
        // By symmetry each inner bay is clamped at both ends: w = q l^2 / (8 T) - q l tanh(k l / 4) / (2 T k).
        Section<> s = regular(60.0, 6.0);
        const double q = s.gravity * s.contact_wire.mass_per_length, T = s.contact_wire.tension, l = 6.0;
        const double k = std::sqrt(T / s.contact_wire.bending_stiffness);
        const double sag = q * l * l / (8.0 * T) - q * l * std::tanh(k * l / 4.0) / (2.0 * T * k);
        const Built built(s, {.contact = 0.02});  // a fifth of the length 1/k on which the wire bends
        const auto node = static_cast<std::size_t>(
            std::lower_bound(built.mesh.contact.begin(), built.mesh.contact.end(), 33.0 - 1e-6) -
            built.mesh.contact.begin());
        CHECK(-built.contact(node) == approx(sag).epsilon(1e-5));
        CHECK(built.shape.dropper_force[4] == approx(q * l).epsilon(1e-9));  // at 30 m, far from the ends
    }

    TEST_CASE("with little bending stiffness the sag is that of a string, m g l^2 / (8 T)") {
        Section<> s = regular(60.0, 6.0);
        s.contact_wire.bending_stiffness = 1e-2;
        const double sag = s.gravity * s.contact_wire.mass_per_length * 36.0 / (8.0 * s.contact_wire.tension);
        const Built built(s, {.contact = 0.02});
        const auto node = static_cast<std::size_t>(
            std::lower_bound(built.mesh.contact.begin(), built.mesh.contact.end(), 33.0 - 1e-6) -
            built.mesh.contact.begin());
        CHECK(-built.contact(node) == approx(sag).epsilon(0.01));  // elements that cannot kink cost O(h / l)
    }

    TEST_CASE("the messenger hangs as a tensioned beam between hinges under its weight and the droppers' forces") {
        Section<> s = regular(24.0, 5.0);
        s.dropper.clamp_mass_messenger = 0.2;
        const Built built(s, {.contact = 0.05, .messenger = 0.05});
        const double T = s.messenger_wire.tension, k = std::sqrt(T / s.messenger_wire.bending_stiffness), L = 24.0;
        const double q = s.gravity * s.messenger_wire.mass_per_length;
        const auto sag_under_weight = [&](double x) {
            return q / T *
                   (x * (L - x) / 2.0 - (1.0 - std::cosh(k * (x - L / 2.0)) / std::cosh(k * L / 2.0)) / (k * k));
        };
        const auto sag_per_newton = [&](double x, double a) {  // of a force at a
            if (x > a) x = L - x, a = L - a;
            return (x * (L - a) / L - std::sinh(k * x) * std::sinh(k * (L - a)) / (k * std::sinh(k * L))) / T;
        };
        const auto& droppers = built.mesh.droppers;
        for (std::size_t i = 0; i < droppers.size(); ++i) {
            double height = 1.2 - sag_under_weight(droppers[i].position);
            for (std::size_t j = 0; j < droppers.size(); ++j)
                height -= (built.shape.dropper_force[j] + s.gravity * 0.2) *
                          sag_per_newton(droppers[i].position, droppers[j].position);
            // The wire sags by 80 mm; elements of half the length on which it bends leave a few micrometres.
            CHECK(std::abs(built.shape.dropper_length[i] - height) < 5e-6);
        }
    }

    TEST_CASE("droppers and supports carry the weight of wire, clamps, half droppers and arms, and no more") {
        for (const auto name : line_names) {
            const Section<> s = line(name);
            const Built built(s);
            const double weight = contact_weight(s, built.shape);
            CHECK(sum(built.shape.dropper_force) + sum(built.shape.support_force) == approx(weight).epsilon(1e-12));
        }
        for (unsigned i = 0; i < 10; ++i) {
            CAPTURE(seed() + i);
            const Section<> s = random_section(seed() + i);
            const Built built(s);
            CHECK(sum(built.shape.dropper_force) + sum(built.shape.support_force) ==
                  approx(contact_weight(s, built.shape)).epsilon(1e-12));
        }
    }

    TEST_CASE("every wire of every line is in balance to rounding") {
        for (const auto name : line_names) CHECK(Built(line(name)).shape.residual < 1e-13);
        for (unsigned i = 0; i < 10; ++i) {
            CAPTURE(seed() + i);
            // A clamp may come within centimetres of a dropper; so short an element costs three digits.
            CHECK(Built(random_section(seed() + i)).shape.residual < 1e-10);
        }
    }

    TEST_CASE("a wire without held height at a support hangs free there") {
        const Built built(stitched_hil(6));
        CHECK(built.shape.support_force[3] == 0.0);
        CHECK(built.shape.support_force[0] > 0.0);
        CHECK(built.contact(built.mesh.contact_supports[3]) < -1e-3);
        const Built held(en50318_2002(3));
        CHECK(held.shape.support_force[1] > 0.0);
        CHECK(held.contact(held.mesh.contact_supports[1]) == 0.0);
    }

    TEST_CASE("between the clamps of a stitch wire the messenger has the tension that is left, if no other is given") {
        Section<> s = stitched_hil(3);
        const Built left(s);
        for (auto& support : s.supports)
            if (support.stitch_wire) support.stitch_wire->messenger_tension = 15.75e3 - 3.5e3;
        const Built same(s);
        for (auto& support : s.supports)
            if (support.stitch_wire) support.stitch_wire->messenger_tension = 15.75e3;
        const Built more(s);
        CHECK(same.shape.height == left.shape.height);
        CHECK(more.shape.dropper_length[7] > left.shape.dropper_length[7] + 1e-3);  // the first after a support
    }

    TEST_CASE("prescribed heights are met, and a dropper is as long as what it bridges") {
        const Section<> s = ac_simple_2015(3);
        const Built built(s);
        const RawUnknowns raw(built.mesh);
        for (std::size_t j = 0; j < built.mesh.droppers.size(); ++j) {
            const auto& d = built.mesh.droppers[j];
            CHECK(built.contact(d.contact_node) == s.spans[0].droppers[j % 9].contact_wire_height);
            CHECK(built.shape.dropper_length[j] ==
                  approx(built.shape.height[raw.top(d)] - built.contact(d.contact_node)).epsilon(1e-12));
        }
    }

    TEST_CASE("a mirrored section has mirrored forces and lengths") {
        for (unsigned i = 0; i < 10; ++i) {
            CAPTURE(seed() + i);
            const Section<> s = random_section(seed() + i);
            const Built here(s), there(mirrored(s));
            const std::size_t n = here.shape.dropper_force.size();
            for (std::size_t j = 0; j < n; ++j) {
                CHECK(here.shape.dropper_force[j] == approx(there.shape.dropper_force[n - 1 - j]).epsilon(1e-9));
                CHECK(here.shape.dropper_length[j] == approx(there.shape.dropper_length[n - 1 - j]).epsilon(1e-9));
            }
        }
    }

    TEST_CASE("raising everything changes no force and no length") {
        for (unsigned i = 0; i < 10; ++i) {
            CAPTURE(seed() + i);
            const Section<> s = random_section(seed() + i);
            const Built low(s), high(raised(s, 0.37));
            for (std::size_t j = 0; j < low.shape.dropper_force.size(); ++j) {
                CHECK(low.shape.dropper_force[j] == approx(high.shape.dropper_force[j]).epsilon(1e-9));
                CHECK(low.shape.dropper_length[j] == approx(high.shape.dropper_length[j]).epsilon(1e-9));
            }
            CHECK(high.contact(0) == 0.37);
        }
    }

    TEST_CASE("twice the masses, tensions and stiffnesses are twice the forces in the same shape") {
        for (unsigned i = 0; i < 10; ++i) {
            CAPTURE(seed() + i);
            const Section<> s = random_section(seed() + i);
            const Built once(s), twice(scaled(s, 2.0));
            CHECK((once.shape.height - twice.shape.height).cwiseAbs().maxCoeff() < 1e-9);  // as above
            for (std::size_t j = 0; j < once.shape.dropper_force.size(); ++j)
                CHECK(twice.shape.dropper_force[j] == approx(2.0 * once.shape.dropper_force[j]).epsilon(1e-9));
        }
    }

    TEST_CASE("lower droppers carry less where the wire is lifted towards them") {
        Section<> s = en50318_2002(3);
        const Built straight(s);
        s.spans[1].droppers[4].contact_wire_height = 0.005;  // string: 2 T 5 mm / 6.5 m = 30.8 N; bending adds a bit
        const Built bent(s);
        CHECK(bent.shape.dropper_force[13] - straight.shape.dropper_force[13] == approx(30.8).epsilon(0.1));
        CHECK(bent.shape.dropper_force[12] - straight.shape.dropper_force[12] == approx(-15.4).epsilon(0.1));
    }

    TEST_CASE("a dropper that would have to push is named with its place and force") {
        Section<> s = en50318_2002(3);
        s.spans[1].droppers[4].contact_wire_height = -0.2;
        const std::string text = objection(s);
        CAPTURE(text);
        CHECK(text.find("catenary::StaticShape: dropper at 90 m would have to push with ") == 0);
        CHECK(text.find(" N to hold its contact_wire_height; change the heights near it") != std::string::npos);
    }

    TEST_CASE("a dropper without length is named with its place") {
        Section<> s = en50318_2002(3);
        for (auto& support : s.supports) support.messenger_height = 0.3;
        const std::string text = objection(s);
        CAPTURE(text);
        CHECK(text.find("catenary::StaticShape: dropper at ") == 0);
        CHECK(text.find(" m, must be above 0; raise messenger_height or the messenger's tension") != std::string::npos);
    }

    TEST_CASE("droppers so heavy that each pass lengthens them further are refused") {
        for (const double mass : {1e3, 1e6}) {
            Section<> s = en50318_2002(3);
            s.dropper.mass_per_length = mass;
            CHECK(objection(s) != "");
        }
    }

    TEST_CASE("a mesh too fine for the bending stiffness is refused instead of being wrong") {
        CHECK_THROWS_AS(Built(regular(1.0, 0.5), {.contact = 1e-4}), SetupError);
    }
}

}  // namespace static_shape_test
