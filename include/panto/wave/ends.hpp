// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The ends of a grid. A stencil that reaches H points to each side leaves H points open at each end; an `End` provides
/// their rows: a support, an absorbing boundary, a transparent one. The same code serves the left and the right end,
/// because an end sees the grid through an `Edge`, which counts points from its border inwards.

#pragma once

#include <panto/core/real.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

namespace panto::wave {

/// The grid from the side of an end: point 0 is the outermost one, points 1, 2, ... lie further inside, at the right
/// end (Direction -1) as at the left one (Direction 1).
template <Real Scalar, int Direction>
class Edge {
    static_assert(Direction == 1 || Direction == -1);

  public:
    using Levels = std::vector<Vector<Scalar, Dynamic>>;

    /// `levels` are the time levels n+1, n, n-1, ...
    explicit Edge(Levels& levels) noexcept : levels_(&levels), first_(Direction == 1 ? 0 : levels[0].size() - 1) {}

    /// Level n+1 at point j, which the end sets for j = 0..points()-1.
    Scalar& next(int j) const noexcept { return (*levels_)[0][first_ + Direction * j]; }

    /// Level n-i at point j; i = 0 is the present.
    const Scalar& past(int i, int j) const noexcept {
        return (*levels_)[static_cast<std::size_t>(i) + 1][first_ + Direction * j];
    }

  private:
    Levels* levels_;
    Eigen::Index first_;
};

/// The boundary of a grid. For its `points()` outermost points k the end provides the rows
///     sum_j next_rows()(k, j) u_j^{n+1} = r_k ,
/// where r_k depends on levels n, n-1, ... only.
///  * `points()`: H of the stencil that the end belongs to.
///  * `past_levels()`: how many levels before n+1 the end reads (n alone: 1).
///  * `reach()`: how many points of these levels the end reads, at least points(); the grid must have that many.
///  * `next_rows()`: points() rows and at least as many columns. The identity if the end sets values, as an explicit
///    absorbing boundary does. An explicit march needs an upper triangle on the left, next_rows()(k, j) = 0 for j < k,
///    an implicit one accepts any.
///  * `apply(edge)`: writes r_k to edge.next(k), for every k. Called once a step, after the interior rows, which in an
///    implicit march are not solved yet: it must not read edge.next. It also advances internal state.
///  * `reset()`: clears internal state and history.
template <class E, class Scalar = double>
concept End =
    std::copyable<E> && requires(E& end, const E& said, const Edge<Scalar, 1>& left, const Edge<Scalar, -1>& right) {
        { said.points() } noexcept -> std::convertible_to<int>;
        { said.past_levels() } noexcept -> std::convertible_to<int>;
        { said.reach() } noexcept -> std::convertible_to<int>;
        { said.next_rows() } -> std::convertible_to<Matrix<Scalar, Dynamic>>;
        { end.apply(left) } noexcept -> std::same_as<void>;
        { end.apply(right) } noexcept -> std::same_as<void>;
        { end.reset() } noexcept -> std::same_as<void>;
    };

/// An end whose r_k is a weighted sum of the points of past levels, so that the grid as a whole has a state matrix:
/// past_rows(i) are the weights of level n-i, points() rows and reach() columns.
template <class E, class Scalar = double>
concept RowEnd = End<E, Scalar> && requires(const E& said, int i) {
    { said.past_rows(i) } -> std::convertible_to<Matrix<Scalar, Dynamic>>;
};

}  // namespace panto::wave
