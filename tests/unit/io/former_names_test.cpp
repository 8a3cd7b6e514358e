// SPDX-License-Identifier: BSD-3-Clause
// What programs written for the former version still find: names that warn for a release and say what to take.
#include <panto/catenary/moving_radius.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/pad_plant.hpp>
#include <panto/io/observation.hpp>
#include <panto/io/timed_cycle.hpp>
#include <panto/opt/random.hpp>
#include <panto/rig/simulated.hpp>

#include "../../support/approx.hpp"

#include <Eigen/Core>
#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace former_names_test {
namespace {

using namespace panto;

struct Engine {
    double height = 0.02;
    [[nodiscard]] double time() const noexcept { return 0.5; }
    [[nodiscard]] double position() const noexcept { return 10.0; }
    [[nodiscard]] double position_after(double seconds) const noexcept { return 10.0 + seconds; }
    [[nodiscard]] Motion wire() const noexcept { return {height, 0.0, 0.0}; }
};

TEST_CASE("former names are the present types") {
    static_assert(std::is_same_v<opt::Random, Random>);
    static_assert(std::is_same_v<control::LqgPlus, control::Lqg>);
    static_assert(std::is_same_v<control::LqgPlusParams, control::LqgParams>);
    static_assert(std::is_same_v<control::PadPlant, plant::SampledModel>);
    static_assert(std::is_same_v<control::Hold, plant::Hold>);
    static_assert(std::is_same_v<rig::MotorParams, dynamics::OscillatorParams<double>>);
    static_assert(std::is_same_v<io::TimedCycle<int>, rig::TimedCycle<int>>);
    CHECK(control::table2_motor.stiffness == plant::table2_motor.stiffness);
}

TEST_CASE("former functions and templates work as before") {
    rig::Simulated stand({.uplift_force = 130.0}, 2e-3);
    CHECK_THROWS_AS(stand.set_lift(HUGE_VAL), SetupError);
    const Eigen::Matrix2d A{{0.5, 1.0}, {0.0, 0.25}};
    CHECK(catenary::map_radius(2, [&](Eigen::VectorXd& x) { x = (A * x).eval(); }) == test::Approx(0.5));
    const Engine engine;
    io::Observation<Engine> observation(engine, 1);
    observation.sample(100.0);
    CHECK(observation.record().contact.force.back() == 100.0);
}

}  // namespace
}  // namespace former_names_test

#pragma GCC diagnostic pop
