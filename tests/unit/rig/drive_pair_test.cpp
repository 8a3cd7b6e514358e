// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/direct.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/drive_pair.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/simulated.hpp>

#include "allocations.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace panto;
using rig::Quantity;
using rig::SimulatedFault;
using test::ScriptedSensor;
using test::StandInWire;
using test::WatchedDrive;

namespace drive_pair_test {
namespace {

constexpr double dt = 2e-3;
constexpr double pi = 3.141592653589793;

/// 5 mm up and down at 1 Hz, begun gently.
double roof(double t) noexcept { return 5e-3 * (1.0 - std::cos(2.0 * pi * t)); }
/// What it is to play after something was ordered.
struct Motion1 {
    const double* spoilt_from;  // s; from then on not a number
    const double* jump_from;    // s; from then on 30 mm higher
    double operator()(double t) const noexcept {
        return t >= *spoilt_from ? std::nan("") : roof(t) + (t >= *jump_from ? 0.03 : 0.0);
    }
};

struct Bench {
    ScriptedSensor sensor;
    StandInWire wire{dt};
    control::Direct controller;
    WatchedDrive first, second;
    double never = 1e9, at_once = 0.0;
};

/// Seven cycles in good order, something spoilt, and what then must hold in the next cycle: both drives stopped, no
/// further command on either but one that was refused, and a reason that names the second drive.
void stops_both(Status expected, Quantity quantity, const std::function<void(Bench&)>& spoil, bool by_second = true,
                rig::CycleLimits limits = {}) {
    Bench b;
    b.first.next.value.height = 0.1;
    b.second.next.value.height = -0.02;
    double spoilt = b.never, jump = b.never;
    rig::DrivePair pair(b.first, b.second, Motion1{&spoilt, &jump}, dt, limits);
    rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
    REQUIRE(cycle.start() == Status::ok);
    for (int i = 0; i < 7; ++i) REQUIRE(cycle.step() == Status::ok);
    CHECK(b.first.writes == 7);
    CHECK(b.second.writes == 7);
    spoil(b);
    if (quantity == Quantity::command) spoilt = b.at_once;
    if (quantity == Quantity::command_rate) jump = b.at_once;
    int cycles = 0;
    Status status = Status::ok;
    while (usable(status = cycle.step()) && ++cycles < 20) {
    }
    CAPTURE(rig::describe(cycle.fault()));
    CHECK(status == expected);
    CHECK(b.first.stops == 1);
    CHECK(b.second.stops == 1);
    CHECK(b.first.stopped);
    CHECK(b.second.stopped);
    CHECK_FALSE(b.first.got_not_finite);
    CHECK_FALSE(b.second.got_not_finite);
    CHECK(cycle.fault().quantity == quantity);
    CHECK((cycle.fault().which == "second drive") == by_second);
    const bool named = rig::describe(cycle.fault()).find("second drive: ") != std::string::npos;
    CHECK(named == by_second);
    // All or nothing: whoever refused, or whatever was wrong with one command, the other drive has at most one more,
    // and that was a good one.
    CHECK(std::abs(b.first.writes - b.second.writes) <= 1);
    CHECK(std::fabs(b.second.last - (-0.02 + roof((b.second.writes - 1) * dt))) < 1e-12);
    const int before = b.first.writes + b.second.writes;
    b.first.answer = b.second.answer = Status::ok;
    CHECK(cycle.step() == expected);  // latched
    CHECK(b.first.writes + b.second.writes == before);
}

}  // namespace

TEST_SUITE("rig::DrivePair") {
    TEST_CASE("the second drive begins where it stands and follows its own motion; the first one is as without it") {
        Bench b, alone;
        b.first.next.value.height = alone.first.next.value.height = 0.1;
        b.second.next.value.height = -0.02;
        rig::DrivePair pair(b.first, b.second, roof, dt);
        static_assert(Drive<decltype(pair)> && rig::TellsFault<decltype(pair)>);
        rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
        rig::Cycle plain(alone.sensor, alone.wire, alone.controller, alone.first);
        for (int run = 0; run < 2; ++run) {  // a second run begins anew
            const double stands = b.second.next.value.height;
            REQUIRE(cycle.start() == Status::ok);
            REQUIRE(plain.start() == Status::ok);
            for (int n = 0; n < 200; ++n) {
                REQUIRE(cycle.step() == Status::ok);
                REQUIRE(plain.step() == Status::ok);
                CHECK(b.first.last == alone.first.last);
                CHECK(std::fabs(b.second.last - (stands + roof(n * dt))) < 1e-15);
                if (n == 0) CHECK(b.second.last == stands);
            }
            CHECK(pair.second_command() == b.second.last);
            cycle.stop(Status::stopped_by_user), plain.stop(Status::stopped_by_user);
        }
        CHECK(b.second.stops == 2);
    }

    TEST_CASE("what the first drive is commanded before a run, as by a commissioning, leaves the second one at rest") {
        // @rt-tested: DrivePair::begin_run
        Bench b;
        b.second.next.value.height = -0.02;
        rig::DrivePair pair(b.first, b.second, roof, dt);
        for (int run = 0; run < 2; ++run) {
            for (int n = 0; n < 300; ++n) {
                REQUIRE(pair.read().usable());
                REQUIRE(pair.write({-1e-5 * n}) == Status::ok);
                CHECK(b.second.last == -0.02);
            }
            CHECK(panto::test::allocations_in([&] { pair.begin_run(); }) == 0);
            rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
            REQUIRE(cycle.start() == Status::ok);
            for (int n = 0; n < 100; ++n) {
                REQUIRE(cycle.step() == Status::ok);
                CHECK(std::fabs(b.second.last - (-0.02 + roof(n * dt))) < 1e-15);
            }
            cycle.stop(Status::stopped_by_user);
            b.second.next.value.height = -0.02;
        }
    }

    TEST_CASE("an encoder of the second drive that has jumped since the last command does not move it") {
        struct Wrong : WatchedDrive {
            double error = 0.0;
            Result<Motion> read() const noexcept { return {{.height = next.value.height + error}, next.status}; }
        };
        const auto still = [](double) noexcept { return 0.0; };
        for (const double size : {0.5e-3, 2e-3, 15e-3, 30e-3})
            for (const double error : {size, -size})
                for (const int readings : {1, 2, 1000})            // wrong ones
                    for (const int from : {-3, 0, 1, 2, 5, 40}) {  // readings after the start of the run
                        CAPTURE(error);
                        CAPTURE(readings);
                        CAPTURE(from);
                        Bench b;
                        Wrong second;
                        second.next.value.height = -0.02;
                        rig::DrivePair pair(b.first, second, still, dt);
                        int n = -50;
                        double farthest = 0.0;
                        const auto wrong = [&] {
                            second.error = n >= from && n < from + readings ? error : 0.0;
                            ++n;
                        };
                        const auto look = [&] { farthest = std::max(farthest, std::fabs(second.last + 0.02)); };
                        while (n < 0) {
                            wrong();
                            REQUIRE(pair.read().usable());
                            REQUIRE(pair.write({0.0}) == Status::ok);
                            look();
                        }
                        const int held = second.writes;
                        rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
                        wrong();
                        Status status = cycle.start();
                        while (usable(status) && n < 60) {
                            wrong();
                            status = cycle.step();
                            look();
                        }
                        CHECK(farthest == 0.0);  // true position
                        // Read before the first command: by start() and by the first step.
                        const bool at_start = from <= 1 && from + readings > 0 && from >= 0;
                        const bool refused = at_start && size > 1e-3;
                        CHECK((second.writes == held) == refused);
                        if (!refused) continue;
                        CAPTURE(rig::describe(cycle.fault()));
                        CHECK(status == Status::sensor_implausible);
                        CHECK(cycle.fault().quantity == Quantity::height);
                        CHECK(cycle.fault().which == "second drive");
                        CHECK(std::fabs(cycle.fault().value - (-0.02 + error)) < 1e-12);
                        CHECK(std::fabs(cycle.fault().highest - (-0.019)) < 1e-12);
                        CHECK(b.first.stopped);
                        CHECK(second.stopped);
                    }
    }

    TEST_CASE("without an earlier command two readings must agree, and one without any reading moves nothing") {
        Bench b;
        rig::DrivePair pair(b.first, b.second, roof, dt);
        CHECK(pair.write({0.0}) == Status::not_finite);
        CHECK(b.first.writes + b.second.writes == 0);
        rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
        for (const double apart : {15e-3, 2e-3, 0.5e-3}) {
            b.second.next.value.height = -0.02;
            REQUIRE(cycle.start() == Status::ok);
            b.second.next.value.height = -0.02 + apart;
            CHECK(cycle.step() == (apart > 1e-3 ? Status::sensor_implausible : Status::ok));
            CHECK(b.second.writes == (apart > 1e-3 ? 0 : 1));
        }
        CHECK(b.second.last == -0.02 + 0.5e-3);
    }

    TEST_CASE("a second drive that stands beside its command is not refused, and stays there") {
        struct Sagging : WatchedDrive {
            Result<Motion> read() const noexcept { return {{.height = last - 3e-3}}; }
        } second;
        Bench b;
        rig::DrivePair pair(b.first, second, roof, dt);
        second.last = 0.05;
        for (int n = 0; n < 20; ++n) {
            REQUIRE(pair.read().usable());
            REQUIRE(pair.write({0.0}) == Status::ok);
        }
        const double stands = second.last;
        rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
        REQUIRE(cycle.start() == Status::ok);
        for (int n = 0; n < 20; ++n) {
            REQUIRE(cycle.step() == Status::ok);
            CHECK(std::fabs(second.last - (stands + roof(n * dt))) < 1e-15);
        }
    }

    TEST_CASE("a fault of either stops both, with a reason, and neither gets a bad command") {
        const double none = std::nan("");
        stops_both(Status::drive_fault, Quantity::drive, [](Bench& b) { b.second.answer = Status::drive_fault; });
        stops_both(Status::drive_fault, Quantity::drive, [](Bench& b) { b.first.answer = Status::drive_fault; }, false);
        stops_both(Status::drive_fault, Quantity::position_reading,
                   [](Bench& b) { b.second.next.status = Status::sensor_lost, b.second.follows = false; });
        stops_both(
            Status::sensor_lost, Quantity::position_reading,
            [](Bench& b) { b.first.next.status = Status::sensor_lost; }, false);
        stops_both(Status::sensor_implausible, Quantity::height,
                   [&](Bench& b) { b.second.next.value.height = none, b.second.follows = false; });
        stops_both(Status::sensor_implausible, Quantity::drive_speed,
                   [&](Bench& b) { b.second.next.value.speed = none, b.second.follows = false; });
        stops_both(Status::sensor_implausible, Quantity::drive_acceleration,
                   [&](Bench& b) { b.second.next.value.acceleration = none, b.second.follows = false; });
        stops_both(Status::out_of_range, Quantity::height,
                   [](Bench& b) { b.second.next.value.height = 0.5, b.second.follows = false; });
        stops_both(Status::drive_fault, Quantity::following,
                   [](Bench& b) { b.second.next.value.height = 0.05, b.second.follows = false; });
        stops_both(Status::not_finite, Quantity::command, [](Bench&) {});
        stops_both(Status::out_of_range, Quantity::command_rate, [](Bench&) {});
        stops_both(Status::out_of_range, Quantity::force, [](Bench& b) { b.sensor.next.value = 1e3; }, false);
    }

    TEST_CASE("a command of the second drive out of its range is not written, nor the other one") {
        Bench b;
        rig::DrivePair pair(b.first, b.second, roof, dt, {.lowest = -1e-3, .highest = 1e-3});
        rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
        REQUIRE(cycle.start() == Status::ok);
        Status status = Status::ok;
        while (usable(status = cycle.step())) {
        }
        CHECK(status == Status::out_of_range);
        CHECK(b.second.last <= 1e-3);
        CHECK(b.first.writes == b.second.writes);
        CHECK(rig::describe(cycle.fault()).find("out of range: second drive: command 0.001") == 0);
    }

    TEST_CASE("a motion that begins far away, or with no number, moves neither drive") {
        for (const double from : {1e14, -11.0, std::nan(""), HUGE_VAL}) {
            Bench b;
            const auto far = [from](double t) noexcept { return from + 1e-3 * std::sin(t); };
            rig::DrivePair pair(b.first, b.second, far, dt);
            rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
            (void)cycle.start();
            CHECK(cycle.step() == (std::fabs(from) < HUGE_VAL ? Status::out_of_range : Status::not_finite));
            CHECK(cycle.fault().quantity == rig::Quantity::reference_height);
            CHECK(cycle.fault().which == "second drive");
            CHECK(b.first.writes == 0);
            CHECK(b.second.writes == 0);
        }
        Bench b;  // 10 m of offset are accepted
        const auto high = [](double t) noexcept { return 10.0 + 1e-3 * t; };
        rig::DrivePair pair(b.first, b.second, high, dt);
        rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
        REQUIRE(cycle.start() == Status::ok);
        for (int n = 0; n < 10; ++n) CHECK(cycle.step() == Status::ok);
    }

    TEST_CASE("what the first drive says of itself is the reason") {
        Bench b;
        test::TellingDrive<WatchedDrive> first;
        rig::DrivePair pair(first, b.second, roof, dt);
        rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
        REQUIRE(cycle.start() == Status::ok);
        first.next.status = Status::drive_fault;
        CHECK(cycle.step() == Status::drive_fault);
        CHECK(cycle.fault().which == "slow drive");
        first.next.status = Status::ok;
        REQUIRE(cycle.start() == Status::ok);
        b.second.next.status = Status::drive_fault;
        CHECK(cycle.step() == Status::drive_fault);
        CHECK(cycle.fault().which == "second drive");
    }

    TEST_CASE("short gaps in the readings of the second drive are bridged, as many as allowed") {
        for (const int gap : {2, 3}) {
            Bench b;
            rig::DrivePair pair(b.first, b.second, roof, dt, {.frames_held = 2});
            rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
            REQUIRE(cycle.start() == Status::ok);
            for (int n = 0; n < 10; ++n) REQUIRE(cycle.step() == Status::ok);
            b.second.next.status = Status::sensor_lost;
            Status status = Status::ok;
            for (int n = 0; n < gap; ++n) status = cycle.step();
            CHECK(usable(status) == (gap == 2));
            CHECK(pair.held() == 2);
        }
    }

    TEST_CASE("so are readings that are no number or out of range") {
        for (const double wild : {std::nan(""), 0.5})
            for (const int gap : {2, 3}) {
                Bench b;
                rig::DrivePair pair(b.first, b.second, roof, dt, {.frames_held = 2});
                rig::Cycle cycle(b.sensor, b.wire, b.controller, pair);
                REQUIRE(cycle.start() == Status::ok);
                for (int n = 0; n < 10; ++n) REQUIRE(cycle.step() == Status::ok);
                b.second.next.value.height = wild;
                b.second.follows = false;
                Status status = Status::ok;
                for (int n = 0; n < gap; ++n) status = cycle.step();
                CHECK(usable(status) == (gap == 2));
                CHECK((cycle.fault().which == "second drive") == (gap == 3));
            }
    }

    TEST_CASE("what makes no sense is refused") {
        Bench b;
        CHECK_THROWS_WITH_AS(rig::DrivePair(b.first, b.second, roof, 0.0),
                             "rig::DrivePair: dt must be finite and > 0, got 0", SetupError);
        CHECK_THROWS_AS(rig::DrivePair(b.first, b.second, roof, dt, {.lowest = 1.0, .highest = 0.0}), SetupError);
        rig::Simulated stand({}, 1e-3);
        CHECK_THROWS_AS(rig::DrivePair(b.first, stand.base, roof, dt), SetupError);
        CHECK_THROWS_AS(rig::Simulated({.base_motor = {.mass = 0.0, .damping = 1.0, .stiffness = 1.0}}, dt),
                        SetupError);
    }

    TEST_CASE("on the simulated rig the roof moves the pantograph, and a fault of its actuator stops both") {
        // The drive stands still, the strip is pressed on the pad: a slow roof changes the force by what the spring and
        // damper to the roof make of it, k z + c dz/dt. What moves the frame is lost to its mass, m w^2 / k of it: with
        // 20 kg on some 5 kN/m at 0.25 Hz, 1 %.
        const auto slow = [](double t) noexcept { return 1e-2 * (1.0 - std::cos(0.5 * pi * t)); };
        rig::Simulated stand({.rig = {.pad_stiffness = 240e3,
                                      .pantograph = pantograph::preset("DSA380_HiL").params,
                                      .force_filter = {.cut_off = 0.0}}},
                             dt);
        const auto& p = stand.params().rig.pantograph;
        const Eigen::Index last = p.mass.size() - 1;
        StandInWire wire(dt);
        wire.stiffness = 1e12;  // nothing moves but the roof
        struct Hold {
            using Command = PositionCommand;
            Result<Command> update(const Exchange& e) const noexcept { return {{0.0 * e.time}, Status::ok}; }
            void reset(const Motion&) const noexcept {}
        } hold;
        // [pair]
        rig::DrivePair pair(stand.drive, stand.base, slow, dt);
        rig::Cycle cycle(stand.sensor, wire, hold, pair);
        // [pair]
        const rig::nanoseconds period = std::chrono::milliseconds(2);
        std::vector<double> force, base;
        const double at_rest = stand.contact_force();
        const rig::Report report = rig::run(cycle, stand.clock, {.period = period, .duration = std::chrono::seconds(6)},
                                            [&](const rig::CycleRecord&) noexcept {
                                                force.push_back(stand.contact_force());
                                                base.push_back(stand.base_height());
                                            });
        REQUIRE(report.status == Status::ok);
        CHECK(stand.stopped());
        CHECK(stand.base_stopped());
        double off = 0.0, change = 0.0;
        for (std::size_t n = 1000; n + 1 < force.size(); ++n) {
            const double speed = (base[n + 1] - base[n - 1]) / (2.0 * dt);
            const double expected = at_rest + p.stiffness[last] * base[n] + p.damping[last] * speed;
            off = std::max(off, std::fabs(force[n] - expected));
            change = std::max(change, std::fabs(expected - at_rest));
        }
        CHECK(change > 1.0);
        CHECK(off < 0.05 * change);  // and the start rings a little

        for (const auto& [what, quantity] : {std::pair{SimulatedFault::base_lost, Quantity::position_reading},
                                             std::pair{SimulatedFault::base_nan, Quantity::height},
                                             std::pair{SimulatedFault::base_frozen, Quantity::frozen_position},
                                             std::pair{SimulatedFault::base_stuck, Quantity::frozen_position},
                                             std::pair{SimulatedFault::base_refuses, Quantity::drive}}) {
            rig::Simulated faulty({}, dt);
            faulty.inject(what, 0.5, 10.0);
            rig::DrivePair both(faulty.drive, faulty.base, roof, dt);
            StandInWire still(dt);
            rig::Cycle other(faulty.sensor, still, hold, both);
            const rig::Report ended =
                rig::run(other, faulty.clock, {.period = period, .duration = std::chrono::seconds(3)});
            CAPTURE(ended.explanation());
            CHECK_FALSE(usable(ended.status));
            CHECK(ended.fault.quantity == quantity);
            CHECK(ended.fault.which == "second drive");
            CHECK(faulty.stopped());
            CHECK(faulty.base_stopped());
        }
    }

    TEST_CASE("no allocation in a cycle with two drives") {
        // @rt-tested: DrivePair::read DrivePair::write DrivePair::stop DrivePair::fault
        // @rt-tested: BaseDrive::read BaseDrive::write BaseDrive::stop
        rig::Simulated stand({}, dt);
        rig::DrivePair pair(stand.drive, stand.base, roof, dt);
        CHECK(panto::test::allocations_in([&] {
                  for (int n = 0; n < 20; ++n) {
                      stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(2));
                      const double at = pair.read().value.height;
                      static_cast<void>(pair.write({at}));
                      static_cast<void>(pair.fault());
                  }
                  pair.stop();
              }) == 0);
    }
}

}  // namespace drive_pair_test
