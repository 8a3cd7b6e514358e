// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/impedance_mpc.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <Eigen/LU>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <vector>

using namespace panto;
using namespace panto::control;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace impedance_mpc_test {
namespace {

constexpr double dt = 0.01;

/// A line that repeats itself after three cycles, with a static shape.
struct SmallLine {
    std::vector<MatrixXd> A = {};
    std::vector<VectorXd> B = {};
    MatrixXd C = {};
    std::vector<std::array<double, 2>> rest = {};
    double dt = impedance_mpc_test::dt;
};

SmallLine small_line() {
    std::mt19937 random(3);
    std::normal_distribution<double> g;
    const auto any = [&](Eigen::Index r, Eigen::Index c, double scale) {
        return MatrixXd(MatrixXd::NullaryExpr(r, c, [&] { return scale * g(random); }));
    };
    SmallLine line;
    for (int k = 0; k < 3; ++k) {
        line.A.push_back(any(5, 5, 0.3));
        line.B.push_back(any(5, 1, 1e-4));
        line.rest.push_back({0.01 * g(random), 0.1 * g(random)});
    }
    line.C = any(2, 5, 1.0);
    return line;
}

ImpedanceMpcParams params() {
    const double w = 40.0;
    ImpedanceMpcParams p{
        .drive = sampled({Eigen::Matrix2d{{0.0, 1.0}, {-w * w, -1.4 * w}}, Eigen::Matrix2d{{0.0, 0.0}, {w * w, 0.1}},
                          MatrixXd::Identity(2, 2), MatrixXd::Zero(2, 2)},
                         dt),
        .horizon = 5};
    p.balance = {.dt = dt, .budget = 0.2, .largest = 1e3, .largest_change = 1e3};
    return p;
}

/// J of the header, by running the models.
double cost(const ImpedanceMpcParams& p, const SmallLine& line, const VectorXd& U, double force, VectorXd z, VectorXd w,
            double momentum, int phase) {
    double J = 0.0;
    for (int j = 0; j < p.horizon; ++j) {
        const auto k = static_cast<std::size_t>((phase + j) % 3), next = static_cast<std::size_t>((phase + j + 1) % 3);
        const double u = U[2 * j], F = U[2 * j + 1];
        z = (p.drive.A * z + p.drive.B * Eigen::Vector2d(u, force)).eval();
        w = (line.A[k] * w + line.B[k] * (force + F)).eval();
        momentum -= dt * F;
        const Eigen::Vector2d e = p.drive.C * z - line.C * w - Eigen::Vector2d(line.rest[next][0], line.rest[next][1]);
        J += p.error_weight[0] * e[0] * e[0] + p.error_weight[1] * e[1] * e[1] +
             p.error_weight[2] * momentum * momentum + p.input_weight[0] * u * u + p.input_weight[1] * F * F;
    }
    return J;
}

}  // namespace

TEST_CASE("command and correction minimize the cost, with the correction held where its limits put it") {
    const SmallLine line = small_line();
    for (const bool limited : {false, true}) {
        ImpedanceMpcParams p = params();
        if (limited) p.balance.largest = 1e-3;
        ImpedanceMpc mpc(p, line);
        std::mt19937 random(5);
        std::normal_distribution<double> g;
        for (int cycle = 0; cycle < 7; ++cycle) {
            const VectorXd z = 0.01 * VectorXd::NullaryExpr(2, [&] { return g(random); }),
                           w = 0.01 * VectorXd::NullaryExpr(5, [&] { return g(random); });
            const double force = 100.0 + 20.0 * g(random), momentum = mpc.balance().total.momentum;
            REQUIRE(mpc.step(force, z, w, cycle % 3) == Status::ok);
            // J is quadratic: differences of unit steps are its derivatives.
            const Eigen::Index n = 2 * p.horizon;
            const auto J = [&](const VectorXd& U) { return cost(p, line, U, force, z, w, momentum, cycle % 3); };
            const double s = 1e-2, J0 = J(VectorXd::Zero(n));
            MatrixXd H(n, n);
            VectorXd slope(n);
            for (Eigen::Index a = 0; a < n; ++a) {
                const VectorXd ea = s * VectorXd::Unit(n, a);
                slope[a] = (J(ea) - J(-ea)) / (2.0 * s);
                for (Eigen::Index b = 0; b < n; ++b) {
                    const VectorXd eb = s * VectorXd::Unit(n, b);
                    H(a, b) = (J(ea + eb) - J(ea) - J(eb) + J0) / (s * s);
                }
            }
            const VectorXd best = H.partialPivLu().solve(-slope);
            CHECK(std::fabs(mpc.record().wanted_command - best[0]) < 1e-6 * (1.0 + std::fabs(best[0])));
            CHECK(std::fabs(mpc.record().wanted_correction - best[1]) < 1e-6 * (1.0 + std::fabs(best[1])));
            // With U[1] given: the others.
            MatrixXd held = H;
            VectorXd right = -slope;
            held.row(1) = VectorXd::Unit(n, 1).transpose();
            right[1] = mpc.correction();
            const VectorXd then = held.partialPivLu().solve(right);
            CHECK(std::fabs(mpc.command() - then[0]) < 1e-6 * (1.0 + std::fabs(then[0])));
            if (limited) CHECK(mpc.record().energy_active);
            const Eigen::Vector2d at = p.drive.C * z, wire = line.C * w;
            CHECK(std::fabs(mpc.record().height_error -
                            (at[0] - wire[0] - line.rest[static_cast<std::size_t>(cycle % 3)][0])) < 1e-12);
        }
    }
}

TEST_CASE("the work of a drive is the integral of F dx; noise to which the command answers adds nothing in the mean") {
    // F linear and x a cubic over each cycle: by Simpson's rule, exact to the third order. No answer: only the
    // readings.
    std::mt19937 random(9);
    std::normal_distribution<double> g;
    // Heights and speeds at random under a force that grows steadily: the integrand is a cubic over each cycle, for
    // which Simpson's rule is exact.
    DriveWork plain(dt);
    double told = 0.0, truth = 0.0;
    Eigen::Vector2d x(0.0, 0.0);
    for (int k = 0; k < 50; ++k) {
        const Eigen::Vector2d next(0.01 * g(random), 0.5 * g(random));
        const double then = 100.0 + 0.7 * k, force = then - 0.7,
                     middle = 1.5 * (next[0] - x[0]) / dt - 0.25 * (x[1] + next[1]);
        if (k > 0) truth += dt / 6.0 * (force * x[1] + 2.0 * (force + then) * middle + then * next[1]);
        told += plain.take(then, next[0], next[1]);
        plain.answers(0.0, 0.0);
        x = next;
        CHECK(std::fabs(told - truth) < 1e-12);
    }
    CHECK(std::fabs(truth) > 0.1);
    // Force and height vary at 10 Hz: pi times both amplitudes in a period. Its bend alone would be (w T)^2/12 = 1.1 %
    // at 170 Hz; what is left is of fourth order.
    const auto error = [](int cycles) {
        DriveWork work(0.1 / cycles);
        double sum = 0.0;
        for (int k = 0; k < 3 * cycles; ++k) {
            const double angle = 2.0 * std::numbers::pi * k / cycles;
            const double one = work.take(120.0 + 30.0 * std::sin(angle), -0.01 * std::cos(angle),
                                         0.01 * 20.0 * std::numbers::pi * std::sin(angle));
            work.answers(0.0, 0.0);
            if (k >= 2 * cycles) sum += one;
        }
        return std::fabs(sum / (std::numbers::pi * 30.0 * 0.01) - 1.0);
    };
    CHECK(error(17) < 1e-3);
    CHECK(error(17) > 12.0 * error(34));
    // A drive that goes by 1 mm/N and 0.05 m/s per newton of noise of 2 N: each cycle is h n^2 wrong, in the mean
    // 4 h = 1.8 mJ. What is left is noise in the motion of the others: 5 of its standard deviations in the mean of
    // 4000.
    const double height = 1e-3, speed = 0.05, h = (0.5 + 1.0 / 12.0) * height - dt / 12.0 * speed;
    DriveWork clever(dt), naive(dt);
    double bias = 0.0, left = 0.0, squares = 0.0, n = 0.0;
    constexpr int cycles = 4000;
    for (int k = 0; k < cycles; ++k) {
        const Eigen::Vector2d at(height * n, speed * n);  // on the spot, but for the noise of the last reading
        n = 2.0 * g(random);
        const double one = clever.take(100.0 + n, at[0], at[1]), other = naive.take(100.0 + n, at[0], at[1]);
        clever.answers(height, speed), naive.answers(0.0, 0.0);
        if (k < 5) continue;
        left += one / cycles, bias += other / cycles, squares += one * one / cycles;
    }
    CHECK(std::fabs(bias - 4.0 * h) < 0.25 * 4.0 * h);
    CHECK(std::fabs(left) < 5.0 * std::sqrt(squares / cycles));
    CHECK(std::fabs(left) < 0.2 * bias);
    // One wrong reading by 7 N in the midst of nothing, answered by 1 mm/N and 0.8 m/s/N: exactly h n^2 is subtracted,
    // n^2 of a fourth difference of 6 n.
    DriveWork answered(dt), silent(dt);
    double difference = 0.0;
    for (int k = 0; k < 12; ++k) {
        const double reading = k == 6 ? 7.0 : 0.0;
        difference += silent.take(reading, 0.0, 0.0) - answered.take(reading, 0.0, 0.0);
        answered.answers(k == 6 ? 1e-3 : 0.0, k == 6 ? 0.8 : 0.0), silent.answers(0.0, 0.0);
    }
    const double exact = (13.0 / 24.0 * 1e-3 - dt / 12.0 * 0.8) * 36.0 * 49.0 / 70.0;
    CHECK(std::fabs(difference - exact) < 1e-12);
    CHECK_THROWS_AS(DriveWork(0.0), SetupError);
    CHECK_THROWS_AS(DriveWork(std::nan("")), SetupError);
    // @rt-tested: DriveWork::take, DriveWork::answers, DriveWork::reset
    CHECK(panto::test::allocations_in([&] {
              clever.answers(0.0, 0.0);
              clever.reset();
              CHECK(clever.take(1.0, 1.0, 1.0) == 0.0);
          }) == 0);
}

// @rt-tested: ImpedanceMpc::line_received
TEST_CASE("the controller settles the work of its drive with what a newton in the reading does to the command") {
    for (const bool held : {false, true}) {
        ImpedanceMpcParams p = params();
        p.balance.budget = 1e6, p.balance.kappa = 0.0;
        if (held) p.balance.largest = 1e-9;
        const SmallLine line = small_line();
        ImpedanceMpc mpc(p, line);
        DriveWork work(dt);
        std::mt19937 random(8);
        std::normal_distribution<double> g;
        double leaked = 0.0, before_force = 0.0, before_wire = 0.0, told = std::nan("");
        for (int cycle = 0; cycle < 12; ++cycle) {
            const VectorXd z = 0.01 * VectorXd::NullaryExpr(2, [&] { return g(random); }),
                           w = 0.01 * VectorXd::NullaryExpr(5, [&] { return g(random); });
            const double force = 100.0 + 20.0 * g(random),
                         wire = line.C.row(0).dot(w) + line.rest[static_cast<std::size_t>(cycle % 3)][0];
            const double correction = mpc.correction();
            ImpedanceMpc more = mpc;
            REQUIRE(mpc.step(force, z, w, cycle % 3) == Status::ok);
            REQUIRE(more.step(force + 1e-3, z, w, cycle % 3) == Status::ok);
            const Eigen::Vector2d drive = p.drive.C * z,
                                  answer = p.drive.C * p.drive.B.col(0) * (more.command() - mpc.command()) / 1e-3;
            const double done = work.take(force, drive[0], drive[1]);
            work.answers(answer[0], answer[1]);
            const double line_work = std::isfinite(told) ? told : (before_force + correction) * (wire - before_wire);
            if (cycle > 0) leaked += done - line_work;
            before_force = force, before_wire = wire;
            CHECK(std::fabs(mpc.balance().leaked - leaked) < 1e-9 * (1.0 + std::fabs(leaked)));
            // What the line received by its own count, in every other cycle; for the next cycle alone.
            told = cycle % 2 == 0 ? 0.3 * cycle - 1.0 : std::nan("");
            if (cycle % 4 != 3) mpc.line_received(told);
        }
    }
}

TEST_CASE("a line that foretells its motion is decided on as by the state of its linear model") {
    const SmallLine line = small_line();
    const ImpedanceMpcParams p = params();
    ImpedanceMpc by_state(p, line), by_motion(p, line);
    std::mt19937 random(7);
    std::normal_distribution<double> g;
    const auto motion = [&](const VectorXd& w, int k) {
        const Eigen::Vector2d y = line.C * w;
        const auto& rest = line.rest[static_cast<std::size_t>(k % 3)];
        return Motion{y[0] + rest[0], y[1] + rest[1], 0.0};
    };
    std::vector<Motion> ahead(static_cast<std::size_t>(p.horizon));
    VectorXd w = VectorXd::Zero(5);
    for (int cycle = 0; cycle < 20; ++cycle) {
        const VectorXd z = 0.01 * VectorXd::NullaryExpr(2, [&] { return g(random); });
        const double force = 100.0 + 20.0 * g(random);
        const Motion now = motion(w, cycle);
        VectorXd free = w;
        for (int i = 0; i < p.horizon; ++i) {
            const auto k = static_cast<std::size_t>((cycle + i) % 3);
            free = (line.A[k] * free + line.B[k] * force).eval();
            ahead[static_cast<std::size_t>(i)] = motion(free, cycle + i + 1);
        }
        REQUIRE(by_state.step(force, z, w, cycle % 3) == Status::ok);
        REQUIRE(by_motion.step(force, z, now, ahead, cycle % 3) == Status::ok);
        CHECK(std::fabs(by_motion.command() - by_state.command()) < 1e-12);
        CHECK(std::fabs(by_motion.correction() - by_state.correction()) < 1e-10);
        CHECK(std::fabs(by_state.balance().leaked - by_motion.balance().leaked) < 1e-12);
        const auto k = static_cast<std::size_t>(cycle % 3);
        w = (line.A[k] * w + line.B[k] * (force + by_state.correction())).eval();
    }
    // What makes no sense changes nothing.
    const VectorXd z = VectorXd::Zero(2);
    const double before = by_motion.balance().total.energy;
    CHECK(by_motion.step(100.0, z, {}, std::span<const Motion>(ahead).first(3), 0) == Status::out_of_range);
    CHECK(by_motion.step(100.0, z, {}, ahead, 3) == Status::out_of_range);
    ahead[2].speed = std::numeric_limits<double>::quiet_NaN();
    CHECK(by_motion.step(100.0, z, {}, ahead, 0) == Status::not_finite);
    CHECK(by_motion.balance().total.energy == before);
    ahead[2].speed = 0.0;
    CHECK(panto::test::allocations_in([&] { static_cast<void>(by_motion.step(100.0, z, {}, ahead, 0)); }) == 0);
}

TEST_CASE("a command at its limit is said; what is no number, or of another size, changes nothing") {
    ImpedanceMpcParams p = params();
    p.lowest = -1e-6, p.highest = 1e-6;
    ImpedanceMpc mpc(p, small_line());
    VectorXd z = VectorXd::Constant(2, 0.01), w = VectorXd::Constant(5, 0.01);
    CHECK(mpc.step(100.0, z, w, 0) == Status::saturated);
    CHECK(std::fabs(mpc.command()) == 1e-6);
    CHECK(mpc.record().command_active);
    const double command = mpc.command(), energy = mpc.balance().total.energy;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(mpc.step(nan, z, w, 0) == Status::not_finite);
    CHECK(mpc.step(100.0, w, w, 0) == Status::out_of_range);
    CHECK(mpc.step(100.0, z, w, 3) == Status::out_of_range);
    z[0] = nan;
    CHECK(mpc.step(100.0, z, w, 0) == Status::not_finite);
    z[0] = 0.0, w[1] = nan;
    // @rt-tested: ImpedanceMpc::step, ImpedanceMpc::reset
    CHECK(panto::test::allocations_in([&] {
              CHECK(mpc.step(100.0, z, w, 0) == Status::not_finite);
              w[1] = 0.0;
              static_cast<void>(mpc.step(100.0, z, w, 1));
          }) == 0);
    w[1] = nan;
    CHECK(mpc.samples() == 3);
    mpc.reset();
    CHECK(mpc.balance().total.energy == 0.0);
    CHECK(energy != 0.0);
    CHECK(command != 0.0);
}

TEST_CASE("of a line that foretells its motion it is enough to know how it answers to the force") {
    const SmallLine line = small_line();
    struct {
        std::vector<MatrixXd> answer = {};
        double dt = impedance_mpc_test::dt;
    } response;
    // A newton held over cycle j, then nothing: x = B_j, A_{j+1} B_j, ...
    const int horizon = params().horizon;
    response.answer.assign(3, MatrixXd::Zero(2, horizon + 1));
    for (int j = 0; j < 3; ++j) {
        VectorXd x = line.B[static_cast<std::size_t>(j)];
        for (int i = 1; i <= horizon + 1; ++i) {
            response.answer[static_cast<std::size_t>((j + i) % 3)].col(i - 1) = line.C * x;
            x = (line.A[static_cast<std::size_t>((j + i) % 3)] * x).eval();
        }
    }
    ImpedanceMpc by_state(params(), line), by_response(params(), response);
    REQUIRE(by_response.samples() == 3);
    const Eigen::Vector2d drive(0.01, -0.02);
    std::vector<Motion> ahead(static_cast<std::size_t>(horizon));
    for (std::size_t i = 0; i < ahead.size(); ++i) ahead[i] = {1e-3 * static_cast<double>(i), 0.02, 0.0};
    for (int phase = 0; phase < 3; ++phase) {
        CHECK(by_state.step(80.0, drive, Motion{0.005, 0.01, 0.0}, ahead, phase) ==
              by_response.step(80.0, drive, Motion{0.005, 0.01, 0.0}, ahead, phase));
        CHECK(by_response.command() == approx(by_state.command()).epsilon(1e-12));
        CHECK(by_response.record().wanted_correction == approx(by_state.record().wanted_correction).epsilon(1e-12));
    }
    CHECK(std::fabs(by_state.record().wanted_correction) > 0.0);
    CHECK(by_response.step(80.0, drive, VectorXd::Zero(0).eval(), 0) == Status::out_of_range);
    response.answer[1] = MatrixXd::Zero(2, horizon - 1);
    CHECK_THROWS_AS(ImpedanceMpc(params(), response), SetupError);
    response.answer.clear();
    CHECK_THROWS_AS(ImpedanceMpc(params(), response), SetupError);
}

TEST_CASE("a drive or a line whose state grows is accepted with a warning") {
    CHECK(ImpedanceMpc(params(), small_line()).warnings().empty());
    ImpedanceMpcParams p = params();
    p.drive.A *= 1.5;
    SmallLine line = small_line();
    const ImpedanceMpc of_drive(p, line);
    REQUIRE(of_drive.warnings().size() == 1);
    CHECK(of_drive.warnings()[0].starts_with("drive: without inputs a state grows by "));
    // Three cycles of 2, 1.5 and 0.75.
    for (std::size_t k = 0; k < 3; ++k) line.A[k] = std::array{2.0, 1.5, 0.75}[k] * MatrixXd::Identity(5, 5);
    const ImpedanceMpc of_line(params(), line);
    REQUIRE(of_line.warnings().size() == 1);
    CHECK(of_line.warnings()[0] ==
          "line: without a force a state grows by 2.25 in a period, and no cost counts it beyond the horizon");
}

TEST_CASE("a controller that makes no sense is refused") {
    const SmallLine line = small_line();
    const auto refused = [&](auto change) {
        ImpedanceMpcParams p = params();
        change(p);
        CHECK_THROWS_AS(ImpedanceMpc(p, line), SetupError);
    };
    refused([](auto& p) { p.horizon = 0; });
    refused([](auto& p) { p.error_weight[1] = -1.0; });
    refused([](auto& p) { p.input_weight[1] = 0.0; });
    refused([](auto& p) { p.balance.dt = 0.02; });
    refused([](auto& p) { p.balance.dt = -0.02; });
    refused([](auto& p) { p.balance.dt = std::numeric_limits<double>::quiet_NaN(); });
    refused([](auto& p) { p.lowest = HUGE_VAL; });
    refused([](auto& p) { p.lowest = 1.0, p.highest = 0.0; });
    refused([](auto& p) { p.drive.C = MatrixXd::Identity(1, 2), p.drive.D = MatrixXd::Zero(1, 2); });
    refused([](auto& p) { p.drive.dt = 0.02; });
    SmallLine other = small_line();
    other.rest.pop_back();
    CHECK_THROWS_AS(ImpedanceMpc(params(), other), SetupError);
    other = small_line();
    other.A[1](2, 2) = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(ImpedanceMpc(params(), other), SetupError);
}

}  // namespace impedance_mpc_test
