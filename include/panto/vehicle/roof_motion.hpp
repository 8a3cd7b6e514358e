// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Motion of the roof of a linear vehicle, below a pantograph.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/linear_ride.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::vehicle {

/// Motion of a roof below a pantograph, for interaction::SimulationParams::roof.
struct RoofMotion {
    double dt = 0.0;               ///< s
    std::vector<double> height{};  ///< m
    std::vector<double> rate{};    ///< m/s

    /// Linear between the samples; constant after the last. @rt
    [[nodiscard]] Motion at(double time) const noexcept {
        const double place = std::max(0.0, time / dt), last = static_cast<double>(height.size()) - 1.0;
        if (!(place < last)) return {height.empty() ? 0.0 : height.back(), 0.0};
        const auto i = static_cast<std::size_t>(place);
        const double t = place - static_cast<double>(i);
        return {(1.0 - t) * height[i] + t * height[i + 1], (1.0 - t) * rate[i] + t * rate[i + 1]};
    }
};

/// The motion of a probe from `start` on, for `duration`, both in s. The track below the vehicle must be level at the
/// start.
/// @throws SetupError if start is not finite, if the duration is not positive or lasts 100 million steps or more, if
/// the track is not valid or its record ends before the run does, if the node of the probe does not exist, or if a
/// wheel lifts or is off its rail, with wheel and time [linear_ride.hpp].
template <TrackInput Track>
[[nodiscard]] RoofMotion roof_motion(const LinearMarch& march, const Track& track, const Probe& roof, double start,
                                     double duration) {
    require_finite(start, "vehicle::roof_motion", "start");
    require_positive(duration, "vehicle::roof_motion", "duration");
    require(duration / march.dt() < 1e8, "vehicle::roof_motion", "duration is ", duration,
            " s, must be below 100000000 steps of ", march.dt(), " s");
    march.vehicle().assembly.check({roof}, "vehicle::roof_motion");
    if constexpr (requires { validate(track); }) validate(track);
    const Assembly& a = march.vehicle().assembly;
    const double front = a.nodes[static_cast<std::size_t>(a.axles.front())].centre[0];
    require_track(track, front + march.vehicle().speed * (start + duration), "vehicle::roof_motion");
    RoofMotion m{.dt = march.dt()};
    const LinearLoads loads(march.vehicle());
    auto x = march.rest();
    const auto steps = static_cast<long>(std::ceil(duration / march.dt()));
    for (long n = 0; n <= steps; ++n) {
        m.height.push_back(march.displacement(roof, x));
        m.rate.push_back(march.rate(roof, x));
        march.step(start + static_cast<double>(n) * march.dt(), track, x);
        const RideState state = loads.check(start + static_cast<double>(n + 1) * march.dt(), x);
        if (!state.ok() && n < steps)
            throw_setup_error("vehicle::roof_motion", {described(state, start, march.vehicle().assembly.wheelsets())});
    }
    return m;
}

}  // namespace panto::vehicle
