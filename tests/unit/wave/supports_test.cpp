// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/spectral_radius.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/energy.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/state_space.hpp>
#include <panto/wave/string.hpp>
#include <panto/wave/supports.hpp>

#include "../../cases/wave_convergence_cases.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace supports_test {
namespace {

using namespace panto;
using namespace panto::wave;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int points = 23;
constexpr double dx = 7.5 / (points - 1), dt = 1e-4;

BeamParams<> wire(double dv, double dm) { return {1.0, dv, dm, 150.0, 15e3}; }

const auto& kinds() { return test::convergence::beam_supports(); }

using test::convergence::bump;

}  // namespace

TEST_SUITE("wave::supports") {
    TEST_CASE("without damping the discrete energy stays, between any two supports") {
        for (const auto& left : kinds())
            for (const auto& right : kinds()) {
                CAPTURE(left.first);
                CAPTURE(right.first);
                // Rounding: about the square root of 3000 steps times the machine's precision.
                CHECK(test::convergence::beam_energy_drift(left.second, right.second) <= 1e-12);
            }
        CHECK(test::convergence::string_energy_drift() <= 1e-12);
    }

    TEST_CASE("loads and damping change the energy by the work they do") {
        for (const auto& kind : kinds()) {
            CAPTURE(kind.first);
            const auto s = beam_stencil(wire(0.5, 0.02), dx, dt);
            March march(s, points, kind.second(s), kind.second(s));
            // C = (next + before)/2, rows of the ends with their share of the beam.
            const auto end = kind.second(s);
            const auto matrices = state_space(s, points, end, end);
            MatrixXd damping =
                0.5 * (matrices.E.topLeftCorner(points, points) + matrices.A.topRightCorner(points, points));
            for (int k = 0; k < 2; ++k) {
                damping.row(k) *= end.share(k);
                damping.row(points - 1 - k) *= end.share(k);
            }
            const std::array<PointLoad<>, 1> load{{{11, 100.0 / dx}}};
            double work = 0.0, spent = 0.0, largest = 0.0;
            VectorXd before = march.level(1), now = march.level(0);
            for (int n = 0; n < 500; ++n) {
                march.step(load);
                const VectorXd change = march.level(0) - before;  // two steps
                work += 0.5 * change[11] * 100.0;
                spent += 0.5 * dx * change.dot(damping * change);
                before = now;
                now = march.level(0);
                largest = std::max(largest, energy(march));
            }
            CHECK(std::abs(energy(march) - (work - spent)) <= 1e-11 * largest);  // rounding over 500 steps
            CHECK(spent > 0.01 * work);
        }
    }

    TEST_CASE("the matrices do what the march does, with loads and moving supports") {
        for (const auto& kind : kinds())
            for (const double dm : {0.0, 0.02}) {
                CAPTURE(kind.first);
                CAPTURE(dm);
                const auto s = beam_stencil(wire(0.5, dm), dx, dt);
                March march(s, points, kind.second(s), kind.second(s));
                const auto matrices = state_space(s, points, kind.second(s), kind.second(s));
                march.start(bump(), bump());
                VectorXd x(2 * points);
                x << bump(), bump();
                const VectorXd load = VectorXd::LinSpaced(points, 100.0, -200.0);
                std::array<VectorXd, 3> motion{VectorXd::Zero(2), VectorXd::Zero(2), VectorXd::Zero(2)};
                double worst = 0.0;
                for (int n = 0; n < 60; ++n) {
                    motion[2] = motion[1];
                    motion[1] = motion[0];
                    motion[0] = Eigen::Vector2d(0.1 * std::sin(0.1 * n), 0.1 * std::cos(0.07 * n));
                    march.right().set_motion(motion[0][0], motion[0][1]);
                    march.step(load);
                    VectorXd rhs = matrices.A * x + matrices.B * load;
                    for (std::size_t l = 0; l < 3; ++l) rhs += matrices.right_motion[l] * motion[l];
                    x = matrices.solved(rhs);
                    worst = std::max(worst, (x.head(points) - march.level()).norm());
                }
                CHECK(worst <= 1e-11 * x.norm());                                     // rounding over 60 steps
                CHECK(linalg::spectral_radius(matrices.transition()) <= 1.0 + 1e-7);  // free: a double eigenvalue at 1
            }
    }

    TEST_CASE("a shaker's motion enters the free points at three levels once material damping couples them") {
        const auto s = beam_stencil(wire(0.0, 0.02), dx, dt);
        const auto end = clamped(s);
        // u_{-1} = u_1 - 2 dx slope in the row of point 1, at n+1 (left), n and n-1 (right)
        CHECK(end.motion_weights(0)(1, 1) == approx(2.0 * dx * s.at(s.next, -2)));
        CHECK(end.motion_weights(1)(1, 1) == approx(-2.0 * dx * s.at(s.now, -2)));
        CHECK(end.motion_weights(2)(1, 1) == approx(-2.0 * dx * s.at(s.before, -2)));
        CHECK(end.motion_weights(1).row(0).norm() == 0.0);
    }

    TEST_CASE("a support that moves and turns with a straight wire leaves it straight") {
        // Tension alone pulls a straight line nowhere, and no bending arises: u = a + b x stays what it is.
        for (const auto& kind : kinds()) {
            CAPTURE(kind.first);
            const auto s = beam_stencil(wire(0.5, 0.02), dx, dt);
            March march(s, points, kind.second(s), kind.second(s));
            const double a = 0.3, b = kind.first == "free_end" ? 0.0 : 0.05;
            const VectorXd line = VectorXd::LinSpaced(points, a, a + b * 7.5);
            march.start(line, line);
            march.left().rest_at(a, b);
            march.right().rest_at(a + b * 7.5, -b);  // slopes count inwards
            for (int n = 0; n < 20; ++n) march.step();
            CHECK((march.level() - line).norm() <= 1e-12);
        }
    }

    TEST_CASE("a free string sways as a whole and sends back what arrives with its own sign") {
        const auto s = wave_equation_stencil(10.0, 0.1, 0.01);  // Courant number 1: exact on the grid
        const int n = 60;
        March march(s, n, free_end(s), pinned(s));
        VectorXd now = VectorXd::Zero(n), before = VectorXd::Zero(n);
        now[20] = 1.0;
        before[21] = 1.0;  // runs left, a cell a step
        march.start(now, before);
        for (int step = 0; step < 40; ++step) march.step();
        CHECK(march.level()[20] == approx(1.0));  // back at the same place, upright
        for (int step = 0; step < 78; ++step) march.step();
        CHECK(march.level()[20] == approx(-1.0));  // once more, turned over by the pin
    }

    TEST_CASE("a moving beam can be held but not mirrored") {
        const auto s = moving_beam_stencil(wire(0.0, 0.0), 60.0, dx, dt);
        CHECK_THROWS_WITH_AS((void)clamped(s), doctest::Contains("not symmetric"), SetupError);
        CHECK_THROWS_WITH_AS((void)pinned(s), doctest::Contains("wave::pinned"), SetupError);
        CHECK_THROWS_WITH_AS((void)free_end(s), doctest::Contains("wave::free_end"), SetupError);
        CHECK_NOTHROW((void)clamped_first_order(s));
    }
}

}  // namespace supports_test
