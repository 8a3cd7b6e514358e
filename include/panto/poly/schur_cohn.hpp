// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The Schur-Cohn test: how many zeros lie inside and outside the unit circle, from the coefficients alone,
///
///     p <- [ conj(p_m) p - p_0 p# ] / z ,   m = n, n-1, ..., 1 .
///
/// The number of zeros outside is the number of steps at which the running product of sign(|p_m|^2 - |p_0|^2) is
/// negative; all lie inside if and only if |p_m| > |p_0| in every step. If |p_m| = |p_0|, the test is singular. p
/// starts as the polynomial itself, p_0 and p_m are its lowest and highest coefficients, and p# is defined in
/// polynomial.hpp.

#pragma once

#include <panto/poly/polynomial.hpp>

#include <limits>
#include <vector>

namespace panto::poly {

/// The result of the recursion of a zero-location test.
struct ZeroTest {
    bool regular = false;               ///< false: a division by zero ended it; not all zeros are inside then
    bool certain = false;               ///< rounding within the given margin could not change any decision
    int inside = 0;                     ///< zeros with |z| < 1; of a regular test only
    int outside = 0;                    ///< zeros with |z| > 1; of a regular test only
    std::vector<double> sequence = {};  ///< the numbers whose signs decided, in the order of the recursion

    /// All zeros inside the unit circle, according to the recursion.
    [[nodiscard]] bool stable() const noexcept { return regular && outside == 0; }
};

/// `margin`: uncertainty of the coefficients as a fraction of sum |b_k|, see rounding_margin(). The sequence holds
/// |p_m|^2 - |p_0|^2, with p scaled to a largest coefficient of 1 before every step.
/// @throws SetupError if `b` is constant, not finite, or leads with 0, or if the margin is negative or not finite.
template <class = void>
[[nodiscard]] ZeroTest schur_cohn(const ComplexPolynomial& b, double margin = 0.0) {
    check(b, margin, "poly::schur_cohn");
    constexpr double eps = std::numeric_limits<double>::epsilon();
    ZeroTest result;
    result.certain = true;
    ComplexPolynomial p = b / b.cwiseAbs().maxCoeff(), reduced(b.size());
    double error = margin * p.cwiseAbs().sum();  // bound on the error of any one coefficient
    bool negative = false;
    for (Eigen::Index m = b.size() - 1; m >= 1; --m) {
        const double size = p.head(m + 1).cwiseAbs().maxCoeff();
        if (!(size > 0.0)) return result.certain = false, result;
        p.head(m + 1) /= size;
        error = error / size + eps;
        const Complex first = p[0], last = p[m];
        const double decision = std::norm(last) - std::norm(first);
        result.sequence.push_back(decision);
        result.certain = result.certain && std::abs(decision) > 4.0 * (error + eps) * (1.0 + error);
        if (!(std::abs(decision) > 0.0)) return result.certain = false, result;
        negative = negative != (decision < 0.0);
        negative ? ++result.outside : ++result.inside;
        for (Eigen::Index k = 1; k <= m; ++k) reduced[k - 1] = std::conj(last) * p[k] - first * std::conj(p[m - k]);
        p.head(m) = reduced.head(m);
        error = 4.0 * (error + eps) * (1.0 + error);
    }
    result.regular = true;
    return result;
}

/// The same for any other vector of coefficients.
template <class Derived>
[[nodiscard]] ZeroTest schur_cohn(const Eigen::MatrixBase<Derived>& b, double margin = 0.0) {
    return schur_cohn(ComplexPolynomial(b.template cast<Complex>()), margin);
}

}  // namespace panto::poly
