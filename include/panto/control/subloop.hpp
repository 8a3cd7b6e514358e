// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Interaction mass and pantograph pushing on each other through a contact spring, the mass one step behind: the
/// inner loop of an explicitly coupled simulation, and its limit of stability [methods/catenary_and_rig.md D].
///
///     x_i+ = A_i x_i + B_i F,    M q+'' + C q+' + K q+ = -e_head F+,    F = k_c (q_head - u_i)
///
/// The pantograph is advanced implicitly on the contact spring against u_i of the new time. The static loop gain
/// is k_c/k_i: keep the contact softer than the interaction mass, or damp the mass more.

#pragma once

#include <panto/control/pad_plant.hpp>

#include <Eigen/LU>

namespace panto::control {

/// Spectral radius of the loop for a contact stiffness [N/m]; below 1 it is stable.
/// @throws SetupError if a parameter has no meaning.
[[nodiscard]] inline double subloop_radius(const system::OscillatorParams<double>& interaction_mass,
                                           const ChainParams& pantograph, double contact_stiffness, double dt) {
    require_not_negative(contact_stiffness, "control::subloop_radius", "contact_stiffness");
    const system::NewmarkOscillator<double> mass(interaction_mass, dt);
    Mechanism m = chain(pantograph);
    m.K(0, 0) += contact_stiffness;
    const Eigen::Index n = m.M.rows(), size = 3 + 3 * n;
    // Average acceleration for [q, q', q'']: K_it q+ = M (4 q/dt^2 + 4 q'/dt + q'') + C (2 q/dt + q') + e_head k_c
    // u_i+.
    const Eigen::MatrixXd K_it = 4.0 / (dt * dt) * m.M + 2.0 / dt * m.C + m.K;
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n, size);
    right.middleCols(3, n) = 4.0 / (dt * dt) * m.M + 2.0 / dt * m.C;
    right.middleCols(3 + n, n) = 4.0 / dt * m.M + m.C;
    right.rightCols(n) = m.M;

    Eigen::MatrixXd loop = Eigen::MatrixXd::Zero(size, size);
    loop.topLeftCorner(3, 3) = mass.A();
    loop.block(0, 0, 3, 1) -= contact_stiffness * mass.B();
    loop.block(0, 3, 3, 1) += contact_stiffness * mass.B();
    right.row(0) += contact_stiffness * loop.row(0);

    const Eigen::MatrixXd state = Eigen::MatrixXd::Identity(size, size);
    const Eigen::MatrixXd q = state.middleRows(3, n), v = state.middleRows(3 + n, n), a = state.bottomRows(n);
    const Eigen::MatrixXd q_next = K_it.partialPivLu().solve(right);
    loop.middleRows(3, n) = q_next;
    loop.middleRows(3 + n, n) = 2.0 / dt * (q_next - q) - v;
    loop.bottomRows(n) = 4.0 / (dt * dt) * (q_next - q) - 4.0 / dt * v - a;
    return linalg::spectral_radius(loop);
}

/// Largest contact stiffness [N/m] up to which the loop is stable, found by bisection to 1 part in 10^9 below
/// `highest`; `highest` itself if the loop is stable there. It assumes one crossing.
/// @throws SetupError as subloop_radius does, or if the loop is unstable without any contact.
[[nodiscard]] inline double subloop_stiffness_limit(const system::OscillatorParams<double>& interaction_mass,
                                                    const ChainParams& pantograph, double dt, double highest = 1e6) {
    require_positive(highest, "control::subloop_stiffness_limit", "highest");
    const auto stable = [&](double k) { return subloop_radius(interaction_mass, pantograph, k, dt) < 1.0; };
    if (stable(highest)) return highest;
    double low = 1e-6 * highest, high = highest;
    require(stable(low), "control::subloop_stiffness_limit", "the loop is unstable for the softest contact already");
    for (int k = 0; k < 60 && high - low > 1e-9 * highest; ++k) {
        const double middle = 0.5 * (low + high);
        (stable(middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace panto::control
