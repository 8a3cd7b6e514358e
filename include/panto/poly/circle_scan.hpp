// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How many zeros of a polynomial lie inside the unit circle, by walking once around it: the turns of B(e^{i theta})
/// (argument principle), with a proof of every step. An arc of half-width h around z_0 is taken whole if
///
///     |c_0| - sum_{j >= 1} |c_j| h^j > margin ,     B(z) = sum c_j (z - z_0)^j ,
///
/// and cut in two otherwise. Then |B| > margin on the whole circle, and by Rouché's theorem *every* polynomial whose
/// coefficients differ from B's by no more than `margin` in sum has as many zeros inside. If the walk fails, a
/// polynomial that close has a zero on the circle. No other test can tell more from rounded coefficients.

#pragma once

#include <panto/poly/polynomial.hpp>

#include <array>
#include <limits>
#include <numbers>
#include <optional>

namespace panto::poly {

/// The margin, as part of sum |b_k|, that covers the rounding of coefficients computed from roots or physical data and
/// that of the walk itself.
[[nodiscard]] inline double rounding_margin(Eigen::Index degree) {
    return 2.0 * static_cast<double>(degree + 1) * std::numeric_limits<double>::epsilon();
}

/// Zeros of `b` with |z| < 1; none if a polynomial within `margin` times sum |b_k| has a zero on the circle.
/// @throws SetupError if `b` is constant, not finite, or leads with 0, or if the margin is negative or not finite.
[[nodiscard]] inline std::optional<int> zeros_inside(const ComplexPolynomial& b, double margin) {
    check(b, margin, "poly::zeros_inside");
    const Eigen::Index n = b.size() - 1;
    const ComplexPolynomial unit = b / b.cwiseAbs().maxCoeff();
    const double floor = margin * unit.cwiseAbs().sum();
    ComplexPolynomial c(n + 1);
    double turns = 0.0;
    Complex last = 0.0, first = 0.0;

    struct Arc {
        double middle, half;
    };
    constexpr int parts = 8, depth = 60;  // a half-width of 2^-60 is below rounding
    std::array<Arc, depth + 2> waiting;
    for (int part = 0; part < parts; ++part) {
        std::size_t count = 0;
        const double half = std::numbers::pi / parts;
        waiting[count++] = {(2.0 * part + 1.0) * half, half};
        while (count > 0) {
            const Arc arc = waiting[--count];
            const Complex z = std::polar(1.0, arc.middle);
            c = unit;
            double rest = 0.0, bound = 1.0;
            bool whole = true;
            for (Eigen::Index j = 0; j <= n && whole; ++j) {  // synthetic division: Taylor coefficients at z
                for (Eigen::Index k = n - 1; k >= j; --k) c[k] += z * c[k + 1];
                if (j == 0 && !(std::abs(c[0]) > floor)) return std::nullopt;
                if (j > 0) rest += std::abs(c[j]) * (bound *= arc.half);
                whole = std::abs(c[0]) - rest > floor;
            }
            if (!whole) {
                if (count + 2 > waiting.size() || arc.half < 1e-17) return std::nullopt;
                waiting[count++] = {arc.middle + 0.5 * arc.half, 0.5 * arc.half};
                waiting[count++] = {arc.middle - 0.5 * arc.half, 0.5 * arc.half};
                continue;
            }
            if (std::abs(last) > 0.0)
                turns += std::arg(c[0] * std::conj(last));
            else
                first = c[0];
            last = c[0];
        }
    }
    turns += std::arg(first * std::conj(last));
    return static_cast<int>(std::lround(turns / (2.0 * std::numbers::pi)));
}

}  // namespace panto::poly
