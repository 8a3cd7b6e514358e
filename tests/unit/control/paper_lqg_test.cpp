// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/paper_lqg.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace panto;
using namespace panto::control;

namespace paper_lqg_test {
namespace {

constexpr double dt = 2e-3;
using State10 = Vector<double, 10>;

/// The paper's equations (18), (20), (21), (24) and (15), evaluated one after the other.
State10 sequential(const PaperLqgParams& p, const State10& x, double wire, double correction, double disturbance) {
    const dynamics::NewmarkOscillator<double> i(p.interaction_mass, dt), m(p.rig.motor, dt), h(p.pantograph, dt);
    const double contact = p.rig.pad_stiffness * (x[6] - x[3]);
    Eigen::Vector3d x_i, x_m, x_p;
    i.step(x.segment<3>(0), p.interaction_mass.stiffness * wire + contact, x_i);
    m.step(x.segment<3>(3), p.rig.motor.stiffness * (x[0] + x[9]), x_m);
    h.step(x.segment<3>(6), p.pantograph.stiffness * (x_m[0] + disturbance / p.rig.pad_stiffness), x_p);
    State10 next;
    next << x_i, x_m, x_p, correction;
    return next;
}

/// Controller and the model it was designed for, in a loop. Returns the motor's height after `steps`.
double motor_after(int steps, double wire) {
    const PaperLqgParams p;
    PaperLqg controller(p, dt);
    controller.reset({});
    State10 x = State10::Zero();
    for (int n = 0; n < steps; ++n) {
        Exchange e;
        e.strip.height = x[3];
        e.wire.height = wire;
        const State10 free = sequential(p, x, wire, 0.0, 0.0);
        e.reference.height = free[0];
        const auto command = controller.update(e);
        REQUIRE(command.status == Status::ok);
        x = free;
        x[9] = command.value.value - free[0];  // r = u_i + u
    }
    return x[3];
}

}  // namespace

TEST_CASE("the block matrices are the equations evaluated one after the other") {
    for (const double pad : {240e3, 60e3}) {
        PaperLqgParams p;
        p.rig.pad_stiffness = pad;
        const PaperLqgPlant plant = paper_lqg_plant(p, dt);
        for (int column = 0; column < 13; ++column) {
            const State10 x = column < 10 ? State10(State10::Unit(column)) : State10(State10::Zero());
            const double wire = column == 10, correction = column == 11, force = column == 12;
            const State10 by_blocks = plant.A * x + plant.B_z * wire + plant.B_u * correction + plant.B_f * force;
            const State10 expected = sequential(p, x, wire, correction, force);
            // The sheet found 6e-16 and asks for 1e-14.
            CHECK((by_blocks - expected).norm() <= 1e-14 * (1.0 + expected.norm()));
        }
    }
}

TEST_CASE("a uniform shift of all heights is a motion of the plant, but not one the gain ignores") {
    const PaperLqg controller({}, dt);
    State10 shift = State10::Zero();
    shift[0] = shift[3] = shift[6] = 1.0;
    const PaperLqgPlant& plant = controller.plant();
    const State10 moved = plant.A * shift + plant.B_z - shift;
    // Speeds and accelerations of a resting mass come out of a difference of terms of 1/dt and 1/dt^2.
    CHECK(moved.cwiseAbs().maxCoeff() < 1e-15 * 4.0 / (dt * dt));
    CHECK(controller.K().dot(shift) > 0.6);  // erratum T9: it should be 0
}

TEST_CASE("as printed, the motor ends at 41 % of a constant wire height") {
    CHECK(motor_after(2000, 0.01) == approx(0.41174 * 0.01).epsilon(1e-4));
}

TEST_CASE("the class does in a loop what its linear model says") {
    const PaperLqg designed({}, dt);
    PaperLqg controller = designed;
    controller.reset({});
    const LinearController model = designed.linear_model();
    Eigen::VectorXd x = Eigen::VectorXd::Zero(11);
    for (int n = 0; n < 50; ++n) {
        Exchange e;
        e.strip.height = 1e-3 * std::sin(0.3 * n);
        e.reference.height = 1e-3 * std::cos(0.2 * n);
        Eigen::VectorXd y = Eigen::VectorXd::Zero(5);
        y[0] = e.strip.height;
        y[2] = e.reference.height;
        const double expected = model.C.dot(x) + model.D.dot(y);
        x = (model.A * x + model.B * y).eval();
        CHECK(controller.update(e).value.value == approx(expected).epsilon(1e-9).scale(1e-3));
    }
}

TEST_CASE("at rest the first command is where the strip was found") {
    PaperLqg controller({}, dt);
    controller.reset({0.123, 0.0, 0.0});
    Exchange e;
    e.strip.height = e.reference.height = e.wire.height = 0.123;
    for (int n = 0; n < 5; ++n) CHECK(controller.update(e).value.value == approx(0.123).epsilon(1e-15));
}

TEST_CASE("reset forgets what was before") {
    PaperLqg used({}, dt), fresh({}, dt);
    Exchange e;
    e.strip.height = 0.01;
    e.reference.height = 0.02;
    e.wire.height = -0.01;
    for (int n = 0; n < 5; ++n) (void)used.update(e);
    used.reset({0.01, 0.0, 0.0});
    fresh.reset({0.01, 0.0, 0.0});
    for (int n = 0; n < 5; ++n) CHECK(used.update(e).value.value == fresh.update(e).value.value);
}

TEST_CASE("an input that is not a number repeats the last command and changes nothing") {
    const double bad_values[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    PaperLqg controller({}, dt);
    controller.reset({0.1, 0.0, 0.0});
    Exchange good;
    good.strip.height = 0.1;
    good.reference.height = 0.11;
    good.wire.height = 0.1;
    const double last = controller.update(good).value.value;
    PaperLqg untouched = controller;
    for (const double bad : bad_values)
        for (int field = 0; field < 3; ++field) {
            Exchange e = good;
            (field == 0 ? e.strip.height : field == 1 ? e.reference.height : e.wire.height) = bad;
            const auto command = controller.update(e);
            CHECK(command.status == Status::sensor_implausible);
            CHECK(command.value.value == last);
        }
    CHECK(controller.update(good).value.value == untouched.update(good).value.value);
}

TEST_CASE("numbers too large for the observer are reported, not sent") {
    PaperLqg controller({}, dt);
    controller.reset({});
    Exchange e;
    e.strip.height = 1e308;
    e.wire.height = -1e308;
    e.reference.height = 1e308;
    Status status = Status::ok;
    for (int n = 0; n < 5 && status == Status::ok; ++n) {
        const auto command = controller.update(e);
        CHECK(panto::is_finite(command.value.value));
        status = command.status;
    }
    CHECK(status == Status::not_finite);
}

// @rt-tested: PaperLqg::update PaperLqg::reset
TEST_CASE("updating does not allocate") {
    PaperLqg controller({}, dt);
    Exchange e;
    e.strip.height = 0.01;
    CHECK(test::allocations_in([&] {
              controller.reset({});
              for (int n = 0; n < 100; ++n) (void)controller.update(e);
          }) == 0);
}

TEST_CASE("parameters without a meaning are refused with field and value") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [](const PaperLqgParams& p, double step = dt) {
        CHECK_THROWS_AS(PaperLqg(p, step), SetupError);
    };
    for (const double bad : {0.0, -1.0, nan}) {
        refused({.interaction_mass = {bad, 50.0, 50e3}});
        refused({.interaction_mass = {0.05, 50.0, bad}});
        refused({.rig = {.motor = {bad, 1800.0, 450e3}}});
        refused({.pantograph = {5.3, 10.0, bad}});
        refused({.rig = {.pad_stiffness = bad}});
        refused({.effort_weight = bad});
        refused({.process_noise = bad});
        refused({.measurement_noise = bad});
        refused({}, bad);
    }
    refused({.error_weight = nan});
    CHECK_THROWS_WITH_AS(PaperLqg({.interaction_mass = {.damper = plant::MassDamper::wire}}, dt),
                         "control::PaperLqg: interaction_mass.damper is MassDamper::wire, must be MassDamper::ground: "
                         "the paper has no other model; use Lqg",
                         SetupError);
    CHECK_THROWS_WITH_AS(PaperLqg({.rig = {.motor = {10.0, -5.0, 450e3}}}, dt),
                         "control::PaperLqg: motor.damping must be finite and >= 0, got -5", SetupError);
}

}  // namespace paper_lqg_test
