// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The description of a run: the rig, the end of the run, the static force, the evaluation. The line, the speed and the
/// time step are those of the wire.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/interaction/interaction_mass.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/interaction/statistics.hpp>
#include <panto/plant/rig.hpp>
#include <panto/rig/commissioning_plan.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/run.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace panto::io {

struct RunPlan {
    plant::RigParams rig = {};   ///< a simulation uses its pad and pantograph
    double end = 0.0;            ///< m, where the run ends
    double static_force = 70.0;  ///< N, preload on a rig; a simulation takes it as its whole uplift force
    double ramp = 50.0;          ///< m, distance over which the force on the wire grows from 0, with Start::at_datum
    interaction::Start start = interaction::Start::at_datum;
    interaction::InteractionMassParams mass = {};   ///< between force and wire of a rig
    interaction::EvaluationParams evaluation = {};  ///< the second half of the run if `from` equals `to`
    rig::CycleOptions cycle = {};
    rig::Overrun overrun = rig::Overrun::stop;
    /// The session sets its period, preload_force and stop_requested, and tightens its limits to those of the cycle.
    rig::CommissioningPlan commissioning = {};
    /// Height, m, and speed, m/s, of the roof below the pantograph as functions of the time since the start, s. Empty:
    /// a level track. Simulations use it; on a rig, a second drive must reproduce it, see rig::DrivePair.
    std::function<Motion(double time)> roof = {};
    /// Ends commissioning and run when it becomes true: &StopSignal::flag(), or a flag that another thread sets.
    /// If it is null, a signal ends the program at once, while the drive moves, and there are no results.
    const std::atomic<bool>* stop_requested = nullptr;
};

/// Time from now, s, until the contact reaches `place`, m, on the track; exact at constant speed.
/// @throws SetupError if the contact never reaches it.
template <TravellingContact Wire>
[[nodiscard]] double time_until(const Wire& wire, double place) {
    if constexpr (requires {
                      { wire.speed() } -> std::convertible_to<double>;
                  }) {
        const double time = (place - wire.position()) / wire.speed();
        if (std::fabs(wire.position_after(time) - place) <= 1e-9 * std::fabs(place)) return time;
    }
    const double longest = 1e8 * wire.dt();
    const double furthest = wire.position_after(longest);
    require(furthest >= place, "io::RunPlan", "after ", longest, " s the contact is only at ", furthest, " m, before ",
            place, " m: the train is too slow, or stops before");
    return bisect([&](double time) { return wire.position_after(time) >= place; }, longest, 0.0).holds;
}

/// Number of steps from the present position of the wire to the end of the plan.
template <TravellingContact Wire>
[[nodiscard]] std::int64_t steps_of(const RunPlan& plan, const Wire& wire) {
    return static_cast<std::int64_t>(std::ceil(time_until(wire, plan.end) / wire.dt() - 1e-9));
}

/// The plan with its evaluation window filled in.
/// @throws SetupError if the wire is not at its start or does not reach the end.
template <TravellingContact Wire>
[[nodiscard]] RunPlan completed(RunPlan plan, const Wire& wire) {
    constexpr const char* where = "io::RunPlan";
    require(wire.time() == 0.0, where, "the wire stands at ", wire.position(),
            " m after steps of an earlier run; call its reset() first");
    require_finite(plan.end, where, "end");
    require(plan.end > wire.position(), where, "end is ", plan.end, " m, must be above the start, ", wire.position(),
            " m");
    (void)time_until(wire, plan.end);
    require_not_negative(plan.static_force, where, "static_force");
    require_not_negative(plan.ramp, where, "ramp");
    if (plan.evaluation.from == plan.evaluation.to)
        plan.evaluation.from = 0.5 * (wire.position() + plan.end), plan.evaluation.to = plan.end;
    return plan;
}

/// The same passage without a rig: the pantograph coupled implicitly with the wire through the stiffness of the pad.
[[nodiscard]] inline interaction::SimulationParams simulation_of(const RunPlan& plan) {
    const bool at_datum = plan.start == interaction::Start::at_datum;
    return {.pantograph = plan.rig.pantograph,
            .uplift_force = plan.static_force,
            .contact_stiffness = plan.rig.pad_stiffness,
            .start = plan.start,
            .uplift_ramp = at_datum ? plan.ramp : 0.0,
            .end = plan.end,
            .roof = plan.roof};
}

/// A line that can be at rest under a force, N, at every reset().
template <class Wire>
concept StartsUnderForce =
    CoupledCatenary<Wire> && RestsUnderForce<Wire> && requires(Wire& wire, double force) { wire.start_under(force); };

/// The contact force of Start::loaded_equilibrium, N. From now on every reset() of the wire leads to rest under this
/// force.
/// @throws SetupError as interaction::Simulation does, or if the pantograph does not reach the wire.
template <StartsUnderForce Wire>
double press(Wire& wire, const RunPlan& plan) {
    plant::validate(plan.rig, "io::press: plan.rig");
    require_not_negative(plan.static_force, "io::press", "plan.static_force");
    interaction::SimulationParams p = simulation_of(plan);
    p.start = interaction::Start::loaded_equilibrium;
    p.uplift_ramp = 0.0;
    const double force = interaction::Simulation<Wire>(wire, p).contact_force();
    require(force > 0.0, "io::press", "a static force of ", plan.static_force,
            " N does not lift the pantograph to the wire; use a larger one");
    wire.start_under(force);
    return force;
}

}  // namespace panto::io
