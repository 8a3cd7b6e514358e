// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whether a rig settles with a controller: plant, interaction mass and controller as one linear loop
/// [HiL paper, Sec. 3-4].
///
///     x_i+ = A_i x_i + B_i F                           interaction mass on a wire at rest, Newmark
///     x+   = A x + sum_j command.col(j) w[t-j]         the rig, see plant/model.hpp
///     w[t] = the controller, from u_m, F and the new x_i
///
/// In cycle t the controller sees motor height u_m and force F as they were when the readings were taken, and the
/// interaction mass one period later. Its command w[t] takes effect after the delays of the rig.

#pragma once

#include <panto/core/check.hpp>
#include <panto/dynamics/newmark.hpp>
#include <panto/linalg/spectral_radius.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/Core>

#include <concepts>

namespace panto::control {

/// Table 2 of the HiL paper.
inline constexpr dynamics::OscillatorParams<double> table2_interaction_mass{0.05, 50.0, 50e3};

/// A linear position controller as its plant sees it, the wire at rest at height 0:
/// x[t+1] = A x[t] + B y[t],  w[t] = C x[t] + D y[t],  y[t] = [u_m[t], F[t], u_i[t+1], u_i'[t+1], u_i''[t+1]].
struct LinearController {
    Eigen::MatrixXd A;
    Eigen::MatrixXd B;  ///< as many columns as y has entries, 5
    Eigen::RowVectorXd C;
    Eigen::RowVectorXd D;  ///< 5 entries
};

/// No control: w = u_i.
template <class = void>
[[nodiscard]] LinearController direct_controller() {
    return {Eigen::MatrixXd(0, 0), Eigen::MatrixXd(0, 5), Eigen::RowVectorXd(0), Eigen::RowVectorXd::Unit(5, 2)};
}

/// Spectral radius of interaction mass, rig and controller in a loop, the wire at rest: below 1 the rig settles.
/// It covers neither contact loss nor the catenary.
/// @throws SetupError if the interaction mass is invalid or sizes disagree.
template <class = void>
[[nodiscard]] double closed_loop_radius(const plant::SampledModel& plant, const LinearController& controller,
                                        const dynamics::OscillatorParams<double>& interaction_mass) {
    const char* where = "control::closed_loop_radius";
    const Eigen::Index np = plant.size(), nc = controller.A.rows();
    require(controller.A.cols() == nc && controller.B.rows() == nc && controller.B.cols() == 5 &&
                controller.C.size() == nc && controller.D.size() == 5,
            where, "the sizes of the controller's A, B, C and D must agree, with 5 inputs");
    const dynamics::NewmarkOscillator<double> mass(interaction_mass, plant.dt);
    // State: x_i, plant, the commands in transit (newest first), controller.
    const Eigen::Index p = 3, pending = p + np, c = pending + plant.pending(), size = c + nc;
    Eigen::MatrixXd loop = Eigen::MatrixXd::Zero(size, size);
    loop.topLeftCorner(3, 3) = mass.A();
    loop.block(0, p, 3, np) = mass.B() * plant.force;
    loop.block(p, p, np, np) = plant.A;
    loop.block(p, pending, np, plant.pending()) = plant.command.rightCols(plant.pending());
    for (Eigen::Index j = 1; j < plant.pending(); ++j) loop(pending + j, pending + j - 1) = 1.0;
    Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(5, size);
    seen(0, p + plant::motor_height) = 1.0;
    seen.block(1, p, 1, np) = plant.force;
    seen.bottomRows(3) = loop.topRows(3);
    Eigen::RowVectorXd command = controller.D * seen;
    command.segment(c, nc) += controller.C;
    if (plant.pending() > 0) loop.row(pending) = command;
    loop.block(p, 0, np, size) += plant.command.col(0) * command;
    loop.bottomRows(nc) = controller.B * seen;
    loop.bottomRightCorner(nc, nc) += controller.A;
    return linalg::spectral_radius(loop);
}

/// The same for a controller with a linear_model() (PaperLqg, Lqg).
/// @throws SetupError as above, or if controller and plant are made for different time steps.
template <class C>
    requires requires(const C& c) {
        { c.linear_model() } -> std::same_as<LinearController>;
    }
[[nodiscard]] double closed_loop_radius(const plant::SampledModel& plant, const C& controller,
                                        const dynamics::OscillatorParams<double>& interaction_mass) {
    require_time_step(controller, plant.dt, "control::closed_loop_radius", "the controller");
    return closed_loop_radius(plant, controller.linear_model(), interaction_mass);
}

#ifdef PANTO_COMPILED
extern template double closed_loop_radius(const plant::SampledModel&, const LinearController&,
                                          const dynamics::OscillatorParams<double>&);
#endif

}  // namespace panto::control
