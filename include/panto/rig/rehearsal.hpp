// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A test run rehearsed on the simulated rig: a whole passage with any controller, on a rig that may differ from the
/// one given to the controller. It is compared with the same passage without a rig. For a study of robustness, many
/// rehearsals can run in several threads. Not part of <panto/rig.hpp>.
///
/// Rig and reference start from the same loaded equilibrium. The reference has the pantograph of the rig, coupled
/// implicitly to the wire through the true stiffness of the pad.

#pragma once

#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/concepts.hpp>
#include <panto/control/wire_response.hpp>
#include <panto/core/check.hpp>
#include <panto/interaction/error_index.hpp>
#include <panto/interaction/filter.hpp>
#include <panto/interaction/policies.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/interaction/statistics.hpp>
#include <panto/plant/interaction_mass.hpp>
#include <panto/rig/commissioning.hpp>
#include <panto/rig/coupling.hpp>
#include <panto/rig/parts.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/simulated.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace panto::rig {

struct RehearsalParams {
    catenary::PassageParams passage{};  ///< speed, start, time step
    double end = 0.0;                   ///< m, where the run ends
    double uplift_force = 0.0;          ///< N, on the lowest mass
    interaction::EvaluationParams evaluation{
        .filter = interaction::ContactForceFilter::butterworth3_zero_phase_6db};  ///< window and filter of the index
    double force_noise = 1.0;                                                     ///< N, standard deviation
    double position_noise = 1e-5;                                                 ///< m, standard deviation
    CycleLimits limits{.force = 1e4, .frames_held = 2};
    interaction::InteractionMassParams interaction{};  ///< for controllers that do not estimate the contact force
    /// Stages before the run; period and preload of the plan are set from the run. Empty: the run begins in contact.
    std::optional<CommissioningPlan> commissioning{};
};

/// The passage without a rig.
struct Reference {
    double force = 0.0;                 ///< N, at rest before the run
    double height = 0.0;                ///< m, of the wire at rest before the run
    std::vector<double> position = {};  ///< m, of the contact, for each sample from the start
    std::vector<double> contact = {};   ///< N, contact force, for each sample
    double smallest = 0.0;              ///< N, smallest contact force in the window
    double loss_percent = 0.0;          ///< %, share of the time without contact in the window
    [[nodiscard]] bool keeps_contact() const noexcept { return smallest > 0.0; }
};

struct Rehearsed {
    Report report{};
    std::string trouble{};      ///< why the run ended early or did not begin; empty if it is complete
    double reached = 0.0;       ///< m, where the run ended
    double index = 0.0;         ///< %, error index of the filtered force in the window; NaN after an early end
    double error = 0.0;         ///< m, largest distance of the motor from its reference, in the window up to `reached`
    double loss_percent = 0.0;  ///< %, share of the time without contact, in the window up to `reached`
    double largest = 0.0;       ///< N, largest true contact force
    [[nodiscard]] bool complete() const noexcept { return trouble.empty(); }
};

/// Raises a simulated pantograph gently against the pad, then increases the uplift force to its full value within two
/// seconds.
/// @param held  N, uplift force that holds it at its present height
template <class = void>
void raise_gently(Simulated& stand, double held, double uplift_force) {
    const auto wait = [&](std::chrono::milliseconds time) { stand.clock.sleep_until(stand.clock.now() + time); };
    const double gentle = held + 1.7;  // N
    stand.set_uplift_force(gentle);
    wait(std::chrono::seconds(10));
    for (int i = 1; i <= 100; ++i) {
        stand.set_uplift_force(std::max(gentle, 0.01 * i * uplift_force));
        wait(std::chrono::milliseconds(20));
    }
}

class Rehearsal {
  public:
    /// @throws SetupError if the passage is not valid, or the window does not lie within the run.
    template <class = void>
    Rehearsal(const catenary::FiniteElements<>& model, const RehearsalParams& p);

    /// The passage without a rig, with pad and pantograph of `rig`.
    /// @throws SetupError if the pantograph does not reach the wire, or the passage ends early.
    template <class = void>
    [[nodiscard]] Reference reference(const plant::RigParams& rig) const;

    /// One run.
    /// @param controller  a position controller; it is copied, and may be designed for another rig.
    /// @param actual      the true rig. Its reading delay must be a whole number of periods, because rig and reference
    ///                    are compared sample by sample.
    /// @param reference   reference(actual)
    /// @param seed        of the noise
    /// @throws SetupError if the parts do not fit together, the reference is empty, or the drive cannot hold the
    /// contact force at rest.
    template <Controller C>
    [[nodiscard]] Rehearsed run(C controller, const plant::RigParams& actual, const Reference& reference,
                                std::uint64_t seed) const;
    template <Controller C>
    [[nodiscard]] Rehearsed run(const C& controller, const plant::RigParams& actual, std::uint64_t seed = 1) const {
        return run(controller, actual, reference(actual), seed);
    }

    /// The response of the line where a run begins, under a contact force, N.
    [[nodiscard]] control::WireResponse response(double force) const {
        auto wire = line(force);
        return control::wire_response(wire, force);
    }

    [[nodiscard]] const RehearsalParams& params() const noexcept { return p_; }
    [[nodiscard]] double dt() const noexcept { return p_.passage.dt; }  ///< s

  private:
    [[nodiscard]] catenary::RealTimeEngine<> line(double force) const {
        auto wire = wire_;
        wire.start_under(force);
        return wire;
    }
    [[nodiscard]] bool in_window(double x) const noexcept { return x >= p_.evaluation.from && x < p_.evaluation.to; }

    /// Runs the stages before a run. @return the height at which the drive rests, m, unless a stage fails.
    template <class = void>
    [[nodiscard]] double make_ready(Simulated& stand, TaredSensor<Simulated::Sensor>& sensor, double held, double force,
                                    Rehearsed& result) const;

    RehearsalParams p_;
    catenary::RealTimeEngine<> wire_;  // with the contact at the start of the run
};

template <class>
Rehearsal::Rehearsal(const catenary::FiniteElements<>& model, const RehearsalParams& p)
    : p_(p), wire_(model, p.passage) {
    const char* where = "rig::Rehearsal";
    require_positive(p.passage.speed, where, "passage.speed");
    require_finite(p.uplift_force, where, "uplift_force");
    require_not_negative(p.force_noise, where, "force_noise");
    require_not_negative(p.position_noise, where, "position_noise");
    require(p.passage.start <= p.evaluation.from && p.evaluation.from < p.evaluation.to && p.evaluation.to <= p.end,
            where, "the window goes from ", p.evaluation.from, " to ", p.evaluation.to,
            " m, must be a part of the run, ", p.passage.start, " to ", p.end, " m");
}

template <class>
Reference Rehearsal::reference(const plant::RigParams& rig) const {
    auto engine = wire_;
    const interaction::SimulationParams plan{.pantograph = rig.pantograph,
                                             .uplift_force = p_.uplift_force,
                                             .contact_stiffness = rig.pad_stiffness,
                                             .start = interaction::Start::loaded_equilibrium,
                                             .end = p_.end};
    interaction::Simulation<catenary::RealTimeEngine<>> passage(engine, plan);
    Reference r{.force = passage.contact_force(), .height = engine.wire().height};
    require(r.force > 0.0, "rig::Rehearsal", "an uplift force of ", p_.uplift_force,
            " N does not raise the pantograph to the wire; use a larger one");
    r.smallest = HUGE_VAL;
    std::size_t without = 0, inside = 0;
    const auto sample = [&] {
        r.position.push_back(engine.position());
        r.contact.push_back(passage.contact_force());
        if (!in_window(engine.position())) return;
        r.smallest = std::min(r.smallest, passage.contact_force());
        without += passage.contact_force() > 0.0 ? 0 : 1;
        ++inside;
    };
    sample();
    while (!passage.finished()) {
        const Status s = passage.step();
        require(usable(s), "rig::Rehearsal", "the passage without a rig ends at ", engine.position(), " m: ", name(s));
        sample();
    }
    require(inside > 0, "rig::Rehearsal", "the window contains no sample");
    r.loss_percent = 100.0 * static_cast<double>(without) / static_cast<double>(inside);
    return r;
}

template <class>
double Rehearsal::make_ready(Simulated& stand, TaredSensor<Simulated::Sensor>& sensor, double held, double force,
                             Rehearsed& result) const {
    if (!p_.commissioning) {
        const nanoseconds period(std::llround(1e9 * dt()));
        double rest = 0.0;
        for (int n = 1; n <= 50; ++n) {
            stand.clock.sleep_until(stand.clock.now() + period);
            rest += (stand.drive.read().value.height - rest) / n;
        }
        return rest;
    }
    CommissioningPlan plan = *p_.commissioning;
    plan.period = nanoseconds(std::llround(1e9 * dt()));
    plan.preload_force = force;
    Commissioning stages(sensor, stand.drive, stand.clock, plan);
    if (usable(stages.tare())) {
        raise_gently(stand, held, p_.uplift_force);
        if (usable(stages.approach()) && usable(stages.preload())) (void)stages.check_sign();
    }
    const CommissioningReport& ready = stages.report();
    if (!usable(ready.status)) {
        result.trouble = "commissioning, " + std::string(name(ready.stage)) + ": " + describe(ready.fault);
        result.report.status = ready.status;
    }
    return ready.rest_height;
}

template <Controller C>
Rehearsed Rehearsal::run(C controller, const plant::RigParams& actual, const Reference& reference,
                         std::uint64_t seed) const {
    const char* where = "rig::Rehearsal";
    constexpr bool estimates = EstimatingController<C>;
    const std::size_t samples = reference.contact.size();
    require(samples > 1 && reference.position.size() == samples, where, "the reference has ", reference.position.size(),
            " positions and ", samples,
            " contact forces, must have as many of both, at least two; make it with reference(actual)");
    plant::require_holds(actual, reference.force, where);
    const double late = actual.reading_delay;
    require(late == std::floor(late), where, "reading_delay is ", late,
            " periods, must be a whole number; a fraction of a period may be in command_delay, only the sum counts");
    // `held`: at rest the force in the lowest spring of the pantograph. Commissioning begins without contact.
    const double height = reference.height, held = actual.pantograph.stiffness.tail(1)[0] * height;
    const bool apart = p_.commissioning.has_value();
    Simulated stand({.rig = actual,
                     .uplift_force = apart ? held : p_.uplift_force,
                     .start_height = apart ? height + 2e-3 : height,
                     .force_noise = p_.force_noise,
                     .position_noise = p_.position_noise,
                     .seed = seed},
                    dt());
    TaredSensor<Simulated::Sensor> sensor{stand.sensor};
    auto wire = line(reference.force);
    Rehearsed result{.index = NAN};
    const double rest = make_ready(stand, sensor, held, reference.force, result);
    if (!result.complete()) return result;

    const auto coupling = coupling_for<C>({.mass = p_.interaction}, dt());
    plant::require_same_interaction_mass(controller, coupling, where);
    Cycle cycle(sensor, wire, controller, stand.drive, coupling, {.limits = p_.limits, .accept_other_rig = true});
    cycle.rest_at(rest);

    // Cycle n moves the line to sample n + 1. The rig's values for this sample are those of cycle n. With an estimating
    // controller the line moves under a force that is read late: use the rig's values from `before` cycles earlier.
    const auto before = static_cast<std::size_t>(estimates ? late : 0.0);
    std::vector<double> force, motor, wanted;
    for (auto* series : {&force, &motor, &wanted}) series->reserve(samples);
    const nanoseconds period(std::llround(1e9 * dt()));
    const auto steps = std::min(static_cast<std::int64_t>(samples) - 1, cycle.steps_on_line());
    result.report = rig::run(cycle, stand.clock, {.period = period, .duration = steps * period},
                             [&](const CycleRecord& c) noexcept {
                                 force.push_back(stand.contact_force());
                                 motor.push_back(stand.motor_height());
                                 wanted.push_back(c.exchange.reference.height + cycle.offset());
                                 result.largest = std::max(result.largest, force.back());
                             });
    result.reached = wire.position();

    std::vector<double> ours, theirs, place;
    std::size_t without = 0, inside = 0;
    for (std::size_t n = before; n < force.size() && n + 1 < samples; ++n) {
        ours.push_back(force[n - before]);
        theirs.push_back(reference.contact[n + 1]);
        place.push_back(reference.position[n + 1]);
        if (!in_window(place.back())) continue;
        result.error = std::max(result.error, std::fabs(motor[n - before] - wanted[n]));
        without += ours.back() > 0.0 ? 0 : 1;
        ++inside;
    }
    if (inside > 0) result.loss_percent = 100.0 * static_cast<double>(without) / static_cast<double>(inside);
    if (!usable(result.report.status)) {
        result.trouble = result.report.explanation();
        return result;
    }
    const auto seen = [&](const std::vector<double>& series) {
        return interaction::inside(interaction::filtered(p_.evaluation.filter, series, dt(), p_.evaluation.cut_off),
                                   {.at = place, .from = p_.evaluation.from, .to = p_.evaluation.to});
    };
    result.index = interaction::error_index(seen(ours), seen(theirs));
    return result;
}

}  // namespace panto::rig
