// SPDX-License-Identifier: BSD-3-Clause
#include <panto/wave/beam.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/string.hpp>

#include "../../support/approx.hpp"
#include "golden_json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace dispersion_test {
namespace {

using namespace panto;
using namespace panto::wave;
using std::numbers::pi;

const BeamParams<> wire{.mass_per_length = 1.0, .bending_stiffness = 150.0, .tension = 15e3};
const BeamParams<> contact_wire{.mass_per_length = 1.35,
                                .viscous_damping = 0.5,
                                .material_damping = 1e-3,
                                .bending_stiffness = 150.0,
                                .tension = 20e3};
constexpr double dx = 0.05;

nlohmann::json golden(const char* name) { return test::golden("waves_and_identification.json").at(name).at("value"); }

}  // namespace

TEST_SUITE("wave::dispersion") {
    TEST_CASE("the largest step of the closed form is golden, and the roots change sides there") {
        const double dt = beam_largest_step(wire, dx);
        CHECK(dt == approx(golden("dt_max").get<double>()).epsilon(1e-13));
        CHECK(is_stable(beam_stencil(wire, dx, dt)));
        CHECK_FALSE(is_stable(beam_stencil(wire, dx, dt * (1.0 + 1e-12))));
        // "At 9.95e-5 s max|tau| = 1.219"
        CHECK(growth_factor(beam_stencil(wire, dx, 9.95e-5)) == approx(1.219).epsilon(1e-3));
    }

    TEST_CASE("bisection finds the closed form, whatever the damping") {
        const double closed = beam_largest_step(wire, dx);
        for (const double dm : {0.0, 0.5, 50.0})
            for (const double dv : {0.0, 100.0}) {
                CAPTURE(dm);
                CAPTURE(dv);
                BeamParams<> p = wire;
                p.material_damping = dm;
                p.viscous_damping = dv;
                const auto family = [&](double dt) { return beam_stencil(p, dx, dt); };
                // Heavily damped roots meet slowly at -1: the verdict is sharp to rounding over their distance only.
                CHECK(largest_stable_step(family, 1e-3) == approx(closed).epsilon(1e-10));
                CHECK(largest_stable_step(family(1e-6)) == approx(closed).epsilon(1e-10));
            }
        const auto string = string_stencil(BeamParams<>{.tension = 100.0}, 0.5, 1e-3);
        CHECK(largest_stable_step(string) == approx(0.05).epsilon(1e-12));  // Courant number 1
        // Coriolis terms widen the bound: 12.56 ms at rest, 14.4 ms at 60 m/s (methods F: dx = 60/39, T - rA v^2 with
        // it)
        const BeamParams<> paper{.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 20e3};
        CHECK(largest_stable_step(moving_beam_stencil(paper, 60.0, 60.0 / 39, 1e-3)) >
              largest_stable_step(moving_beam_stencil(paper, 0.0, 60.0 / 39, 1e-3)));
    }

    TEST_CASE("a scheme without a stable step says so") {
        const auto backward = moving_beam_stencil(contact_wire, 60.0, 0.25, 2e-4, -0.05);
        CHECK_THROWS_WITH_AS((void)largest_stable_step(backward), doctest::Contains("no step is stable"), SetupError);
    }

    TEST_CASE("phases of the undamped beam are golden and obey the corrected relation") {
        const double dt = 9.9e-5;
        const auto s = beam_stencil(wire, dx, dt);
        const auto wanted = golden("ddr_phase");
        const auto lambda_mu = golden("lambda_mu");
        const double lambda = wire.tension * dt * dt / (dx * dx),
                     mu = wire.bending_stiffness * dt * dt / std::pow(dx, 4);
        CHECK(lambda == approx(lambda_mu[0].get<double>()).epsilon(1e-12));
        CHECK(mu == approx(lambda_mu[1].get<double>()).epsilon(1e-12));
        for (std::size_t m = 0; m <= 10; ++m) {
            const double theta = static_cast<double>(m) * pi / 10.0, found = phase(s, theta);
            // 1e-12 of the sheet; at theta = pi the two roots nearly meet and lose half the digits that separate them.
            CHECK(found == approx(wanted[m].get<double>()).epsilon(1e-12));
            const double sine = std::sin(0.5 * theta);
            CHECK(std::pow(std::sin(0.5 * found), 2) ==
                  approx(lambda * sine * sine + 4.0 * mu * std::pow(sine, 4)).epsilon(1e-12));
        }
    }

    TEST_CASE("roots of a general stencil satisfy the row they came from") {
        for (const auto& s : {moving_beam_stencil(contact_wire, 60.0, 0.25, 2e-4, 0.3),
                              beam_stencil(BeamParams<>{1.0, 20.0, 0.5, 150.0, 15e3}, dx, 8e-5)})
            for (const double theta : {-2.0, 1e-6, 0.3, 3.0}) {
                CAPTURE(theta);
                std::complex<double> next = 0.0, now = 0.0, before = 0.0;
                for (int j = -2; j <= 2; ++j) {
                    const auto e = std::polar(1.0, j * theta);
                    next += s.at(s.next, j) * e, now += s.at(s.now, j) * e, before += s.at(s.before, j) * e;
                }
                const Modes m = modes(s, theta);
                for (const auto tau : {m.left, m.right})
                    CHECK(std::abs(next * tau * tau - now * tau - before) <= 1e-13 * std::abs(next));
                CHECK(std::abs(m.left * m.right + before / next) <= 1e-13);  // Vieta: these are both of them
            }
    }

    TEST_CASE("growth factors of damped and moving beams are golden") {
        const auto damped = golden("tau_max_damped");
        const WaveGrid grid{.lowest = pi / 100.0, .points = 100};
        const auto growth = [&](double dv, double dm, double step, double cell) {
            return growth_factor(beam_stencil(BeamParams<>{1.0, dv, dm, 150.0, 15e3}, cell, step), grid);
        };
        CHECK(growth(0.5, 0.02, 1e-4, 7.5 / 22) == approx(damped[0].get<double>()).epsilon(1e-10));
        CHECK(growth(0.0, 0.5, 9e-5, 0.05) == approx(damped[1].get<double>()).epsilon(1e-10));
        CHECK(growth(0.0, 0.5, 1.2e-4, 0.05) == approx(damped[2].get<double>()).epsilon(1e-10));

        const auto moving = golden("mov_max_tau");
        const WaveGrid open{.lowest = pi / 100.0, .points = 99};
        const std::vector<std::pair<double, double>> cases{{60.0, 0.0}, {60.0, -0.05}, {200.0, 0.0}};
        for (std::size_t i = 0; i < cases.size(); ++i) {
            CAPTURE(i);
            const auto s = moving_beam_stencil(contact_wire, cases[i].first, 0.25, 2e-4, cases[i].second);
            double largest = 0.0;
            for (int m = 1; m < 100; ++m) {
                const Modes both = modes(s, m * pi / 100.0);
                largest = std::max({largest, std::abs(both.left), std::abs(both.right)});
            }
            CHECK(largest == approx(moving[i].get<double>()).epsilon(1e-9));
        }
        CHECK(open.theta(0) == approx(pi / 100.0));
        CHECK(WaveGrid::of_cells(22).theta(21) == approx(pi));
    }

    TEST_CASE("upwind differences damp only in the direction of travel") {
        for (const double v : {60.0, -60.0}) {
            const double central = growth_factor(moving_beam_stencil(contact_wire, v, 0.25, 2e-4));
            CHECK(growth_factor(moving_beam_stencil(contact_wire, v, 0.25, 2e-4, std::copysign(0.3, v))) < central);
            CHECK(growth_factor(moving_beam_stencil(contact_wire, v, 0.25, 2e-4, std::copysign(0.3, -v))) > 1.01);
        }
    }

    TEST_CASE("no wave of an undamped wire gains or loses, at rest or moving") {
        CHECK(std::abs(growth_factor(beam_stencil(wire, dx, 9.9e-5)) - 1.0) <= 1e-14);
        BeamParams<> p = contact_wire;
        p.viscous_damping = p.material_damping = 0.0;
        CHECK(std::abs(growth_factor(moving_beam_stencil(p, 60.0, 0.25, 2e-4)) - 1.0) <= 1e-14);
    }

    TEST_CASE("of pure material damping the lowest wave decides") {
        // lambda = -dm k^4 / 2 rA, and growth = e^{lambda dt}
        const BeamParams<> p{1.0, 0.0, 0.02, 150.0, 15e3};
        const double step = 5e-5;
        for (const int cells : {22, 100}) {
            const double k = pi / (cells * dx);
            const double rate = std::log(growth_factor(beam_stencil(p, dx, step), WaveGrid::of_cells(cells))) / step;
            CHECK(rate == approx(-0.01 * std::pow(k, 4)).epsilon(0.01));  // D4 differs from k^4 by (k dx)^2/6
        }
    }

    TEST_CASE("group velocity is the slope of the phase") {
        const auto at_rest = beam_stencil(wire, dx, 9.9e-5);
        const auto moving = moving_beam_stencil(contact_wire, 60.0, 0.25, 2e-4);
        const auto slope = [](const auto& s, double theta, bool left) {
            const double h = 1e-4;  // truncation h^2, rounding 1e-16/h: 1e-8 and 1e-12
            const auto value = [&](double t) { return std::arg(left ? modes(s, t).left : modes(s, t).right); };
            return -(8.0 * (value(theta + h) - value(theta - h)) - (value(theta + 2 * h) - value(theta - 2 * h))) /
                   (12.0 * h) * s.dx / s.dt;
        };
        for (const double theta : {0.05, 0.7, 2.5})
            for (const bool left : {true, false}) {
                CAPTURE(theta);
                CAPTURE(left);
                const auto pick = [&](const Modes& m) { return left ? m.left : m.right; };
                CHECK(group_velocity(at_rest, theta, pick(modes(at_rest, theta))) ==
                      approx(slope(at_rest, theta, left)).epsilon(1e-9));
                CHECK(group_velocity(moving, theta, pick(modes(moving, theta))) ==
                      approx(slope(moving, theta, left)).epsilon(1e-9));
            }
        // On a long wave it is the wire's own speed, seen from the moving frame.
        const double c = std::sqrt(20e3 / 1.35);
        const auto undamped =
            moving_beam_stencil(BeamParams<>{.mass_per_length = 1.35, .tension = 20e3}, 60.0, 0.25, 2e-4);
        const Modes m = modes(undamped, 1e-3);
        CHECK(group_velocity(undamped, 1e-3, m.left) == approx(-c - 60.0).epsilon(1e-6));
        CHECK(group_velocity(undamped, 1e-3, m.right) == approx(c - 60.0).epsilon(1e-6));
    }

    TEST_CASE("the grid's phase tends to the continuum's, damped and moving as well") {
        for (const double v : {0.0, 60.0}) {
            CAPTURE(v);
            double last = 0.0;
            for (const int refinement : {1, 2, 4}) {
                const double cell = 0.2 / refinement, step = 1e-4 / refinement, k = 2.0;
                const auto tau = modes(moving_beam_stencil(contact_wire, v, cell, step), k * cell).left;
                const std::complex<double> omega = std::log(tau) / std::complex<double>(0.0, step);
                const double error = std::abs(omega - beam_frequency(contact_wire, k, v));
                if (refinement > 1) CHECK(last / error == approx(4.0).epsilon(0.05));
                last = error;
            }
        }
    }

    TEST_CASE("points per wavelength inside the grid as Publication B counts them") {
        const double dt = beam_largest_step(wire, dx);
        const auto s = beam_stencil(wire, dx, dt);
        const auto exact = [&](double theta) { return beam_frequency(wire, theta / dx).real() * dt; };
        CHECK(std::abs(points_per_wavelength(s, exact) - golden("ppw").at("interior").get<double>()) <= 0.002);
        CHECK(std::abs(points_per_wavelength(s, exact, 0.05, PhaseError::relative) - 7.04) <= 0.005);
        CHECK(points_per_wavelength(s, exact, 0.9) == 2.0);
    }

    TEST_CASE("what makes no sense is refused by name") {
        const auto s = beam_stencil(wire, dx, 9e-5);
        CHECK_THROWS_WITH_AS((void)growth_factor(s, WaveGrid{0.0, 10}), doctest::Contains("lowest is 0"), SetupError);
        CHECK_THROWS_WITH_AS((void)growth_factor(s, WaveGrid{0.1, 0}), doctest::Contains("points is 0"), SetupError);
        CHECK_THROWS_AS((void)retimed(s, 0.0), SetupError);
        CHECK_THROWS_AS((void)points_per_wavelength(s, [](double t) { return t; }, -1.0), SetupError);
        CHECK_THROWS_AS((void)beam_frequency(wire, std::numeric_limits<double>::quiet_NaN()), SetupError);
    }

    TEST_CASE("what is no number is not called stable, fine enough or still") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const auto s = beam_stencil(wire, dx, 9e-5);
        auto broken = s;
        broken.now[1] = nan;
        const auto identity = [](double theta) { return theta; };
        CHECK_THROWS_WITH_AS((void)growth_factor(broken), doctest::Contains("a weight of the stencil is nan"),
                             SetupError);
        CHECK_THROWS_AS((void)growth_factor(Stencil<>{}), SetupError);
        CHECK_THROWS_AS((void)is_stable(Stencil<>{}), SetupError);
        CHECK_THROWS_AS((void)largest_stable_step(broken), SetupError);
        CHECK_THROWS_AS((void)points_per_wavelength(broken, identity), SetupError);
        CHECK_THROWS_WITH_AS((void)points_per_wavelength(s, [=](double) { return nan; }),
                             doctest::Contains("exact(0.00157079633) must be finite, got nan"), SetupError);
        CHECK_THROWS_WITH_AS((void)points_per_wavelength(
                                 s, [](double) { return 0.0; }, 0.05, PhaseError::relative),
                             doctest::Contains("is 0, a relative error needs"), SetupError);
        CHECK_THROWS_WITH_AS((void)phase(s, nan), doctest::Contains("theta must be finite, got nan"), SetupError);
        CHECK_THROWS_WITH_AS((void)group_velocity(s, 0.0, modes(s, 0.0).left), doctest::Contains("theta is 0"),
                             SetupError);
        CHECK_THROWS_WITH_AS((void)beam_frequency(wire, 1e200), doctest::Contains("wave_number is 1e+200"), SetupError);
    }
}

}  // namespace dispersion_test
