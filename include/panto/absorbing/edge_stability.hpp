// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stability of a membrane with an absorbing edge. Between the held edges y = 0 and y = l_y every solution is a sum of
/// modes sin(theta_y l). Neither the scheme nor an edge with weights symmetric along it couples them, so the state
/// matrix of a box of N_x x N_y points has the eigenvalues of N_y - 2 one-dimensional systems, one per theta_y = m
/// pi/(N_y - 1). A small box says little about a large one: the motion with a published stencil grows by a factor of
/// 1.0004 per step on 7 x 7 points, but by 1.043 on a large box. The modal test therefore covers all theta_y in
/// [0, pi], on a long system.

#pragma once

#include <panto/absorbing/edge.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace panto::wave {

/// A of v^{n+1} = A v^n for the mode sin(theta_y l): `points` points in x, the first the absorbing edge, the last held
/// at zero and left out; v = (u^n, u^{n-1}, ...), at least two levels.
/// @throws SetupError if there are fewer points than the stencil needs.
template <class = void>
[[nodiscard]] Eigen::MatrixXd edge_mode_system(const WaveEquation2d& equation, const EdgeStencil& edge, double theta_y,
                                               int points) {
    const int reach = edge.form().points, levels = std::max(2, edge.form().levels), n = points - 1;
    require(n >= std::max(3, reach), "wave::edge_mode_system", "points is ", points, ", must be at least ",
            std::max(3, reach) + 1, " with this stencil");
    const double rx = equation.courant_x() * equation.courant_x(), ry = equation.courant_y() * equation.courant_y();
    const double sine = std::sin(0.5 * theta_y);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(levels * n, levels * n);
    for (int k = 1; k < n; ++k) {
        A(k, k) = 2.0 - 2.0 * rx - 4.0 * ry * sine * sine;
        A(k, k - 1) = rx;
        if (k + 1 < n) A(k, k + 1) = rx;
        A(k, n + k) = -1.0;
    }
    for (int q = 0; q < edge.form().rings(); ++q) {
        const double along = q == 0 ? 1.0 : 2.0 * std::cos(q * theta_y);
        for (int j = 0; j < reach; ++j) {
            for (int i = 0; i < edge.form().levels; ++i) A(0, i * n + j) += along * edge.weight(i, j, q);
            if (j > 0) A.row(0) += along * edge.new_weight(j, q) * A.row(j);
        }
    }
    for (int i = 1; i < levels; ++i) A.block(i * n, (i - 1) * n, n, n).setIdentity();
    return A;
}

/// Spectral radius of a box of `across_x` x `across_y` points, absorbing at x = 0, held on the three other edges.
/// Publication B uses 7 x 7.
/// @throws SetupError if the box is too small.
template <class = void>
[[nodiscard]] double edge_box_radius(const WaveEquation2d& equation, const EdgeStencil& edge, int across_x = 7,
                                     int across_y = 7) {
    require(across_y >= 3, "wave::edge_box_radius", "across_y is ", across_y, ", must be at least 3");
    double radius = 0.0;
    for (int m = 1; m + 1 < across_y; ++m)
        radius = std::max(radius, linalg::spectral_radius(edge_mode_system(
                                      equation, edge, std::numbers::pi * m / (across_y - 1), across_x)));
    return radius;
}

/// Largest spectral radius over `modes` values of theta_y from 0 to pi on `points` points in x, so that it covers
/// boxes of any width.
/// @throws SetupError if modes < 2 or there are fewer than 30 points.
template <class = void>
[[nodiscard]] double edge_modal_radius(const WaveEquation2d& equation, const EdgeStencil& edge, int modes = 33,
                                       int points = 40) {
    require(modes >= 2, "wave::edge_modal_radius", "modes is ", modes, ", must be at least 2");
    require(points >= 30, "wave::edge_modal_radius", "points is ", points,
            ", must be at least 30: short systems hide what grows");
    double radius = 0.0;
    for (int m = 0; m < modes; ++m)
        radius = std::max(radius, linalg::spectral_radius(
                                      edge_mode_system(equation, edge, std::numbers::pi * m / (modes - 1), points)));
    return radius;
}

/// Quality of an edge, to be checked before it is used.
struct EdgeReport {
    double sum = 0.0;                 ///< of all weights, 1 if constants pass
    double box_radius = 0.0;          ///< spectral radius per step on 7 x 7 points, more in x if the stencil needs them
    double modal_radius = 0.0;        ///< largest over all modes, 40 points
    double largest_reflection = 0.0;  ///< over the band
    std::string objections = {};      ///< empty if it may be used

    [[nodiscard]] bool usable() const noexcept { return objections.empty(); }
};

/// Objects to a sum of weights more than 1e-3 from 1 (long waves come back), to growth above 1e-9 per step, and to
/// reflection above one half in the band.
template <class = void>
[[nodiscard]] EdgeReport edge_report(const WaveEquation2d& equation, const EdgeStencil& edge,
                                     const EdgeBand& band = {}) {
    EdgeReport report;
    const int small = std::max(7, edge.form().points + 2);
    report.sum = edge.sum();
    report.box_radius = edge_box_radius(equation, edge, small, 7);
    report.modal_radius = edge_modal_radius(equation, edge);
    report.largest_reflection = largest_reflection(equation, edge, band);
    const auto object = [&](bool bad, const std::string& why) {
        if (bad) report.objections += (report.objections.empty() ? "" : "; ") + why;
    };
    object(!(std::abs(report.sum - 1.0) <= 1e-3),
           "the weights sum up to " + shown(report.sum) + " instead of 1: long waves are reflected");
    object(!(report.box_radius <= 1.0 + 1e-9),
           "a box of " + std::to_string(small) + " x 7 points grows by " + shown(report.box_radius) + " per step");
    object(!(report.modal_radius <= 1.0 + 1e-9),
           "a long membrane grows by " + shown(report.modal_radius) + " per step");
    object(!(report.largest_reflection <= 0.5), "|R| reaches " + shown(report.largest_reflection) + " in the band");
    return report;
}

}  // namespace panto::wave
