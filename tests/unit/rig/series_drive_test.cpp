// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/direct.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/series_drive.hpp>

#include "allocations.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace panto;
using test::WatchedDrive;

namespace series_drive_test {
namespace {

constexpr double dt = 1.0 / 170.0, pi = 3.141592653589793;

/// Follows its command with a lag of first order.
struct LaggingDrive {
    using Command = PositionCommand;
    double bandwidth = 1.0;  // Hz
    Motion motion{};
    double speed_max = 0.0, height_max = 0.0;

    Result<Motion> read() const noexcept { return {motion, Status::ok}; }
    Status write(const Command& c) noexcept {
        const double a = std::exp(-2.0 * pi * bandwidth * dt), next = c.value + (motion.height - c.value) * a;
        motion.speed = (next - motion.height) / dt;
        motion.height = next;
        speed_max = std::max(speed_max, std::fabs(motion.speed));
        height_max = std::max(height_max, std::fabs(next));
        return Status::ok;
    }
    void stop() noexcept {}
};

double asked(double t) { return 0.2 * (1.0 - std::cos(2.0 * pi * 0.05 * t)) + 3e-3 * std::sin(2.0 * pi * 8.0 * t); }

}  // namespace

TEST_CASE("a slow drive of long stroke and a fast one of short stroke follow together what neither could alone") {
    LaggingDrive robot{.bandwidth = 3.0}, linear{.bandwidth = 60.0}, alone{.bandwidth = 3.0};
    // [series]
    rig::SeriesDrive drive(robot, linear, dt, {.crossover = 2.0, .fast_lowest = -0.02, .fast_highest = 0.02});
    // [series]
    double worst = 0.0, worst_alone = 0.0;
    for (int k = 0; k < 3400; ++k) {
        const double r = asked(k * dt);
        REQUIRE(drive.read().status == Status::ok);
        REQUIRE(drive.write({r}) == Status::ok);
        REQUIRE(alone.write({r}) == Status::ok);
        worst = std::max(worst, std::fabs(drive.read().value.height - r));
        worst_alone = std::max(worst_alone, std::fabs(alone.motion.height - r));
    }
    CHECK(worst < 1e-3);
    CHECK(worst_alone > 5e-3);
    CHECK(robot.height_max > 0.39);
    CHECK(linear.height_max < 0.02);
    CHECK(robot.speed_max < 0.08);  // 0.063 m/s of the slow motion; the fast one has 0.15 m/s
}

TEST_CASE("the fast drive is sent to where the slow one will be") {
    LaggingDrive robot{.bandwidth = 1e9}, linear{.bandwidth = 1e9};  // both arrive within the period
    rig::SeriesDrive drive(robot, linear, dt, {.crossover = 2.0});
    double worst = 0.0;
    for (int k = 0; k < 3400; ++k) {
        const double r = 0.2 * (1.0 - std::cos(2.0 * pi * 0.05 * k * dt));
        REQUIRE(drive.read().usable());
        REQUIRE(drive.write({r}) == Status::ok);
        worst = std::max(worst, std::fabs(drive.read().value.height - r));
    }
    // What is left is the slow drive's acceleration, 0.02 m/s^2, within a period; its speed would leave 0.4 mm.
    CHECK(worst < 0.02 * dt * dt);
}

TEST_CASE("a missing reading of either drive is bridged: the slow one is taken to be where it was sent") {
    LaggingDrive robot{.bandwidth = 1e9}, linear{.bandwidth = 1e9};
    struct Losing {
        using Command = PositionCommand;
        LaggingDrive& drive;
        bool lost = false;
        Result<Motion> read() const noexcept { return {drive.motion, lost ? Status::sensor_lost : Status::ok}; }
        Status write(const Command& c) noexcept { return drive.write(c); }
        void stop() noexcept {}
    } slow{robot}, fast{linear};
    rig::SeriesDrive drive(slow, fast, dt, {.crossover = 2.0});
    double worst = 0.0;
    int lost = 0;
    for (int k = 0; k < 3400; ++k) {
        const double r = 0.2 * (1.0 - std::cos(2.0 * pi * 0.05 * k * dt));
        slow.lost = k % 100 == 98 || k % 100 == 99;
        fast.lost = k % 100 == 99;
        const Status seen = drive.read().status;
        REQUIRE(seen == (slow.lost || fast.lost ? Status::sensor_lost : Status::ok));
        lost += seen == Status::sensor_lost ? 1 : 0;
        CHECK(drive.fault().status == Status::ok);
        REQUIRE(drive.write({r}) == Status::ok);
        worst = std::max(worst, std::fabs(robot.motion.height + linear.motion.height - r));
    }
    CHECK(lost == 68);
    // The acceleration of the slow drive, 0.02 m/s^2, over the three periods since its last reading. Its speed, 0.063
    // m/s, would leave 1 mm.
    CHECK(worst < 0.02 * 9.0 * dt * dt);
}

TEST_CASE("what the fast drive cannot reach is refused, and neither drive gets a command") {
    WatchedDrive slow, fast;
    slow.next.value.height = 0.3;
    rig::SeriesDrive drive(slow, fast, dt);
    REQUIRE(drive.read().usable());
    CHECK(drive.write({0.31}) == Status::ok);
    CHECK(std::fabs(drive.fast_command() + drive.slow_command() - 0.31) < 1e-3);
    const int writes = slow.writes + fast.writes;
    CHECK(drive.write({0.5}) == Status::out_of_range);
    CHECK(drive.write({std::numeric_limits<double>::quiet_NaN()}) == Status::not_finite);
    CHECK(slow.writes + fast.writes == writes);
    CHECK(drive.fault().quantity == rig::Quantity::command);
    slow.answer = Status::drive_fault;
    CHECK(drive.write({0.31}) == Status::drive_fault);
    CHECK(drive.fault().which == "slow drive");
    slow.next.status = Status::drive_fault;
    CHECK(drive.read().status == Status::drive_fault);
    CHECK(rig::describe(drive.fault()).find("slow drive: reported by the drive") != std::string::npos);
    drive.stop();
    CHECK(slow.stops == 1);
    CHECK(fast.stops == 1);
}

TEST_CASE("a frozen encoder of either drive stops both, although the other one keeps their sum alive") {
    constexpr double of_cycle = 2e-3, frozen_from = 1.0;
    struct Sensor {  // with noise, so that it is never taken for a frozen one
        int reads = 0;
        Result<double> read() noexcept { return {100.0 + 1e-3 * (++reads % 7), Status::ok}; }
    };
    struct Encoder : WatchedDrive {
        double shown = 0.0, error = 0.0;
        bool frozen = false;
        Result<Motion> read() noexcept {
            if (!frozen) shown = next.value.height;
            error = next.value.height - shown;
            return {{.height = shown}};
        }
    };
    struct Wire {
        int steps = 0;
        Motion step(double) noexcept {
            const double t = steps++ * of_cycle;
            return {1e-2 * (1.0 - std::cos(2.0 * pi * 0.3 * t)) + 2e-3 * std::sin(2.0 * pi * 3.0 * t), 0.0, 0.0};
        }
        void reset() noexcept { steps = 0; }
        double dt() const noexcept { return of_cycle; }
    };
    for (const char* const which : {"", "slow drive", "fast drive"}) {
        CAPTURE(which);
        Sensor sensor;
        Wire wire;
        control::Direct controller;
        Encoder slow, fast;
        rig::SeriesDrive drive(slow, fast, of_cycle);
        rig::Cycle cycle(sensor, wire, controller, drive);
        REQUIRE(cycle.start() == Status::ok);
        Status status = Status::ok;
        double time = 0.0;
        for (; usable(status) && time < 10.0; time += of_cycle) {
            slow.frozen = time >= frozen_from && which == std::string("slow drive");
            fast.frozen = time >= frozen_from && which == std::string("fast drive");
            status = cycle.step();
        }
        CHECK(cycle.fault().which == which);
        if (which == std::string()) {
            CHECK(status == Status::ok);
            continue;
        }
        CHECK(status == Status::sensor_implausible);
        CHECK(cycle.fault().quantity == rig::Quantity::frozen_position);
        CHECK(rig::describe(cycle.fault()).find(std::string(which) + ": time the position reading") !=
              std::string::npos);
        CHECK(time > frozen_from + 0.5);
        CHECK(time < frozen_from + 0.6);  // at once once the command has moved, which takes 50 ms or less
        CHECK(slow.stops == 1);
        CHECK(fast.stops == 1);
    }
}

TEST_CASE("the slow drive keeps to its speed and range, and the fast one takes what is left") {
    WatchedDrive slow, fast;
    rig::SeriesDrive drive(slow, fast, dt, {.crossover = 5.0, .slow_highest = 0.1, .slow_speed = 0.2});
    Status status = Status::ok;
    double before = 0.0, height = 0.0;
    for (int k = 0; k < 170; ++k) {
        REQUIRE(drive.read().usable());
        status = drive.write({height = std::min(0.12, height + 0.19 * dt)});
        REQUIRE(usable(status));
        CHECK(std::fabs(slow.last - before) <= 0.2 * dt * (1.0 + 1e-12));
        CHECK(slow.last <= 0.1);
        before = slow.last;
    }
    CHECK(status == Status::saturated);
    CHECK(slow.last == 0.1);
    CHECK(std::fabs(fast.last - 0.02) < 1e-12);
}

TEST_CASE("two drives in series run in a cycle, take no memory, and what makes no sense is refused") {
    test::ScriptedSensor sensor;
    test::StandInWire wire{dt};
    control::Direct controller;
    WatchedDrive slow, fast;
    rig::SeriesDrive drive(slow, fast, dt);
    rig::Cycle cycle(sensor, wire, controller, drive);
    REQUIRE(cycle.start() == Status::ok);
    // @rt-tested: SeriesDrive::read, SeriesDrive::write, SeriesDrive::stop, SeriesDrive::fault
    CHECK(test::allocations_in([&] {
              for (int k = 0; k < 20; ++k) CHECK(cycle.step() == Status::ok);
              drive.stop();
          }) == 0);
    CHECK(slow.writes == 20);
    CHECK(fast.writes == 20);
    const auto refused = [&](rig::SeriesDriveParams p) {
        CHECK_THROWS_AS((rig::SeriesDrive(slow, fast, dt, p)), SetupError);
    };
    refused({.crossover = 0.0});
    refused({.crossover = 20.0});
    refused({.slow_lowest = 1.0, .slow_highest = 1.0});
    refused({.slow_speed = 0.0});
    refused({.fast_lowest = 0.1, .fast_highest = 0.0});
    refused({.frozen_time = 0.0});
    refused({.frozen_travel = std::numeric_limits<double>::infinity()});
    CHECK_THROWS_AS((rig::SeriesDrive(slow, fast, 0.0)), SetupError);
}

}  // namespace series_drive_test
