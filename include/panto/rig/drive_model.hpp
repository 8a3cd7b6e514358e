// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The model of a linear drive for a predictive controller of its rig, and the comparison of this model with the drive.

#pragma once

#include <panto/control/state_space.hpp>
#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>
#include <panto/plant/drive_rig.hpp>

#include <Eigen/Core>

#include <cmath>
#include <concepts>

namespace panto::rig {

/// The controller's model of a drive that works as specified; its dt is the time between two commands of the rig.
/// @throws SetupError as plant::linear_drive does.
template <class = void>
[[nodiscard]] control::StateSpace drive_model(const plant::DriveRigParams& p) {
    const plant::LinearDrive drive = plant::linear_drive(p.drive);
    const auto held = plant::held_drive(drive, p.drive_steps);
    return {held.A, held.B, Eigen::MatrixXd::Identity(2, 4), Eigen::MatrixXd::Zero(2, 2), p.drive_steps * drive.dt()};
}

/// Compares the controller's model of the drive with the rig's drive, if the rig describes its drive by params().
/// @throws SetupError naming the first entry that differs by more than 1e-6 of itself, and both values. (Rounding,
/// 1e-12 of the largest entry in the row, does not count. Entries of a row have different units: a larger share of the
/// largest would hide the effect of the force.)
template <class Rig>
void require_same_drive(const control::StateSpace& told, const Rig& rig, const char* where) {
    if constexpr (requires {
                      { rig.params() } -> std::convertible_to<const plant::DriveRigParams&>;
                  }) {
        const control::StateSpace actual = drive_model(rig.params());
        const auto compare = [&](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const char* matrix) {
            for (Eigen::Index i = 0; i < b.rows(); ++i)
                for (Eigen::Index k = 0; k < b.cols(); ++k)
                    require(std::abs(a(i, k) - b(i, k)) <=
                                1e-6 * std::abs(b(i, k)) + 1e-12 * b.row(i).cwiseAbs().maxCoeff(),
                            where, "the controller's model is of another drive than the rig's: ", matrix, "(", i, ", ",
                            k, ") is ", a(i, k), ", that of the rig ", b(i, k),
                            "; make it with rig::drive_model(rig.params()), or set accept_other_drive");
        };
        compare(told.A, actual.A, "A");
        compare(told.B, actual.B, "B");
    }
}

}  // namespace panto::rig
