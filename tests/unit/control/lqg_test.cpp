// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/lqg.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace panto;
using namespace panto::control;

namespace lqg_test {
namespace {

constexpr double dt = 2e-3;
const plant::ChainParams<> dsa{Eigen::Vector3d(6.6, 5.8, 5.8), Eigen::Vector3d(0.0, 0.0, 70.0),
                               Eigen::Vector3d(7000.0, 14100.0, 80.0)};

/// The DSA 380 on a pad, two periods of delay in all. The filter's cut-off in Hz, 0 for none.
plant::RigParams rig_of(double filter = 0.0, double pad = 240e3) {
    return {.pad_stiffness = pad, .pantograph = dsa, .force_filter = {.cut_off = filter}};
}

/// The same with the head of the observer alone.
plant::RigParams head_alone(double filter = 0.0) {
    plant::RigParams p = rig_of(filter);
    p.pantograph = {Eigen::VectorXd::Constant(1, 6.6), Eigen::VectorXd::Constant(1, 10.0), Eigen::VectorXd::Zero(1)};
    return p;
}

/// Interaction mass, drive and pad plant with a controller, the wire prescribed. Cycle t sees u_m and F of t and the
/// reference of t + 1; what it commands acts when the rig's delays have passed.
class Loop {
  public:
    Loop(Lqg controller, const plant::RigParams& rig, bool damper_on_wire = false)
        : controller_(std::move(controller)),
          damper_on_wire_(damper_on_wire),
          plant_(plant::sampled_model(rig, dt)),
          mass_(controller_.params().interaction_mass, dt),
          x_(Eigen::VectorXd::Zero(plant_.size())),
          commands_(Eigen::VectorXd::Zero(plant_.command.cols())) {
        controller_.reset({});
    }

    /// @param wire height at the end of the step, and `ahead` of it.
    double step(double wire, double head_force, double ahead = 0.0, int count = 0, double wire_speed = 0.0) {
        Exchange e;
        e.strip.height = x_[0];
        e.strip_force = plant_.force.dot(x_);
        Eigen::Vector3d next;
        const double damper_end = damper_on_wire_ ? wire_speed : 0.0;
        mass_.step(x_i_, mass_.params().stiffness * wire + mass_.params().damping * damper_end + e.strip_force, next);
        e.reference = {next[0], next[1], next[2]};
        e.wire.height = wire;
        e.preview.count = count;
        if (count > 0) e.preview.motion[static_cast<std::size_t>(count - 1)].height = ahead;
        error_ = x_i_[0] - x_[0];
        const auto command = controller_.update(e);
        status_ = command.status;
        for (Eigen::Index j = commands_.size(); j-- > 1;) commands_[j] = commands_[j - 1];
        commands_[0] = command.value.value;
        x_ = (plant_.A * x_ + plant_.command * commands_ + plant_.head_force * head_force).eval();
        x_i_ = next;
        return command.value.value;
    }

    [[nodiscard]] double error() const { return error_; }  // m, u_i - u_m at the start of the last cycle
    [[nodiscard]] double motor() const { return x_[0]; }   // m
    [[nodiscard]] const Eigen::VectorXd& x() const { return x_; }
    [[nodiscard]] Status status() const { return status_; }

  private:
    Lqg controller_;
    bool damper_on_wire_;
    plant::SampledModel plant_;
    dynamics::NewmarkOscillator<double> mass_;
    Eigen::VectorXd x_, commands_;  // the newest command first
    Eigen::Vector3d x_i_ = Eigen::Vector3d::Zero();
    double error_ = 0.0;
    Status status_ = Status::ok;
};

Exchange resting(double wire, double force, const LqgParams& p) {
    Exchange e;
    e.wire.height = wire;
    e.strip_force = force;
    e.reference.height = e.strip.height = wire + force / p.interaction_mass.stiffness;
    return e;
}

}  // namespace

TEST_CASE("a constant wire height is followed without error, whatever the pantograph") {
    for (const double filter : {0.0, 100.0}) {
        Loop loop(Lqg({.rig = rig_of(filter)}, dt), rig_of(filter));
        for (int n = 0; n < 6000; ++n) loop.step(0.005, 0.0);
        // The spring of 80 N/m under the frame and the observer's head differ: d takes it up and k_f removes the error.
        // What is left is the slowest mode, 0.995^6000.
        CHECK(std::abs(loop.error()) < 1e-9);
        CHECK(loop.motor() == approx(0.005 - 80.0 * 0.005 / 50e3).epsilon(0.01));
    }
}

TEST_CASE("a constant force on the head leaves no error between interaction mass and motor") {
    for (const double filter : {0.0, 100.0}) {
        Loop loop(Lqg({.rig = head_alone(filter)}, dt), head_alone(filter));
        for (int n = 0; n < 4000; ++n) loop.step(0.0, 150.0);
        CHECK(std::abs(loop.error()) < 1e-10);
        CHECK(loop.motor() == approx(150.0 / 50e3).epsilon(1e-6));
    }
}

TEST_CASE("a wire that climbs steadily is followed without error when it can be looked up ahead") {
    const double climb = 0.05;  // m/s
    for (const int count : {0, 1, 3, 8}) {
        Loop loop(Lqg({.rig = head_alone()}, dt), head_alone());
        for (int n = 1; n <= 4000; ++n) loop.step(climb * n * dt, 0.0, climb * (n + count) * dt, count);
        if (count == 0)
            CHECK(loop.error() > 0.1e-3);  // a delay of 7 ms at 0.05 m/s is 0.35 mm
        else
            CHECK(std::abs(loop.error()) < 1e-8);
    }
}

TEST_CASE("an interaction mass with its damper on the wire is followed without error as well") {
    const double climb = 0.05;
    for (const bool known : {true, false}) {
        Loop loop(Lqg({.rig = head_alone(),
                       .interaction_mass = {.damper = known ? plant::MassDamper::wire : plant::MassDamper::ground}},
                      dt),
                  head_alone(), true);
        for (int n = 1; n <= 4000; ++n) loop.step(climb * n * dt, 0.0, climb * (n + 3) * dt, 3, climb);
        if (known)
            CHECK(std::abs(loop.error()) < 1e-8);
        else
            CHECK(std::abs(loop.error()) > 1e-6);  // prepares for a mass that lags by c z'/k = 0.05 mm
    }
}

TEST_CASE("everything at rest, the first and all further commands are the measured position") {
    for (const double filter : {0.0, 100.0}) {
        const LqgParams p{.rig = rig_of(filter)};
        for (const double force : {0.0, 150.0}) {
            Lqg controller(p, dt);
            const Exchange e = resting(0.25, force, p);
            controller.reset(e.strip);
            for (int n = 0; n < 20; ++n) {
                const auto command = controller.update(e);
                CHECK(command.status == Status::ok);
                CHECK(std::abs(command.value.value - e.strip.height) < 1e-12);
            }
        }
    }
}

TEST_CASE("a uniform shift of all heights shifts the commands and nothing else") {
    Lqg low({.rig = rig_of()}, dt), high({.rig = rig_of()}, dt);
    const double shift = 0.5;
    low.reset({});
    high.reset({shift, 0.0, 0.0});
    for (int n = 0; n < 100; ++n) {
        Exchange e;
        e.strip = {1e-3 * std::sin(0.1 * n), 0.0, 0.0};
        e.strip_force = 100.0 + 20.0 * std::sin(0.07 * n);
        e.reference = {1e-3 * std::sin(0.11 * n), 0.02, 0.3};
        e.wire.height = 1e-3 * std::cos(0.05 * n);
        e.preview.count = 3;
        e.preview.motion[2].height = 1e-3 * std::cos(0.05 * (n + 3));
        const double expected = low.update(e).value.value + shift;
        e.strip.height += shift;
        e.reference.height += shift;
        e.wire.height += shift;
        e.preview.motion[2].height += shift;
        CHECK(high.update(e).value.value == approx(expected).epsilon(1e-10));
    }
}

TEST_CASE("the class does in a loop what its linear model says") {
    for (const double filter : {0.0, 100.0}) {
        Lqg controller({.rig = rig_of(filter)}, dt);
        const LinearController model = controller.linear_model();
        const Eigen::Index n_x = model.A.rows();
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n_x);
        controller.reset({});
        Exchange e;
        REQUIRE(controller.update(e).value.value == 0.0);  // at rest at 0: the model's state is zero
        for (int n = 0; n < 200; ++n) {
            e.strip.height = 1e-3 * std::sin(0.3 * n);
            e.strip_force = 40.0 * std::sin(0.21 * n);
            e.reference = {1e-3 * std::cos(0.2 * n), -0.1 * std::sin(0.2 * n), 10.0 * std::cos(0.2 * n)};
            Eigen::VectorXd y(5);
            y << e.strip.height, e.strip_force, e.reference.height, e.reference.speed, e.reference.acceleration;
            const double expected = model.C.dot(x) + model.D.dot(y);
            x = (model.A * x + model.B * y).eval();
            CHECK(controller.update(e).value.value == approx(expected).epsilon(1e-9).scale(1e-3));
        }
    }
}

TEST_CASE("a design for the stiffest pad is stable on softer ones, with and without the force filter in both") {
    for (const double pad : {50e3, 100e3, 240e3, 300e3})
        for (const double filter : {0.0, 100.0}) {
            const Lqg controller({.rig = rig_of(filter)}, dt);
            const auto plant = plant::sampled_model(rig_of(filter, pad), dt);
            CHECK(closed_loop_radius(plant, controller, table2_interaction_mass) < 1.0);
        }
}

TEST_CASE("the design for 240 kN/m settles on every pad up to 300 kN/m, a design for 300 kN/m not on soft ones") {
    const auto radius = [](const Lqg& controller, double pad) {
        return closed_loop_radius(plant::sampled_model(rig_of(0.0, pad), dt), controller, table2_interaction_mass);
    };
    const Lqg usual({.rig = rig_of(0.0, 240e3)}, dt), stiff({.rig = rig_of(0.0, 300e3)}, dt);
    double worst = 0.0;
    for (double pad = 1e3; pad < 301e3; pad *= 1.05) worst = std::max(worst, radius(usual, pad));
    CHECK(worst == approx(0.9993).epsilon(1e-4));  // as docs/control.md says
    CHECK(radius(stiff, 1e3) == approx(1.0319).epsilon(1e-4));
    CHECK(radius(stiff, 46e3) > 1.0);
    CHECK(radius(stiff, 49e3) < 1.0);
}

TEST_CASE("a rig asks at set-up whether the loop would settle") {
    // [settles]
    const plant::RigParams rig{.pad_stiffness = 240e3,
                               .pantograph = {.mass = Eigen::Vector3d(6.6, 5.8, 5.8),  // kg, head first
                                              .damping = Eigen::Vector3d(0.0, 0.0, 70.0),
                                              .stiffness = Eigen::Vector3d(7000.0, 14100.0, 80.0)},
                               .force_filter = {.cut_off = 100.0},
                               .command_delay = 1.0,   // periods
                               .reading_delay = 1.0};  // periods
    const Lqg controller({.rig = rig}, dt);
    const double radius = closed_loop_radius(plant::sampled_model(rig, dt), controller);
    require(radius < 1.0, "my rig", "this controller does not settle on this pad: spectral radius ", radius);
    // [settles]
    CHECK(radius < 0.996);
    CHECK(radius == closed_loop_radius(plant::sampled_model(rig, dt), controller, table2_interaction_mass));
    auto heavier = table2_interaction_mass;
    heavier.mass = 0.5;
    CHECK_THROWS_WITH_AS((void)closed_loop_radius(plant::sampled_model(rig, dt), controller, heavier),
                         "control::cut_loop: the controller is designed for an interaction mass whose mass is 0.05 kg, "
                         "that of the loop is 0.5 kg; give controller.interaction_mass()",
                         SetupError);
}

TEST_CASE("controller and plant of different time steps are not judged together") {
    const Lqg controller({.rig = rig_of()}, dt);
    CHECK_THROWS_WITH_AS(
        (void)closed_loop_radius(plant::sampled_model(rig_of(), 1e-3), controller, table2_interaction_mass),
        "control::cut_loop: the controller is made for a time step of 0.002 s, expected "
        "that of the loop, 0.001 s",
        SetupError);
}

TEST_CASE("regulator and observer are stable by themselves") {
    for (const double pad : {1e3, 50e3, 240e3, 500e3}) {
        const Lqg controller({.rig = rig_of(0.0, pad)}, dt);
        CHECK(controller.regulator_radius() < 1.0);
        CHECK(controller.observer_radius() < 1.0);
    }
}

TEST_CASE("a correction beyond the bound is cut and reported") {
    Lqg controller({.rig = rig_of(), .largest_correction = 1e-3}, dt);
    controller.reset({});
    Exchange e;
    e.reference.height = 0.1;
    (void)controller.update(e);  // the interaction mass is far from the wire, as the next cycle will find
    const auto command = controller.update(e);
    CHECK(command.status == Status::saturated);
    CHECK(std::abs(command.value.value - e.reference.height) == approx(1e-3).epsilon(1e-12));
}

TEST_CASE("an input that is not a number repeats the last command and changes nothing") {
    const double bad_values[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    Lqg controller({.rig = rig_of()}, dt);
    Exchange good = resting(0.1, 120.0, {});
    good.preview.count = 3;
    for (auto& m : good.preview.motion) m.height = 0.1;
    controller.reset(good.strip);
    good.wire.height = 0.101;
    const double last = controller.update(good).value.value;
    Lqg untouched = controller;
    for (const double bad : bad_values)
        for (int field = 0; field < 7; ++field) {
            Exchange e = good;
            double* const fields[] = {
                &e.strip.height,           &e.strip_force, &e.reference.height,        &e.reference.speed,
                &e.reference.acceleration, &e.wire.height, &e.preview.motion[2].height};
            *fields[field] = bad;
            const auto command = controller.update(e);
            CHECK(command.status == Status::sensor_implausible);
            CHECK(command.value.value == last);
        }
    CHECK(controller.update(good).value.value == untouched.update(good).value.value);
}

TEST_CASE("numbers too large for the observer are reported, not sent") {
    Lqg controller({.rig = rig_of()}, dt);
    controller.reset({});
    Status status = Status::ok;
    for (int n = 0; n < 5 && usable(status); ++n) {
        Exchange e;
        e.strip_force = n % 2 == 0 ? 1.7e308 : -1.7e308;
        const auto command = controller.update(e);
        CHECK(panto::is_finite(command.value.value));
        status = command.status;
    }
    CHECK(status == Status::not_finite);
}

// @rt-tested: Lqg::update Lqg::reset
TEST_CASE("updating does not allocate") {
    for (const double filter : {0.0, 100.0}) {
        Lqg controller({.rig = rig_of(filter)}, dt);
        Exchange e = resting(0.1, 120.0, controller.params());
        e.preview.count = 3;
        CHECK(test::allocations_in([&] {
                  controller.reset(e.strip);
                  for (int n = 0; n < 100; ++n) (void)controller.update(e);
              }) == 0);
    }
}

TEST_CASE("parameters without a meaning are refused with field and value") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [](auto change, double step = dt) {
        LqgParams p{.rig = rig_of()};
        change(p);
        CHECK_THROWS_AS(Lqg(p, step), SetupError);
    };
    for (const double bad : {0.0, -1.0, nan}) {
        refused([&](auto& p) { p.interaction_mass.mass = bad; });
        refused([&](auto& p) { p.interaction_mass.stiffness = bad; });
        refused([&](auto& p) { p.rig.motor.mass = bad; });
        refused([&](auto& p) { p.rig.motor.stiffness = bad; });
        refused([&](auto& p) { p.rig.pad_stiffness = bad; });
        refused([&](auto& p) { p.head_mass = bad; });
        refused([&](auto& p) { p.error_weight = bad; });
        refused([&](auto& p) { p.effort_weight = bad; });
        refused([&](auto& p) { p.head_force_noise = bad; });
        refused([&](auto& p) { p.height_noise = bad; });
        refused([&](auto& p) { p.force_noise = bad; });
        refused([&](auto& p) { p.largest_correction = bad; });
        refused([](auto&) {}, bad);
    }
    refused([](auto& p) { p.head_damping = -1.0; });
    refused([&](auto& p) { p.rig.force_filter.cut_off = nan; });
    refused([](auto& p) { p.rig.command_delay = 8.5; });
    refused([](auto& p) { p.state_weight = -1.0; });
    refused([](auto& p) { p.preview_steps = -1; });
    CHECK_THROWS_WITH_AS(Lqg({.rig = rig_of(), .preview_steps = 9}, dt),
                         "control::Lqg: preview_steps is 9, must be from 0 to 8", SetupError);
    CHECK_THROWS_WITH_AS(Lqg({}, dt), "control::Lqg: mass is empty, at least one mass is needed", SetupError);
}

TEST_CASE(
    "told the delay of the rig, whole or broken, the controller follows a climbing wire; untold it does not settle") {
    for (const double delay : {0.0, 0.5, 1.0, 1.6, 2.0, 2.5, 3.0, 4.0})
        for (const int order : {1, 3}) {
            plant::RigParams rig = head_alone(150.0);
            rig.pad_stiffness = 60e3;
            rig.force_filter.order = order;
            rig.command_delay = delay, rig.reading_delay = 0.0;
            const Lqg controller({.rig = rig}, dt);
            CAPTURE(delay);
            CAPTURE(order);
            CHECK(closed_loop_radius(plant::sampled_model(rig, dt), controller, table2_interaction_mass) < 0.9995);
            Loop loop(controller, rig);
            const double climb = 0.05;  // m/s
            for (int n = 1; n <= 6000; ++n) loop.step(climb * n * dt, 0.0, climb * (n + 3) * dt, 3);
            CHECK(std::abs(loop.error()) < 1e-7);
        }
    const Lqg two_periods({.rig = rig_of()}, dt);
    for (const double delay : {0.0, 2.0}) {  // one period less and one more in all
        plant::RigParams other = rig_of();
        other.command_delay = delay;
        CHECK(closed_loop_radius(plant::sampled_model(other, dt), two_periods, table2_interaction_mass) > 1.0);
        CHECK(closed_loop_radius(plant::sampled_model(other, dt), Lqg({.rig = other}, dt), table2_interaction_mass) <
              1.0);
    }
}

}  // namespace lqg_test
