// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The progress of a run: on a terminal a bar with real-time factor and time left, elsewhere a line for every tenth.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/status_line.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <ostream>
#include <string>
#include <unistd.h>

namespace panto::io {

/// Prints at most ten times a second; not for a real-time thread.
class Progress {
  public:
    /// @param total     simulated time of the whole run, s
    /// @param terminal  true: a bar that is redrawn in the same line
    explicit Progress(double total, bool terminal = ::isatty(STDERR_FILENO) == 1, std::ostream& out = std::cerr)
        : total_(total), line_(terminal, out), begin_(Clock::now()) {}

    /// Reports the simulated time so far, s.
    void update(double done) {
        line_.show(total_ > 0.0 ? done / total_ : 1.0,
                   [&] { return line(done, std::chrono::duration<double>(Clock::now() - begin_).count(), total_); });
    }

    /// Clears the line of the bar on a terminal.
    void finish() { line_.finish(); }

    /// "[#####---------------]  25 %  2.5 of 10.0 s  5.0x real time  1.5 s left" after `elapsed` seconds of work.
    [[nodiscard]] static std::string line(double done, double elapsed, double total) {
        const double part = total > 0.0 ? std::clamp(done / total, 0.0, 1.0) : 1.0;
        std::string text = progress_bar(part) + "  " + fixed_point(shortened(done), 1) + " of " +
                           fixed_point(shortened(total), 1) + " s";
        if (elapsed > 0.0 && part > 0.0)
            text += "  " + shown(done / elapsed, 2) + "x real time  " +
                    fixed_point(shortened(elapsed * (1.0 - part) / part), 0) + " s left";
        return text;
    }

  private:
    using Clock = std::chrono::steady_clock;

    /// `seconds`, bounded so that the line stays short.
    [[nodiscard]] static double shortened(double seconds) { return std::clamp(seconds, 0.0, 1e9); }

    double total_;
    StatusLine line_;
    Clock::time_point begin_;
};

}  // namespace panto::io
