// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A pantograph that passes along a section at constant speed: its position at each step, the frequencies a
/// finite-element mesh carries at that speed, and the motion of the wire above it.

#pragma once

#include <panto/catenary/finite_element.hpp>
#include <panto/core/exchange.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace panto::catenary {

struct PassageParams {
    double speed = 0.0;               ///< m/s, not negative
    double start = 0.0;               ///< m, position of the pantograph at step 0
    double dt = 2e-3;                 ///< s
    bool accept_coarse_mesh = false;  ///< run although the mesh carries less than 20 Hz ahead of the pantograph
};

/// Highest frequency, Hz, whose waves ahead of the pantograph have at least two elements a wavelength,
/// f = (c - v) / (2 h); 0 for v >= c, where no wave runs ahead. Hermite elements carry a wave down to there.
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
    // Far below a microsecond the stiffness is lost in rounding beside 4/dt^2; above a second nothing is
    // resolved.
    require(p.dt >= 1e-7 && p.dt <= 1.0, where, "dt is ", p.dt, " s, must be from 1e-7 to 1 s");
    require_finite(p.start, where, "start");
    require(p.start >= 0.0 && p.start < model.length(), where, "start is ", p.start,
            " m, must be at least 0 and below the length of the section, ", model.length(), " m");
    std::vector<std::string> warnings;
    const auto compare = [&](const Wire<Scalar>& wire, const std::string& name) {
        const double c = value_of(wave_speed(wire));
        if (p.speed >= c)
            warnings.push_back("speed " + shown(3.6 * p.speed) + " km/h is at or above the wave speed of the " + name +
                               " wire, " + shown(3.6 * c) + " km/h: the linear model has no steady answer there");
    };
    compare(model.section().contact_wire, "contact");
    compare(model.section().messenger_wire, "messenger");

    constexpr double wanted = 20.0;  // Hz, the band of EN 50318
    const double carried = highest_frequency(model, p.speed);
    require(!(carried > 0.0) || carried >= wanted * (1.0 - 1e-9) || p.accept_coarse_mesh, where,
            "the mesh is too coarse for ", 3.6 * p.speed, " km/h: contact-wire elements of ",
            model.longest_contact_element(), " m carry waves ahead of the pantograph up to ", carried,
            " Hz, needed are 20 Hz; use elements of at most ", model.longest_contact_element() * carried / wanted,
            " m or set accept_coarse_mesh");
    return warnings;
}

/// Position after `step` steps, m. @rt
[[nodiscard]] inline double passage_position(const PassageParams& p, long step) noexcept {
    return p.start + p.speed * (static_cast<double>(step) * p.dt);
}

/// Steps from the start after which the pantograph is still on the section; the largest number if it stands still.
/// A billionth of a step missing by rounding counts as reached. @rt
template <Real Scalar>
[[nodiscard]] std::int64_t steps_on_line(const FiniteElements<Scalar>& model, const PassageParams& p) noexcept {
    const double steps = (model.length() - p.start) / (p.speed * p.dt);
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

/// The pantograph as the contact law sees it, to be solved together with the wire:
///     F = max(0, stiffness (head_height - head_compliance F - wire height))
template <Real Scalar = double>
struct ImplicitContact {
    Scalar stiffness{};        ///< N/m, of the penalty contact
    Scalar head_height{};      ///< m, at the end of the step without a contact force then
    Scalar head_compliance{};  ///< m/N, how far a contact force at the end of the step presses the head down

    /// False if it determines no force: stiffness not above 0, compliance below 0, or a value that is not finite. @rt
    [[nodiscard]] bool solvable() const noexcept {
        const double k = value_of(stiffness), c = value_of(head_compliance);
        return is_finite(k) && is_finite(c) && is_finite(value_of(head_height)) && k > 0.0 && c >= 0.0;
    }
};

}  // namespace panto::catenary
