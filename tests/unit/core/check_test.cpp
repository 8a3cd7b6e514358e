// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/check.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>

using panto::SetupError;

namespace check_test {
namespace {
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

TEST_CASE("a requirement that holds is silent, one that does not says where and what") {
    CHECK_NOTHROW(panto::require(true, "rig::run", "never seen"));
    CHECK_THROWS_WITH_AS(panto::require(false, "rig::run", "the period is longer than the run"),
                         "rig::run: the period is longer than the run", SetupError);
    CHECK_THROWS_AS(panto::require(false, "a", "b"), std::invalid_argument);
}

TEST_CASE("a message names the field, its value and what is allowed") {
    CHECK_THROWS_WITH_AS(panto::require_positive(0.0, "A", "mass"), "A: mass must be finite and > 0, got 0",
                         SetupError);
    CHECK_THROWS_WITH_AS(panto::require_not_negative(-2.5, "A", "mass"), "A: mass must be finite and >= 0, got -2.5",
                         SetupError);
    CHECK_THROWS_WITH_AS(panto::require_finite(not_a_number, "A", "mass"), "A: mass must be finite, got nan",
                         SetupError);
}

TEST_CASE("each check draws its line where its name says") {
    for (const double bad : {not_a_number, -not_a_number, infinity, -infinity}) {
        CHECK_THROWS_AS(panto::require_positive(bad, "A", "x"), SetupError);
        CHECK_THROWS_AS(panto::require_not_negative(bad, "A", "x"), SetupError);
        CHECK_THROWS_AS(panto::require_finite(bad, "A", "x"), SetupError);
    }
    const double least = std::numeric_limits<double>::denorm_min();
    CHECK_NOTHROW(panto::require_positive(least, "A", "x"));
    CHECK_THROWS_AS(panto::require_positive(-least, "A", "x"), SetupError);
    CHECK_NOTHROW(panto::require_not_negative(0.0, "A", "x"));
    CHECK_THROWS_AS(panto::require_not_negative(-least, "A", "x"), SetupError);
    CHECK_NOTHROW(panto::require_finite(-1e300, "A", "x"));
}

TEST_CASE("a list of numbers is refused for one that is none, by its index") {
    CHECK_NOTHROW(panto::require_all_finite({}, "A", "x"));
    CHECK_NOTHROW(panto::require_all_finite({1.0, -1e300}, "A", "x"));
    CHECK_THROWS_WITH_AS(panto::require_all_finite({1.0, 2.0, infinity}, "A", "x"), "A: x[2] must be finite, got inf",
                         SetupError);
}

TEST_CASE("a message is put together only when it is needed") {
    const std::string name(100, 'x');
    CHECK(panto::test::allocations_in([&] {
              panto::require(true, "A", name, " is ", 1.5, ", expected ", 2);
              panto::require_positive(1.0, "A", name, "[", 3, "]");
              panto::require_not_negative(0.0, "A", name, "[", 3, "]");
              panto::require_all_finite({}, "A", name);
          }) == 0);
    CHECK_THROWS_WITH_AS(panto::require(false, "A", "b has ", std::size_t{7}, " of ", -3, " at ", 0.1F, " m"),
                         "A: b has 7 of -3 at 0.100000001 m", SetupError);
}

TEST_CASE("a shown number is short and still recognised") {
    CHECK(panto::shown(0.1) == "0.1");
    CHECK(panto::shown(1234567.89) == "1234567.89");
    CHECK(panto::shown(-2e-9) == "-2e-09");
}

}  // namespace check_test
