// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Frames that follow the design of a track next to each body and wheelset of a vehicle; the vehicle is described
/// relative to these frames. With the curvature k, the cant phi_c and a prime for d/ds, all next to the node, a frame
///     moves along the centre line at the speed v, turns at the rate v k and leans by phi_c to the inside of the curve.
/// Its node, of mass m with its centre z above the rail, therefore gets the force
///     m (g phi_c - v^2 k) - m z v^2 phi_c'' to the left, the moments I_x v^2 phi_c'' in roll and -I_z v^2 k' in yaw.
/// A wheelset that rolls at v/r0 with the spin inertia I_y also gets I_y (v/r0) v phi_c' in yaw, and creeps because it
/// turns at v k. The frames of two nodes differ, which stretches the links between them.

#pragma once

#include <panto/vehicle/assembly.hpp>
#include <panto/vehicle/track_design.hpp>

#include <cstddef>
#include <vector>

namespace panto::vehicle {

/// The frame of one node, as seen from the frame at the vehicle's origin.
struct NodeFrame {
    NodeMotion place = NodeMotion::Zero(), rate = NodeMotion::Zero();
    NodeMotion force = NodeMotion::Zero();  ///< N and N m, on the node
    double yaw_rate = 0.0;                  ///< rad/s, v k, in the ground's frame
};

/// @rt
[[nodiscard]] inline NodeFrame node_frame(const Assembly& a, const Node& n, double speed, const DesignPoint& here,
                                          const DesignPoint& origin) noexcept {
    const double x = n.centre[0], z = n.centre[2], v2 = speed * speed;
    NodeFrame f;
    f.place[1] = here.offset - origin.offset - x * origin.heading + z * here.cant.value;
    f.place[3] = -here.cant.value;
    f.place[5] = here.heading - origin.heading;
    f.rate[1] = speed * (here.heading - origin.heading - x * origin.curvature + z * here.cant.slope);
    f.rate[3] = -speed * here.cant.slope;
    f.rate[5] = speed * (here.curvature - origin.curvature);
    f.yaw_rate = speed * here.curvature;
    f.force[1] = n.mass * (a.gravity * here.cant.value - v2 * (here.curvature + z * here.cant.curvature));
    f.force[3] = n.inertia[0] * v2 * here.cant.curvature;
    f.force[5] = -n.inertia[2] * v2 * here.curvature_slope;
    if (n.axle) f.force[5] += n.inertia[1] * v2 / a.rail.profile.radius * here.cant.slope;
    return f;
}

/// The frames of all nodes with the vehicle's origin at `place`, m; `frames` has an entry for each node. @rt
template <class = void>
void follow(const Assembly& a, double speed, const TrackDesign& design, double place,
            std::vector<NodeFrame>& frames) noexcept {
    const DesignPoint origin = design.at(place);
    for (std::size_t i = 0; i < a.nodes.size(); ++i)
        frames[i] = node_frame(a, a.nodes[i], speed, design.at(place + a.nodes[i].centre[0]), origin);
}

}  // namespace panto::vehicle
