// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Supports at the end of a beam or string. They are found by folding the points beyond the border, of which the
/// support says what they are (u_{-1} = u_1 where the slope vanishes), back into the rows of the stencil.

#pragma once

#include <panto/core/check.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/stencil.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace panto::wave {

/// An end whose rows couple three levels of its first 2 H points, as the stencil does, and take a prescribed
/// displacement and slope as input.
template <Real Scalar = double, int HalfWidth = 2>
class Support {
    static constexpr int H = HalfWidth;
    static constexpr int columns = 2 * H;
    using Rows = std::array<std::array<Scalar, static_cast<std::size_t>(columns)>, static_cast<std::size_t>(H)>;
    using Motion2 = std::array<Scalar, 2>;  // displacement m, slope 1

  public:
    [[nodiscard]] static constexpr int points() noexcept { return H; }
    [[nodiscard]] static constexpr int past_levels() noexcept { return 2; }
    [[nodiscard]] static constexpr int reach() noexcept { return columns; }
    [[nodiscard]] Matrix<Scalar, Dynamic> next_rows() const { return matrix(next_); }
    [[nodiscard]] Matrix<Scalar, Dynamic> past_rows(int i) const { return matrix(i == 0 ? now_ : before_); }

    /// The motion of the support at level n+1: set before the step that leads there; it stays until it is set again.
    /// The slope counts inwards: u_x at the left end, -u_x at the right one. @rt
    void set_motion(const Scalar& displacement, const Scalar& slope) noexcept { motion_[0] = {displacement, slope}; }

    /// @rt
    template <class EdgeView>
    void apply(const EdgeView& u) noexcept {
        for (std::size_t k = 0; k < static_cast<std::size_t>(H); ++k) {
            Scalar sum(0.0);
            for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j)
                sum += now_[k][j] * u.past(0, static_cast<int>(j)) + before_[k][j] * u.past(1, static_cast<int>(j));
            for (std::size_t level = 0; level < 3; ++level)
                sum += input_[k][level][0] * motion_[level][0] + input_[k][level][1] * motion_[level][1];
            u.next(static_cast<int>(k)) = sum;
        }
        motion_[2] = motion_[1];
        motion_[1] = motion_[0];
    }

    /// Back to rest. @rt
    void reset() noexcept {
        motion_ = {Motion2{Scalar(0.0), Scalar(0.0)}, Motion2{Scalar(0.0), Scalar(0.0)},
                   Motion2{Scalar(0.0), Scalar(0.0)}};
    }

    /// The share of point k that belongs to the beam: 0 where the support holds it, 1/2 on a free border, else 1.
    [[nodiscard]] double share(int k) const noexcept { return share_[static_cast<std::size_t>(k)]; }

    /// Point k is held: u_k = displacement + k dx slope.
    void hold(int k, double dx) {
        const auto row = static_cast<std::size_t>(k);
        next_[row] = {}, now_[row] = {}, before_[row] = {};
        next_[row][row] = Scalar(1.0);
        input_[row] = {};
        input_[row][0] = {Scalar(1.0), Scalar(k * dx)};
        share_[row] = 0.0;
    }

    /// Point k keeps the stencil's row; a point -j beyond the border is sum_i ghost[j-1][i] u_i + slope[j-1] * slope.
    struct Beyond {
        std::array<std::array<double, static_cast<std::size_t>(columns)>, static_cast<std::size_t>(H)> ghost{};
        std::array<double, static_cast<std::size_t>(H)> slope{};
    };
    void fold(int k, const Stencil<Scalar, H>& s, const Beyond& beyond) {
        const auto row = static_cast<std::size_t>(k);
        fold(k, s.next, beyond, next_[row], input_[row][0], -1.0);
        fold(k, s.now, beyond, now_[row], input_[row][1], 1.0);
        fold(k, s.before, beyond, before_[row], input_[row][2], 1.0);
        share_[row] = 1.0;
    }

  private:
    using Row = typename Stencil<Scalar, H>::Row;

    static void fold(int k, const Row& weights, const Beyond& beyond,
                     std::array<Scalar, static_cast<std::size_t>(columns)>& row, Motion2& input, double sign) {
        row = {};
        for (int j = -H; j <= H; ++j) {
            const Scalar& w = Stencil<Scalar, H>::at(weights, j);
            if (k + j >= 0) {
                row[static_cast<std::size_t>(k + j)] += w;
                continue;
            }
            const auto g = static_cast<std::size_t>(-(k + j) - 1);
            for (std::size_t i = 0; i < row.size(); ++i) row[i] += w * Scalar(beyond.ghost[g][i]);
            input[1] += Scalar(sign * beyond.slope[g]) * w;
        }
    }

    static Matrix<Scalar, Dynamic> matrix(const Rows& rows) {
        Matrix<Scalar, Dynamic> M(H, columns);
        for (int k = 0; k < H; ++k)
            for (int j = 0; j < columns; ++j) M(k, j) = rows[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)];
        return M;
    }

    Rows next_{}, now_{}, before_{};
    std::array<std::array<Motion2, 3>, static_cast<std::size_t>(H)> input_{};  // weights of levels n+1, n, n-1
    std::array<Motion2, 3> motion_{};
    std::array<double, static_cast<std::size_t>(H)> share_{};
};

/// u_0 = ... = u_{H-1} = 0, as Publication A clamps: of first order, since it shortens the beam by dx at each end.
/// Given motion (set_motion) it is a shaker: u_k = displacement + k dx slope.
template <Real Scalar, int H>
[[nodiscard]] Support<Scalar, H> clamped_first_order(const Stencil<Scalar, H>& s) {
    Support<Scalar, H> end;
    for (int k = 0; k < H; ++k) end.hold(k, s.dx);
    return end;
}

}  // namespace panto::wave
