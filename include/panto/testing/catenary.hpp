// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for catenary engines. It checks CatenaryModel and every optional concept that the engine satisfies, by
/// comparing the engine with itself and with the definitions. It cannot tell whether the engine models the right line.

#pragma once

#include <panto/element/contact.hpp>
#include <panto/interaction/concepts.hpp>
#include <panto/rig/parts.hpp>
#include <panto/testing/findings.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace panto::testing {

struct CatenaryTest {
    int steps = 200;       ///< steps of each run; the line must be long enough for them
    double force = 100.0;  ///< N, mean force on the wire
    double contact_stiffness = element::default_contact_stiffness;  ///< N/m, for step_contact()
    double head_compliance = 1e-7;                                  ///< m/N, for step_contact()
    std::int64_t most_steps = 100'000;  ///< the end of the line is only tested if it is within this number of steps
};

namespace detail {

/// Force on the wire in step n, N: a sine with a period of 40 steps, never negative.
inline double force_at(const CatenaryTest& p, int n) { return p.force * (1.0 + 0.5 * std::sin(0.157 * n)); }

template <class E>
std::vector<Motion> run_under_force(E& engine, const CatenaryTest& p, double scale = 1.0) {
    engine.reset();
    std::vector<Motion> motions;
    for (int n = 0; n < p.steps; ++n) motions.push_back(engine.step(scale * force_at(p, n)));
    return motions;
}

inline bool same(const Motion& a, const Motion& b) {
    return a.height == b.height && a.speed == b.speed && a.acceleration == b.acceleration;
}
inline bool same(const std::vector<Motion>& a, const std::vector<Motion>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Motion& x, const Motion& y) { return same(x, y); });
}

/// Largest difference of heights, m.
inline double apart(const std::vector<Motion>& a, const std::vector<Motion>& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i].height - b[i].height));
    return most;
}

/// Tests that speeds and accelerations are the derivatives of the heights, and that a force lifts the wire.
template <class E>
void test_motion(E& engine, const CatenaryTest& p, Findings& f) {
    const double dt = engine.dt();
    const std::vector<Motion> motions = run_under_force(engine, p), free = run_under_force(engine, p, 0.0);
    for (std::size_t n = 0; n < motions.size(); ++n)
        if (!expect(f, is_finite(motions[n]), "step ", n + 1, " gives a motion that is not finite")) return;
    double rate = 0.0, rate_off = 0.0, gain = 0.0, gain_off = 0.0, lifted = 0.0;
    std::size_t turns = 0;  // steps in which the speed turns round
    for (std::size_t n = 1; n < motions.size(); ++n) {
        const Motion &a = motions[n - 1], &b = motions[n];
        const double of_height = (b.height - a.height) / dt, of_speed = (b.speed - a.speed) / dt;
        const double backward = b.acceleration, mean = 0.5 * (a.acceleration + b.acceleration);
        rate += of_height * of_height;
        rate_off += std::pow(0.5 * (a.speed + b.speed) - of_height, 2);
        gain += of_speed * of_speed;
        gain_off += std::pow(
            std::fabs(backward - of_speed) < std::fabs(mean - of_speed) ? backward - of_speed : mean - of_speed, 2);
        lifted += b.height - free[n].height;
        turns += n > 1 && (b.speed - a.speed) * (a.speed - motions[n - 2].speed) < 0.0;
    }
    // A speed with the wrong sign is off by twice the rate; one that ignores the motion along the track, by about it.
    expect(f, rate_off <= 0.09 * rate, "the speeds differ from the rate of change of the heights by ",
           100.0 * std::sqrt(rate_off / rate),
           " % (rms), at most 30 % are accepted: speed is d(height)/dt of the point above the ",
           "strip, which moves along the wire, in m/s");
    expect(f, gain_off <= 0.25 * gain, "the accelerations differ from the rate of change of the speeds by ",
           100.0 * std::sqrt(gain_off / gain), " % (rms), at most 50 % are accepted",
           2 * turns > motions.size()
               ? ": the speed goes up and down from step to step. Speeds from 2 (height - height before)/dt - speed "
                 "before do so for ever after a jump; take dz/dt + v dz/dx from the speeds and the slope of the wire"
               : "");
    expect(f, lifted > 0.0, "a force of ", p.force,
           " N does not lift the wire; forces and heights are positive upward");
    expect(f, same(motions, run_under_force(engine, p)),
           "the same forces after reset() do not give the same motions, to the last bit: reset() does not restore "
           "everything");
}

template <class E>
void test_recovery(E& engine, const CatenaryTest& p, Findings& f) {
    const std::vector<Motion> before = run_under_force(engine, p);
    const Motion answer = engine.step(std::numeric_limits<double>::quiet_NaN());
    bool silent = is_finite(answer);
    if constexpr (ReportsStatus<E>) silent = silent && usable(engine.status());
    expect(f, !silent,
           "a force that is not a number gives a finite motion; return one that is not finite, or report a status()");
    expect(f, same(before, run_under_force(engine, p)),
           "reset() does not restore the start after a force that is not a number");
    if constexpr (ReportsStatus<E>)
        expect(f, (engine.reset(), engine.status() == Status::ok), "status() is not ok after reset()");
}

/// Forces of a prediction, N, one per step.
using Foreseen = std::array<double, 8>;

/// Tests one way to predict, `ask(forces, ahead)`: it must leave the state alone and come true under these forces.
template <class E, class Ask>
void test_prediction(E& engine, const CatenaryTest& p, const char* name, const Foreseen& forces, Ask&& ask,
                     Findings& f) {
    const std::vector<Motion> undisturbed = run_under_force(engine, p);
    engine.reset();
    std::vector<Motion> motions, predicted(forces.size());
    const int at = p.steps / 2;
    for (int n = 0; n < p.steps; ++n) {
        if (n == at) ask(std::span<const double>(forces), std::span<Motion>(predicted));
        motions.push_back(engine.step(force_at(p, n)));
    }
    expect(f, same(undisturbed, motions), name,
           " changes the state: without it, the motions that follow are different");
    const auto continued = [&](const Foreseen& under) {
        engine.reset();
        for (int n = 0; n < at; ++n) engine.step(force_at(p, n));
        std::vector<Motion> true_ones;
        for (const double force : under) true_ones.push_back(engine.step(force));
        return true_ones;
    };
    const std::vector<Motion> true_ones = continued(forces);
    for (const Motion& m : predicted)
        if (!expect(f, is_finite(m), name, " gives a motion that is not finite")) return;
    const bool constant = forces.front() == forces.back();
    Foreseen usual{};
    usual.fill(p.force);
    const std::vector<Motion> here(forces.size(), undisturbed[static_cast<std::size_t>(at - 1)]);
    const double off = apart(predicted, true_ones), moved = apart(true_ones, constant ? here : continued(usual));
    expect(f, off <= 0.05 * moved + 1e-9, name, " differs from the steps that follow under the same force",
           constant ? "" : "s", " by up to ", off, " m, while the wire moves by ", moved, " m",
           constant ? "" : " more or less than under a constant force", "; at most 5 % are accepted");
}

/// Tests predictions under one force and, if the engine offers them, under a sequence of forces and under a law.
template <class E>
void test_predictions(E& engine, const CatenaryTest& p, Findings& f) {
    Foreseen forces{};
    forces.fill(p.force);
    const auto constant = [&](std::span<const double>, std::span<Motion> ahead) {
        engine.predict(p.force, ahead.first(0));
        engine.predict(p.force, ahead);
    };
    test_prediction(engine, p, "predict()", forces, constant, f);
    std::fill(forces.begin(), forces.begin() + forces.size() / 2, 0.0);  // none at first, then a large one
    std::fill(forces.begin() + forces.size() / 2, forces.end(), 3.0 * p.force);
    if constexpr (rig::SequencePredictiveCatenary<E>) {
        const auto sequence = [&](std::span<const double> of, std::span<Motion> ahead) { engine.predict(of, ahead); };
        test_prediction(engine, p, "predict(forces)", forces, sequence, f);
    }
    const auto law = [&](std::size_t k, const Motion&) noexcept { return forces[std::min(k, forces.size() - 1)]; };
    if constexpr (requires(std::span<Motion> ahead) { engine.predict(law, ahead); }) {
        const auto by_law = [&](std::span<const double>, std::span<Motion> ahead) { engine.predict(law, ahead); };
        test_prediction(engine, p, "predict(law)", forces, by_law, f);
    }
}

template <class E>
void test_travel(E& engine, const CatenaryTest& p, Findings& f) {
    engine.reset();
    const double start = engine.position(), dt = engine.dt();
    expect(f, engine.time() == 0.0, "time() is ", engine.time(), " s after reset(), must be 0");
    double expected = start;
    for (int n = 0; n < p.steps; ++n) {
        const double near = 1e-9 * (1.0 + std::fabs(engine.position()));
        const double here = engine.position(), next = engine.position_after(dt),
                     later = engine.position_after(2.0 * dt);
        if (!expect(f, std::fabs(engine.position_after(0.0) - here) <= near, "position_after(0) is ",
                    engine.position_after(0.0), " m, but position() is ", here, " m") ||
            !expect(f, next >= here && later >= next, "position_after() goes backwards at ", here, " m") ||
            !expect(f, std::fabs(here - expected) <= near, "after step ", n, " the contact stands at ", here,
                    " m; before, position_after(dt) gave ", expected, " m") ||
            !expect(f, std::fabs(engine.time() - n * dt) <= 1e-9 * (dt + n * dt), "after step ", n, " time() is ",
                    engine.time(), " s, must be ", n * dt, " s"))
            return;
        expected = next;
        engine.step(p.force);
    }
    engine.reset();
    expect(f, engine.position() == start, "after reset() the contact is at ", engine.position(),
           " m, must be at the start, ", start, " m");
}

template <class E>
void test_end(E& engine, const CatenaryTest& p, Findings& f) {
    engine.reset();
    const auto last = static_cast<std::int64_t>(engine.steps_on_line());
    expect(f, last >= 0, "steps_on_line() is ", last, ", must not be negative");
    if constexpr (HasLength<E> && TravellingContact<E>)
        if (last < std::numeric_limits<std::int64_t>::max() / 2) {
            const double at = engine.position_after(static_cast<double>(last) * engine.dt());
            const double behind = engine.position_after(static_cast<double>(last + 1) * engine.dt());
            expect(f, at <= engine.length() * (1.0 + 1e-9) && behind > engine.length() * (1.0 - 1e-9),
                   "after the last of the steps_on_line(), ", last, ", the contact stands at ", at,
                   " m, after the next at ", behind, " m: the line ends at ", engine.length(),
                   " m, which must lie between");
        }
    if constexpr (ReportsStatus<E>) {
        if (last > p.most_steps) return;
        Status worst = Status::ok;
        for (std::int64_t n = 0; n < last; ++n) engine.step(0.0), worst = std::max(worst, engine.status());
        expect(f, usable(worst), "status() is '", name(worst), "' before the steps_on_line() are over");
        engine.step(0.0);
        expect(f, engine.status() == Status::end_of_line, "status() is '", name(engine.status()),
               "' after one step more than steps_on_line(), must be '", name(Status::end_of_line), "'");
    }
}

template <class E>
void test_contact(E& engine, const CatenaryTest& p, Findings& f) {
    const catenary::ImplicitContact<double> contact{
        .stiffness = p.contact_stiffness, .head_height = 0.0, .head_compliance = p.head_compliance};
    engine.reset();
    const double rest = engine.wire().height;
    std::vector<double> forces;
    std::vector<Motion> motions;
    double law_off = 0.0, largest = 0.0;
    bool touched = false, parted = false;
    for (int n = 0; n < p.steps; ++n) {
        auto c = contact;
        c.head_height = rest + 0.03 * std::sin(0.0785 * n);  // above the wire at first, then below
        const Result<double> result = engine.step_contact(c);
        const Motion wire = engine.wire();
        if (!expect(f, result.usable(), "step_contact() ends with '", name(result.status), "' in step ", n + 1)) return;
        if (!expect(f, is_finite(result.value) && is_finite(wire), "step_contact() returns the status '",
                    name(result.status), "' with a result that is not finite, in step ", n + 1))
            return;
        const double gap = c.head_height - c.head_compliance * result.value - wire.height;
        law_off = std::max(law_off, std::fabs(result.value - std::max(0.0, c.stiffness * gap)));
        largest = std::max(largest, result.value);
        touched = touched || result.value > 0.0;
        parted = parted || result.value == 0.0;
        forces.push_back(result.value);
        motions.push_back(wire);
    }
    expect(f, *std::min_element(forces.begin(), forces.end()) >= 0.0,
           "step_contact() gives a negative force: a contact can only press");
    expect(f, touched && parted, "step_contact() ",
           touched ? "never loses contact with a head below the wire"
                   : "gives no force although the head is above the wire");
    expect(f, law_off <= 1e-6 * (1.0 + largest), "the force of step_contact() differs from the contact law ",
           "max(0, stiffness (head_height - head_compliance F - wire height)) by up to ", law_off, " N");
    engine.reset();
    std::vector<Motion> replayed;
    bool returned = true;
    for (const double force : forces) {
        replayed.push_back(engine.step(force));
        returned = returned && same(replayed.back(), engine.wire());
    }
    const double off = apart(motions, replayed);
    expect(f, off <= 1e-6, "the forces of step_contact(), given to step(), move the wire differently, by up to ", off,
           " m");
    expect(f, returned, "wire() is not the motion that step() returned");

    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [&](const char* what, catenary::ImplicitContact<double> bad) {
        engine.reset();
        expect(f, !engine.step_contact(bad).usable(), "step_contact() returns a usable status for a contact with ",
               what, "; if ImplicitContact::solvable() is false, return Status::not_finite");
    };
    refused("no stiffness", {.stiffness = 0.0, .head_height = rest});
    refused("a head height that is not a number", {.stiffness = p.contact_stiffness, .head_height = none});
    refused("a negative compliance", {.stiffness = p.contact_stiffness, .head_height = rest, .head_compliance = -1.0});
}

template <class E>
void test_rest(E& engine, const CatenaryTest& p, Findings& f) {
    const double free = engine.static_height(0.0), half = engine.static_height(0.5 * p.force),
                 full = engine.static_height(p.force);
    expect(f, free < half && half < full, "static_height() does not rise with the force: ", free, ", ", half, " and ",
           full, " m under 0, ", 0.5 * p.force, " and ", p.force, " N");
    engine.rest_under(p.force);
    expect(f, std::fabs(engine.wire().height - full) <= 1e-9, "rest_under() leaves the wire at ", engine.wire().height,
           " m, static_height() gives ", full, " m");
    if constexpr (TravellingContact<E>)
        expect(f, engine.time() == 0.0, "rest_under() leaves time() at ", engine.time(), " s, must be 0");
    engine.reset();
    expect(f, std::fabs(engine.wire().height - free) <= 1e-9, "reset() after rest_under() leaves the wire at ",
           engine.wire().height, " m, static_height(0) gives ", free, " m");
}

/// Tests that a wire at rest under a force stays lifted by about its static lift while the force goes on. In a few
/// steps the strip travels less than a metre; over this distance the lift of our lines changes by a few per cent.
template <class E>
void test_start(E& engine, const CatenaryTest& p, Findings& f) {
    const auto first_steps = [&](double force) {
        engine.reset();
        return std::array<Motion, 3>{engine.step(force), engine.step(force), engine.step(force)};
    };
    const std::vector<Motion> before = run_under_force(engine, p);
    const auto free = first_steps(0.0);
    const double full = engine.static_height(p.force), lift = full - engine.static_height(0.0);
    engine.start_under(p.force);
    const auto loaded = first_steps(p.force);
    for (std::size_t n = 0; n < loaded.size(); ++n)
        if (const double lifted = loaded[n].height - free[n].height;
            !expect(f, std::fabs(lifted - lift) <= 0.2 * lift, "after start_under() and reset(), step ", n + 1,
                    " under the same force has the wire ", lifted, " m above that without force, expected ", lift,
                    " m as by static_height(), to 20 %: reset() then leads to rest under the force"))
            break;
    engine.reset();
    expect(f, std::fabs(engine.wire().height - full) <= 1e-9, "after start_under() reset() leaves the wire at ",
           engine.wire().height, " m, static_height() gives ", full, " m");
    expect(f, engine.time() == 0.0, "after start_under() and reset() time() is ", engine.time(), " s, must be 0");
    engine.start_under(0.0);
    const double off = apart(before, run_under_force(engine, p));
    expect(f, off <= 1e-9,
           "start_under(0) and reset() do not lead back to the start without force: the motions differ by ", off, " m");
}

template <class E>
void test_droppers(E& engine, const CatenaryTest& p, Findings& f) {
    engine.reset();
    const auto count = static_cast<std::size_t>(engine.droppers().size());
    for (std::size_t j = 0; j < count; ++j)
        if (!expect(f,
                    std::fabs(engine.dropper_force(j) - engine.droppers()[j].static_force) <=
                        1e-6 * (1.0 + std::fabs(engine.droppers()[j].static_force)),
                    "after reset() the force of dropper ", j, " is ", engine.dropper_force(j),
                    " N, its static_force is ", engine.droppers()[j].static_force, " N"))
            break;
    for (int n = 0; n < p.steps; ++n) {
        engine.step(2.0 * force_at(p, n));
        int slack = 0;
        for (std::size_t j = 0; j < count; ++j) {
            const double force = engine.dropper_force(j);
            if (!expect(f, is_finite(force) && force >= 0.0, "the force of dropper ", j, " is ", force, " N in step ",
                        n + 1, ": a dropper can only pull"))
                return;
            slack += !(force > 0.0);
        }
        if constexpr (requires { engine.slack_droppers(); })
            if (!expect(f, engine.slack_droppers() == slack, "slack_droppers() is ", engine.slack_droppers(),
                        " in step ", n + 1, ", but ", slack, " droppers have no force"))
                return;
    }
}

template <class E>
void test_supports(E& engine, const CatenaryTest& p, Findings& f) {
    engine.reset();
    const auto count = static_cast<std::size_t>(engine.supports().size());
    for (std::size_t s = 0; s < count; ++s) {
        expect(f, std::fabs(engine.support_uplift(s)) <= 1e-9, "after reset() the uplift at support ", s, " is ",
               engine.support_uplift(s), " m, must be 0");
        if (s > 0)
            expect(f, engine.supports()[s] > engine.supports()[s - 1], "support ", s, " stands at ",
                   engine.supports()[s], " m, before the previous one");
    }
    for (int n = 0; n < p.steps; ++n) engine.step(force_at(p, n));
    for (std::size_t s = 0; s < count; ++s)
        expect(f, is_finite(engine.support_uplift(s)), "the uplift at support ", s, " is not finite");
}

}  // namespace detail

/// Runs the engine 10 to 30 times over `p.steps` steps. The engine must be at its start, and is there again afterwards.
/// An engine with start_under() then starts without force. Allocations in the steps are not detected.
template <CatenaryModel E>
[[nodiscard]] Findings test_catenary(E& engine, const CatenaryTest& p = {}) {
    require(p.steps >= 20, "testing::test_catenary", "steps is ", p.steps, ", must be at least 20");
    require_positive(p.force, "testing::test_catenary", "force");
    Findings f;
    if (!expect(f, is_finite(engine.dt()) && engine.dt() > 0.0, "dt() is ", engine.dt(), " s, must be finite and > 0"))
        return f;
    detail::test_motion(engine, p, f);
    detail::test_recovery(engine, p, f);
    if constexpr (PredictiveCatenary<E>) detail::test_predictions(engine, p, f);
    if constexpr (TravellingContact<E>) detail::test_travel(engine, p, f);
    if constexpr (KnowsItsEnd<E>) detail::test_end(engine, p, f);
    if constexpr (CoupledCatenary<E>) detail::test_contact(engine, p, f);
    if constexpr (CoupledCatenary<E> && RestsUnderForce<E>) detail::test_rest(engine, p, f);
    if constexpr (ShowsDroppers<E>) detail::test_droppers(engine, p, f);
    if constexpr (ShowsSupports<E>) detail::test_supports(engine, p, f);
    if constexpr (CoupledCatenary<E> && RestsUnderForce<E> && requires { engine.start_under(p.force); })
        detail::test_start(engine, p, f);
    engine.reset();
    return f;
}

}  // namespace panto::testing
