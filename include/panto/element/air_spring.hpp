// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Linear air springs (symbols: AirSpringGeometry, NishimuraParams). Vertical, Nishimura's model: the reservoir K2 and
/// the orifice C are in parallel, the bellows K1 are in series with both, and the change of area K3 is in parallel with
/// all of them,
///     K(s) = K3 + K1 (K2 + s C)/(K1 + K2 + s C) ,
///     K1 = kappa p A^2/V_b ,  K2 = kappa p A^2/V_r ,  K3 = (p - p_a) dA/dz .
/// The static stiffness is kappa p A^2/(V_b + V_r) + K3. Im K has a peak of K1^2/(2 (K1 + K2)) at (K1 + K2)/C rad/s.
/// The model of the program Vampire adds the mass M of the air in the pipe, in parallel with K2 and C, which changes
/// K(s), and a rubber spring K4 in series with all, which gives the second expression:
///     K(s) = K3 + K1 (K2 + s C + s^2 M)/(K1 + K2 + s C + s^2 M) ,   1/(1/K + 1/K4) .
/// Lateral: friction with memory F_h' = |v|/alpha (sgn(v) F_m - F_h), a spring, and a Maxwell arm. In a steady loop of
/// amplitude Y the friction reaches F_m tanh(Y/alpha). [Kraft 2012, 2.3.2.1; C is R_f A^2 rho g: (2.47) prints p for
/// rho.]
/// The thermodynamic model is in air_volumes.hpp.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/element/memory.hpp>
#include <panto/element/rubber.hpp>

#include <complex>

namespace panto::element {

/// Gas and dimensions of an air spring.
template <Real Scalar = double>
struct AirSpringGeometry {
    Scalar pressure{6e5};     ///< Pa, p, absolute, at rest
    Scalar ambient{1.013e5};  ///< Pa, p_a
    Scalar area{0.2};         ///< m^2, A, effective
    Scalar bellows{0.045};    ///< m^3, V_b
    Scalar reservoir{0.06};   ///< m^3, V_r
    Scalar area_slope{0.0};   ///< m, dA/dz with compression
    Scalar kappa{1.4};        ///< -, polytropic exponent of the gas
};

/// @throws SetupError naming the field.
template <Real Scalar>
void validate(const AirSpringGeometry<Scalar>& g) {
    const char* where = "element::AirSpringGeometry";
    require_positive(value_of(g.ambient), where, "ambient");
    require_positive(value_of(g.pressure), where, "pressure");
    require(value_of(g.pressure) > value_of(g.ambient), where, "pressure is ", value_of(g.pressure),
            " Pa absolute, must be above ambient, ", value_of(g.ambient));
    require_positive(value_of(g.area), where, "area");
    require_positive(value_of(g.bellows), where, "bellows");
    require_positive(value_of(g.reservoir), where, "reservoir");
    require_finite(value_of(g.area_slope), where, "area_slope");
    require(value_of(g.kappa) >= 1.0 && value_of(g.kappa) <= 2.0, where, "kappa is ", value_of(g.kappa),
            ", must be from 1 (isothermal) to 2");
}

template <Real Scalar = double>
struct NishimuraParams {
    Scalar bellows{};       ///< N/m, K1
    Scalar reservoir{};     ///< N/m, K2
    Scalar area{};          ///< N/m, K3; may be negative
    Scalar orifice{};       ///< N s/m, C
    Scalar pipe_mass{0.0};  ///< kg, M, referred to the stroke of the spring; 0 for Nishimura's model
    Scalar rubber{0.0};     ///< N/m, K4 in series; 0 for a rigid connection

    /// K1, K2, K3 from the dimensions of a spring; `orifice` is C. @throws SetupError as validate.
    [[nodiscard]] static NishimuraParams of(const AirSpringGeometry<Scalar>& g, const Scalar& orifice) {
        validate(g);
        const Scalar gas = g.kappa * g.pressure * g.area * g.area;
        return {gas / g.bellows, gas / g.reservoir, (g.pressure - g.ambient) * g.area_slope, orifice};
    }
};

/// Vertical air spring about its static state: compression x and force are the differences from the static ones. The
/// memory is the stroke of the air in the pipe, m, and, with a pipe mass, the speed of this air, m/s.
template <Real Scalar = double>
class LinearAirSpring {
  public:
    using Memory = Vector<Scalar, 2>;

    /// @throws SetupError naming the invalid parameter.
    explicit LinearAirSpring(const NishimuraParams<Scalar>& params) : p_(params) {
        const char* where = "element::LinearAirSpring";
        require_positive(value_of(p_.bellows), where, "bellows");
        require_not_negative(value_of(p_.reservoir), where, "reservoir");
        require_finite(value_of(p_.area), where, "area");
        require_positive(value_of(p_.orifice), where, "orifice");
        require_not_negative(value_of(p_.pipe_mass), where, "pipe_mass");
        require_not_negative(value_of(p_.rubber), where, "rubber");
        require(static_stiffness() > 0.0, where, "area is ", value_of(p_.area),
                " N/m, which makes the static stiffness negative or 0; must be more than ",
                value_of(p_.area) - static_stiffness());
    }

    [[nodiscard]] Memory rest() const { return Memory::Constant(Scalar(0.0)); }
    /// @rt
    [[nodiscard]] Scalar force(const Scalar& x, const Scalar&, const Memory& z) const noexcept {
        const Scalar u = inside(x, z);
        return p_.area * u + p_.bellows * (u - z[0]);
    }
    /// @rt
    void rate(const Scalar& x, const Scalar&, const Memory& z, Memory& dz) const noexcept {
        const Scalar push = p_.bellows * (inside(x, z) - z[0]) - p_.reservoir * z[0];
        if (value_of(p_.pipe_mass) > 0.0) {
            dz[0] = z[1];
            dz[1] = (push - p_.orifice * z[1]) / p_.pipe_mass;
        } else {
            dz[0] = push / p_.orifice;
            dz[1] = Scalar(0.0);
        }
    }
    /// @rt
    void accept(const Scalar&, const Scalar&, Memory&) const noexcept {}

    /// Dynamic stiffness, N/m, at the angular frequency `omega`, rad/s.
    [[nodiscard]] std::complex<double> dynamic_stiffness(double omega) const {
        const std::complex<double> s{0.0, omega};
        const std::complex<double> lower =
            value_of(p_.reservoir) + s * value_of(p_.orifice) + s * s * value_of(p_.pipe_mass);
        const std::complex<double> K =
            value_of(p_.area) + value_of(p_.bellows) * lower / (value_of(p_.bellows) + lower);
        const double K4 = value_of(p_.rubber);
        return K4 > 0.0 ? K * K4 / (K + K4) : K;
    }

    [[nodiscard]] const NishimuraParams<Scalar>& params() const noexcept { return p_; }

  private:
    /// Static stiffness without the rubber spring, N/m.
    [[nodiscard]] double static_stiffness() const {
        const double K1 = value_of(p_.bellows), K2 = value_of(p_.reservoir);
        return value_of(p_.area) + K1 * K2 / (K1 + K2);
    }
    /// Compression of the air spring, without that of the rubber spring, m.
    [[nodiscard]] Scalar inside(const Scalar& x, const Memory& z) const noexcept {
        if (!(value_of(p_.rubber) > 0.0)) return x;
        return (p_.rubber * x + p_.bellows * z[0]) / (p_.rubber + p_.area + p_.bellows);
    }
    NishimuraParams<Scalar> p_;
};

template <Real Scalar = double>
struct LateralAirSpringParams {
    Scalar friction{};         ///< N, F_m
    Scalar friction_stroke{};  ///< m, alpha
    Scalar stiffness{};        ///< N/m, K_y
    MaxwellArm<Scalar> arm{};  ///< K_c and C_y in series
};

/// Lateral air spring. Its memory is the friction force and the force of the arm, N.
template <Real Scalar = double>
class LateralAirSpring {
  public:
    using Memory = Vector<Scalar, 2>;

    /// @throws SetupError naming the invalid parameter. An arm of stiffness 0 is left out.
    explicit LateralAirSpring(const LateralAirSpringParams<Scalar>& params) : p_(params) {
        const char* where = "element::LateralAirSpring";
        require_not_negative(value_of(p_.friction), where, "friction");
        require_positive(value_of(p_.friction_stroke), where, "friction_stroke");
        require_not_negative(value_of(p_.stiffness), where, "stiffness");
        require_not_negative(value_of(p_.arm.stiffness), where, "arm.stiffness");
        if (value_of(p_.arm.stiffness) > 0.0) require_positive(value_of(p_.arm.damping), where, "arm.damping");
    }

    [[nodiscard]] Memory rest() const { return Memory::Constant(Scalar(0.0)); }
    /// @rt
    [[nodiscard]] Scalar force(const Scalar& x, const Scalar&, const Memory& z) const noexcept {
        return p_.stiffness * x + z[0] + z[1];
    }
    /// @rt
    void rate(const Scalar&, const Scalar& v, const Memory& z, Memory& dz) const noexcept {
        const Scalar size = value_of(v) < 0.0 ? Scalar(-v) : v;
        dz[0] = (v * p_.friction - size * z[0]) / p_.friction_stroke;
        dz[1] = Scalar(0.0);
        if (value_of(p_.arm.stiffness) > 0.0) dz[1] = p_.arm.stiffness * (v - z[1] / p_.arm.damping);
    }
    /// @rt
    void accept(const Scalar&, const Scalar&, Memory&) const noexcept {}

  private:
    LateralAirSpringParams<Scalar> p_;
};

static_assert(ForceElement<LinearAirSpring<>> && ForceElement<LateralAirSpring<>>);

}  // namespace panto::element
