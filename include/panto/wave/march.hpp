// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Time marching of a stencil over a grid with any two ends. Explicit stencils take one pass over the grid, implicit
/// ones one more through the banded factors. Levels are swapped, never copied.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>
#include <panto/linalg/band_lu.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/stencil.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace panto::wave {

namespace detail {

/// @throws SetupError if dx() or dt() of an end, where it has them, differ from those of the stencil.
template <class StencilType, class E>
void require_same_steps(const StencilType& s, const E& end, const char* where) {
    if constexpr (requires {
                      end.dx();
                      end.dt();
                  })
        require(std::abs(end.dx() - s.dx) <= 1e-12 * s.dx && std::abs(end.dt() - s.dt) <= 1e-12 * s.dt, where,
                "an end was made for dx = ", end.dx(), " m and dt = ", end.dt(), " s, expected those of the stencil, ",
                s.dx, " m and ", s.dt, " s");
}

}  // namespace detail

/// A load at one point of the grid, in the unit of the stencil's rows: for a beam N/m, so that a force of F newtons is
/// F/dx. A load outside the grid has no effect.
template <Real Scalar = double>
struct PointLoad {
    int point = 0;
    Scalar density{0.0};
};

/// A grid of `points` points, 0 the left border and points-1 the right one, of which the ends own H each.
template <Real Scalar, int HalfWidth, class Left, class Right>
    requires End<Left, Scalar> && End<Right, Scalar>
class March {
    static constexpr int H = HalfWidth;
    static constexpr const char* where = "wave::March";

  public:
    using Line = Vector<Scalar, Dynamic>;

    /// At rest.
    /// @throws SetupError if a weight of the stencil is not a number, the grid has too few points for stencil and ends,
    /// an end does not set as many points as the stencil leaves open or was made for another dx or dt, a row of an end
    /// cannot be solved for, or the step is unstable (the message gives the largest stable one).
    March(const Stencil<Scalar, HalfWidth>& stencil, int points, Left left, Right right)
        : stencil_(stencil), left_(std::move(left)), right_(std::move(right)), explicit_(stencil.is_explicit()) {
        detail::require_weights(stencil_, where);
        const int fewest = std::max({2 * H + 1, left_.reach(), right_.reach()});
        require(points >= fewest, where, "points is ", points, ", must be at least ", fewest,
                " for this stencil and these ends");
        require(left_.points() == H && right_.points() == H, where, "the ends set ", left_.points(), " and ",
                right_.points(), " points, must be ", H, " each, which the stencil leaves open");
        detail::require_same_steps(stencil_, left_, where);
        detail::require_same_steps(stencil_, right_, where);
        const int levels = std::max({2, left_.past_levels(), right_.past_levels()}) + 1;
        levels_.assign(static_cast<std::size_t>(levels), Line::Zero(points));
        none_ = Line::Constant(points, no_number<Scalar>());
        prepare_rows();
        require_stable();
    }

    [[nodiscard]] int points() const noexcept { return static_cast<int>(levels_[0].size()); }
    [[nodiscard]] const Stencil<Scalar, HalfWidth>& stencil() const noexcept { return stencil_; }
    [[nodiscard]] Left& left() noexcept { return left_; }
    [[nodiscard]] Right& right() noexcept { return right_; }
    [[nodiscard]] const Left& left() const noexcept { return left_; }
    [[nodiscard]] const Right& right() const noexcept { return right_; }

    /// Starts from levels n and n-1; older ones, if an end reads them, are set to level n-1. Allocates nothing.
    /// @throws SetupError if the size of a level does not fit the grid, or a value is not finite.
    void start(const Line& now, const Line& before) {
        for (const Line* level : {&now, &before}) {
            if (level->size() != points())
                throw SetupError(std::string(where) + ": a level to start from has " + std::to_string(level->size()) +
                                 " points, expected " + std::to_string(points()));
            for (const Scalar& u : *level)
                require(is_finite(value_of(u)), where, "a level to start from is not finite");
        }
        levels_[1] = now;
        for (std::size_t i = 2; i < levels_.size(); ++i) levels_[i] = before;
        left_.reset();
        right_.reset();
    }

    /// Level n-i: i = 0 is the present level; i = 1 is always available, older levels only if an end reads them. All
    /// others are NaN. @rt
    [[nodiscard]] const Line& level(int i = 0) const noexcept {
        return i < 0 || static_cast<std::size_t>(i) + 1 >= levels_.size() ? none_
                                                                          : levels_[static_cast<std::size_t>(i) + 1];
    }

    /// One time step, under loads that act at level n. Loads do not affect held points, nor points of ends other than
    /// supports. @rt
    void step(std::span<const PointLoad<Scalar>> loads = {}) noexcept {
        interior();
        apply_ends();
        for (const PointLoad<Scalar>& load : loads) add_load(load.point, load.density);
        finish();
    }

    /// One time step under a load at every point. out_of_range, without a step, unless `density` has one entry for each
    /// point. @rt
    Status step(const Line& density) noexcept {
        if (density.size() != points()) return Status::out_of_range;
        interior();
        const Eigen::Index inner = points() - 2 * H;
        levels_[0].segment(H, inner) += scale_ * density.segment(H, inner);
        apply_ends();
        for (int k = 0; k < H; ++k) {
            add_load(k, density[k]);
            add_load(points() - 1 - k, density[points() - 1 - k]);
        }
        finish();
        return Status::ok;
    }

  private:
    using Row = typename Stencil<Scalar, H>::Row;

    void prepare_rows() {
        const Matrix<Scalar, Dynamic> left = left_.next_rows(), right = right_.next_rows();
        int b = H;  // half bandwidth
        for (const auto* rows : {&left, &right})
            for (int k = 0; k < static_cast<int>(rows->rows()); ++k)
                for (int j = 0; j < static_cast<int>(rows->cols()); ++j)
                    if (std::abs(value_of((*rows)(k, j))) > 0.0) b = std::max(b, std::abs(j - k));
        const int n = points();
        require(left.rows() == H && right.rows() == H && left.cols() >= H && right.cols() >= H && n > 2 * b &&
                    n >= left.cols() && n >= right.cols(),
                where, "next_rows of an end do not fit the grid");
        now_ = stencil_.now;
        before_ = stencil_.before;
        if (explicit_) {
            scale_ = Scalar(1.0) / stencil_.next[H];
            for (Scalar& w : now_) w *= scale_;
            for (Scalar& w : before_) w *= scale_;
            left_rows_ = triangle(left, left_inverse_);
            right_rows_ = triangle(right, right_inverse_);
        } else {
            solver_ = linalg::BandLu<Scalar>(n, b);
            for (int k = 0; k < H; ++k) {
                for (int j = 0; j < std::min<int>(static_cast<int>(left.cols()), k + b + 1); ++j)
                    solver_.add(k, j, left(k, j));
                for (int j = 0; j < std::min<int>(static_cast<int>(right.cols()), k + b + 1); ++j)
                    solver_.add(n - 1 - k, n - 1 - j, right(k, j));
            }
            for (int i = H; i < n - H; ++i)
                for (int j = -H; j <= H; ++j) solver_.add(i, i + j, stencil_.at(stencil_.next, j));
            solver_.factor();
        }
        local_before_ = true;
        for (int j = -H; j <= H; ++j)
            if (j != 0 && std::abs(value_of(stencil_.at(before_, j))) > 0.0) local_before_ = false;
    }

    void require_stable() const {
        if (is_stable(stencil_)) return;
        std::string text = "dt is " + shown(stencil_.dt) + ", with which a wave grows by the factor " +
                           shown(growth_factor(stencil_)) + " a step; ";
        try {
            text += "the largest stable step is " + shown(largest_stable_step(stencil_));
        } catch (const SetupError&) {
            text += "no step makes this scheme stable";
        }
        throw SetupError(std::string(where) + ": " + text);
    }

    /// Returns the rows divided by their diagonal, and writes 1/diagonal to `inverse`. Returns no rows if an end sets
    /// values, because nothing has to be solved then.
    static Matrix<Scalar, Dynamic> triangle(Matrix<Scalar, Dynamic> rows, Vector<Scalar, Dynamic>& inverse) {
        inverse.resize(H);
        bool identity = true;
        for (int k = 0; k < H; ++k) {
            require(std::abs(value_of(rows(k, k))) > 0.0, where, "a row of an end does not contain its own point");
            for (int j = 0; j < k; ++j)
                require(!(std::abs(value_of(rows(k, j))) > 0.0), where,
                        "an explicit march cannot solve for the points of an end that depend on points further out");
            inverse[k] = Scalar(1.0) / rows(k, k);
            identity = identity && std::abs(value_of(rows(k, k)) - 1.0) <= 0.0;
            for (int j = k + 1; j < static_cast<int>(rows.cols()); ++j) {
                rows(k, j) *= inverse[k];
                identity = identity && !(std::abs(value_of(rows(k, j))) > 0.0);
            }
        }
        if (identity) rows.resize(0, 0);
        return rows;
    }

    /// sum_j row_j u_{k+j} at one point; u points to u_{k-H}.
    template <std::size_t... J>
    static Scalar sum(const Row& row, const Scalar* u, std::index_sequence<J...>) noexcept {
        return ((row[J] * u[J]) + ...);
    }

    template <bool LocalBefore>
    void inner_rows() noexcept {
        constexpr auto all = std::make_index_sequence<static_cast<std::size_t>(2 * H + 1)>{};
        const Row now_row = now_, before_row = before_;  // copies, so that the compiler knows they do not change
        Scalar* const next = levels_[0].data() + H;
        const Scalar *const now = levels_[1].data(), *const before = levels_[2].data();
        const int inner = points() - 2 * H;
        for (int k = 0; k < inner; ++k) {
            if constexpr (LocalBefore)
                next[k] = sum(now_row, now + k, all) + before_row[H] * before[k + H];
            else
                next[k] = sum(now_row, now + k, all) + sum(before_row, before + k, all);
        }
    }

    void interior() noexcept {
        if (local_before_)
            inner_rows<true>();
        else
            inner_rows<false>();
    }

    template <class EdgeView>
    static void solve_upwards(const EdgeView& u, const Matrix<Scalar, Dynamic>& rows,
                              const Vector<Scalar, Dynamic>& inverse) noexcept {
        if (rows.size() == 0) return;
        const auto reach = static_cast<int>(rows.cols());
        for (int k = H - 1; k >= 0; --k) {
            Scalar value = inverse[k] * u.next(k);
            for (int j = k + 1; j < reach; ++j) value -= rows(k, j) * u.next(j);
            u.next(k) = value;
        }
    }

    template <class E>
    static bool bears(const E& end, int k) noexcept {
        if constexpr (requires { end.share(k); })
            return end.share(k) > 0.0;
        else
            return false;
    }

    void add_load(int point, const Scalar& density) noexcept {
        if (point < 0 || point >= points()) return;
        const int from_right = points() - 1 - point;
        if (point < H ? bears(left_, point) : from_right < H && bears(right_, from_right))
            levels_[0][point] += density;
        else if (point >= H && from_right >= H)
            levels_[0][point] += scale_ * density;
    }

    void apply_ends() noexcept {
        left_.apply(Edge<Scalar, 1>(levels_));
        right_.apply(Edge<Scalar, -1>(levels_));
    }

    void finish() noexcept {
        if (explicit_) {
            solve_upwards(Edge<Scalar, 1>(levels_), left_rows_, left_inverse_);
            solve_upwards(Edge<Scalar, -1>(levels_), right_rows_, right_inverse_);
        } else {
            solver_.solve(levels_[0]);
        }
        for (std::size_t i = levels_.size() - 1; i > 0; --i) levels_[i].swap(levels_[i - 1]);
    }

    Stencil<Scalar, HalfWidth> stencil_;
    Left left_;
    Right right_;
    bool explicit_;
    bool local_before_ = false;                             // level n-1 enters only at the point itself
    Row now_{}, before_{};                                  // divided by the weight of u_k^{n+1} where explicit
    Scalar scale_{1.0};                                     // 1 / that weight
    Matrix<Scalar, Dynamic> left_rows_, right_rows_;        // rows of level n+1 divided by their diagonal
    Vector<Scalar, Dynamic> left_inverse_, right_inverse_;  // 1 / diagonal
    linalg::BandLu<Scalar> solver_;
    std::vector<Line> levels_;  // n+1, n, n-1, ...
    Line none_;                 // stands for levels that are not kept
};

}  // namespace panto::wave
