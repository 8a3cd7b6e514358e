// SPDX-License-Identifier: BSD-3-Clause
// Three receding-horizon sequences of a thousand quadratic programs each, with reference solutions.
#include "../../cases/qp_cases.hpp"
#include "catch.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

using namespace panto;

namespace opt_quadratic_program_verify {
namespace {

void solve_all(const std::string& name, bool warm) {
    const test::QpErrors e = test::qp_errors(name, warm);
    INFO(name << (warm ? " warm" : " cold"));
    CHECK(e.failed == 0);
    // Asked for is 1e-6. A dual active-set method ends at rounding: condition 653 at most, entries of H up to 1e2.
    CHECK(e.residual < 1e-11);
    CHECK(e.x < 1e-11);
    CHECK(e.cost < 1e-11);
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

TEST_CASE("a warm start takes fewer iterations than a cold one; moved on by a cycle it would take more work",
          "[opt][qp]") {
    for (const char* name : {"osc_N10", "dint_N25", "osc_N50"}) {
        const test::QpSequence s(PANTO_TEST_GOLDEN, name);
        const Eigen::Index n = s.H.rows(), nu = s.B.cols();
        opt::QuadraticProgram<> cold(s.H, s.rates), warm(s.H, s.rates), moved(s.H, s.rates);
        std::vector<int> of_cold, of_warm, of_moved;
        double joined = 0.0;  // constraints of the moved sets: their factors are made anew in every cycle
        const auto on = [&](const Eigen::VectorXd& v) {  // the plan of a cycle, one cycle later; its end stays
            Eigen::VectorXd later = v;
            later.head(n - nu) = v.tail(n - nu);
            return later;
        };
        for (Eigen::Index k = 0; k < s.count(); ++k) {
            const Eigen::VectorXd g = s.gradient(k);
            const auto limits = s.limits(k);
            if (k > 0) {
                // The gradient with which the plan moved on is the solution leaves its constraints active.
                const Eigen::VectorXd x = on(warm.x()), y = on(warm.multipliers().head(n));
                Eigen::VectorXd z = on(warm.multipliers().tail(n));
                z.tail(nu).setZero();
                moved.forget();
                REQUIRE(moved.solve(y + s.rates.transpose() * z - s.H * x, limits) == Status::ok);
                REQUIRE((moved.x() - x).cwiseAbs().maxCoeff() < 1e-9);
                joined += moved.active_count();
                REQUIRE(moved.solve(g, limits) == Status::ok);
                of_moved.push_back(moved.iterations());
            }
            cold.forget();
            REQUIRE(cold.solve(g, limits) == Status::ok);
            REQUIRE(warm.solve(g, limits) == Status::ok);
            if (k == 0) continue;  // the first step has no solution to begin from
            of_cold.push_back(cold.iterations());
            of_warm.push_back(warm.iterations());
        }
        const auto mean = [](const std::vector<int>& all) {
            return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
        };
        const auto most = [](std::vector<int> all) {  // in 99.9 % of the steps
            const auto at = all.begin() + static_cast<std::ptrdiff_t>(0.999 * static_cast<double>(all.size()));
            std::nth_element(all.begin(), at, all.end());
            return *at;
        };
        CAPTURE(name, mean(of_cold), mean(of_warm), mean(of_moved), joined / static_cast<double>(of_moved.size()));
        CAPTURE(most(of_cold), most(of_warm), most(of_moved));
        CHECK(most(of_warm) <= most(of_cold));
        CHECK(mean(of_warm) < 0.5 * mean(of_cold));
        CHECK(mean(of_warm) < mean(of_moved) + joined / static_cast<double>(of_moved.size()));
    }
}

}  // namespace opt_quadratic_program_verify
