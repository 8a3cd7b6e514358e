// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/lane_band.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "random_band.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using Eigen::VectorXd;
using panto::linalg::BandCholesky;
using panto::linalg::LaneBand;
using panto::linalg::LaneCholesky;
using panto::linalg::LaneLayout;
using panto::linalg::LaneVector;
using panto::linalg::SymmetricBand;
using panto::test::dense;
using panto::test::ragged_band;
using panto::test::random_band;
using panto::test::random_vector;
using panto::test::seed;
using panto::test::shapes;

namespace lane_band_test {
namespace {

template <class Scalar, int Lanes>
LaneVector<Scalar, Lanes> dealt_out(const LaneLayout<Lanes>& layout, const VectorXd& x) {
    LaneVector<Scalar, Lanes> lanes = LaneVector<Scalar, Lanes>::Constant(Lanes, layout.columns(), Scalar(0.0));
    for (int i = 0; i < layout.size(); ++i) lanes(layout.place(i)) = Scalar(x[i]);
    return lanes;
}

template <class Scalar, int Lanes>
VectorXd collected(const LaneLayout<Lanes>& layout, const LaneVector<Scalar, Lanes>& lanes) {
    VectorXd x(layout.size());
    for (int i = 0; i < layout.size(); ++i) x[i] = panto::value_of(lanes(layout.place(i)));
    return x;
}

template <class Scalar, int Lanes>
VectorXd solved(const SymmetricBand<Scalar>& A, const VectorXd& rhs) {
    LaneCholesky<Scalar, Lanes> factor(A);
    auto x = dealt_out<Scalar>(factor.layout(), rhs);
    factor.solve(x);
    return collected(factor.layout(), x);
}

}  // namespace

TEST_SUITE("linalg::lane_band") {
    TEST_CASE("gives every row its own place, in any number of lanes") {
        for (const int n : {1, 3, 8, 9, 40})
            for (const int b : {0, 1, 4}) {
                const LaneLayout<8> layout(panto::linalg::envelope(SymmetricBand<>(n, b)));
                std::vector<int> places;
                for (int i = 0; i < n; ++i) {
                    const int place = layout.place(i), column = place / 8 - layout.border();
                    CHECK(column >= 0);
                    CHECK(column < layout.rows());
                    CHECK(layout.begin(place % 8) + column == i);
                    places.push_back(place);
                }
                std::sort(places.begin(), places.end());
                CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
            }
    }

    TEST_CASE("deals a matrix that repeats itself out in pieces as long as what repeats") {
        // Rows of 4 but for one in 21, which has 9, and one, which has 1: before that a cut needs 2 rows, elsewhere 3.
        std::vector<int> envelope;
        for (int i = 0; i < 8 * 63 - 12; ++i)
            envelope.push_back(std::min(i + 1, i % 21 == 9 ? 9 : i % 21 == 18 ? 1 : 4));
        const LaneLayout<8> layout(envelope);
        CHECK(layout.rows() == 63);  // 62 would do
        const auto longest = layout.longest_rows(envelope);
        CHECK(std::count(longest.begin(), longest.end(), 9) == 3);
        CHECK(std::count(longest.begin(), longest.end(), 1) == 3);

        // Of the places for a cut that leave room for all rows, none needs fewer rows between the pieces.
        int fewest = 9;
        for (int shift = 0; shift <= 12; ++shift) {
            int most = 0;
            for (int i = 0; i < layout.size(); ++i) {
                const int first = i - envelope[static_cast<std::size_t>(i)] + 1, lane = (i + shift) / 63;
                if ((first + shift) / 63 < lane) most = std::max(most, lane * 63 - shift - first);
            }
            fewest = std::min(fewest, most);
        }
        CHECK(layout.border() == fewest);
        CHECK(fewest == 2);
    }

    TEST_CASE("multiplies as the dense matrix does, across the borders of the pieces too") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        for (const auto& shape : shapes(random)) {
            const int n = shape.first, b = shape.second;
            CAPTURE(n);
            CAPTURE(b);
            for (const auto& A : {random_band(random, n, b, 0.1), ragged_band(random, n, b, 1 + n / 11, 0.1)}) {
                const LaneBand<> lanes(A);
                const VectorXd rhs = random_vector(random, n), expected = dense(A) * rhs;
                auto x = dealt_out<double>(lanes.layout(), rhs);
                panto::linalg::update_halo(lanes.layout(), x);
                LaneVector<double, 8> y = LaneVector<double, 8>::Constant(8, lanes.layout().columns(), 7.0);
                lanes.multiply(x, y);
                CHECK((collected(lanes.layout(), y) - expected).norm() <= 1e-13 * (1.0 + expected.norm()));
            }
        }
    }

    TEST_CASE("multiplies a matrix that is dealt out as another one, and refuses a layout its rows do not fit") {
        std::mt19937 random(seed());
        const auto wide = random_band(random, 100, 5, 0.1), narrow = ragged_band(random, 100, 5, 100, 0.1);
        const LaneBand<> lanes(narrow, LaneLayout<8>(panto::linalg::envelope(wide)));
        const VectorXd rhs = random_vector(random, 100);
        auto x = dealt_out<double>(lanes.layout(), rhs), y = x;
        panto::linalg::update_halo(lanes.layout(), x);
        lanes.multiply(x, y);
        CHECK((collected(lanes.layout(), y) - dense(narrow) * rhs).norm() < 1e-12);

        using Layout = LaneLayout<8>;
        CHECK_THROWS_WITH_AS(LaneBand<>(wide, Layout(std::vector<int>(100, 1))),
                             "linalg::LaneBand: the layout belongs to a matrix with shorter rows", panto::SetupError);
        CHECK_THROWS_WITH_AS(LaneBand<>(wide, Layout(std::vector<int>(99, 1))),
                             "linalg::LaneBand: the layout belongs to a matrix of another size", panto::SetupError);
        for (const int width : {-1, 0, 3, 2000000000})
            CHECK_THROWS_WITH_AS(Layout({1, width}),
                                 ("linalg::LaneLayout: row 1 has " + std::to_string(width) +
                                  " entries up to its diagonal, must be from 1 to 2")
                                     .c_str(),
                                 panto::SetupError);
    }

    TEST_CASE("solves as the dense Cholesky factorization does, in 1, 2 and 8 lanes") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        for (const auto& shape : shapes(random)) {
            const int n = shape.first, b = shape.second;
            CAPTURE(n);
            CAPTURE(b);
            for (const auto& A : {random_band(random, n, b, 0.1), ragged_band(random, n, b, 1 + n / 11, 0.1)}) {
                const VectorXd rhs = random_vector(random, n), expected = dense(A).ldlt().solve(rhs);
                // Rounding times a condition number of a few hundred.
                const double allowed = 1e-11 * expected.norm();
                CHECK((solved<double, 1>(A, rhs) - expected).norm() <= allowed);
                CHECK((solved<double, 2>(A, rhs) - expected).norm() <= allowed);
                CHECK((solved<double, 8>(A, rhs) - expected).norm() <= allowed);
            }
        }
    }

    TEST_CASE("keeps the fill-in over whole pieces where the inverse reaches far") {
        for (const int n : {16, 100, 200}) {  // a string under tension: the inverse does not decay at all
            SymmetricBand<> A(n, 1);
            for (int i = 0; i < n; ++i) {
                A.add(i, i, 2.0);
                if (i > 0) A.add(i, i - 1, -1.0);
            }
            const VectorXd rhs = VectorXd::Constant(n, 1.0);
            VectorXd expected(n);  // the parabola that solves it exactly
            for (int i = 0; i < n; ++i) expected[i] = 0.5 * (i + 1) * (n - i);
            CHECK((solved<double, 8>(A, rhs) - expected).norm() < 1e-11 * expected.norm());
            const LaneCholesky<double, 8> factor(A);
            CHECK(factor.spike_length() == factor.layout().rows() - 1);
        }
    }

    TEST_CASE("drops fill-in that is too small to matter") {
        std::mt19937 random(seed());
        const auto A = random_band(random, 2000, 3, 2.0);
        const VectorXd rhs = random_vector(random, 2000);
        VectorXd expected = rhs;
        BandCholesky<>(A).solve(expected);
        CHECK(LaneCholesky<double, 8>(A).spike_length() < 150);  // of 247
        CHECK((solved<double, 8>(A, rhs) - expected).norm() < 1e-14 * expected.norm());
    }

    TEST_CASE("leaves the halo of a solution up to date") {
        std::mt19937 random(seed());
        const auto A = random_band(random, 61, 3, 0.1);
        LaneCholesky<double, 8> factor(A);
        auto x = dealt_out<double>(factor.layout(), random_vector(random, 61));
        factor.solve(x);
        auto again = x;
        panto::linalg::update_halo(factor.layout(), again);
        CHECK((x == again).all());

        const auto& layout = factor.layout();
        CHECK(layout.border() == 3);
        CHECK(x(3, 2) == x(2, 3 + layout.rows() - 1));
        CHECK(x(3, 3 + layout.rows()) == x(4, 3));
        CHECK(x(0, 0) == 0.0);
    }

    TEST_CASE("refuses a matrix that is not positive definite, in a piece or in its last rows") {
        std::mt19937 random(seed());
        for (const int row : {0, 5, 6, 7, 8, 30, 59})  // pieces of 8 rows, the last 2 of which separate them
            for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
                auto A = random_band(random, 60, 2, 0.1);
                A.below(row, 0) = bad;
                CHECK_THROWS_AS((LaneCholesky<double, 8>(A)), panto::SetupError);
            }
    }

    TEST_CASE("computes in single precision, and with derivatives") {
        using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
        std::mt19937 random(seed());
        const int n = 30, b = 3;
        const auto A = random_band(random, n, b, 0.5);
        const VectorXd rhs = random_vector(random, n), x = solved<double, 8>(A, rhs);
        SymmetricBand<float> single(n, b);
        SymmetricBand<Dual> dual(n, b);
        for (int i = 0; i < n; ++i)
            for (int k = 0; k <= std::min(i, b); ++k) {
                single.add(i, i - k, static_cast<float>(A.below(i, k)));
                dual.add(i, i - k, Dual(A.below(i, k)));
            }
        dual.add(13, 11, Dual(0.0, 1, 0));
        // Seven digits less a condition number of 100.
        CHECK((solved<float, 4>(single, rhs) - x).norm() < 1e-4 * x.norm());

        LaneCholesky<Dual, 2> factor(dual);
        auto d = dealt_out<Dual>(factor.layout(), rhs);
        factor.solve(d);
        VectorXd slope = VectorXd::Zero(n);  // dx = -A^-1 dA x
        slope[13] = -x[11];
        slope[11] = -x[13];
        BandCholesky<>(A).solve(slope);
        CHECK((collected(factor.layout(), d) - x).norm() < 1e-12);
        for (int i = 0; i < n; ++i)
            CHECK(d(factor.layout().place(i)).derivatives()[0] == approx(slope[i]).epsilon(1e-9));
    }

    TEST_CASE("does not allocate while multiplying and solving") {
        // @rt-tested: LaneBand::multiply LaneCholesky::solve update_halo
        std::mt19937 random(seed());
        const auto A = random_band(random, 100, 9, 0.1);
        const LaneBand<> band(A);
        LaneCholesky<> factor(A);
        auto x = dealt_out<double>(band.layout(), random_vector(random, 100)), y = x;
        CHECK(panto::test::allocations_in([&] {
                  factor.solve(x);
                  panto::linalg::update_halo(band.layout(), x);
                  band.multiply(x, y);
              }) == 0);
        CHECK(y.isFinite().all());
    }

    TEST_CASE("a vector dealt out by another layout is refused and stays as it was") {
        std::mt19937 random(9);
        const auto A = random_band(random, 100, 4, 0.1);
        const LaneBand<> band(A);
        LaneCholesky<> factor(A);
        const int columns = band.layout().columns();
        for (const int wrong : {0, columns - 1, columns + 1}) {
            LaneVector<double, 8> x = LaneVector<double, 8>::Ones(8, wrong);
            LaneVector<double, 8> y = LaneVector<double, 8>::Ones(8, columns);
            CHECK_FALSE(factor.solve(x));
            CHECK_FALSE(panto::linalg::update_halo(band.layout(), x));
            CHECK_FALSE(band.multiply(x, y));
            CHECK_FALSE(band.multiply(y, x));
            CHECK((x == 1.0).all());
            CHECK((y == 1.0).all());
        }
    }
}

}  // namespace lane_band_test
