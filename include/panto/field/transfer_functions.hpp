// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Linear fields in the Laplace domain: exact transfer functions between sensor and boundary, and the roots of their
/// numerators and denominators [Ward, Goodson 1972, appendix], on a scaled domain 0..1.
///
///     heat   slab with the flux q at 1, r^2 = s:
///            G1 = u(1)/u(x) = cosh r / cosh r x,      G2 = u(x)/q = -cosh r x / (r sinh r)
///     beam   g^4 = -(a s^2 + d s),  a = m L^4/EI, d = D L^4/EI:
///            slope(0) = G1 z + G2 mu(x),      mu(x) = G3 z + G4 M(0),      mu = y'', M = y''(0)
///
/// G2 of heat conduction has the minus sign that is missing in (9) and (29) of the report, given the q of (1) and (3).
/// All six are even in r or functions of g^4, so that the branch of the root does not matter.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace panto::ident {

using Complex = std::complex<double>;

/// u(1)/u(x).
[[nodiscard]] inline Complex heat_G1(const Complex& s, double x) {
    const Complex r = std::sqrt(s);
    return std::cosh(r) / std::cosh(r * x);
}

/// u(x)/q(1).
[[nodiscard]] inline Complex heat_G2(const Complex& s, double x) {
    const Complex r = std::sqrt(s);
    return -std::cosh(r * x) / (r * std::sinh(r));
}

/// Numerators and denominators of the beam's transfer functions, each divided by the power of g that makes it an entire
/// function of p = g^4.
struct BeamFunctions {
    double x = 0.14;  ///< place of the sensor

    [[nodiscard]] Complex denominator12(const Complex& g) const {
        const Complex r = g * (1.0 - x);
        return ((cosh(r) + cos(r)) * (sinh(g) - sin(g)) + (sinh(r) + sin(r)) * (cos(g) - cosh(g))) / (g * g * g);
    }
    [[nodiscard]] Complex denominator34(const Complex& g) const {
        return (sinh(g) * cos(g) - cosh(g) * sin(g)) / (g * g * g);
    }
    [[nodiscard]] Complex numerator1(const Complex& g) const {
        const Complex h = g * x;
        return ((sinh(g) + sin(g)) * (sinh(h) + sin(h)) - (cosh(g) - cos(g)) * (cosh(h) + cos(h))) / (g * g);
    }
    [[nodiscard]] Complex numerator2(const Complex& g) const {
        return 2.0 * (1.0 - cosh(g) * cos(g)) / (g * g * g * g);
    }
    [[nodiscard]] Complex numerator3(const Complex& g) const {
        return (cos(g) * sinh(g * x) + cosh(g) * sin(g * x)) / g;
    }
    [[nodiscard]] Complex numerator4(const Complex& g) const {
        const Complex r = g * (1.0 - x);
        return ((cos(g) - cosh(g)) * (sinh(r) + sin(r)) + (sinh(g) - sin(g)) * (cosh(r) + cos(r))) / (2.0 * g * g * g);
    }
};

/// G1 to G4 at p = g^4, not zero. With a length L and a stiffness EI: G1/L, G2 L/EI, G3 EI/L^2, G4.
struct BeamTransfer {
    Complex G1 = {}, G2 = {}, G3 = {}, G4 = {};
};
[[nodiscard]] inline BeamTransfer beam_transfer(const Complex& p, double x) {
    const BeamFunctions f{x};
    const Complex g = std::sqrt(std::sqrt(p)), d12 = f.denominator12(g), d34 = f.denominator34(g);
    return {f.numerator1(g) / d12, f.numerator2(g) / d12, f.numerator3(g) / d34, f.numerator4(g) / d34};
}

/// The `count` real roots p of smallest magnitude of f(g), g^4 = p, in order of magnitude; fewer if not as many
/// have |g| below `reach`. A pair closer than 0.01 in |g| is missed, as are complex roots.
/// @throws SetupError if count or reach is not positive, or reach above 700, where cosh overflows.
[[nodiscard]] inline std::vector<double> real_roots(const std::function<Complex(const Complex&)>& f, int count,
                                                    double reach = 120.0) {
    require(count >= 1, "ident::real_roots", "count is ", count, ", must be at least 1");
    require(reach > 0.0 && reach <= 700.0, "ident::real_roots", "reach is ", reach,
            ", must be above 0 and at most 700");
    const Complex diagonal = std::polar(1.0, std::numbers::pi / 4.0);  // fourth root of -1
    const auto on_axis = [&](double r, bool negative) { return f(negative ? r * diagonal : Complex(r)).real(); };
    std::vector<double> roots;
    const double width = 0.01;
    double positive = on_axis(width, false), negative = on_axis(width, true);
    for (double r = width; r < reach && static_cast<int>(roots.size()) < count; r += width) {
        for (const bool below : {true, false}) {
            double& last = below ? negative : positive;
            const double next = on_axis(r + width, below);
            if (std::signbit(next) != std::signbit(last)) {
                const auto as_before = [&](double g) { return std::signbit(on_axis(g, below)) == std::signbit(last); };
                const double g = bisect(as_before, r, r + width).middle();
                roots.push_back((below ? -1.0 : 1.0) * g * g * g * g);
            }
            last = next;
        }
    }
    std::stable_sort(roots.begin(), roots.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (static_cast<int>(roots.size()) > count) roots.resize(static_cast<std::size_t>(count));
    return roots;
}

}  // namespace panto::ident
