// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop of the predictive rig: force and drive are read, one predictive controller finds command and correction,
/// and the line moves on under the corrected force [predictive paper, Fig. 2]. Readings and command are checked as in a
/// rig::Cycle.

#pragma once

#include <panto/catenary/moving_state_space.hpp>
#include <panto/control/impedance_mpc.hpp>
#include <panto/core/check.hpp>
#include <panto/core/status.hpp>
#include <panto/plant/drive_rig.hpp>
#include <panto/rig/loop_guard.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace panto::rig {

/// The controller's model of a drive that works as specified; its dt is the time between two commands of the rig.
/// @throws SetupError as plant::linear_drive does.
template <class = void>
[[nodiscard]] control::StateSpace drive_model(const plant::DriveRigParams& p) {
    const plant::LinearDrive drive = plant::linear_drive(p.drive);
    const auto held = plant::held_drive(drive, p.drive_steps);
    return {held.A, held.B, Eigen::MatrixXd::Identity(2, 4), Eigen::MatrixXd::Zero(2, 2), p.drive_steps * drive.dt()};
}

/// A rig (plant::DriveRig, or a type with the same members, and with stop() if it has to be stopped), a line in the
/// train's frame, and their controller.
template <class Rig, class Line>
class ImpedanceLoop {
  public:
    /// @param limits  for force, height, frozen readings and ringing; the others are only used by a Cycle
    /// @throws SetupError if the periods of rig, line and controller do not fit each other, the line passes at another
    /// speed or from another place of the span on than the controller's model of it, or answers to the force in another
    /// way, or a limit is not valid.
    ImpedanceLoop(Rig& rig, Line line, control::ImpedanceMpc controller, const CycleLimits& limits = {})
        : rig_(rig),
          line_(std::move(line)),
          controller_(std::move(controller)),
          factor_(static_cast<int>(std::round(controller_.dt() / line_.dt()))),
          state_(Eigen::VectorXd::Zero(line_.states())),
          guard_(limits, controller_.dt(), "rig::ImpedanceLoop") {
        constexpr const char* where = "rig::ImpedanceLoop";
        require(std::abs(factor_ * line_.dt() - controller_.dt()) <= 1e-9 * controller_.dt(), where,
                "the controller's dt is ", controller_.dt(), " s, must be a whole multiple of the line's, ", line_.dt(),
                " s");
        require(std::abs(rig_.dt() - controller_.dt()) <= 1e-9 * controller_.dt(), where, "the rig's dt is ", rig_.dt(),
                " s, must be the controller's, ", controller_.dt(), " s");
        require(factor_ * controller_.samples() == line_.steps_per_period(), where, "the controller has ",
                controller_.samples(), " cycles in a period of the line of ", line_.steps_per_period(),
                " steps, must be ", line_.steps_per_period() / factor_);
        require(controller_.line_states() == line_.states(), where, "the controller's model of the line has ",
                controller_.line_states(), " states, must have those of the line, ", line_.states(),
                ": make it by periodic_state_space of this line, or use a NonlinearImpedanceLoop");
        require_drive_states(controller_.params().drive, rig_.drive_state(), where);
        const double period = controller_.samples() * controller_.dt();
        control::require_passage(controller_.passage(), period, 0.0, line_, where);
        require_same_answers();
    }

    /// One cycle; `noise`, N, is added to the reading of the load cell.
    /// @return as ImpedanceMpc::step, or the status of the rig. After a fault, which fault() explains, nothing moves.
    /// @rt
    Status step(double noise = 0.0) noexcept {
        if (!usable(fault().status)) return fault().status;
        const Status done = go_on(noise);
        if constexpr (requires { rig_.stop(); })
            if (!usable(done)) rig_.stop();
        return done;
    }

    /// Why it stopped: the quantity, its value and its limits.
    [[nodiscard]] const Fault& fault() const noexcept { return guard_.fault(); }
    [[nodiscard]] double force() const noexcept { return force_; }  ///< N, measured in the last cycle
    /// Computing time of controller and line in the last cycle, without the rig.
    [[nodiscard]] std::chrono::nanoseconds took() const noexcept { return took_; }
    [[nodiscard]] double dt() const noexcept { return controller_.dt(); }  ///< s
    [[nodiscard]] const Line& line() const noexcept { return line_; }
    [[nodiscard]] const Motion& wire() const noexcept { return line_.wire(); }  ///< of the line, now
    [[nodiscard]] const control::ImpedanceMpc& controller() const noexcept { return controller_; }

  private:
    /// The height of the line answers to 1 N as in the controller's model, in pieces of a horizon over the period.
    void require_same_answers() const {
        const int period = controller_.samples(), horizon = controller_.params().horizon;
        Line free = line_;
        for (int k = 0; k < period; k += horizon) {
            Line pushed = free;
            for (int i = 0; i < horizon; ++i) {
                for (int n = 0; n < factor_; ++n) free.advance(0.0), pushed.advance(i == 0 ? 1.0 : 0.0);
                const auto& told = controller_.answer(static_cast<std::size_t>((k + i + 1) % period));
                const double seen = pushed.wire().height - free.wire().height;
                require(std::abs(seen - told(0, i)) <= 1e-3 * told.row(0).cwiseAbs().maxCoeff(), "rig::ImpedanceLoop",
                        i + 1, " cycles after 1 N in cycle ", k, " the line has risen by ", seen,
                        " m, in the controller's model by ", told(0, i),
                        " m, must be the same: make the controller for this line, from the place where it starts");
            }
        }
    }

    Status go_on(double noise) noexcept {
        force_ = rig_.force() + noise;
        const auto began = std::chrono::steady_clock::now();
        const Eigen::Vector4d drive = rig_.drive_state();
        if (const Status s = guard_.readings(force_, drive[0], drive.tail<3>().sum()); !usable(s)) return s;
        line_.get(state_);
        const Status decided = controller_.step(force_, drive, state_, phase_);
        const double command = controller_.command();
        if (!usable(decided)) return guard_.wrong(decided, Quantity::controller, command);
        if (const Status s = guard_.command(command); !usable(s)) return s;
        for (int i = 0; i < factor_; ++i) line_.advance(force_ + controller_.correction());
        if (++phase_ == controller_.samples()) phase_ = 0;
        took_ = std::chrono::steady_clock::now() - began;
        const Status moved = rig_.step(command);
        return usable(moved) ? std::max(decided, moved) : guard_.wrong(moved, Quantity::drive, command);
    }

    Rig& rig_;
    Line line_;
    control::ImpedanceMpc controller_;
    int factor_ = 1, phase_ = 0;
    Eigen::VectorXd state_;
    LoopGuard guard_;
    double force_ = 0.0;
    std::chrono::nanoseconds took_{0};
};

}  // namespace panto::rig
