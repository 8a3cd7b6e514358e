// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Positions of droppers, masts and clamps on the train's grid, step by step through a period. They move through the
/// grid against the direction of travel and act on the two nearest grid points (linear interpolation of force and
/// motion).

#pragma once

#include <panto/catenary/moving_wires.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::catenary {

/// A position between two points of the grid: point node+1 has the weight `right`, point node the weight 1 - `right`.
struct GridPlace {
    int node = 0;
    double right = 0.0;

    /// @rt
    template <class Line>
    [[nodiscard]] double of(const Line& u) const noexcept {
        return u[node] + right * (u[node + 1] - u[node]);
    }
};

/// Droppers, masts and clamps at one step n of the period.
struct MovingPhase {
    struct Spring {
        GridPlace at;
        double stiffness = 0.0;     ///< N/m
        double static_force = 0.0;  ///< N, of a dropper
        std::size_t which = 0;      ///< index into the list of PeriodicLine
    };
    /// A mass or damper follows its own point of the wire, so its positions at three steps are needed.
    struct Inertia {
        GridPlace before, now, next;
        double mass = 0.0;     ///< kg
        double damping = 0.0;  ///< N s/m
    };
    std::vector<Spring> droppers = {}, on_contact = {}, on_messenger = {};
    std::vector<Inertia> inertia_contact = {}, inertia_messenger = {};
    std::vector<Inertia> dropper_dampers = {};  ///< between the wires
};

/// All steps of a period, and the grid.
struct MovingPassage {
    double dx = 0.0;         ///< m
    int points = 0;          ///< number of grid points of each wire
    GridPlace contact = {};  ///< of the pantograph
    double contact_x = 0.0;  ///< m from the left end
    std::vector<MovingPhase> phases = {};

    [[nodiscard]] int steps() const noexcept { return static_cast<int>(phases.size()); }
};

/// @throws SetupError as moving_wires.
template <class = void>
[[nodiscard]] MovingPassage moving_passage(const PeriodicLine& line, const MovingGrid& grid) {
    MovingPassage p{.dx = line.period / grid.cells, .points = grid.spans * grid.cells + 1};
    const int steps = steps_per_period(line.period, grid.speed, grid.dt, "catenary::MovingGrid");
    const double length = line.period * grid.spans;
    const auto place = [&](double x) {
        const double cell = x / p.dx;
        const int node = std::clamp(static_cast<int>(std::floor(cell)), 0, p.points - 2);
        return GridPlace{node, cell - node};
    };
    p.contact_x = grid.contact_at.value_or(0.5 * length);
    p.contact = place(p.contact_x);
    p.phases.resize(static_cast<std::size_t>(steps));
    for (int n = 0; n < steps; ++n) {
        MovingPhase& phase = p.phases[static_cast<std::size_t>(n)];
        // Computed as a fraction of the span, so that rounding cannot make the period drift.
        const double way = std::copysign(line.period * n / steps, grid.speed),
                     step = std::copysign(line.period / steps, grid.speed);
        const auto each = [&](double position, auto visit) {
            const double first = position - grid.start - way + p.contact_x;
            const double lowest = first - line.period * std::floor(first / line.period + 1e-12);
            for (double x = std::max(0.0, lowest); x <= length * (1.0 + 1e-12); x += line.period) visit(x);
        };
        const auto inertia = [&](double x, double mass, double damping) {
            return MovingPhase::Inertia{place(x + step), place(x), place(x - step), mass, damping};
        };
        for (std::size_t i = 0; i < line.droppers.size(); ++i) {
            const PeriodicLine::Dropper& d = line.droppers[i];
            each(d.position, [&](double x) {
                phase.droppers.push_back({place(x), d.stiffness, d.static_force, i});
                if (d.damping > 0.0) phase.dropper_dampers.push_back(inertia(x, 0.0, d.damping));
            });
        }
        const auto attach = [&](const std::vector<PeriodicLine::Attachment>& list, auto& springs, auto& masses) {
            for (std::size_t i = 0; i < list.size(); ++i)
                each(list[i].position, [&](double x) {
                    if (list[i].stiffness > 0.0) springs.push_back({place(x), list[i].stiffness, 0.0, i});
                    if (list[i].mass > 0.0 || list[i].damping > 0.0)
                        masses.push_back(inertia(x, list[i].mass, list[i].damping));
                });
        };
        attach(line.on_contact, phase.on_contact, phase.inertia_contact);
        attach(line.on_messenger, phase.on_messenger, phase.inertia_messenger);
    }
    return p;
}

/// Static height of the contact wire above the strip, m, and its slope, by step of the period.
/// @throws SetupError if one is not finite.
template <class = void>
[[nodiscard]] std::vector<std::array<double, 2>> moving_static_heights(const PeriodicLine& line, const MovingGrid& grid,
                                                                       int steps) {
    std::vector<std::array<double, 2>> all(static_cast<std::size_t>(steps), {0.0, 0.0});
    if (!line.static_height) return all;
    for (std::size_t n = 0; n < all.size(); ++n) {
        const double x = grid.start + std::copysign(line.period * static_cast<double>(n) / steps, grid.speed);
        all[n] = line.static_height(x - line.period * std::floor(x / line.period));
        for (const double value : all[n])
            require_finite(value, "catenary::PeriodicLine", "a height or slope of static_height");
    }
    return all;
}

}  // namespace panto::catenary
