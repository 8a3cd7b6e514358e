// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The clock of a real rig, and the request for real-time scheduling while the loop runs.

#pragma once

#include <panto/rig/concepts.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#endif

namespace panto::rig {

/// The monotonic clock, which time servers do not adjust. Sleeps to an absolute time.
class SteadyClock {
  public:
    /// @param awake how long before each wake-up the clock waits in a busy loop, so as not to wake late; the busy loop
    /// needs a core of its own. Negative values count as 0.
    explicit SteadyClock(std::chrono::nanoseconds awake = std::chrono::nanoseconds(0)) noexcept
        : awake_(std::max(awake, std::chrono::nanoseconds(0))) {}

    /// @rt
    [[nodiscard]] std::chrono::nanoseconds now() const noexcept {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::steady_clock::now().time_since_epoch());
    }

    /// Returns at `t` or as soon after it as the system allows; at once if `t` has passed. @rt
    void sleep_until(std::chrono::nanoseconds t) const noexcept {
        const std::chrono::nanoseconds wake = t - awake_;
#if defined(__linux__)
        // std::chrono::steady_clock is CLOCK_MONOTONIC here.
        const timespec at{static_cast<time_t>(wake.count() / 1'000'000'000),
                          static_cast<long>(wake.count() % 1'000'000'000)};
        if (wake > now())
            while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
            }
#else
        std::this_thread::sleep_until(std::chrono::steady_clock::time_point(
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(wake)));
#endif
        while (now() < t) {
        }
    }

  private:
    std::chrono::nanoseconds awake_;
};

static_assert(Clock<SteadyClock>);

/// What the operating system granted.
struct RealTimeGrant {
    bool memory_locked = false;  ///< no page of the process is swapped out
    bool fifo = false;           ///< the calling thread has priority over all ordinary ones
    int error = 0;               ///< errno of the first refusal, 0 if everything was granted

    [[nodiscard]] constexpr bool granted() const noexcept { return memory_locked && fifo; }
};

/// Asks for SCHED_FIFO at `priority` (1 to 99) for the calling thread, and for locked memory. Call it before the loop,
/// after all memory is allocated. A refusal is not an error: the caller decides what to do. Needs the capabilities
/// CAP_SYS_NICE and CAP_IPC_LOCK. On systems other than Linux the request is always refused with ENOTSUP.
inline RealTimeGrant request_real_time(int priority = 80) noexcept {
    RealTimeGrant grant;
#if defined(__linux__)
    grant.memory_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    if (!grant.memory_locked) grant.error = errno;
    sched_param wanted{};
    wanted.sched_priority = priority;
    grant.fifo = sched_setscheduler(0, SCHED_FIFO, &wanted) == 0;
    if (!grant.fifo && grant.error == 0) grant.error = errno;
#else
    static_cast<void>(priority);
    grant.error = ENOTSUP;
#endif
    return grant;
}

/// Returns to ordinary scheduling and swappable memory.
inline void release_real_time() noexcept {
#if defined(__linux__)
    const sched_param ordinary{};
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    munlockall();
#endif
}

}  // namespace panto::rig
