// SPDX-License-Identifier: BSD-3-Clause
#include <panto/interaction/interaction_mass.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

using namespace panto;
using namespace panto::interaction;

namespace interaction_mass_test {
namespace {
constexpr double dt = 2e-3;
using State = InteractionMass<>::State;
double entry(const State& x, int i) { return i == 0 ? x.height : i == 1 ? x.speed : x.acceleration; }
}  // namespace

TEST_CASE("one step is the state-space form A x + B f of the paper's appendix, with B corrected") {
    // Golden: Table 2 in the corrected (A.3), f = z + F/k; rounding only.
    std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/catenary_and_rig.json");
    const auto golden = nlohmann::json::parse(file).at("newmark_A_i");
    const InteractionMass<> mass({}, dt);
    for (int j = 0; j < 3; ++j) {
        const State x{j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0};
        const State next = mass.step(x, 0.0, 0.0, 0.0);
        for (int i = 0; i < 3; ++i) {
            const double expected = golden.at("A")[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
            CHECK(entry(next, i) == approx(expected).epsilon(1e-12).scale(1.0));
        }
    }
    const State by_wire = mass.step({}, 1.0, 0.0, 0.0);
    const State by_force = mass.step({}, 0.0, 0.0, mass.params().stiffness);
    for (int i = 0; i < 3; ++i) {
        const double expected = golden.at("B")[static_cast<std::size_t>(i)];
        CHECK(entry(by_wire, i) == approx(expected).epsilon(1e-12));
        CHECK(entry(by_force, i) == approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("a pressed mass at rest stays where it is and hands the force on") {
    const InteractionMass<> mass({}, dt);
    State x = mass.preloaded(0.07, 157.3);
    for (int i = 0; i < 100; ++i) x = mass.step(x, 0.07, 0.0, 157.3);
    // Rounding of heights of 0.07 m times 50 kN/m.
    CHECK(x.height == approx(0.07 + 157.3 / 50e3).epsilon(1e-13));
    CHECK(mass.force_on_wire(x, 0.07) == approx(157.3).epsilon(1e-10));
}

TEST_CASE("pressed from below, the mass pushes the wire up") {  // Eq. (12) as printed has the other sign
    const InteractionMass<> mass({}, dt);
    State x{};
    for (int i = 0; i < 1000; ++i) x = mass.step(x, 0.0, 0.0, 100.0);
    CHECK(mass.force_on_wire(x, 0.0) == approx(100.0).epsilon(1e-9));
}

TEST_CASE("a damper to ground takes 10 N out of a common motion of 0.2 m/s, one to the wire takes nothing") {
    const double speed = 0.2;
    const auto force_lost = [&](MassDamper damper) {
        const InteractionMass<> mass({.damper = damper}, dt);
        State x{100.0 / 50e3, speed, 0.0};
        double z = 0.0;
        for (int i = 0; i < 2000; ++i) {
            z += speed * dt;
            x = mass.step(x, z, speed, 100.0);
        }
        return 100.0 - mass.force_on_wire(x, z);
    };
    // c_i z' of Table 2; heights of about a metre times 50 kN/m leave 1e-9 N of rounding.
    CHECK(force_lost(MassDamper::ground) == approx(50.0 * speed).epsilon(1e-8));
    CHECK(std::fabs(force_lost(MassDamper::wire)) < 1e-8);
}

TEST_CASE("the step carries derivatives") {
    using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
    const InteractionMass<Dual> mass({}, dt);
    const Dual force(100.0, 1, 0);
    const auto next = mass.step({Dual(0.001), Dual(0.0), Dual(0.0)}, Dual(0.0), Dual(0.0), force);
    // Linear in the force: dF_i/dF is the first entry of B.
    CHECK(mass.force_on_wire(next, Dual(0.0)).derivatives()[0] == approx(1.0 / 3.0).epsilon(1e-12));
}

TEST_CASE("parameters without meaning are refused by name") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(InteractionMass<>({.mass = 0.0}, dt),
                         "interaction::InteractionMass: mass must be finite and > 0, got 0", SetupError);
    CHECK_THROWS_AS(InteractionMass<>({.damping = -1.0}, dt), SetupError);
    CHECK_THROWS_AS(InteractionMass<>({.stiffness = nan}, dt), SetupError);
    CHECK_THROWS_AS(InteractionMass<>({}, 0.0), SetupError);
    CHECK_THROWS_AS(InteractionMass<>({}, 1e300), SetupError);
}

TEST_CASE("a step does not allocate") {  // @rt-tested: InteractionMass::step InteractionMass::force_on_wire
    const InteractionMass<> mass({}, dt);
    State x{};
    double force = 0.0;
    CHECK(panto::test::allocations_in([&] {
              x = mass.step(x, 0.0, 0.0, 100.0);
              force = mass.force_on_wire(x, 0.0);
          }) == 0);
    CHECK(force > 0.0);
}

}  // namespace interaction_mass_test
