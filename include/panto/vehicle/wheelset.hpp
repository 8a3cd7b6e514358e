// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A wheelset with two degrees of freedom, y to the left and yaw psi, that stays on its rails: roll and height follow
/// from its position and from the track. With d_y, d_z, gamma of the track below the wheelset (track.hpp) and a prime
/// for the derivative with respect to position, so that their rates at the speed v are v d_y', v d_z' and v gamma',
///     rho = y - d_y + r0 gamma ,  psi_r = psi - d_y' ,  roll = gamma + roll(rho) ,
///     z = d_z + gamma rho - r0 gamma^2/2 + lift(rho) - xi psi_r^2/2 .
/// Slip of a wheel against its rail, left s = +1, right s = -1, with the rolling radius r_s, the contact angle delta_s
/// and the half distance a of the contacts (contact_geometry.hpp):
///     s_x = v - s a dpsi/dt - r_s Omega cos(psi_r) ,  s_y = dy/dt - v d_y' + r_s droll/dt - r_s Omega sin(psi_r) ,
///     s_z = dz/dt + s a (droll/dt - v gamma') - v d_z' ,  s_eta = s_y cos(delta_s) + s s_z sin(delta_s) ,
///     spin = (-s Omega sin(delta_s - s (roll - gamma)) + dpsi/dt cos(delta_s))/v ,  Omega = v/r0 .
/// Creep forces enter the two equations by the virtual power of the same slip.
/// [Kraft 2012, ch. 2, corrected: there gamma rho and v gamma' are missing, left and right are exchanged in (2.29) and
/// (2.31), and by (2.30) a wheelset creeps although it follows its track. See docs/vehicle.md.]

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/vehicle/contact_geometry.hpp>
#include <panto/vehicle/creep.hpp>
#include <panto/vehicle/track.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace panto::vehicle {

/// The normal forces used for creep.
enum class NormalForce {
    at_rest,  ///< the static load, as in the thesis
    dynamic   ///< the present load, computed with creep under the static one
};

/// The form of the equations. The printed ones are available for comparison.
struct WheelsetForm {
    NormalForce normal_force = NormalForce::at_rest;
    bool printed_cross_level = false;  ///< height without gamma rho, slip without v gamma'
    bool printed_order = false;        ///< left and right exchanged in slip and spin: unstable at every speed
    bool printed_spin = false;         ///< sin(delta_s) instead of the sine of the angle between contact plane and axle
};

/// Optional flange contact: an elastic stop for the shift rho, without friction, smooth so that it has derivatives,
///     F = k w [ln(1 + exp((rho - clearance)/w)) - ln(1 + exp((-rho - clearance)/w))] .
template <Real Scalar = double>
struct Flange {
    Scalar stiffness{0.0};   ///< N/m, k; 0 for no flange
    Scalar clearance{7e-3};  ///< m
    Scalar width{0.3e-3};    ///< m, w, width of the transition

    /// The force in N, with the sign of rho; it acts against rho. @rt
    [[nodiscard]] Scalar force(const Scalar& rho) const noexcept {
        if (!(value_of(stiffness) > 0.0)) return Scalar(0.0);
        const auto softplus = [&](const Scalar& x) -> Scalar {
            using std::exp, std::log;
            const Scalar u = x / width;
            return value_of(u) > 30.0 ? x : Scalar(width * log(Scalar(1.0) + exp(u)));
        };
        return stiffness * (softplus(rho - clearance) - softplus(-rho - clearance));
    }
};

/// @throws SetupError naming the field: a negative stiffness, or a clearance or width that is not positive.
template <Real Scalar>
void validate(const Flange<Scalar>& f, std::string_view where) {
    require_not_negative(value_of(f.stiffness), where, "flange.stiffness");
    require_positive(value_of(f.clearance), where, "flange.clearance");
    require_positive(value_of(f.width), where, "flange.width");
}

/// Position and motion of a wheelset and of the track below it.
template <Real Scalar>
struct WheelsetMotion {
    Scalar y, psi, y_rate, psi_rate;          ///< the two degrees of freedom
    Scalar rho, rho_rate, psi_r, psi_r_rate;  ///< relative to the track
    Scalar gamma, gamma_rate;                 ///< rad, rad/s, of the track
    Scalar roll, roll_rate, z, z_rate;        ///< follow from the others
    Scalar kappa, z_y, z_psi;                 ///< derivatives of roll and z with respect to y and psi
    Scalar roll_drive, z_drive;               ///< accelerations of roll and z for constant rates of y and psi
    Scalar track_y_rate, track_z_rate;        ///< m/s
    Scalar x_rate{0.0}, spin_rate{0.0};       ///< m/s, rad/s, beyond rolling at constant speed, of six freedoms
    WheelsetContact<Scalar> contact;
};

/// @rt
template <Real Scalar, class Geometry>
[[nodiscard]] WheelsetMotion<Scalar> wheelset_motion(const Geometry& geometry, const Scalar& r0, const Scalar& v,
                                                     const Scalar& y, const Scalar& psi, const Scalar& y_rate,
                                                     const Scalar& psi_rate, const TrackPoint<Scalar>& t,
                                                     bool printed_cross_level) noexcept {
    const Scalar v2 = v * v, half(0.5), xi = geometry.xi();
    const Scalar &gamma = t.roll.value, gamma_rate = v * t.roll.slope, gamma_acc = v2 * t.roll.curvature;
    const Scalar dy_rate = v * t.lateral.slope, dz_rate = v * t.vertical.slope;
    const Scalar rho = y - t.lateral.value + r0 * gamma, rho_rate = y_rate - dy_rate + r0 * gamma_rate;
    const Scalar psi_r = psi - t.lateral.slope, psi_r_rate = psi_rate - v * t.lateral.curvature;
    const Scalar drive = r0 * gamma_acc - v2 * t.lateral.curvature;  // acceleration of rho without that of y
    WheelsetMotion<Scalar> m;
    m.contact = geometry.at(rho);
    const auto& c = m.contact;
    m.y = y, m.psi = psi, m.y_rate = y_rate, m.psi_rate = psi_rate;
    m.rho = rho, m.rho_rate = rho_rate, m.psi_r = psi_r, m.psi_r_rate = psi_r_rate;
    m.gamma = gamma, m.gamma_rate = gamma_rate;
    m.track_y_rate = dy_rate, m.track_z_rate = dz_rate;
    m.kappa = c.roll_slope;
    m.roll = gamma + c.roll;
    m.roll_rate = gamma_rate + c.roll_slope * rho_rate;
    m.roll_drive = gamma_acc + c.roll_slope * drive + c.roll_curvature * rho_rate * rho_rate;
    m.z_y = c.lift_slope;
    m.z_psi = -(xi * psi_r);
    m.z = t.vertical.value - half * r0 * gamma * gamma + c.lift - half * xi * psi_r * psi_r;
    m.z_rate = dz_rate - r0 * gamma * gamma_rate + c.lift_slope * rho_rate + m.z_psi * psi_r_rate;
    m.z_drive = v2 * t.vertical.curvature - r0 * (gamma_rate * gamma_rate + gamma * gamma_acc) +
                c.lift_curvature * rho_rate * rho_rate - xi * psi_r_rate * psi_r_rate;
    if (!printed_cross_level) {
        m.z_y = m.z_y + gamma;
        m.z = m.z + gamma * rho;
        m.z_rate = m.z_rate + gamma_rate * rho + gamma * rho_rate;
        m.z_drive = m.z_drive + gamma_acc * rho + Scalar(2.0) * gamma_rate * rho_rate;
    }
    m.z_drive = m.z_drive + m.z_y * drive;
    return m;
}

/// Creep in one contact.
template <Real Scalar>
struct WheelCreep {
    Creepage<Scalar> creepage;
    CreepForce<Scalar> force;  ///< on the wheel
    Scalar sine, cosine;       ///< of the contact angle
};

/// Slip and creep of one wheel, `side` 0 left, 1 right. @rt
template <Real Scalar, class Law>
[[nodiscard]] WheelCreep<Scalar> wheel_creep(const WheelsetMotion<Scalar>& m, std::size_t side, const Scalar& a,
                                             const Scalar& r0, const Scalar& v, const ContactPatch<Scalar>& patch,
                                             const Law& law, const WheelsetForm& form) noexcept {
    using std::cos, std::sin, std::sqrt;
    const Scalar s(side == 0 ? 1.0 : -1.0), slip_side = form.printed_order ? -s : s;
    const Scalar r = m.contact.radius[side], t = m.contact.tangent[side], omega = v / r0;
    const Scalar cosine = Scalar(1.0) / sqrt(Scalar(1.0) + t * t), sine = t * cosine;
    const Scalar sx = v + m.x_rate - slip_side * a * m.psi_rate - r * (omega + m.spin_rate) * cos(m.psi_r);
    const Scalar sy = m.y_rate - m.track_y_rate + r * m.roll_rate - r * omega * sin(m.psi_r);
    const Scalar turn = form.printed_cross_level ? m.roll_rate : Scalar(m.roll_rate - m.gamma_rate);
    const Scalar sz = m.z_rate + s * a * turn - m.track_z_rate;
    const Scalar tilt = m.roll - m.gamma;
    // sin(delta - s tilt)
    const Scalar against_axle = form.printed_spin ? sine : Scalar(sine * cos(tilt) - s * cosine * sin(tilt));
    const Creepage<Scalar> nu{sx / v, (sy * cosine + s * sz * sine) / v,
                              (m.psi_rate * cosine - slip_side * omega * against_axle) / v};
    return {nu, law(nu, patch), sine, cosine};
}

/// The same under the present load of this wheel in N; a wheel that has lifted has no creep. @rt
template <Real Scalar, class Law>
[[nodiscard]] WheelCreep<Scalar> wheel_creep_under(const Scalar& load, const WheelsetMotion<Scalar>& m,
                                                   std::size_t side, const Scalar& a, const Scalar& r0, const Scalar& v,
                                                   const ContactPatch<Scalar>& patch, const Law& law,
                                                   const WheelsetForm& form) noexcept {
    const Scalar least = patch.load * Scalar(1e-9);
    return wheel_creep(m, side, a, r0, v, patch.under(value_of(load) > value_of(least) ? load : least), law, form);
}

}  // namespace panto::vehicle
