// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A wheelset with six freedoms, x, y, z, roll, turn about the axle, yaw, on elastic contacts. x and the turn are
/// counted from rolling at constant speed, z from the position at rest. Instead of the constraints of a wheelset with
/// two freedoms (wheelset.hpp) there are springs: with the deviations dz, dphi of height and roll from the values of
/// these constraints, the wheels approach their rails by
///     p_s = -(C_s dz + D_s dphi) ,   C_s, D_s: vertical part and lever about the roll axis of the contact normal,
///     N_s = N_0 (1 + p_s/p_0)^(3/2) ,  0 if the wheel lifts,   p_0: approach of Hertz' contact under the load at rest,
/// which act on the six freedoms by their virtual power; terms of the order of p_0/a, a the half distance, are left
/// out. Creep is that of wheelset.hpp, but with the rates of the wheelset itself; the slip along the rail becomes
///     s_x = v + dx/dt - s a dpsi/dt - r_s (Omega + dtheta/dt) cos(psi_r) .
/// Axle boxes do not turn with the wheels. For stiff contacts the lateral motion becomes that of two freedoms.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/vehicle/hertz.hpp>
#include <panto/vehicle/wheelset_dynamics.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace panto::vehicle {

/// The normal force of one wheel on its rail, about its static value.
template <Real Scalar = double>
struct ElasticContact {
    Scalar normal{};    ///< N, at rest
    Scalar approach{};  ///< m, of wheel and rail under it

    /// The normal force in N for a further approach of `p` in m; 0 if the wheel has lifted. @rt
    [[nodiscard]] Scalar force(const Scalar& p) const noexcept {
        using std::sqrt;
        const Scalar u = Scalar(1.0) + p / approach;
        return value_of(u) > 0.0 ? Scalar(normal * u * sqrt(u)) : Scalar(0.0);
    }
};

/// The approach of two bodies under the load of their contact ellipse, m: 3 N K(e)/(2 pi E* major) [Johnson, Contact
/// Mechanics, 4.26].
/// @throws SetupError if an axis of the ellipse is not positive.
template <Real Scalar>
[[nodiscard]] Scalar hertz_approach(const Scalar& load, const ContactEllipse<Scalar>& ellipse,
                                    const Elasticity<Scalar>& material) {
    require_positive(value_of(ellipse.a), "vehicle::hertz_approach", "ellipse.a");
    require_positive(value_of(ellipse.b), "vehicle::hertz_approach", "ellipse.b");
    const bool a_is_major = value_of(ellipse.a) >= value_of(ellipse.b);
    const Scalar major = a_is_major ? ellipse.a : ellipse.b, minor = a_is_major ? ellipse.b : ellipse.a;
    const Scalar modulus = material.young / (Scalar(2.0) * (Scalar(1.0) - material.poisson * material.poisson));
    const Scalar K = detail::elliptic_integrals(Scalar(minor / major)).K;
    return Scalar(1.5 / std::numbers::pi) * load * K / (modulus * major);
}

/// Position and motion of a wheelset with six freedoms, and its normal forces.
template <Real Scalar>
struct FreeWheelset {
    WheelsetMotion<Scalar> motion;          ///< roll, z and their rates are its own
    std::array<Scalar, 2> normal, share;    ///< N; this force as a fraction of that at rest
    std::array<Scalar, 2> vertical, lever;  ///< C_s and D_s
};

/// @rt
template <Real Scalar, class Geometry>
[[nodiscard]] FreeWheelset<Scalar> free_wheelset(const Geometry& geometry, const Scalar& r0, const Scalar& v,
                                                 const Vector<Scalar, 6>& q, const Vector<Scalar, 6>& rate,
                                                 const TrackPoint<Scalar>& track, const ElasticContact<Scalar>& contact,
                                                 bool printed_cross_level) noexcept {
    using std::cos, std::sin, std::sqrt;
    FreeWheelset<Scalar> w;
    auto& m = w.motion;
    m = wheelset_motion(geometry, r0, v, q[1], q[5], rate[1], rate[5], track, printed_cross_level);
    const Scalar dz = q[2] - m.z, dphi = q[3] - m.roll, tilt = m.roll - m.gamma;
    const Scalar cg = cos(m.gamma), sg = sin(m.gamma), ct = cos(tilt), st = sin(tilt);
    for (std::size_t i = 0; i < 2; ++i) {
        const Scalar s(i == 0 ? 1.0 : -1.0), &t = m.contact.tangent[i];
        const Scalar c = Scalar(1.0) / sqrt(Scalar(1.0) + t * t), n = t * c;
        // The contact from the wheelset's centre, in the track's axes.
        const Scalar l = s * m.contact.outward[i] - m.rho, h = (st * l - m.contact.radius[i]) / ct;
        w.vertical[i] = c * cg - s * n * sg;
        w.lever[i] = l * c + s * h * n;
        w.normal[i] = contact.force(-(w.vertical[i] * dz + w.lever[i] * dphi));
        w.share[i] = w.normal[i] / contact.normal;
    }
    m.roll = q[3], m.roll_rate = rate[3], m.z = q[2], m.z_rate = rate[2];
    m.x_rate = rate[0], m.spin_rate = rate[4];
    return w;
}

/// Creep of both wheels; one that has lifted has none. @rt
template <Real Scalar, class Law>
[[nodiscard]] std::array<WheelCreep<Scalar>, 2> free_wheelset_creep(const FreeWheelset<Scalar>& w, const Scalar& a,
                                                                    const Scalar& r0, const Scalar& v,
                                                                    const ContactPatch<Scalar>& patch, const Law& law,
                                                                    const WheelsetForm& form) noexcept {
    const auto one = [&](std::size_t i) {
        return form.normal_force == NormalForce::dynamic || !(value_of(w.normal[i]) > 0.0)
                   ? wheel_creep_under(Scalar(w.share[i] * patch.load), w.motion, i, a, r0, v, patch, law, form)
                   : wheel_creep(w.motion, i, a, r0, v, patch, law, form);
    };
    return {one(0), one(1)};
}

/// Accelerations of the six freedoms. `f` are the forces of axle boxes and the like on y, z, roll and yaw, and `x` is
/// their force along x in N; creep and normal forces are added here. With
/// L = I_y (Omega + dtheta/dt + dpsi/dt sin(roll)), the torque M about the axle, and sin and cos of the roll,
///     dL/dt = M ,             I d2roll/dt2 + I (dpsi/dt)^2 sin cos - L dpsi/dt cos = M_roll ,
///     d/dt [I dpsi/dt cos^2 + L sin] = M_yaw .
/// @rt
template <Real Scalar>
[[nodiscard]] Vector<Scalar, 6> free_wheelset_acceleration(const WheelsetInertia<Scalar>& inertia,
                                                           const FreeWheelset<Scalar>& w, const Scalar& omega,
                                                           WheelsetForces<Scalar> f, Scalar x,
                                                           const std::array<WheelCreep<Scalar>, 2>& creep,
                                                           const Scalar& a) noexcept {
    using std::cos, std::sin;
    const auto& m = w.motion;
    Scalar torque(0.0);
    for (std::size_t i = 0; i < 2; ++i) {
        f.add_creep(m, creep[i], i, a);
        x = x + creep[i].force.xi;
        torque = torque - m.contact.radius[i] * creep[i].force.xi;
        const Scalar up = w.vertical[i] * w.normal[i], turn = w.lever[i] * w.normal[i];
        f.z = f.z + up;
        f.roll = f.roll + turn;
        f.y = f.y - (m.z_y * up + m.kappa * turn);
        f.yaw = f.yaw - m.z_psi * up;
    }
    const Scalar sr = sin(m.roll), cr = cos(m.roll), sc = sr * cr, both = m.psi_rate * m.roll_rate;
    const Scalar L = inertia.spin * (omega + m.spin_rate + m.psi_rate * sr);
    Vector<Scalar, 6> acceleration;
    acceleration[0] = x / inertia.mass;
    acceleration[1] = f.y / inertia.mass;
    acceleration[2] = f.z / inertia.mass - inertia.gravity;
    acceleration[3] = (f.roll + L * m.psi_rate * cr) / inertia.inertia - m.psi_rate * m.psi_rate * sc;
    acceleration[5] = (f.yaw - torque * sr - L * m.roll_rate * cr + Scalar(2.0) * inertia.inertia * both * sc) /
                      (inertia.inertia * cr * cr);
    acceleration[4] = torque / inertia.spin - acceleration[5] * sr - both * cr;
    return acceleration;
}

/// The loads of both wheels. @rt
template <Real Scalar>
[[nodiscard]] std::array<WheelLoad<Scalar>, 2> free_wheel_loads(const FreeWheelset<Scalar>& w,
                                                                const std::array<WheelCreep<Scalar>, 2>& creep,
                                                                const Scalar& flange, const Scalar& r0) noexcept {
    std::array<WheelLoad<Scalar>, 2> loads;
    const std::size_t pressed = value_of(w.motion.rho) > 0.0 ? 0 : 1;
    for (std::size_t i = 0; i < 2; ++i) {
        const Scalar s(i == 0 ? 1.0 : -1.0), c = creep[i].cosine, n = creep[i].sine, &T = creep[i].force.eta;
        loads[i] = {w.normal[i], w.normal[i] * c + s * T * n, T * c - s * w.normal[i] * n};
        if (i == pressed) loads[i].lateral = loads[i].lateral - flange / (Scalar(1.0) + r0 * w.motion.kappa);
    }
    return loads;
}

}  // namespace panto::vehicle
