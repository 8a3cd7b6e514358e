// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The energy a scheme conserves. With d = u^n - u^{n-1} and, from the rows, the mass M = (next - before)/2 and the
/// stiffness K = next - now - before (both in units of the stencil):
///     E = dx sum_k share_k [ d_k (M d)_k / 2 + u^n_k (K u^{n-1})_k / 2 ] .
/// share_k is 1 inside the grid and share(k) of a support at its points. Multiplying the scheme by (u^{n+1} - u^{n-1})
/// and summing shows that E changes only by the work of loads and damping: without them it is constant to rounding, on
/// symmetric stencils between supports at rest.

#pragma once

#include <panto/wave/march.hpp>

namespace panto::wave {

namespace detail {

template <class MarchType, class E>
[[nodiscard]] auto end_energy(const MarchType& march, const E& end, bool left) {
    using Scalar = typename MarchType::Line::Scalar;
    Scalar sum(0.0);
    if constexpr (requires { end.share(0); }) {
        const auto next = end.next_rows(), now = end.past_rows(0), before = end.past_rows(1);
        const auto &u = march.level(0), &v = march.level(1);
        for (int k = 0; k < end.points(); ++k) {
            if (!(end.share(k) > 0.0)) continue;
            Scalar inertia(0.0), stiffness(0.0);
            const auto at = [&](int j) { return left ? j : march.points() - 1 - j; };
            for (int j = 0; j < next.cols(); ++j) {
                inertia += Scalar(0.5) * (next(k, j) - before(k, j)) * (u[at(j)] - v[at(j)]);
                stiffness += (next(k, j) - now(k, j) - before(k, j)) * v[at(j)];
            }
            sum += Scalar(0.5 * end.share(k)) * ((u[at(k)] - v[at(k)]) * inertia + u[at(k)] * stiffness);
        }
    }
    return sum;
}

}  // namespace detail

/// Energy between levels n and n-1 of a march, in J for a beam. At ends other than supports only the grid inside
/// is included.
template <Real Scalar, int H, class Left, class Right>
[[nodiscard]] Scalar energy(const March<Scalar, H, Left, Right>& march) {
    const auto& s = march.stencil();
    const auto &u = march.level(0), &v = march.level(1);
    Scalar sum = detail::end_energy(march, march.left(), true) + detail::end_energy(march, march.right(), false);
    for (int k = H; k < march.points() - H; ++k) {
        Scalar inertia(0.0), stiffness(0.0);
        for (int j = -H; j <= H; ++j) {
            const Scalar &next = s.at(s.next, j), &now = s.at(s.now, j), &before = s.at(s.before, j);
            inertia += Scalar(0.5) * (next - before) * (u[k + j] - v[k + j]);
            stiffness += (next - now - before) * v[k + j];
        }
        sum += Scalar(0.5) * ((u[k] - v[k]) * inertia + u[k] * stiffness);
    }
    return Scalar(s.dx) * sum;
}

}  // namespace panto::wave
