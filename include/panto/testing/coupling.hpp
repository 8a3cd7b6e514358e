// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for couplings between the measured force and the virtual wire. It tests what every coupling must do in the
/// long run: the wire gets the force of the strip, and the drive follows the wire. How fast is up to the coupling.

#pragma once

#include <panto/interaction/policies.hpp>
#include <panto/testing/findings.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace panto::testing {

struct CouplingTest {
    double dt = 2e-3;        ///< s, of the loop
    double height = 0.05;    ///< m, of the wire at the start
    double force = 100.0;    ///< N, of the strip
    double rise = 10e-3;     ///< m, by which the wire rises
    double rise_time = 0.5;  ///< s, duration of the rise
    double settling = 2.0;   ///< s, time to settle; longer than a ramp of the force
    double off = 0.02;       ///< share of force or rise that may still be missing after that time
};

namespace detail {

struct CouplingRun {
    Motion start;               // from reset()
    double first_force = 0.0;   // N, after reset()
    std::vector<double> force;  // N, on the wire in each step
    std::vector<Motion> drive;
    bool finite = true, constant = true;  // constant: force() changes nothing
};

/// The wire rests, rises, and rests again; `spoil(cycle, wire, force)` may change what the coupling is given.
template <class I, class Spoil>
CouplingRun run_coupling(I& coupling, const CouplingTest& p, double force, double rise, Spoil&& spoil) {
    CouplingRun run;
    run.start = coupling.reset({.height = p.height}, force);
    run.first_force = coupling.force(force);
    run.finite = is_finite(run.start) && is_finite(run.first_force);
    const int cycles = static_cast<int>(std::ceil((2.0 * p.settling + p.rise_time) / p.dt));
    const double pi = 3.141592653589793;
    for (int n = 0; n < cycles; ++n) {
        const double s = std::clamp((n * p.dt - p.settling) / p.rise_time, 0.0, 1.0), w = pi / p.rise_time;
        Motion wire{p.height + 0.5 * rise * (1.0 - std::cos(pi * s)), 0.5 * rise * w * std::sin(pi * s), 0.0};
        if (s > 0.0 && s < 1.0) wire.acceleration = 0.5 * rise * w * w * std::cos(pi * s);
        double strip = force;
        spoil(n, wire, strip);
        const double on_wire = coupling.force(strip);
        const double again = coupling.force(strip);
        run.constant = run.constant && (again == on_wire || !is_finite(on_wire));
        const Motion drive = coupling.follow(wire, strip);
        run.finite = run.finite && is_finite(on_wire) && is_finite(drive);
        run.force.push_back(on_wire);
        run.drive.push_back(drive);
    }
    return run;
}

}  // namespace detail

/// Runs the coupling a few times and leaves it reset. If the coupling has dt(), this must be `p.dt`.
template <interaction::CouplingPolicy I>
[[nodiscard]] Findings test_coupling(I& coupling, const CouplingTest& p = {}) {
    constexpr const char* where = "testing::test_coupling";
    require_positive(p.dt, where, "dt");
    require_positive(p.force, where, "force");
    require_positive(p.rise, where, "rise");
    require_positive(p.rise_time, where, "rise_time");
    require(p.settling >= 10.0 * p.dt, where, "settling is ", p.settling, " s, must be at least 10 dt, ", 10.0 * p.dt);
    require_time_step(coupling, p.dt, where, "the coupling");
    Findings f;
    const auto plain = [](int, Motion&, double&) {};
    const detail::CouplingRun run = detail::run_coupling(coupling, p, p.force, p.rise, plain);
    if (!expect(f, run.finite, "a wire and a force that are finite give a force or a motion that is not")) return f;
    expect(f, run.constant, "two calls of force() in one cycle give different forces: only follow() may change state");
    expect(f, run.first_force >= 0.0 && run.first_force <= p.force * (1.0 + p.off), "after reset() under ", p.force,
           " N the force on the wire is ", run.first_force, " N, must be from 0 to this force");
    const auto settled = static_cast<std::size_t>(p.settling / p.dt) - 1;
    expect(f, std::fabs(run.force[settled] - p.force) <= p.off * p.force, "the strip has pressed with ", p.force,
           " N for ", p.settling, " s, but the force on the wire at rest is ", run.force[settled],
           " N; it is positive upward, in N");
    expect(f, run.start.speed == 0.0 && run.start.acceleration == 0.0,
           "reset() gives a motion that is not at rest: speed ", run.start.speed, " m/s, acceleration ",
           run.start.acceleration, " m/s^2");
    double wander = 0.0;
    for (std::size_t n = 0; n <= settled; ++n)
        wander = std::max(wander, std::fabs(run.drive[n].height - run.start.height));
    expect(f, wander <= p.off * p.rise, "under a constant force and with the wire at rest the drive moves by ",
           1e3 * wander, " mm from the place that reset() gave: reset() must begin in equilibrium with the force");
    const double lifted = run.drive.back().height - run.drive[settled].height;
    expect(f, std::fabs(lifted - p.rise) <= p.off * p.rise, "the wire has risen by ", 1e3 * p.rise,
           " mm and come to rest, but the drive has moved by ", 1e3 * lifted, " mm");
    double rate = 0.0, rate_off = 0.0;
    for (std::size_t n = 1; n < run.drive.size(); ++n) {
        const Motion &a = run.drive[n - 1], &b = run.drive[n];
        const double of_height = (b.height - a.height) / p.dt;
        rate += of_height * of_height;
        rate_off += std::pow(0.5 * (a.speed + b.speed) - of_height, 2);
    }
    expect(f, rate_off <= 0.09 * rate, "the speeds of the drive differ from the rate of change of its heights by ",
           100.0 * std::sqrt(rate_off / rate), " % (rms), at most 30 % are accepted; speed is in m/s");
    const detail::CouplingRun harder = detail::run_coupling(coupling, p, 2.0 * p.force, p.rise, plain);
    expect(f, harder.drive[settled].height >= run.drive[settled].height - 1e-12,
           "the drive stands lower under twice the force: a force of the strip is upward, and must not lower it");
    const auto same = [&] {
        const detail::CouplingRun again = detail::run_coupling(coupling, p, p.force, p.rise, plain);
        bool equal = again.force == run.force;
        for (std::size_t n = 0; n < run.drive.size(); ++n)
            equal = equal && again.drive[n].height == run.drive[n].height && again.drive[n].speed == run.drive[n].speed;
        return equal;
    };
    expect(f, same(),
           "the same cycles after reset() do not give the same, to the last bit: reset() does not restore "
           "everything");
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    (void)detail::run_coupling(coupling, p, p.force, p.rise, [](int n, Motion& wire, double& strip) {
        if (n == 5) wire.height = wire.speed = strip = none;
    });
    expect(f, same(), "reset() does not restore the start after a force and a wire that were not a number");
    (void)coupling.reset({.height = p.height}, 0.0);
    return f;
}

}  // namespace panto::testing
