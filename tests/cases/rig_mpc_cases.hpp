// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Predictive impedance control beside the default controller on the simulated rig of the HiL paper: delays, filter,
/// noise, section length, same seeds. Also with lost readings of the force and with a loss of contact.

#pragma once

#include <panto/catenary/linearised.hpp>
#include <panto/catenary/lines.hpp>
#include <panto/catenary/moving_period.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/static_load.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/control/rig_mpc.hpp>
#include <panto/core/bisect.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/simulated.hpp>

#include "../support/targets.hpp"
#include "ideal_run.hpp"
#include "interaction_cases.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace panto::test::rig_mpc {

constexpr double dt = 2e-3, start = 130.0, end = 1040.0, from = 325.0, to = 975.0;  // s, m
constexpr double pull_at = 650.0;                                                   // m

inline const catenary::FiniteElements<>& line() {
    static const catenary::FiniteElements<> model(catenary::stitched_hil(),
                                                  {.contact = 0.75, .messenger = 1.5, .stitch = 0.5});
    return model;
}

struct Case {
    double kmh = 300.0;
    double pull = 0.0;   // s, 500 N downward on the head from 650 m on
    int lose_every = 0;  // of so many readings of the force one is lost
    std::uint64_t seed = 1;
    double motor = 1.0;  // frequency of the true motor by that of the one told
    [[nodiscard]] double speed() const { return kmh / 3.6; }
    [[nodiscard]] double lift() const { return 0.00097 * kmh * kmh + 70.0; }
};

inline plant::RigParams told() { return {.pantograph = pantograph::preset("DSA380_HiL").params}; }

/// Averaged over `step`, so that the impulse does not depend on the time step.
inline std::function<double(double)> pull(const Case& c, double shift, double step) {
    return [begins = (pull_at - start) / c.speed() + shift, length = c.pull, step](double t) {
        const double a = std::max(begins, t - 0.5 * step), b = std::min(begins + length, t + 0.5 * step);
        return b > a ? -500.0 * (b - a) / step : 0.0;
    };
}

inline Ideal ideal_run(const Case& c) {
    return test::ideal_run(line(), {.speed = c.speed(), .start = start, .dt = dt},
                           {.pantograph = told().pantograph,
                            .uplift_force = c.lift(),
                            .contact_stiffness = told().pad_stiffness,
                            .end = end,
                            .head_force = pull(c, 0.0, dt)});
}

struct LossySensor {
    rig::Simulated::Sensor sensor;
    int lose_every = 0;
    std::mt19937_64 random{7};
    Result<double> read() noexcept {
        const Result<double> reading = sensor.read();
        if (lose_every > 0 && random() % static_cast<unsigned>(lose_every) == 0) return {0.0, Status::sensor_lost};
        return reading;
    }
};

struct Outcome {
    rig::Report report;
    double index = HUGE_VAL;             // %, in the window, filtered; infinite if the run ended early
    double rms_mm = 0.0, peak_mm = 0.0;  // true motor less wire, in the window
    double late_mm = 0.0;                // the same from 0.5 s after the last loss of contact on
    double open_ms = 0.0;
    double leak = 0.0, momentum = 0.0;  // J, N s: largest, that one side received and the other did not
    double correction = 0.0;            // N, rms
};

template <Controller C>
Outcome run(const Case& c, const Ideal& ideal, C controller) {
    catenary::RealTimeEngine<> wire(line(), {.speed = c.speed(), .start = start, .dt = dt});
    wire.start_under(catenary::static_load(line(), start, ideal.force));
    constexpr int waiting = 50;  // periods, before the first cycle; the virtual line runs two ahead
    rig::Simulated stand({.rig = told(),
                          .uplift_force = c.lift(),
                          .start_height = ideal.height,
                          .force_noise = 1.0,
                          .position_noise = 1e-5,
                          .seed = c.seed,
                          .head_force = pull(c, (waiting - 2) * dt, dt / 20.0)},
                         dt);
    LossySensor sensor{.sensor = stand.sensor, .lose_every = c.lose_every};
    rig::Cycle cycle(sensor, wire, controller, stand.drive, interaction::DirectInteraction{},
                     {.limits = {.force = 2000.0, .frames_held = 2}});
    double rest = 0.0;
    for (int n = 1; n <= waiting; ++n) {
        stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(2));
        rest += (stand.drive.read().value.height - rest) / n;
    }
    cycle.rest_at(rest);
    const auto steps = static_cast<std::int64_t>((end - start) / (c.speed() * dt)) - 4;
    std::vector<double> force, motor, height, on_line;
    Outcome out;
    out.report = rig::run(cycle, stand.clock,
                          {.period = std::chrono::milliseconds(2), .duration = steps * std::chrono::milliseconds(2)},
                          [&](const rig::CycleRecord& r) noexcept {
                              force.push_back(stand.contact_force());
                              motor.push_back(stand.motor_height());
                              height.push_back(r.exchange.wire.height + cycle.offset());
                              on_line.push_back(r.exchange.wire_force);
                          });
    // Cycle n reads what happened at (n - 1) dt; the line then stands where it is at (n + 1) dt.
    interaction::ForceRecord seen, wanted;
    double rig_work = 0.0, line_work = 0.0, momentum = 0.0, squares = 0.0, sum = 0.0;
    std::size_t last_open = 0;
    for (std::size_t n = 1; n < force.size(); ++n) {
        if (n + 1 >= ideal.record.force.size()) break;
        const double x = ideal.record.position[n + 1], error = 1e3 * std::fabs(motor[n - 1] - height[n]);
        seen.force.push_back(force[n - 1]), wanted.force.push_back(ideal.record.force[n + 1]);
        seen.position.push_back(x), wanted.position.push_back(x);
        if (!(force[n - 1] > 0.0)) out.open_ms += 1e3 * dt, last_open = n;
        if (n >= 2) {
            rig_work += 0.5 * (force[n - 1] + force[n - 2]) * (motor[n - 1] - motor[n - 2]);
            line_work += 0.5 * (on_line[n] + on_line[n - 1]) * (height[n] - height[n - 1]);
            momentum += dt * (force[n - 1] - on_line[n]);
        }
        out.leak = std::max(out.leak, std::fabs(rig_work - line_work));
        out.momentum = std::max(out.momentum, std::fabs(momentum));
        if (x >= from && x < to) {
            out.peak_mm = std::max(out.peak_mm, error);
            squares += error * error, sum += 1.0;
        }
    }
    for (std::size_t n = last_open + 250; n < force.size(); ++n)
        out.late_mm = std::max(out.late_mm, 1e3 * std::fabs(motor[n - 1] - height[n]));
    out.rms_mm = std::sqrt(squares / std::max(1.0, sum));
    if (usable(out.report.status)) out.index = error_indices(seen, wanted).filtered;
    return out;
}

/// Both controllers, designed for the line where the run begins, under the force it begins with.
struct Pair {
    control::PredictiveLqg usual;
    control::RigMpc mpc;
};

inline Pair controllers(const Case& c, const Ideal& ideal) {
    const plant::RigParams rig = told();
    const double force = ideal.force;
    catenary::RealTimeEngine<> wire(line(), {.speed = c.speed(), .start = start, .dt = dt});
    wire.start_under(catenary::static_load(line(), start, force));
    // [rig_mpc]
    const control::RigMpcParams p{.rig = rig};
    const int cycles = catenary::steps_per_period(65.0, wire.speed(), dt);  // of a span of 65 m
    const int stages = p.horizon + 2;                                       // and the delay
    const catenary::LinearisedLine about(wire, cycles - 1 + stages);
    const control::RigMpc mpc(p, catenary::periodic_response(about, cycles, 1, stages));
    // [rig_mpc]
    return {{{.rig = rig, .wire = control::wire_response(wire, force)}, dt}, mpc};
}

/// A pull for which the run without a rig is open for `wanted`, s.
inline double pull_for(Case c, double wanted) {
    const auto shorter = [&](double pull) {
        c.pull = pull;
        const auto& force = ideal_run(c).record.force;
        const auto open = std::count_if(force.begin(), force.end(), [](double f) { return !(f > 0.0); });
        return dt * static_cast<double>(open) < wanted;
    };
    return bisect(shorter, 0.0, 0.2, 0.0, 8).fails;
}

/// Both controllers in the same run.
struct Both {
    Outcome mpc, usual;
};

/// The runs of one seed: plain, one reading of the force lost in 1000, head pulled off for 50 ms.
struct Runs {
    Both plain, lost, pulled;
};

class Comparison {
  public:
    explicit Comparison(double kmh)
        : plain_{.kmh = kmh},
          pulled_{.kmh = kmh, .pull = pull_for(plain_, 0.05)},
          ideal_(ideal_run(plain_)),
          pulled_off_(ideal_run(pulled_)),
          pair_(controllers(plain_, ideal_)) {}

    [[nodiscard]] Runs runs(std::uint64_t seed) const {
        const auto both = [&](Case c, int lose_every, const Ideal& of) {
            c.seed = seed, c.lose_every = lose_every;
            return Both{run(c, of, pair_.mpc), run(c, of, pair_.usual)};
        };
        return {both(plain_, 0, ideal_), both(plain_, 1000, ideal_), both(pulled_, 0, pulled_off_)};
    }

  private:
    Case plain_, pulled_;
    Ideal ideal_, pulled_off_;
    Pair pair_;
};

/// The worst of seeds 1 and 2, for validation.
inline std::vector<Measured> figures() {
    std::vector<Measured> all;
    for (const double kmh : {250.0, 300.0}) {
        const Comparison comparison(kmh);
        const Runs runs[] = {comparison.runs(1), comparison.runs(2)};
        const std::string name = "rig_mpc." + std::to_string(static_cast<int>(kmh)) + '.';
        const auto worst = [&](const std::string& figure, auto of) {
            all.push_back({name + figure, std::max<double>(of(runs[0]), of(runs[1]))});
        };
        const auto stopped = [](const Outcome& o) { return o.report.status == Status::ok ? 0.0 : 1.0; };
        worst("index", [](const Runs& r) { return r.plain.mpc.index; });
        worst("usual.index", [](const Runs& r) { return r.plain.usual.index; });
        worst("error_mm", [](const Runs& r) { return r.plain.mpc.peak_mm; });
        worst("usual.error_mm", [](const Runs& r) { return r.plain.usual.peak_mm; });
        worst("energy", [](const Runs& r) { return r.plain.mpc.leak; });
        worst("energy_share", [](const Runs& r) { return r.plain.mpc.leak / r.plain.usual.leak; });
        worst("momentum", [](const Runs& r) { return r.plain.mpc.momentum; });
        worst("lost.stopped", [&](const Runs& r) { return stopped(r.lost.mpc); });
        worst("lost.index", [](const Runs& r) { return r.lost.mpc.index; });
        worst("pulled.stopped", [&](const Runs& r) { return stopped(r.pulled.mpc); });
        all.push_back({name + "pulled.open_ms", std::min(runs[0].pulled.mpc.open_ms, runs[1].pulled.mpc.open_ms)});
        worst("pulled.late_mm", [](const Runs& r) { return r.pulled.mpc.late_mm; });
        worst("pulled.usual.late_mm", [](const Runs& r) { return r.pulled.usual.late_mm; });
    }
    return all;
}

}  // namespace panto::test::rig_mpc
