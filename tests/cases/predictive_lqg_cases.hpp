// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The default controller on the simulated rig under the stitched line, against pantograph and line coupled without a
/// rig: DSA380_HiL, delays of 1 + 1 periods, force filter of 100 Hz, noise of 1 N and 0.01 mm. Both start from the same
/// loaded equilibrium. The rig may differ from what the controller was told, its load cell may err, and the head may be
/// pulled off the wire or be pressed so lightly that it leaves it by itself, alike in the run without a rig.

#pragma once

#include <panto/catenary/static_load.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/core/bisect.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/simulated.hpp>

#include "ideal_run.hpp"
#include "interaction_cases.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace panto::test::predictive_lqg {

constexpr double dt = 2e-3, from = 325.0, to = 975.0;  // s, m: the window
constexpr double pull_at = 650.0;                      // m

/// Elements of 1.5 m: quick.
inline const FiniteElements<>& coarse() {
    static const FiniteElements<> model(catenary::stitched_hil(), {});
    return model;
}

/// The elements of panto_run.
inline const FiniteElements<>& fine() {
    static const FiniteElements<> model(catenary::stitched_hil(), {.contact = 0.75, .messenger = 1.5, .stitch = 0.5});
    return model;
}

/// Short elements on the contact wire alone: for the loss of contact.
inline const FiniteElements<>& fine_contact() {
    static const FiniteElements<> model(catenary::stitched_hil(), {.contact = 0.75});
    return model;
}

inline plant::RigParams with_pad(double stiffness) {
    return {.pad_stiffness = stiffness, .pantograph = pantograph::preset("DSA380_HiL").params};
}

inline double usual_lift(double kmh) { return 0.00097 * kmh * kmh + 70.0; }

struct Case {
    double kmh = 300.0;
    plant::RigParams told = with_pad(240e3);           // to the controller
    std::function<void(plant::RigParams&)> differs{};  // what the rig has instead, if it is not as told
    const FiniteElements<>* line = &coarse();
    double start = 130.0, end = 1040.0;  // m
    double lift_share = 1.0;             // of the usual uplift force
    double pull = 0.0;                   // s, 500 N downward on the head from 650 m on
    bool glitches = false;               // of the load cell
    double rate_weight = control::PredictiveLqgParams{}.rate_weight;
    double largest_force = 1e4;  // N, limit of the cycle

    [[nodiscard]] double speed() const { return kmh / 3.6; }
    [[nodiscard]] double lift() const { return lift_share * usual_lift(kmh); }
    [[nodiscard]] plant::RigParams rig() const {
        plant::RigParams actual = told;
        if (differs) differs(actual);
        return actual;
    }
};

/// Averaged over `step`, so that the impulse does not depend on the time step.
inline std::function<double(double)> pull(const Case& c, double shift, double step) {
    if (!(c.pull > 0.0)) return {};
    return [begins = (pull_at - c.start) / c.speed() + shift, length = c.pull, step](double t) {
        const double a = std::max(begins, t - 0.5 * step), b = std::min(begins + length, t + 0.5 * step);
        return b > a ? -500.0 * (b - a) / step : 0.0;
    };
}

/// With the pantograph and the pad that are there.
/// @param whole  false: only the start
inline Ideal ideal_run(const Case& c, bool whole = true) {
    const plant::RigParams rig = c.rig();
    return test::ideal_run(*c.line, {.speed = c.speed(), .start = c.start, .dt = dt},
                           {.pantograph = rig.pantograph,
                            .uplift_force = c.lift(),
                            .contact_stiffness = rig.pad_stiffness,
                            .end = c.end,
                            .head_force = pull(c, 0.0, dt)},
                           whole);
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the std::function frees what it holds

/// A load cell of which one reading in 1000 is missing and one in 1000 is off by 500 N.
struct Glitches {
    rig::Simulated::Sensor sensor;
    bool on = false;
    std::mt19937_64 random;
    Result<double> read() noexcept {
        Result<double> reading = sensor.read();
        const auto drawn = on ? random() % 1000 : 999;
        if (drawn == 0) return {0.0, Status::sensor_lost};
        if (drawn == 1) reading.value += 500.0;
        return reading;
    }
};

struct Outcome {
    rig::Report report;
    double index = HUGE_VAL;     // %, in the window, filtered with 6 dB; infinite if the run ended early
    double peak_mm = HUGE_VAL;   // true motor position less wire at the same instant, in the window; likewise
    double open = 0.0;           // s, without contact
    double force = 0.0;          // N, the largest, true
    double late_mm = HUGE_VAL;   // motor less wire from 0.5 s after the last loss of contact on
    double settled_after = 0.0;  // s, from the last contact to the last error above 1 mm
};

/// s, without contact.
inline double open(const std::vector<double>& force) {
    return dt * static_cast<double>(std::count_if(force.begin(), force.end(), [](double f) { return !(f > 0.0); }));
}

/// @param force, motor, height  of each cycle. Cycle n reads what happened at (n - 1) dt and moves the virtual line to
///                              (n + 1) dt: it runs two periods ahead. So motor[n - 1] and height[n] are of one
///                              instant.
inline void judge(Outcome& out, const Ideal& ideal, const std::vector<double>& force, const std::vector<double>& motor,
                  const std::vector<double>& height) {
    out.open = open(force);
    std::size_t last = 0;  // contact comes back for good
    for (std::size_t n = 0; n < force.size(); ++n)
        if (!(force[n] > 0.0)) last = n + 1;
    interaction::ForceRecord seen, wanted;
    double peak_mm = 0.0, late_mm = 0.0;
    bool late = false;
    for (std::size_t n = 1; n < force.size(); ++n) {
        const double error = 1e3 * std::fabs(motor[n - 1] - height[n]),
                     since = dt * (static_cast<double>(n) - 1.0 - static_cast<double>(last));
        out.force = std::max(out.force, force[n - 1]);
        if (since >= 0.5) late_mm = std::max(late_mm, error), late = true;
        if (error > 1.0) out.settled_after = since;
        if (n + 1 >= ideal.record.force.size()) continue;
        const double x = ideal.record.position[n + 1];
        seen.force.push_back(force[n - 1]), wanted.force.push_back(ideal.record.force[n + 1]);
        seen.position.push_back(x), wanted.position.push_back(x);
        if (x >= from && x < to) peak_mm = std::max(peak_mm, error);
    }
    if (out.report.status != Status::ok) return;
    if (late) out.late_mm = late_mm;
    out.peak_mm = peak_mm;
    out.index = error_indices(seen, wanted).filtered;
}

constexpr int waiting = 50;  // periods, before the first cycle

/// @param seed  of the noise
inline rig::SimulatedParams stand_of(const Case& c, const Ideal& ideal, std::uint64_t seed) {
    return {.rig = c.rig(),
            .uplift_force = c.lift(),
            .start_height = ideal.height,
            .force_noise = 1.0,
            .position_noise = 1e-5,
            .seed = seed,
            .head_force = pull(c, (waiting - 2) * dt, dt / 20.0)};
}

/// Waits, then runs the cycle to the end of the case.
/// @param record  called with the record of every cycle
template <class Cycle, class Record>
rig::Report run_over(const Case& c, rig::Simulated& stand, Cycle& cycle, const Record& record) {
    double rest = 0.0;
    for (int n = 1; n <= waiting; ++n) {
        stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(2));
        rest += (stand.drive.read().value.height - rest) / n;
    }
    cycle.rest_at(rest);
    const auto steps = static_cast<std::int64_t>((c.end - c.start) / (c.speed() * dt)) - 4;
    return rig::run(cycle, stand.clock,
                    {.period = std::chrono::milliseconds(2), .duration = steps * std::chrono::milliseconds(2)}, record);
}

/// @param seed  of the noise
inline Outcome run(const Case& c, const Ideal& ideal, std::uint64_t seed = 1) {
    const double v = c.speed(), start = c.start;
    const FiniteElements<>& model = *c.line;
    const plant::RigParams& rig = c.told;
    // [loaded]
    catenary::RealTimeEngine<> wire(model, {.speed = v, .start = start, .dt = dt});
    wire.start_under(catenary::static_load(model, start, ideal.force));
    // [loaded]
    rig::Simulated stand(stand_of(c, ideal, seed), dt);
    Glitches force_sensor{.sensor = stand.sensor, .on = c.glitches, .random = std::mt19937_64(6 + seed)};
    // [predictive]
    control::PredictiveLqgParams p;
    p.rig = rig;
    p.wire = control::wire_response(wire, ideal.force);
    p.rate_weight = c.rate_weight;  // 0.185 by default; 0.4 for a rig that is not well known
    control::PredictiveLqg controller(p, dt);
    rig::Cycle cycle(
        force_sensor, wire, controller, stand.drive, interaction::DirectInteraction{},
        {.limits = {.force = c.largest_force, .frames_held = 2}, .accept_other_rig = c.differs != nullptr});
    // [predictive]
    std::vector<double> force, motor, height;
    Outcome out;
    out.report = run_over(c, stand, cycle, [&](const rig::CycleRecord& r) noexcept {
        force.push_back(stand.contact_force());
        motor.push_back(stand.motor_height());
        height.push_back(r.exchange.wire.height + cycle.offset());
    });
    judge(out, ideal, force, motor, height);
    return out;
}

/// s without contact in the same run with Lqg, designed for the same rig; infinite if it is stopped.
inline double open_with_lqg(const Case& c, const Ideal& ideal, std::uint64_t seed) {
    catenary::RealTimeEngine<> wire(*c.line, {.speed = c.speed(), .start = c.start, .dt = dt});
    wire.start_under(catenary::static_load(*c.line, c.start, ideal.force));
    rig::Simulated stand(stand_of(c, ideal, seed), dt);
    control::Lqg controller({.rig = c.told}, dt);
    rig::Cycle cycle(stand.sensor, wire, controller, stand.drive, interaction::MassInteraction({}, dt),
                     {.limits = {.force = c.largest_force, .frames_held = 2}});
    std::vector<double> force;
    const rig::Report report =
        run_over(c, stand, cycle, [&](const rig::CycleRecord&) noexcept { force.push_back(stand.contact_force()); });
    return report.status == Status::ok ? open(force) : HUGE_VAL;
}

/// The worst of seeds 1 to `seeds`, one that ended early if there is one.
inline Outcome worst(const Case& c, std::uint64_t seeds) {
    const Ideal ideal = ideal_run(c);
    Outcome out = run(c, ideal, 1);
    for (std::uint64_t seed = 2; seed <= seeds && out.report.status == Status::ok; ++seed) {
        const Outcome r = run(c, ideal, seed);
        out.report = r.report;
        out.index = std::max(out.index, r.index);
        out.peak_mm = std::max(out.peak_mm, r.peak_mm);
    }
    return out;
}

/// One quantity of the rig is not as told.
struct Variation {
    const char *id, *what;
    void (*make)(plant::RigParams&);
    double peak_mm = HUGE_VAL;  // that is allowed
    [[nodiscard]] Case at(double kmh, const plant::RigParams& told = with_pad(240e3)) const {
        return {.kmh = kmh, .told = told, .differs = make, .line = &fine()};
    }
};

inline void speed_up(plant::RigParams& rig, double s) { rig.motor.stiffness *= s * s, rig.motor.damping *= s; }

inline constexpr Variation slower_motor{"motor_slower", "motor 15 % slower", [](auto& r) { speed_up(r, 0.85); }, 1.0},
    faster_motor{"motor_faster", "motor 15 % faster", [](auto& r) { speed_up(r, 1.15); }, 1.0},
    less_delay{"less_delay", "0.5 ms less delay", [](auto& r) { r.command_delay = 0.75; }},
    more_delay{"more_delay", "0.5 ms more delay", [](auto& r) { r.command_delay = 1.25; }},
    softer_pad{"softer_pad", "pad 15 % softer", [](auto& r) { r.pad_stiffness *= 0.85; }},
    stiffer_pad{"stiffer_pad", "pad 15 % stiffer", [](auto& r) { r.pad_stiffness *= 1.15; }};

inline constexpr Variation variations[] = {
    slower_motor,
    faster_motor,
    less_delay,
    more_delay,
    softer_pad,
    stiffer_pad,
    {"lighter_head", "head 20 % lighter", [](auto& r) { r.pantograph.mass[0] *= 0.8; }},
    {"heavier_head", "head 20 % heavier", [](auto& r) { r.pantograph.mass[0] *= 1.2; }},
    {"less_damping", "frame damped 20 % less", [](auto& r) { r.pantograph.damping *= 0.8; }},
    {"more_damping", "frame damped 20 % more", [](auto& r) { r.pantograph.damping *= 1.2; }},
    {"filter_80", "filter of 80 Hz", [](auto& r) { r.force_filter.cut_off = 80.0; }},
    {"filter_120", "filter of 120 Hz", [](auto& r) { r.force_filter.cut_off = 120.0; }}};

/// 50 rigs that differ at random by half these ranges; the same ones at every call.
inline std::vector<Case> random_rigs() {
    std::mt19937_64 random(12);
    const auto within = [&](double half) {
        return half * (2.0 * std::ldexp(static_cast<double>(random() >> 11), -53) - 1.0);
    };
    std::vector<Case> all;
    for (int n = 0; n < 50; ++n) {
        plant::RigParams actual = with_pad(240e3);
        actual.pad_stiffness *= 1.0 + within(0.075);
        actual.pantograph.mass[0] *= 1.0 + within(0.1);
        actual.pantograph.damping *= 1.0 + within(0.1);
        actual.force_filter.cut_off *= 1.0 + within(0.1);
        actual.command_delay += within(0.125);
        speed_up(actual, 1.0 + within(0.075));
        all.push_back({.differs = [actual](plant::RigParams& r) { r = actual; }, .line = &fine()});
    }
    return all;
}

/// A loss of contact at 275 km/h.
inline Case loss(double pad) {
    return {.kmh = 275.0, .told = with_pad(pad), .line = &fine_contact(), .end = 800.0, .largest_force = 2000.0};
}

/// The head is pulled down so long that the run without a rig is open for `wanted`, s.
inline Case pulled_off(double pad, double wanted) {
    Case c = loss(pad);
    c.end = 740.0;
    const auto shorter = [&](double pull) {
        c.pull = pull;
        return open(ideal_run(c).record.force) < wanted;
    };
    c.pull = bisect(shorter, 0.0, 0.2, 0.0, 9).fails;
    c.end = 800.0;
    return c;
}

/// The lift is so low that the run without a rig is open for a share of the time, or as much of it as it can be without
/// leaving the wire at the start.
inline Case light(double pad, double share) {
    Case c = loss(pad);
    double low = 0.1, high = 1.0;
    for (int i = 0; i < 9; ++i) {
        c.lift_share = 0.5 * (low + high);
        double open_for = 1.0;
        try {
            const auto force = ideal_run(c).record.force;
            open_for = open(force) / (dt * static_cast<double>(force.size()));
        } catch (const SetupError&) {  // it does not reach the wire at all
        }
        (open_for < share ? high : low) = c.lift_share;
    }
    c.lift_share = high;
    return c;
}

}  // namespace panto::test::predictive_lqg
