// SPDX-License-Identifier: BSD-3-Clause
// The predictive controller on the simulated rig, against pantograph and line coupled without a rig. Both start from
// the same loaded equilibrium.
#include <panto/ident/rig_fit.hpp>

#include "../../cases/first_day_cases.hpp"
#include "../../cases/predictive_lqg_cases.hpp"
#include "allocations.hpp"
#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace panto;
using test::Ideal;
using namespace panto::test;

namespace predictive_verify {

using predictive_lqg::Case, predictive_lqg::Outcome, predictive_lqg::Variation, predictive_lqg::dt,
    predictive_lqg::fine, predictive_lqg::run, predictive_lqg::with_pad, predictive_lqg::worst;

TEST_CASE("without an interaction mass the rig is within 1.5 % of the coupling without a rig", "[rig]") {
    for (const double kmh : {250.0, 300.0}) {
        const Case c{.kmh = kmh};
        const Ideal ideal = ideal_run(c);
        for (const std::uint64_t seed : {1U, 2U}) {
            INFO(kmh << " km/h, seed " << seed);
            const Outcome r = run(c, ideal, seed);
            CAPTURE(r.index, r.peak_mm, r.report.explanation());
            CHECK(r.report.status == Status::ok);
            CHECK(r.index <= 1.5);
            CHECK(r.peak_mm <= 0.5);  // the aim is 0.45: what is missing is the price of the margins
        }
    }
}

TEST_CASE("a design for the pad that is there tracks on soft pads too", "[rig]") {
    for (const double pad : {5e3, 20e3, 60e3, 120e3, 300e3}) {
        const Outcome r = worst({.told = with_pad(pad)}, 1);
        CAPTURE(pad, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 2.0);
        CHECK(r.peak_mm <= 0.7);
    }
}

// Gains that recover the force from behind such a filter in full would amplify the noise of 1 N to 20 to 40 N.
TEST_CASE("filters of higher order and lower cut-off, told, cost accuracy but run", "[rig]") {
    for (const plant::ForceFilter filter : {plant::ForceFilter{100.0, 4}, {100.0, 8}, {50.0, 4}, {20.0, 2}}) {
        Case c;
        c.told.force_filter = filter;
        const Outcome r = run(c, ideal_run(c));
        CAPTURE(filter.cut_off, filter.order, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 4.5);
        CHECK(r.peak_mm <= 0.7);
    }
}

TEST_CASE("a load cell that errs once in 500 readings costs a tenth of the index at most", "[rig]") {
    const Ideal ideal = ideal_run(Case{});
    const Outcome clean = run({}, ideal), glitches = run({.glitches = true}, ideal);
    CAPTURE(clean.index, glitches.index, glitches.peak_mm, glitches.report.explanation());
    CHECK(glitches.report.status == Status::ok);
    CHECK(glitches.index <= 1.1 * clean.index);
}

TEST_CASE("a motor 15 % slower or faster than told costs 3 % and 1 mm at most", "[rig]") {
    const Ideal ideal = ideal_run(Case{});
    for (const Variation& v : {predictive_lqg::slower_motor, predictive_lqg::faster_motor}) {
        const Outcome r = run({.differs = v.make}, ideal);
        CAPTURE(v.what, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 3.0);
        CHECK(r.peak_mm <= 1.0);
    }
}

TEST_CASE("a motor 30 % faster than told rings, and a cycle stops it for that by default", "[rig]") {
    const Case c{.differs = [](plant::RigParams& r) { predictive_lqg::speed_up(r, 1.3); }};
    const Outcome r = run(c, ideal_run(c, false));
    CAPTURE(r.report.cycles, r.report.explanation());
    CHECK(r.report.status == Status::out_of_range);
    CHECK(r.report.fault.quantity == rig::Quantity::ringing);
}

// The force hardly shows it: on 10 kN/m a swing of 7 mm is 70 N.
TEST_CASE("a design for 240 kN/m swings on pads of 5 to 20 kN/m, and a cycle stops it for that by default", "[rig]") {
    for (const double pad : {5e3, 10e3, 20e3}) {
        const Case c{.differs = [&](plant::RigParams& r) { r.pad_stiffness = pad; }};
        const Outcome r = run(c, ideal_run(c, false));
        CAPTURE(pad, r.report.cycles, r.report.explanation());
        CHECK(r.report.status == Status::out_of_range);
        CHECK(r.report.fault.quantity == rig::Quantity::swinging);
    }
}

TEST_CASE("a carried mass, steps of the encoder and limits of the drive are in the model", "[rig]") {
    plant::RigParams carrying = with_pad(240e3), stepping = carrying, slow = carrying, gentle = carrying;
    carrying.carried_mass = 2.0;
    stepping.encoder_step = 5e-5;
    slow.drive_limits.speed = 0.2;
    gentle.drive_limits.acceleration = 100.0;
    const Ideal ideal = ideal_run(Case{.told = carrying});  // without a rig it is the same for all of them
    for (const plant::RigParams& rig : {carrying, stepping, slow, gentle}) {
        const Outcome r = run({.told = rig}, ideal);
        CAPTURE(plant::difference(rig, with_pad(240e3)), r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= (rig.drive_limits.any() ? 2.5 : 1.5));
        CHECK(r.peak_mm <= (rig.drive_limits.any() ? 1.0 : 0.6));
    }
    // A design that does not know of the mass mistakes its inertia for a contact force; one that does not know of the
    // limit predicts a motion that does not come.
    const auto untold = [&](const plant::RigParams& rig) {
        return run({.differs = [&](plant::RigParams& actual) { actual = rig; }}, ideal);
    };
    CHECK(untold(carrying).report.fault.quantity == rig::Quantity::ringing);
    CHECK_FALSE(untold(gentle).index <= 5.0);  // 1.9 % if it is told
}

TEST_CASE("a step of the whole loop, predictions included, allocates nothing", "[rig]") {
    const Case c;
    const Ideal ideal = ideal_run(c, false);
    catenary::RealTimeEngine<> wire(*c.line, {.speed = c.speed(), .start = c.start, .dt = dt});
    wire.start_under(catenary::static_load(*c.line, c.start, ideal.force));
    rig::Simulated stand({.rig = c.told, .uplift_force = c.lift(), .start_height = ideal.height}, dt);
    control::PredictiveLqg controller({.rig = c.told, .wire = control::wire_response(wire, ideal.force)}, dt);
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
    const plant::RigParams truth = with_pad(240e3);
    const Ideal ideal = ideal_run(Case{});
    const Outcome best = run({}, ideal);
    const auto is_true = [&](plant::RigParams& r) { r = truth; };
    for (const std::uint32_t seed : {1U, 2U}) {
        const plant::RigParams told = unlike(truth, seed);  // motor, pad, head and delays off by up to 30 %
        const RigRecords day = recorded(noisy(truth, seed));
        CAPTURE(seed, rig::describe(day.report.fault));
        REQUIRE(usable(day.report.status));
        const ident::RigFit found = ident::fit_rig(told, day.air, day.contact);
        const Outcome r = run({.told = found.rig, .differs = is_true}, ideal);
        CAPTURE(r.index, best.index, r.peak_mm, best.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        // The limits of a pad that is told within 15 %, see below: an identified rig is one that is known within an
        // interval. Measured: 1.30 % and 0.455 mm with seed 1 as with a design for the rig as it is, 1.40 % and
        // 0.507 mm with seed 2. A closer limit would measure the noise: over 20 of its seeds the index of one and the
        // same rig differs by 15 %, the peak by 30 %.
        CHECK(r.index <= 2.0);
        CHECK(r.peak_mm <= 0.7);
        const Outcome before = run({.told = told, .differs = is_true}, ideal);
        CAPTURE(before.index, before.peak_mm, before.report.explanation());
        CHECK((!usable(before.report.status) || before.index > 1.5 * best.index));  // it is worth the day
    }
}

// The coupling without a rig is close to losing contact there, 12 N on the EN line, or loses it, for 0.1 to 0.2 % of
// the time on the AC line; there no index is asked for. An estimate that takes the wire's response from one place ends
// both.
TEST_CASE("droppers that pass at 0.7 of the wave speed do not end the run", "[rig]") {
    for (const auto& section : {catenary::en50318_2002(), catenary::ac_simple_2015()}) {
        const FiniteElements<> line(section, {.contact = 0.75, .messenger = 1.5, .stitch = 0.5});
        Case c{.line = &line, .start = 0.1 * section.length(), .end = 0.9 * section.length()};  // as panto_run
        c.told.force_filter.cut_off = 0.0;
        const Ideal ideal = ideal_run(c);
        const double least = *std::min_element(ideal.record.force.begin(), ideal.record.force.end());
        const Outcome r = run(c, ideal);
        CAPTURE(section.name, least, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        if (least > 0.0) CHECK(r.index <= 2.5);
    }
}

namespace {

void costs_little(const Variation& v, double kmh, std::uint64_t seeds, double rate_weight = Case{}.rate_weight) {
    Case c = v.at(kmh);
    c.rate_weight = rate_weight;
    const Outcome r = worst(c, seeds);
    CAPTURE(kmh, v.what, rate_weight, r.index, r.peak_mm, r.report.explanation());
    CHECK(r.report.status == Status::ok);
    CHECK(r.index <= 3.0);
    CHECK(r.peak_mm <= v.peak_mm);
}

}  // namespace

TEST_CASE("a rig that differs in one quantity from what was told costs 3 % at most", "[rig][long]") {
    for (const Variation& v : predictive_lqg::variations) costs_little(v, 300.0, 2);
    for (const double kmh : {250.0, 275.0}) costs_little(predictive_lqg::less_delay, kmh, 6);
    costs_little(predictive_lqg::faster_motor, 275.0, 6);
}

// Without learning the lead, one of the 20 runs with less delay rings, and all of those with the faster motor.
TEST_CASE("0.5 ms less delay than told costs 3 % at most, over 20 seeds, a faster motor too", "[rig][long]") {
    costs_little(predictive_lqg::less_delay, 300.0, 20);
    costs_little(predictive_lqg::faster_motor, 250.0, 6);
}

// What both cost with more weight on the rate: on the rig as told 1.19 % and 0.558 mm (20 seeds, 300 km/h).
TEST_CASE("a rate weight of 0.4 holds a faster motor and less delay to 3 %, and costs 0.6 mm at most", "[rig][long]") {
    constexpr double rate_weight = 0.4;
    for (const double kmh : {250.0, 275.0, 300.0}) costs_little(predictive_lqg::faster_motor, kmh, 6, rate_weight);
    costs_little(predictive_lqg::less_delay, 300.0, 20, rate_weight);
    const Outcome r = worst({.line = &fine(), .rate_weight = rate_weight}, 20);
    CAPTURE(r.index, r.peak_mm, r.report.explanation());
    CHECK(r.report.status == Status::ok);
    CHECK(r.index <= 1.5);
    CHECK(r.peak_mm <= 0.6);
}

TEST_CASE("a rig with one period of delay more or less, told, is within 2.5 % and 0.7 mm", "[rig][long]") {
    for (const double periods : {0.0, 2.0}) {
        Case c{.line = &fine()};
        c.told.command_delay = periods;
        const Outcome r = worst(c, 2);
        CAPTURE(periods, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 2.5);
        CHECK(r.peak_mm <= 0.7);
    }
}

TEST_CASE("pads told within 15 % are within 2 % and 0.7 mm", "[rig][long]") {
    for (const double pad : {5e3, 20e3, 60e3, 120e3, 240e3})
        for (const Variation& v : {predictive_lqg::softer_pad, predictive_lqg::stiffer_pad}) {
            const Outcome r = worst(v.at(300.0, with_pad(pad)), 2);
            CAPTURE(pad, v.what, r.index, r.peak_mm, r.report.explanation());
            CHECK(r.report.status == Status::ok);
            CHECK(r.index <= 2.0);
            CHECK(r.peak_mm <= 0.7);
        }
}

// Known to be missed: 1.6 % and 0.75 mm on a pad that is softer than told, 1.5 % and 1.55 mm on one that is stiffer.
TEST_CASE("a pad of 300 kN/m told within 15 % is within 2 % and 0.7 mm", "[rig][long][!shouldfail]") {
    for (const Variation& v : {predictive_lqg::softer_pad, predictive_lqg::stiffer_pad}) {
        const Outcome r = worst(v.at(300.0, with_pad(300e3)), 2);
        CAPTURE(v.what, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 2.0);
        CHECK(r.peak_mm <= 0.7);
    }
}

namespace {

/// Run once for both tests.
const std::vector<Outcome>& random_rigs() {
    static const std::vector<Outcome> runs = [] {
        std::vector<Outcome> all;
        for (const Case& c : predictive_lqg::random_rigs()) all.push_back(worst(c, 1));
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
        const Outcome r = worst({.kmh = kmh, .line = &fine()}, 20);
        CAPTURE(kmh, r.index, r.peak_mm, r.report.explanation());
        CHECK(r.report.status == Status::ok);
        CHECK(r.index <= 1.5);
        CHECK(r.peak_mm <= 0.45);
    }
}

}  // namespace predictive_verify
