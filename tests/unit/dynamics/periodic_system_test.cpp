// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/periodic_plant.hpp>
#include <panto/dynamics/periodic_system.hpp>
#include <panto/testing/periodic_system.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using Eigen::Matrix2d;
using Eigen::MatrixXd;
using panto::SetupError;

namespace periodic_system_test {
namespace {

struct Turning {
    std::vector<MatrixXd> A = {}, B = {};
    MatrixXd C = {};
    double dt = 0.01;
};
static_assert(panto::PeriodicSystem<Turning>);

/// Two turns by a quarter, one of which stretches the first axis, the other shrinks it: neither alone tells the radius.
Turning turning(double stretch, double shrink) {
    const Matrix2d quarter{{0.0, -1.0}, {1.0, 0.0}};
    return {.A = {quarter * Eigen::Vector2d(stretch, 1.0).asDiagonal(),
                  quarter * Eigen::Vector2d(shrink, 1.0).asDiagonal()},
            .B = {Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, 1.0)},
            .C = MatrixXd::Identity(1, 2)};
}

TEST_CASE("the radius of a period is that of the product") {
    // Q S1 Q S0 with the quarter turn Q: -diag(stretch, shrink).
    CHECK(panto::dynamics::period_radius(turning(3.0, 0.5)) == approx(3.0));
    CHECK(panto::dynamics::period_radius(turning(0.7, 0.9)) == approx(0.9));
    CHECK(panto::testing::test_periodic_system(turning(0.7, 0.9)).empty());
    CHECK(panto::testing::test_periodic_system(turning(1.2, 0.9)).size() == 1);
}

TEST_CASE("a periodic system is a plant with one state space a cycle") {
    const Turning t = turning(0.7, 0.9);
    const auto plant = panto::control::periodic_plant(t);
    REQUIRE(plant.size() == 2);
    CHECK(plant[1].A == t.A[1]);
    CHECK(plant[1].B == t.B[1]);
    CHECK(plant[0].C == t.C);
    CHECK(plant[0].dt == t.dt);
    CHECK(plant[0].D.isZero(0.0));
}

TEST_CASE("a periodic system that makes no sense is refused, and found by the tester") {
    const auto wrong = [](auto change) {
        Turning t = turning(0.7, 0.9);
        change(t);
        CHECK_THROWS_AS(panto::dynamics::validate(t), SetupError);
        CHECK_THROWS_AS((void)panto::dynamics::period_radius(t), SetupError);
        CHECK_THROWS_AS((void)panto::control::periodic_plant(t), SetupError);
        CHECK(panto::testing::test_periodic_system(t).size() == 1);
    };
    wrong([](Turning& t) { t.A.clear(), t.B.clear(); });
    wrong([](Turning& t) { t.B.pop_back(); });
    wrong([](Turning& t) { t.A[1] = MatrixXd::Identity(3, 3); });
    wrong([](Turning& t) { t.B[1] = MatrixXd::Zero(2, 2); });
    wrong([](Turning& t) { t.C = MatrixXd(0, 2); });
    wrong([](Turning& t) { t.dt = 0.0; });
    wrong([](Turning& t) { t.A[0](0, 0) = std::nan(""); });
    Turning deaf = turning(0.7, 0.9);
    deaf.B[0].setZero();
    CHECK(panto::testing::test_periodic_system(deaf).size() == 1);
}

}  // namespace
}  // namespace periodic_system_test
