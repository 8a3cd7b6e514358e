// SPDX-License-Identifier: BSD-3-Clause
#include <panto/absorbing/least_squares.hpp>
#include <panto/absorbing/refinement.hpp>
#include <panto/absorbing/space_time_error.hpp>
#include <panto/wave/beam.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace absorbing_least_squares_test {
namespace {

using namespace panto;
using namespace panto::wave;

const Stencil<double, 2> beam = beam_stencil(BeamParams<>{.bending_stiffness = 150.0, .tension = 15e3}, 0.05, 9.9e-5);
const ReleasedBump small{.length = 20.0, .center = 5.0, .duration = 0.2};

static_assert(LinearizedLeastSquares<AbsorbingLeastSquares<2>>);

}  // namespace

TEST_SUITE("wave::absorbing_least_squares") {
    TEST_CASE("the analytic Jacobian is that of central differences") {
        const AbsorbingLeastSquares<2> fit(beam, {2, 2, 4}, small, {}, 0.0, 60);
        const Parameters x = fit.linear_start([](double) { return 1.0; });
        Parameters r, up, down;
        Matrix<double, Dynamic> J;
        REQUIRE(fit.linearize(x, r, J) == Status::ok);
        for (Eigen::Index p = 0; p < x.size(); ++p) {
            Parameters moved = x;
            const double h = 1e-6;
            moved[p] += h;
            (void)fit.residuals(moved, up);
            moved[p] -= 2.0 * h;
            (void)fit.residuals(moved, down);
            // Rounding 1e-16/h and a third derivative times h^2, both of the size of the residuals' own scale.
            CHECK(((up - down) / (2.0 * h) - J.col(p)).norm() < 1e-6 * J.col(p).norm());
        }
    }

    TEST_CASE("the gradient of the static determinant is that of central differences") {
        const AbsorbingLeastSquares<2> fit(beam, {2, 1, 4}, small, {}, 0.0, 60);
        const Parameters x = fit.linear_start([](double) { return 1.0; });
        const AbsorbingStencil end({2, 1, 4}, x);
        const Parameters gradient = static_determinant_gradient(beam, end);
        for (Eigen::Index p = 0; p < x.size(); ++p) {
            Parameters a = x, b = x;
            a[p] += 1e-3, b[p] -= 1e-3;
            const double slope = (static_determinant(beam, AbsorbingStencil({2, 1, 4}, a)) -
                                  static_determinant(beam, AbsorbingStencil({2, 1, 4}, b))) /
                                 2e-3;
            CHECK(std::abs(slope - gradient[p]) < 1e-12);  // linear in each weight: rounding over 1e-3
        }
    }

    TEST_CASE("two ends let something grow where the static determinant is above zero, and nowhere else") {
        // T dx^2/EI from 0 over rounding and 3e-4 to 7: kappa from 1 to 0.13.
        for (const double tension : {0.0, 1e-12, 20.0, 15e3, 4e5}) {
            const auto scheme = beam_stencil(BeamParams<>{.bending_stiffness = 150.0, .tension = tension}, 0.05, 1e-5);
            const AbsorbingForm form{2, 1, 4};
            Parameters mean(8);
            mean << 0.5, 0.5, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0;
            CHECK(std::abs(static_determinant(scheme, AbsorbingStencil(form, mean))) < 1e-15);
            for (const int place : {0, 5})  // of point 0 and of point 1
                for (const double more : {1e-3, -1e-3}) {
                    Parameters x = mean;
                    x[place] += more;
                    const double rho = bounded_radius(scheme, AbsorbingStencil(form, x), 24, FarEnd::absorbing);
                    CAPTURE(tension);
                    CAPTURE(place);
                    CAPTURE(more);
                    CAPTURE(rho);
                    CHECK((static_determinant(scheme, AbsorbingStencil(form, x)) > 0.0) == (rho > 1.0 + 1e-8));
                    const Parameters back = StableRefinement<2>(scheme, form, {}, 0.0).onto_surface(x);
                    CHECK(std::abs(static_determinant(scheme, AbsorbingStencil(form, back))) < 1e-14);
                }
        }
    }

    TEST_CASE("a linear start reproduces waves where its weight is") {
        const AbsorbingLeastSquares<2> fit(beam, {2, 1, 4}, small, {}, 0.0, 200);
        const AbsorbingStencil low({2, 1, 4}, fit.linear_start([](double theta) { return theta < 0.3 ? 1e3 : 1e-3; }));
        const auto modes = boundary_modes(beam, 0.15), far = boundary_modes(beam, 2.0);
        CHECK(std::abs(boundary_symbol(low, 0, modes.tau, modes.out)) < 1e-3);
        CHECK(std::abs(boundary_symbol(low, 0, far.tau, far.out)) > 1e-2);
    }

    TEST_CASE("a refinement puts a stencil onto the determinant's zero and back into what is stable") {
        const AbsorbingLeastSquares<2> fit(beam, {2, 1, 4}, small);
        StableRefinement<2> refinement(beam, {2, 1, 4}, StabilityRule{}, 0.0);
        Parameters x = refinement.onto_surface(fit.linear_start([](double theta) { return std::exp(-theta); }));
        CHECK(std::abs(static_determinant(beam, AbsorbingStencil({2, 1, 4}, x))) < 1e-14);
        StabilityVerdict verdict;
        bool stable = refinement.admits(x, verdict);
        for (int step = 0; step < 15 && !stable; ++step) {
            Parameters r;
            Matrix<double, Dynamic> J;
            (void)fit.linearize(x, r, J);
            x = refinement.onto_surface(x + refinement.step(x, J.transpose() * J, J.transpose() * r, 1e-12));
            stable = refinement.admits(x, verdict);
        }
        CHECK(stable);
        CHECK(verdict.both <= 1.0 + 1e-8);
    }

    TEST_CASE("bad input is refused with what is allowed") {
        CHECK_THROWS_WITH_AS(AbsorbingLeastSquares<2>(beam, {1, 1, 4}, small), doctest::Contains("needs 2"),
                             SetupError);
        CHECK_THROWS_WITH_AS(AbsorbingLeastSquares<2>(beam, {2, 1, 4}, small, {}, 0.0, 5),
                             doctest::Contains("points is 5"), SetupError);
        CHECK_THROWS_AS(AbsorbingLeastSquares<2>(beam, {2, 1, 4}, small, {}, -1.0), SetupError);
    }
}

}  // namespace absorbing_least_squares_test
