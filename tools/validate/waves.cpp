// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of zero tests, waves and their absorbing ends, optimizers.

#include "../../tests/cases/opt_cases.hpp"
#include "../../tests/cases/poly_cases.hpp"
#include "../../tests/cases/wave_2d_cases.hpp"
#include "../../tests/cases/wave_cases.hpp"
#include "../../tests/cases/wave_convergence_cases.hpp"
#include "rooms.hpp"

namespace panto::test {

Tasks wave_tasks() {
    return {{"published absorbing ends", published_absorbing_ends},
            {"transparent ends", transparent_ends_measured},
            {"absorbing edge of a membrane", designed_edge},
            {"designed absorbing ends", designed_absorbing_ends},
            {"orders of convergence", wave_convergence_figures},
            {"packets on a membrane", membrane_figures},
            {"zeros of random polynomials", random_polynomial_figures},
            {"optimizers", optimizer_figures}};
}

}  // namespace panto::test
