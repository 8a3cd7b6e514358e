// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The pieces dare() is made of. Every loop has a fixed bound; a failure is returned, not thrown.
///
///     doubling    A <- A W A,  G <- G + A W G A',  H <- H + A' H W A,  W = (I + G H)^-1   [Chu et al. 2004]
///     Stein       X = A' X A + W as sum_k A'^k W A^k, summed by squaring                  [Smith 1968]
///     Newton      X <- X + dX,  dX = A_K' dX A_K + residual(X)                            [Hewer 1971]

#pragma once

#include <panto/core/compiled.hpp>
#include <panto/core/finite.hpp>

#include <Eigen/LU>

#include <cmath>
#include <optional>

namespace panto::linalg::detail {

using Dense = Eigen::MatrixXd;
/// Residuals are evaluated with the widest hardware type, so that Newton's correction is not rounding noise.
using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct RiccatiProblem {
    Dense A, B, Q, R, S;
};

template <class = void>
[[nodiscard]] bool all_finite(const Dense& M) {
    for (const double entry : M.reshaped())
        if (!is_finite(entry)) return false;
    return true;
}

template <class M>
[[nodiscard]] M symmetric_part(const M& matrix) {
    return (matrix + matrix.transpose()) / typename M::Scalar(2);
}

/// Coefficient by coefficient: the matrices are small, and instantiating blocked kernels costs seconds of compile time.
template <class = void>
[[nodiscard]] Dense times(const Dense& a, const Dense& b) {
    return a.lazyProduct(b);
}
template <class = void>
[[nodiscard]] Wide times(const Wide& a, const Wide& b) {
    return a.lazyProduct(b);
}

/// Solution of X = A' X A + W, or nothing if the sum does not converge (spectral radius of A not below 1).
template <class = void>
[[nodiscard]] std::optional<Dense> stein(Dense A, const Dense& W) {
    Dense X = W;
    for (int k = 0; k < 64; ++k) {  // 2^64 terms: far beyond any radius that differs from 1 in double precision
        const Dense term = times(A.transpose(), times(X, A));
        X += term;
        if (!all_finite(X)) return std::nullopt;
        if (term.norm() <= 1e-18 * X.norm()) return symmetric_part(X);
        A = times(A, A);
    }
    return std::nullopt;
}

/// Doubling for X = A' X (I + G X)^-1 A + H with positive semi-definite G, H. Nothing if it breaks down.
template <class = void>
[[nodiscard]] std::optional<Dense> doubling(Dense A, Dense G, Dense H) {
    const Dense eye = Dense::Identity(A.rows(), A.cols());
    for (int k = 0; k < 64; ++k) {
        const Eigen::PartialPivLU<Dense> W(eye + times(G, H));
        const Dense WA = W.solve(A), WG = W.solve(G);
        const Dense growth = times(A.transpose(), times(H, WA));
        G = symmetric_part<Dense>(G + times(A, times(WG, A.transpose())));
        H = symmetric_part<Dense>(H + growth);
        A = times(A, WA);
        if (!all_finite(H) || !all_finite(G) || !all_finite(A)) return std::nullopt;
        if (growth.norm() <= 1e-16 * H.norm()) return H;
    }
    return std::nullopt;
}

/// Solution of M x = b for a symmetric M, or nothing if M is not safely positive definite. Cholesky.
template <class = void>
[[nodiscard]] std::optional<Wide> solve_positive(Wide M, Wide b) {
    const Eigen::Index n = M.rows();
    if (!(M.diagonal().minCoeff() > 0.0L)) return std::nullopt;
    const Eigen::Matrix<long double, Eigen::Dynamic, 1> size = M.diagonal();
    for (Eigen::Index j = 0; j < n; ++j) {
        for (Eigen::Index k = 0; k < j; ++k) M.col(j).tail(n - j) -= M(j, k) * M.col(k).tail(n - j);
        // Compared with the diagonal it came from, a small pivot means dependence, not small units.
        if (!(M(j, j) > 1e-15L * size[j])) return std::nullopt;
        M.col(j).tail(n - j) /= std::sqrt(M(j, j));
    }
    for (Eigen::Index j = 0; j < n; ++j) {
        b.row(j) /= M(j, j);
        for (Eigen::Index i = j + 1; i < n; ++i) b.row(i) -= M(i, j) * b.row(j);
    }
    for (Eigen::Index j = n - 1; j >= 0; --j) {
        for (Eigen::Index i = j + 1; i < n; ++i) b.row(j) -= M(i, j) * b.row(i);
        b.row(j) /= M(j, j);
    }
    return b;
}

/// K = (R + B'XB)^-1 (B'XA + S'), or nothing if R + B'XB is not safely positive definite.
template <class = void>
[[nodiscard]] std::optional<Wide> gain(const RiccatiProblem& p, const Wide& X) {
    const Wide BX = times(p.B.transpose().cast<long double>(), X);
    const Wide M = p.R.cast<long double>() + times(BX, p.B.cast<long double>());
    const Wide right = times(BX, p.A.cast<long double>()) + p.S.transpose().cast<long double>();
    return solve_positive(symmetric_part(M), right);
}

/// A'XA - X - (A'XB+S)K + Q written with the closed loop A - BK, the form least sensitive to K:
/// (A-BK)'X(A-BK) - X + Q + K'RK - SK - K'S'.
template <class = void>
[[nodiscard]] Wide residual(const RiccatiProblem& p, const Wide& X, const Wide& K) {
    const Wide loop = p.A.cast<long double>() - times(p.B.cast<long double>(), K);
    const Wide SK = times(p.S.cast<long double>(), K);
    const Wide effort = times(K.transpose(), times(p.R.cast<long double>(), K));
    const Wide r = times(loop.transpose(), times(X, loop)) - X + p.Q.cast<long double>() + effort - SK - SK.transpose();
    return symmetric_part(r);
}

struct NewtonOutcome {
    Wide X, K;
    int steps = 0;
    enum class End { converged, singular_input_weight, lost_stability, linear_only, budget } end = End::budget;
};

/// Newton's method from a gain K that stabilizes. X decreases monotonically to the largest solution, which is the
/// stabilizing one if there is any. If a closed-loop eigenvalue approaches the unit circle, each correction is only
/// half of the last one until rounding hides them. Many such halvings without a quadratic phase after them are
/// therefore reported as `linear_only`; a step that does not halve the correction halves their count.
template <class = void>
[[nodiscard]] NewtonOutcome newton(const RiccatiProblem& p, const Dense& start) {
    NewtonOutcome out;
    out.K = start.cast<long double>();
    out.X = Wide::Zero(p.A.rows(), p.A.cols());
    double last = 0.0;
    int halvings = 0;
    for (out.steps = 1; out.steps <= 120; ++out.steps) {
        const Dense loop = p.A - times(p.B, out.K.cast<double>());
        const std::optional<Dense> dX = stein(loop, residual(p, out.X, out.K).cast<double>());
        if (!dX) {
            out.end = halvings > 8 ? NewtonOutcome::End::linear_only : NewtonOutcome::End::lost_stability;
            return out;
        }
        out.X += dX->cast<long double>();
        const std::optional<Wide> K = gain(p, out.X);
        if (!K) {
            out.end = NewtonOutcome::End::singular_input_weight;
            return out;
        }
        out.K = *K;

        const double size = static_cast<double>(out.X.norm());
        const double change = size > 0.0 ? dX->norm() / size : 0.0;
        const double ratio = last > 0.0 ? dX->norm() / last : 0.0;
        halvings = ratio > 0.4 && ratio < 0.6 ? halvings + 1 : halvings / 2;
        // The correction no longer changes X, or has become rounding noise.
        const bool still = out.steps > 1 && (change <= 1e-16 || (change < 1e-9 && ratio >= 0.6));
        if (still) {
            out.end = halvings > 8 ? NewtonOutcome::End::linear_only : NewtonOutcome::End::converged;
            return out;
        }
        last = dX->norm();
    }
    if (halvings > 8) out.end = NewtonOutcome::End::linear_only;
    return out;
}

#ifdef PANTO_COMPILED
extern template std::optional<Wide> solve_positive(Wide, Wide);
#endif

}  // namespace panto::linalg::detail
