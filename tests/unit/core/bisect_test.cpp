// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/bisect.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using panto::bisect;
using panto::Bracket;

namespace {

bool below_root_of_two(double x) { return x * x < 2.0; }

}  // namespace

TEST_CASE("bisection ends at two neighbouring numbers, the change between them") {
    const Bracket up = bisect(below_root_of_two, 1.0, 2.0);
    CHECK(up.converged);
    CHECK(up.holds * up.holds < 2.0);
    CHECK(!(up.fails * up.fails < 2.0));
    CHECK(std::nextafter(up.holds, 2.0) == up.fails);
    const Bracket down = bisect([](double x) { return !below_root_of_two(x); }, 2.0, 1.0);  // the other way round
    CHECK(down.converged);
    CHECK(down.holds == up.fails);
    CHECK(down.fails == up.holds);
}

TEST_CASE("the tolerance is relative to the larger end, and a bracket that is narrow enough is left alone") {
    int calls = 0;
    const auto counted = [&](double x) { return ++calls, below_root_of_two(x); };
    const Bracket b = bisect(counted, 1.0, 2.0, 1e-3);
    CHECK(b.converged);
    CHECK(b.fails - b.holds <= 1e-3 * b.fails);
    CHECK(b.fails - b.holds >
          0.4e-3 * b.fails);  // it stopped at the first that is narrow enough: one halving less is too wide
    CHECK(calls == 10);       // 1/2^9 = 1.95e-3 is above 1e-3 * 1.415, 1/2^10 below
    CHECK(bisect(counted, 1.4142, 1.4143, 1e-3).holds == 1.4142);
    CHECK(calls == 10);
}

TEST_CASE("it may be ended early: `done` is asked before each halving") {
    int calls = 0;
    const auto counted = [&](double x) { return ++calls, below_root_of_two(x); };
    const auto bracket = [&](int most) { return bisect(counted, 1.0, 2.0, 0.0, 200, [&] { return calls >= most; }); };
    CHECK(!bracket(3).converged);
    CHECK(calls == 3);
    CHECK(bracket(3).fails == 2.0);  // done at once
    CHECK(calls == 3);
}

TEST_CASE("what the limit ends is said, and a condition that never changes ends as well") {
    const Bracket few = bisect(below_root_of_two, 1.0, 2.0, 0.0, 3);
    CHECK(!few.converged);
    CHECK(few.fails - few.holds == 0.125);
    const Bracket never = bisect([](double) { return true; }, 0.0, 1.0);
    CHECK(never.converged);
    CHECK(never.fails == 1.0);
    CHECK(never.holds == std::nextafter(1.0, 0.0));
    // Towards 0 the numbers get ever closer: 200 halvings do not reach the least one, about 2^-1074.
    CHECK(!bisect([](double) { return false; }, 0.0, 1.0).converged);
    CHECK(bisect([](double) { return false; }, 0.0, 1.0, 0.0, 1100).converged);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(!bisect(below_root_of_two, nan, 1.0).converged);  // and no endless loop
}
