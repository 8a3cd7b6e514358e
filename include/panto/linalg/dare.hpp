// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Discrete-time algebraic Riccati equation
///
///     A'XA - X - (A'XB + S)(R + B'XB)^-1 (B'XA + S') + Q = 0,    K = (R + B'XB)^-1 (B'XA + S'),
///
/// solved for the X that makes A - BK stable. The control u = -Kx then minimizes sum x'Qx + 2x'Su + u'Ru for
/// x[k+1] = Ax + Bu. A may be singular; R may be zero, as long as R + B'XB is not singular.
///
/// Method: balance the state; find a stabilizing gain by structure-preserving doubling (of the problem itself or, if
/// R or Q do not allow that, of a regularized one); then Newton's method with residuals in extended precision.
/// No eigenvalues are sorted, every loop is bounded, and the result is checked before it is returned.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/linalg/balance.hpp>
#include <panto/linalg/detail/riccati.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

namespace panto::linalg {

template <int Nx = Dynamic, int Nu = Dynamic>
struct DareSolution {
    Matrix<double, Nx> X;             ///< symmetric, positive semi-definite
    Matrix<double, Nu, Nx> K;         ///< u = -K x
    double residual = 0.0;            ///< norm of the left-hand side divided by the norm of its terms
    double closed_loop_radius = 0.0;  ///< largest |eigenvalue| of A - BK, below 1
    int newton_steps = 0;
};

namespace detail {

inline constexpr const char* dare_name = "linalg::dare";

template <class = void>
void require_finite_matrix(const Dense& M, const char* name) {
    for (Eigen::Index j = 0; j < M.cols(); ++j)
        for (Eigen::Index i = 0; i < M.rows(); ++i) require_finite(M(i, j), dare_name, name, "(", i, ",", j, ")");
}

template <class = void>
void require_symmetric(const Dense& M, const char* name) {
    const double gap = (M - M.transpose()).cwiseAbs().maxCoeff();
    require(gap <= 1e-10 * M.cwiseAbs().maxCoeff(), dare_name, name,
            " is not symmetric: it differs from its transpose by ", gap);
}

template <class = void>
double smallest_eigenvalue(const Dense& M) {
    return eigenvalues(M).real().minCoeff();
}

/// An eigenvalue of a real matrix, with its conjugate.
template <class = void>
[[nodiscard]] std::string as_text(std::complex<double> lambda) {
    const double part = std::fabs(lambda.imag());
    return shown(lambda.real()) + (part > 0.0 ? " +- " + shown(part) + "i" : std::string());
}

/// Logarithms of the factors of rows, then of columns, with which the logarithms of all entries have the least sum of
/// squares; entries below `nothing` times the largest of their row count as 0 [Curtis, Reid 1972].
template <class = void>
[[nodiscard]] Eigen::VectorXd logarithmic_scaling(const Dense& size, double nothing) {
    const Eigen::Index n = size.rows(), all = n + size.cols();
    Dense normal = 1e-9 * Dense::Identity(all, all);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(all);
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = n; j < all; ++j)
            if (const double entry = size(i, j - n); entry > nothing * size.row(i).maxCoeff()) {
                ++normal(i, i), ++normal(j, j), ++normal(i, j), ++normal(j, i);
                right[i] -= std::log(entry), right[j] -= std::log(entry);
            }
    return Eigen::ColPivHouseholderQR<Dense>(normal).solve(right);
}

/// Hautus: an eigenvalue on or outside the unit circle at which [A - lambda I, B] loses rank is uncontrollable.
/// Neither scaling rows nor scaling columns changes the rank. Both are scaled until the largest entry of each is 1, so
/// that the verdict does not depend on the units.
///
/// A is that of the caller, not a balanced one. Where one part drives the next and nothing leads back, as in a chain of
/// delays, balancing scales the parts between further and further, until a mode that is well controllable looks as if
/// it were not.
///
/// The threshold: with an uncontrollable mode at 1 and a time step in which a random plant changes by 1e-4, the
/// smallest diagonal entry of R is at most 1.4e-10, which is rounding. In such plants with a controllable mode, and in
/// servos of 0.01 to 75 rad/s with delays of up to 50 steps of 0.1 or 2 ms, it is at least 7e-5.
/// @return such an eigenvalue as text, empty if there is none. For the pair (A', C'), such an eigenvalue belongs to a
/// mode that no output shows.
template <class = void>
[[nodiscard]] std::string uncontrollable_mode(const Dense& A, const Dense& B) {
    const Eigen::Index n = A.rows(), m = B.cols();
    constexpr double rounding = 1e-13, threshold = 1e-9;
    for (const std::complex<double> lambda : eigenvalues(A)) {
        if (std::abs(lambda) < 1.0 - 1e-12 || lambda.imag() < 0.0) continue;
        Dense real(n, n + m), size(n, n + m);
        real << A, B;
        Eigen::VectorXd imaginary = Eigen::VectorXd::Constant(n, -lambda.imag());
        real.diagonal().array() -= lambda.real();
        size = real.cwiseAbs();
        for (Eigen::Index i = 0; i < n; ++i) {
            const double own = std::abs(A(i, i)) + std::abs(lambda);
            size(i, i) = std::hypot(real(i, i), imaginary[i]);
            if (size(i, i) <= rounding * own) real(i, i) = imaginary[i] = size(i, i) = 0.0;
        }
        const auto scale = [&](const Eigen::VectorXd& rows, const Eigen::VectorXd& columns) {
            size = rows.asDiagonal() * size * columns.asDiagonal();
            real = rows.asDiagonal() * real * columns.asDiagonal();
            imaginary.array() *= rows.array() * columns.head(n).array();
        };
        const auto rank_gap = [&] {
            // The complex pencil in real numbers, transposed for the factorization.
            Dense pencil = Dense::Zero(2 * (n + m), 2 * n);
            pencil.topLeftCorner(n + m, n) = real.transpose();
            pencil.bottomRightCorner(n + m, n) = real.transpose();
            for (Eigen::Index i = 0; i < n; ++i) pencil(i, n + i) = -imaginary[i], pencil(n + m + i, i) = imaginary[i];
            return Eigen::ColPivHouseholderQR<Dense>(pencil).matrixQR().diagonal().cwiseAbs().minCoeff();
        };
        const auto largest_to_1 = [&] {
            for (int sweep = 0; sweep < 40; ++sweep) {  // each halves the exponents
                const auto factor = [](double largest) { return largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0; };
                scale(size.rowwise().maxCoeff().unaryExpr(factor),
                      size.colwise().maxCoeff().transpose().unaryExpr(factor));
            }
        };
        largest_to_1();
        if (rank_gap() > threshold) continue;
        // A whole part in other units, such as a chain of delayed commands: all entries as near to 1 as possible.
        const Eigen::VectorXd logs = logarithmic_scaling(size, 1e-12);
        scale(logs.head(n).array().exp(), logs.tail(n + m).array().exp());
        largest_to_1();
        if (!(rank_gap() > threshold)) return as_text(lambda);
    }
    return {};
}

/// Any gain that makes A - BK stable.
template <class = void>
Dense stabilizing_gain(const RiccatiProblem& p) {
    const auto stabilizes = [&](const Dense& K) { return all_finite(K) && spectral_radius(p.A - times(p.B, K)) < 1.0; };
    Dense right(p.B.cols(), 2 * p.A.rows());
    right << p.S.transpose(), p.B.transpose();
    if (const auto solved = solve_positive(p.R.cast<long double>(), right.cast<long double>())) {
        const Dense RS = solved->leftCols(p.A.rows()).cast<double>(), RB = solved->rightCols(p.A.rows()).cast<double>();
        const Dense H = p.Q - times(p.S, RS);
        if (const auto X = doubling(p.A - times(p.B, RS), times(p.B, RB), symmetric_part(H)))
            if (const auto K = gain(p, X->cast<long double>()); K && stabilizes(K->cast<double>()))
                return K->cast<double>();
    }
    // A weight on every state and input makes the problem regular; the units of R follow from those of Q and B.
    const double q = p.Q.norm() > 0.0 ? p.Q.norm() : 1.0;
    const double b = p.B.norm() > 0.0 ? p.B.norm() : 1.0;
    for (const double effort : {1.0, 1e-4, 1e4}) {
        RiccatiProblem easy = p;
        easy.Q += q * Dense::Identity(p.A.rows(), p.A.cols());
        easy.R = Dense::Identity(p.B.cols(), p.B.cols()) * (effort * q * b * b);
        easy.S.setZero();
        const auto X = doubling(easy.A, times(p.B, p.B.transpose()) / (effort * q * b * b), easy.Q);
        if (!X) continue;
        if (const auto K = gain(easy, X->cast<long double>()); K && stabilizes(K->cast<double>()))
            return K->cast<double>();
    }
    throw SetupError(std::string(dare_name) +
                     ": no stabilizing gain was found; (A, B) is numerically not stabilizable");
}

template <class = void>
[[nodiscard]] std::string nearest_unit_circle(const Dense& A) {
    std::complex<double> nearest = HUGE_VAL;
    for (const std::complex<double> lambda : eigenvalues(A))
        if (std::fabs(std::abs(lambda) - 1.0) < std::fabs(std::abs(nearest) - 1.0)) nearest = lambda;
    return as_text(nearest);
}

template <class = void>
DareSolution<> solve_dare(RiccatiProblem p) {
    const Eigen::Index nx = p.A.rows(), nu = p.B.cols();
    require(nx > 0 && nu > 0, dare_name, "there must be at least one state and one input");
    require(p.A.cols() == nx && p.B.rows() == nx && p.Q.rows() == nx && p.Q.cols() == nx && p.R.rows() == nu &&
                p.R.cols() == nu && p.S.rows() == nx && p.S.cols() == nu,
            dare_name, "the sizes of A, B, Q, R and S must agree");
    require_finite_matrix(p.A, "A"), require_finite_matrix(p.B, "B"), require_finite_matrix(p.Q, "Q");
    require_finite_matrix(p.R, "R"), require_finite_matrix(p.S, "S");
    require_symmetric(p.Q, "Q"), require_symmetric(p.R, "R");
    p.Q = symmetric_part(p.Q), p.R = symmetric_part(p.R);
    const double least = smallest_eigenvalue(p.R);
    require(least >= -1e-14 * p.R.norm(), dare_name, "R has the eigenvalue ", least, ", its eigenvalues must be >= 0");
    const double lowest = smallest_eigenvalue(p.Q);
    require(lowest >= -1e-12 * p.Q.norm(), dare_name, "Q is not positive semi-definite: it has the eigenvalue ", lowest,
            ", its eigenvalues must be >= 0");

    const std::string mode = uncontrollable_mode(p.A, p.B);
    require(mode.empty(), dare_name, "(A, B) is not stabilizable: no input affects the mode with eigenvalue ", mode,
            ", which does not decay by itself");

    const Eigen::VectorXd t = balancing_scales(p.A);
    const auto to = t.asDiagonal();
    const Eigen::VectorXd t_inverse = t.cwiseInverse();
    const auto from = t_inverse.asDiagonal();
    p.A = (from * p.A * to).eval(), p.B = (from * p.B).eval();
    p.Q = (to * p.Q * to).eval(), p.S = (to * p.S).eval();

    const NewtonOutcome found = newton(p, stabilizing_gain(p));
    using End = NewtonOutcome::End;
    require(found.end != End::singular_input_weight, dare_name,
            "R + B'XB is singular: an input has neither a cost nor an effect");
    if (found.end != End::converged) {
        const std::string nearest = "; the eigenvalue of A nearest to the unit circle is " + nearest_unit_circle(p.A);
        require(found.end != End::linear_only, dare_name,
                "no stabilizing solution: an eigenvalue on the unit circle is not seen by the weights Q, S, R",
                nearest);
        require(false, dare_name, "Newton's method did not converge in ", found.steps, " steps", nearest);
    }

    // Check the four properties of the result.
    const Dense X = symmetric_part<Dense>(found.X.cast<double>()), K = found.K.cast<double>();
    DareSolution<> answer;
    answer.newton_steps = found.steps;
    const Wide Xw = X.cast<long double>(), Kw = K.cast<long double>();
    const double terms = times(p.A.transpose(), times(X, p.A)).norm() + X.norm() + p.Q.norm() + times(p.S, K).norm();
    answer.residual = terms > 0.0 ? static_cast<double>(residual(p, Xw, Kw).norm()) / terms : 0.0;
    require(answer.residual <= 1e-11, dare_name, "the relative residual is ", answer.residual,
            ", must be at most 1e-11");
    answer.closed_loop_radius = spectral_radius(p.A - times(p.B, K));
    require(answer.closed_loop_radius < 1.0 - 1e-13, dare_name, "no stabilizing solution: the closed-loop radius is ",
            answer.closed_loop_radius, ", an eigenvalue on the unit circle is not seen by the weights Q, S, R");
    const double bottom = smallest_eigenvalue(X);
    require(bottom >= -1e-12 * X.norm(), dare_name, "the stabilizing solution has the eigenvalue ", bottom,
            ": [Q S; S' R] is not positive semi-definite");
    answer.X = from * X * from;
    answer.K = K * from;
    return answer;
}

#ifdef PANTO_COMPILED
extern template DareSolution<> solve_dare(RiccatiProblem);
#endif

}  // namespace detail

/// Stabilizing solution for the cost sum x'Qx + 2x'Su + u'Ru. Sizes may be fixed or Dynamic. For set-up code.
/// @throws SetupError saying why there is none: wrong sizes, non-finite or unsymmetric data, negative R, a mode that no
/// input moves, an eigenvalue on the unit circle that is not observable through the weights, or weights [Q S; S' R]
/// that are not positive semi-definite.
template <class DerivedA, class DerivedB, class DerivedQ, class DerivedR, class DerivedS>
[[nodiscard]] DareSolution<DerivedA::RowsAtCompileTime, DerivedB::ColsAtCompileTime> dare(
    const Eigen::MatrixBase<DerivedA>& A, const Eigen::MatrixBase<DerivedB>& B, const Eigen::MatrixBase<DerivedQ>& Q,
    const Eigen::MatrixBase<DerivedR>& R, const Eigen::MatrixBase<DerivedS>& S) {
    DareSolution<> s = detail::solve_dare({A, B, Q, R, S});
    return {s.X, s.K, s.residual, s.closed_loop_radius, s.newton_steps};
}

/// The same with S = 0.
template <class DerivedA, class DerivedB, class DerivedQ, class DerivedR>
[[nodiscard]] DareSolution<DerivedA::RowsAtCompileTime, DerivedB::ColsAtCompileTime> dare(
    const Eigen::MatrixBase<DerivedA>& A, const Eigen::MatrixBase<DerivedB>& B, const Eigen::MatrixBase<DerivedQ>& Q,
    const Eigen::MatrixBase<DerivedR>& R) {
    return dare(A, B, Q, R, Eigen::MatrixXd::Zero(A.rows(), B.cols()));
}

}  // namespace panto::linalg
