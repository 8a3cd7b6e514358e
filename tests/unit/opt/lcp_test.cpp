// SPDX-License-Identifier: BSD-3-Clause
#include <panto/opt/lcp.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <Eigen/Cholesky>
#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using panto::Status;
using panto::opt::Lcp;

namespace lcp_test {
namespace {

/// The seed of all random problems here; another one by the environment variable PANTO_SEED.
unsigned seed() {
    const char* given = std::getenv("PANTO_SEED");
    return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1U;
}

/// Symmetric positive definite, of a condition number of about (n / ridge).
MatrixXd random_spd(std::mt19937& random, int n, double ridge) {
    std::normal_distribution<double> normal;
    const MatrixXd A = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    return A * A.transpose() + ridge * MatrixXd::Identity(n, n);
}

VectorXd random_vector(std::mt19937& random, int n) {
    std::normal_distribution<double> normal;
    return VectorXd::NullaryExpr(n, [&] { return normal(random); });
}

VectorXd solved(const MatrixXd& M, const VectorXd& q) {
    Lcp<> lcp(static_cast<int>(q.size()));
    VectorXd f = VectorXd::Zero(q.size());
    REQUIRE(lcp.solve(M, q, f) == Status::ok);
    return f;
}

/// The solution by trying all active sets: the one whose signs are least wrong.
VectorXd by_enumeration(const MatrixXd& M, const VectorXd& q) {
    const int n = static_cast<int>(q.size());
    VectorXd best = VectorXd::Zero(n);
    double least = std::numeric_limits<double>::infinity();
    for (unsigned set = 0; set < 1U << n; ++set) {
        MatrixXd A = MatrixXd::Identity(n, n);
        VectorXd b = VectorXd::Zero(n);
        for (int i = 0; i < n; ++i)
            if (set >> i & 1U) {
                b[i] = -q[i];
                for (int j = 0; j < n; ++j)
                    if (set >> j & 1U) A(i, j) = M(i, j);
            }
        const VectorXd f = A.ldlt().solve(b), w = M * f + q;
        const double wrong = std::max({0.0, -f.minCoeff(), -w.minCoeff()});
        if (wrong < least) least = wrong, best = f;
    }
    return best;
}

/// How far f is from solving the problem, relative to q.
double violation(const MatrixXd& M, const VectorXd& q, const VectorXd& f) {
    const VectorXd w = M * f + q;
    return std::max({-w.minCoeff(), -f.minCoeff(), w.cwiseAbs().cwiseMin(f.cwiseAbs()).maxCoeff()}) /
           q.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_SUITE("opt::Lcp") {
    TEST_CASE("finds the solution that trying all active sets finds") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        for (int n = 1; n <= 8; ++n)
            for (int problem = 0; problem < 12; ++problem) {
                const MatrixXd M = random_spd(random, n, 0.1);
                const VectorXd q = random_vector(random, n), f = solved(M, q);
                // Condition numbers up to some hundreds leave 13 digits.
                CHECK((f - by_enumeration(M, q)).norm() <= 1e-10 * (1.0 + f.norm()));
            }
    }

    TEST_CASE("satisfies the signs and the complementarity of large and of ill-conditioned problems") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        for (const int n : {3, 5, 8, 20, 60})
            for (int problem = 0; problem < (n < 20 ? 1000 : 20); ++problem) {
                const MatrixXd M = random_spd(random, n, 1e-3);
                const VectorXd q = random_vector(random, n);
                Lcp<> lcp(n);
                VectorXd f = VectorXd::Zero(n);
                REQUIRE(lcp.solve(M, q, f) == Status::ok);
                CHECK(lcp.passes() <= Lcp<>::pass_limit);
                CHECK(violation(M, q, f) < 1e-9);  // rounding times a condition number of 1e5
            }
    }

    TEST_CASE("needs a pass or two where the couplings are weak, as between droppers in a short step") {
        std::mt19937 random(seed());
        for (int problem = 0; problem < 50; ++problem) {
            const int n = 40;
            const MatrixXd M = MatrixXd::Identity(n, n) + 1e-4 * random_spd(random, n, 0.0);
            const VectorXd q = random_vector(random, n) + VectorXd::Constant(n, 2.0);
            Lcp<> lcp(n);
            VectorXd f = VectorXd::Zero(n);
            REQUIRE(lcp.solve(M, q, f) == Status::ok);
            CHECK(lcp.passes() <= 2);
        }
    }

    TEST_CASE("leaves everything at zero when nothing is negative") {
        std::mt19937 random(seed());
        const MatrixXd M = random_spd(random, 5, 0.1);
        Lcp<> lcp(5);
        VectorXd f = VectorXd::Constant(5, 3.0);
        CHECK(lcp.solve(M, random_vector(random, 5).cwiseAbs(), f) == Status::ok);
        CHECK(f == VectorXd::Zero(5));
        CHECK(lcp.passes() == 0);
        f.setConstant(3.0);
        CHECK(lcp.solve(M, VectorXd::Zero(5), f) == Status::ok);
        CHECK(f == VectorXd::Zero(5));
    }

    TEST_CASE("is a plain linear solve when every unknown is positive") {
        std::mt19937 random(seed());
        const MatrixXd M = random_spd(random, 6, 0.1);
        const VectorXd expected = random_vector(random, 6).cwiseAbs(), q = -(M * expected);
        CHECK((solved(M, q) - expected).norm() < 1e-11 * expected.norm());  // condition numbers of some hundreds
        const VectorXd all_negative = -VectorXd::Ones(6);
        CHECK(violation(M, all_negative, solved(M, all_negative)) < 1e-12);
        CHECK((solved(MatrixXd::Identity(6, 6) * 2.0, all_negative) - VectorXd::Constant(6, 0.5)).norm() < 1e-15);
    }

    TEST_CASE("gets along with zeros in q and with rows that are almost the same") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        for (int problem = 0; problem < 200; ++problem) {
            const int n = 6;
            const MatrixXd M = random_spd(random, n, 0.1);
            VectorXd q = random_vector(random, n);
            for (int i = 0; i < n; i += 2) q[i] = 0.0;
            CHECK((solved(M, q) - by_enumeration(M, q)).norm() < 1e-10);

            const VectorXd v = random_vector(random, n);
            const MatrixXd twins = v.cwiseAbs() * v.cwiseAbs().transpose() + 1e-6 * MatrixXd::Identity(n, n);
            const VectorXd same = -VectorXd::Ones(n);
            CHECK(violation(twins, same, solved(twins, same)) < 1e-8);  // rounding times a condition number of 1e7
        }
    }

    TEST_CASE("has w and f both zero in a degenerate row") {
        MatrixXd M(2, 2);
        M << 2.0, 1.0, 1.0, 2.0;
        const VectorXd f = solved(M, Eigen::Vector2d(-2.0, -1.0));  // f = (1, 0), w = (0, 0)
        CHECK((f - Eigen::Vector2d(1.0, 0.0)).norm() < 1e-15);
    }

    TEST_CASE("goes over to single exchanges where whole blocks would swap to and fro forever") {
        Eigen::Matrix3d M;  // found by a random search
        M << 2.93, -0.61, 3.94, -0.61, 2.64, -1.35, 3.94, -1.35, 5.45;
        const Eigen::Vector3d q(0.056, -1.45, 0.532);
        CHECK((solved(M, q) - by_enumeration(M, q)).norm() < 1e-13);
    }

    TEST_CASE("answers the same from any warm start") {
        std::mt19937 random(seed());
        CAPTURE(seed());
        for (int problem = 0; problem < 200; ++problem) {
            const MatrixXd M = random_spd(random, 7, 0.1);
            const VectorXd q = random_vector(random, 7), cold = solved(M, q);
            Lcp<> lcp(7);
            VectorXd warm = random_vector(random, 7);
            REQUIRE(lcp.solve(M, q, warm) == Status::ok);
            CHECK(warm == cold);  // the same active set, hence the same operations
        }
    }

    TEST_CASE("serves problems smaller than its capacity, one after the other") {
        std::mt19937 random(seed());
        Lcp<> lcp(9);
        for (const int n : {9, 2, 5, 1}) {
            const MatrixXd M = random_spd(random, n, 0.1);
            const VectorXd q = random_vector(random, n) - VectorXd::Ones(n);
            VectorXd f = VectorXd::Zero(n);
            REQUIRE(lcp.solve(M, q, f) == Status::ok);
            CHECK(f == solved(M, q));
        }
        VectorXd nothing(0);
        CHECK(lcp.solve(MatrixXd(0, 0), nothing, nothing) == Status::ok);
    }

    TEST_CASE("says so when q is not made of numbers, and gives zeros") {
        const MatrixXd M = MatrixXd::Identity(3, 3);
        using Limits = std::numeric_limits<double>;
        for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()})
            for (int i = 0; i < 3; ++i) {
                VectorXd q = VectorXd::Constant(3, -1.0), f = VectorXd::Ones(3);
                q[i] = bad;
                Lcp<> lcp(3);
                CHECK(lcp.solve(M, q, f) == Status::not_finite);
                CHECK(f == VectorXd::Zero(3));
            }
    }

    TEST_CASE("says so when sizes differ or the solution is too large, and touches nothing outside") {
        Lcp<> lcp(2);
        const Eigen::MatrixXd two = Eigen::MatrixXd::Identity(2, 2);
        const Eigen::VectorXd q = Eigen::VectorXd::Constant(2, -1.0);
        Eigen::VectorXd f = Eigen::VectorXd::Zero(2), short_f = Eigen::VectorXd::Zero(1);
        CHECK(lcp.solve(Eigen::MatrixXd::Identity(1, 1), q, f) == Status::out_of_range);
        CHECK(lcp.solve(two, q, short_f) == Status::out_of_range);
        CHECK(Lcp<>(1).solve(two, q, f) == Status::out_of_range);
        CHECK(f == Eigen::VectorXd::Zero(2));
        CHECK(lcp.solve(1e-10 * two, 1e308 * q, f) == Status::not_finite);
        CHECK(f == Eigen::VectorXd::Zero(2));
        CHECK(lcp.solve(two, q, f) == Status::ok);
        CHECK_THROWS_AS(Lcp<>{-1}, panto::SetupError);
    }

    TEST_CASE("gives zeros and says so when the matrix is not positive definite") {
        const VectorXd q = VectorXd::Constant(2, -1.0);
        for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
            const MatrixXd M = MatrixXd::Identity(2, 2) * bad;
            Lcp<> lcp(2);
            VectorXd f = VectorXd::Ones(2);
            CHECK(lcp.solve(M, q, f) == Status::not_converged);
            CHECK(f == VectorXd::Zero(2));
        }
    }

    TEST_CASE("computes in single precision") {
        std::mt19937 random(seed());
        for (int problem = 0; problem < 100; ++problem) {
            const MatrixXd M = random_spd(random, 6, 0.5);
            const VectorXd q = random_vector(random, 6);
            Lcp<float> lcp(6);
            Eigen::VectorXf f = Eigen::VectorXf::Zero(6);
            REQUIRE(lcp.solve(M.cast<float>(), q.cast<float>(), f) == Status::ok);
            const VectorXd exact = solved(M, q);
            // Seven digits less a condition number of about 100.
            CHECK((f.cast<double>() - exact).norm() <= 1e-3 * (1.0 + exact.norm()));
        }
    }

    TEST_CASE("passes derivatives through: df/dq is -M^-1 on the active rows and zero on the others") {
        using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
        MatrixXd M(3, 3);
        M << 4.0, 1.0, 0.5, 1.0, 3.0, 0.2, 0.5, 0.2, 2.0;
        panto::Matrix<Dual, panto::Dynamic> dual_M = M.cast<Dual>();
        panto::Vector<Dual, panto::Dynamic> q(3), f(3);
        q << Dual(-1.0, 1, 0), Dual(-2.0), Dual(5.0);
        f.setConstant(Dual(0.0));
        Lcp<Dual> lcp(3);
        REQUIRE(lcp.solve(dual_M, q, f) == Status::ok);
        CHECK(f[0].derivatives()[0] == approx(-3.0 / 11.0));  // first column of -[4 1; 1 3]^-1
        CHECK(f[1].derivatives()[0] == approx(1.0 / 11.0));
        CHECK(f[2].value() == 0.0);
    }

    TEST_CASE("does not allocate while solving") {
        // @rt-tested: Lcp::solve
        std::mt19937 random(seed());
        const MatrixXd M = random_spd(random, 30, 0.01);
        const VectorXd q = random_vector(random, 30);
        Lcp<> lcp(30);
        VectorXd f = VectorXd::Zero(30);
        Status status = Status::ok;
        CHECK(panto::test::allocations_in([&] { status = lcp.solve(M, q, f); }) == 0);
        CHECK(status == Status::ok);
        CHECK(f.maxCoeff() > 0.0);
        static_assert(noexcept(lcp.solve(M, q, f)));
    }

    TEST_CASE("a band is solved as the full matrix is, to the last bit, and in proportion to its length") {
        struct Counted {
            const MatrixXd& M;
            long& asked;
            [[nodiscard]] Eigen::Index rows() const { return M.rows(); }
            [[nodiscard]] Eigen::Index cols() const { return M.cols(); }
            double operator()(Eigen::Index i, Eigen::Index j) const { return ++asked, M(i, j); }
        };
        std::mt19937 random(lcp_test::seed());
        constexpr int reach = 3;
        long asked_before = 0;
        for (const int n : {1, 3, 50, 100, 200}) {
            MatrixXd M = MatrixXd::Zero(n, n);
            for (int i = 0; i < n; ++i)
                for (int j = std::max(0, i - reach); j < i; ++j)
                    M(i, j) = M(j, i) = lcp_test::random_vector(random, 1)[0];
            for (int i = 0; i < n; ++i) M(i, i) = 1.0 + M.row(i).cwiseAbs().sum();
            const VectorXd q = lcp_test::random_vector(random, n);
            VectorXd f = VectorXd::Zero(n);
            long asked = 0;
            Lcp<> band(n, reach);
            REQUIRE(band.solve(Counted{M, asked}, q, f) == Status::ok);
            const VectorXd full = lcp_test::solved(M, q);
            for (int i = 0; i < n; ++i) CHECK(f[i] == full[i]);
            asked /= band.passes();
            CHECK(asked <= n * (3 * reach + 2));  // each row at most the band, each member its half
            if (n == 200) CHECK(asked < 3 * asked_before);
            asked_before = asked;
        }
        CHECK_THROWS_WITH_AS(Lcp<>(3, -1), doctest::Contains("reach is -1"), panto::SetupError);
        CHECK_THROWS_WITH_AS(Lcp<>(-1), doctest::Contains("capacity is -1"), panto::SetupError);
    }
}

}  // namespace lcp_test
