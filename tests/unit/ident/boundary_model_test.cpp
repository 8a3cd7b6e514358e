// SPDX-License-Identifier: BSD-3-Clause
#include <panto/field/heat_slab.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/ident/boundary_law.hpp>
#include <panto/ident/boundary_model.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace boundary_model_test {
namespace {

using namespace panto;
using namespace panto::ident;

// [law]
const TermsLaw leaking_spring(BoundaryTerm{"spring", [](const auto& v) { return v; },
                                           [](const auto& v) { return decltype(v * v)(1.0); }},
                              BoundaryTerm{"stop", [](const auto& v) { return v * v * v; },
                                           [](const auto& v) { return 3.0 * v * v; }});
// [law]
static_assert(BoundaryLaw<decltype(leaking_spring)>);
static_assert(DiscreteSystem<BoundaryModel<HeatSlab<>, RadiationConvection<>>>);

template <class Law>
void slopes_are_derivatives(const Law& law, double v) {
    const double h = 1e-6;
    const auto up = law.basis(v + h), down = law.basis(v - h), slopes = law.slopes(v);
    for (std::size_t i = 0; i < slopes.size(); ++i)
        CHECK(slopes[i] == approx((up[i] - down[i]) / (2.0 * h)).epsilon(1e-8));  // h^2 and rounding over h
}

TEST_SUITE("ident::boundary_model") {
    TEST_CASE("laws are what their formulas say, and their slopes the derivatives") {
        const RadiationConvection<> hot({.initial_temperature = 400.0, .ambient_temperature = 300.0});
        CHECK(hot.basis(-100.0)[0] == approx(0.0));
        CHECK(hot.basis(10.0)[0] == approx(410.0 * 410.0 * 410.0 * 410.0 - 81e8));
        CHECK(hot.basis(10.0)[1] == approx(110.0));
        CHECK(RadiationConvection<false>().basis(0.0)[0] == 1.0);
        CHECK(PolynomialSpring<4>().basis(-2.0) == std::array{-2.0, 4.0, -8.0, 16.0});
        CHECK(weighted(PolynomialSpring<3>().basis(0.1), std::array{1.0, 2.0, 100.0}) == approx(0.22));
        slopes_are_derivatives(RadiationConvection<>(), -0.3);
        slopes_are_derivatives(RadiationConvection<false>(), -0.3);
        slopes_are_derivatives(PolynomialSpring<4>(), 0.7);
        slopes_are_derivatives(leaking_spring, 0.7);
        CHECK(leaking_spring.names()[1] == "stop");
        CHECK(RadiationConvection<>::names()[0] == "radiation");
        CHECK(PolynomialSpring<4>::names()[3] == "power 4");
        CHECK_THROWS_WITH_AS(RadiationConvection<>({.ambient_temperature = -1.0}),
                             doctest::Contains("ambient_temperature must be finite and >= 0, got -1"), SetupError);
    }

    TEST_CASE("a slab cools to its surroundings and stays there") {
        const double ambient = 0.6;
        const BoundaryModel model(heat_slab<double>({}, 0.02), RadiationConvection<>({.ambient_temperature = ambient}),
                                  {1.0, 0.5});
        const auto run = respond(model, 1500);
        REQUIRE(run.status == Status::ok);
        CHECK(run.sensor.back() == approx(ambient - 1.0));
        CHECK(run.boundary.back() == approx(ambient - 1.0));
        CHECK(run.action.front() == approx(1.0 - std::pow(ambient, 4) + 0.5 * (1.0 - ambient)));
        CHECK(run.action.back() == approx(0.0).scale(1.0));
        for (std::size_t k = 1; k < run.boundary.size(); ++k) CHECK(run.boundary[k] <= run.boundary[k - 1] + 1e-12);
    }

    TEST_CASE("heat that leaves is heat that is missing") {
        // With convection alone at steady cooling: the slowest mode, r tan r = eta, decays by r^2.
        const double dt = 0.005, eta = 1.0;
        const BoundaryModel model(heat_slab<double>({}, dt), RadiationConvection<>(), {0.0, eta});
        const auto run = respond(model, 801);
        double r = 0.86;
        for (int k = 0; k < 20; ++k) r = std::atan(eta / r);
        const double decay = std::log((run.sensor[400] + 1.0) / (run.sensor[800] + 1.0)) / (400.0 * dt);
        CHECK(decay == approx(r * r).epsilon(1e-5));  // straight lines between samples: dt^2
    }

    TEST_CASE("a held beam comes to rest where field and spring agree") {
        const BoundaryModel model(spring_beam<double>({.damping = 0.3}, 1e-3), leaking_spring, {1.0, 100.0});
        const std::vector<double> motion(4000, 0.1);
        const auto run = respond(model, 4000, motion);
        REQUIRE(run.status == Status::ok);
        const double S = run.boundary.back(), M = S + 100.0 * S * S * S;
        CHECK(S == approx(0.15 - 0.25 * M));
        CHECK(run.action.back() == approx(M));
        CHECK(run.sensor.back() == approx(-0.42 * 0.1 + 0.79 * M));
    }

    TEST_CASE("a law without a solution is said to have none") {
        // v = v_free + gain theta v with gain theta = 1 cannot be solved.
        const auto slab = heat_slab<double>({}, 0.01);
        const BoundaryModel flat(slab, RadiationConvection<>(), {0.0, 1.0 / slab.gain()});
        CHECK(respond(flat, 3).status != Status::ok);
        const BoundaryModel broken(slab, RadiationConvection<>(), {std::nan(""), 0.0});
        CHECK(respond(broken, 3).status == Status::not_finite);
    }

    TEST_CASE("motion of the wrong length is refused") {
        const BoundaryModel beam(spring_beam<double>({}, 1e-3), PolynomialSpring<>(), {1.0, 0.0, 0.0});
        CHECK_THROWS_WITH_AS((void)respond(beam, 10), doctest::Contains("motion has 0 values, expected 10"),
                             SetupError);
        CHECK_THROWS_WITH_AS((void)respond(beam, 0), doctest::Contains("samples is 0"), SetupError);
    }

    TEST_CASE("a step does not allocate") {
        const BoundaryModel model(spring_beam<double>({}, 1e-3), PolynomialSpring<>(), {1.0, 2.0, 100.0});
        auto x = model.at_rest(), next = x;
        decltype(model)::Input u;
        decltype(model)::Output y;
        u.now[0] = 0.01;
        const PolynomialSpring<> spring;
        const RadiationConvection<> cooling;
        double sum = 0.0;
        // @rt-tested: BoundaryModel::advance BoundaryModel::step BoundaryModel::output BoundaryModel::compliance
        // @rt-tested: weighted RadiationConvection::basis RadiationConvection::slopes
        // @rt-tested: PolynomialSpring::basis PolynomialSpring::slopes TermsLaw::basis TermsLaw::slopes
        CHECK(test::allocations_in([&] {
                  sum += model.advance(x, u, next) == Status::ok ? 1.0 : 0.0;
                  model.step(x, u, next);
                  model.output(next, u, y);
                  sum += model.compliance(0.1) + weighted(cooling.basis(0.1), std::array{1.0, 1.0});
                  sum += cooling.slopes(0.1)[0] + spring.basis(0.1)[0] + spring.slopes(0.1)[0];
                  sum += leaking_spring.basis(0.1)[0] + leaking_spring.slopes(0.1)[0];
              }) == 0);
        CHECK(sum > 1.0);
        CHECK(y.boundary > 0.0);
    }

    TEST_CASE("a state of another size is refused and nothing is written") {
        const BoundaryModel model(heat_slab<double>({}, 0.02), RadiationConvection<>(), {1.0, 0.5});
        using State = decltype(model)::State;
        const State good = model.at_rest();
        const Eigen::Index size = good.size();
        for (const Eigen::Index wrong : {Eigen::Index{0}, size - 1, size + 1}) {
            State bad = State::Ones(wrong), next = good;
            decltype(model)::Output y{.sensor = 7.0, .boundary = 7.0, .action = 7.0};
            CHECK(model.step(bad, {}, next) == Status::out_of_range);
            CHECK(model.advance(good, {}, bad) == Status::out_of_range);
            CHECK(model.output(bad, {}, y) == Status::out_of_range);
            CHECK(next == good);
            CHECK((bad.array() == 1.0).all());
            CHECK(y.action == 7.0);
        }
    }
}

}  // namespace
}  // namespace boundary_model_test
