// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The plan of commissioning with its limits, and its report.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/blend.hpp>
#include <panto/rig/cycle_limits.hpp>
#include <panto/rig/fault.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace panto::rig {

/// Motions from which drive, pad and pantograph can be identified: jumps between two heights, at random times.
struct ExcitationPlan {
    double shortest = 0.008;    ///< s, shortest time between two jumps
    double longest = 0.04;      ///< s, longest time between two jumps
    double step = 1e-3;         ///< m, jump upwards without contact; half as high in the first half of air_time
    double air_time = 3.0;      ///< s, duration without contact
    double swing = 0.3;         ///< variation of the force in contact, up or down, as a fraction of preload_force
    double travel = 1e-3;       ///< m, largest jump in contact, up or down
    double contact_time = 6.0;  ///< s, duration in contact
    std::uint32_t seed = 1;     ///< of the random times, from std::mt19937 itself: the same on every machine
};

struct CommissioningPlan {
    std::chrono::nanoseconds period = std::chrono::milliseconds(2);  ///< of readings and commands

    int tare_samples = 500;     ///< readings without contact
    double tare_offset = 20.0;  ///< N, largest offset accepted
    double tare_noise = 3.0;    ///< N, largest standard deviation accepted

    double approach_speed = 0.01;     ///< m/s, downwards
    double approach_distance = 0.05;  ///< m, within which contact must be found
    double contact_force = 10.0;      ///< N, contact is found when three readings in a row reach it

    double preload_force = 120.0;     ///< N, mean force to be reached
    double preload_tolerance = 10.0;  ///< N
    double preload_speed = 0.005;     ///< m/s, up or down
    double preload_distance = 0.03;   ///< m, largest distance, up or down
    double preload_time = 20.0;       ///< s, longest time for the preload

    double sign_move = 1e-3;  ///< m, upwards and back
    double sign_time = 0.04;  ///< s, of the move
    double sign_fall = 0.3;   ///< N, least mean fall of the force; the fall must also be 4 times its standard deviation
    int sign_moves = 20;      ///< most moves: growing ones, then moves by sign_move as long as noise hides the fall

    double force_limit = 400.0;  ///< N, largest measured force, pushing or pulling
    double following = 5e-3;     ///< m, largest distance between command and position
    double frozen_time = 0.5;  ///< s, for which the position reading may stay the same while the drive is told to move
    double frozen_travel = 5e-4;  ///< m, a motion that must change this reading; both as in CycleLimits
    double lowest = -10.0;        ///< m, lowest position of the drive; a reading beyond the range is an error
    double highest = 10.0;        ///< m, highest position of the drive
    int frames_held = 0;  ///< readings in a row that may be lost, stale or beyond a limit; the last good one is used

    ExcitationPlan excitation{};  ///< for the identification of the rig

    const std::atomic<bool>* stop_requested = nullptr;  ///< set it from a signal handler or another thread
};

enum class CommissioningStage : std::uint8_t {
    tare,
    approach,
    preload,
    sign_check,
    excitation_in_air,
    excitation_in_contact,
    done
};

[[nodiscard]] constexpr std::string_view name(CommissioningStage stage) noexcept {
    switch (stage) {
        case CommissioningStage::tare: return "tare";
        case CommissioningStage::approach: return "approach";
        case CommissioningStage::preload: return "preload";
        case CommissioningStage::sign_check: return "sign check";
        case CommissioningStage::excitation_in_air: return "excitation in the air";
        case CommissioningStage::excitation_in_contact: return "excitation in contact";
        case CommissioningStage::done: return "done";
    }
    return "unknown";
}

struct CommissioningReport {
    Status status = Status::ok;
    CommissioningStage stage = CommissioningStage::tare;  ///< the stage that failed, or `done`
    double offset = 0.0;                                  ///< N, of the load cell
    double noise = 0.0;                                   ///< N, standard deviation of the readings in the tare
    double contact_height = 0.0;                          ///< m, of the drive where contact was found
    double preload = 0.0;                                 ///< N, mean
    double rest_height = 0.0;                             ///< m, of the drive under the preload, mean
    double fall = 0.0;  ///< N, mean fall of the force over the first half of a move by sign_move
    Fault fault{};      ///< with a status that is not usable: the quantity, its value and limits
};

/// One period of a stage.
struct CommissioningReading {
    double time = 0.0;  ///< s, since the first reading
    CommissioningStage stage = CommissioningStage::tare;
    Status status = Status::ok;  ///< of the two readings
    double force = 0.0;          ///< N, with the offset known at that time subtracted
    double height = 0.0;         ///< m, of the drive
    double command = 0.0;        ///< m
    bool held = false;           ///< one of the two readings was missing and is replaced by the last good one
};

inline constexpr double longest_stage = 3600.0;  ///< s
inline constexpr int fewest_sign_samples = 10;   ///< periods that the move of the sign check lasts

inline constexpr double smallest_jump = 5e-6;        ///< m, first and smallest jump of the excitation in contact
inline constexpr double excitation_rest = 0.5;       ///< s, time at rest before and after an excitation
inline constexpr int sign_wait = 300;                ///< periods at rest before each move of the sign check
inline constexpr double smallest_sign_move = 0.125;  ///< first move as a part of sign_move; each next one is doubled
inline constexpr int slow_return = 4;                ///< duration of the way back divided by that of the move

/// The longest period, s, with which the sign check of this plan has enough readings.
[[nodiscard]] constexpr double longest_period(const CommissioningPlan& p) noexcept {
    return p.sign_time / fewest_sign_samples;
}

/// @throws SetupError naming the field that is not valid.
inline void validate(const CommissioningPlan& p) {
    const char* where = "rig::CommissioningPlan";
    require(p.period.count() > 0, where, "period is ", p.period.count(), " ns, must be > 0");
    require(p.tare_samples >= 10, where, "tare_samples is ", p.tare_samples, ", must be >= 10");
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
                             " N, must be below force_limit, " + shown(p.force_limit) + " N");
    };
    below_limit(p.contact_force, "contact_force");
    below_limit(p.preload_force, "preload_force");
    if (!(p.preload_tolerance < p.preload_force))
        throw SetupError(std::string(where) + ": preload_tolerance is " + shown(p.preload_tolerance) +
                         " N, must be below preload_force, " + shown(p.preload_force) + " N");
    const double dt = 1e-9 * static_cast<double>(p.period.count());
    const auto no_jump = [&](double speed, const char* field) {
        if (!(speed * dt < p.following))
            throw SetupError(std::string(where) + ": " + field + " is " + shown(speed) + " m/s, " + shown(speed * dt) +
                             " m a period, must be less than following, " + shown(p.following) + " m");
    };
    no_jump(p.approach_speed, "approach_speed");
    no_jump(p.preload_speed, "preload_speed");
    no_jump(steepest_blend * p.sign_move / std::max(p.sign_time, dt), "the speed of sign_move within sign_time");
    const auto bounded = [&](double time, const char* field) {
        if (!(time <= longest_stage))
            throw SetupError(std::string(where) + ": " + field + " is " + shown(time) + " s, must be at most " +
                             shown(longest_stage) + " s");
    };
    bounded(p.preload_time, "preload_time");
    bounded(p.sign_time, "sign_time");
    bounded(p.approach_distance / p.approach_speed, "the time of approach_distance at approach_speed");
    bounded(p.tare_samples * dt, "the time of tare_samples");
    // The force is evaluated over the first half of the move; delays take two periods of it.
    require(dt <= (1.0 + 1e-9) * longest_period(p), where, "sign_time is ", p.sign_time, " s, ", p.sign_time / dt,
            " periods of ", dt, " s, must be at least ", fewest_sign_samples,
            ": fewer readings cannot show whether the force falls; use a longer sign_time or a shorter period");
    const ExcitationPlan& e = p.excitation;
    const std::pair<double, const char*> sizes[] = {{e.step, "excitation.step"},
                                                    {e.air_time, "excitation.air_time"},
                                                    {e.swing, "excitation.swing"},
                                                    {e.travel, "excitation.travel"},
                                                    {e.contact_time, "excitation.contact_time"}};
    for (const auto& [value, field] : sizes) require_positive(value, where, field);
    bounded(e.air_time, "excitation.air_time");
    bounded(e.contact_time, "excitation.contact_time");
    require(e.step < p.following, where, "excitation.step is ", e.step, " m, must be less than following, ",
            p.following, " m");
    require(e.travel >= smallest_jump && 2.0 * e.travel < p.following, where, "excitation.travel is ", e.travel,
            " m either way, must be at least ", smallest_jump, " m and less than half of following, ", p.following,
            " m");
    require(e.swing < 1.0, where, "excitation.swing is ", e.swing,
            " of preload_force, must be below 1: the strip would leave the pad");
    require_positive(e.shortest, where, "excitation.shortest");
    require(e.longest >= e.shortest && e.longest <= 1.0, where, "excitation.longest is ", e.longest,
            " s, must be from excitation.shortest, ", e.shortest, " s, to 1 s");
    require(p.sign_moves >= 4 && p.sign_moves <= 100, where, "sign_moves is ", p.sign_moves,
            ", must be from 4 to 100; the growing moves alone are 4");
    require_finite(p.lowest, where, "lowest");
    require_finite(p.highest, where, "highest");
    require(p.lowest < p.highest, where, "lowest is ", p.lowest, " m, must be below highest, ", p.highest, " m");
    require(p.frozen_time > 0.0, where, "frozen_time is ", p.frozen_time,
            " s, must be above 0; an infinite one looks for no frozen position reading");
    require_positive(p.frozen_travel, where, "frozen_travel");
    require(p.frames_held >= 0, where, "frames_held is ", p.frames_held, ", must be >= 0");
}

/// Tightens the limits of a plan to those of the cycle that follows it: the drive must keep both.
inline void keep_limits(CommissioningPlan& p, const CycleLimits& limits) noexcept {
    p.force_limit = std::min(p.force_limit, limits.force);
    p.following = std::min(p.following, limits.following);
    p.lowest = std::max(p.lowest, limits.lowest);
    p.highest = std::min(p.highest, limits.highest);
}

/// The largest number of periods in all stages of a plan, each carried out once.
[[nodiscard]] inline std::size_t most_readings(const CommissioningPlan& p) {
    const double dt = 1e-9 * static_cast<double>(p.period.count());
    constexpr double averages = 200.0;  // readings for averages and at the start of stages
    constexpr double late = 51.0;       // most periods added to a move until the drive is halfway up
    const double sign_check =
        sign_wait + p.sign_moves * (sign_wait + late + (1.0 + slow_return) * (p.sign_time / dt + 1.0));
    const double excitation =
        (p.excitation.air_time + p.excitation.contact_time + 2.0 * p.excitation.longest + 4.0 * excitation_rest) / dt;
    return static_cast<std::size_t>(p.tare_samples + p.approach_distance / (p.approach_speed * dt) +
                                    p.preload_time / dt + sign_check + excitation + averages + 5.0 * p.frames_held);
}

}  // namespace panto::rig
