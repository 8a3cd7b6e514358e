// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ends for a piece of a periodic line: a few states stand for the line beyond the piece, with its droppers and masts.
/// These states come from a longer line in the train's frame, whose wires beyond the piece are reduced by
/// dynamics::reduce_parts: the input is the contact force, the output the motion above the strip. Meant for the models
/// of controllers; for a simulation, a longer line costs less. Set-up takes minutes.

#pragma once

#include <panto/catenary/moving_state_space.hpp>
#include <panto/dynamics/periodic_reduction.hpp>

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace panto::catenary {

struct ReducedEndParams {
    int spans = 2;               ///< number of spans kept, half of them on either side of the contact
    int states = 24;             ///< of each end
    int periods = 6, rank = 96;  ///< as in dynamics::ReductionParams; a rank below about 3 `states` is too small
    double speed_weight = 0.02;  ///< s, weight of the speed above the strip relative to the height
};

/// @param longer  the line whose outer spans are reduced, with ends without memory
/// @param factor  steps of the engine per sample
/// @throws SetupError if the ends have a memory, `longer` does not have at least one more span on either side, the
/// result does not come to rest, or as periodic_state_space and dynamics::reduce_parts.
template <class End>
[[nodiscard]] PeriodicStateSpace periodic_ends(const MovingEngine<End>& longer, int factor,
                                               const ReducedEndParams& p = {}) {
    constexpr const char* where = "catenary::periodic_ends";
    const MovingPassage& grid = longer.passage();
    const int n = grid.points;
    require(longer.states() == 4 * n, where, "the ends of the longer line have a memory of ", longer.states() - 4 * n,
            " numbers, must be 0: use characteristic ends");
    require(p.spans >= 1, where, "spans is ", p.spans, ", must be >= 1");
    const double span = std::abs(longer.speed()) * longer.dt() * longer.steps_per_period();
    const int middle = static_cast<int>(std::round(grid.contact_x / grid.dx)),
              half = static_cast<int>(std::round(0.5 * p.spans * span / grid.dx)), first = middle - half,
              last = middle + half, cells = static_cast<int>(std::round(span / grid.dx));
    require(first >= cells && last <= n - 1 - cells, where, p.spans, " spans around the contact leave ", first,
            " cells on the left and ", n - 1 - last, " on the right, must be a span, ", cells,
            " cells, or more: use a longer line");
    const PeriodicStateSpace whole = periodic_state_space(longer, factor);
    dynamics::ReductionParams reduction{.parts = {{}, {}},
                                        .states = p.states,
                                        .periods = p.periods,
                                        .rank = p.rank,
                                        .output_weight = Eigen::Vector2d(1.0, p.speed_weight)};
    for (int level = 0; level < 4; ++level)  // both wires at n and n-1
        for (int i = 0; i < n; ++i)
            if (i < first || i > last) reduction.parts[i < first ? 0 : 1].push_back(level * n + i);
    auto reduced = dynamics::reduce_parts(whole, reduction);
    PeriodicStateSpace out{.A = std::move(reduced.A),
                           .C = reduced.C,
                           .dt = whole.dt,
                           .rest = whole.rest,
                           .speed = whole.speed,
                           .start = whole.start,
                           .line = whole.line};
    for (const Eigen::MatrixXd& B : reduced.B) out.B.emplace_back(B.col(0));
    const double radius = dynamics::period_radius(out);
    require(radius < 1.0, where, "with ", p.states, " states of each end and a rank of ", p.rank,
            " a state grows over a period by the factor ", radius, ", must be below 1; use fewer states, a larger rank",
            " or more periods than ", p.periods);
    return out;
}

}  // namespace panto::catenary
