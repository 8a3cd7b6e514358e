// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/element/damper.hpp>
#include <panto/element/rubber.hpp>

#include "../../cases/element_cases.hpp"
#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "../../support/golden_json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace panto::element;
using panto::Dual;

namespace damper_test {
namespace {

nlohmann::json golden_value(const char* key) {
    return panto::test::golden("vehicle_and_inverse_problems.json").at("E").at("value").at(key);
}

HydraulicDamper<> golden_damper(double series = 5e6) {
    return HydraulicDamper<>(PiecewiseLinear<>::odd({{0.1, 6e3}, {0.3, 10e3}}), series);
}

}  // namespace

TEST_SUITE("element::PiecewiseLinear") {
    TEST_CASE("passes through its points and goes on with the last slope, both ways") {
        const PiecewiseLinear<> table({{-1.0, -4.0}, {0.0, 0.0}, {1.0, 2.0}, {3.0, 3.0}});
        CHECK(table(-2.0) == approx(-8.0));
        CHECK(table(0.5) == approx(1.0));
        CHECK(table(5.0) == approx(4.0));
        for (const double x : {-3.0, -0.3, 0.0, 0.7, 2.0, 9.0}) CHECK(table.inverse(table(x)) == approx(x));
        const auto odd = PiecewiseLinear<>::odd({{0.1, 6e3}, {0.3, 10e3}});
        for (const double x : {0.05, 0.2, 0.5}) CHECK(odd(-x) == -odd(x));
    }

    TEST_CASE("carries derivatives by its points and its argument") {
        using D = Dual<2>;
        const PiecewiseLinear<D> table({{0.0, 0.0}, {D(1.0), D::variable(2.0, 1)}});
        const D y = table(D::variable(0.25, 0));
        CHECK(y.derivative(0) == approx(2.0));
        CHECK(y.derivative(1) == approx(0.25));
    }

    TEST_CASE("refuses what is not monotone, and says where") {
        CHECK_THROWS_WITH_AS(PiecewiseLinear<>({{0.0, 0.0}, {1.0, 2.0}, {0.5, 3.0}}),
                             "element::PiecewiseLinear: x[2] is 0.5, must be above the one before, 1",
                             panto::SetupError);
        CHECK_THROWS_AS(PiecewiseLinear<>({{0.0, 0.0}, {1.0, 0.0}}), panto::SetupError);
        CHECK_THROWS_AS(PiecewiseLinear<>({{0.0, 0.0}}), panto::SetupError);
        CHECK_THROWS_AS((void)PiecewiseLinear<>::odd({{0.0, 1.0}}), panto::SetupError);
    }
}

TEST_SUITE("element::HydraulicDamper") {
    TEST_CASE("peak and loss in the fourth cycle are the golden ones") {
        const auto run = panto::test::drive_sine(golden_damper(), 0.01, 2.0, 4, 20000);
        const std::size_t first = 15000;
        const double peak = *std::max_element(run.force.begin() + first, run.force.end());
        CHECK(peak == approx(golden_value("damper_pwl")[0].get<double>()).epsilon(1e-4));
        CHECK(panto::test::loss_of_last_cycle(run, 4) ==
              approx(golden_value("damper_pwl")[1].get<double>()).epsilon(1e-4));
    }

    TEST_CASE("with a straight table it is one Maxwell arm") {
        const double k = 5e6, d = 6e4, w = 2.0 * std::acos(-1.0) * 2.0;
        const HydraulicDamper<> damper(PiecewiseLinear<>::odd({{0.1, 0.1 * d}}), k);
        const auto run = panto::test::drive_sine(damper, 0.01, 2.0, 8, 16000);
        const auto K = panto::test::stiffness_of_last_cycle(run, 0.01, 2.0, 8);
        const std::complex<double> exact = GeneralizedMaxwell<1>(0.0, {{{k, d}}}).dynamic_stiffness(w);
        CHECK(K[0] == approx(exact.real()).epsilon(1e-6));
        CHECK(K[1] == approx(exact.imag()).epsilon(1e-6));
    }

    TEST_CASE("stiff in series it is its table") {
        // 5e9 N/m: the step of 1 us resolves k/d = 8e4 1/s.
        const auto run = panto::test::drive_sine(golden_damper(5e9), 0.01, 2.0, 1, 500000);
        const double speed = 0.01 * 2.0 * std::acos(-1.0) * 2.0;
        CHECK(*std::max_element(run.force.begin(), run.force.end()) == approx(6e3 + (speed - 0.1) * 2e4).epsilon(1e-5));
    }

    TEST_CASE("refuses no series stiffness and a table that pushes at rest") {
        CHECK_THROWS_AS(golden_damper(0.0), panto::SetupError);
        CHECK_THROWS_WITH_AS(HydraulicDamper<>(PiecewiseLinear<>({{0.0, 100.0}, {1.0, 200.0}}), 1e6),
                             "element::HydraulicDamper: the table's force at speed 0 is 100 N, expected 0",
                             panto::SetupError);
    }

    TEST_CASE("does not allocate") {
        // @rt-tested: HydraulicDamper::force HydraulicDamper::rate HydraulicDamper::accept
        // @rt-tested: PiecewiseLinear::operator() PiecewiseLinear::inverse
        // @rt-tested: TabulatedDamper::operator() TabulatedSpring::operator()
        const auto damper = golden_damper();
        const TabulatedDamper<> by_speed{PiecewiseLinear<>::odd({{0.1, 6e3}})};
        const TabulatedSpring<> by_stretch{PiecewiseLinear<>::odd({{0.1, 6e3}})};
        auto z = damper.rest(), dz = z;
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  damper.rate(0.0, 0.1, z, dz);
                  damper.accept(0.0, 0.1, z);
                  sum += damper.force(0.0, 0.1, z) + by_speed(0.0, 0.1) + by_stretch(0.1, 0.0);
              }) == 0);
        CHECK(dz[0] == approx(5e5));
        CHECK(sum == approx(12e3));
    }
}

TEST_SUITE("element::GeneralizedMaxwell") {
    TEST_CASE("its dynamic stiffness is the golden one, and what a run of it shows") {
        const GeneralizedMaxwell<2> rubber(1e6, {{{5e5, 2e4}, {2e5, 1e3}}});
        const auto golden = golden_value("gmax");
        const auto K = rubber.dynamic_stiffness(2.0 * std::acos(-1.0) * 5.0);
        CHECK(K.real() == approx(golden[0].get<double>()).epsilon(1e-8));
        CHECK(K.imag() == approx(golden[1].get<double>()).epsilon(1e-8));
        CHECK(std::abs(K) == approx(golden[2].get<double>()).epsilon(1e-8));
        CHECK(K.imag() / K.real() == approx(golden[3].get<double>()).epsilon(1e-8));
        const auto run = panto::test::drive_sine(rubber, 1e-3, 5.0, 6, 12000);
        const auto shown = panto::test::stiffness_of_last_cycle(run, 1e-3, 5.0, 6);
        CHECK(shown[0] == approx(K.real()).epsilon(1e-6));
        CHECK(shown[1] == approx(K.imag()).epsilon(1e-6));
    }

    TEST_CASE("refuses an arm without spring or damper") {
        CHECK_THROWS_WITH_AS((GeneralizedMaxwell<1>(0.0, {{{1e5, 0.0}}})),
                             "element::GeneralizedMaxwell: arm[0].damping must be finite and > 0, got 0",
                             panto::SetupError);
        CHECK_THROWS_AS((GeneralizedMaxwell<1>(-1.0, {{{1e5, 1.0}}})), panto::SetupError);
    }
}

TEST_SUITE("element::BergRubber") {
    TEST_CASE("friction of the steady cycle and its loss are Berg's closed forms") {
        for (const double x0 : {0.5e-3, 2e-3, 10e-3}) {
            const double F = 1500.0, x2 = 1e-3;
            const BergRubber<> rubber({.friction = F, .friction_stroke = x2, .viscous = {1e-9, 1.0}});
            const auto run = panto::test::drive_sine(rubber, x0, 1.0, 60, 240000);
            const double m0 = (std::sqrt(x2 * x2 + x0 * x0 + 6.0 * x2 * x0) - x2 - x0) / (2.0 * x2);
            const double loss =
                2.0 * F * (2.0 * x0 - x2 * (1.0 + m0) * (1.0 + m0) * std::log1p(2.0 * x0 / (x2 * (1.0 + m0))));
            const double peak = *std::max_element(run.force.end() - 4000, run.force.end());
            CHECK(peak == approx(m0 * F).epsilon(1e-5));
            CHECK(panto::test::loss_of_last_cycle(run, 60) == approx(loss).epsilon(1e-5));
        }
    }

    TEST_CASE("friction from rest is half of its largest at x2, and does not depend on the rate") {
        const BergRubber<> rubber({.elastic = 1e6, .friction = 800.0, .friction_stroke = 2e-3, .viscous = {1e5, 1e3}});
        auto z = rubber.rest();
        CHECK(rubber.friction(2e-3, z) == approx(400.0));
        CHECK(rubber.friction(-2e-3, z) == approx(-400.0));
        // Up in one step or in many: the same.
        auto many = rubber.rest();
        for (int i = 1; i <= 10; ++i) rubber.accept(2e-4 * i, 0.0, many);
        rubber.accept(2e-3, 0.0, z);
        CHECK(rubber.friction(1e-3, z) == approx(rubber.friction(1e-3, many)).epsilon(1e-14));
        CHECK(rubber.friction(1e-3, z) < rubber.friction(2e-3, z));
    }

    TEST_CASE("the viscous part is a Maxwell arm") {
        const BergRubber<> rubber({.elastic = 1e6, .friction = 1e-6, .friction_stroke = 1e-3, .viscous = {5e5, 2e4}});
        const auto run = panto::test::drive_sine(rubber, 1e-3, 5.0, 6, 12000);
        const auto K = GeneralizedMaxwell<1>(1e6, {{{5e5, 2e4}}}).dynamic_stiffness(2.0 * std::acos(-1.0) * 5.0);
        const auto shown = panto::test::stiffness_of_last_cycle(run, 1e-3, 5.0, 6);
        CHECK(shown[0] == approx(K.real()).epsilon(1e-6));
        CHECK(shown[1] == approx(K.imag()).epsilon(1e-6));
    }

    TEST_CASE("carries derivatives from rest on") {
        using D = Dual<1>;
        const BergRubber<D> rubber({D(0.0), D::variable(800.0, 0), D(2e-3), {D(1.0), D(1.0)}});
        CHECK(rubber.force(D(2e-3), D(0.0), rubber.rest()).derivative(0) == approx(0.5));
    }

    TEST_CASE("does not allocate, and refuses what has no meaning") {
        // @rt-tested: BergRubber::force BergRubber::friction BergRubber::rate BergRubber::accept
        // @rt-tested: GeneralizedMaxwell::force GeneralizedMaxwell::rate GeneralizedMaxwell::accept
        const BergRubber<> rubber({.elastic = 1e6, .friction = 800.0, .friction_stroke = 2e-3, .viscous = {1e5, 1e3}});
        const GeneralizedMaxwell<1> bush(1e6, {{{1e5, 1e3}}});
        auto z = rubber.rest(), dz = z;
        auto m = bush.rest(), dm = m;
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  sum += rubber.force(1e-3, 0.1, z) + bush.force(1e-3, 0.1, m);
                  rubber.rate(1e-3, 0.1, z, dz);
                  rubber.accept(1e-3, 0.1, z);
                  bush.rate(1e-3, 0.1, m, dm);
                  bush.accept(1e-3, 0.1, m);
              }) == 0);
        CHECK(sum > 2e3);
        CHECK_THROWS_WITH_AS(BergRubber<>({.elastic = 1e6}),
                             "element::BergRubber: friction must be finite and > 0, got 0", panto::SetupError);
    }
}

}  // namespace damper_test
