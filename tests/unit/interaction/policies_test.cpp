// SPDX-License-Identifier: BSD-3-Clause
#include <panto/interaction/policies.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

using namespace panto;
using namespace panto::interaction;

namespace policies_test {
namespace {
constexpr double dt = 2e-3;
}

TEST_CASE("without a mass the wire gets the measured force, is never pulled, and is what the drive follows") {
    DirectInteraction direct;
    CHECK(direct.force(120.0) == 120.0);
    CHECK(direct.force(-3.0) == 0.0);
    const Motion wire{0.05, 0.1, -2.0};
    CHECK(direct.follow(wire, 120.0).height == wire.height);
    CHECK(direct.follow(wire, 120.0).acceleration == wire.acceleration);
}

TEST_CASE("with the mass the wire gets the force of the step before") {
    MassInteraction policy({}, dt);
    policy.reset({}, 100.0);
    CHECK(policy.force(500.0) == approx(100.0));  // what is measured now does not matter yet
    const Motion followed = policy.follow({}, 130.0);
    // One step of the model from the preloaded state.
    const InteractionMass<> model({}, dt);
    const auto expected = model.step(model.preloaded(0.0, 100.0), 0.0, 0.0, 130.0);
    // To rounding: a compiler may order the sums differently in the two places.
    CHECK(followed.height == approx(expected.height).epsilon(1e-13));
    CHECK(followed.speed == approx(expected.speed).epsilon(1e-13));
    CHECK(policy.force(0.0) == approx(model.force_on_wire(expected, 0.0)).epsilon(1e-13));
}

TEST_CASE("the ramp sends the wire a growing share of the force and leaves the mass fully loaded") {
    MassInteraction policy({.ramp_time = 0.1}, dt);
    const Motion start = policy.reset({}, 150.0);
    CHECK(start.height == approx(150.0 / 50e3));
    for (int i = 0; i < 60; ++i) {
        CHECK(policy.force(150.0) == approx(150.0 * std::min(1.0, i / 50.0)).epsilon(1e-9));
        CHECK(policy.follow({}, 150.0).height == approx(150.0 / 50e3).epsilon(1e-12));
    }
}

TEST_CASE("a reset starts the ramp anew") {
    MassInteraction policy({.ramp_time = 0.1}, dt);
    policy.reset({}, 150.0);
    for (int i = 0; i < 80; ++i) static_cast<void>(policy.follow({}, 150.0));
    CHECK(policy.share() == 1.0);
    policy.reset({}, 150.0);
    CHECK(policy.share() == 0.0);
}

TEST_CASE("a negative ramp is refused") {
    CHECK_THROWS_WITH_AS(MassInteraction({.ramp_time = -1.0}, dt),
                         "interaction::MassInteraction: ramp_time must be finite and >= 0, got -1", SetupError);
}

TEST_CASE("neither policy allocates") {
    // @rt-tested: DirectInteraction::force DirectInteraction::follow DirectInteraction::reset
    // @rt-tested: MassInteraction::force MassInteraction::follow MassInteraction::reset MassInteraction::share
    DirectInteraction direct;
    MassInteraction mass({.ramp_time = 0.1}, dt);
    double sum = 0.0;
    CHECK(panto::test::allocations_in([&] {
              sum += direct.reset({}, 1.0).height + direct.force(1.0) + direct.follow({}, 1.0).height;
              sum += mass.reset({}, 1.0).height + mass.force(1.0) + mass.follow({}, 1.0).height + mass.share();
          }) == 0);
    CHECK(sum > 0.0);
}

}  // namespace policies_test
