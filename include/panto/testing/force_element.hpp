// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for suspension elements whose memory is a vector of fixed size, as element::implicit_step needs it. A law
/// without memory becomes an element with element::Memoryless.

#pragma once

#include <panto/core/compiled.hpp>
#include <panto/element/implicit_step.hpp>
#include <panto/testing/findings.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace panto::testing {

struct ForceElementTest {
    double stroke = 5e-3;    ///< m (or rad), amplitude; larger than a play or a gap
    double frequency = 1.0;  ///< Hz
    int cycles = 2;
    int steps = 400;       ///< per cycle
    double energy = 0.01;  ///< share of the energy exchanged that may be gained, for the error of a finite step
};

namespace detail {

struct ElementRun {
    std::vector<double> force;           // N, from that at rest
    double gained = 0.0, largest = 0.0;  // J: most that has come out; energy exchanged, without signs
    double jump = 0.0, rate = 0.0;       // N, change of the force by accept(); largest rate of the memory
    bool solved = true, finite = true, written = true;
};

/// A sine, begun at rest. The memory is advanced by the implicit Euler method, which creates no energy.
template <class E>
ElementRun run_element(const E& element, const ForceElementTest& p) {
    ElementRun run;
    const double w = 6.283185307179586 * p.frequency, h = 1.0 / (p.frequency * p.steps);
    typename E::Memory z = element.rest();
    const double at_rest = element.force(0.0, 0.0, z);
    double x = 0.0, before = 0.0, work = 0.0;
    for (int n = 1; n <= p.cycles * p.steps; ++n) {
        const double next = p.stroke * std::sin(w * n * h), v = p.stroke * w * std::cos(w * n * h);
        const typename E::Memory carried = z;
        run.solved = run.solved && element::implicit_memory(element, next, v, carried, h, z);
        typename E::Memory dz = z;
        dz.setConstant(std::numeric_limits<double>::quiet_NaN());
        element.rate(next, v, z, dz);
        run.written = run.written && dz.allFinite();
        if (dz.size() > 0) run.rate = std::max(run.rate, dz.cwiseAbs().maxCoeff());
        const double force = element.force(next, v, z) - at_rest;
        element.accept(next, v, z);
        run.jump = std::max(run.jump, std::fabs(element.force(next, v, z) - at_rest - force));
        run.finite = run.finite && is_finite(force) && z.allFinite();
        if (!run.solved || !run.finite || !run.written) return run;
        const double done = 0.5 * (before + force) * (next - x);
        work += done;
        run.largest += std::fabs(done);
        run.gained = std::max(run.gained, -work);
        run.force.push_back(force);
        x = next, before = force;
    }
    return run;
}

}  // namespace detail

/// Tests that the element rests at rest(), opposes a motion and creates no energy, that rate() writes every entry, that
/// accept() does not change the force, and that all that the element remembers is in its memory.
template <element::SteppedElement E>
[[nodiscard]] Findings test_force_element(const E& element, const ForceElementTest& p = {}) {
    constexpr const char* where = "testing::test_force_element";
    require_positive(p.stroke, where, "stroke");
    require_positive(p.frequency, where, "frequency");
    require(p.cycles >= 1 && p.steps >= 40, where, "cycles is ", p.cycles, " and steps is ", p.steps,
            ", must be at least 1 and 40");
    Findings f;
    const typename E::Memory rest = element.rest();
    const double at_rest = element.force(0.0, 0.0, rest);
    if (!expect(f, is_finite(at_rest) && rest.allFinite(), "the memory or the force at rest is not finite")) return f;
    const detail::ElementRun run = detail::run_element(element, p);
    if (!expect(f, run.written, "rate() leaves an entry of dz unwritten, or gives a rate that is not finite") ||
        !expect(f, run.finite, "a sine of ", p.stroke, " m at ", p.frequency, " Hz gives a force that is not finite") ||
        !expect(f, run.solved, "no memory is found at the end of a step of ", 1.0 / (p.frequency * p.steps),
                " s: is a rate so large, or has it a jump?"))
        return f;
    typename E::Memory dz = rest;
    element.rate(0.0, 0.0, rest, dz);
    expect(f, dz.size() == 0 || dz.cwiseAbs().maxCoeff() <= 1e-9 * run.rate,
           "rest() is not at rest: without motion its memory changes");
    expect(f, run.largest > 0.0, "a sine of ", p.stroke, " m at ", p.frequency,
           " Hz causes no force; set `stroke` above the play or gap");
    expect(f, run.gained <= p.energy * run.largest, "from rest, ", run.gained,
           " J more come out of the element than were put in, and ", run.largest,
           " J were exchanged: a positive force opposes a positive motion (a spring has F = k x)");
    const double most = run.force.empty()
                            ? 0.0
                            : std::fabs(*std::max_element(run.force.begin(), run.force.end(), [](double a, double b) {
                                  return std::fabs(a) < std::fabs(b);
                              }));
    expect(f, run.jump <= 1e-9 * most, "accept() changes the force by up to ", run.jump,
           " N; it may only change how the memory is written");
    expect(f, detail::run_element(element, p).force == run.force && element.force(0.0, 0.0, rest) == at_rest,
           "the same motion from rest() does not give the same forces, to the last bit: what an element remembers "
           "must be in its memory, because one element can stand in several places");
    return f;
}

}  // namespace panto::testing
