// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A plant whose model changes from cycle to cycle, and what a predictive controller needs of it: terminal weights,
/// steady states and gains of an observer, one for each model. The models repeat with their period, or they are a
/// schedule whose last one stays. A constant plant is a period of one cycle.

#pragma once

#include <panto/control/kalman.hpp>
#include <panto/control/prediction_matrices.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/periodic_dare.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace panto::control {

/// The models in the order of cycles, at least one.
struct ModelSequence {
    std::vector<PredictionModel> models = {};
    bool repeats = true;  ///< periodic; otherwise the last model stays

    /// Index of the model of a cycle, counted from the first one.
    [[nodiscard]] std::size_t index(std::size_t cycle) const noexcept {
        return repeats ? cycle % models.size() : std::min(cycle, models.size() - 1);
    }
    [[nodiscard]] const PredictionModel& at(std::size_t cycle) const noexcept { return models[index(cycle)]; }
    /// Number of models, 1 for a constant plant.
    [[nodiscard]] std::size_t size() const noexcept { return models.size(); }
};

namespace detail {

/// The step of the plant augmented by its last input. The input of the augmented plant is the move u[i] - u[i-1].
template <class = void>
[[nodiscard]] linalg::RiccatiStep with_last_input(const PredictionModel& p, const HorizonWeights& w) {
    const Eigen::Index nx = p.A.rows(), nu = p.B.cols(), n = nx + nu;
    linalg::RiccatiStep s{Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd(n, nu), Eigen::MatrixXd::Zero(n, n),
                          w.R + w.S, Eigen::MatrixXd::Zero(n, nu)};
    s.A.topLeftCorner(nx, nx) = p.A, s.A.topRightCorner(nx, nu) = p.B;
    s.B << p.B, Eigen::MatrixXd::Identity(nu, nu);
    s.Q.topLeftCorner(nx, nx) = p.C.transpose() * w.Q * p.C, s.Q.bottomRightCorner(nu, nu) = w.R;
    s.S.bottomRows(nu) = w.R;
    return s;
}

/// P C'(C P C' + V)^-1.
template <class = void>
[[nodiscard]] Eigen::MatrixXd filter_gain(const Eigen::MatrixXd& P, const Eigen::MatrixXd& C,
                                          const Eigen::MatrixXd& V) {
    const Eigen::MatrixXd PC = P * C.transpose();
    return Eigen::LLT<Eigen::MatrixXd>(linalg::detail::symmetric_part<Eigen::MatrixXd>(C * PC + V))
        .solve(PC.transpose())
        .transpose();
}

}  // namespace detail

/// For each model, the terminal weight P of a horizon that ends in a cycle of this model: with this P the horizon is
/// equivalent to an infinite one. The P of `w` is not used.
/// @throws SetupError if there is no model or sizes differ, or as infinite_horizon and linalg::periodic_dare.
template <class = void>
[[nodiscard]] std::vector<Eigen::MatrixXd> infinite_horizons(const ModelSequence& plant, const HorizonWeights& w) {
    validate(plant.models, "control::infinite_horizons");
    const std::size_t last = plant.size() - 1;
    std::vector<Eigen::MatrixXd> P(plant.size());
    if (plant.repeats && last > 0) {
        std::vector<linalg::RiccatiStep> steps;
        for (const PredictionModel& m : plant.models) steps.push_back(detail::with_last_input(m, w));
        const auto all = linalg::periodic_dare(steps);
        for (std::size_t k = 0; k < all.size(); ++k) P[k] = all[k].X;
        return P;
    }
    P[last] = infinite_horizon(plant.models[last], w.Q, w.R, w.S);
    for (std::size_t k = last; k-- > 0;)
        P[k] = linalg::riccati_step(detail::with_last_input(plant.models[k], w), P[k + 1]).X;
    return P;
}

/// For each model, the map from [r; d] (reference, disturbance) to the state and input [x_s; u_s] with which all
/// outputs equal r. For a periodic plant this is the motion that repeats itself; for a schedule, the state of rest that
/// the model would have if it stayed. If there are several solutions, it is the one of least norm (of the first state
/// and all inputs); if there is none, the least-squares solution.
/// @throws SetupError if there is no model, or sizes differ.
template <class = void>
[[nodiscard]] std::vector<Eigen::MatrixXd> steady_states(const ModelSequence& plant) {
    validate(plant.models, "control::steady_states");
    std::vector<Eigen::MatrixXd> maps;
    if (!plant.repeats || plant.size() == 1) {
        for (const PredictionModel& m : plant.models) maps.push_back(steady_state(m));
        return maps;
    }
    const PredictionModel& first = plant.models[0];
    const Eigen::Index nx = first.A.rows(), nu = first.B.cols(), ny = first.C.rows(), nd = first.E.cols();
    const auto T = static_cast<Eigen::Index>(plant.size());
    // Columns: the first state, the inputs of the period, the disturbance.
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(nx, nx + T * nu + nd), rest(nx + T * ny, nx + T * nu),
                    right = Eigen::MatrixXd::Zero(nx + T * ny, ny + nd);
    x.leftCols(nx).setIdentity();
    std::vector<Eigen::MatrixXd> states;
    for (Eigen::Index k = 0; k < T; ++k) {
        const PredictionModel& m = plant.models[static_cast<std::size_t>(k)];
        states.push_back(x);
        rest.middleRows(nx + k * ny, ny) = m.C * x.leftCols(nx + T * nu);
        right.block(nx + k * ny, 0, ny, ny).setIdentity();
        if (nd > 0) right.block(nx + k * ny, ny, ny, nd) = -(m.C * x.rightCols(nd) + m.D);
        x = (m.A * x).eval();
        x.middleCols(nx + k * nu, nu) += m.B;
        if (nd > 0) x.rightCols(nd) += m.E;
    }
    rest.topRows(nx) = x.leftCols(nx + T * nu);
    rest.topLeftCorner(nx, nx) -= Eigen::MatrixXd::Identity(nx, nx);
    right.topRightCorner(nx, nd) = -x.rightCols(nd);
    const Eigen::MatrixXd all = rest.completeOrthogonalDecomposition().solve(right);
    for (Eigen::Index k = 0; k < T; ++k) {
        const Eigen::MatrixXd& now = states[static_cast<std::size_t>(k)];
        Eigen::MatrixXd map(nx + nu, ny + nd);
        map.topRows(nx) = now.leftCols(nx + T * nu) * all;
        map.topRightCorner(nx, nd) += now.rightCols(nd);
        map.bottomRows(nu) = all.middleRows(nx + k * nu, nu);
        maps.push_back(map);
    }
    return maps;
}

/// One step of an observer of [x; d]: x(k|k) = x + L (y - C x), then A x + B u.
struct ObserverStep {
    Eigen::MatrixXd A = {}, B = {}, C = {};
    Eigen::MatrixXd L = {};  ///< filter gain
};

/// For each model, the observer with its gain. The gains are periodic; those of a schedule lead from the steady state
/// of its first model to that of its last.
/// @param process      standard deviation of a random force on the inputs, per cycle
/// @param disturbance  standard deviation of the random walk of d, per cycle
/// @param output       standard deviation of the measured outputs
/// @throws SetupError if there is no model, sizes differ, a deviation is not positive, or as kalman_gains and
/// linalg::periodic_dare for the dual system.
template <class = void>
[[nodiscard]] std::vector<ObserverStep> observer_steps(const ModelSequence& plant, double process, double disturbance,
                                                       double output) {
    const char* where = "control::observer_steps";
    validate(plant.models, where);
    require_positive(process, where, "process"), require_positive(disturbance, where, "disturbance");
    require_positive(output, where, "output");
    const PredictionModel& first = plant.models[0];
    const Eigen::Index nx = first.A.rows(), nu = first.B.cols(), ny = first.C.rows(), nd = first.E.cols(), n = nx + nd;
    const Eigen::MatrixXd V = output * output * Eigen::MatrixXd::Identity(ny, ny);
    std::vector<ObserverStep> all;
    std::vector<Eigen::MatrixXd> W;
    for (const PredictionModel& m : plant.models) {
        ObserverStep o{Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Zero(n, nu), Eigen::MatrixXd(ny, n)};
        o.A.topLeftCorner(nx, nx) = m.A, o.A.topRightCorner(nx, nd) = m.E;
        o.B.topRows(nx) = m.B;
        o.C << m.C, m.D;
        Eigen::MatrixXd noise = Eigen::MatrixXd::Zero(n, n);
        noise.topLeftCorner(nx, nx) = process * process * m.B * m.B.transpose();
        noise.bottomRightCorner(nd, nd).diagonal().setConstant(disturbance * disturbance);
        all.push_back(o), W.push_back(noise);
    }
    const auto dual = [&](std::size_t k) {
        return linalg::RiccatiStep{all[k].A.transpose(), all[k].C.transpose(), W[k], V};
    };
    const std::size_t T = all.size();
    if (plant.repeats && T > 1) {
        std::vector<linalg::RiccatiStep> backwards;  // time runs the other way in the dual problem
        for (std::size_t k = T; k-- > 0;) backwards.push_back(dual(k));
        const auto X = linalg::periodic_dare(backwards);
        for (std::size_t k = 0; k < T; ++k) all[k].L = detail::filter_gain(X[k == 0 ? 0 : T - k].X, all[k].C, V);
        return all;
    }
    const KalmanGains<> from = kalman_gains(all[0].A, all[0].C, W[0], V);
    Eigen::MatrixXd P = from.covariance;
    for (std::size_t k = 0; k + 1 < T; ++k) {
        all[k].L = detail::filter_gain(P, all[k].C, V);
        P = linalg::riccati_step(dual(k), P).X;
    }
    all.back().L = T == 1 ? from.filter : kalman_gains(all.back().A, all.back().C, W.back(), V).filter;
    return all;
}

#ifdef PANTO_COMPILED
extern template std::vector<Eigen::MatrixXd> infinite_horizons(const ModelSequence&, const HorizonWeights&);
extern template std::vector<Eigen::MatrixXd> steady_states(const ModelSequence&);
extern template std::vector<ObserverStep> observer_steps(const ModelSequence&, double, double, double);
#endif

}  // namespace panto::control
