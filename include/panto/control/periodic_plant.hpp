// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A periodic system as the plant of a controller: one state space for each sample of the period.

#pragma once

#include <panto/control/state_space.hpp>
#include <panto/dynamics/periodic_system.hpp>

#include <cstddef>
#include <vector>

namespace panto::control {

/// For MpcParams::plant. D is 0: no output depends on the input of the same instant.
/// @throws SetupError as dynamics::validate does.
template <PeriodicSystem System>
[[nodiscard]] std::vector<StateSpace> periodic_plant(const System& system) {
    dynamics::validate(system, "control::periodic_plant");
    std::vector<StateSpace> plant;
    for (std::size_t k = 0; k < system.A.size(); ++k) {
        const Eigen::MatrixXd B = system.B[k];
        plant.push_back({system.A[k], B, system.C, Eigen::MatrixXd::Zero(system.C.rows(), B.cols()), system.dt});
    }
    return plant;
}

}  // namespace panto::control
