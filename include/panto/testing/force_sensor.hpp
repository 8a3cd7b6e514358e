// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for force sensors, with the strip resting on the pad and the drive at rest.

#pragma once

#include <panto/rig/concepts.hpp>
#include <panto/testing/findings.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace panto::testing {

struct ForceSensorTest {
    int readings = 100;
    std::chrono::nanoseconds period = std::chrono::milliseconds(2);  ///< between two readings
    double least = -1e5;    ///< N, lowest accepted mean. Press with a known force and give its range here, so that
    double most = 1e5;      ///< N, highest accepted mean ... a wrong sign, unit or tare is found
    double scatter = 50.0;  ///< N, largest accepted standard deviation of a single reading
    double lost = 0.05;     ///< share of the readings that may be missing or stale
};

/// Takes `p.readings` readings, one per period, and one more in the last period, as a run does in its first period.
template <ForceSensor S, Clock C>
[[nodiscard]] Findings test_force_sensor(S& sensor, C& clock, const ForceSensorTest& p = {}) {
    require(p.readings >= 2, "testing::test_force_sensor", "readings is ", p.readings, ", must be at least 2");
    Findings f;
    double sum = 0.0, squares = 0.0;
    int good = 0, missing = 0;
    Result<double> last{0.0, Status::sensor_lost};
    std::chrono::nanoseconds due = clock.now();
    for (int n = 0; n < p.readings; ++n) {
        clock.sleep_until(due += p.period);
        const Result<double> reading = last = sensor.read();
        if (reading.usable()) {
            if (!expect(f, is_finite(reading.value), "reading ", n + 1, " has the status '", name(reading.status),
                        "' but is not a finite number; return sensor_lost or sensor_implausible"))
                return f;
            ++good;
            sum += reading.value;
            squares += reading.value * reading.value;
        } else {
            ++missing;
            if (!expect(f, reading.status == Status::sensor_lost || reading.status == Status::sensor_stale, "reading ",
                        n + 1, " has the status '", name(reading.status), "', which stops a rig at once"))
                return f;
        }
    }
    const Result<double> again = sensor.read();
    if (last.usable() && !again.usable())
        expect(f, false, "a second reading within the same period has the status '", name(again.status),
               "'; a run reads twice in its first period, so judge the age of a reading, not whether it is new");
    if (!expect(f, missing <= p.lost * p.readings, missing, " of ", p.readings, " readings are missing or old"))
        return f;
    const double mean = sum / good, scatter = std::sqrt(std::max(0.0, squares / good - mean * mean));
    expect(f, mean >= p.least && mean <= p.most, "the mean reading is ", mean, " N, expected from ", p.least, " to ",
           p.most, " N; a force is positive when strip and pad are pressed together, in N");
    expect(f, scatter <= p.scatter, "single readings scatter by ", scatter,
           " N (standard deviation), expected at most ", p.scatter, " N");
    return f;
}

}  // namespace panto::testing
