// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for clocks.

#pragma once

#include <panto/rig/wait.hpp>
#include <panto/testing/findings.hpp>

#include <chrono>
#include <cstdint>

namespace panto::testing {

struct ClockTest {
    std::chrono::nanoseconds period = std::chrono::milliseconds(2);
    int periods = 50;
    double late =
        0.5;           ///< share of the periods in which it may wake more than half a period late, as on a busy machine
    bool real = true;  ///< false for a simulated clock, which advances only while sleeping
};

/// Tests a clock. The test takes a little more than `p.periods` periods.
template <Clock C>
[[nodiscard]] Findings test_clock(C& clock, const ClockTest& p = {}) {
    using std::chrono::nanoseconds;
    require(p.period.count() > 0 && p.periods >= 10, "testing::test_clock", "period is ", p.period.count(),
            " ns and periods is ", p.periods, ", must be above 0 and at least 10");
    Findings f;
    const auto ms = [](nanoseconds t) { return 1e-6 * static_cast<double>(t.count()); };
    const nanoseconds start = clock.now();
    const auto real_start = std::chrono::steady_clock::now();
    nanoseconds last = start;
    int late = 0;
    for (int n = 1; n <= p.periods; ++n) {
        const nanoseconds due = start + n * p.period;
        if (!expect(f, static_cast<bool>(rig::wait_until(clock, due, p.period)), "sleep_until() in period ", n,
                    " keeps returning before the time is reached: the clock stands still or goes back"))
            return f;
        const nanoseconds now = clock.now();
        if (!expect(f, now >= last, "the clock goes back by ", ms(last - now), " ms")) return f;
        if (!expect(f, now >= due - rig::clock_tolerance(p.period), "sleep_until() returns ", ms(due - now),
                    " ms too early"))
            return f;
        late += now > due + p.period / 2;
        last = now;
    }
    expect(f, late <= p.late * p.periods, "sleep_until() returns late by more than half a period of ", ms(p.period),
           " ms in ", late, " of ", p.periods, " periods");
    if (p.real) {
        const nanoseconds passed = std::chrono::steady_clock::now() - real_start, shown_time = clock.now() - start;
        const double ratio = static_cast<double>(shown_time.count()) / static_cast<double>(passed.count());
        expect(f, ratio > 0.8 && ratio < 1.25, "the clock shows ", ms(shown_time), " ms when ", ms(passed),
               " ms have passed; now() counts nanoseconds (for a simulated clock set `real` to false)");
    }
    const nanoseconds before = clock.now();
    clock.sleep_until(start);  // in the past
    const nanoseconds slept = clock.now() - before;
    expect(f, slept.count() >= 0 && slept < p.period, "sleep_until() a time that has passed takes ", ms(slept),
           " ms, must return at once");
    return f;
}

}  // namespace panto::testing
