// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop of the predictive rig with a line that may be nonlinear, which the predictive paper names as future work.
/// The line is the real-time engine in the ground's frame, or the line in the train's frame with droppers that go
/// slack. In each cycle the line predicts its motion over the horizon from its present state, slack droppers included;
/// the linear model of the controller gives the changes caused by F_cor. Include this header by name: it is not part of
/// <panto/rig.hpp>.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/control/impedance_mpc.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/impedance_cycle.hpp>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace panto::rig {

/// A rig (plant::DriveRig, or a type with the same members, and with stop() if it has to be stopped), any line that
/// predicts its motion, and their controller. Readings and command are checked as in a rig::Cycle.
/// The balance of energy takes the line's part from work(), J, if the line has this member: the sum of the work of its
/// force as its own scheme counts it. Without it, a line feels in each step the mean of the forces before and after it.
template <class Rig, PredictiveCatenary Line>
class NonlinearImpedanceLoop : public ImpedanceCycle<NonlinearImpedanceLoop<Rig, Line>, Rig, Line> {
    using Base = ImpedanceCycle<NonlinearImpedanceLoop, Rig, Line>;
    friend Base;
    using Base::controller_;
    using Base::factor_;
    using Base::line_;
    using Base::phase_;

  public:
    /// @param datum height of the line, m, that corresponds to position 0 of the drive
    /// @param phase the cycle of the controller's period that belongs to the present position of the contact
    /// @param limits as for ImpedanceLoop
    /// @throws SetupError if a limit is not valid, there is no such phase, the dt of rig, line and controller do not
    /// fit each other, the speed varies before the end of the line, or the contact does not pass a whole number of
    /// spans in the controller's period. Also if the line differs from the controller's model of it in its properties,
    /// its speed, or the place of the span where it begins.
    NonlinearImpedanceLoop(Rig& rig, Line line, control::ImpedanceMpc controller, double datum, int phase = 0,
                           const CycleLimits& limits = {})
        : Base(rig, std::move(line), std::move(controller), phase, limits, where), datum_(datum) {
        require_finite(datum, where, "datum");
        require(phase >= 0 && phase < controller_.samples(), where, "phase is ", phase, ", must be from 0 to ",
                controller_.samples() - 1);
        require_same_passage();
        ahead_.resize(static_cast<std::size_t>(controller_.params().horizon));
        fine_.resize(ahead_.size() * static_cast<std::size_t>(factor_));
        wire_ = {datum_, 0.0, 0.0};
        if constexpr (requires { line_.wire(); }) wire_ = line_.wire();
        if constexpr (requires { line_.work() - datum; }) work_ = line_.work();
    }

    [[nodiscard]] const Motion& wire() const noexcept { return wire_; }  ///< of the line, now
    /// m along the track, now.
    [[nodiscard]] double position() const noexcept
        requires TravellingContact<Line>
    {
        return line_.position();
    }
    /// m along the track, `seconds` from now.
    [[nodiscard]] double position_after(double seconds) const noexcept
        requires TravellingContact<Line>
    {
        return line_.position_after(seconds);
    }

  private:
    static constexpr const char* where = "rig::NonlinearImpedanceLoop";

    /// The controller's model of the line is periodic in whole spans, at one speed, from a place of the span on.
    void require_same_passage() const {
        if constexpr (TravellingContact<Line>) {
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

    template <class Drive>
    Status decide(double force, const Drive& drive) noexcept {
        line_.predict(force, fine_);
        const auto factor = static_cast<std::size_t>(factor_);
        for (std::size_t i = 0; i < ahead_.size(); ++i) ahead_[i] = above_datum(fine_[(i + 1) * factor - 1]);
        return controller_.step(force, drive, above_datum(wire_), ahead_, phase_);
    }
    Status advance() noexcept {
        const double force = this->corrected_force(), before = work_;
        for (int i = 0; i < factor_; ++i) {
            const double height = wire_.height, mean = 0.5 * (std::exchange(line_force_, force) + force);
            wire_ = line_.step(force);
            work_ += mean * (wire_.height - height);
        }
        if constexpr (requires { line_.work() - before; }) work_ = line_.work();
        if (!is_finite(work_)) return Status::not_finite;
        this->line_work_ = work_ - before;
        if constexpr (ReportsStatus<Line>) return line_.status();
        return Status::ok;
    }

    double datum_, line_force_ = 0.0;   // m; N, in the last step of the line
    double work_ = 0.0;                 // J, of the force on the line
    std::vector<Motion> fine_, ahead_;  // predicted motion in steps of the line, in cycles
    Motion wire_{};
};

}  // namespace panto::rig
