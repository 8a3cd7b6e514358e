// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A linear drive with its own position controller, as on the rig of the predictive paper: a mass on a guide, the lag
/// of its current loop, and a linear-quadratic regulator with an integrator, at a high sampling rate.
///
///     m p'' + c p' = f + F,   f' = w_c (f_cmd - f),   f_cmd = -k_p (p - r) - k_v p' - k_f f - g,
///     g+ = g + k_i dt (p - r)
///
/// p is the position of the drive and r the commanded one, f the force of the drive and f_cmd the commanded one, F the
/// contact force that loads the drive (N, upward), g the integrator's force. The drive of the paper is not published;
/// the parameters here are a choice. The regulator minimizes
///
///     sum (p - r)^2 + (w_i q)^2 + (f_cmd / (m w^2))^2,   q = sum dt (p - r) .
///
/// For a free mass it places two poles at the frequency w with the damping ratio 0.707, and one near -w_i.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/dare.hpp>
#include <panto/linalg/expm.hpp>

#include <Eigen/Core>

#include <cmath>
#include <numbers>

namespace panto::plant {

struct LinearDriveParams {
    double mass = 10.0;               ///< kg, m
    double damping = 50.0;            ///< N s/m, c
    double current_bandwidth = 1e3;   ///< Hz, w_c / 2 pi
    double rate = 5100.0;             ///< Hz, sampling rate of the position controller
    double bandwidth = 40.0;          ///< Hz, w / 2 pi
    double integral_bandwidth = 5.0;  ///< Hz, w_i / 2 pi
};

/// Its state is [p, p', f, g], its inputs are [r, F].
struct LinearDrive {
    LinearDriveParams params{};
    Eigen::Matrix3d A = {};              ///< continuous, for [p, p', f]
    Eigen::Matrix<double, 3, 2> B = {};  ///< columns: f_cmd, F
    Eigen::RowVector4d gains = {};       ///< k_p, k_v, k_f, k_i
    Eigen::Matrix4d closed_A = {};       ///< one step of the position controller
    Eigen::Matrix<double, 4, 2> closed_B = {};

    [[nodiscard]] double dt() const noexcept { return 1.0 / params.rate; }  ///< s, of the position controller
};

/// @throws SetupError naming the field, its value and what is allowed.
template <class = void>
[[nodiscard]] LinearDrive linear_drive(const LinearDriveParams& p) {
    constexpr const char* where = "plant::LinearDriveParams";
    require_positive(p.mass, where, "mass");
    require_not_negative(p.damping, where, "damping");
    require_positive(p.rate, where, "rate");
    require_positive(p.bandwidth, where, "bandwidth");
    require_positive(p.integral_bandwidth, where, "integral_bandwidth");
    require(p.current_bandwidth >= 5.0 * p.bandwidth, where, "current_bandwidth is ", p.current_bandwidth,
            " Hz, must be at least five times the bandwidth of ", p.bandwidth, " Hz");
    require(p.rate >= 20.0 * p.bandwidth, where, "rate is ", p.rate, " Hz, must be at least 20 times the bandwidth of ",
            p.bandwidth, " Hz");
    constexpr double turn = 2.0 * std::numbers::pi;
    const double lag = turn * p.current_bandwidth, w = turn * p.bandwidth, w_i = turn * p.integral_bandwidth;
    LinearDrive d{.params = p};
    d.A << 0.0, 1.0, 0.0, 0.0, -p.damping / p.mass, 1.0 / p.mass, 0.0, 0.0, -lag;
    d.B << 0.0, 0.0, 0.0, 1.0 / p.mass, lag, 0.0;
    const auto held = linalg::zero_order_hold(d.A, d.B, d.dt());
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(4, 4), B = Eigen::MatrixXd::Zero(4, 1),
                    Q = Eigen::MatrixXd::Zero(4, 4), R = Eigen::MatrixXd::Constant(1, 1, 1.0);
    A.topLeftCorner(3, 3) = held.A;
    A(3, 0) = d.dt() * w_i;  // the last state is w_i q
    B.topRows(3) = held.B.col(0) * (p.mass * w * w);
    Q(0, 0) = Q(3, 3) = 1.0;
    d.gains = linalg::dare(A, B, Q, R).K * (p.mass * w * w);
    d.gains[3] *= w_i;
    d.closed_A.setZero();
    d.closed_A.topLeftCorner(3, 3) = held.A - held.B.col(0) * d.gains.head<3>();
    d.closed_A.block(0, 3, 3, 1) = -held.B.col(0);
    d.closed_A.row(3) << d.dt() * d.gains[3], 0.0, 0.0, 1.0;
    d.closed_B << held.B.col(0) * d.gains[0], held.B.col(1), -d.dt() * d.gains[3], 0.0;
    return d;
}

/// The drive over `steps` steps of its controller, with r and F constant: x+ = A x + B [r; F].
/// @throws SetupError if `steps` is below 1.
template <class = void>
[[nodiscard]] linalg::Held<Dynamic, Dynamic> held_drive(const LinearDrive& d, int steps) {
    require(steps >= 1, "plant::held_drive", "steps is ", steps, ", must be at least 1");
    linalg::Held<Dynamic, Dynamic> all{Eigen::MatrixXd::Identity(4, 4), Eigen::MatrixXd::Zero(4, 2)};
    for (int i = 0; i < steps; ++i) {
        all.A = (d.closed_A * all.A).eval();
        all.B = (d.closed_A * all.B + d.closed_B).eval();
    }
    return all;
}

#ifdef PANTO_COMPILED
extern template LinearDrive linear_drive(const LinearDriveParams&);
extern template linalg::Held<Dynamic, Dynamic> held_drive(const LinearDrive&, int);
#endif

}  // namespace panto::plant
