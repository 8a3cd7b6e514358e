// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/commissioning.hpp>
#include <panto/rig/simulated.hpp>

#include "../../cases/first_day_cases.hpp"
#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

using namespace panto;
using rig::CommissioningPlan;
using rig::CommissioningStage;
using test::FakeClock;

namespace commissioning_test {
namespace {

constexpr double dt = 2e-3;

/// A strip on a spring under a drive that goes at once where it is told to; everything can be spoiled.
struct SpringRig {
    double stiffness = 2000.0;  // N/m
    double strip = -0.01;       // m, height of the strip when nothing touches it
    double zero = 3.0;          // N, what the load cell says without load
    double noise = 0.0;         // N, alternating
    double sign = 1.0;          // of the load cell
    double height = 0.0;
    Motion extra{};
    Status force_status = Status::ok, drive_status = Status::ok, write_status = Status::ok;
    bool stuck = false, up_is_down = false;
    double break_below = -1.0;  // m: below, the load cell is lost
    int stops = 0, reads = 0, writes = 0;
    double first_command = 1e9;
    bool got_not_finite = false;

    struct Sensor {
        SpringRig* rig;
        Result<double> read() const noexcept {
            const double gap = rig->up_is_down ? -0.02 - rig->height - rig->strip : rig->height - rig->strip;
            const double force = rig->stiffness * std::max(0.0, -gap);
            const double shake = rig->reads++ % 2 ? rig->noise : -rig->noise;
            const bool lost = rig->height < rig->break_below;
            return {rig->sign * force + rig->zero + shake, lost ? Status::sensor_lost : rig->force_status};
        }
    } sensor{this};
    struct PositionDrive {
        using Command = PositionCommand;
        SpringRig* rig;
        Result<Motion> read() const noexcept {
            return {{rig->height + rig->extra.height, 0.0, 0.0}, rig->drive_status};
        }
        Status write(const Command& c) const noexcept {
            if (rig->writes++ == 0) rig->first_command = c.value;
            rig->got_not_finite = rig->got_not_finite || !panto::is_finite(c.value);
            if (!rig->stuck) rig->height = c.value;
            return rig->write_status;
        }
        void stop() const noexcept { ++rig->stops; }
    } drive{this};
    FakeClock clock;
};

const CommissioningPlan plan{.preload_force = 30.0, .preload_tolerance = 2.0};

void fails(SpringRig& stand, Status status, CommissioningStage stage, const CommissioningPlan& p = plan) {
    rig::TaredSensor sensor{stand.sensor};
    const auto report = rig::commission(sensor, stand.drive, stand.clock, p);
    CHECK(report.status == status);
    CHECK(name(report.stage) == name(stage));
    CHECK(stand.stops == 1);
    CHECK_FALSE(stand.got_not_finite);
}

}  // namespace

TEST_CASE("a sound rig is tared, approached, loaded and checked, and rests where it is loaded") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    const auto report = rig::commission(sensor, stand.drive, stand.clock, plan);
    CHECK(report.status == Status::ok);
    CHECK(report.stage == CommissioningStage::done);
    CHECK(report.offset == approx(3.0));
    CHECK(report.noise < 1e-12);
    CHECK(report.contact_height == approx(-0.01 - 10.0 / 2000.0).epsilon(0.01));  // where 10 N are felt
    CHECK(std::fabs(report.preload - 30.0) < 2.0);
    CHECK(report.fall > 0.5);
    CHECK(stand.stops == 0);
    CHECK(stand.first_command == 0.0);
    CHECK(stand.height == approx(-0.01 - report.preload / 2000.0).epsilon(1e-6));
    CHECK(sensor.read().value == approx(report.preload).epsilon(1e-6));  // without the offset
    CHECK(report.rest_height == approx(stand.height).epsilon(1e-12));
}

TEST_CASE("what a drive says of itself is the reason") {
    for (const bool refuses : {false, true}) {
        SpringRig stand;
        test::TellingDrive<SpringRig::PositionDrive> drive{stand.drive};
        rig::TaredSensor sensor{stand.sensor};
        (refuses ? stand.write_status : stand.drive_status) = Status::drive_fault;
        CHECK(rig::commission(sensor, drive, stand.clock, plan).fault.which == "slow drive");
        drive.own.status = Status::ok;  // it says nothing
        CHECK(rig::commission(sensor, drive, stand.clock, plan).fault.which.empty());
    }
}

TEST_CASE("a load cell that is noisy, or off by too much, is not tared") {
    SpringRig noisy;
    noisy.noise = 3.1;
    fails(noisy, Status::sensor_implausible, CommissioningStage::tare);
    SpringRig off;
    off.zero = -20.5;
    fails(off, Status::sensor_implausible, CommissioningStage::tare);
    SpringRig touching;  // the strip presses already: that is no zero
    touching.strip = 0.02;
    fails(touching, Status::sensor_implausible, CommissioningStage::tare);
    SpringRig just_right;
    just_right.noise = 2.5;
    rig::TaredSensor sensor{just_right.sensor};
    CHECK(rig::commission(sensor, just_right.drive, just_right.clock, plan).noise == approx(2.5));
}

TEST_CASE("the approach ends where the strip should have been") {
    SpringRig stand;
    stand.strip = -0.2;
    fails(stand, Status::out_of_range, CommissioningStage::approach);
    CHECK(stand.height >= -0.05 - 1e-4);
    // 50 mm at 10 mm/s after a second of taring.
    CHECK(std::chrono::duration<double>(stand.clock.time).count() < 1.0 + 5.1);
}

TEST_CASE("the approach is never faster than asked for") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning steps(sensor, stand.drive, stand.clock, plan);
    REQUIRE(steps.tare() == Status::ok);
    const auto from = stand.clock.time;
    REQUIRE(steps.approach() == Status::ok);
    const double duration = std::chrono::duration<double>(stand.clock.time - from).count();
    CHECK(-stand.height <= 0.01 * duration * (1.0 + 1e-9));
}

TEST_CASE("a load cell that reads pressure as pull is found in the approach") {
    SpringRig stand;
    stand.sign = -1.0;
    fails(stand, Status::sign_wrong, CommissioningStage::approach);
    CHECK(stand.height > -0.02);
}

TEST_CASE("a force that cannot be reached ends the preload, in distance or in time") {
    SpringRig soft;
    soft.stiffness = 500.0;
    fails(soft, Status::out_of_range, CommissioningStage::preload, {.preload_force = 100.0, .preload_tolerance = 2.0});
    SpringRig slow;
    fails(slow, Status::out_of_range, CommissioningStage::preload,
          {.preload_force = 60.0, .preload_tolerance = 2.0, .preload_speed = 1e-4, .preload_time = 5.0});
    CHECK(std::chrono::duration<double>(slow.clock.time).count() < 1.0 + 2.0 + 5.1);
}

TEST_CASE("too much force stops every stage") {
    SpringRig stand;
    stand.stiffness = 2e7;  // the first 20 um of touch are 400 N
    fails(stand, Status::out_of_range, CommissioningStage::approach);
}

TEST_CASE("a force that rises as the drive moves up is found by the sign check") {
    SpringRig stand;  // drive or encoder mounted the other way: what is called down leads away from the strip
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning steps(sensor, stand.drive, stand.clock, plan);
    REQUIRE(steps.tare() == Status::ok);
    REQUIRE(steps.approach() == Status::ok);
    REQUIRE(steps.preload() == Status::ok);
    // Mirror it about a point at which the force is the same.
    const double force = sensor.read().value;
    stand.up_is_down = true;
    stand.strip = -0.02 - stand.height + force / stand.stiffness;
    REQUIRE(sensor.read().value == approx(force));
    CHECK(steps.check_sign() == Status::sign_wrong);
    CHECK(steps.report().stage == CommissioningStage::sign_check);
    CHECK(steps.report().fall < 0.0);
    CHECK(stand.stops == 1);
}

TEST_CASE("a force that does not care where the drive is does not pass the sign check") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning steps(sensor, stand.drive, stand.clock, plan);
    REQUIRE(steps.tare() == Status::ok);
    stand.noise = 0.1;  // alive, but without contact
    CHECK(steps.check_sign() == Status::sign_wrong);
    CHECK(steps.report().fault.quantity == rig::Quantity::fall);
    CHECK(steps.report().fault.lowest == 0.3);
}

TEST_CASE("a load cell that dies before the sign check is not blamed on the sign") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning steps(sensor, stand.drive, stand.clock, plan);
    REQUIRE(steps.tare() == Status::ok);
    REQUIRE(steps.approach() == Status::ok);
    REQUIRE(steps.preload() == Status::ok);
    const double last = sensor.read().value + sensor.offset;
    stand.stiffness = 0.0;
    stand.zero = last;  // the same reading from here on
    CHECK(steps.check_sign() == Status::sensor_implausible);
    CHECK(steps.report().fault.quantity == rig::Quantity::frozen_force);
    CHECK(stand.stops == 1);
}

TEST_CASE("short gaps are bridged, longer ones end it and are counted") {
    for (const int gap : {1, 2, 3}) {
        CAPTURE(gap);
        SpringRig stand;
        rig::TaredSensor sensor{stand.sensor};
        CommissioningPlan patient = plan;
        patient.frames_held = 2;
        struct Gappy {
            using Command = PositionCommand;
            SpringRig& stand;
            int gap, reads = 0;
            Result<Motion> read() noexcept {
                const auto good = stand.drive.read();
                return reads++ % 100 < gap ? Result<Motion>{{1e9, 0.0, 0.0}, Status::sensor_lost} : good;
            }
            Status write(const Command& c) noexcept { return stand.drive.write(c); }
            void stop() noexcept { stand.drive.stop(); }
        } drive{stand, gap};
        const auto report = rig::commission(sensor, drive, stand.clock, patient);
        CHECK(report.status == (gap <= 2 ? Status::ok : Status::sensor_lost));
        CHECK(stand.stops == (gap <= 2 ? 0 : 1));
        if (gap == 3)
            CHECK(rig::describe(report.fault) == "sensor lost: missing position readings in a row 3 (allowed up to 2)");
    }
}

TEST_CASE("a reading that is no number or beyond a limit is bridged as a missing one is") {
    const double not_a_number = std::numeric_limits<double>::quiet_NaN();
    for (const double wild : {not_a_number, 1e3, -1e3}) {
        for (const int held : {0, 1}) {
            CAPTURE(wild);
            CAPTURE(held);
            SpringRig stand;
            CommissioningPlan patient = plan;
            patient.frames_held = held;
            struct {
                SpringRig& stand;
                double wild;
                int reads = 0;
                Result<double> read() noexcept {
                    const auto good = stand.sensor.read();
                    return ++reads % 100 == 0 ? Result<double>{wild, Status::ok} : good;
                }
            } cell{stand, wild};
            struct Wild {
                using Command = PositionCommand;
                SpringRig& stand;
                double wild;
                int reads = 0;
                Result<Motion> read() noexcept {
                    const auto good = stand.drive.read();
                    return reads++ % 100 == 0 ? Result<Motion>{{wild, 0.0, 0.0}, Status::ok} : good;
                }
                Status write(const Command& c) noexcept { return stand.drive.write(c); }
                void stop() noexcept { stand.drive.stop(); }
            } drive{stand, wild};
            rig::TaredSensor sensor{cell};
            CHECK(usable(rig::commission(sensor, stand.drive, stand.clock, patient).status) == (held == 1));
            stand.height = 0.0;
            rig::TaredSensor sound{stand.sensor};
            CHECK(usable(rig::commission(sound, drive, stand.clock, patient).status) == (held == 1));
        }
    }
}

TEST_CASE("the first force reading of a stage has nothing to be replaced by, which is said") {
    SpringRig stand;
    stand.force_status = Status::sensor_stale;
    rig::TaredSensor sensor{stand.sensor};
    CommissioningPlan patient = plan;
    patient.frames_held = 5;
    const auto report = rig::commission(sensor, stand.drive, stand.clock, patient);
    CHECK(rig::describe(report.fault) == "sensor stale: the first force reading, which no earlier one can replace");
}

TEST_CASE("a load cell that scattered in the tare and repeats itself in the approach is found dead on the way") {
    for (const bool scatters : {true, false}) {
        SpringRig stand;
        stand.noise = scatters ? 0.5 : 0.0;
        rig::TaredSensor sensor{stand.sensor};
        rig::Commissioning steps(sensor, stand.drive, stand.clock, plan);
        REQUIRE(steps.tare() == Status::ok);
        stand.noise = 3e-7, stand.stiffness = 0.0;  // its last bits may still toggle, by less than 1e-6 N as in a cycle
        const double top = stand.height;
        CHECK(steps.approach() == (scatters ? Status::sensor_implausible : Status::out_of_range));
        if (!scatters) continue;  // a cell without any noise may be alive
        CHECK(rig::describe(steps.report().fault) ==
              "sensor implausible: time the force reading has not changed 0.102 s (allowed up to 0.1 s)");
        CHECK(top - stand.height < 1.15e-3);  // of 50 mm
        CHECK(stand.stops == 1);
    }
}

TEST_CASE("every reading of commissioning is kept, the one that ended it included") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning stages(sensor, stand.drive, stand.clock, plan);
    CHECK(stages.readings().capacity() >= rig::most_readings(plan));
    REQUIRE(stages.run().status == Status::ok);
    const auto& readings = stages.readings();
    CHECK(static_cast<int>(readings.size()) == stand.reads);
    CHECK(static_cast<int>(readings.size()) == stand.writes);
    for (std::size_t i = 0; i < readings.size(); ++i)
        CHECK(readings[i].time == approx(dt * static_cast<double>(i + 1)).epsilon(1e-9));
    CHECK(readings.front().stage == CommissioningStage::tare);
    CHECK(readings.front().force == 3.0);  // not tared yet
    CHECK(readings.back().stage == CommissioningStage::sign_check);
    CHECK(readings.back().height == stand.height);

    SpringRig broken;
    broken.break_below = -0.005;
    rig::TaredSensor other{broken.sensor};
    rig::Commissioning ended(other, broken.drive, broken.clock, plan);
    CHECK(ended.run().status == Status::sensor_lost);
    CHECK(static_cast<int>(ended.readings().size()) == broken.reads);
    CHECK(ended.readings().back().status == Status::sensor_lost);
}

TEST_CASE("a drive that says it stands beyond all measure is not taken at its word") {
    SpringRig stand;
    stand.extra.height = 1e14;
    fails(stand, Status::out_of_range, CommissioningStage::tare);
    CHECK(stand.writes == 0);
}

TEST_CASE("a move of the sign check with too few readings to judge it is refused beforehand") {
    CommissioningPlan coarse = plan;
    coarse.period = std::chrono::milliseconds(20);  // two readings in 40 ms
    CHECK_THROWS_WITH_AS(rig::validate(coarse), doctest::Contains("sign_time is 0.04 s, 2 periods of 0.02 s"),
                         SetupError);
    coarse.sign_time = 0.2;
    CHECK_NOTHROW(rig::validate(coarse));
    coarse.period = std::chrono::milliseconds(4);
    coarse.sign_time = 0.04;
    CHECK_NOTHROW(rig::validate(coarse));
    coarse.approach_speed = 1e-7;
    CHECK_THROWS_WITH_AS(rig::validate(coarse), doctest::Contains("the time of approach_distance"), SetupError);
    coarse = plan;
    coarse.frames_held = -1;
    CHECK_THROWS_AS(rig::validate(coarse), SetupError);
    coarse = plan;
    coarse.lowest = 1.0, coarse.highest = 0.0;
    CHECK_THROWS_AS(rig::validate(coarse), SetupError);
}

TEST_CASE("a fall that scatter could hide is blamed on the reading, not on the sign") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning steps(sensor, stand.drive, stand.clock, plan);
    REQUIRE(steps.tare() == Status::ok);
    REQUIRE(steps.approach() == Status::ok);
    REQUIRE(steps.preload() == Status::ok);
    stand.noise = 15.0;  // 0.3 N of fall on the way against four times 15 N over the root of some ten readings
    CHECK(steps.check_sign() == Status::sensor_implausible);
    CHECK(steps.report().stage == CommissioningStage::sign_check);
    CHECK(stand.stops == 1);
}

TEST_CASE("a drive that does not move is not blamed on the force") {
    SpringRig stand;
    stand.stuck = true;
    fails(stand, Status::drive_fault, CommissioningStage::approach);
    SpringRig short_way;  // stuck within the allowed distance
    rig::TaredSensor sensor{short_way.sensor};
    rig::Commissioning steps(sensor, short_way.drive, short_way.clock, plan);
    REQUIRE(steps.tare() == Status::ok);
    REQUIRE(steps.approach() == Status::ok);
    short_way.stuck = true;
    CHECK(steps.check_sign() == Status::sensor_implausible);
    CHECK(steps.report().fault.quantity == rig::Quantity::frozen_position);
    CHECK(short_way.stops == 1);
}

TEST_CASE("trouble with sensor or drive ends each stage with its reason") {
    SpringRig lost;
    lost.force_status = Status::sensor_lost;
    fails(lost, Status::sensor_lost, CommissioningStage::tare);
    SpringRig later;
    later.break_below = -0.005;
    fails(later, Status::sensor_lost, CommissioningStage::approach);
    SpringRig refusing;
    refusing.write_status = Status::drive_fault;
    fails(refusing, Status::drive_fault, CommissioningStage::tare);
    SpringRig blind;
    blind.drive_status = Status::sensor_stale;
    fails(blind, Status::sensor_stale, CommissioningStage::tare);
    CHECK(blind.writes == 0);
    SpringRig no_number;
    no_number.zero = std::numeric_limits<double>::quiet_NaN();
    fails(no_number, Status::sensor_implausible, CommissioningStage::tare);
    SpringRig lost_position;
    lost_position.extra.height = std::numeric_limits<double>::infinity();
    fails(lost_position, Status::sensor_implausible, CommissioningStage::tare);
    CHECK(lost_position.writes == 0);
}

TEST_CASE("a plan without sense is refused by name") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    const auto with = [&](const CommissioningPlan& p) { rig::commission(sensor, stand.drive, stand.clock, p); };
    CHECK_THROWS_WITH_AS(with({.approach_speed = 0.0}),
                         "rig::CommissioningPlan: approach_speed must be finite and > 0, got 0", SetupError);
    CHECK_THROWS_AS(with({.period = std::chrono::nanoseconds(0)}), SetupError);
    CHECK_THROWS_AS(with({.tare_samples = 1}), SetupError);
    CHECK_THROWS_AS(with({.sign_move = -1e-3}), SetupError);
    CHECK_THROWS_AS(with({.sign_moves = 3}), SetupError);
    CHECK_THROWS_WITH_AS(with({.excitation = {.travel = 3e-3}}), doctest::Contains("less than half of following"),
                         SetupError);
    CHECK_THROWS_WITH_AS(with({.excitation = {.step = 6e-3}}), doctest::Contains("excitation.step is 0.006 m"),
                         SetupError);
    CHECK_THROWS_WITH_AS(with({.excitation = {.swing = 1.0}}), doctest::Contains("the strip would leave the pad"),
                         SetupError);
    CHECK_THROWS_AS(with({.excitation = {.shortest = 0.1, .longest = 0.05}}), SetupError);
    CHECK_THROWS_AS(with({.excitation = {.air_time = 1e300}}), SetupError);
    CHECK_THROWS_WITH_AS(with({.preload_force = 400.0}),
                         "rig::CommissioningPlan: preload_force is 400 N, must be below force_limit, 400 N",
                         SetupError);
    CHECK_THROWS_AS(with({.contact_force = 401.0}), SetupError);
    CHECK_THROWS_AS(with({.approach_speed = 2.6}), SetupError);  // 5.2 mm a period
    CHECK_THROWS_AS(with({.following = std::numeric_limits<double>::infinity()}), SetupError);
    CHECK(stand.writes == 0);
}

TEST_CASE("the simulated rig with noise is commissioned, the pantograph being raised after the tare") {
    rig::Simulated stand({.uplift_force = 0.0, .start_height = 0.02, .force_noise = 1.0, .position_noise = 1e-5}, dt);
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning steps(sensor, stand.drive, stand.clock, {.preload_force = 120.0});
    REQUIRE(steps.tare() == Status::ok);
    CHECK(std::fabs(steps.report().offset) < 0.2);  // 4 sigma of a mean of 500
    stand.set_uplift_force(1.7);                    // floats up gently until the drive at 20 mm holds it
    stand.clock.sleep_until(stand.clock.now() + std::chrono::seconds(20));
    for (int i = 1; i <= 100; ++i) {  // then gains force within two seconds
        stand.set_uplift_force(1.2 * i);
        stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(20));
    }
    REQUIRE(steps.approach() == Status::ok);
    REQUIRE(steps.preload() == Status::ok);
    REQUIRE(steps.check_sign() == Status::ok);
    CHECK(std::fabs(steps.report().preload - 120.0) < 10.0);
    CHECK(steps.report().fall > 10.0);  // the inertia of the masses, not the 80 N/m of the frame
}

TEST_CASE("commissioning does not allocate") {  // @rt-tested: TaredSensor::read
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning stages(sensor, stand.drive, stand.clock, plan);  // takes the memory of its readings
    Status status = Status::not_running;
    CHECK(panto::test::allocations_in([&] { status = stages.run().status; }) == 0);
    CHECK(status == Status::ok);
    CHECK(panto::test::allocations_in([&] { status = stages.excite_in_contact(); }) == 0);
    CHECK(status == Status::ok);
}

TEST_CASE("nothing in a plan makes the drive jump, and no stage lasts for ever") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    const auto with = [&](const CommissioningPlan& p) { rig::commission(sensor, stand.drive, stand.clock, p); };
    CHECK_THROWS_WITH_AS(with({.preload_speed = 10.0}),
                         "rig::CommissioningPlan: preload_speed is 10 m/s, 0.02 m a period, must be less than "
                         "following, 0.005 m",
                         SetupError);
    CHECK_THROWS_AS(with({.sign_move = 0.1, .sign_time = 0.04}), SetupError);  // 9.4 mm a period at its steepest
    CHECK_THROWS_AS(with({.sign_move = 3e-3, .sign_time = 1e-9}), SetupError);
    CHECK_THROWS_AS(with({.preload_time = 1e300}), SetupError);
    CHECK_THROWS_AS(with({.sign_time = 1e300}), SetupError);
    CHECK_THROWS_WITH_AS(with({.preload_force = 120.0, .preload_tolerance = 500.0}),
                         "rig::CommissioningPlan: preload_tolerance is 500 N, must be below preload_force, 120 N",
                         SetupError);
    CHECK(stand.writes == 0);
}

TEST_CASE("the excitations stay within their limits and end where they began") {
    const test::RigRecords day = test::recorded(test::noisy({.pantograph = pantograph::preset("DSA380_HiL").params}, 1),
                                                {.excitation = {.contact_time = 3.0}});
    REQUIRE(day.report.status == Status::ok);
    const rig::ExcitationPlan e;
    for (const ident::RigRecord* r : {&day.air, &day.contact}) {
        const auto [low, high] = std::minmax_element(r->command.begin(), r->command.end());
        CHECK(r->command.back() == r->command.front());
        if (r == &day.air) {
            CHECK(*low == r->command.front());  // towards the strip it does not go
            CHECK(*high - *low == approx(e.step).epsilon(1e-9));
        } else {
            CHECK(*high - r->command.front() <= e.travel);
            CHECK(r->command.front() - *low <= e.travel);
            CHECK(*high - r->command.front() >= 0.999 * rig::smallest_jump);
        }
        for (std::size_t i = 1; i < r->time.size(); ++i) CHECK(r->time[i] - r->time[i - 1] == approx(dt).epsilon(1e-9));
    }
    // 0.3 of 120 N is aimed at; a strip without a damper may get more before the jumps have become small again.
    const auto [least, most] = std::minmax_element(day.contact.force.begin(), day.contact.force.end());
    CHECK(*most - 120.0 > 15.0);
    CHECK(*most - 120.0 < 72.0);
    CHECK(*least > 48.0);
}

TEST_CASE("the excitation in the air is refused where the strip touches") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning stages(sensor, stand.drive, stand.clock, plan);
    REQUIRE(stages.tare() == Status::ok);
    REQUIRE(stages.approach() == Status::ok);
    CHECK(stages.excite_in_air() == Status::out_of_range);
    CHECK(stages.report().fault.quantity == rig::Quantity::force);
    CHECK(stand.stops == 1);
}

TEST_CASE("a bridged reading is missing in the record of an excitation") {
    SpringRig stand;
    struct {
        SpringRig& stand;
        int reads = 0;
        Result<double> read() noexcept {
            const auto good = stand.sensor.read();
            return ++reads == 700 ? Result<double>{0.0, Status::sensor_lost} : good;
        }
    } cell{stand};
    rig::TaredSensor sensor{cell};
    CommissioningPlan patient = plan;
    patient.frames_held = 1;
    rig::Commissioning stages(sensor, stand.drive, stand.clock, patient);
    REQUIRE(stages.tare() == Status::ok);
    REQUIRE(stages.excite_in_air() == Status::ok);
    const ident::RigRecord record = stages.record(CommissioningStage::excitation_in_air);
    CHECK(std::count_if(record.force.begin(), record.force.end(), [](double f) { return std::isnan(f); }) == 1);
    CHECK(stages.record(CommissioningStage::excitation_in_contact).time.empty());
}

TEST_CASE("the user ends it through a flag, in any stage") {
    SpringRig stand;
    const std::atomic<bool> enough{true};
    CommissioningPlan p = plan;
    p.stop_requested = &enough;
    fails(stand, Status::stopped_by_user, CommissioningStage::tare, p);
    CHECK(stand.writes == 0);
}

TEST_CASE("time that was lost is not made up for, and a clock that cannot be trusted ends it") {
    struct Odd : FakeClock {
        std::chrono::nanoseconds woke{0};
        std::chrono::nanoseconds least = std::chrono::seconds(1);
        int sleeps = 0;
        bool standing = false;
        void sleep_until(std::chrono::nanoseconds t) noexcept {
            if (standing && sleeps > 600) return;
            FakeClock::sleep_until(t);
            if (++sleeps == 600) time += std::chrono::milliseconds(500);  // the program hung in the approach
            least = std::min(least, time - woke);
            woke = time;
        }
    };
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    Odd clock;
    CHECK(rig::commission(sensor, stand.drive, clock, plan).status == Status::ok);
    CHECK(clock.least == std::chrono::milliseconds(2));
    SpringRig other;
    rig::TaredSensor same{other.sensor};
    Odd standing;
    standing.standing = true;
    const auto report = rig::commission(same, other.drive, standing, plan);
    CHECK(report.status == Status::deadline_missed);
    CHECK(report.stage == CommissioningStage::approach);
    CHECK(other.stops == 1);
}

TEST_CASE("a stage goes on where the one before left the drive, whatever the encoder says now") {
    SpringRig stand;
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning steps(sensor, stand.drive, stand.clock, plan);
    REQUIRE(steps.tare() == Status::ok);
    REQUIRE(steps.approach() == Status::ok);
    const double commanded = stand.height;
    for (const double off : {1e-4, 0.9e-3}) {  // lag and noise of the encoder, or an error of it
        stand.extra.height = off;
        stand.writes = 0;
        REQUIRE(steps.check_sign() == Status::ok);
        CHECK(stand.first_command == commanded);
    }
    stand.extra.height = 4e-3;  // somebody else has moved it, or the encoder has jumped: nobody can tell
    stand.writes = stand.stops = 0;
    for (int times = 1; times <= 2; ++times) {
        CHECK(steps.check_sign() == Status::drive_fault);
        CHECK(rig::describe(steps.report().fault) ==
              "drive fault: distance between command and position 0.004 m (allowed up to 0.001 m)");
        CHECK(stand.writes == 0);
        CHECK(stand.stops == times);
    }
    stand.extra.height = 0.0;  // it is itself again
    CHECK(steps.check_sign() == Status::ok);
    CHECK(stand.first_command == commanded);
    stand.height += 4e-3;  // it has indeed been moved, and the commissioning is told so
    steps.drive_was_moved();
    stand.writes = 0;
    static_cast<void>(steps.check_sign());
    CHECK(stand.first_command == commanded + 4e-3);
}

namespace {

/// Default plan and default noise; the pantograph is raised gently after the tare.
rig::CommissioningReport by_default(const char* pantograph, double pad, double cut_off, unsigned seed) {
    rig::SimulatedParams p{.rig = {.pad_stiffness = pad,
                                   .pantograph = pantograph::preset(pantograph).params,
                                   .force_filter = {.cut_off = cut_off}},
                           .uplift_force = 0.0,
                           .start_height = 2e-3,
                           .force_noise = 1.0,
                           .position_noise = 1e-5,
                           .seed = seed};
    rig::Simulated stand(p, dt);
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning stages(sensor, stand.drive, stand.clock, {});
    if (!usable(stages.tare())) return stages.report();
    test::raise_pantograph(stand);
    if (usable(stages.approach()) && usable(stages.preload())) (void)stages.check_sign();
    return stages.report();
}

}  // namespace

TEST_CASE("a strip that rings, or a fall as small as the noise, does not fail the sign check of the default plan") {
    // Heads without a damper on stiff pads, and pads so soft that the fall is close to the noise.
    struct Case {
        const char* pantograph;
        double pad, cut_off;  // N/m, Hz
    };
    const Case cases[] = {{"DSA250", 240e3, 100.0},     {"DSA380", 160e3, 0.0},   {"DSA380_HiL", 120e3, 0.0},
                          {"DSA380_HiL", 160e3, 100.0}, {"SSS400+", 10e3, 100.0}, {"EN50318_2002", 5e3, 100.0},
                          {"DSA250", 5e3, 100.0}};
    for (const Case& c : cases)
        for (const unsigned seed : {1U, 2U}) {
            const rig::CommissioningReport report = by_default(c.pantograph, c.pad, c.cut_off, seed);
            CAPTURE(std::string(c.pantograph));
            CAPTURE(c.pad);
            CAPTURE(rig::describe(report.fault));
            CHECK(report.status == Status::ok);
            CHECK(report.fall >= 0.3);
        }
}

TEST_SUITE("long") {
    TEST_CASE("the default plan passes on every pad and pantograph for an overhead line, over 20 seeds") {
        for (const char* pantograph :
             {"DSA250", "DSA380", "DSA380_HiL", "EN50318_2002", "Faiveley_CX", "SSS400+", "benchmark2015"})
            for (const double cut_off : {0.0, 100.0})
                for (const double pad : {5e3, 10e3, 20e3, 40e3, 60e3, 80e3, 120e3, 160e3, 200e3, 240e3, 300e3})
                    for (unsigned seed = 1; seed <= 20; ++seed) {
                        if (pantograph == std::string("SSS400+") && pad == 5e3 && cut_off > 0.0) continue;  // below
                        const rig::CommissioningReport report = by_default(pantograph, pad, cut_off, seed);
                        CAPTURE(std::string(pantograph));
                        CAPTURE(pad);
                        CAPTURE(cut_off);
                        CAPTURE(seed);
                        CAPTURE(rig::describe(report.fault));
                        CHECK(report.status == Status::ok);
                    }
    }

    // 15 of 20 pass: the fall of the force is 0.24 to 0.36 N in the others, where 0.37 N are asked.
    TEST_CASE("the default plan passes on the softest pad with SSS400+ and a filter, over 20 seeds" *
              doctest::should_fail()) {
        int passed = 0;
        for (unsigned seed = 1; seed <= 20; ++seed)
            passed += by_default("SSS400+", 5e3, 100.0, seed).status == Status::ok ? 1 : 0;
        CAPTURE(passed);
        CHECK(passed == 20);
    }
}

TEST_CASE("a head without damper on the stiff pad passes the sign check whatever the noise was") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        rig::SimulatedParams p{
            .uplift_force = 0.0, .start_height = 2e-3, .force_noise = 1.0, .position_noise = 1e-5, .seed = seed};
        p.rig.force_filter.cut_off = 0.0;
        rig::Simulated stand(p, dt);
        rig::TaredSensor sensor{stand.sensor};
        rig::Commissioning steps(sensor, stand.drive, stand.clock, {.approach_speed = 5e-3, .preload_force = 143.0});
        REQUIRE(steps.tare() == Status::ok);
        stand.set_uplift_force(1.7);
        stand.clock.sleep_until(stand.clock.now() + std::chrono::seconds(10));
        for (int i = 1; i <= 100; ++i) {
            stand.set_uplift_force(std::max(1.7, 1.43 * i));
            stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(20));
        }
        CHECK(steps.approach() == Status::ok);
        CHECK(steps.preload() == Status::ok);
        CHECK(steps.check_sign() == Status::ok);
    }
}

}  // namespace commissioning_test
