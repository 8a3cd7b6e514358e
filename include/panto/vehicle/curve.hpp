// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A linear vehicle in curves with cant, described relative to frames that follow the track (track_frame.hpp): what
/// these frames add to the equations of the vehicle, and its state in a steady curve. In a curve of radius R, a free
/// wheelset runs at rho = -r0 a/(lambda R), toward the outer rail (symbols in contact_geometry.hpp). LinearMarch and
/// NonlinearVehicle run through transition curves on a DesignedTrack.

#pragma once

#include <panto/core/check.hpp>
#include <panto/vehicle/linear_vehicle.hpp>
#include <panto/vehicle/track_frame.hpp>

#include <Eigen/LU>

#include <array>
#include <cstddef>
#include <vector>

namespace panto::vehicle {

/// What the frames add to the right-hand side of M d2q/dt2 + (C + C_c) dq/dt + (K + K_c) q + B f = G w, N and N m, and
/// the stretch that they cause in every damper in series. @rt
template <class = void>
void curve_force(const LinearVehicle& v, const std::vector<NodeFrame>& frames, Eigen::VectorXd& force,
                 Eigen::VectorXd& stretch) noexcept {
    const Assembly& a = v.assembly;
    force.setZero();
    const auto add = [&](const Node& n, const NodeMotion& f) {
        if (n.constrained())
            force.segment<2>(n.first).noalias() += v.map.motion.transpose() * f.head<6>();
        else
            force.segment(n.first, n.freedoms) += f.head(n.freedoms);
    };
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const Node& n = a.nodes[i];
        add(n, frames[i].force);
        if (n.axle)  // the last freedom of a wheelset is its yaw
            force.segment(n.first, n.freedoms) -=
                frames[i].yaw_rate * v.contact_damping.col(n.first + n.freedoms - 1).segment(n.first, n.freedoms);
    }
    for (const Part& p : a.parts) {
        const auto i = static_cast<std::size_t>(p.node[0]), j = static_cast<std::size_t>(p.node[1]);
        const double delta = p.stretch(frames[i].place, frames[j].place);
        double f = p.stiffness * delta;
        if (p.memory >= 0)
            stretch[p.memory] = delta;
        else
            f += p.damping * p.stretch(frames[i].rate, frames[j].rate);
        add(a.nodes[i], f * p.row[0]), add(a.nodes[j], -f * p.row[1]);
    }
}

/// The right-hand side of (K + K_c) q in a steady curve: N, N m. @throws SetupError as steady_curve.
template <class = void>
[[nodiscard]] Eigen::VectorXd curve_force(const LinearVehicle& v, const Curve& curve) {
    validate(curve, "vehicle::Curve");
    std::vector<NodeFrame> frames;
    for (const Node& n : v.assembly.nodes) {
        const double x = n.centre[0], k = curve.curvature;
        frames.push_back(node_frame(v.assembly, n, v.speed, {k, 0.0, k * x, 0.5 * k * x * x, {curve.cant, 0.0, 0.0}},
                                    {k, 0.0, 0.0, 0.0, {curve.cant, 0.0, 0.0}}));
    }
    Eigen::VectorXd force(v.assembly.freedoms), stretch(v.assembly.memories);
    curve_force(v, frames, force, stretch);
    return force;
}

/// The degrees of freedom in the steady curve, m and rad, with dampers at rest. Wheelsets with six freedoms keep
/// turning about their axles: in place of that angle, the result has its rate, rad/s, beyond rolling at constant speed.
/// @throws SetupError if the curve is not valid, or the vehicle has no steady state at its speed.
template <class = void>
[[nodiscard]] Eigen::VectorXd steady_curve(const LinearVehicle& v, const Curve& curve) {
    const Eigen::VectorXd force = curve_force(v, curve);
    Eigen::MatrixXd K = v.stiffness + v.contact_stiffness;
    if (v.assembly.free_wheelsets) {
        // Nothing resists a displacement of the vehicle along the track, `along`, and the forces along the track,
        // `against`, are in balance. The product of both makes the matrix regular. Of all solutions it selects the one
        // with a mean displacement of 0.
        Eigen::VectorXd along = Eigen::VectorXd::Zero(force.size()), against = along;
        for (const Node& n : v.assembly.nodes) {
            along[n.first] = against[n.first] = 1.0;
            if (!n.axle) continue;
            against[n.first + 4] = 1.0 / v.assembly.rail.profile.radius;
            K.col(n.first + 4) = v.damping.col(n.first + 4) + v.contact_damping.col(n.first + 4);
        }
        K += (K.norm() / along.squaredNorm()) * against * along.transpose();
    }
    const Eigen::VectorXd q = K.partialPivLu().solve(force);
    require((K * q - force).norm() <= 1e-6 * force.norm(), "vehicle::steady_curve",
            "the vehicle has no steady state: its stiffness is singular");
    return q;
}

}  // namespace panto::vehicle
