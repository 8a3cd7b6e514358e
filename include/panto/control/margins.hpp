// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stability margins of a loop that is cut where the command enters the rig (cut_loop.hpp). With
/// L(z) = -(C (z I - A)^-1 B + D), S = 1 / (1 + L), T = L / (1 + L), z on the unit circle [Seiler, Packard, Gahinet: An
/// introduction to disk margins, IEEE Control Systems 40 (2020)]:
///
///     gain margins    factors on the command, below and above 1, where L = -1 / factor is real
///     phase margin    smallest angle between L and -1 where |L| = 1;  delay margin   angle / (2 pi frequency) there
///     disk margin     alpha = 2 / max |S - T|: the loop stays stable with every factor (1 - alpha/2 d) / (1 + alpha/2
///                     d), |d| < 1, which changes gain and phase together. If only the gain changes, it may be from
///                     (2 - alpha) / (2 + alpha) to the inverse of that; if only the phase, up to 2 atan(alpha / 2)
///
/// cut_loop() finds A, B, C and D for a rig, a controller that estimates the contact force, and the wire's response, by
/// running the controller itself: while strip and pad touch, it is affine, so differences are exact derivatives.

#pragma once

#include <panto/control/cut_loop.hpp>
#include <panto/control/level_crossings.hpp>
#include <panto/control/loop_response.hpp>
#include <panto/control/wire_response.hpp>
#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace panto::control {

struct Margins {
    double radius = 0.0;      ///< of the closed loop, per step; unless it is below 1, the other members have no meaning
    double gain_below = 0.0;  ///< lower gain margin: the factor on the command must be above this, 0 if it may be small
    double gain_above = 0.0;  ///< upper gain margin: the factor must be below this, HUGE_VAL if it may be large
    double phase = 0.0;       ///< rad
    double delay = 0.0;       ///< s, added delay that the loop tolerates; HUGE_VAL if it tolerates every delay
    double disk = 0.0;        ///< alpha, 0 to 2
    double disk_frequency = 0.0;  ///< Hz, where |S - T| is largest
};

namespace detail {

inline constexpr Eigen::Index most_states_by_levels = 60;

struct LoopPoint {
    double frequency = 0.0;  // Hz
    std::complex<double> L = 0.0;

    bool operator<(const LoopPoint& other) const { return frequency < other.frequency; }
};

/// L at `count` equal steps from `lowest` to `highest`, and at the angles of the poles.
template <class = void>
std::vector<LoopPoint> loop_grid(const LoopResponse& response, const std::vector<double>& poles, double lowest,
                                 double highest, Eigen::Index count) {
    std::vector<LoopPoint> grid;
    const auto add = [&](double f) { grid.push_back({f, response(f)}); };
    if (lowest > 0.0) add(lowest);
    for (Eigen::Index i = 1; i <= count; ++i)
        add(lowest + (highest - lowest) * static_cast<double>(i) / static_cast<double>(count));
    for (const double angle : poles)
        if (const double f = angle / std::numbers::pi * highest; f > lowest && f < highest) add(f);
    std::sort(grid.begin(), grid.end());
    return grid;
}

/// Where `value` is smallest between a and b, if it has one minimum there, to half the digits.
template <class Value>
double golden_minimum(const Value& value, double a, double b) {
    const double part = 0.5 * (3.0 - std::sqrt(5.0));
    double c = a + part * (b - a), d = b - part * (b - a), at_c = value(c), at_d = value(d);
    for (int i = 0; i < 50; ++i)
        if (at_c < at_d) {
            b = d, d = c, at_d = at_c;
            at_c = value(c = a + part * (b - a));
        } else {
            a = c, c = d, at_c = at_d;
            at_d = value(d = b - part * (b - a));
        }
    return at_c < at_d ? c : d;
}

}  // namespace detail

/// @param lowest  Hz, lowest frequency considered. A loop that tracks the wire at any height has L close to -1 near
/// frequency 0, where margins have no meaning. The margins then cover only what moves faster than `lowest`. Even with a
/// factor between gain_below and gain_above the loop may drift slowly; radius() of the loop with this factor shows
/// whether it does. Loops of up to 60 states are searched on a grid and without one (level_crossings.hpp); rounding
/// hides the levels of larger ones with a long delay, so these have a finer grid and the angles of all poles instead.
/// @throws SetupError if sizes do not agree, an entry is not finite, D = 1, or the loop has no states.
template <class = void>
[[nodiscard]] Margins margins(const CutLoop& loop, double lowest = 0.0) {
    const char* where = "control::margins";
    validate(loop, where);
    require(loop.A.rows() > 0, where,
            "the loop has no states: a command that depends on itself at once has no margins");
    require_positive(loop.dt, where, "dt");
    require_not_negative(lowest, where, "lowest");
    require(lowest < 0.5 / loop.dt, where, "lowest is ", lowest, " Hz, must be below half the sampling rate, ",
            0.5 / loop.dt, " Hz");
    Margins m{.radius = radius(loop), .gain_above = HUGE_VAL, .phase = std::numbers::pi, .delay = HUGE_VAL};
    const CutLoop scaled = balanced(loop);
    const LoopResponse response(scaled);
    const double per_angle = 0.5 / (std::numbers::pi * loop.dt), highest = 0.5 / loop.dt;
    const Eigen::Index states = loop.A.rows();
    std::vector<double> poles;
    for (const std::complex<double> z : linalg::eigenvalues(scaled.A)) poles.push_back(std::fabs(std::arg(z)));
    const bool by_levels = states <= detail::most_states_by_levels;
    const std::vector<detail::LoopPoint> grid = detail::loop_grid(response, by_levels ? std::vector<double>() : poles,
                                                                  lowest, highest, (by_levels ? 16 : 32) * states);
    // The grid, and frequencies chosen so that between two neighbours lies at most one angle at which the level may be
    // reached or L may have a pole.
    const auto points = [&](const Level& level) {
        std::vector<detail::LoopPoint> all = grid;
        if (!by_levels) return all;
        std::vector<double> ends = level_angles(scaled, level);
        ends.insert(ends.end(), poles.begin(), poles.end());
        for (double& end : ends) end = std::clamp(end * per_angle, lowest, highest);
        ends.insert(ends.end(), {lowest, highest});
        std::sort(ends.begin(), ends.end());
        for (std::size_t i = 0; i + 1 < ends.size(); ++i)
            if (ends[i] < ends[i + 1])
                all.push_back({0.5 * (ends[i] + ends[i + 1]), response(0.5 * (ends[i] + ends[i + 1]))});
        std::sort(all.begin(), all.end());
        return all;
    };
    // Calls found(f, L) at every change of the sign of value(L).
    const auto crossings = [&](const Level& level, const auto& value, const auto& found) {
        const auto above = [&](std::complex<double> l) { return !(value(l) < 0.0); };
        const std::vector<detail::LoopPoint> at = points(level);
        for (std::size_t i = 1; i < at.size(); ++i) {
            const bool before = above(at[i - 1].L);
            if (above(at[i].L) == before) continue;
            const auto still = [&](double f) { return above(response(f)) == before; };
            const double f = bisect(still, at[i - 1].frequency, at[i].frequency, 1e-16, 80).middle();
            found(f, response(f));
        }
    };
    const auto gain = [&](double, std::complex<double> l) {  // takes in a crossing of the real axis
        const double factor = -1.0 / l.real();
        if (!(factor > 1e-9)) return;  // on the positive side, or a pole on the unit circle
        if (factor < 1.0)
            m.gain_below = std::max(m.gain_below, factor);
        else
            m.gain_above = std::min(m.gain_above, factor);
    };
    if (!(lowest > 0.0)) gain(0.0, response(0.0));
    gain(highest, response(highest));
    crossings({.b = 1.0, .c = -1.0}, [](std::complex<double> l) { return l.imag(); }, gain);
    crossings(
        {.a = 1.0, .d = -1.0}, [](std::complex<double> l) { return std::abs(l) - 1.0; },
        [&](double f, std::complex<double> l) {
            const double angle = std::arg(-l);  // counterclockwise from -1 to L: the additional lag allowed
            m.phase = std::min(m.phase, std::fabs(angle));
            const double lag = angle < 0.0 ? angle + 2.0 * std::numbers::pi : angle;
            m.delay = std::min(m.delay, lag / (2.0 * std::numbers::pi * f));
        });
    // |1 + L| / |1 - L| goes below the least value found so far only between two angles at which it has this value.
    // So the middle of every such interval is computed, and the least value there is the next level: this converges
    // quadratically [Bruinsma, Steinbuch, Syst. Control Lett. 14 (1990) 287].
    m.disk = 2.0;
    const auto disk_at = [](std::complex<double> l) { return 2.0 * std::abs(1.0 + l) / std::abs(1.0 - l); };
    for (int turn = 0; turn < 40; ++turn) {
        const double r = m.disk, even = 4.0 - r * r, odd = 4.0 + r * r;
        for (const detail::LoopPoint& p : points({even, odd, odd, even}))
            if (const double here = disk_at(p.L); here < m.disk) m.disk = here, m.disk_frequency = p.frequency;
        if (!by_levels || !(m.disk < r * (1.0 - 1e-14))) break;
    }
    // Rounding may hide levels of a loop with a long delay: every low minimum of the grid is followed down.
    const double low = 1.5 * m.disk;
    for (std::size_t i = 1; i + 1 < grid.size(); ++i) {
        const double here = disk_at(grid[i].L);
        if (!(here <= low && here <= disk_at(grid[i - 1].L) && here <= disk_at(grid[i + 1].L))) continue;
        const auto value = [&](double f) { return disk_at(response(f)); };
        const double f = detail::golden_minimum(value, grid[i - 1].frequency, grid[i + 1].frequency);
        if (const double least = value(f); least < m.disk) m.disk = least, m.disk_frequency = f;
    }
    return m;
}

/// The same for L as a StateSpace with one input and one output, closed by w = -y, as feedback() does.
/// @throws SetupError as above, or if L is continuous or has several inputs or outputs.
template <class = void>
[[nodiscard]] Margins margins(const StateSpace& L, double lowest = 0.0) {
    const char* where = "control::margins";
    validate(L, where);
    require(L.inputs() == 1 && L.outputs() == 1, where, "L must have one input and one output, got ", L.inputs(),
            " and ", L.outputs());
    return margins(CutLoop{L.A, L.B.col(0), -L.C.row(0), -L.D(0, 0), L.dt}, lowest);
}

/// The loop of a rig, cut at the command, linear about a state of rest in which strip and pad are pressed together.
/// @param plant  the actual rig; it may differ from the one the controller was designed for.
/// @param wire   the response of the actual line.
/// @throws SetupError if plant, controller and wire are made for different time steps, or the response is not valid.
template <class C>
[[nodiscard]] CutLoop cut_loop(const plant::SampledModel& plant, const C& designed, const WireResponse& wire) {
    require_time_step(designed, plant.dt, "control::cut_loop", "the controller");
    validate(wire, "control::cut_loop");
    require(std::fabs(wire.dt - plant.dt) <= 1e-9 * plant.dt, "control::cut_loop", "wire.dt is ", wire.dt,
            " s, must be the time step of the plant, ", plant.dt, " s");
    constexpr double pressed = 100.0, small = 1e-7;  // N; the second is the step of the differences
    C controller = designed;
    const Eigen::Index np = plant.size(), bus = np, line = bus + plant.pending(), memory = line + 2;

    Exchange rest;
    rest.strip_force = rest.wire_force = pressed;
    rest.preview.count = controller.preview_steps();
    controller.reset(rest.strip);
    (void)controller.contact_force(rest);
    const Eigen::VectorXd at_rest = controller.memory();
    const Eigen::Index size = memory + at_rest.size();
    // One cycle from the deviations X and w: X of the next cycle and u.
    const auto cycle = [&](const Eigen::VectorXd& X, double w) {
        Exchange e = rest;
        e.strip.height = X[plant::motor_height];
        e.strip_force = pressed + plant.force.dot(X.head(np));
        controller.recall(at_rest + X.tail(at_rest.size()));
        e.wire_force = controller.contact_force(e);
        const auto moved = [&](Motion m, double force) {
            const double f = force - pressed, speed = wire.a * m.speed + wire.b * f;
            return Motion{m.height + 0.5 * wire.dt * (m.speed + speed) + wire.g * f, speed, 0.0};
        };
        e.wire = moved({X[line], X[line + 1], 0.0}, e.wire_force);
        auto& preview = e.preview;
        const auto steps = static_cast<std::size_t>(preview.count);
        if constexpr (requires(std::span<double> change) { controller.foresee(change); })
            controller.foresee(std::span(preview.force_change.data(), steps));
        for (std::size_t j = 0; j < steps; ++j)
            preview.motion[j] = moved(j == 0 ? e.wire : preview.motion[j - 1], e.wire_force + preview.force_change[j]);
        const double u = controller.update(e).value.value;
        Eigen::VectorXd next = Eigen::VectorXd::Zero(size);
        next.head(np) = plant.A * X.head(np) + plant.command.col(0) * w +
                        plant.command.rightCols(plant.pending()) * X.segment(bus, plant.pending());
        if (plant.pending() > 0) {
            next[bus] = w;
            next.segment(bus + 1, plant.pending() - 1) = X.segment(bus, plant.pending() - 1);
        }
        next[line] = e.wire.height, next[line + 1] = e.wire.speed;
        next.tail(at_rest.size()) = controller.memory() - at_rest;
        return std::pair{next, u};
    };
    const auto [at_next, u_rest] = cycle(Eigen::VectorXd::Zero(size), 0.0);
    CutLoop loop{Eigen::MatrixXd::Zero(size, size), Eigen::VectorXd::Zero(size), Eigen::RowVectorXd::Zero(size), 0.0,
                 plant.dt};
    for (Eigen::Index j = 0; j < size; ++j) {
        const auto [next, u] = cycle(small * Eigen::VectorXd::Unit(size, j), 0.0);
        loop.A.col(j) = (next - at_next) / small;
        loop.C[j] = (u - u_rest) / small;
    }
    const auto [next, u] = cycle(Eigen::VectorXd::Zero(size), small);
    loop.B = (next - at_next) / small;
    return loop;
}

#ifdef PANTO_COMPILED
extern template Margins margins(const CutLoop&, double);
#endif

}  // namespace panto::control
