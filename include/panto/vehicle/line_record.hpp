// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Records of accelerometers on a nonlinear vehicle over a section of line: virtual measurements, or a model to be
/// compared with measured ones.

#pragma once

#include <panto/core/check.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/nonlinear_vehicle.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::vehicle {

/// The section. The vehicle's origin starts at `start` on level track and runs first over `lead`, which is not
/// recorded, and then over `length`, which is.
struct LineSection {
    double start = 0.0;     ///< m
    double lead = 0.0;      ///< m
    double length = 250.0;  ///< m
    double period = 2e-3;   ///< s, between samples
    int substeps = 2;       ///< steps of the integrator in a period
};

/// Accelerations in m/s^2 at the probes: a row for each probe, a column for each sample. Probes must be on bodies or on
/// wheelsets with six freedoms.
/// @throws SetupError if the section or the track is not valid, if a record of the track ends before the run does, if a
/// probe is on a wheelset with two freedoms or on no node at all, or if a wheel lifts or leaves its rail, with wheel
/// and time [ride.hpp]. This is checked at every sample, also of the lead.
template <class Law, class Geometry, TrackInput Track>
[[nodiscard]] Matrix<double, Dynamic> accelerations(const NonlinearVehicle<Law, Geometry>& vehicle, const Track& track,
                                                    const std::vector<Probe>& probes, const LineSection& s) {
    const char* where = "vehicle::LineSection";
    require_finite(s.start, where, "start");
    require_not_negative(s.lead, where, "lead");
    require_positive(s.length, where, "length");
    require_positive(s.period, where, "period");
    require(s.substeps >= 1, where, "substeps is ", s.substeps, ", must be at least 1");
    if constexpr (requires { validate(track); }) validate(track);
    const auto& nodes = vehicle.assembly().nodes;
    vehicle.assembly().check(probes, where);
    for (const Probe& p : probes) {
        const auto& node = nodes[static_cast<std::size_t>(p.node)];
        require(!node.constrained(), where, "a probe is on wheelset '", node.name, "', must be on a body");
    }
    const double dt = s.period / s.substeps, begin = s.start / vehicle.speed();
    const auto lead = static_cast<long>(std::ceil(s.lead / vehicle.speed() / s.period));
    const auto samples = static_cast<long>(std::floor(s.length / vehicle.speed() / s.period));
    require(samples >= 1 && samples < 100'000'000, where, "length is ", s.length, " m, which takes ", samples,
            " samples, must be from 1 to 100000000");
    const double front = nodes[static_cast<std::size_t>(vehicle.assembly().axles.front())].centre[0];
    require_track(track, s.start + front + s.lead + s.length, where);
    Matrix<double, Dynamic> y(static_cast<Eigen::Index>(probes.size()), samples);
    auto x = vehicle.rest();
    for (long n = 0; n < lead + samples; ++n) {
        const double time = begin + static_cast<double>(n) * s.period;
        vehicle.evaluate(time, track, x);
        if (const RideState state = vehicle.check(time, x); !state.ok())
            throw_setup_error("vehicle::accelerations", {described(state, begin, vehicle.assembly().wheelsets())});
        for (std::size_t i = 0; n >= lead && i < probes.size(); ++i)
            y(static_cast<Eigen::Index>(i), n - lead) = vehicle.acceleration(probes[i], x);
        for (int k = 0; k < s.substeps; ++k)
            vehicle.step(begin + static_cast<double>(n * s.substeps + k) * dt, dt, track, x);
    }
    return y;
}

}  // namespace panto::vehicle
