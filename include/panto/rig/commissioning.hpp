// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is done before the loop is closed: tare the load cell, approach the strip slowly until it is felt, press to
/// a given force, and see that the force falls as the drive moves up. Each stage is bounded in time and distance; each
/// failure stops the drive. None of this is a safety function.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/rig/blend.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/wait.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace panto::rig {

/// A force sensor whose offset is taken off. commission() fills in the offset; the loop then uses this sensor.
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
};

template <class S>
TaredSensor(S&) -> TaredSensor<S>;

struct CommissioningPlan {
    std::chrono::nanoseconds period = std::chrono::milliseconds(2);  ///< of the reading and commanding

    int tare_samples = 500;     ///< readings without contact
    double tare_offset = 20.0;  ///< N, largest offset that is taken for one
    double tare_noise = 3.0;    ///< N, largest standard deviation

    double approach_speed = 0.01;     ///< m/s, downwards
    double approach_distance = 0.05;  ///< m, after which the strip should have been felt
    double contact_force = 10.0;      ///< N, in three readings in a row: the strip is felt

    double preload_force = 120.0;     ///< N, mean force wanted
    double preload_tolerance = 10.0;  ///< N
    double preload_speed = 0.005;     ///< m/s, either way
    double preload_distance = 0.03;   ///< m, either way
    double preload_time = 20.0;       ///< s

    double sign_move = 1e-3;  ///< m, upwards and back
    double sign_time = 0.04;  ///< s, of the move
    double sign_fall = 0.5;   ///< N, by which the force must fall at least, and by four times its noise

    double force_limit = 400.0;  ///< N, either sign
    double following = 5e-3;     ///< m, largest distance between command and position

    const std::atomic<bool>* stop_requested = nullptr;  ///< set it from a signal handler or another thread
};

enum class CommissioningStage : std::uint8_t { tare, approach, preload, sign_check, done };

[[nodiscard]] constexpr std::string_view name(CommissioningStage stage) noexcept {
    switch (stage) {
        case CommissioningStage::tare: return "tare";
        case CommissioningStage::approach: return "approach";
        case CommissioningStage::preload: return "preload";
        case CommissioningStage::sign_check: return "sign check";
        case CommissioningStage::done: return "done";
    }
    return "unknown";
}

struct CommissioningReport {
    Status status = Status::ok;
    CommissioningStage stage = CommissioningStage::tare;  ///< the one that failed, or done
    double offset = 0.0;                                  ///< N, of the load cell
    double noise = 0.0;                                   ///< N, its standard deviation
    double contact_height = 0.0;                          ///< m, of the drive where the strip was felt
    double preload = 0.0;                                 ///< N, mean
    double fall = 0.0;  ///< N, mean fall of the force over the first half of the move up
};

inline constexpr double longest_stage = 3600.0;  ///< s

/// Throws unless the plan can be carried out.
/// @throws SetupError naming the field.
inline void validate(const CommissioningPlan& p) {
    const char* where = "rig::CommissioningPlan";
    require(p.period.count() > 0, where, "period is not above 0");
    require(p.tare_samples >= 10, where, "tare_samples is below 10");
    const std::pair<double, const char*> positive[] = {{p.tare_offset, "tare_offset"},
                                                       {p.tare_noise, "tare_noise"},
                                                       {p.approach_speed, "approach_speed"},
                                                       {p.approach_distance, "approach_distance"},
                                                       {p.contact_force, "contact_force"},
                                                       {p.preload_force, "preload_force"},
                                                       {p.preload_tolerance, "preload_tolerance"},
                                                       {p.preload_speed, "preload_speed"},
                                                       {p.preload_distance, "preload_distance"},
                                                       {p.preload_time, "preload_time"},
                                                       {p.sign_move, "sign_move"},
                                                       {p.sign_time, "sign_time"},
                                                       {p.sign_fall, "sign_fall"},
                                                       {p.force_limit, "force_limit"},
                                                       {p.following, "following"}};
    for (const auto& [value, field] : positive) require_positive(value, where, field);
    const auto below_limit = [&](double value, const char* field) {
        if (!(value < p.force_limit))
            throw SetupError(std::string(where) + ": " + field + " is " + shown(value) +
                             " N, allowed is below force_limit, " + shown(p.force_limit) + " N");
    };
    below_limit(p.contact_force, "contact_force");
    below_limit(p.preload_force, "preload_force");
    if (!(p.preload_tolerance < p.preload_force))
        throw SetupError(std::string(where) + ": preload_tolerance is " + shown(p.preload_tolerance) +
                         " N, allowed is below preload_force, " + shown(p.preload_force) + " N");
    const double dt = 1e-9 * static_cast<double>(p.period.count());
    const auto no_jump = [&](double speed, const char* field) {
        if (!(speed * dt < p.following))
            throw SetupError(std::string(where) + ": " + field + " is " + shown(speed) + " m/s, " + shown(speed * dt) +
                             " m a period, allowed is less than following, " + shown(p.following) + " m");
    };
    no_jump(p.approach_speed, "approach_speed");
    no_jump(p.preload_speed, "preload_speed");
    no_jump(steepest_blend * p.sign_move / std::max(p.sign_time, dt), "the speed of sign_move within sign_time");
    const auto bounded = [&](double time, const char* field) {
        if (!(time <= longest_stage))
            throw SetupError(std::string(where) + ": " + field + " is " + shown(time) + " s, allowed is up to " +
                             shown(longest_stage) + " s");
    };
    bounded(p.preload_time, "preload_time");
    bounded(p.sign_time, "sign_time");
}

/// Carries out a plan, all at once or stage by stage (a pantograph may have to be raised in between). Borrows its
/// parts; the offset goes into the sensor.
template <ForceSensor S, Drive D, Clock C>
    requires std::same_as<typename D::Command, PositionCommand>
class Commissioning {
  public:
    /// @throws SetupError if the plan makes no sense.
    Commissioning(TaredSensor<S>& sensor, D& drive, C& clock, const CommissioningPlan& plan)
        : sensor_(sensor),
          drive_(drive),
          clock_(clock),
          p_((validate(plan), plan)),
          dt_(1e-9 * static_cast<double>(plan.period.count())) {}

    /// All stages in order. Afterwards the drive rests where the force is as wanted, or it has been stopped.
    CommissioningReport run() noexcept {
        if (usable(tare()) && usable(approach()) && usable(preload()) && usable(check_sign()))
            report_.stage = CommissioningStage::done;
        return report_;
    }

    Status tare() noexcept { return carry_out(CommissioningStage::tare, &Commissioning::take_tare); }
    Status approach() noexcept { return carry_out(CommissioningStage::approach, &Commissioning::go_down); }
    Status preload() noexcept { return carry_out(CommissioningStage::preload, &Commissioning::press); }
    Status check_sign() noexcept { return carry_out(CommissioningStage::sign_check, &Commissioning::go_up); }

    [[nodiscard]] const CommissioningReport& report() const noexcept { return report_; }

  private:
    static constexpr int average_over = 50;        // readings
    static constexpr double still_there = 0.2e-3;  // m
    static constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

    Status carry_out(CommissioningStage stage, Status (Commissioning::*what)() noexcept) noexcept {
        report_.stage = stage;
        next_ = clock_.now();
        const auto position = drive_.read();
        report_.status = position.status;
        if (usable(report_.status) && !is_finite(position.value)) report_.status = Status::sensor_implausible;
        if (usable(report_.status)) {
            // The first command is the measured position. A drive that stands where the stage before left it is kept
            // there: a jump by its lag and its noise would make a strip on a stiff pad ring for the sign check.
            if (!(std::fabs(position.value.height - command_) < still_there)) command_ = position.value.height;
            report_.status = (this->*what)();
        }
        if (!usable(report_.status)) {
            drive_.stop();
            command_ = nowhere;
        }
        return report_.status;
    }

    /// The drive is kept where it stands: a drive with a watchdog wants to be written to.
    Status take_tare() noexcept {
        sensor_.offset = 0.0;
        if (const Status s = average(p_.tare_samples, report_.offset, report_.noise); !usable(s)) return s;
        if (report_.noise > p_.tare_noise) return Status::sensor_implausible;
        if (std::fabs(report_.offset) > p_.tare_offset) return Status::sensor_implausible;
        sensor_.offset = report_.offset;
        return Status::ok;
    }

    Status go_down() noexcept {
        const double top = command_;
        int felt = 0, felt_wrongly = 0;
        while (top - command_ < p_.approach_distance) {
            if (const Status s = cycle(command_ - p_.approach_speed * dt_); !usable(s)) return s;
            felt = force_ > p_.contact_force ? felt + 1 : 0;
            felt_wrongly = force_ < -p_.contact_force ? felt_wrongly + 1 : 0;
            if (felt_wrongly >= 3) return Status::sign_wrong;  // pressed together is read as a pull
            if (felt < 3) continue;
            report_.contact_height = height_;
            return Status::ok;
        }
        return Status::out_of_range;
    }

    Status press() noexcept {
        const double start = command_;
        double smooth = force_;
        int settled = 0;
        for (auto left = static_cast<std::int64_t>(p_.preload_time / dt_); left > 0; --left) {
            const double missing = p_.preload_force - smooth;
            const double share = std::clamp(missing / p_.preload_tolerance, -1.0, 1.0);  // down where force is missing
            if (const Status s = cycle(command_ - share * p_.preload_speed * dt_); !usable(s)) return s;
            smooth += (force_ - smooth) * dt_ / (dt_ + 0.2);  // slow enough not to feed a ringing strip
            if (std::fabs(command_ - start) > p_.preload_distance) return Status::out_of_range;
            settled = std::fabs(p_.preload_force - smooth) < p_.preload_tolerance ? settled + 1 : 0;
            if (settled < average_over) continue;
            double spread = 0.0;
            return average(average_over, report_.preload, spread);
        }
        return Status::out_of_range;
    }

    /// On the way up the drive leaves the strip behind: its spring, its dampers and its inertia all make the force
    /// fall while the drive gains speed. (At rest again, a pantograph presses almost as before: 80 N/m times 1 mm.)
    Status go_up() noexcept {
        double before = 0.0, noise = 0.0;
        if (const Status s = average(average_over, before, noise); !usable(s)) return s;
        const double bottom = command_, from = height_;
        const auto steps = static_cast<std::int64_t>(std::ceil(p_.sign_time / dt_));
        double sum = 0.0;
        std::int64_t samples = 0;
        bool halfway = false;
        for (std::int64_t i = 1; i <= steps + average_over && !halfway; ++i) {
            if (const Status s = cycle(bottom + p_.sign_move * smooth_blend(share(i, steps))); !usable(s)) return s;
            const double moved = height_ - from;
            halfway = moved >= 0.5 * p_.sign_move;
            if (moved < 0.05 * p_.sign_move) continue;
            sum += force_;
            ++samples;
        }
        if (!halfway || samples == 0) return Status::drive_fault;  // it does not go where it is told to
        report_.fall = before - sum / static_cast<double>(samples);
        const double needed = std::max(p_.sign_fall, 4.0 * noise / std::sqrt(static_cast<double>(samples)));
        if (!(report_.fall >= needed)) {
            // Within its own scatter a fall, or a rise, proves nothing: that is the reading's fault, not the sign's.
            const bool hidden = needed > p_.sign_fall && std::fabs(report_.fall) < needed;
            return hidden ? Status::sensor_implausible : Status::sign_wrong;
        }
        const double top = command_;
        for (std::int64_t i = 1; i <= steps; ++i)
            if (const Status s = cycle(top + (bottom - top) * smooth_blend(share(i, steps))); !usable(s)) return s;
        return Status::ok;
    }

    /// Mean and standard deviation of the force over the coming readings, with the drive kept in place.
    Status average(int samples, double& mean, double& deviation) noexcept {
        double sum = 0.0, squares = 0.0;
        for (int i = 1; i <= samples; ++i) {
            if (const Status s = cycle(command_); !usable(s)) return s;
            const double away = force_ - sum;
            sum += away / i;
            squares += away * (force_ - sum);
        }
        mean = sum;
        deviation = std::sqrt(squares / samples);
        return Status::ok;
    }

    /// One period: wait, command, read, judge.
    Status cycle(double command) noexcept {
        // What is late is not made up for: that would be faster than the plan.
        next_ = std::max(next_ + p_.period, clock_.now());
        if (!wait_until(clock_, next_, p_.period)) return Status::deadline_missed;
        if (p_.stop_requested && p_.stop_requested->load(std::memory_order_relaxed)) return Status::stopped_by_user;
        if (const Status s = drive_.write({command}); !usable(s)) return s;
        command_ = command;
        const auto force = sensor_.read();
        if (!force.usable()) return force.status;
        const auto position = drive_.read();
        if (!position.usable()) return position.status;
        if (!is_finite(force.value) || !is_finite(position.value)) return Status::sensor_implausible;
        force_ = force.value;
        height_ = position.value.height;
        if (std::fabs(force_) > p_.force_limit) return Status::out_of_range;
        if (std::fabs(height_ - command_) > p_.following) return Status::drive_fault;
        return Status::ok;
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
    std::chrono::nanoseconds next_{0};
    double command_ = nowhere;  // m
    double height_ = 0.0;       // m
    double force_ = 0.0;        // N
};

/// Carries out `plan`, after which `sensor` is tared and the loop may be closed if the report's status is ok.
/// @throws SetupError if the plan makes no sense.
template <ForceSensor S, Drive D, Clock C>
CommissioningReport commission(TaredSensor<S>& sensor, D& drive, C& clock, const CommissioningPlan& plan) {
    return Commissioning<S, D, C>(sensor, drive, clock, plan).run();
}

}  // namespace panto::rig
