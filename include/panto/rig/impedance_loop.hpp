// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop of the predictive rig: force and drive are read, one predictive controller finds command and correction,
/// and the line moves on under the corrected force [predictive paper, Fig. 2]. Readings and command are checked as in a
/// rig::Cycle.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/catenary/moving_state_space.hpp>
#include <panto/control/impedance_mpc.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/impedance_cycle.hpp>

#include <Eigen/Core>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <utility>

namespace panto::rig {

/// A rig (plant::DriveRig, or a type with the same members, and with stop() if it has to be stopped), a line in the
/// train's frame, and their controller.
template <class Rig, class Line>
class ImpedanceLoop : public ImpedanceCycle<ImpedanceLoop<Rig, Line>, Rig, Line> {
    using Base = ImpedanceCycle<ImpedanceLoop, Rig, Line>;
    friend Base;
    using Base::controller_;
    using Base::factor_;
    using Base::line_;
    static constexpr bool at_one_speed = TravellingContact<Line> && requires(const Line& line) {
        { line.speed() } -> std::convertible_to<double>;
    };

  public:
    /// @param limits  for force, height, frozen readings and ringing of the force; the others are only used by a Cycle
    /// @throws SetupError if a limit is not valid, the periods of rig, line and controller do not fit each other, the
    /// drive of the rig differs from the controller's model of it, or the line differs from the controller's model of
    /// it in its speed, the place of the span where it begins, or its answer to the force.
    ImpedanceLoop(Rig& rig, Line line, control::ImpedanceMpc controller, const CycleLimits& limits = {})
        : Base(rig, std::move(line), std::move(controller), 0, limits, where),
          state_(Eigen::VectorXd::Zero(line_.states())) {
        require(factor_ * controller_.samples() == line_.steps_per_period(), where, "the controller has ",
                controller_.samples(), " cycles in a period of the line of ", line_.steps_per_period(),
                " steps, must be ", line_.steps_per_period() / factor_);
        require(controller_.line_states() == line_.states(), where, "the controller's model of the line has ",
                controller_.line_states(), " states, must have those of the line, ", line_.states(),
                ": make it by periodic_state_space of this line, or use a NonlinearImpedanceLoop");
        const double period = controller_.samples() * controller_.dt();
        control::require_passage(controller_.passage(), period, 0.0, line_, where);
        require_same_answers();
        line_.get(state_);
        height_before_ = line_.wire().height;
        datum_ = height_before_ - controller_.line_height(state_, 0);
        if constexpr (at_one_speed) start_ = line_.position();
    }

    [[nodiscard]] const Motion& wire() const noexcept { return line_.wire(); }  ///< of the line, now
    /// m along the track, now.
    [[nodiscard]] double position() const noexcept
        requires at_one_speed
    {
        return start_ + line_.speed() * this->time();
    }
    /// m along the track, `seconds` from now.
    [[nodiscard]] double position_after(double seconds) const noexcept
        requires at_one_speed
    {
        return position() + line_.speed() * seconds;
    }

  private:
    static constexpr const char* where = "rig::ImpedanceLoop";

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
                require(std::abs(seen - told(0, i)) <= 1e-3 * told.row(0).cwiseAbs().maxCoeff(), where, i + 1,
                        " cycles after 1 N in cycle ", k, " the line has risen by ", seen,
                        " m, in the controller's model by ", told(0, i),
                        " m, must be the same: make the controller for this line, from the place where it starts");
            }
        }
    }

    template <class Drive>
    Status decide(double force, const Drive& drive) noexcept {
        line_.get(state_);
        return controller_.step(force, drive, state_, this->phase_);
    }
    /// The line's scheme is symmetric in time: its energy grows by the force times half the rise over two steps.
    Status advance() noexcept {
        const double force = this->corrected_force();
        double rise = 0.0;
        for (int i = 0; i < factor_; ++i) {
            const double now = line_.wire().height;
            line_.advance(force);
            rise += 0.5 * (line_.wire().height - std::exchange(height_before_, now));
        }
        this->line_work_ = force * rise;
        return Status::ok;
    }
    [[nodiscard]] Motion above_datum(Motion m) const noexcept {
        m.height -= datum_;
        return m;
    }

    Eigen::VectorXd state_;
    double datum_ = 0.0, start_ = 0.0;  // m, height of the line at position 0 of the drive; along the track
    double height_before_ = 0.0;        // m, of the line, one of its steps ago
};

}  // namespace panto::rig
