// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A beam on a knife edge with an unknown moment there, clamped to a shaker table at the other end
/// [Ward, Goodson 1972, (16)-(20)]:
///
///     m y_tt + D y_t + EI y_xxxx = 0,   y(0) = 0,   EI y_xx(0) = M(t),   y(L) = z(t),   y_x(L) = 0 .
///
/// Modes of the beam that is hinged at 0 and clamped at L (tan g = tanh g), driven by z and M themselves:
///     (m L^4/EI) q'' + (D L^4/EI) q' + g^4 q = [phi'''(1) z - phi'(0) M L^2/EI] / int phi^2 .
/// The static contribution of the omitted modes is in the outputs in closed form, so that few modes suffice. A mode
/// near or above the Nyquist frequency must be omitted: with an input linear between samples it feeds back with the
/// wrong phase, and a stiff law makes it chatter.
///
/// The sensor is a strain gauge, its output the bending moment EI y_xx(x_m); the boundary variable is the slope y_x(0).
/// A restoring spring has M > 0 for a positive slope.

#pragma once

#include <panto/field/modal_field.hpp>

#include <algorithm>
#include <numbers>
#include <string>
#include <utility>

namespace panto::ident {

template <Real Scalar = double>
struct SpringBeamParams {
    Scalar length = Scalar(1.0);             ///< m
    Scalar mass_per_length = Scalar(0.01);   ///< kg/m
    Scalar damping = Scalar(0.03);           ///< N s/m^2, per length and speed
    Scalar internal_damping = Scalar(0.0);   ///< s; this time times the modal stiffness is added to the modal damping
    Scalar bending_stiffness = Scalar(1.0);  ///< N m^2
    double sensor = 0.14;  ///< place of the strain gauge from the knife edge, as a fraction of the length
    int modes = 0;         ///< 0: all with a phase below 2.5 rad per step, at least 3 and at most 60
};

/// Inputs: motion of the table z [m], moment at the knife edge M [N m]. Outputs: bending moment [N m], slope.
template <Real Scalar = double>
using SpringBeam = ModalField<Scalar, 2, 1>;

/// n-th root (from 1) of tan g = tanh g: the wave number of a beam hinged at one end and clamped at the other.
/// @throws SetupError if n is below 1.
[[nodiscard]] inline double hinged_clamped_root(int n) {
    require(n >= 1, "ident::hinged_clamped_root", "n is ", n, ", must be at least 1");
    double g = (n + 0.25) * std::numbers::pi;
    for (int k = 0; k < 4; ++k) {  // tan g - tanh g as sin - cos tanh: bounded, slope about +-sqrt(2)
        const double t = std::tanh(g), f = std::sin(g) - std::cos(g) * t;
        g -= f / (std::cos(g) + std::sin(g) * t - std::cos(g) * (1.0 - t * t));
    }
    return g;
}

/// @throws SetupError if a parameter is not positive (dampings: negative), the sensor is not between 0 and 1, or modes
/// is not from 0 to 200.
template <Real Scalar = double>
[[nodiscard]] SpringBeam<Scalar> spring_beam(const SpringBeamParams<Scalar>& p, double dt) {
    constexpr const char* here = "ident::spring_beam";
    require_positive(value_of(p.length), here, "length");
    require_positive(value_of(p.mass_per_length), here, "mass_per_length");
    require_positive(value_of(p.bending_stiffness), here, "bending_stiffness");
    require_not_negative(value_of(p.damping), here, "damping");
    require_not_negative(value_of(p.internal_damping), here, "internal_damping");
    require_positive(dt, here, "dt");
    require(p.sensor > 0.0 && p.sensor < 1.0, here, "sensor is ", p.sensor,
            ", must be between 0 and 1, as a part of the length");
    require(p.modes >= 0 && p.modes <= 200, here, "modes is ", p.modes, ", must be from 0 to 200");

    using std::sqrt;
    const Scalar L2 = p.length * p.length;
    const Scalar inertia = p.mass_per_length * L2 * L2 / p.bending_stiffness;  // s^2
    require_positive(value_of(inertia), here, "mass_per_length length^4 / bending_stiffness");
    const Scalar viscous = p.damping * L2 * L2 / p.bending_stiffness;  // s
    const Scalar curvature = L2 / p.bending_stiffness;                 // of the scaled beam, m per N m
    const Scalar strain = Scalar(1.0) / curvature;
    const double x = p.sensor;

    using Field = SpringBeam<Scalar>;
    typename Field::Direct sensor, slope;
    // The static shape of y(0) = 0, y''(0) = m, y(1) = z, y'(1) = 0 is z (3x - x^3)/2 + m (-x/4 + x^2/2 - x^3/4).
    sensor.now = {Scalar(-3.0 * x) * strain, Scalar(1.0 - 1.5 * x)};
    slope.now = {Scalar(1.5) / p.length, Scalar(-0.25) * curvature / p.length};
    sensor.before = slope.before = {Scalar(0.0), Scalar(0.0)};

    int count = p.modes;
    if (count == 0) {
        const double reach = std::sqrt(2.5 / dt * std::sqrt(value_of(inertia)));  // of the wave number
        count = static_cast<int>(std::clamp(reach / std::numbers::pi - 0.25, 3.0, 60.0));
    }
    std::vector<typename Field::Mode> modes(static_cast<std::size_t>(count));
    for (int n = 1; n <= count; ++n) {
        auto& mode = modes[static_cast<std::size_t>(n - 1)];
        // phi = sin g x - rho sinh g x, rho = sin g / sinh g; int phi^2 = (1 - rho^2)/2.
        const double g = hinged_clamped_root(n), g4 = g * g * g * g, rho = std::sin(g) / std::sinh(g);
        const double sinh_ratio = std::exp(g * (x - 1.0)) * std::expm1(-2.0 * g * x) / std::expm1(-2.0 * g);
        const double bending = g * g * (-std::sin(g * x) - std::sin(g) * sinh_ratio);  // phi''(x)
        const double turn = g * (1.0 - rho), weight = 2.0 / (1.0 - rho * rho);         // phi'(0)
        const double by_motion = -2.0 * g * g * g * std::cos(g) * weight, by_moment = -turn * weight;

        const Scalar stiffness = Scalar(g4) / inertia, omega = sqrt(stiffness);  // rad/s, also the scale of the rate
        const Scalar damping = (viscous + p.internal_damping * Scalar(g4)) / inertia;
        const Scalar drive = Scalar(1.0) / (inertia * omega);
        detail::discretize<Scalar, 2, 2>({{{Scalar(0.0), omega}, {Scalar(0.0) - omega, Scalar(0.0) - damping}}},
                                         {drive * Scalar(by_motion), drive * curvature * Scalar(by_moment)}, dt, mode);
        mode.sensor = strain * Scalar(bending), mode.boundary = Scalar(turn) / p.length;
        const std::array<Scalar, 2> at_rest{Scalar(by_motion / g4), curvature * Scalar(by_moment / g4)};
        for (std::size_t j = 0; j < 2; ++j) {
            sensor.now[j] = sensor.now[j] - mode.sensor * at_rest[j];
            slope.now[j] = slope.now[j] - mode.boundary * at_rest[j];
        }
    }
    return Field(std::move(modes), sensor, slope, dt);
}

}  // namespace panto::ident
