// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/free_oscillation.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

using panto::rig::FreeOscillation;

namespace free_oscillation_test {
namespace {

constexpr double dt = 2e-3;

/// 120 N, a head that rings with 20 N at 30.3 Hz and a frame that swings with 6 N at 4.1 Hz and comes to rest.
double force(double t) {
    return 120.0 + 20.0 * std::cos(190.4 * t + 0.3) + 6.0 * std::exp(-2.0 * t) * std::sin(25.8 * t);
}

}  // namespace

TEST_CASE("a strip that rings is foretold") {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise;
    std::array<double, 300> y{};
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = force(dt * static_cast<double>(i)) + noise(random);
    const FreeOscillation<> told(y);
    CHECK(told.noise() > 0.8);
    CHECK(told.noise() < 1.2);
    // Beyond the samples the error is that of some seven parameters from 300 samples of 1 N, at the end, where it is
    // twice its mean: 0.3 N.
    for (std::size_t i = y.size(); i < y.size() + 20; ++i)
        CHECK(std::fabs(told(static_cast<double>(i)) - force(dt * static_cast<double>(i))) < 1.0);
}

// @rt-tested: FreeOscillation::FreeOscillation FreeOscillation::operator() FreeOscillation::noise
TEST_CASE("noise is not taken for an oscillation") {
    std::mt19937_64 random(2);
    std::normal_distribution<double> noise;
    std::array<double, 300> y{};
    for (double& sample : y) sample = 50.0 + noise(random);
    double mean = 0.0, next = 0.0, later = 0.0, left = 0.0;
    for (const double sample : y) mean += sample / 300.0;
    CHECK(panto::test::allocations_in([&] {
              const FreeOscillation<> told(y);
              next = told(300.0), later = told(350.0);
              left = told.noise();
          }) == 0);
    CHECK(std::fabs(next - mean) < 1e-9);
    CHECK(std::fabs(later - mean) < 1e-9);
    CHECK(left > 0.9);
}

TEST_CASE("a signal that never changes stays as it is") {
    std::array<double, 20> y{};
    y.fill(7.0);
    const FreeOscillation<> told(y);
    CHECK(std::fabs(told(25.0) - 7.0) < 1e-12);
    CHECK(told.noise() < 1e-12);
}

TEST_CASE("samples that do not suffice give no number") {
    std::array<double, 20> y{};
    y[7] = std::nan("");
    const FreeOscillation<> spoiled(y);
    CHECK(std::isnan(spoiled.noise()));
    CHECK(std::isnan(spoiled(25.0)));
    std::array<double, 19> few{1.0, 2.0, 3.0};
    const FreeOscillation<> too_few(few);
    CHECK(std::isnan(too_few.noise()));
    CHECK(std::isnan(too_few(25.0)));
}

}  // namespace free_oscillation_test
