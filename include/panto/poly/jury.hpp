// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Jury's test for real polynomials with positive leading coefficient: all zeros inside the unit circle if and only if
///
///     B(1) > 0 ,   (-1)^n B(-1) > 0 ,   |a_0| < a_n ,   and in every further row of the table |first| > |last| ,
///
/// where each further row is computed from the entries a_0, ..., a_m of the row above, row_k = a_0 a_k - a_m a_{m-k},
/// and is one entry shorter than that row [Jury 1964].

#pragma once

#include <panto/poly/schur_cohn.hpp>

#include <utility>

namespace panto::poly {

/// The sequence holds B(1), (-1)^n B(-1), a_n^2 - a_0^2 and then first^2 - last^2 of every row, rows scaled to a
/// largest entry of 1. Zeros inside and outside are counted by the signs of the table, as in schur_cohn().
/// @throws SetupError if `b` is constant, not finite, or leads with 0, or if the margin is negative or not finite.
template <class = void>
[[nodiscard]] ZeroTest jury(const RealPolynomial& b, double margin = 0.0) {
    check(ComplexPolynomial(b), margin, "poly::jury");
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const Eigen::Index n = b.size() - 1;
    ZeroTest result;
    result.certain = true;
    RealPolynomial row = b / (b[n] > 0.0 ? 1.0 : -1.0) / b.cwiseAbs().maxCoeff(), next;
    double error = margin * row.cwiseAbs().sum() + eps;
    {
        const double at_one = row.sum();
        const double at_minus_one = (n % 2 == 0 ? 1.0 : -1.0) * evaluate(row, -1.0);
        result.sequence = {at_one, at_minus_one};
        // a zero at 1 or -1 shows in the table only as a singular last row
        const double noise = static_cast<double>(n + 1) * error;
        result.certain = std::abs(at_one) > noise && std::abs(at_minus_one) > noise;
        if (!(std::abs(at_one) > 0.0) || !(std::abs(at_minus_one) > 0.0)) return result.certain = false, result;
    }
    bool negative = false;
    for (Eigen::Index m = n; m >= 1; --m) {
        const double size = row.cwiseAbs().maxCoeff();
        if (!(size > 0.0)) return result.certain = false, result;
        row /= size, error = error / size + eps;
        // The first row stands in ascending order, a_n last; in all further ones the leading entry comes first.
        const double first = row[0], last = row[m];
        const double decision = (m == n ? -1.0 : 1.0) * (first * first - last * last);
        result.sequence.push_back(decision);
        result.certain = result.certain && std::abs(decision) > 4.0 * (error + eps) * (1.0 + error);
        if (!(std::abs(decision) > 0.0)) return result.certain = false, result;
        negative = negative != (decision < 0.0);
        negative ? ++result.outside : ++result.inside;
        next.resize(m);
        for (Eigen::Index k = 0; k < m; ++k) next[k] = first * row[k] - last * row[m - k];
        row.swap(next);
        error = 4.0 * (error + eps) * (1.0 + error);
    }
    result.regular = true;
    return result;
}

}  // namespace panto::poly
