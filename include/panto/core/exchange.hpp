// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The record that is passed through the stages of a cycle. Every stage fills in its own
/// fields and reads only those above them; a log is an array of these records.

#pragma once

#include <panto/core/finite.hpp>

#include <array>

namespace panto {

/// Vertical motion of a point: z upward, SI units.
struct Motion {
    double height = 0.0;        ///< m
    double speed = 0.0;         ///< m/s
    double acceleration = 0.0;  ///< m/s^2
};

/// @rt
[[nodiscard]] constexpr bool is_finite(const Motion& m) noexcept {
    return is_finite(m.height) && is_finite(m.speed) && is_finite(m.acceleration);
}

/// The energy and momentum that have passed through the interface on one side but not (yet) on the other. On an ideal
/// rig both stay zero: such a rig neither adds nor removes energy or momentum.
struct Ledger {
    double energy = 0.0;    ///< J
    double momentum = 0.0;  ///< N s
};

/// Predicted motions of the wire above the strip, one time step apart: entry 0 is the end of the coming step.
struct Preview {
    static constexpr int capacity = 8;    ///< most entries in a record; a controller that LooksFarAhead may need more
    static constexpr int longest = 1000;  ///< most steps that a controller may look ahead
    std::array<Motion, capacity> motion{};
    std::array<double, capacity> force_change{};  ///< N, by which the force assumed at an entry exceeds wire_force
    int count = 0;                                ///< entries in use; 0 if no controller looks ahead
};

struct Exchange {
    double time = 0.0;              ///< s, start of the cycle
    double strip_force = 0.0;       ///< N, measured; positive when strip and wire press together
    Motion strip = {};              ///< measured motion of the drive that carries the pad
    double wire_force = 0.0;        ///< N, upward force given to the virtual catenary
    Motion wire = {};               ///< motion of the virtual wire above the strip
    Motion reference = {};          ///< motion the drive must follow: the interaction mass, or the wire itself
    Preview preview = {};           ///< motions of the wire in the coming steps, under wire_force and force_change
    double command = 0.0;           ///< command sent to the drive, in the unit of the drive's Command
    Ledger ledger = {};             ///< running balance between the two sides
    bool strip_force_held = false;  ///< strip_force is from an earlier cycle: the reading was lost or impossible
    int slack_droppers = 0;         ///< slack droppers of the catenary now; 0 if it does not report them
};

}  // namespace panto
