// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The data of a quadratic program with every constraint scaled to a normal of length 1 in the metric of H^-1.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/real.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

namespace panto::opt::detail {

/// @throws SetupError unless H is square, symmetric and finite, and A finite with a column for each unknown, or if
/// sizes fixed at compile time differ from those of H and A; Dynamic allows any.
template <class = void>
void require_program(const Eigen::MatrixXd& H, const Eigen::MatrixXd& A, int unknowns, int rows, const char* where) {
    const Eigen::Index n = H.rows(), m = A.rows();
    require(n > 0 && H.cols() == n, where, "H is ", H.rows(), " by ", H.cols(), ", must be square and not empty");
    require(unknowns == Dynamic || n == unknowns, where, "H is ", n, " by ", n, ", must be ", unknowns, " by ",
            unknowns, ", the number of unknowns in the type");
    require(A.cols() == n, where, "A has ", A.cols(), " columns, expected one per unknown: ", n);
    require(rows == Dynamic || m == rows, where, "A has ", m, " rows, must have ", rows, ", their number in the type");
    for (Eigen::Index j = 0; j < n; ++j) {
        for (Eigen::Index i = 0; i < n; ++i) {
            require_finite(H(i, j), where, "H(", i, ",", j, ")");
            require(std::fabs(H(i, j) - H(j, i)) <= 1e-10 * std::sqrt(std::fabs(H(i, i) * H(j, j))), where, "H(", i,
                    ",", j, ") is ", H(i, j), " and H(", j, ",", i, ") is ", H(j, i), ", H must be symmetric");
        }
        for (Eigen::Index i = 0; i < m; ++i) require_finite(A(i, j), where, "A(", i, ",", j, ")");
    }
}

/// Constraint c: bound of unknown c, or row c - n.
template <int N, int All>
struct ScaledProgram {
    Eigen::Index n = 0, m = 0;
    Eigen::MatrixXd H;
    Eigen::MatrixXd normals;    // of the rows, one per column
    Vector<double, N> g, root;  // root of H's diagonal
    Vector<double, All> scale, coarse, lower, upper;
    Vector<double, All> distance;  // of x from a constraint, in the units of x, per unit of excess()

    void resize(Eigen::Index unknowns, Eigen::Index rows) {
        n = unknowns, m = rows;
        H.setZero(n, n), normals.setZero(n, m);
        g.setZero(n), root.setZero(n);
        for (auto* v : {&scale, &coarse, &lower, &upper, &distance}) v->setZero(n + m);
    }
    [[nodiscard]] Eigen::Index constraints() const noexcept { return n + m; }

    /// Computes the scales, after H has been factored. False if a number is not finite.
    template <class Factors>
    [[nodiscard]] bool scale_all(Factors& factors) noexcept {
        root = H.diagonal().cwiseSqrt();
        coarse.setOnes();
        for (Eigen::Index c = 0; c < n; ++c) scale[c] = 1.0 / factors.length_of_unit(c);
        distance.head(n) = scale.head(n).cwiseInverse();
        for (Eigen::Index k = 0; k < m; ++k) {
            const double length = factors.length(normals.col(k));
            scale[n + k] = length > 0.0 ? 1.0 / length : 1.0;
            normals.col(k) *= scale[n + k];
            distance[n + k] = length > 0.0 ? 1.0 / normals.col(k).norm() : 1.0;
            // How much larger the terms of a'x may be than their sum.
            double terms = 0.0;
            for (Eigen::Index j = 0; j < n; ++j) terms += std::fabs(normals(j, k)) / scale[j];
            coarse[n + k] = std::max(1.0, terms);
        }
        return is_finite(scale.sum()) && is_finite(coarse.sum()) && is_finite(distance.sum());
    }

    /// Takes g and the sides. False if g is not finite or a side is NaN; then only the sides have changed.
    template <class Limits>
    [[nodiscard]] bool take(const Vector<double, N>& gradient, const Limits& limits) noexcept {
        bool numbers = true;
        const auto side = [&](Eigen::Index c, double below, double above) {
            numbers = numbers && !is_nan(below) && !is_nan(above);
            lower[c] = below * scale[c], upper[c] = above * scale[c];
        };
        for (Eigen::Index c = 0; c < n; ++c) {
            numbers = numbers && is_finite(gradient[c]);
            side(c, limits.lower[c], limits.upper[c]);
        }
        for (Eigen::Index k = 0; k < m; ++k) side(n + k, limits.row_lower[k], limits.row_upper[k]);
        if (numbers) g = gradient;
        return numbers;
    }

    [[nodiscard]] bool fixed(Eigen::Index c) const noexcept { return lower[c] == upper[c]; }
    [[nodiscard]] double value(const Vector<double, N>& x, Eigen::Index c) const noexcept {
        return c < n ? x[c] * scale[c] : normals.col(c - n).dot(x);
    }
    [[nodiscard]] double excess(Eigen::Index c, double at) const noexcept {
        return std::max(lower[c] - at, at - upper[c]);
    }
    /// Tolerance of a constraint: rounding of a'x, in the metric of H, for a problem of this size.
    [[nodiscard]] double tolerance(Eigen::Index c, double size) const noexcept {
        return std::max(1e-12, 64.0 * std::numeric_limits<double>::epsilon() * coarse[c]) * size;
    }
    /// Whether row c, which has this value at x, holds: to rounding in the metric of H, and in its own unit to 1e-9 of
    /// the magnitudes of its terms. If x is 0 but for rounding, so are the terms; then to a share of the size.
    [[nodiscard]] bool row_holds(Eigen::Index c, const Vector<double, N>& x, double at, double size) const noexcept {
        const double over = excess(c, at);
        return over <= 10.0 * tolerance(c, size) &&
               (over <= 1e-9 * std::fabs(at) ||
                over <= 1e-9 * normals.col(c - n).cwiseAbs().dot(x.cwiseAbs()) + 1e-20 * size);
    }
    /// The most violated constraint, -1 if there is none. Violations `over` are distances in the units of x, not in the
    /// metric of H: on receding horizons this takes only two thirds of the iterations.
    [[nodiscard]] Eigen::Index farthest(Vector<double, All>& over, double size) const noexcept {
        for (;;) {
            const double most = over.maxCoeff();
            if (!(most > 0.0)) return -1;
            Eigen::Index c = 0;
            while (over[c] < most) ++c;
            if (most > tolerance(c, size) * distance[c]) return c;
            over[c] = 0.0;
        }
    }
    void add_normal(Vector<double, N>& sum, Eigen::Index c, double weight) const noexcept {
        if (c < n)
            sum[c] += weight * scale[c];
        else
            sum += weight * normals.col(c - n);
    }

    struct Combination {
        double gap = 0.0;      ///< sum of weights times sides: lower ones where the weight is positive
        double terms = 0.0;    ///< sum of the magnitudes of its terms
        double weights = 0.0;  ///< sum of the magnitudes of the weights
    };
    /// `left` becomes the weighted sum of the normals, `parts` the sum of the magnitudes of its terms, entry by entry.
    Combination combine(const Vector<double, All>& weight, Vector<double, N>& left,
                        Vector<double, N>& parts) const noexcept {
        left.setZero(), parts.setZero();
        Combination sum;
        for (Eigen::Index c = 0; c < n + m; ++c) {
            if (!(std::fabs(weight[c]) > 0.0)) continue;
            add_normal(left, c, weight[c]);
            if (c < n)
                parts[c] += std::fabs(weight[c]) * scale[c];
            else
                parts += std::fabs(weight[c]) * normals.col(c - n).cwiseAbs();
            const double part = weight[c] * (weight[c] > 0.0 ? lower[c] : upper[c]);
            sum.gap += part;
            sum.terms += std::fabs(part), sum.weights += std::fabs(weight[c]);
        }
        return sum;
    }
};

}  // namespace panto::opt::detail
