// SPDX-License-Identifier: BSD-3-Clause
// Faults of load cell and encoder in every stage of commissioning, each stage being tried again after a stop: the drive
// does not jump, and the true force stays below the limit.
#include <panto/rig/commissioning.hpp>
#include <panto/rig/simulated.hpp>

#include "../../cases/first_day_cases.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

using namespace panto;
using rig::CommissioningPlan;
using rig::CommissioningStage;

namespace commissioning_faults_test {
namespace {

constexpr double dt = 2e-3;

enum class Spoil : std::uint8_t {
    nothing,
    force_frozen,
    force_zero,
    encoder_frozen,
    encoder_lost_once,
    encoder_up_once,
    encoder_down_once,
    encoder_up,
    encoder_down
};

/// A head with mass and damper, raised by a constant force, below a pad. It yields: a dead load cell that never had any
/// scatter is found after approach_distance only, and nothing rigid may be within it. The drive is where it was told to
/// be one period before; readings are one period old.
struct HeadRig {
    double pad = 240e3, noise = 1.0;  // N/m; N and, a hundred thousandth of it, m
    double head_mass = 6.6, damping = 100.0, lift = 0.0;
    double height = 4e-3, told = 4e-3, head = -1e-3, speed = 0.0;
    double force_frame = 0.0, height_frame = 4e-3;
    Spoil spoil = Spoil::nothing;
    int wait = 0;  // position readings until the fault begins
    bool spoilt = false;
    double dead_force = 0.0, dead_height = 4e-3;
    double largest_force = 0.0;  // N, true
    double largest_jump = 0.0;   // m, of a command from the true place of the drive
    int stops = 0;
    std::mt19937 random{1};
    std::normal_distribution<double> normal{};
    std::chrono::nanoseconds time{0};

    double contact() const { return std::max(0.0, pad * (head - height)); }
    void period() {
        height = told;
        constexpr int parts = 5;
        for (int i = 0; i < parts; ++i) {
            speed += dt / parts * (lift - contact() - damping * speed) / head_mass;
            head += dt / parts * speed;
            largest_force = std::max(largest_force, contact());
        }
        force_frame = contact() + noise * normal(random);
        height_frame = height + 1e-5 * noise * normal(random);
    }

    struct Sensor {
        HeadRig* rig;
        Result<double> read() const noexcept {
            if (!rig->spoilt) rig->dead_force = rig->force_frame;
            if (rig->spoilt && rig->spoil == Spoil::force_frozen) return {rig->dead_force, Status::ok};
            if (rig->spoilt && rig->spoil == Spoil::force_zero) return {0.0, Status::ok};
            return {rig->force_frame, Status::ok};
        }
    } sensor{this};
    struct PositionDrive {
        using Command = PositionCommand;
        HeadRig* rig;
        Result<Motion> read() const noexcept {
            HeadRig& r = *rig;
            const bool begins = r.spoil != Spoil::nothing && !r.spoilt && r.wait-- <= 0;
            if (begins) r.spoilt = true;
            if (!r.spoilt) r.dead_height = r.height_frame;
            double shown = r.height_frame;
            if (r.spoilt && r.spoil == Spoil::encoder_frozen) shown = r.dead_height;
            if (begins && r.spoil == Spoil::encoder_lost_once) return {{}, Status::sensor_lost};
            if ((begins && r.spoil == Spoil::encoder_up_once) || (r.spoilt && r.spoil == Spoil::encoder_up))
                shown += 3e-3;
            if ((begins && r.spoil == Spoil::encoder_down_once) || (r.spoilt && r.spoil == Spoil::encoder_down))
                shown -= 3e-3;
            return {{shown, 0.0, 0.0}, Status::ok};
        }
        Status write(const Command& c) const noexcept {
            rig->largest_jump = std::max(rig->largest_jump, std::fabs(c.value - rig->told));
            rig->told = c.value;
            return Status::ok;
        }
        void stop() const noexcept { ++rig->stops, rig->told = rig->height; }
    } drive{this};
    struct Clock {
        HeadRig* rig;
        std::chrono::nanoseconds now() const noexcept { return rig->time; }
        void sleep_until(std::chrono::nanoseconds t) const noexcept {
            for (; rig->time < t; rig->time += std::chrono::milliseconds(2)) rig->period();
        }
    } clock{this};
};

struct Outcome {
    Status status = Status::ok;
    CommissioningStage stage = CommissioningStage::tare;
    rig::Fault fault{};
    double largest_force = 0.0, largest_jump = 0.0;
};

/// All stages, with the fault from the reading number `wait` of the stage `at` on. A stage that fails is tried once
/// more.
Outcome commissioned(Spoil spoil, int at, int wait, double pad, double noise, std::uint32_t seed) {
    HeadRig stand{.pad = pad, .noise = noise};
    stand.random.seed(seed);
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning stages(sensor, stand.drive, stand.clock,
                              {.tare_samples = 100, .excitation = {.air_time = 0.6, .contact_time = 1.2}});
    for (int i = 0; i < 6; ++i) {
        if (i == 2)
            for (int k = 1; k <= 1000; ++k) {
                stand.lift = 0.001 * k * 120.0;
                stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(2));
            }
        if (i == at) stand.spoil = spoil, stand.wait = wait;
        const auto stage = [&] {
            return i == 0   ? stages.tare()
                   : i == 1 ? stages.excite_in_air()
                   : i == 2 ? stages.approach()
                   : i == 3 ? stages.preload()
                   : i == 4 ? stages.excite_in_contact()
                            : stages.check_sign();
        };
        if (!usable(stage())) {
            const rig::CommissioningReport why = stages.report();
            (void)stage();
            stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(100));
            return {why.status, why.stage, why.fault, stand.largest_force, stand.largest_jump};
        }
    }
    return {Status::ok, CommissioningStage::done, {}, stand.largest_force, stand.largest_jump};
}

constexpr std::array<std::string_view, 9> spoils{"nothing",           "force frozen",      "force 0",
                                                 "encoder frozen",    "encoder lost once", "encoder up once",
                                                 "encoder down once", "encoder up",        "encoder down"};

}  // namespace

TEST_CASE("no fault of load cell or encoder, in any stage, makes the drive jump or presses beyond the limit") {
    const CommissioningPlan plan;
    std::mt19937 random(7);
    for (std::size_t kind = 0; kind < spoils.size(); ++kind)
        for (int at = 0; at < 6; ++at)
            for (const std::uint32_t seed : {1U, 2U, 3U}) {
                const double pad = seed == 3 ? 60e3 : 240e3, noise = seed == 2 ? 0.0 : 1.0;
                const auto spoil = static_cast<Spoil>(kind);
                int wait = seed == 1 ? 0 : static_cast<int>(random() % 200);
                // The three first readings of all must be believed if they agree.
                if (at == 0 && (spoil == Spoil::encoder_up || spoil == Spoil::encoder_down)) wait += 3;
                const Outcome o = commissioned(spoil, at, wait, pad, noise, seed);
                CAPTURE(std::string(spoils[kind]));
                CAPTURE(at);
                CAPTURE(wait);
                CAPTURE(pad);
                CAPTURE(noise);
                CAPTURE(std::string(name(o.stage)));
                CAPTURE(rig::describe(o.fault));
                CHECK(o.largest_force < plan.force_limit);
                // The air is left by jumps of 1 mm; noise and lag come on top when a stage is tried again.
                CHECK(o.largest_jump < plan.excitation.step + 2e-4);
                if (spoil == Spoil::nothing) CHECK(o.status == Status::ok);
                // Dead for good: no chain of stages ends well.
                if (spoil == Spoil::force_zero || spoil == Spoil::force_frozen || spoil == Spoil::encoder_frozen)
                    CHECK_FALSE(usable(o.status));
            }
}

TEST_CASE("a speed of the drive that is no number is named as the speed in commissioning") {
    test::ScriptedSensor scripted;
    test::WatchedDrive drive;
    test::FakeClock clock;
    drive.next.value.speed = std::nan("");
    rig::TaredSensor sensor{scripted};
    rig::Commissioning stages(sensor, drive, clock, {});
    CHECK(stages.tare() == Status::sensor_implausible);
    CHECK(rig::describe(stages.report().fault) == "sensor implausible: speed of the drive nan m/s");
}

TEST_CASE("an encoder that freezes in commissioning is named, and the next stage does not jump") {
    for (const double pad : {240e3, 60e3})
        for (const int stage : {1, 2}) {
            rig::SimulatedParams p{
                .uplift_force = 0.0, .start_height = 2e-3, .force_noise = 1.0, .position_noise = 1e-5};
            p.rig.pad_stiffness = pad;
            rig::Simulated stand(p, dt);
            rig::TaredSensor sensor{stand.sensor};
            rig::Commissioning stages(sensor, stand.drive, stand.clock, {});
            REQUIRE(stages.tare() == Status::ok);
            test::raise_pantograph(stand, 129.0);
            if (stage == 1) stand.inject(rig::SimulatedFault::encoder_frozen, stand.time(), 1e9);
            Status s = stages.approach();
            if (stage == 2) stand.inject(rig::SimulatedFault::encoder_frozen, stand.time(), 1e9);
            if (usable(s)) s = stages.preload();
            if (usable(s)) s = stages.check_sign();
            CAPTURE(pad);
            CAPTURE(stage);
            CAPTURE(rig::describe(stages.report().fault));
            CHECK(s == Status::sensor_implausible);
            CHECK(stages.report().fault.quantity == rig::Quantity::frozen_position);
            double jump = 0.0;
            for (std::size_t i = 1; i < stages.readings().size(); ++i)
                jump = std::max(jump, std::fabs(stages.readings()[i].command - stages.readings()[i - 1].command));
            CHECK(jump < 1e-4);  // the sign check moves by up to 94 um a period
            CHECK(usable(stages.check_sign()) == false);
        }
}

TEST_CASE("an encoder that is dead in an excitation is named, a quiet one is not") {
    for (const bool dead : {true, false})
        for (const double noise : {1.0, 0.0}) {
            rig::SimulatedParams p{
                .uplift_force = 0.0, .start_height = 2e-3, .force_noise = noise, .position_noise = 1e-5 * noise};
            p.rig.pad_stiffness = 20e3;  // on the stiffest pads the jumps are too small to prove anything
            p.rig.encoder_step = noise > 0.0 ? 0.0 : 1e-5;
            rig::Simulated stand(p, dt);
            rig::TaredSensor sensor{stand.sensor};
            rig::Commissioning stages(sensor, stand.drive, stand.clock,
                                      {.excitation = {.air_time = 0.5, .contact_time = 2.0}});
            REQUIRE(stages.tare() == Status::ok);
            REQUIRE(stages.excite_in_air() == Status::ok);
            test::raise_pantograph(stand);
            REQUIRE(stages.approach() == Status::ok);
            REQUIRE(stages.preload() == Status::ok);
            if (dead) stand.inject(rig::SimulatedFault::encoder_frozen, stand.time(), 1e9);
            const Status s = stages.excite_in_contact();
            CAPTURE(noise);
            CAPTURE(rig::describe(stages.report().fault));
            CHECK(s == (dead ? Status::sensor_implausible : Status::ok));
            CHECK((stages.report().fault.quantity == rig::Quantity::frozen_position) == dead);
            if (!dead) CHECK(stages.check_sign() == Status::ok);
        }
}

}  // namespace commissioning_faults_test
