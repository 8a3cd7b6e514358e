// SPDX-License-Identifier: BSD-3-Clause
// The predictive controller on the simulated rig, against pantograph and line coupled without a rig. Both start from
// the same loaded equilibrium.
#include <panto/control/predictive_lqg.hpp>
#include <panto/ident/rig_fit.hpp>

#include "../../cases/first_day_cases.hpp"
#include "../../cases/ideal_run.hpp"
#include "../../cases/rig_cases.hpp"
#include "allocations.hpp"
#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

using namespace panto;
using test::Ideal;
using namespace panto::test;

namespace predictive_verify {
namespace {

constexpr double dt = 2e-3;

struct Line {
    FiniteElements<> model;
    double start, end;  // m, of the run
};

const Line& stitched() {
    static const Line line{FiniteElements<>(catenary::stitched_hil(), {}), 130.0, 1040.0};
    return line;
}

/// With the way and the elements of panto_run.
Line other(const catenary::Section<>& section) {
    const double l = section.length();
    return {FiniteElements<>(section, {.contact = 0.75, .messenger = 1.5, .stitch = 0.5}), 0.1 * l, 0.9 * l};
}

/// @param whole  false: only the start
Ideal ideal_run(double kmh, const plant::RigParams& rig, const Line& line = stitched(), bool whole = true) {
    return test::ideal_run(line.model, {.speed = kmh / 3.6, .start = line.start, .dt = dt},
                           {.pantograph = rig.pantograph,
                            .uplift_force = rig_lift(kmh),
                            .contact_stiffness = rig.pad_stiffness,
                            .end = line.end},
                           whole);
}

struct Outcome {
    rig::Report report;
    double index = 0.0;    // %, filtered with 6 dB
    double peak_mm = 0.0;  // true motor position less wire at the same instant
};

/// A load cell of which one reading in 1000 is missing and one in 1000 is off by 500 N.
struct Glitches {
    rig::Simulated::Sensor sensor;
    bool on = false;
    std::mt19937_64 random{7};
    std::int64_t wrong = 0;
    Result<double> read() noexcept {
        Result<double> reading = sensor.read();
        const auto drawn = on ? random() % 1000 : 999;
        wrong += drawn < 2;
        if (drawn == 0) return {0.0, Status::sensor_lost};
        if (drawn == 1) reading.value += 500.0;
        return reading;
    }
};

plant::RigParams rig_with(double stiffness) { return {.pad_stiffness = stiffness, .pantograph = rig_pantograph(0.0)}; }

struct Setting {
    std::uint64_t seed = 1;
    bool glitches = false;
    const Line& line = stitched();
    std::optional<plant::RigParams> actual{};  // if it is not as told
    double rate_weight = control::PredictiveLqgParams{}.rate_weight;
};

Outcome run(double kmh, const plant::RigParams& rig, const Ideal& ideal, const Setting& s = {}) {
    const double v = kmh / 3.6;
    const auto& [model, start, end] = s.line;
    // [loaded]
    catenary::RealTimeEngine<> wire(model, {.speed = v, .start = start, .dt = dt});
    wire.start_under(catenary::static_load(model, start, ideal.force));
    // [loaded]
    rig::Simulated stand({.rig = s.actual.value_or(rig),
                          .uplift_force = rig_lift(kmh),
                          .start_height = ideal.height,
                          .force_noise = 1.0,
                          .position_noise = 1e-5,
                          .seed = s.seed},
                         dt);
    Glitches force_sensor{.sensor = stand.sensor, .on = s.glitches};
    // [predictive]
    control::PredictiveLqgParams p;
    p.rig = rig;
    p.wire = control::wire_response(wire, ideal.force);
    p.rate_weight = s.rate_weight;  // 0.185 by default; 0.4 for a rig that is not well known
    control::PredictiveLqg controller(p, dt);
    rig::Cycle cycle(force_sensor, wire, controller, stand.drive, interaction::DirectInteraction{},
                     {.limits = {.force = 1e4, .frames_held = 2}, .accept_other_rig = s.actual.has_value()});
    // [predictive]
    double rest = 0.0;
    for (int n = 1; n <= 50; ++n) {
        stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(2));
        rest += (stand.drive.read().value.height - rest) / n;
    }
    cycle.rest_at(rest);
    const auto steps = static_cast<std::int64_t>((end - start) / (v * dt)) - 4;

    // Cycle n reads what happened at (n - 1) dt and moves the virtual line to (n + 1) dt: it runs two periods ahead.
    std::vector<double> force, motor, height;
    Outcome out;
    out.report = rig::run(cycle, stand.clock,
                          {.period = std::chrono::milliseconds(2), .duration = steps * std::chrono::milliseconds(2)},
                          [&](const rig::CycleRecord& c) noexcept {
                              force.push_back(stand.contact_force());
                              motor.push_back(stand.motor_height());
                              height.push_back(c.exchange.wire.height + cycle.offset());
                          });
    if (!usable(out.report.status)) return out;
    interaction::ForceRecord seen, wanted;
    for (std::size_t n = 1; n < force.size(); ++n) {  // at (n - 1) dt; the line stood where it is at (n + 1) dt
        if (n + 1 >= ideal.record.force.size()) break;
        seen.force.push_back(force[n - 1]);
        seen.position.push_back(ideal.record.position[n + 1]);
        wanted.force.push_back(ideal.record.force[n + 1]);
        wanted.position.push_back(ideal.record.position[n + 1]);
        if (seen.position.back() >= 325.0 && seen.position.back() < 975.0)
            out.peak_mm = std::max(out.peak_mm, 1e3 * std::fabs(motor[n - 1] - height[n]));
    }
    out.index = error_indices(seen, wanted).filtered;
    return out;
}

}  // namespace

TEST_CASE("without an interaction mass the rig is within 1.5 % of the coupling without a rig", "[rig]") {
    for (const double kmh : {250.0, 300.0}) {
        const Ideal ideal = ideal_run(kmh, rig_with(240e3));
        for (const std::uint64_t seed : {1U, 2U}) {
            INFO(kmh << " km/h, seed " << seed);
            const Outcome r = run(kmh, rig_with(240e3), ideal, {.seed = seed});
            CAPTURE(r.index, r.peak_mm, r.report.explanation());
            CHECK(r.report.status == Status::ok);
            CHECK(r.index <= 1.5);
            CHECK(r.peak_mm <= 0.5);  // the aim is 0.45: what is missing is the price of the margins
        }
    }
}

TEST_CASE("a design for the pad that is there tracks on soft pads too", "[rig]") {
    for (const double pad : {5e3, 20e3, 60e3, 120e3, 300e3}) {
        const Ideal ideal = ideal_run(300.0, rig_with(pad));
        const Outcome r = run(300.0, rig_with(pad), ideal);
        CAPTURE(pad, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 2.0);
        CHECK(r.peak_mm <= 0.7);
    }
}

TEST_CASE("a load cell that errs once in 500 readings costs a tenth of the index at most", "[rig]") {
    const plant::RigParams rig = rig_with(240e3);
    const Ideal ideal = ideal_run(300.0, rig);
    const Outcome clean = run(300.0, rig, ideal), glitches = run(300.0, rig, ideal, {.glitches = true});
    CAPTURE(clean.index, glitches.index, glitches.peak_mm, glitches.report.explanation());
    CHECK(glitches.report.status == Status::ok);
    CHECK(glitches.index <= 1.1 * clean.index);
}

TEST_CASE("a motor 15 % slower or faster than told costs 3 % and 1 mm at most", "[rig]") {
    const plant::RigParams told = rig_with(240e3);
    const Ideal ideal = ideal_run(300.0, told);
    for (const double s : {0.85, 1.15}) {
        plant::RigParams actual = told;
        actual.motor.stiffness *= s * s, actual.motor.damping *= s;
        const Outcome r = run(300.0, told, ideal, {.actual = actual});
        CAPTURE(s, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 3.0);
        CHECK(r.peak_mm <= 1.0);
    }
}

TEST_CASE("a motor 20 % faster than told rings, and a cycle stops it for that by default", "[rig]") {
    const plant::RigParams told = rig_with(240e3);
    plant::RigParams actual = told;
    actual.motor.stiffness *= 1.2 * 1.2, actual.motor.damping *= 1.2;
    const Ideal ideal = ideal_run(300.0, actual, stitched(), false);
    const Outcome r = run(300.0, told, ideal, {.actual = actual});
    CAPTURE(r.report.cycles, r.report.explanation());
    CHECK(r.report.status == Status::out_of_range);
    CHECK(r.report.fault.quantity == rig::Quantity::ringing);
}

TEST_CASE("a carried mass, steps of the encoder and limits of the drive are in the model", "[rig]") {
    plant::RigParams carrying = rig_with(240e3), stepping = carrying, slow = carrying, gentle = carrying;
    carrying.carried_mass = 2.0;
    stepping.encoder_step = 5e-5;
    slow.drive_limits.speed = 0.2;
    gentle.drive_limits.acceleration = 100.0;
    const Ideal ideal = ideal_run(300.0, carrying);  // without a rig it is the same for all of them
    for (const plant::RigParams& rig : {carrying, stepping, slow, gentle}) {
        const Outcome r = run(300.0, rig, ideal);
        CAPTURE(plant::difference(rig, rig_with(240e3)), r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= (rig.drive_limits.any() ? 2.5 : 1.5));
        CHECK(r.peak_mm <= (rig.drive_limits.any() ? 1.0 : 0.6));
    }
    // A design that does not know of the mass mistakes its inertia for a contact force; one that does not know of the
    // limits predicts a motion that does not come.
    for (const plant::RigParams& rig : {carrying, gentle}) {
        const Outcome r = run(300.0, rig_with(240e3), ideal, {.actual = rig});
        CAPTURE(plant::difference(rig, rig_with(240e3)), r.index, r.report.explanation());
        CHECK(r.report.fault.quantity == rig::Quantity::ringing);
    }
}

TEST_CASE("a step of the whole loop, predictions included, allocates nothing", "[rig]") {
    const plant::RigParams rig = rig_with(240e3);
    const Ideal ideal = ideal_run(300.0, rig, stitched(), false);
    const Line& line = stitched();
    catenary::RealTimeEngine<> wire(line.model, {.speed = 300.0 / 3.6, .start = line.start, .dt = dt});
    wire.start_under(catenary::static_load(line.model, line.start, ideal.force));
    rig::Simulated stand({.rig = rig, .uplift_force = rig_lift(300.0), .start_height = ideal.height}, dt);
    control::PredictiveLqg controller({.rig = rig, .wire = control::wire_response(wire, ideal.force)}, dt);
    rig::Cycle cycle(stand.sensor, wire, controller, stand.drive);
    REQUIRE(cycle.start() == Status::ok);
    std::int64_t allocations = 0;
    Status status = Status::ok;
    for (int n = 0; n < 800 && usable(status); ++n) {  // two spans
        stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(2));
        allocations += allocations_in([&] { status = cycle.step(); });
    }
    CAPTURE(rig::describe(cycle.fault()));
    CHECK(usable(status));
    CHECK(allocations == 0);
}

TEST_CASE("a design for the rig as it was identified tracks like one for the rig as it is", "[rig][long]") {
    const plant::RigParams truth = rig_with(240e3);
    const Ideal ideal = ideal_run(300.0, truth);
    const Outcome best = run(300.0, truth, ideal);
    for (const std::uint32_t seed : {1U, 2U}) {
        const plant::RigParams told = unlike(truth, seed);  // motor, pad, head and delays off by up to 30 %
        const RigRecords day = recorded(noisy(truth, seed));
        CAPTURE(seed, rig::describe(day.report.fault));
        REQUIRE(usable(day.report.status));
        const ident::RigFit found = ident::fit_rig(told, day.air, day.contact);
        const Outcome r = run(300.0, found.rig, ideal, {.actual = truth});
        CAPTURE(r.index, best.index, r.peak_mm, best.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        // The limits of a pad that is told within 15 %, see below: an identified rig is one that is known within an
        // interval. Measured: 1.30 % and 0.455 mm with seed 1 as with a design for the rig as it is, 1.40 % and
        // 0.507 mm with seed 2. A closer limit would measure the noise: over 20 of its seeds the index of one and the
        // same rig differs by 15 %, the peak by 30 %.
        CHECK(r.index <= 2.0);
        CHECK(r.peak_mm <= 0.7);
        const Outcome before = run(300.0, told, ideal, {.actual = truth});
        CAPTURE(before.index, before.peak_mm, before.report.explanation());
        CHECK((!usable(before.report.status) || before.index > 1.5 * best.index));  // it is worth the day
    }
}

// The coupling without a rig is close to losing contact there, 12 N on the EN line, or loses it, for 0.1 to 0.2 % of
// the time on the AC line; there no index is asked for. An estimate that takes the wire's response from one place ends
// both.
TEST_CASE("droppers that pass at 0.7 of the wave speed do not end the run", "[rig]") {
    plant::RigParams rig = rig_with(240e3);
    rig.force_filter.cut_off = 0.0;
    for (const auto& section : {catenary::en50318_2002(), catenary::ac_simple_2015()}) {
        const Line line = other(section);
        const Ideal ideal = ideal_run(300.0, rig, line);
        const double least = *std::min_element(ideal.record.force.begin(), ideal.record.force.end());
        const Outcome r = run(300.0, rig, ideal, {.line = line});
        CAPTURE(section.name, least, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        if (least > 0.0) CHECK(r.index <= 2.5);
    }
}

namespace {

/// The elements of panto_run.
const Line& fine() {
    static const Line line{
        FiniteElements<>(catenary::stitched_hil(), {.contact = 0.75, .messenger = 1.5, .stitch = 0.5}), 130.0, 1040.0};
    return line;
}

/// The worst of some seeds, against the coupling with the pad and the pantograph that are there.
Outcome worst(const plant::RigParams& told, const plant::RigParams& actual, double kmh = 300.0, std::uint64_t seeds = 2,
              double rate_weight = Setting{}.rate_weight) {
    const Ideal ideal = ideal_run(kmh, actual, fine());
    Outcome out;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Outcome r =
            run(kmh, told, ideal, {.seed = seed, .line = fine(), .actual = actual, .rate_weight = rate_weight});
        out.report = r.report;
        out.index = std::max(out.index, r.index);
        out.peak_mm = std::max(out.peak_mm, r.peak_mm);
        if (!usable(r.report.status)) break;
    }
    return out;
}

void slow_down(plant::RigParams& rig, double s) { rig.motor.stiffness *= s * s, rig.motor.damping *= s; }

struct Change {
    const char* what;
    std::function<void(plant::RigParams&)> make;
    double peak = HUGE_VAL;  // mm
};

void costs_little(const Change& c, double kmh, std::uint64_t seeds, double rate_weight = Setting{}.rate_weight) {
    const plant::RigParams told = rig_with(240e3);
    plant::RigParams actual = told;
    c.make(actual);
    const Outcome r = worst(told, actual, kmh, seeds, rate_weight);
    CAPTURE(kmh, c.what, rate_weight, r.index, r.peak_mm, r.report.explanation());
    CHECK(r.report.status == Status::ok);
    CHECK(r.index <= 3.0);
    CHECK(r.peak_mm <= c.peak);
}

const Change slower_motor{"motor 15 % slower", [](auto& r) { slow_down(r, 0.85); }, 1.0},
    faster_motor{"motor 15 % faster", [](auto& r) { slow_down(r, 1.15); }, 1.0},
    less_delay{"0.5 ms less delay", [](auto& r) { r.command_delay = 0.75; }},
    more_delay{"0.5 ms more delay", [](auto& r) { r.command_delay = 1.25; }};

}  // namespace

TEST_CASE("a rig that differs in one quantity from what was told costs 3 % at most", "[rig][long]") {
    const std::vector<Change> changes{slower_motor,
                                      faster_motor,
                                      less_delay,
                                      more_delay,
                                      {"pad 15 % softer", [](auto& r) { r.pad_stiffness *= 0.85; }},
                                      {"pad 15 % stiffer", [](auto& r) { r.pad_stiffness *= 1.15; }},
                                      {"head 20 % lighter", [](auto& r) { r.pantograph.mass[0] *= 0.8; }},
                                      {"head 20 % heavier", [](auto& r) { r.pantograph.mass[0] *= 1.2; }},
                                      {"frame damped 20 % less", [](auto& r) { r.pantograph.damping *= 0.8; }},
                                      {"frame damped 20 % more", [](auto& r) { r.pantograph.damping *= 1.2; }},
                                      {"filter of 80 Hz", [](auto& r) { r.force_filter.cut_off = 80.0; }},
                                      {"filter of 120 Hz", [](auto& r) { r.force_filter.cut_off = 120.0; }}};
    for (const Change& c : changes) costs_little(c, 300.0, 2);
    for (const double kmh : {250.0, 275.0}) costs_little(less_delay, kmh, 6);
    costs_little(faster_motor, 275.0, 6);
}

// Known to be missed: 7.1 % and 3.49 mm with seed 9; one of the 20 runs rings.
TEST_CASE("0.5 ms less delay than told costs 3 % at most, over 20 seeds", "[rig][long][!shouldfail]") {
    costs_little(less_delay, 300.0, 20);
}

// Known to be missed: each of six runs rings and is stopped; without the limit one has 11.2 % and 2.2 mm.
TEST_CASE("a motor 15 % faster than told costs 3 % and 1 mm at most at 250 km/h", "[rig][long][!shouldfail]") {
    costs_little(faster_motor, 250.0, 6);
}

// What both cost with more weight on the rate: on the rig as told 1.19 % and 0.558 mm (20 seeds, 300 km/h).
TEST_CASE("a rate weight of 0.4 holds a faster motor and less delay to 3 %, and costs 0.6 mm at most", "[rig][long]") {
    constexpr double rate_weight = 0.4;
    for (const double kmh : {250.0, 275.0, 300.0}) costs_little(faster_motor, kmh, 6, rate_weight);
    costs_little(less_delay, 300.0, 20, rate_weight);
    const Outcome r = worst(rig_with(240e3), rig_with(240e3), 300.0, 20, rate_weight);
    CAPTURE(r.index, r.peak_mm, r.report.explanation());
    CHECK(r.report.status == Status::ok);
    CHECK(r.index <= 1.5);
    CHECK(r.peak_mm <= 0.6);
}

TEST_CASE("a rig with one period of delay more or less, told, is within 2.5 % and 0.7 mm", "[rig][long]") {
    for (const double periods : {0.0, 2.0}) {
        plant::RigParams rig = rig_with(240e3);
        rig.command_delay = periods;
        const Outcome r = worst(rig, rig);
        CAPTURE(periods, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 2.5);
        CHECK(r.peak_mm <= 0.7);
    }
}

TEST_CASE("pads told within 15 % are within 2 % and 0.7 mm", "[rig][long]") {
    for (const double pad : {5e3, 20e3, 60e3, 120e3, 240e3})
        for (const double s : {0.85, 1.15}) {
            const Outcome r = worst(rig_with(pad), rig_with(s * pad));
            CAPTURE(pad, s, r.index, r.peak_mm, r.report.explanation());
            CHECK(r.report.status == Status::ok);
            CHECK(r.index <= 2.0);
            CHECK(r.peak_mm <= 0.7);
        }
}

// Known to be missed: 1.6 % and 0.75 mm on a pad that is softer than told, 1.5 % and 1.55 mm on one that is stiffer.
TEST_CASE("a pad of 300 kN/m told within 15 % is within 2 % and 0.7 mm", "[rig][long][!shouldfail]") {
    for (const double s : {0.85, 1.15}) {
        const Outcome r = worst(rig_with(300e3), rig_with(s * 300e3));
        CAPTURE(s, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 2.0);
        CHECK(r.peak_mm <= 0.7);
    }
}

namespace {

/// 50 rigs that differ at random by half these ranges; the same ones at every call.
const std::vector<Outcome>& random_rigs() {
    static const std::vector<Outcome> runs = [] {
        std::mt19937_64 random(12);
        const auto within = [&](double half) {
            return half * (2.0 * std::ldexp(static_cast<double>(random() >> 11), -53) - 1.0);
        };
        const plant::RigParams told = rig_with(240e3);
        std::vector<Outcome> all;
        for (int n = 0; n < 50; ++n) {
            plant::RigParams actual = told;
            actual.pad_stiffness *= 1.0 + within(0.075);
            actual.pantograph.mass[0] *= 1.0 + within(0.1);
            actual.pantograph.damping *= 1.0 + within(0.1);
            actual.force_filter.cut_off *= 1.0 + within(0.1);
            actual.command_delay += within(0.125);
            slow_down(actual, 1.0 + within(0.075));
            all.push_back(run(300.0, told, ideal_run(300.0, actual, fine()), {.line = fine(), .actual = actual}));
        }
        return all;
    }();
    return runs;
}

}  // namespace

TEST_CASE("of 50 rigs that differ at random by half these ranges 48 are stable, the others are stopped",
          "[rig][long]") {
    int stopped = 0;
    for (const Outcome& r : random_rigs()) {
        CAPTURE(r.index, r.peak_mm, r.report.explanation());
        if (r.report.status == Status::ok) {
            CHECK(r.index <= 3.0);
            continue;
        }
        ++stopped;
        CHECK(r.report.fault.quantity == rig::Quantity::ringing);
    }
    CHECK(stopped <= 2);
}

// Known to be missed by two of them, n = 21 and 45: their pads are stiffer, their motors faster, their delays longer
// and their filters faster than told, all at once, and the linear loop has a disk margin of 0.09 and 0.05 left.
TEST_CASE("50 rigs that differ at random by half these ranges are stable", "[rig][long][!shouldfail]") {
    for (const Outcome& r : random_rigs()) CHECK(r.report.status == Status::ok);
}

TEST_CASE("20 seeds at three speeds: index at most 1.5 %, peak at most 0.45 mm", "[rig][long]") {
    for (const double kmh : {250.0, 275.0, 300.0}) {
        const Ideal ideal = ideal_run(kmh, rig_with(240e3), fine());
        double index = 0.0, peak = 0.0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const Outcome r = run(kmh, rig_with(240e3), ideal, {.seed = seed, .line = fine()});
            REQUIRE(r.report.status == Status::ok);
            index = std::max(index, r.index);
            peak = std::max(peak, r.peak_mm);
        }
        CAPTURE(kmh, index, peak);
        CHECK(index <= 1.5);
        CHECK(peak <= 0.45);
    }
}

}  // namespace predictive_verify
