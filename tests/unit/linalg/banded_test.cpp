// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/banded.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "random_band.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <algorithm>
#include <limits>
#include <random>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using panto::linalg::BandCholesky;
using panto::linalg::SymmetricBand;
using panto::test::dense;
using panto::test::random_band;
using panto::test::random_vector;
using panto::test::seed;
using panto::test::shapes;

TEST_SUITE("linalg::banded") {
    TEST_CASE("multiplies as the dense matrix does") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        for (const auto& shape : shapes(random)) {
            const int n = shape.first, b = shape.second;
            CAPTURE(n);
            CAPTURE(b);
            const auto A = random_band(random, n, b, 0.1);
            const VectorXd x = random_vector(random, n);
            VectorXd y = VectorXd::Constant(n, 7.0);  // what was there must not matter
            A.multiply(x, y);
            CHECK((y - dense(A) * x).norm() <= 1e-13 * (1.0 + y.norm()));
        }
    }

    TEST_CASE("solves as the dense Cholesky factorization does") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        for (const auto& shape : shapes(random)) {
            const int n = shape.first, b = shape.second;
            CAPTURE(n);
            CAPTURE(b);
            const auto A = random_band(random, n, b, 0.1);
            const VectorXd rhs = random_vector(random, n), expected = dense(A).ldlt().solve(rhs);
            VectorXd x = rhs;
            BandCholesky<>(A).solve(x);
            // Rounding times a condition number of a few hundred.
            CHECK((x - expected).norm() <= 1e-11 * expected.norm());
        }
    }

    TEST_CASE("adds an entry to both triangles and a diagonal one once") {
        SymmetricBand<> A(4, 2);
        A.add(3, 1, 5.0);
        A.add(0, 2, 7.0);
        A.add(1, 1, 2.0);
        SymmetricBand<> sum(4, 2);
        sum.add(2.0, A);
        sum.add(1.0, A);
        MatrixXd expected = MatrixXd::Zero(4, 4);
        expected(3, 1) = expected(1, 3) = 15.0;
        expected(0, 2) = expected(2, 0) = 21.0;
        expected(1, 1) = 6.0;
        CHECK(dense(sum) == expected);
    }

    TEST_CASE("factors again without a trace of the matrix before") {
        std::mt19937 random(seed());
        const auto first = random_band(random, 30, 4, 0.1), second = random_band(random, 30, 4, 0.1);
        const VectorXd rhs = random_vector(random, 30);
        BandCholesky<> reused(first);
        const MatrixXd L = dense(reused.lower()).triangularView<Eigen::Lower>();
        CHECK((L * L.transpose() - dense(first)).norm() <= 1e-13 * dense(first).norm());
        REQUIRE(reused.factor(second));
        VectorXd x = rhs, y = rhs;
        reused.solve(x);
        BandCholesky<>(second).solve(y);
        CHECK(x == y);
    }

    TEST_CASE("refuses a matrix that is not positive definite, wherever it is spoilt") {
        std::mt19937 random(seed());
        for (const int row : {0, 3, 9})
            for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
                auto A = random_band(random, 10, 2, 0.1);
                A.below(row, 0) = bad;
                CHECK_THROWS_WITH_AS(BandCholesky<>{A}, "linalg::BandCholesky: the matrix is not positive definite",
                                     panto::SetupError);
                BandCholesky<> room(10, 2);
                CHECK_FALSE(room.factor(A));
            }
        SymmetricBand<> indefinite(2, 1);  // positive on the diagonal, and yet
        indefinite.add(0, 0, 1.0);
        indefinite.add(1, 1, 1.0);
        indefinite.add(0, 1, 2.0);
        CHECK_THROWS_AS(BandCholesky<>{indefinite}, panto::SetupError);
    }

    TEST_CASE("solves the empty system") {
        VectorXd nothing(0);
        const BandCholesky<> factor((SymmetricBand<>(0, 0)));
        factor.solve(nothing);
        CHECK(factor.size() == 0);
    }

    TEST_CASE("computes in single precision, and with derivatives") {
        using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
        std::mt19937 random(seed());
        const auto A = random_band(random, 12, 3, 0.5);
        const VectorXd rhs = random_vector(random, 12);
        SymmetricBand<float> single(12, 3);
        SymmetricBand<Dual> dual(12, 3);
        for (int i = 0; i < 12; ++i)
            for (int k = 0; k <= std::min(i, 3); ++k) {
                single.add(i, i - k, static_cast<float>(A.below(i, k)));
                dual.add(i, i - k, Dual(A.below(i, k)));
            }
        dual.add(5, 3, Dual(0.0, 1, 0));  // derivative with respect to entry (5, 3) and its mirror image

        VectorXd x = rhs, y(12);
        BandCholesky<>(A).solve(x);
        Eigen::VectorXf f = rhs.cast<float>();
        BandCholesky<float>(single).solve(f);
        CHECK((f.cast<double>() - x).norm() < 1e-4 * x.norm());  // seven digits less a condition number of 100

        panto::Vector<Dual, panto::Dynamic> d = rhs.cast<Dual>();
        BandCholesky<Dual>(dual).solve(d);
        VectorXd slope = VectorXd::Zero(12);  // dx = -A^-1 dA x
        slope[5] = -x[3];
        slope[3] = -x[5];
        BandCholesky<>(A).solve(slope);
        for (int i = 0; i < 12; ++i) {
            CHECK(d[i].value() == approx(x[i]));
            CHECK(d[i].derivatives()[0] == approx(slope[i]));
        }
    }

    TEST_CASE("does not allocate while multiplying, factoring and solving") {
        // @rt-tested: SymmetricBand::multiply BandCholesky::factor BandCholesky::solve
        std::mt19937 random(seed());
        const auto A = random_band(random, 60, 9, 0.1);
        VectorXd x = random_vector(random, 60), y = x;
        BandCholesky<> factor(60, 9);
        bool definite = false;
        CHECK(panto::test::allocations_in([&] {
                  definite = factor.factor(A);
                  factor.solve(x);
                  A.multiply(x, y);
              }) == 0);
        CHECK(definite);
    }

    TEST_CASE("vectors of another length, and matrices of another shape, are refused and stay as they were") {
        std::mt19937 random(3);
        const auto A = random_band(random, 12, 2, 0.1);
        const BandCholesky<> factor(A);
        for (const int wrong : {0, 11, 13}) {
            VectorXd x = VectorXd::Ones(wrong), y = VectorXd::Ones(12);
            CHECK_FALSE(factor.solve(x));
            CHECK((x.array() == 1.0).all());
            CHECK_FALSE(A.multiply(x, y));
            CHECK_FALSE(A.multiply(y, x));
            CHECK((y.array() == 1.0).all());
        }
        BandCholesky<> room(11, 2), narrow(12, 1);
        CHECK_FALSE(room.factor(A));
        CHECK_FALSE(narrow.factor(A));
    }

    TEST_CASE("an entry outside the band is refused") {
        SymmetricBand<> A(12, 2);
        for (const auto& [i, j] : {std::pair{0, 3}, {3, 0}, {-1, 0}, {11, 12}, {12, 12}})
            CHECK_THROWS_WITH_AS(A.add(i, j, 1.0),
                                 doctest::Contains("indices must be from 0 to 11 and differ by at most 2"),
                                 panto::SetupError);
        for (int i = 0; i < 12; ++i) CHECK(A.below(i, 0) == 0.0);
    }

    TEST_CASE("matrices of another shape are not added, and none has a negative size") {
        SymmetricBand<> A(5, 2);
        for (const SymmetricBand<>& other : {SymmetricBand<>(3, 2), SymmetricBand<>(7, 2), SymmetricBand<>(5, 1)})
            CHECK_THROWS_WITH_AS(A.add(1.0, other), doctest::Contains("must be 5 and 2"), panto::SetupError);
        CHECK_THROWS_AS(SymmetricBand<>(-1, 2), panto::SetupError);
        CHECK_THROWS_AS(SymmetricBand<>(5, -1), panto::SetupError);
    }
}
