// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/dynamics/runge_kutta.hpp>
#include <panto/element/air_volumes.hpp>
#include <panto/element/damper.hpp>
#include <panto/element/rubber.hpp>
#include <panto/element/spring.hpp>
#include <panto/pantograph/with_elements.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace panto::pantograph;
using panto::Dual;
using panto::SetupError;
using panto::Status;
using panto::element::BumpStop;
using panto::element::HydraulicDamper;
using panto::element::KelvinVoigt;
using panto::element::PenaltyContact;
using panto::element::PiecewiseLinear;

namespace with_elements_test {
namespace {

constexpr double dt = 1e-3;
const LumpedParams<double, 3> three{
    .mass = {7.5, 9.0, 6.0}, .damping = {45.0, 20.0, 100.0}, .stiffness = {7000.0, 15500.0, 160.0}};

double contact_at(double t) { return 100.0 + 60.0 * std::sin(70.0 * t) + 20.0 * std::cos(31.0 * t); }

/// State after `duration` from rest at the nominal height, under the uplift force 120 N and contact_at().
template <class P>
typename P::State run(const P& p, double duration, Status* worst = nullptr) {
    auto x = p.at_rest(), next = x;
    p.balance(x, {contact_at(0.0), 120.0});
    const int steps = static_cast<int>(std::lround(duration / p.dt()));
    for (int k = 1; k <= steps; ++k) {
        const Status status = p.step(x, {contact_at(k * p.dt()), 120.0}, next);
        if (worst && status != Status::ok) *worst = status;
        std::swap(x, next);
    }
    return x;
}

/// The same by Runge-Kutta steps of a 20 000th of a second, with one element between the frame and the roof.
template <class E>
panto::Vector<double, 3> reference(const E& element, double duration) {
    constexpr int n = E::Memory::RowsAtCompileTime;
    using State = panto::Vector<double, 6 + n>;
    const auto m = Lumped<double, 3>(three, dt).state_matrices();
    State x = State::Zero(), next;
    x.template tail<n>() = element.rest();
    const auto rate = [&](double t, const State& at, State& slope) {
        const typename E::Memory z = at.template tail<n>();
        typename E::Memory dz = z;
        slope.template head<6>() =
            m.A * at.template head<6>() + m.B * Eigen::Vector2d(contact_at(t), 120.0 - element.force(at[2], at[5], z));
        element.rate(at[2], at[5], z, dz);
        slope.template tail<n>() = dz;
    };
    const int steps = static_cast<int>(std::lround(20000.0 * duration));
    for (int k = 0; k < steps; ++k) {
        panto::dynamics::runge_kutta_step(rate, duration * k / steps, duration / steps, x, next);
        x = next;
        typename E::Memory z = x.template tail<n>();
        element.accept(x[2], x[5], z);
        x.template tail<n>() = z;
    }
    return x.template head<3>();
}

/// Order of the frame's height in the time step, from errors at two steps, and the error at the longer one, m.
template <class E>
std::array<double, 2> order(const E& element, double longer, double shorter, double duration = 0.4) {
    const auto exact = reference(element, duration);
    const auto error = [&](double step) {
        return (run(WithElements(Lumped<double, 3>(three, step), Elements(between(2, roof, element))), duration).u -
                exact)
            .norm();
    };
    const double coarse = error(longer);
    return {std::log(coarse / error(shorter)) / std::log(longer / shorter), coarse};
}

HydraulicDamper<> damper(double series = 2e4) {
    return HydraulicDamper<>(PiecewiseLinear<>::odd({{0.05, 40.0}, {0.3, 70.0}}), series);
}

}  // namespace

TEST_SUITE("pantograph::WithElements") {
    TEST_CASE("a spring and a damper as elements are the same pantograph as a stiffer and more damped chain") {
        auto softer = three;
        softer.stiffness[0] = 2000.0, softer.damping[0] = 5.0, softer.damping[2] = 30.0;
        const WithElements p(Lumped<double, 3>(softer, dt),
                             Elements(between(0, 1, KelvinVoigt<>{5000.0, 40.0}),
                                      between(roof, 2, KelvinVoigt<>{0.0, 70.0})));  // either way round
        const Lumped<double, 3> chain(three, dt);
        const auto x = run(p, 0.5);
        const auto y = run(chain, 0.5);
        // Round-off, as between the chain and its state-space form in lumped_test.
        CHECK((x.u - y.u).norm() < 1e-11);
        CHECK((x.v - y.v).norm() < 1e-9);
        CHECK(p.head_compliance(x) == approx(chain.head_compliance()).epsilon(1e-9));  // difference quotient: 1e-8

        const auto at_rest = p.in_equilibrium(157.3, 148.0);
        CHECK((at_rest.u - chain.in_equilibrium(157.3, 148.0).u).norm() < 1e-12);
        CHECK(p.static_contact_force(0.2, 157.3) == approx(chain.static_contact_force(0.2, 157.3)).epsilon(1e-9));
    }

    TEST_CASE("a roof that moves acts on the elements as on the chain") {
        auto softer = three;
        softer.stiffness[2] = 60.0, softer.damping[2] = 30.0;
        const WithElements p(Lumped<double, 3>(softer, dt), Elements(between(2, roof, KelvinVoigt<>{100.0, 70.0})));
        const Lumped<double, 3> chain(three, dt);
        auto x = p.at_rest(), next_x = x;
        auto y = chain.at_rest(), next_y = y;
        p.balance(x, {}), chain.balance(y, {});
        for (int k = 1; k <= 300; ++k) {
            const panto::Motion up{.height = 0.02 * std::sin(0.01 * k), .speed = 0.2 * std::cos(0.01 * k)};
            p.predict(x, 0.0, up, next_x), chain.predict(y, 0.0, up, next_y);
            std::swap(x, next_x), std::swap(y, next_y);
        }
        CHECK(y.u.norm() > 1e-3);
        CHECK((x.u - y.u).norm() < 1e-12);
    }

    TEST_CASE("is made of masses and elements, for instance a damper by a table and a stop on either side") {
        // [mounting]
        const Lumped<double, 3> chain(three, dt);
        const WithElements p(
            chain,
            Elements(between(2, roof, HydraulicDamper<>(PiecewiseLinear<>::odd({{0.05, 40.0}, {0.3, 70.0}}), 2e5)),
                     between(0, 1, BumpStop<>{.gap = 0.03, .stiffness = 1e5}),
                     between(roof, 2, PenaltyContact<>{.stiffness = 2e5, .damping = 500.0}, 0.25)));
        auto x = p.at_rest(), next = x;
        p.balance(x, {.uplift_force = 120.0});
        p.step(x, {.contact_force = 100.0, .uplift_force = 120.0}, next);
        const double newtons = std::get<0>(next.elements).force;
        // [mounting]
        CHECK(newtons > 0.0);  // the frame rises and pulls at the damper
        CHECK(std::get<1>(next.elements).force == 0.0);
    }

    TEST_CASE("elements take exactly the work of their mean force, whatever their law") {
        const WithElements p(Lumped<double, 3>(three, dt),
                             Elements(between(2, roof, damper()), between(0, 1, BumpStop<>{0.002, 2e5})));
        auto x = run(p, 0.1), next = x;
        double most_in_stop = 0.0;
        for (int k = 101; k <= 400; ++k) {
            const double f0 = contact_at((k - 1) * dt), f1 = contact_at(k * dt);
            CHECK(p.step(x, {f1, 120.0}, next) == Status::ok);
            const Eigen::Vector3d moved = next.u - x.u, speed = moved / dt;
            double gained = -0.5 * (f0 + f1) * moved[0] + 120.0 * moved[2] -
                            dt * (45.0 * std::pow(speed[0] - speed[1], 2) + 20.0 * std::pow(speed[1] - speed[2], 2) +
                                  100.0 * speed[2] * speed[2]);
            const auto work = [&](const auto& before, const auto& after) {
                return 0.5 * (before.force + after.force) * (after.x - before.x);
            };
            gained -= work(std::get<0>(x.elements), std::get<0>(next.elements));
            gained -= work(std::get<1>(x.elements), std::get<1>(next.elements));
            most_in_stop = std::max(most_in_stop, std::abs(std::get<1>(next.elements).force));
            CHECK(std::abs(p.energy(next) - p.energy(x) - gained) < 1e-9);  // of some 10 J
            std::swap(x, next);
        }
        CHECK(most_in_stop > 50.0);
    }

    TEST_CASE("a mass that bounces between stops keeps its energy, but for the steps in which it meets one") {
        // In a step that crosses the gap by a length d, 0 <= d <= v dt, the rule gives the stop the energy
        // k d v dt/2 instead of k d^2/2: at most k (v dt)^2/8 too much on the way in, and as much on the way out.
        const double k = 4e4, v = 0.5;
        const auto worst = [&](double step) {
            const WithElements p(Lumped<double, 1>(LumpedParams<double, 1>{.mass = panto::Vector<double, 1>(8.0),
                                                                           .damping = panto::Vector<double, 1>(0.0),
                                                                           .stiffness = panto::Vector<double, 1>(0.0)},
                                                   step),
                                 Elements(between(0, roof, BumpStop<>{.gap = 0.05, .stiffness = k})));
            auto x = p.at_rest(), next = x;
            x.v[0] = v;
            p.balance(x, {});
            double off = 0.0;
            int hits = 0;
            for (int i = 0; i < static_cast<int>(2.0 / step); ++i) {
                p.step(x, {}, next);
                const double in = std::max(std::abs(next.u[0]) - 0.05, 0.0);
                hits += in > 0.0 && std::abs(x.u[0]) <= 0.05;
                off = std::max(off, std::abs(p.energy(next) + 0.5 * k * in * in - 0.5 * 8.0 * v * v));
                std::swap(x, next);
            }
            CHECK(hits >= 7);
            CHECK(off < 2.0 * hits * k * std::pow(v * step, 2) / 8.0);
            return off;
        };
        CHECK(worst(2e-3) < 0.05);
        CHECK(worst(2.5e-4) < 0.05 / 64.0 * 4.0);  // second order; single hits scatter
    }

    TEST_CASE("converges with the square of the time step to a fine integration") {
        const auto arm = order(panto::element::GeneralizedMaxwell<1>(500.0, {{{2e4, 150.0}}}), 2e-3, 1e-3);
        CHECK(arm[0] == approx(2.0).epsilon(0.02));
        // The knee of the table falls anywhere into a step, so that single errors scatter by half their size.
        const auto hydraulic = order(damper(), 2e-3, 2.5e-4);
        CHECK(hydraulic[0] == approx(2.0).epsilon(0.1));  // log(1.5)/log(8) = 0.19
        CHECK(hydraulic[1] < 1e-4);
    }

    TEST_CASE("dry friction and reversals of Berg's rubber are those of a fine integration") {
        const panto::element::BergRubber<> rubber({500.0, 60.0, 0.004, {2e4, 150.0}});
        const auto found = order(rubber, 2e-3, 2.5e-4);
        CHECK(found[1] < 2e-4);
        CHECK(found[0] > 0.8);  // a reversal is placed at the end of a step: first order
    }

    TEST_CASE("a damper with stiff mounts is the damper without, at any stiffness") {
        // The memory then changes by 1e4 times itself in a step.
        const panto::element::TabulatedDamper<> rigid{PiecewiseLinear<>::odd({{0.05, 40.0}, {0.3, 70.0}})};
        const Lumped<double, 3> chain(three, dt);
        Status worst = Status::ok;
        const auto stiff = run(WithElements(chain, Elements(between(2, roof, damper(1e10)))), 0.4, &worst);
        const auto exact = run(WithElements(chain, Elements(between(2, roof, rigid))), 0.4, &worst);
        CHECK(worst == Status::ok);
        CHECK((stiff.u - exact.u).norm() < 1e-6);
    }

    TEST_CASE("meets an elastic wall with the force of the implicit coupling, stop or not") {
        const WithElements p(Lumped<double, 3>(three, dt),
                             Elements(between(0, 1, BumpStop<>{0.004, 1e5}), between(2, roof, damper())));
        const double stiffness = 50e3;
        auto x = p.at_rest(), next = x;
        double most = 0.0, off = 0.0, stop = 0.0;
        for (int k = 0; k < 3000; ++k) {
            const double wall = 0.01 + 0.008 * std::sin(0.1 * k);
            p.predict(x, 120.0, next);
            const double force =
                std::max(0.0, stiffness * (next.u[0] - wall)) / (1.0 + stiffness * p.head_compliance(next));
            p.add_contact(force, next);
            off = std::max(off, std::abs(force - std::max(0.0, stiffness * (next.u[0] - wall))));
            most = std::max(most, force), stop = std::max(stop, std::abs(std::get<0>(next.elements).force));
            std::swap(x, next);
        }
        CHECK(stop > 50.0);
        // The head is off by at most g^2 k_stop F in the step that meets the stop, g = dt^2/(4 m).
        CHECK(off < stiffness * std::pow(dt * dt / (4.0 * 7.5), 2) * 1e5 * most);
    }

    TEST_CASE("a one-sided stop carries the frame where nothing else does") {
        auto floating = three;
        floating.stiffness[2] = 0.0;
        // The stop under the frame, with the lower end first: it pushes when the frame is more than 0.3 m down.
        const WithElements p(Lumped<double, 3>(floating, dt),
                             Elements(between(roof, 2, PenaltyContact<>{.stiffness = 1e5}, 0.3)));
        const auto x = p.in_equilibrium(-50.0, 10.0);
        CHECK(x.u[2] == approx(-0.3 - 60.0 / 1e5).epsilon(1e-9));
        CHECK(std::get<0>(x.elements).force == approx(60.0).epsilon(1e-6));
        CHECK(p.static_contact_force(0.1, 120.0) == approx(120.0).epsilon(1e-6));
        const auto floating_at_rest = p.in_equilibrium(70.0, 70.0).u;  // at any height
        CHECK(floating_at_rest[2] - floating_at_rest[0] == approx(70.0 / 7000.0 + 70.0 / 15500.0).epsilon(1e-6));
        CHECK_THROWS_WITH_AS((void)p.in_equilibrium(120.0, 70.0),
                             "pantograph::WithElements::in_equilibrium: no heights found at which an uplift force of "
                             "120 N and a contact force of 70 N are carried; give the masses a spring or a stop that "
                             "carries them",
                             SetupError);
    }

    TEST_CASE("rests with the elements relaxed, and stays there") {
        const WithElements p(Lumped<double, 3>(three, dt),
                             Elements(between(2, roof, damper()),
                                      between(1, 2, panto::element::GeneralizedMaxwell<1>(500.0, {{{2e4, 150.0}}})),
                                      between(0, 1, panto::element::BergRubber<>({500.0, 60.0, 0.004, {2e4, 150.0}}))));
        auto x = p.in_equilibrium(157.3, 148.0), next = x;
        const Eigen::Vector3d start = x.u;
        p.balance(x, {148.0, 157.3});
        CHECK(x.a.norm() < 1e-6);
        for (int k = 0; k < 100; ++k) {
            p.step(x, {148.0, 157.3}, next);
            std::swap(x, next);
        }
        CHECK((x.u - start).norm() < 1e-10);
        CHECK(p.static_contact_force(start[0], 157.3) == approx(148.0).epsilon(1e-6));
    }

    TEST_CASE("an air spring of two volumes lifts the frame with its pressure") {
        panto::element::AirVolumesParams<> params;
        params.geometry.area = 4e-3, params.geometry.bellows = 2e-3, params.geometry.reservoir = 2e-3;
        params.geometry.pressure = 1.6e5;
        params.orifice = 2e-6;
        const panto::element::AirVolumes<> bellows(params);
        const WithElements p(Lumped<double, 3>(three, dt), Elements(between(roof, 2, bellows)));
        const double lift = (1.6e5 - 1.013e5) * 4e-3;
        CHECK(std::abs(p.in_equilibrium(0.0, lift).u[2]) < 1e-9);
        Status worst = Status::ok;
        const auto x = run(p, 0.3, &worst);
        CHECK(worst == Status::ok);
        const auto& z = std::get<0>(x.elements).memory;
        CHECK(z[0] + z[2] == approx(bellows.rest()[0] + bellows.rest()[2]).epsilon(1e-12));  // kg of air
    }

    TEST_CASE("gives the derivative by a parameter of an element") {
        using D = Dual<1>;
        const auto height = [](double series) {
            return run(WithElements(Lumped<double, 3>(three, dt), Elements(between(2, roof, damper(series)))), 0.1)
                .u[2];
        };
        const LumpedParams<D, 3> params{
            .mass = three.mass.cast<D>(), .damping = three.damping.cast<D>(), .stiffness = three.stiffness.cast<D>()};
        const HydraulicDamper<D> part(PiecewiseLinear<D>::odd({{D(0.05), D(40.0)}, {D(0.3), D(70.0)}}),
                                      D::variable(2e4, 0));
        const WithElements p(Lumped<D, 3>(params, dt), Elements(between<D>(2, roof, part)));
        auto x = p.at_rest(), next = x;
        p.balance(x, {D(contact_at(0.0)), D(120.0)});
        for (int k = 1; k <= 100; ++k) {
            CHECK(p.step(x, {D(contact_at(k * dt)), D(120.0)}, next) == Status::ok);
            std::swap(x, next);
        }
        CHECK(x.u[2].value() == approx(height(2e4)).epsilon(1e-10));
        const double quotient = (height(2e4 + 20.0) - height(2e4 - 20.0)) / 40.0;
        CHECK(x.u[2].derivative(0) == approx(quotient).epsilon(1e-5));
    }

    TEST_CASE("does not allocate while stepping") {
        // @rt-tested: WithElements::predict WithElements::add_contact WithElements::step WithElements::output
        // @rt-tested: WithElements::head_compliance WithElements::balance WithElements::energy implicit_memory
        const LumpedParams<> params{.mass = three.mass, .damping = three.damping, .stiffness = three.stiffness};
        const WithElements p(Lumped<>(params, dt),
                             Elements(between(2, roof, damper()), between(0, 1, BumpStop<>{0.002, 2e5})));
        auto x = p.at_rest(), next = x;
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  p.balance(x, {100.0, 120.0});
                  for (int k = 0; k < 50; ++k) {
                      p.step(x, {contact_at(k * dt), 120.0}, next);
                      std::swap(x, next);
                  }
                  decltype(p)::Output y;
                  p.output(x, {}, y);
                  sum = p.energy(x) + p.head_compliance(x) + y.height;
              }) == 0);
        CHECK(std::isfinite(sum));
    }

    TEST_CASE("refuses elements that hang in the air, and says which") {
        const auto build = [](auto... m) { return Elements(m...).on(Lumped<double, 3>(three, dt)); };
        const BumpStop<> stop{0.1, 1e5};
        CHECK_THROWS_WITH_AS(
            build(between(3, roof, stop)),
            "pantograph::WithElements: an end of element 0 is mass 3, must be from 0, the pan-head, to "
            "2, or pantograph::roof",
            SetupError);
        CHECK_THROWS_WITH_AS(build(between(0, 1, stop), between(0, -2, stop)),
                             "pantograph::WithElements: an end of element 1 is mass -2, must be from 0, the pan-head, "
                             "to 2, or pantograph::roof",
                             SetupError);
        CHECK_THROWS_WITH_AS(build(between(1, 1, stop)),
                             "pantograph::WithElements: both ends of element 0 are 1 (-1 is the roof); an element "
                             "joins two masses, or a mass and the roof",
                             SetupError);
        CHECK_THROWS_AS(build(between(0, 1, stop, std::numeric_limits<double>::quiet_NaN())), SetupError);
        CHECK_THROWS_WITH_AS((void)between(0, 1, BumpStop<>{0.1, -1.0}),
                             "element::BumpStop: stiffness must be finite and > 0, got -1", SetupError);
        const auto p = build(between(0, 1, stop));
        CHECK_THROWS_AS((void)p.static_contact_force(std::nan(""), 120.0), SetupError);
        CHECK_THROWS_AS((void)p.static_contact_force(0.0, std::nan("")), SetupError);
        CHECK_THROWS_AS((void)p.in_equilibrium(120.0, std::numeric_limits<double>::infinity()), SetupError);
    }

    TEST_CASE("says that a size does not fit, or that forces are not found, by its status") {
        const LumpedParams<> params{.mass = three.mass, .damping = three.damping, .stiffness = three.stiffness};
        const WithElements p(Lumped<>(params, dt), Elements(between(2, roof, damper())));
        const auto good = p.at_rest();
        auto next = good, bad = good;
        bad.u = Eigen::VectorXd::Zero(2);
        CHECK(p.predict(bad, 120.0, next) == Status::out_of_range);
        CHECK(p.predict(good, 120.0, bad) == Status::out_of_range);
        CHECK(p.step(good, {100.0, 120.0}, bad) == Status::out_of_range);
        CHECK(p.add_contact(1.0, bad) == Status::out_of_range);
        CHECK(p.balance(bad, {}) == Status::out_of_range);
        CHECK(p.step(good, {100.0, std::nan("")}, next) == Status::not_converged);
        CHECK(next.u.hasNaN());
    }
}

}  // namespace with_elements_test
