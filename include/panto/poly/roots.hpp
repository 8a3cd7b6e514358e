// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All zeros of a polynomial at once by the Ehrlich-Aberth iteration [Aberth 1973]: Newton's step of every zero,
/// corrected for the presence of the others,
///
///     z_i <- z_i - N_i / (1 - N_i sum_{j != i} 1 / (z_i - z_j)) ,   N_i = B(z_i) / B'(z_i) .
///
/// Each zero is as accurate as its condition allows: an m-fold one has only about 16/m digits.

#pragma once

#include <panto/poly/polynomial.hpp>

#include <algorithm>
#include <limits>
#include <numbers>

namespace panto::poly {

namespace detail {

/// B/B' at z, from the reversed polynomial outside the unit circle, where powers of z would overflow; and whether |B|
/// is no more than the rounding error of its own evaluation.
template <class = void>
bool newton_step(const ComplexPolynomial& b, Complex z, Complex& step) {
    const Eigen::Index n = b.size() - 1;
    const bool outside = std::norm(z) > 1.0;
    const Complex w = outside ? 1.0 / z : z;
    const double modulus = std::abs(w);
    Complex value = 0.0, slope = 0.0;
    double size = 0.0;
    for (Eigen::Index k = n + 1; k-- > 0;) {
        const Complex c = outside ? b[n - k] : b[k];
        slope = slope * w + value;
        value = value * w + c;
        size = size * modulus + std::abs(c);
    }
    if (std::abs(value) <= 4.0 * std::numeric_limits<double>::epsilon() * size) return false;
    // B = z^n R(1/z): B'/B = (n - w R'/R) / z
    step = outside ? z / (static_cast<double>(n) - w * slope / value) : value / slope;
    return is_finite(std::abs(step));
}

/// Starting points on circles whose radii follow from the upper convex hull of log |b_k| [Bini 1996].
template <class = void>
Eigen::VectorXcd starting_points(const ComplexPolynomial& b) {
    const Eigen::Index n = b.size() - 1;
    const auto height = [&b](Eigen::Index k) { return std::abs(b[k]) > 0.0 ? std::log(std::abs(b[k])) : -1e300; };
    Eigen::VectorXcd z(n);
    for (Eigen::Index i = 0; i < n;) {
        Eigen::Index next = n;
        double slope = -1e301;
        for (Eigen::Index k = i + 1; k <= n; ++k) {
            const double s = (height(k) - height(i)) / static_cast<double>(k - i);
            if (s >= slope) slope = s, next = k;
        }
        const double radius = std::exp(std::clamp(-slope, -700.0, 700.0));
        for (Eigen::Index k = i; k < next; ++k) {
            const double turn = static_cast<double>(k - i) / static_cast<double>(next - i);
            const double angle = 2.0 * std::numbers::pi * turn + 0.7 + 0.3 * static_cast<double>(i);
            z[k] = std::polar(radius, angle);
        }
        i = next;
    }
    return z;
}

}  // namespace detail

/// The n zeros of `b`, in no particular order; zeros at 0 are exact.
/// @throws SetupError if `b` is constant, not finite, or leads with 0, or if its leading or its lowest coefficient that
/// is not 0 is below 1e-307 of the largest.
template <class = void>
[[nodiscard]] Eigen::VectorXcd roots(const ComplexPolynomial& b) {
    check(b, "poly::roots");
    Eigen::Index zeros = 0;
    while (!(std::abs(b[zeros]) > 0.0)) ++zeros;
    Eigen::VectorXcd all = Eigen::VectorXcd::Zero(b.size() - 1);
    const Eigen::Index n = b.size() - 1 - zeros;
    if (n == 0) return all;
    const ComplexPolynomial c = b.tail(n + 1) / b.tail(n + 1).cwiseAbs().maxCoeff();
    for (const Eigen::Index k : {Eigen::Index{0}, n})
        require(std::abs(c[k]) > 1e-307, "poly::roots", "the coefficient of z^", zeros + k, " is ",
                std::abs(b[zeros + k]), " in modulus, must be at least 1e-307 of the largest one");
    Eigen::VectorXcd z = detail::starting_points(c);
    Eigen::Array<bool, Eigen::Dynamic, 1> done = Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(n, false);
    for (int pass = 0; pass < 200 && !done.all(); ++pass)
        for (Eigen::Index i = 0; i < n; ++i) {
            Complex step;
            done[i] = done[i] || !detail::newton_step(c, z[i], step);
            if (done[i]) continue;
            Complex repulsion = 0.0;
            for (Eigen::Index j = 0; j < n; ++j)
                if (j != i && z[i] != z[j]) repulsion += 1.0 / (z[i] - z[j]);
            const Complex move = step / (1.0 - step * repulsion);
            if (!is_finite(std::abs(move))) continue;
            z[i] -= move;
            done[i] = std::abs(move) <= 1e-16 * std::abs(z[i]);
        }
    all.tail(n) = z;
    return all;
}

/// The same for any other vector of coefficients.
template <class Derived>
[[nodiscard]] Eigen::VectorXcd roots(const Eigen::MatrixBase<Derived>& b) {
    return roots(ComplexPolynomial(b.template cast<Complex>()));
}

}  // namespace panto::poly
