// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Thermodynamic model of an air spring: bellows 1 and reservoir 2 are joined by an orifice. Each has a mass and an
/// internal energy,
///     m1' = -G ,  U1' = -beta1 (T1 - T0) - p1 V1' - c_p T_u G ,   V1 = V10 - A x ,
///     m2' =  G ,  U2' = -beta2 (T2 - T0)          + c_p T_u G ,   U = c_v m T ,  p V = m R T ,
/// with the compression x and F = (p1 - p_a) A. The mass flow G goes from the higher pressure p_u, at temperature T_u,
/// to the lower one p_d. With xi = p_d/p_u, the flow above the critical ratio is
///     G = mu A_o p_u sqrt(2 kappa/((kappa - 1) R T_u) (xi^(2/kappa) - xi^((kappa+1)/kappa))) ,
/// and at and below it (choked flow)
///     G = mu A_o p_u sqrt(kappa/(R T_u)) (2/(kappa + 1))^((kappa+1)/(2 (kappa-1))) .
/// [isentropic nozzle flow; Krettek, Sobczak 1988. In the thesis, (B.12) and (B.13) have the exponents on other ratios
/// and no choked branch; (B.6) and (B.7) contain no mass.] Near equal pressures the slope of the square root becomes
/// infinite. Therefore the flow is linear where 1 - xi is small: derivatives exist, and explicit steps do not chatter.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/element/air_spring.hpp>
#include <panto/element/memory.hpp>

#include <cmath>
#include <numbers>

namespace panto::element {

template <Real Scalar = double>
struct Gas {
    Scalar kappa{1.4};                                                                     ///< -, c_p/c_v
    Scalar constant{287.05};                                                               ///< J/(kg K), R
    [[nodiscard]] Scalar cv() const noexcept { return constant / (kappa - Scalar(1.0)); }  ///< J/(kg K)
    [[nodiscard]] Scalar cp() const noexcept { return kappa * cv(); }                      ///< J/(kg K)
    /// The ratio of pressures p_d/p_u at and below which the flow is choked.
    [[nodiscard]] Scalar critical_ratio() const noexcept {
        using std::pow;
        return pow(Scalar(2.0) / (kappa + Scalar(1.0)), kappa / (kappa - Scalar(1.0)));
    }
};

/// Mass flow, kg/s, positive from 1 to 2. Pressures are absolute, Pa; temperatures in K; `area` is mu A_o, m^2. The
/// flow is linear where 1 - xi is below `linear`. @rt
template <Real Scalar>
[[nodiscard]] Scalar orifice_flow(const Gas<Scalar>& gas, const Scalar& area, const Scalar& p1, const Scalar& T1,
                                  const Scalar& p2, const Scalar& T2, double linear = 1e-5) noexcept {
    using std::pow, std::sqrt;
    const bool forward = !(value_of(p1) < value_of(p2));
    const Scalar &pu = forward ? p1 : p2, &pd = forward ? p2 : p1, &Tu = forward ? T1 : T2;
    const Scalar one(1.0), two(2.0), k = gas.kappa;
    const Scalar sign(forward ? 1.0 : -1.0);
    const Scalar root = sqrt(gas.constant * Tu);
    const Scalar ratio = pd / pu;
    if (!(value_of(ratio) > value_of(gas.critical_ratio())))
        return sign * area * pu / root * sqrt(k) * pow(two / (k + one), (k + one) / (two * (k - one)));
    const auto nozzle = [&](const Scalar& x) -> Scalar {
        return sqrt(two * k / (k - one) * (pow(x, two / k) - pow(x, (k + one) / k)));
    };
    if (1.0 - value_of(ratio) < linear)
        return sign * area * pu / root * nozzle(Scalar(1.0 - linear)) * ((one - ratio) / Scalar(linear));
    return sign * area * pu / root * nozzle(ratio);
}

template <Real Scalar = double>
struct AirVolumesParams {
    AirSpringGeometry<Scalar> geometry{};
    Gas<Scalar> gas{};           ///< the kappa of this gas is used, not that of the geometry
    Scalar temperature{293.15};  ///< K, T0, of the surroundings, and of the air at rest
    Scalar orifice{};            ///< m^2, mu A_o; 0 for closed
    Scalar heat_bellows{0.0};    ///< W/K, beta1
    Scalar heat_reservoir{0.0};  ///< W/K, beta2
    double linear = 1e-5;        ///< -, 1 - xi below which the flow is linear; 0: nowhere
};

/// Bellows and reservoir with their thermodynamics. x is the compression from rest, m. The force is that of the whole
/// spring, N: at rest it is (p - p_a) A.
template <Real Scalar = double>
class AirVolumes {
  public:
    using Memory = Vector<Scalar, 4>;  ///< m1 in kg, U1 in J, m2, U2

    /// @throws SetupError naming the invalid parameter.
    explicit AirVolumes(const AirVolumesParams<Scalar>& params) : p_(params) {
        const char* where = "element::AirVolumes";
        validate(p_.geometry);
        require(value_of(p_.gas.kappa) > 1.0 && value_of(p_.gas.kappa) <= 2.0, where, "gas.kappa is ",
                value_of(p_.gas.kappa), ", must be above 1 and at most 2");
        require_positive(value_of(p_.gas.constant), where, "gas.constant");
        require_positive(value_of(p_.temperature), where, "temperature");
        require_not_negative(value_of(p_.orifice), where, "orifice");
        require_not_negative(value_of(p_.heat_bellows), where, "heat_bellows");
        require_not_negative(value_of(p_.heat_reservoir), where, "heat_reservoir");
        require(p_.linear >= 0.0 && p_.linear <= 0.1, where, "linear is ", p_.linear, ", must be from 0 to 0.1");
    }

    [[nodiscard]] static Scalar round_orifice(const Scalar& bore, const Scalar& coefficient) {
        return coefficient * Scalar(std::numbers::pi / 4.0) * bore * bore;  ///< m^2, mu A_o; bore: m
    }

    [[nodiscard]] Memory rest() const {
        const auto& g = p_.geometry;
        const Scalar per_volume = g.pressure / (p_.gas.constant * p_.temperature);
        const Scalar energy = p_.gas.cv() * p_.temperature;
        Memory z;
        z << per_volume * g.bellows, per_volume * g.bellows * energy, per_volume * g.reservoir,
            per_volume * g.reservoir * energy;
        return z;
    }

    /// Pressure in the bellows, Pa. @rt
    [[nodiscard]] Scalar pressure(const Scalar& x, const Memory& z) const noexcept {
        return (p_.gas.kappa - Scalar(1.0)) * z[1] / volume(x);
    }
    /// @rt
    [[nodiscard]] Scalar force(const Scalar& x, const Scalar&, const Memory& z) const noexcept {
        return (pressure(x, z) - p_.geometry.ambient) * p_.geometry.area;
    }
    /// @rt
    void rate(const Scalar& x, const Scalar& v, const Memory& z, Memory& dz) const noexcept {
        const auto& gas = p_.gas;
        const Scalar p1 = pressure(x, z), p2 = (gas.kappa - Scalar(1.0)) * z[3] / p_.geometry.reservoir;
        const Scalar T1 = z[1] / (gas.cv() * z[0]), T2 = z[3] / (gas.cv() * z[2]);
        Scalar flow(0.0), energy(0.0);
        if (value_of(p_.orifice) > 0.0) {
            flow = orifice_flow(gas, p_.orifice, p1, T1, p2, T2, p_.linear);
            energy = gas.cp() * (value_of(flow) < 0.0 ? T2 : T1) * flow;
        }
        dz[0] = -flow;
        dz[1] = p1 * p_.geometry.area * v - energy - p_.heat_bellows * (T1 - p_.temperature);
        dz[2] = flow;
        dz[3] = energy - p_.heat_reservoir * (T2 - p_.temperature);
    }
    /// @rt
    void accept(const Scalar&, const Scalar&, Memory&) const noexcept {}

    /// Heat that flows to the surroundings, W. @rt
    [[nodiscard]] Scalar heat_loss(const Memory& z) const noexcept {
        const Scalar cv = p_.gas.cv();
        return p_.heat_bellows * (z[1] / (cv * z[0]) - p_.temperature) +
               p_.heat_reservoir * (z[3] / (cv * z[2]) - p_.temperature);
    }
    [[nodiscard]] const AirVolumesParams<Scalar>& params() const noexcept { return p_; }

  private:
    [[nodiscard]] Scalar volume(const Scalar& x) const noexcept { return p_.geometry.bellows - p_.geometry.area * x; }
    AirVolumesParams<Scalar> p_;
};

static_assert(ForceElement<AirVolumes<>>);

}  // namespace panto::element
