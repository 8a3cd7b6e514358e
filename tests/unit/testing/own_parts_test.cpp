// SPDX-License-Identifier: BSD-3-Clause
#include <panto/testing/catenary.hpp>

#include <doctest/doctest.h>

using panto::Motion;

namespace own_parts_test {
namespace {

// [tester]
/// A catenary engine: a mass on a spring, by the symplectic Euler method. By mistake its speed is in mm/s.
struct MyCatenary {
    Motion at{};
    Motion step(double force) noexcept {
        const double acceleration = (force - 2000.0 * at.height - 100.0 * at.speed / 1e3) / 20.0;  // N/m, N s/m, kg
        const double speed = at.speed / 1e3 + acceleration * dt();
        return at = {at.height + speed * dt(), 1e3 * speed, acceleration};
    }
    void reset() noexcept { at = {}; }
    double dt() const noexcept { return 2e-3; }  // s
};
static_assert(panto::CatenaryModel<MyCatenary>);

panto::testing::Findings what_is_wrong() {
    MyCatenary mine;
    return panto::testing::test_catenary(mine);
}
// [tester]

}  // namespace

TEST_CASE("a user's own engine with a speed in mm/s is found out by the tester of the docs") {
    const auto findings = what_is_wrong();
    REQUIRE(findings.size() == 2);  // neither rate nor gain fits
    CHECK(findings[0].find("the speeds differ") == 0);
    CHECK(findings[1].find("the accelerations differ") == 0);
}

}  // namespace own_parts_test
