// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A horizon condensed to its inputs. The plant is x[i+1] = A_i x[i] + B_i u[i] + E_i d, y[i] = C_i x[i] + D_i d, with
/// a constant disturbance d. With the reference r and the steady state x_s, u_s, the cost
///
///     J = 1/2 sum_{i=1..N-1} |y[i] - r[i]|_Q^2 + 1/2 sum_{i=0..N-1} (|u[i] - u_s[i]|_R^2 + |u[i] - u[i-1]|_S^2)
///         + 1/2 |[x[N] - x_s; u[N-1] - u_s[N-1]]|_P^2
///
/// is 1/2 U'HU + g'U + const with U = [u[0]; ...; u[N-1]]. g is linear in x[0], d, r, u[-1], x_s and all u_s[i].

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/linalg/dare.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include <Eigen/Core>
#include <Eigen/QR>

#include <cstddef>
#include <string_view>
#include <vector>

namespace panto::control {

/// One step of a plant. E and D are the effect of a constant disturbance; if there is none, they have no columns.
struct PredictionModel {
    Eigen::MatrixXd A = {};  ///< state to state
    Eigen::MatrixXd B = {};  ///< input to state
    Eigen::MatrixXd C = {};  ///< state to output
    Eigen::MatrixXd E = {};  ///< disturbance to state
    Eigen::MatrixXd D = {};  ///< disturbance to output
};

/// @throws SetupError unless there is at least one step and all matrices are finite and of the same sizes in each step.
template <class = void>
void validate(const std::vector<PredictionModel>& steps, std::string_view where) {
    require(!steps.empty(), where, "there are no steps, must be at least one");
    const Eigen::Index nx = steps[0].A.rows(), nu = steps[0].B.cols(), ny = steps[0].C.rows(), nd = steps[0].E.cols();
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const PredictionModel& m = steps[k];
        const auto fits = [&](const Eigen::MatrixXd& M, Eigen::Index rows, Eigen::Index columns, const char* name) {
            require(M.rows() == rows && M.cols() == columns && M.allFinite(), where, name, " of step ", k, " is ",
                    M.rows(), " by ", M.cols(), ", must be ", rows, " by ", columns, " and finite");
        };
        fits(m.A, nx, nx, "A"), fits(m.B, nx, nu, "B"), fits(m.C, ny, nx, "C");
        if (nd > 0) fits(m.E, nx, nd, "E"), fits(m.D, ny, nd, "D");
    }
}

/// Weights of J. P belongs to [x[N]; u[N-1]].
struct HorizonWeights {
    Eigen::MatrixXd Q, R, S, P;
};

namespace detail {

inline void require_size(const Eigen::MatrixXd& weight, Eigen::Index size, std::string_view where, const char* name) {
    require(weight.rows() == size && weight.cols() == size && weight.allFinite(), where, name, " is ", weight.rows(),
            " by ", weight.cols(), ", must be ", size, " by ", size, " and finite");
}

}  // namespace detail

/// The P with which N steps are equivalent to an infinite horizon: the Riccati solution of the plant augmented by its
/// last input. The input of this augmented plant is the move u[i] - u[i-1].
/// @throws SetupError if the matrices do not fit each other, or as linalg::dare does.
template <class = void>
[[nodiscard]] Eigen::MatrixXd infinite_horizon(const PredictionModel& p, const Eigen::MatrixXd& Q,
                                               const Eigen::MatrixXd& R, const Eigen::MatrixXd& S) {
    validate(std::vector<PredictionModel>{p}, "control::infinite_horizon");
    const Eigen::Index nx = p.A.rows(), nu = p.B.cols(), n = nx + nu;
    detail::require_size(Q, p.C.rows(), "control::infinite_horizon", "Q");
    detail::require_size(R, nu, "control::infinite_horizon", "R");
    detail::require_size(S, nu, "control::infinite_horizon", "S");
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n), B(n, nu), weight = Eigen::MatrixXd::Zero(n, n),
                    cross = Eigen::MatrixXd::Zero(n, nu);
    A.topLeftCorner(nx, nx) = p.A;
    A.topRightCorner(nx, nu) = p.B;
    B << p.B, Eigen::MatrixXd::Identity(nu, nu);
    weight.topLeftCorner(nx, nx) = p.C.transpose() * Q * p.C;
    weight.topLeftCorner(nx, nx) = (0.5 * (weight + weight.transpose())).topLeftCorner(nx, nx).eval();
    weight.bottomRightCorner(nu, nu) = R;
    cross.bottomRows(nu) = R;
    return linalg::dare(A, B, weight, Eigen::MatrixXd(R + S), cross).X;
}

/// The matrices of a horizon from a given step of the plant on.
struct CondensedHorizon {
    Eigen::MatrixXd H = {};
    /// The factors of x[0], d, r[1..N] and u[-1] in g.
    Eigen::MatrixXd g_state = {}, g_disturbance = {}, g_reference = {}, g_input = {};
    Eigen::MatrixXd g_steady = {};                           ///< the same of [x_s; u_s[0]; ...; u_s[N-1]]
    Eigen::MatrixXd outputs = {};                            ///< U to y[1..N]
    Eigen::MatrixXd free_state = {}, free_disturbance = {};  ///< x[0] and d to y[1..N], for U = 0
};

/// The matrices of a horizon.
/// @param steps  the model of each step; their number is N
/// @param after  the model of the step after the horizon, whose C and D give y[N]
/// @throws SetupError if there are no steps, or the matrices do not fit each other.
template <class = void>
[[nodiscard]] CondensedHorizon condense(const std::vector<PredictionModel>& steps, const PredictionModel& after,
                                        const HorizonWeights& w) {
    const auto N = static_cast<Eigen::Index>(steps.size());
    validate(steps, "control::condense");
    validate(std::vector<PredictionModel>{steps[0], after}, "control::condense");
    const Eigen::Index nx = steps[0].A.rows(), nu = steps[0].B.cols(), ny = steps[0].C.rows(), nd = steps[0].E.cols(),
                       n = N * nu;
    detail::require_size(w.Q, ny, "control::condense", "Q");
    detail::require_size(w.R, nu, "control::condense", "R");
    detail::require_size(w.S, nu, "control::condense", "S");
    detail::require_size(w.P, nx + nu, "control::condense", "P");
    CondensedHorizon h;
    h.outputs.setZero(N * ny, n), h.free_state.setZero(N * ny, nx), h.free_disturbance.setZero(N * ny, nd);
    h.g_reference.setZero(n, N * ny), h.g_input.setZero(n, nu), h.g_steady.setZero(n, nx + n);
    Eigen::MatrixXd forced = Eigen::MatrixXd::Zero(nx, n), free = Eigen::MatrixXd::Identity(nx, nx),
                    shift = Eigen::MatrixXd::Zero(nx, nd);
    for (Eigen::Index i = 0; i < N; ++i) {
        const PredictionModel& now = steps[static_cast<std::size_t>(i)];
        const PredictionModel& then = i + 1 < N ? steps[static_cast<std::size_t>(i + 1)] : after;
        forced = (now.A * forced).eval();
        forced.middleCols(i * nu, nu) += now.B;
        free = (now.A * free).eval();
        shift = (now.A * shift + now.E).eval();
        h.outputs.middleRows(i * ny, ny) = then.C * forced;
        h.free_state.middleRows(i * ny, ny) = then.C * free;
        if (nd > 0) h.free_disturbance.middleRows(i * ny, ny) = then.C * shift + then.D;
    }
    // Stages 1 to N-1 are weighted by Q, the last one by P.
    Eigen::MatrixXd end = Eigen::MatrixXd::Zero(nx + nu, n), end_state = Eigen::MatrixXd::Zero(nx + nu, nx),
                    end_shift = Eigen::MatrixXd::Zero(nx + nu, nd);
    end.topRows(nx) = forced;
    end.bottomRightCorner(nu, nu).setIdentity();
    end_state.topRows(nx) = free, end_shift.topRows(nx) = shift;
    const Eigen::MatrixXd endP = end.transpose() * w.P;
    h.H = endP * end;
    h.g_state = endP * end_state;
    h.g_disturbance = endP * end_shift;
    h.g_steady.leftCols(nx) = -endP.leftCols(nx);
    h.g_steady.rightCols(nu) = -endP.rightCols(nu);
    for (Eigen::Index i = 0; i + 1 < N; ++i) {
        const Eigen::MatrixXd GQ = h.outputs.middleRows(i * ny, ny).transpose() * w.Q;
        h.H += GQ * h.outputs.middleRows(i * ny, ny);
        h.g_state += GQ * h.free_state.middleRows(i * ny, ny);
        if (nd > 0) h.g_disturbance += GQ * h.free_disturbance.middleRows(i * ny, ny);
        h.g_reference.middleCols(i * ny, ny) = -GQ;
    }
    for (Eigen::Index i = 0; i < n; i += nu) {
        h.H.block(i, i, nu, nu) += w.R + w.S;
        h.g_steady.block(i, nx + i, nu, nu) -= w.R;
        if (i == 0) continue;
        h.H.block(i - nu, i - nu, nu, nu) += w.S;
        h.H.block(i, i - nu, nu, nu) -= w.S;
        h.H.block(i - nu, i, nu, nu) -= w.S;
    }
    h.g_input.topRows(nu) = -w.S;
    h.H = (0.5 * (h.H + h.H.transpose())).eval();
    return h;
}

/// The same, with the last of `steps` also as the model that gives y[N].
template <class = void>
[[nodiscard]] CondensedHorizon condense(const std::vector<PredictionModel>& steps, const HorizonWeights& w) {
    validate(steps, "control::condense");
    return condense(steps, steps.back(), w);
}

/// The map from [r; d] to [x_s; u_s], the steady state in which the outputs equal r: the one of least norm if there are
/// several, the least-squares solution if there is none.
template <class = void>
[[nodiscard]] Eigen::MatrixXd steady_state(const PredictionModel& p) {
    validate(std::vector<PredictionModel>{p}, "control::steady_state");
    const Eigen::Index nx = p.A.rows(), nu = p.B.cols(), ny = p.C.rows(), nd = p.E.cols();
    Eigen::MatrixXd rest(nx + ny, nx + nu), right = Eigen::MatrixXd::Zero(nx + ny, ny + nd);
    rest << p.A - Eigen::MatrixXd::Identity(nx, nx), p.B, p.C, Eigen::MatrixXd::Zero(ny, nu);
    right.bottomLeftCorner(ny, ny).setIdentity();
    right.topRightCorner(nx, nd) = -p.E;
    right.bottomRightCorner(ny, nd) = -p.D;
    return rest.completeOrthogonalDecomposition().solve(right);
}

/// Spectral radius of one pass through all models without inputs: the growth of a state per pass in the long run.
template <class = void>
[[nodiscard]] double growth_without_inputs(const std::vector<PredictionModel>& plant) {
    validate(plant, "control::growth_without_inputs");
    Eigen::MatrixXd all = Eigen::MatrixXd::Identity(plant[0].A.rows(), plant[0].A.rows());
    for (const PredictionModel& step : plant) all = (step.A * all).eval();
    return linalg::spectral_radius(all);
}

#ifdef PANTO_COMPILED
extern template double growth_without_inputs(const std::vector<PredictionModel>&);
extern template Eigen::MatrixXd infinite_horizon(const PredictionModel&, const Eigen::MatrixXd&, const Eigen::MatrixXd&,
                                                 const Eigen::MatrixXd&);
extern template CondensedHorizon condense(const std::vector<PredictionModel>&, const PredictionModel&,
                                          const HorizonWeights&);
extern template Eigen::MatrixXd steady_state(const PredictionModel&);
#endif

}  // namespace panto::control
