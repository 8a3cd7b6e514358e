// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The matrices of level n+1 of a line in the train's frame: both wires with their ends, springs at their positions of
/// step n+1, masses and dampers at those of step n. Unknown 2 i + w is point i of wire w.

#pragma once

#include <panto/catenary/moving_passage.hpp>
#include <panto/linalg/band_lu.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::catenary {

namespace detail {

/// 1 for the points of the two wires that take loads, else 0.
using BearingPoints = std::array<Eigen::VectorXd, 2>;

/// Adds `value` times the product of the weights of two positions: the force acts at `test` on wire a and depends on
/// the motion at `motion` of wire b.
inline void couple(linalg::BandLu<double>& matrix, const BearingPoints& bears, std::size_t a, const GridPlace& test,
                   std::size_t b, const GridPlace& motion, double value) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const int row = test.node + i;
            const double weight =
                bears[a][row] * (i == 0 ? 1.0 - test.right : test.right) * (j == 0 ? 1.0 - motion.right : motion.right);
            if (std::abs(weight) > 0.0)
                matrix.add(2 * row + static_cast<int>(a), 2 * (motion.node + j) + static_cast<int>(b), weight * value);
        }
}

}  // namespace detail

/// Rows of the ends from wave::End: for each wire, left and right.
using MovingEndRows = std::array<std::array<Eigen::MatrixXd, 2>, 2>;

/// One factored matrix for each step of the period.
/// @throws SetupError if one is singular.
template <class = void>
[[nodiscard]] std::vector<linalg::BandLu<double>> moving_matrices(const MovingWires& wires,
                                                                  const MovingPassage& passage,
                                                                  const detail::BearingPoints& bears,
                                                                  const MovingEndRows& ends) {
    constexpr int H = wave::Stencil<>::half_width;
    const int n = passage.points;
    int reach = H;
    for (const auto& wire : ends)
        for (const Eigen::MatrixXd& end : wire)
            for (int k = 0; k < H; ++k)
                for (int j = 0; j < static_cast<int>(end.cols()); ++j)
                    if (std::abs(end(k, j)) > 0.0) reach = std::max(reach, std::abs(j - k));
    // A damper between the wires couples a point of one wire with points of the other up to two further on.
    const bool dampers = std::any_of(passage.phases.begin(), passage.phases.end(),
                                     [](const MovingPhase& p) { return !p.dropper_dampers.empty(); });
    linalg::BandLu<double> alone(2 * n, std::max(2 * reach, dampers ? 5 : 4));
    for (int w = 0; w < 2; ++w) {
        const wave::Stencil<>& s = w == 0 ? wires.contact : wires.messenger;
        const auto& rows = ends[static_cast<std::size_t>(w)];
        for (int i = H; i < n - H; ++i)
            for (int j = -H; j <= H; ++j) alone.add(2 * i + w, 2 * (i + j) + w, s.at(s.next, j));
        for (int k = 0; k < H; ++k) {
            for (int j = 0; j < static_cast<int>(rows[0].cols()); ++j)
                if (std::abs(rows[0](k, j)) > 0.0) alone.add(2 * k + w, 2 * j + w, rows[0](k, j));
            for (int j = 0; j < static_cast<int>(rows[1].cols()); ++j)
                if (std::abs(rows[1](k, j)) > 0.0) alone.add(2 * (n - 1 - k) + w, 2 * (n - 1 - j) + w, rows[1](k, j));
        }
    }
    const double dt = wires.contact.dt, dx = passage.dx;
    std::vector<linalg::BandLu<double>> all(passage.phases.size(), alone);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const MovingPhase &now = passage.phases[k], &next = passage.phases[(k + 1) % all.size()];
        const auto spring = [&](const MovingPhase::Spring& s, std::size_t a, std::size_t b, double sign) {
            detail::couple(all[k], bears, a, s.at, b, s.at, sign * 0.5 * s.stiffness / dx);
        };
        const auto inertia = [&](const MovingPhase::Inertia& m, std::size_t a, std::size_t b, double sign) {
            const double weight = (m.mass / (dt * dt) + m.damping / (2.0 * dt)) / dx;
            detail::couple(all[k], bears, a, m.now, b, m.next, sign * weight);
        };
        for (const auto& s : next.on_contact) spring(s, 0, 0, 1.0);
        for (const auto& s : next.on_messenger) spring(s, 1, 1, 1.0);
        for (const auto& m : now.inertia_contact) inertia(m, 0, 0, 1.0);
        for (const auto& m : now.inertia_messenger) inertia(m, 1, 1, 1.0);
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t b = 0; b < 2; ++b) {
                for (const auto& s : next.droppers) spring(s, a, b, a == b ? 1.0 : -1.0);
                for (const auto& m : now.dropper_dampers) inertia(m, a, b, a == b ? 1.0 : -1.0);
            }
        all[k].factor();
    }
    return all;
}

}  // namespace panto::catenary
