// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A fast drive of short stroke on a slow one of long stroke, used as one drive: in the predictive paper a linear drive
/// on a robot. The slow drive gets s, the command r behind a critically damped low-pass of second order. The fast drive
/// gets the rest, so that the sum of both positions follows r:
///     s'' = w^2 (r - s) - 2 w s',   w = 2 pi crossover;      fast = r - (measured slow position + dt s')
/// So the fast drive also corrects errors of the slow one. The cycle sees only the sum of their positions, so each
/// encoder is checked here: a reading that does not change although its drive is commanded to move is frozen. A wrong
/// reading of the slow drive would move the fast one. So its motion in a period is compared with the range that the
/// motion of the last period and those of the last four commands span; it is accepted up to `jump` beyond this range.
/// The motion of the last period counts only as far as it lies within the commands of the last half second.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/parts.hpp>
#include <panto/rig/readings.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string_view>

namespace panto::rig {

struct SeriesDriveParams {
    double crossover = 1.0;                             ///< Hz, of the low-pass for the slow drive
    double slow_lowest = -1.0, slow_highest = 1.0;      ///< m, of the slow drive
    double slow_speed = 0.5;                            ///< m/s, largest commanded speed of the slow drive
    double fast_lowest = -0.025, fast_highest = 0.025;  ///< m, of the fast drive, relative to the slow one
    double frozen_time = 0.5;  ///< s, for which a drive's position may stay the same (within a tenth of frozen_travel)
    double frozen_travel = 5e-4;  ///< m, ... while its command moves by more than this. Both as in CycleLimits
    double jump = 1e-3;           ///< m, largest unexplained change of the slow drive's reading in a period
};

/// Itself a Drive, to be given to a Cycle. Holds references to both drives. Its motion is the sum of theirs.
template <Drive Slow, Drive Fast>
    requires std::same_as<typename Slow::Command, PositionCommand> &&
             std::same_as<typename Fast::Command, PositionCommand>
class SeriesDrive {
  public:
    using Command = PositionCommand;

    /// @throws SetupError naming the field, its value and what is allowed, or if the dt of a drive differs.
    SeriesDrive(Slow& slow, Fast& fast, double dt, const SeriesDriveParams& p = {})
        : slow_(slow), fast_(fast), dt_(dt), p_(p) {
        constexpr const char* where = "rig::SeriesDriveParams";
        require_positive(dt, where, "dt");
        require(p.crossover > 0.0 && p.crossover <= 0.1 / dt, where, "crossover is ", p.crossover,
                " Hz, must be above 0 and at most a tenth of the rate of the cycle, ", 0.1 / dt, " Hz");
        require(p.slow_lowest < p.slow_highest, where, "slow_lowest is ", p.slow_lowest,
                " m, must be below slow_highest, ", p.slow_highest, " m");
        require(p.fast_lowest < p.fast_highest, where, "fast_lowest is ", p.fast_lowest,
                " m, must be below fast_highest, ", p.fast_highest, " m");
        require_positive(p.slow_speed, where, "slow_speed");
        require(p.frozen_time > 0.0, where, "frozen_time is ", p.frozen_time,
                " s, must be above 0; infinity turns this check off");
        require_positive(p.frozen_travel, where, "frozen_travel");
        require_positive(p.jump, where, "jump");
        require_time_step(slow, dt, where, "the slow drive");
        require_time_step(fast, dt, where, "the fast drive");
    }

    /// Sum of both motions, with the worse status. If the reading of either drive is missing, so is the sum, and the
    /// cycle bridges it.
    /// @return sensor_implausible if the encoder of either drive is frozen, or that of the slow one has jumped. @rt
    [[nodiscard]] Result<Motion> read() noexcept {
        const Result<Motion> slow = slow_.read(), fast = fast_.read();
        fault_ = {};
        const bool slow_missing = is_gap(slow.status), fast_missing = is_gap(fast.status);
        if (!slow.usable() && !slow_missing) return {{}, wrong(slow.status, Quantity::drive, 0.0, slow_name)};
        if (!fast.usable() && !fast_missing) return {{}, wrong(fast.status, Quantity::drive, 0.0, fast_name)};
        const bool known = !slow_missing && is_finite(slow.value.height);
        if (const Status s = carried(slow.value.height, known); !usable(s)) return {{}, s};
        if (slow_missing || fast_missing) return ++periods_, Result<Motion>{{}, std::max(slow.status, fast.status)};
        if (started_ && known) {
            const Status s = std::max(alive(slow_seen_, slow.value.height, slow_command_, slow_name),
                                      alive(fast_seen_, fast.value.height, fast_command_, fast_name));
            if (!usable(s)) return {{}, s};
        }
        periods_ = known ? 1 : periods_ + 1;
        // Not a status yet: the cycle may bridge it, and asks for this fault if it does not.
        if (!is_finite(slow.value)) lost_number(slow.value, slow_name);
        if (!is_finite(fast.value)) lost_number(fast.value, fast_name);
        return {{slow.value.height + fast.value.height, slow.value.speed + fast.value.speed,
                 slow.value.acceleration + fast.value.acceleration},
                std::max(slow.status, fast.status)};
    }

    /// Nothing is written unless the command of the fast drive is within its limits. The slow drive stands still until
    /// the first command; its command is limited in height and speed.
    /// @return out_of_range if the fast drive cannot reach the command from the position of the slow one, not_finite if
    /// this position was never read, saturated if the command of the slow one was limited. @rt
    Status write(const Command& command) noexcept {
        if (!is_finite(command.value)) return Status::not_finite;
        if (!started_) left_ = carrier_, speed_ = 0.0;
        if (!is_finite(left_)) return wrong(Status::not_finite, Quantity::height, left_, slow_name);
        const double w = 2.0 * std::numbers::pi * p_.crossover, a = std::exp(-w * dt_), e = left_ - command.value,
                     c = speed_ + w * e;
        const double most = p_.slow_speed * dt_, free = command.value + (e + c * dt_) * a;
        const double next = std::clamp(std::clamp(free, left_ - most, left_ + most), p_.slow_lowest, p_.slow_highest);
        const bool held = std::fabs(next - free) > 0.0;
        const double speed = held ? (next - left_) / dt_ : (c - w * (e + c * dt_)) * a;
        const double fast = command.value - (carrier_ + speed * dt_);
        if (!(fast >= p_.fast_lowest && fast <= p_.fast_highest))
            return wrong(Status::out_of_range, Quantity::command, fast, fast_name, p_.fast_lowest, p_.fast_highest);
        started_ = true;
        if (const Status s = slow_.write({next}); !usable(s)) return wrong(s, Quantity::drive, next, slow_name);
        const Status s = fast_.write({fast});
        if (!usable(s)) return wrong(s, Quantity::drive, fast, fast_name);
        ++written_;
        const double step = next - left_;
        std::shift_left(steps_.begin(), steps_.end(), 1);
        steps_.back() = step;
        slowest_ = std::min(step, step + (slowest_ - step) * fade_);
        fastest_ = std::max(step, step + (fastest_ - step) * fade_);
        left_ = next, speed_ = speed;
        slow_command_ = next, fast_command_ = fast;
        return held ? std::max(s, Status::saturated) : s;
    }

    /// Stops both. @rt
    void stop() noexcept {
        slow_.stop();
        fast_.stop();
        started_ = false;
        carrier_ = read_ = unknown;
        written_ = 0, periods_ = 1;
        steps_ = {};
        pace_ = slowest_ = fastest_ = 0.0;
        slow_seen_.reset();
        fast_seen_.reset();
        fault_ = {};
    }

    /// The fault, with the name of the drive; a cycle asks for it. @rt
    [[nodiscard]] const Fault& fault() const noexcept { return fault_; }
    [[nodiscard]] double slow_command() const noexcept { return slow_command_; }  ///< m, sent last
    [[nodiscard]] double fast_command() const noexcept { return fast_command_; }  ///< m, sent last
    [[nodiscard]] double dt() const noexcept { return dt_; }                      ///< s

  private:
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    static constexpr double memory = 0.5;  // s, for which the speeds that were commanded count
    static constexpr std::string_view slow_name = "slow drive", fast_name = "fast drive";

    Status wrong(Status why, Quantity q, double value, std::string_view which, double lowest = -HUGE_VAL,
                 double highest = HUGE_VAL) noexcept {
        fault_ = {why, q, value, lowest, highest, which};
        return why;
    }

    void lost_number(const Motion& m, std::string_view which) noexcept {
        fault_ = not_finite(Status::sensor_implausible, m, drive_motion, -HUGE_VAL, HUGE_VAL);
        fault_.which = which;
    }

    /// Takes the position of the slow drive. If it is not known, or the reading has jumped, assumes that the drive has
    /// followed its commands since the last good reading.
    Status carried(double height, bool known) noexcept {
        const auto periods = static_cast<double>(std::max<std::int64_t>(1, written_));
        const auto [least, most] = std::minmax_element(steps_.begin(), steps_.end());
        double down = periods * std::min(*least, pace_), up = periods * std::max(*most, pace_);
        if (written_ == 0) down = std::min(down, 0.0), up = std::max(up, 0.0);  // read twice in a period
        const double lowest = read_ + down - p_.jump, highest = read_ + up + p_.jump;
        const bool jumped = known && started_ && (height < lowest || height > highest);
        if (!known || jumped) {
            carrier_ += speed_ * dt_;
            return jumped ? wrong(Status::sensor_implausible, Quantity::height, height, slow_name, lowest, highest)
                          : Status::ok;
        }
        if (started_) pace_ = std::clamp((height - read_) / periods, slowest_, fastest_);
        carrier_ = read_ = height;
        written_ = 0;
        return Status::ok;
    }

    Status alive(FrozenReading& seen, double height, double command, std::string_view which) noexcept {
        const double travel = p_.frozen_travel;
        const double same = static_cast<double>(seen.take(height, command, travel, 0.1 * travel, periods_)) * dt_;
        if (!(same > p_.frozen_time)) return Status::ok;
        return wrong(Status::sensor_implausible, Quantity::frozen_position, same, which, -HUGE_VAL, p_.frozen_time);
    }

    Slow& slow_;
    Fast& fast_;
    double dt_;  // s
    SeriesDriveParams p_;
    double fade_ = std::exp(-dt_ / memory);
    double read_ = unknown, carrier_ = unknown;  // m, of the slow drive: last good reading; the same, or extrapolated
    std::int64_t written_ = 0;                   // commands since this reading
    std::array<double, 4> steps_{};              // m per period, of the slow drive: commanded, the last one last
    double pace_ = 0.0;                          // m per period, of the slow drive: read last
    double slowest_ = 0.0, fastest_ = 0.0;       // m per period, commanded within `memory`, fading
    bool started_ = false;
    double left_ = 0.0, speed_ = 0.0;                 // m, m/s, of the filter
    double slow_command_ = 0.0, fast_command_ = 0.0;  // m
    FrozenReading slow_seen_, fast_seen_;
    int periods_ = 1;  // since both were read
    Fault fault_{};
};

}  // namespace panto::rig
