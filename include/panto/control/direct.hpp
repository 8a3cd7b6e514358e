// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// No control: the command is the position that the drive should have. The baseline for every controller; on
/// stiff pads the delays of a rig make it chatter.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/finite.hpp>

namespace panto::control {

/// Commands the height of the reference unchanged.
class Direct {
  public:
    using Command = PositionCommand;

    /// not_finite if the reference is not finite: the last command is repeated. @rt
    Result<Command> update(const Exchange& e) noexcept {
        if (!is_finite(e.reference.height)) return {{command_}, Status::not_finite};
        command_ = e.reference.height;
        return {{command_}, Status::ok};
    }
    /// @rt
    void reset(const Motion& at) noexcept {
        if (is_finite(at.height)) command_ = at.height;
    }

  private:
    double command_ = 0.0;  // m
};

static_assert(Controller<Direct>);

}  // namespace panto::control
