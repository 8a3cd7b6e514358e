// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/commissioning.hpp>
#include <panto/rig/drive_ref.hpp>
#include <panto/rig/realtime.hpp>
#include <panto/rig/sensor_ref.hpp>
#include <panto/rig/simulated.hpp>
#include <panto/testing/clock.hpp>
#include <panto/testing/drive.hpp>
#include <panto/testing/force_sensor.hpp>

#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <string>

using namespace panto;
using namespace std::chrono_literals;
using test::FakeClock;
using test::ScriptedSensor;
using test::WatchedDrive;
using testing::as_text;

namespace rig_tester_test {
namespace {

bool says(const testing::Findings& findings, const std::string& part) {
    const std::string text = as_text(findings);
    CAPTURE(part);
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
    return !findings.empty();
}

/// Reads what it is told to, with something wrong now and then.
struct Sensor {
    double force = 100.0, wobble = 1.0;
    Status every_third = Status::ok;
    int n = 0;
    Result<double> read() noexcept {
        ++n;
        return {n % 3 ? force + (n % 2 ? wobble : -wobble) : force, n % 3 ? Status::ok : every_third};
    }
};

/// Calls a reading stale that it has handed out before: the frame of the bus has not changed.
struct FrameCounter {
    const FakeClock* clock;
    std::chrono::nanoseconds frame{-1};
    Result<double> read() noexcept {
        const bool fresh = clock->time != frame;
        frame = clock->time;
        return {100.0, fresh ? Status::ok : Status::sensor_stale};
    }
};

struct Drive {
    using Command = PositionCommand;
    double scale = 1.0, speed_scale = 1.0, creep = 0.0;  // m per reading after stop()
    Status reading = Status::ok, writing = Status::ok, writing_stopped = Status::ok;
    bool dead = false;  // after stop()
    double at = 0.03, wanted = 0.03, speed = 0.0;
    bool stopped = false;
    Result<Motion> read() noexcept {
        speed = (wanted - at) / 2e-3;
        at = wanted;
        if (stopped) wanted += creep;
        return {{0.03 + scale * (at - 0.03), speed_scale * scale * speed, 0.0}, reading};
    }
    Status write(const PositionCommand& c) noexcept {
        if (stopped && (dead || !usable(writing_stopped))) return writing_stopped;
        stopped = false;
        return wanted = c.value, writing;
    }
    void stop() noexcept { stopped = true; }
};

struct CoastingDrive {  // interpolates between commands, and goes on at the last speed if none comes
    using Command = PositionCommand;
    bool stops = true, fresh = false;
    double at = 0.03, step = 0.0;  // m, m per period
    Result<Motion> read() noexcept {
        if (!fresh) at += step;
        fresh = false;
        return {{at, step / 2e-3, 0.0}};
    }
    Status write(const PositionCommand& c) noexcept {
        step = c.value - at, at = c.value, fresh = true;
        return Status::ok;
    }
    void stop() noexcept {
        if (stops) step = 0.0;
    }
};

struct SpeedDrive {
    using Command = SpeedCommand;
    double scale = 1.0, height_scale = 1.0, creep = 0.0;  // m/s after stop()
    bool stops = true, dead = false;                      // after stop()
    double at = 0.03, speed = 0.0;
    bool stopped = false;
    Result<Motion> read() noexcept {
        at += 2e-3 * speed;
        return {{0.03 + height_scale * (at - 0.03), height_scale * speed, 0.0}};
    }
    Status write(const SpeedCommand& c) noexcept {
        if (!(stopped && dead)) speed = scale * c.value;
        return Status::ok;
    }
    void stop() noexcept {
        if (stops) speed = creep, stopped = true;
    }
};

struct ForceDrive {  // 10 kg without friction
    using Command = ForceCommand;
    double scale = 1.0, speed_scale = 1.0, brake = 1.0;
    bool upward_only = false, stops = true, dead = false;  // after stop()
    bool stopped = false;
    double at = 0.03, speed = 0.0, force = 0.0;
    Result<Motion> read() noexcept {
        speed += 2e-3 * force / 10.0;
        at += 2e-3 * speed;
        return {{at, speed_scale * speed, 0.0}};
    }
    Status write(const ForceCommand& c) noexcept {
        if (!(stopped && dead)) force = scale * (upward_only ? std::abs(c.value) : c.value);
        return Status::ok;
    }
    void stop() noexcept {
        if (stops) force = 0.0, speed *= 1.0 - brake, stopped = true;
    }
};

template <class D>
testing::Findings of_drive(D drive) {
    FakeClock clock;
    return testing::test_drive(drive, clock);
}

struct StandingClock {
    std::chrono::nanoseconds now() const noexcept { return 5s; }
    void sleep_until(std::chrono::nanoseconds) const noexcept {}
};
struct EagerClock : FakeClock {  // wakes a quarter of a millisecond early, and counts it as done
    void sleep_until(std::chrono::nanoseconds t) noexcept { time = std::max(time, t - 250us); }
};
struct SleepyClock : FakeClock {
    void sleep_until(std::chrono::nanoseconds t) noexcept { time = std::max(time, t + 1500us); }
};
struct BackwardClock : FakeClock {
    int calls = 0;
    std::chrono::nanoseconds now() noexcept { return time -= (++calls > 9 ? 10ms : 0ms); }
};
struct PatientClock : FakeClock {  // sleeps on although the time has passed
    void sleep_until(std::chrono::nanoseconds t) noexcept { time = t > time ? t : time + 5ms; }
};
struct MicrosecondClock : rig::SteadyClock {
    std::chrono::nanoseconds now() const noexcept { return rig::SteadyClock::now() / 2; }
    void sleep_until(std::chrono::nanoseconds t) const noexcept { rig::SteadyClock::sleep_until(2 * t); }
};

}  // namespace

TEST_SUITE("testing of the parts of a rig") {
    TEST_CASE("finds nothing wrong with our own") {
        rig::Simulated stand({.force_noise = 1.0, .position_noise = 1e-5}, 2e-3);
        rig::TaredSensor tared{stand.sensor};
        rig::SensorRef sensor(tared);
        // The strip rests on the pad with the lift less what the roof spring takes.
        CHECK(as_text(testing::test_force_sensor(stand.sensor, stand.clock, {.least = 125.0, .most = 135.0})) == "");
        CHECK(as_text(testing::test_force_sensor(sensor, stand.clock)) == "");
        const auto press = [&](double force) {
            stand.set_uplift_force(force);
            stand.clock.sleep_until(stand.clock.now() + 2s);
        };
        CHECK(as_text(testing::test_force_sensor(stand.sensor, stand.clock, press, {.noisy = true})) == "");
        press(120.0);
        CHECK(as_text(testing::test_clock(stand.clock, {.real = false})) == "");
        CHECK(as_text(testing::test_drive(stand.drive, stand.clock)) == "");
        rig::DriveRef<PositionCommand> drive(stand.drive);
        CHECK(as_text(testing::test_drive(drive, stand.clock)) == "");

        rig::SteadyClock clock;
        CHECK(as_text(testing::test_clock(clock, {.period = 1ms, .periods = 10, .late = 1.0})) == "");
        FakeClock fake;
        CHECK(as_text(testing::test_clock(fake, {.real = false})) == "");
        ScriptedSensor scripted;
        CHECK(as_text(testing::test_force_sensor(scripted, fake)) == "");
        WatchedDrive watched;
        CHECK(as_text(testing::test_drive(watched, fake)) == "");
        CHECK(watched.stopped);
        CHECK(std::abs(watched.last) < 1e-9);  // back where it was
    }

    TEST_CASE("finds what was broken on purpose: force sensors") {
        FakeClock clock;
        const auto of = [&](Sensor sensor, testing::ForceSensorTest p = {}) {
            return testing::test_force_sensor(sensor, clock, p);
        };
        CHECK(of({}).empty());
        CHECK(says(of({.force = std::nan("")}), "is not a finite number"));
        CHECK(says(of({.every_third = Status::sensor_lost}), "of 100 readings are missing or old"));
        CHECK(of({.every_third = Status::sensor_lost}, {.lost = 0.4}).empty());
        CHECK(says(of({.every_third = Status::sensor_saturated}), "which stops a rig at once"));
        CHECK(says(of({.force = -100.0}, {.least = 90.0, .most = 110.0}), "positive when strip and pad are pressed"));
        CHECK(says(of({.wobble = 80.0}), "scatter by"));
        CHECK_THROWS_AS((void)of({}, {.readings = 0}), SetupError);
        FrameCounter counter{&clock};
        CHECK(says(testing::test_force_sensor(counter, clock), "a second reading within the same period"));
    }

    TEST_CASE("finds a load cell that is frozen at a value") {
        FakeClock clock;
        ScriptedSensor sensor;
        CHECK(says(testing::test_force_sensor(sensor, clock, {.noisy = true}),
                   "all 100 readings are identical to the last bit, 100 N: a load cell without noise, or one that is"));
        Sensor noisy;
        CHECK(as_text(testing::test_force_sensor(noisy, clock, {.noisy = true})) == "");
        noisy.wobble = 0.0;  // exact means
        const auto pressed = [&](double scale, testing::ForceSensorTest p = {}) {
            const auto press = [&](double force) { noisy.force = 10.0 + scale * force; };
            return testing::test_force_sensor(noisy, clock, press, p);
        };
        CHECK(as_text(pressed(1.0)) == "");
        CHECK(as_text(pressed(0.75)) == "");
        CHECK(says(pressed(0.0), "from 10 N, expected a change of 50 N to 30 %: without a change, the load cell is"));
        CHECK(says(pressed(-1.0), "the mean reading changes by -50 N"));
        CHECK(says(pressed(1e-3), "look at sign and unit"));
        CHECK(says(pressed(1.0, {.most = 100.0}), "the mean reading is 110 N"));
        CHECK_THROWS_AS((void)pressed(1.0, {.heavy = 50.0}), SetupError);
    }

    TEST_CASE("finds what was broken on purpose: drives") {
        CHECK(of_drive(Drive{}).empty());
        CHECK(of_drive(Drive{.speed_scale = 0.0}).empty());  // knows no speed
        CHECK(says(of_drive(Drive{.scale = -1.0}), "z is upward"));
        CHECK(says(of_drive(Drive{.scale = 0.0}), "does it move, and are"));
        CHECK(says(of_drive(Drive{.scale = 1e3}), "follows its commands"));
        CHECK(says(of_drive(Drive{.speed_scale = 1e3}), "the speeds differ from"));
        CHECK(says(of_drive(Drive{.speed_scale = -1.0}), "the speeds differ from"));
        CHECK(says(of_drive(Drive{.creep = 1e-3}), "after stop() it still moves"));
        CHECK(says(of_drive(Drive{.reading = Status::sensor_lost}), "read() ends with"));
        CHECK(says(of_drive(Drive{.writing = Status::drive_fault}), "write() refuses"));
        CHECK(says(of_drive(Drive{.at = std::nan(""), .wanted = std::nan("")}), "a motion that is not finite"));
        FakeClock clock;
        Drive drive;
        CHECK_THROWS_AS((void)testing::test_drive(drive, clock, {.duration = 0.01}), SetupError);
    }

    TEST_CASE("finds what was broken on purpose: drives for speeds and forces") {
        CHECK(as_text(of_drive(SpeedDrive{})) == "");
        CHECK(says(of_drive(SpeedDrive{.scale = -1.0}), "z is upward"));
        CHECK(says(of_drive(SpeedDrive{.scale = 1e-3}), "does it move, and are"));
        CHECK(says(of_drive(SpeedDrive{.scale = 1e3}), "from its start: stopped"));
        CHECK(says(of_drive(SpeedDrive{.scale = 1.3}), "follows its commands"));
        CHECK(says(of_drive(SpeedDrive{.height_scale = 2.0}), "follows its commands"));
        CHECK(says(of_drive(SpeedDrive{.creep = 0.2}), "after stop() it still moves"));

        CHECK(as_text(of_drive(ForceDrive{})) == "");
        CHECK(of_drive(ForceDrive{.speed_scale = 0.0}).empty());  // knows no speed
        CHECK(says(of_drive(ForceDrive{.scale = -1.0}), "pushed up, its readings move down"));
        CHECK(says(of_drive(ForceDrive{.scale = 1e-3}), "is `force` large enough?"));
        CHECK(says(of_drive(ForceDrive{.upward_only = true}), "it does not turn"));
        CHECK(says(of_drive(ForceDrive{.speed_scale = 1e3}), "the speeds differ from"));
        CHECK(says(of_drive(ForceDrive{.brake = -1.0}), "after stop() it still moves"));
        CHECK(says(of_drive(ForceDrive{.at = std::nan("")}), "a motion that is not finite"));
    }

    TEST_CASE("finds a stop() that does nothing, and one after which the drive is dead") {
        CHECK(as_text(of_drive(CoastingDrive{})) == "");
        CHECK(says(of_drive(CoastingDrive{.stops = false}), "after stop() it still moves"));
        CHECK(says(of_drive(SpeedDrive{.stops = false}), "after stop() it still moves"));
        CHECK(says(of_drive(ForceDrive{.stops = false}), "after stop() it still moves"));
        CHECK(says(of_drive(Drive{.dead = true}), "after stop() write() returns 'ok' but the drive moves by 0 mm"));
        CHECK(says(of_drive(SpeedDrive{.dead = true}), "after stop() write() returns 'ok' but"));
        CHECK(says(of_drive(ForceDrive{.dead = true}), "after stop() write() returns 'ok' but"));
        CHECK(as_text(of_drive(Drive{.writing_stopped = Status::drive_fault})) == "");  // must be enabled by hand
        FakeClock clock;
        SpeedDrive runs{.stops = false};
        CHECK(!testing::test_drive(runs, clock).empty());
        CHECK(runs.speed == 0.0);  // it is not left running
        CHECK_THROWS_AS((void)testing::test_drive(runs, clock, {.stopping = -1.0}), SetupError);
    }

    TEST_CASE("finds what was broken on purpose: clocks") {
        StandingClock standing;
        CHECK(says(testing::test_clock(standing), "stands still or goes back"));
        EagerClock eager;
        CHECK(says(testing::test_clock(eager, {.real = false}), "stands still or goes back"));
        SleepyClock sleepy;
        CHECK(says(testing::test_clock(sleepy, {.real = false}), "returns late by more than half a period"));
        BackwardClock backward;
        CHECK(says(testing::test_clock(backward, {.real = false}), "back"));
        PatientClock patient;
        CHECK(says(testing::test_clock(patient, {.real = false}), "must return at once"));
        FakeClock fake;
        CHECK(says(testing::test_clock(fake), "now() counts nanoseconds"));  // no real time passes
        MicrosecondClock half;
        CHECK(says(testing::test_clock(half, {.period = 1ms, .periods = 10, .late = 1.0}), "now() counts nanoseconds"));
    }
}

}  // namespace rig_tester_test
