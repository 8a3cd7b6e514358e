// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The pantograph of a simulated run, without the contact: its masses, the roof below them, and a force on its head. In
/// a step, predict() comes first, then the line finds the contact force, then press() applies this force.

#pragma once

#include <panto/catenary/implicit_contact.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>
#include <panto/pantograph/lumped.hpp>

#include <functional>
#include <utility>

namespace panto::interaction {

/// @tparam Model  a Lumped, or one with elements (pantograph/with_elements.hpp)
template <class Model = pantograph::Lumped<>>
class RaisedPantograph {
  public:
    using Roof = std::function<Motion(double time)>;
    using HeadForce = std::function<double(double time)>;

    /// @param roof        function that returns height, m, and speed, m/s, of the roof at a time, s; empty: level
    /// @param head_force  function that returns the upward force on the pan-head, N, at a time, s; empty: none
    /// @throws SetupError if the roof's height at time 0 is not finite.
    RaisedPantograph(Model model, Roof roof, HeadForce head_force)
        : model_(std::move(model)),
          now_(model_.at_rest()),
          next_(now_),
          roof_(std::move(roof)),
          head_force_(std::move(head_force)) {
        if (roof_) roof_at_start_ = roof_(0.0).height;
        require_finite(roof_at_start_, "interaction::simulate", "height of the roof at the start");
    }

    /// Advances by dt without a contact force at the end of the step.
    /// @param uplift  N, on the frame at the end of the step
    /// @param time    s, of the end of the step
    void predict(double uplift, double time) noexcept {
        model_.predict(now_, uplift, roof(time), next_);
        model_.add_contact(-head_force(time), next_);
    }
    /// The contact for the line to solve; call it after predict(). @param stiffness of the contact, N/m
    [[nodiscard]] catenary::ImplicitContact<double> contact(double stiffness) const noexcept {
        return {.stiffness = stiffness, .head_height = next_.u[0], .head_compliance = head_compliance()};
    }
    /// Height of the head without contact force, m, after predict().
    [[nodiscard]] double free_head() const noexcept { return next_.u[0]; }
    /// How far a contact force moves the head by the end of the step, m/N, after predict().
    [[nodiscard]] double head_compliance() const noexcept { return model_.head_compliance(next_); }
    /// Completes the step with the contact force at its end, N. Returns not_converged if the forces of elements are not
    /// found.
    Status press(double force) noexcept {
        const Status status = model_.add_contact(force, next_);
        std::swap(now_, next_);
        return status;
    }

    /// Puts the masses at rest. If `force`, N, is above 0, the head presses with it against a wire at `height`, m. If
    /// `force` is 0, the head is below the wire and only `uplift`, N, lifts it.
    /// @param compliance  m/N, between wire and head
    void rest(double height, double force, double compliance, double uplift) {
        now_ = force > 0.0 ? model_.held(height + force * compliance, {.contact_force = force, .uplift_force = uplift})
                           : model_.in_equilibrium(uplift, 0.0);
    }
    /// Sets the accelerations at the start, time 0, from the forces that act then, N.
    void begin(double force, double uplift) noexcept {
        model_.balance(now_, {.contact_force = force - head_force(0.0), .uplift_force = uplift});
    }

    [[nodiscard]] double head_height() const noexcept { return now_.u[0]; }  ///< m
    [[nodiscard]] const Model& model() const noexcept { return model_; }
    [[nodiscard]] const typename Model::State& state() const noexcept { return now_; }

  private:
    /// The roof relative to its height at the start.
    [[nodiscard]] Motion roof(double time) const noexcept {
        if (!roof_) return {};
        Motion at = roof_(time);
        at.height -= roof_at_start_;
        return at;
    }
    [[nodiscard]] double head_force(double time) const noexcept { return head_force_ ? head_force_(time) : 0.0; }

    Model model_;
    typename Model::State now_, next_;
    Roof roof_;
    HeadForce head_force_;
    double roof_at_start_ = 0.0;  // m
};

}  // namespace panto::interaction
