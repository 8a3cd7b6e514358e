// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/expm.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace panto;

TEST_CASE("the exponential of a damped rotation is known in closed form, however large") {
    for (const double angle : {1e-9, 0.1, 3.0, 40.0, 700.0}) {
        Eigen::Matrix2d A;
        A << -0.01, -angle, angle, -0.01;
        const Eigen::Matrix2d E = linalg::expm(A);
        // Squaring loses up to one rounding per radian.
        const double tolerance = 1e-15 * (4.0 + angle);
        CHECK(std::abs(E(0, 0) - std::exp(-0.01) * std::cos(angle)) < tolerance);
        CHECK(std::abs(E(1, 0) - std::exp(-0.01) * std::sin(angle)) < tolerance);
    }
}

TEST_CASE("the exponential of a nilpotent matrix is its finite series") {
    Eigen::Matrix3d A;
    A << 0.0, 2.0, 5.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0;
    Eigen::Matrix3d expected;
    expected << 1.0, 2.0, 5.0 + 0.5 * 6.0, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0;
    CHECK((linalg::expm(A) - expected).norm() < 1e-15 * expected.norm());
}

TEST_CASE("units that differ by many orders of magnitude cost no digits") {
    // A first-order filter of 628 1/s on 240 kN/m times a height that falls with 3 1/s.
    const double w = 628.0, k = 240e3, a = 3.0, t = 2e-3;
    Eigen::Matrix2d A;
    A << -a, 0.0, w * k, -w;
    const Eigen::Matrix2d E = linalg::expm(A * t);
    const double cross = w * k / (w - a) * (std::exp(-a * t) - std::exp(-w * t));
    CHECK(E(1, 0) == approx(cross).epsilon(1e-14));
    Eigen::Matrix3d coupled;  // the same in a loop that cannot be made triangular
    coupled << -a, 1e-9, 0.0, w * k, -w, 0.0, 0.0, 1e-3, -1.0;
    const Eigen::Vector3d scale(1.0, 1e6, 1e3);
    const Eigen::Matrix3d unitless = scale.cwiseInverse().asDiagonal() * coupled * scale.asDiagonal();
    const Eigen::Matrix3d other = scale.asDiagonal() * linalg::expm(unitless * t) * scale.cwiseInverse().asDiagonal();
    const Eigen::Matrix3d direct = linalg::expm(coupled * t);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            CHECK(std::abs(direct(i, j) - other(i, j)) <= 1e-13 * std::abs(other(i, j)) + 1e-300);
}

TEST_CASE("e^A e^-A = 1 for a stiff matrix") {
    Eigen::Matrix3d A;
    A << -3.0, 40.0, 1.0, 0.5, -20.0, 7.0, 1.0, 0.0, -1.0;
    const Eigen::Matrix3d forth = linalg::expm(A), back = linalg::expm(-A);
    // Condition of the product: |e^A| |e^-A| roundings.
    CHECK((forth * back - Eigen::Matrix3d::Identity()).norm() < 1e-15 * forth.norm() * back.norm());
}

TEST_CASE("fixed and Dynamic sizes give the same numbers") {
    Eigen::Matrix3d A;
    A << -3.0, 40.0, 1.0, 0.5, -20.0, 7.0, 1.0, 0.0, -1.0;
    const Eigen::MatrixXd dynamic = linalg::expm(Eigen::MatrixXd(A));
    CHECK((linalg::expm(A) - dynamic).norm() <= 1e-15 * dynamic.norm());
}

TEST_CASE("a held input moves a free mass by u t^2/2 and u t") {
    const Eigen::Matrix2d A{{0.0, 1.0}, {0.0, 0.0}};
    const Eigen::Vector2d B(0.0, 1.0);
    const auto held = linalg::zero_order_hold(A, B, 0.002);
    CHECK(held.A(0, 1) == approx(0.002).epsilon(1e-15));
    CHECK(held.B[0] == approx(2e-6).epsilon(1e-15));
    CHECK(held.B[1] == approx(0.002).epsilon(1e-15));
}

TEST_CASE("a ramped input moves a free mass by u0 t^2/2 + (u1 - u0) t^2/6") {
    const Eigen::Matrix2d A{{0.0, 1.0}, {0.0, 0.0}};
    const Eigen::Vector2d B(0.0, 1.0);
    const double dt = 0.3;
    const auto ramped = linalg::first_order_hold(A, B, dt);
    const double u0 = 2.0, u1 = -1.0;
    const Eigen::Vector2d x = ramped.B_before * u0 + ramped.B_now * u1;
    CHECK(x[0] == approx(u0 * dt * dt / 2.0 + (u1 - u0) * dt * dt / 6.0).epsilon(1e-14));
    CHECK(x[1] == approx(0.5 * (u0 + u1) * dt).epsilon(1e-14));
}

TEST_CASE("an input that does not change is the same held or ramped") {
    const Eigen::Matrix2d A{{-0.5, 30.0}, {-30.0, -0.1}};
    const Eigen::Vector2d B(1.0, 2.0);
    const auto held = linalg::zero_order_hold(A, B, 0.01);
    const auto ramped = linalg::first_order_hold(A, B, 0.01);
    CHECK((held.B - ramped.B_before - ramped.B_now).norm() < 1e-15);
    CHECK((held.A - ramped.A).norm() < 1e-15);
}

TEST_CASE("two half steps under a held input are one whole step") {
    const Eigen::Matrix2d A{{0.0, 1.0}, {-45000.0, -180.0}};  // the motor of the HiL paper
    const Eigen::Vector2d B(0.0, 45000.0);
    const auto whole = linalg::zero_order_hold(A, B, 0.002), half = linalg::zero_order_hold(A, B, 0.001);
    CHECK((half.A * half.A - whole.A).norm() < 1e-13 * whole.A.norm());
    CHECK((half.A * half.B + half.B - whole.B).norm() < 1e-13 * whole.B.norm());
}

TEST_CASE("what cannot be exponentiated is refused by name") {
    CHECK_THROWS_AS((void)linalg::expm(Eigen::MatrixXd::Zero(2, 3)), SetupError);
    CHECK_THROWS_AS((void)linalg::expm(Eigen::Matrix2d::Constant(std::numeric_limits<double>::infinity())), SetupError);
    CHECK_THROWS_AS((void)linalg::expm(Eigen::Matrix2d(Eigen::Vector2d(1e4, 0.0).asDiagonal())), SetupError);
    for (const double huge : {1e40, -1e40, 1e300})  // its powers overflow long before it does
        CHECK_THROWS_WITH_AS((void)linalg::expm(Eigen::Matrix2d(Eigen::Vector2d(huge, 1.0).asDiagonal())),
                             "linalg::expm: the matrix is so large that its powers overflow", SetupError);
    CHECK_THROWS_WITH_AS((void)linalg::zero_order_hold(Eigen::Matrix2d::Zero(), Eigen::Vector2d::Zero(), 0.0),
                         "linalg::zero_order_hold: dt must be finite and > 0, got 0", SetupError);
    CHECK_THROWS_AS((void)linalg::first_order_hold(Eigen::Matrix2d::Zero(), Eigen::Vector3d::Zero(), 1.0), SetupError);
}
