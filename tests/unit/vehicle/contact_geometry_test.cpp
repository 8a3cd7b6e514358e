// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/vehicle/contact_geometry.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "../../support/golden_json.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace panto::vehicle;
using panto::Dual;

namespace contact_geometry_test {
namespace {

void check_golden(const char* key, const ContactCoefficients<>& c) {
    const auto golden = panto::test::golden("vehicle_and_inverse_problems.json").at(key).at("value");
    CHECK(c.lambda == approx(golden.at("lam").get<double>()).epsilon(1e-9));
    CHECK(c.epsilon == approx(golden.at("eps").get<double>()).epsilon(1e-9));
    CHECK(c.sigma == approx(golden.at("sig").get<double>()).epsilon(1e-9));
    CHECK(c.zeta == approx(golden.at("zet").get<double>()).epsilon(1e-9));
    CHECK(c.xi == approx(golden.at("xi").get<double>()).epsilon(1e-9));
}

/// How far the lower side of a cone of revolution, yawed by psi, lies inside a rail crown along x: its largest value
/// over the cone, by Newton on both surface coordinates. The wheelset must rise by it.
double cone_above_rail(const WheelRailProfile<>& p, double psi) {
    const double t = std::tan(p.angle), gy = p.half_distance + p.rail_radius * std::sin(p.angle);
    const double gz = -p.radius - p.rail_radius * std::cos(p.angle);
    // Point of the cone at the axle coordinate v and the angle w from the bottom.
    const auto depth = [&](double v, double w) {
        const double r = p.radius - t * (v - p.half_distance), x = r * std::sin(w), z = -r * std::cos(w);
        const double y = x * std::sin(psi) + v * std::cos(psi);
        return gz + std::sqrt(p.rail_radius * p.rail_radius - (y - gy) * (y - gy)) - z;
    };
    double v = p.half_distance, w = 0.0;
    for (int n = 0; n < 30; ++n) {
        const double h = 1e-4, f = depth(v, w);
        const double fv = (depth(v + h, w) - depth(v - h, w)) / (2 * h),
                     fw = (depth(v, w + h) - depth(v, w - h)) / (2 * h);
        const double vv = (depth(v + h, w) - 2 * f + depth(v - h, w)) / (h * h);
        const double ww = (depth(v, w + h) - 2 * f + depth(v, w - h)) / (h * h);
        const double vw =
            (depth(v + h, w + h) - depth(v + h, w - h) - depth(v - h, w + h) + depth(v - h, w - h)) / (4 * h * h);
        const double det = vv * ww - vw * vw;
        v -= (ww * fv - vw * fw) / det;
        w -= (vv * fw - vw * fv) / det;
    }
    return depth(v, w);
}

}  // namespace

TEST_SUITE("vehicle::contact_coefficients") {
    TEST_CASE("are the golden ones, on a crown and on an edge") {
        check_golden("A.geom", contact_coefficients(WheelRailProfile<>{}));
        check_golden("A.geom_knife", contact_coefficients(WheelRailProfile<>{.rail_radius = 0.0}));
    }

    TEST_CASE("are the derivatives of the exact kinematics, for cones and arcs") {
        for (const auto& p :
             {WheelRailProfile<>{}, WheelRailProfile<>{.angle = 0.025}, WheelRailProfile<>{.wheel_curvature = 2.0},
              WheelRailProfile<>{.angle = 0.1, .wheel_curvature = 1.5}, WheelRailProfile<>{.rail_radius = 0.0}}) {
            const auto c = contact_coefficients(p);
            const WheelRailProfile<Dual<1>> q{p.half_distance, p.radius, p.angle, p.wheel_curvature, p.rail_radius};
            const auto at = [&](double roll) { return exact_contact(q, Dual<1>::variable(roll, 0)); };
            const auto e = at(0.0);
            CHECK(std::abs(e.y.value()) < 1e-15);
            CHECK(std::abs(e.z.value()) < 1e-15);
            const double by_y = 1.0 / e.y.derivative(0);
            CHECK(by_y * p.half_distance == approx(c.sigma).epsilon(1e-12));
            CHECK(e.radius[0].derivative(0) * by_y == approx(c.lambda).epsilon(1e-12));
            CHECK(e.radius[1].derivative(0) * by_y == approx(-c.lambda).epsilon(1e-12));
            CHECK(e.angle[0].derivative(0) * by_y * p.half_distance == approx(c.epsilon).epsilon(1e-12));
            CHECK(e.angle[1].derivative(0) * by_y * p.half_distance == approx(-c.epsilon).epsilon(1e-12));
            // dz/dy on either side of the middle; central differences of exact slopes, error of second order.
            const double h = 1e-4;
            const auto up = at(h), down = at(-h);
            const double slope = up.z.derivative(0) / up.y.derivative(0) - down.z.derivative(0) / down.y.derivative(0);
            CHECK(slope / (up.y.value() - down.y.value()) == approx(c.zeta).epsilon(1e-5));
        }
    }

    TEST_CASE("the tangent of the angle grows by epsilon over the squared cosine") {
        const auto golden = panto::test::golden("vehicle_and_inverse_problems.json").at("A.eps_tan_exact").at("value");
        const auto e = exact_contact(WheelRailProfile<Dual<1>>{}, Dual<1>::variable(0.0, 0));
        const double slope = tan(e.angle[0]).derivative(0) / e.y.derivative(0) * 0.7175;
        CHECK(std::abs(slope - golden.get<double>()) < 1e-5);
    }

    TEST_CASE("xi is how a yawed cone of revolution sinks") {
        for (const double angle : {0.05, 0.2}) {
            const WheelRailProfile<> p{.angle = angle};
            const double psi = 2e-3;
            // Fourth order in psi: 1e-6 relative. Second differences of 1e-4 lose 8 digits of which xi psi^2/2 has 5.
            const double lift = 0.5 * (cone_above_rail(p, psi) + cone_above_rail(p, -psi)) - cone_above_rail(p, 0.0);
            CHECK(-2.0 * lift / (psi * psi) == approx(contact_coefficients(p).xi).epsilon(1e-4));
        }
    }

    TEST_CASE("an arc that becomes flat is a cone, in the exact kinematics too") {
        const auto cone = exact_contact(WheelRailProfile<>{}, 2e-3);
        const auto arc = exact_contact(WheelRailProfile<>{.wheel_curvature = 1e-6}, 2e-3);
        CHECK(arc.y == approx(cone.y).epsilon(1e-5));
        CHECK(arc.radius[0] == approx(cone.radius[0]).epsilon(1e-6));
        CHECK(arc.angle[1] == approx(cone.angle[1]).epsilon(1e-5));
    }

    TEST_CASE("left and right are mirror images") {
        for (const double curvature : {0.0, 2.0}) {
            const WheelRailProfile<> p{.wheel_curvature = curvature};
            const auto e = exact_contact(p, 3e-3), m = exact_contact(p, -3e-3);
            CHECK(e.y == approx(-m.y).epsilon(1e-12));
            CHECK(e.z == approx(m.z).epsilon(1e-10));
            CHECK(e.radius[0] == approx(m.radius[1]).epsilon(1e-13));
            CHECK(e.angle[0] == approx(m.angle[1]).epsilon(1e-12));
        }
    }

    TEST_CASE("LinearGeometry is the expansion and does not allocate") {
        // @rt-tested: LinearGeometry::at
        const LinearGeometry<> geometry{WheelRailProfile<>{}};
        const auto c = geometry.coefficients();
        WheelsetContact<> at;
        CHECK(panto::test::allocations_in([&] { at = geometry.at(0.004); }) == 0);
        CHECK(at.roll == approx(c.sigma / 0.7175 * 0.004));
        CHECK(at.lift == approx(0.5 * c.zeta * 1.6e-5));
        CHECK(at.radius[0] - at.radius[1] == approx(2.0 * c.lambda * 0.004));
        CHECK(at.tangent[0] + at.tangent[1] == approx(2.0 * std::tan(0.2)));
    }

    TEST_CASE("refuses profiles that do not touch, and says which figure") {
        CHECK_THROWS_WITH_AS(validate(WheelRailProfile<>{.angle = 0.0}),
                             "vehicle::WheelRailProfile: angle is 0, must be above 0 and at most 1.2",
                             panto::SetupError);
        CHECK_THROWS_WITH_AS(validate(WheelRailProfile<>{.wheel_curvature = 4.0}),
                             "vehicle::WheelRailProfile: wheel_curvature is 4, must be below 1/rail_radius, 3.33333333",
                             panto::SetupError);
        CHECK_THROWS_AS(validate(WheelRailProfile<>{.half_distance = -1.0}), panto::SetupError);
        CHECK_THROWS_AS(validate(WheelRailProfile<>{.half_distance = 0.1, .angle = 0.3}), panto::SetupError);
    }
}

}  // namespace contact_geometry_test
