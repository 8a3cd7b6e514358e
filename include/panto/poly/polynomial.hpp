// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Polynomials B(z) = b_0 + b_1 z + ... + b_n z^n as vectors of their coefficients, lowest power first, real or
/// complex.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>
#include <panto/core/finite.hpp>

#include <Eigen/Core>

#include <cmath>
#include <complex>
#include <string>
#include <string_view>
#include <type_traits>

namespace panto::poly {

using Complex = std::complex<double>;
using RealPolynomial = Eigen::VectorXd;
using ComplexPolynomial = Eigen::VectorXcd;

/// @throws SetupError unless `b` has degree one or more, finite coefficients and a leading one that is not zero.
template <class = void>
void check(const ComplexPolynomial& b, std::string_view where) {
    require(b.size() >= 2, where, "degree is ", b.size() - 1, ", must be at least 1: a constant has no zeros");
    for (Eigen::Index k = 0; k < b.size(); ++k)
        require(is_finite(b[k].real()) && is_finite(b[k].imag()), where, "coefficient of z^", k, " is (", b[k].real(),
                ", ", b[k].imag(), "), must be finite");
    require(std::abs(b[b.size() - 1]) > 0.0, where, "leading coefficient, of z^", b.size() - 1,
            ", is 0, must not be 0");
}

/// @throws SetupError unless `margin`, an uncertainty of coefficients, is finite and not negative.
template <class = void>
void check(const ComplexPolynomial& b, double margin, std::string_view where) {
    check(b, where);
    require_not_negative(margin, where, "margin");
}

/// B(z) by Horner's rule; real if the coefficients and z are real.
template <class Derived, class Z>
[[nodiscard]] auto evaluate(const Eigen::MatrixBase<Derived>& b, const Z& z) {
    std::common_type_t<typename Derived::Scalar, Z> value = 0.0;
    for (Eigen::Index k = b.size(); k-- > 0;) value = value * z + b[k];
    return value;
}

/// B#(z) = z^n conj(B(1 / conj z)): the coefficients conjugated *and* reversed. Its zeros are those of B mirrored at
/// the unit circle.
template <class = void>
[[nodiscard]] ComplexPolynomial sharp(const ComplexPolynomial& b) {
    return b.conjugate().reverse();
}

/// B(rho z), whose zeros are those of B divided by rho: a test of the unit circle becomes one of the circle |z| = rho.
/// @throws SetupError if rho is not finite.
template <class Polynomial>
[[nodiscard]] Polynomial scaled(const Polynomial& b, double rho) {
    require_finite(rho, "poly::scaled", "rho");
    Polynomial result = b;
    double power = 1.0;
    for (Eigen::Index k = 0; k < b.size(); ++k, power *= rho) result[k] *= power;
    return result;
}

namespace detail {

template <class = void>
void require_finite_roots(const Eigen::VectorXcd& roots) {
    for (const Complex& root : roots)
        require(is_finite(root.real()) && is_finite(root.imag()), "poly::from_roots", "a zero is (", root.real(), ", ",
                root.imag(), "), must be finite");
}

}  // namespace detail

/// The monic polynomial with these zeros.
/// @throws SetupError if one is not finite.
template <class = void>
[[nodiscard]] ComplexPolynomial from_roots(const Eigen::VectorXcd& roots) {
    detail::require_finite_roots(roots);
    ComplexPolynomial b = ComplexPolynomial::Zero(roots.size() + 1);
    b[0] = 1.0;
    for (Eigen::Index i = 0; i < roots.size(); ++i)
        for (Eigen::Index k = i + 2; k-- > 0;) b[k] = (k > 0 ? b[k - 1] : Complex(0.0)) - roots[i] * b[k];
    return b;
}

/// The monic real polynomial with these zeros: `real` ones, and `complex` ones each together with its conjugate.
/// @throws SetupError if one is not finite.
template <class = void>
[[nodiscard]] RealPolynomial from_roots(const Eigen::VectorXd& real, const Eigen::VectorXcd& complex) {
    detail::require_finite_roots(real.cast<Complex>());
    detail::require_finite_roots(complex);
    RealPolynomial b = RealPolynomial::Zero(real.size() + 2 * complex.size() + 1);
    b[0] = 1.0;
    Eigen::Index degree = 0;
    const auto multiply = [&b, &degree](double c0, double c1, Eigen::Index by) {  // by z + c0 or z^2 + c1 z + c0
        degree += by;
        for (Eigen::Index k = degree + 1; k-- > 0;) {
            const double down1 = k >= 1 ? b[k - 1] : 0.0, down2 = k >= 2 ? b[k - 2] : 0.0;
            b[k] = by == 1 ? down1 + c0 * b[k] : down2 + c1 * down1 + c0 * b[k];
        }
    };
    for (Eigen::Index i = 0; i < real.size(); ++i) multiply(-real[i], 0.0, 1);
    for (Eigen::Index i = 0; i < complex.size(); ++i) multiply(std::norm(complex[i]), -2.0 * complex[i].real(), 2);
    return b;
}

}  // namespace panto::poly
