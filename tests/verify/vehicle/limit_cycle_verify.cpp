// SPDX-License-Identifier: BSD-3-Clause
// Limit cycles by Newton's method against long runs.
#include <panto/vehicle/limit_cycle.hpp>

#include "../../support/catch.hpp"
#include "../../support/golden_json.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace limit_cycle_verify {

using namespace panto::vehicle;
using panto::Vector;

TEST_CASE("the branch leaves the critical speed, rises to higher speeds and is stable", "[vehicle]") {
    const Bogie<> bogie({}, {}, 40.0);
    const auto branch = limit_cycle_branch(bogie, {1e-4, 5e-4, 1e-3, 2e-3, 4e-3});
    REQUIRE(branch.size() == 5);
    double before = critical_speed(bogie);
    CHECK(branch.front().speed == Approx(before).epsilon(1e-4));
    for (const auto& cycle : branch) {
        CHECK(cycle.status == panto::Status::ok);
        CHECK(cycle.speed > before);
        CHECK(cycle.stable());
        before = cycle.speed;
    }
}

TEST_CASE("amplitudes at given speeds are those of the golden long runs", "[vehicle]") {
    const auto golden = panto::test::golden("vehicle_and_inverse_problems.json").at("A.limit_cycle").at("value");
    const Bogie<> bogie({}, {}, 40.0);
    for (const char* speed : {"84", "86", "88", "90"}) {
        const auto cycle = limit_cycle_at(bogie, std::stod(speed));
        CAPTURE(speed);
        CHECK(cycle.status == panto::Status::ok);
        // So near to the critical speed, at 84 m/s, the golden run of 10 s has not settled: 1.7 % below.
        const double tolerance = std::string(speed) == "84" ? 0.02 : 0.01;
        CHECK(cycle.amplitude == Approx(golden.at(speed)[0].get<double>()).epsilon(tolerance));
        CHECK(cycle.yaw == Approx(golden.at(speed)[1].get<double>()).epsilon(tolerance));
    }
    // Below the critical speed there is none as far as the contact is modelled.
    const auto none = limit_cycle_at(bogie, 82.0);
    CAPTURE(none.amplitude);
    CHECK(none.status == panto::Status::not_converged);
}

TEST_CASE("runs of 10 s as long as the golden ones are the golden ones, settled or not", "[vehicle]") {
    const auto golden = panto::test::golden("vehicle_and_inverse_problems.json").at("A.limit_cycle").at("value");
    for (const char* speed : {"82", "84", "86", "88", "90"}) {
        const Bogie<> bogie({}, {}, std::stod(speed));
        Vector<double, 20> x = Vector<double, 20>::Zero(), next;
        x[6] = x[7] = 2e-4;
        double shift = 0.0, yaw = 0.0;
        for (int n = 1; n <= 5000; ++n) {
            bogie.step((n - 1) * 2e-3, 2e-3, x, next);
            x = next;
            if (n >= 4000) shift = std::max(shift, std::abs(x[6])), yaw = std::max(yaw, std::abs(x[8]));
        }
        INFO(speed);
        // All printed digits, five and six.
        CHECK(shift == Approx(golden.at(speed)[0].get<double>()).epsilon(1.5e-5));
        CHECK(yaw == Approx(golden.at(speed)[1].get<double>()).epsilon(2e-5));
    }
}

TEST_CASE("a run that has settled is the cycle", "[vehicle]") {
    const Bogie<> bogie({}, {}, 84.0);
    const auto cycle = limit_cycle_at(bogie, 84.0);
    Vector<double, 20> x = Vector<double, 20>::Zero(), next;
    x[6] = x[7] = 1.5e-3;
    double y = 0.0;
    for (int n = 0; n < 60000; ++n) {
        bogie.step(n * 1e-3, 1e-3, x, next);
        x = next;
        if (n >= 58000) y = std::max(y, std::abs(x[6]));
    }
    // Both steps are 0.7 to 1 ms: the largest of the samples is that of the motion to 1e-3.
    CHECK(y == Approx(cycle.amplitude).epsilon(2e-3));
}

TEST_CASE("refuses amplitudes that do not rise, and a bogie that does not hunt", "[vehicle]") {
    const Bogie<> bogie({}, {}, 40.0);
    CHECK_THROWS_AS((void)limit_cycle_branch(bogie, {1e-3, 1e-3}), panto::SetupError);
    CHECK_THROWS_AS((void)limit_cycle_branch(bogie, {1e-3}, {.range = {.highest = 60.0}}), panto::SetupError);
}
}  // namespace limit_cycle_verify
