// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The right-hand side of a step of a line in the train's frame: the inner points of the wires, and the known part of
/// the forces of springs, masses and dampers.

#pragma once

#include <panto/catenary/moving_influence.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace panto::catenary::detail {

using WireLevels = std::vector<Eigen::VectorXd>;  // n+1, n, n-1, ...

/// Applies the rows of the stencil between the ends. @rt
inline void interior(const wave::Stencil<>& stencil, WireLevels& levels) noexcept {
    constexpr int H = wave::Stencil<>::half_width;
    const auto now_row = stencil.now, before_row = stencil.before;  // copies, which cannot alias `next`
    double* const next = levels[0].data() + H;
    const double *const now = levels[1].data(), *const before = levels[2].data();
    const auto inner = static_cast<int>(levels[0].size()) - 2 * H;
    for (int i = 0; i < inner; ++i) {
        double sum = 0.0;
        for (int j = 0; j <= 2 * H; ++j)
            sum += now_row[static_cast<std::size_t>(j)] * now[i + j] +
                   before_row[static_cast<std::size_t>(j)] * before[i + j];
        next[i] = sum;
    }
}

/// Adds forces to level n+1, where the right-hand side is stored.
struct LevelLoads {
    std::array<WireLevels, 2>& levels;  // contact, messenger
    const BearingPoints& bears;

    /// Adds `density`, N/m, at a position. @rt
    void add(std::size_t wire, const GridPlace& at, double density) const noexcept {
        levels[wire][0][at.node] += bears[wire][at.node] * (1.0 - at.right) * density;
        levels[wire][0][at.node + 1] += bears[wire][at.node + 1] * at.right * density;
    }

    /// Adds springs at their positions of step n-1, with the corrections of slack droppers at that step. @rt
    void add_springs(const MovingPhase& before, const Eigen::VectorXd& correction, double dx) const noexcept {
        const Eigen::VectorXd &w = levels[0][2], &u = levels[1][2];
        const double share = dropper_share / dx;
        for (std::size_t j = 0; j < before.droppers.size(); ++j) {
            const MovingPhase::Spring& d = before.droppers[j];
            const double f =
                share * (d.stiffness * (d.at.of(u) - d.at.of(w)) + correction[static_cast<Eigen::Index>(j)]);
            add(0, d.at, f);
            add(1, d.at, -f);
        }
        for (const MovingPhase::Spring& p : before.on_contact) add(0, p.at, -share * p.stiffness * p.at.of(w));
        for (const MovingPhase::Spring& p : before.on_messenger) add(1, p.at, -share * p.stiffness * p.at.of(u));
    }

    /// Adds masses and dampers at their positions of step n, from their motion at n and n-1. @rt
    void add_inertia(const MovingPhase& now, double dx, double dt) const noexcept {
        for (const MovingPhase::Inertia& d : now.dropper_dampers) {
            const double f = d.damping / (2.0 * dt * dx) * (d.before.of(levels[0][2]) - d.before.of(levels[1][2]));
            add(0, d.now, f);
            add(1, d.now, -f);
        }
        const auto on = [&](std::size_t wire, const std::vector<MovingPhase::Inertia>& all) {
            for (const MovingPhase::Inertia& p : all) {
                const double mass = p.mass / (dt * dt), damping = p.damping / (2.0 * dt);
                const double y = p.before.of(levels[wire][2]);
                add(wire, p.now, (mass * (2.0 * p.now.of(levels[wire][1]) - y) + damping * y) / dx);
            }
        };
        on(0, now.inertia_contact);
        on(1, now.inertia_messenger);
    }
};

}  // namespace panto::catenary::detail
