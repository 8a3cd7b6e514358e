// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ctrl-C and SIGTERM as a wish to end a run in good order: what was recorded can still be written. POSIX only.

#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace panto::io {

/// While one of these lives, the first SIGINT or SIGTERM sets the flag and a second one ends the program as usual.
class StopSignal {
  public:
    StopSignal() noexcept {
        requested_.store(false);
        struct sigaction action = {};
        action.sa_handler = [](int) { requested_.store(true, std::memory_order_relaxed); };
        action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before_[i]);
    }
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;
    ~StopSignal() {
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    }

    /// For rig::Schedule::stop_requested.
    [[nodiscard]] static const std::atomic<bool>& flag() noexcept { return requested_; }
    [[nodiscard]] static bool requested() noexcept { return requested_.load(std::memory_order_relaxed); }

  private:
    static constexpr std::array<int, 2> signals{SIGINT, SIGTERM};
    static_assert(std::atomic<bool>::is_always_lock_free);  // else a signal handler must not touch it
    static inline std::atomic<bool> requested_{false};
    std::array<struct sigaction, 2> before_{};
};

}  // namespace panto::io
