// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Diagonal scaling that makes rows and columns of a square matrix equally large, as Parlett and
/// Reinsch do it. A state of metres, metres per second and metres per second squared spans six orders
/// of magnitude; eigenvalues and Riccati equations want it flat.

#pragma once

#include <Eigen/Core>

#include <cmath>

namespace panto::linalg {

/// Factors t, all powers of two, such that diag(1/t) A diag(t) is balanced. Scaling with them is exact.
/// `A` must be square and finite.
[[nodiscard]] inline Eigen::VectorXd balancing_scales(Eigen::MatrixXd A) {
    const Eigen::Index n = A.rows();
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

/// diag(1/t) A diag(t) with t = balancing_scales(A): the same eigenvalues, better to compute.
[[nodiscard]] inline Eigen::MatrixXd balanced(const Eigen::MatrixXd& A) {
    const Eigen::VectorXd t = balancing_scales(A);
    return t.cwiseInverse().asDiagonal() * A * t.asDiagonal();
}

}  // namespace panto::linalg
