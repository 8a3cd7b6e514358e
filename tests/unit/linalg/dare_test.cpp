// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/dare.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

using namespace panto;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace dare_test {
namespace {

MatrixXd one(double value) { return MatrixXd::Constant(1, 1, value); }
const MatrixXd I = MatrixXd::Identity(2, 2);

std::string message(const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R) {
    try {
        (void)linalg::dare(A, B, Q, R);
    } catch (const SetupError& e) {
        return e.what();
    }
    return "no error";
}

/// The equation as it is printed, term by term: independent of the closed-loop form the solver uses.
double printed_residual(const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R, const MatrixXd& S,
                        const MatrixXd& X) {
    const MatrixXd M = R + B.transpose() * X * B, N = A.transpose() * X * B + S;
    const MatrixXd r = A.transpose() * X * A - X - N * M.ldlt().solve(N.transpose()) + Q;
    return r.norm() / (X.norm() + Q.norm());
}

}  // namespace

TEST_CASE("a scalar equation has the root of its quadratic") {
    for (const double a : {0.0, 0.3, 1.0, 1.7, -2.5})
        for (const double r : {1e-3, 1.0, 1e3}) {
            const double b = 0.8, q = 2.0;
            // b^2 x^2 + (r - a^2 r - q b^2) x - q r = 0, the positive root.
            const double p = (r - a * a * r - q * b * b) / (b * b), c = -q * r / (b * b);
            const double x = -0.5 * p + std::sqrt(0.25 * p * p - c);
            const auto s = linalg::dare(one(a), one(b), one(q), one(r));
            CHECK(s.X(0, 0) == approx(x).epsilon(1e-12));  // the closed form cancels, the solver does not
            CHECK(s.K(0, 0) == approx(b * x * a / (r + b * b * x)).epsilon(1e-12));
        }
}

TEST_CASE("the gain with a cross term is that of the problem it can be transformed away from") {
    // With u = v - R^-1 S' x the cost x'Qx + 2x'Su + u'Ru has no cross term.
    const MatrixXd A{{1.1, 0.3}, {-0.2, 0.7}}, Q{{2.0, 0.1}, {0.1, 1.0}};
    const MatrixXd B = Eigen::Vector2d(0.2, 1.0), S = Eigen::Vector2d(0.3, -0.4);
    const double r = 0.5;
    const auto with = linalg::dare(A, B, Q, one(r), S);
    const MatrixXd A0 = A - B * S.transpose() / r, Q0 = Q - S * S.transpose() / r;
    const auto without = linalg::dare(A0, B, Q0, one(r));
    CHECK((with.X - without.X).norm() < 1e-14 * with.X.norm());
    CHECK((with.K - without.K - S.transpose() / r).norm() < 1e-14);
}

TEST_CASE("fixed and Dynamic sizes give the same numbers") {
    const Eigen::Matrix2d A{{1.1, 0.3}, {-0.2, 0.7}};
    const Eigen::Vector2d B(0.2, 1.0);
    const auto fixed = linalg::dare(A, B, Eigen::Matrix2d::Identity(), Eigen::Matrix<double, 1, 1>::Identity());
    const auto dynamic = linalg::dare(MatrixXd(A), MatrixXd(B), I, one(1.0));
    static_assert(std::is_same_v<decltype(fixed.K), Eigen::Matrix<double, 1, 2>>);
    CHECK(fixed.X == dynamic.X);
    CHECK(fixed.K == dynamic.K);
}

TEST_CASE("the units of the states do not change the gain") {
    const MatrixXd A{{1.1, 0.3}, {-0.2, 0.7}}, B = Eigen::Vector2d(0.2, 1.0);
    const MatrixXd T = Eigen::Vector2d(1.0, 0x1p30).asDiagonal(), back = Eigen::Vector2d(1.0, 0x1p-30).asDiagonal();
    const auto s = linalg::dare(A, B, I, one(1.0));
    const auto scaled = linalg::dare(MatrixXd(back * A * T), MatrixXd(back * B), MatrixXd(T * T), one(1.0));
    CHECK((scaled.K * back - s.K).norm() < 1e-14 * s.K.norm());
}

TEST_CASE("random problems satisfy the equation as printed, stabilize and are positive semi-definite") {
    const char* asked = std::getenv("PANTO_TEST_SEED");
    const unsigned seed = asked ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : 20240u;
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 40; ++trial) {
        const Eigen::Index n = 1 + trial % 7, m = 1 + trial % 3;
        const auto noise = [&](Eigen::Index rows, Eigen::Index columns) {
            MatrixXd M(rows, columns);
            for (double& entry : M.reshaped()) entry = normal(random);
            return M;
        };
        const MatrixXd A = noise(n, n), B = noise(n, m), half = noise(n + m, n + m);
        const MatrixXd W = half.transpose() * half;  // the whole cost, cross term included
        const MatrixXd Q = W.topLeftCorner(n, n), R = W.bottomRightCorner(m, m), S = W.topRightCorner(n, m);
        const auto s = linalg::dare(A, B, Q, R, S);
        CAPTURE(trial);
        // The printed form cancels: condition of R + B'XB times rounding.
        CHECK(printed_residual(A, B, Q, R, S, s.X) < 1e-10);
        CHECK(s.X == s.X.transpose());
        CHECK(s.X.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff() > -1e-13 * s.X.norm());
        CHECK(linalg::spectral_radius(A - B * s.K) < 1.0);
        CHECK(s.closed_loop_radius == approx(linalg::spectral_radius(A - B * s.K)).epsilon(1e-10));
    }
}

TEST_CASE("the cost is what the closed loop runs up") {
    const MatrixXd A{{1.2, 0.5}, {0.0, 0.9}}, B = Eigen::Vector2d(0.1, 1.0);
    const VectorXd x0 = Eigen::Vector2d(1.0, -2.0);
    const auto s = linalg::dare(A, B, I, one(0.3));
    double cost = 0.0;
    VectorXd x = x0;
    for (int k = 0; k < 400; ++k) {
        const VectorXd u = -s.K * x;
        cost += x.squaredNorm() + 0.3 * u.squaredNorm();
        x = (A * x + B * u).eval();
    }
    CHECK(cost == approx(x0.dot(s.X * x0)).epsilon(1e-13));
}

TEST_CASE("what has no answer is refused with the reason") {
    const MatrixXd A = Eigen::Vector2d(2.0, 0.5).asDiagonal();
    const auto contains = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    CHECK(contains(message(A, Eigen::Vector2d(0.0, 1.0), I, one(1.0)), "no input affects the mode with eigenvalue 2"));
    const MatrixXd turning{{0.0, -1.5}, {1.5, 0.0}};
    CHECK(contains(message(turning, Eigen::Vector2d(0.0, 0.0), I, one(1.0)), "eigenvalue 0 +- 1.5i"));
    CHECK(contains(message(one(1.0), one(1.0), one(0.0), one(1.0)), "not seen by the weights"));
    CHECK(contains(message(turning / 1.5, Eigen::Vector2d(0.0, 1.0), 0.0 * I, one(1.0)), "not seen by the weights"));
    CHECK(contains(message(one(1.2), one(1.0), one(1.0), one(-1.0)), "R has the eigenvalue -1"));
    CHECK(contains(message(one(0.5), one(0.0), one(1.0), one(0.0)), "R + B'XB is singular"));
    CHECK(contains(message(one(0.5), one(1.0), one(-1.0), one(100.0)), "Q is not positive semi-definite"));
    CHECK(contains(message(one(0.5), one(1.0), one(-1.0), one(1.0)), "Q is not positive semi-definite"));
    CHECK(contains(message(A, Eigen::Vector2d(1.0, 1.0), Eigen::Matrix2d{{1.0, 0.2}, {0.0, 1.0}}, one(1.0)),
                   "Q is not symmetric"));
    CHECK(contains(message(one(std::nan("")), one(1.0), one(1.0), one(1.0)), "A(0,0) must be finite, got nan"));
    CHECK(contains(message(one(1.0), one(std::numeric_limits<double>::infinity()), one(1.0), one(1.0)),
                   "B(0,0) must be finite, got inf"));
    CHECK(contains(message(A, Eigen::Vector3d::Ones(), I, one(1.0)), "sizes"));
    CHECK(contains(message(MatrixXd(0, 0), MatrixXd(0, 1), MatrixXd(0, 0), one(1.0)), "at least one"));
}

// The reference is how the plant was made: a stable part, and one mode on or outside the unit circle that the input
// moves or does not, turned into a random basis and given in units up to `apart` orders of magnitude apart.
TEST_CASE("a mode that no input moves is found in any basis, units and time step") {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    const auto entry = [&] { return normal(random); };
    int tried = 0;
    for (const double step : {1.0, 1e-2, 1e-4})
        for (const double mode : {1.0, 1.3})
            for (const double apart : {0.0, 12.0})
                for (const int n : {3, 6, 13}) {
                    MatrixXd A = MatrixXd::NullaryExpr(n, n, entry);
                    A /= 1.2 * linalg::eigenvalues(A).cwiseAbs().maxCoeff();
                    A = ((1.0 - step) * MatrixXd::Identity(n, n) + step * A).eval();
                    A.row(n - 1).setZero(), A(n - 1, n - 1) = mode;
                    const MatrixXd basis = MatrixXd::NullaryExpr(n, n, entry).householderQr().householderQ();
                    const VectorXd units =
                        VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, apart * uniform(random)); });
                    const auto turned = [&](const MatrixXd& M) -> MatrixXd {
                        return units.asDiagonal() * (basis * M * basis.transpose()) * units.cwiseInverse().asDiagonal();
                    };
                    VectorXd B = step * VectorXd::NullaryExpr(n, entry);
                    const auto verdict = [&] {
                        return linalg::detail::uncontrollable_mode(turned(A), units.asDiagonal() * (basis * B));
                    };
                    CAPTURE(step);
                    CAPTURE(mode);
                    CAPTURE(apart);
                    CAPTURE(n);
                    B[n - 1] = step;
                    CHECK(verdict() == "");
                    B[n - 1] = 0.0;
                    const std::string found = verdict();
                    CHECK(std::abs(std::atof(found.c_str()) - mode) < 1e-6);
                    ++tried;
                }
    CHECK(tried == 36);
}

TEST_CASE("integrators in a chain are controllable from its end only, in any units") {
    for (const double step : {0.1, 1e-3, 1e-5})
        for (const double apart : {0.0, 12.0})
            for (const int n : {2, 3, 6}) {
                const VectorXd units = VectorXd::NullaryExpr(
                    n, [&](Eigen::Index i) { return std::pow(10.0, apart * static_cast<double>(i) / (n - 1)); });
                MatrixXd A = MatrixXd::Identity(n, n);
                A.diagonal(1).setConstant(step);
                A = (units.asDiagonal() * A * units.cwiseInverse().asDiagonal()).eval();
                CAPTURE(step);
                CAPTURE(apart);
                CAPTURE(n);
                CHECK(linalg::detail::uncontrollable_mode(A, step * units[n - 1] * VectorXd::Unit(n, n - 1)) == "");
                CHECK(linalg::detail::uncontrollable_mode(A, step * units[0] * VectorXd::Unit(n, 0)) == "1");
            }
}

// A plant x+ = .9 x + gain u_late, u_late a command that is late by some steps, with a constant disturbance of the
// command.
TEST_CASE("a disturbance before a chain of delays shows in a plant of any units, unless the plant has no input") {
    for (const int late : {1, 3, 50})
        for (const double gain : {1e12, 1.0, 1e-6, 1e-11, 0.0}) {
            const int n = late + 2;  // x, the late commands, the disturbance
            MatrixXd A = MatrixXd::Zero(n, n);
            A(0, 0) = 0.9, A(0, 1) = gain;
            for (int i = 1; i <= late; ++i) A(i, i + 1) = 1.0;
            A(n - 1, n - 1) = 1.0;
            CAPTURE(late);
            CAPTURE(gain);
            CHECK(linalg::detail::uncontrollable_mode(A.transpose(), VectorXd::Unit(n, 0)) == (gain > 0.0 ? "" : "1"));
        }
}

}  // namespace dare_test
