// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The coupling between the measured contact force and the virtual wire of a rig: direct, or through the interaction
/// mass. A policy determines the force on the wire in the coming step and the motion the drive must follow.

#pragma once

#include <panto/interaction/interaction_mass.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace panto::interaction {

/// The coupling of one contact. Every cycle calls `force` before the wire is advanced, and `follow` afterwards.
template <class I>
concept CouplingPolicy = requires(I& policy, const I& observed, const Motion& wire, double strip_force) {
    { observed.force(strip_force) } noexcept -> std::same_as<double>;       ///< N upward, for the coming step
    { policy.follow(wire, strip_force) } noexcept -> std::same_as<Motion>;  ///< motion the drive must follow
    { policy.reset(wire, strip_force) } noexcept -> std::same_as<Motion>;   ///< start at rest under this force
};

/// No mass: the wire gets the measured force, but never a pull, and the drive follows the wire.
class DirectInteraction {
  public:
    /// @rt
    [[nodiscard]] double force(double strip_force) const noexcept { return std::max(0.0, strip_force); }
    /// @rt
    [[nodiscard]] Motion follow(const Motion& wire, double) noexcept { return wire; }
    /// @rt
    Motion reset(const Motion& wire, double) noexcept { return wire; }
};

struct MassInteractionParams {
    InteractionMassParams mass = {};
    double ramp_time = 0.0;  ///< s, time in which the share of F_i that acts on the wire grows from 0 to 1
};

/// The interaction mass. The wire gets the spring's force of the *previous* step, F_i^{t-1}; the drive follows the
/// mass. The mass starts preloaded, at the height u_i = z + F_c / k_i (z, F_c, k_i: interaction_mass.hpp). With a ramp,
/// the force on the wire grows gradually, but the strip is pressed with the full force from the start, so that there is
/// always contact.
class MassInteraction {
  public:
    /// @throws SetupError as InteractionMass, or if ramp_time is negative.
    MassInteraction(const MassInteractionParams& p, double dt) : model_(p.mass, dt), ramp_time_(p.ramp_time) {
        require_not_negative(p.ramp_time, "interaction::MassInteraction", "ramp_time");
    }

    /// @rt
    [[nodiscard]] double force(double) const noexcept { return share() * spring_force_; }

    /// @rt
    [[nodiscard]] Motion follow(const Motion& wire, double strip_force) noexcept {
        state_ = model_.step(state_, wire.height, wire.speed, strip_force);
        spring_force_ = model_.force_on_wire(state_, wire.height);
        ++steps_;
        return motion();
    }

    /// @rt
    Motion reset(const Motion& wire, double strip_force) noexcept {
        state_ = model_.preloaded(wire.height, strip_force);
        spring_force_ = strip_force;
        steps_ = 0;
        return motion();
    }

    /// Share of F_i that acts on the wire, 0 to 1. @rt
    [[nodiscard]] double share() const noexcept {
        const double elapsed = static_cast<double>(steps_) * model_.dt();
        return elapsed >= ramp_time_ ? 1.0 : elapsed / ramp_time_;
    }

    [[nodiscard]] const InteractionMass<>& model() const noexcept { return model_; }
    [[nodiscard]] const InteractionMassParams& interaction_mass() const noexcept { return model_.params(); }
    [[nodiscard]] double dt() const noexcept { return model_.dt(); }  ///< s

  private:
    [[nodiscard]] Motion motion() const noexcept { return {state_.height, state_.speed, state_.acceleration}; }

    InteractionMass<> model_;
    double ramp_time_;  // s
    InteractionMass<>::State state_;
    double spring_force_ = 0.0;  // N, F_i without the ramp
    std::int64_t steps_ = 0;     // since the reset
};

static_assert(CouplingPolicy<DirectInteraction> && CouplingPolicy<MassInteraction>);

}  // namespace panto::interaction
