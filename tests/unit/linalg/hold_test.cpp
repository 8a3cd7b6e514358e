// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/hold.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

using panto::linalg::split_delay;

TEST_CASE("a delay is split into whole periods and a part, which add up") {
    for (const double periods : {0.0, 0.25, 0.999, 1.0, 1.35, 7.75, 1000.5}) {
        const auto delay = split_delay(periods);
        CHECK(delay.whole + delay.part == periods);  // both are exact differences
        CHECK(delay.part >= 0.0);
        CHECK(delay.part < 1.0);
        CHECK(delay.rounded_up() >= periods);
        CHECK(delay.rounded_up() < periods + 1.0);
    }
}

TEST_CASE("a delay that differs from a whole period by rounding is a whole period") {
    for (const double periods : {1.0 - 5e-10, 1.0, 1.0 + 5e-10}) {
        CHECK(split_delay(periods).whole == 1);
        CHECK(split_delay(periods).part == 0.0);
        CHECK(split_delay(periods).rounded_up() == 1);
    }
    CHECK(split_delay(1.0 - 1e-8).whole == 0);
    CHECK(split_delay(1.0 + 1e-8).rounded_up() == 2);
}
