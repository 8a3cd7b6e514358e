// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/kalman.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

using namespace panto;
using control::Kalman;
using control::kalman_gains;

namespace kalman_test {
namespace {

using Filter = Kalman<2, 1, 2>;
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Filter::Params two_masses() {
    Filter::Params p;
    p.A << 1.0, 0.002, -0.09, 0.98;
    p.B << 0.0, 0.002;
    p.C.setIdentity();
    p.W = Eigen::Vector2d(1e-8, 1e-4).asDiagonal();
    p.V = Eigen::Vector2d(1e-6, 1e-2).asDiagonal();
    return p;
}

double least(const Eigen::MatrixXd& P) { return P.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(); }

/// Runs `steps` steps with two readings of opposite quality and returns the worst of min eig(P) / trace(P).
double worst_definiteness(double r1, double r2, int steps) {
    Filter::Params p = two_masses();
    p.V = Eigen::Vector2d(r1, r2).asDiagonal();
    Filter filter(p, Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity());
    double worst = 1.0;
    for (int k = 0; k < steps; ++k) {
        REQUIRE(filter.update(Eigen::Vector2d(std::sin(0.01 * k), std::cos(0.01 * k))) == Status::ok);
        worst = std::min(worst, least(filter.covariance()) / filter.covariance().trace());
        REQUIRE(filter.predict(Vector<double, 1>::Zero()) == Status::ok);
        worst = std::min(worst, least(filter.covariance()) / filter.covariance().trace());
    }
    return worst;
}

}  // namespace

TEST_CASE("a random walk seen through noise has the variance of its quadratic") {
    // p = p - p^2/(p + v) + w  =>  p^2 - w p - w v = 0.
    const double w = 0.3, v = 2.0, p = 0.5 * (w + std::sqrt(w * w + 4.0 * w * v));
    const auto one = [](double x) { return Eigen::Matrix<double, 1, 1>::Constant(x); };
    const auto g = kalman_gains(one(1.0), one(1.0), one(w), one(v));
    CHECK(g.covariance(0, 0) == approx(p).epsilon(1e-14));
    CHECK(g.filter(0, 0) == approx(p / (p + v)).epsilon(1e-14));
    CHECK(g.radius == approx(1.0 - p / (p + v)).epsilon(1e-14));
}

TEST_CASE("the predictor gain is A times the filter gain") {
    const auto p = two_masses();
    const auto g = kalman_gains(p.A, p.C, p.W, p.V);
    CHECK((g.predictor - p.A * g.filter).norm() < 1e-14 * g.predictor.norm());
    CHECK(linalg::spectral_radius(p.A - g.predictor * p.C) == approx(g.radius).epsilon(1e-12));
}

TEST_CASE("the time-varying filter settles at the steady-state covariance") {
    const auto p = two_masses();
    Filter filter(p, Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity());
    for (int k = 0; k < 3000; ++k) {
        (void)filter.update(Eigen::Vector2d::Zero());
        (void)filter.predict(Vector<double, 1>::Zero());
    }
    const auto g = kalman_gains(p.A, p.C, p.W, p.V);
    CHECK((filter.covariance() - g.covariance).norm() < 1e-12 * g.covariance.norm());
}

TEST_CASE("one measurement of a constant weighs prior and reading by their variances") {
    Kalman<1, 1, 1>::Params p;
    p.A << 1.0;
    p.B << 0.0;
    p.C << 1.0;
    p.W << 0.0;
    p.V << 4.0;
    Vector<double, 1> x0, y;
    x0 << 10.0;
    y << 20.0;
    Kalman<1, 1, 1> filter(p, x0, Matrix<double, 1>::Identity());
    REQUIRE(filter.update(y) == Status::ok);
    CHECK(filter.state()[0] == approx((4.0 * 10.0 + 1.0 * 20.0) / 5.0).epsilon(1e-15));
    CHECK(filter.covariance()(0, 0) == approx(4.0 / 5.0).epsilon(1e-15));
}

TEST_CASE("readings with correlated noise are weighed as the textbook's matrix formula does") {
    auto p = two_masses();
    p.C << 1.0, 0.5, -2.0, 1.0;
    p.V << 1.0, 0.9, 0.9, 2.0;
    const Eigen::Matrix2d P{{3.0, 0.4}, {0.4, 0.8}};
    const Eigen::Vector2d x(0.3, -0.7), y(1.0, 2.0);
    Filter filter(p, x, P);
    REQUIRE(filter.update(y) == Status::ok);
    const Eigen::Matrix2d S = p.C * P * p.C.transpose() + p.V, gain = P * p.C.transpose() * S.inverse();
    CHECK((filter.state() - (x + gain * (y - p.C * x))).norm() < 1e-14);
    CHECK((filter.covariance() - (P - gain * p.C * P)).norm() < 1e-14);
}

TEST_CASE("predicting moves the state by A x + B u and the covariance by A P A' + W") {
    const auto p = two_masses();
    Filter filter(p, Eigen::Vector2d(1.0, -2.0), Eigen::Matrix2d::Identity());
    REQUIRE(filter.predict(Vector<double, 1>::Constant(5.0)) == Status::ok);
    CHECK((filter.state() - (p.A * Eigen::Vector2d(1.0, -2.0) + p.B * 5.0)).norm() < 1e-15);
    CHECK((filter.covariance() - (p.A * p.A.transpose() + p.W)).norm() < 1e-15);
}

TEST_CASE("the errors of a simulated plant have the covariance the filter claims") {
    const auto p = two_masses();
    Filter filter(p, Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity() * 1e-4);
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    Eigen::Vector2d x = Eigen::Vector2d::Zero();
    Eigen::Matrix2d seen = Eigen::Matrix2d::Zero();
    int count = 0;
    for (int k = 0; k < 40'000; ++k) {
        const Vector<double, 1> u = Vector<double, 1>::Constant(std::sin(0.02 * k));
        (void)filter.update(p.C * x + p.V.cwiseSqrt() * Eigen::Vector2d(normal(random), normal(random)));
        (void)filter.predict(u);
        x = (p.A * x + p.B * u + p.W.cwiseSqrt() * Eigen::Vector2d(normal(random), normal(random))).eval();
        if (k < 1000) continue;
        seen += (x - filter.state()) * (x - filter.state()).transpose();
        ++count;
    }
    seen /= count;
    // The errors stay alike over 1/(1 - rho) = 30 steps, so that 39000 samples count as 1300: 4 % of standard
    // deviation each; 15 % is beyond three of them.
    for (int i = 0; i < 2; ++i) CHECK(seen(i, i) == approx(filter.covariance()(i, i)).epsilon(0.15));
}

TEST_CASE("exact and redundant readings, and a state known exactly, are no trouble") {
    Kalman<2, 1, 3>::Params p;
    p.A << 1.0, 0.1, 0.0, 1.0;
    p.B << 0.0, 0.1;
    p.C << 1.0, 0.0, 1.0, 0.0, 2.0, 0.0;  // the same height three times, without noise: C P C' + V has rank 1
    p.W.setZero();
    p.V.setZero();
    Kalman<2, 1, 3> filter(p, Eigen::Vector2d(0.0, 1.0), Eigen::Vector2d(1.0, 0.0).asDiagonal().toDenseMatrix());
    REQUIRE(filter.update(Eigen::Vector3d(3.0, 3.0, 6.0)) == Status::ok);
    CHECK(filter.state()[0] == approx(3.0).epsilon(1e-13));
    CHECK(filter.state()[1] == approx(1.0).epsilon(1e-13));
    CHECK(filter.covariance().norm() < 1e-13);
    REQUIRE(filter.update(Eigen::Vector3d(3.0, 3.0, 6.0)) == Status::ok);  // now C P C' + V is zero
    CHECK(filter.state()[0] == approx(3.0).epsilon(1e-13));
}

TEST_CASE("of two exact readings of the same thing that contradict each other the first is believed") {
    for (int trial = 1; trial <= 40; ++trial) {
        auto p = two_masses();
        const double a = 0.1 * trial, b = 1.0 / trial;
        p.C << 1.0, a, 1.0, a;
        p.V.setZero();
        const Eigen::Matrix2d P{{1.0 + a * a, a * b}, {a * b, 1.0 / 3.0 + b * b}};
        Filter filter(p, Eigen::Vector2d(0.3, -0.7), P);
        REQUIRE(filter.update(Eigen::Vector2d(3.0, 4.0)) == Status::ok);
        // Else the gain would be rounding over rounding.
        CHECK(filter.state()[0] + a * filter.state()[1] == approx(3.0).epsilon(1e-12));
    }
}

TEST_CASE("the covariance stays positive semi-definite with readings of any quality") {
    const double eps = std::numeric_limits<double>::epsilon();
    for (const auto& [r1, r2] : {std::pair{1e-12, 1e12}, std::pair{1e12, 1e-12}, std::pair{1e-12, 1e-12}})
        CHECK(worst_definiteness(r1, r2, 20'000) >= -eps);
}

TEST_CASE("the covariance stays positive semi-definite over ten million steps" * doctest::test_suite("long")) {
    const double eps = std::numeric_limits<double>::epsilon();
    for (const auto& [r1, r2] : {std::pair{1e-12, 1e12}, std::pair{1e12, 1e-12}, std::pair{1e-12, 1e-12}})
        CHECK(worst_definiteness(r1, r2, 10'000'000) >= -eps);
}

TEST_CASE("a reading that is not a number changes nothing") {
    Filter filter(two_masses(), Eigen::Vector2d(1.0, 2.0), Eigen::Matrix2d::Identity());
    const Eigen::Matrix2d P = filter.covariance();
    CHECK(filter.update(Eigen::Vector2d(0.0, not_a_number)) == Status::sensor_implausible);
    CHECK(filter.update(Eigen::Vector2d(std::numeric_limits<double>::infinity(), 0.0)) == Status::sensor_implausible);
    CHECK(filter.state() == Eigen::Vector2d(1.0, 2.0));
    CHECK(filter.covariance() == P);
    CHECK(filter.update(Eigen::Vector2d(1.0, 2.0)) == Status::ok);
}

TEST_CASE("a result that would overflow changes nothing") {
    Filter filter(two_masses(), Eigen::Vector2d(1.0, 2.0), Eigen::Matrix2d::Identity());
    const Eigen::Matrix2d P = filter.covariance();
    CHECK(filter.predict(Vector<double, 1>::Constant(not_a_number)) == Status::not_finite);
    CHECK(filter.predict(Vector<double, 1>::Constant(std::numeric_limits<double>::infinity())) == Status::not_finite);
    CHECK(filter.state() == Eigen::Vector2d(1.0, 2.0));
    CHECK(filter.covariance() == P);
}

// @rt-tested: Kalman::update Kalman::predict
TEST_CASE("updating and predicting do not allocate, fixed or Dynamic, and give the same numbers") {
    const auto p = two_masses();
    Filter fixed(p, Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity());
    Kalman<> dynamic({p.A, p.B, p.C, p.W, p.V}, Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2));
    const Eigen::VectorXd y = Eigen::Vector2d(0.3, -1.0), u = Eigen::VectorXd::Constant(1, 0.2);
    const Eigen::Vector2d y_fixed = y;
    const Vector<double, 1> u_fixed = u;
    CHECK(test::allocations_in([&] {
              for (int k = 0; k < 50; ++k) {
                  (void)fixed.update(y_fixed);
                  (void)fixed.predict(u_fixed);
              }
          }) == 0);
    CHECK(test::allocations_in([&] {
              for (int k = 0; k < 50; ++k) {
                  (void)dynamic.update(y);
                  (void)dynamic.predict(u);
              }
          }) == 0);
    CHECK((dynamic.state() - fixed.state()).norm() < 1e-14);
    CHECK((dynamic.covariance() - fixed.covariance()).norm() < 1e-14);
    static_assert(noexcept(fixed.update(std::declval<const Eigen::Vector2d&>())));
    static_assert(noexcept(fixed.predict(std::declval<const Vector<double, 1>&>())));
}

TEST_CASE("a reading or an input of another length changes nothing and is said") {
    const auto p = two_masses();
    Kalman<> filter({p.A, p.B, p.C, p.W, p.V}, Eigen::Vector2d(1.0, 2.0), Eigen::MatrixXd::Identity(2, 2));
    const Eigen::MatrixXd P = filter.covariance();
    for (const int wrong : {0, 1, 3, 40}) {
        CAPTURE(wrong);
        CHECK(filter.update(Eigen::VectorXd::Ones(wrong)) == Status::out_of_range);
        if (wrong != 1) CHECK(filter.predict(Eigen::VectorXd::Ones(wrong)) == Status::out_of_range);
    }
    CHECK(filter.update(Eigen::Vector2d(1.0, not_a_number)) == Status::sensor_implausible);
    CHECK(filter.state() == Eigen::Vector2d(1.0, 2.0));
    CHECK(filter.covariance() == P);
    CHECK(filter.update(Eigen::VectorXd::Ones(2)) == Status::ok);
    CHECK(filter.predict(Eigen::VectorXd::Ones(1)) == Status::ok);
}

TEST_CASE("what is no filter is refused with the reason") {
    const auto p = two_masses();
    const auto refused = [](const Filter::Params& q, const Eigen::Matrix2d& P0 = Eigen::Matrix2d::Identity()) {
        CHECK_THROWS_AS(Filter(q, Eigen::Vector2d::Zero(), P0), SetupError);
    };
    auto q = p;
    q.W(0, 0) = -1.0;
    refused(q);
    q = p;
    q.V(0, 1) = 0.5;
    refused(q);
    q = p;
    q.A(0, 0) = not_a_number;
    refused(q);
    refused(p, Eigen::Matrix2d::Constant(not_a_number));
    CHECK_THROWS_AS(Kalman<>({p.A, p.B, Eigen::MatrixXd::Identity(3, 3), p.W, p.V}, Eigen::VectorXd::Zero(2),
                             Eigen::MatrixXd::Identity(2, 2)),
                    SetupError);
    // An unstable mode that no measurement sees.
    const Eigen::Matrix2d A = Eigen::Vector2d(1.5, 0.5).asDiagonal();
    CHECK_THROWS_AS((void)kalman_gains(A, Eigen::RowVector2d(0.0, 1.0), Eigen::Matrix2d::Identity(),
                                       Eigen::Matrix<double, 1, 1>::Identity()),
                    SetupError);
}

}  // namespace kalman_test
