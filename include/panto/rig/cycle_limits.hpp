// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The limits of a cycle, and of every other loop that moves a drive.

#pragma once

#include <panto/core/check.hpp>
#include <panto/rig/ringing.hpp>

#include <string_view>

namespace panto::rig {

/// Beyond any of these limits the drive is stopped. Heights are those of the drive's encoder.
struct CycleLimits {
    double force = 500.0;        ///< N, largest measured force, pushing or pulling
    double lowest = -0.3;        ///< m, lowest height, measured or commanded
    double highest = 0.3;        ///< m, highest height, measured or commanded
    double command_rate = 10.0;  ///< change of the command per second: m/s for a position, m/s^2 for a speed, N/s for
                                 ///< a force. The default is meant for positions
    int frames_held = 0;         ///< readings in a row that may be lost, stale or beyond a limit; the last good one is
                                 ///< used meanwhile. A true overload stops the drive that many cycles later
    double following = 0.02;     ///< m, distance of the position read from the last command, lag by delays included
    int following_cycles = 5;    ///< cycles in a row in which `following` may be exceeded
    double frozen_time = 0.5;  ///< s, for which force (within 1e-6 N) or position (within a tenth of frozen_travel) may
                               ///< stay the same while the drive moves, or is commanded to move
    double frozen_travel = 5e-4;  ///< m; frozen readings are looked for only in a (commanded) motion larger than this
    double pull = 10.0;         ///< N, by which the mean force may be below 0, see force_watch.hpp; infinity: no check
    double pull_time = 0.5;     ///< s, for which the mean may be lower still
    double lost_time = 1.0;     ///< s, longest time without `contact`: then the strip is gone; infinity: no check
    double contact = 10.0;      ///< N, smallest reading that shows contact; above the noise of the load cell
    RingingLimits ringing{};    ///< a force or a drive that oscillates without fading
    double wire_height = 10.0;  ///< m, largest |height| of wire, prediction and reference; more must be a mistake
    double wire_speed = 20.0;   ///< m/s, largest vertical speed of wire, prediction and reference, up or down
};

/// Readings count as equal within these bands. No load cell resolves a millionth of a newton.
inline constexpr double same_force = 1e-6;  ///< N
[[nodiscard]] constexpr double same_height(const CycleLimits& limits) noexcept { return 0.1 * limits.frozen_travel; }

/// @throws SetupError naming the field that is not valid.
inline void validate(const CycleLimits& limits, std::string_view where) {
    require_positive(limits.force, where, "limits.force");
    require_positive(limits.command_rate, where, "limits.command_rate");
    require_finite(limits.lowest, where, "limits.lowest");
    require_finite(limits.highest, where, "limits.highest");
    require(limits.lowest < limits.highest, where, "limits.lowest is ", limits.lowest,
            " m, must be below limits.highest, ", limits.highest, " m");
    require(limits.frames_held >= 0, where, "limits.frames_held is ", limits.frames_held, ", must be >= 0");
    require_positive(limits.following, where, "limits.following");
    require(limits.following_cycles >= 0, where, "limits.following_cycles is ", limits.following_cycles,
            ", must be >= 0");
    require(limits.frozen_time > 0.0, where, "limits.frozen_time is ", limits.frozen_time,
            " s, must be above 0; infinity turns this check off");
    require_positive(limits.frozen_travel, where, "limits.frozen_travel");
    require(limits.pull > 0.0, where, "limits.pull is ", limits.pull,
            " N, must be above 0; infinity turns this check off");
    require_positive(limits.pull_time, where, "limits.pull_time");
    require(limits.lost_time > 0.0, where, "limits.lost_time is ", limits.lost_time,
            " s, must be above 0; infinity turns this check off");
    require_positive(limits.contact, where, "limits.contact");
    validate(limits.ringing, where);
    require_positive(limits.wire_height, where, "limits.wire_height");
    require_positive(limits.wire_speed, where, "limits.wire_speed");
}

}  // namespace panto::rig
