// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/carried_drive.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

using namespace panto;

namespace carried_drive_test {
namespace {

constexpr double pi = 3.141592653589793;

plant::DriveRigParams params() {
    return {.pantograph = {Eigen::Vector2d(7.2, 15.0), Eigen::Vector2d(10.0, 90.0), Eigen::Vector2d(4200.0, 50.0)}};
}

/// How far a carrier goes up and down, 20 mm at 1.5 Hz, never below 0.
Motion carrier(double t) {
    const double w = 2.0 * pi * 1.5;
    return {0.02 * (1.0 - std::cos(w * t)), 0.02 * w * std::sin(w * t), 0.02 * w * w * std::cos(w * t)};
}

/// The drive in air in the frame of its carrier, in which it is driven by -s'' and rests by its guide:
/// q'' = -s'' + (f - c q')/m, f' = w_c (f_cmd - f), by Runge-Kutta with ten steps a step of its controller.
/// @return largest difference of the absolute positions, m
double difference_from_relative_motion(double lift, double command) {
    plant::DriveRigParams p = params();
    p.uplift_force = lift;
    plant::DriveRig rig(p);
    const plant::LinearDrive d = plant::linear_drive(p.drive);
    const double dt = d.dt(), lag = 2.0 * pi * p.drive.current_bandwidth;
    std::array<double, 3> x{};
    double g = 0.0, worst = 0.0;
    int n = 0;
    for (int cycle = 0; cycle < 170; ++cycle) {
        CHECK(rig.step(command, [&] { return carrier(dt * n++); }) == Status::ok);
        for (int k = n - p.drive_steps; k < n; ++k) {
            const double sent = -d.gains[0] * (x[0] - command) - d.gains[1] * x[1] - d.gains[2] * x[2] - g;
            g += d.gains[3] * dt * (x[0] - command);
            const double h = 0.1 * dt;
            for (int i = 0; i < 10; ++i) {
                const auto rate = [&](const std::array<double, 3>& y, double t) {
                    return std::array{y[1], -carrier(t).acceleration + (y[2] - p.drive.damping * y[1]) / p.drive.mass,
                                      lag * (sent - y[2])};
                };
                const auto ahead = [&](const std::array<double, 3>& k_, double s) {
                    return std::array{x[0] + s * k_[0], x[1] + s * k_[1], x[2] + s * k_[2]};
                };
                const double t = dt * k + h * i;
                const auto a = rate(x, t), b = rate(ahead(a, 0.5 * h), t + 0.5 * h),
                           c = rate(ahead(b, 0.5 * h), t + 0.5 * h), e = rate(ahead(c, h), t + h);
                for (std::size_t j = 0; j < 3; ++j) x[j] += h / 6.0 * (a[j] + 2.0 * b[j] + 2.0 * c[j] + e[j]);
            }
        }
        worst = std::max(worst, std::fabs(rig.drive_state()[0] - x[0] - carrier(dt * n).height));
    }
    return worst;
}

}  // namespace

TEST_CASE("a drive on a moving carrier moves as in the carrier's frame, where its inertia drives it") {
    // 5 mm above the strip: in air. The carrier's friction is held over a step of 0.2 ms: 50 N s/m times half of what
    // 1.8 m/s^2 make of it is 9 mN, and the stiffness of the regulator some 600 kN/m.
    CHECK(difference_from_relative_motion(0.0, 5e-3) < 1e-7);
}

TEST_CASE("on a carrier at rest it is the drive without one, bit for bit") {
    plant::DriveRig alone(params()), carried(params());
    for (int k = 0; k < 50; ++k) {
        const double command = 1e-3 * std::sin(0.1 * k);
        CHECK(alone.step(command) == Status::ok);
        CHECK(carried.step(command, [] { return Motion{}; }) == Status::ok);
        CHECK(alone.drive_state() == carried.drive_state());
    }
}

TEST_CASE("robot and linear drive follow a command together, each within its reach") {
    // @rt-tested: CarriedDrive::step, CarriedDrive::stop, CarriedDrive::drive_state
    rig::CarriedDrive drives({.drive = params(), .split = {.crossover = 1.0}});
    const double dt = drives.dt();
    double worst = 0.0, farthest = 0.0;
    CHECK(test::allocations_in([&] {
              for (int k = 0; k < 2000; ++k) {
                  const double t = dt * k, slow = 0.08 * (1.0 - std::cos(2.0 * pi * 0.1 * t)),
                               fast = 2e-3 * std::sin(2.0 * pi * 4.0 * t);
                  if (drives.step(slow + fast) != Status::ok) worst = HUGE_VAL;
                  if (k < 340) continue;
                  worst = std::max(worst, std::fabs(drives.drive_state()[0] - slow - fast));
                  farthest = std::max(farthest, std::fabs(drives.fast()));
                  if (std::fabs(drives.slow().height + drives.fast() - drives.drive_state()[0]) > 1e-15)
                      worst = HUGE_VAL;
              }
          }) == 0);
    CHECK(worst < 1e-3);
    CHECK(farthest < 0.025);  // of 160 mm
    CHECK(drives.slow().height > 0.0);
}

TEST_CASE("a command that the linear drive cannot reach moves nothing, and the fault names it") {
    rig::CarriedDrive drives({.drive = params()});
    CHECK(drives.step(0.03) == Status::out_of_range);
    CHECK(rig::describe(drives.fault()).find("fast drive") != std::string::npos);
    drives.stop();
    CHECK(rig::describe(drives.fault()).find("fast drive") != std::string::npos);
    CHECK(drives.drive_state()[0] == 0.0);
    CHECK(drives.step(std::numeric_limits<double>::quiet_NaN()) == Status::not_finite);
    CHECK_THROWS_AS(rig::CarriedDrive({.drive = params(), .robot_bandwidth = 0.0}), SetupError);
}

}  // namespace carried_drive_test
