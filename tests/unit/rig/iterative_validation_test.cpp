// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/iterative_validation.hpp>
#include <panto/rig/simulated.hpp>

#include "../../support/approx.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace panto;
using test::StandInWire;

namespace iterative_validation_test {
namespace {

constexpr double dt = 2e-3;

/// A wire whose support moves, so that there is something to follow; soft enough for the iteration to contract.
struct ShakenWire : StandInWire {
    using StandInWire::StandInWire;
    int n = 0;
    Motion step(double force) noexcept {
        ++n;
        return StandInWire::step(force + 20.0 * std::sin(2.0 * 3.14159265358979 * 1.0 * dt() * n));
    }
    void reset() noexcept { n = 0, StandInWire::reset(); }
};

/// One mass on a soft pad with much damping: the contact force hardly reacts to what the drive does.
rig::SimulatedParams calm_rig() {
    const auto one = [](double x) { return Vector<double, Dynamic>::Constant(1, x); };
    return {.rig = {.pad_stiffness = 20e3,
                    .pantograph = {.mass = one(3.0), .damping = one(150.0), .stiffness = one(80.0)},
                    .force_filter = {.cut_off = 0.0}},
            .uplift_force = 100.0};
}

const auto make = [] { return std::make_unique<rig::Simulated>(calm_rig(), dt); };

struct Borrowed {
    std::unique_ptr<rig::Simulated> rig = make();
    rig::Simulated::Sensor& sensor = rig->sensor;
    rig::Simulated::PositionDrive& drive = rig->drive;
    rig::Simulated::SimulatedClock& clock = rig->clock;
};

/// Undoes the motor of Table 2: r = u + (c u' + m u'') / k.
double through_the_motor(const Motion& m) {
    const auto motor = plant::table2_motor;
    return m.height + (motor.damping * m.speed + motor.mass * m.acceleration) / motor.stiffness;
}

/// The pantograph under the wire, both solved together at a step 40 times shorter.
std::vector<double> solved_together(std::size_t n) {
    const auto p = calm_rig();
    constexpr int fine = 40;
    const double h = dt / fine, k = p.rig.pad_stiffness, m = 3.0, c = 150.0, ground = 80.0;
    const StandInWire wire;
    double z = 0.0, vz = 0.0, u = 0.0, v = 0.0;
    // The rig starts pressed with the static force; the wire at rest without.
    u = 100.0 / k, z = 0.0;
    std::vector<double> force;
    for (std::size_t i = 0; i < n * fine; ++i) {
        const double t = h * static_cast<double>(i);
        const double F = std::max(0.0, k * (u - z));
        const double shake = 20.0 * std::sin(2.0 * 3.14159265358979 * 1.0 * t);
        vz += h * (F + shake - wire.damping * vz - wire.stiffness * z) / wire.mass;
        v += h * (100.0 - F - c * v - ground * u) / m;
        z += h * vz;
        u += h * v;
        if ((i + 1) % fine == 0) force.push_back(std::max(0.0, k * (u - z)));
    }
    return force;
}

}  // namespace

TEST_CASE("the iteration ends at the force that pantograph and wire have when solved together") {
    ShakenWire wire(dt);
    const std::vector<double> recorded(3000, 100.0);  // a poor recording: no dynamics at all
    const auto result = rig::iterative_validation(
        wire, [] { return Borrowed(); }, recorded, {.iterations = 30, .tolerance = 0.05}, through_the_motor,
        [](const std::vector<double>& force) { return force; }, interaction::error_index);
    CHECK(result.status == Status::ok);
    REQUIRE(result.change.size() >= 2);
    CHECK(result.change.back() <= 0.05);
    CHECK(result.change.back() < 0.1 * result.change.front());
    const std::vector<double> exact = solved_together(recorded.size());
    double worst = 0.0, swing = 0.0;
    for (std::size_t i = 1000; i < exact.size(); ++i) {  // after the start has died away
        worst = std::max(worst, std::fabs(result.force[i] - exact[i]));
        swing = std::max(swing, std::fabs(exact[i] - 97.0));
    }
    CHECK(swing > 5.0);
    // The drive holds each set-point for 2 ms, half a step late: 1 ms of a swing at 1 Hz, 0.6 %, and first-order
    // integration of the reference.
    CHECK(worst < 0.03 * swing + 0.1);
    CHECK(result.error_of_recording == approx(interaction::error_index(recorded, result.force)));
    CHECK(result.height.size() == recorded.size());
}

TEST_CASE("extrapolation from earlier passes needs fewer of them and ends at the same force") {
    const std::vector<double> recorded(1500, 100.0);
    const auto with = [&](int memory) {
        ShakenWire wire(dt);
        return rig::iterative_validation(wire, [] { return Borrowed(); }, recorded,
                                         {.iterations = 40, .tolerance = 0.02, .memory = memory});
    };
    const auto plain = with(0), extrapolated = with(5);
    REQUIRE(plain.status == Status::ok);
    REQUIRE(extrapolated.status == Status::ok);
    CHECK(extrapolated.change.size() < plain.change.size());
    CHECK(interaction::error_index(extrapolated.force, plain.force) < 0.1);
}

TEST_CASE("a latency of two periods and a half is that of a rig with a command delay of one and a half") {
    const auto with = [](double command_delay, double latency) {
        ShakenWire wire(dt);
        rig::SimulatedParams p = calm_rig();
        p.rig.command_delay = command_delay;
        std::unique_ptr<rig::Simulated> stand;
        const auto make_rig = [&]() -> rig::Simulated& {
            stand = std::make_unique<rig::Simulated>(p, dt);
            return *stand;
        };
        const auto result =
            rig::iterative_validation(wire, make_rig, std::vector<double>(1500, 100.0),
                                      {.iterations = 60, .tolerance = 1e-3, .memory = 5, .latency = latency});
        CHECK(result.status == Status::ok);
        return result.force;
    };
    const std::vector<double> whole = with(1.0, 2.0);
    const auto deviation = [&](const std::vector<double>& force) {
        double most = 0.0;
        for (std::size_t i = 500; i < force.size(); ++i) most = std::max(most, std::fabs(force[i] - whole[i]));
        return most;
    };
    const double right = deviation(with(1.5, 2.5)), early = deviation(with(1.5, 2.0)), late = deviation(with(1.5, 3.0));
    CAPTURE(right);
    CHECK(right < 0.1 * early);
    CHECK(right < 0.1 * late);
}

TEST_CASE("a load cell with the wrong sign ends the check") {
    struct Stand {
        test::ScriptedSensor sensor;
        test::WatchedDrive drive;
        test::FakeClock clock;
    } stand;
    stand.sensor.next.value = -100.0;
    StandInWire wire(dt);
    const auto result = rig::iterative_validation(wire, [&]() -> Stand& { return stand; },
                                                  std::vector<double>(200, 100.0), {.iterations = 3});
    CHECK(result.status == Status::sign_wrong);
    CHECK(result.fault.quantity == rig::Quantity::mean_force);
    CHECK(result.fault.value == approx(-100.0));
    CHECK(stand.drive.stopped);
}

TEST_CASE("a strip that is gone, and a force that pulls for a while, end a pass as they end a cycle") {
    struct Sensor {
        int reads = 0, from = 0;
        double before = 0.0, then = 0.0;
        Result<double> read() noexcept {
            const double noise = 0.2 * (++reads % 5 - 2);
            return {(reads < 400 ? 0.0 : reads < from ? before : then) + noise, Status::ok};
        }
    };
    struct Stand {
        Sensor sensor;
        test::WatchedDrive drive;
        test::FakeClock clock;
    };
    const auto passed = [](double before, double then, const rig::CycleLimits& limits) {
        Stand stand;
        stand.sensor = {.from = 1000, .before = before, .then = then};
        StandInWire wire(dt);
        const auto result =
            rig::iterative_validation(wire, [&]() -> Stand& { return stand; }, std::vector<double>(2000, 100.0),
                                      {.iterations = 1, .limits = limits});
        CHECK(stand.drive.stops == 1);
        return std::pair(result, stand.sensor.reads - 1000);
    };
    const auto [whole, reads] = passed(100.0, 100.0, {});
    CHECK(whole.fault.status == Status::ok);
    CHECK(reads > 1400);
    const auto [gone, after] = passed(100.0, 0.0, {});
    CHECK(gone.status == Status::out_of_range);
    CHECK(gone.fault.quantity == rig::Quantity::lost_contact);
    CHECK(after * dt == approx(1.0).epsilon(0.01));
    const auto [turned, later] = passed(100.0, -100.0, {});  // its mean over the whole pass is near 0
    CHECK(turned.status == Status::sign_wrong);
    CHECK(turned.fault.quantity == rig::Quantity::mean_force);
    CHECK(later * dt == approx(0.5).epsilon(0.01));
    CHECK(passed(100.0, 0.0, {.lost_time = HUGE_VAL}).first.fault.status == Status::ok);
}

TEST_CASE("too few iterations are told, and the way there is kept") {
    ShakenWire wire(dt);
    const std::vector<double> recorded(500, 100.0);
    const auto result =
        rig::iterative_validation(wire, [] { return Borrowed(); }, recorded, {.iterations = 2, .tolerance = 1e-9});
    CHECK(result.status == Status::not_converged);
    CHECK(result.change.size() == 2);
}

TEST_CASE("the drive goes to the start of the profile without a jump and is stopped after each pass") {
    struct Watched {
        test::ScriptedSensor sensor;
        test::WatchedDrive drive;
        test::FakeClock clock;
        double fastest = 0.0;
        Watched() { drive.next = {{0.1, 0.0, 0.0}, Status::ok}; }
    } stand;
    StandInWire wire(dt);
    const std::vector<double> recorded(100, 0.0);
    const auto result = rig::iterative_validation(wire, [&]() -> Watched& { return stand; }, recorded,
                                                  {.iterations = 1, .lead_in = 200});
    CHECK(result.status == Status::not_converged);
    CHECK(stand.drive.first == 0.1);
    CHECK(std::abs(stand.drive.last) < 1e-9);
    CHECK(stand.drive.stops == 1);
    CHECK(stand.drive.writes == 200 + 100 + 2);
}

TEST_CASE("trouble on the rig stops the drive and ends the iteration with its reason") {
    StandInWire wire(dt);
    const std::vector<double> recorded(100, 100.0);
    struct Stand {
        test::ScriptedSensor sensor;
        test::TellingDrive<test::WatchedDrive> drive;
        test::FakeClock clock;
    } stand;
    const auto status = [&] {
        return rig::iterative_validation(wire, [&]() -> Stand& { return stand; }, recorded).status;
    };
    stand.sensor.next.status = Status::sensor_lost;
    CHECK(status() == Status::sensor_lost);
    CHECK(stand.drive.stopped);
    stand.sensor.next = {std::numeric_limits<double>::quiet_NaN(), Status::ok};
    CHECK(status() == Status::sensor_implausible);
    stand.sensor.next = {1.0, Status::ok};
    stand.drive.answer = Status::drive_fault;
    CHECK(status() == Status::drive_fault);
    const auto which = [&] {
        return rig::iterative_validation(wire, [&]() -> Stand& { return stand; }, recorded).fault.which;
    };
    CHECK(which() == "slow drive");
    stand.drive.next.status = Status::drive_fault;
    CHECK(which() == "slow drive");
    stand.drive.next.status = Status::sensor_stale;
    CHECK(status() == Status::sensor_stale);
    CHECK(which().empty());
    stand.drive = {};
    wire.stiffness = std::numeric_limits<double>::quiet_NaN();
    CHECK(status() == Status::not_finite);
    CHECK(stand.drive.stopped);
    CHECK_FALSE(stand.drive.got_not_finite);
}

TEST_CASE("the hardware is guarded in every cycle of the iteration") {
    struct Stand {
        test::ScriptedSensor sensor;
        test::WatchedDrive drive;
        test::FakeClock clock;
    } stand;
    StandInWire wire(dt);
    const std::vector<double> pressed(200, 100.0);  // the wire rises by 50 mm and swings beyond
    const auto status = [&](const rig::IterativeValidationParams& p) {
        const Motion at = stand.drive.next.value;
        stand.drive.stops = 0;
        const auto s = rig::iterative_validation(wire, [&]() -> Stand& { return stand; }, pressed, p).status;
        CHECK(stand.drive.stops == 1);
        CHECK(stand.drive.stopped);
        stand.drive.next.value = at;
        return s;
    };
    CHECK(status({.iterations = 1}) == Status::ok);  // nothing trips
    CHECK(status({.iterations = 1, .limits = {.force = 99.0}}) == Status::out_of_range);
    CHECK(status({.iterations = 1, .limits = {.highest = 0.04}}) == Status::out_of_range);
    CHECK(stand.drive.last < 0.04);
    CHECK(status({.iterations = 1, .limits = {.lowest = 0.01}}) == Status::out_of_range);  // stands below
    CHECK(status({.iterations = 1, .limits = {.command_rate = 0.01}}) == Status::out_of_range);
    stand.drive.follows = false;
    CHECK(status({.iterations = 1}) == Status::drive_fault);
    stand.drive.next.value.height = std::numeric_limits<double>::quiet_NaN();
    CHECK(status({.iterations = 1}) == Status::sensor_implausible);
    stand.drive = {};
    const int before = stand.drive.writes;
    const std::atomic<bool> enough{true};
    CHECK(status({.iterations = 1, .stop_requested = &enough}) == Status::stopped_by_user);
    CHECK(stand.drive.writes == before);
}

TEST_CASE("a wrong first reading of the position does not move the drive") {
    struct Misread : test::WatchedDrive {
        double error = 0.0;  // m, of the first reading
        int reads = 0;
        Result<Motion> read() noexcept {
            Result<Motion> seen = test::WatchedDrive::read();
            if (reads++ == 0) seen.value.height += error;
            return seen;
        }
    };
    struct Stand {
        test::ScriptedSensor sensor;
        Misread drive;
        test::FakeClock clock;
    };
    StandInWire wire(dt);
    for (const double error : {0.015, -0.002}) {
        Stand stand;
        stand.drive.error = error;
        const auto v =
            rig::iterative_validation(wire, [&]() -> Stand& { return stand; }, std::vector<double>(100, 0.0));
        CAPTURE(error);
        CHECK(v.status == Status::sensor_implausible);
        CHECK(rig::describe(v.fault).starts_with("sensor implausible: position of the drive "));
        CHECK(stand.drive.writes == 0);
        CHECK(stand.drive.stopped);
    }
}

TEST_CASE("a speed of the drive that is no number is named as the speed") {
    struct Stand {
        test::ScriptedSensor sensor;
        test::WatchedDrive drive;
        test::FakeClock clock;
    } stand;
    stand.drive.next.value.speed = std::nan("");
    StandInWire wire(dt);
    const auto v = rig::iterative_validation(wire, [&]() -> Stand& { return stand; }, std::vector<double>(100, 0.0));
    CHECK(rig::describe(v.fault) == "sensor implausible: speed of the drive nan m/s");
    CHECK(stand.drive.stopped);
}

TEST_CASE("gaps in the readings are bridged as often as allowed, a wire that reports trouble is heard") {
    struct Gappy {
        double wild;
        Status status;
        int reads = 0;
        Result<double> read() noexcept {
            return ++reads % 10 == 0 ? Result<double>{wild, status} : Result<double>{100.0, Status::ok};
        }
    };
    struct Stand {
        Gappy sensor;
        test::WatchedDrive drive;
        test::FakeClock clock;
    };
    StandInWire wire(dt);
    const std::vector<double> recorded(100, 100.0);
    for (const Gappy& cell : {Gappy{std::nan(""), Status::ok}, Gappy{1e4, Status::ok}, Gappy{7.0, Status::sensor_lost}})
        for (const int held : {0, 1}) {
            Stand stand{cell, {}, {}};
            const auto found = rig::iterative_validation(wire, [&]() -> Stand& { return stand; }, recorded,
                                                         {.iterations = 1, .limits = {.frames_held = held}});
            CHECK(usable(found.status) == (held == 1));
        }

    struct Sullen : StandInWire {
        using StandInWire::StandInWire;
        Status status() const noexcept { return Status::not_finite; }
    } sullen(dt);
    Stand stand{};
    const auto told = rig::iterative_validation(sullen, [&]() -> Stand& { return stand; }, recorded);
    CHECK(told.status == Status::not_finite);
    CHECK(rig::describe(told.fault) == "not finite");
    CHECK(stand.drive.writes == 0);
}

TEST_CASE("a record or parameters without meaning are refused") {
    StandInWire wire(dt);
    const auto run = [&](const std::vector<double>& recorded, const rig::IterativeValidationParams& p) {
        static_cast<void>(rig::iterative_validation(wire, [] { return Borrowed(); }, recorded, p));
    };
    CHECK_THROWS_AS(run({}, {}), SetupError);
    CHECK_THROWS_AS(run({1.0, std::nan("")}, {}), SetupError);
    CHECK_THROWS_AS(run({1.0, 1.0}, {.iterations = 0}), SetupError);
    CHECK_THROWS_AS(run({1.0, 1.0}, {.tolerance = 0.0}), SetupError);
    CHECK_THROWS_WITH_AS(run({1.0, 1.0}, {.relaxation = 1.5}),
                         "rig::iterative_validation: relaxation is 1.5, must be above 0 and at most 1", SetupError);
    CHECK_THROWS_AS(run({1.0, 1.0}, {.latency = -1}), SetupError);
    CHECK_THROWS_AS(run({1.0, 1.0}, {.memory = -1}), SetupError);
    CHECK_THROWS_AS(run({1.0, 1.0}, {.lead_in = static_cast<std::size_t>(-1)}), SetupError);
    CHECK_THROWS_WITH_AS(run({1.0, 1.0}, {.limits = {.force = -1.0}}),
                         "rig::iterative_validation: limits.force must be finite and > 0, got -1", SetupError);
}

TEST_CASE("whatever the user's functions do, the drive is stopped") {
    struct Stand {
        test::ScriptedSensor sensor;
        test::WatchedDrive drive;
        test::FakeClock clock;
    } stand;
    StandInWire wire(dt);
    const std::vector<double> recorded(100, 100.0);
    const auto as_it_is = [](const std::vector<double>& force) { return force; };
    const auto run = [&](auto command, auto smooth) {
        static_cast<void>(rig::iterative_validation(
            wire, [&]() -> Stand& { return stand; }, recorded, {}, command, smooth, interaction::error_index));
    };
    int asked = 0;
    const auto throwing = [&](const Motion& m) {
        if (++asked == 550) throw std::runtime_error("no");
        return m.height;
    };
    CHECK_THROWS_AS(run(throwing, as_it_is), std::runtime_error);
    CHECK(stand.drive.writes == 549);
    CHECK(stand.drive.stopped);
    CHECK(stand.drive.stops == 1);

    stand = {};
    const auto height = [](const Motion& m) { return m.height; };
    const auto shorter = [](const std::vector<double>& force) {
        return std::vector<double>(force.begin(), force.begin() + 40);
    };
    CHECK_THROWS_WITH_AS(
        run(height, shorter),
        "rig::iterative_validation: smooth() returned 40 values for 100, expected as many as it was given", SetupError);
    CHECK(stand.drive.writes == 0);
    int pass = 0;
    CHECK_THROWS_AS(run(height, [&](const std::vector<double>& f) { return ++pass < 2 ? f : shorter(f); }), SetupError);
    CHECK(stand.drive.stopped);
}

TEST_CASE("a clock that stands still ends the iteration") {
    struct Standing : test::FakeClock {
        void sleep_until(std::chrono::nanoseconds) noexcept {}
    };
    struct Stand {
        test::ScriptedSensor sensor;
        test::WatchedDrive drive;
        Standing clock;
    } stand;
    StandInWire wire(dt);
    CHECK(rig::iterative_validation(
              wire, [&]() -> Stand& { return stand; }, std::vector<double>(100, 1.0))
              .status == Status::deadline_missed);
    CHECK(stand.drive.stopped);
}

}  // namespace iterative_validation_test
