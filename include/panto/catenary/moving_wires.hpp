// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The two wires of a line in the train's frame, x = position on the line - v t, on one grid. The equation of each wire
/// is that of wave::moving_beam_stencil, plus a damping proportional to the tension:
///     rA (u_tt - 2 v u_xt + v^2 u_xx) + d (u_t - v u_x) + EI u_xxxx - T u_xx - beta T (u_xxt - v u_xxx) = f .
/// u: deviation of the wire; rA: mass per length; d: viscous damping; EI: bending stiffness; T: tension; f: load per
/// length. [predictive paper, (34), (35), corrected: the signs of the paper's convective terms fit no moving frame]

#pragma once

#include <panto/catenary/moving_line.hpp>
#include <panto/catenary/moving_period.hpp>
#include <panto/catenary/passage.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/moving_beam.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace panto::catenary {

/// The computed piece of the line and its grid.
struct MovingGrid {
    double speed = 0.0;  ///< m/s; negative: towards smaller x, for simulation only: predictive controllers refuse it
    double dt = 0.0;     ///< s
    int cells = 39;      ///< per span
    int spans = 4;       ///< on the grid
    double start = 0.0;  ///< m from a support, position of the pantograph at time 0
    /// Smallest beta (damping proportional to the tension) of both wires, s. Without this damping, passing droppers
    /// make the shortest waves of the grid grow, and the longer the grid, the more.
    double least_damping = 1e-4;
    std::optional<double> contact_at = {};  ///< m from the left end of the grid; by default the middle
    bool unilateral = false;                ///< droppers pull and do not push
    bool accept_growth = false;             ///< accept a line whose states grow from span to span, for study
};

/// The grid for a passage: speed, dt and start are those of the passage, the rest is that of `grid`.
/// @throws SetupError if the speed of the passage varies.
template <class = void>
[[nodiscard]] MovingGrid moving_grid(const PassageParams& p, MovingGrid grid = {}) {
    require(p.profile.empty(), "catenary::moving_grid", "the passage has a speed profile, up to ", p.profile.highest(),
            " m/s; a line in the train's frame is made for one speed: give `speed` instead, or use RealTimeEngine or "
            "ReferenceEngine, which follow a profile");
    grid.speed = p.speed;
    grid.dt = p.dt;
    grid.start = p.start;
    return grid;
}

/// Stencils of both wires, in the direction of x, and the data for their ends.
struct MovingWires {
    wave::Stencil<> contact = {}, messenger = {};
    double contact_speed = 0.0, messenger_speed = 0.0;  ///< m/s, of waves on them
    double contact_mass = 0.0, messenger_mass = 0.0;    ///< kg/m
    double speed = 0.0;                                 ///< m/s, of the frame
    LineFacts line = {};                                ///< what a span is made of
};

/// The stencil of a wire with the damping `beta`, s, proportional to its tension: u_xxt is taken between levels n+1 and
/// n-1, u_xxx at level n. The shortest waves of the grid have no other damping.
/// @throws SetupError as wave::moving_beam_stencil.
template <class = void>
[[nodiscard]] wave::Stencil<> moving_wire_stencil(const wave::BeamParams<>& wire, double beta, double speed, double dx,
                                                  double dt) {
    wave::Stencil<> s = wave::moving_beam_stencil(wire, speed, dx, dt);
    const double by_time = beta * wire.tension / (2.0 * dt * dx * dx),
                 by_way = beta * wire.tension * speed / (dx * dx * dx);
    wave::detail::add_difference(s.next, wave::central_difference<2>(), -by_time);
    wave::detail::add_difference(s.before, wave::central_difference<2>(), -by_time);
    wave::detail::add_difference(s.now, wave::central_difference<3>(), -by_way);
    wave::detail::require_weights(s, "catenary::moving_wire_stencil");
    return s;
}

/// @throws SetupError if the line or the grid is not valid, the speed reaches the wave speed, the step is unstable on a
/// wire (with the largest stable one), or a span does not take a whole number of steps.
template <class = void>
[[nodiscard]] MovingWires moving_wires(const PeriodicLine& line, const MovingGrid& grid) {
    constexpr const char* where = "catenary::MovingGrid";
    validate(line);
    (void)steps_per_period(line.period, grid.speed, grid.dt, where);
    require(grid.cells >= 8 && grid.cells <= 4096, where, "cells is ", grid.cells, ", must be from 8 to 4096");
    require(grid.spans >= 1 && grid.spans <= 64, where, "spans is ", grid.spans, ", must be from 1 to 64");
    require_finite(grid.start, where, "start");
    require_not_negative(grid.least_damping, where, "least_damping");
    const double dx = line.period / grid.cells, length = grid.spans * line.period;
    if (grid.contact_at)
        require(*grid.contact_at >= 2.0 * dx && *grid.contact_at <= length - 2.0 * dx, where, "contact_at is ",
                *grid.contact_at, " m, must be from ", 2.0 * dx, " to ", length - 2.0 * dx,
                " m: two cells from the ends of the grid");
    require(std::abs(grid.speed) * grid.dt <= dx, where, "a step of ", grid.dt, " s at ", grid.speed,
            " m/s is longer than a cell of ", dx, " m; use shorter steps or fewer cells");
    const auto speed_of = [&](const wave::BeamParams<>& wire, const char* name) {
        const double c = std::sqrt(wire.tension / wire.mass_per_length);
        require(std::abs(grid.speed) < c, where, "speed is ", grid.speed, " m/s, must be below ", c,
                " m/s, that of waves on the ", name, " wire");
        return c;
    };
    MovingWires w{.contact_speed = speed_of(line.contact_wire, "contact"),
                  .messenger_speed = speed_of(line.messenger_wire, "messenger"),
                  .contact_mass = line.contact_wire.mass_per_length,
                  .messenger_mass = line.messenger_wire.mass_per_length,
                  .speed = grid.speed,
                  .line = line_facts(line)};
    const auto stencil = [&](const wave::BeamParams<>& wire, const char* name) {
        wave::Stencil<> s = moving_wire_stencil(wire, std::max(line.beta, grid.least_damping), grid.speed, dx, grid.dt);
        if (!wave::is_stable(s))
            require(false, where, "dt is ", grid.dt, " s, with which a wave on the ", name, " wire grows by ",
                    wave::growth_factor(s), " a step; the largest stable step is ", wave::largest_stable_step(s),
                    " s, or use fewer cells than ", grid.cells);
        return s;
    };
    w.contact = stencil(line.contact_wire, "contact");
    w.messenger = stencil(line.messenger_wire, "messenger");
    return w;
}

}  // namespace panto::catenary
