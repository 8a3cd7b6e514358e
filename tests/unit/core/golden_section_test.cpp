// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/golden_section.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using panto::golden_section;

TEST_CASE("golden section finds the minimum of a parabola, as well as rounding allows") {
    // f changes by less than its rounding, 1.1e-16, within 1.5e-8 of the minimum
    CHECK(std::fabs(golden_section([](double x) { return 1.0 + (x - 0.7) * (x - 0.7); }, 0.0, 1.0) - 0.7) < 3e-8);
    CHECK(std::fabs(golden_section([](double x) { return std::fabs(x + 3.0); }, -5.0, 4.0) + 3.0) < 1e-11);
}

TEST_CASE("golden section ends at an end where f is least there, and passes over infinite values") {
    CHECK(golden_section([](double x) { return x; }, 1.0, 3.0) == panto::test::Approx(1.0).epsilon(1e-12));
    CHECK(golden_section([](double x) { return -x; }, 1.0, 3.0) == panto::test::Approx(3.0).epsilon(1e-12));
    const auto cut = [](double x) { return x < 1.6 ? std::numeric_limits<double>::infinity() : (x - 1.7) * (x - 1.7); };
    CHECK(std::fabs(golden_section(cut, 1.0, 3.0) - 1.7) < 1e-7);
}

TEST_CASE("each step costs one value and reduces the interval by the golden ratio") {
    int calls = 0;
    const auto counted = [&](double x) { return ++calls, x; };
    const double ratio = 2.0 / (1.0 + std::sqrt(5.0));
    CHECK(golden_section(counted, 0.0, 1.0, 7) == panto::test::Approx(0.5 * std::pow(ratio, 7)));
    CHECK(calls == 9);  // two more before the first step
}
