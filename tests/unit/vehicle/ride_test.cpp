// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/ride.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace panto::vehicle;

TEST_SUITE("vehicle::ride") {
    TEST_CASE("a run over a small defect stays on the rails to its end") {
        const Bogie<double, SmoothDefect<>> bogie({}, {}, 40.0, {.lateral = 5e-3});
        auto x = decltype(bogie)::State::Zero().eval();
        int seen = 0;
        const auto end = ride(bogie, x, 1e-3, 500, [&](double, const auto&) { ++seen; });
        CHECK(end.ok());
        CHECK(end.time == approx(0.5));
        CHECK(seen == 501);
    }

    TEST_CASE("a defect too large throws the leading wheelset off, and a deep hole lifts a wheel") {
        const Bogie<double, SmoothDefect<>> far({}, {}, 40.0, {.lateral = 40e-3});
        auto x = decltype(far)::State::Zero().eval();
        const auto off = ride(far, x, 1e-3, 2000, [](double, const auto&) {});
        CHECK(off.status == RideStatus::off_the_rail);
        CHECK(off.wheelset == 0);
        // The track goes to the left: the wheelset lies to its right, at the right rail.
        CHECK(off.side == 1);
        CHECK(off.value < -8e-3);
        CHECK(off.time > 0.0);
        CHECK(off.time < 0.6);
        // Rolled 5 mrad over 2 m: the axle boxes alone would have to press a side down.
        const Bogie<double, SmoothDefect<>> twist({}, {}, 40.0, {.length = 2.0, .vertical = -20e-3});
        x.setZero();
        const auto lifted = ride(twist, x, 1e-4, 20000, [](double, const auto&) {}, {.shift = 1.0});
        CHECK(lifted.status == RideStatus::wheel_lifted);
        CHECK(lifted.wheelset == 0);
        CHECK(lifted.value <= 0.0);
        CHECK(name(lifted.status) == "wheel lifted");
    }

    TEST_CASE("numbers that run away are a status as well") {
        const Bogie<> bogie({}, {}, 1.0);  // below the integrator's limit for 1 ms
        auto x = decltype(bogie)::State::Zero().eval();
        x[6] = 1e-4;
        const auto end = ride(bogie, x, 1e-2, 100000, [](double, const auto&) {}, {.shift = 1e300});
        CHECK(!end.ok());
    }

    TEST_CASE("checks without allocation, refuses a step that is none") {
        // @rt-tested: check_ride
        const Bogie<> bogie({}, {}, 40.0);
        auto x = decltype(bogie)::State::Zero().eval();
        RideState state;
        CHECK(panto::test::allocations_in([&] { state = check_ride(bogie, 0.0, x); }) == 0);
        CHECK(state.ok());
        x[3] = std::numeric_limits<double>::quiet_NaN();
        CHECK(check_ride(bogie, 0.0, x).status == RideStatus::not_finite);
        CHECK_THROWS_AS((void)ride(bogie, x, 0.0, 10, [](double, const auto&) {}), panto::SetupError);
    }
}
