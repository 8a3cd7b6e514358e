// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for drives, whether they are commanded by positions, speeds or forces. IT MOVES THE DRIVE: up by a few
/// millimetres and back, then up again, where stop() must end the motion, and back. Limit its power, keep your hands
/// away, and make sure that nothing is in the way.

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
    double stopping = 0.1;   ///< s, most time from stop() in mid-motion until the drive is at rest
    double still = 0.1;      ///< largest motion after that time, as a share of the stroke
    double force = 20.0;     ///< N, for a drive for forces: upward until it has moved by half the stroke, then downward
                             ///< until it is back
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

/// Reads and commands once per period; the first command is the position of the drive, or the speed 0.
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

/// Sends command(i) in period i = 0 ... n, one per period, until done(height). `height`, m, is the last reading.
/// @return the status of a refused command; sensor_lost after a finding about a reading; otherwise ok
template <class D, class C>
Status send(D& drive, C& clock, const DriveTest& p, int n, auto&& command, auto&& done, double& height, Findings& f) {
    std::chrono::nanoseconds due = clock.now();
    for (int i = 0; i <= n; ++i) {
        clock.sleep_until(due += p.period);
        const Result<Motion> at = drive.read();
        if (!good(at, i + 1, f)) return Status::sensor_lost;
        height = at.value.height;
        if (done(height)) break;
        if (const Status written = drive.write({command(i)}); !usable(written)) return written;
    }
    return Status::ok;
}

/// The command that leads a drive along height_at(i), m.
template <class D>
double command_along(const DriveTest& p, auto&& height_at, int i) {
    if constexpr (std::same_as<typename D::Command, SpeedCommand>)
        return (height_at(i + 1) - height_at(i)) / (1e-9 * static_cast<double>(p.period.count()));
    else if constexpr (std::same_as<typename D::Command, ForceCommand>)
        return p.force;
    else
        return height_at(i);
}

/// Moves the drive up by half the stroke and leaves it at the largest speed of this motion.
/// @return the height where it began, m
template <class D, class C>
double set_in_motion(D& drive, C& clock, const DriveTest& p, Findings& f) {
    const int n = static_cast<int>(std::ceil(p.duration / (1e-9 * static_cast<double>(p.period.count()))));
    double start = std::numeric_limits<double>::quiet_NaN(), height = start;
    const auto height_at = [&](int i) { return start + 0.5 * p.stroke * (1.0 - std::cos(6.283185307179586 * i / n)); };
    const auto first = [&](double now) { return start = is_finite(start) ? start : now, false; };
    const Status sent =
        send(drive, clock, p, n / 4, [&](int i) { return command_along<D>(p, height_at, i); }, first, height, f);
    expect(f, usable(sent), "moved up a second time, read() or write() ends with '", name(sent), "'");
    return start;
}

/// Stops the drive and watches it. A drive that does not come to rest is commanded to rest, and stopped again.
/// @return the height at which it rests, m
template <class D, class C>
double stop_and_watch(D& drive, C& clock, const DriveTest& p, const char* when, Findings& f) {
    const double dt = 1e-9 * static_cast<double>(p.period.count());
    const int wait = std::max(p.longest_delay, static_cast<int>(std::ceil(p.stopping / dt)));
    const int watch = std::max(20, static_cast<int>(std::ceil(0.25 * p.duration / dt)));
    drive.stop();
    std::chrono::nanoseconds due = clock.now();
    double first = 0.0, rest = 0.0, height = 0.0;  // m
    for (int i = 0; i <= wait + watch; ++i) {
        clock.sleep_until(due += p.period);
        const Result<Motion> at = drive.read();
        if (!expect(f, at.usable() && is_finite(at.value), "after stop() its position cannot be read")) break;
        height = at.value.height;
        if (i == 0) first = height;
        if (i <= wait) rest = height;
        const bool runs_away = std::fabs(height - first) > 5.0 * p.stroke;
        if (expect(f, !runs_away && std::fabs(height - rest) <= p.still * p.stroke, "after stop() it still moves: by ",
                   1e3 * std::fabs(height - first), " mm in ", dt * i, " s, expected to be at rest after ", dt * wait,
                   " s; it was stopped ", when))
            continue;
        if constexpr (std::same_as<typename D::Command, PositionCommand>)
            static_cast<void>(drive.write({height}));
        else
            static_cast<void>(drive.write({0.0}));
        break;
    }
    drive.stop();  // a second stop() must do no harm
    return height;
}

/// Moves a drive that was stopped at `rest` back towards `start`, m, if it accepts commands.
template <class D, class C>
void move_again(D& drive, C& clock, const DriveTest& p, double start, double rest, Findings& f) {
    constexpr bool pushed = std::same_as<typename D::Command, ForceCommand>;
    const int n = static_cast<int>(std::ceil(0.5 * p.duration / (1e-9 * static_cast<double>(p.period.count()))));
    const double back = std::clamp(start - rest, -p.stroke, p.stroke);
    const double way = pushed || std::fabs(back) < 0.1 * p.stroke ? 0.25 * p.stroke : back;  // m
    const auto height_at = [&](int i) {
        return rest + 0.5 * way * (1.0 - std::cos(3.141592653589793 * std::min(1.0, static_cast<double>(i) / n)));
    };
    const auto done = [&](double height) { return pushed && std::fabs(height - rest) >= way; };
    double height = rest;
    const Status sent = send(
        drive, clock, p, n + 2 * p.longest_delay, [&](int i) { return command_along<D>(p, height_at, i); }, done,
        height, f);
    if (usable(sent))  // a drive that must be enabled by hand says so
        expect(f, std::fabs(height - rest) >= 0.5 * std::fabs(way), "after stop() write() returns '", name(sent),
               "' but the drive moves by ", 1e3 * std::fabs(height - rest), " mm instead of ", 1e3 * std::fabs(way),
               " mm: stop() holds until the next write(); return drive_fault if the drive must be enabled first");
}

}  // namespace detail

/// Tests a drive, and stops it at the end. Takes about three times `p.duration`.
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
    require_not_negative(p.stopping, where, "stopping");
    Findings f;
    detail::DriveWay way;
    // Such a drive is still moving after push_up_and_down().
    constexpr bool pushed = std::same_as<typename D::Command, ForceCommand>;
    double start = 0.0;
    if constexpr (pushed)
        detail::push_up_and_down(drive, clock, p, f);
    else if (detail::drive_up_and_back(drive, clock, p, way, f))
        detail::judge(way, p, f);
    const bool fit = f.empty();
    if constexpr (!pushed)
        if (fit) start = detail::set_in_motion(drive, clock, p, f);
    const double rest = detail::stop_and_watch(drive, clock, p, fit ? "in mid-motion" : "after these findings", f);
    if (!f.empty()) return f;
    detail::move_again(drive, clock, p, start, rest, f);
    static_cast<void>(detail::stop_and_watch(drive, clock, p, pushed ? "in mid-motion" : "at rest", f));
    return f;
}

}  // namespace panto::testing
