// SPDX-License-Identifier: BSD-3-Clause
#include <panto/absorbing/higdon.hpp>
#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/search.hpp>
#include <panto/absorbing/sponge.hpp>
#include <panto/absorbing/stability.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/string.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace absorbing_comparison_test {
namespace {

using namespace panto;
using namespace panto::wave;
using Eigen::VectorXd;

constexpr double dx = 0.05, dt = 0.04;  // of a string with c = 1 m/s
const Stencil<double, 1> taut = wave_equation_stencil(1.0, dx, dt);
const BeamParams<> wire{.bending_stiffness = 150.0, .tension = 15e3};

VectorXd hump(int points, int at) {
    VectorXd u = VectorXd::Zero(points);
    for (int k = at - 10; k <= at + 10; ++k) u[k] = std::pow(std::cos(0.05 * 3.14159265358979 * (k - at)), 2);
    return u;
}

}  // namespace

TEST_SUITE("wave::absorbing_comparison") {
    TEST_CASE("Higdon's condition on a string reflects what its boxes do to a wave, one factor for each order") {
        // The box of speed c makes tan(omega dt/2)/dt -+ c tan(theta/2)/dx of the outgoing and the incoming wave.
        const std::vector<double> speeds{1.0, 1.3, 0.8};
        for (const double theta : {0.1, 0.5, 1.5, 2.5}) {
            const auto modes = boundary_modes(taut, theta);
            const double time = std::tan(0.5 * std::arg(modes.tau)) / dt;
            double expected = 1.0;
            std::vector<double> used;
            for (const double c : speeds) {
                const double space = c * std::tan(0.5 * theta) / dx;
                expected *= (time - space) / (time + space);
                used.push_back(c);
                const AbsorbingStencil end = higdon_end({.boundary_points = 1, .speeds = used, .dx = dx, .dt = dt});
                const auto r = joint_reflection(end, modes).reflected();
                CHECK(std::abs(std::abs(r) - std::abs(expected)) < 1e-9);  // rounding of differences of third order
            }
        }
    }

    TEST_CASE("Mur's condition with the exact step lets a string's wave out completely") {
        const auto exact = wave_equation_stencil(1.0, dx, dx);
        March march(exact, 81, mur_end(1, 1, 1.0, dx, dx), mur_end(1, 1, 1.0, dx, dx));
        march.start(hump(81, 40), hump(81, 40));
        for (int n = 0; n < 120; ++n) march.step();
        CHECK(march.level().cwiseAbs().maxCoeff() < 1e-13);
    }

    TEST_CASE("a second order drifts on a string, and a little decay holds it") {
        const AbsorbingStencil plain = mur_end(1, 2, 1.0, dx, dt);
        const AbsorbingStencil held =
            higdon_end({.boundary_points = 1, .speeds = {1.0, 1.0}, .decay = 0.1, .dx = dx, .dt = dt});
        // A double eigenvalue 1 is computed as 1 +- the square root of rounding.
        CHECK(std::abs(bounded_radius(taut, plain, 24, FarEnd::absorbing) - 1.0) < 1e-6);
        CHECK(bounded_radius(taut, held, 24, FarEnd::absorbing) < 1.0 - 1e-3);
    }

    TEST_CASE("a sponge is the wire going on: without damping nothing is reflected before the far end answers") {
        const auto scheme = beam_stencil(wire, 0.05, 9.9e-5);
        const int layer = 120, points = 101;
        March bounded(scheme, points, SpongeLayer<2>(scheme, layer, 0.0), AbsorbingStencil{});
        March whole(scheme, points + layer, AbsorbingStencil{}, AbsorbingStencil{});
        bounded.start(hump(points, 50), hump(points, 50));
        whole.start(hump(points + layer, 50 + layer), hump(points + layer, 50 + layer));
        // Even after the answer: the layer is clamped two points behind its last one, the whole beam two before its
        // end.
        for (int n = 0; n < 40; ++n) bounded.step(), whole.step();
        CHECK((bounded.level() - whole.level().tail(points)).norm() < 1e-13 * hump(points, 50).norm());
    }

    TEST_CASE("a sponge takes the energy out of the wire and settles, whatever its strength") {
        const auto scheme = beam_stencil(wire, 0.05, 9.9e-5);
        for (const double damping : {30.0, 3000.0, 3e7}) {
            CAPTURE(damping);
            March march(scheme, 101, SpongeLayer<2>(scheme, 60, damping), AbsorbingStencil{});
            march.start(hump(101, 50), hump(101, 50));
            for (int n = 0; n < 30000; ++n) march.step();
            CHECK(march.level().norm() < (damping > 1e6 ? 1.0 : 0.05) * hump(101, 50).norm());
        }
    }

    // @rt-tested: SpongeLayer::apply SpongeLayer::reset
    TEST_CASE("marching with a sponge allocates nothing; it forgets on reset") {
        const auto scheme = beam_stencil(wire, 0.05, 9.9e-5);
        March march(scheme, 101, SpongeLayer<2>(scheme, 60, 300.0), SpongeLayer<2>(scheme, 60, 300.0));
        const VectorXd start = hump(101, 50);
        march.start(start, start);
        CHECK(test::allocations_in([&] {
                  for (int n = 0; n < 50; ++n) march.step();
                  march.left().reset();
                  march.right().reset();
              }) == 0);
        March fresh(scheme, 101, SpongeLayer<2>(scheme, 60, 300.0), SpongeLayer<2>(scheme, 60, 300.0));
        march.start(start, start);
        fresh.start(start, start);
        for (int n = 0; n < 50; ++n) march.step(), fresh.step();
        CHECK((march.level() - fresh.level()).norm() == 0.0);
    }

    TEST_CASE("the published ways find stable stencils that reflect less than what they start from") {
        const auto scheme = beam_stencil(wire, 0.05, 9.9e-5);
        for (const auto objective : {SearchObjective::reflection, SearchObjective::output_error}) {
            const AbsorbingSearch<2> search(scheme, {.objective = objective});
            const Parameters start = search.plain_start();
            const auto found = search.by_pattern_search(start, {.first_mesh = 0.1, .evaluation_limit = 300});
            CHECK(found.value < search.objective(start));
            CHECK(search.radius(found.x) <= 1.0 + 1e-8);
        }
        const AbsorbingSearch<2> search(scheme, {});
        const auto front = search.by_nsga2({.population = 20, .generations = 10, .start = {search.plain_start()}});
        REQUIRE_FALSE(front.front.empty());
        for (const auto& point : front.front) CHECK(point.objectives[1] <= 1.0 + 1e-8);
    }

    TEST_CASE("what is stable on the 11 points of the published search may grow on 24, and the warning says so") {
        const auto scheme = beam_stencil(wire, 0.05, 9.9e-5);
        const AbsorbingSearch<2> search(scheme, {});
        const auto found =
            search.by_pattern_search(search.plain_start(), {.first_mesh = 0.1, .evaluation_limit = 5000});
        const AbsorbingStencil end({2, 1, 4}, found.x);
        CHECK(search.radius(found.x) <= 1.0 + 1e-8);
        const StabilityVerdict verdict = check_stability(scheme, end);
        CHECK_FALSE(verdict.stable);
        CHECK(stencil_warning(end, verdict).starts_with("this stencil is not stable: rho - 1 is 0.000476"));
        CHECK(stencil_warning(end, verdict).ends_with(low_frequency_warning(end)));
        // A sound one has none.
        CHECK(stencil_warning(mur_end(2, 1, 122.5, 0.05, 9.9e-5), {.stable = true}).empty());
    }

    TEST_CASE("a joint objective is what the joint reflection says") {
        const auto scheme = beam_stencil(wire, 0.05, 9.9e-5);
        const AbsorbingSearch<2> search(scheme, {.objective = SearchObjective::joint, .intervals = 2});
        const Parameters x = search.plain_start();
        const auto modes = boundary_modes(scheme, 0.5 * 3.14159265358979323846);
        const auto a = joint_reflection(AbsorbingStencil({2, 1, 4}, x), modes);
        CHECK(search.objective(x) == approx(std::norm(a.reflected()) + std::norm(a.evanescent())));
    }

    TEST_CASE("bad input is refused with what is allowed") {
        const auto scheme = beam_stencil(wire, 0.05, 9.9e-5);
        CHECK_THROWS_WITH_AS((void)higdon_end({.dx = dx, .dt = dt}), doctest::Contains("speeds is empty"), SetupError);
        CHECK_THROWS_WITH_AS((void)higdon_end({.speeds = {-1.0}, .dx = dx, .dt = dt}),
                             doctest::Contains("a speed must be finite and > 0, got -1"), SetupError);
        CHECK_THROWS_AS((void)higdon_end({.speeds = std::vector<double>(70, 1.0), .dx = dx, .dt = dt}), SetupError);
        CHECK_THROWS_WITH_AS((void)mur_end(1, 0, 1.0, dx, dt), doctest::Contains("order is 0"), SetupError);
        CHECK_THROWS_WITH_AS(SpongeLayer<2>(scheme, 0, 1.0), doctest::Contains("layer is 0"), SetupError);
        CHECK_THROWS_AS(SpongeLayer<2>(scheme, 5, -1.0), SetupError);
        CHECK_THROWS_WITH_AS(SpongeLayer<2>(scheme, 2147483647, 1.0), doctest::Contains("layer is 2147483647"),
                             SetupError);
        CHECK_THROWS_WITH_AS(SpongeLayer<2>(Stencil<>{}, 5, 1.0), doctest::Contains("level n+1"), SetupError);
        CHECK_THROWS_WITH_AS(AbsorbingSearch<2>(scheme, {.intervals = 1}), doctest::Contains("intervals is 1"),
                             SetupError);
        CHECK_THROWS_AS(AbsorbingSearch<2>(scheme, {.weight = [](double) { return -1.0; }}), SetupError);
        CHECK_THROWS_WITH_AS(AbsorbingSearch<2>(scheme, {.points = 3}), doctest::Contains("points is 3"), SetupError);
    }
}

}  // namespace absorbing_comparison_test
