// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/fault.hpp>
#include <panto/rig/readings.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace panto;

namespace readings_test {

TEST_CASE("a gap is bridged as often as allowed, by the last good reading, and counted") {
    rig::HeldReading<double> held;
    CHECK(held.take({1.0, Status::sensor_lost}, 5).status == Status::sensor_lost);  // nothing to fall back on
    CHECK(held.missing() == 1);
    CHECK(held.take({2.0, Status::ok}, 2).value == 2.0);
    CHECK(held.missing() == 0);
    for (int i = 1; i <= 3; ++i) {
        const auto reading = held.take({9.0, i == 2 ? Status::sensor_stale : Status::sensor_lost}, 2);
        CHECK(held.missing() == i);
        CHECK(held.bridged() == (i <= 2));
        CHECK(reading.value == (i <= 2 ? 2.0 : 9.0));
        CHECK(reading.usable() == (i <= 2));
    }
    CHECK(held.take({3.0, Status::ok}, 2).value == 3.0);
    CHECK(held.take({9.0, Status::sensor_saturated}, 2).status ==
          Status::sensor_saturated);  // no gap: it says something
    CHECK(held.good() == 3.0);
    held.reset();
    CHECK_FALSE(held.take({1.0, Status::sensor_lost}, 5).usable());
}

TEST_CASE("a frozen reading is counted from where it froze, once the mover has run far enough") {
    rig::FrozenReading frozen;
    CHECK(frozen.take(5.0, 0.0, 0.1) == 0);
    CHECK(frozen.take(5.0, 0.05, 0.1) == 0);
    CHECK(frozen.take(5.0, -0.06, 0.1) == 2);  // from 0.05 down to -0.06: the range counts, whatever the way
    CHECK(frozen.take(5.0, 0.0, 0.1) == 3);
    CHECK(frozen.take(std::nextafter(5.0, 6.0), 0.0, 0.1) == 0);   // alive in its last bit
    CHECK(frozen.take(std::nextafter(5.0, 6.0), 0.09, 0.1) == 0);  // the way counts from there
    CHECK(frozen.take(std::nan(""), 1.0, 0.1) == 2);  // no number is neither above nor below: others judge it
}

TEST_CASE("a rest before the motion does not count: the reading must be given time to respond") {
    rig::FrozenReading frozen;
    for (int n = 0; n < 1000; ++n) CHECK(frozen.take(5.0, 0.0, 0.1) == 0);
    for (int n = 1; n < 5; ++n) CHECK(frozen.take(5.0, 0.2, 0.1) == n);  // the mover jumps
    CHECK(frozen.same() == 1003);
    CHECK(frozen.take(5.1, 0.2, 0.1) == 0);  // this is the response
}

TEST_CASE("a reading that follows missing ones counts for their time too") {
    rig::HeldReading<double> held;
    rig::FrozenReading frozen;
    std::int64_t waited = 0;
    for (int n = 0; n < 20; ++n) {
        const auto reading = held.take({5.0, n % 4 ? Status::sensor_lost : Status::ok}, 3);
        if (!held.bridged()) waited = frozen.take(reading.value, 0.1 * n, 0.1, 0.0, held.periods());
    }
    CHECK(held.periods() == 4);
    CHECK(waited == 16);  // from n = 0 to n = 16
    CHECK(frozen.same() == 16);
}

TEST_CASE("within a band a reading counts as the same, but not one that drifts through it") {
    rig::FrozenReading frozen;
    for (int n = 0; n < 10; ++n) CHECK(frozen.take(n % 2 ? 5.0 : 5.5, 0.1 * n, 0.05, 0.5) == n);
    CHECK(frozen.take(5.6, 1.0, 0.05, 0.5) == 0);
    frozen.reset();
    std::int64_t longest = 0;
    for (int n = 0; n < 100; ++n) longest = std::max(longest, frozen.take(0.25 * n, 0.1 * n, 0.05, 0.5));
    CHECK(longest == 2);
}

TEST_CASE("a zero that changes its sign is the same zero") {
    rig::FrozenReading frozen;
    for (int n = 0; n < 10; ++n) CHECK(frozen.take(n % 2 ? 0.0 : -0.0, 0.1 * n, 0.05) == n);
}

TEST_CASE("faults become sentences after the run") {
    using rig::describe, rig::Quantity;
    CHECK(describe({}) == "ok");
    CHECK(describe({.status = Status::stopped_by_user}) == "stopped by user");
    CHECK(describe({Status::drive_fault, Quantity::drive, 0.1}) == "drive fault: reported by the drive");
    CHECK(describe({Status::out_of_range, Quantity::force, 612.0, -500.0, 500.0}) ==
          "out of range: measured force 612 N (allowed -500 to 500 N)");
    CHECK(describe({Status::sign_wrong, Quantity::fall, -0.3, 0.5}) ==
          "sign wrong: fall of the force in the sign check -0.3 N (allowed at least 0.5 N)");
    CHECK(describe({.status = Status::end_of_line, .quantity = Quantity::line, .value = 1300.1}) ==
          "end of line: position on the line 1300.1 m");
    for (int q = 1; q <= static_cast<int>(Quantity::fall); ++q) CHECK_FALSE(name(static_cast<Quantity>(q)).empty());
}

TEST_CASE("readings are judged without memory") {  // @rt-tested: HeldReading::take FrozenReading::take not_finite
    rig::HeldReading<double> held;
    rig::FrozenReading frozen;
    std::int64_t sum = 0;
    CHECK(panto::test::allocations_in([&] {
              for (int i = 0; i < 100; ++i)
                  sum += frozen.take(held.take({1.0, i % 3 ? Status::ok : Status::sensor_lost}, 2).value, 0.1 * i, 1.0);
          }) == 0);
    CHECK(sum > 0);
    rig::Fault fault;
    CHECK(panto::test::allocations_in([&] {
              fault =
                  rig::not_finite(Status::sensor_implausible, {0.0, std::nan(""), 0.0}, rig::drive_motion, 0.0, 1.0);
          }) == 0);
    CHECK(fault.quantity == rig::Quantity::drive_speed);
}

}  // namespace readings_test
