// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/balance.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace panto;

TEST_CASE("balancing scales by powers of two, so that undoing it is exact") {
    Eigen::Matrix3d A;
    A << 0.96, 1.8e-3, 8e-7, -37.0, 0.78, 8e-4, -36735.0, -220.0, -0.18;
    const Eigen::VectorXd t = linalg::balancing_scales(A);
    for (const double factor : t) {
        int exponent = 0;
        CHECK(std::frexp(factor, &exponent) == 0.5);
    }
    const Eigen::Matrix3d back = t.asDiagonal() * linalg::balanced(A) * t.cwiseInverse().asDiagonal();
    CHECK(back == A);
}

TEST_CASE("units that differ by 10^10 are brought together") {
    Eigen::Matrix3d A;
    A << 0.96, 1.8e-3, 8e-7, -37.0, 0.78, 8e-4, -36735.0, -220.0, -0.18;
    const Eigen::MatrixXd B = linalg::balanced(A);
    for (int i = 0; i < 3; ++i) {
        const double row = B.row(i).lpNorm<1>() - std::abs(B(i, i));
        const double column = B.col(i).lpNorm<1>() - std::abs(B(i, i));
        CHECK(row < 3.0 * column);  // a factor of two each way is what powers of two leave, plus the 5 % rule
        CHECK(column < 3.0 * row);
    }
}

TEST_CASE("a triangular matrix has no scale to balance and ends the loop") {
    Eigen::Matrix2d A;
    A << 1.0, 1e-4, 0.0, 1.0;
    CHECK(linalg::balancing_scales(A) == Eigen::Vector2d::Ones());
}
