// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/drive_ref.hpp>
#include <panto/rig/sensor_ref.hpp>

#include "allocations.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

using namespace panto;

static_assert(Drive<rig::DriveRef<PositionCommand>>);
static_assert(!std::constructible_from<rig::DriveRef<SpeedCommand>, test::WatchedDrive&>);

TEST_CASE("a reference to a drive is that drive") {
    test::WatchedDrive drive;
    drive.next = {{0.3, 0.2, 0.1}, Status::saturated};
    drive.answer = Status::drive_fault;
    rig::DriveRef<PositionCommand> any(drive);
    CHECK(any.read().value.speed == 0.2);
    CHECK(any.read().status == Status::saturated);
    CHECK(any.write({0.25}) == Status::drive_fault);
    CHECK(drive.last == 0.25);
    any.stop();
    CHECK(drive.stopped);
    CHECK(sizeof(any) == 2 * sizeof(void*));
}

TEST_CASE("a reference to a sensor is that sensor, and may be pointed at another one") {
    test::ScriptedSensor one{{1.0, Status::ok}}, two{{2.0, Status::sensor_stale}};
    rig::SensorRef any(one);
    CHECK(any.read().value == 1.0);
    any = two;
    CHECK(any.read().value == 2.0);
    CHECK(any.read().status == Status::sensor_stale);
}

TEST_CASE("references do not allocate") {
    // @rt-tested: DriveRef::read DriveRef::write DriveRef::stop SensorRef::read
    test::WatchedDrive drive;
    test::ScriptedSensor sensor;
    CHECK(panto::test::allocations_in([&] {
              rig::DriveRef<PositionCommand> d(drive);
              rig::SensorRef s(sensor);
              static_cast<void>(d.read());
              d.write({0.0});
              d.stop();
              static_cast<void>(s.read());
          }) == 0);
}
