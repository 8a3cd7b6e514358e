// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bending of a body as a uniform beam with free ends, along x through its centre of mass, without shear and rotary
/// inertia. With the roots b_n of cos(b) cosh(b) = 1 (4.7300, 7.8532, 10.9956, ...), the mass m, the length L and the
/// stiffness E I, mode n has the frequency, the modal mass m and the shape
///     omega_n = b_n^2 sqrt(E I/(m L^3)) ,   phi_n(x) = c(b_n x/L)/c(b_n/2) + C(b_n x/L)/C(b_n/2) ,
/// where c, C are cos, cosh for n = 1, 3, ... and sin, sinh for n = 2, 4, ... A section at x is displaced by phi_n q_n
/// and turned by phi_n' q_n. The modes are orthogonal to each other and to the motions of the rigid body.

#pragma once

#include <panto/vehicle/multibody.hpp>

#include <cmath>
#include <numbers>
#include <utility>

namespace panto::vehicle {

/// One mode of a body.
struct BendingMode {
    Direction direction = Direction::z;  ///< z or y
    int number = 1;                      ///< n
    double length = 0.0;                 ///< m
    double root = 0.0;                   ///< b_n
    double frequency = 0.0;              ///< rad/s
    double damping = 0.0;                ///< relative to critical

    /// phi_n and its derivative, 1/m, at x, m, from the middle.
    [[nodiscard]] std::pair<double, double> shape(double x) const {
        const double u = root * x / length, h = 0.5 * root, k = root / length;
        if (number % 2 == 1)
            return {std::cos(u) / std::cos(h) + std::cosh(u) / std::cosh(h),
                    k * (std::sinh(u) / std::cosh(h) - std::sin(u) / std::cos(h))};
        return {std::sin(u) / std::sin(h) + std::sinh(u) / std::sinh(h),
                k * (std::cos(u) / std::sin(h) + std::cosh(u) / std::sinh(h))};
    }
};

/// The root b_n of cos(b) cosh(b) = 1, n = 1, 2, ...
[[nodiscard]] inline double free_beam_root(int n) {
    double b = (n + 0.5) * std::numbers::pi;
    for (int i = 0; i < 6; ++i) {  // Newton's method converges quadratically from within 0.02
        const double c = 1.0 / std::cosh(b);
        b -= (std::cos(b) - c) / (c * std::tanh(b) - std::sin(b));
    }
    return b;
}

}  // namespace panto::vehicle
