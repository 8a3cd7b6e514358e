// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What validate measures, by room: each in a file of its own, since most of the time goes into compiling.

#pragma once

#include "../../tests/support/targets.hpp"

#include <functional>
#include <string>
#include <vector>

namespace panto::test {

struct Task {
    std::string what;
    std::function<std::vector<Measured>()> run;
};
using Tasks = std::vector<Task>;

/// Catenary, interaction, control, rig. The targets must outlive the tasks.
Tasks line_tasks(const Targets& targets);
/// The default controller on the simulated rig.
Tasks control_tasks();
/// Poly, wave, opt.
Tasks wave_tasks();
/// Ident, sensitivity, study.
Tasks identification_tasks();
/// The line in the train's frame, quadratic programs.
Tasks predictive_tasks();
/// Bogie and train.
Tasks vehicle_tasks();
/// Duals and adjoint of catenary and ident.
Tasks gradient_tasks();

}  // namespace panto::test
