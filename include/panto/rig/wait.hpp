// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Waits for the next period on any clock. If the clock wakes too early, the wait goes on. If the clock goes back or
/// stands still, this is reported, because the loop would otherwise run as fast as it can.

#pragma once

#include <panto/rig/concepts.hpp>

#include <algorithm>
#include <chrono>

namespace panto::rig {

/// The coarsest resolution accepted of a clock: a tenth of a period.
[[nodiscard]] constexpr std::chrono::nanoseconds clock_tolerance(std::chrono::nanoseconds period) noexcept {
    return period / 10;
}

/// How a wait ended.
struct Waited {
    bool in_time = true;                  ///< false: the clock cannot be relied on
    std::chrono::nanoseconds left{0};     ///< to the time that was waited for, if not in time
    std::chrono::nanoseconds allowed{0};  ///< the most that may be left
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return in_time; }
};

/// Sleeps until `due`; returns at once if it has passed. The wait fails if `due` is more than 1.1 periods ahead, as
/// after a clock was set back, or if a sleep brings it no nearer and more than a tenth of a period is left: then the
/// clock stands still, or was set back by as much as the sleep. @rt
template <Clock ClockType>
[[nodiscard]] Waited wait_until(ClockType& clock, std::chrono::nanoseconds due,
                                std::chrono::nanoseconds period) noexcept {
    const std::chrono::nanoseconds resolution = clock_tolerance(period);
    std::chrono::nanoseconds left = due - clock.now();
    const std::chrono::nanoseconds longest = period + resolution;  // the wait before may have ended early
    if (left > longest) return {false, left, longest};
    while (left.count() > 0) {
        clock.sleep_until(due);
        const std::chrono::nanoseconds still_left = due - clock.now();
        if (still_left >= left && still_left <= resolution) return {};
        if (still_left >= left) return {false, still_left, still_left > left ? left : resolution};
        left = still_left;
    }
    return {};
}

/// A clock that jumps to the time that is waited for: for a rig that its own steps simulate, as fast as they come.
struct JumpingClock {
    std::chrono::nanoseconds time{0};

    /// @rt
    [[nodiscard]] std::chrono::nanoseconds now() const noexcept { return time; }
    /// @rt
    void sleep_until(std::chrono::nanoseconds t) noexcept { time = std::max(time, t); }
};
static_assert(Clock<JumpingClock>);

}  // namespace panto::rig
