// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What must not change of a predictive controller: an infinite horizon, other heights, limits that never act.

#pragma once

#include <panto/control/lqr.hpp>
#include <panto/control/mpc.hpp>

#include <algorithm>
#include <cmath>

namespace panto::test {

using control::StateSpace;

constexpr double mpc_dt = 0.01;

inline Eigen::MatrixXd one(double value) { return Eigen::MatrixXd::Constant(1, 1, value); }
inline Eigen::VectorXd entry(double value) { return Eigen::VectorXd::Constant(1, value); }

/// A servo of 5 Hz with a damping ratio of 0.5.
inline StateSpace servo(double delay = 0.0) {
    const double w = 2.0 * 3.14159265358979 * 5.0;
    return control::sampled({Eigen::Matrix2d{{0.0, 1.0}, {-w * w, -w}}, Eigen::Vector2d(0.0, w * w),
                             Eigen::RowVector2d(1.0, 0.0), one(0.0)},
                            mpc_dt, control::InputHold::zero_order, delay);
}

/// A mass pushed by a force: unstable.
inline StateSpace pushed_mass() {
    return control::sampled(
        {Eigen::Matrix2d{{0.0, 1.0}, {0.0, 0.0}}, Eigen::Vector2d(0.0, 1.0), Eigen::RowVector2d(1.0, 0.0), one(0.0)},
        mpc_dt);
}

inline control::MpcParams mpc_params(const StateSpace& plant, int horizon = 12) {
    control::MpcParams p;
    p.plant = {plant};
    p.horizon = horizon;
    p.output_weight = one(1.0);
    p.input_weight = one(1e-3);
    return p;
}

struct ControllerRelations {
    double regulator = 0.0;            ///< largest difference from the linear-quadratic regulator, relative to |K| |x|
    double shifted = 0.0;              ///< input of a servo whose heights are all shifted, less the shift
    double scaled = 0.0;               ///< the same, all heights three times as large
    int changed_by_unused_limits = 0;  ///< inputs of 50 that differ in any bit when limits are added that never act
    bool all_ok = true;                ///< every step returned Status::ok
};

inline ControllerRelations controller_relations() {
    using Eigen::MatrixXd, Eigen::VectorXd;
    ControllerRelations r;
    const auto ok = [&](Status s) { r.all_ok = r.all_ok && s == Status::ok; };
    for (const auto& plant : {servo(), servo(2.5 * mpc_dt), pushed_mass()})
        for (const int horizon : {3, 20}) {
            control::MpcParams p = mpc_params(plant, horizon);
            p.disturbance = control::Disturbance::none;
            control::Mpc mpc(p);
            const VectorXd x = VectorXd::LinSpaced(plant.states(), 0.3, -1.0);
            const auto compare = [&](control::Mpc& with, const MatrixXd& K) {
                ok(with.decide(x, VectorXd(), one(0.0)));
                const double wanted = -(K.leftCols(x.size()) * x)[0];
                r.regulator = std::max(r.regulator, std::fabs(with.input()[0] - wanted) / (K.norm() * x.norm()));
            };
            compare(mpc, control::lqr(plant.A, plant.B, MatrixXd(plant.C.transpose() * plant.C), one(1e-3)).K);
            // Moves that cost: the regulator of the plant augmented by its last input.
            p.move_weight = one(0.5);
            control::Mpc moves(p);
            const Eigen::Index n = plant.states() + 1;
            MatrixXd A = MatrixXd::Identity(n, n), B(n, 1), Q = MatrixXd::Zero(n, n), S = MatrixXd::Zero(n, 1);
            A.topLeftCorner(n - 1, n - 1) = plant.A, A.topRightCorner(n - 1, 1) = plant.B;
            B << plant.B, 1.0;
            Q.topLeftCorner(n - 1, n - 1) = plant.C.transpose() * plant.C, Q(n - 1, n - 1) = 1e-3;
            S(n - 1, 0) = 1e-3;
            compare(moves, control::lqr(A, B, Q, one(0.501), S).K);
        }

    control::MpcParams limited = mpc_params(servo(mpc_dt));
    control::Mpc without(limited);
    limited.input = limited.move = limited.output = {entry(-100.0), entry(100.0)};
    control::Mpc with(limited);
    const StateSpace late = servo(mpc_dt), prompt = servo();
    VectorXd x = VectorXd::Zero(late.states());
    for (int i = 0; i < 50; ++i) {
        ok(without.step(late.C * x, one(i < 20 ? 0.01 : -0.02)));
        ok(with.step(late.C * x, one(i < 20 ? 0.01 : -0.02)));
        r.changed_by_unused_limits += without.input()[0] != with.input()[0];
        x = (late.A * x + late.B * with.input()).eval();
    }

    control::Mpc here(mpc_params(prompt)), there(mpc_params(prompt)), large(mpc_params(prompt));
    here.reset(entry(0.0)), there.reset(entry(0.5)), large.reset(entry(0.0));
    x = VectorXd::Zero(2);
    for (int i = 0; i < 40; ++i) {
        const double y = (prompt.C * x)[0], reference = 0.01 * std::sin(0.2 * i);
        ok(here.step(entry(y), one(reference)));
        ok(there.step(entry(y + 0.5), one(reference + 0.5)));
        ok(large.step(entry(3.0 * y), one(3.0 * reference)));
        r.shifted = std::max(r.shifted, std::fabs(there.input()[0] - here.input()[0] - 0.5));
        r.scaled = std::max(r.scaled, std::fabs(large.input()[0] - 3.0 * here.input()[0]));
        x = (prompt.A * x + prompt.B * here.input()).eval();
    }
    return r;
}

}  // namespace panto::test
