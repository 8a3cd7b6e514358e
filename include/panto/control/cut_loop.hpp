// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loop cut where the command enters the rig:
///
///     x+ = A x + B w,   u = C x + D w,     closed by w = u
///
/// closed_loop.hpp builds it for a linear controller, margins.hpp for a controller that estimates the contact force.

#pragma once

#include <panto/core/compiled.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include <Eigen/Core>

namespace panto::control {

struct CutLoop {
    Eigen::MatrixXd A;
    Eigen::VectorXd B;
    Eigen::RowVectorXd C;
    double D = 0.0;
    double dt = 0.0;  ///< s
};

/// Spectral radius of the closed loop, per step.
template <class = void>
[[nodiscard]] double radius(const CutLoop& loop) {
    const Eigen::MatrixXd closed = loop.A + loop.B * loop.C / (1.0 - loop.D);
    return linalg::spectral_radius(closed);
}

}  // namespace panto::control
