// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checks whether a loop settles at the stiffest and the softest point of a line. The whole loop of simulated rig and
/// virtual line stands there in loaded equilibrium, is pushed, and must come to rest. control::closed_loop_radius
/// assumes a wire at rest: a loop that settles on such a wire may still be unstable on a yielding one, especially at
/// long time steps. Set-up code.

#pragma once

#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/static_load.hpp>
#include <panto/interaction/policies.hpp>
#include <panto/rig/coupling.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/simulated.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <vector>

namespace panto::rig {

struct StandingParams {
    SimulatedParams stand{};                              ///< rig and uplift force; its start_height does not matter
    interaction::InteractionMassParams interaction = {};  ///< not for a controller that estimates the contact force
    /// At rest, without noise, equal readings are no fault. Whether the loop rings is what the run is to find out.
    CycleLimits limits{.frozen_time = HUGE_VAL, .ringing = {.amplitude = HUGE_VAL, .motion = HUGE_VAL}};
    double push = 20.0;       ///< N, added to the uplift force at the beginning
    double push_time = 0.02;  ///< s, duration of the push
    double duration = 10.0;   ///< s, at most; the run ends earlier when the outcome is clear
};

struct StandingRun {
    double position = 0.0;  ///< m
    double force = 0.0;     ///< N, at rest
    double largest = 0.0;   ///< N, largest deviation of the contact force
    double left = 0.0;      ///< N, largest deviation in the last part of the run, 15 % of StandingParams::duration
    bool lost = false;      ///< contact was lost
    Report report{};

    /// The deviation has fallen to half or less, or is below a millionth of the force, without loss of contact or a
    /// fault.
    [[nodiscard]] bool settles() const noexcept {
        return usable(report.status) && !lost && left <= std::max(0.5 * largest, 1e-6 * force);
    }
};

/// Positions, m, of the stiffest and the softest point among the supports and mid-spans between `from` and `to`, m. If
/// there are none, the points `from` and `to` are compared; if one of them is an end of the line, it is replaced by the
/// middle between `from` and `to`.
/// @throws SetupError unless 0 <= from < to <= length of the line.
template <class = void>
[[nodiscard]] std::array<double, 2> stiffest_and_softest(const catenary::FiniteElements<>& model, double from,
                                                         double to) {
    require(from >= 0.0 && from < to && to <= model.length() * (1.0 + 1e-12), "rig::stiffest_and_softest", "from is ",
            from, " m and to is ", to, " m, must be rising and from 0 to ", model.length(), " m, where the line ends");
    std::vector<double> places;
    double support = 0.0;
    for (const auto& span : model.section().spans) {
        for (const double x : {support, support + 0.5 * span.length})
            if (x >= from && x <= to && x > 0.0) places.push_back(x);
        support += span.length;
    }
    const double middle = 0.5 * (from + to);
    if (places.empty()) places = {from > 0.0 ? from : middle, to < model.length() ? to : middle};
    std::array<double, 2> found{places[0], places[0]};
    double least = HUGE_VAL, most = 0.0;
    const linalg::BandCholesky<double> stiffness(model.stiffness());  // as in catenary::elasticity, but factored once
    for (const double x : places) {
        const catenary::WirePoint point = model.point(x);
        Eigen::VectorXd u = Eigen::VectorXd::Zero(model.size());
        for (std::size_t i = 0; i < 4; ++i)
            if (point.row[i] >= 0) u[point.row[i]] = point.value[i];
        stiffness.solve(u);
        const double e = catenary::interpolate<double>(point.row, point.value, [&](int row) { return u[row]; });
        if (e < least) least = e, found[0] = x;
        if (e > most) most = e, found[1] = x;
    }
    return found;
}

/// Force and wire are coupled as in a session: directly if the controller estimates the contact force, otherwise
/// through the interaction mass.
/// @param controller  is copied; the caller's is not changed.
/// @throws SetupError as the parts of the loop do, if the loaded line has no equilibrium, or if the duration is not
/// positive.
template <class C>
[[nodiscard]] StandingRun standing_run(const catenary::FiniteElements<>& model, double position, C controller,
                                       const StandingParams& p, double dt) {
    require_positive(p.duration, "rig::standing_run", "duration");
    require_finite(p.push, "rig::standing_run", "push");
    SimulatedParams at_rest = p.stand;
    at_rest.start_height.reset();
    Simulated stand(at_rest, dt);
    StandingRun result{.position = position, .force = stand.contact_force()};
    catenary::RealTimeEngine<> wire(model, {.speed = 0.0, .start = position, .dt = dt});
    wire.start_under(catenary::static_load(model, position, result.force));
    Cycle cycle(stand.sensor, wire, controller, stand.drive, coupling_for<C>({.mass = p.interaction}, dt),
                {.limits = p.limits});
    const nanoseconds period(std::llround(1e9 * dt)), duration(std::llround(1e9 * p.duration));
    // The run ends when the deviation has been below a tenth of its largest value for three intervals and falls. In a
    // loop that does not settle it doubles in that time.
    constexpr double small = 0.1;
    const double look = 0.05 * p.duration;  // s, an interval
    std::array<double, 3> largest_in{};     // N, largest deviation in each of the last three intervals
    double look_ends = look;
    bool clear = false;
    stand.set_uplift_force(p.stand.uplift_force + p.push);
    result.report =
        run(cycle, stand.clock, {.period = period, .duration = duration}, [&](const CycleRecord& record) noexcept {
            const double time = record.exchange.time, force = stand.contact_force();
            if (time >= p.push_time) stand.set_uplift_force(p.stand.uplift_force);
            const double off = std::fabs(force - result.force);
            result.largest = std::max(result.largest, off);
            result.lost = force <= 0.0;
            if (time >= look_ends) {
                const auto& [first, second, last] = largest_in;
                clear = std::max({first, second, last}) <= small * result.largest && last < first;
                if (clear) return false;
                largest_in = {second, last, 0.0};
                look_ends += look;
            }
            largest_in[2] = std::max(largest_in[2], off);
            clear = result.lost;
            return !clear;
        });
    result.left = std::max({largest_in[0], largest_in[1], largest_in[2]});
    if (clear && result.report.status == Status::stopped_by_user)  // by the function above
        result.report.status = Status::ok, result.report.fault = {};
    return result;
}

}  // namespace panto::rig
