// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/eigenvalues.hpp>
#include <panto/plant/drive_rig.hpp>

#include "../../support/allocations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>

using namespace panto;
using namespace panto::plant;

namespace linear_drive_test {
namespace {

/// EN 50318:2002.
ChainParams<> two_masses() {
    return {Eigen::Vector2d(7.2, 15.0), Eigen::Vector2d(10.0, 90.0), Eigen::Vector2d(4200.0, 50.0)};
}

}  // namespace

TEST_CASE("the regulator makes poles at 40 Hz with a damping ratio of about 0.7") {
    const LinearDrive d = linear_drive({});
    const Eigen::VectorXcd z = linalg::eigenvalues(Eigen::MatrixXd(d.closed_A));
    int servo = 0, slow = 0;
    for (Eigen::Index i = 0; i < 4; ++i) {
        const std::complex<double> s = std::log(z[i]) / d.dt();
        const double frequency = std::abs(s) / (2.0 * 3.14159265358979), ratio = -s.real() / std::abs(s);
        CHECK(ratio > 0.0);
        if (std::fabs(s.imag()) > 1.0) {
            ++servo;
            CHECK(std::fabs(frequency - 40.0) < 0.1);
            CHECK(std::fabs(ratio - 0.7) < 0.01);
        } else if (frequency < 10.0) {
            ++slow;
            CHECK(std::fabs(frequency - 5.0) < 0.1);
        }
    }
    CHECK(servo == 2);
    CHECK(slow == 1);
}

TEST_CASE("a drive under load comes to where it was told, upward force or not") {
    for (const double load : {-100.0, 100.0}) {
        const LinearDrive d = linear_drive({});
        Eigen::Vector4d x = Eigen::Vector4d::Zero();
        for (int i = 0; i < 20; ++i) x = d.closed_A * x + d.closed_B * Eigen::Vector2d(0.0, load);
        CHECK(x[0] * load > 0.0);  // at first it gives way
        const Eigen::Vector2d in(0.01, load);
        for (int i = 0; i < 10000; ++i) x = d.closed_A * x + d.closed_B * in;
        CHECK(std::fabs(x[0] - 0.01) < 1e-9);
        CHECK(std::fabs(x[1]) < 1e-9);
        CHECK(std::fabs(x[2] + load) < 1e-5);
    }
}

TEST_CASE("a rig without contact is its drive") {
    DriveRigParams p{.pantograph = two_masses(), .uplift_force = 0.0};
    DriveRig rig(p);
    const auto held = held_drive(linear_drive(p.drive), p.drive_steps);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(4);
    for (int k = 0; k < 40; ++k) {
        const double r = 1e-3 * (3.0 + std::sin(0.3 * k));  // above the strip
        x = (held.A * x + held.B.col(0) * r).eval();
        REQUIRE(rig.step(r) == Status::ok);
        REQUIRE(rig.force() == 0.0);
        CHECK((rig.drive_state() - x).head<2>().norm() < 1e-12);
    }
}

TEST_CASE("drive and pantograph rest against each other, less what the lowest spring takes") {
    DriveRig rig({.pantograph = two_masses()});
    // Springs in series from the drive to the ground: u_2 = lift / (50 + 1 / (1 / 4200 + 1 / 10e3)), F = lift - 50 u_2.
    const double series = 1.0 / (1.0 / 4200.0 + 1.0 / 10e3), u2 = 120.0 / (50.0 + series);
    CHECK(std::fabs(rig.force() - (120.0 - 50.0 * u2)) < 1e-9);
    const double force = rig.force();
    for (int k = 0; k < 100; ++k) REQUIRE(rig.step(0.0) == Status::ok);
    CHECK(std::fabs(rig.force() - force) < 1e-6);
    CHECK(std::fabs(rig.drive_state()[0]) < 1e-9);
    // A drive that moves up leaves the strip; one that moves down presses.
    DriveRig down = rig;
    REQUIRE(rig.step(1e-3) == Status::ok);
    CHECK(rig.force() < force - 1.0);
    REQUIRE(down.step(-1e-3) == Status::ok);
    CHECK(down.force() > force + 1.0);
}

TEST_CASE("steps take no memory; what makes no sense is refused") {
    DriveRig rig({.pantograph = two_masses()});
    // @rt-tested: DriveRig::step, DriveRig::force, DriveRig::drive_state, DriveRig::set_uplift_force
    CHECK(panto::test::allocations_in([&] {
              static_cast<void>(rig.step(1e-3));
              static_cast<void>(rig.force());
              static_cast<void>(rig.drive_state());
              rig.set_uplift_force(130.0);
          }) == 0);
    const double before = rig.drive_state()[0];
    CHECK(rig.step(std::numeric_limits<double>::quiet_NaN()) == Status::not_finite);
    CHECK(rig.drive_state()[0] == before);
    DriveRig lifted({.pantograph = two_masses()});
    const double resting = lifted.force();
    lifted.set_uplift_force(std::numeric_limits<double>::quiet_NaN());
    CHECK(lifted.step(0.0) == Status::not_finite);
    CHECK(lifted.force() == resting);
    CHECK_THROWS_AS(DriveRig({.drive = {.mass = 0.0}, .pantograph = two_masses()}), SetupError);
    CHECK_THROWS_AS(DriveRig({.drive = {.rate = 100.0}, .pantograph = two_masses()}), SetupError);
    CHECK_THROWS_AS(DriveRig({.drive = {.current_bandwidth = 50.0}, .pantograph = two_masses()}), SetupError);
    CHECK_THROWS_AS(DriveRig({.pantograph = two_masses(), .contact_stiffness = -1.0}), SetupError);
    CHECK_THROWS_AS(DriveRig({.pantograph = two_masses(), .drive_steps = 0}), SetupError);
    CHECK_THROWS_AS(DriveRig({}), SetupError);
}

}  // namespace linear_drive_test
