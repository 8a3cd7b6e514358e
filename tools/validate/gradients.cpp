// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of exact gradients.

#include "../../tests/cases/catenary_gradient_cases.hpp"
#include "../../tests/cases/ident_gradient_cases.hpp"
#include "rooms.hpp"

namespace panto::test {

Tasks gradient_tasks() {
    return {{"gradients of nonlinear boundaries", boundary_gradient_figures},
            {"gradients of a passage", passage_gradient_figures}};
}

}  // namespace panto::test
