// SPDX-License-Identifier: BSD-3-Clause
// The program that control::Mpc solves, against one built from the equations in its header by running the plant, and
// what it does when there is no solution.
#include <panto/control/mpc.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace panto;
using namespace panto::control;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace mpc_program_test {
namespace {

/// Two inputs, two outputs, all coupled.
StateSpace plant() {
    StateSpace s;
    s.A = Eigen::Matrix2d{{0.9, 0.2}, {-0.3, 0.8}};
    s.B = Eigen::Matrix2d{{0.5, 0.1}, {-0.2, 0.7}};
    s.C = Eigen::Matrix2d{{1.0, 0.3}, {0.2, -1.0}};
    s.D = Eigen::Matrix2d::Zero();
    s.dt = 0.01;
    return s;
}

MpcParams params() {
    MpcParams p;
    p.plant = {plant()};
    p.horizon = 3;
    p.output_weight = Eigen::Matrix2d{{2.0, 0.3}, {0.3, 1.0}};
    p.input_weight = Eigen::Vector2d(0.05, 0.1).asDiagonal();
    p.move_weight = Eigen::Vector2d(0.2, 0.1).asDiagonal();
    const Eigen::Matrix4d F{{1.0, 0.2, 0.0, 0.1}, {0.0, 0.8, 0.3, 0.0}, {0.0, 0.0, 0.5, 0.2}, {0.0, 0.0, 0.0, 0.7}};
    p.terminal_weight = F * F.transpose();
    p.input = {Eigen::Vector2d(-0.8, -0.7), Eigen::Vector2d(0.9, 0.6)};
    p.move = {Eigen::Vector2d(-0.4, -0.5), Eigen::Vector2d(0.5, 0.3)};
    p.output = {Eigen::Vector2d(-0.3, -0.4), Eigen::Vector2d(0.35, 0.25)};
    p.softness = Eigen::Vector2d(0.4, 0.7);
    return p;
}

/// What is asked in one cycle.
struct Cycle {
    VectorXd x, d, before;
    MatrixXd reference;
};

/// The outputs of all stages and the cost without softness, by running the plant.
struct Run {
    MatrixXd y;
    double cost = 0.0;
};
Run run(const MpcParams& p, const Cycle& c, const VectorXd& plan) {
    const StateSpace& s = p.plant[0];
    Eigen::Matrix4d rest;
    rest << s.A - Eigen::Matrix2d::Identity(), s.B, s.C, Eigen::Matrix2d::Zero();
    Eigen::Vector4d aim;
    aim << 0.0, 0.0, c.reference.col(2) - c.d;
    const Eigen::Vector4d steady = rest.fullPivLu().solve(aim);
    Run r{MatrixXd(2, 3)};
    VectorXd x = c.x, last = c.before;
    for (int i = 0; i < 3; ++i) {
        const VectorXd u = plan.segment(2 * i, 2), off = u - steady.tail(2), move = u - last;
        r.cost += 0.5 * off.dot(p.input_weight * off) + 0.5 * move.dot(p.move_weight * move);
        x = (s.A * x + s.B * u).eval();
        r.y.col(i) = s.C * x + c.d;
        const VectorXd error = r.y.col(i) - c.reference.col(i);
        if (i < 2) r.cost += 0.5 * error.dot(p.output_weight * error);
        last = u;
    }
    Eigen::Vector4d end;
    end << x - steady.head(2), last - steady.tail(2);
    r.cost += 0.5 * end.dot(p.terminal_weight * end);
    return r;
}

/// min 1/2 z'Hz + g'z, G z <= b, by ascent of one multiplier after the other [Hildreth 1957].
VectorXd minimum(const MatrixXd& H, const VectorXd& g, const MatrixXd& G, const VectorXd& b, VectorXd& force) {
    const Eigen::LDLT<MatrixXd> factors(H);
    const MatrixXd reach = factors.solve(G.transpose()), M = G * reach;
    const VectorXd free = -factors.solve(g), need = b - G * free;
    force.setZero(b.size());
    for (int sweep = 0; sweep < 20000; ++sweep) {
        double change = 0.0;
        for (Eigen::Index i = 0; i < b.size(); ++i) {
            const double now = std::max(0.0, force[i] - (M.row(i).dot(force) + need[i]) / M(i, i));
            change = std::max(change, std::fabs(now - force[i]));
            force[i] = now;
        }
        if (change < 1e-13) break;
    }
    return free - reach * force;
}

/// The plan of three cycles, then the slacks of both outputs. `active` counts the constraints that act: inputs, moves,
/// lower and upper soft limits.
VectorXd by_hand(const MpcParams& p, const Cycle& c, std::array<int, 4>& active) {
    constexpr int n = 6;
    MatrixXd H = MatrixXd::Zero(n + 2, n + 2), Y(6, n);
    VectorXd g(n + 2);
    const MatrixXd I = MatrixXd::Identity(n, n);
    const Run at_zero = run(p, c, VectorXd::Zero(n));
    const auto cost = [&](const VectorXd& plan) { return run(p, c, plan).cost; };
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            H(i, j) = cost(I.col(i) + I.col(j)) - cost(I.col(i)) - cost(I.col(j)) + at_zero.cost;
        g[i] = 0.5 * (cost(I.col(i)) - cost(-I.col(i)));
        Y.col(i) = (run(p, c, I.col(i)).y - at_zero.y).reshaped();
    }
    H.bottomRightCorner(2, 2) = p.softness.asDiagonal();
    g.tail(2) = p.softness;
    MatrixXd G = MatrixXd::Zero(38, n + 2);
    VectorXd b(38);
    for (int i = 0; i < n; ++i) {
        const int of = i % 2;
        G(4 * i, i) = G(4 * i + 2, i) = 1.0, G(4 * i + 1, i) = G(4 * i + 3, i) = -1.0;
        if (i >= 2) G(4 * i + 2, i - 2) = -1.0, G(4 * i + 3, i - 2) = 1.0;
        const double last = i >= 2 ? 0.0 : c.before[of];
        b.segment<4>(4 * i) << p.input.upper[of], -p.input.lower[of], p.move.upper[of] + last, -p.move.lower[of] - last;
        G.row(24 + 2 * i).head(n) = Y.row(i), G.row(25 + 2 * i).head(n) = -Y.row(i);
        G(24 + 2 * i, n + of) = G(25 + 2 * i, n + of) = -1.0;
        const double y = at_zero.y.reshaped()[i];
        b.segment<2>(24 + 2 * i) << p.output.upper[of] - y, y - p.output.lower[of];
    }
    G(36, n) = G(37, n + 1) = -1.0;
    b.tail(2).setZero();
    VectorXd force;
    const VectorXd z = minimum(H, g, G, b, force);
    for (int i = 0; i < n; ++i) {
        for (int side = 0; side < 2; ++side) {
            active[0] += force[4 * i + side] > 1e-6 ? 1 : 0;
            active[1] += force[4 * i + 2 + side] > 1e-6 ? 1 : 0;
        }
        active[2] += force[25 + 2 * i] > 1e-6 ? 1 : 0;
        active[3] += force[24 + 2 * i] > 1e-6 ? 1 : 0;
    }
    return z;
}

}  // namespace

TEST_CASE("the plan is the minimum of the cost in the header, with limits active on both sides") {
    const MpcParams p = params();
    std::mt19937 random(1);
    const auto uniform = [&](double most) { return std::uniform_real_distribution<double>(-most, most)(random); };
    std::array<int, 4> active{};
    int soft = 0;
    for (int k = 0; k < 80; ++k) {
        Mpc mpc(p);
        VectorXd before = VectorXd::Zero(2);
        for (int i = 0; i < 2; ++i) {  // the second cycle starts from the input of the first
            Cycle c{VectorXd::NullaryExpr(2, [&] { return uniform(0.6); }),
                    VectorXd::NullaryExpr(2, [&] { return uniform(0.1); }), before,
                    MatrixXd::NullaryExpr(2, 3, [&] { return uniform(1.0); })};
            const VectorXd expected = by_hand(p, c, active);
            const Status status = mpc.decide(c.x, c.d, c.reference);
            // The reference is good to about 1e-10, from its last sweep.
            CHECK((mpc.plan() - expected.head(6)).norm() < 1e-7);
            CHECK((mpc.program().x().tail(2) - expected.tail(2)).norm() < 1e-7);
            CHECK(status == (expected.tail(2).maxCoeff() > 1e-9 ? Status::saturated : Status::ok));
            CHECK(mpc.input() == mpc.plan().head(2));
            soft += status == Status::saturated ? 1 : 0;
            before = mpc.input();
        }
    }
    for (const int times : active) CHECK(times > 5);
    CHECK(soft > 10);
    CHECK(soft < 160);
}

TEST_CASE("without a solution the plan is continued, entry by entry, and the next solution is the cold one") {
    MpcParams p = params();
    p.softness = Eigen::Vector2d(0.0, 0.7);  // the first output's limits are hard
    p.output.lower[1] = -2.0;
    Mpc mpc(p);
    MatrixXd reference(2, 3);
    reference << 0.1, 0.2, 0.3, -0.2, -0.1, -0.3;
    const VectorXd d = VectorXd::Zero(2), good = Eigen::Vector2d(0.05, 0.02), bad = Eigen::Vector2d(9.0, 2.0);
    REQUIRE(usable(mpc.decide(good, d, reference)));
    REQUIRE(mpc.fallbacks() == 0);
    const VectorXd plan = mpc.plan();
    // A plan that does not move would not tell its stages apart.
    REQUIRE((plan.segment(2, 2) - plan.head(2)).cwiseAbs().minCoeff() > 1e-3);
    REQUIRE((plan.tail(2) - plan.segment(2, 2)).cwiseAbs().minCoeff() > 1e-3);
    for (int i = 1; i <= 3; ++i) {
        CHECK(mpc.decide(bad, d, reference) == Status::not_converged);
        CHECK(mpc.input() == plan.segment(2 * std::min(i, 2), 2));
        CHECK(mpc.fell_back());
        CHECK(mpc.solved() == Status::infeasible);
    }
    CHECK(mpc.fallbacks() == 3);
    CHECK(mpc.program().active_count() == 0);  // the constraints of a failed solve are forgotten
    // The next plan depends on the last input alone, not on what failed. By hand without the hard limits, which it
    // keeps.
    const VectorXd last = mpc.input();
    const Cycle next{Eigen::Vector2d(-0.02, 0.04), d, last, reference};
    REQUIRE(usable(mpc.decide(next.x, d, reference)));
    MpcParams free = p;
    free.softness[0] = 0.4;
    free.output.lower[0] = -50.0, free.output.upper[0] = 50.0;
    std::array<int, 4> active{};
    const VectorXd expected = by_hand(free, next, active);
    const MatrixXd y = run(p, next, expected.head(6)).y;
    REQUIRE(y.row(0).minCoeff() > p.output.lower[0]);
    REQUIRE(y.row(0).maxCoeff() < p.output.upper[0]);
    CHECK((mpc.plan() - expected.head(6)).norm() < 1e-7);
}

TEST_CASE("an early end at a feasible point is told apart from a fallback") {
    const MpcParams p = params();
    const VectorXd x = Eigen::Vector2d(0.05, 0.02), d = VectorXd::Zero(2);
    const auto end_early = [&](auto change) {
        Mpc mpc(p);
        REQUIRE(usable(mpc.decide(x, d, MatrixXd::Zero(2, 1))));
        change(mpc);
        const VectorXd before = mpc.input();
        CHECK(mpc.decide(x, d, MatrixXd::Constant(2, 1, 5.0)) == Status::not_converged);
        CHECK(!mpc.fell_back());
        CHECK(mpc.fallbacks() == 0);
        CHECK(mpc.early_ends() == 1);
        CHECK(mpc.solved() == Status::not_converged);
        const VectorXd move = mpc.input() - before;
        CHECK((move - p.move.lower).minCoeff() >= -1e-12);
        CHECK((p.move.upper - move).minCoeff() >= -1e-12);
        mpc.reset(VectorXd::Zero(2));
        CHECK(mpc.early_ends() == 0);
    };
    end_early([](Mpc& mpc) { mpc.limit_iterations(0); });
    end_early([](Mpc& mpc) { mpc.stop_when([](void*) noexcept { return true; }); });
}

TEST_CASE("an input that begins outside its limits goes there as fast as its moves allow") {
    MpcParams p = params();
    p.input = {Eigen::Vector2d(5.0, -0.7), Eigen::Vector2d(6.0, 0.6)};
    Mpc mpc(p);
    const VectorXd x = VectorXd::Zero(2), d = VectorXd::Zero(2);
    for (int i = 1; i <= 12; ++i) {
        CHECK(usable(mpc.decide(x, d, MatrixXd::Zero(2, 1))));
        CHECK(std::fabs(mpc.input()[0] - std::min(5.0, 0.5 * i)) < 1e-9);
    }
    CHECK(mpc.fallbacks() == 0);
    mpc.reset(VectorXd::Zero(2));
    CHECK(mpc.decide(x, d, MatrixXd::Zero(2, 1)) == Status::saturated);
    // Also where there is no solution.
    p.output = {Eigen::Vector2d(-200.0, -200.0), Eigen::Vector2d(200.0, 200.0)};
    p.softness = VectorXd::Zero(2);
    Mpc hard(p);
    CHECK(hard.decide(VectorXd::Constant(2, 1e5), d, MatrixXd::Zero(2, 1)) == Status::not_converged);
    CHECK(hard.fell_back());
    CHECK(hard.input() == Eigen::Vector2d(0.5, 0.0));
}

TEST_CASE("a terminal weight with which the loop is unstable gives a warning") {
    MpcParams p;
    p.plant = {{Eigen::Matrix2d{{1.5, 0.0}, {0.0, 0.5}}, Eigen::Vector2d(1.0, 1.0), Eigen::RowVector2d(1.0, 1.0),
                MatrixXd::Zero(1, 1), 0.01}};
    p.horizon = 1;
    p.output_weight = p.input_weight = MatrixXd::Identity(1, 1);
    p.disturbance = Disturbance::none;
    const auto warned = [&](const MatrixXd& weight) {
        p.terminal_weight = weight;
        const Mpc mpc(p);
        return mpc.warnings().size() == 1 && mpc.warnings()[0].find("grows by a factor of") != std::string::npos;
    };
    CHECK(warned(MatrixXd::Zero(3, 3)));
    CHECK(warned(1e-30 * MatrixXd::Identity(3, 3)));
    CHECK(warned(Eigen::Vector3d(0.0, 1.0, 1.0).asDiagonal()));  // nothing on the state that grows
    CHECK(!warned(Eigen::Vector3d(1.0, 0.0, 0.0).asDiagonal()));
    CHECK(!warned({}));
}

}  // namespace mpc_program_test
