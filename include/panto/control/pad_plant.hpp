// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a controller works against, for design and for checks at set-up: a position-controlled motor whose pad
/// presses on a pantograph, and the interaction mass that turns the measured force into the next reference
/// [HiL paper, Sec. 3-4].
///
///     m_m u_m'' + c_m u_m' + k_m u_m = k_m r        r held, or interpolated, over a period
///     M q'' + C q' + K q = e_head (d - F)           F = k_h (q_head - u_m), bilateral
///     F_f' = w (F - F_f)                            first-order filter of the load cell, where there is one
///     x_i+ = A_i x_i + B_i F                        interaction mass on a wire at rest
///
/// Timing: in cycle t the controller sees u_m and F of time t and the reference of t+1 and decides r[t+1]; one
/// period later, over [t+2, t+3), the motor follows it. The pad does not push the motor back: its position loop is
/// taken to be stiff.

#pragma once

#include <panto/core/check.hpp>
#include <panto/dynamics/newmark.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include <Eigen/Core>

#include <concepts>
#include <numbers>
#include <string>

namespace panto::control {

/// Table 2 of the HiL paper.
inline constexpr dynamics::OscillatorParams<double> table2_interaction_mass{0.05, 50.0, 50e3};
inline constexpr dynamics::OscillatorParams<double> table2_motor{10.0, 1800.0, 450e3};

/// Vertical chain of masses, head first: spring and damper i join mass i to mass i+1, the last ones to the ground.
struct ChainParams {
    Eigen::VectorXd mass = {};       ///< kg
    Eigen::VectorXd damping = {};    ///< N s/m
    Eigen::VectorXd stiffness = {};  ///< N/m
};

/// M q'' + C q' + K q = f.
struct Mechanism {
    Eigen::MatrixXd M, C, K;
};

/// @throws SetupError if the sizes disagree, a mass is not positive or another entry is negative or not finite.
template <class = void>
[[nodiscard]] Mechanism chain(const ChainParams& p) {
    const char* where = "control::chain";
    const Eigen::Index n = p.mass.size();
    require(n > 0 && p.damping.size() == n && p.stiffness.size() == n, where,
            "mass, damping and stiffness need the same number of entries, at least one");
    Mechanism m{p.mass.asDiagonal(), Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, n)};
    for (Eigen::Index i = 0; i < n; ++i) {
        dynamics::require_oscillator<double>({p.mass[i], p.damping[i], p.stiffness[i]}, where,
                                             "body " + std::to_string(i));
        Eigen::VectorXd stretch = Eigen::VectorXd::Unit(n, i);
        if (i + 1 < n) stretch[i + 1] = -1.0;
        m.C += p.damping[i] * stretch * stretch.transpose();
        m.K += p.stiffness[i] * stretch * stretch.transpose();
    }
    return m;
}

/// How the drive runs from one reference to the next.
enum class Hold {
    zero_order,   ///< keeps the old one for a period: what drives do
    interpolated  ///< straight to the new one: what a Newmark model of the motor tacitly assumes
};

struct PadPlantParams {
    dynamics::OscillatorParams<double> motor = table2_motor;
    ChainParams pantograph{};      ///< on the pad, head first
    double pad_stiffness = 240e3;  ///< N/m, k_h
    double force_filter = 0.0;     ///< Hz, first order; 0 for none
    Hold hold = Hold::zero_order;
};

/// x[t+1] = A x[t] + before r[t-1] + now r[t] + lift d[t],  x = [u_m, v_m, q, q', F_f (with a filter only)].
struct PadPlant {
    Eigen::MatrixXd A;
    Eigen::VectorXd before = {}, now = {};  ///< influence of the reference in force and of the one that follows it
    Eigen::VectorXd lift = {};              ///< influence of a force held on the head, per newton
    Eigen::RowVectorXd force = {};          ///< measured force, N
    double dt = 0.0;                        ///< s

    [[nodiscard]] Eigen::Index size() const { return A.rows(); }
};

/// Exact discrete model of motor, pad, pantograph and force filter.
/// @throws SetupError if a parameter has no meaning.
template <class = void>
[[nodiscard]] PadPlant pad_plant(const PadPlantParams& p, double dt) {
    const char* where = "control::pad_plant";
    dynamics::require_oscillator(p.motor, where, "motor");
    require_positive(p.motor.stiffness, where, "motor.stiffness");
    require_positive(p.pad_stiffness, where, "pad_stiffness");
    require_not_negative(p.force_filter, where, "force_filter");
    require_positive(dt, where, "dt");
    const Mechanism m = chain(p.pantograph);
    const Eigen::Index n = m.M.rows(), q = 2, v = 2 + n, f = 2 + 2 * n, size = p.force_filter > 0.0 ? f + 1 : f;

    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size), B = Eigen::MatrixXd::Zero(size, 2);
    A(0, 1) = 1.0;
    A(1, 0) = -p.motor.stiffness / p.motor.mass;
    A(1, 1) = -p.motor.damping / p.motor.mass;
    B(1, 0) = -A(1, 0);
    const Eigen::VectorXd per_mass = m.M.diagonal().cwiseInverse();
    A.block(q, v, n, n).setIdentity();
    A.block(v, q, n, n) = -(per_mass.asDiagonal() * m.K);
    A.block(v, v, n, n) = -(per_mass.asDiagonal() * m.C);
    A(v, q) -= p.pad_stiffness * per_mass[0];
    A(v, 0) += p.pad_stiffness * per_mass[0];
    B(v, 1) = per_mass[0];

    PadPlant plant;
    plant.dt = dt;
    plant.force = Eigen::RowVectorXd::Zero(size);
    plant.force[q] = p.pad_stiffness;
    plant.force[0] = -p.pad_stiffness;
    if (p.force_filter > 0.0) {
        const double w = 2.0 * std::numbers::pi * p.force_filter;
        A.row(f) = w * plant.force;
        A(f, f) = -w;
        plant.force = Eigen::RowVectorXd::Unit(size, f);
    }
    const auto held = linalg::zero_order_hold(A, B, dt);
    plant.A = held.A;
    plant.lift = held.B.col(1);
    plant.before = held.B.col(0);
    plant.now = Eigen::VectorXd::Zero(size);
    if (p.hold == Hold::interpolated) {
        const auto ramped = linalg::first_order_hold(A, B, dt);
        plant.before = ramped.B_before.col(0);
        plant.now = ramped.B_now.col(0);
    }
    return plant;
}

/// A linear position controller as seen from its plant, the wire at rest at height 0:
/// x[t+1] = A x[t] + B y[t],  r[t+1] = C x[t] + D y[t],  y[t] = [u_m[t], F[t], u_i[t+1], u_i'[t+1], u_i''[t+1]].
struct LinearController {
    Eigen::MatrixXd A;
    Eigen::MatrixXd B;  ///< as many columns as y has entries, 5
    Eigen::RowVectorXd C;
    Eigen::RowVectorXd D;  ///< 5 entries
};

/// No control: r = u_i.
template <class = void>
[[nodiscard]] LinearController direct_controller() {
    return {Eigen::MatrixXd(0, 0), Eigen::MatrixXd(0, 5), Eigen::RowVectorXd(0), Eigen::RowVectorXd::Unit(5, 2)};
}

/// Spectral radius of interaction mass, pad plant and controller in a loop, the wire at rest: below 1 the rig settles.
/// It says nothing about contact loss, and nothing about the catenary.
/// @throws SetupError if the interaction mass has no meaning or sizes disagree.
template <class = void>
[[nodiscard]] double closed_loop_radius(const PadPlant& plant, const LinearController& controller,
                                        const dynamics::OscillatorParams<double>& interaction_mass) {
    const char* where = "control::closed_loop_radius";
    const Eigen::Index np = plant.size(), nc = controller.A.rows();
    require(controller.A.cols() == nc && controller.B.rows() == nc && controller.B.cols() == 5 &&
                controller.C.size() == nc && controller.D.size() == 5,
            where, "the sizes of the controller's A, B, C and D must agree, with 5 inputs");
    const dynamics::NewmarkOscillator<double> mass(interaction_mass, plant.dt);
    // State: x_i, plant, r[t-1], r[t], controller.
    const Eigen::Index p = 3, before = p + np, now = before + 1, c = now + 1, size = c + nc;
    Eigen::MatrixXd loop = Eigen::MatrixXd::Zero(size, size);
    loop.topLeftCorner(3, 3) = mass.A();
    loop.block(0, p, 3, np) = mass.B() * plant.force;
    loop.block(p, p, np, np) = plant.A;
    loop.block(p, before, np, 1) = plant.before;
    loop.block(p, now, np, 1) = plant.now;
    loop(before, now) = 1.0;
    Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(5, size);
    seen(0, p) = 1.0;
    seen.block(1, p, 1, np) = plant.force;
    seen.bottomRows(3) = loop.topRows(3);
    loop.row(now) = controller.D * seen;
    loop.block(now, c, 1, nc) += controller.C;
    loop.bottomRows(nc) = controller.B * seen;
    loop.bottomRightCorner(nc, nc) += controller.A;
    return linalg::spectral_radius(loop);
}

/// The same for a controller that knows its own linear model (Lqg, LqgPlus).
/// @throws SetupError as above, or if controller and plant are made for different time steps.
template <class C>
    requires requires(const C& c) {
        { c.linear_model() } -> std::same_as<LinearController>;
    }
[[nodiscard]] double closed_loop_radius(const PadPlant& plant, const C& controller,
                                        const dynamics::OscillatorParams<double>& interaction_mass) {
    require_time_step(controller, plant.dt, "control::closed_loop_radius", "the controller");
    return closed_loop_radius(plant, controller.linear_model(), interaction_mass);
}

#ifdef PANTO_COMPILED
extern template Mechanism chain(const ChainParams&);
extern template PadPlant pad_plant(const PadPlantParams&, double);
extern template double closed_loop_radius(const PadPlant&, const LinearController&,
                                          const decltype(PadPlantParams::motor)&);
#endif

}  // namespace panto::control
