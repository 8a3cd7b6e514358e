// SPDX-License-Identifier: BSD-3-Clause
// Heat slab with radiation and beam with a cubic boundary: dual numbers and discrete adjoint against the complex step.
#include <panto/core/dual.hpp>
#include <panto/field/heat_slab.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/ident/boundary_adjoint.hpp>

#include "../../cases/ident_gradient_cases.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <vector>

namespace adjoint_test {
namespace {

using namespace panto;
using namespace panto::ident;
using namespace panto::test::boundary_gradient;

void check(const Agreement& a) {
    CHECK(a.value <= 1e-12);
    CHECK(a.duals <= 1e-10);  // demanded; 1e-13 is reached
    CHECK(a.adjoint <= 1e-10);
    CHECK(a.checkpoints == 0.0);  // the same numbers, marched again
    CHECK(a.states_kept < 0.25);
}

template <class Call>
double seconds(const Call& call) {
    double best = 1e9;
    for (int k = 0; k < 7; ++k) {
        const auto start = std::chrono::steady_clock::now();
        call();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

/// Time of value and gradient over that of the march alone.
template <class Law>
double relative_cost(const Law& law, const std::array<double, std::size_t(Law::size)>& theta) {
    constexpr int steps = 2000;
    const BoundaryModel model(heat_slab<double>({}, 0.01), law, theta);
    const BoundaryStepper stepper(model);
    double sum = 0.0;
    const double march = seconds([&] {
        Vec x = stepper.start(), next = x;
        for (int n = 0; n < steps; ++n) {
            stepper.step(n, x, next);
            x.swap(next);
            sum += x[stepper.sensor()];
        }
    });
    const double both = seconds([&] { sum += adjoint(model, steps, {}).gradient[0]; });
    CHECK(std::isfinite(sum));
    return both / march;
}

}  // namespace

TEST_SUITE("ident::adjoint_gradient") {
    TEST_CASE("of a slab that radiates agrees with dual numbers and the complex step") { check(radiating_slab()); }

    TEST_CASE("of a beam with a cubic boundary agrees with dual numbers and the complex step") { check(cubic_beam()); }

    TEST_CASE("costs at most five marches, with 6 parameters and with 100") {
        // Two steps for each, three where few states are kept. What a clock says is in the long run.
        const auto fewest = CheckpointPolicy::fewest(2000);
        CHECK(CheckpointPolicy::fewest(std::numeric_limits<int>::max()).interval == 46341);
        CHECK(cost_in_marches(PolynomialSpring<6>{}, six_parameters()) == 2.0);
        CHECK(cost_in_marches(HundredTerms{}, hundred_parameters()) == 2.0);
        CHECK(cost_in_marches(HundredTerms{}, hundred_parameters(), fewest) <= 3.0);
    }

    TEST_CASE("refuses a march of no steps") {
        const BoundaryModel model(heat_slab<double>({}, 0.01), PolynomialSpring<1>{}, {1.0});
        CHECK_THROWS_AS((void)adjoint(model, 0, {}), SetupError);
        CHECK_THROWS_AS((void)adjoint(model, 5, {}, {.interval = 0}), SetupError);
    }
}

TEST_SUITE("long") {
    TEST_CASE("by the clock, too, a gradient costs at most five marches") {
        CHECK(relative_cost(PolynomialSpring<6>{}, six_parameters()) < 5.0);
        CHECK(relative_cost(HundredTerms{}, hundred_parameters()) < 5.0);
    }
}

}  // namespace adjoint_test
