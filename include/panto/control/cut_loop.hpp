// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loop cut where the command enters the rig:
///
///     x+ = A x + B w,   u = C x + D w,     closed by w = u
///
/// u is the command that the controller computes, w the one that enters the rig. closed_loop.hpp builds such a loop for
/// a rig with a linear controller, margins.hpp for a controller that estimates the contact force, cut_at_input() for
/// any plant and controller that are given as a StateSpace.

#pragma once

#include <panto/control/state_space.hpp>
#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include <Eigen/Core>

#include <string_view>

namespace panto::control {

struct CutLoop {
    Eigen::MatrixXd A;
    Eigen::VectorXd B;
    Eigen::RowVectorXd C;
    double D = 0.0;
    double dt = 0.0;  ///< s
};

/// @throws SetupError if sizes do not agree, an entry is not finite, or D = 1.
template <class = void>
void validate(const CutLoop& loop, std::string_view where) {
    const Eigen::Index n = loop.A.rows();
    require(loop.A.cols() == n && loop.B.size() == n && loop.C.size() == n, where,
            "the sizes of A, B and C must agree");
    const auto all_finite = [where](const Eigen::MatrixXd& M, const char* name) {
        for (const double entry : M.reshaped()) require_finite(entry, where, "an entry of ", name);
    };
    all_finite(loop.A, "A"), all_finite(loop.B, "B"), all_finite(loop.C, "C");
    require_finite(loop.D, where, "D");
    require(loop.D != 1.0, where, "D is 1: the loop w = C x + w cannot be closed");
}

/// Spectral radius of the closed loop, per step.
/// @throws SetupError as validate().
template <class = void>
[[nodiscard]] double radius(const CutLoop& loop) {
    validate(loop, "control::radius");
    const Eigen::MatrixXd closed = loop.A + loop.B * loop.C / (1.0 - loop.D);
    return linalg::spectral_radius(closed);
}

/// The loop of a plant and its controller, cut at the input of the plant. State: those of plant and controller.
/// @param controller  its first inputs are the outputs of the plant; further ones, such as references, do not matter.
/// Its output is the command itself, not the negative command, as in TrackingController::linear_model().
/// @throws SetupError if the plant does not have one input, or the controller one output, if they have different time
/// steps or none, or if the controller has too few inputs.
template <class = void>
[[nodiscard]] CutLoop cut_at_input(const StateSpace& plant, const StateSpace& controller) {
    const char* where = "control::cut_at_input";
    detail::require_same_time(plant, controller, where);
    require(plant.dt > 0.0, where, "plant and controller are continuous; sample them first");
    require(plant.inputs() == 1 && controller.outputs() == 1, where, "the plant has ", plant.inputs(),
            " inputs and the controller ", controller.outputs(), " outputs, each must have 1");
    const Eigen::Index np = plant.states(), nc = controller.states(), ny = plant.outputs();
    require(controller.inputs() >= ny, where, "the controller has ", controller.inputs(),
            " inputs, must have at least as many as the plant has outputs, ", ny);
    CutLoop loop{Eigen::MatrixXd::Zero(np + nc, np + nc), Eigen::VectorXd(np + nc), Eigen::RowVectorXd(np + nc),
                 (controller.D.leftCols(ny) * plant.D)(0, 0), plant.dt};
    loop.A.topLeftCorner(np, np) = plant.A;
    loop.A.bottomLeftCorner(nc, np) = controller.B.leftCols(ny) * plant.C;
    loop.A.bottomRightCorner(nc, nc) = controller.A;
    loop.B << plant.B, controller.B.leftCols(ny) * plant.D;
    loop.C << controller.D.leftCols(ny) * plant.C, controller.C;
    return loop;
}

}  // namespace panto::control
