// SPDX-License-Identifier: BSD-3-Clause
// Three receding-horizon sequences of a thousand quadratic programs each, with reference solutions.
#include <panto/opt/quadratic_program.hpp>

#include "../../cases/qp_sequences.hpp"
#include "catch.hpp"

#include <algorithm>
#include <cmath>

using namespace panto;

namespace opt_quadratic_program_verify {
namespace {

/// Stationarity, feasibility and complementarity, the largest of them, absolute as the source of the problems asks.
double kkt_residual(const test::QpSequence& s, const Eigen::VectorXd& g, const opt::QuadraticLimits<>& limits,
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

void solve_all(const std::string& name, bool warm) {
    const test::QpSequence s(PANTO_TEST_GOLDEN, name);
    opt::QuadraticProgram<> qp(s.H, s.rates);
    double residual = 0.0, gap = 0.0, cost_gap = 0.0;
    for (Eigen::Index k = 0; k < s.count(); ++k) {
        const Eigen::VectorXd g = s.gradient(k);
        const auto limits = s.limits(k);
        if (!warm) qp.forget();
        REQUIRE(qp.solve(g, limits) == Status::ok);
        residual = std::max(residual, kkt_residual(s, g, limits, qp.x(), qp.multipliers()));
        const double cost = 0.5 * qp.x().dot(s.H * qp.x()) + g.dot(qp.x());
        cost_gap = std::max(cost_gap, std::fabs(cost - s.fref(k, 0)) / (1.0 + std::fabs(s.fref(k, 0))));
        if (k % 10 == 0) gap = std::max(gap, (qp.x() - s.solutions.row(k / 10).transpose()).cwiseAbs().maxCoeff());
    }
    INFO(name << (warm ? " warm" : " cold"));
    // Asked for is 1e-6. A dual active-set method ends at rounding: condition 653 at most, entries of H up to 1e2.
    CHECK(residual < 1e-11);
    CHECK(gap < 1e-11);
    CHECK(cost_gap < 1e-11);
}

}  // namespace

TEST_CASE("the condensed Hessian is the published one", "[opt][qp]") {
    const test::QpSequence s(PANTO_TEST_GOLDEN, "osc_N10");
    const auto published = test::read_matrix(std::string(PANTO_TEST_GOLDEN) + "/qp/osc_N10/H.csv");
    CHECK((s.H - published).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("three thousand problems of receding horizons, cold and warm", "[opt][qp]") {
    for (const char* name : {"osc_N10", "dint_N25", "osc_N50"})
        for (const bool warm : {false, true}) solve_all(name, warm);
}

}  // namespace opt_quadratic_program_verify
