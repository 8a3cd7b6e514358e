// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moves the drive outside the loop, period by period: wait, command, read, check. Commissioning uses it. Every period
/// is recorded, and every failure stops the drive.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/rig/commissioning_plan.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/parts.hpp>
#include <panto/rig/readings.hpp>
#include <panto/rig/wait.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

namespace panto::rig {

/// A force sensor with its offset subtracted. commission() fills in the offset; the loop then uses this sensor.
template <ForceSensor S>
struct TaredSensor {
    S& sensor;
    double offset = 0.0;  ///< N

    /// @rt
    [[nodiscard]] Result<double> read() noexcept {
        Result<double> reading = sensor.read();
        reading.value -= offset;
        return reading;
    }
    /// s; only if the sensor has a dt()
    [[nodiscard]] auto dt() const noexcept
        requires KnowsTimeStep<S>
    {
        return sensor.dt();
    }
};

template <class S>
TaredSensor(S&) -> TaredSensor<S>;

/// Moves the drive within the limits of a plan. It holds references to its parts.
template <ForceSensor S, Drive D, Clock C>
    requires std::same_as<typename D::Command, PositionCommand>
class GuardedMotion {
  public:
    [[nodiscard]] const CommissioningReport& report() const noexcept { return report_; }
    /// Call it if something else has moved the drive: the next stage then begins at the measured position, as the first
    /// one does. Without this call that stage is refused, because the encoder may as well be wrong.
    void drive_was_moved() noexcept {
        moved_ = holds_ = false;
        frozen_position_.reset();
    }
    /// All periods of the stages so far. There is room for one pass of the plan; once it is full, periods of repeated
    /// stages are dropped.
    [[nodiscard]] const std::vector<CommissioningReading>& readings() const noexcept { return readings_; }

  protected:
    static constexpr int average_over = 50;  // readings

    GuardedMotion(TaredSensor<S>& sensor, D& drive, C& clock, const CommissioningPlan& plan)
        : sensor_(sensor),
          drive_(drive),
          clock_(clock),
          p_((validate(plan), plan)),
          dt_(1e-9 * static_cast<double>(plan.period.count())) {
        readings_.reserve(most_readings(plan));
    }
    ~GuardedMotion() = default;

    /// Carries out `what()`, a stage made of cycle() and average(). If it fails, the drive is stopped.
    template <class What>
    Status carry_out(CommissioningStage stage, What&& what) noexcept {
        report_.stage = stage;
        report_.fault = {};
        next_ = clock_.now();
        force_reading_.reset(), position_reading_.reset();
        report_.status = find_start();
        if (readings_.empty()) began_ = next_;
        if (usable(report_.status)) {
            if (excites()) frozen_position_.reset();  // its band is another there
            moved_ = true;
            report_.status = what();
            holds_ = usable(report_.status);
            left_at_ = height_;
        }
        if (!usable(report_.status)) {
            drive_.stop();
            report_.fault.status = report_.status;
        }
        return report_.status;
    }

    /// Sets the first command of a stage. After a stage that ended well it is the last command, not a reading: an
    /// encoder that is dead or has jumped would make the drive jump. In the first stage, and after one that failed, the
    /// first command is the measured position: three readings must agree, and an encoder that did not follow before
    /// must have changed. A stage is refused if the reading is further than `sign_move` from the last command; after a
    /// stage that ended well, a reading within `sign_move` of the last reading of that stage is accepted as well.
    Status find_start() noexcept {
        if (const Status s = first_position(); !usable(s)) return s;
        const auto from = [this](double place) { return std::fabs(height_ - place); };
        if (!holds_ && frozen_position_.take(height_, command_, p_.frozen_travel, same_height()) > 0)
            return dead(Quantity::frozen_position, frozen_position_.same(), 0.0);
        const auto is_there = [&] {
            return from(command_) <= p_.sign_move || (holds_ && from(left_at_) <= p_.sign_move);
        };
        constexpr int enough = 3, most = 20;  // readings
        constexpr double near = 0.2e-3;       // m
        double first = height_;
        for (int looks = 1, alike = 1; alike < enough; ++looks) {
            if (holds_ && is_there()) return Status::ok;
            if (looks == most)
                return wrong(Status::sensor_implausible, Quantity::height, height_, first - near, first + near);
            if (const Status s = wait(); !usable(s)) return s;
            if (const Status s = first_position(); !usable(s)) return s;
            alike = from(first) <= near ? alike + 1 : 1;
            if (alike == 1) first = height_;
        }
        if (moved_ && !is_there())
            return wrong(Status::drive_fault, Quantity::following, from(command_), -HUGE_VAL, p_.sign_move);
        frozen_position_.reset();
        command_ = height_;
        return Status::ok;
    }

    /// Records the fault.
    Status wrong(Status why, Quantity q, double value, double lowest = -HUGE_VAL, double highest = HUGE_VAL) noexcept {
        report_.fault = {.status = why, .quantity = q, .value = value, .lowest = lowest, .highest = highest};
        return why;
    }

    /// Reads the position of the drive. No earlier reading can replace it, so it is read again as often as allowed.
    Status first_position() noexcept {
        Result<Motion> position = drive_.read();
        const auto may_pass = [this](const Result<Motion>& r) {
            return is_gap(r.status) || (r.usable() && !plausible(r.value));
        };
        for (int missing = 0; missing < p_.frames_held && may_pass(position); ++missing) {
            if (const Status s = wait(); !usable(s)) return s;
            (void)position_reading_.take(position, 0, false);  // counts as missing
            position = drive_.read();
        }
        return judged(position_reading_.take(position, 0, plausible(position.value)));
    }

    [[nodiscard]] bool plausible(double force) const noexcept {
        return is_finite(force) && std::fabs(force) <= p_.force_limit;
    }
    [[nodiscard]] bool plausible(const Motion& at) const noexcept {
        return is_finite(at) && at.height >= p_.lowest && at.height <= p_.highest;
    }

    /// Records a reading that has not changed for `periods`.
    Status dead(Quantity which, std::int64_t periods, double allowed) noexcept {
        return wrong(Status::sensor_implausible, which, static_cast<double>(periods) * dt_, -HUGE_VAL, allowed);
    }

    /// Records missing readings as the fault.
    template <class T>
    Status missed(Status why, const HeldReading<T>& reading, Quantity in_a_row, Quantity first) noexcept {
        report_.fault = reading.gap(why, in_a_row, first, p_.frames_held);
        return why;
    }

    Status judged(const Result<Motion>& position) noexcept {
        height_ = position.value.height;
        if (!position.usable() && copy_fault(drive_, position.status, report_.fault)) return position.status;
        if (is_gap(position.status))
            return missed(position.status, position_reading_, Quantity::position_reading, Quantity::first_position);
        if (!position.usable()) return wrong(position.status, Quantity::height, height_);
        constexpr Status implausible = Status::sensor_implausible;
        if (!is_finite(position.value)) {
            if (!copy_fault(drive_, implausible, report_.fault))
                report_.fault = not_finite(implausible, position.value, drive_motion, p_.lowest, p_.highest);
            return implausible;
        }
        if (height_ < p_.lowest || height_ > p_.highest)
            return wrong(Status::out_of_range, Quantity::height, height_, p_.lowest, p_.highest);
        return Status::ok;
    }

    /// Mean and standard deviation of the force, N, over the coming readings, with the drive kept in place. `place` is
    /// the mean height of the drive, m.
    Status average(int samples, double& mean, double& deviation, double* place = nullptr) noexcept {
        double sum = 0.0, squares = 0.0, height = 0.0;
        for (int i = 1; i <= samples; ++i) {
            if (const Status s = cycle(command_); !usable(s)) return s;
            const double away = force_ - sum;
            sum += away / i;
            squares += away * (force_ - sum);
            height += (height_ - height) / i;
        }
        if (place) *place = height;
        mean = sum;
        deviation = std::sqrt(squares / samples);
        return Status::ok;
    }

    Status wait() noexcept {
        // Lost time is not caught up, so that the drive never moves faster than planned.
        next_ = std::max(next_ + p_.period, clock_.now());
        if (const Waited waited = wait_until(clock_, next_, p_.period); !waited)
            return wrong(Status::deadline_missed, Quantity::clock, 1e-9 * static_cast<double>(waited.left.count()),
                         -HUGE_VAL, 1e-9 * static_cast<double>(waited.allowed.count()));
        const bool asked = p_.stop_requested && p_.stop_requested->load(std::memory_order_relaxed);
        return asked ? Status::stopped_by_user : Status::ok;
    }

    /// One period: wait, command, read, check.
    Status cycle(double command) noexcept {
        if (const Status s = wait(); !usable(s)) return s;
        if (const Status s = drive_.write({command}); !usable(s))
            return copy_fault(drive_, s, report_.fault) ? s : wrong(s, Quantity::drive, command);
        command_ = command;
        const auto heard = sensor_.read();
        const auto seen = drive_.read();
        const auto force = force_reading_.take(heard, p_.frames_held, plausible(heard.value));
        const double before = height_;
        const bool jumped = !excites() && std::fabs(seen.value.height - before) > p_.sign_move;
        const auto position = position_reading_.take(seen, p_.frames_held, plausible(seen.value) && !jumped);
        if (readings_.size() < readings_.capacity())
            readings_.push_back({.time = 1e-9 * static_cast<double>((next_ - began_).count()),
                                 .stage = report_.stage,
                                 .status = usable(force.status) ? position.status : force.status,
                                 .force = force.value,
                                 .height = position.value.height,
                                 .command = command,
                                 .held = force_reading_.bridged() || position_reading_.bridged()});
        force_ = force.value;
        if (is_gap(force.status))
            return missed(force.status, force_reading_, Quantity::force_reading, Quantity::first_force);
        if (!force.usable()) return wrong(force.status, Quantity::force, force_);
        if (!is_finite(force_))
            return wrong(Status::sensor_implausible, Quantity::force, force_, -p_.force_limit, p_.force_limit);
        if (const Status s = judged(position); !usable(s)) return s;
        if (std::fabs(force_) > p_.force_limit)
            return wrong(Status::out_of_range, Quantity::force, force_, -p_.force_limit, p_.force_limit);
        if (const double away = std::fabs(height_ - command_); away > p_.following)
            return wrong(Status::drive_fault, Quantity::following, away, -HUGE_VAL, p_.following);
        if (jumped && !position_reading_.bridged())  // outside the excitations no command makes it that fast
            return wrong(Status::sensor_implausible, Quantity::height, height_, before - p_.sign_move,
                         before + p_.sign_move);
        if (!position_reading_.bridged())
            if (const Status s = position_alive(); !usable(s)) return s;
        if (!force_reading_.bridged()) return force_alive();
        return Status::ok;
    }

    /// As in a cycle: a drive that is commanded to move by `frozen_travel` changes the position reading by at least a
    /// tenth of that. The jumps of an excitation may be smaller: there both limits are a tenth as large.
    Status position_alive() noexcept {
        const double scale = excites() ? 0.1 : 1.0;
        const auto same = frozen_position_.take(height_, command_, scale * p_.frozen_travel, scale * same_height(),
                                                position_reading_.periods());
        if (!(static_cast<double>(same) * dt_ > p_.frozen_time)) return Status::ok;
        return dead(Quantity::frozen_position, same, p_.frozen_time);
    }
    [[nodiscard]] double same_height() const noexcept { return 0.1 * p_.frozen_travel; }
    [[nodiscard]] bool excites() const noexcept {
        return report_.stage == CommissioningStage::excitation_in_air ||
               report_.stage == CommissioningStage::excitation_in_contact;
    }

    /// If the force readings varied without contact, they cannot stay the same for long while the drive moves. In the
    /// excitation in contact none can, because the jumps grow until the force answers.
    Status force_alive() noexcept {
        const bool must_answer = report_.stage == CommissioningStage::excitation_in_contact;
        const double travel = must_answer ? 0.5 * p_.frozen_travel : 0.25 * p_.sign_move;
        same_ = frozen_.take(force_, height_, travel, same_force, force_reading_.periods());
        if (report_.stage == CommissioningStage::tare) {
            changes_ += frozen_.same() == 0;
            longest_same_ = std::max(longest_same_, frozen_.same());
            return Status::ok;
        }
        constexpr std::int64_t enough_changes = 10, caution = 10;
        double most = must_answer ? p_.frozen_time : HUGE_VAL;  // s
        if (changes_ >= enough_changes)
            most = dt_ * static_cast<double>(std::max<std::int64_t>(average_over, caution * longest_same_));
        if (!(dt_ * static_cast<double>(same_) > most)) return Status::ok;
        return dead(Quantity::frozen_force, same_, most);
    }

    [[nodiscard]] static double share(std::int64_t i, std::int64_t steps) noexcept {
        return static_cast<double>(i) / static_cast<double>(steps);
    }

    TaredSensor<S>& sensor_;
    D& drive_;
    C& clock_;
    CommissioningPlan p_;
    double dt_;  // s
    CommissioningReport report_;
    double command_ = 0.0;  // m, the last one
    double height_ = 0.0;   // m
    double force_ = 0.0;    // N
    FrozenReading frozen_;
    std::int64_t same_ = 0;                        // equal force readings in a row while the drive moves
    std::int64_t changes_ = 0, longest_same_ = 0;  // in the tare: changes of the reading, most equal ones in a row

  private:
    bool moved_ = false;    // a stage has moved the drive
    bool holds_ = false;    // the last stage ended well, and its last command still holds
    double left_at_ = 0.0;  // m, the last reading of the last stage
    FrozenReading frozen_position_;
    HeldReading<double> force_reading_;
    HeldReading<Motion> position_reading_;
    std::chrono::nanoseconds next_{0}, began_{0};
    std::vector<CommissioningReading> readings_;
};

}  // namespace panto::rig
