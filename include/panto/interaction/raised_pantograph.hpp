// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The pantograph of a simulated run, without the contact: its masses, the roof below them, and a force on its head. In
/// a step, predict() comes first, then the line finds the contact force, then press() applies it.

#pragma once

#include <panto/catenary/implicit_contact.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/pantograph/lumped.hpp>

#include <functional>
#include <utility>

namespace panto::interaction {

/// @tparam N  number of masses, or Dynamic.
template <int N = Dynamic>
class RaisedPantograph {
  public:
    using Roof = std::function<Motion(double time)>;
    using HeadForce = std::function<double(double time)>;

    /// @param roof        height, m, and speed, m/s, of the roof at a time, s; empty: level
    /// @param head_force  N, upward, on the pan-head at a time, s; empty: none
    /// @throws SetupError as pantograph::Lumped does, or if the roof's height at time 0 is not finite.
    RaisedPantograph(const pantograph::LumpedParams<double, N>& params, double dt, Roof roof, HeadForce head_force)
        : model_(params, dt),
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
        model_.predict(now_, uplift + force_of_roof(time), next_);
        model_.add_contact(-head_force(time), next_);
    }
    /// The contact for the line to solve; call it after predict(). @param stiffness of the contact, N/m
    [[nodiscard]] catenary::ImplicitContact<double> contact(double stiffness) const noexcept {
        return {.stiffness = stiffness, .head_height = next_.u[0], .head_compliance = model_.head_compliance()};
    }
    /// Height of the head without contact force, m, after predict().
    [[nodiscard]] double free_head() const noexcept { return next_.u[0]; }
    /// Completes the step with the contact force at its end, N.
    void press(double force) noexcept {
        model_.add_contact(force, next_);
        std::swap(now_.u, next_.u);
        std::swap(now_.v, next_.v);
        std::swap(now_.a, next_.a);
    }

    /// Puts the masses at rest. With `force` above 0, N, the head is pressed against a wire at `height`, m. With 0 it
    /// is below the wire, lifted by `uplift`, N, alone.
    /// @param compliance  m/N, between wire and head
    void rest(double height, double force, double compliance, double uplift) {
        if (force > 0.0) {
            now_.u[0] = height + force * compliance;
            for (Eigen::Index i = 1; i < model_.size(); ++i)
                now_.u[i] = now_.u[i - 1] + force / model_.params().stiffness[i - 1];
        } else {
            now_ = model_.in_equilibrium(uplift, 0.0);
        }
    }
    /// Sets the accelerations at the start, time 0, from the forces that act then, N.
    void begin(double force, double uplift) noexcept {
        model_.balance(now_, {.contact_force = force - head_force(0.0), .uplift_force = uplift});
    }

    [[nodiscard]] double head_height() const noexcept { return now_.u[0]; }  ///< m
    [[nodiscard]] const pantograph::Lumped<double, N>& model() const noexcept { return model_; }

  private:
    /// Force on the lowest mass, N, because the roof moves its end of the spring and damper below this mass.
    [[nodiscard]] double force_of_roof(double time) const noexcept {
        if (!roof_) return 0.0;
        const Eigen::Index last = model_.size() - 1;
        const Motion roof = roof_(time);
        return model_.params().stiffness[last] * (roof.height - roof_at_start_) +
               model_.params().damping[last] * roof.speed;
    }
    [[nodiscard]] double head_force(double time) const noexcept { return head_force_ ? head_force_(time) : 0.0; }

    pantograph::Lumped<double, N> model_;
    pantograph::LumpedState<double, N> now_, next_;
    Roof roof_;
    HeadForce head_force_;
    double roof_at_start_ = 0.0;  // m
};

}  // namespace panto::interaction
