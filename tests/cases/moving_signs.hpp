// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The convective signs of a wire in the train's frame, told by the speed of its waves, and the growth of its scheme by
/// two methods.

#pragma once

#include <panto/catenary/moving_wires.hpp>
#include <panto/core/bisect.hpp>
#include <panto/poly/schur_cohn.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace panto::test {

/// The contact wire of the predictive paper on its grid.
inline const wave::BeamParams<> moving_wire{.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3};
constexpr double moving_dt = 1.0 / 850.0, moving_dx = 60.0 / 39.0;

/// Frequency with which the wave of `theta` per cell passes a point of the grid, rad/s, running right (sign 1) or left.
inline double frequency(const wave::Stencil<>& s, double theta, double sign) {
    const wave::Modes m = wave::modes(s, theta);
    const double a = std::arg(m.left) / s.dt, b = std::arg(m.right) / s.dt;
    return sign > 0.0 ? -std::min(a, b) : std::max(a, b);  // e^{i (k x + omega t)} runs right for omega < 0
}

/// m/s, of the wave of this frequency that runs right (sign 1) or left.
inline double phase_speed_at(const wave::Stencil<>& s, double hz, double sign) {
    const double omega = 2.0 * std::numbers::pi * hz;
    const auto slower = [&](double theta) { return frequency(s, theta, sign) < omega; };
    return omega * s.dx / bisect(slower, 1e-6, 3.0, 0.0, 42).holds;
}

/// Number of waves, of 12 wires at three speeds with two steps and two dampings, for which the roots say that nothing
/// grows and the Schur-Cohn recursion does not: a root outside a circle a little larger than 1 or, undamped, inside one
/// a little smaller.
inline int growth_disagreements() {
    int differ = 0;
    for (const double v : {0.0, 60.0, 100.0})
        for (const double step : {1.0 / 850.0, 1.0 / 170.0})
            for (const double beta : {0.0, 1e-4}) {
                const auto s = catenary::moving_wire_stencil(moving_wire, beta, v, moving_dx, step);
                differ += !(wave::growth_factor(s) <= 1.0 + 1e-9);
                for (int i = 1; i <= 16; ++i) {
                    Eigen::VectorXcd b = Eigen::VectorXcd::Zero(3);  // coefficients of 1, z, z^2
                    for (int j = -2; j <= 2; ++j) {
                        const auto wave = std::polar(1.0, j * std::numbers::pi * i / 16.0);
                        b += wave * Eigen::Vector3cd(-s.at(s.before, j), -s.at(s.now, j), s.at(s.next, j));
                    }
                    const auto inside = [&](double circle) {
                        return poly::schur_cohn(b.cwiseProduct(Eigen::Vector3cd(1.0, circle, circle * circle))).inside;
                    };
                    differ += inside(1.0 + 1e-6) != 2 || (!(beta > 0.0) && inside(1.0 - 1e-6) != 0);
                }
            }
    return differ;
}

}  // namespace panto::test
