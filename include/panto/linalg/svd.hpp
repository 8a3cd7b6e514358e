// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Singular values and vectors of a tall matrix by one-sided Jacobi rotations [Hestenes 1958; Demmel, Veselic 1992]:
/// columns are rotated in pairs until they are orthogonal. Small singular values keep their relative accuracy if
/// columns differ only by their scale; squaring the matrix would destroy this accuracy.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/linalg/balance.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace panto::linalg {

/// A = U diag(values) V'. The columns of U (as many as A has) and V are orthonormal, except that a column of U is 0 if
/// its value is 0. The values descend.
struct Svd {
    Eigen::MatrixXd U;
    Eigen::VectorXd values = {};
    Eigen::MatrixXd V;
};

/// @throws SetupError if `matrix` has more columns than rows, none at all, or a non-finite entry, or the sweeps do not
/// converge.
template <class = void>
[[nodiscard]] Svd svd(const Eigen::MatrixXd& matrix) {
    Eigen::MatrixXd A = matrix;
    constexpr const char* where = "linalg::svd";
    const Eigen::Index n = A.cols();
    require(n > 0 && A.rows() >= n, where, "the matrix is ", A.rows(), " by ", n,
            ", must have at least one column, and at least as many rows");
    for (const double entry : A.reshaped()) require_finite(entry, where, "an entry of the matrix");
    const int exponent = extreme_exponent(A);
    A *= std::ldexp(1.0, -exponent);
    Eigen::MatrixXd V = Eigen::MatrixXd::Identity(n, n);
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const double nothing = eps * eps * A.norm();  // a column this short has no direction
    constexpr int most_sweeps = 60;
    bool rotated = true;
    for (int sweep = 0; rotated; ++sweep) {
        require(sweep < most_sweeps, where, "the rotations did not converge");
        rotated = false;
        for (Eigen::Index p = 0; p + 1 < n; ++p)
            for (Eigen::Index q = p + 1; q < n; ++q) {
                const double a = A.col(p).norm(), b = A.col(q).norm(), c = A.col(p).dot(A.col(q));
                if (!(a > nothing) || !(b > nothing) || std::abs(c) <= 4.0 * eps * a * b) continue;
                rotated = true;
                const double zeta = (b / a - a / b) * (a * b / c) / 2.0;
                const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
                const double cosine = 1.0 / std::hypot(1.0, t), sine = cosine * t;
                const auto rotate = [&](Eigen::MatrixXd& M) {
                    const Eigen::VectorXd old = M.col(p);
                    M.col(p) = cosine * old - sine * M.col(q);
                    M.col(q) = sine * old + cosine * M.col(q);
                };
                rotate(A);
                rotate(V);
            }
    }
    const Eigen::VectorXd lengths = A.colwise().norm().transpose();
    std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return lengths[i] > lengths[j]; });
    Svd result{Eigen::MatrixXd::Zero(A.rows(), n), Eigen::VectorXd(n), Eigen::MatrixXd(n, n)};
    for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::Index at = order[static_cast<std::size_t>(i)];
        result.values[i] = std::ldexp(lengths[at], exponent);
        result.V.col(i) = V.col(at);
        if (lengths[at] > 0.0) result.U.col(i) = A.col(at) / lengths[at];
    }
    return result;
}

#ifdef PANTO_COMPILED
extern template Svd svd(const Eigen::MatrixXd&);
#endif

}  // namespace panto::linalg
