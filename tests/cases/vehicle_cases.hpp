// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Marches and energies of the bogie, for tests.

#pragma once

#include <panto/vehicle/bogie.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::test {

/// States from x on, `steps` + 1 of them.
template <class B>
std::vector<typename B::State> march(const B& bogie, double dt, int steps, typename B::State x = B::State::Zero()) {
    std::vector<typename B::State> all{x};
    typename B::State next;
    for (int n = 0; n < steps; ++n) {
        bogie.step(n * dt, dt, x, next);
        x = next;
        all.push_back(x);
    }
    return all;
}

/// Jacobi's integral T2 + V of a bogie on level track, from the energies of its bodies and springs; constant where
/// nothing creeps or damps. The part of the kinetic energy that is linear in the rates (gyroscopes) has no place in it.
inline double jacobi_integral(const vehicle::Bogie<double, vehicle::LevelTrack, vehicle::LinearCreep>& bogie,
                              const Vector<double, 20>& x) {
    const auto& p = bogie.params();
    const auto m = bogie.motions(0.0, x);
    Matrix<double, 3> R, B;
    const auto about = [](int axis, double angle) {
        Matrix<double, 3> M = Matrix<double, 3>::Identity();
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        M(i, i) = M(j, j) = std::cos(angle);
        M(j, i) = std::sin(angle);
        M(i, j) = -M(j, i);
        return M;
    };
    const Matrix<double, 3> Rx = about(0, x[3]), Ry = about(1, x[4]), Rz = about(2, x[5]);
    R = Rx * Ry * Rz;
    // Axes of the three rotations in space, then in the body.
    B.col(0) = Vector<double, 3>::UnitX();
    B.col(1) = Rx.col(1);
    B.col(2) = (Rx * Ry).col(2);
    const Vector<double, 3> w = R.transpose() * (B * x.segment<3>(13));
    double energy = 0.5 * p.frame_mass * x.segment<3>(10).squaredNorm();
    for (int i = 0; i < 3; ++i) energy += 0.5 * p.frame_inertia[static_cast<std::size_t>(i)] * w[i] * w[i];
    energy += 4.0 * bogie.preload() * x[2];
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& n = m[i];
        energy +=
            0.5 * p.wheelset_mass * (n.y_rate * n.y_rate + n.z_rate * n.z_rate) + p.wheelset_mass * p.gravity * n.z;
        const double cr = std::cos(n.roll), sr = std::sin(n.roll);
        energy += 0.5 * p.wheelset_inertia * (n.roll_rate * n.roll_rate + n.psi_rate * n.psi_rate * cr * cr);
        energy += 0.5 * p.wheelset_spin_inertia * n.psi_rate * n.psi_rate * sr * sr;
        for (const double s : {1.0, -1.0}) {
            const Vector<double, 3> on_frame(i == 0 ? 0.5 * p.wheelbase : -0.5 * p.wheelbase, s * p.half_spring_base,
                                             -p.spring_depth);
            const Vector<double, 3> on_axle(0.0, s * p.half_spring_base, 0.0);
            const Vector<double, 3> a = x.head<3>() + R * on_frame - on_frame;
            const Vector<double, 3> b =
                Vector<double, 3>(0.0, n.y, n.z) + about(2, n.psi) * about(0, n.roll) * on_axle - on_axle;
            const Vector<double, 3> d = a - b;
            for (int k = 0; k < 3; ++k) energy += 0.5 * p.stiffness[static_cast<std::size_t>(k)] * d[k] * d[k];
            energy -= bogie.preload() * d[2];
        }
    }
    return energy;
}

}  // namespace panto::test
