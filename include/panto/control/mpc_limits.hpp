// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Limits and weights of a predictive controller, and checks of them.

#pragma once

#include <panto/control/prediction_matrices.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/opt/quadratic_limits.hpp>
#include <panto/opt/quadratic_program.hpp>

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

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
    for (Eigen::Index i = 0; i < size; ++i) {
        require(l.lower[i] < HUGE_VAL, where, name, ".lower[", i, "] is ", l.lower[i], ", must be below infinity");
        require(l.upper[i] > -HUGE_VAL, where, name, ".upper[", i, "] is ", l.upper[i], ", must be above -infinity");
    }
    return l;
}

/// What the entries of a vector of limited quantities are called: the measured outputs, then the limited states.
struct LimitedNames {
    Eigen::Index outputs = 0;
    std::vector<Eigen::Index> states = {};

    [[nodiscard]] const char* of(Eigen::Index i) const noexcept { return i < outputs ? "output" : "state"; }
    [[nodiscard]] Eigen::Index entry(Eigen::Index i) const {
        return i < outputs ? i : states[static_cast<std::size_t>(i - outputs)];
    }
};

/// All states of rest of a plant; for a periodic plant, all motions without disturbances that repeat themselves. Each
/// column of `inputs` and `outputs` (both for all cycles) is one of them, and so is every sum of columns. The units are
/// what a change of the state by 1 is worth: less than 1e-11 of it is rounding.
struct RestStates {
    Eigen::MatrixXd inputs = {}, outputs = {};
    Eigen::VectorXd input_units = {}, output_units = {};
};

template <class = void>
[[nodiscard]] RestStates rest_states(const std::vector<PredictionModel>& period) {
    const Eigen::Index nx = period[0].A.rows(), nu = period[0].B.cols(), ny = period[0].C.rows();
    const auto T = static_cast<Eigen::Index>(period.size());
    Eigen::MatrixXd x = Eigen::MatrixXd::Identity(nx, nx + T * nu), y(T * ny, nx + T * nu);
    Eigen::VectorXd unit = Eigen::VectorXd::Ones(T * nu), size(T * ny);
    for (Eigen::Index k = 0; k < T; ++k) {
        const PredictionModel& m = period[static_cast<std::size_t>(k)];
        y.middleRows(k * ny, ny) = m.C * x;
        size.segment(k * ny, ny) = m.C.rowwise().norm();
        x = (m.A * x).eval();
        for (Eigen::Index j = 0; j < nu; ++j) {
            if (const double effect = m.B.col(j).norm(); effect > 0.0) unit[k * nu + j] = 1.0 / effect;
            x.col(nx + k * nu + j) += unit[k * nu + j] * m.B.col(j);
        }
    }
    x.leftCols(nx) -= Eigen::MatrixXd::Identity(nx, nx);
    Eigen::FullPivLU<Eigen::MatrixXd> lu(x);
    lu.setThreshold(1e-12);
    const Eigen::MatrixXd kernel = lu.kernel();
    const Eigen::MatrixXd basis = Eigen::HouseholderQR<Eigen::MatrixXd>(kernel).householderQ() *
                                  Eigen::MatrixXd::Identity(kernel.rows(), kernel.cols());
    return {unit.asDiagonal() * basis.bottomRows(T * nu), y * basis, unit, size};
}

/// Whether a state of rest keeps the inputs and the outputs of `which` within their limits.
template <class = void>
[[nodiscard]] bool can_rest(const RestStates& rest, const MpcLimits& input, const MpcLimits& output,
                            const std::vector<Eigen::Index>& which) {
    const Eigen::Index nu = input.lower.size(), ny = output.lower.size(), T = rest.inputs.rows() / nu;
    const Eigen::Index rows = T * (nu + static_cast<Eigen::Index>(which.size()));
    Eigen::MatrixXd A(rows, rest.inputs.cols());
    auto limits = opt::QuadraticLimits<>::none(A.cols(), rows);
    Eigen::Index row = 0;
    const auto add = [&](const auto& direction, double unit, double lower, double upper) {
        const auto rounding = [](double limit) { return std::fabs(limit) <= 1e300 ? 1e-9 * std::fabs(limit) : 0.0; };
        const double size = direction.norm(), slack = std::fmax(rounding(lower), rounding(upper));
        lower -= slack, upper += slack;
        if (size <= 1e-11 * unit) {  // no state of rest moves it
            if (lower > 0.0 || upper < 0.0) return false;
            A.row(row).setZero(), lower = upper = 0.0;
        } else {
            A.row(row) = direction / size, lower /= size, upper /= size;
        }
        limits.row_lower[row] = lower, limits.row_upper[row++] = upper;
        return true;
    };
    for (Eigen::Index k = 0; k < T; ++k) {
        for (Eigen::Index j = 0; j < nu; ++j)
            if (!add(rest.inputs.row(k * nu + j), rest.input_units[k * nu + j], input.lower[j], input.upper[j]))
                return false;
        for (const Eigen::Index j : which)
            if (!add(rest.outputs.row(k * ny + j), rest.output_units[k * ny + j], output.lower[j], output.upper[j]))
                return false;
    }
    opt::QuadraticProgram<> program(Eigen::MatrixXd::Identity(A.cols(), A.cols()), A);
    return program.solve(Eigen::VectorXd::Zero(A.cols()), limits) != Status::infeasible;
}

/// Refuses limits of moves that do not contain 0. Also refuses hard limits of outputs and states if no state of rest
/// (of a periodic plant, no motion that repeats itself) keeps both them and the limits of the inputs.
/// @param output  limits of the measured outputs, then of the limited states
/// @throws SetupError naming the limit and, if the plant is constant and does not integrate, the range that can be
/// kept.
template <class = void>
void require_holdable(const std::vector<PredictionModel>& period, const MpcLimits& input, const MpcLimits& move,
                      const MpcLimits& output, const Eigen::VectorXd& softness, const LimitedNames& names) {
    const char* where = "control::Mpc";
    for (Eigen::Index i = 0; i < move.lower.size(); ++i)
        require(move.lower[i] <= 0.0 && move.upper[i] >= 0.0, where, "move.lower[", i, "] is ", move.lower[i],
                " and move.upper[", i, "] is ", move.upper[i], ", must enclose 0, so that the input can stay constant");
    std::vector<Eigen::Index> hard;
    for (Eigen::Index j = 0; j < output.lower.size(); ++j)
        if (!(softness[j] > 0.0) && (output.lower[j] > -1e300 || output.upper[j] < 1e300)) hard.push_back(j);
    if (hard.empty()) return;
    const RestStates rest = rest_states(period);
    for (const Eigen::Index j : hard) {
        if (can_rest(rest, input, output, {j})) continue;
        std::string range;
        const Eigen::Index nx = period[0].A.rows();
        const Eigen::FullPivLU<Eigen::MatrixXd> lu(Eigen::MatrixXd::Identity(nx, nx) - period[0].A);
        if (period.size() == 1 && lu.isInvertible()) {
            const Eigen::MatrixXd at_rest = lu.solve(period[0].B);
            const Eigen::RowVectorXd gain = period[0].C.row(j) * at_rest,
                                     terms = period[0].C.row(j).cwiseAbs() * at_rest.cwiseAbs();
            double lowest = 0.0, highest = 0.0;
            for (Eigen::Index i = 0; i < gain.size(); ++i) {
                if (!(std::fabs(gain[i]) > 1e-11 * terms[i])) continue;  // rounding
                const double a = gain[i] * input.lower[i], b = gain[i] * input.upper[i];
                lowest += std::fmin(a, b), highest += std::fmax(a, b);
            }
            range = ", only from " + shown(lowest) + " to " + shown(highest);
        }
        require(false, where, names.of(j), ".lower[", names.entry(j), "] is ", output.lower[j], " and ", names.of(j),
                ".upper[", names.entry(j), "] is ", output.upper[j], ", but ",
                period.size() == 1 ? "at rest" : "in a motion that repeats itself",
                ", with inputs within their limits, it cannot stay there", range,
                "; widen the limits, or give it a softness");
    }
    if (can_rest(rest, input, output, hard)) return;
    std::vector<Eigen::Index> conflict = hard;  // of which none can be left out
    for (const Eigen::Index j : hard) {
        std::vector<Eigen::Index> others = conflict;
        std::erase(others, j);
        if (!can_rest(rest, input, output, others)) conflict = others;
    }
    std::string list;
    for (const Eigen::Index j : conflict)
        list += (list.empty() ? "" : ", ") + std::string(names.of(j)) + "[" + std::to_string(names.entry(j)) + "]";
    require(false, where, "each hard limit of outputs and states can be kept ",
            period.size() == 1 ? "at rest" : "in a motion that repeats itself", ", but not those of ", list,
            " together; widen one of them, or give it a softness");
}

#ifdef PANTO_COMPILED
extern template RestStates rest_states(const std::vector<PredictionModel>&);
extern template bool can_rest(const RestStates&, const MpcLimits&, const MpcLimits&, const std::vector<Eigen::Index>&);
extern template void require_holdable(const std::vector<PredictionModel>&, const MpcLimits&, const MpcLimits&,
                                      const MpcLimits&, const Eigen::VectorXd&, const LimitedNames&);
extern template void require_weight(const Eigen::MatrixXd&, Eigen::Index, bool, const char*);
extern template MpcLimits complete(const MpcLimits&, Eigen::Index, const char*);
#endif

}  // namespace detail

}  // namespace panto::control
