// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kalker's coefficients C_ij of linear creep, and the creep coefficients of a contact ellipse with the semi-axes a (in
/// the rolling direction) and b, the shear modulus G and a factor s (1 for clean, dry rails):
///     f11 = s G a b C11 ,  f22 = s G a b C22 ,  f23 = s G (a b)^(3/2) C23 ,  f33 = s G (a b)^2 C33
/// [Kalker, Three-Dimensional Elastic Bodies in Rolling Contact, 1990, table E.3]. Between its nodes, the table is
/// interpolated linearly in min(a/b, b/a) and quadratically in Poisson's ratio nu. C33 is given for nu = 0.25 only,
/// quoted from memory, and used for every nu; setting f33 = 0 changes the critical speed of the bogie by 0.03 %.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/vehicle/hertz.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace panto::vehicle {

/// Dimensionless coefficients of an ellipse.
template <Real Scalar = double>
struct KalkerCoefficients {
    Scalar c11{}, c22{}, c23{}, c33{};
};

namespace detail {

using KalkerTable = std::array<std::array<double, 3>, 10>;  ///< rows ratio 0.1 to 1, columns nu = 0, 1/4, 1/2

// a/b = 0.1 to 1: long across the direction of rolling.
inline constexpr KalkerTable kalker_11_ab{{{2.51, 3.31, 4.85},
                                           {2.59, 3.37, 4.81},
                                           {2.68, 3.44, 4.80},
                                           {2.78, 3.53, 4.82},
                                           {2.88, 3.62, 4.83},
                                           {2.98, 3.72, 4.91},
                                           {3.09, 3.81, 4.97},
                                           {3.19, 3.91, 5.05},
                                           {3.29, 4.01, 5.12},
                                           {3.40, 4.12, 5.20}}};
inline constexpr KalkerTable kalker_22_ab{{{2.51, 2.52, 2.53},
                                           {2.59, 2.63, 2.66},
                                           {2.68, 2.75, 2.81},
                                           {2.78, 2.88, 2.98},
                                           {2.88, 3.01, 3.14},
                                           {2.98, 3.14, 3.31},
                                           {3.09, 3.28, 3.48},
                                           {3.19, 3.41, 3.65},
                                           {3.29, 3.54, 3.82},
                                           {3.40, 3.67, 3.98}}};
inline constexpr KalkerTable kalker_23_ab{{{0.334, 0.473, 0.731},
                                           {0.483, 0.603, 0.809},
                                           {0.607, 0.715, 0.889},
                                           {0.720, 0.823, 0.977},
                                           {0.827, 0.929, 1.07},
                                           {0.930, 1.03, 1.18},
                                           {1.03, 1.14, 1.29},
                                           {1.13, 1.25, 1.40},
                                           {1.23, 1.36, 1.51},
                                           {1.33, 1.47, 1.63}}};
inline constexpr std::array<double, 10> kalker_33_ab{8.28, 4.27, 2.96, 2.32, 1.93, 1.68, 1.50, 1.37, 1.27, 1.19};
// b/a = 0.1 to 1: long in the direction of rolling.
inline constexpr KalkerTable kalker_11_ba{{{10.7, 11.7, 12.9},
                                           {6.96, 7.78, 8.82},
                                           {5.57, 6.34, 7.34},
                                           {4.84, 5.57, 6.57},
                                           {4.37, 5.10, 6.11},
                                           {4.06, 4.78, 5.80},
                                           {3.82, 4.54, 5.58},
                                           {3.65, 4.36, 5.42},
                                           {3.51, 4.22, 5.30},
                                           {3.40, 4.12, 5.20}}};
inline constexpr KalkerTable kalker_22_ba{{{10.7, 12.8, 16.0},
                                           {6.96, 8.14, 9.79},
                                           {5.57, 6.40, 7.51},
                                           {4.84, 5.48, 6.31},
                                           {4.37, 4.90, 5.56},
                                           {4.06, 4.50, 5.04},
                                           {3.82, 4.21, 4.67},
                                           {3.65, 3.99, 4.39},
                                           {3.51, 3.81, 4.16},
                                           {3.40, 3.67, 3.98}}};
inline constexpr KalkerTable kalker_23_ba{{{12.2, 14.6, 18.0},
                                           {5.72, 6.63, 7.89},
                                           {3.79, 4.32, 5.01},
                                           {2.88, 3.24, 3.70},
                                           {2.35, 2.62, 2.96},
                                           {2.01, 2.23, 2.50},
                                           {1.76, 1.95, 2.18},
                                           {1.58, 1.75, 1.94},
                                           {1.44, 1.59, 1.77},
                                           {1.33, 1.47, 1.63}}};
inline constexpr std::array<double, 10> kalker_33_ba{0.526, 0.601, 0.674, 0.747, 0.819, 0.892, 0.965, 1.04, 1.11, 1.19};

}  // namespace detail

/// @throws SetupError if an axis is not positive, the axes differ by more than a factor of 10, where the table ends, or
/// Poisson's ratio is outside 0 to 0.5.
template <Real Scalar>
[[nodiscard]] KalkerCoefficients<Scalar> kalker_coefficients(const ContactEllipse<Scalar>& ellipse,
                                                             const Scalar& poisson) {
    const char* where = "vehicle::kalker_coefficients";
    require_positive(value_of(ellipse.a), where, "a");
    require_positive(value_of(ellipse.b), where, "b");
    const bool across = value_of(ellipse.a) < value_of(ellipse.b);
    const Scalar g = across ? ellipse.a / ellipse.b : ellipse.b / ellipse.a;
    // Allows for rounding at the end of the table.
    require(value_of(g) >= 0.1 * (1.0 - 1e-12), where, across ? "a/b" : "b/a", " is ", value_of(g),
            ", must be from 0.1 to 1, where Kalker's table ends");
    const double nu = value_of(poisson);
    require(nu >= 0.0 && nu <= 0.5, where, "poisson is ", nu, ", must be from 0 to 0.5");
    const double row = 10.0 * value_of(g) - 1.0;
    const auto i = static_cast<std::size_t>(std::clamp(std::floor(row), 0.0, 8.0));
    const Scalar t = Scalar(10.0) * g - Scalar(static_cast<double>(i) + 1.0), n = poisson;
    const Scalar w0 = Scalar(8.0) * (n - Scalar(0.25)) * (n - Scalar(0.5)), w1 = Scalar(-16.0) * n * (n - Scalar(0.5)),
                 w2 = Scalar(8.0) * n * (n - Scalar(0.25));
    const auto between = [&](const detail::KalkerTable& c) {
        const auto at = [&](std::size_t j) -> Scalar {
            return w0 * Scalar(c[j][0]) + w1 * Scalar(c[j][1]) + w2 * Scalar(c[j][2]);
        };
        const Scalar low = at(i);
        return Scalar(low + t * (at(i + 1) - low));
    };
    const auto& c33 = across ? detail::kalker_33_ab : detail::kalker_33_ba;
    return {between(across ? detail::kalker_11_ab : detail::kalker_11_ba),
            between(across ? detail::kalker_22_ab : detail::kalker_22_ba),
            between(across ? detail::kalker_23_ab : detail::kalker_23_ba),
            Scalar(c33[i]) + t * Scalar(c33[i + 1] - c33[i])};
}

/// The input of a creep law: the contact ellipse, Kalker's linear coefficients, load and friction.
template <Real Scalar = double>
struct ContactPatch {
    ContactEllipse<Scalar> ellipse{};  ///< m
    Scalar f11{};                      ///< N, force per longitudinal creepage
    Scalar f22{};                      ///< N, force per lateral creepage
    Scalar f23{};                      ///< N m, force per spin (1/m) and moment per lateral creepage
    Scalar f33{};                      ///< N m^2, moment per spin
    Scalar load{};                     ///< N, normal
    Scalar friction{0.3};              ///< -, mu

    /// The same contact under another load in N, above 0: the axes grow with the third root of the load. @rt
    [[nodiscard]] ContactPatch under(const Scalar& new_load) const noexcept {
        using std::cbrt;
        const Scalar q = new_load / load, r = cbrt(q), r2 = r * r;
        return {{ellipse.a * r, ellipse.b * r}, f11 * r2, f22 * r2, f23 * q, f33 * q * r, new_load, friction};
    }

    /// The same contact in another scalar type, as constants: without derivatives.
    template <Real T>
    [[nodiscard]] ContactPatch<T> cast() const {
        return {{T(ellipse.a), T(ellipse.b)}, T(f11), T(f22), T(f23), T(f33), T(load), T(friction)};
    }
};

/// @throws SetupError naming the field: an axis, load or friction is not positive, or a coefficient is negative.
template <Real Scalar>
void validate(const ContactPatch<Scalar>& p, std::string_view where) {
    require_positive(value_of(p.ellipse.a), where, "patch.ellipse.a");
    require_positive(value_of(p.ellipse.b), where, "patch.ellipse.b");
    require_not_negative(value_of(p.f11), where, "patch.f11");
    require_not_negative(value_of(p.f22), where, "patch.f22");
    require_not_negative(value_of(p.f23), where, "patch.f23");
    require_not_negative(value_of(p.f33), where, "patch.f33");
    require_positive(value_of(p.load), where, "patch.load");
    require_positive(value_of(p.friction), where, "patch.friction");
}

/// @param reduction  -, the factor s of the creep coefficients, below 1 for rails that are not clean and dry.
/// @throws SetupError as contact_ellipse and kalker_coefficients, or if friction or reduction is not positive.
template <Real Scalar>
[[nodiscard]] ContactPatch<Scalar> contact_patch(const Scalar& load, const Scalar& curvature_x,
                                                 const Scalar& curvature_y, const Elasticity<Scalar>& material,
                                                 const Scalar& friction, const Scalar& reduction = Scalar(1.0)) {
    require_positive(value_of(friction), "vehicle::contact_patch", "friction");
    require_positive(value_of(reduction), "vehicle::contact_patch", "reduction");
    using std::sqrt;
    const auto ellipse = contact_ellipse(load, curvature_x, curvature_y, material);
    const auto c = kalker_coefficients(ellipse, material.poisson);
    const Scalar area = ellipse.a * ellipse.b, f = reduction * material.shear() * area;
    return {ellipse, f * c.c11, f * c.c22, f * sqrt(area) * c.c23, f * area * c.c33, load, friction};
}

}  // namespace panto::vehicle
