// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How many zeros of a polynomial B lie inside the unit circle: as many as the turns that B(e^{i theta}) makes around 0
/// while theta goes once around the circle (argument principle). The scan proves that it misses no turn. An arc of
/// half-width h around z_0 is accepted if
///
///     |c_0| - sum_{j >= 1} |c_j| h^j > margin ,     B(z) = sum c_j (z - z_0)^j ,
///
/// and divided in two otherwise; the higher c_j are bounded by |c_j| <= sum_k |b_k| binom(k, j). Then |B| > margin on
/// the whole circle, and by Rouché's theorem *every* polynomial whose coefficients differ from B's by no more than
/// `margin` in sum has as many zeros inside. If |B| <= margin somewhere on the circle, one of these polynomials has a
/// zero there, and no other test can decide more from rounded coefficients. The discs of root_discs.hpp take less time;
/// if they do not touch the circle, the scan is not needed.

#pragma once

#include <panto/poly/polynomial.hpp>
#include <panto/poly/root_discs.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace panto::poly {

/// The margin, as a fraction of sum |b_k|, that covers the rounding of coefficients computed from roots or physical
/// data and that of the scan itself.
template <class = void>
[[nodiscard]] double rounding_margin(Eigen::Index degree) {
    return 2.0 * static_cast<double>(degree + 1) * std::numeric_limits<double>::epsilon();
}

/// The number of zeros of `b` with |z| < 1; empty if a polynomial within `margin` times sum |b_k| has a zero on the
/// circle.
/// @throws SetupError if `b` is constant, not finite, or leads with 0, or if the margin is negative or not finite.
template <class = void>
[[nodiscard]] std::optional<int> zeros_inside(const ComplexPolynomial& b, double margin) {
    check(b, margin, "poly::zeros_inside");
    if (const auto count = inside_by_discs(b, margin)) return count;
    const Eigen::Index n = b.size() - 1;
    const ComplexPolynomial unit = b / b.cwiseAbs().maxCoeff();
    const double floor = margin * unit.cwiseAbs().sum();
    // sum_{j > known} h^j sum_k |b_k| binom(k, j) of an arc of half-width h
    constexpr Eigen::Index known = 8;
    const auto higher = [&unit, n](double h) {
        double sum = 0.0;
        for (Eigen::Index k = known + 1; k <= n; ++k) {
            double term = 1.0, rest = 0.0;  // binom(k, j) h^j
            for (Eigen::Index j = 1; j <= k; ++j) {
                term *= h * static_cast<double>(k - j + 1) / static_cast<double>(j);
                if (j > known) rest += term;
            }
            sum += rest * std::abs(unit[k]);
        }
        return sum;
    };
    ComplexPolynomial c(n + 1);
    double turns = 0.0;
    Complex last = 0.0, first = 0.0;

    struct Arc {
        double middle, half;
        std::size_t level;
    };
    constexpr int parts = 8, depth = 60;  // a half-width of 2^-60 is below rounding
    std::array<Arc, depth + 2> waiting;
    std::vector<double> tail;  // by level
    for (int part = 0; part < parts; ++part) {
        std::size_t count = 0;
        const double half = std::numbers::pi / parts;
        waiting[count++] = {(2.0 * part + 1.0) * half, half, 0};
        while (count > 0) {
            const Arc arc = waiting[--count];
            const Complex z = std::polar(1.0, arc.middle);
            c = unit;
            if (arc.level == tail.size()) tail.push_back(higher(arc.half));
            double rest = tail[arc.level], bound = 1.0;
            bool whole = true;
            for (Eigen::Index j = 0; j <= std::min(n, known) && whole;
                 ++j) {  // synthetic division: Taylor coefficients at z
                for (Eigen::Index k = n - 1; k >= j; --k) c[k] += z * c[k + 1];
                if (j == 0 && !(std::abs(c[0]) > floor)) return std::nullopt;
                if (j > 0) rest += std::abs(c[j]) * (bound *= arc.half);
                whole = std::abs(c[0]) - rest > floor;
            }
            if (!whole) {
                if (count + 2 > waiting.size() || arc.half < 1e-17) return std::nullopt;
                waiting[count++] = {arc.middle + 0.5 * arc.half, 0.5 * arc.half, arc.level + 1};
                waiting[count++] = {arc.middle - 0.5 * arc.half, 0.5 * arc.half, arc.level + 1};
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
