// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random quadratic programs of six kinds, held against trying all active sets and against their own conditions of
/// optimality.

#pragma once

#include <panto/opt/quadratic_program.hpp>

#include "../support/targets.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace panto::test::random_qp {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using opt::QuadraticLimits;
using opt::QuadraticProgram;

constexpr double inf = std::numeric_limits<double>::infinity();

struct Problem {
    MatrixXd H, A;
    VectorXd g;
    QuadraticLimits<> limits;
};

using Random = std::mt19937;
inline double normal(Random& random) { return std::normal_distribution<double>()(random); }
inline int whole(Random& random, int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
}
inline bool chance(Random& random, double p) { return std::bernoulli_distribution(p)(random); }
inline MatrixXd random_matrix(Random& random, int rows, int columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

enum class Kind { plain, degenerate, fixed, duplicate, scaled, infeasible };
constexpr int kinds = 6;

/// Gives unknowns and rows units of their own, 1e-6 to 1e6.
inline void scale_badly(Problem& p, Random& random) {
    const auto spread = [&] { return std::pow(10.0, std::uniform_real_distribution<double>(-6.0, 6.0)(random)); };
    const VectorXd x = VectorXd::NullaryExpr(p.H.rows(), spread), rows = VectorXd::NullaryExpr(p.A.rows(), spread);
    p.H = x.asDiagonal().inverse() * p.H * x.asDiagonal().inverse();
    p.g = x.asDiagonal().inverse() * p.g;
    p.A = rows.asDiagonal() * p.A * x.asDiagonal().inverse();
    p.limits.lower.array() *= x.array(), p.limits.upper.array() *= x.array();
    p.limits.row_lower.array() *= rows.array(), p.limits.row_upper.array() *= rows.array();
}

/// Sides around a known point, so that the problem is feasible, unless it is to be infeasible.
inline Problem random_problem(Random& random, int n, int m, Kind kind) {
    const MatrixXd F = random_matrix(random, n, n);
    Problem p{F * F.transpose() + 0.05 * MatrixXd::Identity(n, n), random_matrix(random, m, n),
              3.0 * random_matrix(random, n, 1), QuadraticLimits<>::none(n, m)};
    if (kind == Kind::degenerate)
        for (int k = 1; k < m; ++k)
            if (chance(random, 0.5)) p.A.row(k) = p.A.row(whole(random, 0, k - 1)) + (k > 1 ? 1.0 : 0.0) * p.A.row(0);
    if (kind == Kind::duplicate)
        for (int k = 1; k < m; ++k)
            if (chance(random, 0.6)) p.A.row(k) = (chance(random, 0.5) ? 1.0 : -2.0) * p.A.row(k - 1);
    const VectorXd inside = random_matrix(random, n, 1), values = p.A * inside;
    const auto sides = [&](double at, double& lower, double& upper) {
        // Degenerate ones touch the point itself, which many sides then share.
        const bool touch = kind == Kind::degenerate && chance(random, 0.6);
        if (chance(random, 0.7)) lower = at - (touch ? 0.0 : std::fabs(normal(random)));
        if (chance(random, 0.7)) upper = at + (touch && chance(random, 0.5) ? 0.0 : std::fabs(normal(random)));
        if (kind == Kind::fixed && chance(random, 0.4)) lower = upper = at;
    };
    for (int i = 0; i < n; ++i) sides(inside[i], p.limits.lower[i], p.limits.upper[i]);
    for (int k = 0; k < m; ++k) sides(values[k], p.limits.row_lower[k], p.limits.row_upper[k]);
    if (kind == Kind::infeasible && m > 0) {
        // The last row asks for more than the bounds of all unknowns allow.
        p.limits.lower = inside - VectorXd::Ones(n), p.limits.upper = inside + VectorXd::Ones(n);
        const double reach = p.A.row(m - 1).cwiseAbs().sum();
        p.limits.row_lower[m - 1] = values[m - 1] + reach * (1.0 + 0.1 * std::fabs(normal(random)) + 1e-6);
        p.limits.row_upper[m - 1] = inf;
    }
    if (kind == Kind::scaled) scale_badly(p, random);
    return p;
}

/// Bounds are rows too.
struct Rows {
    MatrixXd A;
    VectorXd lower, upper;
};
inline Rows all_rows(const Problem& p) {
    const Eigen::Index n = p.H.rows(), m = p.A.rows();
    Rows r{MatrixXd(n + m, n), VectorXd(n + m), VectorXd(n + m)};
    r.A << MatrixXd::Identity(n, n), p.A;
    r.lower << p.limits.lower, p.limits.row_lower;
    r.upper << p.limits.upper, p.limits.row_upper;
    return r;
}

/// Largest violation of the conditions of Karush, Kuhn and Tucker, which are sufficient for a convex problem, each part
/// relative to the size of its terms. Computed from the data alone, in extended precision.
inline double kkt_error(const Problem& p, const VectorXd& x, const VectorXd& y) {
    const Rows r = all_rows(p);
    using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const Wide A = r.A.cast<long double>(), H = p.H.cast<long double>(), xw = x.cast<long double>(),
               yw = y.cast<long double>(), gw = p.g.cast<long double>();
    const Wide gradient = H * xw + gw - A.transpose() * yw, value = A * xw;
    const long double size =
        std::sqrt((xw.transpose() * H * xw)(0, 0)) + std::sqrt((gw.transpose() * H.ldlt().solve(gw))(0, 0)) + 1e-30L;
    long double worst = 0.0L;
    for (Eigen::Index j = 0; j < x.size(); ++j)
        worst = std::max(worst, std::fabs(gradient(j, 0)) / (std::sqrt(H(j, j)) * size));
    for (Eigen::Index i = 0; i < value.rows(); ++i) {
        const Wide a = A.row(i).transpose();
        const long double length = std::sqrt((a.transpose() * H.ldlt().solve(a))(0, 0)) + 1e-300L;
        const long double above = (value(i, 0) - r.lower[i]) / length, below = (r.upper[i] - value(i, 0)) / length;
        worst = std::max({worst, -above / size, -below / size});
        const long double force = yw(i, 0) * length / size;
        if (force > 0.0L) worst = std::max(worst, std::min(force, std::max(above, 0.0L) / size));
        if (force < 0.0L) worst = std::max(worst, std::min(-force, std::max(below, 0.0L) / size));
    }
    return static_cast<double>(worst);
}

/// Whether y proves that no x satisfies all constraints: y'A = 0 to rounding, sides sum to more than that allows.
inline bool proves(const Problem& p, const VectorXd& y) {
    const Rows r = all_rows(p);
    long double gap = 0.0L, terms = 0.0L;
    for (Eigen::Index i = 0; i < y.size(); ++i) {
        if (y[i] == 0.0) continue;
        const long double side = y[i] > 0.0 ? r.lower[i] : r.upper[i];
        gap += y[i] * side, terms += std::fabs(y[i] * side);
    }
    const VectorXd rest = r.A.transpose() * y, parts = r.A.cwiseAbs().transpose() * y.cwiseAbs();
    return gap > 1e-13L * terms && (rest.array().abs() <= 1e-9 * parts.array() + 1e-300).all();
}

/// Every choice of at most n active sides; nothing if none satisfies the conditions. In units in which the diagonal of
/// H and the length of each row are 1.
inline std::optional<VectorXd> by_enumeration(const Problem& p) {
    Rows r = all_rows(p);
    const Eigen::Index n = p.H.rows(), all = r.A.rows();
    const VectorXd unit = p.H.diagonal().cwiseSqrt().cwiseInverse();
    r.A = (r.A * unit.asDiagonal()).eval();
    const VectorXd length = r.A.rowwise().norm();
    r.A = (length.cwiseInverse().asDiagonal() * r.A).eval();
    r.lower.array() /= length.array(), r.upper.array() /= length.array();
    const MatrixXd H = unit.asDiagonal() * p.H * unit.asDiagonal();
    const VectorXd g = unit.asDiagonal() * p.g;
    std::vector<int> state(static_cast<std::size_t>(all), 0);
    std::optional<VectorXd> best;
    double least = 1e-8;
    for (;;) {
        std::vector<Eigen::Index> active;
        bool meant = true;
        for (Eigen::Index i = 0; i < all; ++i) {
            const int s = state[static_cast<std::size_t>(i)];
            if (s == 0) continue;
            active.push_back(i);
            meant = meant && std::isfinite(s == 1 ? r.lower[i] : r.upper[i]) && !(s == 2 && r.lower[i] == r.upper[i]);
        }
        const auto k = static_cast<Eigen::Index>(active.size());
        if (meant && k <= n) {
            MatrixXd K = MatrixXd::Zero(n + k, n + k);
            VectorXd b(n + k);
            K.topLeftCorner(n, n) = H;
            b.head(n) = -g;
            for (Eigen::Index j = 0; j < k; ++j) {
                const Eigen::Index i = active[static_cast<std::size_t>(j)];
                K.block(0, n + j, n, 1) = -r.A.row(i).transpose();
                K.block(n + j, 0, 1, n) = r.A.row(i);
                b[n + j] = state[static_cast<std::size_t>(i)] == 1 ? r.lower[i] : r.upper[i];
            }
            if (const Eigen::FullPivLU<MatrixXd> lu(K); lu.isInvertible()) {
                const VectorXd s = lu.solve(b), x = unit.asDiagonal() * s.head(n);
                VectorXd y = VectorXd::Zero(all);
                for (Eigen::Index j = 0; j < k; ++j) {
                    const Eigen::Index i = active[static_cast<std::size_t>(j)];
                    y[i] = s[n + j] / length[i];
                }
                if (const double error = kkt_error(p, x, y); error < least) least = error, best = x;
            }
        }
        Eigen::Index at = 0;
        while (at < all && ++state[static_cast<std::size_t>(at)] == 3) state[static_cast<std::size_t>(at++)] = 0;
        if (at == all) return best;
    }
}

/// Largest violation of a row as a share of the magnitudes of its terms; infinite if a bound is violated at all.
inline double violation(const Problem& p, const VectorXd& x) {
    using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
    if ((x.array() < p.limits.lower.array()).any() || (x.array() > p.limits.upper.array()).any()) return inf;
    long double worst = 0.0L;
    for (Eigen::Index k = 0; k < p.A.rows(); ++k) {
        const Wide terms = p.A.row(k).transpose().cast<long double>().cwiseProduct(x.cast<long double>());
        const long double at = terms.sum(), over = std::max(p.limits.row_lower[k] - at, at - p.limits.row_upper[k]);
        if (over > 0.0L) worst = std::max(worst, over / (terms.cwiseAbs().sum() + 1e-300L));
    }
    return static_cast<double>(worst);
}

/// What is wrong with this answer; empty if nothing.
inline std::string fault(const Problem& p, const QuadraticProgram<>& qp, Status status, bool feasible) {
    if (!feasible) {
        if (status != Status::infeasible) return "not called infeasible";
        return proves(p, qp.certificate()) ? "" : "the certificate proves nothing";
    }
    if (status != Status::ok) return "not solved";
    if (!qp.feasible()) return "called not feasible";
    // An ok promises 1e-10 (stationarity) and 1e-11 (sides) of the problem's size.
    if (!(kkt_error(p, qp.x(), qp.multipliers()) < 2e-10)) return "an ok that is not optimal";
    return violation(p, qp.x()) < 1.001e-9 ? "" : "an ok that violates a constraint";
}

/// Square of the distance of two points in the metric of H, relative to the size of the problem.
inline double distance(const Problem& p, const VectorXd& x, const VectorXd& y) {
    const VectorXd gap = x - y;
    return gap.dot(p.H * gap) / (y.dot(p.H * y) + p.g.dot(p.H.ldlt().solve(p.g)) + 1e-300);
}

struct Trial {
    std::string wrong = {};  ///< empty if nothing is
    bool infeasible = false;
};

/// Problem `i` of a series, solved cold, three times, and warm from another problem's set; up to `largest` unknowns and
/// rows. @param enumerate  compare with trying all active sets
inline Trial trial(unsigned first_seed, int i, int largest, bool enumerate) {
    Random random(first_seed + static_cast<unsigned>(i));
    const auto kind = static_cast<Kind>(i % kinds);
    const int n = whole(random, 1, largest), m = whole(random, 0, largest);
    const Problem p = random_problem(random, n, m, kind);
    QuadraticProgram<> qp(p.H, p.A);
    const bool feasible = !(kind == Kind::infeasible && m > 0);
    if (const std::string wrong = fault(p, qp, qp.solve(p.g, p.limits), feasible); !wrong.empty() || !feasible)
        return {wrong, !feasible};
    const VectorXd x = qp.x();
    if (enumerate) {
        const auto expected = by_enumeration(p);
        // Both are good to about 1e-10 of the size in the metric of H.
        if (!expected || !(distance(p, x, *expected) <= 1e-14)) return {"another solution than by enumeration"};
    }
    for (int again = 0; again < 2; ++again)
        if (qp.solve(p.g, p.limits) != Status::ok || qp.changes() != 0) return {"solved again it changes"};
    if (!usable(qp.solve(VectorXd(-p.g), p.limits))) return {"not solved with the opposite gradient"};
    // Warm from another problem's set is as good as cold.
    if (const std::string wrong = fault(p, qp, qp.solve(p.g, p.limits), true); !wrong.empty())
        return {"warm: " + wrong};
    return {distance(p, qp.x(), x) <= 1e-16 ? "" : "warm it is another solution than cold"};
}

/// The rows `qp.random.*` of targets.json: up to 6 constraints by trying all active sets, up to 60 by their own
/// conditions of optimality.
inline std::vector<Measured> figures() {
    int enumerated = 0, wrong = 0;
    for (int i = 0; i < 6000; ++i) enumerated += !trial(1U << 20, i, 3, true).wrong.empty();
    for (int i = 0; i < 100000; ++i) wrong += !trial(1U << 21, i, 30, false).wrong.empty();
    return {{"qp.random.enumerated", static_cast<double>(enumerated)}, {"qp.random.wrong", static_cast<double>(wrong)}};
}

}  // namespace panto::test::random_qp
