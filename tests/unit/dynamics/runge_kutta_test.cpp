// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/dynamics/runge_kutta.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>

using panto::Dual;
using panto::Vector;
using panto::dynamics::runge_kutta_step;

namespace runge_kutta_test {
namespace {

/// x'' = -w^2 x + cos t, from x = 1 at rest, to t = 1.
template <panto::Real S>
Vector<S, 2> driven(const S& w, int steps) {
    using std::cos;
    Vector<S, 2> x(S(1.0), S(0.0)), next;
    const S dt(1.0 / steps);
    for (int n = 0; n < steps; ++n) {
        runge_kutta_step(
            [&](const S& t, const Vector<S, 2>& y, Vector<S, 2>& slope) {
                slope[0] = y[1];
                slope[1] = cos(t) - w * w * y[0];
            },
            S(n) / S(steps), dt, x, next);
        x = next;
    }
    return x;
}

double exact(double w) { return std::cos(w) + (std::cos(1.0) - std::cos(w)) / (w * w - 1.0); }

}  // namespace

TEST_SUITE("dynamics::runge_kutta_step") {
    TEST_CASE("converges to the exact solution with fourth order, the time of the drive included") {
        const double coarse = driven(3.0, 200)[0] - exact(3.0), fine = driven(3.0, 400)[0] - exact(3.0);
        CHECK(coarse / fine == approx(16.0).epsilon(0.05));
        CHECK(std::abs(driven(3.0, 2000)[0] - exact(3.0)) < 1e-12);
    }

    TEST_CASE("carries derivatives") {
        const auto x = driven(Dual<1>::variable(3.0, 0), 2000);
        CHECK(x[0].derivative(0) == approx((exact(3.0 + 1e-5) - exact(3.0 - 1e-5)) / 2e-5).epsilon(1e-8));
    }

    TEST_CASE("does not allocate") {
        Vector<double, 2> x(1.0, 0.0), next;
        CHECK(panto::test::allocations_in([&] {
                  runge_kutta_step([](double, const Vector<double, 2>& y, Vector<double, 2>& s) { s = -y; }, 0.0, 0.1,
                                   x, next);
              }) == 0);
        CHECK(next[0] == approx(std::exp(-0.1)).epsilon(1e-7));
    }
}

}  // namespace runge_kutta_test
