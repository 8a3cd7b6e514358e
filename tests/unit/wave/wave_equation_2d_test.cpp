// SPDX-License-Identifier: BSD-3-Clause
#include <panto/wave/wave_equation_2d.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace wave_equation_2d_test {
namespace {

using namespace panto;
using wave::WaveEquation2d;
using Grid = WaveEquation2d::Grid;

const WaveEquation2d membrane({.speed = 10.0, .dx = 0.05, .dy = 0.04, .dt = 1e-3});

}  // namespace

TEST_SUITE("wave::wave_equation_2d") {
    TEST_CASE("a wave that obeys the dispersion relation passes the interior step unchanged") {
        for (const auto& [tx, ty] : {std::array{0.3, 0.2}, std::array{2.0, -1.1}, std::array{0.0, 3.0}}) {
            const double phase = membrane.phase(tx, ty);
            const auto at = [&, x = tx, y = ty](double n) {
                Grid u(8, 9);
                for (int k = 0; k < 8; ++k)
                    for (int l = 0; l < 9; ++l) u(k, l) = std::cos(x * k + y * l + phase * n);
                return u;
            };
            Grid next = at(-1.0);
            membrane.step_interior(at(0.0), next);
            CHECK((next - at(1.0)).block(1, 1, 6, 7).abs().maxCoeff() <= 1e-14);
            // The frame is left to the ends.
            CHECK((next - at(-1.0)).row(0).abs().maxCoeff() == 0.0);
            CHECK((next - at(-1.0)).col(8).abs().maxCoeff() == 0.0);
        }
    }

    TEST_CASE("packets of long waves travel at c along their wave vector") {
        const auto v = membrane.group_velocity(0.001 * 0.05 * std::cos(0.4), 0.001 * 0.04 * std::sin(0.4));
        CHECK(v[0] == approx(10.0 * std::cos(0.4)).epsilon(1e-8));
        CHECK(v[1] == approx(10.0 * std::sin(0.4)).epsilon(1e-8));
        const double h = 1e-5;
        const auto short_wave = membrane.group_velocity(1.2, 0.7);
        CHECK(short_wave[0] ==
              approx((membrane.phase(1.2 + h, 0.7) - membrane.phase(1.2 - h, 0.7)) / (2 * h) * 0.05 / 1e-3)
                  .epsilon(1e-8));
        CHECK(membrane.group_velocity(0.0, 0.0)[0] == 0.0);
    }

    TEST_CASE("wave numbers are found back from phase and direction") {
        const auto theta = membrane.wave_numbers(0.15, 0.4);
        CHECK(membrane.phase(theta[0], theta[1]) == approx(0.15).epsilon(1e-13));
        CHECK(std::atan2(theta[1] / 0.04, theta[0] / 0.05) == approx(0.4).epsilon(1e-13));
        CHECK_THROWS_WITH_AS((void)membrane.wave_numbers(3.0, 0.4), doctest::Contains("phase_per_step is 3"),
                             SetupError);
    }

    TEST_CASE("the largest step is the one at which the shortest wave turns by half a circle") {
        const wave::WaveEquation2dParams p{.speed = 10.0, .dx = 0.05, .dy = 0.04, .dt = 1e-3};
        auto fastest = p;
        fastest.dt = WaveEquation2d::largest_step(p);
        CHECK(WaveEquation2d(fastest).phase(std::numbers::pi, std::numbers::pi) ==
              approx(std::numbers::pi).epsilon(1e-7));
        fastest.dt *= 1.0 + 1e-12;
        CHECK_THROWS_WITH_AS(WaveEquation2d{fastest}, doctest::Contains("largest stable step is 0.0031234"),
                             SetupError);
    }

    TEST_CASE("a step takes no memory") {
        // @rt-tested: WaveEquation2d::step_interior
        Grid now = Grid::Random(20, 30), next = Grid::Random(20, 30);
        CHECK(test::allocations_in([&] { membrane.step_interior(now, next); }) == 0);
    }

    TEST_CASE("what makes no sense is refused by name") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        CHECK_THROWS_WITH_AS(WaveEquation2d({.speed = -1.0, .dt = 0.1}),
                             doctest::Contains("speed must be finite and > 0, got -1"), SetupError);
        CHECK_THROWS_WITH_AS(WaveEquation2d({.dx = nan, .dt = 0.1}),
                             doctest::Contains("dx must be finite and > 0, got nan"), SetupError);
        CHECK_THROWS_WITH_AS(WaveEquation2d({.dy = 0.0, .dt = 0.1}),
                             doctest::Contains("dy must be finite and > 0, got 0"), SetupError);
        CHECK_THROWS_WITH_AS(WaveEquation2d({}), doctest::Contains("dt must be finite and > 0, got 0"), SetupError);
        CHECK_THROWS_WITH_AS((void)WaveEquation2d::largest_step({.speed = 0.0}),
                             doctest::Contains("speed must be finite and > 0, got 0"), SetupError);
        CHECK_THROWS_WITH_AS((void)membrane.phase(nan, 0.0), doctest::Contains("theta_x must be finite, got nan"),
                             SetupError);
        CHECK_THROWS_WITH_AS((void)membrane.group_velocity(0.1, nan),
                             doctest::Contains("theta_y must be finite, got nan"), SetupError);
    }

    TEST_CASE("grids that do not fit are left as they are") {
        const auto refused = [](const Grid& now, Grid next) {
            const Grid before = next;
            CHECK(membrane.step_interior(now, next) == Status::out_of_range);
            CHECK((next == before).all());
        };
        refused(Grid::Ones(2, 5), Grid::Ones(2, 5));
        refused(Grid::Ones(5, 2), Grid::Ones(5, 2));
        refused(Grid::Ones(0, 0), Grid::Ones(0, 0));
        refused(Grid::Ones(5, 6), Grid::Ones(6, 6));
        refused(Grid::Ones(5, 6), Grid::Ones(5, 5));
    }
}

}  // namespace wave_equation_2d_test
