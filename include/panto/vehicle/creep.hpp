// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Creep forces between wheel and rail, with one concept for all laws. Creepage is the slip of the wheel on the rail
/// divided by the speed of travel: nu_xi longitudinal, nu_eta lateral, and the spin phi about the normal in 1/m (the
/// fields xi, eta and phi of Creepage):
///     T_xi = -f11 nu_xi ,   T_eta = -f22 nu_eta - f23 phi ,   M = f23 nu_eta - f33 phi            [Kalker, linear]
/// for small creepage. Friction bounds the force: a factor k multiplies force and moment. With e = |T|/(mu N), where T
/// is the force of the linear law, mu the coefficient of friction and N the normal force,
///     Vermeulen-Johnson  k = 1 - e/3 + e^2/27  (e < 3),  1/e beyond                [Vermeulen, Johnson 1964]
///     Polach             k = 2/(pi e) (eps/(1 + eps^2) + atan eps),  eps = pi e/4   [Polach 1999] .
/// FASTSIM instead integrates the traction through the ellipse.
/// Every law is smooth at zero creepage; its derivative there is that of the linear law, also with dual numbers.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/vehicle/kalker.hpp>

#include <cmath>
#include <concepts>
#include <numbers>

namespace panto::vehicle {

template <Real Scalar = double>
struct Creepage {
    Scalar xi{};   ///< -, longitudinal
    Scalar eta{};  ///< -, lateral
    Scalar phi{};  ///< 1/m, spin
};

/// The force on the wheel.
template <Real Scalar = double>
struct CreepForce {
    Scalar xi{};   ///< N, longitudinal
    Scalar eta{};  ///< N, lateral
    Scalar m{};    ///< N m, about the normal
};

template <class Law, class Scalar = double>
concept CreepLaw = Real<Scalar> && requires(const Law& law, const Creepage<Scalar>& nu, const ContactPatch<Scalar>& p) {
    { law(nu, p) } noexcept -> std::same_as<CreepForce<Scalar>>;
};

/// Kalker's linear law, not limited by friction: for small creepage, and for eigenvalues.
struct LinearCreep {
    /// @rt
    template <Real Scalar>
    [[nodiscard]] CreepForce<Scalar> operator()(const Creepage<Scalar>& nu,
                                                const ContactPatch<Scalar>& p) const noexcept {
        return {-(p.f11 * nu.xi), -(p.f22 * nu.eta) - p.f23 * nu.phi, p.f23 * nu.eta - p.f33 * nu.phi};
    }
};

namespace detail {

/// The linear force times a factor that depends on e = |T|/(mu N).
template <Real Scalar, class Factor>
[[nodiscard]] CreepForce<Scalar> saturated(const Creepage<Scalar>& nu, const ContactPatch<Scalar>& p,
                                           const Factor& factor) noexcept {
    using std::sqrt;
    const CreepForce<Scalar> t = LinearCreep{}(nu, p);
    const Scalar bound = p.friction * p.load, squared = t.xi * t.xi + t.eta * t.eta;
    // The root has an infinite slope at 0, but the force does not.
    if (!(value_of(squared) > 0.0)) return t;
    const Scalar k = factor(Scalar(sqrt(squared) / bound));
    return {k * t.xi, k * t.eta, k * t.m};
}

}  // namespace detail

/// Vermeulen's and Johnson's cubic.
struct VermeulenJohnson {
    /// @rt
    template <Real Scalar>
    [[nodiscard]] CreepForce<Scalar> operator()(const Creepage<Scalar>& nu,
                                                const ContactPatch<Scalar>& p) const noexcept {
        return detail::saturated(nu, p, [](const Scalar& e) -> Scalar {
            if (!(value_of(e) < 3.0)) return Scalar(1.0) / e;
            return Scalar(1.0) - e * (Scalar(9.0) - e) / Scalar(27.0);
        });
    }
};

/// Polach's law with k_A = k_S = 1, applied to the force of the linear law, spin included.
struct Polach {
    /// @rt
    template <Real Scalar>
    [[nodiscard]] CreepForce<Scalar> operator()(const Creepage<Scalar>& nu,
                                                const ContactPatch<Scalar>& p) const noexcept {
        return detail::saturated(nu, p, [](const Scalar& e) -> Scalar {
            using std::atan;
            const Scalar eps = Scalar(std::numbers::pi / 4.0) * e;
            return Scalar(2.0 / std::numbers::pi) / e * (eps / (Scalar(1.0) + eps * eps) + atan(eps));
        });
    }
};

/// Kalker's simplified theory [Kalker 1982]: rigid slip pulls at an elastic layer. With the semi-axes a, b of the
/// ellipse, the shear modulus G and Kalker's coefficients C_ij (kalker.hpp), the layer has the flexibilities
///     L1 = 8 a/(3 G C11) ,  L2 = 8 a/(3 G C22) ,  L3 = pi a^2/(4 G sqrt(ab) C23) ,
/// and is followed strip by strip from the leading edge x = a sqrt(1 - y^2/b^2) to the trailing one; the traction is
/// limited to
///     mu p ,  p = 2 N/(pi a b) (1 - x^2/a^2 - y^2/b^2)
/// (a paraboloid: with Hertz' pressure the theory would have no adhesion at the edges). The strips lie at
/// y = -b cos(angle), at equal steps of the angle. The traction of a step along a strip is computed at the middle of
/// the step and limited by friction at the step's mean pressure. The error is of second order: 20 strips of 20 steps
/// agree with the continuous law to half a percent. In full sliding the result is exact. The moment m is the moment of
/// the tractions.
class Fastsim {
  public:
    /// @throws SetupError unless there is at least one strip of at least two steps.
    explicit Fastsim(int strips = 20, int steps = 20) : strips_(strips), steps_(steps) {
        require(strips >= 1, "vehicle::Fastsim", "strips is ", strips, ", must be at least 1");
        require(steps >= 2, "vehicle::Fastsim", "steps is ", steps, ", must be at least 2");
    }

    /// @rt
    template <Real Scalar>
    [[nodiscard]] CreepForce<Scalar> operator()(const Creepage<Scalar>& nu,
                                                const ContactPatch<Scalar>& p) const noexcept {
        using std::sqrt;
        const Scalar &a = p.ellipse.a, &b = p.ellipse.b;
        const Scalar i1 = Scalar(3.0) * p.f11 / (Scalar(8.0) * a * a * b);  // 1/L1
        const Scalar i2 = Scalar(3.0) * p.f22 / (Scalar(8.0) * a * a * b);
        const Scalar i3 = Scalar(4.0 / std::numbers::pi) * p.f23 / (a * a * a * b);
        const Scalar peak = Scalar(2.0 / std::numbers::pi) * p.friction * p.load / (a * b);
        CreepForce<Scalar> sum{Scalar(0.0), Scalar(0.0), Scalar(0.0)};
        for (int strip = 0; strip < strips_; ++strip) {
            const double angle = std::numbers::pi * (strip + 0.5) / strips_, half = std::sin(angle);
            const Scalar y = Scalar(-std::cos(angle)) * b, dy = Scalar(std::numbers::pi / strips_ * half) * b;
            const Scalar edge = Scalar(half) * a, dx = Scalar(2.0 / steps_) * edge;
            const Scalar ux = (nu.xi * i1 - nu.phi * i3 * y) * dx, uy = nu.eta * i2 * dx, us = nu.phi * i3 * dx;
            Scalar tx(0.0), ty(0.0);
            CreepForce<Scalar> strip_sum{Scalar(0.0), Scalar(0.0), Scalar(0.0)};
            // Half a step to the middle, where the traction is used, and half a step to the end.
            const auto advance = [&](double x, double from, double pressure) {
                tx = tx - Scalar(0.5) * ux;
                ty = ty - Scalar(0.5) * (uy + us * (Scalar(0.5 * (x + from)) * edge));
                const Scalar bound = peak * Scalar(half * half * pressure);
                const Scalar squared = tx * tx + ty * ty;
                if (!(value_of(squared) > value_of(bound) * value_of(bound))) return;
                const Scalar cut = bound / sqrt(squared);
                tx = tx * cut;
                ty = ty * cut;
            };
            for (int n = 0; n < steps_; ++n) {
                const double start = 1.0 - 2.0 * n / steps_, middle = start - 1.0 / steps_;
                const double end = n + 1 == steps_ ? -1.0 : start - 2.0 / steps_;
                advance(middle, start, (1.0 - middle) * (1.0 + middle) - 1.0 / (3.0 * steps_ * steps_));
                strip_sum.xi = strip_sum.xi + tx;
                strip_sum.eta = strip_sum.eta + ty;
                strip_sum.m = strip_sum.m + Scalar(middle) * edge * ty - y * tx;
                advance(end, middle, (1.0 - end) * (1.0 + end));
            }
            sum.xi = sum.xi + strip_sum.xi * (dx * dy);
            sum.eta = sum.eta + strip_sum.eta * (dx * dy);
            sum.m = sum.m + strip_sum.m * (dx * dy);
        }
        return sum;
    }

  private:
    int strips_, steps_;
};

static_assert(CreepLaw<LinearCreep> && CreepLaw<VermeulenJohnson> && CreepLaw<Polach> && CreepLaw<Fastsim>);

}  // namespace panto::vehicle
