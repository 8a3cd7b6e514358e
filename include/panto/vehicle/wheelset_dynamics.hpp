// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The equations of a wheelset with two degrees of freedom, and the normal forces of its wheels. All other forces on
/// the wheelset are F_y and F_z, M_x about the roll axis and M_z about the yaw axis. With the derivatives kappa of roll
/// and z_y, z_psi of z (WheelsetMotion), the generalized forces are
///     Q_y = F_y + z_y F_z + kappa M_x ,   Q_psi = M_z + z_psi F_z .
/// With rotations in the order yaw, roll, spin, I = I_x = I_z, Omega = v/r0, p = dpsi/dt and sin, cos of the roll:
///     m d2y/dt2 + m z_y (d2z/dt2 + g) + kappa [I d2roll/dt2 + I p^2 sin cos - I_y (Omega + p sin) p cos] = Q_y ,
///     m z_psi (d2z/dt2 + g) + d/dt [I p cos^2 + I_y (Omega + p sin) sin] = Q_psi .
/// The normal forces are the constraint forces of height and roll: they follow from the two eliminated equations.

#pragma once

#include <panto/core/real.hpp>
#include <panto/vehicle/wheelset.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace panto::vehicle {

template <Real Scalar>
struct WheelsetInertia {
    Scalar mass;     ///< kg
    Scalar inertia;  ///< kg m^2, about x and z
    Scalar spin;     ///< kg m^2, about the axle
    Scalar gravity;  ///< m/s^2
};

template <Real Scalar>
struct WheelsetForces {
    Scalar y{0.0}, z{0.0};       ///< N
    Scalar roll{0.0}, yaw{0.0};  ///< N m

    /// Adds the creep force of one wheel. @rt
    void add_creep(const WheelsetMotion<Scalar>& m, const WheelCreep<Scalar>& w, std::size_t side,
                   const Scalar& a) noexcept {
        const Scalar s(side == 0 ? 1.0 : -1.0), across = w.force.eta * w.cosine, up = w.force.eta * w.sine;
        y = y + across;
        z = z + s * up;
        roll = roll + m.contact.radius[side] * across + a * up;
        yaw = yaw - s * a * w.force.xi + w.force.m * w.cosine;
    }
};

template <Real Scalar>
struct WheelsetAcceleration {
    Scalar y, psi;  ///< m/s^2, rad/s^2
};

/// Accelerations of the two freedoms; `omega` is v/r0 in rad/s. @rt
template <Real Scalar>
[[nodiscard]] WheelsetAcceleration<Scalar> wheelset_acceleration(const WheelsetInertia<Scalar>& w,
                                                                 const WheelsetMotion<Scalar>& m, const Scalar& omega,
                                                                 const WheelsetForces<Scalar>& f) noexcept {
    using std::cos, std::sin;
    const Scalar cr = cos(m.roll), sr = sin(m.roll), spin = omega + m.psi_rate * sr, sc = sr * cr;
    const Scalar up = f.z - w.mass * (m.z_drive + w.gravity);
    const Scalar turn =
        f.roll - w.inertia * (m.roll_drive + m.psi_rate * m.psi_rate * sc) + w.spin * spin * m.psi_rate * cr;
    const Scalar row_y = f.y + m.z_y * up + m.kappa * turn;
    const Scalar row_psi = f.yaw + m.z_psi * up +
                           m.roll_rate * ((Scalar(2.0) * w.inertia - w.spin) * m.psi_rate * sc - w.spin * spin * cr);
    const Scalar yy = w.mass * (Scalar(1.0) + m.z_y * m.z_y) + w.inertia * m.kappa * m.kappa;
    const Scalar yp = w.mass * m.z_y * m.z_psi;
    const Scalar pp = w.mass * m.z_psi * m.z_psi + w.inertia * cr * cr + w.spin * sr * sr;
    const Scalar det = yy * pp - yp * yp;
    return {(pp * row_y - yp * row_psi) / det, (yy * row_psi - yp * row_y) / det};
}

/// Forces of one rail on its wheel, in the axes of the canted track.
template <Real Scalar = double>
struct WheelLoad {
    Scalar normal{};    ///< N, along the normal; below 0 the wheel lifts
    Scalar vertical{};  ///< N, Q
    Scalar lateral{};   ///< N, to the left, on the wheel: Y of the wheel on the rail is its negative

    /// Y/Q for Nadal's limit, positive if the flange is pressed against its rail. `side` is 0 for left and 1 for right;
    /// NaN for any other value.
    [[nodiscard]] Scalar derailment_quotient(std::size_t side) const {
        if (side > 1) return no_number<Scalar>();
        return (side == 0 ? -lateral : lateral) / vertical;
    }
};

/// The loads of both wheels, from the other forces `f` (axle boxes), the creep forces and the accelerations. A flange
/// force acts on the wheel it belongs to. @rt
template <Real Scalar>
[[nodiscard]] std::array<WheelLoad<Scalar>, 2> wheel_loads(const WheelsetInertia<Scalar>& w,
                                                           const WheelsetMotion<Scalar>& m, const Scalar& omega,
                                                           const WheelsetForces<Scalar>& f,
                                                           const std::array<WheelCreep<Scalar>, 2>& creep,
                                                           const WheelsetAcceleration<Scalar>& acceleration,
                                                           const Scalar& flange, const Scalar& r0) noexcept {
    using std::cos, std::sin;
    const Scalar cr = cos(m.roll), sr = sin(m.roll), cg = cos(m.gamma), sg = sin(m.gamma);
    const Scalar tilt = m.roll - m.gamma, ct = cos(tilt), st = sin(tilt);
    const Scalar up = m.z_drive + m.z_y * acceleration.y + m.z_psi * acceleration.psi;
    const Scalar turn = m.roll_drive + m.kappa * acceleration.y;
    Scalar row_z = w.mass * (up + w.gravity) - f.z;
    Scalar row_roll = w.inertia * (turn + m.psi_rate * m.psi_rate * sr * cr) -
                      w.spin * (omega + m.psi_rate * sr) * m.psi_rate * cr - f.roll;
    // The generalized flange force on y is F_y + kappa M_x, with M_x = r0 F_y.
    const Scalar push = -(flange / (Scalar(1.0) + r0 * m.kappa));
    const std::size_t pressed = value_of(m.rho) > 0.0 ? 0 : 1;
    row_z = row_z - sg * push;
    row_roll = row_roll - r0 * push;
    std::array<Scalar, 2> to_z, to_roll;
    for (std::size_t i = 0; i < 2; ++i) {
        const Scalar s(i == 0 ? 1.0 : -1.0), c = creep[i].cosine, n = creep[i].sine, &T = creep[i].force.eta;
        // The contact from the wheelset's centre, in the track's axes.
        const Scalar l = s * m.contact.outward[i] - m.rho, h = (st * l - m.contact.radius[i]) / ct;
        to_z[i] = c * cg - s * n * sg;
        to_roll[i] = l * c + s * h * n;
        row_z = row_z - T * (c * sg + s * n * cg);
        row_roll = row_roll - T * (s * l * n - h * c);
    }
    const Scalar det = to_z[0] * to_roll[1] - to_z[1] * to_roll[0];
    const std::array<Scalar, 2> normal{(row_z * to_roll[1] - row_roll * to_z[1]) / det,
                                       (row_roll * to_z[0] - row_z * to_roll[0]) / det};
    std::array<WheelLoad<Scalar>, 2> loads;
    for (std::size_t i = 0; i < 2; ++i) {
        const Scalar s(i == 0 ? 1.0 : -1.0), c = creep[i].cosine, n = creep[i].sine, &T = creep[i].force.eta;
        loads[i] = {normal[i], normal[i] * c + s * T * n, T * c - s * normal[i] * n};
        if (i == pressed) loads[i].lateral = loads[i].lateral + push;
    }
    return loads;
}

}  // namespace panto::vehicle
