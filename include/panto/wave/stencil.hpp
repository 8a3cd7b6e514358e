// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The space-time stencil, the form of every scheme in this room: a row that couples three time levels of a uniform
/// grid,
///     sum_j ( next_j u_{k+j}^{n+1} - now_j u_{k+j}^n - before_j u_{k+j}^{n-1} ) = load_k^n ,   j = -H..H.
/// Dispersion, growth, stability, marching and state space are written once, for this type
/// (Publication B of the thesis on real-time catenary models, Eq. (4)).

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace panto::wave {

/// A two-step scheme on a uniform grid, `HalfWidth` points to each side. `next` is the left-hand side of the equation,
/// `now` and `before` are the right-hand side, all indexed by HalfWidth + j. Rows keep the units of the equation
/// they came from (a beam: force per length, so that a load in N/m enters unchanged).
template <Real Scalar = double, int HalfWidth = 2>
struct Stencil {
    static_assert(HalfWidth >= 1);
    static constexpr int half_width = HalfWidth;
    static constexpr int width = 2 * HalfWidth + 1;
    using Row = std::array<Scalar, static_cast<std::size_t>(width)>;

    Row next{};       ///< weights of level n+1
    Row now{};        ///< weights of level n
    Row before{};     ///< weights of level n-1
    double dx = 0.0;  ///< m, grid spacing
    double dt = 0.0;  ///< s, time step

    /// The weight of point k+j in one of the rows; 0 beyond its width. @rt
    [[nodiscard]] static const Scalar& at(const Row& row, int j) noexcept {
        return j < -HalfWidth || j > HalfWidth ? zero : row[static_cast<std::size_t>(HalfWidth + j)];
    }

    /// Whether level n+1 enters only at point k, so that a march needs no solution of equations. @rt
    [[nodiscard]] bool is_explicit() const noexcept {
        for (int j = -HalfWidth; j <= HalfWidth; ++j)
            if (j != 0 && (at(next, j) < Scalar(0) || at(next, j) > Scalar(0))) return false;
        return true;
    }

  private:
    inline static const Scalar zero{0.0};
};

/// The mirror image of a stencil: the same scheme with x reversed.
template <Real Scalar, int H>
[[nodiscard]] Stencil<Scalar, H> mirrored(Stencil<Scalar, H> stencil) {
    std::reverse(stencil.next.begin(), stencil.next.end());
    std::reverse(stencil.now.begin(), stencil.now.end());
    std::reverse(stencil.before.begin(), stencil.before.end());
    return stencil;
}

namespace detail {

/// @throws SetupError if a weight of the stencil is not a number, or all weights of level n+1 are 0.
template <Real Scalar, int H>
void require_weights(const Stencil<Scalar, H>& s, std::string_view where) {
    bool says_next = false;
    for (const auto* row : {&s.next, &s.now, &s.before})
        for (const Scalar& weight : *row) {
            const double w = value_of(weight);
            if (!is_finite(w))
                throw SetupError(std::string(where) + ": a weight of the stencil is " + shown(w) +
                                 " at dx = " + shown(s.dx) + " m and dt = " + shown(s.dt) + " s, must be finite");
            says_next = says_next || (row == &s.next && (w < 0.0 || w > 0.0));
        }
    require(says_next, where, "the stencil does not contain the level n+1");
}

}  // namespace detail

}  // namespace panto::wave
