// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Runs of the virtual rig under the stitched line of the HiL paper, as the reference runs in
/// tests/golden/catenary_and_rig.json have them.

#pragma once

#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/paper_lqg.hpp>
#include <panto/rig/iterative_validation.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/simulated.hpp>

#include "interaction_cases.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace panto::test {

struct RigRun {
    double speed_kmh = 300.0;
    int preview_steps = 3;                 ///< of LQG+
    double pad_stiffness = 240e3;          ///< N/m
    std::optional<double> force_filter{};  ///< Hz, of the load cell, known to the controller
    double head_damping = 0.0;             ///< N s/m, between head and upper frame; Table 1 has none
    double force_noise = 0.0;              ///< N
    double position_noise = 0.0;           ///< m
    std::uint64_t seed = 1;
    /// Wide, so that chatter shows.
    rig::CycleLimits limits{.force = 1e5,
                            .command_rate = 100.0,
                            .following = 10.0,
                            .frozen_time = HUGE_VAL,
                            .ringing = {.amplitude = HUGE_VAL, .motion = HUGE_VAL},
                            .wire_height = 1e3};
};

struct RigResult {
    rig::Report report;
    ErrorIndices error;            ///< against the implicit coupling with the stiffness of the pad
    double position_rms_mm = 0.0;  ///< reference less achieved position, in the window
    double position_max_mm = 0.0;
    interaction::ForceRecord record;  ///< true force; position of the contact at the same instant
    std::vector<double> reference;    ///< m, where the drive should be
    std::vector<double> achieved;     ///< m, where it truly is
};

inline pantograph::LumpedParams<> rig_pantograph(double head_damping) {
    auto params = pantograph::preset("DSA380_HiL").params;
    params.damping[0] = head_damping;
    return params;
}

inline plant::RigParams rig_params(const RigRun& r) {
    return {.pad_stiffness = r.pad_stiffness,
            .pantograph = rig_pantograph(r.head_damping),
            .force_filter = {.cut_off = r.force_filter.value_or(0.0)}};
}

inline double rig_lift(double speed_kmh) { return 0.00097 * speed_kmh * speed_kmh + 70.0; }

/// The implicit coupling to compare with, computed once for each case.
inline const interaction::ForceRecord& ideal_passage(double speed_kmh, double stiffness, double head_damping = 0.0) {
    static std::map<std::array<double, 3>, interaction::ForceRecord> known;
    const auto [entry, fresh] = known.try_emplace({speed_kmh, stiffness, head_damping});
    if (fresh) {
        const FiniteElements<> model(catenary::stitched_hil(), {});
        catenary::RealTimeEngine<> engine(model, {.speed = speed_kmh / 3.6, .start = 130.0, .dt = 2e-3});
        entry->second = interaction::simulate(engine, {.pantograph = rig_pantograph(head_damping),
                                                       .uplift_force = rig_lift(speed_kmh),
                                                       .contact_stiffness = stiffness,
                                                       .uplift_ramp = 50.0,
                                                       .end = 1040.0})
                            .contact;
    }
    return entry->second;
}

/// Pantograph pressed with the static force at the start, the force sent to the wire grows over 50 m.
template <class ControllerType>
RigResult rig_run(const RigRun& r, ControllerType& controller) {
    constexpr double dt = 2e-3, start = 130.0, end = 1040.0;
    const double v = r.speed_kmh / 3.6, lift = rig_lift(r.speed_kmh);
    const FiniteElements<> model(catenary::stitched_hil(), {});
    catenary::RealTimeEngine<> wire(model, {.speed = v, .start = start, .dt = dt});
    rig::Simulated stand({.rig = rig_params(r),
                          .uplift_force = lift,
                          .start_height = lift / interaction::InteractionMassParams{}.stiffness,
                          .force_noise = r.force_noise,
                          .position_noise = r.position_noise,
                          .sensor_range = 1e6,
                          .seed = r.seed},
                         dt);
    rig::Cycle cycle(stand.sensor, wire, controller, stand.drive,
                     interaction::MassInteraction({.ramp_time = 50.0 / v}, dt), {.limits = r.limits});
    const std::chrono::nanoseconds period = std::chrono::milliseconds(2);
    const auto steps = static_cast<std::int64_t>((end - start) / (v * dt));
    const rig::Schedule schedule{.period = period, .duration = steps * period};

    // Of one instant: what the cycle makes of the wire, and what motor and strip are doing as it does so.
    RigResult result;
    auto& record = result.record;
    for (auto* series :
         {&record.time, &record.position, &record.force, &record.height, &result.reference, &result.achieved})
        series->reserve(static_cast<std::size_t>(steps));
    result.report = rig::run(cycle, stand.clock, schedule, [&](const rig::CycleRecord& c) noexcept {
        record.time.push_back(c.exchange.time);
        record.position.push_back(wire.position());
        record.force.push_back(stand.contact_force());
        record.height.push_back(c.exchange.wire.height);
        result.reference.push_back(c.exchange.reference.height + cycle.offset());
        result.achieved.push_back(stand.motor_height());
    });
    if (!usable(result.report.status)) return result;

    // Sample k of a simulation is at k dt after the start, cycle k of the rig at (k + 1) dt.
    interaction::ForceRecord shifted = ideal_passage(r.speed_kmh, r.pad_stiffness, r.head_damping);
    for (auto* series : {&shifted.time, &shifted.position, &shifted.force, &shifted.height}) {
        series->erase(series->begin());
        series->resize(std::min(series->size(), record.force.size()));
    }
    result.error = error_indices(record, shifted);
    double squares = 0.0;
    std::size_t n = 0;
    for (std::size_t i = 0; i < record.position.size(); ++i) {
        if (record.position[i] < 325.0 || record.position[i] >= 975.0) continue;
        const double e = 1e3 * (result.reference[i] - result.achieved[i]);
        squares += e * e;
        ++n;
        result.position_max_mm = std::max(result.position_max_mm, std::fabs(e));
    }
    result.position_rms_mm = std::sqrt(squares / static_cast<double>(n));
    return result;
}

/// With LQG+, designed for this pad and filter.
inline RigResult rig_run(const RigRun& r) {
    control::Lqg controller({.rig = rig_params(r), .preview_steps = r.preview_steps}, 2e-3);
    return rig_run(r, controller);
}

inline void append(std::vector<Measured>& out, const std::string& id, const RigResult& r, bool noisy = false) {
    if (!usable(r.report.status))
        throw std::runtime_error(id + ": the run was stopped, " + std::string(r.report.reason()));
    out.push_back({id + ".filtered", r.error.filtered});
    if (!noisy) {
        out.push_back({id + ".raw", r.error.raw});
        out.push_back({id + ".rms", r.position_rms_mm});
    }
    out.push_back({id + ".max", r.position_max_mm});
}

/// The paper's iteration on what a run of the rig recorded: the wire takes up the force as it did in the run, the
/// motor is undone with half a step of lead for its hold, everything is band-limited to 25 Hz.
struct OffLine {
    rig::IterativeValidation result;
    double against_ideal = 0.0;  ///< %, filtered
    double of_recording = 0.0;   ///< %, filtered: the rig in the loop against what the iteration ends at
};

inline OffLine off_line(const RigRun& r, const rig::IterativeValidationParams& p) {
    struct RampedWire {
        catenary::RealTimeEngine<> engine;
        double ramp;  // s
        Motion step(double force) noexcept {
            return engine.step(force * std::min(1.0, (engine.time() + engine.dt()) / ramp));
        }
        void reset() noexcept { engine.reset(); }
        double dt() const noexcept { return engine.dt(); }
    };
    const double v = r.speed_kmh / 3.6;
    plant::RigParams unfiltered = rig_params(r);
    unfiltered.force_filter.cut_off = 0.0;
    const RigResult run = rig_run(r);
    RampedWire wire{{FiniteElements<>(catenary::stitched_hil(), {}), {.speed = v, .start = 130.0, .dt = 2e-3}},
                    50.0 / v};
    const auto command = [motor = plant::table2_motor](const Motion& m) {
        const double ahead = 1e-3, speed = m.speed + ahead * m.acceleration;
        return m.height + ahead * m.speed + 0.5 * ahead * ahead * m.acceleration +
               (motor.damping * speed + motor.mass * m.acceleration) / motor.stiffness;
    };
    const auto low = [](double cut_off) {
        return [cut_off](const std::vector<double>& force) {
            return interaction::low_pass_zero_phase(force, 3, cut_off, 2e-3);
        };
    };
    const auto filtered_error = [&](const std::vector<double>& force, const std::vector<double>& reference) {
        return interaction::error_index(in_window(low(20.0)(force), run.record.position),
                                        in_window(low(20.0)(reference), run.record.position));
    };
    struct Stand {
        std::unique_ptr<rig::Simulated> rig;
        rig::Simulated::Sensor& sensor = rig->sensor;
        rig::Simulated::PositionDrive& drive = rig->drive;
        rig::Simulated::SimulatedClock& clock = rig->clock;
    };
    OffLine out;
    rig::IterativeValidationParams wide = p;  // a pass that leads away shall be seen to
    wide.limits = {.force = 1e6,
                   .lowest = -10.0,
                   .highest = 10.0,
                   .command_rate = 1e4,
                   .following = 10.0,
                   .frozen_time = HUGE_VAL,
                   .wire_height = 1e3};
    out.result = rig::iterative_validation(
        wire,
        [&] {
            return Stand{std::make_unique<rig::Simulated>(
                rig::SimulatedParams{.rig = unfiltered, .uplift_force = rig_lift(r.speed_kmh)}, 2e-3)};
        },
        run.record.force, wide, command, low(25.0), filtered_error);
    out.of_recording = out.result.error_of_recording;
    auto ideal = ideal_passage(r.speed_kmh, r.pad_stiffness, r.head_damping).force;
    ideal.erase(ideal.begin());
    ideal.resize(out.result.force.size());
    out.against_ideal = filtered_error(out.result.force, ideal);
    return out;
}

/// LQG+ with its preview of three steps.
inline std::vector<Measured> rig_at(int speed_kmh) {
    std::vector<Measured> out;
    append(out, "rig" + std::to_string(speed_kmh) + ".pred3", rig_run({.speed_kmh = static_cast<double>(speed_kmh)}));
    return out;
}

/// The same with noise on both readings.
inline std::vector<Measured> rig_with_noise(int speed_kmh, std::uint64_t seed = 1) {
    std::vector<Measured> out;
    append(out, "noise" + std::to_string(speed_kmh),
           rig_run(
               {.speed_kmh = static_cast<double>(speed_kmh), .force_noise = 1.0, .position_noise = 1e-5, .seed = seed}),
           true);
    return out;
}

/// LQG+ looking ahead not at all, or a step further; no controller; the LQG as the paper prints it.
inline std::vector<Measured> rig_with_other_controllers() {
    std::vector<Measured> out;
    append(out, "rig300.LQGplus", rig_run({.preview_steps = 0}));
    append(out, "rig300.pred4", rig_run({.preview_steps = 4}));
    control::Direct none;
    const RigResult chatter = rig_run({}, none);
    if (!usable(chatter.report.status)) throw std::runtime_error("the run without controller was stopped");
    out.push_back({"rig300.none.filtered", chatter.error.filtered});
    control::PaperLqg printed({.rig = rig_params({})}, 2e-3);
    const RigResult run = rig_run({}, printed);
    const bool stopped = !usable(run.report.status);
    out.push_back({"rig300.printed.time_to_fault", stopped ? run.record.time.back() : HUGE_VAL});
    return out;
}

}  // namespace panto::test
