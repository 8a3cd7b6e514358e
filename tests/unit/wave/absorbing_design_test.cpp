// SPDX-License-Identifier: BSD-3-Clause
// What a design of absorbing ends and the experiment behind it refuse; what they find stands in
// tests/verify/wave/absorbing_design_verify.cpp.
#include <panto/absorbing/design.hpp>
#include <panto/absorbing/higdon.hpp>
#include <panto/absorbing/output_error.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/moving_beam.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace absorbing_design_test {
namespace {

using namespace panto;
using namespace panto::wave;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const BeamParams<> wire{.bending_stiffness = 150.0, .tension = 15e3};
const Stencil<double, 2> beam = beam_stencil(wire, 0.05, 9.9e-5);
const ReleasedBump small{.length = 20.0, .center = 5.0, .duration = 0.25};

}  // namespace

TEST_SUITE("wave::absorbing_design") {
    TEST_CASE("an experiment that shows nothing or cannot be marched is refused with what is allowed") {
        const auto refused = [](const ReleasedBump& bump, const char* words) {
            CAPTURE(words);
            CHECK_THROWS_WITH_AS(SpaceTimeError<2>(beam, bump), doctest::Contains(words), SetupError);
            CHECK_THROWS_AS((void)design_absorbing(beam, {.bump = bump, .starts = 1}), SetupError);
        };
        refused({.length = nan}, "length must be finite and > 0, got nan");
        refused({.length = 1e25}, "cells, expected at most 1e7");
        refused({.center = nan}, "center must be finite, got nan");
        refused({.center = 150.0}, "from 149.75 to 150.25 m");
        refused({.width = nan}, "width must be finite and > 0, got nan");
        refused({.width = 1e12}, "the bump reaches from");
        refused({.width = 0.01}, "width is 0.01 m, must be at least two cells, 0.1 m");
        refused({.duration = nan}, "duration must be finite and > 0, got nan");
        refused({.duration = 1e-5}, "steps, must be from 1 to 1e7");
        refused({.duration = 1e300}, "steps, must be from 1 to 1e7");
        refused({.elongation = -1.0}, "elongation must be finite and >= 0, got -1");
        CHECK_THROWS_WITH_AS(SpaceTimeError<2>(Stencil<>{}), doctest::Contains("level n+1"), SetupError);
        CHECK_THROWS_WITH_AS(SpaceTimeError<2>(beam_stencil(wire, 0.05, 1.1e-4)),
                             doctest::Contains("dt is 0.00011 s, with which a wave grows"), SetupError);
    }

    TEST_CASE(
        "a reference whose far end answers within the duration is refused, one long enough gives the same error") {
        ReleasedBump bump = small;
        const auto clamped = [&] { return SpaceTimeError<2>(beam, bump).error(AbsorbingStencil{}); };
        const double known = clamped();
        bump.elongation = 20.0;
        CHECK(clamped() == approx(known).epsilon(1e-12));
        bump.elongation = 0.5;
        CHECK_THROWS_WITH_AS((void)clamped(), doctest::Contains("use a larger elongation or a shorter duration"),
                             SetupError);
        bump.elongation = 10.0;
        bump.duration = 4.0;
        CHECK_THROWS_AS((void)clamped(), SetupError);
    }

    TEST_CASE("normal equations and fronts are for stencils without new values") {
        const SpaceTimeError<2> experiment(beam, small);
        const AbsorbingStencil mur = mur_end(2, 1, 122.0, beam.dx, beam.dt);
        Eigen::MatrixXd G;
        Eigen::VectorXd g;
        CHECK_THROWS_WITH_AS((void)experiment.normal_equations(mur, G, g), doctest::Contains("uses new values"),
                             SetupError);
        CHECK_THROWS_WITH_AS((void)experiment.normal_equations(AbsorbingStencil{}, G, g, 0),
                             doctest::Contains("every is 0"), SetupError);
        AbsorbingDesigner<2> designer(beam, {.bump = small, .starts = 1});
        AbsorbingDesign best{.stencil = AbsorbingStencil({2, 1, 4})};
        CHECK_THROWS_WITH_AS((void)designer.front(best, {1e-5}), doctest::Contains("does not have this form"),
                             SetupError);
        best.objective = 1.0;
        for (const double margin : {nan, 0.0, 1.0, 5.0})
            CHECK_THROWS_WITH_AS((void)designer.front(best, {margin}), doctest::Contains("above 0 and below 1"),
                                 SetupError);
        best.stencil = AbsorbingStencil({2, 1, 6});
        CHECK_THROWS_AS((void)designer.front(best, {1e-5}), SetupError);
    }

    TEST_CASE("rules and forms that make no sense are refused before anything is computed") {
        const auto refused = [](const AbsorbingDesignParams& p, const char* words) {
            CAPTURE(words);
            CHECK_THROWS_WITH_AS((void)design_absorbing(beam, p), doctest::Contains(words), SetupError);
        };
        refused({.rule = {.points = {}}}, "points is empty");
        refused({.rule = {.most_both = nan}}, "most_both must be finite and > 0, got nan");
        refused({.rule = {.clamped_margin = nan}}, "clamped_margin must be finite and >= 0, got nan");
        refused({.form = {2, 64, 64}}, "has 8192 weights, must be at most 512");
        refused({.bump = {.length = 20.0, .center = 5.0, .duration = 1e-3}}, "within the duration of 0.001 s");
        CHECK_THROWS_WITH_AS((void)check_stability(beam, AbsorbingStencil{}, {.most_both = nan}),
                             doctest::Contains("most_both must be finite and > 0, got nan"), SetupError);
        CHECK_THROWS_AS(StableRefinement<2>(beam, {2, 1, 4}, {.points = {}}, 0.0), SetupError);
    }

    TEST_CASE(
        "the margin with a clamped end is that of the largest step, and shrinks as the shortest waves slow down") {
        const double most = beam_largest_step(wire, 0.05);
        CHECK(clamped_margin(beam) == 1e-4);
        double last = 1e-4;
        for (const double part : {0.9, 0.8, 0.5, 0.3, 0.1}) {
            const auto scheme = beam_stencil(wire, 0.05, part * most);
            const double margin = clamped_margin(scheme);
            CHECK(margin < last);
            last = margin;
            // sin(w/2)^2 = part^2 (lam s + 4 mu s^2), s = sin(theta/2)^2, at theta = pi - pi/60; the slope of w
            const auto velocity = [](double of_largest) {
                const double bending = 4.0 * 150.0, tension = 15e3 * 0.05 * 0.05, sum = bending + tension;
                const double theta = std::acos(-1.0) * (1.0 - 1.0 / 60.0), s = std::pow(std::sin(0.5 * theta), 2);
                const double square = of_largest * of_largest * (tension * s + bending * s * s) / sum;
                return of_largest * of_largest * (tension + 2.0 * bending * s) / sum * 0.5 * std::sin(theta) /
                       std::sqrt(square * (1.0 - square));
            };
            CHECK(margin == approx(1e-4 * std::pow(velocity(part) / velocity(0.999), 2)).epsilon(1e-6));
            CHECK(clamped_margin(scheme, {.clamped_margin = 1e-2}) == approx(100.0 * margin));
        }
        CHECK_THROWS_AS((void)clamped_margin(beam, {.points = {}}), SetupError);
    }

    TEST_CASE("a design that found nothing stable says so and has a stencil of the form asked for") {
        const AbsorbingDesign none =
            design_absorbing(beam, {.form = {2, 2, 5}, .bump = small, .starts = 1, .rule = {.most_both = 0.1}});
        CHECK(none.status == Status::not_converged);
        CHECK_FALSE(none.stability.stable);
        CHECK(none.stencil.form() == AbsorbingForm{2, 2, 5});
    }

    TEST_CASE("viscous damping, with which the longest waves do not run, leaves numbers") {
        // At theta = 2e-5 both roots are real, with an imaginary part of 9e-20 by rounding.
        BeamParams<> damped = wire;
        damped.mass_per_length = 1.35, damped.tension = 20e3;
        for (const double viscous : {1.0, 2.0, 5.0}) {
            CAPTURE(viscous);
            damped.viscous_damping = viscous;
            const auto scheme = beam_stencil(damped, 0.25, 0.5 * beam_largest_step(damped, 0.25));
            for (double theta = 1e-8; theta < 7e-4; theta *= 1.1) CHECK_FALSE(oscillates(scheme, theta));
            for (const int points : {200, 600}) {
                Parameters r;
                const AbsorbingLeastSquares<2> fit(scheme, {2, 1, 4}, {}, {}, 0.0, points);
                CHECK(fit.residuals(Parameters::Constant(8, 0.1), r) == Status::ok);
                CHECK(is_finite(r.squaredNorm()));
            }
        }
    }

    TEST_CASE("a step keeps the static determinant at 0 without viscous damping, and at most at 0 with it") {
        // The mean of each boundary point and its neighbour preserves constants: its determinant is 0, with normal n.
        Parameters w = Parameters::Zero(8);
        w[0] = w[1] = w[5] = w[6] = 0.5;
        BeamParams<> damped = wire;
        damped.viscous_damping = 0.01;
        const auto lossy = beam_stencil(damped, 0.05, 9.9e-5);
        const AbsorbingForm form{2, 1, 4};
        REQUIRE(std::abs(static_determinant(beam, AbsorbingStencil(form, w))) < 1e-12);
        const Parameters n = static_determinant_gradient(beam, AbsorbingStencil(form, w)),
                         across = Parameters::Unit(8, 7) - n * (n[7] / n.squaredNorm());
        REQUIRE(n.norm() > 0.1);
        // min 1/2 d'd + g'd: without a constraint d = -g.
        const auto step = [&](const Stencil<double, 2>& scheme, const Parameters& g) -> Parameters {
            return StableRefinement<2>(scheme, form, {}, 0.0).step(w, Eigen::MatrixXd::Identity(8, 8), g, 0.0);
        };
        for (const auto* scheme : {&beam, &lossy}) CHECK((step(*scheme, across - n) + across).norm() < 1e-9);
        CHECK((step(beam, across + n) + across).norm() < 1e-9);
        CHECK((step(lossy, across + n) + across + n).norm() < 1e-9);
        // Above 0 both return to it, below 0 only the wire without damping does.
        const double far = 0.1 / n.norm();
        const auto back = [&](const Stencil<double, 2>& scheme, double side) {
            const Parameters x = StableRefinement<2>(scheme, form, {}, 0.0).onto_surface(w + side * far * n);
            return static_determinant(scheme, AbsorbingStencil(form, x));
        };
        for (const auto* scheme : {&beam, &lossy}) CHECK(std::abs(back(*scheme, 1.0)) < 1e-6);
        CHECK(std::abs(back(beam, -1.0)) < 1e-6);
        CHECK(back(lossy, -1.0) < -0.05);
    }

    TEST_CASE("weights that are not finite are no start") {
        const StableRefinement<2> refinement(beam, {2, 1, 4}, {}, 0.0);
        const Parameters none = Parameters::Constant(8, nan);
        CHECK(std::isnan(refinement.onto_surface(none)[0]));
        const StableRefinement<2> inside(beam, {2, 1, 4}, {}, 1e-5);
        CHECK(std::isnan(inside.onto_surface(none)[0]));
    }

    TEST_CASE("a step of many weights ends when its time is over") {
        // A gradient of rho takes two spectral radii for each weight: minutes for some hundred weights.
        int asked = 0;
        const StableRefinement<2> refinement(beam, {2, 1, 4}, {}, 1e-5, [&asked] { return ++asked < 3; });
        (void)refinement.step(Eigen::VectorXd::Constant(8, 0.25), Eigen::MatrixXd::Identity(8, 8),
                              Eigen::VectorXd::Zero(8), 0.0);
        CHECK(asked == 3);
    }

    TEST_CASE("a boundary point that is not there, and a scheme that is not symmetric, are refused") {
        const AbsorbingStencil end({2, 1, 4});
        for (const int k : {-1, 2, 99}) {
            CHECK_THROWS_WITH_AS((void)end.row_sum(k), doctest::Contains("must be from 0 to 1"), SetupError);
            CHECK_THROWS_WITH_AS((void)boundary_symbol(end, k, 1.0, 1.0), doctest::Contains("must be from 0 to 1"),
                                 SetupError);
            CHECK_THROWS_WITH_AS((void)boundary_phase(end, k, 0.1, 0.1), doctest::Contains("must be from 0 to 1"),
                                 SetupError);
        }
        CHECK_THROWS_AS((void)boundary_phase(end, 0, nan, 0.1), SetupError);
        CHECK_THROWS_WITH_AS((void)boundary_points_per_wavelength(end, 0, [](double) { return nan; }),
                             doctest::Contains("must be finite, got nan"), SetupError);
        CHECK_THROWS_WITH_AS((void)static_determinant(moving_beam_stencil(wire, 20.0, 0.05, 9.9e-5), end),
                             doctest::Contains("must be symmetric"), SetupError);
        CHECK_THROWS_AS((void)static_determinant(Stencil<>{}, end), SetupError);
        CHECK_THROWS_AS((void)bounded_system(Stencil<>{}, end, 11, FarEnd::clamped), SetupError);
        CHECK_THROWS_AS((void)output_error(Stencil<>{}, end, 1.0), SetupError);
        CHECK_THROWS_AS((void)low_frequency_warning(end, nan), SetupError);
    }

    TEST_CASE("comparison ends of more points or orders than a stencil holds are refused before memory is taken") {
        constexpr int far = std::numeric_limits<int>::max();
        const auto points = [](int n) {
            return higdon_end({.boundary_points = n, .speeds = {1.0}, .dx = 1.0, .dt = 1.0});
        };
        for (const int n : {-1, 0, 64, far})
            CHECK_THROWS_WITH_AS((void)points(n), doctest::Contains("must be from 1 to 63"), SetupError);
        CHECK_THROWS_WITH_AS((void)mur_end(2, far, 1.0, 1.0, 1.0), doctest::Contains("must be from 1 to 63"),
                             SetupError);
        CHECK(mur_end(2, 62, 1.0, 1.0, 1.0).reach() == 64);
    }
}

}  // namespace absorbing_design_test
