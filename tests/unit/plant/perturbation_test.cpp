// SPDX-License-Identifier: BSD-3-Clause
#include <panto/plant/perturbation.hpp>

#include "approx.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace panto;
using plant::Perturbation;

namespace perturbation_test {
namespace {

plant::RigParams two_masses() {
    return {.pad_stiffness = 240e3,
            .pantograph = {.mass = Eigen::Vector2d(6.6, 11.0),
                           .damping = Eigen::Vector2d(5.0, 70.0),
                           .stiffness = Eigen::Vector2d(7000.0, 80.0)}};
}

}  // namespace

TEST_CASE("a perturbation of zero leaves the rig as it was told") {
    CHECK(plant::difference(plant::perturbed(two_masses(), {}, 2e-3), two_masses()).empty());
}

TEST_CASE("every quantity changes what it names and nothing else") {
    const auto told = two_masses();
    const auto with = [&](double Perturbation::* quantity, double change) {
        Perturbation p;
        p.*quantity = change;
        return plant::perturbed(told, p, 2e-3);
    };
    CHECK(with(&Perturbation::pad, 0.1).pad_stiffness == test::approx(264e3));
    CHECK(with(&Perturbation::head_mass, -0.2).pantograph.mass[0] == test::approx(5.28));
    CHECK(with(&Perturbation::head_mass, -0.2).pantograph.mass[1] == 11.0);
    CHECK(with(&Perturbation::damping, 0.2).pantograph.damping[1] == test::approx(84.0));
    CHECK(with(&Perturbation::filter, 0.2).force_filter.cut_off == test::approx(120.0));
    CHECK(with(&Perturbation::delay, 5e-4).command_delay == test::approx(1.25));
    CHECK(with(&Perturbation::delay, -5e-4).command_delay == test::approx(0.75));
    CHECK(plant::difference(with(&Perturbation::delay, 5e-4), told) == "command_delay");
    CHECK(plant::difference(with(&Perturbation::pad, 0.1), told) == "pad_stiffness");
    CHECK(plant::difference(with(&Perturbation::damping, 0.2), told) == "pantograph.damping");
    // Of the motor, the frequency by 15 %; the damping ratio c / (2 sqrt(k m)) stays.
    const auto faster = with(&Perturbation::motor, 0.15).motor;
    CHECK(std::sqrt(faster.stiffness / faster.mass) ==
          test::approx(1.15 * std::sqrt(told.motor.stiffness / told.motor.mass)));
    CHECK(faster.damping / std::sqrt(faster.stiffness) ==
          test::approx(told.motor.damping / std::sqrt(told.motor.stiffness)));
}

TEST_CASE("perturbations drawn at random lie within their range, spread evenly, and come back with their seed") {
    const Perturbation range{
        .pad = 0.15, .head_mass = 0.2, .damping = 0.2, .motor = 0.15, .filter = 0.2, .delay = 5e-4};
    constexpr int n = 4000;
    for (const plant::PerturbedQuantity& q : plant::perturbed_quantities) {
        double sum = 0.0, squares = 0.0, largest = 0.0;
        for (int seed = 1; seed <= n; ++seed) {
            const double x = plant::random_perturbation(range, static_cast<unsigned>(seed)).*q.value / (range.*q.value);
            sum += x, squares += x * x, largest = std::max(largest, std::fabs(x));
        }
        CAPTURE(q.name);
        CHECK(largest <= 1.0);
        CHECK(largest > 0.99);
        // Of an even distribution: mean 0 and variance 1/3, within four standard errors.
        CHECK(std::fabs(sum / n) < 4.0 * std::sqrt(1.0 / 3.0 / n));
        CHECK(std::fabs(squares / n - 1.0 / 3.0) < 4.0 * std::sqrt(4.0 / 45.0 / n));
    }
    CHECK_THROWS_AS((void)plant::random_perturbation({.pad = std::nan("")}, 1), panto::SetupError);
    CHECK_THROWS_AS((void)plant::random_perturbation({.motor = -0.1}, 1), panto::SetupError);
    CHECK(plant::random_perturbation(range, 7).motor == plant::random_perturbation(range, 7).motor);
    CHECK(plant::random_perturbation(range, 7).motor != plant::random_perturbation(range, 8).motor);
    CHECK(plant::scaled(range, 0.5).delay == test::approx(2.5e-4));
}

TEST_CASE("a perturbation that leaves no rig is refused by its name") {
    const auto refused = [](const Perturbation& p) {
        return test::message([&] { (void)plant::perturbed(two_masses(), p, 2e-3); });
    };
    CHECK(refused({.pad = -1.0}).find("pad stiffness is changed by -1") != std::string::npos);
    CHECK(refused({.motor = NAN}).find("motor frequency") != std::string::npos);
    CHECK(refused({.delay = -3e-3}).find("command_delay is -0.5") != std::string::npos);
    CHECK_FALSE(test::message([&] { (void)plant::perturbed(two_masses(), {}, 0.0); }).empty());
}

}  // namespace perturbation_test
