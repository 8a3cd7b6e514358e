// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of identification, sensitivity and studies.

#include <panto/study/run.hpp>

#include "../../tests/cases/ident_boundary_cases.hpp"
#include "../../tests/cases/ident_cases.hpp"
#include "../../tests/cases/sensitivity_cases.hpp"
#include "../../tests/cases/study_cases.hpp"
#include "rooms.hpp"

namespace panto::test {

Tasks identification_tasks() {
    return {{"beam of Publication A", beam_figures},
            {"nonlinear boundaries", boundary_figures},
            {"sensitivity", sensitivity_figures},
            {"studies", study_figures}};
}

}  // namespace panto::test
