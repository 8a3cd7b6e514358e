// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Waiting for the next period on a clock that may be anybody's: one that wakes too early is asked again, one that goes
/// back or stands still is found out instead of letting the loop run as fast as it can.

#pragma once

#include <panto/rig/concepts.hpp>

#include <chrono>

namespace panto::rig {

/// What a clock's resolution may make of a period: a tenth of it.
[[nodiscard]] constexpr std::chrono::nanoseconds clock_tolerance(std::chrono::nanoseconds period) noexcept {
    return period / 10;
}

/// Sleeps until `due`, which is at most one period ahead; returns at once if it has passed. False if `due` is further
/// ahead than that by more than a tenth of a period, as after a clock was set back, or if the clock does not get on.
/// @rt
template <Clock ClockType>
[[nodiscard]] bool wait_until(ClockType& clock, std::chrono::nanoseconds due,
                              std::chrono::nanoseconds period) noexcept {
    const std::chrono::nanoseconds resolution = clock_tolerance(period);
    std::chrono::nanoseconds left = due - clock.now();
    if (left > period + resolution) return false;  // the wait before may have ended early
    while (left.count() > 0) {
        clock.sleep_until(due);
        const std::chrono::nanoseconds still_left = due - clock.now();
        if (still_left >= left) return still_left <= resolution;
        left = still_left;
    }
    return true;
}

}  // namespace panto::rig
