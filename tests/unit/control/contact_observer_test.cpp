// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/contact_observer.hpp>
#include <panto/rig/simulated.hpp>

#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace panto;
using control::ContactObserver;
using control::ContactObserverParams;

namespace contact_observer_test {
namespace {

constexpr double dt = 2e-3;

plant::RigParams rig() {
    return {.pad_stiffness = 60e3,
            .pantograph = {Eigen::VectorXd::Constant(1, 6.6), Eigen::VectorXd::Constant(1, 10.0),
                           Eigen::VectorXd::Zero(1)}};
}

Exchange reading(double height, double force) {
    Exchange e;
    e.strip.height = height;
    e.strip_force = force;
    return e;
}

/// At rest under 120 N for some cycles.
ContactObserver settled(const ContactObserverParams& p = {}) {
    ContactObserver observer(rig(), p, dt);
    for (int n = 0; n < 50; ++n) {
        (void)observer.take(reading(0.1, 120.0));
        (void)observer.advance(0.1);
    }
    return observer;
}

}  // namespace

TEST_CASE("one reading of the force that is off by far is left out, the second in a row is not") {
    ContactObserver observer = settled();
    CHECK(std::fabs(observer.take(reading(0.1, 620.0)) - 120.0) < 1e-6);
    (void)observer.advance(0.1);
    CHECK(observer.take(reading(0.1, 620.0)) > 150.0);
}

TEST_CASE("a reading that is missing leaves the model to itself") {
    ContactObserver observer = settled();
    Exchange e = reading(0.1, 40.0);
    e.strip_force_held = true;
    CHECK(std::fabs(observer.take(e) - 120.0) < 1e-6);
}

// @rt-tested: ContactObserver::take ContactObserver::advance ContactObserver::advanced ContactObserver::pressed
// @rt-tested: ContactObserver::reset
TEST_CASE("contact is lost when estimate and reading say so, and regained with the reading; nothing is allocated") {
    ContactObserver observer = settled();
    int until_lost = 0;
    double during = 0.0, at_contact = 0.0;
    bool lost = false, regained = false;
    CHECK(test::allocations_in([&] {
              for (; until_lost < 50 && !observer.lost(); ++until_lost) {
                  (void)observer.take(reading(0.1, 0.0));
                  (void)observer.advance(0.1);
              }
              lost = observer.lost();
              for (int n = 0; n < 500; ++n) {  // 1 s without contact: nothing drifts
                  during += observer.take(reading(0.1, 0.0));
                  if (n > 250)  // before, the head may be expected to come back
                      during += observer.pressed(observer.advanced(observer.state(), 0));
                  (void)observer.advance(0.1);
              }
              at_contact = observer.take(reading(0.1, 100.0));
              regained = !observer.lost();
              for (int n = 0; n < 300; ++n) {
                  (void)observer.advance(0.1);
                  (void)observer.take(reading(0.1, 120.0));
              }
          }) == 0);
    CHECK(until_lost < 20);
    CHECK(lost);
    CHECK(during == 0.0);
    CHECK(at_contact > 50.0);
    CHECK(regained);
    CHECK(std::fabs(observer.pressed(observer.state()) - 120.0) < 0.5);
    CHECK(test::allocations_in([&] { observer.reset(); }) == 0);
    CHECK(observer.fresh());
}

namespace {

/// A strip of one mass that is pulled down by `pull`, N, for `length`, s, and comes back under its lift alone; the
/// drive stands still.
struct Flight {
    double peak = 0.0;        // N, at the first touch-down
    double late_error = 0.0;  // N, of the estimated force from the second reading after it on
    int flights = 0;
};

Flight flight(double pull, double length) {
    rig::SimulatedParams p{.rig = rig(), .lift = 120.0};
    p.head_force = [=](double t) { return t >= 0.2 && t < 0.2 + length ? -pull : 0.0; };
    rig::Simulated stand(p, dt);
    ContactObserver observer(p.rig, {.touch_bound = HUGE_VAL}, dt);
    Flight f;
    double force_before = 0.0, height = 0.0;  // at the instant of the readings
    int since = 0;
    bool lost = false;
    for (int n = 1; n < 250; ++n) {
        force_before = stand.contact_force();
        stand.clock.sleep_until(std::chrono::milliseconds(2 * n));
        height = stand.drive.read().value.height;
        const double force = observer.take(reading(height, stand.sensor.read().value));
        f.flights += observer.lost() && !lost;
        lost = observer.lost();
        if (f.flights == 1 && !lost && ++since > 1 && since < 8) {
            f.peak = std::max(f.peak, force_before);
            f.late_error = std::max(f.late_error, std::fabs(force - force_before));
        }
        (void)observer.advance(height);
    }
    return f;
}

}  // namespace

TEST_CASE("after a touch-down the force is right from the second reading on") {
    const Flight f = flight(500.0, 20e-3);  // pulls on in flight, which no reading tells
    CHECK(f.flights >= 2);
    CHECK(f.peak > 300.0);
    CHECK(f.late_error < 0.1 * f.peak);
}

TEST_CASE("parameters of the observer without a meaning are refused by name") {
    const auto refused = [](auto change) {
        ContactObserverParams p;
        change(p);
        return test::message([&] { ContactObserver observer(rig(), p, dt); });
    };
    CHECK(refused([](auto& p) { p.force_gate = 0.0; }).find("force_gate is 0") != std::string::npos);
    CHECK_FALSE(refused([](auto& p) { p.contact_threshold = -1.0; }).empty());
    CHECK_FALSE(refused([](auto& p) { p.lift_time = 0.0; }).empty());
    CHECK_FALSE(refused([](auto& p) { p.touch_speed = 0.0; }).empty());
    CHECK_FALSE(refused([](auto& p) { p.touch_lift = 0.0; }).empty());
    CHECK(refused([](auto& p) { p.touch_bound = 0.0; }).find("touch_bound is 0") != std::string::npos);
    CHECK_FALSE(refused([](auto& p) { p.head_damping = -1.0; }).empty());
}

}  // namespace contact_observer_test
