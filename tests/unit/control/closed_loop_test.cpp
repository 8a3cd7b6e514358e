// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/closed_loop.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace panto;
using namespace panto::control;

namespace closed_loop_test {
namespace {

constexpr double dt = 2e-3;
const plant::ChainParams<> dsa{Eigen::Vector3d(6.6, 5.8, 5.8), Eigen::Vector3d(0.0, 0.0, 70.0),
                               Eigen::Vector3d(7000.0, 14100.0, 80.0)};

/// The DSA 380 on a pad, no filter, two periods of delay in all.
plant::SampledModel on_pad(double stiffness = 240e3) {
    return plant::sampled_model({.pad_stiffness = stiffness, .pantograph = dsa, .force_filter = {.cut_off = 0.0}}, dt);
}

}  // namespace

TEST_CASE("the loop without control is stable on a soft pad only") {
    const auto radius = [](double pad) {
        return closed_loop_radius(on_pad(pad), direct_controller(), table2_interaction_mass);
    };
    CHECK(radius(15e3) < 1.0);
    CHECK(radius(100e3) > 1.0);
}

TEST_CASE("the spectral radius of the loop is its growth when it is stepped") {
    const plant::SampledModel plant = on_pad();
    const dynamics::NewmarkOscillator<double> mass(table2_interaction_mass, dt);
    Eigen::Vector3d x_i = Eigen::Vector3d::Zero(), x_i_next;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(8);
    x[2] = 1e-4;
    double before = 0.0, first = 0.0;
    const int half = 400;  // 1.28^800 is still finite
    for (int n = 0; n < 2 * half; ++n) {
        const double force = plant.force.dot(x), now = x_i[0];
        mass.step(x_i, force, x_i_next);
        x = (plant.A * x + plant.command.col(2) * before).eval();
        before = now;
        x_i = x_i_next;
        if (n == half - 1) first = x.norm();
    }
    const double growth = std::pow(x.norm() / first, 1.0 / half);
    // One oscillation more or less in the norm: a factor of at most 3 over 400 steps.
    CHECK(closed_loop_radius(plant, direct_controller(), table2_interaction_mass) == approx(growth).epsilon(3e-3));
}

TEST_CASE("a delay of any length is in the loop: its radius is the growth when rig and bus are stepped") {
    // The bus of this oracle is a queue of commands, looked up every tenth of a period.
    for (const double delay : {0.0, 0.4, 1.0, 1.5, 2.0, 3.3}) {
        plant::RigParams p{.pad_stiffness = 60e3, .pantograph = dsa, .force_filter = {.cut_off = 0.0}};
        p.command_delay = delay, p.reading_delay = 0.0;
        const auto m = plant::continuous_model(p);
        const auto tenth = linalg::zero_order_hold(m.A, m.B, 0.1 * dt);
        const dynamics::NewmarkOscillator<double> mass(table2_interaction_mass, dt);
        Eigen::Vector3d x_i = Eigen::Vector3d::Zero(), x_i_next;
        Eigen::VectorXd x = Eigen::VectorXd::Zero(m.A.rows());
        x[plant::head_height] = 1e-4;
        std::vector<double> commands;
        const int half = 1500, late = static_cast<int>(std::lround(10.0 * delay));
        double first = 0.0, second = 0.0;  // largest over a sixth of the time, so that the phase does not matter
        for (int n = 0; n < 2 * half; ++n) {
            mass.step(x_i, m.measured_force.dot(x), x_i_next);
            x_i = x_i_next;
            commands.push_back(x_i[0]);
            for (int tick = 10 * n; tick < 10 * (n + 1); ++tick) {
                const double r = tick < late ? 0.0 : commands[static_cast<std::size_t>((tick - late) / 10)];
                x = (tenth.A * x + tenth.B.col(0) * r).eval();
            }
            if (n >= half - 500 && n < half) first = std::max(first, x.norm());
            if (n >= 2 * half - 500) second = std::max(second, x.norm());
        }
        CAPTURE(delay);
        const double radius =
            closed_loop_radius(plant::sampled_model(p, dt), direct_controller(), table2_interaction_mass);
        // The largest of 500 steps misses the crest of a beat by less than a factor of 2: ln(2) / 1500.
        CHECK(radius == approx(std::pow(second / first, 1.0 / half)).epsilon(4.7e-4));
    }
}

TEST_CASE("a controller whose sizes do not agree is refused") {
    LinearController wrong = direct_controller();
    wrong.D = Eigen::RowVectorXd::Zero(3);
    CHECK_THROWS_AS((void)closed_loop_radius(on_pad(), wrong, table2_interaction_mass), SetupError);
}

}  // namespace closed_loop_test
