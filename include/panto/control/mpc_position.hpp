// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Model-predictive control of one position in a rig's cycle: input 0 is the command, output 0 the measured height.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/control/mpc.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <span>

namespace panto::control {

/// Reads `strip.height`, `reference` and the preview of the wire, from look_ahead() or else from the Exchange. The
/// reference of the coming step is the target of the first stage. The targets of later stages move as the previewed
/// wire does; without a preview they are constant.
class MpcPosition {
  public:
    using Command = PositionCommand;

    /// @param preview_steps  0 for a constant reference over the horizon, or from the horizon to Preview::longest
    /// @throws SetupError as Mpc does, or if the plant does not have one input and one output.
    template <class = void>
    explicit MpcPosition(const MpcParams& p, int preview_steps = 0) : mpc_(p), preview_steps_(preview_steps) {
        const char* where = "control::MpcPosition";
        const StateSpace& plant = p.plant[0];
        require(plant.inputs() == 1 && plant.outputs() == 1, where, "the plant has ", plant.inputs(), " inputs and ",
                plant.outputs(), " outputs, must be one of each");
        require(preview_steps >= 0 && preview_steps <= Preview::longest, where, "preview_steps is ", preview_steps,
                ", must be from 0 to ", Preview::longest);
        require(preview_steps == 0 || preview_steps >= p.horizon, where, "preview_steps is ", preview_steps,
                ", shorter than the horizon of ", p.horizon, " cycles; must be at least that, or 0 for none");
        ahead_.setZero(preview_steps);
        measured_.setZero(1);
        reference_.setZero(1, p.horizon);
    }

    /// If an input is not finite, update() repeats the last command and returns sensor_implausible. @rt
    template <class = void>
    Result<PositionCommand> update(const Exchange& e) noexcept {
        if (!is_finite(e.strip.height) || !is_finite(e.reference.height))
            return {{mpc_.input()[0]}, Status::sensor_implausible};
        measured_[0] = e.strip.height;
        if (known_ == 0)
            look_ahead(
                {e.preview.motion.data(), static_cast<std::size_t>(std::clamp(e.preview.count, 0, Preview::capacity))});
        double wanted = e.reference.height;
        for (Eigen::Index i = 0; i < reference_.cols(); ++i) {
            if (i > 0 && i < known_) wanted += ahead_[i] - ahead_[i - 1];
            reference_(0, i) = wanted;
        }
        known_ = 0;
        const Status status = mpc_.step(measured_, reference_);
        return {{mpc_.input()[0]}, status};
    }

    /// Takes the motions of the wire in the coming steps, for the next update(); entry 0 is at the end of the coming
    /// step. Entries beyond preview_steps(), or from the first one that is not finite on, are ignored. @rt
    void look_ahead(std::span<const Motion> wire) noexcept {
        const Eigen::Index most = std::min(static_cast<Eigen::Index>(wire.size()), ahead_.size());
        for (known_ = 0; known_ < most; ++known_) {
            ahead_[known_] = wire[static_cast<std::size_t>(known_)].height;
            if (!is_finite(ahead_[known_])) break;
        }
    }

    /// Starts anew with the drive at rest at `at.height`. @rt
    template <class = void>
    void reset(const Motion& at) noexcept {
        measured_[0] = at.height;
        mpc_.reset(measured_);
    }

    [[nodiscard]] int preview_steps() const noexcept { return preview_steps_; }
    [[nodiscard]] double dt() const noexcept { return mpc_.dt(); }  ///< s
    [[nodiscard]] const Mpc& mpc() const noexcept { return mpc_; }

  private:
    Mpc mpc_;
    int preview_steps_;
    Eigen::VectorXd measured_, ahead_ = {};  // ahead_: heights of the wire, the first known_ of them
    Eigen::Index known_ = 0;
    Eigen::MatrixXd reference_;
};

static_assert(Controller<MpcPosition>);

}  // namespace panto::control
