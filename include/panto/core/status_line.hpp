// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A line of text that shows the progress of long work: on a terminal one line that is rewritten, elsewhere a line
/// every tenth of the way.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>

namespace panto {

/// "[#####---------------]  25 %" for a share of 0.25. Shares outside 0 to 1 count as 0 and 1.
[[nodiscard]] inline std::string progress_bar(double share) {
    constexpr std::size_t width = 20;
    const double part =
        (share > 0.0 ? std::min(share, 1.0) : 0.0) + 1e-12;  // 29 of 100 are 29 %, whatever 0.29 is in binary
    const auto filled = static_cast<std::size_t>(width * part);
    const std::string percent = std::to_string(static_cast<int>(100.0 * part));
    return "[" + std::string(filled, '#') + std::string(width - filled, '-') + "] " +
           std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent + " %";
}

/// Writes lines that show progress to `out`. For a thread without deadlines.
class StatusLine {
  public:
    /// @param terminal  true rewrites one line, at most ten times a second; false writes one every tenth of the way
    StatusLine(bool terminal, std::ostream& out) : terminal_(terminal), out_(&out), last_(Clock::now()) {}
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;
    ~StatusLine() { finish(); }

    /// Writes what `text()` returns, if a line is due at this share of the work, 0 to 1.
    template <class Text>
    void show(double share, const Text& text) {
        const Clock::time_point now = Clock::now();
        const int tenth = static_cast<int>(10.0 * std::clamp(share, 0.0, 1.0) + 1e-12);
        if (terminal_ ? now - last_ < std::chrono::milliseconds(100) : tenth <= tenth_) return;
        last_ = now;
        tenth_ = tenth;
        *out_ << (terminal_ ? "\r" + text() + "\x1b[K" : text() + "\n") << std::flush;
        open_ = terminal_;
    }

    /// Clears the line on a terminal.
    void finish() {
        if (open_) *out_ << "\r\x1b[K" << std::flush;
        open_ = false;
    }

  private:
    using Clock = std::chrono::steady_clock;
    bool terminal_;
    std::ostream* out_;
    Clock::time_point last_;
    int tenth_ = 0;
    bool open_ = false;
};

}  // namespace panto
