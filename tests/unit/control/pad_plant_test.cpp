// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/pad_plant.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

using namespace panto;
using namespace panto::control;

namespace pad_plant_test {
namespace {

constexpr double dt = 2e-3;
const ChainParams dsa{Eigen::Vector3d(6.6, 5.8, 5.8), Eigen::Vector3d(0.0, 0.0, 70.0),
                      Eigen::Vector3d(7000.0, 14100.0, 80.0)};

/// The differential equations by Runge-Kutta's fourth-order rule, written out for the three masses.
Eigen::VectorXd rate(const Eigen::VectorXd& x, double reference, double lift, const PadPlantParams& p) {
    const Eigen::VectorXd& m = p.pantograph.mass;
    const Eigen::VectorXd &c = p.pantograph.damping, &k = p.pantograph.stiffness;
    Eigen::VectorXd d = Eigen::VectorXd::Zero(x.size());
    const double force = p.pad_stiffness * (x[2] - x[0]);
    d[0] = x[1];
    d[1] = (p.motor.stiffness * (reference - x[0]) - p.motor.damping * x[1]) / p.motor.mass;
    for (Eigen::Index i = 0; i < 3; ++i) {
        const bool last = i == 2;
        const double below = k[i] * (x[2 + i] - (last ? 0.0 : x[3 + i])) + c[i] * (x[5 + i] - (last ? 0.0 : x[6 + i]));
        const double above = i == 0 ? 0.0 : k[i - 1] * (x[1 + i] - x[2 + i]) + c[i - 1] * (x[4 + i] - x[5 + i]);
        d[2 + i] = x[5 + i];
        d[5 + i] = (above - below + (i == 0 ? lift - force : 0.0)) / m[i];
    }
    if (p.force_filter > 0.0) d[8] = 2.0 * std::numbers::pi * p.force_filter * (force - x[8]);
    return d;
}

Eigen::VectorXd integrated(Eigen::VectorXd x, double from, double to, double lift, const PadPlantParams& p) {
    const int steps = 200;
    const double h = dt / steps;
    for (int n = 0; n < steps; ++n) {
        const auto r = [&](double t) { return from + (to - from) * (n + t) / steps; };
        const Eigen::VectorXd a = rate(x, r(0.0), lift, p), b = rate(x + 0.5 * h * a, r(0.5), lift, p),
                              c = rate(x + 0.5 * h * b, r(0.5), lift, p), d = rate(x + h * c, r(1.0), lift, p);
        x += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    }
    return x;
}

}  // namespace

TEST_CASE("one step is the solution of the differential equations, held and interpolated, with and without filter") {
    for (const double filter : {0.0, 100.0})
        for (const Hold hold : {Hold::zero_order, Hold::interpolated}) {
            const PadPlantParams p{.pantograph = dsa, .force_filter = filter, .hold = hold};
            const PadPlant plant = pad_plant(p, dt);
            CHECK(plant.size() == (filter > 0.0 ? 9 : 8));
            Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(plant.size(), 1e-3, 3e-3);
            const double before = 2e-3, now = -1e-3, lift = 30.0;
            const Eigen::VectorXd next = plant.A * x + plant.before * before + plant.now * now + plant.lift * lift;
            const Eigen::VectorXd expected = integrated(x, before, hold == Hold::zero_order ? before : now, lift, p);
            // Runge-Kutta's error: (190 rad/s * 1e-5 s)^4 of the motion.
            CHECK((next - expected).norm() < 1e-10 * expected.norm());
        }
}

TEST_CASE("the measured force is that of the pad, or its filtered value") {
    const PadPlant raw = pad_plant({.pantograph = dsa}, dt);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(8);
    x[0] = 1e-3;
    x[2] = 2e-3;
    CHECK(raw.force.dot(x) == doctest::Approx(240.0).epsilon(1e-14));
    const PadPlant filtered = pad_plant({.pantograph = dsa, .force_filter = 100.0}, dt);
    CHECK(filtered.force == Eigen::RowVectorXd::Unit(9, 8));
}

TEST_CASE("at rest a constant reference is reached, whatever stands on the pad") {
    const PadPlant plant = pad_plant({.pantograph = dsa}, dt);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(8);
    for (int n = 0; n < 500; ++n) x = (plant.A * x + plant.before * 0.01).eval();
    CHECK(x[0] == doctest::Approx(0.01).epsilon(1e-12));  // the pad does not push the motor back
}

TEST_CASE("the loop without control is stable on a soft pad only") {
    const auto radius = [](double pad) {
        return closed_loop_radius(pad_plant({.pantograph = dsa, .pad_stiffness = pad}, dt), direct_controller(),
                                  table2_interaction_mass);
    };
    CHECK(radius(15e3) < 1.0);
    CHECK(radius(100e3) > 1.0);
}

TEST_CASE("the spectral radius of the loop is its growth when it is stepped") {
    const PadPlant plant = pad_plant({.pantograph = dsa, .pad_stiffness = 240e3}, dt);
    const dynamics::NewmarkOscillator<double> mass(table2_interaction_mass, dt);
    Eigen::Vector3d x_i = Eigen::Vector3d::Zero(), x_i_next;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(8);
    x[2] = 1e-4;
    double before = 0.0, first = 0.0;
    const int half = 400;  // 1.28^800 is still finite
    for (int n = 0; n < 2 * half; ++n) {
        const double force = plant.force.dot(x), now = x_i[0];
        mass.step(x_i, force, x_i_next);
        x = (plant.A * x + plant.before * before).eval();
        before = now;
        x_i = x_i_next;
        if (n == half - 1) first = x.norm();
    }
    const double growth = std::pow(x.norm() / first, 1.0 / half);
    // One oscillation more or less in the norm: a factor of at most 3 over 400 steps.
    CHECK(closed_loop_radius(plant, direct_controller(), table2_interaction_mass) ==
          doctest::Approx(growth).epsilon(3e-3));
}

TEST_CASE("what has no meaning is refused with field and value") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [](PadPlantParams p, double step = dt) {
        CHECK_THROWS_AS((void)pad_plant(p, step), SetupError);
    };
    refused({});  // no pantograph
    refused({.motor = {0.0, 1.0, 1.0}, .pantograph = dsa});
    refused({.motor = {1.0, 1.0, 0.0}, .pantograph = dsa});
    refused({.pantograph = dsa, .pad_stiffness = nan});
    refused({.pantograph = dsa, .force_filter = -1.0});
    refused({.pantograph = dsa}, nan);
    auto chain = dsa;
    chain.stiffness[1] = -1.0;
    CHECK_THROWS_WITH_AS((void)pad_plant({.pantograph = chain}, dt),
                         "control::chain: body 1.stiffness is -1, allowed is a finite number of at least 0",
                         SetupError);
    chain = dsa;
    chain.damping = Eigen::Vector2d(1.0, 1.0);
    refused({.pantograph = chain});
    LinearController wrong = direct_controller();
    wrong.D = Eigen::RowVectorXd::Zero(3);
    CHECK_THROWS_AS((void)closed_loop_radius(pad_plant({.pantograph = dsa}, dt), wrong, table2_interaction_mass),
                    SetupError);
}

}  // namespace pad_plant_test
