// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// No control at all: the drive is sent the position it should have. What every controller is compared with; on
/// stiff pads the delays of a rig make it chatter.

#pragma once

#include <panto/control/concepts.hpp>

namespace panto::control {

/// Commands the height of the reference as it is.
class Direct {
  public:
    using Command = PositionCommand;

    /// @rt
    Result<Command> update(const Exchange& e) noexcept { return {{e.reference.height}, Status::ok}; }
    /// @rt
    void reset(const Motion&) noexcept {}
};

static_assert(Controller<Direct>);

}  // namespace panto::control
