// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/direct.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/series_drive.hpp>

#include "allocations.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

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

/// Its encoder is off by `error`, in one reading or from then on.
struct WrongEncoder : LaggingDrive {
    double error = 0.0;
    bool lost = false;
    Result<Motion> read() const noexcept {
        return {{.height = motion.height + error}, lost ? Status::sensor_lost : Status::ok};
    }
};

/// Its commands arrive two periods late.
struct LateDrive : LaggingDrive {
    std::array<double, 2> under_way{};
    Status write(const Command& c) noexcept {
        const double now = under_way[0];
        under_way = {under_way[1], c.value};
        return LaggingDrive::write({now});
    }
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

TEST_CASE("a wrong reading of either drive moves neither by more than 1 mm, or stops both before a command goes out") {
    constexpr int cycles = 1800;
    const auto run = [](const char* which, double error, bool for_good, int from, int missing, auto&& see) {
        WrongEncoder slow, fast;
        slow.bandwidth = 3.0, fast.bandwidth = 60.0;
        rig::SeriesDrive drive(slow, fast, dt, {.crossover = 2.0, .fast_lowest = -0.02, .fast_highest = 0.02});
        WrongEncoder& wrong = which == std::string("slow drive") ? slow : fast;
        for (int k = 0; k < cycles; ++k) {
            slow.lost = k >= from - missing && k < from;
            wrong.error = k == from || (for_good && k > from) ? error : 0.0;
            const Status seen = drive.read().status;
            if (!usable(seen) && seen != Status::sensor_lost) return see(k, slow, fast), drive.fault();
            if (drive.write({asked(std::max(0, k - 20) * dt)}) != Status::ok) return drive.fault();  // after a rest
            see(k, slow, fast);
        }
        return drive.fault();
    };
    std::vector<std::array<double, 2>> right;  // true positions
    const rig::Fault none =
        run("", 0.0, false, cycles, 0, [&](int, const WrongEncoder& slow, const WrongEncoder& fast) {
            right.push_back({slow.motion.height, fast.motion.height});
        });
    REQUIRE(none.status == Status::ok);
    for (const char* const which : {"slow drive", "fast drive"})
        for (const double size : {0.5e-3, 2e-3, 15e-3})
            for (const double error : {size, -size})
                for (const bool for_good : {false, true})
                    for (const int from : {1, 2, 10, 25, 870, 872, 1300, 1720})  // at rest, at full speed, at the top
                        for (const int missing : {0, 2}) {
                            if (missing >= from) continue;
                            CAPTURE(which);
                            CAPTURE(error);
                            CAPTURE(for_good);
                            CAPTURE(from);
                            CAPTURE(missing);
                            double worst_slow = 0.0, worst_fast = 0.0;
                            int last = 0;
                            std::array<double, 2> before{};
                            const auto see = [&](int k, const WrongEncoder& slow, const WrongEncoder& fast) {
                                const std::array now{slow.motion.height, fast.motion.height};
                                const auto n = static_cast<std::size_t>(k);
                                const auto more = [&](std::size_t i) {  // than without the error, in this period
                                    const double moved = now[i] - before[i];
                                    return std::fabs(moved - (right[n][i] - (k > 0 ? right[n - 1][i] : 0.0)));
                                };
                                const bool stopped = now == before && k >= from;
                                if (!stopped) worst_slow = std::max(worst_slow, more(0));
                                if (!stopped) worst_fast = std::max(worst_fast, more(1));
                                before = now, last = k;
                            };
                            const rig::Fault fault = run(which, error, for_good, from, missing, see);
                            CHECK(worst_slow == 0.0);  // its command comes from a filter that sees no reading
                            // The missing readings alone are good for some 0.1 mm: the robot's lag changes.
                            CHECK(worst_fast < 0.7e-3);
                            if (size < 1e-3 || which == std::string("fast drive")) {
                                CHECK(fault.status == Status::ok);
                                CHECK(last == cycles - 1);
                                continue;
                            }
                            CHECK(fault.status == Status::sensor_implausible);
                            CHECK(fault.quantity == rig::Quantity::height);
                            CHECK(fault.which == which);
                            CHECK(std::fabs(fault.value - before[0] - error) < 1e-12);
                            CHECK((fault.value < fault.lowest || fault.value > fault.highest));
                            CHECK(fault.highest - fault.lowest < 2.5e-3);
                            CHECK(last == from);
                        }
}

TEST_CASE("a carrier may be as fast, as slow to answer and as late as it likes") {
    for (const double bandwidth : {0.5, 1.0, 3.0, 30.0, 1e9})
        for (const double crossover : {0.5, 2.0, 10.0, 16.9})
            for (const double error : {0.0, 2e-3, -2e-3}) {
                CAPTURE(bandwidth);
                CAPTURE(crossover);
                CAPTURE(error);
                struct : LateDrive {
                    double error = 0.0;
                    Result<Motion> read() const noexcept { return {{.height = motion.height + error}}; }
                } robot;
                robot.bandwidth = bandwidth;
                LaggingDrive linear{.bandwidth = 1e9};
                rig::SeriesDrive drive(
                    robot, linear, dt,
                    {.crossover = crossover, .slow_speed = 0.5, .fast_lowest = -2.0, .fast_highest = 2.0});
                Status status = Status::ok;
                int k = 0;
                for (; k < 1700 && usable(status); ++k) {
                    // Rest, 0.25 m/s up and down every second with sudden turns, and what the slow drive cannot follow.
                    const double t = std::max(0.0, k * dt - 1.0), part = std::fmod(t, 2.0);
                    const double r = 0.25 * std::min(part, 2.0 - part) + (t > 5.0 ? 0.05 * std::sin(20.0 * t) : 0.0);
                    robot.error = k >= 480 ? error : 0.0;
                    status = drive.read().status;
                    if (usable(status)) status = drive.write({r});
                }
                CAPTURE(rig::describe(drive.fault()));
                if (error == 0.0) CHECK(usable(status));
                if (error != 0.0) CHECK(status == Status::sensor_implausible);
                if (error != 0.0) CHECK(k == 481);  // 0.8 s after a turn
            }
}

TEST_CASE("an error that grows moves the fast drive by no more than 1 mm a period") {
    WatchedDrive slow, fast;
    rig::SeriesDrive drive(slow, fast, dt);
    double error = 0.0, before = 0.0;
    int k = 0;
    for (; k < 100; ++k) {
        slow.next.value.height = slow.last + error;
        if (!drive.read().usable()) break;
        if (!usable(drive.write({0.0}))) break;
        CHECK(std::fabs(fast.last - before) < 1.001e-3);
        before = fast.last;
        error += 0.45e-3 * (k + 1);
    }
    CHECK(k == 3);
    CHECK(drive.fault().quantity == rig::Quantity::height);
}

TEST_CASE("in a cycle an encoder that jumps stops both drives where they are, and the message says which one it was") {
    for (const double error : {2e-3, -2e-3, 15e-3}) {
        test::ScriptedSensor sensor;
        test::StandInWire wire{dt};
        control::Direct controller;
        struct : WatchedDrive {
            double off = 0.0;
            Result<Motion> read() const noexcept { return {{.height = next.value.height + off}}; }
        } slow;
        WatchedDrive fast;
        rig::SeriesDrive drive(slow, fast, dt);
        rig::Cycle cycle(sensor, wire, controller, drive, {}, {.limits = {.frames_held = 2}});
        REQUIRE(cycle.start() == Status::ok);
        for (int k = 0; k < 10; ++k) REQUIRE(cycle.step() == Status::ok);
        const int writes = slow.writes + fast.writes;
        slow.off = error;
        CHECK(cycle.step() == Status::sensor_implausible);
        CHECK(rig::describe(cycle.fault()).find("sensor implausible: slow drive: position of the drive ") == 0);
        CHECK(slow.writes + fast.writes == writes);
        CHECK(slow.stopped);
        CHECK(fast.stopped);
    }
}

TEST_CASE("in a cycle a part of a motion that is no number stops both drives, with its name and that of the drive") {
    for (const bool of_slow : {true, false})
        for (double Motion::* part : {&Motion::height, &Motion::speed, &Motion::acceleration}) {
            test::ScriptedSensor sensor;
            test::StandInWire wire{dt};
            control::Direct controller;
            WatchedDrive slow, fast;
            rig::SeriesDrive drive(slow, fast, dt);
            rig::Cycle cycle(sensor, wire, controller, drive);
            REQUIRE(cycle.start() == Status::ok);
            for (int k = 0; k < 10; ++k) REQUIRE(cycle.step() == Status::ok);
            (of_slow ? slow : fast).next.value.*part = std::nan("");
            CHECK(cycle.step() == Status::sensor_implausible);
            CHECK(cycle.fault().which == (of_slow ? "slow drive" : "fast drive"));
            CHECK(cycle.fault().quantity == (part == &Motion::height  ? rig::Quantity::height
                                             : part == &Motion::speed ? rig::Quantity::drive_speed
                                                                      : rig::Quantity::drive_acceleration));
            CHECK(slow.stopped);
            CHECK(fast.stopped);
        }
}

TEST_CASE("without a position of the slow drive nothing is written") {
    WatchedDrive slow, fast;
    rig::SeriesDrive drive(slow, fast, dt);
    CHECK(drive.write({0.0}) == Status::not_finite);
    slow.next = {{}, Status::sensor_lost};
    CHECK(drive.read().status == Status::sensor_lost);
    CHECK(drive.write({0.0}) == Status::not_finite);
    slow.next = {{.height = std::nan("")}};
    CHECK(std::isnan(drive.read().value.height));
    CHECK(drive.write({0.0}) == Status::not_finite);
    slow.next = {{.height = 0.01}};
    CHECK(drive.read().usable());
    CHECK(drive.write({0.01}) == Status::ok);
    slow.next.value.height = std::nan("");  // bridged by the cycle, if that is allowed
    CHECK(std::isnan(drive.read().value.height));
    CHECK(drive.write({0.01}) == Status::ok);
    CHECK(std::fabs(fast.last) < 1e-12);
    CHECK(slow.writes == 2);
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
        bool frozen = false, lossy = false;
        int reads = 0;
        Result<Motion> read() noexcept {
            if (lossy && ++reads > 4 && reads % 2) return {{}, Status::sensor_lost};
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
    for (const bool lossy : {false, true})
        for (const char* const which : {"", "slow drive", "fast drive"}) {
            CAPTURE(which);
            CAPTURE(lossy);
            Sensor sensor;
            Wire wire;
            control::Direct controller;
            Encoder slow, fast;
            fast.lossy = lossy;
            rig::SeriesDrive drive(slow, fast, of_cycle);
            rig::Cycle cycle(sensor, wire, controller, drive, interaction::DirectInteraction{},
                             {.limits = {.frames_held = 1}});
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
    refused({.jump = 0.0});
    refused({.frozen_travel = std::numeric_limits<double>::infinity()});
    CHECK_THROWS_AS((rig::SeriesDrive(slow, fast, 0.0)), SetupError);
}

}  // namespace series_drive_test
