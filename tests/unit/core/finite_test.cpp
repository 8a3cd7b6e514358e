// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

TEST_CASE("every ordinary number, zero of both signs and the subnormals are finite") {
    using Limits = std::numeric_limits<double>;
    for (const double x : {0.0, -0.0, 1.0, -1.0, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min()})
        CHECK(panto::is_finite(x));
}

TEST_CASE("infinities and every kind of NaN are not finite") {
    using Limits = std::numeric_limits<double>;
    for (const double x :
         {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::signaling_NaN()})
        CHECK_FALSE(panto::is_finite(x));
}

TEST_CASE("NaN is told from infinities and numbers, whatever its sign and payload") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double x : {nan, -nan, std::numeric_limits<double>::signaling_NaN(), std::nan("123")})
        CHECK(panto::is_nan(x));
    for (const double x :
         {0.0, -1.0, 1e308, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()})
        CHECK_FALSE(panto::is_nan(x));
}

TEST_CASE("a motion is finite only if height, speed and acceleration are") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(panto::is_finite(panto::Motion{1.0, 2.0, 3.0}));
    CHECK_FALSE(panto::is_finite(panto::Motion{nan, 2.0, 3.0}));
    CHECK_FALSE(panto::is_finite(panto::Motion{1.0, nan, 3.0}));
    CHECK_FALSE(panto::is_finite(panto::Motion{1.0, 2.0, nan}));
}

TEST_CASE("asking whether a number is finite allocates nothing") {
    // @rt-tested: is_finite, is_nan
    volatile double x = 1.0;
    bool answer = false;
    CHECK(panto::test::allocations_in([&] {
              answer = panto::is_finite(x) && panto::is_finite(panto::Motion{x, x, x}) && !panto::is_nan(x);
          }) == 0);
    CHECK(answer);
}
