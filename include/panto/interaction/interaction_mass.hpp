// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The interaction mass of [HiL paper, Sec. 2.3]: a small virtual mass between the measured contact force and the
/// virtual wire, so that the stiffness of the coupling can be chosen independently of the pads.
///     m_i u'' + c_i u' + k_i (u - z) = F_c                 damper to ground, Eq. (11) as printed
///     m_i u'' + c_i (u' - z') + k_i (u - z) = F_c          damper to the wire: no force from common motion
///     F_i = k_i (u - z)                                    pushes the wire up; Eq. (12) prints the opposite sign
/// u: height of the mass; z: height of the wire; F_c: measured contact force; F_i: force on the wire; m_i, c_i, k_i:
/// mass, damping and stiffness of InteractionMassParams. The equation is advanced by Newmark's average acceleration
/// (beta = 1/4, gamma = 1/2), with wire and force at the end of the step.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/real.hpp>
#include <panto/plant/interaction_mass.hpp>

#include <cmath>

namespace panto::interaction {

using plant::InteractionMassParams;
using plant::MassDamper;

/// The interaction mass. The model is constant; its state is a separate value.
template <Real Scalar = double>
class InteractionMass {
  public:
    struct State {
        Scalar height{};        ///< m, u
        Scalar speed{};         ///< m/s
        Scalar acceleration{};  ///< m/s^2
    };

    /// @throws SetupError if mass, stiffness or dt is not positive, the damping is negative, or the effective mass of a
    /// step is not finite.
    InteractionMass(const InteractionMassParams& p, double dt)
        : p_(p),
          dt_(dt),
          effective_mass_((require_all(p, dt), p.mass + 0.5 * dt * p.damping + 0.25 * dt * dt * p.stiffness)) {}

    /// In equilibrium with a constant force on a wire at rest.
    [[nodiscard]] State preloaded(const Scalar& wire_height, const Scalar& force) const noexcept {
        return {wire_height + force / Scalar(p_.stiffness), Scalar(0.0), Scalar(0.0)};
    }

    /// Advances by dt to the time of the given wire motion, with `force` pressing from below. @rt
    [[nodiscard]] State step(const State& x, const Scalar& wire_height, const Scalar& wire_speed,
                             const Scalar& force) const noexcept {
        const Scalar height = x.height + dt_ * (x.speed + Scalar(0.25 * dt_) * x.acceleration);
        const Scalar speed = x.speed + Scalar(0.5 * dt_) * x.acceleration;
        const Scalar damper_end = p_.damper == MassDamper::wire ? wire_speed : Scalar(0.0);
        const Scalar acceleration =
            (force + p_.stiffness * (wire_height - height) + p_.damping * (damper_end - speed)) / effective_mass_;
        return {height + Scalar(0.25 * dt_ * dt_) * acceleration, speed + Scalar(0.5 * dt_) * acceleration,
                acceleration};
    }

    /// Force of the spring on the wire, N upward; negative when it pulls. @rt
    [[nodiscard]] Scalar force_on_wire(const State& x, const Scalar& wire_height) const noexcept {
        return p_.stiffness * (x.height - wire_height);
    }

    [[nodiscard]] const InteractionMassParams& params() const noexcept { return p_; }
    [[nodiscard]] double dt() const noexcept { return dt_; }  ///< s

  private:
    static void require_all(const InteractionMassParams& p, double dt) {
        require_positive(p.mass, "interaction::InteractionMass", "mass");
        require_not_negative(p.damping, "interaction::InteractionMass", "damping");
        require_positive(p.stiffness, "interaction::InteractionMass", "stiffness");
        require_positive(dt, "interaction::InteractionMass", "dt");
        require_finite(p.mass + 0.5 * dt * p.damping + 0.25 * dt * dt * p.stiffness, "interaction::InteractionMass",
                       "mass + damping dt/2 + stiffness dt^2/4");
    }

    InteractionMassParams p_;
    double dt_;              // s
    double effective_mass_;  // kg, m_i + c_i dt/2 + k_i dt^2/4
};

}  // namespace panto::interaction
