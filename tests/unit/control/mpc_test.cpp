// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/lqr.hpp>
#include <panto/control/mpc_position.hpp>
#include <panto/rig/cycle.hpp>

#include "../../support/allocations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace panto;
using namespace panto::control;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace mpc_test {
namespace {

constexpr double dt = 0.01;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

MatrixXd one(double value) { return MatrixXd::Constant(1, 1, value); }
VectorXd entry(double value) { return VectorXd::Constant(1, value); }

/// A servo of 5 Hz, damping ratio 0.5, and a mass pushed by a force: stable and not.
StateSpace servo(double delay = 0.0) {
    const double w = 2.0 * 3.14159265358979 * 5.0;
    return sampled({Eigen::Matrix2d{{0.0, 1.0}, {-w * w, -w}}, Eigen::Vector2d(0.0, w * w),
                    Eigen::RowVector2d(1.0, 0.0), one(0.0)},
                   dt, InputHold::zero_order, delay);
}
StateSpace mass() {
    return sampled(
        {Eigen::Matrix2d{{0.0, 1.0}, {0.0, 0.0}}, Eigen::Vector2d(0.0, 1.0), Eigen::RowVector2d(1.0, 0.0), one(0.0)},
        dt);
}
MpcParams params(const StateSpace& plant, int horizon = 12) {
    MpcParams p;
    p.plant = {plant};
    p.horizon = horizon;
    p.output_weight = one(1.0);
    p.input_weight = one(1e-3);
    return p;
}

struct Wire {
    double time = 0.0;
    Motion step(double) noexcept {
        time += mpc_test::dt;
        return {0.01 * std::sin(3.0 * time), 0.03 * std::cos(3.0 * time), 0.0};
    }
    void reset() noexcept { time = 0.0; }
    double dt() const noexcept { return mpc_test::dt; }
};
struct Sensor {
    double force = 100.0;
    Result<double> read() noexcept { return {force += 1e-6}; }
};
struct Drive {
    using Command = PositionCommand;
    StateSpace plant = servo(2.0 * mpc_test::dt);
    VectorXd x = VectorXd::Zero(plant.states());
    Result<Motion> read() noexcept { return {{(plant.C * x)[0], 0.0, 0.0}}; }
    Status write(Command c) noexcept {
        x = (plant.A * x + plant.B * c.value).eval();
        return Status::ok;
    }
    void stop() noexcept {}
};

}  // namespace

TEST_CASE("a plant of one's own has a controller that fits a cycle") {
    Sensor sensor;
    Wire wire;
    Drive drive;
    // [mpc]
    const double w = 2.0 * 3.14159265 * 5.0;  // the drive: a servo of 5 Hz, its commands two cycles late
    const StateSpace plant{Eigen::Matrix2d{{0.0, 1.0}, {-w * w, -w}}, Eigen::Vector2d(0.0, w * w),
                           Eigen::RowVector2d(1.0, 0.0), MatrixXd::Zero(1, 1)};
    MpcParams p{.plant = {sampled(plant, wire.dt(), InputHold::zero_order, 2.0 * wire.dt())}};
    p.output_weight = MatrixXd::Identity(1, 1);
    p.input_weight = MatrixXd::Constant(1, 1, 1e-3);
    p.input = {VectorXd::Constant(1, -0.1), VectorXd::Constant(1, 0.1)};   // m
    p.move = {VectorXd::Constant(1, -0.02), VectorXd::Constant(1, 0.02)};  // m per cycle
    MpcPosition controller(p);
    rig::Cycle cycle(sensor, wire, controller, drive);
    // [mpc]
    REQUIRE(cycle.start() == Status::ok);
    double worst = 0.0;
    for (int i = 0; i < 600; ++i) {
        REQUIRE(usable(cycle.step()));
        if (i > 300) worst = std::max(worst, std::fabs(cycle.exchange().wire.height - drive.read().value.height));
    }
    // Without preview the last reference is held: a lag of at most three cycles, at 0.03 m/s.
    CHECK(worst < 1.1e-3);
    CHECK(controller.mpc().fallbacks() == 0);
}

TEST_CASE("where nothing is active the horizon is infinite: it is the linear-quadratic regulator") {
    for (const auto& plant : {servo(), servo(2.5 * dt), mass()})
        for (const int horizon : {3, 20}) {
            MpcParams p = params(plant, horizon);
            p.disturbance = Disturbance::none;
            Mpc mpc(p);
            const auto gain = lqr(plant.A, plant.B, MatrixXd(plant.C.transpose() * plant.C), one(1e-3));
            VectorXd x = VectorXd::LinSpaced(plant.states(), 0.3, -1.0);
            REQUIRE(mpc.decide(x, VectorXd(), one(0.0)) == Status::ok);
            CHECK(std::fabs(mpc.input()[0] + (gain.K * x)[0]) <= 1e-9 * gain.K.norm() * x.norm());
            // Moves that cost: the regulator of the plant augmented by its last input.
            p.move_weight = one(0.5);
            Mpc moves(p);
            const Eigen::Index n = plant.states() + 1;
            MatrixXd A = MatrixXd::Identity(n, n), B(n, 1), Q = MatrixXd::Zero(n, n), S = MatrixXd::Zero(n, 1);
            A.topLeftCorner(n - 1, n - 1) = plant.A, A.topRightCorner(n - 1, 1) = plant.B;
            B << plant.B, 1.0;
            Q.topLeftCorner(n - 1, n - 1) = plant.C.transpose() * plant.C, Q(n - 1, n - 1) = 1e-3;
            S(n - 1, 0) = 1e-3;
            const auto augmented = lqr(A, B, Q, one(0.501), S);
            REQUIRE(moves.decide(x, VectorXd(), one(0.0)) == Status::ok);
            CHECK(std::fabs(moves.input()[0] + (augmented.K.leftCols(n - 1) * x)[0]) <=
                  1e-9 * augmented.K.norm() * x.norm());
        }
}

TEST_CASE("a constraint that never acts changes no bit") {
    MpcParams p = params(servo(dt));
    MpcParams limited = p;
    limited.input = {entry(-100.0), entry(100.0)};
    limited.move = {entry(-100.0), entry(100.0)};
    limited.output = {entry(-100.0), entry(100.0)};
    Mpc without(p), with(limited);
    const StateSpace plant = servo(dt);
    VectorXd x = VectorXd::Zero(plant.states());
    for (int i = 0; i < 50; ++i) {
        REQUIRE(without.step(plant.C * x, one(i < 20 ? 0.01 : -0.02)) == Status::ok);
        REQUIRE(with.step(plant.C * x, one(i < 20 ? 0.01 : -0.02)) == Status::ok);
        REQUIRE(without.input()[0] == with.input()[0]);
        x = (plant.A * x + plant.B * with.input()).eval();
    }
}

TEST_CASE("a plant that repeats itself, with one model told twice, is the constant plant") {
    MpcParams p = params(servo(dt));
    p.disturbance = Disturbance::none;
    p.move = {entry(-0.01), entry(0.01)};
    p.terminal_weight = MatrixXd::Identity(servo(dt).states() + 1, servo(dt).states() + 1);
    MpcParams twice = p;
    twice.plant.push_back(twice.plant[0]);
    Mpc constant(p), periodic(twice);
    const VectorXd x = VectorXd::LinSpaced(servo(dt).states(), 0.3, -1.0);
    for (int i = 0; i < 6; ++i) {
        REQUIRE(constant.decide(x, VectorXd(), one(0.0)) == Status::ok);
        REQUIRE(periodic.decide(x, VectorXd(), one(0.0)) == Status::ok);
        CHECK(std::fabs(constant.input()[0] - periodic.input()[0]) < 1e-12);
    }
}

TEST_CASE("all heights shifted shift the inputs of a servo, and scaled ones scale them") {
    Mpc here(params(servo())), there(params(servo())), large(params(servo()));
    here.reset(entry(0.0)), there.reset(entry(0.5)), large.reset(entry(0.0));
    const StateSpace plant = servo();
    VectorXd x = VectorXd::Zero(2);
    for (int i = 0; i < 40; ++i) {
        const double y = (plant.C * x)[0], r = 0.01 * std::sin(0.2 * i);
        REQUIRE(here.step(entry(y), one(r)) == Status::ok);
        REQUIRE(there.step(entry(y + 0.5), one(r + 0.5)) == Status::ok);
        REQUIRE(large.step(entry(3.0 * y), one(3.0 * r)) == Status::ok);
        CHECK(std::fabs(there.input()[0] - here.input()[0] - 0.5) < 1e-10);
        CHECK(std::fabs(large.input()[0] - 3.0 * here.input()[0]) < 1e-12);
        x = (plant.A * x + plant.B * here.input()).eval();
    }
}

TEST_CASE("a plant that is not as told, and a push on it, leave no offset") {
    for (const Disturbance kind : {Disturbance::output, Disturbance::input}) {
        MpcParams p = params(servo(dt));
        p.disturbance = kind;
        Mpc mpc(p);
        StateSpace plant = servo(dt);
        plant.B *= 0.85;
        VectorXd x = VectorXd::Zero(plant.states());
        for (int i = 0; i < 2000; ++i) {
            REQUIRE(mpc.step(VectorXd(plant.C * x + entry(0.004)), one(0.02)) == Status::ok);
            x = (plant.A * x + plant.B * mpc.input()).eval();
        }
        CHECK(std::fabs((plant.C * x)[0] + 0.004 - 0.02) < 1e-8);
    }
}

TEST_CASE("limits are kept: inputs, moves, hard outputs; soft ones as far as they can be") {
    MpcParams p = params(mass(), 40);
    p.disturbance = Disturbance::none;
    p.input_weight = one(1e-6);
    p.input = {entry(-2.0), entry(2.0)};
    p.move = {entry(-0.5), entry(0.5)};
    p.output = {entry(-1.0), entry(0.1)};
    const StateSpace plant = mass();
    for (const double softness : {0.0, 1e3}) {
        p.softness = entry(softness);
        Mpc mpc(p);
        VectorXd x = VectorXd::Zero(2);
        double last = 0.0, highest = 0.0;
        for (int i = 0; i < 300; ++i) {
            REQUIRE(usable(mpc.decide(x, VectorXd(), one(0.12))));
            const double u = mpc.input()[0];
            CHECK(std::fabs(u) <= 2.0 + 1e-12);
            CHECK(std::fabs(u - last) <= 0.5 + 1e-12);
            last = u;
            x = (plant.A * x + plant.B * mpc.input()).eval();
            highest = std::max(highest, x[0]);
        }
        CHECK(mpc.fallbacks() == 0);
        CHECK(highest <= 0.1 + 1e-9);
        CHECK(x[0] > 0.0999);
    }
    // Thrown beyond its limit, the hard one has no solution and the soft one comes back.
    const Eigen::Vector2d beyond(0.15, 1.0);
    p.softness = entry(1e3);
    Mpc soft(p);
    VectorXd x = beyond;
    CHECK(soft.decide(x, VectorXd(), one(0.0)) == Status::saturated);
    for (int i = 0; i < 300; ++i) {
        REQUIRE(usable(soft.decide(x, VectorXd(), one(0.0))));
        x = (plant.A * x + plant.B * soft.input()).eval();
    }
    CHECK(x[0] < 0.1);
    p.softness = entry(0.0);
    Mpc hard(p);
    for (int i = 1; i <= p.most_fallbacks + 1; ++i) {
        CHECK(hard.decide(beyond, VectorXd(), one(0.0)) ==
              (i <= p.most_fallbacks ? Status::not_converged : Status::infeasible));
        CHECK(hard.fallbacks() == i);
        CHECK(std::isfinite(hard.input()[0]));
    }
    // One that can be solved is the cold answer, and ends the count.
    Mpc cold(p);
    CHECK(hard.decide(VectorXd::Zero(2), VectorXd(), one(0.01)) == Status::ok);
    CHECK(cold.decide(VectorXd::Zero(2), VectorXd(), one(0.01)) == Status::ok);
    CHECK(hard.decide(beyond, VectorXd(), one(0.0)) == Status::not_converged);
}

TEST_CASE("no number in: the last input stays, and so does all else") {
    Mpc mpc(params(servo()));
    REQUIRE(mpc.step(entry(0.0), one(0.01)) == Status::ok);
    const double before = mpc.input()[0];
    CHECK(mpc.step(entry(nan), one(0.01)) == Status::sensor_implausible);
    CHECK(mpc.step(entry(0.0), one(nan)) == Status::not_finite);
    CHECK(mpc.step(VectorXd::Zero(2), one(0.0)) == Status::out_of_range);
    CHECK(mpc.step(entry(0.0), MatrixXd(1, 0)) == Status::out_of_range);
    CHECK(mpc.input()[0] == before);
    MpcPosition position(params(servo()));
    Exchange e;
    e.strip.height = nan;
    CHECK(position.update(e).status == Status::sensor_implausible);
}

TEST_CASE("a long preview is the reference of every stage; what is not finite ends it") {
    MpcParams p = params(servo(dt), 20);
    p.input = {entry(-10.0), entry(10.0)};
    MpcPosition position(p, 20);
    Mpc mpc(p), cut(p);
    std::vector<Motion> wire(20);
    MatrixXd r(1, 20);
    for (std::size_t i = 0; i < wire.size(); ++i) {
        wire[i].height = std::sin(0.4 * static_cast<double>(i));
        r(0, static_cast<Eigen::Index>(i)) = 0.2 + wire[i].height - wire[0].height;
    }
    Exchange e;
    e.reference.height = 0.2;
    position.look_ahead(wire);
    CHECK(position.update(e).status == Status::ok);
    CHECK(mpc.step(entry(0.0), r) == Status::ok);
    CHECK(std::fabs(position.mpc().input()[0] - mpc.input()[0]) < 1e-12);
    // What was told is for one update: now the Exchange's counts, and from a bad entry on the last one stays.
    MpcPosition other(p, 20);
    wire[3].height = nan;
    other.look_ahead(wire);
    CHECK(other.update(e).status == Status::ok);
    for (Eigen::Index i = 3; i < 20; ++i) r(0, i) = r(0, 2);
    CHECK(cut.step(entry(0.0), r) == Status::ok);
    CHECK(std::fabs(other.mpc().input()[0] - cut.input()[0]) < 1e-12);
    CHECK(other.update(e).status == Status::ok);
    CHECK(cut.step(entry(0.0), one(0.2)) == Status::ok);
    CHECK(std::fabs(other.mpc().input()[0] - cut.input()[0]) < 1e-12);
}

TEST_CASE("a step takes no memory") {
    MpcParams p = params(servo(dt));
    p.input = {entry(-0.1), entry(0.1)}, p.move = {entry(-0.01), entry(0.01)}, p.output = {entry(-0.1), entry(0.1)};
    p.softness = entry(10.0);
    Mpc mpc(p);
    MpcPosition position(p, 12);
    const std::vector<Motion> wire(12);
    Exchange e;
    e.reference.height = 0.2;
    const VectorXd y = entry(0.001);
    const MatrixXd r = one(0.05);
    const VectorXd x = VectorXd::Zero(servo(dt).states()), d = VectorXd::Zero(1);
    // @rt-tested: Mpc::step, Mpc::decide, Mpc::reset, MpcPosition::update, MpcPosition::reset, MpcPosition::look_ahead
    CHECK(panto::test::allocations_in([&] {
              static_cast<void>(mpc.step(y, r));
              static_cast<void>(mpc.decide(x, d, r));
              position.look_ahead(wire);
              static_cast<void>(position.update(e));
              mpc.reset(y);
              position.reset({});
              static_cast<void>(mpc.step(y, r));
          }) == 0);
}

TEST_CASE("an unstable plant without terminal cost is set up with a warning") {
    StateSpace falling = servo();
    falling.A(0, 0) += 0.5;  // radius above 1
    MpcParams p = params(falling);
    CHECK(Mpc(p).warnings().empty());  // from the Riccati equation
    p.terminal_weight = MatrixXd::Zero(3, 3);
    REQUIRE(Mpc(p).warnings().size() == 1);
    CHECK(Mpc(p).warnings()[0].find("grows by") != std::string::npos);
    p.terminal_weight = MatrixXd::Identity(3, 3);
    CHECK(Mpc(p).warnings().empty());
    p.terminal_weight = {};
    p.disturbance = Disturbance::none;
    p.plant = {falling, falling};
    CHECK(Mpc(p).warnings().size() == 1);
    p.plant = {servo(), servo()};
    CHECK(Mpc(p).warnings().empty());
}

TEST_CASE("what makes no controller is refused by name") {
    const auto message = [](auto change) {
        MpcParams p = params(servo());
        change(p);
        try {
            Mpc mpc(p);
            return std::string("accepted");
        } catch (const SetupError& e) {
            return std::string(e.what());
        }
    };
    const auto has = [&](auto change, const char* text) { return message(change).find(text) != std::string::npos; };
    CHECK(message([](MpcParams&) {}) == "accepted");
    CHECK(has([](MpcParams& p) { p.plant.clear(); }, "plant is empty"));
    CHECK(has([](MpcParams& p) { p.plant[0].dt = 0.0; }, "plant[0].dt must be finite and > 0, got 0"));
    CHECK(has([](MpcParams& p) { p.plant.push_back(p.plant[0]), p.plant[1].dt = 0.02; }, "plant[1].dt is 0.02"));
    CHECK(has([](MpcParams& p) { p.plant[0].D(0, 0) = 1.0; }, "plant[0].D is not 0"));
    CHECK(has([](MpcParams& p) { p.horizon = 0; }, "horizon is 0"));
    CHECK(has([](MpcParams& p) { p.output_weight = one(-1.0); }, "output_weight has the eigenvalue -1"));
    CHECK(has([](MpcParams& p) { p.input_weight = one(0.0); }, "input_weight + move_weight has the eigenvalue 0"));
    CHECK(has([](MpcParams& p) { p.input_weight = MatrixXd::Identity(2, 2); }, "input_weight is 2 by 2"));
    CHECK(has([](MpcParams& p) { p.output_weight = one(nan); }, "output_weight(0,0) must be finite, got nan"));
    CHECK(
        has([](MpcParams& p) { p.input = {entry(1.0), entry(-1.0)}; }, "input.lower[0] is 1 and input.upper[0] is -1"));
    CHECK(has([](MpcParams& p) { p.move = {entry(nan), entry(1.0)}; }, "move.lower[0] is nan"));
    CHECK(has([](MpcParams& p) { p.output.lower = VectorXd::Zero(3); }, "output.lower has 3 entries"));
    CHECK(has([](MpcParams& p) { p.softness = entry(-1.0); }, "softness[0] must be finite and >= 0, got -1"));
    CHECK(has([](MpcParams& p) { p.most_fallbacks = -1; }, "most_fallbacks is -1"));
    CHECK(has(
        [](MpcParams& p) {
            p.plant = {servo(5.0 * dt)}, p.horizon = 4;
            p.output = {entry(-1.0), entry(1.0)};
        },
        "limit an output that no input moves"));
    CHECK(has(
        [](MpcParams& p) {
            p.input = {entry(-0.1), entry(0.1)};  // the servo's gain is 1
            p.output = {entry(0.2), entry(0.3)};
        },
        "output.lower[0] is 0.2 and output.upper[0] is 0.3, but at rest, with inputs within their limits"));
    CHECK(message([](MpcParams& p) {
              p.input = {entry(-0.1), entry(0.1)}, p.output = {entry(0.2), entry(0.3)}, p.softness = entry(10.0);
          }) == "accepted");
    CHECK(has([](MpcParams& p) { p.move = {entry(0.1), entry(0.2)}; }, "the input could never stay"));
    CHECK_THROWS_AS(MpcPosition(params(servo()), 1001), SetupError);
    CHECK_THROWS_AS(MpcPosition(params(servo()), 11), SetupError);  // shorter than the horizon
    CHECK_NOTHROW(MpcPosition(params(servo()), 12));
    // The matrices of a horizon by themselves.
    const StateSpace s = servo();
    const PredictionModel step{s.A, s.B, s.C, MatrixXd::Zero(2, 0), MatrixXd::Zero(1, 0)};
    PredictionModel other_size = step;
    other_size.B = MatrixXd::Zero(3, 1);
    const HorizonWeights weights{one(1.0), one(1.0), one(0.0), MatrixXd::Identity(3, 3)};
    CHECK_NOTHROW((void)condense({step, step}, weights));
    CHECK_THROWS_AS((void)condense({}, weights), SetupError);
    CHECK_THROWS_AS((void)condense({step, other_size}, weights), SetupError);
    CHECK_THROWS_AS((void)condense({step}, {one(1.0), one(1.0), one(0.0), MatrixXd::Identity(2, 2)}), SetupError);
    CHECK_THROWS_AS((void)infinite_horizon(step, MatrixXd::Identity(2, 2), one(1.0), one(0.0)), SetupError);
    CHECK_THROWS_AS((void)growth_without_inputs({}), SetupError);
    CHECK_THROWS_AS((void)steady_state(other_size), SetupError);
    Sensor sensor;
    Wire wire;
    Drive drive;
    StateSpace slow = servo();
    slow.dt = 0.02;
    MpcPosition other(params(slow));
    CHECK_THROWS_AS(rig::Cycle(sensor, wire, other, drive), SetupError);
}

}  // namespace mpc_test
