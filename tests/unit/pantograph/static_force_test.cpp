// SPDX-License-Identifier: BSD-3-Clause
#include <panto/pantograph/static_force.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <limits>

using panto::pantograph::static_force_at;
using panto::pantograph::static_force_law;
using panto::pantograph::static_force_law_names;
using panto::pantograph::StaticForce;
using panto::pantograph::StaticForceLaw;

TEST_SUITE("pantograph::StaticForce") {
    TEST_CASE("follows the published laws, whose speeds are in km/h") {
        const double at_300 = 300.0 / 3.6, at_160 = 160.0 / 3.6;
        CHECK(StaticForce{.law = StaticForceLaw::ac_above_200}(at_300) == approx(157.3));
        CHECK(StaticForce{.law = StaticForceLaw::ac_up_to_200}(at_160) == approx(102.032));
        CHECK(StaticForce{.law = StaticForceLaw::ac}(at_300) == approx(157.3));
        CHECK(StaticForce{.law = StaticForceLaw::ac}(at_160) == approx(102.032));
        CHECK(StaticForce{.law = StaticForceLaw::dc_3kv}(at_160) == approx(134.832));
        CHECK(StaticForce{.law = StaticForceLaw::dc_1p5kv}(at_160) == approx(164.832));
        CHECK(StaticForce{.constant = 90.0}(at_300) == 90.0);
    }

    TEST_CASE("does not jump at 200 km/h") {
        const StaticForce ac{.law = StaticForceLaw::ac};
        CHECK(ac(200.0001 / 3.6) == approx(ac(199.9999 / 3.6)).epsilon(1e-5));
        CHECK(ac(200.0 / 3.6) == approx(108.8));
    }

    TEST_CASE("gives its derivative with respect to speed") {
        using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
        const Dual force = StaticForce{.law = StaticForceLaw::ac}(Dual(80.0, 1, 0));
        CHECK(force.derivatives()[0] == approx(2.0 * 0.00097 * 3.6 * 3.6 * 80.0));
    }

    TEST_CASE("is found by every name it has, and suggests the nearest otherwise") {
        for (const auto text : static_force_law_names) CHECK(name(static_force_law(text)) == text);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(static_force_law("dc_3kw")),
            "pantograph::static_force_law: no law of the static force is called 'dc_3kw'; did you mean "
            "'dc_3kv'? Known are constant, ac, ac_up_to_200, ac_above_200, dc_3kv, dc_1p5kv",
            panto::SetupError);
    }

    TEST_CASE("does not allocate") {
        // @rt-tested: StaticForce::operator()
        const StaticForce ac{.law = StaticForceLaw::ac};
        double force = 0.0;
        CHECK(panto::test::allocations_in([&] { force = ac(80.0); }) == 0);
        CHECK(force > 100.0);
    }

    TEST_CASE("refuses a speed or a force that makes no sense") {
        CHECK(static_force_at({.law = StaticForceLaw::ac}, 300.0 / 3.6) == approx(157.3));
        CHECK(static_force_at({.law = StaticForceLaw::ac}, 80) == static_force_at({.law = StaticForceLaw::ac}, 80.0));
        CHECK_THROWS_WITH_AS(static_cast<void>(static_force_at({}, -1.0)),
                             "pantograph::StaticForce: speed must be finite and >= 0, got -1", panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(static_force_at({}, std::numeric_limits<double>::infinity())),
                        panto::SetupError);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(static_force_at({.constant = std::numeric_limits<double>::infinity()}, 1.0)),
            "pantograph::StaticForce: constant must be finite, got inf", panto::SetupError);
    }
}
