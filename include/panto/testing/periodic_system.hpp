// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for periodic linear systems of your own, such as a line in the train's frame for control. Include it by
/// name: it is not part of <panto/testing.hpp>.

#pragma once

#include <panto/core/compiled.hpp>
#include <panto/dynamics/periodic_system.hpp>
#include <panto/testing/findings.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>

namespace panto::testing {

/// Tests that sizes agree and all entries are finite, that a state decays over the periods, and that every input moves
/// an output within two periods.
template <PeriodicSystem S>
[[nodiscard]] Findings test_periodic_system(const S& system) {
    Findings f;
    try {
        dynamics::validate(system, "testing::test_periodic_system");
        const double radius = dynamics::period_radius(system);
        expect(f, radius < 1.0, "over a period a state grows by the factor ", radius, ", must be below 1");
    } catch (const SetupError& e) {
        f.emplace_back(e.what());
        return f;
    }
    const std::size_t samples = system.A.size();
    const Eigen::MatrixXd first = system.B[0];
    for (Eigen::Index input = 0; input < first.cols(); ++input) {
        Eigen::VectorXd x = first.col(input);
        double moved = 0.0;
        for (std::size_t k = 1; k <= 2 * samples; ++k) {
            moved += (system.C * x).cwiseAbs().sum();
            x = (system.A[k % samples] * x).eval();
        }
        expect(f, moved > 0.0, "input ", input, " affects no output within two periods");
    }
    return f;
}

}  // namespace panto::testing
