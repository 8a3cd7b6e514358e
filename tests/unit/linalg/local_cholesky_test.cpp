// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/local_cholesky.hpp>

#include "../../support/allocations.hpp"
#include "random_band.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

TEST_SUITE("linalg::local_cholesky") {
    using Eigen::VectorXd;
    using panto::linalg::BandCholesky;
    using panto::linalg::LocalCholesky;
    using panto::linalg::Rows;
    using panto::test::random_band;
    using panto::test::seed;

    TEST_CASE("the answer to a load near a row is that of the whole matrix, at the cost of a short one") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        int widest_of_short = 0, widest_of_long = 0;
        for (const int n : {300, 3000}) {
            const auto A = random_band(random, n, 6, 0.5);
            const BandCholesky<> whole(A);
            const LocalCholesky<> local(A);
            for (const int row : {0, 1, n / 2, n / 2 + 3, n - 4, n - 1}) {
                VectorXd x = VectorXd::Zero(n), y = x;
                const int end = std::min(n, row + 4);
                x[row] = y[row] = 1.0, x[end - 1] -= 0.5, y[end - 1] -= 0.5;
                const Rows felt = local.respond({row, end}, x);
                whole.solve(y);
                // Backward stable both: rounding times a condition number of a few.
                CHECK((x - y).cwiseAbs().maxCoeff() < 1e-14 * y.cwiseAbs().maxCoeff());
                CHECK(x.head(felt.first).isZero(0.0));
                CHECK(x.tail(n - felt.end).isZero(0.0));
                CHECK((felt.first <= row && felt.end >= end));
                int& widest = n == 300 ? widest_of_short : widest_of_long;
                widest = std::max(widest, felt.end - felt.first);
            }
        }
        CHECK(widest_of_short < 300);  // otherwise the comparison shows nothing
        CHECK(widest_of_long < 1.5 * widest_of_short);
    }

    TEST_CASE("a matrix that does not let a load fade is solved on all rows") {
        std::mt19937 random(seed());
        const auto A = random_band(random, 120, 3, 1e-9);
        const BandCholesky<> whole(A);
        const LocalCholesky<> local(A);
        VectorXd x = VectorXd::Zero(120), y = x, load = x;
        x[60] = y[60] = load[60] = 1.0;
        whole.solve(y);
        (void)local.respond({60, 61}, x);
        CHECK((x - y).cwiseAbs().maxCoeff() < 1e-12 * y.cwiseAbs().maxCoeff());
        VectorXd z = VectorXd::Zero(120);
        // @rt-tested: LocalCholesky::solve
        CHECK(panto::test::allocations_in([&] { static_cast<void>(local.solve({0, 120}, load, z)); }) == 0);
        CHECK((z - y).cwiseAbs().maxCoeff() < 1e-12 * y.cwiseAbs().maxCoeff());
    }

    TEST_CASE("rows that do not exist, and vectors of another size, are left as they were") {
        std::mt19937 random(seed());
        const LocalCholesky<> local(random_band(random, 20, 3, 1.0));
        const VectorXd load = VectorXd::Ones(20), shorter = VectorXd::Ones(19);
        VectorXd x = load, y = shorter;
        for (const panto::linalg::Rows rows : {panto::linalg::Rows{-1, 5}, {5, 21}, {7, 6}}) {
            CHECK_FALSE(local.solve(rows, load, x));
            CHECK(local.respond(rows, x).end == 0);
        }
        CHECK_FALSE(local.solve({0, 20}, shorter, x));
        CHECK_FALSE(local.solve({0, 19}, load, y));
        CHECK(local.respond({0, 19}, y).end == 0);
        CHECK(x == load);
        CHECK(y == shorter);
        CHECK(local.solve({0, 20}, load, x));
    }

    TEST_CASE("a matrix that is not positive definite is refused") {
        panto::linalg::SymmetricBand<> A(4, 1);
        CHECK_THROWS_AS(LocalCholesky<>{A}, panto::SetupError);
    }
}
