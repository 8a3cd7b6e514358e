// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A vehicle linearized about its equilibrium at one speed:
///     M d2q/dt2 + (C + C_c) dq/dt + (K + K_c) q + B f = G w ,   df/dt = series (B' dq/dt + T dw/dt) - rate f .
/// The matrices M, C, K of bodies and suspension are symmetric. The matrices C_c, K_c of wheel and rail contain creep,
/// gyroscopic moments and the weight on the contact, and are not symmetric. f are the forces of the dampers that have a
/// spring in series; `series` is the stiffness of that spring, `rate` this stiffness divided by the damping. For each
/// wheelset, w holds nine numbers: the lateral and vertical offsets d_y and d_z and the roll gamma of the track
/// (track.hpp), each with its first two derivatives with respect to position. The contact is the exact linearization of
/// wheelset.hpp or free_wheelset.hpp by dual numbers, under the static load of each wheel.
///
/// Preloads turn with their springs: upward forces F_i at heights h_i above the centre of a body add sum F_i h_i to its
/// roll and pitch stiffness. A car body that stands on its springs thus becomes less stable.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/dual.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/vehicle/assembly.hpp>
#include <panto/vehicle/hunting.hpp>
#include <panto/vehicle/wheelset_dynamics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace panto::vehicle {

/// u = A (y, yaw) + T (d_y, d_z, gamma) of a wheelset with two freedoms.
struct AxleMap {
    Matrix<double, 6, 2> motion;
    Matrix<double, 6, 3> track;
};

[[nodiscard]] inline AxleMap axle_map(const Assembly& a) {
    const double kappa = a.geometry.at(0.0).roll_slope;
    AxleMap m{Matrix<double, 6, 2>::Zero(), Matrix<double, 6, 3>::Zero()};
    m.motion(1, 0) = 1.0, m.motion(3, 0) = kappa, m.motion(5, 1) = 1.0;
    m.track(2, 1) = 1.0;
    m.track(3, 0) = -kappa, m.track(3, 2) = 1.0 + kappa * a.rail.profile.radius;
    return m;
}

struct LinearVehicle {
    Assembly assembly{};
    double speed = 0.0;  ///< m/s
    AxleMap map{};
    Eigen::MatrixXd mass{};
    Eigen::MatrixXd damping{}, stiffness{};                  ///< of the suspension
    Eigen::MatrixXd contact_damping{}, contact_stiffness{};  ///< of wheel and rail
    Eigen::MatrixXd memory_input{};                          ///< B
    Eigen::MatrixXd memory_track{};                          ///< T, one column for each number in w
    Eigen::VectorXd series{}, rate{};
    Eigen::MatrixXd track{};  ///< G
};

namespace detail {

/// The two masses of a wheelset, and the derivatives of its generalized forces with respect to (y, yaw, dy/dt, dyaw/dt,
/// w) at rest.
struct AxleContact {
    std::array<double, 2> mass{};
    Matrix<double, 2, 13> rows = Matrix<double, 2, 13>::Zero();
};

template <class Law>
[[nodiscard]] AxleContact axle_contact(const Assembly& a, int axle_node, double speed, const Law& law,
                                       const WheelsetForm& form) {
    using D = Dual<13>;
    const auto& profile = a.rail.profile;
    const Node& node = a.nodes[static_cast<std::size_t>(axle_node)];
    const ContactPatch<D> patch = a.patch(axle_node).cast<D>();
    std::array<D, 13> in;
    for (int i = 0; i < 13; ++i) in[static_cast<std::size_t>(i)] = D::variable(0.0, i);
    const TrackPoint<D> point{{in[4], in[5], in[6]}, {in[7], in[8], in[9]}, {in[10], in[11], in[12]}};
    const D r0(profile.radius), v(speed), half(profile.half_distance);
    const auto m =
        wheelset_motion(a.geometry.cast<D>(), r0, v, in[0], in[1], in[2], in[3], point, form.printed_cross_level);
    WheelsetForces<D> forces;
    forces.z = D(-node.suspension_load);
    for (std::size_t side = 0; side < 2; ++side)
        forces.add_creep(m, wheel_creep(m, side, half, r0, v, patch, law, form), side, half);
    const auto acceleration = wheelset_acceleration<D>(
        {D(node.mass), D(node.inertia[0]), D(node.inertia[1]), D(a.gravity)}, m, D(v / r0), forces);
    AxleContact out;
    const double kappa = value_of(m.kappa);
    out.mass = {node.mass + node.inertia[0] * kappa * kappa, node.inertia[0]};
    for (int j = 0; j < 13; ++j) {
        out.rows(0, j) = out.mass[0] * acceleration.y.derivative(j);
        out.rows(1, j) = out.mass[1] * acceleration.psi.derivative(j);
    }
    return out;
}

/// The same for a wheelset with six freedoms: derivatives with respect to the freedoms, their rates and w.
template <class Law>
[[nodiscard]] Matrix<double, 6, 21> free_axle_contact(const Assembly& a, int axle_node, double speed, const Law& law,
                                                      const WheelsetForm& form) {
    using D = Dual<21>;
    const auto& profile = a.rail.profile;
    const Node& node = a.nodes[static_cast<std::size_t>(axle_node)];
    const ContactPatch<D> patch = a.patch(axle_node).cast<D>();
    const ElasticContact<> contact = elastic_contact(a, axle_node, law, form);
    std::array<D, 21> in;
    for (int i = 0; i < 21; ++i) in[static_cast<std::size_t>(i)] = D::variable(0.0, i);
    Vector<D, 6> q, rate;
    for (int i = 0; i < 6; ++i) q[i] = in[static_cast<std::size_t>(i)], rate[i] = in[static_cast<std::size_t>(6 + i)];
    const TrackPoint<D> point{{in[12], in[13], in[14]}, {in[15], in[16], in[17]}, {in[18], in[19], in[20]}};
    const D r0(profile.radius), v(speed), half(profile.half_distance);
    const auto w = free_wheelset(a.geometry.cast<D>(), r0, v, q, rate, point,
                                 ElasticContact<D>{D(contact.normal), D(contact.approach)}, form.printed_cross_level);
    WheelsetForces<D> forces;
    forces.z = D(-node.suspension_load);
    const auto creep = free_wheelset_creep(w, half, r0, v, patch, law, form);
    const auto acceleration =
        free_wheelset_acceleration<D>({D(node.mass), D(node.inertia[0]), D(node.inertia[1]), D(a.gravity)}, w,
                                      D(v / r0), forces, D(0.0), creep, half);
    Matrix<double, 6, 21> rows;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 21; ++j) rows(i, j) = node.inertia_of(i) * acceleration[i].derivative(j);
    return rows;
}

}  // namespace detail

struct LinearForm {
    WheelsetForm wheelset{};
    bool preload = true;  ///< preloads turn with their springs, see above
};

/// @param speed  m/s, above 0, because creepage is slip divided by it.
/// @throws SetupError if the speed is not positive, if normal forces are dynamic with wheelsets of two freedoms, or as
/// contact_patch.
template <class Law = VermeulenJohnson>
[[nodiscard]] LinearVehicle linearize(const Assembly& a, double speed, const Law& law = Law{}, LinearForm form = {}) {
    require_positive(speed, "vehicle::linearize", "speed");
    require(a.free_wheelsets || form.wheelset.normal_force == NormalForce::at_rest, "vehicle::linearize",
            "normal_force is dynamic, which with wheelsets of two degrees of freedom depends on the motion of all "
            "bodies; set Multibody::free_wheelsets for six, or use NonlinearVehicle");
    const int n = a.freedoms, m = a.memories, inputs = 9 * static_cast<int>(a.axles.size());
    LinearVehicle v{.assembly = a, .speed = speed, .map = axle_map(a)};
    const auto zero = [](int rows, int cols) { return Eigen::MatrixXd(Eigen::MatrixXd::Zero(rows, cols)); };
    v.mass = zero(n, n), v.damping = zero(n, n), v.stiffness = zero(n, n);
    v.contact_damping = zero(n, n), v.contact_stiffness = zero(n, n);
    v.memory_input = zero(n, m), v.memory_track = zero(m, inputs), v.track = zero(n, inputs);
    v.series = Eigen::VectorXd::Zero(m), v.rate = Eigen::VectorXd::Zero(m);

    std::vector<int> input(a.nodes.size(), -1);  // first column of a wheelset in w
    for (std::size_t i = 0; i < a.axles.size(); ++i)
        input[static_cast<std::size_t>(a.axles[i])] = 9 * static_cast<int>(i);
    std::vector<double> tilting(a.nodes.size(), 0.0);
    for (const Part& p : a.parts) {
        // The few entries of b and t, delta = b . q + t . w.
        std::vector<std::pair<int, double>> b, t;
        for (std::size_t i = 0; i < 2; ++i) {
            const auto k = static_cast<std::size_t>(p.node[i]);
            const Node& node = a.nodes[k];
            const double sign = i == 0 ? -1.0 : 1.0;
            if (node.constrained()) {
                const Vector<double, 2> own = sign * v.map.motion.transpose() * p.row[i].head<6>();
                const Vector<double, 3> below = sign * v.map.track.transpose() * p.row[i].head<6>();
                for (int j = 0; j < 2; ++j) b.emplace_back(node.first + j, own[j]);
                for (int j = 0; j < 3; ++j) t.emplace_back(input[k] + 3 * j, below[j]);
            } else {
                for (int j = 0; j < node.freedoms; ++j) b.emplace_back(node.first + j, sign * p.row[i][j]);
                // The upward force on this node times the height of its point; p.row[i] does not contain this height.
                if (form.preload && !node.axle && p.direction == Direction::z)
                    tilting[k] += -sign * p.preload * p.height[i];
            }
        }
        const bool arm = p.memory >= 0;
        for (const auto& [row, value] : b) {
            for (const auto& [col, other] : b) {
                v.stiffness(row, col) += p.stiffness * value * other;
                if (!arm) v.damping(row, col) += p.damping * value * other;
            }
            for (const auto& [col, below] : t) {  // the rate of a number in w is v times the slope next to it
                v.track(row, col) -= p.stiffness * value * below;
                if (!arm) v.track(row, col + 1) -= p.damping * value * speed * below;
            }
            if (arm) v.memory_input(row, p.memory) = value;
        }
        if (!arm) continue;
        for (const auto& [col, below] : t) v.memory_track(p.memory, col) = below;
        v.series[p.memory] = p.series;
        v.rate[p.memory] = p.series / p.damping;
    }
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const Node& node = a.nodes[i];
        const int f = node.first;
        if (!node.axle) {
            for (int j = 0; j < node.freedoms; ++j) v.mass(f + j, f + j) = node.inertia_of(j);
            for (std::size_t j = 0; j < node.modes.size(); ++j) {
                const BendingMode& mode = node.modes[j];
                const int k = f + 6 + static_cast<int>(j);
                v.stiffness(k, k) += node.mass * mode.frequency * mode.frequency;
                v.damping(k, k) += 2.0 * mode.damping * mode.frequency * node.mass;
            }
            v.stiffness(f + 3, f + 3) += tilting[i];
            v.stiffness(f + 4, f + 4) += tilting[i];
            continue;
        }
        if (!node.constrained()) {
            const auto rows = detail::free_axle_contact(a, static_cast<int>(i), speed, law, form.wheelset);
            for (int j = 0; j < 6; ++j) v.mass(f + j, f + j) = node.inertia_of(j);
            v.contact_stiffness.block<6, 6>(f, f) = -rows.template leftCols<6>();
            v.contact_damping.block<6, 6>(f, f) = -rows.template middleCols<6>(6);
            v.track.block<6, 9>(f, input[i]) += rows.template rightCols<9>();
            continue;
        }
        const detail::AxleContact c = detail::axle_contact(a, static_cast<int>(i), speed, law, form.wheelset);
        for (int j = 0; j < 2; ++j) v.mass(f + j, f + j) = c.mass[static_cast<std::size_t>(j)];
        v.contact_stiffness.block<2, 2>(f, f) = -c.rows.leftCols<2>();
        v.contact_damping.block<2, 2>(f, f) = -c.rows.middleCols<2>(2);
        v.track.block<2, 9>(f, input[i]) += c.rows.rightCols<9>();
    }
    return v;
}

/// The matrix of d/dt (q, dq/dt, f) on level track.
template <class = void>
[[nodiscard]] Eigen::MatrixXd state_matrix(const LinearVehicle& v) {
    const Eigen::Index n = v.mass.rows(), m = v.series.size();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n + m, 2 * n + m);
    const Eigen::VectorXd inverse = v.mass.diagonal().cwiseInverse();  // the mass matrix is diagonal
    A.block(0, n, n, n).setIdentity();
    A.block(n, 0, n, n) = -(inverse.asDiagonal() * (v.stiffness + v.contact_stiffness));
    A.block(n, n, n, n) = -(inverse.asDiagonal() * (v.damping + v.contact_damping));
    A.block(n, 2 * n, n, m) = -(inverse.asDiagonal() * v.memory_input);
    A.block(2 * n, n, m, n) = v.series.asDiagonal() * v.memory_input.transpose();
    A.bottomRightCorner(m, m) = -Eigen::MatrixXd(v.rate.asDiagonal());
    return A;
}

/// The eigenvalues in 1/s, except those that are 0 because no force opposes rolling along the track. With wheelsets of
/// six freedoms, these are one for the angle of each wheelset and two for the position of the vehicle.
template <class = void>
[[nodiscard]] Eigen::VectorXcd eigenvalues(const LinearVehicle& v) {
    Eigen::VectorXcd all = linalg::eigenvalues(state_matrix(v));
    if (!v.assembly.free_wheelsets) return all;
    const auto rolling = static_cast<Eigen::Index>(v.assembly.axles.size()) + 2;
    std::nth_element(all.begin(), all.begin() + rolling, all.end(),
                     [](const auto& a, const auto& b) { return std::norm(a) < std::norm(b); });
    return all.tail(all.size() - rolling);
}

/// The largest real part of the eigenvalues, 1/s; above 0 the motion grows.
template <class = void>
[[nodiscard]] double growth_rate(const LinearVehicle& v) {
    return eigenvalues(v).real().maxCoeff();
}

/// The speed in m/s above which the vehicle hunts; NaN if it does not hunt in the range. @throws SetupError as
/// linearize.
template <class = void>
[[nodiscard]] double critical_speed(const Assembly& a, const SpeedRange& range = {}) {
    return critical_speed_of([&](double v) { return growth_rate(linearize(a, v)); }, range);
}

#ifdef PANTO_COMPILED
extern template LinearVehicle linearize(const Assembly&, double, const VermeulenJohnson&, LinearForm);
#endif

}  // namespace panto::vehicle
