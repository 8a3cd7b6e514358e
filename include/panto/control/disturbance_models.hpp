// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A plant with a model of its disturbance, so that an estimator for it estimates the disturbance as well. See also
/// with_input_disturbance() (state_space.hpp).

#pragma once

#include <panto/control/state_space.hpp>
#include <panto/core/check.hpp>

#include <Eigen/Core>

namespace panto::control {

/// A plant with a disturbance d on its output, y = C x + D u + d, d = F w, w+ = S w. State [x; w].
/// @throws SetupError if sizes disagree, S is empty, or an entry is not finite.
template <class = void>
[[nodiscard]] StateSpace with_output_disturbance(const StateSpace& plant, const Eigen::MatrixXd& S,
                                                 const Eigen::MatrixXd& F) {
    const char* where = "control::with_output_disturbance";
    validate(plant, where);
    const Eigen::Index nx = plant.states(), nw = S.rows();
    require(nw > 0, where, "S is empty; it must describe at least one disturbance");
    require(S.cols() == nw && F.cols() == nw && F.rows() == plant.outputs(), where, "S is ", S.rows(), " by ", S.cols(),
            " and F ", F.rows(), " by ", F.cols(), ", the plant has ", plant.outputs(), " outputs");
    StateSpace s{Eigen::MatrixXd::Zero(nx + nw, nx + nw), Eigen::MatrixXd::Zero(nx + nw, plant.inputs()),
                 Eigen::MatrixXd(plant.outputs(), nx + nw), plant.D, plant.dt};
    s.A.topLeftCorner(nx, nx) = plant.A;
    s.A.bottomRightCorner(nw, nw) = S;
    s.B.topRows(nx) = plant.B;
    s.C << plant.C, F;
    validate(s, where);
    return s;
}

/// A plant that gets u + d on its input, where d is white noise that has passed a shaping filter. Inputs [u; noise],
/// state [x; state of the filter]. For a noise of covariance V, the process noise of an estimator is W = N V N', with
/// the columns N of B that belong to the noise.
/// @throws SetupError if sizes or time steps disagree.
template <class = void>
[[nodiscard]] StateSpace with_shaped_disturbance(const StateSpace& plant, const StateSpace& filter) {
    const char* where = "control::with_shaped_disturbance";
    detail::require_same_time(plant, filter, where);
    require(filter.outputs() == plant.inputs(), where, "the filter has ", filter.outputs(), " outputs and the plant ",
            plant.inputs(), " inputs, must be equal");
    const StateSpace noisy = series(filter, plant);  // state [filter; plant]
    const Eigen::Index nx = plant.states(), nf = filter.states(), nu = plant.inputs(), ne = filter.inputs();
    StateSpace s{Eigen::MatrixXd::Zero(nx + nf, nx + nf), Eigen::MatrixXd::Zero(nx + nf, nu + ne),
                 Eigen::MatrixXd(plant.outputs(), nx + nf), Eigen::MatrixXd(plant.outputs(), nu + ne), plant.dt};
    s.A.topLeftCorner(nx, nx) = plant.A;
    s.A.topRightCorner(nx, nf) = noisy.A.bottomLeftCorner(nx, nf);
    s.A.bottomRightCorner(nf, nf) = filter.A;
    s.B.topLeftCorner(nx, nu) = plant.B;
    s.B.topRightCorner(nx, ne) = noisy.B.bottomRows(nx);
    s.B.bottomRightCorner(nf, ne) = filter.B;
    s.C << plant.C, noisy.C.leftCols(nf);
    s.D << plant.D, noisy.D;
    return s;
}

}  // namespace panto::control
