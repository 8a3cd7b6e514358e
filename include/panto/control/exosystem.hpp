// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Signals that a linear system without inputs generates, w[k+1] = S w[k], r[k] = F w[k], and the regulator equations
///
///     Pi S = A Pi + B Gamma + E,    F = C Pi + D Gamma
///
/// of a plant x[k+1] = A x[k] + B u[k] + E w[k]. Under u = Gamma w the plant moves with x = Pi w and its output is
/// exactly r [Francis, Wonham, Automatica 12 (1976) 457]. With u = Gamma w - K (x - Pi w) the plant returns to this
/// motion with the dynamics of A - B K. Delays are states of the plant (see sampled()), so the input Gamma w is ahead
/// of r by these delays.

#pragma once

#include <panto/control/state_space.hpp>
#include <panto/core/check.hpp>

#include <Eigen/Core>
#include <Eigen/QR>

#include <cmath>

namespace panto::control {

/// w[k+1] = S w[k], r[k] = F w[k].
struct Exosystem {
    Eigen::MatrixXd S = {}, F = {};
    double dt = 0.0;  ///< s, the step for which S is made; 0 if it is not known
};

/// A polynomial in time of degree 0 (a constant) to 5. w = [r; r'; r''; ...]; for degree 2 these form a Motion.
/// @throws SetupError if the degree or dt is out of range.
template <class = void>
[[nodiscard]] Exosystem polynomial_signal(int degree, double dt) {
    const char* where = "control::polynomial_signal";
    require(degree >= 0 && degree <= 5, where, "degree must be between 0 and 5, got ", degree);
    require_positive(dt, where, "dt");
    const Eigen::Index n = degree + 1;
    Exosystem e{Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Zero(1, n), dt};
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = i + 1; j < n; ++j) e.S(i, j) = e.S(i, j - 1) * dt / static_cast<double>(j - i);
    require(is_finite(e.S(0, n - 1)), where, "dt is ", dt, " s: its power of ", degree, " is not finite");
    e.F(0, 0) = 1.0;
    return e;
}

/// A sine of angular frequency `frequency`, rad/s, with any amplitude and phase. w = [r; r'/frequency].
/// @throws SetupError if the frequency is not positive, at or beyond pi/dt, or dt is not positive.
template <class = void>
[[nodiscard]] Exosystem sine_signal(double frequency, double dt) {
    const char* where = "control::sine_signal";
    require_positive(frequency, where, "frequency");
    require_positive(dt, where, "dt");
    require(frequency * dt < 3.1415926535897931, where, "frequency is ", frequency, " rad/s; with dt = ", dt,
            " s it must be below pi/dt");
    const double c = std::cos(frequency * dt), s = std::sin(frequency * dt);
    return {(Eigen::MatrixXd(2, 2) << c, s, -s, c).finished(), Eigen::MatrixXd::Identity(1, 2), dt};
}

struct Regulation {
    Eigen::MatrixXd Pi = {};     ///< x = Pi w
    Eigen::MatrixXd Gamma = {};  ///< u = Gamma w
};

/// Solves the regulator equations. `signal.F` has as many rows as the plant has outputs.
/// @param E  effect of the signals as disturbances of the plant; empty if there is none
/// @throws SetupError if sizes disagree, an entry is not finite, the plant is continuous or has no states, the signal
/// is made for another time step, or there is no solution because the output of the plant cannot follow such a signal
/// (a zero of the plant at an eigenvalue of S, or fewer inputs than outputs).
template <class = void>
[[nodiscard]] Regulation regulator_equations(const StateSpace& plant, const Exosystem& signal,
                                             const Eigen::MatrixXd& E = {}) {
    const char* where = "control::regulator_equations";
    validate(plant, where);
    require(plant.dt > 0.0, where, "the plant is continuous; sample it first");
    require(plant.states() > 0, where, "the plant has no states");
    require(signal.dt == 0.0 || std::abs(signal.dt - plant.dt) <= 1e-9 * plant.dt, where,
            "the signal is made for steps of ", signal.dt, " s, the plant for steps of ", plant.dt,
            " s; they must be equal");
    const Eigen::Index nx = plant.states(), nu = plant.inputs(), ny = plant.outputs(), nw = signal.S.rows();
    require(signal.S.cols() == nw && signal.F.cols() == nw && signal.F.rows() == ny && nw > 0, where, "S is ",
            signal.S.rows(), " by ", signal.S.cols(), " and F ", signal.F.rows(), " by ", signal.F.cols(),
            "; S must be square, and F must be ", ny, " (outputs of the plant) by the size of S");
    require(E.size() == 0 || (E.rows() == nx && E.cols() == nw), where, "E must be ", nx, " by ", nw, ", got ",
            E.rows(), " by ", E.cols());
    for (const double entry : signal.S.reshaped()) require_finite(entry, where, "an entry of S");
    for (const double entry : signal.F.reshaped()) require_finite(entry, where, "an entry of F");
    for (const double entry : E.reshaped()) require_finite(entry, where, "an entry of E");
    // Column j of the unknowns: [Pi; Gamma] w_j. The equations couple the columns through S alone:
    // sum_i Pi_i S_ij - A Pi_j - B Gamma_j = E_j,   C Pi_j + D Gamma_j = F_j.
    const Eigen::Index block = nx + nu, rows = nx + ny;
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(rows * nw, block * nw);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(rows * nw);
    for (Eigen::Index j = 0; j < nw; ++j) {
        M.block(rows * j, block * j, nx, nx) -= plant.A;
        M.block(rows * j, block * j + nx, nx, nu) = -plant.B;
        M.block(rows * j + nx, block * j, ny, nx) = plant.C;
        M.block(rows * j + nx, block * j + nx, ny, nu) = plant.D;
        for (Eigen::Index i = 0; i < nw; ++i) M.block(rows * j, block * i, nx, nx).diagonal().array() += signal.S(i, j);
        if (E.size() > 0) right.segment(rows * j, nx) = E.col(j);
        right.segment(rows * j + nx, ny) = signal.F.col(j);
    }
    // Rows and columns are scaled to the same size, so that units do not matter.
    for (Eigen::Index i = 0; i < M.rows(); ++i)
        if (const double size = M.row(i).cwiseAbs().maxCoeff(); size > 0.0) M.row(i) /= size, right[i] /= size;
    Eigen::VectorXd scale = M.cwiseAbs().colwise().maxCoeff().transpose();
    for (double& s : scale) s = s > 0.0 ? 1.0 / s : 1.0;
    M = (M * scale.asDiagonal()).eval();
    const Eigen::VectorXd scaled = M.completeOrthogonalDecomposition().solve(right);
    const double left = (M * scaled - right).cwiseAbs().maxCoeff();
    require(is_finite(left) && left <= 1e-9 * (1.0 + scaled.cwiseAbs().maxCoeff()), where,
            "there is no solution: the output of the plant cannot follow this signal (a zero of the plant at an "
            "eigenvalue of S, or fewer inputs than outputs); the residual is ",
            left);
    const Eigen::VectorXd solution = scale.asDiagonal() * scaled;
    Regulation r{Eigen::MatrixXd(nx, nw), Eigen::MatrixXd(nu, nw)};
    for (Eigen::Index j = 0; j < nw; ++j) {
        r.Pi.col(j) = solution.segment(block * j, nx);
        r.Gamma.col(j) = solution.segment(block * j + nx, nu);
    }
    return r;
}

#ifdef PANTO_COMPILED
extern template Regulation regulator_equations(const StateSpace&, const Exosystem&, const Eigen::MatrixXd&);
#endif

}  // namespace panto::control
