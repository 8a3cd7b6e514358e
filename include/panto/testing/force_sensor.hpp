// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for force sensors, with the strip resting on the pad and the drive at rest. It can also test readings under
/// two forces.

#pragma once

#include <panto/rig/concepts.hpp>
#include <panto/testing/findings.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <limits>

namespace panto::testing {

struct ForceSensorTest {
    int readings = 100;
    std::chrono::nanoseconds period = std::chrono::milliseconds(2);  ///< between two readings
    // To find a wrong sign, unit or tare, press with a known force and give its range.
    double least = -1e5;    ///< N, lowest accepted mean
    double most = 1e5;      ///< N, highest accepted mean
    double scatter = 50.0;  ///< N, largest accepted standard deviation of a single reading
    double lost = 0.05;     ///< share of the readings that may be missing or stale
    /// Whether readings must show noise: true for a real load cell, whose readings must not all be the same. False for
    /// a sensor without noise, as in a simulation.
    bool noisy = false;
    // For the test that presses with two forces.
    double light = 50.0;   ///< N, the smaller force
    double heavy = 100.0;  ///< N, the larger force
    double share = 0.3;    ///< largest error of the difference of the two means, as a share of heavy - light
};

namespace detail {

/// Appends what is wrong with the readings under a constant force.
/// @return their mean, N; NaN if they are of no use
template <class S, class C>
double read_steady(S& sensor, C& clock, const ForceSensorTest& p, Findings& f) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    double sum = 0.0, squares = 0.0, first = none;
    bool varies = false;
    int good = 0, missing = 0;
    Result<double> last{0.0, Status::sensor_lost};
    std::chrono::nanoseconds due = clock.now();
    for (int n = 0; n < p.readings; ++n) {
        clock.sleep_until(due += p.period);
        const Result<double> reading = last = sensor.read();
        if (reading.usable()) {
            if (!expect(f, is_finite(reading.value), "reading ", n + 1, " has the status '", name(reading.status),
                        "' but is not a finite number; return sensor_lost or sensor_implausible"))
                return none;
            if (good == 0) first = reading.value;
            varies = varies || reading.value != first;
            ++good;
            sum += reading.value;
            squares += reading.value * reading.value;
        } else {
            ++missing;
            if (!expect(f, reading.status == Status::sensor_lost || reading.status == Status::sensor_stale, "reading ",
                        n + 1, " has the status '", name(reading.status), "', which stops a rig at once"))
                return none;
        }
    }
    const Result<double> again = sensor.read();
    if (last.usable() && !again.usable())
        expect(f, false, "a second reading within the same period has the status '", name(again.status),
               "'; a run reads twice in its first period, so judge the age of a reading, not whether it is new");
    if (!expect(f, missing <= p.lost * p.readings, missing, " of ", p.readings, " readings are missing or old"))
        return none;
    const double mean = sum / good, scatter = std::sqrt(std::max(0.0, squares / good - mean * mean));
    if (p.noisy)
        expect(f, varies, "all ", good, " readings are identical to the last bit, ", mean,
               " N: a load cell without noise, or one that is dead");
    expect(f, mean >= p.least && mean <= p.most, "the mean reading is ", mean, " N, expected from ", p.least, " to ",
           p.most, " N; a force is positive when strip and pad are pressed together, in N");
    expect(f, scatter <= p.scatter, "single readings scatter by ", scatter,
           " N (standard deviation), expected at most ", p.scatter, " N");
    return mean;
}

}  // namespace detail

/// Tests the readings at rest: `p.readings`, one per period, and one more in the last period, as a run takes it in its
/// first period.
template <ForceSensor S, Clock C>
[[nodiscard]] Findings test_force_sensor(S& sensor, C& clock, const ForceSensorTest& p = {}) {
    require(p.readings >= 2, "testing::test_force_sensor", "readings is ", p.readings, ", must be at least 2");
    Findings f;
    static_cast<void>(detail::read_steady(sensor, clock, p, f));
    return f;
}

/// The same under `p.light` and under `p.heavy`: this finds a load cell that is frozen at a value, a wrong sign and a
/// wrong unit. press(force) presses strip and pad together with about this force, N, and returns when this force is
/// steady. For instance, press() changes the uplift force, or asks somebody to put a weight on.
template <ForceSensor S, Clock C, std::invocable<double> Press>
[[nodiscard]] Findings test_force_sensor(S& sensor, C& clock, Press&& press, const ForceSensorTest& p = {}) {
    constexpr const char* where = "testing::test_force_sensor";
    require_not_negative(p.light, where, "light");
    require(is_finite(p.heavy) && p.heavy > p.light, where, "heavy is ", p.heavy, " N, must be more than light, ",
            p.light, " N");
    require_positive(p.share, where, "share");
    require(p.readings >= 2, where, "readings is ", p.readings, ", must be at least 2");
    Findings f;
    press(p.light);
    const double low = detail::read_steady(sensor, clock, p, f);
    if (!f.empty()) return f;
    press(p.heavy);
    const double high = detail::read_steady(sensor, clock, p, f);
    if (!f.empty()) return f;
    const double more = p.heavy - p.light;
    expect(f, std::fabs(high - low - more) <= p.share * more, "pressed with ", p.light, " N and then with ", p.heavy,
           " N, the mean reading changes by ", high - low, " N from ", low, " N, expected a change of ", more, " N to ",
           100.0 * p.share, " %: without a change, the load cell is frozen; otherwise look at sign and unit");
    return f;
}

}  // namespace panto::testing
