// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/blend.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace blend_test {

using panto::rig::smooth_blend;

TEST_SUITE("smooth blend") {
    TEST_CASE("leads from 0 to 1 and stays there") {
        CHECK(smooth_blend(-1.0) == 0.0);
        CHECK(smooth_blend(0.0) == 0.0);
        CHECK(smooth_blend(0.5) == 0.5);
        CHECK(smooth_blend(1.0) == 1.0);
        CHECK(smooth_blend(2.0) == 1.0);
        CHECK(smooth_blend(std::numeric_limits<double>::quiet_NaN()) == 0.0);
    }

    TEST_CASE("is at rest and without acceleration at both ends, steepest in the middle") {
        // 10 s^3 and so on: within h of an end it moves by 10 h^3 at most.
        const double h = 1e-3;
        CHECK(smooth_blend(h) <= 10.0 * h * h * h);
        CHECK(1.0 - smooth_blend(1.0 - h) <= 10.0 * h * h * h);
        // Central difference: third derivative -60, error 60 h^2/6 = 1e-5.
        CHECK((smooth_blend(0.5 + h) - smooth_blend(0.5 - h)) / (2.0 * h) == approx(1.875).epsilon(2e-5));
    }

    TEST_CASE("does not allocate") {  // @rt-tested: smooth_blend
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  for (int i = 0; i <= 10; ++i) sum += smooth_blend(0.1 * i);
              }) == 0);
        CHECK(sum == approx(5.5));  // antisymmetric about the middle
    }
}

}  // namespace blend_test
