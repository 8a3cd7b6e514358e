// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for controllers of a position drive, in the simplest possible loop: the rig that the controller is made
/// for, always in contact. For a controller without rig_params(), the rig is a drive that reaches its command within a
/// period, under a constant force.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/time_step.hpp>
#include <panto/plant/model.hpp>
#include <panto/plant/rig.hpp>
#include <panto/rig/parts.hpp>
#include <panto/testing/findings.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <vector>

namespace panto::testing {

struct ControllerTest {
    double dt = default_time_step;  ///< s, of the loop
    double height = 0.05;           ///< m, of the strip at the start
    double force = 100.0;           ///< N, on the pad
    double rise = 5e-3;             ///< m, by which the reference rises
    double rise_time = 0.2;         ///< s, duration of the rise
    double settling = 2.0;          ///< s, time for the strip to follow after the rise
    double left = 0.3;              ///< share of the rise that may still be missing after that time
    double compression =
        2e-3;  ///< m, by which the wire is below the reference, as under an interaction mass of 50 kN/m and 100 N
    double command_rate = 10.0;  ///< m/s, largest accepted rate; a rig stops at a higher one (CycleLimits)
};

namespace detail {

struct ControllerRun {
    std::vector<double> command, strip;  // m
    Status worst = Status::ok;
    bool finite = true, foreseen_finite = true;
};

/// Motion of the reference at time t, s.
inline Motion rising(const ControllerTest& p, double t) {
    const double s = std::clamp((t - 0.1) / p.rise_time, 0.0, 1.0), w = 3.141592653589793 / p.rise_time;
    const bool moves = s > 0.0 && s < 1.0;
    return {p.height + 0.5 * p.rise * (1.0 - std::cos(3.141592653589793 * s)),
            moves ? 0.5 * p.rise * w * std::sin(3.141592653589793 * s) : 0.0,
            moves ? 0.5 * p.rise * w * w * std::cos(3.141592653589793 * s) : 0.0};
}

/// Motion of the wire at time t, s. A controller that estimates the contact force is coupled to the wire directly.
template <class C>
[[nodiscard]] Motion wire_at(const ControllerTest& p, double t) {
    Motion wire = rising(p, t);
    if constexpr (!rig::EstimatingController<C>) wire.height -= p.compression;
    return wire;
}

template <class C>
[[nodiscard]] int preview_steps_of(const C& controller) {
    if constexpr (rig::PreviewingController<C>)
        return std::clamp(static_cast<int>(controller.preview_steps()), 0,
                          rig::LooksFarAhead<C> ? Preview::longest : Preview::capacity);
    else
        return 0;
}

/// The rig or drive that the controller moves; a rig as a linear model about its equilibrium.
template <class C>
class StandIn {
  public:
    StandIn(const C& controller, const ControllerTest& p) : p_(p) {
        if constexpr (plant::KnowsRig<C>) {
            model_ = plant::sampled_model(controller.rig_params(), p.dt);
            x_ = Eigen::VectorXd::Zero(model_.size());
            sent_ = Eigen::VectorXd::Zero(model_.command.cols());
        }
    }

    void move(double command) {
        if constexpr (plant::KnowsRig<C>) {
            for (Eigen::Index j = sent_.size() - 1; j > 0; --j) sent_[j] = sent_[j - 1];
            sent_[0] = command - p_.height;
            x_ = (model_.A * x_ + model_.command * sent_).eval();
            strip_ = {p_.height + x_[0], x_[1], 0.0};
            force_ = p_.force + model_.force.dot(x_);
        } else {
            strip_ = {command, (command - strip_.height) / p_.dt, 0.0};
        }
    }

    [[nodiscard]] const Motion& strip() const { return strip_; }
    [[nodiscard]] double force() const { return force_; }  // N

  private:
    const ControllerTest& p_;
    plant::SampledModel model_{};
    Eigen::VectorXd x_{}, sent_{};
    Motion strip_{.height = p_.height};
    double force_ = p_.force;  // N
};

/// `spoil(cycle, exchange)` may change the input of the controller. With `foresee`, a controller that has foresee() is
/// asked in every cycle but the first which forces it foresees; the preview stays the same.
template <class C, class Spoil>
ControllerRun run_controller(C& controller, const ControllerTest& p, Spoil&& spoil, bool foresee = false) {
    ControllerRun run;
    StandIn<C> rig(controller, p);
    Exchange e;
    e.strip = rig.strip();
    controller.reset(e.strip);
    const int cycles = static_cast<int>(std::ceil((0.1 + p.rise_time + p.settling) / p.dt));
    for (int n = 0; n < cycles; ++n) {
        e.time = n * p.dt;
        e.strip = rig.strip();
        e.strip_force = e.wire_force = rig.force();
        e.wire = wire_at<C>(p, e.time);
        e.reference = rising(p, e.time);
        const int ahead = preview_steps_of(controller);
        e.preview.count = std::min(ahead, Preview::capacity);
        for (int j = 0; j < e.preview.count; ++j)
            e.preview.motion[static_cast<std::size_t>(j)] = wire_at<C>(p, e.time + (j + 1) * p.dt);
        spoil(n, e);
        if constexpr (rig::LooksFarAhead<C>) {
            std::vector<Motion> wire;
            for (int j = 0; j < ahead; ++j) wire.push_back(wire_at<C>(p, e.time + (j + 1) * p.dt));
            controller.look_ahead(wire);
        }
        if constexpr (rig::EstimatingController<C>) {
            e.wire_force = controller.contact_force(e);
            run.finite = run.finite && is_finite(e.wire_force);
        }
        if constexpr (rig::ForeseeingController<C>)
            if (foresee && n > 0) {  // not in the first cycle, as in rig::fill_preview
                std::vector<double> change(static_cast<std::size_t>(ahead));
                controller.foresee(change);
                for (const double of : change) run.foreseen_finite = run.foreseen_finite && is_finite(of);
            }
        const auto command = controller.update(e);
        run.worst = std::max(run.worst, command.status);
        if (!usable(command.status)) return run;
        run.finite = run.finite && is_finite(command.value.value);
        run.command.push_back(command.value.value), run.strip.push_back(rig.strip().height);
        e.command = command.value.value;
        rig.move(command.value.value);
    }
    return run;
}

}  // namespace detail

/// Runs the controller a few times and leaves it reset. `controller` must be made for `p.dt`.
template <Controller C>
    requires std::same_as<typename C::Command, PositionCommand>
[[nodiscard]] Findings test_controller(C& controller, const ControllerTest& p = {}) {
    constexpr const char* where = "testing::test_controller";
    require_positive(p.dt, where, "dt");
    require_positive(p.rise, where, "rise");
    require_positive(p.rise_time, where, "rise_time");
    require_positive(p.settling, where, "settling");
    require_not_negative(p.compression, where, "compression");
    require_time_step(controller, p.dt, where, "the controller");
    Findings f;
    if constexpr (rig::PreviewingController<C>) {
        const int steps = static_cast<int>(controller.preview_steps());
        const int most = rig::LooksFarAhead<C> ? Preview::longest : Preview::capacity;
        expect(f, steps >= 0 && steps <= most, "preview_steps() is ", steps, ", must be from 0 to ", most);
    }
    const auto plain = [](int, Exchange&) {};
    const detail::ControllerRun run = detail::run_controller(controller, p, plain);
    if (!expect(f, usable(run.worst), "update() ends with '", name(run.worst), "' in cycle ", run.command.size() + 1,
                " of an undisturbed loop") ||
        !expect(f, run.finite, "update() or contact_force() returns a value that is not finite, with a usable status"))
        return f;
    double rate = 0.0, before = p.height;
    for (const double command : run.command)
        rate = std::max(rate, std::fabs(command - before) / p.dt), before = command;
    expect(f, rate <= p.command_rate, "the command changes by up to ", rate, " m/s, expected at most ", p.command_rate,
           " m/s: begin at the position given to reset(), and follow the reference from there");
    const double missing = p.height + p.rise - run.strip.back();
    const bool at_wire = p.compression > 0.0 && std::fabs(missing - p.compression) < 0.1 * p.compression;
    expect(f, std::fabs(missing) <= p.left * p.rise, "the reference has risen by ", 1e3 * p.rise,
           " mm and been constant for ", p.settling, " s, but the strip is ", 1e3 * std::fabs(missing), " mm ",
           missing > 0.0 ? "below" : "above", " it",
           at_wire ? ", at the height of the wire: follow reference.height, which is above wire.height by the "
                     "compression of the interaction mass"
                   : "");
    expect(f, detail::run_controller(controller, p, plain).command == run.command,
           "the same cycles after reset() do not give the same commands, to the last bit: reset() does not restore "
           "everything");
    if constexpr (rig::ForeseeingController<C>) {
        const detail::ControllerRun asked = detail::run_controller(controller, p, plain, true);
        expect(f, asked.foreseen_finite, "foresee() writes a change of force that is not finite");
        expect(f, asked.command == run.command,
               "foresee() changes the commands: with it, and the same preview, they are not the same to the last bit; "
               "it must leave the state alone, and update() finds what was foreseen in preview.force_change");
    }

    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto spoilt = [&](const char* what, auto&& spoil) {
        const detail::ControllerRun bad = detail::run_controller(controller, p, [&](int n, Exchange& e) {
            if (n == 50) spoil(e);
        });
        expect(f, !usable(bad.worst) || bad.finite, "with ", what,
               " that is not a number, update() gives a command that is not finite, with a usable status");
        expect(f, detail::run_controller(controller, p, plain).command == run.command,
               "reset() does not restore the start after ", what, " that was not a number");
    };
    spoilt("a force", [](Exchange& e) { e.strip_force = e.wire_force = none; });
    spoilt("a position", [](Exchange& e) { e.strip.height = none; });
    spoilt("a reference", [](Exchange& e) { e.reference.height = e.wire.height = none; });
    controller.reset({.height = p.height});
    return f;
}

}  // namespace panto::testing
