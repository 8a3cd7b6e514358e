// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/tracking_controller.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace panto;
using namespace panto::control;

namespace tracking_controller_test {
namespace {

const double dt = 0.002, not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A drive of 40 Hz that hears its command 2.5 steps late and is read one step late.
StateSpace drive(double frequency = 40.0) {
    const double w = 2.0 * 3.14159265358979324 * frequency;
    return {Eigen::Matrix2d{{0.0, 1.0}, {-w * w, -1.4 * w}}, Eigen::Vector2d(0.0, w * w), Eigen::RowVector2d(1.0, 0.0),
            Eigen::MatrixXd::Zero(1, 1)};
}
TrackingParams params() {
    return {.plant = sampled(drive(), dt, InputHold::zero_order, 3.5 * dt),
            .reading_delay = 1.0,
            .reading_noise = Eigen::MatrixXd::Constant(1, 1, 1e-10)};
}

/// The drive itself: 2.5 steps late, its position of the last step is what is read.
struct Drive {
    StateSpace s = sampled(drive(), dt, InputHold::zero_order, 2.5 * dt);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(s.states());
    double read = 0.0, load = 0.0;
    double position() const { return (s.C * x)[0]; }
    void step(double command) {
        read = position();
        x = (s.A * x + s.B * (command + load)).eval();
    }
};

Motion moving(double t) { return {0.01 + 0.2 * t - 0.3 * t * t, 0.2 - 0.6 * t, -0.6}; }

/// One cycle k: the controller reads, is told the reference at the end of the cycle, commands.
double cycle(TrackingController<>& controller, Drive& plant, const Motion& reference) {
    Exchange e;
    e.strip.height = plant.read;
    e.reference = reference;
    const auto sent = controller.update(e);
    CHECK((sent.status == Status::ok || sent.status == Status::saturated));
    plant.step(sent.value.value);
    return sent.value.value;
}

}  // namespace

TEST_CASE("a reference of constant acceleration is met at its own instant, in spite of delays of 3.5 samples") {
    TrackingController<> controller(params());
    Drive plant;
    for (int k = 0; k < 600; ++k) {
        (void)cycle(controller, plant, moving((k + 1) * dt));
        if (k > 400) CHECK(std::abs(plant.position() - moving((k + 1) * dt).height) < 1e-8);
    }
}

TEST_CASE("a constant load is learnt and cancelled") {
    TrackingController<> controller(params());
    Drive plant;
    plant.load = 0.003;
    for (int k = 0; k < 800; ++k) (void)cycle(controller, plant, {0.01, 0.0, 0.0});
    CHECK(std::abs(plant.position() - 0.01) < 1e-9);
    CHECK(std::abs(controller.estimator().state().tail(1)[0] - 0.003) < 1e-9);
}

// The innovation that such a load causes is far outside the gate, and a steady gain used every few cycles only would
// make the estimator unstable.
TEST_CASE("with a gate, too, a load far outside it is learnt, and wrong readings in a row are forgotten") {
    for (const double deviations : {3.0, 5.0, 30.0})
        for (const int longest : {0, 1, 2, 5, 20}) {
            TrackingParams p = params();
            p.lowest = -0.15, p.highest = 0.15;
            p.gate = {.deviations = deviations, .longest = longest};
            TrackingController<> controller(p);
            Drive plant;
            const auto run = [&](int cycles, double wrong) {
                for (int k = 0; k < cycles; ++k) {
                    Exchange e;
                    e.strip.height = plant.read + wrong;
                    e.reference = {0.01, 0.0, 0.0};
                    plant.step(controller.update(e).value.value);
                }
                return std::abs(plant.position() - 0.01);
            };
            CAPTURE(deviations);
            CAPTURE(longest);
            CHECK(run(800, 0.0) < 1e-6);
            plant.load = 0.03;
            CHECK(run(2000, 0.0) < 1e-6);
            (void)run(longest + 1, 0.05);
            CHECK(run(2000, 0.0) < 1e-6);
        }
}

TEST_CASE("from rest it stays at rest, and a limit winds nothing up") {
    TrackingParams p = params();
    TrackingController<> still(p);
    still.reset({0.02, 0.0, 0.0});
    Drive plant;
    plant.x.setConstant(0.02), plant.x[1] = 0.0, plant.read = 0.02;
    for (int k = 0; k < 20; ++k) CHECK(std::abs(cycle(still, plant, {0.02, 0.0, 0.0}) - 0.02) < 1e-12);

    p.highest = 0.05;
    TrackingController<> limited(p);
    Drive held;
    for (int k = 0; k < 2000; ++k) {  // 4 s against the stop: an integrator would have summed up 0.2 m s
        const double command = cycle(limited, held, {0.1, 0.0, 0.0});
        CHECK(command <= 0.05);
    }
    CHECK(std::abs(held.position() - 0.05) < 1e-9);
    double lowest = 1.0;
    for (int k = 0; k < 200; ++k) {
        (void)cycle(limited, held, {0.04, 0.0, 0.0});
        if (k > 60) CHECK(std::abs(held.position() - 0.04) < 1e-3);
        lowest = std::min(lowest, held.position());
    }
    CHECK(lowest > 0.035);

    p = params();
    p.largest_step = 1e-4;
    TrackingController<> slow(p);
    Drive free;
    double last = 0.0;
    for (int k = 0; k < 400; ++k) {
        const double command = cycle(slow, free, {0.01, 0.0, 0.0});
        CHECK(std::abs(command - last) <= 1.0001e-4);
        last = command;
    }
    CHECK(std::abs(free.position() - 0.01) < 1e-6);
}

TEST_CASE("the linear model is the controller, and closes a stable loop with its plant") {
    const TrackingParams p = params();
    TrackingController<> controller(p);
    const StateSpace model = controller.linear_model();
    Eigen::VectorXd x = Eigen::VectorXd::Zero(model.states()), in(4);
    for (int k = 0; k < 40; ++k) {
        Exchange e;
        e.strip.height = 0.01 * std::sin(0.3 * k);
        e.reference = moving(k * dt);
        in << e.strip.height, e.reference.height, e.reference.speed, e.reference.acceleration;
        const double expected = (model.C * x + model.D * in)[0];
        CHECK(std::abs(controller.update(e).value.value - expected) < 1e-12 * (1.0 + std::abs(expected)));
        x = (model.A * x + model.B * in).eval();
    }
    const StateSpace from_reading{model.A, -model.B.leftCols(1), model.C, -model.D.leftCols(1), model.dt};
    const double radius = linalg::spectral_radius(feedback(p.plant, from_reading).A);
    CHECK(radius < 1.0);
    // By separation: the slower of regulator and observer.
    CHECK(std::abs(radius - std::max(controller.regulator_radius(), controller.observer_radius())) < 1e-6);
}

// @rt-tested: TrackingController::update TrackingController::reset StripHeight::operator()
TEST_CASE("bad readings and references are met without allocation, and no bad command gets out") {
    TrackingController<> controller(params());
    Exchange e;
    e.strip.height = 0.01;
    e.reference.height = 0.01;
    controller.reset({0.01, 0.0, 0.0});
    CHECK(test::allocations_in([&] { (void)controller.update(e), controller.reset({0.01, 0.0, 0.0}); }) == 0);
    const double before = controller.update(e).value.value;
    Exchange bad = e;
    bad.reference.speed = not_a_number;
    CHECK(controller.update(bad).status == Status::sensor_implausible);
    CHECK(controller.update(bad).value.value == before);
    bad = e;
    bad.strip.height = not_a_number;
    const auto bridged = controller.update(bad);
    CHECK(bridged.status == Status::sensor_lost);
    CHECK(std::abs(bridged.value.value - 0.01) < 1e-9);
    controller.reset({not_a_number, 0.0, 0.0});
    CHECK(std::abs(controller.update(e).value.value - 0.01) < 1e-9);
}

TEST_CASE("without a reset the first command is the limit nearest to 0") {
    TrackingParams p = params();
    p.lowest = 0.1, p.largest_step = 1e-3;
    TrackingController<> controller(p);
    Exchange e;
    e.reference.height = e.strip.height = 0.2;
    const auto command = controller.update(e);
    CHECK(command.status == Status::saturated);
    CHECK(command.value.value >= 0.1);
    CHECK(command.value.value <= 0.101);
}

/// Readings that lose count of themselves.
struct Miscounted {
    static constexpr Eigen::Index size = 1;
    void operator()(const Exchange& e, Eigen::VectorXd& y) const noexcept {
        y.resize(e.strip_force > 0.0 ? static_cast<Eigen::Index>(e.strip_force) - 1 : 1);
        y.setConstant(e.strip.height);
    }
};

TEST_CASE("another number of readings than agreed is said, and the last command is kept") {
    for (const double size : {0.0, 2.0}) {
        TrackingController<PositionCommand, Miscounted> controller(params());
        Exchange e;
        e.reference.height = e.strip.height = 0.01;
        controller.reset({0.01, 0.0, 0.0});
        const double before = controller.update(e).value.value;
        e.strip_force = size + 1.0;
        e.reference.height = 0.02;
        const auto told = controller.update(e);
        CHECK(told.status == Status::out_of_range);
        CHECK(told.value.value == before);
    }
}

// The plants are sampled with a delay that is known; a delay that is not whole counts as the next whole number.
TEST_CASE("a reading delay longer than the delay of the plant is refused") {
    for (const double frequency : {1.0, 40.0, 200.0})
        for (const double delay : {0.0, 0.3, 1.0, 2.9, 3.5, 4.0, 12.0, 12.5}) {
            CAPTURE(frequency);
            CAPTURE(delay);
            TrackingParams p = params();
            p.plant = sampled(drive(frequency), dt, InputHold::zero_order, delay * dt);
            p.reading_delay = std::ceil(delay);
            CHECK_NOTHROW(TrackingController<>{p});
            p.reading_delay += 0.2;
            const std::string text = test::message([&] { (void)TrackingController<>(p); });
            CAPTURE(text);
            CHECK(text.find("at most " + std::to_string(static_cast<int>(std::ceil(delay))) + " steps") !=
                  std::string::npos);
        }
}

TEST_CASE("a controller that cannot be is refused with the reason") {
    using test::message;
    const auto refused = [](const char* part, auto change) {
        TrackingParams p = params();
        change(p);
        const std::string text = message([&] { (void)TrackingController<>(p); });
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    };
    refused("continuous", [](TrackingParams& p) { p.plant = drive(); });
    refused("1 input", [](TrackingParams& p) { p.plant.B.setOnes(p.plant.states(), 2), p.plant.D.setZero(1, 2); });
    refused("as many outputs",
            [](TrackingParams& p) { p.plant.C.setOnes(2, p.plant.states()), p.plant.D.setZero(2, 1); });
    refused("reading_delay", [](TrackingParams& p) { p.reading_delay = -1.0; });
    refused("part of the delay", [](TrackingParams& p) { p.reading_delay = 100.0; });
    refused("at most 0 steps", [](TrackingParams& p) { p.plant = sampled(drive(), dt), p.reading_delay = 0.5; });
    refused("error_weight", [](TrackingParams& p) { p.error_weight = 0.0; });
    refused("effort_weight", [](TrackingParams& p) { p.effort_weight = not_a_number; });
    refused("disturbance_noise", [](TrackingParams& p) { p.disturbance_noise = 0.0; });
    refused("lowest", [](TrackingParams& p) { p.lowest = 1.0, p.highest = 1.0; });
    refused("largest_step", [](TrackingParams& p) { p.largest_step = 0.0; });
    refused("process_noise", [](TrackingParams& p) { p.process_noise = Eigen::MatrixXd::Ones(2, 2); });
    refused("reading_noise", [](TrackingParams& p) { p.reading_noise.resize(0, 0); });
    refused("reading_noise is not positive", [](TrackingParams& p) { p.reading_noise(0, 0) = -1.0; });
    refused("entry of reading_noise", [](TrackingParams& p) { p.reading_noise(0, 0) = not_a_number; });
    refused("process_noise is not positive", [](TrackingParams& p) {
        p.process_noise = -Eigen::MatrixXd::Identity(p.plant.states(), p.plant.states());
    });
    refused("gate", [](TrackingParams& p) { p.gate.deviations = -1.0; });
    refused("(A, B) is not stabilizable", [](TrackingParams& p) {  // a mode at 1.1 that nothing moves
        p.reading_delay = 0.0;
        p.plant.A.setZero(2, 2), p.plant.A.diagonal() << 1.1, 0.5;
        p.plant.B = Eigen::Vector2d(0.0, 1.0), p.plant.C = Eigen::RowVector2d(1.0, 1.0);
        p.plant.D.setZero(1, 1);
    });
    refused("(A, C) is not detectable: no reading shows the mode with eigenvalue 1.1", [](TrackingParams& p) {
        p.reading_delay = 0.0;
        p.plant.A.setZero(2, 2), p.plant.A.diagonal() << 1.1, 0.5;
        p.plant.B = Eigen::Vector2d(1.0, 1.0), p.plant.C = Eigen::RowVector2d(0.0, 1.0);
        p.plant.D.setZero(1, 1);
    });
}

/// A servo of `w` rad/s with a damping ratio of 0.5.
StateSpace servo(double w) {
    return {Eigen::Matrix2d{{0.0, 1.0}, {-w * w, -w}}, Eigen::Vector2d(0.0, w * w), Eigen::RowVector2d(1.0, 0.0),
            Eigen::MatrixXd::Zero(1, 1)};
}

// A reading shows a disturbance of every such servo: at rest, the position is that of the disturbed command.
TEST_CASE("a slow servo with a long delay is no trouble") {
    struct Known {
        double w, dt, delay, radius;  // rad/s, s, steps
    };
    // Computed with scipy: cont2discrete of the servo, the delay as a chain of commands, solve_discrete_are of the dual
    // problem, and numpy's eigenvalues of A - LC. Scipy's own error is about 1e-8.
    constexpr Known known[] = {{1.0, 2e-3, 10.0, 0.963834395}, {5.0, 2e-3, 30.0, 0.897912280},
                               {0.5, 1e-4, 3.5, 0.996855184},  {20.0, 1e-4, 5.0, 0.963834376},
                               {5.0, 2e-3, 3.5, 0.897911778},  {20.0, 2e-3, 3.5, 0.762444356}};
    int compared = 0;
    for (const double step : {2e-3, 1e-4})
        for (const double w : {0.5, 1.0, 2.0, 5.0, 10.0, 20.0})
            for (const double delay : {3.5, 5.0, 10.0, 30.0, 50.0}) {
                CAPTURE(step);
                CAPTURE(w);
                CAPTURE(delay);
                const TrackingController<> controller(
                    {.plant = sampled(servo(w), step, InputHold::zero_order, delay * step),
                     .reading_delay = 0.0,
                     .reading_noise = Eigen::MatrixXd::Constant(1, 1, 1e-10)});
                CHECK(controller.observer_radius() < 1.0);
                for (const Known& k : known)
                    if (k.w == w && k.dt == step && k.delay == delay) {
                        CHECK(std::abs(controller.observer_radius() - k.radius) < 1e-7);
                        ++compared;
                    }
            }
    CHECK(compared == 6);
    // With the speed as its reading, it does not show where the servo is at rest under the disturbance.
    StateSpace fast = sampled(servo(5.0), 2e-3, InputHold::zero_order, 10.0 * 2e-3);
    fast.C(0, 1) = 1.0, fast.C(0, 0) = 0.0;
    const std::string text = test::message([&] {
        (void)TrackingController<>(
            {.plant = fast, .reading_delay = 0.0, .reading_noise = Eigen::MatrixXd::Constant(1, 1, 1e-10)});
    });
    CAPTURE(text);
    CHECK(text.find("no reading shows the mode with eigenvalue 1") != std::string::npos);
}

}  // namespace tracking_controller_test
