// SPDX-License-Identifier: BSD-3-Clause
#include <panto/wave/beam.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/supports.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace march_test {
namespace {

using namespace panto;
using Eigen::VectorXd;
using wave::BeamParams;
using wave::March;

const BeamParams<> wire{.mass_per_length = 1.0, .bending_stiffness = 150.0, .tension = 15e3};

static_assert(wave::RowEnd<wave::Support<double, 2>>);
static_assert(!wave::End<int>);

/// Angular frequency of the lowest mode, from the upward passages through zero of the middle point.
template <class M>
double lowest_frequency(M march, const VectorXd& shape, int steps) {
    march.start(shape, shape);
    const int middle = march.points() / 2;
    double first = -1.0, last = -1.0, before = march.level()[middle];
    int periods = 0;
    for (int n = 1; n <= steps; ++n) {
        march.step();
        const double here = march.level()[middle];
        if (before < 0.0 && here >= 0.0) {
            last = n - 1 + before / (before - here);
            if (first < 0.0)
                first = last;
            else
                ++periods;
        }
        before = here;
    }
    return 2.0 * std::numbers::pi * periods / ((last - first) * march.stencil().dt);
}

}  // namespace

TEST_SUITE("wave::march") {
    TEST_CASE("a beam clamped as printed is two cells too short: 56.88 rad/s instead of 52.76") {
        const int points = 23;
        const double dx = 7.5 / (points - 1), dt = 1e-4;
        VectorXd shape = VectorXd::Zero(points);
        for (int k = 2; k < points - 2; ++k) shape[k] = std::sin(std::numbers::pi * (k - 1) / (points - 3));
        for (const double dm : {0.0, 1e-9}) {  // explicit, and implicit with as good as no damping
            CAPTURE(dm);
            BeamParams<> p = wire;
            p.material_damping = dm;
            const auto stencil = wave::beam_stencil(p, dx, dt);
            const auto end = wave::clamped_first_order(stencil);
            CHECK(lowest_frequency(March(stencil, points, end, end), shape, 20000) ==
                  doctest::Approx(56.88).epsilon(1e-4));
        }
    }

    TEST_CASE("a step takes no memory") {
        // @rt-tested: Stencil::at Stencil::is_explicit March::start March::step March::level
        // @rt-tested: Support::apply Support::set_motion Support::rest_at Support::reset
        for (const double dm : {0.0, 0.02}) {
            BeamParams<> p = wire;
            p.material_damping = dm;
            const auto stencil = wave::beam_stencil(p, 0.05, 9e-5);
            const auto end = wave::clamped_first_order(stencil);
            March march(stencil, 40, end, end);
            const VectorXd rest = VectorXd::Zero(40);
            const std::array<wave::PointLoad<>, 1> load{{{20, 100.0}}};
            double moved = 0.0;
            const auto allocations = test::allocations_in([&] {
                march.start(rest, rest);
                march.left().set_motion(1e-3, 0.0);
                for (int n = 0; n < 10; ++n) march.step(load);
                march.step(rest);
                march.left().reset();
                moved = stencil.is_explicit() ? 0.0 : stencil.at(stencil.next, 2);
                moved += march.level()[20];
            });
            CHECK(allocations == 0);
            CHECK(moved > 0.0);
        }
    }
}

}  // namespace march_test
