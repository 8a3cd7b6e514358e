// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The remaining reflection of a reduced transparent boundary, frequency by frequency. j counts points from the border.
/// A wave kappa_1^{-j} arrives at the end; a wave kappa^{-j} of amplitude r runs back and, for half width 2, a boundary
/// layer kappa_2^{-j} accompanies it. kappa_1 and kappa_2 are the inner roots of the stencil's symbol at
/// z = exp(i omega dt), kappa is the outer root of the travelling wave, and the two rows of the end determine both
/// amplitudes.

#pragma once

#include <panto/core/check.hpp>
#include <panto/transparent/kernel.hpp>
#include <panto/transparent/rational.hpp>
#include <panto/wave/stencil.hpp>

#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace panto::wave {

namespace detail {

/// The two inner roots, the one nearer to the unit circle first.
inline std::pair<Complex, Complex> split(const InnerRoots& inner) {
    const Complex root = std::sqrt(inner.sum * inner.sum - 4.0 * inner.product);
    Complex one = 0.5 * (inner.sum + root), other = 0.5 * (inner.sum - root);
    if (std::abs(one) < std::abs(other)) std::swap(one, other);
    return {one, other};
}

}  // namespace detail

/// r of the right end with this kernel; for the left end pass the mirrored stencil and the left kernel.
/// `omega_dt` in rad per step, below the band edge of the scheme.
/// @throws SetupError if omega_dt is not between 0 and pi.
template <Real Scalar, int H>
[[nodiscard]] std::complex<double> transparent_reflection(const Stencil<Scalar, H>& stencil,
                                                          const RationalKernel& kernel, double omega_dt) {
    using detail::Complex;
    require(omega_dt > 0.0 && omega_dt < std::numbers::pi, "wave::transparent_reflection", "omega_dt is ", omega_dt,
            " rad per step, must be above 0 and below pi");
    // Slightly outside the unit circle, where inner and outer roots are distinct.
    const Complex z = std::polar(1.0 + 1e-10, omega_dt), S = kernel.s_at(z), P = kernel.p_at(z);
    const auto [arriving, layer] = detail::split(detail::SymbolRoots<H>(stencil)(z));
    const Complex leaving = 1.0 / detail::split(detail::SymbolRoots<H>(mirrored(stencil))(z)).first;
    // the residual of row k of the end for kappa^{-j}
    const auto row = [&](Complex kappa, int k) {
        const Complex step = 1.0 / kappa;
        return std::pow(step, k) * (1.0 - S * step + P * step * step);
    };
    if constexpr (H == 1) return -row(arriving, 0) / row(leaving, 0);
    const Complex a = row(leaving, 0), b = row(layer, 0), c = row(leaving, 1), d = row(layer, 1);
    return (b * row(arriving, 1) - d * row(arriving, 0)) / (a * d - b * c);
}

}  // namespace panto::wave
