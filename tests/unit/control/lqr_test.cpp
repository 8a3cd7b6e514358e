// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/lqr.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

using namespace panto;

namespace lqr_test {
namespace {
const Eigen::Matrix2d A{{1.0, 0.1}, {0.0, 1.0}};
const Eigen::Vector2d B(0.005, 0.1);
const Eigen::Matrix2d Q{{1.0, 0.0}, {0.0, 0.1}};
const Eigen::Matrix<double, 1, 1> R = Eigen::Matrix<double, 1, 1>::Constant(0.2);

double cost(const Eigen::RowVector2d& K, const Eigen::Vector2d& S) {
    double sum = 0.0;
    Eigen::Vector2d x(1.0, -0.5);
    for (int k = 0; k < 2000; ++k) {
        const double u = -K.dot(x);
        sum += x.dot(Q * x) + 2.0 * x.dot(S) * u + R(0, 0) * u * u;
        x = (A * x + B * u).eval();
    }
    return sum;
}
}  // namespace

TEST_CASE("no other gain is cheaper, with and without a cross term") {
    for (const Eigen::Vector2d& S : {Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(0.1, -0.05)}) {
        const auto r = control::lqr(A, B, Q, R, S);
        const double best = cost(r.K, S);
        const Eigen::Vector2d x0(1.0, -0.5);
        CHECK(best == approx(x0.dot(r.cost * x0)).epsilon(1e-12));
        for (const double step : {-1e-3, 1e-3})
            for (int i = 0; i < 2; ++i) {
                Eigen::RowVector2d other = r.K;
                other[i] += step;
                CHECK(cost(other, S) > best);
            }
    }
}

TEST_CASE("the closed-loop radius is that of A - BK, below 1") {
    const auto r = control::lqr(A, B, Q, R);
    CHECK(r.closed_loop_radius == approx(linalg::spectral_radius(A - B * r.K)).epsilon(1e-14));
    CHECK(r.closed_loop_radius < 1.0);
    CHECK(r.K == control::lqr(A, B, Q, R, Eigen::Vector2d::Zero()).K);
}

TEST_CASE("a mode that no input reaches is refused") {
    CHECK_THROWS_AS((void)control::lqr(A, Eigen::Vector2d::Zero(), Q, R), SetupError);
}

}  // namespace lqr_test
