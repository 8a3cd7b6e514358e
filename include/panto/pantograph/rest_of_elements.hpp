// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where the masses of a pantograph with elements (with_elements.hpp) are at rest: at the minimum of the potential
/// energy, found by Newton's method with a line search.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/pantograph/mounted.hpp>
#include <panto/plant/chain.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace panto::pantograph::detail {

/// Changes the heights of the masses from `first` on, so that they are at rest under these forces, N. The masses
/// before `first` stay where they are.
/// @throws SetupError if forces are not finite or nothing carries them.
template <Real Scalar, int N, class... Es>
void find_rest(const Vector<Scalar, N>& stiffness, const std::tuple<Mounted<Es>...>& mounted,
               const Scalar& uplift_force, const Scalar& contact_force, Eigen::Index first, Vector<Scalar, N>& heights,
               const char* where) {
    using Heights = Vector<Scalar, Dynamic>;
    using element::detail::largest, element::detail::rounding;
    require_finite(value_of(contact_force), where, "contact_force");
    require_finite(value_of(uplift_force), where, "uplift_force");
    const Eigen::Index n = stiffness.size(), free = n - first;
    if (free == 0) return;
    const Matrix<Scalar, N> K = plant::chain_matrix(stiffness);
    const auto each = [&](const auto& f) { std::apply([&](const auto&... m) { (f(m), ...); }, mounted); };
    const auto pull = [](const auto& m, const Heights& u, double by) -> Scalar {
        Scalar at = Scalar(by) - m.relaxed;
        if (m.from != roof) at = at + u[m.from];
        if (m.to != roof) at = at - u[m.to];
        return m.element.force(at, Scalar(0.0), element::memory_at_rest(m.element, at));
    };
    const auto gradient = [&](const Heights& u) -> Heights {  // of the energy; N that are left over
        Heights g = K * u;
        g[0] += contact_force, g[n - 1] -= uplift_force;
        each([&](const auto& m) {
            const Scalar f = pull(m, u, 0.0);
            if (m.from != roof) g[m.from] += f;
            if (m.to != roof) g[m.to] -= f;
        });
        return g.tail(free);
    };
    const double forces = std::abs(value_of(contact_force)) + std::abs(value_of(uplift_force));
    Heights u = heights, g = gradient(u);
    int left = element::detail::iterates_once_more<Scalar> ? 2 : 1;  // iterations after convergence
    for (int iteration = 0; iteration < 200 && left > 0; ++iteration) {
        Matrix<Scalar, Dynamic> H = K;
        each([&](const auto& m) {
            const double by = element::detail::difference_step<Scalar>(1.0);
            const Scalar k = (pull(m, u, by) - pull(m, u, 0.0)) / Scalar(by);
            if (m.from != roof) H(m.from, m.from) += k;
            if (m.to != roof) H(m.to, m.to) += k;
            if (m.from != roof && m.to != roof) H(m.from, m.to) -= k, H(m.to, m.from) -= k;
        });
        Matrix<Scalar, Dynamic> soft = H.bottomRightCorner(free, free);
        const double scale = std::max(largest(soft), 1.0);
        soft.diagonal().array() += Scalar(1e-9 * scale);  // where nothing carries a mass, a stop may be further on
        const Heights step = -soft.partialPivLu().solve(g);
        const auto moved = [&](double part) -> Heights {
            Heights to = u;
            to.tail(free) += Scalar(part) * step;
            return to;
        };
        double part = 1.0;
        Heights at = gradient(moved(part));
        const auto beyond = [&](const Heights& slope) { return value_of(Scalar(step.dot(slope))) > 0.0; };
        if (beyond(at) && largest(at) > largest(g)) {  // bisect for the minimum along the step
            part = bisect([&](double p) { return !beyond(gradient(moved(p))); }, 0.0, part, 0.0, 60).fails;
            at = gradient(moved(part));
        }
        u = moved(part), g = at;
        if (largest(g) <= 1e3 * rounding<Scalar>() * (forces + scale)) --left;
    }
    require(largest(g) <= 1e-6 * (forces + 1.0), where, "no heights found at which an uplift force of ",
            value_of(uplift_force), " N and a contact force of ", value_of(contact_force),
            " N are carried; give the masses a spring or a stop that carries them");
    heights = u;
}

}  // namespace panto::pantograph::detail
