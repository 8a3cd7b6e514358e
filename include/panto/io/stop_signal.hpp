// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Turns Ctrl-C, SIGTERM, a closed terminal and an exceeded limit of CPU time into a request to end a run normally, so
/// that the record can still be written. POSIX only.

#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace panto::io {

/// While an object of this class exists, the first SIGINT, SIGTERM, SIGHUP or SIGXCPU sets the flag; a second one ends
/// the program as usual. A signal that was ignored before (nohup) stays ignored. A closed pipe (SIGPIPE) or a file that
/// grows too large (SIGXFSZ) does not end the program: writing fails with an error.
class StopSignal {
  public:
    StopSignal() noexcept {
        requested_.store(false);
        struct sigaction action = {};
        action.sa_handler = [](int) { requested_.store(true, std::memory_order_relaxed); };
        action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
        struct sigaction nothing = {};
        nothing.sa_handler = SIG_IGN;
        for (std::size_t i = 0; i < signals.size(); ++i) {
            ::sigaction(signals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], i < stopping ? &action : &nothing, nullptr);
        }
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
    static constexpr std::array<int, 6> signals{SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGPIPE, SIGXFSZ};
    static constexpr std::size_t stopping = 4;              // number of signals that set the flag; the rest is ignored
    static_assert(std::atomic<bool>::is_always_lock_free);  // otherwise a signal handler must not use it
    static inline std::atomic<bool> requested_{false};
    std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace panto::io
