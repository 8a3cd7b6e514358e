// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Exact discrete form of x' = A x + B u with u held over the step:
///     [A_d B_d; 0 I] = exp([A B; 0 0] dt)
/// by scaling, a Taylor polynomial and squaring.

#pragma once

#include <panto/core/real.hpp>

#include <algorithm>
#include <cmath>

namespace panto::rig::detail {

struct HeldSystem {
    Eigen::MatrixXd A;
    Eigen::MatrixXd B;
};

inline HeldSystem zero_order_hold(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double dt) {
    const Eigen::Index n = A.rows(), total = n + B.cols();
    Eigen::MatrixXd X = Eigen::MatrixXd::Zero(total, total);
    X.topLeftCorner(n, n) = dt * A;
    X.topRightCorner(n, B.cols()) = dt * B;
    const double norm = X.cwiseAbs().rowwise().sum().maxCoeff();
    const int halvings = std::max(0, static_cast<int>(std::ceil(std::log2(std::max(norm, 1e-300)))) + 2);
    X /= std::ldexp(1.0, halvings);
    // The norm is now at most 1/4: 0.25^14 / 14! is below round-off.
    Eigen::MatrixXd term = Eigen::MatrixXd::Identity(total, total), sum = term;
    for (int k = 1; k <= 13; ++k) {
        term = term * X / static_cast<double>(k);
        sum += term;
    }
    for (int k = 0; k < halvings; ++k) sum = (sum * sum).eval();
    return {sum.topLeftCorner(n, n), sum.topRightCorner(n, B.cols())};
}

}  // namespace panto::rig::detail
