// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The line in the train's frame as a periodic linear system, for control: with the force held over `factor` steps,
///     x(k+1) = A_k x(k) + B_k F(k) ,      y(k) = C x(k) ,      A_{k+N} = A_k ,
/// [predictive paper, (9), (41), (42)]. x holds both wires at n and n-1 and the memory of the ends. y is the deviation
/// of the wire above the strip, m, and its speed (w(n) - w(n-1)) / dt, m/s. Droppers are linear.

#pragma once

#include <panto/catenary/moving_engine.hpp>
#include <panto/dynamics/periodic_system.hpp>

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <vector>

namespace panto::catenary {

struct PeriodicStateSpace {
    std::vector<Eigen::MatrixXd> A = {};
    std::vector<Eigen::VectorXd> B = {};
    Eigen::MatrixXd C = {};  ///< two rows
    double dt = 0.0;         ///< s, from sample to sample
    /// Static height of the wire above the strip, m, and the speed due to its slope, m/s, for each sample; to be added
    /// to y(k).
    std::vector<std::array<double, 2>> rest = {};
    double speed = 0.0;   ///< m/s, of the contact
    double start = 0.0;   ///< m, its position on the line at sample 0
    LineFacts line = {};  ///< what the line is made of

    [[nodiscard]] int samples() const noexcept { return static_cast<int>(A.size()); }  ///< of a period
    [[nodiscard]] int states() const noexcept { return static_cast<int>(C.cols()); }
};

static_assert(PeriodicSystem<PeriodicStateSpace>);

/// Every column is computed by a run of the engine itself, so model and simulation agree. The matrices are full: use
/// grids of one or two spans.
/// @param factor  steps of the engine per sample
/// @throws SetupError if `factor` does not divide the steps of the period (with those that do), or the matrices would
/// take more than 2 GiB.
template <class End>
[[nodiscard]] PeriodicStateSpace periodic_state_space(MovingEngine<End> engine, int factor) {
    constexpr const char* where = "catenary::periodic_state_space";
    require_down_sampling(engine.steps_per_period(), factor, where);
    const int n = engine.states(), samples = engine.steps_per_period() / factor;
    const double bytes = 8.0 * samples * n * n;
    require(bytes <= 0x1p31, where, samples, " matrices of ", n, " x ", n, " take ", bytes * 0x1p-30,
            " GiB, must be at most 2; use fewer spans or cells, or a larger factor");
    PeriodicStateSpace model{.dt = factor * engine.dt(),
                             .speed = engine.speed(),
                             .start = engine.position() - engine.speed() * engine.time(),
                             .line = engine.line_facts()};
    const auto column = [&](const Eigen::VectorXd& start, int k, double force) {
        Eigen::VectorXd x = start;
        engine.put(x, k * factor);
        for (int i = 0; i < factor; ++i) engine.advance(force);
        engine.get(x);
        return x;
    };
    for (int k = 0; k < samples; ++k) {
        Eigen::MatrixXd A(n, n);
        for (int i = 0; i < n; ++i) A.col(i) = column(Eigen::VectorXd::Unit(n, i), k, 0.0);
        model.A.push_back(A);
        model.B.push_back(column(Eigen::VectorXd::Zero(n), k, 1.0));
        model.rest.push_back(engine.rest(k * factor));
    }
    const GridPlace& at = engine.passage().contact;
    const int points = engine.passage().points;
    model.C = Eigen::MatrixXd::Zero(2, n);
    for (int side = 0; side < 2; ++side) {
        const double weight = side == 0 ? 1.0 - at.right : at.right;
        model.C(0, at.node + side) = weight;
        model.C(1, at.node + side) = weight / engine.dt();
        model.C(1, points + at.node + side) = -weight / engine.dt();
    }
    return model;
}

}  // namespace panto::catenary
