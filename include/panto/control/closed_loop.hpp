// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whether a rig settles with a controller: plant, interaction mass and controller as one linear loop
/// [HiL paper, Sec. 3-4].
///
///     x_i+ = A_i x_i + B_i F                           interaction mass on a wire at rest, Newmark
///     x+   = A x + sum_j command.col(j) w[t-j]         the rig, see plant/model.hpp
///     w[t] = the controller, from u_m, F and the new x_i
///
/// In cycle t the controller gets the readings (motor height u_m and force F) and the state of the interaction mass at
/// the end of the cycle, one period later than the readings. Its command w[t] takes effect after the delays of the rig.

#pragma once

#include <panto/control/cut_loop.hpp>
#include <panto/core/check.hpp>
#include <panto/dynamics/newmark.hpp>
#include <panto/plant/interaction_mass.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/Core>

#include <concepts>

namespace panto::control {

using plant::table2_interaction_mass;

/// A linear position controller, with the wire at rest at height 0:
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

/// The loop of interaction mass, rig and linear controller, cut at the command, with the wire at rest. This loop covers
/// neither contact loss nor the motion of the catenary.
/// @throws SetupError if the interaction mass is invalid or sizes disagree.
template <class = void>
[[nodiscard]] CutLoop cut_loop(const plant::SampledModel& plant, const LinearController& controller,
                               const dynamics::OscillatorParams<double>& interaction_mass) {
    const char* where = "control::cut_loop";
    const Eigen::Index np = plant.size(), nc = controller.A.rows();
    require(controller.A.cols() == nc && controller.B.rows() == nc && controller.B.cols() == 5 &&
                controller.C.size() == nc && controller.D.size() == 5,
            where, "the sizes of the controller's A, B, C and D must agree, with 5 inputs");
    const dynamics::NewmarkOscillator<double> mass(interaction_mass, plant.dt);
    // State: x_i, plant, the commands in transit (newest first), controller.
    const Eigen::Index p = 3, pending = p + np, c = pending + plant.pending(), size = c + nc;
    CutLoop loop{Eigen::MatrixXd::Zero(size, size), Eigen::VectorXd::Zero(size), Eigen::RowVectorXd::Zero(size), 0.0,
                 plant.dt};
    loop.A.topLeftCorner(3, 3) = mass.A();
    loop.A.block(0, p, 3, np) = mass.B() * plant.force;
    loop.A.block(p, p, np, np) = plant.A;
    loop.A.block(p, pending, np, plant.pending()) = plant.command.rightCols(plant.pending());
    for (Eigen::Index j = 1; j < plant.pending(); ++j) loop.A(pending + j, pending + j - 1) = 1.0;
    loop.B.segment(p, np) = plant.command.col(0);
    if (plant.pending() > 0) loop.B[pending] = 1.0;
    Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(5, size);
    seen(0, p + plant::motor_height) = 1.0;
    seen.block(1, p, 1, np) = plant.force;
    seen.bottomRows(3) = loop.A.topRows(3);
    loop.C = controller.D * seen;
    loop.C.segment(c, nc) += controller.C;
    loop.A.bottomRows(nc) = controller.B * seen;
    loop.A.bottomRightCorner(nc, nc) += controller.A;
    return loop;
}

/// The same for a controller with a linear_model() (PaperLqg, Lqg).
/// @throws SetupError as above, or if controller and plant are made for different time steps, or the controller for
/// another interaction mass.
template <class C>
    requires requires(const C& c) {
        { c.linear_model() } -> std::same_as<LinearController>;
    }
[[nodiscard]] CutLoop cut_loop(const plant::SampledModel& plant, const C& controller,
                               const dynamics::OscillatorParams<double>& interaction_mass) {
    require_time_step(controller, plant.dt, "control::cut_loop", "the controller");
    if constexpr (plant::KnowsInteractionMass<C>)
        plant::require_designed_mass(controller.interaction_mass(), interaction_mass, "control::cut_loop", "the loop",
                                     "; give controller.interaction_mass()");
    return cut_loop(plant, controller.linear_model(), interaction_mass);
}

/// Spectral radius of the loop that cut_loop() returns, when it is closed: below 1 the rig settles.
/// @throws SetupError as cut_loop() does.
template <class C>
[[nodiscard]] double closed_loop_radius(const plant::SampledModel& plant, const C& controller,
                                        const dynamics::OscillatorParams<double>& interaction_mass) {
    return radius(cut_loop(plant, controller, interaction_mass));
}

/// The same with the interaction mass that the controller was designed for.
template <plant::KnowsInteractionMass C>
[[nodiscard]] double closed_loop_radius(const plant::SampledModel& plant, const C& controller) {
    return closed_loop_radius(plant, controller, controller.interaction_mass());
}

#ifdef PANTO_COMPILED
extern template CutLoop cut_loop(const plant::SampledModel&, const LinearController&,
                                 const dynamics::OscillatorParams<double>&);
extern template double radius(const CutLoop&);
#endif

}  // namespace panto::control
