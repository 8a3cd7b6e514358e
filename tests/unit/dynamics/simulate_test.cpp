// SPDX-License-Identifier: BSD-3-Clause
#include <panto/dynamics/newmark.hpp>
#include <panto/dynamics/simulate.hpp>
#include <panto/pantograph/lumped.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace panto;

namespace {

/// Counts down and fails at 0; sizes are known only at run time, as its status says.
struct Countdown {
    struct Nothing {};
    using State = int;
    using Input = Nothing;
    using Output = int;
    Status step(const State& x, const Input&, State& next) const noexcept {
        next = x - 1;
        return x > 0 ? Status::ok : Status::out_of_range;
    }
    Status output(const State& x, const Input&, Output& y) const noexcept { return y = x, Status::ok; }
    double dt() const noexcept { return 1.0; }
};

}  // namespace

TEST_CASE("an oscillator released from rest under a constant force swings between 0 and twice its deflection") {
    // Undamped: u = F/k (1 - cos(w t)); a hundred steps a period, so that Newmark's rule is within 1e-3 in frequency.
    const double k = 100.0, m = 1.0, w = std::sqrt(k / m), dt = 2.0 * std::numbers::pi / w / 100.0;
    const dynamics::NewmarkOscillator<> oscillator({m, 0.0, k}, dt);
    using Oscillator = dynamics::NewmarkOscillator<>;
    Oscillator::State x = oscillator.state(0.0, 0.0, 1.0);
    std::vector<double> height;
    const auto status = dynamics::simulate(
        oscillator, x, 100, [](int) { return Oscillator::Input(1.0); },
        [&](const Oscillator::Output& y) { height.push_back(y); });
    CHECK(status == Status::ok);
    REQUIRE(height.size() == 100);
    CHECK(std::abs(height[49] - 2.0 / k) < 1e-3 * 2.0 / k);
    CHECK(std::abs(height[99]) < 1e-3 * 2.0 / k);
}

TEST_CASE("a simulation ends at the first step that fails, in the state before it") {
    int x = 3;
    std::vector<int> seen;
    const auto status = dynamics::simulate(
        Countdown{}, x, 10, [](int) { return Countdown::Input{}; }, [&](int y) { seen.push_back(y); });
    CHECK(status == Status::out_of_range);
    CHECK(x == 0);
    CHECK(seen == std::vector<int>{2, 1, 0});
}

TEST_CASE("the input of step k is input(k)") {
    const pantograph::Lumped<double, 1> mass(
        {Eigen::Matrix<double, 1, 1>(2.0), Eigen::Matrix<double, 1, 1>(0.0), Eigen::Matrix<double, 1, 1>(0.0)}, 1e-2);
    auto x = mass.at_rest();
    double speed = 0.0;
    // A pulse of 1 N at the end of step 2 alone: by the trapezoidal rule half of it acts in step 2 and half in step 3.
    const auto pulse = [](int k) {
        pantograph::Lumped<double, 1>::Input u{};
        u.uplift_force = k == 2 ? 1.0 : 0.0;
        return u;
    };
    std::vector<double> speeds;
    CHECK(dynamics::simulate(mass, x, 5, pulse, [&](const auto& y) { speeds.push_back(speed = y.speed); }) ==
          Status::ok);
    CHECK(speeds[1] == 0.0);
    CHECK(std::abs(speeds[2] - 0.5 * 1e-2 / 2.0) < 1e-15);
    CHECK(std::abs(speeds[4] - 1e-2 / 2.0) < 1e-15);
}
