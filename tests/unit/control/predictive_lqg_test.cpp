// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/predictive_lqg.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

using namespace panto;
using control::PredictiveLqg;
using control::PredictiveLqgParams;
using control::WireResponse;

namespace predictive_lqg_test {
namespace {

constexpr double dt = 2e-3, pressed_with = 120.0;  // s, N

/// The head of the observer alone, so that model and plant agree.
PredictiveLqgParams head_alone() {
    PredictiveLqgParams p;
    p.rig.pantograph = {Eigen::VectorXd::Constant(1, 6.6), Eigen::VectorXd::Constant(1, 10.0),
                        Eigen::VectorXd::Zero(1)};
    p.rig.pad_stiffness = 60e3;
    p.observer.head_mass = 6.6, p.observer.head_damping = 10.0;
    p.wire = {0.0, 0.0, 0.0};  // prescribed
    return p;
}

/// Rig and wire as the design model has them: the plant sampled exactly, the wire along a given motion plus its
/// response.
class Loop {
  public:
    explicit Loop(const PredictiveLqgParams& p) : Loop(p, p.rig) {}
    /// @param there  the rig, which may differ from what the controller knows
    Loop(const PredictiveLqgParams& p, const plant::RigParams& there)
        : p_(p),
          controller_(p, dt),
          plant_(plant::sampled_model(there, dt)),
          x_(Eigen::VectorXd::Zero(plant_.size())),
          commands_(Eigen::VectorXd::Zero(plant_.command.cols())) {
        controller_.reset({});
        const double penetration = pressed_with / p.rig.pad_stiffness;  // at rest
        x_ = penetration * plant::filter_at_rest(p.rig.force_filter, 4, x_.size());
        x_[plant::head_height] = penetration;
    }

    /// One cycle under the motion `z(t)` of the wire under a constant force, and a force on the head.
    template <class Z>
    Result<PositionCommand> step(const Z& z, double head_force) {
        Exchange e;
        e.strip.height = x_[plant::motor_height];
        e.strip_force = plant_.force.dot(x_);
        e.wire_force = controller_.contact_force(e);
        e.wire = z(n_);
        e.preview.count = controller_.preview_steps();
        for (int j = 0; j < e.preview.count; ++j) e.preview.motion[static_cast<std::size_t>(j)] = z(n_ + 1 + j);
        controller_.foresee(foreseen_);
        estimate_ = e.wire_force;
        const auto command = controller_.update(e);
        error_ = x_[plant::motor_height] - e.wire.height;
        for (Eigen::Index j = commands_.size(); j-- > 1;) commands_[j] = commands_[j - 1];
        commands_[0] = command.value.value;
        note_motor();
        x_ = (plant_.A * x_ + plant_.command * commands_ + plant_.head_force * head_force).eval();
        note_motor();
        ++n_;
        return command;
    }

    [[nodiscard]] double error() const { return error_; }  // m, u_m - z
    [[nodiscard]] double drive_lead() const { return controller_.drive_lead(); }
    [[nodiscard]] double pressed() const {  // N, of the plant at the next reading
        return p_.rig.pad_stiffness * (x_[plant::head_height] - x_[plant::motor_height]);
    }
    [[nodiscard]] double foreseen(std::size_t steps) const { return estimate_ + foreseen_[steps - 1]; }  // N
    plant::DriveLimits reached{0.0, 0.0, 0.0};  // by the motor, at the beginning or the end of a period

  private:
    void note_motor() {
        const auto& m = p_.rig.motor;
        const double acting = commands_[commands_.size() - 1];
        const double a = (m.stiffness * (acting - x_[0]) - m.damping * x_[1]) / m.mass;
        reached.speed = std::max(reached.speed, std::fabs(x_[1]));
        reached.acceleration = std::max(reached.acceleration, std::fabs(a));
        reached.force = std::max(reached.force, std::fabs(m.mass * a - pressed()));
    }
    PredictiveLqgParams p_;
    PredictiveLqg controller_;
    plant::SampledModel plant_;
    Eigen::VectorXd x_, commands_;
    std::array<double, 4> foreseen_{};
    double error_ = 0.0, estimate_ = 0.0;
    int n_ = 0;
};

/// A catenary that is nothing but a WireResponse.
struct Responding {
    WireResponse r;
    double v = 0.0, z = 0.0;
    void predict(double force, std::span<Motion> ahead) const {
        double speed = v, height = z;
        for (Motion& m : ahead) {
            const double next = r.a * speed + r.b * force;
            height += 0.5 * dt() * (speed + next) + r.g * force;
            speed = next;
            m = {height, speed, 0.0};
        }
    }
    [[nodiscard]] double dt() const { return predictive_lqg_test::dt; }
};

Exchange resting(double height, double force, const PredictiveLqg& controller) {
    Exchange e;
    e.strip.height = height;
    e.strip_force = force;
    e.wire_force = force;
    e.wire.height = height;
    e.preview.count = controller.preview_steps();
    for (Motion& m : e.preview.motion) m.height = height;
    return e;
}

}  // namespace

TEST_CASE("a wire that climbs steadily is followed without error, whatever the delays") {
    struct Delays {
        double command, reading;
    };
    for (const Delays d : {Delays{0.0, 0.0}, Delays{1.0, 0.0}, Delays{1.0, 1.0}, Delays{2.0, 1.0}, Delays{0.5, 0.0},
                           Delays{1.0, 0.6}, Delays{1.3, 1.2}})
        for (const int order : {1, 3}) {
            auto p = head_alone();
            p.rig.command_delay = d.command, p.rig.reading_delay = d.reading;
            p.rig.force_filter.order = order;
            Loop loop(p);
            const double climb = 0.05;  // m/s
            for (int n = 0; n < 4000; ++n)
                CHECK(usable(loop.step(
                                     [&](int k) {  // sets in within 0.2 s
                                         const double t = k * dt, e = std::exp(-t / 0.2);
                                         return Motion{climb * (t - 0.2 * (1.0 - e)), climb * (1.0 - e), 0.0};
                                     },
                                     pressed_with)
                                 .status));
            CAPTURE(d.command);
            CAPTURE(d.reading);
            CAPTURE(order);
            CHECK(std::abs(loop.error()) < 1e-8);
        }
}

TEST_CASE("the forces that are foreseen come, until the next command acts") {
    for (const int order : {1, 3}) {
        auto p = head_alone();
        p.rig.force_filter.order = order;
        Loop loop(p);
        double before = 0.0;  // what was foreseen for two readings on
        double worst = 0.0, range = 0.0;
        for (int n = 0; n < 1000; ++n) {
            (void)loop.step(
                [&](int k) {
                    const double t = k * dt, a = 1e-3, w = 60.0;
                    return Motion{a * (1.0 - std::cos(w * t)), a * w * std::sin(w * t), 0.0};
                },
                pressed_with);
            if (n > 900) {
                worst =
                    std::max({worst, std::abs(loop.foreseen(1) - loop.pressed()), std::abs(before - loop.pressed())});
                range = std::max(range, std::abs(loop.pressed() - pressed_with));
                CHECK(loop.foreseen(3) == loop.foreseen(2));  // held from there on
            }
            before = loop.foreseen(2);
        }
        CAPTURE(order);
        CHECK(range > 5.0);  // N
        CHECK(worst < 1e-6 * range);
    }
}

TEST_CASE("a wire that swings at 1 Hz is followed to a hundredth of what a delay of 4 ms would cost") {
    Loop loop(head_alone());
    const double w = 2.0 * 3.14159265358979, amplitude = 0.03;
    double largest = 0.0;
    for (int n = 0; n < 3000; ++n) {
        (void)loop.step(
            [&](int k) {
                const double t = k * dt;
                return Motion{0.5 * amplitude * (1.0 - std::cos(w * t)), 0.5 * amplitude * w * std::sin(w * t), 0.0};
            },
            pressed_with);
        if (n > 2000) largest = std::max(largest, std::abs(loop.error()));
    }
    CHECK(largest < 0.01 * 0.5 * amplitude * w * 4e-3);
}

TEST_CASE("a drive that is ahead of its description or behind is learnt, and then errs less") {
    struct Learnt {
        double lead = 0.0, error = 0.0;
    };
    const auto run = [](const auto& change, bool learn) {
        PredictiveLqgParams p = head_alone();
        if (!learn) p.drive_lead.longest = 0.0;
        plant::RigParams there = p.rig;
        change(there);
        Loop loop(p, there);
        Learnt result;
        for (int n = 0; n < 3000; ++n) {
            (void)loop.step(
                [&](int k) {  // 30 mm/s at 1 Hz and as much at 8 Hz
                    Motion m{0.0, 0.0, 0.0};
                    for (const double w : {6.283, 50.27})
                        m.height += 0.03 / w * (1.0 - std::cos(w * k * dt)), m.speed += 0.03 * std::sin(w * k * dt);
                    return m;
                },
                pressed_with);
            if (n > 2000) result.error = std::max(result.error, std::abs(loop.error()));
        }
        result.lead = loop.drive_lead();
        return result;
    };
    const auto less = [](plant::RigParams& r) { r.command_delay -= 0.25; };
    const auto more = [](plant::RigParams& r) { r.command_delay += 0.25; };
    const auto faster = [](plant::RigParams& r) { r.motor.stiffness *= 1.15 * 1.15, r.motor.damping *= 1.15; };
    const auto slower = [](plant::RigParams& r) { r.motor.stiffness *= 0.85 * 0.85, r.motor.damping *= 0.85; };
    CHECK(run(less, true).lead == approx(5e-4).epsilon(0.1));
    CHECK(run(more, true).lead == approx(-5e-4).epsilon(0.1));
    CHECK(run(less, false).lead == 0.0);
    CHECK(run(less, true).error < 0.4 * run(less, false).error);
    CHECK(run(more, true).error < 0.75 * run(more, false).error);
    CHECK(run(faster, true).error < 0.5 * run(faster, false).error);
    CHECK(run(slower, true).error < 0.75 * run(slower, false).error);
}

TEST_CASE("at rest the commands are the measured position, at any datum") {
    for (const double height : {0.0, 0.25, -3.0}) {
        PredictiveLqg controller(head_alone(), dt);
        const Exchange e = resting(height, 130.0, controller);
        controller.reset(e.strip);
        for (int n = 0; n < 50; ++n) {
            CHECK(controller.contact_force(e) == approx(130.0).epsilon(1e-9));
            const auto command = controller.update(e);
            CHECK(command.status == Status::ok);
            CHECK(std::abs(command.value.value - height) < 1e-12);
        }
    }
}

TEST_CASE("an input that is not a number repeats the last command and changes nothing") {
    const double bad_values[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    PredictiveLqg controller(head_alone(), dt);
    const Exchange good = resting(0.1, 120.0, controller);
    controller.reset(good.strip);
    (void)controller.contact_force(good);
    const double last = controller.update(good).value.value;
    for (const double bad : bad_values) {
        for (int field = 0; field < 5; ++field) {
            Exchange e = good;
            double* const fields[] = {&e.wire.height, &e.wire.speed, &e.wire_force, &e.preview.motion[3].height,
                                      &e.preview.force_change[1]};
            *fields[field] = bad;
            const auto command = controller.update(e);
            CHECK(command.status == Status::sensor_implausible);
            CHECK(command.value.value == last);
        }
        Exchange e = good;
        e.strip_force = bad;
        CHECK(is_finite(controller.contact_force(e)));
        CHECK(controller.update(e).status == Status::sensor_implausible);
        e = good;
        e.strip.height = bad;
        CHECK(is_finite(controller.contact_force(e)));
        CHECK(controller.update(e).status == Status::sensor_implausible);
    }
    Exchange blind = good;
    blind.preview.count = 2;
    CHECK(controller.update(blind).status == Status::sensor_implausible);
}

TEST_CASE("the wire's response is found again from two of its predictions") {
    for (const WireResponse r : {WireResponse{}, WireResponse{0.3, 2e-3, 1e-7}, WireResponse{0.9, 1e-4, 0.0}}) {
        const Responding wire{.r = r, .v = 0.02, .z = 0.5};
        const WireResponse found = control::wire_response(wire, 150.0);
        CHECK(found.dt == dt);
        CHECK(found.a == approx(r.a).epsilon(1e-7));
        CHECK(found.b == approx(r.b).epsilon(1e-7));
        CHECK(found.g == approx(r.g).epsilon(1e-5).scale(1e-9));
    }
    // One that turns back at once, as where a dropper passes by, is taken to settle fast.
    const Responding turning{.r = {-0.3, 1e-3, 0.0}};
    const WireResponse found = control::wire_response(turning, 150.0);
    CHECK(found.a == approx(std::exp(-dt / 1.5e-3)).epsilon(1e-12));
    CHECK(found.b > 0.0);
    const Responding rigid{.r = {0.5, 0.0, 0.0}};
    CHECK_THROWS_AS((void)control::wire_response(rigid, 150.0), SetupError);
    const Responding away{.r = {0.5, -1e-3, 0.0}};
    CHECK_THROWS_AS((void)control::wire_response(away, 150.0), SetupError);
}

// @rt-tested: PredictiveLqg::contact_force PredictiveLqg::foresee PredictiveLqg::update PredictiveLqg::reset
TEST_CASE("a cycle of the predictive controller does not allocate") {
    for (const int order : {1, 8}) {
        auto p = head_alone();
        p.rig.force_filter.order = order;
        PredictiveLqg controller(p, dt);
        const Exchange e = resting(0.1, 120.0, controller);
        std::array<double, 7> change{};
        CHECK(test::allocations_in([&] {
                  controller.reset(e.strip);
                  for (int n = 0; n < 100; ++n) {
                      (void)controller.contact_force(e);
                      controller.foresee(change);
                      (void)controller.update(e);
                  }
              }) == 0);
    }
}

TEST_CASE("a correction beyond the bound is cut and reported") {
    auto p = head_alone();
    p.largest_correction = 1e-4;
    PredictiveLqg controller(p, dt);
    Exchange e = resting(0.0, 120.0, controller);
    controller.reset(e.strip);
    (void)controller.contact_force(e);
    e.wire.height = 0.01;
    for (Motion& m : e.preview.motion) m.height = 0.01;
    CHECK(controller.update(e).status == Status::saturated);
}

TEST_CASE("the drive is never asked for more than its limits, and the wire is reached all the same") {
    const auto run = [](const plant::DriveLimits& limits, double way, bool& saturated) {
        PredictiveLqgParams p = head_alone();
        p.rig.drive_limits = limits;
        Loop loop(p);
        for (int n = 0; n < 500; ++n)  // the wire jumps, as no wire does
            if (loop.step([&](int t) { return Motion{t < 20 ? 0.0 : way, 0.0, 0.0}; }, pressed_with).status ==
                Status::saturated)
                saturated = true;
        CHECK(std::fabs(loop.error()) < 1e-6);
        return loop.reached;
    };
    for (const double way : {5e-4, -5e-4}) {
        bool free = false, slow = false, gentle = false, weak = false;
        const plant::DriveLimits asked = run({}, way, free);
        CHECK_FALSE(free);
        const double speed = 0.4 * asked.speed, acceleration = 0.4 * asked.acceleration,
                     force = pressed_with + 0.4 * (asked.force - pressed_with);
        // The rig is the model, so what is left is rounding; the contact force may still grow within the period.
        CHECK(run({.speed = speed}, way, slow).speed <= 1.001 * speed);
        CHECK(run({.acceleration = acceleration}, way, gentle).acceleration <= 1.001 * acceleration);
        CHECK(run({.force = force}, way, weak).force <= 1.05 * force);
        CHECK(slow);
        CHECK(gentle);
        CHECK(weak);
    }
}

TEST_CASE("what has no meaning is refused by name") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [](auto change, double step = dt) {
        auto p = head_alone();
        change(p);
        return test::message([&] { PredictiveLqg controller(p, step); });
    };
    for (const double bad : {0.0, -1.0, nan}) {
        CHECK(!refused([&](auto& p) { p.effort_weight = bad; }).empty());
        CHECK(!refused([&](auto& p) { p.observer.lift_noise = bad; }).empty());
        CHECK(!refused([&](auto& p) { p.observer.head_force_noise = bad; }).empty());
        CHECK(!refused([&](auto& p) { p.observer.height_noise = bad; }).empty());
        CHECK(!refused([&](auto& p) { p.observer.force_noise = bad; }).empty());
        CHECK(!refused([&](auto& p) { p.largest_correction = bad; }).empty());
        CHECK(!refused([&](auto& p) { p.observer.head_mass = bad; }).empty());
        CHECK(!refused([&](auto& p) { p.rig.pad_stiffness = bad; }).empty());
        CHECK(!refused([](auto&) {}, bad).empty());
    }
    const std::string late = refused([](auto& p) { p.rig.command_delay = p.rig.reading_delay = 4.0; });
    CAPTURE(late);
    CHECK(late.find("delays of the rig are 8 periods, must be at most 6") != std::string::npos);
    CHECK(refused([](auto& p) {
              p.rig.pad_stiffness = 600e3;
          }).find("rig.pad_stiffness is 600000 N/m, must be at most 500000") != std::string::npos);
    CHECK(refused([](auto& p) { p.rig.pad_stiffness = 600e3, p.accept_stiff_pad = true; }).empty());
    CHECK(refused([](auto& p) { p.rig.pad_stiffness = 500e3; }).empty());
    CHECK(refused([](auto& p) { p.wire.a = 1.0; }) == "control::PredictiveLqg: wire.a is 1, must be from 0 to below 1");
    CHECK(refused([](auto&) {}, 1e-3).find("wire.dt is 0.002 s, must be the time step of the loop, 0.001 s") !=
          std::string::npos);
    CHECK(refused([](auto& p) { p.horizon = 0; }).find("horizon is 0") != std::string::npos);
    CHECK(refused([](auto& p) { p.rig.command_delay = 5.0; }).find("must fit in a preview of 8 steps") !=
          std::string::npos);
    CHECK(refused([](auto& p) { p.horizon = std::numeric_limits<int>::max(); }).find("horizon is 2147483647") !=
          std::string::npos);
    CHECK(refused([](auto& p) { p.wire.g = -1.0; }).find("wire.g is -1 m/N") != std::string::npos);
    CHECK(refused([](auto& p) { p.observer.touch_speed = 1e300; }).find("touch_speed") != std::string::npos);
    CHECK(refused([](auto& p) { p.observer.touch_lift = 1e300; }).find("touch_lift") != std::string::npos);
    CHECK(refused([](auto& p) { p.drive_lead.memory = 0.0; }).find("drive_lead.memory") != std::string::npos);
    CHECK(refused([](auto& p) { p.rig.pantograph = {}; }).find("mass is empty") != std::string::npos);
}

}  // namespace predictive_lqg_test
