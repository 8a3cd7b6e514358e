// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of the line in the train's frame and of quadratic programs.

#include "../../tests/cases/moving_cases.hpp"
#include "../../tests/cases/qp_cases.hpp"
#include "rooms.hpp"

namespace panto::test {

Tasks predictive_tasks() { return {{"line in the train's frame", moving_figures}, {"quadratic programs", qp_figures}}; }

}  // namespace panto::test
