// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The rig, described once: a position-controlled motor presses its pad on the head of a pantograph, a load cell
/// measures the force through a filter, and the bus delays commands and readings [HiL paper, Sec. 3 and Tables 1, 2].
///
///     motor        m u_m'' + c u_m' + k u_m = k r         the contact does not load it: its position loop is stiff
///     pad          F = k_h (q_head - u_m)                 while strip and pad touch
///     pantograph   M q'' + C q' + K q = uplift force on the lowest mass - F on the head
///     load cell    F - m_c u_m'' with the mass m_c that is carried between pad and load cell, behind a Butterworth
///                  low-pass of any order
///     drive        saturates where speed, acceleration or force of the motor, m u_m'' - F, reach its limits
///     bus          a command written at time t takes effect at t + command_delay dt,
///                  a reading that arrives at t was taken at t - reading_delay dt
///
/// The simulated rig, the design model of a controller and the stability checks are all made from these parameters,
/// so that they always agree on stiffness, filter and delays.

#pragma once

#include <panto/core/check.hpp>
#include <panto/dynamics/newmark.hpp>
#include <panto/plant/chain.hpp>

#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace panto::plant {

/// Table 2 of the HiL paper. Its step response has a peak of 1.229 after 16.4 ms.
inline constexpr dynamics::OscillatorParams<double> table2_motor{10.0, 1800.0, 450e3};

/// The motor that the paper's text describes: peak 1.3 after 12 ms, settled after 40 ms.
inline constexpr dynamics::OscillatorParams<double> motor_of_the_text{10.0, 2006.6, 786052.0};

/// Low-pass of the load cell and its amplifier.
struct ForceFilter {
    double cut_off = 100.0;  ///< Hz, -3 dB; 0 for none
    int order = 1;           ///< Butterworth, 1 to 8

    [[nodiscard]] bool operator==(const ForceFilter&) const = default;
};

inline constexpr double default_pad_stiffness = 240e3;  ///< N/m, taken equal to k_p of Table 2 of the HiL paper

/// What the drive can do at most; beyond that it saturates. Infinite: no limit.
struct DriveLimits {
    double speed = HUGE_VAL;         ///< m/s
    double acceleration = HUGE_VAL;  ///< m/s^2
    double force = HUGE_VAL;         ///< N, m u_m'' - F: the drive's own share of the force on the motor

    [[nodiscard]] bool any() const noexcept { return std::fmin(speed, std::fmin(acceleration, force)) < HUGE_VAL; }
};

struct RigParams {
    dynamics::OscillatorParams<double> motor = table2_motor;
    double pad_stiffness = default_pad_stiffness;  ///< N/m, k_h
    ChainParams<> pantograph{};                    ///< on the pad, head first
    ForceFilter force_filter{};
    double command_delay = 1.0;  ///< periods, whole or fractional, 0 to 8
    double reading_delay = 1.0;  ///< periods, whole or fractional, 0 to 8; of force and position
    double carried_mass = 0.0;   ///< kg, m_c, of pad and mount below the load cell; needs a force filter
    double encoder_step = 0.0;   ///< m, resolution of the encoder; 0: no rounding
    DriveLimits drive_limits{};

    /// From the instant of a reading to the effect of the command computed from it, in periods.
    [[nodiscard]] double loop_delay() const noexcept { return command_delay + reading_delay; }
};

inline constexpr int longest_delay = 8;  ///< periods, of commands and of readings

/// Throws unless the parameters describe a rig.
/// @throws SetupError naming the field, its value and what is allowed.
inline void validate(const RigParams& p, std::string_view where) {
    dynamics::require_oscillator(p.motor, where, "motor");
    require_positive(p.motor.stiffness, where, "motor.stiffness");
    require_positive(p.pad_stiffness, where, "pad_stiffness");
    validate(p.pantograph, where);
    require_not_negative(p.force_filter.cut_off, where, "force_filter.cut_off");
    require(p.force_filter.order >= 1 && p.force_filter.order <= 8, where, "force_filter.order is ",
            p.force_filter.order, ", must be from 1 to 8");
    const auto check_delay = [&](double periods, std::string_view field) {
        require(periods >= 0.0 && periods <= longest_delay, where, field, " is ", periods,
                " periods, must be from 0 to ", longest_delay);
    };
    require_not_negative(p.carried_mass, where, "carried_mass");
    require(p.carried_mass == 0.0 || p.force_filter.cut_off > 0.0, where, "carried_mass is ", p.carried_mass,
            " kg without a force filter: the force would jump with every command; give force_filter.cut_off");
    require_not_negative(p.encoder_step, where, "encoder_step");
    const auto check_limit = [&](double most, std::string_view field) {
        require(most > 0.0, where, field, " is ", most, ", must be above 0; infinity sets no limit");
    };
    check_limit(p.drive_limits.speed, "drive_limits.speed");
    check_limit(p.drive_limits.acceleration, "drive_limits.acceleration");
    check_limit(p.drive_limits.force, "drive_limits.force");
    check_delay(p.command_delay, "command_delay");
    check_delay(p.reading_delay, "reading_delay");
}

namespace detail {

/// Calls visit(field, a, b) for every number in which two rigs differ by more than rounding. @rt
template <class Visit>
void each_difference(const RigParams& a, const RigParams& b,
                     const Visit& visit) noexcept(noexcept(visit(std::string_view(), 0.0, 0.0))) {
    const auto compare = [&](std::string_view field, double x, double y) {
        if (x != y && !(std::fabs(x - y) <= 1e-9 * std::fmin(std::fmax(std::fabs(x), std::fabs(y)), 1e300)))
            visit(field, x, y);
    };
    const auto compare_all = [&](std::string_view field, const auto& x, const auto& y) {
        for (Eigen::Index i = 0; i < x.size(); ++i) compare(field, x[i], y[i]);
    };
    compare("motor.mass", a.motor.mass, b.motor.mass);
    compare("motor.damping", a.motor.damping, b.motor.damping);
    compare("motor.stiffness", a.motor.stiffness, b.motor.stiffness);
    compare("pad_stiffness", a.pad_stiffness, b.pad_stiffness);
    const Eigen::Index masses = a.pantograph.mass.size(), others = b.pantograph.mass.size();
    if (masses != others) {
        visit("pantograph.mass.size()", static_cast<double>(masses), static_cast<double>(others));
    } else {
        compare_all("pantograph.mass", a.pantograph.mass, b.pantograph.mass);
        compare_all("pantograph.damping", a.pantograph.damping, b.pantograph.damping);
        compare_all("pantograph.stiffness", a.pantograph.stiffness, b.pantograph.stiffness);
    }
    compare("force_filter.cut_off", a.force_filter.cut_off, b.force_filter.cut_off);
    if (a.force_filter.cut_off > 0.0) compare("force_filter.order", a.force_filter.order, b.force_filter.order);
    compare("command_delay", a.command_delay, b.command_delay);
    compare("reading_delay", a.reading_delay, b.reading_delay);
    compare("carried_mass", a.carried_mass, b.carried_mass);
    compare("encoder_step", a.encoder_step, b.encoder_step);
    compare("drive_limits.speed", a.drive_limits.speed, b.drive_limits.speed);
    compare("drive_limits.acceleration", a.drive_limits.acceleration, b.drive_limits.acceleration);
    compare("drive_limits.force", a.drive_limits.force, b.drive_limits.force);
}

}  // namespace detail

/// The first quantity in which two rigs differ by more than rounding, or an empty text if they are the same. @rt
[[nodiscard]] inline std::string_view difference(const RigParams& a, const RigParams& b) noexcept {
    std::string_view first;
    detail::each_difference(a, b, [&](std::string_view field, double, double) noexcept {
        if (first.empty()) first = field;
    });
    return first;
}

/// For messages: all quantities in which rig `a` differs from rig `b`, with both values. `whose` says whose rig `b` is,
/// such as "the drive". Empty if the rigs are the same.
[[nodiscard]] inline std::string differences(const RigParams& a, const RigParams& b, std::string_view whose) {
    std::string text;
    detail::each_difference(a, b, [&](std::string_view field, double x, double y) {
        text.append(text.empty() ? "" : ", ").append(field).append(" is ").append(shown(x));
        text.append(" (that of ").append(whose).append(" is ").append(shown(y)).append(")");
    });
    return text;
}

/// The acceleration that the motor gets when its position loop asks for `asked`, both in m/s^2. It is limited by
/// DriveLimits::acceleration and, under the contact force `contact_force`, N, by DriveLimits::force. @rt
[[nodiscard]] inline double within_limits(const RigParams& p, double asked, double contact_force) noexcept {
    const double most = p.drive_limits.acceleration, force = p.drive_limits.force;
    const double lowest = std::fmax(-most, (contact_force - force) / p.motor.mass),
                 highest = std::fmin(most, (contact_force + force) / p.motor.mass);
    return std::fmax(lowest, std::fmin(highest, asked));
}

/// Refuses a drive that cannot hold the strip against the pad: at rest it bears the whole contact force.
/// @param contact_force  N, at rest
/// @throws SetupError naming both.
inline void require_holds(const RigParams& p, double contact_force, std::string_view where) {
    const double most = p.drive_limits.force;
    require(contact_force < most, where, "drive_limits.force of the rig is ", most,
            " N, but the contact force at rest is ", contact_force,
            " N: the drive could not hold the strip; the limit must be above this force, or the uplift force smaller");
}

/// A part of a loop that was made for a certain rig; rig_params() returns that rig.
template <class T>
concept KnowsRig = requires(const T& part) {
    { part.rig_params() } noexcept -> std::convertible_to<const RigParams&>;
};

/// The same for a reference to a part of any type: rig_params() returns null if the part does not name its rig.
template <class T>
concept MayKnowRig = requires(const T& part) {
    { part.rig_params() } noexcept -> std::same_as<const RigParams*>;
};

/// The rig that a part of a loop was made for, if the part names one.
template <class Part>
[[nodiscard]] std::optional<RigParams> rig_of(const Part& part) {
    if constexpr (KnowsRig<Part>) return part.rig_params();
    if constexpr (MayKnowRig<Part>)
        if (const RigParams* rig = part.rig_params()) return *rig;
    return {};
}

/// Refuses a controller that was designed for a rig other than the drive's, if both name their rig.
/// @throws SetupError naming the quantities in which they differ, with both values.
template <class Controller, class Drive>
void require_same_rig(const Controller& controller, const Drive& drive, std::string_view where) {
    const auto designed = rig_of(controller), actual = rig_of(drive);
    if (!designed || !actual || difference(*designed, *actual).empty()) return;
    require(false, where, "the controller is designed for a different rig from that of the drive: ",
            differences(*designed, *actual, "the drive"), "; design it for this rig, or set accept_other_rig");
}

}  // namespace panto::plant
