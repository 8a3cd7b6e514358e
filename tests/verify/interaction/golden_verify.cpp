// SPDX-License-Identifier: BSD-3-Clause
/// Whole passages held against tests/golden/targets.json.

#include "../../cases/interaction_cases.hpp"
#include "catch.hpp"
#include "targets.hpp"

using namespace panto;
using namespace panto::test;

namespace {

const Targets& targets() {
    static const Targets all(PANTO_TEST_GOLDEN "/targets.json");
    return all;
}

void check(const std::vector<Measured>& measured) {
    REQUIRE_FALSE(measured.empty());
    for (const Measured& m : measured) {
        if (m.id.ends_with("real_time_factor")) continue;  // timings never decide a test
        const Target& t = targets().at(m.id);
        INFO(t.what << ": " << m.value << ' ' << t.unit << ", accepted " << t.low << " to " << t.high);
        CHECK(t.holds(m.value));
    }
}

}  // namespace

TEST_CASE("the EN 50318:2002 reference model at 250 km/h is within every golden tolerance and accepted range") {
    check(en50318_at_250());
}

TEST_CASE("the EN 50318:2002 reference model at 300 km/h is within every accepted range") { check(en50318_at_300()); }

TEST_CASE("the stitched line has the golden statistics and coupling errors at 250, 275 and 300 km/h") {
    const int speed = GENERATE(250, 275, 300);
    check(stitched_at(speed));
}

TEST_CASE("the interaction mass with its damper to ground errs as in the golden runs") {
    check(stitched_absolute_damper());
}

TEST_CASE("modeling choices move sigma as in the golden runs", "[long]") { check(stitched_sensitivity()); }

TEST_CASE("mass and pantograph are stable up to the golden stiffness") { check(mass_loop()); }
