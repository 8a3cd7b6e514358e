// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bodies and wheelsets of an assembled vehicle as nodes: their degrees of freedom, and how a point of a node moves
/// with them (assembly.hpp).

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/vehicle/bending.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::vehicle {

/// Six motions of the centre, and up to four of bending.
using NodeMotion = Vector<double, 10>;

struct Node {
    std::string name{};
    bool axle = false;
    int first = 0;      ///< index of its first degree of freedom
    int freedoms = 6;   ///< 2 for a wheelset whose height and roll follow from the rails, more for a body that bends
    double mass = 0.0;  ///< kg
    std::array<double, 3> inertia{};  ///< kg m^2, about x, y (the axle of a wheelset), z
    std::array<double, 3> centre{};   ///< m
    double dead_load = 0.0;           ///< N
    double suspension_load = 0.0;     ///< N, static load of a wheelset without its own weight
    std::vector<BendingMode> modes{};

    [[nodiscard]] bool constrained() const noexcept { return freedoms == 2; }
    /// Mass, inertia or modal mass of degree of freedom `j` of a body or of a wheelset with six freedoms. @rt
    [[nodiscard]] double inertia_of(int j) const noexcept {
        return j < 3 || j >= 6 ? mass : inertia[static_cast<std::size_t>(j - 3)];
    }
};

namespace detail {

/// The row g of assembly.hpp: a point of a node moves by g . u in the given direction. A point of a wheelset is on an
/// axle box, which does not turn with the wheelset.
/// @throws SetupError if the point is beyond the ends of a body that bends.
template <class = void>
[[nodiscard]] NodeMotion row_of(Direction direction, const std::array<double, 3>& at, const Node& n) {
    const std::array<double, 3> r{at[0] - n.centre[0], at[1] - n.centre[1], at[2] - n.centre[2]};
    NodeMotion g = NodeMotion::Zero();
    g[static_cast<int>(direction)] = 1.0;
    switch (direction) {
        case Direction::x: g[4] = r[2], g[5] = -r[1]; break;
        case Direction::y: g[3] = -r[2], g[5] = r[0]; break;
        case Direction::z: g[3] = r[1], g[4] = -r[0]; break;
        default: break;
    }
    if (n.axle) g[4] = 0.0;
    for (std::size_t i = 0; i < n.modes.size(); ++i) {
        const BendingMode& mode = n.modes[i];
        require(std::abs(r[0]) <= 0.5 * mode.length * (1.0 + 1e-9), "vehicle::assemble", "a link or probe is ", r[0],
                " m ahead of the centre of '", n.name, "', beyond the end of its bending beam, which is ", mode.length,
                " m long");
        const auto [phi, slope] = mode.shape(r[0]);
        // A section moves by phi and turns about y by -phi', or about z by phi'.
        const bool up = mode.direction == Direction::z, moves = direction == mode.direction;
        const bool turns = direction == (up ? Direction::pitch : Direction::yaw);
        const double arm = direction == Direction::x ? (up ? r[2] : -r[1]) : (turns ? 1.0 : 0.0);
        g[6 + static_cast<int>(i)] = (moves ? phi : 0.0) + (up ? -slope : slope) * arm;
    }
    return g;
}

inline void check_inertia(const Node& n, std::string_view where) {
    for (std::size_t i = 0; i < 3; ++i) {
        const double others = n.inertia[(i + 1) % 3] + n.inertia[(i + 2) % 3];
        require(n.inertia[i] <= others * (1.0 + 1e-12), where, n.name, ": the inertia about ", direction_names[i],
                " is ", n.inertia[i], " kg m^2, must be at most the sum of the other two, ", others);
    }
}

/// Adds the modes of bending to a body whose mass is set.
template <class = void>
void add_bending(Node& n, const Bending& b, const std::vector<double>& p) {
    const std::string_view where = "vehicle::assemble";
    require(b.direction == Direction::y || b.direction == Direction::z, where, n.name, ": bending is in direction ",
            direction_names[static_cast<std::size_t>(b.direction)], ", must be y or z");
    require_positive(b.length, where, n.name, ": length of bending");
    require_not_negative(b.damping, where, n.name, ": damping of bending");
    const double stiffness = b.stiffness.at(p);
    require_positive(stiffness, where, n.name, ": stiffness of bending");
    const int all = n.freedoms + b.modes;
    require(b.modes >= 1 && all <= NodeMotion::RowsAtCompileTime, where, n.name, ": bending has ", b.modes,
            " modes, must be at least 1, and at most 4 in both directions together");
    for (int i = 1; i <= b.modes; ++i) {
        const double root = free_beam_root(i),
                     frequency = root * root * std::sqrt(stiffness / (n.mass * b.length)) / b.length;
        n.modes.push_back({b.direction, i, b.length, root, frequency, b.damping});
    }
    n.freedoms = all;
}

}  // namespace detail

}  // namespace panto::vehicle
