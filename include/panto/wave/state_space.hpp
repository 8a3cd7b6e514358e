// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A grid with its two ends as matrices, for small grids: x = [u^n; u^{n-1}; ...] contains all points of the levels
/// that the ends read, at least two levels,
///     E x^{n+1} = A x^n + B f^n + sum_l ( left_motion[l] m^{n+1-l} + right_motion[l] m^{n+1-l} ) ,
/// f the load at each point and m = (displacement, slope) of a support. E holds the rows of level n+1. A point that a
/// support holds has a row of its own (u_0^{n+1} = displacement). The motion of a shaker thus reaches the neighbouring
/// points through E and A, at all three levels.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <string>

namespace panto::wave {

template <Real Scalar = double>
struct StateSpace {
    using Dense = Matrix<Scalar, Dynamic>;

    Dense E, A;  ///< levels * points square
    Dense B;     ///< a column for the load at each point; zero where a load has no effect
    std::array<Dense, 3> left_motion,
        right_motion = {};  ///< two columns each, for levels n+1, n, n-1; zero if no support
    int points = 0, levels = 0;

    /// E^{-1} rhs. Rows are scaled first, because the row of a held point is 1 and the rows of its neighbours have the
    /// size of mass/dt^2.
    [[nodiscard]] Dense solved(const Dense& rhs) const {
        Dense x = rhs, top = E.topLeftCorner(points, points);
        for (int i = 0; i < points; ++i) {
            const Scalar scale = Scalar(1.0) / top.row(i).cwiseAbs().maxCoeff();
            top.row(i) *= scale;
            x.row(i) *= scale;
        }
        x.topRows(points) = Eigen::PartialPivLU<Dense>(top).solve(x.topRows(points).eval());
        return x;
    }

    /// E^{-1} A: its spectral radius is that of the march.
    [[nodiscard]] Dense transition() const { return solved(A); }
};

/// The matrices of a stencil on `points` points between two ends with known rows.
/// @throws SetupError if the grid has too few points for stencil and ends.
template <Real Scalar, int H, class Left, class Right>
    requires RowEnd<Left, Scalar> && RowEnd<Right, Scalar>
[[nodiscard]] StateSpace<Scalar> state_space(const Stencil<Scalar, H>& stencil, int points, const Left& left,
                                             const Right& right) {
    const int fewest = std::max({2 * H + 1, left.reach(), right.reach()});
    require(points >= fewest && left.points() == H && right.points() == H, "wave::state_space", "points is ", points,
            ", must be at least ", fewest, " for this stencil and these ends, which must set ", H, " points each");
    StateSpace<Scalar> s;
    s.points = points;
    s.levels = std::max({2, left.past_levels(), right.past_levels()});
    const int size = s.points * s.levels;
    s.E = Matrix<Scalar, Dynamic>::Identity(size, size);
    s.A = Matrix<Scalar, Dynamic>::Zero(size, size);
    s.B = Matrix<Scalar, Dynamic>::Zero(size, points);
    for (int l = 0; l < 3; ++l) {
        const auto at = static_cast<std::size_t>(l);
        s.left_motion[at] = s.right_motion[at] = Matrix<Scalar, Dynamic>::Zero(size, 2);
    }
    s.E.topLeftCorner(points, points).setZero();
    s.A.bottomLeftCorner(size - points, size - points).setIdentity();

    for (int k = H; k < points - H; ++k) {
        for (int j = -H; j <= H; ++j) {
            s.E(k, k + j) = stencil.at(stencil.next, j);
            s.A(k, k + j) = stencil.at(stencil.now, j);
            s.A(k, points + k + j) = stencil.at(stencil.before, j);
        }
        s.B(k, k) = Scalar(1.0);
    }
    const auto close = [&](const auto& end, bool is_left, std::array<Matrix<Scalar, Dynamic>, 3>& motion) {
        const auto at = [&](int j) { return is_left ? j : points - 1 - j; };
        const Matrix<Scalar, Dynamic> next = end.next_rows();
        for (int k = 0; k < H; ++k)
            for (int j = 0; j < next.cols(); ++j) s.E(at(k), at(j)) = next(k, j);
        for (int i = 0; i < end.past_levels(); ++i) {
            const Matrix<Scalar, Dynamic> rows = end.past_rows(i);
            for (int k = 0; k < H; ++k)
                for (int j = 0; j < rows.cols(); ++j) s.A(at(k), i * points + at(j)) = rows(k, j);
        }
        if constexpr (requires {
                          end.share(0);
                          end.motion_weights(0);
                      }) {
            for (int k = 0; k < H; ++k) {
                if (end.share(k) > 0.0) s.B(at(k), at(k)) = Scalar(1.0);
                for (int l = 0; l < 3; ++l)
                    motion[static_cast<std::size_t>(l)].row(at(k)) = end.motion_weights(l).row(k);
            }
        }
    };
    close(left, true, s.left_motion);
    close(right, false, s.right_motion);
    return s;
}

}  // namespace panto::wave
