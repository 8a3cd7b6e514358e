// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Eigenvalues of a real matrix: from the real Schur form of the balanced matrix.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>
#include <panto/linalg/balance.hpp>

#include <Eigen/Eigenvalues>

#include <cmath>
#include <complex>
#include <string>

namespace panto::linalg {

namespace detail {

/// H A H with the reflection H = I - 2 v v' / v'v, v_i = 1 / (i + which): the eigenvalues stay the same.
template <class = void>
void reflect(Eigen::MatrixXd& A, int which) {
    const Eigen::Index n = A.rows();
    Eigen::VectorXd v(n);
    for (Eigen::Index i = 0; i < n; ++i) v[i] = 1.0 / static_cast<double>(i + which);
    v.normalize();
    for (Eigen::Index j = 0; j < n; ++j) A.col(j) -= 2.0 * v.dot(A.col(j)) * v;
    for (Eigen::Index i = 0; i < n; ++i) A.row(i) -= 2.0 * A.row(i).dot(v) * v.transpose();
}

}  // namespace detail

/// All eigenvalues, complex pairs side by side with the positive imaginary part first. For set-up code.
/// @throws SetupError if `A` is not square, holds a non-finite entry, or the QR iteration does not
/// converge from any of four starts.
template <class = void>
[[nodiscard]] Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) {
    require(A.rows() == A.cols(), "linalg::eigenvalues", "the matrix is ", A.rows(), " by ", A.cols(),
            ", must be square");
    for (const double entry : A.reshaped()) require_finite(entry, "linalg::eigenvalues", "an entry of the matrix");
    Eigen::VectorXcd values(A.rows());
    if (A.size() == 0) return values;
    const int exponent = extreme_exponent(A);
    Eigen::MatrixXd B = balanced(std::ldexp(1.0, -exponent) * A);
    Eigen::RealSchur<Eigen::MatrixXd> schur(A.rows());
    for (int attempt = 1; attempt <= 4; ++attempt) {
        // In two steps, because RealSchur(B) also compiles the blocked reflections of the basis, and the basis is not
        // needed.
        const Eigen::HessenbergDecomposition<Eigen::MatrixXd> hessenberg(B);
        schur.computeFromHessenberg(Eigen::MatrixXd(hessenberg.matrixH()), Eigen::MatrixXd(), false);
        if (schur.info() == Eigen::Success) break;
        detail::reflect(B, attempt);  // the shifts may stall on nearly equal pairs, and start anew from here
    }
    require(schur.info() == Eigen::Success, "linalg::eigenvalues", "the QR iteration did not converge");
    const Eigen::MatrixXd& T = schur.matrixT();
    for (Eigen::Index i = 0; i < T.rows(); ++i) {
        if (i + 1 == T.rows() || T(i + 1, i) == 0.0) {
            values[i] = T(i, i);
            continue;
        }
        const double mean = 0.5 * (T(i, i) + T(i + 1, i + 1)), half = 0.5 * (T(i, i) - T(i + 1, i + 1));
        const double imaginary = std::sqrt(std::abs(half * half + T(i, i + 1) * T(i + 1, i)));
        values[i] = {mean, imaginary};
        values[i + 1] = {mean, -imaginary};
        ++i;
    }
    return std::ldexp(1.0, exponent) * values;
}

#ifdef PANTO_COMPILED
extern template Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd&);
#endif

}  // namespace panto::linalg
