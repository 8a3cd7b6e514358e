// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/subloop.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace panto;
using namespace panto::control;

namespace {

constexpr double dt = 2e-3;
const ChainParams dsa{Eigen::Vector3d(6.6, 5.8, 5.8), Eigen::Vector3d(0.0, 0.0, 70.0),
                      Eigen::Vector3d(7000.0, 14100.0, 80.0)};

/// Growth per step of the loop, stepped as a simulation would, for a head alone: the power method in time.
double simulated_growth(double k_c) {
    const system::NewmarkOscillator<double> mass(table2_interaction_mass, dt);
    const system::NewmarkOscillator<double> head({6.6, 40.0, 500.0 + k_c}, dt);
    Eigen::Vector3d x = Eigen::Vector3d::Zero(), y(1e-3, 0.0, 0.0), x_next, y_next;
    double logarithm = 0.0;
    for (int n = 0; n < 6000; ++n) {
        mass.step(x, k_c * (y[0] - x[0]), x_next);
        head.step(y, k_c * x_next[0], y_next);
        // Norm in comparable units; growth counted after the first half.
        const double size = std::hypot(x_next[0], y_next[0], 1e-2 * y_next[1]);
        if (n >= 3000) logarithm += std::log(size);
        x = x_next / size;
        y = y_next / size;
    }
    return std::exp(logarithm / 3000.0);
}

}  // namespace

TEST_CASE("the spectral radius is the growth per step of the loop when it is stepped") {
    const ChainParams head{Eigen::VectorXd::Constant(1, 6.6), Eigen::VectorXd::Constant(1, 40.0),
                           Eigen::VectorXd::Constant(1, 500.0)};
    for (const double k_c : {2e4, 6e4, 2.4e5}) {
        // The average over 3000 steps is off by one oscillation at most: log(size ratio)/3000.
        CHECK(subloop_radius(table2_interaction_mass, head, k_c, dt) ==
              doctest::Approx(simulated_growth(k_c)).epsilon(3e-3));
    }
}

TEST_CASE("the loop is stable below its limit and unstable above") {
    const double limit = subloop_stiffness_limit(table2_interaction_mass, dsa, dt);
    CHECK(subloop_radius(table2_interaction_mass, dsa, 0.999 * limit, dt) < 1.0);
    CHECK(subloop_radius(table2_interaction_mass, dsa, 1.001 * limit, dt) > 1.0);
}

TEST_CASE("more damping of the mass allows a stiffer contact") {
    auto damped = table2_interaction_mass;
    damped.damping = 200.0;
    CHECK(subloop_radius(damped, dsa, 100e3, dt) < 1.0);  // methods D: stable to above 100 kN/m
    CHECK(subloop_stiffness_limit(damped, dsa, dt, 90e3) == 90e3);
}

TEST_CASE("what has no meaning is refused") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS((void)subloop_radius(table2_interaction_mass, dsa, -1.0, dt), SetupError);
    CHECK_THROWS_AS((void)subloop_radius(table2_interaction_mass, dsa, nan, dt), SetupError);
    CHECK_THROWS_AS((void)subloop_radius(table2_interaction_mass, dsa, 1e4, 0.0), SetupError);
    CHECK_THROWS_AS((void)subloop_radius({0.0, 1.0, 1.0}, dsa, 1e4, dt), SetupError);
    auto chain = dsa;
    chain.mass[1] = nan;
    CHECK_THROWS_AS((void)subloop_radius(table2_interaction_mass, chain, 1e4, dt), SetupError);
    CHECK_THROWS_AS((void)subloop_stiffness_limit(table2_interaction_mass, dsa, dt, 0.0), SetupError);
}
