// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/band_lu.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <Eigen/LU>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <utility>

namespace band_lu_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using panto::linalg::BandLu;

/// Random and unsymmetric, with a diagonal that dominates.
MatrixXd dominant(std::mt19937& random, int n, int b) {
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    MatrixXd A = MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - b); j <= std::min(n - 1, i + b); ++j)
            A(i, j) = i == j ? 2.0 * b + 1.0 : entry(random);
    return A;
}

BandLu<> banded(const MatrixXd& A, int b) {
    BandLu<> lu(static_cast<int>(A.rows()), b);
    for (int i = 0; i < lu.size(); ++i)
        for (int j = std::max(0, i - b); j <= std::min(lu.size() - 1, i + b); ++j) lu.add(i, j, A(i, j));
    return lu;
}

}  // namespace

TEST_SUITE("linalg::band_lu") {
    TEST_CASE("solves as the dense factorization with pivoting does") {
        std::mt19937 random(7);
        for (const auto& shape : {std::pair{1, 0}, {1, 3}, {2, 2}, {3, 3}, {5, 1}, {9, 2}, {30, 3}, {4, 6}}) {
            const int n = shape.first, b = shape.second;
            CAPTURE(n);
            CAPTURE(b);
            const MatrixXd A = dominant(random, n, b);
            auto lu = banded(A, b);
            lu.factor();
            const VectorXd x = VectorXd::LinSpaced(n, -1.0, 2.0);
            VectorXd y = A * x;
            lu.solve(y);
            // Rounding times a condition number of a few.
            CHECK((y - x).norm() <= 1e-13 * (1.0 + x.norm()));
        }
    }

    TEST_CASE("solves several right-hand sides at once, each as if alone") {
        std::mt19937 random(8);
        auto lu = banded(dominant(random, 12, 2), 2);
        lu.factor();
        struct Lanes {
            std::array<Eigen::Array2d, 12> entries;
            Eigen::Array2d& operator[](int i) { return entries[static_cast<std::size_t>(i)]; }
        } both;
        VectorXd one = VectorXd::LinSpaced(12, 1.0, 3.0), other = one.cwiseInverse();
        for (int i = 0; i < 12; ++i) both[i] << one[i], other[i];
        lu.solve(one);
        lu.solve(other);
        lu.solve(both);
        for (int i = 0; i < 12; ++i) {
            CHECK(both[i][0] == approx(one[i]).epsilon(1e-14));
            CHECK(both[i][1] == approx(other[i]).epsilon(1e-14));
        }
    }

    TEST_CASE("refuses a singular matrix") {
        MatrixXd A(2, 2);
        A << 1.0, 2.0, 2.0, 4.0;
        auto lu = banded(A, 1);
        CHECK_THROWS_WITH_AS(lu.factor(), doctest::Contains("pivot 1"), panto::SetupError);
    }

    TEST_CASE("takes no memory to solve") {
        // @rt-tested: BandLu::solve
        std::mt19937 random(7);
        auto lu = banded(dominant(random, 20, 2), 2);
        lu.factor();
        VectorXd x = VectorXd::Ones(20);
        CHECK(panto::test::allocations_in([&] { lu.solve(x); }) == 0);
    }

    TEST_CASE("a right-hand side of another length is refused and stays as it was") {
        std::mt19937 random(8);
        for (const int b : {1, 2, 3, 4}) {
            auto lu = banded(dominant(random, 20, b), b);
            lu.factor();
            for (const int wrong : {0, 19, 21}) {
                VectorXd x = VectorXd::Ones(wrong);
                CHECK_FALSE(lu.solve(x));
                CHECK((x.array() == 1.0).all());
            }
            VectorXd x = VectorXd::Ones(20);
            CHECK(lu.solve(x));
        }
    }

    TEST_CASE("an entry outside the band is refused") {
        BandLu<> A(12, 2);
        for (const auto& [i, j] : {std::pair{0, 3}, {3, 0}, {-1, 0}, {11, 12}, {12, 12}})
            CHECK_THROWS_WITH_AS(A.add(i, j, 1.0),
                                 doctest::Contains("indices must be from 0 to 11 and differ by at most 2"),
                                 panto::SetupError);
    }
}

}  // namespace band_lu_test
