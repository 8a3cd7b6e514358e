// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Why a rig was stopped: the quantity, its value and its limits. The loop stores numbers; the sentence is made
/// after the run.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace panto::rig {

enum class Quantity : std::uint8_t {
    none,
    force_reading,           ///< missing force readings in a row
    position_reading,        ///< missing position readings in a row
    first_force,             ///< the first force reading, which no earlier one can replace
    first_position,          ///< the first position reading, which no earlier one can replace
    force,                   ///< N, measured
    height,                  ///< m, of the drive, measured
    drive_speed,             ///< m/s, of the drive, measured
    drive_acceleration,      ///< m/s^2, of the drive, measured
    drive_state,             ///< a further state of the drive, measured
    following,               ///< m, between command and position
    frozen_force,            ///< s, for which the force reading has not changed
    frozen_position,         ///< s, for which the position reading has not changed
    ringing,                 ///< N, amplitude of an oscillation of the force that does not fade
    swinging,                ///< m, amplitude of an oscillation of the drive that does not fade
    mean_force,              ///< N, measured, over the time it has been too low
    lost_contact,            ///< s, for which no reading of the force has shown contact
    wire_force,              ///< N, given to the catenary
    wire_height,             ///< m
    wire_speed,              ///< m/s
    wire_acceleration,       ///< m/s^2
    line,                    ///< m, where the line ended
    reference_height,        ///< m
    reference_speed,         ///< m/s
    reference_acceleration,  ///< m/s^2
    preview_height,          ///< m
    preview_speed,           ///< m/s
    preview_acceleration,    ///< m/s^2
    preview_steps,           ///< number of steps of preview that the controller asks for
    controller,              ///< the status that the controller returned
    command,                 ///< m
    command_rate,            ///< m/s
    drive,                   ///< the status that the drive returned
    lateness,                ///< s, by which a cycle ended after the next one was due
    late_cycles,             ///< late cycles in a row
    clock,                   ///< s, by which the clock is behind the time waited for
    period,                  ///< s, of the schedule
    schedule,                ///< cycles of the schedule
    tare_offset,             ///< N
    tare_noise,              ///< N
    approach,                ///< m, distance lowered without contact
    pull,                    ///< N, measured where a positive force was expected
    preload,                 ///< N, reached within the distance and time allowed
    moved,                   ///< m, motion of the drive in the sign check
    fall,                    ///< N, fall of the force in the sign check
    speed_command,           ///< m/s, to a drive that takes speeds
    speed_command_rate,      ///< m/s^2
    force_command,           ///< N, to a drive that takes forces
    force_command_rate       ///< N/s
};

namespace detail {

struct QuantityName {
    std::string_view name, unit;
};

inline constexpr std::array<QuantityName, 49> quantity_names{{{"", ""},
                                                              {"missing force readings in a row", ""},
                                                              {"missing position readings in a row", ""},
                                                              {"the first force reading", ""},
                                                              {"the first position reading", ""},
                                                              {"measured force", "N"},
                                                              {"position of the drive", "m"},
                                                              {"speed of the drive", "m/s"},
                                                              {"acceleration of the drive", "m/s^2"},
                                                              {"state of the drive", ""},
                                                              {"distance between command and position", "m"},
                                                              {"time the force reading has not changed", "s"},
                                                              {"time the position reading has not changed", "s"},
                                                              {"amplitude of an oscillation of the force", "N"},
                                                              {"amplitude of an oscillation of the drive", "m"},
                                                              {"mean of the measured force", "N"},
                                                              {"time without contact", "s"},
                                                              {"force on the wire", "N"},
                                                              {"height of the wire", "m"},
                                                              {"speed of the wire", "m/s"},
                                                              {"acceleration of the wire", "m/s^2"},
                                                              {"position on the line", "m"},
                                                              {"height of the reference", "m"},
                                                              {"speed of the reference", "m/s"},
                                                              {"acceleration of the reference", "m/s^2"},
                                                              {"predicted height of the wire", "m"},
                                                              {"predicted speed of the wire", "m/s"},
                                                              {"predicted acceleration of the wire", "m/s^2"},
                                                              {"steps the controller looks ahead", ""},
                                                              {"reported by the controller", ""},
                                                              {"command", "m"},
                                                              {"rate of the command", "m/s"},
                                                              {"reported by the drive", ""},
                                                              {"lateness of a cycle", "s"},
                                                              {"late cycles in a row", ""},
                                                              {"lag of the clock", "s"},
                                                              {"period of the schedule", "s"},
                                                              {"cycles of the schedule", ""},
                                                              {"offset of the load cell without contact", "N"},
                                                              {"scatter of the load cell", "N"},
                                                              {"descent without contact", "m"},
                                                              {"force at the first contact", "N"},
                                                              {"mean force after preloading", "N"},
                                                              {"distance moved in the sign check", "m"},
                                                              {"fall of the force in the sign check", "N"},
                                                              {"command", "m/s"},
                                                              {"rate of the command", "m/s^2"},
                                                              {"command", "N"},
                                                              {"rate of the command", "N/s"}}};

}  // namespace detail

[[nodiscard]] constexpr std::string_view name(Quantity q) noexcept {
    return detail::quantity_names[static_cast<std::size_t>(q)].name;
}
[[nodiscard]] constexpr std::string_view unit(Quantity q) noexcept {
    return detail::quantity_names[static_cast<std::size_t>(q)].unit;
}

/// With Quantity::none, the stop was requested from outside. Without limits, the status itself is the fault.
struct Fault {
    Status status = Status::ok;
    Quantity quantity = Quantity::none;
    double value = 0.0;
    double lowest = -HUGE_VAL;    ///< lowest value allowed
    double highest = HUGE_VAL;    ///< highest value allowed
    std::string_view which = {};  ///< which of several drives: "second drive", "slow drive" or "fast drive"
};

/// The quantities of a motion.
struct MotionQuantities {
    Quantity height, speed, acceleration;
};
inline constexpr MotionQuantities drive_motion{Quantity::height, Quantity::drive_speed, Quantity::drive_acceleration};
inline constexpr MotionQuantities wire_motion{Quantity::wire_height, Quantity::wire_speed, Quantity::wire_acceleration};
inline constexpr MotionQuantities reference_motion{Quantity::reference_height, Quantity::reference_speed,
                                                   Quantity::reference_acceleration};
inline constexpr MotionQuantities preview_motion{Quantity::preview_height, Quantity::preview_speed,
                                                 Quantity::preview_acceleration};

/// The fault of a motion that is not finite: the first of its parts that is not, height, speed or acceleration. Height
/// and speed have limits. @rt
[[nodiscard]] constexpr Fault not_finite(Status why, const Motion& m, const MotionQuantities& of, double lowest,
                                         double highest, double fastest = HUGE_VAL) noexcept {
    if (!is_finite(m.height)) return {why, of.height, m.height, lowest, highest, {}};
    if (!is_finite(m.speed)) return {why, of.speed, m.speed, -fastest, fastest, {}};
    return {why, of.acceleration, m.acceleration, -HUGE_VAL, HUGE_VAL, {}};
}

/// "out of range: measured force 612 N (allowed -500 to 500 N)". Only the status if there is nothing else.
[[nodiscard]] inline std::string describe(const Fault& f) {
    std::string text(panto::name(f.status));
    if (f.quantity == Quantity::none) return text;
    text += ": ";
    if (!f.which.empty()) text.append(f.which) += ": ";
    text += name(f.quantity);
    if (f.quantity == Quantity::controller || f.quantity == Quantity::drive) return text;
    if (f.quantity == Quantity::first_force || f.quantity == Quantity::first_position)
        return text + ", which no earlier one can replace";
    const std::string of_unit = unit(f.quantity).empty() ? std::string() : " " + std::string(unit(f.quantity));
    text += " " + shown(f.value) + of_unit;
    const bool above = is_finite(f.lowest), below = is_finite(f.highest);
    if (above && below) text += " (allowed " + shown(f.lowest) + " to " + shown(f.highest) + of_unit + ")";
    if (above && !below) text += " (allowed at least " + shown(f.lowest) + of_unit + ")";
    if (!above && below) text += " (allowed up to " + shown(f.highest) + of_unit + ")";
    return text;
}

}  // namespace panto::rig
