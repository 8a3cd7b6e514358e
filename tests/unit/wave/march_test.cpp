// SPDX-License-Identifier: BSD-3-Clause
#include <panto/absorbing/edge.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/state_space.hpp>
#include <panto/wave/supports.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

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

/// Any end whose rows are known: level n+1 as given, and random weights on three past levels.
class RandomEnd {
  public:
    RandomEnd(const Eigen::MatrixXd& next, unsigned seed) : next_(next) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> weight(-0.1, 0.1);
        for (auto& rows : past_) rows = Eigen::MatrixXd::NullaryExpr(2, 4, [&] { return weight(random); });
    }
    int points() const noexcept { return 2; }
    int past_levels() const noexcept { return 3; }
    int reach() const noexcept { return 4; }
    Eigen::MatrixXd next_rows() const { return next_; }
    Eigen::MatrixXd past_rows(int i) const { return past_[static_cast<std::size_t>(i)]; }
    template <class Edge>
    void apply(const Edge& u) noexcept {
        for (int k = 0; k < 2; ++k) {
            double sum = 0.0;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 4; ++j) sum += past_[static_cast<std::size_t>(i)](k, j) * u.past(i, j);
            u.next(k) = sum;
        }
    }
    void reset() noexcept {}

  private:
    Eigen::MatrixXd next_;
    std::array<Eigen::MatrixXd, 3> past_;
};
static_assert(wave::RowEnd<RandomEnd>);

Eigen::MatrixXd upper_rows() {
    Eigen::MatrixXd rows(2, 4);
    rows << 1.0, -0.3, 0.2, 0.0, 0.0, 2.0, 0.1, -0.4;
    return rows;
}

VectorXd hill(int points) {
    VectorXd u(points);
    for (int k = 0; k < points; ++k) u[k] = std::exp(-0.1 * (k - 7.0) * (k - 7.0));
    return u;
}

}  // namespace

TEST_SUITE("wave::march") {
    TEST_CASE("a shaken wire, as the docs show it") {
        // [march]
        const wave::BeamParams<> catenary_wire{
            .mass_per_length = 1.35, .material_damping = 0.02, .bending_stiffness = 150.0, .tension = 20e3};
        const double dx = 0.1, largest = wave::beam_largest_step(catenary_wire, dx);
        const auto stencil = wave::beam_stencil(catenary_wire, dx, 0.9 * largest);
        wave::March march(stencil, 301, wave::clamped(stencil), wave::free_end(stencil));  // left end, right end
        for (int n = 0; n < 400; ++n) {
            const double t = (n + 1) * stencil.dt;
            march.left().set_motion(1e-3 * std::sin(2.0 * std::numbers::pi * 5.0 * t), 0.0);  // m, of the coming level
            march.step(std::array{wave::PointLoad<>{.point = 150, .density = -100.0 / dx}});  // 100 N downwards
        }
        const double height = march.level()[150];  // m; march.level(1) is the level before
        // [march]
        CHECK(height < -1e-3);
        CHECK(height > -0.1);
        CHECK(wave::growth_factor(stencil) < 1.0);
    }

    TEST_CASE("any two ends with known rows march as their matrices say, explicit and implicit") {
        const int points = 17;
        const RandomEnd values(Eigen::MatrixXd::Identity(2, 2), 1), coupled(upper_rows(), 2);
        const auto check = [&](const auto& stencil, const auto& left, const auto& right) {
            March march(stencil, points, left, right);
            const auto matrices = wave::state_space(stencil, points, left, right);
            REQUIRE(matrices.levels == 3);
            const Eigen::MatrixXd T = matrices.transition();
            VectorXd x(3 * points);
            x << hill(points), 0.9 * hill(points), 0.9 * hill(points);
            march.start(x.head(points), x.segment(points, points));
            for (int n = 0; n < 20; ++n) {
                march.step();
                x = T * x;
            }
            // Rounding of 20 steps.
            CHECK((march.level() - x.head(points)).norm() <= 1e-12 * x.norm());
            CHECK((march.level(2) - x.tail(points)).norm() <= 1e-12 * x.norm());
        };
        BeamParams<> damped = wire;
        damped.viscous_damping = 2.0;
        damped.material_damping = 0.02;
        check(wave::beam_stencil(wire, 0.3, 1e-4), values, coupled);
        check(wave::beam_stencil(wire, 0.3, 1e-4), coupled, values);
        check(wave::beam_stencil(damped, 0.3, 1e-4), coupled, coupled);
        check(wave::moving_beam_stencil(damped, 60.0, 0.3, 1e-4), values, coupled);
    }

    TEST_CASE("left and right are mirror images") {
        const auto stencil = wave::beam_stencil(wire, 0.3, 1e-4);
        const RandomEnd one(upper_rows(), 3), other(Eigen::MatrixXd::Identity(2, 2), 4);
        March march(stencil, 20, one, other), mirrored(stencil, 20, other, one);
        march.start(hill(20), hill(20));
        const VectorXd reversed = hill(20).reverse();
        mirrored.start(reversed, reversed);
        for (int n = 0; n < 30; ++n) {
            march.step();
            mirrored.step();
        }
        CHECK((march.level() - mirrored.level().reverse()).norm() <= 1e-13 * march.level().norm());
    }

    TEST_CASE("a point load is a load at every point that is zero elsewhere") {
        const auto stencil = wave::beam_stencil(wire, 0.3, 1e-4);
        const auto end = wave::free_end(stencil);
        March points(stencil, 20, end, end), everywhere(stencil, 20, end, end);
        const std::array<wave::PointLoad<>, 4> loads{{{0, 7.0}, {5, 100.0}, {19, -3.0}, {25, 1.0}}};
        VectorXd density = VectorXd::Zero(20);
        density[0] = 7.0, density[5] = 100.0, density[19] = -3.0;
        for (int n = 0; n < 10; ++n) {
            points.step(loads);
            everywhere.step(density);
        }
        CHECK(points.level().norm() > 0.0);
        CHECK((points.level() - everywhere.level()).norm() <= 1e-15 * points.level().norm());
    }

    TEST_CASE("derivatives by a parameter pass through a march") {
        using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
        const auto deflection = [](auto tension) {
            using Scalar = decltype(tension);
            const BeamParams<Scalar> p{Scalar(1.0), Scalar(0.5), Scalar(0.02), Scalar(150.0), tension};
            const auto stencil = wave::beam_stencil(p, 0.3, 1e-4);
            const auto end = wave::clamped(stencil);
            wave::March march(stencil, 12, end, end);
            const std::array<wave::PointLoad<Scalar>, 1> load{{{5, Scalar(1e3)}}};
            for (int n = 0; n < 50; ++n) march.step(load);
            return Scalar(march.level()[6]);
        };
        const Dual found = deflection(Dual(15e3, 1, 0));
        const double h = 15.0;  // differences: h^2 and rounding are both 1e-8 of the derivative
        const double expected = (deflection(15e3 + h) - deflection(15e3 - h)) / (2.0 * h);
        CHECK(found.value() == approx(deflection(15e3)).epsilon(1e-13));
        CHECK(found.derivatives()[0] == approx(expected).epsilon(1e-6));
    }

    TEST_CASE("an unstable step is refused with the largest stable one, and too few points with the fewest") {
        const auto refused = [](const auto& stencil, int points, const auto& end, const char* words) {
            CAPTURE(words);
            CHECK_THROWS_WITH_AS(March(stencil, points, end, end), doctest::Contains(words), SetupError);
        };
        const auto too_fast = wave::beam_stencil(wire, 0.05, 9.95e-5), good = wave::beam_stencil(wire, 0.05, 9.9e-5);
        refused(too_fast, 40, wave::clamped(too_fast), "the largest stable step is 9.90147543e-05");
        const auto never = wave::moving_beam_stencil(wire, 60.0, 0.05, 9e-5, -0.1);
        refused(never, 40, wave::clamped_first_order(never), "no step makes this scheme stable");
        refused(good, 4, wave::clamped(good), "points is 4, must be at least 5");
        refused(good, 4, RandomEnd(upper_rows(), 1), "points is 4, must be at least 5");
        refused(good, 40, wave::Support<double, 1>(), "each, which the stencil leaves open");
        Eigen::MatrixXd lower = Eigen::MatrixXd::Identity(2, 2);
        lower(1, 0) = 0.5;
        refused(good, 40, RandomEnd(lower, 1), "points further out");
        refused(good, 40, RandomEnd(Eigen::MatrixXd::Zero(2, 2), 1), "its own point");
        refused(good, 40, RandomEnd(Eigen::MatrixXd::Identity(3, 3), 1), "next_rows");
        auto broken = good;
        broken.next[2] = std::numeric_limits<double>::quiet_NaN();
        refused(broken, 40, wave::clamped_first_order(good), "wave::March: a weight of the stencil is nan");
        broken = wave::Stencil<>{.dx = 0.05, .dt = 9.9e-5};
        refused(broken, 40, wave::clamped_first_order(good), "does not contain the level n+1");
    }

    TEST_CASE("an end made for other steps, and a level of another size or without numbers, are refused") {
        const auto good = wave::beam_stencil(wire, 0.05, 9e-5), coarse = wave::beam_stencil(wire, 0.1, 9e-5),
                   slow = wave::beam_stencil(wire, 0.05, 9.9e-5);
        const auto end = wave::clamped(good);
        CHECK_THROWS_WITH_AS(March(good, 40, end, wave::clamped(coarse)), doctest::Contains("made for dx = 0.1 m"),
                             SetupError);
        CHECK_THROWS_WITH_AS(March(good, 40, wave::pinned(slow), end), doctest::Contains("dt = 9.9e-05 s"), SetupError);
        March march(good, 40, end, end);
        CHECK_THROWS_WITH_AS(march.start(VectorXd::Zero(39), VectorXd::Zero(40)),
                             doctest::Contains("has 39 points, expected 40"), SetupError);
        CHECK_THROWS_WITH_AS(march.start(VectorXd::Zero(40), VectorXd::Constant(40, std::nan(""))),
                             doctest::Contains("is not finite"), SetupError);
    }

    TEST_CASE("loads outside the grid are no loads, however far away") {
        const auto stencil = wave::beam_stencil(wire, 0.05, 9e-5);
        const auto end = wave::clamped(stencil);
        March march(stencil, 40, end, end);
        constexpr int far = std::numeric_limits<int>::max(), near = std::numeric_limits<int>::min();
        march.step(std::array<wave::PointLoad<>, 4>{{{-1, 1.0}, {40, 1.0}, {far, 1.0}, {near, 1.0}}});
        CHECK(march.level().norm() == 0.0);
    }

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
            CHECK(lowest_frequency(March(stencil, points, end, end), shape, 20000) == approx(56.88).epsilon(1e-4));
        }
    }

    TEST_CASE("a step takes no memory") {
        // @rt-tested: Stencil::at Stencil::is_explicit March::step March::level
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

    TEST_CASE("a load of another length than the grid moves nothing and is said") {
        const auto stencil = wave::beam_stencil(wire, 0.25, 1e-4);
        March march(stencil, 41, wave::clamped_first_order(stencil), wave::clamped_first_order(stencil));
        for (const int wrong : {0, 40, 42}) CHECK(march.step(VectorXd(VectorXd::Ones(wrong))) == Status::out_of_range);
        CHECK(march.level().isZero(0.0));
        CHECK(march.step(VectorXd(VectorXd::Ones(41))) == Status::ok);
        CHECK(march.level()[20] > 0.0);
    }

    TEST_CASE("a level or a weight that there is not is no number, or zero where a stencil ends") {
        const auto stencil = wave::beam_stencil(wire, 0.25, 1e-4);
        const March march(stencil, 41, wave::clamped_first_order(stencil), wave::clamped_first_order(stencil));
        for (const int there : {0, 1}) CHECK(march.level(there).isZero(0.0));
        for (const int wrong : {-1, 2, 1000}) {
            CHECK(march.level(wrong).size() == 41);
            CHECK(march.level(wrong).hasNaN());
        }
        for (const int beyond : {-3, 3, 1000}) CHECK(stencil.at(stencil.now, beyond) == 0.0);
        CHECK(stencil.at(stencil.now, 2) != 0.0);
        const wave::AbsorbingStencil absorbing({2, 3, 4}, VectorXd::Ones(24));
        CHECK(absorbing.weight(1, 2, 3) == 1.0);
        CHECK(absorbing.new_weight(1, 3) == 0.0);
        const wave::EdgeStencil edge({5, 3, 2}, VectorXd::Ones(20));
        CHECK(edge.weight(1, 4, 1) == 1.0);
        CHECK(edge.new_weight(4, 1) == 0.0);
        for (const int wrong : {-1, 5}) {
            for (const double w : {absorbing.weight(wrong, 0, 0), absorbing.weight(0, wrong, 0),
                                   absorbing.weight(0, 0, wrong), absorbing.new_weight(wrong, 0),
                                   absorbing.new_weight(0, wrong), edge.weight(wrong, 0, 0), edge.weight(0, wrong, 0),
                                   edge.weight(0, 0, wrong), edge.new_weight(wrong, 0), edge.new_weight(0, wrong)})
                CHECK(std::isnan(w));
            const auto end = wave::clamped(stencil);
            CHECK(end.past_rows(wrong).isZero(0.0));
            CHECK(std::isnan(end.share(wrong)));
            CHECK_THROWS_WITH_AS((void)end.motion_weights(wrong), doctest::Contains("must be from 0 to 2"), SetupError);
        }
    }
}

}  // namespace march_test
