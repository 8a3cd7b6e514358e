// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Discs that contain the zeros of a polynomial, around approximations r_i of them:
///
///     | z - r_i | <= n |B(r_i)| / | b_n prod_{j != i} (r_i - r_j) | .
///
/// All zeros lie in their union, and each connected part of it contains as many zeros as discs [Smith, J. ACM 17(4),
/// 1970, 661-674]. With |B(r_i)| increased by bounds on rounding and on the `margin` of the coefficients, and |b_n|
/// reduced by that margin, the same holds for every polynomial within the margin. If no disc touches the unit circle,
/// the count inside is proved.

#pragma once

#include <panto/poly/polynomial.hpp>
#include <panto/poly/roots.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace panto::poly {

/// The number of zeros with |z| < 1 of `b` and of every polynomial that differs from it by no more than `margin` times
/// sum |b_k|; empty if the discs cannot decide. Nearly coincident zeros have large discs.
/// @throws SetupError as check().
[[nodiscard]] inline std::optional<int> inside_by_discs(const ComplexPolynomial& b, double margin) {
    check(b, margin, "poly::inside_by_discs");
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const Eigen::Index n = b.size() - 1;
    const ComplexPolynomial c = b / b.cwiseAbs().maxCoeff();
    const double uncertain = margin * c.cwiseAbs().sum(), leading = std::abs(c[n]) - uncertain;
    Eigen::Index lowest = 0;
    while (!(std::abs(c[lowest]) > 0.0)) ++lowest;
    if (!(leading > 0.0) || !(std::abs(c[lowest]) > 1e-300)) return std::nullopt;
    const Eigen::VectorXcd r = roots(c);
    int inside = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
        // Divided by |r_i|^n where that is above 1.
        const double modulus = std::abs(r[i]), scale = std::max(1.0, modulus);
        const Complex w = modulus > 1.0 ? 1.0 / r[i] : r[i];
        Complex value = 0.0;
        double size = 0.0;
        for (Eigen::Index k = n + 1; k-- > 0;) {
            const Complex coefficient = modulus > 1.0 ? c[n - k] : c[k];
            value = value * w + coefficient;
            size = size * std::abs(w) + std::abs(coefficient);
        }
        double product = leading;
        for (Eigen::Index j = 0; j < n; ++j)
            if (j != i) product *= std::abs(r[i] - r[j]) / scale;
        const double rounding = 8.0 * static_cast<double>(n + 1) * eps * size;
        const double radius =
            1.01 * static_cast<double>(n) * scale * (std::abs(value) + rounding + uncertain) / product;
        if (!(std::abs(modulus - 1.0) > radius + 4.0 * eps)) return std::nullopt;
        inside += modulus < 1.0 ? 1 : 0;
    }
    return inside;
}

}  // namespace panto::poly
