// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/vehicle/bogie.hpp>
#include <panto/vehicle/line_record.hpp>
#include <panto/vehicle/nonlinear_vehicle.hpp>
#include <panto/vehicle/profile.hpp>

#include "../../cases/multibody_cases.hpp"
#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "../../support/message.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

using namespace panto::vehicle;
using panto::Dual;

namespace profile_test {
namespace {

/// A cone or arc on a crown, as points every half millimetre.
ProfilePair tabulated(const WheelRailProfile<>& p) {
    ProfilePair pair;
    pair.wheel_distance = pair.rail_distance = p.half_distance;
    pair.radius = p.radius;
    const auto arc = [&](double y, double curvature) {
        if (!(curvature > 0.0)) return std::tan(p.angle) * y;
        const double R = 1.0 / curvature, x = y - R * std::sin(p.angle);
        return -R * std::cos(p.angle) + std::sqrt(R * R - x * x);
    };
    for (int i = -80; i <= 80; ++i) {
        const double y = 0.5e-3 * i;
        pair.wheel.y.push_back(y);
        pair.wheel.z.push_back(arc(y, p.wheel_curvature));
        pair.rail.y.push_back(y);
        pair.rail.z.push_back(arc(y, 1.0 / p.rail_radius));
    }
    return pair;
}

/// A tread of 0.05 with a flange, on a rail with a gauge corner.
ProfilePair with_flange() {
    ProfilePair pair;
    for (int i = -100; i <= 100; ++i) {
        const double y = 0.4e-3 * i;
        pair.wheel.y.push_back(y);
        pair.wheel.z.push_back(0.05 * y - (y < -0.024 ? 60.0 * (y + 0.024) * (y + 0.024) : 0.0));
        pair.rail.y.push_back(y);
        pair.rail.z.push_back(-y * y / 0.6 - (y < -0.014 ? 30.0 * (y + 0.014) * (y + 0.014) : 0.0));
    }
    return pair;
}

}  // namespace

TEST_SUITE("vehicle::CubicSpline") {
    TEST_CASE("passes through its points; slope and curvature are derivatives of its value, also beyond the ends") {
        std::vector<double> x, y;
        for (int i = 0; i <= 20; ++i) x.push_back(0.1 * i + 0.01 * (i % 3)), y.push_back(std::sin(x.back()));
        const CubicSpline spline(x, y);
        for (std::size_t i = 0; i < x.size(); ++i) CHECK(spline.at(x[i]).value == approx(y[i]).epsilon(1e-14));
        for (const double at : {-0.5, 0.04, 0.77, 1.999, 2.5}) {
            const auto d = spline.at(Dual<1>::variable(at, 0));
            CHECK(d.value.derivative(0) == approx(d.slope.value()).epsilon(1e-12));
            CHECK(d.slope.derivative(0) == approx(d.curvature.value()).epsilon(1e-12));
        }
        CHECK(spline.at(1.03).value == approx(std::sin(1.03)).epsilon(1e-5));
        CHECK(spline.at(2.5).curvature == 0.0);
    }

    TEST_CASE("refuses places that do not rise, and says where") {
        CHECK_THROWS_WITH_AS(CubicSpline({0.0, 1.0, 1.0}, {0.0, 1.0, 2.0}),
                             "vehicle::CubicSpline: x[2] is 1, must be above the one before, 1", panto::SetupError);
        CHECK_THROWS_AS(CubicSpline({0.0, 1.0}, {0.0, 1.0}), panto::SetupError);
    }
}

TEST_SUITE("vehicle::TabulatedGeometry") {
    TEST_CASE("of a cone and of an arc is the exact kinematics") {
        for (const double curvature : {0.0, 1.0}) {
            const WheelRailProfile<> p{.angle = 0.1, .wheel_curvature = curvature};
            const TabulatedGeometry<> table(tabulated(p), {.range = 5e-3, .step = 0.5e-3});
            for (const double roll : {-6e-4, -2e-4, 0.0, 4e-4}) {
                const auto e = exact_contact(p, roll);
                REQUIRE(std::abs(e.y) < 5e-3);
                const auto t = table.at(e.y);
                // Splines of half a millimetre through arcs of 0.3 m: 1e-9 m; of the table: 1e-9 rad.
                CHECK(std::abs(t.roll - roll) < 1e-7);
                CHECK(std::abs(t.lift - e.z) < 1e-8);
                CHECK(std::abs(t.radius[0] - e.radius[0]) < 1e-7);
                CHECK(std::abs(t.radius[1] - e.radius[1]) < 1e-7);
                CHECK(std::abs(t.tangent[0] - std::tan(e.angle[0])) < 1e-5);
            }
            const auto c = contact_coefficients(p);
            CHECK(table.at(0.0).roll_slope == approx(c.sigma / 0.7175).epsilon(1e-4));
            CHECK(table.xi() == approx(c.xi).epsilon(1e-3));
            CHECK(table.middle().angle == approx(0.1).epsilon(1e-6));
            CHECK(table.middle().rail_radius == approx(0.3).epsilon(1e-3));
            CHECK(table.middle().wheel_curvature == approx(curvature).epsilon(1e-3));
        }
    }

    TEST_CASE("a bogie runs on it as on the cone that it is, without allocation") {
        // @rt-tested: TabulatedGeometry::at CubicSpline::at
        const WheelRail<> rail;
        const TabulatedGeometry<> table(tabulated(rail.profile), {.range = 5e-3, .step = 0.5e-3});
        using Table = Bogie<double, SmoothDefect<>, VermeulenJohnson, TabulatedGeometry<>>;
        const SmoothDefect<> defect{.lateral = 2e-3};
        const Table on_table({}, table, rail.patch(80e3), 0.7175, 0.46, 40.0, defect);
        const Bogie<double, SmoothDefect<>> on_cone({}, rail, 40.0, defect);
        Table::State x = Table::State::Zero(), next, y = x;
        double difference = 0.0, largest = 0.0;
        for (int n = 0; n < 600; ++n) {
            CHECK(panto::test::allocations_in([&] { on_table.step(n * 1e-3, 1e-3, x, next); }) == 0);
            x = next;
            on_cone.step(n * 1e-3, 1e-3, y, next);
            y = next;
            difference = std::max(difference, std::abs(x[6] - y[6]));
            largest = std::max(largest, std::abs(y[6]));
        }
        // Of second order in rho, which the cone's expansion leaves out.
        CHECK(difference < 0.01 * largest);
    }

    TEST_CASE("a vehicle of parts runs on it as on its cone, and as the bogie does on the same table") {
        for (const bool six : {false, true}) {
            const TabulatedGeometry<> table(tabulated({}), {.range = 5e-3, .step = 0.5e-3});
            Multibody v = panto::test::bogie_of_parts({}, {.profile = table.middle()});
            v.free_wheelsets = six;
            const Assembly a = assemble(v);
            using Table = NonlinearVehicle<VermeulenJohnson, TabulatedGeometry<>>;
            const Table on_table(a, table, 40.0);
            const NonlinearVehicle<> on_cone(a, 40.0);
            const auto difference = [&](double size) {
                const SmoothDefect<> defect{.lateral = size};
                auto x = on_table.rest();
                auto y = on_cone.rest();
                double off = 0.0, largest = 0.0;
                for (int n = 0; n < 1500; ++n) {
                    CHECK(panto::test::allocations_in([&] { on_table.step(n * 2e-4, 2e-4, defect, x); }) == 0);
                    on_cone.step(n * 2e-4, 2e-4, defect, y);
                    off = std::max(off, (x.x - y.x).head(a.freedoms).cwiseAbs().maxCoeff());
                    largest = std::max(largest, y.x.head(a.freedoms).cwiseAbs().maxCoeff());
                }
                return off / largest;
            };
            // The cone's expansion leaves out the square of the shift; what remains is that of the splines.
            const double small = difference(2e-4), large = difference(2e-3);
            CAPTURE(small);
            CAPTURE(large);
            CHECK(small < 1e-3);
            CHECK(large < 0.01);
            CHECK(large > small);

            // The frame of the bogie turns by finite angles, which is of second order too.
            const SmoothDefect<> defect{.lateral = 5e-4};
            const Bogie<double, SmoothDefect<>, VermeulenJohnson, TabulatedGeometry<>> bogie(
                {}, table, a.patch(a.axles[0]), a.rail.profile.half_distance, a.rail.profile.radius, 40.0, defect);
            auto x = on_table.rest();
            decltype(bogie)::State b = decltype(bogie)::State::Zero(), next;
            double off = 0.0, largest = 0.0;
            for (int n = 0; n < 600 && !six; ++n) {
                on_table.step(n * 1e-3, 1e-3, defect, x);
                bogie.step(n * 1e-3, 1e-3, b, next);
                b = next;
                off = std::max(off, std::abs(b[6] - x.x[a.nodes[static_cast<std::size_t>(a.axles[0])].first]));
                largest = std::max(largest, std::abs(b[6]));
            }
            CHECK(off <= 5e-4 * largest);
            CHECK(on_table.largest_shift(0) == approx(5e-3));
        }
    }

    TEST_CASE("a vehicle leaves its rail at the end of the table, and must have its profile") {
        const TabulatedGeometry<> table(tabulated({}), {.range = 2e-3, .step = 0.5e-3});
        using Table = NonlinearVehicle<VermeulenJohnson, TabulatedGeometry<>>;
        Multibody v = panto::test::bogie_of_parts({}, {.profile = table.middle()});
        const std::string text = panto::test::message([&] {
            (void)accelerations(Table(assemble(v), table, 40.0), SmoothDefect<>{.length = 6.0, .lateral = 8e-3},
                                {assemble(v).probe("frame", {0.0, 0.0, 0.6}, Direction::y)}, {.length = 20.0});
        });
        CHECK(text.find("vehicle::accelerations: off the rail after") == 0);
        CHECK(text.find("front, right, shifted by -2.") != std::string::npos);
        v.rail.profile.angle = 0.1;
        CHECK(panto::test::message([&] {
                  (void)Table(assemble(v), table, 40.0);
              }).find("vehicle::NonlinearVehicle: rail.profile.angle is 0.1, but that of the contact geometry") == 0);
        v.rail.profile.wheel_curvature = 0.0, v.coefficients = ContactCoefficients<>{0.2, 0.2, 0.2, 0.7, 0.1};
        CHECK(panto::test::message([&] {
                  (void)Table(assemble(v), table, 40.0);
              }).find("vehicle::NonlinearVehicle: the vehicle has contact coefficients") == 0);
    }

    TEST_CASE("rails that are drawn too high lift nothing") {
        ProfilePair pair = tabulated({});
        for (double& z : pair.rail.z) z += 1e-3;
        const TabulatedGeometry<> table(pair, {.range = 2e-3, .step = 0.5e-3});
        CHECK(std::abs(table.at(0.0).lift) < 1e-15);
    }

    TEST_CASE("a place with two points of contact is named") {
        CHECK_NOTHROW(TabulatedGeometry<>(with_flange(), {.range = 3e-3, .step = 0.5e-3}));
        CHECK_THROWS_WITH_AS(TabulatedGeometry<>(with_flange(), {.range = 12e-3, .step = 0.5e-3}),
                             doctest::Contains("touches in two points"), panto::SetupError);
    }

    TEST_CASE("refuses profiles that run backward, and a range beyond them") {
        ProfilePair pair = tabulated({});
        std::swap(pair.rail.y[3], pair.rail.y[4]);
        CHECK_THROWS_WITH_AS(TabulatedGeometry<>{pair}, doctest::Contains("vehicle::ProfilePair.rail: x[4] is"),
                             panto::SetupError);
        CHECK_THROWS_WITH_AS(TabulatedGeometry<>(tabulated({}), {.range = 0.2, .step = 0.05}),
                             doctest::Contains("the wheels leave the profiles"), panto::SetupError);
        CHECK_THROWS_AS(TabulatedGeometry<>(tabulated({}), {.range = 5e-3, .step = 0.0}), panto::SetupError);
    }
}

}  // namespace profile_test
