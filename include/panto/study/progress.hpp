// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The progress of a study and the time left.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/status_line.hpp>
#include <panto/study/outcome.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <iostream>
#include <ostream>
#include <string>
#include <unistd.h>

namespace panto::study {

struct Progress {
    std::size_t done = 0;     ///< evaluations done, those from the journal included
    std::size_t count = 0;    ///< evaluations of the whole study
    std::size_t failed = 0;   ///< of those done, the failed ones
    std::size_t resumed = 0;  ///< of those done, the ones found in the journal
    double elapsed = 0.0;     ///< s, since this run began
    double left = 0.0;        ///< s, estimated from the speed of this run so far
    std::size_t index = 0;    ///< index of the evaluation that has just been done
    const Outcome& outcome;   ///< of this evaluation
};

/// Called after every evaluation, one call at a time, in the process that keeps the results. If it returns false, no
/// further evaluation begins.
using Observer = std::function<bool(const Progress&)>;

/// "[#####---------------]  25 %  25 of 100  1 failed  12 s left"
[[nodiscard]] inline std::string line(const Progress& p) {
    const double share = p.count ? static_cast<double>(p.done) / static_cast<double>(p.count) : 1.0;
    std::string text = progress_bar(share) + "  " + std::to_string(p.done) + " of " + std::to_string(p.count);
    if (p.failed) text += "  " + std::to_string(p.failed) + " failed";
    const double left = std::clamp(p.left, 0.0, 1e9);  // keeps the line short
    if (left < 120.0) return text + "  " + fixed_point(left, 0) + " s left";
    if (left < 7200.0) return text + "  " + fixed_point(left / 60.0, 0) + " min left";
    const long minutes = static_cast<long>(left / 60.0);
    return text + "  " + std::to_string(minutes / 60) + (minutes % 60 < 10 ? " h 0" : " h ") +
           std::to_string(minutes % 60) + " min left";
}

/// An Observer that prints: on a terminal a bar, at most ten times a second, elsewhere a line for every tenth of the
/// study. Pass it by std::ref.
class ProgressBar {
  public:
    explicit ProgressBar(bool terminal = ::isatty(STDERR_FILENO) == 1, std::ostream& out = std::cerr)
        : line_(terminal, out) {}

    bool operator()(const Progress& p) {
        line_.show(static_cast<double>(p.done) / static_cast<double>(std::max<std::size_t>(p.count, 1)),
                   [&] { return line(p); });
        return true;
    }

  private:
    StatusLine line_;
};

}  // namespace panto::study
