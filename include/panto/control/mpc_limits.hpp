// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Limits and weights of a predictive controller, and checks of them.

#pragma once

#include <panto/control/prediction_matrices.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/opt/quadratic_limits.hpp>

#include <Eigen/Core>
#include <Eigen/LU>

#include <cmath>
#include <cstddef>

namespace panto::control {

/// Lower and upper limits, one entry per quantity. Empty vectors and infinite entries mean no limit.
struct MpcLimits {
    Eigen::VectorXd lower = {}, upper = {};
};

namespace detail {

/// @throws SetupError unless the weight has this size and is symmetric and positive semi-definite, or, with `definite`,
/// positive definite.
template <class = void>
void require_weight(const Eigen::MatrixXd& M, Eigen::Index size, bool definite, const char* name) {
    const char* where = "control::Mpc";
    require(M.rows() == size && M.cols() == size, where, name, " is ", M.rows(), " by ", M.cols(), ", must be ", size,
            " by ", size);
    for (Eigen::Index j = 0; j < size; ++j)
        for (Eigen::Index i = 0; i < size; ++i) require_finite(M(i, j), where, name, "(", i, ",", j, ")");
    const double gap = (M - M.transpose()).cwiseAbs().maxCoeff();
    require(gap <= 1e-10 * M.cwiseAbs().maxCoeff(), where, name, " is not symmetric: it differs from its transpose by ",
            gap);
    const double least = linalg::eigenvalues(M).real().minCoeff();
    require(definite ? least > 0.0 : least >= -1e-12 * M.norm(), where, name, " has the eigenvalue ", least,
            definite ? ", its eigenvalues must be > 0" : ", its eigenvalues must be >= 0");
}

/// Replaces missing limits by infinite ones.
/// @throws SetupError naming the entry whose lower limit is above its upper limit, or that is not a number.
template <class = void>
[[nodiscard]] MpcLimits complete(const MpcLimits& given, Eigen::Index size, const char* name) {
    const char* where = "control::Mpc";
    const auto none = opt::QuadraticLimits<>::none(size);
    const MpcLimits l{given.lower.size() > 0 ? given.lower : none.lower,
                      given.upper.size() > 0 ? given.upper : none.upper};
    require(l.lower.size() == size, where, name, ".lower has ", l.lower.size(), " entries, must be ", size);
    require(l.upper.size() == size, where, name, ".upper has ", l.upper.size(), " entries, must be ", size);
    for (Eigen::Index i = 0; i < size; ++i)
        require(l.lower[i] <= l.upper[i], where, name, ".lower[", i, "] is ", l.lower[i], " and ", name, ".upper[", i,
                "] is ", l.upper[i], ", the lower limit must not be above the upper one");
    return l;
}

/// Refuses hard limits of an output that cannot be kept at rest with the inputs within their limits, and limits on the
/// moves that exclude 0. Outputs of an integrating plant are not checked: it holds any output with the input 0.
/// @throws SetupError naming the limit and the range that can be reached.
template <class = void>
void require_holdable(const PredictionModel& plant, const MpcLimits& input, const MpcLimits& move,
                      const MpcLimits& output, const Eigen::VectorXd& softness) {
    const char* where = "control::Mpc";
    for (Eigen::Index i = 0; i < move.lower.size(); ++i)
        require(move.lower[i] <= 0.0 && move.upper[i] >= 0.0, where, "move.lower[", i, "] is ", move.lower[i],
                " and move.upper[", i, "] is ", move.upper[i],
                ", must not be above and not below 0: the input could never stay");
    const Eigen::Index nx = plant.A.rows();
    const Eigen::FullPivLU<Eigen::MatrixXd> rest(Eigen::MatrixXd::Identity(nx, nx) - plant.A);
    if (!rest.isInvertible()) return;
    const Eigen::MatrixXd gain = plant.C * rest.solve(plant.B);
    for (Eigen::Index j = 0; j < gain.rows(); ++j) {
        if (softness[j] > 0.0) continue;
        double lowest = 0.0, highest = 0.0;
        for (Eigen::Index i = 0; i < gain.cols(); ++i) {
            if (!(std::fabs(gain(j, i)) > 0.0)) continue;
            const double a = gain(j, i) * input.lower[i], b = gain(j, i) * input.upper[i];
            lowest += std::fmin(a, b), highest += std::fmax(a, b);
        }
        const double rounding = 1e-9 * (std::fabs(output.lower[j]) + std::fabs(output.upper[j]));
        require(!(output.lower[j] > highest + rounding) && !(output.upper[j] < lowest - rounding), where,
                "output.lower[", j, "] is ", output.lower[j], " and output.upper[", j, "] is ", output.upper[j],
                ", but at rest, with inputs within their limits, this output can only be from ", lowest, " to ",
                highest, "; widen the limits, or give the output a softness");
    }
}

#ifdef PANTO_COMPILED
extern template void require_holdable(const PredictionModel&, const MpcLimits&, const MpcLimits&, const MpcLimits&,
                                      const Eigen::VectorXd&);
extern template void require_weight(const Eigen::MatrixXd&, Eigen::Index, bool, const char*);
extern template MpcLimits complete(const MpcLimits&, Eigen::Index, const char*);
#endif

}  // namespace detail

}  // namespace panto::control
