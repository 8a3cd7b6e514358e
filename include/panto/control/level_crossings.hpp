// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where on the unit circle the response L(z) of a loop may reach a level, found without a grid. All z with
///
///     a L(z) L(1/z) + b L(z) + c L(1/z) + d = 0
///
/// are generalized eigenvalues of one pencil F - z E [as for the Popov function: Boyd, Balakrishnan, Kabamba, Math.
/// Control Signals Systems 2 (1989) 207]. On the unit circle L(1/z) is the conjugate of L(z), so this is
///
///     |L| = 1              a = 1,  d = -1
///     L is real            b = 1,  c = -1
///     2 |1 + L| = r |1 - L|    a = d = 4 - r^2,  b = c = 4 + r^2
///
/// level_angles() returns the angles of all eigenvalues, on the circle or not. Between two neighbouring angles no level
/// is reached, so one value of L between each two shows where a level is crossed: no resonance is too narrow for that,
/// and it does not matter whether rounding moves an eigenvalue off the circle.

#pragma once

#include <panto/control/cut_loop.hpp>
#include <panto/linalg/balance.hpp>
#include <panto/linalg/eigenvalues.hpp>

#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace panto::control {

/// a L(z) L(1/z) + b L(z) + c L(1/z) + d
struct Level {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
};

/// The same loop with its states and its command in units that make rounding errors small.
template <class = void>
[[nodiscard]] CutLoop balanced(const CutLoop& loop) {
    const Eigen::Index n = loop.A.rows();
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + 1, n + 1);
    all.topLeftCorner(n, n) = loop.A;
    all.topRightCorner(n, 1) = loop.B;
    all.bottomLeftCorner(1, n) = loop.C;
    all(n, n) = loop.D;
    all = linalg::balanced(all);
    return {all.topLeftCorner(n, n), all.topRightCorner(n, 1), all.bottomLeftCorner(1, n), loop.D, loop.dt};
}

/// Angles, 0 to pi, of all z at which the response -(C (z I - A)^-1 B + D) may reach the level; they ascend.
/// @param loop  balanced()
template <class = void>
[[nodiscard]] std::vector<double> level_angles(const CutLoop& loop, const Level& level) {
    const Eigen::Index n = loop.A.rows(), size = 2 * n + 1;
    // Unknowns: x of z x = A x + B, l of l/z = A' l + C' v with v = a y + c, and a command of 1. The sign of L is in C.
    const Eigen::RowVectorXd C = -loop.C;
    const double D = -loop.D, direct = level.a * D + level.c;
    Eigen::MatrixXd F = Eigen::MatrixXd::Zero(size, size), E = Eigen::MatrixXd::Zero(size, size);
    F.topLeftCorner(n, n) = loop.A;
    F.topRightCorner(n, 1) = loop.B;
    F.block(n, n, n, n).setIdentity();
    F.bottomLeftCorner(1, n) = (level.a * D + level.b) * C;
    F.block(2 * n, n, 1, n) = loop.B.transpose();
    F(2 * n, 2 * n) = direct * D + level.b * D + level.d;
    E.topLeftCorner(n, n).setIdentity();
    E.block(n, 0, n, n) = level.a * C.transpose() * C;
    E.block(n, n, n, n) = loop.A.transpose();
    E.block(n, 2 * n, n, 1) = direct * C.transpose();
    // (F - s E)^-1 E has the eigenvalues 1 / (z - s). Of some s inside the circle, the one furthest from all z is
    // taken.
    double smallest = HUGE_VAL, shift = 0.0;
    Eigen::MatrixXd inverse;
    for (const double s : {0.37, -0.41, 0.61, -0.67}) {
        const Eigen::MatrixXd M = linalg::balanced(Eigen::PartialPivLU<Eigen::MatrixXd>(F - s * E).solve(E));
        if (const double norm = M.norm(); norm < smallest) smallest = norm, shift = s, inverse = M;
    }
    std::vector<double> angles;
    if (!(smallest < HUGE_VAL)) return angles;
    for (const std::complex<double> m : linalg::eigenvalues(inverse))
        if (std::abs(m) > 1e-9 && m.imag() <= 0.0) angles.push_back(std::fabs(std::arg(shift + 1.0 / m)));
    std::sort(angles.begin(), angles.end());
    return angles;
}

#ifdef PANTO_COMPILED
extern template std::vector<double> level_angles(const CutLoop&, const Level&);
#endif

}  // namespace panto::control
