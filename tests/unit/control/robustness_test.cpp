// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/lqg.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/control/robustness.hpp>
#include <panto/pantograph/presets.hpp>

#include "approx.hpp"
#include "message.hpp"

#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

using namespace panto;
using control::CutLoop;
using test::approx;

namespace robustness_test {
namespace {

constexpr double dt = 2e-3;
const auto mass = control::table2_interaction_mass;

plant::RigParams told(double pad = 240e3) {
    return {.pad_stiffness = pad, .pantograph = pantograph::preset("DSA380_HiL").params};
}

CutLoop direct_loop(const plant::SampledModel& rig) {
    return control::cut_loop(rig, control::direct_controller(), mass);
}

/// Spectral radius with a complex gain on the command.
double radius_with(const CutLoop& loop, std::complex<double> gain) {
    const Eigen::MatrixXcd closed = loop.A + gain * (loop.B * loop.C);
    return Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(closed, false).eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("a loop cut at the command answers as mass, rig and controller do step by step") {
    for (const double command_delay : {0.0, 1.0, 1.25}) {
        CAPTURE(command_delay);
        plant::RigParams rig = told();
        rig.command_delay = command_delay;
        const auto model = plant::sampled_model(rig, dt);
        const control::LinearController lqg = control::Lqg({.rig = rig}, dt).linear_model();
        const CutLoop loop = control::cut_loop(model, lqg, mass);
        const dynamics::NewmarkOscillator<double> oscillator(mass, dt);
        Eigen::VectorXd all = Eigen::VectorXd::Zero(loop.A.rows()), x = Eigen::VectorXd::Zero(model.size()),
                        memory = Eigen::VectorXd::Zero(lqg.A.rows());
        Eigen::Vector3d x_i = Eigen::Vector3d::Zero();
        std::vector<double> commands;
        for (int t = 0; t < 40; ++t) {
            Eigen::VectorXd y(5);
            y.head(2) << x[plant::motor_height], model.force.dot(x);
            x_i = oscillator.A() * x_i + oscillator.B() * y[1];
            y.tail(3) = x_i;
            CHECK(loop.C.dot(all) == approx(lqg.C.dot(memory) + lqg.D.dot(y)).epsilon(1e-9));
            memory = (lqg.A * memory + lqg.B * y).eval();
            commands.push_back(1e-3 * std::sin(1.7 * t * t));
            x = (model.A * x).eval();
            for (Eigen::Index j = 0; j < model.command.cols() && j <= t; ++j)
                x += model.command.col(j) * commands[static_cast<std::size_t>(t - j)];
            all = (loop.A * all + loop.B * commands.back()).eval();
        }
        CHECK(all.norm() > 1e-4);
    }
}

TEST_CASE("a perturbation of zero gives the radius of the rig as told, one of delay that of the later rig") {
    const plant::RigParams rig = told();
    // [margins_over]
    const control::PredictiveLqg controller({.rig = rig}, dt);
    const auto loop = [&](const plant::SampledModel& actual) { return control::cut_loop(actual, controller, {}); };
    const std::vector<plant::Perturbation> later{{}, {.delay = 2e-3}};  // as told, and one period later than told
    const std::vector<control::Margins> m = control::margins_over(rig, later, dt, loop);
    // [margins_over]
    CHECK(m[0].radius == control::radius(loop(plant::sampled_model(told(), dt))));
    CHECK(control::settles(m[0].radius));
    plant::RigParams late = told();
    late.command_delay += 1.0;
    CHECK(std::fabs(m[1].radius - control::radius(loop(plant::sampled_model(late, dt)))) < 1e-9);
    CHECK_FALSE(control::settles(m[1].radius));
}

// The least gain that makes the loop unstable, by eigenvalues: on the circle of gains of 0.98 times the disk margin the
// loop settles with every one, on that of 1.02 times it does not. 240 gains leave an error of (2 pi / 480)^2 / 2.
TEST_CASE("the disk margin is that found by trying complex gains" * doctest::test_suite("long")) {
    const control::Lqg lqg({.rig = told()}, dt);
    const CutLoop loop = control::cut_loop(plant::sampled_model(told(), dt), lqg, mass);
    const double alpha = control::margins(loop).disk;
    REQUIRE(alpha > 0.1);
    const auto worst = [&](double size, int n) {
        double most = 0.0;
        for (int i = 0; i < n; ++i) {
            const std::complex<double> d = 0.5 * size * std::polar(1.0, 2.0 * std::numbers::pi * i / n);
            most = std::max(most, radius_with(loop, (1.0 - d) / (1.0 + d)));
        }
        return most;
    };
    CHECK(worst(0.98 * alpha, 240) < 1.0);
    CHECK(worst(0.5 * alpha, 24) < 1.0);
    CHECK(worst(1.02 * alpha, 240) > 1.0);
}

TEST_CASE("without control the pad may be as stiff as the paper's loop allows: 40.4 kN/m" *
          doctest::test_suite("long")) {
    plant::RigParams rig = told(20e3);
    rig.force_filter.cut_off = 0.0;
    const double factor = control::largest_perturbation(rig, {.pad = 1.0}, dt, direct_loop, 3.0);
    CHECK(std::fabs(20.0 * (1.0 + factor) - 40.4) < 0.05);  // kN/m, known to three digits (docs/control.md)
    CHECK(control::largest_perturbation(rig, {.pad = 1.0}, dt, direct_loop, 0.5) == 0.5);
    rig.pad_stiffness = 240e3;
    CHECK(control::largest_perturbation(rig, {.pad = 0.5}, dt, direct_loop) == 0.0);
    const auto loop = [](const plant::RigParams& r) {
        require(r.pad_stiffness > 2e3, "test", "no design");
        return direct_loop(plant::sampled_model(r, dt));
    };
    const auto parts = control::settling_pads(rig, 1e3, 1e6, loop, 61);  // in steps of 12 %
    REQUIRE(parts.size() == 1);
    CHECK(parts[0].first > 2e3);
    CHECK(parts[0].first < 2.3e3);
    CHECK(parts[0].second < 40.5e3);
    CHECK(parts[0].second > 40.3e3 / 1.13);

    const std::string refused =
        test::message([&] { control::require_settles(rig, loop, "my rig", "no controller", "Take a softer pad"); });
    CHECK(refused.find("my rig: no controller does not settle on a pad of 240000 N/m") == 0);
    CHECK(refused.find(" kN/m. Take a softer pad") != std::string::npos);
    // There are designs above 2 kN/m, and up to 40.4 kN/m they settle: of the pads tried, 10^(n/10) kN/m, from 2.512 to
    // 39.81, and with the margin from 3.163, rounded up, to 31.62.
    CHECK(refused.find("settles on these pads: 3.163 to 31.62 kN/m. ") != std::string::npos);
    rig.pad_stiffness = 20e3;
    control::require_settles(rig, loop, "my rig", "no controller");
    control::require_settles(rig, loop, "my rig", "no controller", "", 20e3);
    const std::string tried = test::message(
        [&] { control::require_settles(rig, loop, "my rig", "no controller", "Take a softer pad", 15e3); });
    CHECK(tried.find(
              "my rig: no controller settles on a pad of 20000 N/m, but its runs on pads above 15000 N/m ended in a "
              "fault. On this rig it settles on these pads: ") == 0);
    CHECK(tried.find(" to 15 kN/m. Take a softer pad") != std::string::npos);
}

TEST_CASE("ranges of pads are shown in words, and impossible requests are refused") {
    using Parts = std::vector<std::pair<double, double>>;
    CHECK(control::shown_pads(Parts{{5e3, 31e3}, {80e3, 80e3}}, 1e3, 1e6) == "5 to 31 and 80 kN/m");
    CHECK(control::shown_pads(Parts{{5.00001e3, 31.62278e3}}, 1e3, 1e6) == "5.001 to 31.62 kN/m");  // inward
    CHECK(control::shown_pads(Parts{{5e3, 39.81699e3}}, 1e3, 1e6) == "5 to 39.81 kN/m");
    const Parts inner = control::inner_pads(Parts{{1e3, 40e3}, {90e3, 100e3}, {300e3, 1e6}}, 1e3, 1e6, 1.25);
    REQUIRE(inner.size() == 2);
    CHECK(inner[0].first == 1e3);
    CHECK(inner[0].second == approx(32e3));
    CHECK(inner[1].first == approx(375e3));
    CHECK(inner[1].second == 1e6);
    CHECK(control::shown_pads({}, 1e3, 1e6) == "none from 1 to 1000 kN/m");
    const auto loop = [](const plant::RigParams& r) { return direct_loop(plant::sampled_model(r, dt)); };
    CHECK_FALSE(test::message([&] { (void)control::settling_pads(told(), 2e3, 1e3, loop); }).empty());
    CHECK_FALSE(test::message([&] { (void)control::settling_pads(told(), 2e3, HUGE_VAL, loop); }).empty());
    CHECK_FALSE(test::message([&] { (void)control::settling_pads(told(), 1e3, 2e3, loop, 1); }).empty());
    CHECK_FALSE(test::message([&] {
                    (void)control::largest_perturbation(told(), {.pad = -1.0}, dt, direct_loop, 1.5);
                }).empty());
    control::LinearController three = control::direct_controller();
    three.D.resize(3);
    CHECK_FALSE(test::message([&] { (void)control::cut_loop(plant::sampled_model(told(), dt), three, mass); }).empty());
    const control::Lqg other({.rig = told()}, 1e-3);
    CHECK_FALSE(test::message([&] { (void)control::cut_loop(plant::sampled_model(told(), dt), other, mass); }).empty());
}

}  // namespace robustness_test
