// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The equations of the rig: in continuous time, with the strip on the pad or off it, and sampled by a loop with
/// delayed commands and readings.
///
///     x' = A x + B [r; l; f],   x = [u_m, v_m, q_1, q_1', q_2, q_2', ..., filter]
///
/// u_m is the height of the motor, q_i that of mass i, head first. r is the reference that the motor follows at
/// present, l is the uplift force on the lowest mass, f is a force on the head, positive upward. The filter's states
/// are penetrations, so that their size is similar to that of the heights.
///
/// Only the sum of the two delays matters for a loop, D = command_delay + reading_delay = k + p periods, 0 <= p < 1.
/// With x[t] at the instant of the reading of cycle t and w[t] the command written in cycle t,
///
///     x[t+1] = A x[t] + e^(A (1-p) dt) G(p dt) w[t-k-1] + G((1-p) dt) w[t-k],   G(s) = int_0^s e^(A s') ds' B_r
///
/// which is exact for a drive that holds its reference.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/linalg/hold.hpp>
#include <panto/plant/rig.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace panto::plant {

/// Indices of these quantities in the state.
inline constexpr Eigen::Index motor_height = 0, motor_speed = 1, head_height = 2, head_speed = 3;

enum class Contact : bool { open, closed };

/// What moves the motor: its position loop, or a given acceleration, as in a drive that saturates.
enum class MotorInput : bool { reference, acceleration };

struct ContinuousModel {
    Eigen::MatrixXd A = {};
    /// Columns: reference [m] or acceleration [m/s^2], uplift force [N], force on the head [N].
    Eigen::MatrixXd B = {};
    Eigen::RowVectorXd contact_force = {};   ///< N, k_h (q_1 - u_m); 0 while open
    Eigen::RowVectorXd measured_force = {};  ///< N, behind the filter
};

/// @throws SetupError if a parameter is invalid.
template <class = void>
[[nodiscard]] ContinuousModel continuous_model(const RigParams& p, Contact contact = Contact::closed,
                                               MotorInput input_of_motor = MotorInput::reference) {
    validate(p, "plant::RigParams");
    const Eigen::Index masses = p.pantograph.mass.size(), filter = 2 + 2 * masses;
    const Eigen::Index order = p.force_filter.cut_off > 0.0 ? p.force_filter.order : 0, size = filter + order;
    ContinuousModel m{Eigen::MatrixXd::Zero(size, size), Eigen::MatrixXd::Zero(size, 3), Eigen::RowVectorXd::Zero(size),
                      Eigen::RowVectorXd::Zero(size)};
    m.A(motor_height, motor_speed) = 1.0;
    if (input_of_motor == MotorInput::reference) {
        m.A(motor_speed, motor_height) = -p.motor.stiffness / p.motor.mass;
        m.A(motor_speed, motor_speed) = -p.motor.damping / p.motor.mass;
        m.B(motor_speed, 0) = p.motor.stiffness / p.motor.mass;
    } else {
        m.B(motor_speed, 0) = 1.0;
    }

    const Eigen::MatrixXd K = chain_matrix(p.pantograph.stiffness), C = chain_matrix(p.pantograph.damping);
    for (Eigen::Index i = 0; i < masses; ++i) {
        const Eigen::Index height = head_height + 2 * i, speed = height + 1;
        m.A(height, speed) = 1.0;
        for (Eigen::Index j = 0; j < masses; ++j) {
            m.A(speed, head_height + 2 * j) = -K(i, j) / p.pantograph.mass[i];
            m.A(speed, head_speed + 2 * j) = -C(i, j) / p.pantograph.mass[i];
        }
    }
    m.B(filter - 1, 1) = 1.0 / p.pantograph.mass[masses - 1];
    m.B(head_speed, 2) = 1.0 / p.pantograph.mass[0];

    // Penetration q_1 - u_m: it pushes the head down and is the input of the filter.
    Eigen::RowVectorXd penetration = Eigen::RowVectorXd::Zero(size);
    if (contact == Contact::closed) {
        penetration[head_height] = 1.0;
        penetration[motor_height] = -1.0;
    }
    m.contact_force = p.pad_stiffness * penetration;
    m.A.row(head_speed) -= m.B(head_speed, 2) * m.contact_force;

    // Butterworth sections in series: y'' + 2 z w y' + w^2 y = w^2 input with z = sin((2 k - 1) pi / 2 n),
    // written as y' = w s, s' = w (input - y) - 2 z w s; an odd order begins with y' = w (input - y).
    const double w = 2.0 * std::numbers::pi * p.force_filter.cut_off;
    Eigen::RowVectorXd input = penetration;
    Eigen::Index at = filter;
    if (order > 0 && p.carried_mass > 0.0) {  // the load cell also accelerates the mass that it carries
        const double share = p.carried_mass / p.pad_stiffness;
        input -= share * m.A.row(motor_speed);
        m.B(order % 2 == 1 ? filter : filter + 1, 0) = -w * share * m.B(motor_speed, 0);
    }
    if (order % 2 == 1) {
        m.A.row(at) = w * input;
        m.A(at, at) = -w;
        input = Eigen::RowVectorXd::Unit(size, at++);
    }
    for (Eigen::Index k = 1; at < size; ++k, at += 2) {
        const double angle = std::numbers::pi * static_cast<double>(2 * k - 1) / static_cast<double>(2 * order);
        m.A(at, at + 1) = w;
        m.A.row(at + 1) = w * input;
        m.A(at + 1, at) -= w;
        m.A(at + 1, at + 1) = -2.0 * std::sin(angle) * w;
        input = Eigen::RowVectorXd::Unit(size, at);
    }
    m.measured_force = p.pad_stiffness * input;
    return m;
}

/// A state of `size` entries in which a force filter, whose states begin at `first`, is in its steady state for a
/// penetration of 1 m; all else is 0.
template <class = void>
[[nodiscard]] Eigen::VectorXd filter_at_rest(const ForceFilter& filter, Eigen::Index first, Eigen::Index size) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(size);
    const Eigen::Index order = filter.cut_off > 0.0 ? filter.order : 0;
    // Outputs of the sections; the second state of a second-order section is the rate of its output, 0.
    for (Eigen::Index i = 0; i < order; i += i == 0 && order % 2 == 1 ? 1 : 2) x[first + i] = 1.0;
    return x;
}

/// How the drive moves from one reference to the next.
using Hold = linalg::Hold;

/// x[t+1] = A x[t] + sum_j command.col(j) w[t-j] + uplift_force l[t] + head_force f[t], measured force = force x[t].
/// x[t] is the state of the plant when the readings of cycle t were taken.
struct SampledModel {
    Eigen::MatrixXd A = {};
    Eigen::MatrixXd command = {};       ///< column j: influence of the command written j cycles ago
    Eigen::VectorXd uplift_force = {};  ///< per newton on the lowest mass, held over the period
    Eigen::VectorXd head_force = {};    ///< per newton on the head, held over the period
    Eigen::RowVectorXd force = {};      ///< measured force, N
    double dt = 0.0;                    ///< s

    [[nodiscard]] Eigen::Index size() const { return A.rows(); }
    /// Commands in transit when the next one is computed.
    [[nodiscard]] Eigen::Index pending() const { return command.cols() - 1; }
};

/// The sampled model. It is exact for a motor that holds its reference (or moves linearly to the next one), with strip
/// and pad always in contact, or never.
/// @param dt period of the loop, s.
/// @throws SetupError if a parameter is invalid, or if an interpolated reference is not delayed by whole
/// periods, at least one.
template <class = void>
[[nodiscard]] SampledModel sampled_model(const RigParams& p, double dt, Hold hold = Hold::zero_order,
                                         Contact contact = Contact::closed) {
    const char* where = "plant::sampled_model";
    require_positive(dt, where, "dt");
    const ContinuousModel m = continuous_model(p, contact);
    const linalg::SplitDelay delay = linalg::split_delay(p.loop_delay());
    const Eigen::Index k = delay.whole;
    const double part = delay.part;
    const auto held = linalg::zero_order_hold(m.A, m.B, dt);
    SampledModel s{.A = held.A,
                   .command = Eigen::MatrixXd::Zero(m.A.rows(), delay.rounded_up() + 1),
                   .uplift_force = held.B.col(1),
                   .head_force = held.B.col(2),
                   .force = m.measured_force,
                   .dt = dt};
    if (hold == Hold::first_order) {
        require(part == 0.0 && k >= 1, where, "the delays add up to ", p.loop_delay(),
                " periods, an interpolated reference needs whole periods, at least 1");
        const auto ramped = linalg::first_order_hold(m.A, m.B, dt);
        s.command.col(k) = ramped.B_before.col(0);
        s.command.col(k - 1) = ramped.B_now.col(0);
    } else if (part > 0.0) {
        const auto old = linalg::zero_order_hold(m.A, m.B, part * dt);
        const auto fresh = linalg::zero_order_hold(m.A, m.B, (1.0 - part) * dt);
        s.command.col(k + 1) = fresh.A * old.B.col(0);
        s.command.col(k) = fresh.B.col(0);
    } else {
        s.command.col(k) = held.B.col(0);
    }
    return s;
}

#ifdef PANTO_COMPILED
extern template ContinuousModel continuous_model(const RigParams&, Contact, MotorInput);
extern template Eigen::VectorXd filter_at_rest(const ForceFilter&, Eigen::Index, Eigen::Index);
extern template SampledModel sampled_model(const RigParams&, double, Hold, Contact);
#endif

}  // namespace panto::plant
