// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bistritz' test: zeros inside and outside the unit circle from a three-term recursion of symmetric polynomials,
///
///     T_n = B + B# ,   T_{n-1} = (B - B#) / (z - 1) ,   B turned so that B(1) > 0 ,
///     T_{j-2} = [ (delta_j + conj(delta_j) z) T_{j-1} - T_j ] / z ,   delta_j = T_j(0) / T_{j-1}(0) ;
///
/// the number of sign changes in T_n(1), ..., T_0(1) is the number of zeros outside [Bistritz 1986]. # is conjugation
/// *and* reversal of the coefficients. Publication A of the thesis on real-time catenary models, Eqs. (34)-(38), prints
/// conjugation only, omits the factor z of conj(delta_j) and takes the signs at 0, which is right in two of three
/// cases.

#pragma once

#include <panto/poly/schur_cohn.hpp>

namespace panto::poly {

/// The test is singular if B(1) = 0 or some T_{j-1}(0) = 0; then not all zeros are inside. The sequence holds T_n(1),
/// ..., T_0(1) for coefficients scaled to a largest one of 1. `margin`: uncertainty of the coefficients as a fraction
/// of sum |b_k|.
/// @throws SetupError if `b` is constant, not finite, or leads with 0, or if the margin is negative or not finite.
template <class = void>
[[nodiscard]] ZeroTest bistritz(const ComplexPolynomial& b, double margin = 0.0) {
    check(b, margin, "poly::bistritz");
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const Eigen::Index n = b.size() - 1;
    ZeroTest result;
    const double size = b.cwiseAbs().maxCoeff();
    ComplexPolynomial B = b / size;
    const Complex at_one = B.sum();
    // The margin is the caller's. If B(1) is below the rounding of its sum, its argument is meaningless and not used.
    double error = margin * B.cwiseAbs().sum() + eps;
    if (!(std::abs(at_one) > 4.0 * eps * B.cwiseAbs().sum())) return result;
    result.certain = std::abs(at_one) > static_cast<double>(n + 1) * error;
    B *= std::conj(at_one) / std::abs(at_one);
    const ComplexPolynomial mirrored = sharp(B);

    ComplexPolynomial upper = B + mirrored, lower(n), next;  // T_j and T_{j-1}
    const ComplexPolynomial odd = B - mirrored;
    Complex carry = 0.0;  // division by z - 1 from the leading coefficient down
    for (Eigen::Index k = n; k >= 1; --k) lower[k - 1] = carry += odd[k];
    double error_upper = 3.0 * (error + eps);
    double error_lower = static_cast<double>(n) * error_upper;
    const auto note = [&result](const ComplexPolynomial& T, double uncertainty) {
        const double value = T.sum().real();
        result.certain = result.certain && std::abs(value) > static_cast<double>(T.size()) * uncertainty;
        if (!result.sequence.empty() && (value < 0.0) != (result.sequence.back() < 0.0)) ++result.outside;
        result.sequence.push_back(value);
    };
    note(upper, error_upper);
    for (Eigen::Index j = n;; --j) {  // `lower` is T_{j-1}
        const double pivot = std::abs(lower[0]);
        if (!(pivot > 0.0)) return result.certain = false, result;
        note(lower, error_lower);
        if (j < 2) break;
        result.certain = result.certain && pivot > 2.0 * error_lower;
        const Complex delta = upper[0] / lower[0];
        const double turn = std::abs(delta), height = lower.cwiseAbs().maxCoeff();
        next.resize(j - 1);
        for (Eigen::Index k = 0; k < j - 1; ++k)
            next[k] = delta * lower[k + 1] + std::conj(delta) * lower[k] - upper[k + 1];
        const double error_delta = 2.0 * (error_upper + turn * error_lower) / pivot + 2.0 * eps * turn;
        const double error_next =
            error_upper + 2.0 * (turn * error_lower + error_delta * height) + 4.0 * eps * (turn * height + 1.0);
        upper.swap(lower), lower.swap(next);
        error_upper = error_lower, error_lower = error_next;
    }
    result.regular = true;
    result.inside = static_cast<int>(n) - result.outside;
    return result;
}

/// The same for any other vector of coefficients.
template <class Derived>
[[nodiscard]] ZeroTest bistritz(const Eigen::MatrixBase<Derived>& b, double margin = 0.0) {
    return bistritz(ComplexPolynomial(b.template cast<Complex>()), margin);
}

}  // namespace panto::poly
