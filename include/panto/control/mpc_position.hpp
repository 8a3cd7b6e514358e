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

namespace panto::control {

/// Reads `strip.height`, `reference` and `preview`. The reference of the coming step is the first stage; those behind
/// it follow the wire's preview as far as that reaches, then they stay.
class MpcPosition {
  public:
    using Command = PositionCommand;

    /// @param preview_steps how far the catenary shall look ahead, 0 to Preview::capacity
    /// @throws SetupError as Mpc does, for a plant that has not one input and one output, or another preview.
    explicit MpcPosition(const MpcParams& p, int preview_steps = 0) : mpc_(p), preview_steps_(preview_steps) {
        const char* where = "control::MpcPosition";
        const StateSpace& plant = p.plant[0];
        require(plant.inputs() == 1 && plant.outputs() == 1, where, "the plant has ", plant.inputs(), " inputs and ",
                plant.outputs(), " outputs, must be one of each");
        require(preview_steps >= 0 && preview_steps <= Preview::capacity, where, "preview_steps is ", preview_steps,
                ", must be from 0 to ", Preview::capacity);
        measured_.setZero(1);
        reference_.setZero(1, p.horizon);
    }

    /// On inputs that are not finite the last command is repeated: sensor_implausible. @rt
    Result<PositionCommand> update(const Exchange& e) noexcept {
        if (!is_finite(e.strip.height) || !is_finite(e.reference.height))
            return {{mpc_.input()[0]}, Status::sensor_implausible};
        measured_[0] = e.strip.height;
        const auto count = static_cast<Eigen::Index>(std::clamp(e.preview.count, 0, Preview::capacity));
        double wanted = e.reference.height;
        for (Eigen::Index i = 0; i < reference_.cols(); ++i) {
            if (i > 0 && i < count)
                wanted += e.preview.motion[static_cast<std::size_t>(i)].height -
                          e.preview.motion[static_cast<std::size_t>(i - 1)].height;
            reference_(0, i) = wanted;
        }
        const Status status = mpc_.step(measured_, reference_);
        return {{mpc_.input()[0]}, status};
    }

    /// The drive at rest at this height. @rt
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
    Eigen::VectorXd measured_;
    Eigen::MatrixXd reference_;
};

static_assert(Controller<MpcPosition>);

}  // namespace panto::control
