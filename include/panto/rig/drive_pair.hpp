// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Two drives that a cycle moves as one: both get a command or neither does, and a fault of one stops both. The cycle
/// commands the first. The second, such as an actuator under the pantograph that reproduces the motion of a vehicle's
/// roof, follows its own motion, relative to where it stands when the cycle starts:
///     command = place + motion(n dt) - motion(0),   n = 0, 1, ... cycles since the start
/// Before the start, for instance during commissioning, the second drive holds its position. Its motion starts from its
/// last command, the place; after stop(), or before any command, the place is the reading. At the start a reading is
/// refused if it is more than 1 mm both from this place and from where the drive was read last: the encoder may have
/// jumped. The second drive is checked as the first one is: range, rate of command, following, lost and frozen
/// readings.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/cycle_limits.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/parts.hpp>
#include <panto/rig/readings.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace panto::rig {

/// Height, m, at a time since the start of the run, s. It must begin gently: the rate of the command is limited.
template <class M>
concept PrescribedMotion = requires(M& motion, double time) {
    { motion(time) } noexcept -> std::convertible_to<double>;
};

/// Itself a Drive, to be given to a Cycle. Holds references to both drives.
template <Drive D, Drive Second, PrescribedMotion M>
    requires std::same_as<typename Second::Command, PositionCommand>
class DrivePair {
  public:
    using Command = typename D::Command;

    /// @param limits  of the second drive; `wire_height` is that of its motion at the start; `force`, `ringing` and
    /// `wire_speed` are not used
    /// @throws SetupError if dt or the limits are not valid, or if the dt of a drive differs.
    DrivePair(D& first, Second& second, M motion, double dt, const CycleLimits& limits = {})
        : first_(first), second_(second), motion_(motion), dt_(dt), limits_(limits) {
        constexpr const char* where = "rig::DrivePair";
        require_positive(dt, where, "dt");
        validate(limits, where);
        require_time_step(first, dt, where, "the first drive");
        require_time_step(second, dt, where, "the second drive");
    }

    /// The second drive begins its motion where it stands, with the next command. A cycle calls this. @rt
    void begin_run() noexcept {
        playing_ = true;
        if (!placed_) held_.reset();
        place_ = placed_ ? last_ : unknown;
        seen_ = placed_ ? held_.good().height : unknown;
        begin();
    }

    /// Motion of the first drive, with the status of both. @rt
    [[nodiscard]] Result<Motion> read() noexcept {
        Result<Motion> first = first_.read();
        const Result<Motion> seen = second_.read();
        const Status second =
            judged(held_.take(seen, limits_.frames_held, is_finite(seen.value) && inside(seen.value.height)));
        if (first.usable()) first.status = usable(second) ? std::max(first.status, second) : second;
        return first;
    }

    /// Nothing is written unless the command of the second drive is within its limits. @rt
    Status write(const Command& command) noexcept {
        if (!started_) {
            const double from = origin_ = offset(0), far = limits_.wire_height;
            if (!is_finite(from)) return wrong(Status::not_finite, Quantity::reference_height, from);
            if (std::fabs(from) > far)  // a mistake; and its rounding would move the drive
                return wrong(Status::out_of_range, Quantity::reference_height, from, -far, far);
        }
        const double height = started_ ? start_ + (offset(cycles_) - origin_) : place_;
        const double change = height - last_;
        if (!is_finite(height)) return wrong(Status::not_finite, Quantity::command, height);
        if (!inside(height))
            return wrong(Status::out_of_range, Quantity::command, height, limits_.lowest, limits_.highest);
        if (started_ && std::fabs(change) > limits_.command_rate * dt_)
            return wrong(Status::out_of_range, Quantity::command_rate, change / dt_, -limits_.command_rate,
                         limits_.command_rate);
        const Status first = first_.write(command);
        if (!usable(first)) return first;
        const Status second = second_.write({height});
        if (!usable(second)) return wrong(second, Quantity::drive, height);
        if (!started_) start_ = height;
        last_ = height;
        started_ = placed_ = true;
        if (playing_) ++cycles_;
        return std::max(first, second);
    }

    /// Stops both. @rt
    void stop() noexcept {
        first_.stop();
        second_.stop();
        playing_ = placed_ = false;
        place_ = seen_ = unknown;
        fault_ = {};
        held_.reset();
        begin();
    }

    /// The fault of the second drive, or if it has none, that of the first; a cycle asks for it. @rt
    [[nodiscard]] const Fault& fault() const noexcept {
        if constexpr (TellsFault<D>)
            if (usable(fault_.status)) return first_.fault();
        return fault_;
    }
    [[nodiscard]] const Motion& second() const noexcept { return held_.good(); }  ///< measured last
    [[nodiscard]] double second_command() const noexcept { return last_; }        ///< m, sent last
    [[nodiscard]] std::int64_t held() const noexcept {
        return bridged_;
    }  ///< number of readings of the second drive that were replaced by older ones
    [[nodiscard]] double dt() const noexcept { return dt_; }  ///< s
    [[nodiscard]] decltype(auto) rig_params() const noexcept
        requires requires(const D& d) { d.rig_params(); }
    {
        return first_.rig_params();
    }

  private:
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    static constexpr double jump = 1e-3;  // m, as in a cycle

    void begin() noexcept {
        started_ = false;
        cycles_ = 0;
        astray_ = 0;
        frozen_.reset();
    }

    Status wrong(Status why, Quantity q, double value, double lowest = -HUGE_VAL, double highest = HUGE_VAL) noexcept {
        fault_ = {why, q, value, lowest, highest, "second drive"};
        return why;
    }

    Status judged(const Result<Motion>& reading) noexcept {
        const double height = reading.value.height;
        bridged_ += held_.bridged();
        if (is_gap(reading.status)) {  // drive_fault, so that the cycle does not bridge it
            fault_ = held_.gap(Status::drive_fault, Quantity::position_reading, Quantity::first_position,
                               limits_.frames_held);
            fault_.which = "second drive";
            return fault_.status;
        }
        if (!reading.usable()) return wrong(reading.status, Quantity::height, height);
        if (!is_finite(reading.value)) {
            fault_ =
                not_finite(Status::sensor_implausible, reading.value, drive_motion, limits_.lowest, limits_.highest);
            fault_.which = "second drive";
            return fault_.status;
        }
        if (!inside(height))
            return wrong(Status::out_of_range, Quantity::height, height, limits_.lowest, limits_.highest);
        if (!started_) {
            if (std::fabs(height - place_) > jump && std::fabs(height - seen_) > jump)
                return wrong(Status::sensor_implausible, Quantity::height, height, place_ - jump, place_ + jump);
            if (!placed_) place_ = seen_ = height;
            return reading.status;
        }
        astray_ = std::fabs(height - last_) > limits_.following ? astray_ + 1 : 0;
        if (astray_ > limits_.following_cycles)
            return wrong(Status::drive_fault, Quantity::following, std::fabs(height - last_), -HUGE_VAL,
                         limits_.following);
        if (held_.bridged()) return reading.status;
        const auto cycles = frozen_.take(height, last_, limits_.frozen_travel, same_height(limits_), held_.periods());
        if (const double same = static_cast<double>(cycles) * dt_; same > limits_.frozen_time)
            return wrong(Status::sensor_implausible, Quantity::frozen_position, same, -HUGE_VAL, limits_.frozen_time);
        return reading.status;
    }

    [[nodiscard]] double offset(std::int64_t cycle) noexcept { return motion_(static_cast<double>(cycle) * dt_); }
    [[nodiscard]] bool inside(double height) const noexcept {
        return height >= limits_.lowest && height <= limits_.highest;
    }

    D& first_;
    Second& second_;
    M motion_;
    double dt_;  // s
    CycleLimits limits_;
    Fault fault_{};
    HeldReading<Motion> held_;
    FrozenReading frozen_;
    bool started_ = false, playing_ = false;
    bool placed_ = false;                      // it has had a command since it was stopped last
    double place_ = unknown, seen_ = unknown;  // m, of the first command and of the reading that is expected then
    std::int64_t cycles_ = 0, bridged_ = 0;
    int astray_ = 0;                                  // cycles in a row
    double start_ = 0.0, origin_ = 0.0, last_ = 0.0;  // m
};

}  // namespace panto::rig
