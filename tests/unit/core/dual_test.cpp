// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>

#include "../../support/approx.hpp"
#include "complex_step.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace dual_test {
namespace {

using panto::Dual;
using panto::test::ComplexStep;

/// d f/dx by the dual against the complex step; 1e-14: a few roundings of both.
template <class F>
void agrees(const F& f, double at) {
    CAPTURE(at);
    const Dual<2> dual = f(Dual<2>::variable(at, 1));
    const ComplexStep complex = f(ComplexStep::variable(at));
    CHECK(dual.value() == approx(complex.value()).epsilon(1e-14));
    CHECK(dual.derivative(1) == approx(complex.derivative()).epsilon(1e-14));
    CHECK(dual.derivative(0) == 0.0);
}

}  // namespace

TEST_SUITE("core::Dual") {
    TEST_CASE("differentiates every function as the complex step does") {
        for (const double x : {0.3, 0.71}) {
            agrees([](auto s) { return sqrt(s); }, x);
            agrees([](auto s) { return exp(s); }, x);
            agrees([](auto s) { return log(s); }, x);
            agrees([](auto s) { return sin(s); }, x);
            agrees([](auto s) { return cos(s); }, x);
            agrees([](auto s) { return tan(s); }, x);
            agrees([](auto s) { return atan(s); }, x);
            agrees([](auto s) { return sinh(s); }, x);
            agrees([](auto s) { return cosh(s); }, x);
            agrees([](auto s) { return tanh(s); }, x);
            agrees([](auto s) { return pow(s, 2.7); }, x);
            agrees([](auto s) { return pow(s, s); }, x);
            agrees([](auto s) { return abs(s - 0.5) * 3.0 - 1.0 / (2.0 - s) + s / (s + 1.0); }, x);
        }
    }

    TEST_CASE("differentiates functions the complex plane is no help with by their closed forms") {
        const auto x = Dual<1>::variable(0.4, 0);
        CHECK(asin(x).derivative(0) == approx(1.0 / std::sqrt(1.0 - 0.16)).epsilon(1e-15));
        CHECK(acos(x).derivative(0) == approx(-1.0 / std::sqrt(1.0 - 0.16)).epsilon(1e-15));
        CHECK(cbrt(x).derivative(0) == approx(std::pow(0.4, -2.0 / 3.0) / 3.0).epsilon(1e-14));
        CHECK(expm1(x).derivative(0) == std::exp(0.4));
        CHECK(log1p(x).derivative(0) == approx(1.0 / 1.4).epsilon(1e-15));
        CHECK(log10(x).derivative(0) == approx(1.0 / (0.4 * std::log(10.0))).epsilon(1e-15));
        CHECK(pow(2.0, x).derivative(0) == approx(std::pow(2.0, 0.4) * std::log(2.0)).epsilon(1e-15));
        CHECK(pow(Dual<1>::variable(0.0, 0), 0.0).derivative(0) == 0.0);
        CHECK(max(x, Dual<1>(0.5)).derivative(0) == 0.0);
        CHECK(min(x, Dual<1>(0.5)).derivative(0) == 1.0);
    }

    TEST_CASE("carries several derivatives side by side") {
        const auto x = Dual<2>::variable(3.0, 0), y = Dual<2>::variable(-4.0, 1);
        CHECK(hypot(x, y).value() == 5.0);
        CHECK(hypot(x, y).derivative(0) == approx(0.6));
        CHECK(hypot(x, y).derivative(1) == approx(-0.8));
        CHECK(atan2(y, x).derivative(0) == approx(4.0 / 25.0));
        CHECK(atan2(y, x).derivative(1) == approx(3.0 / 25.0));
        CHECK((x * y / (x - y)).derivative(0) == approx(-16.0 / 49.0));
    }

    TEST_CASE("is a number for Eigen's matrices, alone and with plain ones") {
        panto::Matrix<Dual<1>, 2> A;
        const auto a = Dual<1>::variable(2.0, 0);
        A << a, Dual<1>(1.0), Dual<1>(1.0), a * a;
        panto::Vector<Dual<1>, 2> x;
        x << Dual<1>(1.0), a;
        const panto::Vector<Dual<1>, 2> y = 2.0 * (A * x);  // 2 (2a, 1 + a^3)
        CHECK(y[0].derivative(0) == 4.0);
        CHECK(y[1].value() == 18.0);
        CHECK(y[1].derivative(0) == 24.0);
        CHECK(x.norm().derivative(0) == approx(2.0 / std::sqrt(5.0)).epsilon(1e-15));
        CHECK(panto::value_of(y.sum()) == 26.0);
    }

    TEST_CASE("begins without derivatives, also when it is value-initialized") {
        const Dual<3> x{};
        CHECK(x.value() == 0.0);
        for (const double d : x.derivatives()) CHECK(d == 0.0);
        CHECK(Dual<3>(1.0) < Dual<3>::variable(2.0, 0));
        CHECK(Dual<3>::variable(2.0, 0) == Dual<3>(2.0));
    }

    TEST_CASE("a variable that it does not carry is refused, its derivative no number") {
        for (const int wrong : {-1, 2, 1 << 20}) {
            CHECK_THROWS_WITH_AS((void)Dual<2>::variable(1.0, wrong), doctest::Contains("must be from 0 to 1"),
                                 panto::SetupError);
            CHECK(std::isnan(Dual<2>::variable(1.0, 1).derivative(wrong)));
        }
    }
}

}  // namespace dual_test
