// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/svd.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

namespace svd_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A matrix with orthonormal columns, by Gram-Schmidt twice.
MatrixXd orthonormal(std::mt19937& random, int rows, int columns) {
    std::normal_distribution<double> entry;
    MatrixXd Q = MatrixXd::NullaryExpr(rows, columns, [&] { return entry(random); });
    for (int twice = 0; twice < 2; ++twice)
        for (int j = 0; j < columns; ++j) {
            for (int i = 0; i < j; ++i) Q.col(j) -= Q.col(i).dot(Q.col(j)) * Q.col(i);
            Q.col(j).normalize();
        }
    return Q;
}

}  // namespace

TEST_SUITE("linalg::svd") {
    TEST_CASE("finds the values and directions a matrix was built from") {
        std::mt19937 random(11);
        const VectorXd values = VectorXd::LinSpaced(6, 0.0, -5.0).unaryExpr([](double e) { return std::pow(10.0, e); });
        const MatrixXd V = orthonormal(random, 6, 6);
        const MatrixXd A = orthonormal(random, 40, 6) * values.asDiagonal() * V.transpose();
        const auto found = panto::linalg::svd(A);
        for (int i = 0; i < 6; ++i) {
            // The product was rounded to 1e-16 of the largest value.
            CHECK(std::abs(found.values[i] - values[i]) <= 1e-15);
            CHECK(std::abs(found.V.col(i).dot(V.col(i))) == approx(1.0).epsilon(1e-9));
        }
        CHECK((found.V.transpose() * found.V - MatrixXd::Identity(6, 6)).norm() <= 1e-14);
        // Rotations stop at 4 eps between any two columns; 15 pairs.
        CHECK((found.U.transpose() * found.U - MatrixXd::Identity(6, 6)).norm() <= 1e-14);
        CHECK((found.U * found.values.asDiagonal() * found.V.transpose() - A).norm() <= 1e-14);
    }

    TEST_CASE("columns of very different size keep all digits of small values") {
        // Orthogonal but for a little, then scaled by twelve orders of magnitude: squared, 1e-24 would drown.
        MatrixXd A(3, 2);
        A << 1.0, 1e-12 * 0.6, 0.0, 1e-12 * 0.8, 0.0, 0.0;
        const auto found = panto::linalg::svd(A);
        CHECK(found.values[1] == approx(0.8e-12).epsilon(1e-14));  // det/s1, s1 = 1
    }

    TEST_CASE("a column that repeats another leaves a zero") {
        MatrixXd A(4, 3);
        A << 1, 2, 3, 4, 5, 9, 7, 8, 15, 1, 0, 1;
        const auto found = panto::linalg::svd(A);
        CHECK(found.values[2] <= 1e-15 * found.values[0]);
        CHECK((A * found.V.col(2)).norm() <= 1e-14);
        CHECK(panto::linalg::svd(MatrixXd::Zero(3, 2)).values.norm() == 0.0);
    }

    TEST_CASE("very large and very small matrices keep their singular values") {
        MatrixXd A(3, 2);
        A << 1.0, 2.0, 3.0, 0.1, 5.0, 1.0;
        const auto here = panto::linalg::svd(A);
        for (const double size : {1e-300, 1e-170, 1e160, 1e300}) {
            CAPTURE(size);
            const auto there = panto::linalg::svd(size * A);
            CHECK((there.values / size - here.values).norm() < 1e-14 * here.values.norm());
            CHECK((there.U * there.values.asDiagonal() / size * there.V.transpose() - A).norm() < 1e-13);
        }
    }

    TEST_CASE("what makes no sense is refused by name") {
        MatrixXd A = MatrixXd::Ones(3, 2);
        A(1, 1) = std::numeric_limits<double>::quiet_NaN();
        CHECK_THROWS_WITH_AS((void)panto::linalg::svd(A), doctest::Contains("nan"), panto::SetupError);
        CHECK_THROWS_WITH_AS((void)panto::linalg::svd(MatrixXd::Ones(2, 3)), doctest::Contains("2 by 3"),
                             panto::SetupError);
        CHECK_THROWS_AS((void)panto::linalg::svd(MatrixXd(3, 0)), panto::SetupError);
    }
}

}  // namespace svd_test
