// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The checks of a rig::Cycle for a loop that reads force and height and commands a position in its own way: range of
/// readings and commands, readings that are frozen, and a force that rings or pulls.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/cycle_limits.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/force_watch.hpp>
#include <panto/rig/readings.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstdint>
#include <string_view>

namespace panto::rig {

/// @param model  the controller's model of the drive
/// @throws SetupError unless the rig's drive_state() has as many entries as the model has states.
template <class Model, class State>
void require_drive_states(const Model& model, const State& state, std::string_view where) {
    require(static_cast<Eigen::Index>(state.size()) == model.states(), where,
            "the controller's model of the drive has ", model.states(),
            " states, must have those of the rig's drive_state(), ", state.size());
}

/// Keeps the fault that was found.
class LoopGuard {
  public:
    /// @param dt  s, of a cycle
    /// @throws SetupError if a limit is not valid.
    LoopGuard(const CycleLimits& limits, double dt, const char* where)
        : limits_(limits), dt_(dt), watch_((validate(limits, where), of_force(limits)), dt) {}

    /// Checks force, N, and motion of the drive; `rest` is any other number read with them, which must be finite. A
    /// speed or acceleration that is not finite is named. @rt
    Status readings(double force, const Motion& strip, double rest) noexcept {
        const CycleLimits& l = limits_;
        const double height = strip.height;
        if (!is_finite(force)) return wrong(Status::sensor_implausible, Quantity::force, force, -l.force, l.force);
        if (!is_finite(strip))
            return wrong(not_finite(Status::sensor_implausible, strip, drive_motion, l.lowest, l.highest));
        if (!is_finite(rest)) return wrong(Status::sensor_implausible, Quantity::drive_state, rest);
        if (std::fabs(force) > l.force) return wrong(Status::out_of_range, Quantity::force, force, -l.force, l.force);
        if (!inside(height)) return wrong(Status::out_of_range, Quantity::height, height, l.lowest, l.highest);
        if (const Fault f = watch_.take(force, height); !usable(f.status)) return (fault_ = f).status;
        if (!commanded_) return Status::ok;
        const double height_time =
            dt_ * static_cast<double>(frozen_height_.take(height, command_, l.frozen_travel, same_height(l)));
        if (height_time > l.frozen_time)
            return wrong(Status::sensor_implausible, Quantity::frozen_position, height_time, -HUGE_VAL, l.frozen_time);
        return Status::ok;
    }

    /// Checks a command, m, before it is sent. @rt
    Status command(double height) noexcept {
        if (!inside(height))
            return wrong(Status::out_of_range, Quantity::command, height, limits_.lowest, limits_.highest);
        command_ = height;
        commanded_ = true;
        return Status::ok;
    }

    /// Records a fault; returns `why`. @rt
    Status wrong(Status why, Quantity q, double value, double lowest = -HUGE_VAL, double highest = HUGE_VAL) noexcept {
        return wrong({.status = why, .quantity = q, .value = value, .lowest = lowest, .highest = highest});
    }
    /// The same. @rt
    Status wrong(const Fault& fault) noexcept {
        fault_ = fault;
        return fault_.status;
    }

    [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

  private:
    [[nodiscard]] bool inside(double height) const noexcept {
        return height >= limits_.lowest && height <= limits_.highest;
    }

    CycleLimits limits_;
    double dt_;
    /// A predictive loop may swing while it starts, so its drive's height is not watched for an oscillation.
    static CycleLimits of_force(CycleLimits limits) noexcept {
        limits.ringing.motion = HUGE_VAL;
        return limits;
    }

    ForceWatch watch_;
    Fault fault_{};
    FrozenReading frozen_height_;
    double command_ = 0.0;
    bool commanded_ = false;
};

}  // namespace panto::rig
