// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Diagonal scaling that makes rows and columns of a square matrix equally large, by the method of Parlett and Reinsch.
/// A state of metres, metres per second and metres per second squared spans six orders of magnitude; eigenvalues and
/// Riccati equations need it balanced.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <string>

namespace panto::linalg {

/// Factors t, all powers of two, such that diag(1/t) A diag(t) is balanced. Scaling with them is exact.
/// @throws SetupError if `A` is not square. Its entries must be finite.
template <class = void>
[[nodiscard]] Eigen::VectorXd balancing_scales(Eigen::MatrixXd A) {
    const Eigen::Index n = A.rows();
    require(n == A.cols(), "linalg::balancing_scales", "the matrix is ", n, " by ", A.cols(), ", must be square");
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(n);
    constexpr int most_sweeps = 60;  // each sweep shrinks the norm by 5 % or is the last
    bool changed = true;
    for (int sweep = 0; sweep < most_sweeps && changed; ++sweep) {
        changed = false;
        for (Eigen::Index i = 0; i < n; ++i) {
            const double column = A.col(i).lpNorm<1>() - std::abs(A(i, i));
            const double row = A.row(i).lpNorm<1>() - std::abs(A(i, i));
            if (!(column > 0.0) || !(row > 0.0)) continue;  // a decoupled direction has no scale of its own
            const double f = std::exp2(std::round(0.5 * std::log2(row / column)));
            if (column * f + row / f >= 0.95 * (column + row)) continue;
            scale[i] *= f;
            A.col(i) *= f;
            A.row(i) /= f;
            changed = true;
        }
    }
    return scale;
}

/// The exponent e with which 2^-e A has a largest entry of about 1, if the entries of A are so large or so small that
/// products may leave the range of a double; otherwise 0, so that nothing changes.
template <class = void>
[[nodiscard]] int extreme_exponent(const Eigen::MatrixXd& A) {
    const double size = A.size() == 0 ? 0.0 : A.cwiseAbs().maxCoeff();
    return size > 1e100 || (size > 0.0 && size < 1e-100) ? std::clamp(std::ilogb(size), -1000, 1000) : 0;
}

/// diag(1/t) A diag(t) with t = balancing_scales(A): the same eigenvalues, computed more accurately.
template <class = void>
[[nodiscard]] Eigen::MatrixXd balanced(const Eigen::MatrixXd& A) {
    const Eigen::VectorXd t = balancing_scales(A);
    return t.cwiseInverse().asDiagonal() * A * t.asDiagonal();
}

#ifdef PANTO_COMPILED
extern template Eigen::VectorXd balancing_scales(Eigen::MatrixXd);
extern template int extreme_exponent(const Eigen::MatrixXd&);
extern template Eigen::MatrixXd balanced(const Eigen::MatrixXd&);
#endif

}  // namespace panto::linalg
