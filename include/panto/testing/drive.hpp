// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for drives, whatever they are commanded: positions, speeds or forces. IT MOVES THE DRIVE: up by a few
/// millimetres and back. Limit its power, keep your hands away, and make sure that nothing is in the way.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/testing/findings.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <vector>

namespace panto::testing {

struct DriveTest {
    std::chrono::nanoseconds period = std::chrono::milliseconds(2);  ///< of the loop it will run in
    double stroke = 2e-3;                                            ///< m, upward from its position, and back
    double duration = 0.5;                                           ///< s, of the motion up and back
    int longest_delay = 10;                                          ///< most periods from a command to its reading
    double following = 0.1;  ///< largest difference between a reading and the delayed command, as a share of the stroke
    double still = 0.1;      ///< largest motion after stop(), as a share of the stroke
    double force = 20.0;     ///< N, of a drive for forces: up until half the stroke is done, then down until it is back
};

namespace detail {

struct DriveWay {
    std::vector<double> command, height, speed;  // m, m, m/s
};

/// Whether a reading can be used; `period` counts from 1.
inline bool good(const Result<Motion>& at, int period, Findings& f) {
    return expect(f, at.usable(), "read() ends with '", name(at.status), "' in period ", period) &&
           expect(f, is_finite(at.value), "read() returns the status '", name(at.status),
                  "' with a motion that is not finite, in period ", period);
}

template <class D>
inline constexpr const char* unit_of = std::same_as<typename D::Command, SpeedCommand>   ? " m/s"
                                       : std::same_as<typename D::Command, ForceCommand> ? " N"
                                                                                         : " m";

template <class D>
bool accepted(D& drive, double command, int period, Findings& f) {
    const Status written = drive.write({command});
    return expect(f, usable(written), "write() refuses ", command, unit_of<D>, " with '", name(written), "' in period ",
                  period);
}

/// Reads and commands once per period; the first command is the position of the drive, or no speed.
template <class D, class C>
bool drive_up_and_back(D& drive, C& clock, const DriveTest& p, DriveWay& way, Findings& f) {
    const double dt = 1e-9 * static_cast<double>(p.period.count());
    const int n = static_cast<int>(std::ceil(p.duration / dt)), rest = 2 * p.longest_delay;
    const auto wanted = [&](int i) {
        const double turn = std::clamp(static_cast<double>(i) / n, 0.0, 1.0);
        return 0.5 * p.stroke * (1.0 - std::cos(6.283185307179586 * turn));
    };
    std::chrono::nanoseconds due = clock.now();
    double start = 0.0;
    for (int i = -rest; i <= n + rest; ++i) {
        clock.sleep_until(due += p.period);
        const Result<Motion> at = drive.read();
        if (!good(at, i + rest + 1, f)) return false;
        if (i == -rest) start = at.value.height;
        if constexpr (std::same_as<typename D::Command, SpeedCommand>)  // a wrong unit or sign of feedback runs away
            if (!expect(f, std::fabs(at.value.height - start) <= 5.0 * p.stroke, "commanded to move up by ",
                        1e3 * p.stroke, " mm and back, it is ", 1e3 * std::fabs(at.value.height - start),
                        " mm from its start: stopped"))
                return false;
        double command = start + wanted(i), sent = command;  // m
        if constexpr (std::same_as<typename D::Command, SpeedCommand>)
            command = start + wanted(i + 1), sent = (wanted(i + 1) - wanted(i)) / dt;  // m/s
        if (!accepted(drive, sent, i + rest + 1, f)) return false;
        way.command.push_back(command), way.height.push_back(at.value.height), way.speed.push_back(at.value.speed);
    }
    return true;
}

/// Speeds and heights are compared over twentieths of the motion, which averages the noise of single readings.
inline void judge_speeds(const DriveWay& way, double dt, Findings& f) {
    const std::size_t apart = std::max<std::size_t>(1, way.height.size() / 20);
    double moved = 0.0, off = 0.0, speed = 0.0;
    for (std::size_t i = 0; i + apart < way.height.size(); ++i) {
        double told = 0.0;  // m, from the speeds
        for (std::size_t k = i; k < i + apart; ++k) told += 0.5 * dt * (way.speed[k] + way.speed[k + 1]);
        const double of_height = way.height[i + apart] - way.height[i];
        moved += of_height * of_height;
        off += (told - of_height) * (told - of_height);
        speed = std::max(speed, std::fabs(way.speed[i]));
    }
    if (speed > 0.0)  // otherwise the drive gives no speeds; only the energy balance of a cycle needs them
        expect(f, off <= 0.25 * moved, "the speeds differ from the rate of change of the heights by ",
               100.0 * std::sqrt(off / moved),
               " % (rms), at most 50 % are accepted; speed is in m/s, or always 0 if it is not known");
}

/// Pushes up until half the stroke is done, then down until the drive is back, each for half the duration at most.
template <class D, class C>
void push_up_and_down(D& drive, C& clock, const DriveTest& p, Findings& f) {
    const double dt = 1e-9 * static_cast<double>(p.period.count());
    const int most = static_cast<int>(std::ceil(0.5 * p.duration / dt));
    std::chrono::nanoseconds due = clock.now();
    int period = 0;
    DriveWay way;
    // Returns the rise under this force, m; NaN after a fault.
    const auto push = [&](double force, auto&& done) {
        for (int i = 0; i < most; ++i) {
            clock.sleep_until(due += p.period);
            const Result<Motion> at = drive.read();
            if (!good(at, ++period, f) || !accepted(drive, force, period, f))
                return std::numeric_limits<double>::quiet_NaN();
            way.height.push_back(at.value.height), way.speed.push_back(at.value.speed);
            if (done(at.value.height - way.height.front())) break;
        }
        return way.height.back() - way.height.front();
    };
    const double up = push(p.force, [&](double rise) { return std::fabs(rise) >= 0.5 * p.stroke; });
    if (!is_finite(up)) return;
    if (!expect(f, std::fabs(up) > 0.1 * p.stroke, "pushed up with ", p.force, " N it moves by ", 1e3 * up,
                " mm within ", most,
                " periods: does it move, are commands in N and readings in m, and is `force` large enough?") ||
        !expect(f, up > 0.0, "pushed up, its readings move down: z is upward in commands and readings"))
        return;
    const double turn = *std::max_element(way.height.begin(), way.height.end()) - way.height.front();
    const double down = push(-p.force, [&](double rise) { return rise <= 0.0 || rise >= 10.0 * p.stroke; });
    if (!is_finite(down)) return;
    if (expect(f, down < turn, "pushed up and then down with ", p.force, " N, it does not turn: it is ", 1e3 * down,
               " mm above its start in the end"))
        judge_speeds(way, dt, f);
}

inline void judge(const DriveWay& way, const DriveTest& p, Findings& f) {
    const double dt = 1e-9 * static_cast<double>(p.period.count());
    const auto [low, high] = std::minmax_element(way.height.begin(), way.height.end());
    const std::size_t peak =
        static_cast<std::size_t>(std::max_element(way.command.begin(), way.command.end()) - way.command.begin());
    const double start = way.height.front();
    if (!expect(f, *high - *low > 0.1 * p.stroke, "commanded to move up by ", 1e3 * p.stroke,
                " mm and back, it moves by ", 1e3 * (*high - *low),
                " mm: does it move, and are commands and readings in m, m/s and N?"))
        return;
    const std::size_t there = std::min(peak + static_cast<std::size_t>(p.longest_delay / 2), way.height.size() - 1);
    if (!expect(f, way.height[there] > start,
                "commanded to move up, its readings move down: z is upward in commands and readings"))
        return;
    // A command written after reading i appears in reading i + delay at the earliest.
    double best = std::numeric_limits<double>::infinity();
    int delay = 0;
    for (int d = 1; d <= p.longest_delay; ++d) {
        double most = 0.0;
        for (std::size_t i = static_cast<std::size_t>(p.longest_delay); i < way.height.size(); ++i)
            most = std::max(most, std::fabs(way.height[i] - way.command[i - static_cast<std::size_t>(d)]));
        if (most < best) best = most, delay = d;
    }
    expect(f, best <= p.following * p.stroke, "it follows its commands to within ", 1e3 * best,
           " mm at best, with a delay of ", delay, " periods, expected ", 1e3 * p.following * p.stroke, " mm within ",
           p.longest_delay, " periods");
    judge_speeds(way, dt, f);
}

}  // namespace detail

/// Tests a drive, and stops it at the end.
template <Drive D, Clock C>
    requires std::same_as<typename D::Command, PositionCommand> || std::same_as<typename D::Command, SpeedCommand> ||
             std::same_as<typename D::Command, ForceCommand>
[[nodiscard]] Findings test_drive(D& drive, C& clock, const DriveTest& p = {}) {
    constexpr const char* where = "testing::test_drive";
    require_positive(p.stroke, where, "stroke");
    require_positive(p.duration, where, "duration");
    require_positive(p.force, where, "force");
    require(p.period.count() > 0 && p.duration > 20e-9 * static_cast<double>(p.period.count()), where, "duration is ",
            p.duration, " s, must be more than 20 periods of ", p.period.count(), " ns");
    require(p.longest_delay >= 1, where, "longest_delay is ", p.longest_delay, ", must be at least 1");
    Findings f;
    detail::DriveWay way;
    if constexpr (std::same_as<typename D::Command, ForceCommand>)
        detail::push_up_and_down(drive, clock, p, f);
    else if (detail::drive_up_and_back(drive, clock, p, way, f))
        detail::judge(way, p, f);
    drive.stop();
    std::chrono::nanoseconds due = clock.now();
    clock.sleep_until(due += p.longest_delay * p.period);
    const Result<Motion> stopped = drive.read();
    clock.sleep_until(due += 20 * p.period);
    const Result<Motion> later = drive.read();
    if (expect(f, stopped.usable() && later.usable(), "after stop() its position cannot be read"))
        expect(f, std::fabs(later.value.height - stopped.value.height) <= p.still * p.stroke,
               "after stop() it still moves, by ", 1e3 * std::fabs(later.value.height - stopped.value.height),
               " mm within 20 periods");
    drive.stop();  // a second stop() must do no harm
    return f;
}

}  // namespace panto::testing
