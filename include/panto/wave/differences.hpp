// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finite differences of any derivative and order on unit spacing, computed by the compiler: weights w_j such that
///     d^m u / dx^m (x_0) = dx^-m sum_j w_j u(x_0 + j dx) + O(dx^p) .
/// [Fornberg, B.: Generation of finite difference formulas on arbitrarily spaced grids, Math. Comp. 51 (1988) 699-706]

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace panto::wave {

/// Weights of derivative `derivative` at 0 from values at distinct `nodes`, exact for polynomials of degree below the
/// number of nodes, which must exceed `derivative`.
template <std::size_t Points>
[[nodiscard]] constexpr std::array<double, Points> difference_weights(int derivative,
                                                                      const std::array<double, Points>& nodes) {
    // c[j][k]: weight of node j in derivative k, from the first i + 1 nodes.
    std::array<std::array<double, Points>, Points> c{};
    c[0][0] = 1.0;
    double before = 1.0, here = nodes[0];
    for (std::size_t i = 1; i < Points; ++i) {
        const std::size_t most = std::min(i, static_cast<std::size_t>(derivative));
        const double last = here;
        here = nodes[i];
        double product = 1.0;
        for (std::size_t j = 0; j < i; ++j) {
            const double gap = nodes[i] - nodes[j];
            product *= gap;
            if (j + 1 == i)
                for (std::size_t k = most + 1; k-- > 0;) {
                    const double lower = k > 0 ? static_cast<double>(k) * c[j][k - 1] : 0.0;
                    c[i][k] = before * (lower - last * c[j][k]) / product;
                }
            for (std::size_t k = most + 1; k-- > 0;) {
                const double lower = k > 0 ? static_cast<double>(k) * c[j][k - 1] : 0.0;
                c[j][k] = (here * c[j][k] - lower) / gap;
            }
        }
        before = product;
    }
    std::array<double, Points> weights{};
    for (std::size_t j = 0; j < Points; ++j) weights[j] = c[j][static_cast<std::size_t>(derivative)];
    return weights;
}

/// Points to each side that a central difference of this derivative and (even) order needs.
[[nodiscard]] constexpr int central_half_width(int derivative, int order) {
    return (derivative + 1) / 2 + order / 2 - 1;
}

/// Central difference: the weight of point j stands at central_half_width + j.
template <int Derivative, int Order = 2>
[[nodiscard]] constexpr auto central_difference() {
    static_assert(Derivative >= 1, "the derivative is a positive number");
    static_assert(Order >= 2 && Order % 2 == 0, "the order of a central difference is even");
    constexpr int half = central_half_width(Derivative, Order);
    std::array<double, static_cast<std::size_t>(2 * half + 1)> nodes{};
    for (int j = -half; j <= half; ++j) nodes[static_cast<std::size_t>(half + j)] = j;
    auto weights = difference_weights(Derivative, nodes);
    // The exact weights are symmetric; those of the recursion are so only to rounding.
    for (int j = 0; j <= half; ++j) {
        const auto right = static_cast<std::size_t>(half + j), left = static_cast<std::size_t>(half - j);
        const double sign = Derivative % 2 == 0 ? 1.0 : -1.0;
        const double mean = 0.5 * (weights[right] + sign * weights[left]);
        weights[right] = mean;
        weights[left] = sign * mean;
    }
    return weights;
}

/// One-sided difference of any order from the points 0, 1, 2, ...; for the other side mirror it and, for an odd
/// derivative, change the sign.
template <int Derivative, int Order>
[[nodiscard]] constexpr auto one_sided_difference() {
    static_assert(Derivative >= 1 && Order >= 1);
    std::array<double, static_cast<std::size_t>(Derivative + Order)> nodes{};
    for (std::size_t j = 0; j < nodes.size(); ++j) nodes[j] = static_cast<double>(j);
    return difference_weights(Derivative, nodes);
}

}  // namespace panto::wave
