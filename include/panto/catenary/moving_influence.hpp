// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// For a line in the train's frame: the effect that forces at the end of a step have within this step. The forces are
/// the contact force and the corrections of slack droppers. Let T be the tensions if all droppers stayed taut, k
/// their stiffnesses, and L the matrix MovingInfluence::slack. The corrections c solve
///
///     w = T / k + L c >= 0 ,   c >= 0 ,   w' c = 0 .
///
/// The wires are explicit in time, so droppers a few cells apart hardly affect each other within a step. L is nearly
/// diagonal, and a few sweeps of the projected Gauss-Seidel method converge to rounding.

#pragma once

#include <panto/catenary/moving_matrices.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::catenary {

/// The influences of one step of the period, with droppers in the order of the phase at its end.
struct MovingInfluence {
    double compliance = 0.0;  ///< m/N, of the contact force on the height above the strip
    Eigen::VectorXd reach;    ///< m/N, of the contact force on the stretch of dropper j
    Eigen::VectorXd lift;     ///< m/N, of the correction of dropper j on the height above the strip
    Eigen::MatrixXd slack;    ///< L, m/N
};

/// The weights of the forces at n+1 in the step from n to n+1.
inline constexpr double contact_share = 0.25, dropper_share = 0.5;

namespace detail {

inline void add_load(Eigen::VectorXd& x, const BearingPoints& bears, std::size_t wire, const GridPlace& at,
                     double density) noexcept {
    const int i = 2 * at.node + static_cast<int>(wire);
    x[i] += bears[wire][at.node] * (1.0 - at.right) * density;
    x[i + 2] += bears[wire][at.node + 1] * at.right * density;
}

/// Height of wire 0 or 1 at a position, m; x holds both wires, point by point. @rt
[[nodiscard]] inline double height_in(const Eigen::VectorXd& x, int wire, const GridPlace& at) noexcept {
    const int i = 2 * at.node + wire;
    return x[i] + at.right * (x[i + 2] - x[i]);
}

/// Stretch of a dropper, m. @rt
[[nodiscard]] inline double stretch_in(const Eigen::VectorXd& x, const GridPlace& at) noexcept {
    return height_in(x, 1, at) - height_in(x, 0, at);
}

/// One sweep; returns the largest change of a correction, N. @rt
[[nodiscard]] inline double sweep(const MovingInfluence& of, const Eigen::VectorXd& tension, int count,
                                  Eigen::VectorXd& c) noexcept {
    double change = 0.0;
    for (int i = 0; i < count; ++i) {
        double w = tension[i];
        for (int j = 0; j < count; ++j) w += of.slack(i, j) * c[j];
        const double next = std::max(0.0, c[i] - w / of.slack(i, i));
        change = std::max(change, std::abs(next - c[i]));
        c[i] = next;
    }
    return change;
}

}  // namespace detail

/// The influences for each step of the period.
/// @throws SetupError if droppers are so close, and affect each other within a step so much, that the sweeps might not
/// converge.
template <class = void>
[[nodiscard]] std::vector<MovingInfluence> moving_influences(const MovingPassage& passage,
                                                             const std::vector<linalg::BandLu<double>>& matrices,
                                                             const detail::BearingPoints& bears) {
    std::vector<MovingInfluence> all(matrices.size());
    Eigen::VectorXd x(2 * passage.points);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto& droppers = passage.phases[(k + 1) % all.size()].droppers;
        const auto count = static_cast<Eigen::Index>(droppers.size());
        MovingInfluence& of = all[k];
        of.reach = of.lift = Eigen::VectorXd::Zero(count);
        of.slack = Eigen::MatrixXd::Zero(count, count);
        x.setZero();
        detail::add_load(x, bears, 0, passage.contact, contact_share / passage.dx);
        matrices[k].solve(x);
        of.compliance = detail::height_in(x, 0, passage.contact);
        for (Eigen::Index i = 0; i < count; ++i)
            of.reach[i] = detail::stretch_in(x, droppers[static_cast<std::size_t>(i)].at);
        for (Eigen::Index j = 0; j < count; ++j) {
            const auto& d = droppers[static_cast<std::size_t>(j)];
            x.setZero();
            detail::add_load(x, bears, 0, d.at, dropper_share / passage.dx);
            detail::add_load(x, bears, 1, d.at, -dropper_share / passage.dx);
            matrices[k].solve(x);
            of.lift[j] = detail::height_in(x, 0, passage.contact);
            for (Eigen::Index i = 0; i < count; ++i)
                of.slack(i, j) = detail::stretch_in(x, droppers[static_cast<std::size_t>(i)].at);
            of.slack(j, j) += 1.0 / d.stiffness;
        }
        for (Eigen::Index i = 0; i < count; ++i)
            require(of.slack(i, i) > 2.0 * (of.slack.row(i).cwiseAbs().sum() - of.slack(i, i)),
                    "catenary::moving_influences", "the dropper at ",
                    droppers[static_cast<std::size_t>(i)].at.node * passage.dx,
                    " m is too close to its neighbours for this step; use shorter steps or finer cells");
    }
    return all;
}

/// Corrections of the slack droppers, N, from the tensions over stiffness, m. On entry `c` is a first guess. @rt
[[nodiscard]] inline Status slacken(const MovingInfluence& of, const Eigen::VectorXd& tension, int count,
                                    Eigen::VectorXd& c) noexcept {
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        if (!is_finite(tension[i])) return Status::not_finite;
        most = std::max(most, -tension[i] / of.slack(i, i));
    }
    constexpr int sweeps = 60;
    for (int turn = 0; turn < sweeps; ++turn)
        if (detail::sweep(of, tension, count, c) <= 1e-14 * most + 1e-14) return Status::ok;
    return Status::not_converged;
}

}  // namespace panto::catenary
