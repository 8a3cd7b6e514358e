// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/force_watch.hpp>
#include <panto/rig/loop_guard.hpp>
#include <panto/rig/ringing.hpp>

#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using namespace panto;
using rig::Ringing;
using rig::RingingLimits;

namespace ringing_test {
namespace {

constexpr double dt = 2e-3, turn = 2.0 * 3.14159265358979;

/// When, s, the force f(t) is found to ring within 2 s; infinity if it is not.
template <class Force>
double found(const RingingLimits& limits, Force f) {
    Ringing ringing(limits, dt);
    for (int n = 0; n < 1000; ++n)
        if (ringing.take(f(n * dt))) return n * dt;
    return HUGE_VAL;
}

}  // namespace

// @rt-tested: Ringing::take Ringing::reset
TEST_CASE("readings that are missing do not make an oscillation faster") {
    for (const int each : {0, 2, 3}) {  // 150 N at 15 Hz, below the corner of 20 Hz: half of it passes
        rig::ForceWatch watch({}, 2e-3);
        double last = 0.0;
        for (int n = 0; n < 2000; ++n) {
            const bool lost = each > 0 && n % each == 1;
            if (!lost) last = 150.0 + 150.0 * std::sin(2.0 * 3.14159265 * 15.0 * n * 2e-3);
            REQUIRE(watch.take(last, 0.0, lost).status == Status::ok);
        }
    }
}

TEST_CASE("an oscillation of 40 Hz is found after ten half-waves of the amplitude, one that fades or is slow is not") {
    const RingingLimits limits{.amplitude = 100.0};
    const auto wave = [](double size, double hz) {
        return [=](double t) { return 150.0 + size * std::sin(turn * hz * t); };
    };
    // Ten half-waves take 0.125 s; the filter passes 0.97 of a wave of 40 Hz. Its start-up may cost two of them.
    CHECK(found(limits, wave(120.0, 40.0)) >= 0.9 * 0.125 - 0.0125);
    CHECK(found(limits, wave(120.0, 40.0)) <= 0.15);
    CHECK(found(limits, wave(90.0, 40.0)) == HUGE_VAL);
    CHECK(found(limits, wave(300.0, 8.0)) == HUGE_VAL);  // passes 0.16
    // A touch-down: 400 N, each half-wave 0.8 times the one before.
    CHECK(found(limits, [&](double t) {
              return 150.0 + 400.0 * std::exp(-t / 0.0125 * 0.22) * std::sin(turn * 40.0 * t);
          }) == HUGE_VAL);
    // One that grows from nothing by 1.02 a cycle, as a spectral radius of 1.02 does, is found before it reaches 1000
    // N.
    const double late = found(limits, [&](double t) { return std::pow(1.02, t / dt) * std::sin(turn * 40.0 * t); });
    CHECK(std::pow(1.02, late / dt) < 1000.0);
    CHECK(found({}, wave(120.0, 40.0)) < HUGE_VAL);  // by default
    // An infinite amplitude turns the check off.
    CHECK(found({.amplitude = HUGE_VAL}, wave(1e4, 40.0)) == HUGE_VAL);

    // A reading that is no number does not end the watch.
    CHECK(found(limits, [&](double t) {
              return t < 0.5 * dt ? std::numeric_limits<double>::quiet_NaN() : wave(120.0, 40.0)(t);
          }) <= 0.15 + dt);

    Ringing ringing(limits, dt);
    CHECK(test::allocations_in([&] {
              for (int n = 0; n < 100; ++n) ringing.take(wave(120.0, 40.0)(n * dt));
          }) == 0);
    CHECK(ringing.half_waves() >= 10);
    CHECK(ringing.amplitude() > 0.0);
    CHECK(test::allocations_in([&] { ringing.reset(); }) == 0);
    CHECK(ringing.half_waves() == 0);
    CHECK_FALSE(ringing.take(5000.0));  // a constant force is none
    CHECK(ringing.amplitude() == 0.0);
}

TEST_CASE("readings that alternate with 0 N ring only if half of their difference reaches the amplitude") {
    // The filter passes a period of two readings unchanged, so its amplitude is half of the difference. A period of
    // three has two thirds of the force in one half-wave, and in the other one third to two thirds, by its phase.
    const auto one_in = [](int n, double force) {
        return [=](double t) { return std::lround(t / dt) % n == 0 ? force : 0.0; };
    };
    CHECK(found({}, one_in(2, 190.0)) == HUGE_VAL);
    CHECK(found({}, one_in(2, 210.0)) < 0.1);
    CHECK(found({}, one_in(3, 145.0)) == HUGE_VAL);
    CHECK(found({}, one_in(3, 305.0)) < 0.1);
}

TEST_CASE("a loop that goes its own way looks for ringing as a cycle does") {
    for (const double amplitude : {100.0, HUGE_VAL}) {
        rig::LoopGuard guard({.ringing = {.amplitude = amplitude}}, dt, "test");
        Status status = Status::ok;
        int n = 0;
        while (usable(status) && ++n < 500)
            status = guard.readings(150.0 + 120.0 * std::sin(turn * 40.0 * n * dt), Motion{1e-4 * n, 0.0, 0.0}, 0.0);
        CHECK(usable(status) == !std::isfinite(amplitude));
        if (usable(status)) continue;
        CHECK(guard.fault().quantity == rig::Quantity::ringing);
        CHECK(n * dt <= 0.15);
    }
}

TEST_CASE("a drive that swings is found while the force hardly changes") {
    const auto fault = [](double size, double hz, const RingingLimits& limits = {}) {
        rig::ForceWatch watch({.ringing = limits}, dt);
        rig::Fault found;
        for (int n = 0; n < 500 && usable(found.status); ++n)
            found = watch.take(150.0 + 0.01 * (n % 7), size * std::sin(turn * hz * n * dt));
        return found;
    };
    CHECK(fault(1.2e-3, 40.0).quantity == rig::Quantity::swinging);
    CHECK(rig::describe(fault(1.2e-3, 40.0)).starts_with("out of range: amplitude of an oscillation of the drive"));
    CHECK(fault(1.2e-3, 40.0).value >= 1e-3);
    CHECK(fault(0.9e-3, 40.0).quantity == rig::Quantity::none);
    CHECK(fault(5e-3, 8.0).quantity == rig::Quantity::none);
    CHECK(fault(5e-3, 40.0, {.motion = HUGE_VAL}).quantity == rig::Quantity::none);
    CHECK(fault(0.9e-3, 40.0, {.motion = 5e-4}).quantity == rig::Quantity::swinging);
}

TEST_CASE("it names the part of a motion, or the state of a drive, that is no number") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto fault = [](const Motion& strip, double rest) {
        rig::LoopGuard guard({}, dt, "test");
        CHECK(guard.readings(150.0, strip, rest) == Status::sensor_implausible);
        return rig::describe(guard.fault());
    };
    CHECK(fault({nan, 0.0, 0.0}, nan) == "sensor implausible: position of the drive nan m (allowed -0.3 to 0.3 m)");
    CHECK(fault({0.1, nan, 0.0}, nan) == "sensor implausible: speed of the drive nan m/s");
    CHECK(fault({0.1, 0.0, 0.0}, nan) == "sensor implausible: state of the drive nan");
}

TEST_CASE("limits of the ringing without a meaning are refused by name") {
    const auto refused = [](const RingingLimits& limits, double step = dt) {
        return test::message([&] { Ringing ringing(limits, step); });
    };
    CHECK(refused({.amplitude = 0.0}).find("ringing.amplitude is 0 N") != std::string::npos);
    CHECK_FALSE(refused({.amplitude = std::numeric_limits<double>::quiet_NaN()}).empty());
    CHECK(refused({.motion = 0.0}).find("ringing.motion is 0 m") != std::string::npos);
    CHECK(refused({.half_waves = 0}).find("ringing.half_waves is 0") != std::string::npos);
    CHECK(refused({.frequency = 0.0}).find("ringing.frequency") != std::string::npos);
    CHECK(refused({.amplitude = 100.0, .frequency = 250.0}).find("half the sampling rate, 250 Hz") !=
          std::string::npos);
    CHECK_FALSE(refused({}, 0.0).empty());
}

}  // namespace ringing_test
