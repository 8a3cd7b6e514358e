// SPDX-License-Identifier: BSD-3-Clause
// Loss and regain of contact with the predictive controller on the simulated rig: the head is pulled down by 500 N, or
// pressed so lightly that it leaves the wire by itself, alike in the run without a rig.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/static_load.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/core/bisect.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/simulated.hpp>

#include "../../cases/ideal_run.hpp"
#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace panto;
using catenary::FiniteElements;
using test::Ideal;

namespace contact_loss_verify {
namespace {

constexpr double dt = 2e-3, kmh = 275.0, speed = kmh / 3.6;

plant::RigParams rig_with(double pad) {
    return {.pad_stiffness = pad, .pantograph = pantograph::preset("DSA380_HiL").params};
}

const FiniteElements<>& line() {
    static const FiniteElements<> model(catenary::stitched_hil(), {.contact = 0.75});
    return model;
}

/// 500 N downward from `from` on, s, for `length`; averaged over `step`, so that the impulse does not depend on the
/// time step.
struct Pull {
    double from = 0.0, length = 0.0, step = dt;  // s
    double operator()(double t) const {
        const double begin = std::max(from, t - 0.5 * step), end = std::min(from + length, t + 0.5 * step);
        return end > begin ? -500.0 * (end - begin) / step : 0.0;
    }
};

struct Case {
    plant::RigParams rig;
    double start = 130.0, end = 740.0;         // m; the pull begins at 650 m
    double pull = 0.0;                         // s
    double lift = 0.00097 * kmh * kmh + 70.0;  // N
};

Pull pull(const Case& c) { return {(650.0 - c.start) / speed, c.pull}; }

/// s, without contact.
double open(const std::vector<double>& force) {
    return dt * static_cast<double>(std::count_if(force.begin(), force.end(), [](double f) { return !(f > 0.0); }));
}

test::Ideal ideal_run(const Case& c) {
    return test::ideal_run(line(), {.speed = speed, .start = c.start, .dt = dt},
                           {.pantograph = c.rig.pantograph,
                            .uplift_force = c.lift,
                            .contact_stiffness = c.rig.pad_stiffness,
                            .end = c.end,
                            .head_force = pull(c)});
}

struct Outcome {
    rig::Report report;
    double open = 0.0;           // s
    double peak = 0.0;           // N, true
    double late_mm = 0.0;        // motor less wire from 0.5 s after the last loss of contact on
    double settled_after = 0.0;  // s, from the last contact to the last error above 1 mm
};

Outcome run(const Case& c, const Ideal& ideal, std::uint64_t seed) {
    catenary::RealTimeEngine<> wire(line(), {.speed = speed, .start = c.start, .dt = dt});
    wire.start_under(catenary::static_load(line(), c.start, ideal.force));
    constexpr int waiting = 50;  // periods, before the first cycle
    Pull later = pull(c);
    later.from += (waiting - 2) * dt;  // the virtual line runs two periods ahead
    later.step = dt / 20.0;
    rig::Simulated stand({.rig = c.rig,
                          .uplift_force = c.lift,
                          .start_height = ideal.height,
                          .force_noise = 1.0,
                          .position_noise = 1e-5,
                          .seed = seed,
                          .head_force = later},
                         dt);
    control::PredictiveLqgParams p;
    p.rig = c.rig;
    p.wire = control::wire_response(wire, ideal.force);
    control::PredictiveLqg controller(p, dt);
    rig::Cycle cycle(stand.sensor, wire, controller, stand.drive, interaction::DirectInteraction{},
                     {.limits = {.force = 2000.0, .frames_held = 2}});
    double rest = 0.0;
    for (int n = 1; n <= waiting; ++n) {
        stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(2));
        rest += (stand.drive.read().value.height - rest) / n;
    }
    cycle.rest_at(rest);
    const auto steps = static_cast<std::int64_t>((c.end - c.start) / (speed * dt)) - 4;
    std::vector<double> force, motor, height;
    Outcome out;
    out.report = rig::run(cycle, stand.clock,
                          {.period = std::chrono::milliseconds(2), .duration = steps * std::chrono::milliseconds(2)},
                          [&](const rig::CycleRecord& r) noexcept {
                              force.push_back(stand.contact_force());
                              motor.push_back(stand.motor_height());
                              height.push_back(r.exchange.wire.height + cycle.offset());
                          });
    out.open = open(force);
    std::size_t last = 0;  // contact comes back for good
    for (std::size_t n = 0; n < force.size(); ++n)
        if (!(force[n] > 0.0)) last = n + 1;
    for (std::size_t n = 1; n < force.size(); ++n) {  // at (n - 1) dt; the line stood where it is at (n + 1) dt
        out.peak = std::max(out.peak, force[n - 1]);
        const double error = 1e3 * std::fabs(motor[n - 1] - height[n]),
                     since = dt * (static_cast<double>(n) - 1.0 - static_cast<double>(last));
        if (since >= 0.5) out.late_mm = std::max(out.late_mm, error);
        if (error > 1.0) out.settled_after = since;
    }
    return out;
}

/// A pull for which the run without a rig is open for `wanted`, s.
double pull_for(Case c, double wanted) {
    c.end = 740.0;
    const auto shorter = [&](double pull) {
        c.pull = pull;
        return open(ideal_run(c).record.force) < wanted;
    };
    return bisect(shorter, 0.0, 0.2, 0.0, 9).fails;
}

}  // namespace

TEST_CASE("contact that is lost for 0.1 s comes back, and the motor follows the wire again", "[rig]") {
    const Case c{.rig = rig_with(120e3), .start = 520.0, .end = 740.0, .pull = 0.0227};
    const Ideal ideal = ideal_run(c);
    CHECK(std::fabs(open(ideal.record.force) - 0.1) <= 0.01);
    const Outcome r = run(c, ideal, 1);
    CAPTURE(r.open, r.peak, r.late_mm, r.settled_after, r.report.explanation());
    CHECK(r.report.status == Status::ok);
    CHECK(r.open <= 2.0 * open(ideal.record.force));
    CHECK(r.late_mm <= 1.0);
}

TEST_CASE("losses of 50, 100 and 200 ms are borne on pads up to 120 kN/m", "[rig][long]") {
    for (const double pad : {5e3, 20e3, 60e3, 120e3})
        for (const double wanted : {0.05, 0.1, 0.2}) {
            Case c{.rig = rig_with(pad), .end = 800.0};
            c.pull = pull_for(c, wanted);
            const Ideal ideal = ideal_run(c);
            for (const std::uint64_t seed : {1U, 2U, 3U}) {
                const Outcome r = run(c, ideal, seed);
                CAPTURE(pad, wanted, seed, c.pull, r.open, r.peak, r.late_mm, r.settled_after, r.report.explanation());
                CHECK(r.report.status == Status::ok);
                CHECK(r.late_mm <= 1.0);
                CHECK(r.settled_after <= 0.5);
            }
        }
}

namespace {

/// A run in which the lift is so low that the run without a rig is open for a share of the time.
Case light(double pad, double share) {
    Case c{.rig = rig_with(pad), .end = 800.0};
    double low = 0.1 * c.lift, high = c.lift;
    const double usual = c.lift;
    for (int i = 0; i < 9; ++i) {
        c.lift = 0.5 * (low + high);
        double open_for = 1.0;
        try {
            const auto force = ideal_run(c).record.force;
            open_for = open(force) / (dt * static_cast<double>(force.size()));
        } catch (const SetupError&) {  // it does not reach the wire at all
        }
        (open_for < share ? high : low) = c.lift;
    }
    c.lift = std::min(high, usual);
    return c;
}

}  // namespace

// Known to be missed by far: on 120 kN/m, contact is lost for 20 % of the time instead of 2.3 % (docs/control.md).
TEST_CASE("a run that loses contact for 5 or 12 % of the time without a rig loses it for twice as long at most",
          "[rig][long][!shouldfail]") {
    for (const double share : {0.05, 0.12})
        for (const double pad : {20e3, 60e3, 120e3, 240e3}) {
            const Case c = light(pad, share);
            const Ideal ideal = ideal_run(c);
            const double alone = open(ideal.record.force);
            for (const std::uint64_t seed : {1U, 2U}) {
                const Outcome r = run(c, ideal, seed);
                CAPTURE(share, pad, c.lift, seed, alone, r.open, r.peak, r.late_mm, r.report.explanation());
                CHECK(r.report.status == Status::ok);
                CHECK(r.open <= 2.0 * alone);
            }
        }
}

}  // namespace contact_loss_verify
