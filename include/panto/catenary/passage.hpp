// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A pantograph that passes along a section: its position at each step, the frequencies that a finite-element mesh
/// resolves at its speed, and the motion of the wire above it.

#pragma once

#include <panto/catenary/finite_element.hpp>
#include <panto/catenary/implicit_contact.hpp>
#include <panto/catenary/speed_profile.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/time_step.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace panto::catenary {

struct PassageParams {
    double speed = 0.0;               ///< m/s, constant, not negative
    double start = 0.0;               ///< m, position of the pantograph at step 0
    double dt = default_time_step;    ///< s
    bool accept_coarse_mesh = false;  ///< run although the mesh resolves less than 20 Hz ahead of the pantograph
    SpeedProfile profile = {};        ///< speed over time; if it is given, `speed` must be 0
};

/// Highest frequency, Hz, at which waves ahead of the pantograph have at least two elements per wavelength:
/// f = (c - v) / (2 h), with the wave speed c of the contact wire, the speed v of the pantograph and the longest
/// element h; 0 for v >= c, where no wave runs ahead. Hermite elements resolve a wave up to this frequency.
template <Real Scalar>
[[nodiscard]] double highest_frequency(const FiniteElements<Scalar>& model, double speed) {
    const double c = value_of(wave_speed(model.section().contact_wire));
    return speed < c ? (c - speed) / (2.0 * model.longest_contact_element()) : 0.0;
}

/// Checks a passage over a model.
/// @return warnings, one sentence each: a speed at or above the wave speed of a wire.
/// @throws SetupError if a parameter is invalid or the mesh is too coarse for the speed.
template <Real Scalar>
std::vector<std::string> check_passage(const FiniteElements<Scalar>& model, const PassageParams& p) {
    constexpr const char* where = "catenary::Passage";
    require_not_negative(p.speed, where, "speed");
    require(p.profile.empty() || p.speed == 0.0, where, "speed is ", p.speed,
            " m/s and there is a speed profile; give only one of them");
    const double highest = p.profile.empty() ? p.speed : p.profile.highest();
    // Far below a microsecond, 4/dt^2 M is so large that the stiffness is lost by rounding; above a second nothing is
    // resolved.
    require(p.dt >= 1e-7 && p.dt <= 1.0, where, "dt is ", p.dt, " s, must be from 1e-7 to 1 s");
    require_finite(p.start, where, "start");
    require(p.start >= 0.0 && p.start < model.length(), where, "start is ", p.start,
            " m, must be at least 0 and below the length of the section, ", model.length(), " m");
    std::vector<std::string> warnings;
    const auto compare = [&](const Wire<Scalar>& wire, const std::string& name) {
        const double c = value_of(wave_speed(wire));
        if (highest >= c)
            warnings.push_back("speed " + shown(3.6 * highest) + " km/h is at or above the wave speed of the " + name +
                               " wire, " + shown(3.6 * c) + " km/h: the linear model has no steady solution there");
    };
    compare(model.section().contact_wire, "contact");
    compare(model.section().messenger_wire, "messenger");

    constexpr double wanted = 20.0;  // Hz, the band of EN 50318
    const double carried = highest_frequency(model, highest);
    require(!(carried > 0.0) || carried >= wanted * (1.0 - 1e-9) || p.accept_coarse_mesh, where,
            "the mesh is too coarse for ", 3.6 * highest, " km/h: contact-wire elements of ",
            model.longest_contact_element(), " m carry waves ahead of the pantograph up to ", carried,
            " Hz, at least 20 Hz are needed; use elements of at most ",
            model.longest_contact_element() * carried / wanted, " m or set accept_coarse_mesh");
    return warnings;
}

/// Position of the pantograph `time` seconds after the start, m. @rt
[[nodiscard]] inline double passage_position_at(const PassageParams& p, double time) noexcept {
    return p.start + (p.profile.empty() ? p.speed * time : p.profile.way(time));
}
/// Position after `step` steps, m. @rt
[[nodiscard]] inline double passage_position(const PassageParams& p, long step) noexcept {
    return passage_position_at(p, static_cast<double>(step) * p.dt);
}
/// Speed after `step` steps, m/s. @rt
[[nodiscard]] inline double passage_speed(const PassageParams& p, long step) noexcept {
    return p.profile.empty() ? p.speed : p.profile.speed(static_cast<double>(step) * p.dt);
}

/// Number of steps from the start after which the pantograph is still on the section; the largest integer if it never
/// leaves it. A rounding error of a billionth of a step does not count. @rt
template <Real Scalar>
[[nodiscard]] std::int64_t steps_on_line(const FiniteElements<Scalar>& model, const PassageParams& p) noexcept {
    const double line = model.length() - p.start;
    const double steps = p.profile.empty() ? line / (p.speed * p.dt) : p.profile.time_until(line) / p.dt;
    return steps < 1e15 ? static_cast<std::int64_t>(steps * (1.0 + 1e-12) + 1e-9)
                        : std::numeric_limits<std::int64_t>::max();
}

/// Sum over the four unknowns around a point; `at(row)` gives the nodal value. @rt
template <Real Scalar, class At>
[[nodiscard]] Scalar interpolate(const std::array<int, 4>& row, const std::array<double, 4>& weight,
                                 const At& at) noexcept {
    Scalar sum(0.0);
    for (std::size_t i = 0; i < 4; ++i)
        if (row[i] >= 0) sum += Scalar(weight[i]) * at(row[i]);
    return sum;
}

/// Motion of the wire after `step` steps at the point `p`, whose position is `x`, m.
/// @param before  m/s, the speed one step before
/// @param u, v    deviation and its time derivative, by row of the model
/// @rt
template <Real Scalar, class U, class V>
[[nodiscard]] Motion wire_motion(const FiniteElements<Scalar>& model, const PassageParams& passage, long step,
                                 const WirePoint& p, double x, double before, const U& u, const V& v) noexcept {
    const auto z = model.static_height(x);
    const Scalar slope = z[1] + interpolate<Scalar>(p.row, p.slope, u);
    const double speed =
        value_of(Scalar(interpolate<Scalar>(p.row, p.value, v) + Scalar(passage_speed(passage, step)) * slope));
    return {value_of(Scalar(z[0] + interpolate<Scalar>(p.row, p.value, u))), speed, (speed - before) / passage.dt};
}

}  // namespace panto::catenary
