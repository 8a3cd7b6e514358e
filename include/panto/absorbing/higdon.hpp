// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Absorbing boundaries from the literature, for comparison. Higdon's condition of order p,
///     prod_{q=1..p} ( d/dt - c_q d/dx + eps ) u = 0   at the left end,
/// absorbs p waves of speeds c_q completely [Higdon, Numerical absorbing boundary conditions for the wave equation,
/// Math. Comp. 49, 1987]. Each factor becomes a box: the mean of the differences over two points and two levels. With
/// all speeds equal it is the condition of Engquist and Majda of that order in one dimension, and of order 1 that of
/// Mur. It was made for waves of one speed; on a beam, where the speed depends on the wave, it shows the resulting
/// error.

#pragma once

#include <panto/absorbing/stencil.hpp>
#include <panto/core/check.hpp>

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace panto::wave {

struct HigdonParams {
    int boundary_points = 2;          ///< half width of the interior scheme; each boundary point has the condition
    std::vector<double> speeds = {};  ///< m/s, one for each order
    double decay = 0.0;               ///< 1/s, eps: makes slow drift decay
    double dx = 0.0;                  ///< m
    double dt = 0.0;                  ///< s
};

/// @throws SetupError if there is no boundary point or speed, too many for a stencil, or a number is not positive
/// (`decay`: negative).
template <class = void>
[[nodiscard]] AbsorbingStencil higdon_end(const HigdonParams& p) {
    constexpr const char* where = "wave::higdon_end";
    require(!p.speeds.empty(), where, "speeds is empty, expected one speed for each order");
    require_positive(p.dx, where, "dx");
    require_positive(p.dt, where, "dt");
    require_not_negative(p.decay, where, "decay");
    constexpr int most = AbsorbingStencil::most;
    require(p.boundary_points >= 1 && p.boundary_points < most, where, "boundary_points is ", p.boundary_points,
            ", must be from 1 to ", most - 1);
    require(p.speeds.size() <= static_cast<std::size_t>(most - p.boundary_points), where, "there are ", p.speeds.size(),
            " speeds, must be at most ", most - p.boundary_points);
    const int order = static_cast<int>(p.speeds.size());
    // a(i, j): weight of u_{k+j}^{n+1-i} in the product, one factor after the other.
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(order + 1, order + 1);
    a(0, 0) = 1.0;
    for (const double speed : p.speeds) {
        require_positive(speed, where, "a speed");
        const double t = 0.5 / p.dt, x = 0.5 * speed / p.dx, e = 0.25 * p.decay;
        const std::array<std::array<double, 2>, 2> box{{{t + x + e, t - x + e}, {-t + x + e, -t - x + e}}};
        Eigen::MatrixXd product = Eigen::MatrixXd::Zero(order + 1, order + 1);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                product.bottomRightCorner(order + 1 - i, order + 1 - j) +=
                    box[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] *
                    a.topLeftCorner(order + 1 - i, order + 1 - j);
        a = product / product(0, 0);
    }
    const AbsorbingForm form{p.boundary_points, order, order + p.boundary_points};
    const AbsorbingStencil empty(form);
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(form.size());
    Eigen::MatrixXd new_weights = Eigen::MatrixXd::Zero(form.boundary_points, form.reach);
    for (int k = 0; k < form.boundary_points; ++k)
        for (int j = 0; j <= order; ++j) {
            if (j > 0) new_weights(k, k + j) = -a(0, j);
            for (int i = 1; i <= order; ++i) weights[empty.index(k, i - 1, k + j)] = -a(i, j);
        }
    return AbsorbingStencil(form, weights, new_weights);
}

/// Mur's condition (order 1) and, in one dimension, that of Engquist and Majda of any order: all speeds the same.
/// @throws SetupError as higdon_end(), or if the order is below 1 or above 63.
template <class = void>
[[nodiscard]] AbsorbingStencil mur_end(int boundary_points, int order, double speed, double dx, double dt) {
    require(order >= 1 && order < AbsorbingStencil::most, "wave::mur_end", "order is ", order, ", must be from 1 to ",
            AbsorbingStencil::most - 1);
    return higdon_end({.boundary_points = boundary_points,
                       .speeds = std::vector<double>(static_cast<std::size_t>(order), speed),
                       .dx = dx,
                       .dt = dt});
}

}  // namespace panto::wave
