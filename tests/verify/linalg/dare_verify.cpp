// SPDX-License-Identifier: BSD-3-Clause
// All cases of golden/dare.json: published benchmarks (DAREX), cases that broke scipy and Drake, and what must fail.
// The golden solutions were computed with more than 60 digits, so that they are exact to the last bit of a double.
#include <panto/linalg/dare.hpp>

#include "catch.hpp"
#include "golden_json.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

using namespace panto;
using test::golden_matrix;

TEST_CASE("the Riccati cases with a solution are solved to the last bits, and no worse than scipy does", "[linalg]") {
    const auto golden = test::golden("dare.json");
    int cases = 0;
    for (const auto& c : golden.at("cases")) {
        if (c.at("expect") != "solution") continue;
        ++cases;
        const std::string name = c.at("name");
        INFO(name);
        const Eigen::MatrixXd A = golden_matrix(c.at("A")), B = golden_matrix(c.at("B")), Q = golden_matrix(c.at("Q"));
        const Eigen::MatrixXd R = golden_matrix(c.at("R")), S = golden_matrix(c.at("S"));
        const Eigen::MatrixXd X = golden_matrix(c.at("X")), K = golden_matrix(c.at("K"));
        const double radius = c.at("closed_loop_radius");
        const auto s = linalg::dare(A, B, Q, R, S);

        // Residuals are evaluated to the precision of long double and one Stein equation turns them into corrections,
        // which amplifies by at most 1/(1 - radius^2); then X is rounded to double.
        const double wide = static_cast<double>(std::numeric_limits<long double>::epsilon());
        const double eps = std::numeric_limits<double>::epsilon();
        const double sensitivity = 1.0 / (1.0 - radius * radius);
        const double tolerance = 8.0 * (eps + wide * sensitivity);
        const double error_X = (s.X - X).norm() / X.norm();
        CHECK(error_X <= tolerance);
        if (wide < eps) {
            const double scipy = c.at("scipy_relative_error");
            CHECK(error_X <= std::max(scipy, 2.0 * eps));
        }
        // K = (R + B'XB)^-1 (B'XA + S') inherits the error of X, amplified by the size of its terms over its own.
        const Eigen::MatrixXd M = R + B.transpose() * X * B;
        const double terms = (B.transpose() * X * A).norm() + S.norm();
        const double inverse = M.inverse().norm();
        CHECK((s.K - K).norm() <= 8.0 * inverse * terms * tolerance + 1e-300);

        CHECK(s.residual <= 1e-15);
        CHECK(s.X == s.X.transpose());
        CHECK(s.X.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff() >= -1e-14 * s.X.norm());
        // A defective eigenvalue of the loop moves by the square root of the rounding.
        CHECK(s.closed_loop_radius == Approx(radius).margin(radius == 0.0 ? 1e-7 : 1e-12));
        CHECK(s.newton_steps <= 12);
    }
    CHECK(cases == 16);
}

TEST_CASE("the Riccati cases that must fail say why", "[linalg]") {
    const std::pair<const char*, const char*> reasons[] = {
        {"unstabilisable", "no input affects the mode with eigenvalue 2"},
        {"unit_circle", "not seen by the weights Q, S, R; the eigenvalue of A nearest to the unit circle is 1"},
        {"nan_input", "A(0,0) must be finite, got nan"},
        {"indefinite_R", "R has the eigenvalue -1"}};
    const auto golden = test::golden("dare.json");
    int cases = 0;
    for (const auto& c : golden.at("cases")) {
        if (c.at("expect") != "error") continue;
        ++cases;
        const std::string name = c.at("name");
        INFO(name);
        std::string said = "no error";
        try {
            (void)linalg::dare(golden_matrix(c.at("A")), golden_matrix(c.at("B")), golden_matrix(c.at("Q")),
                               golden_matrix(c.at("R")));
        } catch (const SetupError& e) {
            said = e.what();
        }
        INFO(said);
        for (const auto& [which, reason] : reasons)
            if (name == which) CHECK(said.find(reason) != std::string::npos);
    }
    CHECK(cases == 4);
}
