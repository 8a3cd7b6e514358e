// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Linear-quadratic regulator: the state feedback u = -K x that minimizes sum x'Qx + 2x'Su + u'Ru along
/// x[k+1] = A x[k] + B u[k]. K = (R + B'XB)^-1 (B'XA + S') with X from the Riccati equation, see linalg/dare.hpp.

#pragma once

#include <panto/linalg/dare.hpp>

#include <string>

namespace panto::control {

template <int Nx = Dynamic, int Nu = Dynamic>
struct LqrGain {
    Matrix<double, Nu, Nx> K;         ///< u = -K x
    Matrix<double, Nx> cost = {};     ///< X: the cost to go from x is x'Xx
    double closed_loop_radius = 0.0;  ///< of A - BK, below 1
};

/// @throws SetupError as linalg::dare does.
template <class DerivedA, class DerivedB, class DerivedQ, class DerivedR, class DerivedS>
[[nodiscard]] LqrGain<DerivedA::RowsAtCompileTime, DerivedB::ColsAtCompileTime> lqr(
    const Eigen::MatrixBase<DerivedA>& A, const Eigen::MatrixBase<DerivedB>& B, const Eigen::MatrixBase<DerivedQ>& Q,
    const Eigen::MatrixBase<DerivedR>& R, const Eigen::MatrixBase<DerivedS>& S) {
    const auto s = linalg::dare(A, B, Q, R, S);
    return {s.K, s.X, s.closed_loop_radius};
}

/// The same with S = 0.
/// @throws SetupError as linalg::dare does.
template <class DerivedA, class DerivedB, class DerivedQ, class DerivedR>
[[nodiscard]] LqrGain<DerivedA::RowsAtCompileTime, DerivedB::ColsAtCompileTime> lqr(
    const Eigen::MatrixBase<DerivedA>& A, const Eigen::MatrixBase<DerivedB>& B, const Eigen::MatrixBase<DerivedQ>& Q,
    const Eigen::MatrixBase<DerivedR>& R) {
    const auto s = linalg::dare(A, B, Q, R);
    return {s.K, s.X, s.closed_loop_radius};
}

}  // namespace panto::control
