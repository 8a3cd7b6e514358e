// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dense algebra in plain loops: the matrices are small or tall, and Eigen's blocked decompositions would take many
/// times longer to compile than these loops take to run (docs/decisions/0014-small-dense-algebra.md).

#pragma once

#include <panto/core/compiled.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

namespace panto::wave::detail {

/// A^-1 B by elimination with partial pivoting. A pivot of 0 is replaced by a rounding error, as inverse iteration
/// needs it.
template <class T>
[[nodiscard]] Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> solved(
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> A, Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> B) {
    const Eigen::Index n = A.rows();
    double scale = 0.0;
    for (const T& a : A.reshaped()) scale = std::max(scale, std::abs(a));
    if (!(scale > 0.0)) scale = 1.0;
    for (Eigen::Index k = 0; k < n; ++k) {
        Eigen::Index pivot = k;
        for (Eigen::Index i = k + 1; i < n; ++i)
            if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
        for (Eigen::Index j = 0; j < n; ++j) std::swap(A(k, j), A(pivot, j));
        for (Eigen::Index j = 0; j < B.cols(); ++j) std::swap(B(k, j), B(pivot, j));
        if (!(std::abs(A(k, k)) > 0.01 * std::numeric_limits<double>::epsilon() * scale))
            A(k, k) = std::numeric_limits<double>::epsilon() * scale;
        for (Eigen::Index i = k + 1; i < n; ++i) {
            const T factor = A(i, k) / A(k, k);
            for (Eigen::Index j = k + 1; j < n; ++j) A(i, j) -= factor * A(k, j);
            for (Eigen::Index j = 0; j < B.cols(); ++j) B(i, j) -= factor * B(k, j);
        }
    }
    for (Eigen::Index j = 0; j < B.cols(); ++j)
        for (Eigen::Index i = n - 1; i >= 0; --i) {
            for (Eigen::Index k = i + 1; k < n; ++k) B(i, j) -= A(i, k) * B(k, j);
            B(i, j) /= A(i, i);
        }
    return B;
}

/// Makes the columns of Y orthonormal by the Gram-Schmidt process, three times because they may be nearly linearly
/// dependent. Their span stays the same.
template <class = void>
void orthonormalize(Eigen::MatrixXd& Y) {
    for (Eigen::Index j = 0; j < Y.cols(); ++j)
        for (int round = 0; round < 3; ++round) {
            for (Eigen::Index i = 0; i < j; ++i) Y.col(j) -= Y.col(i).dot(Y.col(j)) * Y.col(i);
            Y.col(j) /= std::max(Y.col(j).norm(), std::numeric_limits<double>::min());
        }
}

/// The x with the smallest || A x - b ||, by the modified Gram-Schmidt process on [A b], which is as stable as
/// reflections [Bjoerck, BIT 7, 1967, 1-21]. The columns of A must be linearly independent.
template <class = void>
[[nodiscard]] Eigen::VectorXd least_squares(Eigen::MatrixXd A, Eigen::VectorXd b) {
    const Eigen::Index n = A.cols();
    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd x(n);
    for (Eigen::Index k = 0; k < n; ++k) {
        R(k, k) = std::max(A.col(k).norm(), std::numeric_limits<double>::min());
        A.col(k) /= R(k, k);
        for (Eigen::Index j = k + 1; j < n; ++j) {
            R(k, j) = A.col(k).dot(A.col(j));
            A.col(j) -= R(k, j) * A.col(k);
        }
        x[k] = A.col(k).dot(b);
        b -= x[k] * A.col(k);
    }
    for (Eigen::Index k = n - 1; k >= 0; --k) {
        for (Eigen::Index j = k + 1; j < n; ++j) x[k] -= R(k, j) * x[j];
        x[k] /= R(k, k);
    }
    return x;
}

}  // namespace panto::wave::detail
