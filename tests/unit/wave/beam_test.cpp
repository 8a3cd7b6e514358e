// SPDX-License-Identifier: BSD-3-Clause
#include <panto/wave/beam.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/string.hpp>

#include "../../support/approx.hpp"
#include "golden_json.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <cmath>
#include <complex>
#include <limits>

namespace beam_stencil_test {
namespace {

using namespace panto;
using namespace panto::wave;

const BeamParams<> wire{.mass_per_length = 1.0, .bending_stiffness = 150.0, .tension = 15e3};
const double nan = std::numeric_limits<double>::quiet_NaN();

/// What is left of the equation when e^{i (k x + omega t)} is put into a stencil, relative to its mass term.
template <int H>
double residual(const Stencil<double, H>& s, double k, std::complex<double> omega) {
    using namespace std::complex_literals;
    const auto tau = std::exp(1i * omega * s.dt);
    std::complex<double> sum = 0.0;
    for (int j = -H; j <= H; ++j)
        sum += (s.at(s.next, j) * tau - s.at(s.now, j) - s.at(s.before, j) / tau) * std::exp(1i * k * (j * s.dx));
    return std::abs(sum);
}

/// The equation itself on the same wave, by hand.
std::complex<double> equation(const BeamParams<>& p, double v, double k, std::complex<double> w) {
    using namespace std::complex_literals;
    return p.mass_per_length * (-w * w + 2.0 * v * k * w - v * v * k * k) + p.viscous_damping * (1i * w - 1i * v * k) +
           p.material_damping * std::pow(k, 4) * 1i * w + p.bending_stiffness * std::pow(k, 4) + p.tension * k * k;
}

}  // namespace

TEST_SUITE("wave::beam") {
    TEST_CASE("the undamped interior stencil is golden") {
        const auto wanted = test::golden("waves_and_identification.json").at("interior_stencil").at("value");
        const auto s = beam_stencil(wire, 0.05, 9.9e-5);
        for (int j = -2; j <= 2; ++j)
            CHECK(s.at(s.now, j) / s.at(s.next, 0) ==
                  approx(wanted[static_cast<std::size_t>(j + 2)].get<double>()).epsilon(1e-12));
        CHECK(s.at(s.before, 0) / s.at(s.next, 0) == -1.0);
    }

    TEST_CASE("material damping makes it implicit and stands with a plus on both sides") {
        BeamParams<> p = wire;
        CHECK(beam_stencil(p, 0.05, 9e-5).is_explicit());
        p.viscous_damping = 3.0;
        CHECK(beam_stencil(p, 0.05, 9e-5).is_explicit());
        p.material_damping = 0.5;
        const auto s = beam_stencil(p, 0.05, 9e-5);
        CHECK_FALSE(s.is_explicit());
        CHECK(s.at(s.next, 2) == s.at(s.before, 2));
        CHECK(s.at(s.next, 2) == approx(0.5 / (2.0 * 9e-5 * std::pow(0.05, 4))));
    }

    TEST_CASE("every stencil is its equation, to second order in both steps") {
        const BeamParams<> p{1.35, 0.7, 0.3, 150.0, 20e3};
        const double k = 1.7;
        const std::complex<double> w(80.0, 3.0);
        for (const double v : {0.0, 60.0}) {
            CAPTURE(v);
            double last = 0.0;
            for (const int n : {1, 2, 4}) {
                const auto s = moving_beam_stencil(p, v, 0.1 / n, 1e-3 / n);
                using namespace std::complex_literals;
                std::complex<double> sum = 0.0;
                const auto tau = std::exp(1i * w * s.dt);
                for (int j = -2; j <= 2; ++j)
                    sum += (s.at(s.next, j) * tau - s.at(s.now, j) - s.at(s.before, j) / tau) *
                           std::exp(1i * k * (j * s.dx));
                const double error = std::abs(sum - equation(p, v, k, w));
                if (n > 1) CHECK(last / error == approx(4.0).epsilon(0.02));
                last = error;
            }
        }
    }

    TEST_CASE("a moving beam's mixed term has the sign of the equation, not the printed one") {
        // On a wave of the moving undamped beam, (omega - v k)^2 = c^2 k^2, nothing must be left.
        const BeamParams<> p{.mass_per_length = 1.35, .tension = 20e3};
        const double k = 0.5, c = std::sqrt(20e3 / 1.35), v = 60.0;
        const auto right = residual(moving_beam_stencil(p, v, 0.01, 1e-6), k, v * k + c * k);
        const auto wrong = residual(moving_beam_stencil(p, v, 0.01, 1e-6), k, -v * k + c * k);
        CHECK(right < 1e-3 * wrong);
    }

    TEST_CASE("at rest a moving beam is a beam, and forward differences are what upwind 1 means") {
        const BeamParams<> p{1.35, 0.7, 0.3, 150.0, 20e3};
        const auto moving = moving_beam_stencil(p, 0.0, 0.1, 1e-4), resting = beam_stencil(p, 0.1, 1e-4);
        CHECK(moving.next == resting.next);
        CHECK(moving.now == resting.now);
        CHECK(moving.before == resting.before);
        const auto forward = moving_beam_stencil(p, 60.0, 0.1, 1e-4, 1.0);
        CHECK(forward.at(forward.next, -1) == resting.at(resting.next, -1));
        CHECK(forward.at(forward.next, 1) - resting.at(resting.next, 1) == approx(-1.35 * 60.0 / (0.1 * 1e-4)));
    }

    TEST_CASE("a string is a beam that does not bend, and the wave equation a string of unit mass") {
        const BeamParams<> p{.mass_per_length = 2.0, .viscous_damping = 0.4, .tension = 800.0};
        const auto string = string_stencil(p, 0.1, 1e-3);
        const auto beam = beam_stencil(p, 0.1, 1e-3);
        for (int j = -1; j <= 1; ++j) {
            CHECK(string.at(string.now, j) == beam.at(beam.now, j));
            CHECK(string.at(string.before, j) == beam.at(beam.before, j));
        }
        const auto wave = wave_equation_stencil(20.0, 0.1, 1e-3);
        CHECK(wave.at(wave.now, 1) == approx(400.0 / 0.01));
        CHECK(string_stencil<4>(p, 0.1, 1e-3).half_width == 2);
        CHECK(beam_stencil<4>(p, 0.1, 1e-3).half_width == 3);
    }

    TEST_CASE("derivatives pass through") {
        using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
        const BeamParams<Dual> p{Dual(1.0), Dual(0.5), Dual(0.02), Dual(150.0, 1, 0), Dual(15e3)};
        const auto s = beam_stencil(p, 0.1, 1e-4);
        CHECK(s.at(s.now, 2).derivatives()[0] == approx(-1e4));  // d/dEI of -EI/dx^4
        CHECK(s.at(s.next, 2).derivatives()[0] == 0.0);
        CHECK(beam_largest_step(p, 0.1).derivatives()[0] < 0.0);
    }

    TEST_CASE("what makes no sense is refused by name") {
        const auto refused = [](const BeamParams<>& p, double dx, double dt, const char* words) {
            CAPTURE(words);
            CHECK_THROWS_WITH_AS((void)beam_stencil(p, dx, dt), doctest::Contains(words), SetupError);
        };
        refused({.mass_per_length = 0.0, .tension = 1.0}, 0.1, 1e-3, "mass_per_length must be finite and > 0, got 0");
        refused({.mass_per_length = nan, .tension = 1.0}, 0.1, 1e-3, "mass_per_length must be finite and > 0, got nan");
        refused({.viscous_damping = -1.0, .tension = 1.0}, 0.1, 1e-3,
                "viscous_damping must be finite and >= 0, got -1");
        refused({.material_damping = nan, .tension = 1.0}, 0.1, 1e-3,
                "material_damping must be finite and >= 0, got nan");
        refused({.bending_stiffness = -2.0, .tension = 1.0}, 0.1, 1e-3,
                "bending_stiffness must be finite and >= 0, got -2");
        refused({.tension = -1.0}, 0.1, 1e-3, "tension must be finite and >= 0, got -1");
        refused({}, 0.1, 1e-3, "both 0");
        refused({.tension = 1.0}, 0.0, 1e-3, "dx must be finite and > 0, got 0");
        refused({.tension = 1.0}, 0.1, nan, "dt must be finite and > 0, got nan");
        refused(wire, 1e-100, 1e-3, "inf at dx = 1e-100 m");
        refused(wire, 0.1, 1e-200, "inf at dx = 0.1 m and dt = 1e-200 s");
        for (const double far : {1e-200, 1e200})
            CHECK_THROWS_WITH_AS((void)beam_largest_step(wire, far), doctest::Contains("dx is 1e"), SetupError);
        CHECK_THROWS_WITH_AS((void)string_stencil(wire, 0.1, 1e-3), doctest::Contains("must be 0 for a string"),
                             SetupError);
        CHECK_THROWS_WITH_AS((void)string_stencil(BeamParams<>{}, 0.1, 1e-3), doctest::Contains("both 0"), SetupError);
        CHECK_THROWS_WITH_AS((void)wave_equation_stencil(-1.0, 0.1, 1e-3),
                             doctest::Contains("speed must be finite and > 0, got -1"), SetupError);
        CHECK_THROWS_WITH_AS((void)moving_beam_stencil(wire, nan, 0.1, 1e-3),
                             doctest::Contains("speed must be finite, got nan"), SetupError);
        CHECK_THROWS_WITH_AS((void)moving_beam_stencil(wire, 1.0, 0.1, 1e-3, 2.0), doctest::Contains("upwind is 2"),
                             SetupError);
    }
}

}  // namespace beam_stencil_test
