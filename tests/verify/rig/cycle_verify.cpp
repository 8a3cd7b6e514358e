// SPDX-License-Identifier: BSD-3-Clause
// Whole loops on the simulated rig: what must hold for every coupling, through every fault and over a long time.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/rig/commissioning.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/drive_ref.hpp>
#include <panto/rig/realtime.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/sensor_ref.hpp>
#include <panto/rig/simulated.hpp>

#include "allocations.hpp"
#include "catch.hpp"
#include "message.hpp"
#include "rig_stand_in.hpp"

#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

using namespace panto;
using namespace std::chrono_literals;
using rig::SimulatedFault;

namespace {

constexpr double dt = 2e-3;

/// A pad so soft that the loop is stable without control (15 kN/m; up to 40 kN/m it is).
rig::SimulatedParams soft_pad() {
    rig::SimulatedParams p{.uplift_force = 120.0, .start_height = 0.0};
    p.rig.pad_stiffness = 15e3;
    return p;
}

interaction::MassInteraction mass_with_ramp() { return interaction::MassInteraction({.ramp_time = 0.5}, dt); }

struct Outcome : rig::Report {
    std::int64_t allocations = 0;  // while it ran
};

/// Runs the loop without control on a rig that may have been spoiled.
Outcome run_on(rig::Simulated& stand, rig::Recorder& recorder, const rig::Schedule& schedule,
               rig::CycleOptions options = {}) {
    test::StandInWire wire(dt);
    control::Direct controller;
    rig::Cycle cycle(stand.sensor, wire, controller, stand.drive, mass_with_ramp(), options);
    Outcome outcome;
    outcome.allocations = test::allocations_in(
        [&] { static_cast<rig::Report&>(outcome) = rig::run(cycle, stand.clock, schedule, recorder); });
    return outcome;
}

/// The drive of a simulated rig, watched.
struct SpyingDrive {
    using Command = PositionCommand;
    rig::Simulated::PositionDrive& drive;
    std::vector<double> commands{};
    double measured_before_first = 0.0;

    Result<Motion> read() noexcept { return drive.read(); }
    Status write(const Command& c) noexcept {
        if (commands.empty()) measured_before_first = drive.read().value.height;
        if (commands.size() < commands.capacity()) commands.push_back(c.value);
        return drive.write(c);
    }
    void stop() noexcept { drive.stop(); }
};

}  // namespace

TEST_CASE("the loop settles where pantograph and wire balance", "[rig]") {
    rig::Simulated stand(soft_pad(), dt);
    const rig::Schedule schedule{.period = 2ms, .duration = 20s};
    rig::Recorder recorder(schedule);
    const auto report = run_on(stand, recorder, schedule);

    CHECK(report.status == Status::ok);
    CHECK(report.cycles == 10000);
    CHECK(report.overruns == 0);
    CHECK(report.step.count() == 10000);
    CHECK(report.allocations == 0);  // the models and the recorder took their memory before

    // Statics, oracle by hand: the wire of 2000 N/m is lifted by F, the mass stands F / 50 kN/m above it, the head
    // F / 15 kN/m above that, and the frame spring of 80 N/m takes its share of the lift. The drive's datum was
    // shifted at the start by where the reference was then, F_0 / 50 kN/m.
    const Exchange& e = recorder.back().exchange;
    CHECK(e.wire.height == Approx(e.strip_force / 2000.0).epsilon(1e-4));
    CHECK(e.reference.height == Approx(e.wire.height + e.strip_force / 50e3).epsilon(1e-4));
    CHECK(e.strip.height == Approx(e.reference.height).epsilon(1e-4));
    const double head = stand.motor_height() + e.strip_force / 15e3;
    const double frame = head + e.strip_force * (1.0 / 7000.0 + 1.0 / 14100.0);
    CHECK(e.strip_force == Approx(120.0 - 80.0 * frame).epsilon(1e-4));
}

TEST_CASE("every ordered fault stops the drive with its reason and leaves a complete record", "[rig][fault]") {
    const auto [fault, expected] = GENERATE(table<SimulatedFault, Status>({
        {SimulatedFault::force_lost, Status::sensor_lost},
        {SimulatedFault::force_stale, Status::sensor_stale},
        {SimulatedFault::force_nan, Status::sensor_implausible},
        {SimulatedFault::encoder_lost, Status::sensor_lost},
        {SimulatedFault::encoder_nan, Status::sensor_implausible},
        {SimulatedFault::drive_refuses, Status::drive_fault},
    }));
    CAPTURE(name(expected));
    rig::Simulated stand(soft_pad(), dt);
    stand.inject(fault, 1.0, 1.5);
    const rig::Schedule schedule{.period = 2ms, .duration = 3s};
    rig::Recorder recorder(schedule);
    const auto report = run_on(stand, recorder, schedule);

    CHECK(report.status == expected);
    CHECK(report.reason() == name(expected));
    CHECK(stand.stopped());
    CHECK(report.cycles == 501);
    REQUIRE(recorder.size() == 501);
    for (std::size_t i = 0; i < recorder.size(); ++i) {
        CHECK(recorder[i].exchange.time == static_cast<double>(i) * dt);
        CHECK(recorder[i].status == (i + 1 == recorder.size() ? expected : Status::ok));
    }
    CHECK(std::isnan(recorder.back().exchange.strip_force) == (fault == SimulatedFault::force_nan));
}

TEST_CASE("a load cell at the end of its range stops the drive", "[rig][fault]") {
    rig::SimulatedParams p = soft_pad();
    p.sensor_range = 100.0;
    rig::Simulated stand(p, dt);
    const rig::Schedule schedule{.period = 2ms, .duration = 1s};
    rig::Recorder recorder(schedule);
    CHECK(run_on(stand, recorder, schedule).status == Status::sensor_saturated);
    CHECK(stand.stopped());
}

TEST_CASE("dropout, recovery, dropout: bridged each time, and fatal when it lasts", "[rig][fault]") {
    rig::Simulated stand(soft_pad(), dt);
    for (const double t : {0.5, 0.6, 0.7}) stand.inject(SimulatedFault::force_lost, t, t + 2 * dt - 1e-6);
    stand.inject(SimulatedFault::encoder_lost, 0.6, 0.6 + dt);
    stand.inject(SimulatedFault::force_lost, 0.9, 0.9 + 4 * dt);
    const rig::Schedule schedule{.period = 2ms, .duration = 2s};
    rig::Recorder recorder(schedule);
    const auto report = run_on(stand, recorder, schedule, {.limits = {.frames_held = 2}});
    CHECK(report.status == Status::sensor_lost);
    CHECK(report.cycles == 453);  // 0.9 s are 450 cycles, two missing frames are bridged, the third is not
    CHECK(stand.stopped());
}

TEST_CASE("a lost contact is no fault: the loop goes on and contact comes back", "[rig]") {
    rig::Simulated stand(soft_pad(), dt);
    stand.inject(SimulatedFault::strip_pulled_down, 2.0, 2.05);
    const rig::Schedule schedule{.period = 2ms, .duration = 10s};
    rig::Recorder recorder(schedule);
    const auto report = run_on(stand, recorder, schedule);
    CHECK(report.status == Status::ok);
    double smallest = 1e9;
    for (const auto& record : recorder) smallest = std::min(smallest, record.exchange.strip_force);
    CHECK(smallest < 1.0);
    CHECK(recorder.back().exchange.strip_force > 100.0);
}

TEST_CASE("a loop that is unstable is stopped before it leaves the rig's range", "[rig][fault]") {
    rig::SimulatedParams p = soft_pad();
    p.rig.pad_stiffness = 240e3;  // without control the delays make it chatter
    rig::Simulated stand(p, dt);
    const rig::Schedule schedule{.period = 2ms, .duration = 10s};
    rig::Recorder recorder(schedule);
    const auto report = run_on(stand, recorder, schedule);
    CHECK(report.status == Status::out_of_range);
    CHECK(stand.stopped());
    CHECK(std::fabs(stand.motor_height()) < 0.3);
    CHECK(recorder.back().status == Status::out_of_range);
}

TEST_CASE("the first command is the measured position, and none is ever not a number", "[rig]") {
    const double start_height = GENERATE(-0.02, 0.0, 0.013);
    rig::SimulatedParams p = soft_pad();
    p.start_height = start_height;
    p.position_noise = 1e-5;
    p.force_noise = 1.0;
    rig::Simulated stand(p, dt);
    SpyingDrive drive{stand.drive};
    drive.commands.reserve(2000);
    test::StandInWire wire(dt);
    control::Direct controller;
    rig::Cycle cycle(stand.sensor, wire, controller, drive, mass_with_ramp());
    CHECK(rig::run(cycle, stand.clock, {.period = 2ms, .duration = 2s}).status == Status::ok);
    REQUIRE(drive.commands.size() == 1000);
    CHECK(drive.commands.front() == drive.measured_before_first);
    for (const double c : drive.commands) CHECK(panto::is_finite(c));
    // No jump from the first to the second: what the mass does in 2 ms under 1 N of noise.
    CHECK(std::fabs(drive.commands[1] - drive.commands[0]) < 2e-4);
}

TEST_CASE("the same seed gives the same run, through references too; another seed another one", "[rig]") {
    const auto forces = [](std::uint64_t seed, bool through_references) {
        rig::SimulatedParams p = soft_pad();
        p.force_noise = 1.0;
        p.position_noise = 1e-5;
        p.seed = seed;
        rig::Simulated stand(p, dt);
        const rig::Schedule schedule{.period = 2ms, .duration = 1s};
        rig::Recorder recorder(schedule);
        if (through_references) {
            test::StandInWire wire(dt);
            control::Direct controller;
            rig::SensorRef sensor(stand.sensor);
            rig::DriveRef<PositionCommand> drive(stand.drive);
            rig::Cycle cycle(sensor, wire, controller, drive, mass_with_ramp());
            rig::run(cycle, stand.clock, schedule, recorder);
        } else {
            run_on(stand, recorder, schedule);
        }
        return recorder.series([](const Exchange& e) { return e.strip_force; });
    };
    CHECK(forces(3, false) == forces(3, false));
    CHECK(forces(3, false) == forces(3, true));
    CHECK(forces(3, false) != forces(4, false));
}

TEST_CASE("a hundred thousand cycles: none lost, time exact, nothing allocated", "[rig]") {
    rig::Simulated stand(soft_pad(), dt);
    const rig::Schedule schedule{.period = 2ms, .duration = 200s};
    rig::Recorder recorder(schedule);
    const auto report = run_on(stand, recorder, schedule);
    CHECK(report.status == Status::ok);
    REQUIRE(recorder.size() == 100000);
    bool in_order = true;
    for (std::size_t i = 0; i < recorder.size(); ++i)
        in_order = in_order && recorder[i].exchange.time == static_cast<double>(i) * dt;
    CHECK(in_order);
    CHECK(report.allocations == 0);
    CHECK(stand.clock.now() == 99999 * 2ms);
}

TEST_CASE("on the real clock the loop keeps its deadlines in mind and obeys another thread", "[rig]") {
    test::ScriptedSensor sensor;
    test::WatchedDrive drive;
    test::StandInWire wire(1e-3);
    control::Direct controller;
    rig::Cycle cycle(sensor, wire, controller, drive, interaction::MassInteraction({}, 1e-3),
                     {.limits = {.highest = 1.0}});
    const rig::SteadyClock clock;
    SECTION("to the end: other programs may delay it, so lateness is counted and not judged") {
        const auto began = clock.now();
        const auto report = rig::run(cycle, clock, {.period = 1ms, .duration = 200ms, .overrun = rig::Overrun::skip});
        CHECK(report.status == Status::ok);
        CHECK(report.cycles + report.skipped == 200);
        CHECK(clock.now() - began >= (report.skipped ? 1ms : 199ms));
        CHECK(report.step.count() == report.cycles);
        CHECK(report.step.longest() > 0ns);
        CHECK(report.late.quantile(0.0) >= 0ns);
    }
    SECTION("or until it is told to stop") {
        std::atomic<bool> enough{false};
        std::thread user([&] {
            std::this_thread::sleep_for(20ms);
            enough = true;
        });
        const auto report = rig::run(
            cycle, clock, {.period = 1ms, .duration = 100s, .overrun = rig::Overrun::skip, .stop_requested = &enough});
        user.join();
        CHECK(report.status == Status::stopped_by_user);
        CHECK(drive.stopped);
    }
}

TEST_CASE("from taring to the closed loop without a jump", "[rig]") {
    rig::SimulatedParams p = soft_pad();
    p.start_height = 0.02;
    p.uplift_force = 0.0;
    p.force_noise = 0.5;
    p.position_noise = 1e-5;
    rig::Simulated stand(p, dt);
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning steps(sensor, stand.drive, stand.clock, {.preload_force = 118.0});
    REQUIRE(steps.tare() == Status::ok);
    stand.set_uplift_force(1.7);
    stand.clock.sleep_until(stand.clock.now() + 20s);
    for (int i = 1; i <= 100; ++i) {
        stand.set_uplift_force(1.2 * i);
        stand.clock.sleep_until(stand.clock.now() + 20ms);
    }
    REQUIRE(steps.approach() == Status::ok);
    REQUIRE(steps.preload() == Status::ok);
    REQUIRE(steps.check_sign() == Status::ok);

    const double before = stand.reference();
    test::StandInWire wire(dt);
    control::Direct controller;
    SpyingDrive drive{stand.drive};
    drive.commands.reserve(3000);
    rig::Cycle cycle(sensor, wire, controller, drive, mass_with_ramp());
    CHECK(rig::run(cycle, stand.clock, {.period = 2ms, .duration = 5s}).status == Status::ok);
    CHECK(std::fabs(drive.commands.front() - before) < 1e-4);
    double jump = 0.0;
    for (std::size_t i = 1; i < drive.commands.size(); ++i)
        jump = std::max(jump, std::fabs(drive.commands[i] - drive.commands[i - 1]));
    CHECK(jump < 1e-3);
}

TEST_CASE("a controller designed for a different rig than that of the drive is refused, unless told", "[rig]") {
    rig::Simulated stand(soft_pad(), dt);
    catenary::RealTimeEngine<> wire(catenary::FiniteElements<>(catenary::stitched_hil(2)),
                                    {.speed = 60.0, .start = 65, .dt = dt});
    const auto cycle_with = [&](const plant::RigParams& rig, bool accept) {
        control::Lqg controller({.rig = rig}, dt);
        rig::Cycle cycle(stand.sensor, wire, controller, stand.drive, interaction::MassInteraction({}, dt),
                         {.accept_other_rig = accept});
    };
    plant::RigParams rig = stand.params().rig;
    CHECK_NOTHROW(cycle_with(rig, false));
    rig.command_delay = 2.0;
    CHECK(test::message([&] { cycle_with(rig, false); }).find("command_delay is 2 (that of the drive is 1)") !=
          std::string::npos);
    CHECK_NOTHROW(cycle_with(rig, true));
}
