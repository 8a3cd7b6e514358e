// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/rig_mpc.hpp>
#include <panto/rig/cycle.hpp>

#include "allocations.hpp"
#include "message.hpp"

#include <Eigen/LU>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace panto;
using namespace panto::control;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace rig_mpc_test {
namespace {

constexpr double dt = 2e-3;

struct Answers {
    std::vector<MatrixXd> answer = {};
    double dt = rig_mpc_test::dt;
};

/// A wire that gives way and comes back, more so in one cycle of two than in the other.
Answers line() {
    Answers a;
    for (int k = 0; k < 2; ++k) {
        MatrixXd m(2, 12);
        for (int i = 0; i < 12; ++i)
            m.col(i) << (1.0 + 0.3 * k) * 1e-6 * (i + 1) * std::exp(-0.2 * i), 4e-4 * std::exp(-0.3 * i);
        a.answer.push_back(m);
    }
    return a;
}

RigMpcParams params() {
    RigMpcParams p{.rig = {.pantograph = {VectorXd::Constant(1, 6.6), VectorXd::Constant(1, 50.0), VectorXd::Zero(1)}},
                   .horizon = 3};
    p.correction_weight = 1e-6;  // so that the correction shows
    p.error_weight[2] = 1e-2;
    return p;
}

Exchange reading(int n, double shift = 0.0) {
    Exchange e;
    e.strip.height = shift + 1e-3 * std::sin(0.4 * n);
    e.strip_force = 100.0 + 20.0 * std::sin(0.3 * n);
    e.wire = {shift + 1.2e-3 * std::sin(0.4 * n + 0.1), 0.1 * std::cos(0.4 * n), 0.0};
    return e;
}
std::vector<Motion> ahead(int n, double shift = 0.0) {
    std::vector<Motion> all(5);
    for (int j = 0; j < 5; ++j)
        all[static_cast<std::size_t>(j)] = {shift + 1.2e-3 * std::sin(0.4 * (n + j + 1)),
                                            0.1 * std::cos(0.4 * (n + j + 1)), 0.0};
    return all;
}

Result<PositionCommand> cycle(RigMpc& c, int n, double shift = 0.0) {
    Exchange e = reading(n, shift);
    e.wire_force = c.contact_force(e);
    c.look_ahead(ahead(n, shift));
    return c.update(e);
}

/// J of the header, by running the models. U: commands, then corrections.
double cost(const RigMpcParams& p, const Answers& line, const ContactObserver& seen, const Exchange& e,
            const std::vector<Motion>& wire, double momentum, int phase, bool pressed, const VectorXd& U) {
    const auto head = ContactObserver::with_head(p.rig, p.observer);
    const auto model = plant::sampled_model(head, dt, plant::Hold::zero_order,
                                            pressed ? plant::Contact::closed : plant::Contact::open);
    const double pad = pressed ? p.rig.pad_stiffness : 0.0;
    const int N = p.horizon, d = 2, M = N + d;
    VectorXd x = VectorXd(seen.state()).head(4);
    std::vector<double> force(1), z{e.wire.height}, v{e.wire.speed};
    double J = 0.0;
    for (int j = 1; j <= M; ++j) {
        const double command = j <= d ? seen.pending()[j - 1] : U[j - 1 - d];
        x = (model.A.topLeftCorner(4, 4) * x + model.command.col(d).head(4) * command +
             model.head_force.head(4) * seen.lift())
                .eval();
        force.push_back(pad * (x[2] - x[0]) + U[N + j - 1] - e.wire_force);
        double height = wire[static_cast<std::size_t>(j) - 1].height,
               speed = wire[static_cast<std::size_t>(j) - 1].speed;
        for (int i = 1; i <= j; ++i) {
            const auto y = line.answer[static_cast<std::size_t>((phase + j) % 2)].col(j - i);
            height += y[0] * force[static_cast<std::size_t>(i)], speed += y[1] * force[static_cast<std::size_t>(i)];
        }
        z.push_back(height), v.push_back(speed);
        momentum -= dt * U[N + j - 1];
        J += p.error_weight[0] * std::pow(x[0] - height, 2) + p.error_weight[1] * std::pow(x[1] - speed, 2) +
             p.error_weight[2] * momentum * momentum + p.correction_weight * std::pow(U[N + j - 1], 2);
    }
    const auto rho = [&](int j) {
        const auto a = static_cast<std::size_t>(d + j), b = a + 1;
        const auto& m = p.rig.motor;
        return (j < 0 ? seen.pending()[d - 1] : U[j]) - 0.5 * (z[a] + z[b]) -
               (m.damping * 0.5 * (v[a] + v[b]) + m.mass * (v[b] - v[a]) / dt) / m.stiffness;
    };
    for (int j = 0; j < N; ++j)
        J += p.effort_weight * rho(j) * rho(j) + p.rate_weight * std::pow(rho(j) - rho(j - 1), 2);
    return J;
}

}  // namespace

TEST_CASE("command and correction minimize the cost, with the correction held where its limits put it") {
    enum class Case { free, limited, off_the_pad };
    for (const Case which : {Case::free, Case::limited, Case::off_the_pad}) {
        const bool limited = which == Case::limited;
        int flights = 0;
        double leaked = 0.0, force_before = 0.0, motor_before = 0.0;
        Exchange before;
        RigMpcParams p = params();
        p.balance = {.budget = 100.0,
                     .kappa = 0.0,
                     .velocity_threshold = 1e-9,
                     .largest = limited ? 1e-3 : 1e6,
                     .largest_change = 1e6};
        p.largest_rate = 1e9;
        RigMpc mpc(p, line());
        ContactObserver seen(p.rig, p.observer, dt);
        mpc.reset({});
        seen.reset();
        for (int n = 0; n < 12; ++n) {
            Exchange e = reading(n);
            if (which == Case::off_the_pad) e.strip_force = 0.0;
            e.wire_force = mpc.contact_force(e);
            const double force = seen.take(e);
            CHECK(std::fabs(e.wire_force - mpc.correction() - force) < 1e-9);
            ContactObserver::State arrived = seen.state();
            for (int j = 0; j < 2; ++j) arrived = seen.advanced(arrived, j);
            const bool pressed = seen.pressed(arrived) > 0.0;
            flights += pressed ? 0 : 1;
            mpc.look_ahead(ahead(n));
            const double momentum = mpc.balance().total.momentum;
            const auto command = mpc.update(e);
            REQUIRE(usable(command.status));
            // The work done on the rig less that on the line.
            if (n > 0)
                leaked += 0.5 * (force_before + force) * (seen.state()[plant::motor_height] - motor_before) -
                          0.5 * (before.wire_force + e.wire_force) * (e.wire.height - before.wire.height);
            CHECK(std::fabs(mpc.balance().leaked - leaked) < 1e-12);
            force_before = force, motor_before = seen.state()[plant::motor_height], before = e;
            const int phase = (1 + n + 1) % 2;
            const Eigen::Index count = 2 * p.horizon + 2;
            // J is quadratic: differences of unit steps are its derivatives.
            const auto J = [&](const VectorXd& U) {
                return cost(p, line(), seen, e, ahead(n), momentum, phase, pressed, U);
            };
            const VectorXd scale =
                (VectorXd(count) << VectorXd::Constant(p.horizon, 1e-3), VectorXd::Constant(p.horizon + 2, 10.0))
                    .finished();
            const double J0 = J(VectorXd::Zero(count));
            MatrixXd H(count, count);
            VectorXd slope(count);
            for (Eigen::Index a = 0; a < count; ++a) {
                const VectorXd ea = scale[a] * VectorXd::Unit(count, a);
                slope[a] = 0.5 * (J(ea) - J(-ea));
                for (Eigen::Index b = 0; b < count; ++b) {
                    const VectorXd eb = scale[b] * VectorXd::Unit(count, b);
                    H(a, b) = J(ea + eb) - J(ea) - J(eb) + J0;
                }
            }
            if (limited) {
                H.row(p.horizon) = VectorXd::Unit(count, p.horizon).transpose();
                slope[p.horizon] = -mpc.correction() / scale[p.horizon];
            }
            const VectorXd best = H.partialPivLu().solve(-slope).cwiseProduct(scale);
            CAPTURE(n);
            CHECK(std::fabs(command.value.value - best[0]) < 1e-8);
            CHECK(std::fabs(mpc.correction() - best[p.horizon]) < 1e-4);
            REQUIRE(seen.advance(command.value.value));
        }
        if (limited) CHECK(std::fabs(mpc.correction()) <= 1e-3 + 1e-12);
        CHECK((flights > 5) == (which == Case::off_the_pad));
    }
}

TEST_CASE("all heights shifted shift the command; a fast jump is limited and said") {
    RigMpc here(params(), line()), there(params(), line());
    here.reset({}), there.reset({.height = 0.3});
    for (int n = 0; n < 20; ++n)
        CHECK(std::fabs(cycle(there, n, 0.3).value.value - cycle(here, n).value.value - 0.3) < 1e-9);
    RigMpcParams slow = params();
    slow.largest_rate = 1e-3;
    RigMpc limited(slow, line());
    limited.reset({});
    CHECK(cycle(limited, 5).status == Status::saturated);
    CHECK(std::fabs(cycle(limited, 6).value.value) <= 2.0 * 1e-3 * dt + 1e-15);
}

TEST_CASE("what is no number, or a line not foretold, repeats the last command; no step takes memory") {
    RigMpc mpc(params(), line());
    mpc.reset({.height = 0.1});
    Exchange e = reading(0, 0.1);
    CHECK(mpc.update(e).status == Status::sensor_implausible);  // nothing was read yet
    const double last = cycle(mpc, 1, 0.1).value.value;
    e = reading(2, 0.1);
    e.wire_force = mpc.contact_force(e);
    CHECK(mpc.update(e).status == Status::sensor_implausible);  // not foretold
    CHECK(mpc.update(e).value.value == last);
    auto wire = ahead(2, 0.1);
    wire[3].speed = std::numeric_limits<double>::quiet_NaN();
    mpc.look_ahead(wire);
    CHECK(mpc.update(e).status == Status::sensor_implausible);
    e.strip_force = std::numeric_limits<double>::quiet_NaN();
    mpc.look_ahead(ahead(2, 0.1));
    CHECK(mpc.update(e).status == Status::sensor_implausible);
    e = reading(3, 0.1);
    wire = ahead(3, 0.1);
    Status status = Status::infeasible;
    // @rt-tested: RigMpc::contact_force RigMpc::look_ahead RigMpc::update RigMpc::reset
    CHECK(test::allocations_in([&] {
              e.wire_force = mpc.contact_force(e);
              mpc.look_ahead(wire);
              status = mpc.update(e).status;
              mpc.reset({});
          }) == 0);
    CHECK(usable(status));
}

TEST_CASE("a predictive controller of a rig that makes no sense is refused") {
    const auto refused = [&](auto change, const char* words) {
        RigMpcParams p = params();
        change(p);
        const std::string text = test::message([&] { RigMpc mpc(p, line()); });
        CAPTURE(text);
        CHECK(text.find(words) != std::string::npos);
    };
    refused([](auto& p) { p.horizon = 0; }, "horizon is 0");
    refused([](auto& p) { p.horizon = 11; }, "answer[0] is 2 by 12");
    refused([](auto& p) { p.rig.command_delay = 0.5; }, "add up to 1.5 periods");
    refused([](auto& p) { p.rig.command_delay = p.rig.reading_delay = 0.0; }, "add up to 0 periods");
    refused([](auto& p) { p.error_weight[1] = -1.0; }, "error_weight[1]");
    refused([](auto& p) { p.effort_weight = 0.0; }, "effort_weight");
    refused([](auto& p) { p.correction_weight = std::nan(""); }, "correction_weight");
    refused([](auto& p) { p.balance.dt = std::nan(""); }, "balance.dt must be finite and >= 0, got nan");
    refused([](auto& p) { p.balance.dt = 1e-3; }, "balance.dt is 0.001 s, must be that of the line, 0.002 s");
    refused([](auto& p) { p.rig.pad_stiffness = 0.0; }, "pad_stiffness");
    Answers none = line();
    none.answer.clear();
    CHECK_THROWS_AS(RigMpc(params(), none), SetupError);
    none = line();
    none.answer[1](0, 3) = std::nan("");
    CHECK_THROWS_AS(RigMpc(params(), none), SetupError);
    none = line();
    none.dt = 0.0;
    CHECK_THROWS_AS(RigMpc(params(), none), SetupError);
}

namespace {

struct NoSensor {
    Result<double> read() noexcept { return {0.0}; }
};
struct NoDrive {
    using Command = PositionCommand;
    Result<Motion> read() noexcept { return {Motion{}}; }
    Status write(Command) noexcept { return Status::ok; }
    void stop() noexcept {}
};
/// A wire at rest over which the contact travels from `start` on.
struct Passing {
    double speed = 50.0, start = 0.0;
    int steps = 0;
    Motion step(double) noexcept { return ++steps, Motion{}; }
    void reset() noexcept { steps = 0; }
    void predict(double, std::span<Motion> wire) noexcept { std::fill(wire.begin(), wire.end(), Motion{}); }
    [[nodiscard]] double dt() const noexcept { return rig_mpc_test::dt; }
    [[nodiscard]] double time() const noexcept { return steps * dt(); }
    [[nodiscard]] double position() const noexcept { return start + speed * time(); }
    [[nodiscard]] double position_after(double seconds) const noexcept { return position() + speed * seconds; }
    LineFacts made_of = {};
    double asked_at = 0.0;  // m, what line_facts() expects
    [[nodiscard]] LineFacts line_facts(double place) const {
        if (!made_of.empty()) CHECK(std::fabs(place - asked_at) < 1e-9);
        return made_of;
    }
};

}  // namespace

TEST_CASE("a cycle refuses a line of another speed, or from another place on, than the predictive controller's") {
    struct : Answers {
        double speed = 50.0, start = 0.1;
    } model;
    model.answer = line().answer;  // two cycles: a period of 0.2 m
    RigMpc mpc(params(), model);
    NoSensor sensor;
    NoDrive drive;
    const auto refused = [&](Passing wire, int steps = 0) {
        for (int n = 0; n < steps; ++n) wire.step(0.0);
        return test::message([&] { rig::Cycle cycle(sensor, wire, mpc, drive, interaction::DirectInteraction{}); });
    };
    CHECK(refused({.start = 0.1}).empty());
    CHECK(refused({.start = 10.3}).empty());
    CHECK(refused({.start = 0.1}, 1).empty());  // it starts anew
    CHECK(refused({.speed = 45.0}).find("runs at 45 m/s, the controller's model of the line at 50 m/s") !=
          std::string::npos);
    CHECK(refused({.start = 0.2}).find("contact is at 0.2 m, the controller's model of the line at 0.1 m") !=
          std::string::npos);
    // A loop may begin within the period: a quarter of a period of 1 s after 10 m.
    const Passing within{.speed = 60.0, .start = 25.0};
    CHECK_NOTHROW(require_passage({.speed = 60.0, .start = 10.0}, 1.0, 0.25, within, "test"));
    CHECK_THROWS_AS(require_passage({.speed = 60.0, .start = 10.0}, 1.0, 0.0, within, "test"), SetupError);
    RigMpc silent(params(), line());  // which does not say for which passage it is made
    Passing other{.speed = 45.0};
    CHECK_NOTHROW(rig::Cycle(sensor, other, silent, drive, interaction::DirectInteraction{}));
}

TEST_CASE("a speed that changes at any time before the end of the line is refused") {
    // 60 m/s, and from `brakes` on half of it.
    struct Braking {
        double brakes = 0.0, end = HUGE_VAL, now = 0.0;
        [[nodiscard]] double position() const noexcept { return position_after(0.0); }
        [[nodiscard]] double position_after(double seconds) const noexcept {
            const double t = now + seconds;
            return 60.0 * std::min(t, brakes) + 30.0 * std::max(0.0, t - brakes);
        }
        [[nodiscard]] double length() const noexcept { return end; }
    };
    const ModelledPassage model{.speed = 60.0};
    const auto refused = [&](const Braking& line) {
        return test::message([&] { require_passage(model, 1.0, 0.0, line, "test"); });
    };
    CHECK(refused({.brakes = HUGE_VAL}).empty());
    CHECK(refused({.brakes = 0.35}).find("from 0.3 to 0.4 s later") != std::string::npos);
    for (const double brakes : {0.95, 1.05, 3.0, 77.0, 3600.0})
        CHECK(refused({.brakes = brakes}).find("controller is made for one speed") != std::string::npos);
    CHECK(refused({.brakes = 35.0, .end = 1700.0}).empty());  // after its end
    CHECK(!refused({.brakes = 30.0, .end = 2100.0}).empty());
}

TEST_CASE("a cycle refuses a line that is made of something else than the predictive controller's") {
    struct : Answers {
        LineFacts line = {{"contact_wire.tension", 20e3, " N"}, {"mass", 0.0, " kg"}, {"only here", 1.0, ""}};
    } model;
    model.answer = line().answer;
    NoSensor sensor;
    NoDrive drive;
    const auto refused = [&](const LineFacts& made_of) {
        RigMpc mpc(params(), model);
        Passing wire{.speed = 50.0, .start = 3.0, .made_of = made_of, .asked_at = 3.0};
        for (int n = 0; n < 7; ++n) wire.step(0.0);  // a cycle starts anew, so it asks of the start
        return test::message([&] { rig::Cycle cycle(sensor, wire, mpc, drive, interaction::DirectInteraction{}); });
    };
    CHECK(refused({}).empty());
    CHECK(refused({{"contact_wire.tension", 20.01e3, " N"}, {"mass", 0.0, " kg"}, {"only there", 2.0, ""}}).empty());
    CHECK(refused({{"contact_wire.tension", 20.1e3, " N"}}) ==
          "rig::Cycle: the line's contact_wire.tension is 20100 N, in the controller's model of the line 20000 N, must "
          "be the same: make the controller for this line, or clear `line` of its model to study a line that differs");
    CHECK(refused({{"mass", 0.1, " kg"}}).find("mass is 0.1 kg") != std::string::npos);
    // What is held fast in the one and on a spring in the other; what is held in both.
    const double fixed = std::numeric_limits<double>::infinity();
    CHECK(refused({{"contact_wire.tension", fixed, " N"}}).find("is inf N") != std::string::npos);
    model.line = {{"contact_wire.tension", fixed, " N"}};
    CHECK(refused({{"contact_wire.tension", fixed, " N"}}).empty());
    CHECK(!refused({{"contact_wire.tension", 20e3, " N"}}).empty());
    CHECK(!refused({{"contact_wire.tension", std::nan(""), " N"}}).empty());
}

}  // namespace rig_mpc_test
