// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The progress of a run: on a terminal a bar with real-time factor and time left, elsewhere a line every tenth.

#pragma once

#include <panto/core/check.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <ostream>
#include <string>
#include <unistd.h>

namespace panto::io {

/// Prints at most ten times a second; not for a real-time thread.
class Progress {
  public:
    /// @param total     simulated time of the whole run, s
    /// @param terminal  true draws a bar in place
    explicit Progress(double total, bool terminal = ::isatty(STDERR_FILENO) == 1, std::ostream& out = std::cerr)
        : total_(total), terminal_(terminal), out_(&out), begin_(Clock::now()), last_(begin_) {}

    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { finish(); }

    /// Reports the simulated time so far, s.
    void update(double done) {
        const Clock::time_point now = Clock::now();
        const auto tenth = static_cast<int>(10.0 * share(done));
        if (terminal_ ? now - last_ < std::chrono::milliseconds(100) : tenth <= tenth_) return;
        last_ = now;
        tenth_ = tenth;
        const std::string text = line(done, std::chrono::duration<double>(now - begin_).count(), total_);
        *out_ << (terminal_ ? "\r" + text + "\x1b[K" : text + "\n") << std::flush;
        open_ = terminal_;
    }

    /// Leaves the line of the bar.
    void finish() {
        if (open_) *out_ << "\r\x1b[K" << std::flush;
        open_ = false;
    }

    /// "[#####---------------]  25 %  2.5 of 10.0 s  5.0x real time  1.5 s left" after `elapsed` seconds of work.
    [[nodiscard]] static std::string line(double done, double elapsed, double total) {
        constexpr int width = 20;
        const double part = total > 0.0 ? std::clamp(done / total, 0.0, 1.0) : 1.0;
        const auto filled = static_cast<std::size_t>(std::floor(width * part));
        const std::string bar = std::string(filled, '#') + std::string(width - filled, '-');
        const std::string percent = fixed_point(100.0 * part, 0);
        std::string text = "[" + bar + "] " + std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent +
                           " %  " + fixed_point(shortened(done), 1) + " of " + fixed_point(shortened(total), 1) + " s";
        if (elapsed > 0.0 && part > 0.0)
            text += "  " + shown(done / elapsed, 2) + "x real time  " +
                    fixed_point(shortened(elapsed * (1.0 - part) / part), 0) + " s left";
        return text;
    }

  private:
    using Clock = std::chrono::steady_clock;

    /// A bound that keeps the line short.
    [[nodiscard]] static double shortened(double seconds) { return std::clamp(seconds, 0.0, 1e9); }
    [[nodiscard]] double share(double done) const { return total_ > 0.0 ? std::clamp(done / total_, 0.0, 1.0) : 1.0; }

    double total_;
    bool terminal_;
    std::ostream* out_;
    Clock::time_point begin_;
    Clock::time_point last_;
    int tenth_ = 0;
    bool open_ = false;
};

}  // namespace panto::io
