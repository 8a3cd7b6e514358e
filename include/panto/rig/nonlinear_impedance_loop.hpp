// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop of the predictive rig with a line that may be nonlinear, which the predictive paper names as future work:
/// the real-time engine in the ground's frame, or the line in the train's frame with droppers that go slack. In each
/// cycle the line predicts its motion over the horizon from its present state, slack droppers included; the linear
/// model of the controller gives the changes caused by F_cor. Include it by name: it is not part of <panto/rig.hpp>.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/control/impedance_mpc.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/loop_guard.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace panto::rig {

/// A rig (plant::DriveRig, or a type with the same members, and with stop() if it has to be stopped), any line that
/// predicts its motion, and their controller. Readings and command are checked as in a rig::Cycle.
template <class Rig, PredictiveCatenary Line>
class NonlinearImpedanceLoop {
  public:
    /// @param datum height of the line, m, that corresponds to position 0 of the drive
    /// @param phase the cycle of the controller's period that belongs to the present position of the contact
    /// @param limits as for ImpedanceLoop
    /// @throws SetupError if the dt of rig, line and controller do not fit each other, the speed varies before the end
    /// of the line, differs from that of its model or begins at another place of the span, the line is made of
    /// something else than that of the model, the contact does not pass a whole number of spans in this period, there
    /// is no such phase, or a limit is not valid.
    NonlinearImpedanceLoop(Rig& rig, Line line, control::ImpedanceMpc controller, double datum, int phase = 0,
                           const CycleLimits& limits = {})
        : rig_(rig),
          line_(std::move(line)),
          controller_(std::move(controller)),
          datum_(datum),
          factor_(static_cast<int>(std::round(controller_.dt() / line_.dt()))),
          phase_(phase),
          guard_(limits, controller_.dt(), "rig::NonlinearImpedanceLoop") {
        constexpr const char* where = "rig::NonlinearImpedanceLoop";
        require(factor_ >= 1 && std::abs(factor_ * line_.dt() - controller_.dt()) <= 1e-9 * controller_.dt(), where,
                "the controller's dt is ", controller_.dt(), " s, must be a whole multiple of the line's, ", line_.dt(),
                " s");
        require(std::abs(rig_.dt() - controller_.dt()) <= 1e-9 * controller_.dt(), where, "the rig's dt is ", rig_.dt(),
                " s, must be the controller's, ", controller_.dt(), " s");
        require_drive_states(controller_.params().drive, rig_.drive_state(), where);
        require_finite(datum, where, "datum");
        require(phase >= 0 && phase < controller_.samples(), where, "phase is ", phase, ", must be from 0 to ",
                controller_.samples() - 1);
        require_same_passage();
        ahead_.resize(static_cast<std::size_t>(controller_.params().horizon));
        fine_.resize(ahead_.size() * static_cast<std::size_t>(factor_));
        wire_ = {datum_, 0.0, 0.0};
        if constexpr (requires { line_.wire(); }) wire_ = line_.wire();
    }

    /// One cycle; `noise`, N, is added to the reading of the load cell.
    /// @return as ImpedanceMpc::step, or the status of the line, such as end_of_line, or that of the rig. After a
    /// fault, which fault() explains, nothing moves. @rt
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
    [[nodiscard]] const Motion& wire() const noexcept { return wire_; }  ///< of the line, now
    [[nodiscard]] const control::ImpedanceMpc& controller() const noexcept { return controller_; }

  private:
    /// The controller's model of the line is periodic in whole spans, at one speed, from a place of the span on.
    void require_same_passage() const {
        if constexpr (TravellingContact<Line>) {
            constexpr const char* where = "rig::NonlinearImpedanceLoop";
            const double period = controller_.samples() * controller_.dt();
            control::require_passage(controller_.passage(), period, phase_ * controller_.dt(), line_, where);
            double span = 0.0;
            if constexpr (requires { line_.model().section().spans[0].length; })
                span = line_.model().section().spans[0].length;
            else if constexpr (requires { line_.steps_per_period() * line_.speed(); })
                span = line_.steps_per_period() * line_.speed() * line_.dt();
            if (!(span > 0.0)) return;
            const double spans = std::abs(line_.position_after(period) - line_.position()) / span;
            require(std::abs(spans - std::round(spans)) <= 1e-6 && spans > 0.5, where, "in a period of ",
                    controller_.samples(), " cycles of the controller, ", period, " s, the line's contact passes ",
                    spans, " spans, must be a whole number: make the controller for this line and speed");
        }
    }

    [[nodiscard]] Motion above_datum(Motion m) const noexcept {
        m.height -= datum_;
        return m;
    }

    Status go_on(double noise) noexcept {
        force_ = rig_.force() + noise;
        const auto began = std::chrono::steady_clock::now();
        const auto drive = rig_.drive_state();
        if (const Status s = guard_.readings(force_, drive[0], drive.sum()); !usable(s)) return s;
        line_.predict(force_, fine_);
        const auto factor = static_cast<std::size_t>(factor_);
        for (std::size_t i = 0; i < ahead_.size(); ++i) ahead_[i] = above_datum(fine_[(i + 1) * factor - 1]);
        const Status decided = controller_.step(force_, drive, above_datum(wire_), ahead_, phase_);
        const double command = controller_.command();
        if (!usable(decided)) return guard_.wrong(decided, Quantity::controller, command);
        if (const Status s = guard_.command(command); !usable(s)) return s;
        for (int i = 0; i < factor_; ++i) wire_ = line_.step(force_ + controller_.correction());
        if (++phase_ == controller_.samples()) phase_ = 0;
        took_ = std::chrono::steady_clock::now() - began;
        if constexpr (ReportsStatus<Line>)
            if (const Status s = line_.status(); !usable(s)) return guard_.wrong(s, Quantity::line, place());
        const Status moved = rig_.step(command);
        return usable(moved) ? std::max(decided, moved) : guard_.wrong(moved, Quantity::drive, command);
    }

    [[nodiscard]] double place() const noexcept {
        if constexpr (requires { line_.position(); })
            return line_.position();
        else
            return 0.0;
    }

    Rig& rig_;
    Line line_;
    control::ImpedanceMpc controller_;
    double datum_;  // m
    int factor_ = 1, phase_ = 0;
    LoopGuard guard_;
    std::vector<Motion> fine_, ahead_;  // predicted motion in steps of the line, in cycles
    Motion wire_{};
    double force_ = 0.0;
    std::chrono::nanoseconds took_{0};
};

}  // namespace panto::rig
