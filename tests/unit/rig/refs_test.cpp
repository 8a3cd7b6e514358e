// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/commissioning.hpp>
#include <panto/rig/drive_pair.hpp>
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

namespace {

struct OutspokenDrive : test::WatchedDrive {
    plant::RigParams rig = {};
    rig::Fault trouble = {};
    int runs = 0;

    [[nodiscard]] double dt() const noexcept { return 0.001; }
    [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return rig; }
    [[nodiscard]] const rig::Fault& fault() const noexcept { return trouble; }
    void begin_run() noexcept { ++runs; }
};

struct OneMillisecondSensor : test::ScriptedSensor {
    [[nodiscard]] double dt() const noexcept { return 0.001; }
};

struct ControllerOfARig {
    plant::RigParams rig = {};
    [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return rig; }
};

}  // namespace

TEST_CASE("a reference says of time step, rig, fault and run what the part says that it refers to") {
    OutspokenDrive outspoken;
    test::WatchedDrive silent;
    rig::DriveRef<PositionCommand> any(outspoken), none(silent);
    CHECK_NOTHROW(require_time_step(any, 0.001, "here", "the drive"));
    CHECK_THROWS_WITH_AS(require_time_step(any, 0.002, "here", "the drive"),
                         "here: the drive is made for a time step of 0.001 s, expected that of the loop, 0.002 s",
                         SetupError);
    CHECK_NOTHROW(require_time_step(none, 0.002, "here", "the drive"));

    ControllerOfARig controller;
    CHECK_NOTHROW(plant::require_same_rig(controller, any, "here"));
    controller.rig.reading_delay += 0.001;
    CHECK_THROWS_AS(plant::require_same_rig(controller, any, "here"), SetupError);
    CHECK_NOTHROW(plant::require_same_rig(controller, none, "here"));
    rig::DrivePair pair(any, none, [](double) noexcept { return 0.0; }, 0.001);
    CHECK_THROWS_AS(plant::require_same_rig(controller, pair, "here"), SetupError);

    outspoken.trouble.status = Status::drive_fault;
    CHECK(&any.fault() == &outspoken.trouble);
    CHECK(none.fault().status == Status::ok);
    any.begin_run();
    none.begin_run();
    CHECK(outspoken.runs == 1);

    OneMillisecondSensor quick;
    test::ScriptedSensor sensor{{1.0, Status::ok}};
    rig::SensorRef other(quick), plain(sensor);
    CHECK_THROWS_AS(require_time_step(other, 0.002, "here", "the sensor"), SetupError);
    CHECK_THROWS_AS(require_time_step(rig::TaredSensor{other}, 0.002, "here", "the sensor"), SetupError);
    CHECK_NOTHROW(require_time_step(plain, 0.002, "here", "the sensor"));
    CHECK_NOTHROW(require_time_step(rig::TaredSensor{plain}, 0.002, "here", "the sensor"));
}

TEST_CASE("references do not allocate") {
    // @rt-tested: DriveRef::read DriveRef::write DriveRef::stop DriveRef::begin_run DriveRef::fault SensorRef::read
    test::WatchedDrive drive;
    test::ScriptedSensor sensor;
    CHECK(panto::test::allocations_in([&] {
              rig::DriveRef<PositionCommand> d(drive);
              rig::SensorRef s(sensor);
              static_cast<void>(d.read());
              d.write({0.0});
              d.begin_run();
              static_cast<void>(d.fault());
              d.stop();
              static_cast<void>(s.read());
          }) == 0);
}
