// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/direct.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/run.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

using namespace panto;
using test::ScriptedSensor;
using test::StandInWire;
using test::WatchedDrive;

namespace cycle_test {
namespace {

constexpr double dt = 2e-3;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Commands what it is told to, and keeps the record it was shown.
struct ScriptedController {
    using Command = PositionCommand;
    Result<Command> next{};
    bool hold = true;  // command the position of the strip
    int updates = 0, resets = 0;
    Motion reset_to;
    Exchange seen;
    int ahead = 0;

    int preview_steps() const noexcept { return ahead; }
    Result<Command> update(const Exchange& e) noexcept {
        seen = e;
        ++updates;
        return hold ? Result<Command>{{e.strip.height}, next.status} : next;
    }
    void reset(const Motion& strip) noexcept { reset_to = strip, ++resets; }
};

struct Bench {
    ScriptedSensor sensor;
    StandInWire wire{dt};
    ScriptedController controller;
    WatchedDrive drive;
};

/// Starts a cycle, lets it run for three steps, spoils something and demands that the next step ends with `expected`,
/// a stopped drive and nothing further written.
template <class Spoil>
void stops_the_drive(Status expected, Spoil&& spoil, rig::CycleOptions options = {}) {
    Bench b;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{}, options);
    REQUIRE(cycle.start() == Status::ok);
    for (int i = 0; i < 3; ++i) REQUIRE(cycle.step() == Status::ok);
    spoil(b);
    const int before = b.drive.writes;
    const int refused = b.drive.answer == Status::ok ? 0 : 1;
    CHECK(cycle.step() == expected);
    CHECK(b.drive.stopped);
    CHECK(b.drive.writes == before + refused);
    CHECK_FALSE(b.drive.got_not_finite);
    CHECK(cycle.exchange().time == approx(3 * dt));
    // Latched: nothing moves again until the next start.
    b.sensor.next = {100.0, Status::ok};
    b.drive.answer = Status::ok;
    CHECK(cycle.step() == expected);
    CHECK(b.drive.writes == before + refused);
}

}  // namespace

TEST_CASE("the first command is the position the drive is in, whatever the controller wants") {
    Bench b;
    b.drive.next = {{0.0123, 0.0, 0.0}, Status::ok};
    b.controller.hold = false;
    b.controller.next = {{-0.2}, Status::ok};
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    CHECK(b.drive.writes == 0);
    REQUIRE(cycle.step() == Status::ok);
    CHECK(b.drive.first == 0.0123);
    CHECK(cycle.exchange().command == 0.0123);
    CHECK(b.controller.updates == 0);
    CHECK(b.controller.resets == 1);
}

TEST_CASE("the distance between the drive's datum and the virtual one is kept for the whole run") {
    Bench b;
    b.drive.next = {{0.1, 0.0, 0.0}, Status::ok};
    b.sensor.next = {0.0, Status::ok};  // the wire stays at zero
    control::Direct direct;
    rig::Cycle cycle(b.sensor, b.wire, direct, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    for (int i = 0; i < 5; ++i) {
        REQUIRE(cycle.step() == Status::ok);
        CHECK(cycle.offset() == approx(0.1).epsilon(1e-14));
        CHECK(std::fabs(cycle.exchange().strip.height) < 1e-14);  // what the controller sees
        CHECK(b.drive.last == approx(0.1).epsilon(1e-14));
    }
}

TEST_CASE("the wire is predicted under the forces that the controller foresees, from the second cycle on") {
    struct Foreseeing : ScriptedController {
        double contact_force(const Exchange&) noexcept { return 120.0; }
        void foresee(std::span<double> change) const noexcept {
            for (std::size_t j = 0; j < change.size(); ++j) change[j] = 10.0 * static_cast<double>(j) - 5.0;
        }
    };
    struct Sequence : StandInWire {
        using StandInWire::predict;
        std::vector<double> under = std::vector<double>(3);
        void predict(std::span<const double> forces, std::span<Motion> ahead) noexcept {
            std::copy(forces.begin(), forces.end(), under.begin());
            StandInWire::predict(forces[0], ahead);
        }
    };
    Bench b;
    Foreseeing controller;
    controller.ahead = 3;
    Sequence wire{StandInWire(dt)};
    rig::Cycle cycle(b.sensor, wire, controller, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    CHECK(wire.under == std::vector<double>(3));  // the controller has no state yet
    // @rt-tested: fill_preview PreviewMemory::fill
    CHECK(test::allocations_in([&] { static_cast<void>(cycle.step()); }) == 0);
    CHECK(wire.under == std::vector{115.0, 125.0, 135.0});
    for (std::size_t j = 0; j < 3; ++j)
        CHECK(controller.seen.preview.force_change[j] == 10.0 * static_cast<double>(j) - 5.0);
    // A line that can only be predicted under a constant force says so to the controller.
    rig::Cycle plain(b.sensor, b.wire, controller, b.drive);
    REQUIRE(plain.start() == Status::ok);
    for (int n = 0; n < 2; ++n) REQUIRE(plain.step() == Status::ok);
    for (std::size_t j = 0; j < 3; ++j) CHECK(controller.seen.preview.force_change[j] == 0.0);
    // Also beyond the entries of a record.
    struct Far : Foreseeing {
        void look_ahead(std::span<const Motion>) noexcept {}
    } far;
    far.ahead = 12;
    wire.under.assign(12, 0.0);
    rig::Cycle further(b.sensor, wire, far, b.drive);
    REQUIRE(further.start() == Status::ok);
    REQUIRE(further.step() == Status::ok);
    CHECK(test::allocations_in([&] { static_cast<void>(further.step()); }) == 0);
    for (std::size_t j = 0; j < 12; ++j) CHECK(wire.under[j] == 115.0 + 10.0 * static_cast<double>(j));
    for (std::size_t j = 0; j < 8; ++j) CHECK(far.seen.preview.force_change[j] == 10.0 * static_cast<double>(j) - 5.0);
}

TEST_CASE("a mean height of the drive at rest keeps the noise of a single reading out of the datum") {
    Bench b;
    b.drive.next = {{0.10001, 0.0, 0.0}, Status::ok};
    b.sensor.next = {0.0, Status::ok};  // the wire stays at zero
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
    cycle.rest_at(0.1);
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    CHECK(cycle.offset() == 0.1);
    CHECK(b.drive.first == 0.1);
    CHECK(b.controller.reset_to.height == 0.0);
    // After a stop the drive may stand anywhere: what was known of it is not used a second time.
    (void)cycle.stop(Status::stopped_by_user);
    b.drive.next = {{0.10001, 0.0, 0.0}, Status::ok};
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    CHECK(cycle.offset() == 0.10001);
}

TEST_CASE("an encoder that jumps after the drive was measured at rest does not start a run") {
    for (const double jump : {0.005, -0.005, 0.0011, 0.0009}) {
        Bench b;
        b.sensor.next = {0.0, Status::ok};
        b.drive.next = {{0.1 + jump, 0.0, 0.0}, Status::ok};
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
        cycle.rest_at(0.1);
        CAPTURE(jump);
        if (std::fabs(jump) < 0.001) {  // too little to tell from a drive that has crept: it does not move the drive
            REQUIRE(cycle.start() == Status::ok);
            REQUIRE(cycle.step() == Status::ok);
            CHECK(b.drive.first == 0.1);
            continue;
        }
        CHECK(cycle.start() == Status::sensor_implausible);
        CHECK(b.drive.writes == 0);
        if (jump == 0.005)
            CHECK(rig::describe(cycle.fault()) ==
                  "sensor implausible: position of the drive 0.105 m (allowed 0.099 to 0.101 m)");
        CHECK(cycle.start() == Status::ok);  // who has moved the drive on purpose starts again
    }
}

TEST_CASE("a single wrong reading of the position does not become the first command") {
    for (const bool at_start : {true, false}) {
        Bench b;
        b.drive.next = {{at_start ? 0.103 : 0.1, 0.0, 0.0}, Status::ok};
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
        REQUIRE(cycle.start() == Status::ok);
        b.drive.next = {{at_start ? 0.1 : 0.103, 0.0, 0.0}, Status::ok};
        CHECK(cycle.step() == Status::sensor_implausible);
        CHECK(rig::describe(cycle.fault()) == (at_start ? "sensor implausible: position of the drive 0.1 m (allowed "
                                                          "0.102 to 0.104 m)"
                                                        : "sensor implausible: position of the drive 0.103 m (allowed "
                                                          "0.099 to 0.101 m)"));
        CHECK(b.drive.writes == 0);
        CHECK(b.drive.stopped);
        REQUIRE(cycle.start() == Status::ok);  // once the readings agree, it runs
        CHECK(cycle.step() == Status::ok);
    }
}

TEST_CASE("or it is taken back smoothly, and then both datums are one") {
    Bench b;
    b.drive.next = {{0.1, 0.0, 0.0}, Status::ok};
    b.sensor.next = {0.0, Status::ok};
    control::Direct direct;
    rig::Cycle cycle(b.sensor, b.wire, direct, b.drive, interaction::DirectInteraction{}, {.offset_blend_time = 0.2});
    REQUIRE(cycle.start() == Status::ok);
    double last = 0.1;
    for (int i = 0; i <= 100; ++i) {
        REQUIRE(cycle.step() == Status::ok);
        CHECK(b.drive.last <= last);
        // Steepest slope of the fifth-order blend: 15/8 of the mean one.
        CHECK(last - b.drive.last <= 1.01 * 15.0 / 8.0 * 0.1 / 100.0);
        last = b.drive.last;
    }
    CHECK(std::fabs(b.drive.last) < 1e-15);
}

TEST_CASE("each stage of a step sees what the ones before it found") {
    Bench b;
    b.controller.ahead = 3;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::MassInteraction({}, dt));
    REQUIRE(cycle.start() == Status::ok);

    StandInWire wire(dt);  // the same by hand, in the order of the method
    const interaction::InteractionMass<> mass({}, dt);
    double force_on_wire = 100.0;
    auto u = mass.preloaded(0.0, 100.0);
    for (int t = 0; t < 6; ++t) {
        b.sensor.next.value = 100.0 + 10.0 * t;
        REQUIRE(cycle.step() == Status::ok);
        const Motion z = wire.step(force_on_wire);
        CHECK(cycle.exchange().wire_force == force_on_wire);
        CHECK(cycle.exchange().wire.height == z.height);
        u = t == 0 ? mass.preloaded(z.height, b.sensor.next.value)
                   : mass.step(u, z.height, z.speed, b.sensor.next.value);
        force_on_wire = t == 0 ? b.sensor.next.value : mass.force_on_wire(u, z.height);
        CHECK(cycle.exchange().reference.height == u.height);
        if (t == 0) continue;
        CHECK(b.controller.seen.wire.height == z.height);
        CHECK(b.controller.seen.reference.height == u.height);
        CHECK(b.controller.seen.strip_force == b.sensor.next.value);
        CHECK(b.controller.seen.preview.count == 3);
        StandInWire ahead = wire;
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(b.controller.seen.preview.motion[k].height == ahead.step(force_on_wire).height);
    }
}

TEST_CASE("the ledger books what one side gave and the other did not get") {
    Bench b;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::MassInteraction({}, dt));
    REQUIRE(cycle.start() == Status::ok);
    double momentum = 0.0, energy = 0.0;
    for (int t = 0; t < 10; ++t) {
        b.sensor.next.value = 90.0 + 5.0 * t;
        b.drive.next.value.speed = 0.01 * t;
        REQUIRE(cycle.step() == Status::ok);
        const Exchange& e = cycle.exchange();
        momentum += dt * (b.sensor.next.value - e.wire_force);
        energy += dt * (b.sensor.next.value * 0.01 * t - e.wire_force * e.wire.speed);
    }
    CHECK(cycle.exchange().ledger.momentum == approx(momentum));
    CHECK(cycle.exchange().ledger.energy == approx(energy));
    CHECK(momentum != 0.0);
}

TEST_CASE("the ledger knows the work of a drive that reports no speed") {
    Bench b;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::MassInteraction({}, dt));
    REQUIRE(cycle.start() == Status::ok);
    double energy = 0.0;
    for (int t = 0; t < 10; ++t) {
        b.sensor.next.value = 90.0 + 5.0 * t;
        const double before = b.drive.next.value.height;
        if (t > 0) b.drive.next.value.height += 1e-5 * t;
        const double rise = b.drive.next.value.height - before;
        REQUIRE(cycle.step() == Status::ok);
        const Exchange& e = cycle.exchange();
        energy += b.sensor.next.value * rise - dt * e.wire_force * e.wire.speed;
    }
    CHECK(cycle.exchange().ledger.energy == approx(energy));
}

TEST_CASE("every fault stops the drive in the same cycle and keeps its reason") {
    SUBCASE("force not a number") {
        stops_the_drive(Status::sensor_implausible, [](Bench& b) { b.sensor.next.value = not_a_number; });
    }
    SUBCASE("force infinite") {
        stops_the_drive(Status::sensor_implausible,
                        [](Bench& b) { b.sensor.next.value = std::numeric_limits<double>::infinity(); });
    }
    SUBCASE("force lost") {
        stops_the_drive(Status::sensor_lost, [](Bench& b) { b.sensor.next.status = Status::sensor_lost; });
    }
    SUBCASE("force stale") {
        stops_the_drive(Status::sensor_stale, [](Bench& b) { b.sensor.next.status = Status::sensor_stale; });
    }
    SUBCASE("force saturated") {
        stops_the_drive(Status::sensor_saturated, [](Bench& b) { b.sensor.next.status = Status::sensor_saturated; });
    }
    SUBCASE("force beyond the limit") {
        stops_the_drive(Status::out_of_range, [](Bench& b) { b.sensor.next.value = -501.0; });
    }
    SUBCASE("encoder not a number") {
        stops_the_drive(Status::sensor_implausible, [](Bench& b) { b.drive.next.value.height = not_a_number; });
    }
    SUBCASE("speed not a number") {
        stops_the_drive(Status::sensor_implausible, [](Bench& b) { b.drive.next.value.speed = not_a_number; });
    }
    SUBCASE("encoder lost") {
        stops_the_drive(Status::sensor_lost, [](Bench& b) { b.drive.next.status = Status::sensor_lost; });
    }
    SUBCASE("drive reports trouble") {
        stops_the_drive(Status::drive_fault, [](Bench& b) { b.drive.next.status = Status::drive_fault; });
    }
    SUBCASE("drive too high") {
        stops_the_drive(Status::out_of_range, [](Bench& b) { b.drive.next.value.height = 0.31; });
    }
    SUBCASE("drive too low") {
        stops_the_drive(Status::out_of_range, [](Bench& b) { b.drive.next.value.height = -0.31; });
    }
    SUBCASE("drive refuses the command") {
        stops_the_drive(Status::drive_fault, [](Bench& b) { b.drive.answer = Status::drive_fault; });
    }
    SUBCASE("wire not a number") {
        stops_the_drive(Status::not_finite, [](Bench& b) { b.wire.stiffness = not_a_number; });
    }
    SUBCASE("prediction not a number") {
        struct Spoiled : StandInWire {
            using StandInWire::StandInWire;
            void predict(double, std::span<Motion> ahead) const noexcept { ahead[1].speed = not_a_number; }
        } wire(dt);
        Bench b;
        b.controller.ahead = 2;
        rig::Cycle cycle(b.sensor, wire, b.controller, b.drive);
        REQUIRE(cycle.start() == Status::ok);
        CHECK(cycle.step() == Status::not_finite);
        CHECK(b.drive.stopped);
        CHECK(rig::describe(cycle.fault()) ==
              "not finite: predicted speed of the wire nan m/s (allowed -20 to 20 m/s)");
    }
    SUBCASE("command not a number") {
        stops_the_drive(Status::not_finite,
                        [](Bench& b) { b.controller.hold = false, b.controller.next.value = {not_a_number}; });
    }
    SUBCASE("command too high") {
        stops_the_drive(Status::out_of_range,
                        [](Bench& b) { b.controller.hold = false, b.controller.next.value = {0.301}; },
                        {.limits = {.command_rate = 1e6}});
    }
    SUBCASE("command too fast") {
        stops_the_drive(Status::out_of_range,
                        [](Bench& b) { b.controller.hold = false, b.controller.next.value = {0.0021}; },
                        {.limits = {.command_rate = 1.0}});
    }
    SUBCASE("controller gives up") {
        stops_the_drive(Status::not_finite, [](Bench& b) { b.controller.next.status = Status::not_finite; });
    }
}

TEST_CASE("a drive that does not follow its commands is stopped, a brief excursion is not") {
    Bench b;
    b.controller.hold = false;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{},
                     {.limits = {.following = 0.02, .following_cycles = 3}});
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    const auto away = [&](double distance) { b.drive.next.value.height = b.drive.last + distance; };
    for (const double distance : {0.021, -0.021, 0.021, 0.019, -0.021, -0.021, -0.021, 0.0}) {
        away(distance);
        REQUIRE(cycle.step() == Status::ok);
    }
    b.drive.follows = false;  // stuck, while the commands go up by 1.5 mm a cycle
    int steps = 0;
    Status status = Status::ok;
    while (usable(status) && steps < 100) {
        ++steps;
        b.controller.next.value = {1.5e-3 * steps};
        status = cycle.step();
    }
    // Read before the step that commands 1.5 n mm is a distance of 1.5 (n - 1): above 20 mm from n = 15 on, the fourth
    // of them is n = 18.
    CHECK(status == Status::drive_fault);
    CHECK(steps == 18);
    CHECK(b.drive.stopped);
    b.drive.follows = true;
    REQUIRE(cycle.start() == Status::ok);  // and begins anew from where the drive stands
    CHECK(cycle.step() == Status::ok);
}

TEST_CASE("the record of the offending cycle holds the offending value") {
    Bench b;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    b.sensor.next.value = not_a_number;
    CHECK(cycle.step() == Status::sensor_implausible);
    CHECK(std::isnan(cycle.exchange().strip_force));
    REQUIRE(cycle.start() == Status::sensor_implausible);  // still broken: refused and stopped
    b.sensor.next.value = 100.0;
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    b.controller.hold = false;
    b.controller.next.value = {not_a_number};
    CHECK(cycle.step() == Status::not_finite);
    CHECK(std::isnan(cycle.exchange().command));
    CHECK_FALSE(b.drive.got_not_finite);
}

TEST_CASE("a limit that was active is told and the loop goes on") {
    Bench b;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    b.controller.next.status = Status::saturated;
    CHECK(cycle.step() == Status::saturated);
    b.controller.next.status = Status::ok;
    b.drive.answer = Status::saturated;
    CHECK(cycle.step() == Status::saturated);
    CHECK_FALSE(b.drive.stopped);
}

TEST_CASE("readings that fail now and then are bridged as often as allowed, each time anew") {
    Bench b;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{},
                     {.limits = {.frames_held = 2}});
    const Result<double> good{111.0, Status::ok}, lost{0.0, Status::sensor_lost}, stale{5.0, Status::sensor_stale};
    b.sensor.next = good;
    REQUIRE(cycle.start() == Status::ok);
    for (int dropout = 0; dropout < 3; ++dropout) {
        b.sensor.next = good;
        CHECK(cycle.step() == Status::ok);
        b.sensor.next = lost;
        CHECK(cycle.step() == Status::ok);
        CHECK(cycle.exchange().strip_force == 111.0);
        b.sensor.next = stale;
        const int writes = b.drive.writes;
        CHECK(cycle.step() == Status::ok);
        CHECK(b.drive.writes == writes + 1);  // the drive's watchdog is fed all the same
    }
    CHECK(cycle.held() == 6);
    CHECK(cycle.step() == Status::sensor_stale);
    CHECK(b.drive.stopped);
}

TEST_CASE("a single reading beyond a limit, or no number, is held as a missing one is; a lasting one stops the drive") {
    for (const double wild : {611.0, -700.0, std::nan("")}) {
        Bench b;
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{},
                         {.limits = {.frames_held = 2}});
        const Result<double> good{111.0, Status::ok}, beyond{wild, Status::ok};
        b.sensor.next = good;
        REQUIRE(cycle.start() == Status::ok);
        CHECK(cycle.step() == Status::ok);
        CHECK_FALSE(cycle.exchange().strip_force_held);
        b.sensor.next = beyond;
        for (int i = 0; i < 2; ++i) {
            CHECK(cycle.step() == Status::ok);
            CHECK(cycle.exchange().strip_force == 111.0);
            CHECK(cycle.exchange().strip_force_held);
        }
        CHECK_FALSE(usable(cycle.step()));
        CHECK(cycle.fault().quantity == rig::Quantity::force);
        CHECK(b.drive.stopped);
    }
}

TEST_CASE("the very first reading has nothing to be replaced by") {
    Bench b;
    b.sensor.next.status = Status::sensor_lost;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{},
                     {.limits = {.frames_held = 5}});
    CHECK(cycle.start() == Status::sensor_lost);
    CHECK(rig::describe(cycle.fault()) == "sensor lost: the first force reading, which no earlier one can replace");
    CHECK(b.drive.stopped);
    CHECK(cycle.step() == Status::sensor_lost);
    CHECK(b.drive.writes == 0);
    // None is allowed to be missing: then that is the reason.
    rig::Cycle strict(b.sensor, b.wire, b.controller, b.drive);
    CHECK(strict.start() == Status::sensor_lost);
    CHECK(rig::describe(strict.fault()) == "sensor lost: missing force readings in a row 1 (allowed up to 0)");
}

TEST_CASE("after a fault the loop starts again without a jump") {
    Bench b;
    b.controller.hold = false;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    for (int i = 0; i < 50; ++i) {
        b.controller.next = {{1e-4 * i}, Status::ok};
        REQUIRE(cycle.step() == Status::ok);
    }
    const int updates = b.controller.updates;
    b.drive.next.status = Status::drive_fault;
    CHECK(cycle.step() == Status::drive_fault);
    for (int i = 0; i < 10; ++i) CHECK(cycle.step() == Status::drive_fault);
    CHECK(b.controller.updates == updates);          // nothing integrates while the drive is away
    b.drive.next = {{-0.05, 0.0, 0.0}, Status::ok};  // it was moved by hand
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    CHECK(b.drive.last == -0.05);
    CHECK(cycle.exchange().time == 0.0);
    CHECK(b.controller.resets == 2);
}

TEST_CASE("a cycle that was never started, or was stopped in good order, does nothing") {
    Bench b;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
    CHECK(cycle.step() == Status::drive_fault);
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    cycle.stop(Status::ok);
    CHECK(b.drive.stopped);
    CHECK(cycle.step() == Status::not_running);  // nobody stopped it
    CHECK(b.drive.writes == 1);
}

TEST_CASE("a loop of one's own that throws between two steps leaves a drive that is stopped") {
    Bench b;
    const auto own_loop = [&] {
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
        REQUIRE(cycle.start() == Status::ok);
        REQUIRE(cycle.step() == Status::ok);
        CHECK_FALSE(b.drive.stopped);
        throw std::runtime_error("disk full");
    };
    CHECK_THROWS_AS(own_loop(), std::runtime_error);
    CHECK(b.drive.stopped);
    CHECK(b.drive.stops == 1);
    {
        rig::Cycle never_started(b.sensor, b.wire, b.controller, b.drive);
        rig::Cycle ended(b.sensor, b.wire, b.controller, b.drive);
        REQUIRE(ended.start() == Status::ok);
        ended.stop(Status::ok);
    }
    CHECK(b.drive.stops == 2);
}

TEST_CASE("time is counted in steps and does not drift") {
    Bench b;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    for (int i = 0; i < 100001; ++i) {
        b.sensor.next.value = i % 2 ? 100.0 : 100.1;
        REQUIRE(cycle.step() == Status::ok);
    }
    CHECK(cycle.exchange().time == 100000 * dt);
}

TEST_CASE("a controller may look further ahead than a record holds, and records stay as small as they are") {
    static_assert(sizeof(Preview) == Preview::capacity * (sizeof(Motion) + sizeof(double)) + sizeof(double));
    struct Far : ScriptedController {
        std::vector<double> heights = std::vector<double>(60);
        std::size_t count = 0;
        void look_ahead(std::span<const Motion> wire) noexcept {
            count = wire.size();
            for (std::size_t j = 0; j < count; ++j) heights[j] = wire[j].height;
        }
    };
    Bench b;
    Far far;
    far.ahead = 50;
    rig::Cycle cycle(b.sensor, b.wire, far, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    for (int n = 0; n < 5; ++n) {
        REQUIRE(cycle.step() == Status::ok);
        if (n == 0) continue;
        CHECK(far.count == 50);
        StandInWire ahead = b.wire;
        for (std::size_t j = 0; j < 50; ++j) {
            const double height = ahead.step(100.0).height;
            CHECK(far.heights[j] == height);
            if (j < 8) CHECK(cycle.exchange().preview.motion[j].height == height);
        }
        CHECK(cycle.exchange().preview.count == 8);
    }
    far.ahead = 3;  // it may ask for less
    REQUIRE(cycle.step() == Status::ok);
    CHECK(far.count == 3);
    CHECK(cycle.exchange().preview.count == 3);
    CHECK(test::allocations_in([&] {
              far.ahead = 50;
              static_cast<void>(cycle.step());
          }) == 0);
    far.ahead = 51;  // but not for more than it did when the cycle was made
    CHECK(cycle.step() == Status::out_of_range);
    CHECK(rig::describe(cycle.fault()) == "out of range: steps the controller looks ahead 51 (allowed 0 to 50)");
    far.ahead = Preview::longest + 1;
    CHECK_THROWS_WITH_AS(rig::Cycle(b.sensor, b.wire, far, b.drive),
                         "rig::Cycle: the controller wants 1001 preview steps, must be from 0 to 1000", SetupError);
}

TEST_CASE("a controller that asks for more preview than there is room, once it runs, stops the drive") {
    for (const int wrong : {Preview::capacity + 1, -1}) {
        CAPTURE(wrong);
        stops_the_drive(Status::out_of_range, [&](Bench& b) { b.controller.ahead = wrong; });
    }
}

TEST_CASE("a drive is told to stop once, by whatever and however often the cycle is stopped") {
    Bench b;
    {
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
        REQUIRE(cycle.start() == Status::ok);
        REQUIRE(cycle.step() == Status::ok);
        b.sensor.next = {1e3, Status::ok};
        CHECK(cycle.step() == Status::out_of_range);
        cycle.stop(Status::stopped_by_user);
        cycle.stop(Status::ok);
        CHECK(cycle.step() == Status::out_of_range);
        CHECK(rig::describe(cycle.fault()) == "out of range: measured force 1000 N (allowed -500 to 500 N)");
    }
    CHECK(b.drive.stops == 1);
    b.sensor.next = {100.0, Status::ok};
    rig::Cycle again(b.sensor, b.wire, b.controller, b.drive);
    REQUIRE(again.start() == Status::ok);
    again.stop(Status::ok);
    CHECK(again.fault().status == Status::ok);
    REQUIRE(again.start() == Status::ok);
    again.stop(Status::ok);
    CHECK(b.drive.stops == 3);  // a new start, a new stop
}

TEST_CASE("a start that fails stops the drive once, in a run and after it") {
    Bench b;
    b.drive.next.value.height = 1.0;
    {
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive);
        test::FakeClock clock;
        const auto report = rig::run(cycle, clock, {.duration = std::chrono::seconds(1)});
        CHECK(report.explanation() == "out of range: position of the drive 1 m (allowed -0.3 to 0.3 m)");
        CHECK(b.drive.stops == 1);
    }
    CHECK(b.drive.stops == 1);
    CHECK(b.drive.writes == 0);
}

TEST_CASE("a stop names the quantity, its value and what is allowed") {
    const auto fault = [](auto&& spoil, rig::CycleOptions options = {}) {
        Bench b;
        b.sensor.next = {0.0, Status::ok};  // the wire rests at 0, and so does the drive: no offset
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{}, options);
        REQUIRE(cycle.start() == Status::ok);
        for (int i = 0; i < 3; ++i) REQUIRE(cycle.step() == Status::ok);
        spoil(b);
        CHECK_FALSE(usable(cycle.step()));
        return rig::describe(cycle.fault());
    };
    CHECK(fault([](Bench& b) { b.sensor.next = {0.0, Status::sensor_lost}; }) ==
          "sensor lost: missing force readings in a row 1 (allowed up to 0)");
    CHECK(fault([](Bench& b) { b.drive.next.status = Status::sensor_stale; }) ==
          "sensor stale: missing position readings in a row 1 (allowed up to 0)");
    CHECK(fault([](Bench& b) { b.sensor.next = {2000.0, Status::sensor_saturated}; }) ==
          "sensor saturated: measured force 2000 N");
    CHECK(fault([](Bench& b) { b.sensor.next = {not_a_number, Status::ok}; }) ==
          "sensor implausible: measured force nan N (allowed -500 to 500 N)");
    CHECK(fault([](Bench& b) { b.drive.next.value.height = 0.31; }) ==
          "out of range: position of the drive 0.31 m (allowed -0.3 to 0.3 m)");
    CHECK(fault([](Bench& b) { b.drive.next.value.speed = not_a_number; }) ==
          "sensor implausible: speed of the drive nan m/s");
    CHECK(fault([](Bench& b) { b.drive.next.value.acceleration = not_a_number; }) ==
          "sensor implausible: acceleration of the drive nan m/s^2");
    CHECK(fault([](Bench& b) { b.drive.answer = Status::drive_fault; }) == "drive fault: reported by the drive");
    CHECK(fault([](Bench& b) {
              b.controller.hold = false;
              b.controller.next = {{0.4}, Status::ok};
          }) == "out of range: command 0.4 m (allowed -0.3 to 0.3 m)");
    CHECK(fault([](Bench& b) {
              b.controller.hold = false;
              b.controller.next = {{0.2}, Status::not_finite};
          }) == "not finite: reported by the controller");
    CHECK(fault([](Bench& b) { b.controller.ahead = 9; }) ==
          "out of range: steps the controller looks ahead 9 (allowed 0 to 8)");
}

namespace {

/// The drive moves on by `way` a cycle; the load cell says what it is told to, and the encoder jitters.
rig::Fault fault_of_moving(Bench& b, double way, double force_change, int cycles, rig::CycleLimits limits = {},
                           double jitter = 0.0) {
    b.controller.hold = false;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{}, {.limits = limits});
    REQUIRE(cycle.start() == Status::ok);
    double height = 0.0;
    for (int n = 0; n < cycles; ++n) {
        if (n > 0) height += n % 100 < 50 ? way : -way;
        b.controller.next = {{height - cycle.offset()}, Status::ok};
        if (!usable(cycle.step())) break;
        b.sensor.next.value += n % 2 ? force_change : -force_change;
        b.drive.next.value.height += n % 2 ? jitter : -jitter;
    }
    return cycle.fault();
}

}  // namespace

TEST_CASE("a load cell that says the same while the drive moves is found dead after half a second") {
    for (const double frozen_at : {100.0, 0.0}) {
        Bench b;
        b.sensor.next.value = frozen_at;
        const rig::Fault fault = fault_of_moving(b, 2e-5, 0.0, 1000);  // 1 mm up and down
        CHECK(fault.status == Status::sensor_implausible);
        CHECK(rig::describe(fault) ==
              "sensor implausible: time the force reading has not changed 0.502 s (allowed up to 0.5 s)");
        CHECK(b.drive.stopped);
        CHECK(b.drive.stops == 1);
    }
}

TEST_CASE("a reading that changes by less than a sensor's noise is as dead as one that does not") {
    for (const double jitter : {1e-12, 1e-9, 4e-7}) {
        Bench b;
        CHECK(fault_of_moving(b, 2e-5, jitter, 1000).quantity == rig::Quantity::frozen_force);
    }
    Bench b;
    b.drive.follows = false;
    CHECK(fault_of_moving(b, 2e-5, 0.1, 1000, {}, 1e-5).quantity == rig::Quantity::frozen_position);
}

TEST_CASE("one that moves, or stands as the drive does, is alive") {
    Bench b;
    CHECK(fault_of_moving(b, 2e-5, 2e-6, 2000).status == Status::ok);
    Bench resting;  // coarse steps, or a simulation without noise, at rest
    CHECK(fault_of_moving(resting, 9e-6, 0.0, 2000).status == Status::ok);  // 0.45 mm
    Bench off;
    CHECK(fault_of_moving(off, 2e-5, 0.0, 2000, {.frozen_time = HUGE_VAL}).status == Status::ok);
}

TEST_CASE("a force that oscillates without fading stops the drive with that reason") {
    Bench b;  // 100 N up and down from one reading to the next: an amplitude of 50 N
    const rig::Fault fault = fault_of_moving(b, 2e-5, 100.0, 1000, {.ringing = {.amplitude = 40.0}});
    CHECK(fault.status == Status::out_of_range);
    CHECK(fault.quantity == rig::Quantity::ringing);
    CHECK(fault.highest == 40.0);
    CHECK(fault.value >= 40.0);
    CHECK(rig::describe(fault).starts_with("out of range: amplitude of an oscillation of the force "));
    CHECK(b.drive.stopped);
    Bench larger, watched, unwatched;
    watched.sensor.next.value = unwatched.sensor.next.value = 250.0;  // and down to -50 N
    CHECK(fault_of_moving(larger, 2e-5, 100.0, 1000, {.ringing = {.amplitude = 60.0}}).status == Status::ok);
    CHECK(fault_of_moving(watched, 2e-5, 300.0, 1000).quantity == rig::Quantity::ringing);  // by default, from 100 N
    CHECK(fault_of_moving(unwatched, 2e-5, 300.0, 1000, {.ringing = {.amplitude = HUGE_VAL}}).status == Status::ok);
}

TEST_CASE("a load cell with the wrong sign stops the drive after half a second") {
    for (const double force : {-20.0, -60.0, -300.0}) {
        Bench b;
        b.sensor.next.value = force;
        const rig::Fault fault = fault_of_moving(b, 2e-5, 2.0, 1000);
        CHECK(fault.status == Status::sign_wrong);
        CHECK(fault.quantity == rig::Quantity::mean_force);
        CHECK(fault.value == approx(force).epsilon(0.1));
        CHECK(rig::describe(fault).starts_with("sign wrong: mean of the measured force -"));
        CHECK(rig::describe(fault).ends_with(" N (allowed at least -10 N)"));
        CHECK(b.drive.stops == 1);
    }
}

TEST_CASE("a strip that is gone stops the drive after a second, whatever the noise") {
    for (const double noise : {1e-3, 0.3, 3.0}) {
        Bench b;
        b.sensor.next.value = 0.0;
        const rig::Fault fault = fault_of_moving(b, 2e-5, noise, 1000);
        CHECK(fault.status == Status::out_of_range);
        CHECK(fault.quantity == rig::Quantity::lost_contact);
        CHECK(rig::describe(fault) == "out of range: time without contact 1.002 s (allowed up to 1 s)");
        CHECK(b.drive.stops == 1);
    }
    // Both limits at other values, and the force on either side of `contact`.
    for (const double contact : {0.1, 10.0, 200.0})
        for (const double lost_time : {0.02, 0.3, 2.5}) {
            const auto lasts = [&](double force) {
                rig::ForceWatch watched({.lost_time = lost_time, .contact = contact}, dt);
                for (int n = 1; n <= 2000; ++n)
                    if (!usable(watched.take(force * (n % 2 ? 1.0 : 0.999), 1e-4 * (n % 7)).status)) return n * dt;
                return HUGE_VAL;
            };
            CHECK(lasts(1.01 * contact) == HUGE_VAL);
            CHECK(std::fabs(lasts(0.9 * contact) - lost_time) < 1.01 * dt);
        }
    rig::ForceWatch watch({}, dt);
    for (int n = 0; n < 5000; ++n)  // 0.9 s without contact is a loss, not the end
        REQUIRE(watch.take((n % 500 < 450 ? 0.0 : 60.0) + (n % 2 ? 0.1 : -0.1), 1e-4 * (n % 7)).status == Status::ok);
}

TEST_CASE("with readings that are lost now and then, a dead one is found as early as without") {
    using rig::Quantity;
    const auto stops_after = [](Quantity dead, int each) {
        Bench b;
        b.controller.hold = false;
        b.drive.follows = dead != Quantity::frozen_position;
        const double mean = dead == Quantity::mean_force ? -40.0 : dead == Quantity::lost_contact ? 0.0 : 100.0;
        const double noise = dead == Quantity::frozen_force ? 0.0 : 0.2;
        b.sensor.next.value = mean;
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{},
                         {.limits = {.frames_held = 1}});
        REQUIRE(cycle.start() == Status::ok);
        double height = 0.0;
        int n = 0;
        for (; n < 2000; ++n) {
            if (n > 0) height += n % 100 < 50 ? 2e-5 : -2e-5;
            b.controller.next = {{height - cycle.offset()}, Status::ok};
            const Status status = n > 3 && each > 0 && n % each == 0 ? Status::sensor_lost : Status::ok;
            b.sensor.next = {mean + noise * (n % 5 - 2), dead == Quantity::frozen_position ? Status::ok : status};
            b.drive.next.status = dead == Quantity::frozen_position ? status : Status::ok;
            if (!usable(cycle.step())) break;
        }
        CHECK(cycle.fault().quantity == dead);
        CHECK(b.drive.stops == 1);
        return n * dt;
    };
    for (const Quantity dead :
         {Quantity::frozen_force, Quantity::frozen_position, Quantity::mean_force, Quantity::lost_contact}) {
        CAPTURE(name(dead));
        const double without = stops_after(dead, 0);
        for (const int each : {2, 3}) CHECK(std::fabs(stops_after(dead, each) - without) <= 3 * dt);
    }
}

TEST_CASE("noise around zero, a small offset and a short pull are not a wrong sign") {
    Bench noisy, offset, off;
    noisy.sensor.next.value = 200.0;
    CHECK(fault_of_moving(noisy, 2e-5, 400.0, 3000, {.ringing = {.amplitude = HUGE_VAL}}).status == Status::ok);
    offset.sensor.next.value = -8.0;
    CHECK(fault_of_moving(offset, 2e-5, 2.0, 3000, {.lost_time = HUGE_VAL}).status == Status::ok);
    off.sensor.next.value = -60.0;
    CHECK(fault_of_moving(off, 2e-5, 2.0, 3000, {.pull = HUGE_VAL, .lost_time = HUGE_VAL}).status == Status::ok);

    rig::ForceWatch watch({}, dt);
    for (int n = 0; n < 5000; ++n) {  // 0.2 s of pull, 0.2 s of push, 0.6 s without contact
        const double force = n % 500 < 100 ? -80.0 : n % 500 < 200 ? 80.0 : 0.0;
        REQUIRE(watch.take(force + (n % 2 ? 0.1 : -0.1), 1e-4 * (n % 7)).status == Status::ok);
    }
    watch.reset();
    const auto before = test::allocations();
    (void)watch.take(1.0, 0.0);  // @rt-tested: ForceWatch::take
    CHECK(test::allocations() == before);
}

TEST_CASE("an encoder that says the same while commands move is found dead too") {
    Bench b;
    b.drive.follows = false;
    const rig::Fault fault = fault_of_moving(b, 2e-5, 0.1, 1000);
    CHECK(fault.status == Status::sensor_implausible);
    CHECK(fault.quantity == rig::Quantity::frozen_position);
    CHECK(fault.value > 0.5);
}

namespace {

/// A line that ends after so many steps.
struct EndingWire : StandInWire {
    std::int64_t end = 10, steps = 0;
    double height = 0.0, speed = 0.0;
    Motion step(double force) noexcept {
        ++steps;
        Motion m = StandInWire::step(force);
        m.height += height;
        m.speed += speed;
        return m;
    }
    void reset() noexcept { steps = 0, StandInWire::reset(); }
    Status status() const noexcept { return steps > end ? Status::end_of_line : Status::ok; }
    std::int64_t steps_on_line() const noexcept { return end; }
    double position() const noexcept { return 0.1 * static_cast<double>(steps); }
};

}  // namespace

TEST_CASE("where the line ends the drive is stopped, unless the cycle is to go on") {
    for (const bool past : {false, true}) {
        Bench b;
        EndingWire wire;
        rig::Cycle cycle(b.sensor, wire, b.controller, b.drive, interaction::DirectInteraction{},
                         {.past_the_end = past});
        CHECK(cycle.steps_on_line() == (past ? std::numeric_limits<std::int64_t>::max() : 10));
        REQUIRE(cycle.start() == Status::ok);
        for (int i = 0; i < 10; ++i) REQUIRE(cycle.step() == Status::ok);
        CHECK(cycle.step() == (past ? Status::ok : Status::end_of_line));
        CHECK(b.drive.stopped == !past);
        if (!past) CHECK(rig::describe(cycle.fault()) == "end of line: position on the line 1.1 m");
    }
}

TEST_CASE("a wire where no wire can be is not taken for the datum, nor later") {
    for (const double height : {1e14, -10.5, 11.0}) {
        Bench b;
        EndingWire wire;
        wire.height = height;
        rig::Cycle cycle(b.sensor, wire, b.controller, b.drive);
        REQUIRE(cycle.start() == Status::ok);
        CHECK(cycle.step() == Status::out_of_range);
        CHECK(b.drive.writes == 0);
        CHECK(b.drive.stopped);
        CHECK(cycle.fault().quantity == rig::Quantity::wire_height);
    }
    Bench b;
    EndingWire wire;
    wire.height = 5.3;  // above the rails, say
    rig::Cycle cycle(b.sensor, wire, b.controller, b.drive);
    REQUIRE(cycle.start() == Status::ok);
    CHECK(cycle.step() == Status::ok);
    wire.height = 1e14;
    CHECK(cycle.step() == Status::out_of_range);
}

TEST_CASE("nor is one that moves as no wire can") {
    for (const double speed : {1e9, -21.0, 19.0}) {
        CAPTURE(speed);
        Bench b;
        EndingWire wire;
        wire.speed = speed;
        rig::Cycle cycle(b.sensor, wire, b.controller, b.drive);
        REQUIRE(cycle.start() == Status::ok);
        CHECK(cycle.step() == (speed < 20.0 && speed > -20.0 ? Status::ok : Status::out_of_range));
        CHECK(b.drive.stopped == (cycle.fault().quantity == rig::Quantity::wire_speed));
    }
}

TEST_CASE("a cycle that cannot work is refused when it is put together") {
    Bench b;
    const auto make = [&](rig::CycleLimits limits) {
        rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::DirectInteraction{}, {.limits = limits});
    };
    CHECK_THROWS_WITH_AS(make({.lowest = 0.2, .highest = 0.1}),
                         "rig::Cycle: limits.lowest is 0.2 m, must be below limits.highest, 0.1 m", SetupError);
    CHECK_THROWS_AS(make({.force = 0.0}), SetupError);
    CHECK_THROWS_AS(make({.highest = not_a_number}), SetupError);
    CHECK_THROWS_AS(make({.command_rate = -1.0}), SetupError);
    CHECK_THROWS_AS(make({.frames_held = -1}), SetupError);
    CHECK_THROWS_AS(make({.following = 0.0}), SetupError);
    CHECK_THROWS_AS(make({.following = not_a_number}), SetupError);
    CHECK_THROWS_AS(make({.following_cycles = -1}), SetupError);
    CHECK_THROWS_AS(make({.frozen_time = 0.0}), SetupError);
    CHECK_THROWS_AS(make({.ringing = {.amplitude = 0.0}}), SetupError);
    CHECK_THROWS_AS(make({.frozen_time = not_a_number}), SetupError);
    CHECK_THROWS_AS(make({.frozen_travel = -1.0}), SetupError);
    CHECK_THROWS_AS(make({.wire_height = 0.0}), SetupError);
    struct Bounded : ScriptedController {
        double largest_rate() const noexcept { return 8.0; }
    } bounded;
    CHECK_THROWS_WITH_AS(rig::Cycle(b.sensor, b.wire, bounded, b.drive, interaction::DirectInteraction{},
                                    {.limits = {.command_rate = 5.0}}),
                         "rig::Cycle: limits.command_rate is 5 per second, but the controller allows itself 8 "
                         "(largest_rate): such a command would stop the run; must be above that",
                         SetupError);
    CHECK_NOTHROW(rig::Cycle(b.sensor, b.wire, bounded, b.drive));  // 10 m/s by default
    b.controller.ahead = Preview::capacity + 1;
    CHECK_THROWS_WITH_AS(make({}),
                         "rig::Cycle: the controller wants 9 preview steps, must be from 0 to 8; one with "
                         "look_ahead(std::span<const Motion>) can have more",
                         SetupError);

    struct Blind {
        Motion step(double) noexcept { return {}; }
        void reset() noexcept {}
        double dt() const noexcept { return 2e-3; }
    } blind;
    b.controller.ahead = 2;
    CHECK_THROWS_WITH_AS(rig::Cycle(b.sensor, blind, b.controller, b.drive),
                         "rig::Cycle: the controller looks ahead, but this catenary has no predict()", SetupError);
}

TEST_CASE("parts that are made for another time step than the catenary's are refused by name") {
    struct StepAware : ScriptedController {
        double own = 2e-3;
        double dt() const noexcept { return own; }
    } controller;
    Bench b;
    controller.own = dt * (1.0 + 1e-10);  // rounding
    CHECK_NOTHROW(rig::Cycle(b.sensor, b.wire, controller, b.drive, interaction::MassInteraction({}, dt)));
    controller.own = 1e-3;
    CHECK_THROWS_WITH_AS(rig::Cycle(b.sensor, b.wire, controller, b.drive),
                         "rig::Cycle: the controller is made for a time step of 0.001 s, expected that of the loop, "
                         "0.002 s",
                         SetupError);
    CHECK_THROWS_WITH_AS(
        rig::Cycle(b.sensor, b.wire, b.controller, b.drive, interaction::MassInteraction({}, 5e-3)),
        "rig::Cycle: the interaction is made for a time step of 0.005 s, expected that of the loop, 0.002 s",
        SetupError);
    controller.own = not_a_number;
    CHECK_THROWS_AS(rig::Cycle(b.sensor, b.wire, controller, b.drive), SetupError);
}

TEST_CASE("a controller that is made for another interaction mass is refused, unless that is accepted") {
    struct Designed : ScriptedController {
        interaction::InteractionMassParams mass{.stiffness = 20e3};
        const interaction::InteractionMassParams& interaction_mass() const noexcept { return mass; }
    } controller;
    Bench b;
    const auto build = [&](const rig::CycleOptions& options) {
        rig::Cycle(b.sensor, b.wire, controller, b.drive, interaction::MassInteraction({}, dt), options);
    };
    CHECK_THROWS_WITH_AS(build({}),
                         "rig::Cycle: the controller is designed for an interaction mass whose stiffness is 20000 N/m, "
                         "that of the coupling is 50000 N/m; give both the same parameters: the controller's "
                         "interaction_mass and the mass of the coupling, which is RunPlan::mass in a session, or set "
                         "accept_other_rig",
                         SetupError);
    CHECK_NOTHROW(build({.accept_other_rig = true}));
    controller.mass = {};
    CHECK_NOTHROW(build({}));
}

TEST_CASE("an estimating controller is refused with a coupling that does not start at the wire") {
    struct Estimating : ScriptedController {
        double contact_force(const Exchange& e) noexcept { return e.strip_force; }
    } controller;
    Bench b;
    // 100 N on the 50 kN/m of the mass's spring.
    CHECK_THROWS_WITH_AS(
        rig::Cycle(b.sensor, b.wire, controller, b.drive, interaction::MassInteraction({}, dt)),
        "rig::Cycle: the controller estimates the contact force and follows the wire, but under 100 N the coupling "
        "starts 2 mm above it, must start at the wire: the drive would jump by this height; use "
        "interaction::DirectInteraction, or a controller without contact_force()",
        SetupError);
    CHECK_THROWS_AS(rig::Cycle(b.sensor, b.wire, controller, b.drive, interaction::MassInteraction({}, dt),
                               {.accept_other_rig = true}),
                    SetupError);
    CHECK_NOTHROW(rig::Cycle(b.sensor, b.wire, controller, b.drive));
    // A coupling of one's own that lets the drive follow the wire.
    struct Halved : interaction::DirectInteraction {
        double force(double strip_force) const noexcept { return 0.5 * strip_force; }
    };
    CHECK_NOTHROW(rig::Cycle(b.sensor, b.wire, controller, b.drive, Halved{}));
    // A controller that does not estimate may have either.
    CHECK_NOTHROW(rig::Cycle(b.sensor, b.wire, b.controller, b.drive, interaction::MassInteraction({}, dt)));
    CHECK_NOTHROW(rig::Cycle(b.sensor, b.wire, b.controller, b.drive));
    static_assert(std::same_as<rig::CouplingFor<Estimating>, interaction::DirectInteraction>);
    static_assert(std::same_as<rig::CouplingFor<ScriptedController>, interaction::MassInteraction>);
}

TEST_CASE("a drive that understands speeds starts from a standstill") {
    struct SpeedDrive {
        using Command = SpeedCommand;
        double last = 1.0;
        Result<Motion> read() const noexcept { return {{0.2, 0.0, 0.0}, Status::ok}; }
        Status write(const Command& c) noexcept { return last = c.value, Status::ok; }
        void stop() noexcept {}
    } drive;
    struct Constant {
        using Command = SpeedCommand;
        double speed = 0.004;
        Result<Command> update(const Exchange&) noexcept { return {{speed}, Status::ok}; }
        void reset(const Motion&) noexcept {}
    } controller;
    ScriptedSensor sensor;
    StandInWire wire(dt);
    rig::Cycle cycle(sensor, wire, controller, drive);
    REQUIRE(cycle.start() == Status::ok);
    REQUIRE(cycle.step() == Status::ok);
    CHECK(drive.last == 0.0);
    REQUIRE(cycle.step() == Status::ok);
    CHECK(drive.last == 0.004);  // no offset of heights in a speed
    CHECK(cycle.exchange().strip.height == 0.2);
    for (int i = 0; i < 20; ++i) CHECK(cycle.step() == Status::ok);  // a speed is not compared with a height
    controller.speed = 0.5;
    CHECK(cycle.step() == Status::out_of_range);
    CHECK(rig::describe(cycle.fault()) == "out of range: rate of the command 248 m/s^2 (allowed -10 to 10 m/s^2)");
}

TEST_CASE("a drive that understands speeds is stopped when force and position freeze together") {
    struct SpeedDrive {
        using Command = SpeedCommand;
        bool stopped = false;
        Result<Motion> read() const noexcept { return {{0.2, 0.0, 0.0}, Status::ok}; }
        Status write(const Command&) noexcept { return Status::ok; }
        void stop() noexcept { stopped = true; }
    } drive;
    struct Constant {
        using Command = SpeedCommand;
        Result<Command> update(const Exchange&) noexcept { return {{0.004}, Status::ok}; }
        void reset(const Motion&) noexcept {}
    } controller;
    const auto fault_under = [&](double way) {
        ScriptedSensor sensor;
        EndingWire wire;
        wire.end = 10000;
        wire.stiffness = 1e9;  // it moves as told, not under the force
        drive.stopped = false;
        rig::Cycle cycle(sensor, wire, controller, drive);
        REQUIRE(cycle.start() == Status::ok);
        for (int n = 0; n < 1000 && usable(cycle.step()); ++n) wire.height += n % 100 < 50 ? way : -way;
        CHECK(drive.stopped == !usable(cycle.fault().status));
        return cycle.fault();
    };
    CHECK(fault_under(9e-6).status == Status::ok);  // 0.45 mm: at rest, as far as a reading can tell
    CHECK(rig::describe(fault_under(2e-5)) ==
          "sensor implausible: time the position reading has not changed 0.502 s (allowed up to 0.5 s)");
}

TEST_CASE("a step does not allocate") {  // @rt-tested: Cycle::step Cycle::stop
    Bench b;
    b.controller.ahead = 8;
    rig::Cycle cycle(b.sensor, b.wire, b.controller, b.drive, interaction::MassInteraction({}, dt));
    REQUIRE(cycle.start() == Status::ok);
    CHECK(panto::test::allocations_in([&] {
              for (int i = 0; i < 10; ++i) cycle.step();
              cycle.stop(Status::ok);
          }) == 0);
    static_assert(noexcept(cycle.step()) && noexcept(cycle.start()) && noexcept(cycle.stop(Status::ok)));
}

}  // namespace cycle_test
