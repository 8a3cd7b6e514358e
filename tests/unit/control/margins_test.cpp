// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/margins.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/pantograph/presets.hpp>

#include "message.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace panto;
using control::CutLoop;

namespace margins_test {
namespace {

constexpr double dt = 2e-3;

/// L = k / (z - 1).
CutLoop integrator(double k) {
    return {Eigen::MatrixXd::Constant(1, 1, 1.0), Eigen::VectorXd::Constant(1, 1.0),
            Eigen::RowVectorXd::Constant(1, -k), 0.0, dt};
}

plant::RigParams rig() {
    plant::RigParams r{.pad_stiffness = 240e3, .pantograph = pantograph::preset("DSA380_HiL").params};
    r.pantograph.damping[0] = 0.0;
    return r;
}

CutLoop with_gain(const CutLoop& loop, double factor) {
    CutLoop l = loop;
    l.B *= factor;
    return l;
}

}  // namespace

TEST_CASE("an integrator's margins are those worked out by hand") {
    for (const double k : {0.1, 0.5, 1.2}) {
        const auto m = control::margins(integrator(k));
        CAPTURE(k);
        CHECK(std::fabs(m.radius - std::fabs(1.0 - k)) < 1e-12);
        CHECK(m.gain_below == 0.0);
        CHECK(std::fabs(m.gain_above - 2.0 / k) < 1e-9);  // the pole 1 - g k reaches -1
        const double crossing = 2.0 * std::asin(0.5 * k), angle = 0.5 * (std::numbers::pi - crossing);
        CHECK(std::fabs(m.phase - angle) < 1e-9);
        CHECK(std::fabs(m.delay - angle / crossing * dt) < 1e-9 * m.delay);
        CHECK(std::fabs(m.disk - 2.0 * (2.0 - k) / (2.0 + k)) < 1e-9);  // at half the sampling rate
    }
}

TEST_CASE("the predictive loop loses its stability where the gain margins say") {
    const control::PredictiveLqg controller({.rig = rig()}, dt);
    const CutLoop loop = control::cut_loop(plant::sampled_model(rig(), dt), controller, {});
    const auto m = control::margins(loop, 1.0);
    CAPTURE(m.gain_below);
    CAPTURE(m.gain_above);
    CAPTURE(m.disk);
    CHECK(m.radius < 1.0);
    CHECK(control::radius(with_gain(loop, 0.999 * m.gain_above)) < 1.0);
    CHECK(control::radius(with_gain(loop, 1.001 * m.gain_above)) > 1.0);
    // A disk allows less of a gain alone than the gain margins do.
    CHECK((2.0 + m.disk) / (2.0 - m.disk) <= m.gain_above * (1.0 + 1e-9));
    CHECK(2.0 * std::atan(0.5 * m.disk) <= m.phase + 1e-9);
    CHECK(m.disk > 0.0);
}

TEST_CASE("the predictive controller is stable on rigs other than it was told") {
    const control::PredictiveLqg controller({.rig = rig()}, dt);
    std::vector<plant::RigParams> rigs;
    const auto add = [&](auto change) {
        rigs.push_back(rig());
        change(rigs.back());
    };
    for (const double s : {0.85, 1.15}) {
        add([&](auto& r) { r.pad_stiffness *= s; });
        add([&](auto& r) { r.motor.stiffness *= s * s, r.motor.damping *= s; });
    }
    for (const double s : {0.8, 1.2}) {
        add([&](auto& r) { r.pantograph.mass[0] *= s; });
        add([&](auto& r) { r.pantograph.damping *= s; });
        add([&](auto& r) { r.force_filter.cut_off *= s; });
    }
    for (const double d : {0.75, 1.25}) add([&](auto& r) { r.command_delay = d; });
    for (const auto& r : rigs) {
        CAPTURE(plant::difference(r, rig()));
        CHECK(control::radius(control::cut_loop(plant::sampled_model(r, dt), controller, {})) < 1.0);
    }
    // A whole period untold is beyond what it can bear.
    auto late = rig();
    late.command_delay = 2.0;
    CHECK(control::radius(control::cut_loop(plant::sampled_model(late, dt), controller, {})) > 1.0);
}

// As wire_response() finds them along a span at 300 km/h. The line yields most for the few steps in which a dropper or
// a node of the mesh passes; only there, and only with a motor faster than told, may the loop grow, by 6 % a step. With
// a height_noise of 1.6e-7 m, which stopped a run, it grew by 8 %.
TEST_CASE("the predictive loop is stable at every place of a span") {
    const control::PredictiveLqg controller({.rig = rig()}, dt);
    for (const control::WireResponse& wire :
         {control::WireResponse{0.55, 1.3e-3, 2e-7}, control::WireResponse{0.264, 2.3e-3, -1e-6},
          control::WireResponse{0.7, 4e-4, 1e-6}})
        for (const double s : {0.85, 1.0, 1.15}) {
            auto r = rig();
            r.motor.stiffness *= s * s, r.motor.damping *= s;
            CAPTURE(wire.a);
            CAPTURE(s);
            CHECK(control::radius(control::cut_loop(plant::sampled_model(r, dt), controller, wire)) <
                  (s > 1.0 ? 1.07 : 1.0));
        }
}

TEST_CASE("parts made for other steps and sizes that do not agree are refused") {
    const control::PredictiveLqg controller({.rig = rig()}, dt);
    const auto other_step = plant::sampled_model(rig(), 1e-3);
    CHECK_FALSE(test::message([&] { (void)control::cut_loop(other_step, controller, {}); }).empty());
    CHECK_FALSE(test::message([&] {
                    (void)control::cut_loop(plant::sampled_model(rig(), dt), controller, {.dt = 1e-3});
                }).empty());
    CutLoop loop = integrator(0.5);
    loop.C = Eigen::RowVectorXd::Zero(2);
    CHECK_FALSE(test::message([&] { (void)control::margins(loop); }).empty());
    CHECK_FALSE(test::message([&] { (void)control::margins(integrator(0.5), 250.0); }).empty());
}

}  // namespace margins_test
