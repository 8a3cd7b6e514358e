// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Vehicles put together from parts, for tests.

#pragma once

#include <panto/vehicle/assembly.hpp>

#include <string>

namespace panto::test {

/// The bogie of vehicle/bogie.hpp as bodies and links.
inline vehicle::Multibody bogie_of_parts(const vehicle::BogieParams<>& p, const vehicle::WheelRail<>& rail) {
    using vehicle::Direction;
    vehicle::Multibody v;
    v.rail = rail;
    const double preload = p.wheel_load - 0.5 * p.wheelset_mass * p.gravity, r0 = rail.profile.radius;
    v.bodies.push_back({"frame",
                        p.frame_mass,
                        {p.frame_inertia[0], p.frame_inertia[1], p.frame_inertia[2]},
                        {0.0, 0.0, r0 + p.spring_depth},
                        4.0 * preload - p.frame_mass * p.gravity});
    for (const double end : {1.0, -1.0}) {
        const std::string name = end > 0.0 ? "front" : "rear";
        const double x = 0.5 * end * p.wheelbase;
        v.axles.push_back({name, p.wheelset_mass, p.wheelset_inertia, p.wheelset_spin_inertia, x});
        for (const double side : {1.0, -1.0}) {
            vehicle::Link box{"axle box", {"frame", name}, {x, side * p.half_spring_base, r0}, {}};
            for (std::size_t i = 0; i < 3; ++i)
                box.parts.push_back(
                    {.direction = static_cast<Direction>(i), .stiffness = p.stiffness[i], .damping = p.damping[i]});
            v.links.push_back(box);
        }
    }
    return v;
}

}  // namespace panto::test
