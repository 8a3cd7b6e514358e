// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/contact_observer.hpp>

#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("parameters of the observer without a meaning are refused by name") {
    const auto refused = [](auto change) {
        ContactObserverParams p;
        change(p);
        return test::message([&] { ContactObserver observer(rig(), p, dt); });
    };
    CHECK(refused([](auto& p) { p.force_gate = 0.0; }).find("force_gate is 0") != std::string::npos);
    CHECK_FALSE(refused([](auto& p) { p.contact_threshold = -1.0; }).empty());
    CHECK_FALSE(refused([](auto& p) { p.lift_time = 0.0; }).empty());
    CHECK_FALSE(refused([](auto& p) { p.head_damping = -1.0; }).empty());
}

}  // namespace contact_observer_test
