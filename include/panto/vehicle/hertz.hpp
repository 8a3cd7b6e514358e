// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The contact ellipse of two elastic bodies of the same material under the load N, exactly [Johnson, Contact
/// Mechanics, 4.2]. R are radii of curvature, x is the rolling direction; E in E* is Young's modulus; K(e) and E(e), in
/// the last line K and E, are the complete elliptic integrals:
///     A = (1/R_x,wheel + 1/R_x,rail)/2 ,  B = (1/R_y,wheel + 1/R_y,rail)/2 ,  E* = E / (2 (1 - nu^2)) ,
///     (E(e)/k^2 - K(e)) / (K(e) - E(e)) = larger/smaller of A and B ,    k = short/long semi-axis ,  e^2 = 1 - k^2 ,
///     long = [ 3 N (K - E) / (2 pi E* (1 - k^2) smaller of A and B) ]^(1/3) .
/// The long axis is in the direction of the smaller curvature. K and D = (K - E)/e^2 come from the arithmetic-geometric
/// mean, in a form without cancellation at the circle: the ratio above is (K - D)/(k^2 D).

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/dual.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace panto::vehicle {

template <Real Scalar = double>
struct Elasticity {
    Scalar young{210e9};   ///< Pa, E of wheel and rail
    Scalar poisson{0.25};  ///< -, nu of wheel and rail
    [[nodiscard]] Scalar shear() const { return young / (Scalar(2.0) * (Scalar(1.0) + poisson)); }  ///< Pa, G
};

/// Semi-axes of the contact ellipse.
template <Real Scalar = double>
struct ContactEllipse {
    Scalar a{};  ///< m, in the rolling direction
    Scalar b{};  ///< m, across
};

namespace detail {

/// Complete elliptic integrals as functions of the complementary modulus k = sqrt(1 - e^2), 0 < k <= 1.
template <Real Scalar>
struct EllipticIntegrals {
    Scalar K, D;  ///< D = (K - E)/e^2
};

template <Real Scalar>
[[nodiscard]] EllipticIntegrals<Scalar> elliptic_integrals(const Scalar& k) noexcept {
    using std::sqrt;
    // c_n^2 of the mean's steps, and r_n = c_n^2/e^2; K - E = K sum 2^(n-1) c_n^2.
    Scalar a(1.0), g = k;
    Scalar c2 = (Scalar(1.0) - k) * (Scalar(1.0) - k) / Scalar(4.0);
    Scalar r = (Scalar(1.0) - k) / (Scalar(4.0) * (Scalar(1.0) + k));
    Scalar sum(0.5);
    double weight = 1.0;
    for (int n = 0; n < 8; ++n) {  // converges quadratically: 8 steps are enough for k above 1e-100
        const Scalar mean = (a + g) / Scalar(2.0);
        g = sqrt(a * g);
        a = mean;
        sum = sum + Scalar(weight) * r;
        weight *= 2.0;
        const Scalar next = (a + g) / Scalar(2.0), q = c2 / (Scalar(16.0) * next * next);
        r = r * q;
        c2 = c2 * q;
    }
    const Scalar K = Scalar(std::numbers::pi / 2.0) / a;
    return {K, K * sum};
}

/// The ratio of the curvatures, at least 1, that belongs to the ratio k of the axes.
template <Real Scalar>
[[nodiscard]] Scalar curvature_ratio(const Scalar& k) noexcept {
    const auto [K, D] = elliptic_integrals(k);
    return (K - D) / (k * k * D);
}

}  // namespace detail

/// The contact ellipse of wheel and rail under `load`. The ratio of the axes does not depend on the load; under another
/// load N the axes change by the factor (N/load)^(1/3).
/// @param load N; `curvature_x`, `curvature_y` 1/m, the sum of both bodies' curvatures in and across the direction of
/// rolling (for a cone of radius r0 and angle delta0 on a rail crown R: cos(delta0)/r0 and 1/R).
/// @throws SetupError naming what is not positive, or curvatures more than 10^8 apart.
template <Real Scalar>
[[nodiscard]] ContactEllipse<Scalar> contact_ellipse(const Scalar& load, const Scalar& curvature_x,
                                                     const Scalar& curvature_y, const Elasticity<Scalar>& material) {
    const char* where = "vehicle::contact_ellipse";
    require_positive(value_of(load), where, "load");
    require_positive(value_of(curvature_x), where, "curvature_x");
    require_positive(value_of(curvature_y), where, "curvature_y");
    require_positive(value_of(material.young), where, "young");
    require(value_of(material.poisson) >= 0.0 && value_of(material.poisson) <= 0.5, where, "poisson is ",
            value_of(material.poisson), ", must be from 0 to 0.5");
    using std::cbrt;
    const bool long_in_x = !(value_of(curvature_y) < value_of(curvature_x));
    const Scalar small = (long_in_x ? curvature_x : curvature_y) / Scalar(2.0);
    const Scalar large = (long_in_x ? curvature_y : curvature_x) / Scalar(2.0);
    const Scalar ratio = large / small;
    require(value_of(ratio) <= 1e8, where, "the curvatures ", value_of(curvature_x), " and ", value_of(curvature_y),
            " 1/m differ by a factor of ", value_of(ratio), ", must be at most 1e8");
    // Newton's method in logarithms on plain numbers, then one step with the derivatives of the scalar.
    double k = std::pow(value_of(ratio), -0.636);
    double slope = -1.0;  // d ratio/d k
    for (int n = 0; n < 50; ++n) {
        const Dual<1> f = detail::curvature_ratio(Dual<1>::variable(k, 0));
        slope = f.derivative(0);
        const double step = std::log(f.value() / value_of(ratio)) * f.value() / (slope * k);
        k = std::min(1.0, k * std::exp(-step));
        if (std::abs(step) < 1e-15) break;
    }
    const Scalar shape = Scalar(k) - (detail::curvature_ratio(Scalar(k)) - ratio) / Scalar(slope);
    const auto [K, D] = detail::elliptic_integrals(shape);
    const Scalar modulus = material.young / (Scalar(2.0) * (Scalar(1.0) - material.poisson * material.poisson));
    const Scalar cube = Scalar(1.5 / std::numbers::pi) * load * D / (modulus * small);
    const Scalar major = cbrt(cube), minor = shape * major;
    return long_in_x ? ContactEllipse<Scalar>{major, minor} : ContactEllipse<Scalar>{minor, major};
}

}  // namespace panto::vehicle
