// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Riccati equation of a linear-quadratic problem whose matrices change from step to step: one step of it
/// (riccati_step), and its solution for matrices with a period of T steps (periodic_dare). With x[k+1] = A_k x + B_k u
/// and the cost sum x'Q_k x + 2 x'S_k u + u'R_k u,
///
///     X[k] = A_k'X[k+1]A_k + Q_k - (A_k'X[k+1]B_k + S_k) K_k ,
///     K_k  = (R_k + B_k'X[k+1]B_k)^-1 (B_k'X[k+1]A_k + S_k') ,    u = -K_k x .
///
/// A step is the map X -> H + F'X (I + G X)^-1 F with F = A - B R^-1 S', G = B R^-1 B', H = Q - S R^-1 S'. The map of
/// step 1 after that of step 2 has this form again, with W = (I + G_1 H_2)^-1:
///
///     F = F_2 W F_1 ,   G = G_2 + F_2 W G_1 F_2' ,   H = H_1 + F_1' H_2 W F_1 .
///
/// The steps of a period are composed to one, which is doubled until H stays [Chu et al. 2004 for T = 1].

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>
#include <panto/linalg/detail/riccati.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include <cstddef>
#include <vector>

namespace panto::linalg {

/// One step of the problem: plant and weights.
struct RiccatiStep {
    Eigen::MatrixXd A = {}, B = {};
    Eigen::MatrixXd Q = {}, R = {};  ///< symmetric; R positive definite
    Eigen::MatrixXd S = {};          ///< states by inputs; empty for 0
};

/// X[k] and the gain of one step.
struct RiccatiResult {
    Eigen::MatrixXd X = {}, K = {};
};

namespace detail {

/// The map X -> H + F'X (I + G X)^-1 F.
struct RiccatiMap {
    Eigen::MatrixXd F, G, H;
};

template <class = void>
[[nodiscard]] RiccatiMap riccati_map(const RiccatiStep& s) {
    const Eigen::LLT<Eigen::MatrixXd> R(s.R);
    require(R.info() == Eigen::Success, "linalg::periodic_dare", "R is not positive definite in every step");
    const Eigen::MatrixXd RB = R.solve(s.B.transpose());
    if (s.S.size() == 0) return {s.A, symmetric_part<Eigen::MatrixXd>(s.B * RB), symmetric_part(s.Q)};
    const Eigen::MatrixXd RS = R.solve(s.S.transpose());
    return {s.A - s.B * RS, symmetric_part<Eigen::MatrixXd>(s.B * RB), symmetric_part<Eigen::MatrixXd>(s.Q - s.S * RS)};
}

/// The map that applies `second` first and then `first`.
template <class = void>
[[nodiscard]] RiccatiMap composed(const RiccatiMap& first, const RiccatiMap& second) {
    const Eigen::Index n = first.F.rows();
    const Eigen::PartialPivLU<Eigen::MatrixXd> W(Eigen::MatrixXd::Identity(n, n) + first.G * second.H);
    const Eigen::MatrixXd WF = W.solve(first.F), WG = W.solve(first.G);
    return {second.F * WF, symmetric_part<Eigen::MatrixXd>(second.G + second.F * WG * second.F.transpose()),
            symmetric_part<Eigen::MatrixXd>(first.H + first.F.transpose() * second.H * WF)};
}

template <class = void>
void check(const std::vector<RiccatiStep>& steps) {
    const char* where = "linalg::periodic_dare";
    require(!steps.empty(), where, "there are no steps, must be at least one");
    const Eigen::Index n = steps[0].A.rows();
    require(n > 0, where, "there must be at least one state");
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const RiccatiStep& s = steps[k];
        const Eigen::Index m = s.B.cols();
        require(m > 0 && s.A.rows() == n && s.A.cols() == n && s.B.rows() == n && s.Q.rows() == n && s.Q.cols() == n &&
                    s.R.rows() == m && s.R.cols() == m && (s.S.size() == 0 || (s.S.rows() == n && s.S.cols() == m)),
                where, "the sizes of A, B, Q, R and S of step ", k, " must agree, with ", n, " states");
        require(s.A.allFinite() && s.B.allFinite() && s.Q.allFinite() && s.R.allFinite() && s.S.allFinite(), where,
                "A, B, Q, R or S of step ", k, " is not finite");
    }
}

}  // namespace detail

/// X[k] and K_k from X[k+1].
/// @throws SetupError if sizes do not fit, a number is not finite, or R + B'X[k+1]B is not positive definite.
template <class = void>
[[nodiscard]] RiccatiResult riccati_step(const RiccatiStep& s, const Eigen::MatrixXd& next) {
    detail::check({s});
    const Eigen::Index n = s.A.rows();
    require(next.rows() == n && next.cols() == n && next.allFinite(), "linalg::riccati_step", "X[k+1] is ", next.rows(),
            " by ", next.cols(), ", must be ", n, " by ", n, " and finite");
    const Eigen::MatrixXd BX = s.B.transpose() * next;
    Eigen::MatrixXd right = BX * s.A;
    if (s.S.size() > 0) right += s.S.transpose();
    const Eigen::LLT<Eigen::MatrixXd> M(detail::symmetric_part<Eigen::MatrixXd>(s.R + BX * s.B));
    require(M.info() == Eigen::Success, "linalg::riccati_step", "R + B'XB is not positive definite");
    const Eigen::MatrixXd K = M.solve(right);
    return {detail::symmetric_part<Eigen::MatrixXd>(s.A.transpose() * next * s.A + s.Q - right.transpose() * K), K};
}

/// The periodic, stabilizing solution: X[k] and K_k of every step of the period.
/// @throws SetupError if the steps do not fit each other, an R is not positive definite, or no solution is stabilizing:
/// a mode that does not die out is moved by no input, or not seen by the weights.
template <class = void>
[[nodiscard]] std::vector<RiccatiResult> periodic_dare(const std::vector<RiccatiStep>& steps) {
    const char* where = "linalg::periodic_dare";
    detail::check(steps);
    detail::RiccatiMap period = detail::riccati_map(steps.back());
    for (std::size_t k = steps.size() - 1; k-- > 0;) period = detail::composed(detail::riccati_map(steps[k]), period);
    bool settled = false;
    for (int k = 0; k < 64 && !settled; ++k) {
        const Eigen::MatrixXd former = period.H;
        period = detail::composed(period, period);
        require(
            period.F.allFinite() && period.G.allFinite() && period.H.allFinite(), where,
            "no stabilizing solution: the cost grows without limit, a mode that does not die out is moved by no input");
        settled = (period.H - former).norm() <= 1e-15 * period.H.norm();
    }
    std::vector<RiccatiResult> all(steps.size());
    Eigen::MatrixXd X = period.H;
    double change = 0.0;
    for (int sweep = 0; sweep < 3;
         ++sweep) {  // each takes the rounding error of the one before as a period of the plant does
        const Eigen::MatrixXd former = X;
        for (std::size_t k = steps.size(); k-- > 0;) all[k] = riccati_step(steps[k], X), X = all[k].X;
        change = (X - former).norm();
    }
    require(change <= 1e-9 * X.norm(), where, "no solution: after a period X differs by ", change / X.norm(),
            " of its size, must be at most 1e-9");
    Eigen::MatrixXd closed = Eigen::MatrixXd::Identity(X.rows(), X.cols());
    for (std::size_t k = 0; k < steps.size(); ++k) closed = ((steps[k].A - steps[k].B * all[k].K) * closed).eval();
    const double radius = spectral_radius(closed);
    require(radius < 1.0 - 1e-12, where, "no stabilizing solution: over a period a mode changes by the factor ", radius,
            ", must be below 1: no input affects it, or it is not seen by the weights");
    return all;
}

#ifdef PANTO_COMPILED
extern template RiccatiResult riccati_step(const RiccatiStep&, const Eigen::MatrixXd&);
extern template std::vector<RiccatiResult> periodic_dare(const std::vector<RiccatiStep>&);
#endif

}  // namespace panto::linalg
