// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which quantity a loop stopped for, with its value and the limit beside it.

#pragma once

#include <panto/core/check.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/recorder.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace panto::io {

/// "measured force 612 N (allowed -500 to 500 N)": what the last cycle had beyond its limits; everything that has a
/// limit if all of it was inside, as when the hardware itself refused. Empty without a cycle.
/// @param offset  of the cycle, m: heights of a record count from the virtual datum, limits from the drive's
/// @param dt      of the cycle, s
[[nodiscard]] inline std::string last_values_beside_limits(const rig::Recorder& recorder,
                                                           const rig::CycleLimits& limits, double offset, double dt) {
    const std::size_t n = recorder.size();
    if (n == 0) return {};
    const Exchange& last = recorder[n - 1].exchange;
    std::string beyond, all;
    const auto add = [&](const std::string& name, double value, double low, double high, const std::string& unit) {
        const std::string text = name + " " + shown(value) + " " + unit + " (allowed " + shown(low) + " to " +
                                 shown(high) + " " + unit + ")";
        all += (all.empty() ? "" : ", ") + text;
        if (!(value >= low && value <= high)) beyond += (beyond.empty() ? "" : ", ") + text;
    };
    add("measured force", last.strip_force, -limits.force, limits.force, "N");
    add("position of the drive", last.strip.height + offset, limits.lowest, limits.highest, "m");
    add("command", last.command, limits.lowest, limits.highest, "m");
    if (n > 1)
        add("rate of the command", (last.command - recorder[n - 2].exchange.command) / dt, -limits.command_rate,
            limits.command_rate, "m/s");
    return beyond.empty() ? all : beyond;
}

}  // namespace panto::io
