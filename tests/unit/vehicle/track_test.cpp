// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/vehicle/track.hpp>
#include <panto/vehicle/wheelset.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace panto::vehicle;
using panto::Dual;

TEST_SUITE("vehicle::SmoothDefect") {
    TEST_CASE("its slope and curvature are the derivatives of its value") {
        const SmoothDefect<> defect{.start = 5.0, .length = 20.0, .lateral = 5e-3, .vertical = -2e-3, .roll = 1e-3};
        for (const double s : {5.5, 9.0, 15.0, 24.0}) {
            const auto t = defect.at(Dual<1>::variable(s, 0));
            CHECK(t.lateral.value.derivative(0) == approx(t.lateral.slope.value()).epsilon(1e-12));
            CHECK(t.lateral.slope.derivative(0) == approx(t.lateral.curvature.value()).epsilon(1e-12));
            CHECK(t.roll.value.value() == approx(0.2 * t.lateral.value.value()));
            CHECK(t.vertical.curvature.value() == approx(-0.4 * t.lateral.curvature.value()));
        }
        CHECK(defect.at(15.0).lateral.value == approx(5e-3));
        CHECK(defect.at(4.9).lateral.value == 0.0);
        CHECK(defect.at(25.1).lateral.value == 0.0);
        CHECK(std::abs(defect.at(5.0 + 1e-6).lateral.curvature) < 1e-12);
    }

    TEST_CASE("carries derivatives by amplitude and wavelength") {
        using D = Dual<2>;
        const SmoothDefect<D> defect{.length = D::variable(20.0, 1), .lateral = D::variable(5e-3, 0)};
        const auto y = defect.at(D(9.0)).lateral.value;
        CHECK(y.derivative(0) == approx(y.value() / 5e-3).epsilon(1e-12));
        const auto at = [](double length) {
            return SmoothDefect<>{.length = length, .lateral = 5e-3}.at(9.0).lateral.value;
        };
        CHECK(y.derivative(1) == approx((at(20.001) - at(19.999)) / 2e-3).epsilon(1e-6));
    }

    TEST_CASE("refuses a defect without length") {
        CHECK_THROWS_WITH_AS(validate(SmoothDefect<>{.length = 0.0}),
                             "vehicle::SmoothDefect: length must be finite and > 0, got 0", panto::SetupError);
    }
}

TEST_SUITE("vehicle::Flange") {
    TEST_CASE("is nothing in the middle, a spring beyond the clearance, smooth between and odd") {
        const Flange<> flange{.stiffness = 1e7, .clearance = 7e-3, .width = 0.3e-3};
        CHECK(std::abs(flange.force(0.0)) < 1e-9);
        CHECK(flange.force(4e-3) < 1e7 * 0.3e-3 * std::exp(-10.0) * 1.01);
        CHECK(flange.force(10e-3) == approx(3e4).epsilon(1e-4));
        CHECK(flange.force(-10e-3) == -flange.force(10e-3));
        const Flange<Dual<1>> dual{1e7, 7e-3, 0.3e-3};
        CHECK(dual.force(Dual<1>::variable(7e-3, 0)).derivative(0) == approx(5e6).epsilon(1e-9));
        CHECK(Flange<>{}.force(0.1) == 0.0);
    }
}
