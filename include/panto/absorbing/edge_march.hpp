// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Time marching of the wave equation on a rectangle. Its edges x = 0 and x = l_x are absorbing (or held), its edges
/// y = 0 and y = l_y are held at zero. Corners and points beyond a held edge: see edge.hpp.

#pragma once

#include <panto/absorbing/edge.hpp>
#include <panto/core/check.hpp>
#include <panto/wave/wave_equation_2d.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace panto::wave {

class MembraneMarch {
  public:
    using Grid = WaveEquation2d::Grid;

    /// At rest, `points_x` x `points_y` points. An EdgeStencil without weights is a held edge.
    /// @throws SetupError if the grid is too small for the stencils.
    MembraneMarch(const WaveEquation2d& equation, int points_x, int points_y, EdgeStencil left, EdgeStencil right)
        : equation_(equation), edges_{Edge{std::move(left), 0, 1}, Edge{std::move(right), points_x - 1, -1}} {
        constexpr const char* where = "wave::MembraneMarch";
        int fewest_x = 3, fewest_y = 3;
        for (const Edge& edge : edges_) {
            fewest_x = std::max(fewest_x, edge.stencil.form().points + 1);
            fewest_y = std::max(fewest_y, edge.stencil.form().rings() + 1);
        }
        require(points_x >= fewest_x, where, "points_x is ", points_x, ", must be at least ", fewest_x);
        require(points_y >= fewest_y, where, "points_y is ", points_y, ", must be at least ", fewest_y);
        now_ = before_ = Grid::Zero(points_x, points_y);
        for (Edge& edge : edges_) {
            const EdgeForm& form = edge.stencil.form();
            edge.past = Eigen::ArrayXd::Zero(points_y);
            edge.older.assign(static_cast<std::size_t>(std::max(0, form.levels - 2)),
                              Grid::Zero(form.points, points_y));
        }
    }

    /// u(k, l) at x = k dx, y = l dy. @rt
    [[nodiscard]] const Grid& now() const noexcept { return now_; }
    [[nodiscard]] const Grid& before() const noexcept { return before_; }

    /// Starts from levels n and n-1; older ones are set to level n-1, held edges to zero. Allocates nothing.
    /// @throws SetupError if the size of a level does not fit the grid, or a value is not finite.
    void start(const Grid& now, const Grid& before) {
        for (const Grid* level : {&now, &before}) {
            if (level->rows() != now_.rows() || level->cols() != now_.cols())
                throw SetupError("wave::MembraneMarch: a level to start from is " + std::to_string(level->rows()) +
                                 " by " + std::to_string(level->cols()) + ", expected " + std::to_string(now_.rows()) +
                                 " by " + std::to_string(now_.cols()));
            require(is_finite(level->abs().sum()), "wave::MembraneMarch", "a level to start from is not finite");
        }
        now_ = now;
        before_ = before;
        for (Grid* u : {&now_, &before_}) {
            u->col(0).setZero();
            u->col(u->cols() - 1).setZero();
        }
        for (Edge& edge : edges_)
            for (Grid& strip : edge.older) copy_strip(edge, before_, strip);
    }

    /// One time step. @rt
    void step() noexcept {
        for (Edge& edge : edges_) {
            edge.past.setZero();
            for (int i = 0; i < edge.stencil.form().levels; ++i) {
                const auto weight = [&](int j, int q) { return edge.stencil.weight(i, j, q); };
                if (i < 2)
                    gather(edge, i == 0 ? now_ : before_, edge.border, edge.inwards, weight);
                else
                    gather(edge, edge.older[static_cast<std::size_t>(i) - 2], 0, 1, weight);
            }
            for (std::size_t i = edge.older.size(); i-- > 1;) edge.older[i].swap(edge.older[i - 1]);
            if (!edge.older.empty()) copy_strip(edge, before_, edge.older[0]);
        }
        equation_.step_interior(now_, before_);
        now_.swap(before_);
        for (Edge& edge : edges_) {
            gather(edge, now_, edge.border, edge.inwards,
                   [&](int j, int q) { return j == 0 ? 0.0 : edge.stencil.new_weight(j, q); });
            const Eigen::Index inner = now_.cols() - 2;
            now_.row(edge.border).segment(1, inner) = edge.past.segment(1, inner).transpose();
        }
    }

  private:
    struct Edge {
        EdgeStencil stencil;
        Eigen::Index border, inwards;
        Eigen::ArrayXd past = {};      // the known part of the new values of the edge
        std::vector<Grid> older = {};  // levels n-2, n-3, ... of the points near the edge
    };

    static void copy_strip(const Edge& edge, const Grid& from, Grid& strip) noexcept {
        for (Eigen::Index j = 0; j < strip.rows(); ++j) strip.row(j) = from.row(edge.border + edge.inwards * j);
    }

    /// edge.past_l += sum weight(j, |q|) u_{j,l+q}
    template <class Weight>
    static void gather(Edge& edge, const Grid& u, Eigen::Index border, Eigen::Index inwards, Weight weight) noexcept {
        const Eigen::Index last = u.cols() - 1;
        for (int q = 0; q < edge.stencil.form().rings(); ++q)
            for (int j = 0; j < edge.stencil.form().points; ++j) {
                const double w = weight(j, q);
                if (!(std::abs(w) > 0.0)) continue;
                const Eigen::Index k = border + inwards * j;
                const auto at = [&](Eigen::Index l) {  // odd beyond the held edges
                    return l < 0 ? -u(k, -l) : (l > last ? -u(k, 2 * last - l) : u(k, l));
                };
                for (Eigen::Index l = 1; l < last; ++l)
                    edge.past[l] += q == 0 ? w * u(k, l) : w * (at(l - q) + at(l + q));
            }
    }

    WaveEquation2d equation_;
    std::array<Edge, 2> edges_;
    Grid now_, before_;
};

}  // namespace panto::wave
