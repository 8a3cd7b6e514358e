// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/force_correction.hpp>

#include "../../support/allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

using panto::Status;
using panto::control::ForceCorrection;
using panto::control::ForceInterval;
using Params = panto::control::ForceCorrectionParams;

namespace force_correction_test {
namespace {

constexpr double dt = 1.0 / 170.0;

/// With this energy on the account: the force pushes a rig that the line does not follow.
ForceCorrection with_energy(double energy, Params p) {
    p.dt = dt;
    ForceCorrection c(p);
    // F x' T = energy, while the line is too slow to be corrected.
    REQUIRE(c.step(energy / dt, 1.0, 0.0) == Status::ok);
    return c;
}

}  // namespace

TEST_CASE("the paper's interval in the four cases of signs has the published ends") {
    // tests/golden/catenary_and_rig.json, group G: F = 150 N, speeds 0.11 s and 0.10 s, 1 - alpha = 6e-6.
    for (const double energy : {1.0, -1.0})
        for (const double s : {1.0, -1.0}) {
            const auto c = with_energy(energy, {.form = Params::Form::paper});
            const ForceInterval i = c.energy_bounds(150.0, 0.11 * s, 0.10 * s);
            const bool same = energy * s > 0.0;
            CHECK(std::fabs(i.lower - (same ? 15.01020 : -1685.0)) < 1e-6);
            CHECK(std::fabs(i.upper - (same ? 1715.0 : 14.98980)) < 1e-6);
        }
}

TEST_CASE("inside the interval the energy ends where it should, for all signs and both forms") {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    for (int i = 0; i < 5000; ++i) {
        const bool paper = i % 2 == 0;
        const double alpha = 0.9, energy = 3.0 * unit(random), force = 200.0 * unit(random), rig = unit(random);
        double line = unit(random);
        if (std::fabs(line) < 0.02) line = 0.02;
        auto c = with_energy(energy, {.form = paper ? Params::Form::paper : Params::Form::budget,
                                      .one_minus_alpha = 1.0 - alpha,
                                      .soft_limit = 0.0,
                                      .largest = 1e6,
                                      .largest_change = 1e6});
        const ForceInterval bounds = c.energy_bounds(force, rig, line);
        const double at = bounds.lower + 0.5 * (1.0 + unit(random)) * (bounds.upper - bounds.lower);
        REQUIRE(c.step(force, rig, line, at) == Status::ok);
        CHECK(c.record().kept);
        const double now = c.record().total.energy, slack = 1e-9;
        if (paper) {  // Theorem 1: it shrinks, and keeps its sign
            CHECK(now * energy >= -slack);
            CHECK(std::fabs(now) <= alpha * std::fabs(energy) + slack);
        } else {
            CHECK(std::fabs(now) <= std::max(1.0, alpha * std::fabs(energy)) + slack);
        }
        // Beyond its ends it would not.
        const double beyond = bounds.upper + 1.0;
        const double then = energy + dt * (force * rig - (force + beyond) * line);
        CHECK_FALSE((paper ? then * energy >= 0.0 && std::fabs(then) <= alpha * std::fabs(energy)
                           : std::fabs(then) <= std::max(1.0, alpha * std::fabs(energy))));
    }
}

TEST_CASE("limits rank: what they share, or the end of the first that is nearest to the second") {
    using panto::control::ranked;
    const auto same = [](ForceInterval a, ForceInterval b) { return a.lower == b.lower && a.upper == b.upper; };
    CHECK(same(ranked({-1.0, 1.0}, {0.0, 5.0}), {0.0, 1.0}));
    CHECK(same(ranked({-1.0, 1.0}, {2.0, 5.0}), {1.0, 1.0}));
    CHECK(same(ranked({-1.0, 1.0}, {-5.0, -2.0}), {-1.0, -1.0}));
    // The change goes before the size, the size before the energy.
    auto c = with_energy(100.0, {.form = Params::Form::paper});
    for (int i = 1; i <= 15; ++i) {
        REQUIRE(c.step(150.0, 0.11, 0.10) == Status::ok);
        // No more than the energy asks for: (1 - alpha) DE / (T w') + r = 16 N.
        CHECK(std::fabs(c.record().force - std::min(2.0 * i, c.record().bounds.lower)) < 1e-12);
    }
    CHECK(c.record().kept);
    CHECK(std::fabs(c.record().bounds.lower - 16.0) < 0.1);
    // A slow line: back to nothing.
    for (int i = 0; i < 10; ++i) REQUIRE(c.step(150.0, 0.0, 0.0) == Status::ok);
    CHECK(c.record().force == 0.0);
}

TEST_CASE("both balances are the sums of what crossed, split by whether the energy's bound was kept") {
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    ForceCorrection c({.dt = dt});
    double energy = 0.0, momentum = 0.0, kept_energy = 0.0;
    for (int i = 0; i < 2000; ++i) {
        const double force = 120.0 + 30.0 * normal(random), line = 0.1 * normal(random),
                     rig = line + 0.01 * normal(random);
        REQUIRE(c.step(force, rig, line) == Status::ok);
        const double part = dt * (force * rig - (force + c.record().force) * line);
        energy += part, momentum -= dt * c.record().force;
        kept_energy += c.record().kept ? part : 0.0;
    }
    CHECK(std::fabs(c.record().total.energy - energy) < 1e-9);
    CHECK(std::fabs(c.record().total.momentum - momentum) < 1e-9);
    CHECK(std::fabs(c.record().bounded.energy - kept_energy) < 1e-9);
    c.reset();
    CHECK(c.record().total.energy == 0.0);
}

TEST_CASE("a leak of 0.1 W is held by small forces with a budget, and only by large ones with the paper's bounds") {
    // The line moves at 1.2 Hz, 0.12 m/s; the rig lags by 1 ms, which leaks F x' less F w' on the average, and
    // its power swings by some watts at twice the frequency.
    const auto run = [](Params::Form form) {
        ForceCorrection c({.form = form, .dt = dt});
        double squares = 0.0, most = 0.0;
        const int steps = 17000;
        for (int i = 0; i < steps; ++i) {
            const double t = i * dt, a = 2.0 * 3.14159265 * 1.2;
            const double force = 120.0 + 30.0 * std::sin(a * t), line = 0.12 * std::sin(a * t),
                         rig = 0.122 * std::sin(a * (t - 0.001));
            REQUIRE(c.step(force, rig, line) == Status::ok);
            squares += c.record().force * c.record().force;
            if (t > 10.0) most = std::max(most, std::fabs(c.record().total.energy));
        }
        return std::pair(std::sqrt(squares / steps), most);
    };
    const auto budget = run(Params::Form::budget), paper = run(Params::Form::paper);
    CHECK(budget.first < 0.5 * paper.first);
    CHECK(budget.second < 1.2);
}

TEST_CASE("what the displacements tell replaces the estimate of the speeds, with a budget only") {
    for (const auto form : {Params::Form::budget, Params::Form::paper}) {
        ForceCorrection c({.form = form, .dt = dt});
        double told = 0.0, estimated = 0.0, kept = 0.0;
        std::mt19937 random(3);
        std::normal_distribution<double> normal;
        for (int i = 0; i < 300; ++i) {
            const double line = 0.1 * normal(random), rig = line + 0.01 * normal(random);
            REQUIRE(c.step(120.0, rig, line) == Status::ok);
            const double estimate = dt * (120.0 * rig - (120.0 + c.record().force) * line),
                         energy = estimate + 1e-3 * (1.0 + normal(random));
            REQUIRE(c.settle(energy) == Status::ok);
            told += energy, estimated += estimate;
            if (c.record().kept) kept += form == Params::Form::budget ? energy : estimate;
        }
        CHECK(std::fabs(c.record().leaked - told) < 1e-12);
        CHECK(std::fabs(c.record().total.energy - (form == Params::Form::budget ? told : estimated)) < 1e-12);
        CHECK(std::fabs(c.record().bounded.energy - kept) < 1e-12);
        CHECK(c.settle(std::numeric_limits<double>::infinity()) == Status::not_finite);
        CHECK(std::fabs(c.record().leaked - told) < 1e-12);
        c.reset();
        CHECK(c.record().leaked == 0.0);
    }
}

TEST_CASE("steps take no memory; what is no number changes nothing") {
    ForceCorrection c({.dt = dt});
    REQUIRE(c.step(100.0, 0.1, 0.1) == Status::ok);
    const double nan = std::numeric_limits<double>::quiet_NaN(), before = c.record().total.energy;
    // @rt-tested: ForceCorrection::step, ForceCorrection::energy_bounds
    // @rt-tested: ForceCorrection::settle, ForceCorrection::reset
    // @rt-tested: ranked
    CHECK(panto::test::allocations_in([&] {
              static_cast<void>(c.step(nan, 0.0, 0.0));
              static_cast<void>(c.step(0.0, nan, 0.0));
              static_cast<void>(c.energy_bounds(1.0, 1.0, 1.0));
              static_cast<void>(c.settle(0.0));
              static_cast<void>(panto::control::ranked({}, {}));
          }) == 0);
    CHECK(c.step(0.0, 0.0, nan) == Status::not_finite);
    CHECK(c.record().total.energy == before);
    CHECK_THROWS_AS(ForceCorrection({.dt = 0.0}), panto::SetupError);
    CHECK_THROWS_AS(ForceCorrection({.dt = dt, .one_minus_alpha = 0.0}), panto::SetupError);
    CHECK_THROWS_AS(ForceCorrection({.dt = dt, .budget = -1.0}), panto::SetupError);
    CHECK_THROWS_AS(ForceCorrection({.dt = dt, .largest_change = 0.0}), panto::SetupError);
}

}  // namespace force_correction_test
