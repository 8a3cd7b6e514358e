// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Springs without memory: coil and flexicoil springs, spring and damper in parallel, stops, anti-roll bar, traction
/// rod.
///     coil, axial stiffness  c = G d^4/(64 i r^3)                      r the mean RADIUS of the coil
///     coil, lateral stiffness under the axial load F:
///       rod        shear stiffness S = E L d^4/(64 i r^3) ,  bending stiffness B = L d^4/(i r (64/E + 32/G))
///       Haringx    k^2 = F (1 + F/S)/B ,    c = F/[(2/k)(1 + F/S) tan(k L/2) - L]
///       Engesser   k^2 = F/(B (1 - F/S)) ,  c = F/[(2/k) tan(k L/2)/(1 - F/S) - L]
/// d, r, i, L and Young's modulus E are those of CoilSpring; G = E/(2 (1 + nu)) is the shear modulus with Poisson's
/// ratio nu. Without load both models give c = 1/(L^3/(12 B) + L/S). They hold for clamped ends that stay parallel and
/// for k L < pi. For springs use Haringx. [Haringx 1948; Engesser 1891. (2.52) and (2.53) of Kraft's thesis mix the
/// two; its 3360 and 1460 are E/64 and 1/(64/E + 32/G) in N/mm^2 for E = 215 GPa, nu = 0.3.]

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/element/contact.hpp>

#include <cmath>
#include <numbers>

namespace panto::element {

/// A helical spring of round wire.
template <Real Scalar = double>
struct CoilSpring {
    Scalar wire{};        ///< m, diameter d of the wire
    Scalar radius{};      ///< m, mean radius r of the coil
    Scalar coils{};       ///< -, i, number of active coils
    Scalar length{};      ///< m, L under load; only for the lateral stiffness
    Scalar young{210e9};  ///< Pa
    Scalar poisson{0.3};  ///< -
};

/// @throws SetupError naming the field.
template <Real Scalar>
void validate(const CoilSpring<Scalar>& s) {
    const char* where = "element::CoilSpring";
    require_positive(value_of(s.wire), where, "wire");
    require_positive(value_of(s.radius), where, "radius");
    require(value_of(s.wire) < 2.0 * value_of(s.radius), where, "wire is ", value_of(s.wire),
            " m, must be below twice the coil's mean radius, ", 2.0 * value_of(s.radius));
    require_positive(value_of(s.coils), where, "coils");
    require_not_negative(value_of(s.length), where, "length");
    require_positive(value_of(s.young), where, "young");
    require(value_of(s.poisson) > -1.0 && value_of(s.poisson) <= 0.5, where, "poisson is ", value_of(s.poisson),
            ", must be above -1 and at most 0.5");
}

/// Axial stiffness, N/m. @throws SetupError as validate.
template <Real Scalar>
[[nodiscard]] Scalar axial_stiffness(const CoilSpring<Scalar>& s) {
    validate(s);
    const Scalar d2 = s.wire * s.wire, G = s.young / (Scalar(2.0) * (Scalar(1.0) + s.poisson));
    return G * d2 * d2 / (Scalar(64.0) * s.coils * s.radius * s.radius * s.radius);
}

/// The rod that stands for the coil under a lateral load.
template <Real Scalar>
struct EquivalentRod {
    Scalar shear{};    ///< N, S, shear stiffness
    Scalar bending{};  ///< N m^2, B, bending stiffness
};

template <Real Scalar>
[[nodiscard]] EquivalentRod<Scalar> equivalent_rod(const CoilSpring<Scalar>& s) {
    validate(s);
    require_positive(value_of(s.length), "element::CoilSpring", "length");
    const Scalar d2 = s.wire * s.wire, Ld4 = s.length * d2 * d2,
                 G = s.young / (Scalar(2.0) * (Scalar(1.0) + s.poisson));
    return {s.young * Ld4 / (Scalar(64.0) * s.coils * s.radius * s.radius * s.radius),
            Ld4 / (s.coils * s.radius * (Scalar(64.0) / s.young + Scalar(32.0) / G))};
}

enum class ShearModel { haringx, engesser };

/// Lateral stiffness, N/m, under the axial `load`, N. The ends stay parallel (flexicoil).
/// @throws SetupError as validate, or if the load is negative or buckles the spring.
template <Real Scalar>
[[nodiscard]] Scalar lateral_stiffness(const CoilSpring<Scalar>& s, const Scalar& load,
                                       ShearModel model = ShearModel::haringx) {
    using std::sqrt, std::tan;
    const char* where = "element::lateral_stiffness";
    const auto [S, B] = equivalent_rod(s);
    require_not_negative(value_of(load), where, "load");
    const Scalar &L = s.length, q = load / S, one(1.0);
    require(model == ShearModel::haringx || value_of(q) < 1.0, where, "load is ", value_of(load),
            " N, must be below the shear stiffness, ", value_of(S));
    // k^2 = load factor/B. With u = k L/2, c = load/(L (factor tan(u)/u - 1)), where the difference is small if u is.
    const bool haringx = model == ShearModel::haringx;
    const Scalar factor = haringx ? Scalar(one + q) : Scalar(one / (one - q));
    const Scalar u2 = load * factor / B * L * L / Scalar(4.0), u = sqrt(u2);
    require(4.0 * value_of(u2) < std::numbers::pi * std::numbers::pi, where, "load is ", value_of(load),
            " N, under which the spring buckles; k L is ", 2.0 * std::sqrt(value_of(u2)), ", must be below pi");
    // To avoid this difference, numerator and denominator are divided by the load, with tan(u)/u - 1 = u^2 t(u); for
    // small u, t is its series.
    const Scalar t = value_of(u2) < 1e-3
                         ? Scalar(one / Scalar(3.0) +
                                  u2 * (Scalar(2.0 / 15.0) + u2 * (Scalar(17.0 / 315.0) + u2 * Scalar(62.0 / 2835.0))))
                         : Scalar((tan(u) / u - one) / u2);
    const Scalar shear = haringx ? Scalar(one / S) : Scalar(one / (S * (one - q)));  // (factor - 1)/load
    return one / (L * (shear + factor * t * factor * L * L / (Scalar(4.0) * B)));
}

/// F = k x + d v: a spring and a damper in parallel (Kelvin-Voigt); K(i omega) = k + i omega d.
template <Real Scalar = double>
struct KelvinVoigt {
    Scalar stiffness{};  ///< N/m
    Scalar damping{};    ///< N s/m
    /// @rt
    [[nodiscard]] Scalar operator()(const Scalar& x, const Scalar& v) const noexcept {
        return stiffness * x + damping * v;
    }
};

/// No force up to the gap, then a spring of stiffness k, on both sides: F = sgn(x) k max(|x| - gap, 0). With a width
/// w > 0 the transition is smooth on both sides, k w ln(1 + exp((|x| - gap)/w)).
template <Real Scalar = double>
struct BumpStop {
    Scalar gap{};        ///< m
    Scalar stiffness{};  ///< N/m
    Scalar width{0.0};   ///< m, w; 0 for a kink
    /// @rt
    [[nodiscard]] Scalar operator()(const Scalar& x, const Scalar&) const noexcept {
        return stiffness * (beyond(Scalar(x - gap)) - beyond(Scalar(-x - gap)));
    }

  private:
    [[nodiscard]] Scalar beyond(const Scalar& x) const noexcept {
        using std::exp, std::log;
        if (!(value_of(width) > 0.0)) return value_of(x) > 0.0 ? x : Scalar(0.0);
        const Scalar u = x / width;
        return value_of(u) > 30.0 ? x : Scalar(width * log(Scalar(1.0) + exp(u)));
    }
};

/// The relative roll of two bodies twists a round steel bar through levers: M = G pi d^4/(32 l) (base/lever)^2 roll,
/// with the roll in rad.
template <Real Scalar = double>
struct AntiRollBar {
    Scalar stiffness{};  ///< N m/rad
    Scalar damping{};    ///< N m s/rad
    /// @param bar            diameter d of the bar, m
    /// @param length         l of the twisted part, m
    /// @param lever          length of the levers, m
    /// @param base           distance between the links, m
    /// @param shear_modulus  G, Pa
    /// @throws SetupError naming what is not positive.
    [[nodiscard]] static AntiRollBar of(const Scalar& bar, const Scalar& length, const Scalar& lever,
                                        const Scalar& base, const Scalar& shear_modulus = Scalar(80.8e9)) {
        require_positive(value_of(bar), "element::AntiRollBar", "bar");
        require_positive(value_of(length), "element::AntiRollBar", "length");
        require_positive(value_of(lever), "element::AntiRollBar", "lever");
        require_positive(value_of(base), "element::AntiRollBar", "base");
        require_positive(value_of(shear_modulus), "element::AntiRollBar", "shear_modulus");
        const Scalar d2 = bar * bar, ratio = base / lever;
        return {Scalar(std::numbers::pi / 32.0) * shear_modulus * d2 * d2 / length * ratio * ratio, Scalar(0.0)};
    }
    /// @rt
    [[nodiscard]] Scalar operator()(const Scalar& roll, const Scalar& roll_rate) const noexcept {
        return stiffness * roll + damping * roll_rate;
    }
};

/// A rod between two rubber bushes, loaded along its axis, with play: 1/k = 1/bush + 1/bush + 1/rod.
template <Real Scalar = double>
struct TractionRod {
    Scalar bush{};     ///< N/m, of each of the two
    Scalar rod{};      ///< N/m, E A/l
    Scalar damping{};  ///< N s/m, of the whole
    Scalar play{0.0};  ///< m, to either side, without force
    [[nodiscard]] Scalar stiffness() const noexcept { return Scalar(1.0) / (Scalar(2.0) / bush + Scalar(1.0) / rod); }
    /// @rt
    [[nodiscard]] Scalar operator()(const Scalar& x, const Scalar& v) const noexcept {
        const Scalar slack = value_of(x) > 0.0 ? play : -play;
        if (value_of(play) > 0.0 && !(std::abs(value_of(x)) > value_of(play))) return Scalar(0.0);
        return stiffness() * (x - slack) + damping * v;
    }
};

/// @throws SetupError naming the field, its value and what is allowed.
template <Real Scalar>
void validate(const KelvinVoigt<Scalar>& e) {
    require_not_negative(value_of(e.stiffness), "element::KelvinVoigt", "stiffness");
    require_not_negative(value_of(e.damping), "element::KelvinVoigt", "damping");
}
template <Real Scalar>
void validate(const BumpStop<Scalar>& e) {
    require_not_negative(value_of(e.gap), "element::BumpStop", "gap");
    require_positive(value_of(e.stiffness), "element::BumpStop", "stiffness");
    require_not_negative(value_of(e.width), "element::BumpStop", "width");
}
template <Real Scalar>
void validate(const AntiRollBar<Scalar>& e) {
    require_positive(value_of(e.stiffness), "element::AntiRollBar", "stiffness");
    require_not_negative(value_of(e.damping), "element::AntiRollBar", "damping");
}
template <Real Scalar>
void validate(const TractionRod<Scalar>& e) {
    require_positive(value_of(e.bush), "element::TractionRod", "bush");
    require_positive(value_of(e.rod), "element::TractionRod", "rod");
    require_not_negative(value_of(e.damping), "element::TractionRod", "damping");
    require_not_negative(value_of(e.play), "element::TractionRod", "play");
}

static_assert(ForceLaw<KelvinVoigt<>> && ForceLaw<BumpStop<>> && ForceLaw<AntiRollBar<>> && ForceLaw<TractionRod<>>);

}  // namespace panto::element
