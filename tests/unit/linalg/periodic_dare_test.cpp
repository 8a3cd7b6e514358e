// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/dare.hpp>
#include <panto/linalg/periodic_dare.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace panto;
using namespace panto::linalg;
using Eigen::MatrixXd;

namespace periodic_dare_test {
namespace {

/// Steps that all differ; the second is unstable by itself.
std::vector<RiccatiStep> steps(bool cross) {
    std::vector<RiccatiStep> all;
    for (int k = 0; k < 3; ++k) {
        RiccatiStep s;
        s.A = MatrixXd{{0.9 + 0.3 * k, 0.4, 0.0}, {-0.2, 0.8, 0.1 * k}, {0.0, 0.3, 0.5}};
        s.B = MatrixXd{{0.0, 0.2}, {1.0 - 0.2 * k, 0.0}, {0.1, 0.7}};
        s.Q = MatrixXd{{1.0, 0.2, 0.0}, {0.2, 0.5 + k, 0.0}, {0.0, 0.0, 0.1}};
        s.R = MatrixXd{{0.3 + k, 0.05}, {0.05, 0.2}};
        if (cross) s.S = MatrixXd{{0.1, 0.0}, {0.0, 0.05}, {0.02, 0.0}};
        all.push_back(s);
    }
    return all;
}

}  // namespace

TEST_CASE("one step is the equation of a constant plant") {
    for (const bool cross : {false, true}) {
        const RiccatiStep s = steps(cross)[1];
        const auto constant = dare(s.A, s.B, s.Q, s.R, cross ? s.S : MatrixXd::Zero(3, 2));
        const auto periodic = periodic_dare({s});
        REQUIRE(periodic.size() == 1);
        CHECK((periodic[0].X - constant.X).norm() < 1e-11 * constant.X.norm());
        CHECK((periodic[0].K - constant.K).norm() < 1e-11 * constant.K.norm());
    }
}

TEST_CASE("a period is one step of the plant lifted over it, and every step follows from the next one") {
    for (const bool cross : {false, true}) {
        const auto all = steps(cross);
        const auto found = periodic_dare(all);
        MatrixXd A = MatrixXd::Identity(3, 3), B = MatrixXd::Zero(3, 6), Q = MatrixXd::Zero(3, 3),
                 R = MatrixXd::Zero(6, 6), S = MatrixXd::Zero(3, 6);
        for (Eigen::Index k = 0; k < 3; ++k) {
            const RiccatiStep& s = all[static_cast<std::size_t>(k)];
            Q += A.transpose() * s.Q * A;
            S += A.transpose() * s.Q * B;
            R += B.transpose() * s.Q * B;
            R.block(2 * k, 2 * k, 2, 2) += s.R;
            if (cross) {
                S.middleCols(2 * k, 2) += A.transpose() * s.S;
                R.middleCols(2 * k, 2) += B.transpose() * s.S;
                R.middleRows(2 * k, 2) += s.S.transpose() * B;
            }
            A = (s.A * A).eval(), B = (s.A * B).eval();
            B.middleCols(2 * k, 2) += s.B;
        }
        const auto lifted = dare(A, B, Q, R, S);
        CHECK((found[0].X - lifted.X).norm() < 1e-11 * lifted.X.norm());
        CHECK((found[0].K - lifted.K.topRows(2)).norm() < 1e-10 * lifted.K.norm());
        for (std::size_t k = 0; k < 3; ++k) {
            const RiccatiResult again = riccati_step(all[k], found[(k + 1) % 3].X);
            CHECK((again.X - found[k].X).norm() < 1e-12 * again.X.norm());
        }
    }
}

TEST_CASE("what has no stabilizing solution is refused") {
    const auto refused = [](auto change, const char* text) {
        auto all = steps(true);
        change(all);
        try {
            static_cast<void>(periodic_dare(all));
        } catch (const SetupError& e) {
            return std::string(e.what()).find(text) != std::string::npos;
        }
        return false;
    };
    using Steps = std::vector<RiccatiStep>;
    CHECK(refused([](Steps& s) { s.clear(); }, "no steps"));
    CHECK(refused([](Steps& s) { s[1].B = MatrixXd::Zero(2, 2); }, "sizes of A, B, Q, R and S of step 1"));
    CHECK(
        refused([](Steps& s) { s[2].A(0, 0) = std::numeric_limits<double>::quiet_NaN(); }, "of step 2 is not finite"));
    CHECK(refused([](Steps& s) { s[0].R(0, 0) = -1.0; }, "R is not positive definite"));
    RiccatiStep single = steps(true)[0];
    CHECK_THROWS_AS((void)riccati_step(single, MatrixXd::Zero(2, 2)), SetupError);
    CHECK_THROWS_AS((void)riccati_step(single, MatrixXd::Constant(3, 3, std::nan(""))), SetupError);
    single.Q = MatrixXd::Zero(2, 2);
    CHECK_THROWS_AS((void)riccati_step(single, MatrixXd::Zero(3, 3)), SetupError);
    // A mode that grows and is not moved by an input; then one that is not seen by the weights.
    const auto alone = [](Steps& s, bool moved) {
        for (RiccatiStep& step : s) {
            step.A.row(0) << 1.2, 0.0, 0.0;
            step.A.col(0) << 1.2, 0.0, 0.0;
            step.S = {};
            if (!moved) step.B.row(0).setZero();
            if (moved) step.Q.row(0).setZero(), step.Q.col(0).setZero();
        }
    };
    CHECK(refused([&](Steps& s) { alone(s, false); }, "no stabilizing solution"));
    CHECK(refused([&](Steps& s) { alone(s, true); }, "no stabilizing solution"));
}

}  // namespace periodic_dare_test
