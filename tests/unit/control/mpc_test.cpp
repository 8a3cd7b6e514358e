// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/lqr.hpp>
#include <panto/control/model_sequence.hpp>
#include <panto/control/mpc_position.hpp>
#include <panto/rig/cycle.hpp>

#include "../../cases/mpc_relations.hpp"
#include "../../support/allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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

using test::entry;
using test::one;
using test::servo;

constexpr double dt = test::mpc_dt;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

StateSpace mass() { return test::pushed_mass(); }
MpcParams params(const StateSpace& plant, int horizon = 12) { return test::mpc_params(plant, horizon); }

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

TEST_CASE("an infinite horizon is the regulator; heights shift and scale inputs; unused limits change no bit") {
    const test::ControllerRelations r = test::controller_relations();
    CHECK(r.all_ok);
    CHECK(r.regulator <= 1e-9);
    CHECK(r.shifted < 1e-10);
    CHECK(r.scaled < 1e-12);
    CHECK(r.changed_by_unused_limits == 0);
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

namespace {

/// A mass on a spring whose stiffness changes from cycle to cycle, k = 0, 1, 2; pushed by a force that counts more or
/// less. All its models differ.
StateSpace spring(int k) {
    const double stiffness = 300.0 + 250.0 * k, gain = 1.0 - 0.3 * k;
    return sampled({Eigen::Matrix2d{{0.0, 1.0}, {-stiffness, -2.0}}, Eigen::Vector2d(0.0, 300.0 * gain),
                    Eigen::RowVector2d(1.0 + 0.1 * k, 0.0), one(0.0)},
                   dt);
}
MpcParams springs(bool repeats, int horizon = 8) {
    MpcParams p = params(spring(0), horizon);
    p.plant = {spring(0), spring(1), spring(2)};
    p.repeats = repeats;
    return p;
}
/// The plant in cycle i, as the parameters have it.
const StateSpace& in_cycle(const MpcParams& p, std::size_t i) {
    return p.plant[p.repeats ? i % p.plant.size() : std::min(i, p.plant.size() - 1)];
}

}  // namespace

TEST_CASE("a periodic plant has the periodic regulator: the constant one of whole periods at once") {
    MpcParams p = springs(true);
    p.disturbance = Disturbance::none;
    for (const bool moves : {false, true}) {
        p.move_weight = one(moves ? 0.02 : 0.0);
        Mpc mpc(p);
        // Three cycles as one step of x and the last input; the inputs of a period are those of the lifted plant.
        const Eigen::Index n = 3, T = 3;
        MatrixXd Q = MatrixXd::Zero(n, n), R = MatrixXd::Zero(T, T), S = MatrixXd::Zero(n, T),
                 A = MatrixXd::Identity(n, n), B = MatrixXd::Zero(n, T);
        for (Eigen::Index k = 0; k < T; ++k) {
            const StateSpace m = spring(static_cast<int>(k));
            // y'y + 1e-3 u'u + S (u - last)'(u - last) in terms of the state at the start of the period and its inputs.
            const MatrixXd y0 = m.C * A.topRows(2), yu = m.C * B.topRows(2);
            MatrixXd d0 = -A.bottomRows(1), du = -B.bottomRows(1);
            du(0, k) += 1.0;
            Q += y0.transpose() * y0 + p.move_weight(0, 0) * d0.transpose() * d0;
            R += yu.transpose() * yu + p.move_weight(0, 0) * du.transpose() * du;
            R(k, k) += 1e-3;
            S += y0.transpose() * yu + p.move_weight(0, 0) * d0.transpose() * du;
            A.topRows(2) = (m.A * A.topRows(2)).eval(), B.topRows(2) = (m.A * B.topRows(2)).eval();
            B.block(0, k, 2, 1) += m.B;
            A.bottomRows(1).setZero(), B.bottomRows(1).setZero();
            B(2, k) = 1.0;
        }
        const auto whole = linalg::dare(A, B, Q, R, S);
        VectorXd x = Eigen::Vector3d(0.3, -1.0, 0.0);
        for (int period = 0; period < 3; ++period) {
            const VectorXd wanted = -whole.K * x;
            for (int k = 0; k < 3; ++k) {
                REQUIRE(mpc.decide(x.head(2), VectorXd(), one(0.0)) == Status::ok);
                CHECK(std::fabs(mpc.input()[0] - wanted[k]) <= 1e-9 * (1.0 + wanted.norm()));
                x.head(2) = (spring(k).A * x.head(2) + spring(k).B * mpc.input()).eval();
                x[2] = mpc.input()[0];
            }
        }
    }
}

TEST_CASE("a plant that changes, and is not as described, leaves no offset once it repeats or stays") {
    for (const bool repeats : {true, false})
        for (const Disturbance kind : {Disturbance::output, Disturbance::input}) {
            MpcParams p = springs(repeats);
            p.disturbance = kind;
            Mpc mpc(p);
            VectorXd x = VectorXd::Zero(2);
            double worst = 0.0;
            for (std::size_t i = 0; i < 3000; ++i) {
                const StateSpace& now = in_cycle(p, i);
                const double push = kind == Disturbance::output ? 0.004 : 0.0;
                const VectorXd y = now.C * x + entry(push);
                if (i >= 2970) worst = std::max(worst, std::fabs(y[0] - 0.02));
                REQUIRE(mpc.step(y, one(0.02)) == Status::ok);
                x = (now.A * x + now.B * (mpc.input() + entry(kind == Disturbance::input ? 0.1 : 0.0))).eval();
            }
            CHECK(worst < 1e-8);
        }
}

TEST_CASE("the observer of a changing plant is the Kalman filter") {
    for (const bool repeats : {true, false}) {
        const MpcParams p = springs(repeats);
        ModelSequence plant{{}, repeats};
        for (const StateSpace& m : p.plant)
            plant.models.push_back({m.A, m.B, m.C, MatrixXd::Zero(2, 1), MatrixXd::Identity(1, 1)});
        const auto steps = observer_steps(plant, 0.5, 0.1, 0.02);
        // Brute force: the recursion of the covariance until it repeats, or from the steady state of the first model.
        MatrixXd P = 3.0 * MatrixXd::Identity(3, 3);
        const auto gain = [&](std::size_t k) -> MatrixXd {
            return P * steps[k].C.transpose() / (4e-4 + (steps[k].C * P * steps[k].C.transpose())(0, 0));
        };
        const auto advance = [&](std::size_t k) {
            MatrixXd W = MatrixXd::Zero(3, 3);
            W.topLeftCorner(2, 2) = 0.25 * p.plant[k].B * p.plant[k].B.transpose();
            W(2, 2) = 0.01;
            P = (steps[k].A * (P - gain(k) * steps[k].C * P) * steps[k].A.transpose() + W).eval();
        };
        if (repeats)
            for (std::size_t i = 0; i < 3000; ++i) advance(i % 3);
        else
            for (std::size_t i = 0; i < 3000; ++i) advance(0);
        for (std::size_t k = 0; k < 3; ++k) {
            if (!repeats && k == 2)
                for (std::size_t i = 0; i < 3000; ++i) advance(2);  // the last one stays
            CHECK((steps[k].L - gain(k)).norm() < 1e-9 * gain(k).norm());
            advance(k);
        }
    }
}

TEST_CASE("a schedule is followed: its regulator is that of a recursion back from the last model") {
    MpcParams p = springs(false, 2);
    p.disturbance = Disturbance::none;
    Mpc mpc(p);
    const auto last =
        linalg::dare(spring(2).A, spring(2).B, MatrixXd(spring(2).C.transpose() * spring(2).C), one(1e-3));
    MatrixXd K[3], X = last.X;
    K[2] = last.K;
    for (int k = 1; k >= 0; --k) {
        const StateSpace m = spring(k);
        const double r = 1e-3 + (m.B.transpose() * X * m.B)(0, 0);
        K[k] = m.B.transpose() * X * m.A / r;
        X = (m.C.transpose() * m.C + m.A.transpose() * X * (m.A - m.B * K[k])).eval();
    }
    VectorXd x = Eigen::Vector2d(0.3, -1.0);
    for (std::size_t i = 0; i < 6; ++i) {
        REQUIRE(mpc.decide(x, VectorXd(), one(0.0)) == Status::ok);
        CHECK(std::fabs(mpc.input()[0] + (K[std::min<std::size_t>(i, 2)] * x)[0]) < 1e-9);
        x = (in_cycle(p, i).A * x + in_cycle(p, i).B * mpc.input()).eval();
    }
}

TEST_CASE("models move on with every cycle, a lost reading included") {
    const MpcParams p = springs(true);
    Mpc whole(p), with_loss(p);
    const VectorXd x = Eigen::Vector2d(0.1, 0.0);
    for (int i = 0; i < 4; ++i) {
        REQUIRE(whole.step(in_cycle(p, static_cast<std::size_t>(i)).C * x, one(0.0)) == Status::ok);
        if (i == 0) REQUIRE(with_loss.step(entry(nan), one(0.0)) == Status::sensor_implausible);
        if (i == 1) REQUIRE(with_loss.decide(x, entry(nan), one(0.0)) == Status::not_finite);
        if (i == 2) REQUIRE(with_loss.step(VectorXd::Zero(2), one(0.0)) == Status::out_of_range);
    }
    whole.reset(entry(0.0));
    Mpc fourth(p);
    for (int i = 0; i < 3; ++i) REQUIRE(fourth.decide(VectorXd::Zero(2), entry(0.0), one(0.0)) == Status::ok);
    REQUIRE(with_loss.decide(x, entry(0.0), one(0.0)) == Status::ok);
    REQUIRE(fourth.decide(x, entry(0.0), one(0.0)) == Status::ok);
    CHECK(std::fabs(with_loss.input()[0] - fourth.input()[0]) < 1e-9);
}

TEST_CASE("a state that is not measured is kept within its limits") {
    MpcParams p = params(mass(), 40);
    p.disturbance = Disturbance::input;
    p.input_weight = one(1e-6);
    p.input = {entry(-20.0), entry(20.0)};
    p.state = {Eigen::Vector2d(-std::numeric_limits<double>::infinity(), -0.2),
               Eigen::Vector2d(std::numeric_limits<double>::infinity(), 0.2)};  // the speed
    const StateSpace plant = mass();
    for (const bool twice : {false, true}) {
        if (twice) p.plant.push_back(plant);
        Mpc mpc(p);
        VectorXd x = VectorXd::Zero(2);
        double fastest = 0.0;
        for (int i = 0; i < 300; ++i) {
            REQUIRE(mpc.step(plant.C * x, one(0.1)) == Status::ok);
            x = (plant.A * x + plant.B * mpc.input()).eval();
            fastest = std::max(fastest, std::fabs(x[1]));
        }
        CHECK(fastest <= 0.2 + 1e-7);
        CHECK(fastest > 0.199);
        CHECK(std::fabs(x[0] - 0.1) < 1e-6);
        CHECK(mpc.fallbacks() == 0);
    }
    // A soft one gives way where it must.
    p.plant.pop_back();
    p.state_softness = Eigen::Vector2d(0.0, 1e2);
    p.disturbance = Disturbance::none;
    Mpc soft(p);
    CHECK(soft.decide(Eigen::Vector2d(0.0, 1.0), VectorXd(), one(0.0)) == Status::saturated);
}

TEST_CASE("limits within which nothing can rest are refused, also of plants that integrate or repeat") {
    const auto refused = [](const MpcParams& p) {
        try {
            Mpc mpc(p);
            return std::string("accepted");
        } catch (const SetupError& e) {
            return std::string(e.what());
        }
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    const double inf = std::numeric_limits<double>::infinity();
    MpcParams pushed = params(mass());
    pushed.disturbance = Disturbance::input;
    pushed.output = {entry(-1.0), entry(1.0)};
    CHECK(refused(pushed) == "accepted");
    pushed.input = {entry(1.0), entry(2.0)};  // it would never come to rest
    CHECK(has(refused(pushed), "output.lower[0] is -1 and output.upper[0] is 1, but at rest"));
    pushed.output = {};
    CHECK(refused(pushed) == "accepted");  // nothing has to stay anywhere
    pushed.input = {};
    pushed.state = {Eigen::Vector2d(-inf, 0.1), Eigen::Vector2d(inf, 0.2)};  // always moving
    CHECK(has(refused(pushed), "state.lower[1] is 0.1 and state.upper[1] is 0.2, but at rest"));
    pushed.state_softness = Eigen::Vector2d(0.0, 1.0);
    CHECK(refused(pushed) == "accepted");
    MpcParams fast = params(servo());
    fast.state = {Eigen::Vector2d(-inf, 0.1), Eigen::Vector2d(inf, inf)};
    CHECK(has(refused(fast), "state.lower[1] is 0.1"));
    CHECK(has(refused(fast), "cannot stay there, only from 0 to 0; widen"));
    // Three outputs of one servo, each of which could be held; the second has nothing to do with the conflict.
    MpcParams both = params(servo());
    both.plant[0].C = (MatrixXd(3, 2) << 1.0, 0.0, 0.5, 0.0, -1.0, 0.0).finished();
    both.plant[0].D = MatrixXd::Zero(3, 1);
    both.output_weight = MatrixXd::Identity(3, 3);
    both.output = {Eigen::Vector3d(0.1, -1.0, 0.1), Eigen::Vector3d(0.3, 1.0, 0.3)};
    CHECK(has(refused(both), "at rest, but not those of output[0], output[2] together; widen"));
    both.output.lower[2] = -0.3;
    CHECK(refused(both) == "accepted");
    // Models that repeat: the gain of the input changes, so a force between its limits cannot hold the height.
    MpcParams periodic = springs(true);
    periodic.output = {entry(0.2), entry(0.3)};
    CHECK(refused(periodic) == "accepted");
    periodic.input = {entry(-0.1), entry(0.1)};
    CHECK(has(refused(periodic), "in a motion that repeats itself"));
    periodic = springs(true);
    periodic.move = {entry(0.1), entry(0.2)};
    CHECK(has(refused(periodic), "must enclose 0"));
    // Messages that say what to do.
    MpcParams integrating = params(mass());
    CHECK(has(refused(integrating), "disturbance `output`"));
    CHECK(has(refused(integrating), "use Disturbance::input"));
    MpcParams longest = params(servo(), 100000);
    CHECK(has(refused(longest), "horizon is 100000, must be at most 2000"));
    MpcParams sizes = params(servo());
    sizes.state_softness = entry(1.0);
    CHECK(has(refused(sizes), "state_softness has 1 entries, must be 2"));
    sizes.state_softness = {};
    sizes.state.lower = entry(1.0);
    CHECK(has(refused(sizes), "state.lower has 1 entries, must be 2"));
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
    p.plant = {falling, falling};
    p.terminal_weight = MatrixXd::Zero(3, 3);
    CHECK(Mpc(p).warnings().size() == 1);
    p.plant = {servo(), servo()};
    CHECK(Mpc(p).warnings().empty());
    // Of a schedule only the last model stays.
    p.repeats = false;
    p.plant = {servo(), servo(), falling};
    CHECK(Mpc(p).warnings().size() == 1);
    p.plant = {falling, falling, servo()};
    CHECK(Mpc(p).warnings().empty());
    // A weight of the last input alone does not see the states.
    p.plant = {falling};
    p.terminal_weight(2, 2) = 1.0;
    CHECK(Mpc(p).warnings().size() == 1);
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
    CHECK(has([](MpcParams& p) { p.input = {entry(HUGE_VAL), {}}; }, "input.lower[0] is inf, must be below infinity"));
    CHECK(has([](MpcParams& p) { p.state.upper = VectorXd::Constant(2, -HUGE_VAL); }, "state.upper[0] is -inf"));
    CHECK(has([](MpcParams& p) { p.move = {entry(nan), entry(1.0)}; }, "move.lower[0] is nan"));
    CHECK(has([](MpcParams& p) { p.output.lower = VectorXd::Zero(3); }, "output.lower has 3 entries"));
    CHECK(has([](MpcParams& p) { p.softness = entry(-1.0); }, "softness[0] must be finite and >= 0, got -1"));
    CHECK(has([](MpcParams& p) { p.most_fallbacks = -1; }, "most_fallbacks is -1"));
    CHECK(has(
        [](MpcParams& p) {
            p.plant = {servo(5.0 * dt)}, p.horizon = 4;
            p.output = {entry(-1.0), entry(1.0)};
        },
        "limit what no input affects within the horizon"));
    CHECK(has(
        [](MpcParams& p) {
            p.input = {entry(-0.1), entry(0.1)};  // the servo's gain is 1
            p.output = {entry(0.2), entry(0.3)};
        },
        "output.lower[0] is 0.2 and output.upper[0] is 0.3, but at rest, with inputs within their limits, it cannot "
        "stay "
        "there, only from -0.1 to 0.1"));
    CHECK(message([](MpcParams& p) {
              p.input = {entry(-0.1), entry(0.1)}, p.output = {entry(0.2), entry(0.3)}, p.softness = entry(10.0);
          }) == "accepted");
    CHECK(has([](MpcParams& p) { p.move = {entry(0.1), entry(0.2)}; }, "so that the input can stay constant"));
    CHECK_THROWS_AS(MpcPosition(params(servo()), 1001), SetupError);
    CHECK_THROWS_AS(MpcPosition(params(servo()), 11), SetupError);  // shorter than the horizon
    CHECK_NOTHROW(MpcPosition(params(servo()), 12));
    // Sequences of models by themselves.
    const ModelSequence empty;
    CHECK_THROWS_AS((void)infinite_horizons(empty, {one(1.0), one(1.0), one(0.0), {}}), SetupError);
    CHECK_THROWS_AS((void)steady_states(empty), SetupError);
    CHECK_THROWS_AS((void)observer_steps(empty, 1.0, 1.0, 1.0), SetupError);
    const StateSpace of_servo = servo();
    const ModelSequence single{{{of_servo.A, of_servo.B, of_servo.C, MatrixXd::Zero(2, 0), MatrixXd::Zero(1, 0)}}};
    CHECK_NOTHROW((void)observer_steps(single, 1.0, 1.0, 1.0));
    CHECK_THROWS_AS((void)observer_steps(single, 1.0, 1.0, 0.0), SetupError);
    CHECK_THROWS_AS((void)observer_steps(single, nan, 1.0, 1.0), SetupError);
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
