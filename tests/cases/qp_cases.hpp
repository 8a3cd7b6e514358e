// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Three receding-horizon sequences of a thousand quadratic programs each (tests/golden/qp), solved and held against
/// their conditions of optimality and reference solutions.

#pragma once

#include "../support/targets.hpp"
#include "qp_sequences.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace panto::test {

struct QpErrors {
    int failed = 0;         ///< problems whose status was not ok
    double residual = 0.0;  ///< of the KKT conditions, the greatest of all problems
    double x = 0.0;         ///< to the reference solution, of every tenth problem
    double cost = 0.0;      ///< to the reference cost, relative
};

/// Stationarity, feasibility and complementarity, the largest of them, absolute as the source of the problems asks.
inline double kkt_residual(const QpSequence& s, const Eigen::VectorXd& g, const opt::QuadraticLimits<>& limits,
                           const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
    const Eigen::Index n = x.size();
    double worst = (s.H * x + g - y.head(n) - s.rates.transpose() * y.tail(n)).cwiseAbs().maxCoeff();
    const Eigen::VectorXd rows = s.rates * x;
    const auto side = [&](double value, double lower, double upper, double force) {
        worst = std::max({worst, lower - value, value - upper});
        worst = std::max(worst, std::fabs(force * (force > 0.0 ? value - lower : upper - value)));
    };
    for (Eigen::Index i = 0; i < n; ++i) {
        side(x[i], limits.lower[i], limits.upper[i], y[i]);
        side(rows[i], limits.row_lower[i], limits.row_upper[i], y[n + i]);
    }
    return worst;
}

inline QpErrors qp_errors(const std::string& name, bool warm) {
    const QpSequence s(PANTO_TEST_GOLDEN, name);
    opt::QuadraticProgram<> qp(s.H, s.rates);
    QpErrors e;
    for (Eigen::Index k = 0; k < s.count(); ++k) {
        const Eigen::VectorXd g = s.gradient(k);
        const auto limits = s.limits(k);
        if (!warm) qp.forget();
        e.failed += qp.solve(g, limits) != Status::ok;
        e.residual = std::max(e.residual, kkt_residual(s, g, limits, qp.x(), qp.multipliers()));
        const double cost = 0.5 * qp.x().dot(s.H * qp.x()) + g.dot(qp.x()), reference = s.fref(k, 0);
        e.cost = std::max(e.cost, std::fabs(cost - reference) / (1.0 + std::fabs(reference)));
        if (k % 10 == 0) e.x = std::max(e.x, (qp.x() - s.solutions.row(k / 10).transpose()).cwiseAbs().maxCoeff());
    }
    return e;
}

/// The rows `qp.*` of targets.json: cold starts.
inline std::vector<Measured> qp_figures() {
    std::vector<Measured> all;
    for (const std::string name : {"osc_N10", "dint_N25", "osc_N50"}) {
        const QpErrors e = qp_errors(name, false);
        all.push_back({"qp." + name + ".failed", static_cast<double>(e.failed)});
        all.push_back({"qp." + name + ".residual", e.residual});
        all.push_back({"qp." + name + ".x", e.x});
    }
    return all;
}

}  // namespace panto::test
