// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A linear vehicle in a steady curve with cant. Every body and wheelset is described relative to the centre line next
/// to it. With the curvature 1/R (positive to the left) and the cant angle phi_c (positive if the right rail is
/// higher),
///     the force m (g phi_c - v^2/R) to the left acts on a body of mass m;
///     a wheelset also turns at v/R: creep and gyroscopic moments use psi. + v/R in place of psi. ;
///     the reference frame at X along the line is shifted by X^2/(2R) and turned by X/R, which stretches links between
///     nodes at different X.
/// A free wheelset runs at rho = -r0 a/(lambda R), toward the outer rail.

#pragma once

#include <panto/core/check.hpp>
#include <panto/vehicle/linear_vehicle.hpp>

#include <Eigen/LU>

#include <array>
#include <cstddef>

namespace panto::vehicle {

struct Curve {
    double curvature = 0.0;  ///< 1/m, positive to the left
    double cant = 0.0;       ///< rad, positive if the right rail is higher
};

/// The right-hand side of (K + K_c) q in the curve: N, N m.
template <class = void>
[[nodiscard]] Eigen::VectorXd curve_force(const LinearVehicle& v, const Curve& curve) {
    require_finite(curve.curvature, "vehicle::Curve", "curvature");
    require_finite(curve.cant, "vehicle::Curve", "cant");
    require(!v.assembly.free_wheelsets, "vehicle::Curve",
            "the vehicle has wheelsets with six freedoms; steady curves are for two");
    const Assembly& a = v.assembly;
    Eigen::VectorXd force = Eigen::VectorXd::Zero(a.freedoms);
    const double sideways = a.gravity * curve.cant - v.speed * v.speed * curve.curvature;
    for (const Node& n : a.nodes) {
        force[n.first + (n.axle ? 0 : 1)] += n.mass * sideways;
        if (n.axle)
            force.segment<2>(n.first) -=
                v.speed * curve.curvature * v.contact_damping.block<2, 1>(n.first, n.first + 1);
    }
    for (const Part& p : a.parts) {
        std::array<NodeMotion, 2> frame{NodeMotion::Zero(), NodeMotion::Zero()};
        for (std::size_t i = 0; i < 2; ++i) {
            const double x = a.nodes[static_cast<std::size_t>(p.node[i])].centre[0];
            frame[i][1] = 0.5 * x * x * curve.curvature, frame[i][5] = x * curve.curvature;
        }
        const double f = p.stiffness * p.stretch(frame[0], frame[1]);
        for (std::size_t i = 0; i < 2; ++i) {
            const Node& n = a.nodes[static_cast<std::size_t>(p.node[i])];
            const NodeMotion on_node = (i == 0 ? f : -f) * p.row[i];
            if (n.axle)
                force.segment<2>(n.first) += v.map.motion.transpose() * on_node.head<6>();
            else
                force.segment(n.first, n.freedoms) += on_node.head(n.freedoms);
        }
    }
    return force;
}

/// The degrees of freedom in the steady curve, m and rad, with dampers at rest.
/// @throws SetupError if curvature or cant is not finite, or the vehicle has no steady state at its speed.
template <class = void>
[[nodiscard]] Eigen::VectorXd steady_curve(const LinearVehicle& v, const Curve& curve) {
    const Eigen::VectorXd force = curve_force(v, curve);
    const Eigen::MatrixXd K = v.stiffness + v.contact_stiffness;
    const Eigen::VectorXd q = K.partialPivLu().solve(force);
    require((K * q - force).norm() <= 1e-6 * force.norm(), "vehicle::steady_curve",
            "the vehicle has no steady state: its stiffness is singular");
    return q;
}

}  // namespace panto::vehicle
