// SPDX-License-Identifier: BSD-3-Clause
#include <panto/opt/quadratic_program.hpp>

#include "../../cases/random_qp_cases.hpp"
#include "../../support/allocations.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using panto::Status;
using panto::opt::QuadraticLimits;
using panto::opt::QuadraticProgram;

namespace quadratic_program_test {
namespace {

using panto::test::random_qp::all_rows;
using panto::test::random_qp::chance;
using panto::test::random_qp::inf;
using panto::test::random_qp::Kind;
using panto::test::random_qp::kkt_error;
using panto::test::random_qp::normal;
using panto::test::random_qp::Problem;
using panto::test::random_qp::proves;
using panto::test::random_qp::Random;
using panto::test::random_qp::random_matrix;
using panto::test::random_qp::random_problem;
using panto::test::random_qp::Rows;
using panto::test::random_qp::scale_badly;
using panto::test::random_qp::violation;
using panto::test::random_qp::whole;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

unsigned seed() {
    const char* given = std::getenv("PANTO_SEED");
    return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1U;
}

/// Returns how many of the problems were infeasible.
int solve_many(unsigned first_seed, int count, int largest, bool enumerate, int first = 0) {
    int refused = 0;
    for (int i = first; i < first + count; ++i) {
        const auto trial = panto::test::random_qp::trial(first_seed, i, largest, enumerate);
        CAPTURE(i);
        CHECK(trial.wrong == "");
        refused += trial.infeasible ? 1 : 0;
    }
    return refused;
}

/// Rows that nearly coincide; a cost whose unknowns have units of their own; both; and badly scaled problems that are
/// infeasible or have rows twice.
enum class Hard { parallel, cost, parallel_cost, infeasible, duplicate };

Problem hard_problem(Random& random, int n, int m, Hard kind) {
    if (kind == Hard::infeasible || kind == Hard::duplicate) {
        Problem p = random_problem(random, n, m, kind == Hard::infeasible ? Kind::infeasible : Kind::duplicate);
        scale_badly(p, random);
        return p;
    }
    Problem p = random_problem(random, n, 0, Kind::plain);
    p.A = random_matrix(random, m, n);
    const double near = std::pow(10.0, -whole(random, 6, 14));
    if (kind != Hard::cost)
        for (int k = 1; k < m; ++k)
            if (chance(random, 0.5))
                p.A.row(k) = (chance(random, 0.5) ? 1.0 : -1.0) * p.A.row(whole(random, 0, k - 1)) +
                             near * random_matrix(random, 1, n);
    if (kind != Hard::parallel) {
        const double most = whole(random, 1, 5);
        const auto spread = [&] { return std::pow(10.0, std::uniform_real_distribution<double>(-most, most)(random)); };
        const VectorXd unit = VectorXd::NullaryExpr(n, spread);
        p.H = (unit.asDiagonal() * p.H * unit.asDiagonal()).eval();
    }
    const VectorXd inside = random_matrix(random, n, 1), values = p.A * inside;
    p.limits = QuadraticLimits<>::none(n, m);
    const auto sides = [&](double at, double& lower, double& upper) {
        switch (whole(random, 0, 4)) {
            case 0: lower = upper = at; break;
            case 1: lower = at; break;
            case 2: upper = at; break;
            case 3: lower = at - std::fabs(normal(random)), upper = at + std::fabs(normal(random)); break;
            default: break;
        }
    };
    for (int i = 0; i < n; ++i) sides(inside[i], p.limits.lower[i], p.limits.upper[i]);
    for (int k = 0; k < m; ++k) sides(values[k], p.limits.row_lower[k], p.limits.row_upper[k]);
    return p;
}

/// No wrong ok and no wrong infeasible. Returns how many of them, by kind, had no status at all.
std::array<int, 5> solve_hard(unsigned first_seed, int count, int largest) {
    std::array<int, 5> open{};
    for (int i = 0; i < count; ++i) {
        Random random(first_seed + static_cast<unsigned>(i));
        const auto kind = static_cast<Hard>(i % 5);
        const int n = whole(random, 1, largest), m = whole(random, 0, largest);
        CAPTURE(i);
        const Problem p = hard_problem(random, n, m, kind);
        QuadraticProgram<> qp(p.H, p.A);
        const Status status = qp.solve(p.g, p.limits);
        const bool feasible = kind != Hard::infeasible || m == 0;
        if (status == Status::not_converged) {
            ++open[static_cast<std::size_t>(i % 5)];
            // Between two points that keep all rows: measured 1.02e-9.
            if (qp.feasible()) CHECK(violation(p, qp.x()) < 2e-9);
        } else if (feasible) {
            CHECK(status == Status::ok);
            CHECK(violation(p, qp.x()) < 1.001e-9);
            CHECK(std::fabs(qp.violation()) < HUGE_VAL);
        } else {
            CHECK(status == Status::infeasible);
            CHECK(proves(p, qp.certificate()));
        }
    }
    return open;
}

const MatrixXd nothing = MatrixXd::Zero(0, 2);

}  // namespace

TEST_CASE("without constraints it is the linear system") {
    Random random(seed());
    const Problem p = random_problem(random, 6, 0, Kind::plain);
    QuadraticProgram<> qp(p.H);
    CHECK(qp.solve(p.g, QuadraticLimits<>::none(6)) == Status::ok);
    CHECK((qp.x() + p.H.ldlt().solve(p.g)).norm() < 1e-12 * qp.x().norm() * p.H.norm() / 0.05);
    CHECK(qp.iterations() == 0);
}

TEST_CASE("the example of the page") {
    // [program]
    const Eigen::Matrix2d H{{2.0, 0.5}, {0.5, 1.0}};
    const Eigen::RowVector2d sum(1.0, 1.0);
    panto::opt::QuadraticProgram<2, 1> program(H, sum);
    auto limits = panto::opt::QuadraticLimits<2, 1>::none(2, 1);
    limits.lower.setConstant(0.0);
    limits.row_lower[0] = limits.row_upper[0] = 1.0;  // x_0 + x_1 = 1
    const panto::Status status = program.solve(Eigen::Vector2d(1.0, 0.0), limits);
    // [program]
    CHECK(status == Status::ok);
    CHECK((program.x() - Eigen::Vector2d(0.0, 1.0)).norm() < 1e-15);
}

TEST_CASE("with H = I it projects on the box") {
    QuadraticProgram<2, 0> qp(Eigen::Matrix2d::Identity());
    QuadraticLimits<2, 0> box{Eigen::Vector2d(-1.0, -1.0), Eigen::Vector2d(1.0, 1.0), {}, {}};
    CHECK(qp.solve(Eigen::Vector2d(-3.0, 0.5), box) == Status::ok);
    CHECK(qp.x() == Eigen::Vector2d(1.0, -0.5));
    CHECK(qp.multipliers() == Eigen::Vector2d(-2.0, 0.0));
    CHECK(qp.active() == Eigen::Matrix<signed char, 2, 1>(1, 0));
}

TEST_CASE("random problems of six kinds agree with trying all active sets, and with their own optimality conditions") {
    CHECK(solve_many(1000 * seed(), 180, 3, true) > 0);
    CHECK(solve_many(1000 * seed() + 500, 300, 9, false) > 0);
}

TEST_CASE("nearly parallel rows and badly scaled problems: an ok keeps every row in its own unit") {
    const auto open = solve_hard(1000 * seed(), 2000, 10);
    // Parallel to 1e-6 to 1e-10 is neither different nor the same in double precision.
    MESSAGE(open[0], " ", open[1], " ", open[2], " ", open[3], " ", open[4], " of 400 each not solved");
    // With seven seeds at most 32, 14, 33, 0 and 0.
    CHECK(open[0] < 60);
    CHECK(open[1] < 30);
    CHECK(open[2] < 60);
    CHECK(open[3] + open[4] < 3);
}

TEST_CASE("an ill-conditioned problem solved again changes nothing") {
    // Found among the hundred thousand of the long run: too coarse for the table, or violated by rounding alone.
    solve_many(1U << 20, 1, 3, true, 3373);
    for (const int i : {337, 451, 746, 3385, 4945, 22015}) solve_many(1U << 21, 1, 30, false, i);
}

TEST_CASE("a size fixed at compile time gives what the dynamic one gives") {
    Random random(seed());
    const Problem p = random_problem(random, 3, 2, Kind::plain);
    QuadraticProgram<> any(p.H, p.A);
    QuadraticProgram<3, 2> fixed(p.H, p.A);
    CHECK(any.solve(p.g, p.limits) == Status::ok);
    CHECK(fixed.solve(p.g, {p.limits.lower, p.limits.upper, p.limits.row_lower, p.limits.row_upper}) == Status::ok);
    CHECK((any.x() - fixed.x()).norm() < 1e-12);
}

TEST_CASE("a constraint that is never active changes no bit") {
    Random random(seed());
    for (int i = 0; i < 20; ++i) {
        Problem p = random_problem(random, 5, 3, Kind::plain);
        QuadraticProgram<> small(p.H, p.A);
        REQUIRE(small.solve(p.g, p.limits) == Status::ok);
        Problem larger = p;
        larger.A.conservativeResize(5, 5);
        larger.A.bottomRows(2) = 1e3 * random_matrix(random, 2, 5);
        larger.limits.row_lower.conservativeResize(5), larger.limits.row_upper.conservativeResize(5);
        larger.limits.row_lower.tail(2).setConstant(-1e9), larger.limits.row_upper.tail(2).setConstant(1e9);
        QuadraticProgram<> large(larger.H, larger.A);
        REQUIRE(large.solve(larger.g, larger.limits) == Status::ok);
        CHECK((small.x().array() == large.x().array()).all());
    }
}

TEST_CASE("what cannot be is proven to be so") {
    const MatrixXd H = MatrixXd::Identity(2, 2);
    MatrixXd A(2, 2);
    A << 1.0, 1.0, 2.0, 2.0;
    auto limits = QuadraticLimits<>::none(2, 2);
    limits.row_lower << 1.0, 3.0;
    limits.row_upper << 1.0, 3.0;
    QuadraticProgram<> qp(H, A);
    const VectorXd g = VectorXd::Zero(2);
    CHECK(qp.solve(g, limits) == Status::infeasible);
    CHECK_FALSE(qp.feasible());
    CHECK(proves({H, A, g, limits}, qp.certificate()));

    // Equalities that say the same twice are none.
    limits.row_lower[1] = limits.row_upper[1] = 2.0;
    CHECK(qp.solve(g, limits) == Status::ok);
    CHECK((qp.x() - Eigen::Vector2d(0.5, 0.5)).norm() < 1e-14);

    limits.lower[1] = 0.2, limits.upper[1] = 0.1;
    CHECK(qp.solve(g, limits) == Status::infeasible);
    CHECK(qp.certificate()[1] == 1.0);

    // A row of zeros is satisfied or it is not.
    const MatrixXd zeros = MatrixXd::Zero(1, 2);
    auto zero_limits = QuadraticLimits<>::none(2, 1);
    QuadraticProgram<> still(H, zeros);
    zero_limits.row_upper[0] = 1.0;
    CHECK(still.solve(g, zero_limits) == Status::ok);
    zero_limits.row_upper[0] = -1.0;
    CHECK(still.solve(g, zero_limits) == Status::infeasible);
}

TEST_CASE("no number in, not_finite out, and the next solve is as if nothing had been") {
    QuadraticProgram<> qp(MatrixXd::Identity(2, 2), MatrixXd::Ones(1, 2));
    auto limits = QuadraticLimits<>::none(2, 1);
    limits.row_upper[0] = -1.0;
    const VectorXd g = VectorXd::Zero(2);
    REQUIRE(qp.solve(g, limits) == Status::ok);
    const VectorXd x = qp.x();
    for (const double bad : {nan, inf}) CHECK(qp.solve(VectorXd::Constant(2, bad), limits) == Status::not_finite);
    for (auto side : {&QuadraticLimits<>::lower, &QuadraticLimits<>::upper, &QuadraticLimits<>::row_lower,
                      &QuadraticLimits<>::row_upper}) {
        auto wrong = limits;
        (wrong.*side)[0] = nan;
        CHECK(qp.solve(g, wrong) == Status::not_finite);
    }
    CHECK(qp.x() == x);
    CHECK(qp.solve(VectorXd::Zero(3), limits) == Status::out_of_range);
    CHECK(qp.solve(g, limits) == Status::ok);
    CHECK((qp.x() - x).norm() < 1e-15);
    CHECK(qp.change(MatrixXd::Constant(2, 2, nan), MatrixXd::Ones(1, 2)) == Status::not_finite);
    CHECK(qp.solve(g, limits) == Status::not_finite);
    CHECK(qp.change(-MatrixXd::Identity(2, 2), MatrixXd::Ones(1, 2)) == Status::not_finite);
    CHECK(qp.change(MatrixXd::Identity(3, 3), MatrixXd::Ones(1, 3)) == Status::out_of_range);
    CHECK(qp.change(MatrixXd::Identity(2, 2), MatrixXd::Ones(1, 2)) == Status::ok);
    CHECK(qp.solve(g, limits) == Status::ok);
    CHECK((qp.x() - x).norm() < 1e-15);
}

TEST_CASE("an early end gives a feasible point that is no worse than the one before") {
    Random random(seed());
    int early = 0;
    for (int i = 0; i < 60; ++i) {
        const Problem p = random_problem(random, 6, 6, i % 2 == 0 ? Kind::plain : Kind::scaled);
        QuadraticProgram<> qp(p.H, p.A);
        REQUIRE(qp.solve(p.g, p.limits) == Status::ok);
        const auto cost = [&](const VectorXd& g) { return 0.5 * qp.x().dot(p.H * qp.x()) + g.dot(qp.x()); };
        const VectorXd other = -2.0 * p.g;
        const double before = cost(other);
        qp.forget();
        qp.limit_iterations(1);
        const Status status = qp.solve(other, p.limits);
        if (status == Status::ok) continue;
        ++early;
        CHECK(status == Status::not_converged);
        CHECK(qp.feasible());
        CHECK(cost(other) <= before + 1e-12 * std::fabs(before));
        const Rows r = all_rows(p);
        for (Eigen::Index k = 0; k < r.A.rows(); ++k) {
            const double slack = 1e-9 * r.A.row(k).cwiseAbs().dot(qp.x().cwiseAbs());
            CHECK(r.A.row(k).dot(qp.x()) >= r.lower[k] - slack);
            CHECK(r.A.row(k).dot(qp.x()) <= r.upper[k] + slack);
        }
        const double stopped = cost(other);
        qp.limit_iterations(200);
        CHECK(qp.solve(other, p.limits) == Status::ok);
        CHECK(cost(other) <= stopped + 1e-12 * std::fabs(stopped));
    }
    CHECK(early > 20);
}

TEST_CASE("a deadline ends a solve with a feasible point, and does nothing before") {
    struct Clock {
        int allowed = 0, asked = 0;
        static bool late(void* of) noexcept {
            auto& clock = *static_cast<Clock*>(of);
            return ++clock.asked > clock.allowed;
        }
    } clock{1000};
    Random random(seed());
    const Problem p = random_problem(random, 12, 12, Kind::plain);
    QuadraticProgram<> free(p.H, p.A), timed(p.H, p.A);
    timed.stop_when(&Clock::late, &clock);
    REQUIRE(free.solve(p.g, p.limits) == Status::ok);
    CHECK(timed.solve(p.g, p.limits) == Status::ok);
    CHECK(timed.x() == free.x());
    CHECK(clock.asked >= timed.iterations());
    const VectorXd other = -2.0 * p.g;
    free.forget(), timed.forget();
    REQUIRE(free.solve(other, p.limits) == Status::ok);
    REQUIRE(free.iterations() > 2);
    clock = {2};
    CHECK(timed.solve(other, p.limits) == Status::not_converged);
    CHECK(timed.iterations() == 2);
    CHECK(timed.feasible());  // from the last solution on
    const VectorXd rows = p.A * timed.x();
    CHECK((rows - p.limits.row_lower).minCoeff() > -1e-9);
    CHECK((p.limits.row_upper - rows).minCoeff() > -1e-9);
    // The next solve is as if nothing had been.
    clock = {1000};
    CHECK(timed.solve(other, p.limits) == Status::ok);
    CHECK((timed.x() - free.x()).norm() <= 1e-9 * free.x().norm());
    clock = {0};
    timed.stop_when(nullptr);
    timed.forget();
    CHECK(timed.solve(other, p.limits) == Status::ok);
    CHECK(clock.asked == 0);
}

TEST_CASE("other matrices between two solves") {
    Random random(seed());
    const Problem p = random_problem(random, 7, 5, Kind::plain), q = random_problem(random, 7, 5, Kind::plain);
    QuadraticProgram<> qp(p.H, p.A), fresh(q.H, q.A);
    REQUIRE(qp.solve(p.g, p.limits) == Status::ok);
    REQUIRE(qp.change(q.H, q.A) == Status::ok);
    CHECK(qp.solve(q.g, q.limits) == Status::ok);
    CHECK(fresh.solve(q.g, q.limits) == Status::ok);
    CHECK((qp.x() - fresh.x()).norm() < 1e-10);
}

TEST_CASE("ten thousand warm solves do not wear the factors out") {
    Random random(seed());
    const Problem p = random_problem(random, 8, 8, Kind::plain);
    QuadraticProgram<> qp(p.H, p.A);
    double worst = 0.0;
    for (int i = 0; i < 10000; ++i) {
        const VectorXd g = 4.0 * random_matrix(random, 8, 1);
        REQUIRE(qp.solve(g, p.limits) == Status::ok);
        if (i % 100 == 0) worst = std::max(worst, kkt_error({p.H, p.A, g, p.limits}, qp.x(), qp.multipliers()));
    }
    CHECK(worst < 2e-10);
}

TEST_CASE("sides that jump, cross and come back: warm is cold, whatever was before") {
    Random random(seed());
    const Problem p = random_problem(random, 6, 6, Kind::duplicate);
    QuadraticProgram<> warm(p.H, p.A), cold(p.H, p.A);
    int infeasible = 0;
    for (int i = 0; i < 1000; ++i) {
        auto limits = p.limits;
        if (i % 2 == 1) {
            const VectorXd shift = 2.0 * random_matrix(random, 6, 1);
            limits.row_lower += shift, limits.row_upper += shift;
            if (i % 4 == 1) limits.lower.swap(limits.upper), limits.lower *= -1.0, limits.upper *= -1.0;
            if (i % 16 == 1) limits.lower[2] = limits.upper[2] + 1.0;
        }
        cold.forget();
        const Status expected = cold.solve(p.g, limits);
        REQUIRE(warm.solve(p.g, limits) == expected);
        infeasible += expected == Status::infeasible ? 1 : 0;
        if (i % 2 == 0) REQUIRE(expected == Status::ok);
        if (expected == Status::ok) CHECK((warm.x() - cold.x()).norm() <= 1e-9 * (1.0 + cold.x().norm()));
    }
    CHECK(infeasible > 100);
}

TEST_CASE("one side that moves a little changes a few constraints, whatever the size") {
    Random random(seed());
    for (const int n : {10, 40}) {
        const Problem p = random_problem(random, n, n, Kind::plain);
        QuadraticProgram<> qp(p.H, p.A);
        REQUIRE(qp.solve(p.g, p.limits) == Status::ok);
        int worst = 0;
        for (int i = 0; i < n; ++i) {
            auto limits = p.limits;
            limits.row_upper[i] -= 1e-3;
            REQUIRE(qp.solve(p.g, limits) == Status::ok);
            worst = std::max(worst, qp.changes());
        }
        CHECK(worst <= 6);
    }
}

TEST_CASE("solving takes no memory") {
    Random random(seed());
    const Problem p = random_problem(random, 12, 10, Kind::plain), other = random_problem(random, 12, 10, Kind::plain);
    QuadraticProgram<> qp(p.H, p.A);
    // @rt-tested: QuadraticProgram::solve, QuadraticProgram::change, QuadraticProgram::forget, QuadraticProgram::guess
    CHECK(panto::test::allocations_in([&] {
              static_cast<void>(qp.solve(p.g, p.limits));
              static_cast<void>(qp.solve(other.g, p.limits));
              qp.forget();
              static_cast<void>(qp.guess(p.g));
              static_cast<void>(qp.change(other.H, other.A));
              static_cast<void>(qp.solve(other.g, other.limits));
              qp.limit_iterations(1);
              qp.forget();
              static_cast<void>(qp.solve(p.g, other.limits));
          }) == 0);
}

TEST_CASE("matrices that make no program are refused by name") {
    const MatrixXd I = MatrixXd::Identity(2, 2);
    const auto message = [](const MatrixXd& H, const MatrixXd& A) {
        try {
            QuadraticProgram<> qp(H, A);
            return std::string("accepted");
        } catch (const panto::SetupError& e) {
            return std::string(e.what());
        }
    };
    MatrixXd skew = I, singular(2, 2), gone = nothing;
    skew(0, 1) = 0.5;
    singular << 1.0, 1.0, 1.0, 1.0;
    CHECK(message(I, nothing) == "accepted");
    CHECK(message(MatrixXd(2, 3), nothing).find("H is 2 by 3") != std::string::npos);
    CHECK(message(I, MatrixXd::Ones(1, 3)).find("A has 3 columns") != std::string::npos);
    CHECK(message(skew, nothing).find("H(1,0) is 0 and H(0,1) is 0.5") != std::string::npos);
    CHECK(message(singular, nothing).find("H is not positive definite: pivot 1") != std::string::npos);
    CHECK(message(-I, nothing).find("H is not positive definite: pivot 0") != std::string::npos);
    CHECK(message(nan * I, nothing).find("H(0,0) must be finite, got nan") != std::string::npos);
    CHECK(message(I, MatrixXd::Constant(1, 2, inf)).find("A(0,0) must be finite, got inf") != std::string::npos);
    QuadraticProgram<> qp(I);
    CHECK_THROWS_AS(qp.limit_iterations(-1), panto::SetupError);
}

TEST_CASE("a size fixed at compile time accepts no matrices of another size") {
    const auto message = [](auto make) {
        try {
            make();
            return std::string("accepted");
        } catch (const panto::SetupError& e) {
            return std::string(e.what());
        }
    };
    const MatrixXd I2 = MatrixXd::Identity(2, 2), I3 = MatrixXd::Identity(3, 3);
    CHECK(message([&] { QuadraticProgram<2, 1>(I2, MatrixXd::Ones(1, 2)); }) == "accepted");
    CHECK(message([&] { QuadraticProgram<2, 1>(I3, MatrixXd::Ones(1, 3)); }).find("H is 3 by 3, must be 2 by 2") !=
          std::string::npos);
    CHECK(message([&] { QuadraticProgram<3, 1>(I2, MatrixXd::Ones(1, 2)); }).find("H is 2 by 2, must be 3 by 3") !=
          std::string::npos);
    CHECK(message([&] { QuadraticProgram<2, 1>(I2, MatrixXd::Ones(4, 2)); }).find("A has 4 rows, must have 1") !=
          std::string::npos);
    CHECK(message([&] { QuadraticProgram<2, 1>{I2}; }).find("A has 0 rows, must have 1") != std::string::npos);
}

// With one refinement this one of the hundred thousand below ended 1.9e-8 from its cold start, in the metric of H.
TEST_CASE("a warm start ends where a cold one does, with nearly dependent rows") {
    CHECK(solve_many(1U << 21, 1, 30, false, 62923) == 0);
}

}  // namespace quadratic_program_test

TEST_SUITE("long") {
    TEST_CASE("a hundred thousand random quadratic programs, none with a wrong status") {
        // Up to 6 constraints, 12 sides, by trying all active sets; up to 60 by their own optimality conditions.
        CHECK(quadratic_program_test::solve_many(1U << 20, 6000, 3, true) > 0);
        CHECK(quadratic_program_test::solve_many(1U << 21, 100000, 30, false) > 10000);
    }
}
