// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Waiting for the next period on a clock that may be anybody's: one that wakes too early is asked again, one that goes
/// back or stands still is found out instead of letting the loop run as fast as it can.

#pragma once

#include <panto/rig/concepts.hpp>

#include <chrono>

namespace panto::rig {

/// Sleeps until `due`, which is at most one period ahead; returns at once if it has passed. False if the clock was set
/// back by more than a period, or does not get on. A tenth of a period may be missing: a clock's resolution. @rt
template <Clock ClockType>
[[nodiscard]] bool wait_until(ClockType& clock, std::chrono::nanoseconds due,
                              std::chrono::nanoseconds period) noexcept {
    const std::chrono::nanoseconds resolution = period / 10;
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
