// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of the line in the train's frame, of quadratic programs and of predictive controllers.

#include "../../tests/cases/moving_cases.hpp"
#include "../../tests/cases/moving_relations.hpp"
#include "../../tests/cases/mpc_relations.hpp"
#include "../../tests/cases/qp_cases.hpp"
#include "../../tests/cases/random_qp_cases.hpp"
#include "../../tests/cases/rig_mpc_cases.hpp"
#include "rooms.hpp"

namespace panto::test {
namespace {

/// What must not change.
std::vector<Measured> relations() {
    const LineRelations line = line_relations();
    const ControllerRelations mpc = controller_relations();
    return {{"same.line.shifted", line.shifted},
            {"same.line.scaled", line.scaled},
            {"same.line.later", line.later},
            {"same.line.mirrored", line.mirrored},
            {"same.mpc.regulator", mpc.regulator},
            {"same.mpc.shifted", mpc.shifted},
            {"same.mpc.scaled", mpc.scaled},
            {"same.mpc.unused_limits", static_cast<double>(mpc.changed_by_unused_limits)}};
}

}  // namespace

Tasks predictive_tasks() {
    return {{"line in the train's frame", moving_figures},
            {"quadratic programs", qp_figures},
            {"random quadratic programs", random_qp::figures},
            {"shifted, scaled and mirrored", relations},
            {"RigMpc on the simulated rig", rig_mpc::figures}};
}

}  // namespace panto::test
