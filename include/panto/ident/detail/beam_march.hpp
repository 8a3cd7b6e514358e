// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The march behind ident::BeamModel: the whole grid, ends included, as three banded matrices with five diagonals, for
/// one beam, for one beam and its derivatives, or for eight beams at once (lanes of a short array).

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/wave/stencil.hpp>
#include <panto/wave/supports.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace panto::ident::detail {

inline constexpr int lane_count = 8;
using Lanes = Eigen::Array<double, lane_count, 1>;

template <class Lane>
[[nodiscard]] Lane nothing() {
    if constexpr (std::is_same_v<Lane, Lanes>)
        return Lanes::Zero();
    else
        return 0.0;
}

/// The row of every grid point: the weights of its neighbours -2..2, and near the ends those of the supports' motions.
template <class Coefficient>
struct BeamRows {
    using Row = std::array<Coefficient, 5>;
    std::vector<Row> next = {}, now = {}, before = {};
    std::array<std::array<std::array<Coefficient, 3>, 2>, 2> motion = {};  // of side, point and level n+1, n, n-1
    std::array<std::array<bool, 2>, 2> bears{};                            // whether a point of a side feels a force

    explicit BeamRows(int points) {
        Row row;
        row.fill(nothing<Coefficient>());
        next.assign(static_cast<std::size_t>(points), row);
        now = before = next;
        for (auto& side : motion)
            for (auto& point : side) point.fill(nothing<Coefficient>());
    }

    [[nodiscard]] int points() const noexcept { return static_cast<int>(next.size()); }
};

/// The rows of one beam or, with `derivative`, their derivatives with respect to a parameter; the derivatives at held
/// points are 0.
[[nodiscard]] inline BeamRows<double> beam_rows(int points, const wave::Stencil<double, 2>& s,
                                                const std::array<wave::Support<double, 2>, 2>& supports,
                                                bool derivative) {
    BeamRows<double> rows(points);
    for (std::size_t i = 2; i + 2 < rows.next.size(); ++i) {
        rows.next[i] = s.next;
        rows.now[i] = s.now;
        rows.before[i] = s.before;
    }
    for (std::size_t side = 0; side < 2; ++side) {
        const auto& end = supports[side];
        const Matrix<double, Dynamic> next = end.next_rows(), now = end.past_rows(0), before = end.past_rows(1);
        for (int k = 0; k < 2; ++k) {
            const bool held = !(end.share(k) > 0.0);
            rows.bears[side][static_cast<std::size_t>(k)] = !held;
            if (held && derivative) continue;
            const auto point = static_cast<std::size_t>(side == 0 ? k : points - 1 - k);
            for (int j = 0; j <= std::min(3, k + 2); ++j) {  // no support reaches further
                const auto at = static_cast<std::size_t>(side == 0 ? 2 + j - k : 2 - j + k);
                rows.next[point][at] = next(k, j);
                rows.now[point][at] = now(k, j);
                rows.before[point][at] = before(k, j);
            }
            for (int level = 0; level < 3; ++level)
                rows.motion[side][static_cast<std::size_t>(k)][static_cast<std::size_t>(level)] =
                    end.motion_weights(level)(k, 0);
        }
    }
    return rows;
}

/// Whether a force can move this point: not if it is held.
template <class Coefficient>
[[nodiscard]] bool bears_force(const BeamRows<Coefficient>& rows, int point) noexcept {
    const int from_right = rows.points() - 1 - point;
    if (point < 2) return rows.bears[0][static_cast<std::size_t>(point)];
    return from_right >= 2 || rows.bears[1][static_cast<std::size_t>(from_right)];
}

/// @throws SetupError if there is not a row of each level for each of the points.
inline void require_rows(const BeamRows<double>& rows, int points, const char* where) {
    const auto wanted = static_cast<std::size_t>(points);
    require(rows.next.size() == wanted && rows.now.size() == wanted && rows.before.size() == wanted, where,
            "there are rows for ", std::min({rows.next.size(), rows.now.size(), rows.before.size()}),
            " points, expected one for each of the ", points);
}

/// The sum of the products of all entries. If `a` holds dJ/d(entry) and `b` d(entry)/d(parameter), it is
/// dJ/d(parameter).
[[nodiscard]] inline double contract(const BeamRows<double>& a, const BeamRows<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.next.size(); ++i)
        for (std::size_t j = 0; j < 5; ++j)
            sum += a.next[i][j] * b.next[i][j] + a.now[i][j] * b.now[i][j] + a.before[i][j] * b.before[i][j];
    for (std::size_t side = 0; side < 2; ++side)
        for (std::size_t k = 0; k < 2; ++k)
            for (std::size_t level = 0; level < 3; ++level) sum += a.motion[side][k][level] * b.motion[side][k][level];
    return sum;
}

/// Writes the rows of one beam to one lane.
inline void set_lane(BeamRows<Lanes>& all, Eigen::Index lane, const BeamRows<double>& one) {
    for (std::size_t i = 0; i < one.next.size(); ++i)
        for (std::size_t j = 0; j < 5; ++j) {
            all.next[i][j][lane] = one.next[i][j];
            all.now[i][j][lane] = one.now[i][j];
            all.before[i][j][lane] = one.before[i][j];
        }
    for (std::size_t side = 0; side < 2; ++side)
        for (std::size_t k = 0; k < 2; ++k)
            for (std::size_t level = 0; level < 3; ++level)
                all.motion[side][k][level][lane] = one.motion[side][k][level];
    all.bears = one.bears;
}

/// One level of the grid, with two zeros beyond each border.
template <class Lane>
class Line {
  public:
    explicit Line(int points) : values_(static_cast<std::size_t>(points) + 4, nothing<Lane>()) {}
    Lane& operator[](int i) noexcept { return values_[static_cast<std::size_t>(i + 2)]; }
    const Lane& operator[](int i) const noexcept { return values_[static_cast<std::size_t>(i + 2)]; }
    void swap(Line& other) noexcept { values_.swap(other.values_); }

  private:
    std::vector<Lane> values_;
};

/// L U factorization of a matrix with five diagonals, without pivoting: mass and damping make the diagonal dominant.
template <class Coefficient>
class FiveDiagonals {
  public:
    /// @throws SetupError if a pivot is zero or not finite.
    explicit FiveDiagonals(std::vector<std::array<Coefficient, 5>> rows) : rows_(std::move(rows)) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            auto& row = rows_[i];
            if (i > 1) {
                row[0] *= rows_[i - 2][2];
                row[1] -= row[0] * rows_[i - 2][3];
                row[2] -= row[0] * rows_[i - 2][4];
            }
            if (i > 0) {
                row[1] *= rows_[i - 1][2];
                row[2] -= row[1] * rows_[i - 1][3];
                row[3] -= row[1] * rows_[i - 1][4];
            }
            row[2] = 1.0 / row[2];
            for (int lane = 0; lane < (std::is_same_v<Coefficient, Lanes> ? lane_count : 1); ++lane)
                require(is_finite(number(row[2], lane)), "ident::BeamModel", "the rows of the new level are singular");
        }
    }

    /// Replaces the right-hand side x by the solution. x is a Line, or points to point 0 of a grid with two zeros
    /// before and behind it.
    template <class X>
    void solve(X&& x) const noexcept {
        const auto n = static_cast<int>(rows_.size());
        for (int i = 0; i < n; ++i) {
            const auto& row = rows_[static_cast<std::size_t>(i)];
            x[i] = x[i] - row[0] * x[i - 2] - row[1] * x[i - 1];
        }
        for (int i = n - 1; i >= 0; --i) {
            const auto& row = rows_[static_cast<std::size_t>(i)];
            x[i] = (x[i] - row[4] * x[i + 2] - row[3] * x[i + 1]) * row[2];
        }
    }

    /// The same with the transposed matrix, (L U)' = U' L'.
    template <class X>
    void solve_transposed(X&& x) const noexcept {
        const auto n = static_cast<int>(rows_.size());
        for (int i = 0; i < n; ++i) {
            const auto& row = rows_[static_cast<std::size_t>(i)];
            x[i] = x[i] * row[2];
            x[i + 1] = x[i + 1] - row[3] * x[i];  // the last two rows have no entries beyond the grid
            x[i + 2] = x[i + 2] - row[4] * x[i];
        }
        for (int i = n - 1; i >= 0; --i) {
            const auto& row = rows_[static_cast<std::size_t>(i)];
            x[i - 1] = x[i - 1] - row[1] * x[i];
            x[i - 2] = x[i - 2] - row[0] * x[i];
        }
    }

  private:
    static double number(double x, int) { return x; }
    static double number(const Lanes& x, int lane) { return x[lane]; }

    std::vector<std::array<Coefficient, 5>> rows_;  // l2, l1, 1/u0, u1, u2
};

}  // namespace panto::ident::detail
