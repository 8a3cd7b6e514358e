// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/interaction/stability.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

using namespace panto::interaction;
using panto::catenary::FiniteElements;
using panto::pantograph::Lumped;
using panto::pantograph::LumpedParams;

namespace stability_test {
namespace {

constexpr double dt = 2e-3;

Lumped<> hil_pantograph() {  // Table 1 of the HiL paper
    LumpedParams<> p;
    p.mass = Eigen::Vector3d(6.6, 5.8, 5.8);
    p.damping = Eigen::Vector3d(0.0, 0.0, 70.0);
    p.stiffness = Eigen::Vector3d(7000.0, 14100.0, 80.0);
    return {p, dt};
}

/// The reference model of EN 50318: damped in every link.
Lumped<> en50318_pantograph() {
    LumpedParams<> p;
    p.mass = Eigen::Vector2d(7.2, 15.0);
    p.damping = Eigen::Vector2d(10.0, 90.0);
    p.stiffness = Eigen::Vector2d(4200.0, 50.0);
    return {p, dt};
}

/// A head that stops after a centimetre and then stays where it is.
Lumped<> anvil() {
    LumpedParams<> p;
    p.mass = Eigen::VectorXd::Constant(1, 1e4);
    p.damping = Eigen::VectorXd::Constant(1, 1e6);
    p.stiffness = Eigen::VectorXd::Zero(1);
    return {p, dt};
}

double radius(const InteractionMassParams& mass, double contact_stiffness) {
    return mass_loop_radius(InteractionMass<>(mass, dt), hil_pantograph(), contact_stiffness);
}

/// Ratio of the force late in a run of mass and pantograph to that early in it, the wire at rest: by stepping.
double growth(const InteractionMassParams& params, double contact_stiffness, int steps) {
    const InteractionMass<> mass(params, dt);
    const Lumped<> pantograph = hil_pantograph();
    auto head = pantograph.at_rest(), next = head;
    head.v[0] = 0.1;
    InteractionMass<>::State moved;
    double force = 0.0, early = 0.0, late = 0.0;
    for (int n = 0; n < steps; ++n) {
        moved = mass.step(moved, 0.0, 0.0, force);
        pantograph.predict(head, 0.0, next);
        force =
            contact_stiffness * (next.u[0] - moved.height) / (1.0 + contact_stiffness * pantograph.head_compliance());
        pantograph.add_contact(force, next);
        std::swap(head, next);
        double& most = n < steps / 2 ? early : late;
        if (n > steps / 4) most = std::max(most, std::abs(force));
    }
    return late / early;
}

}  // namespace

TEST_SUITE("interaction::stability") {
    TEST_CASE("mass and pantograph have the spectral radii an independent program found") {
        // Table 2 of the HiL paper under the DSA-380: given to four digits.
        CHECK(radius({}, 40e3) == approx(0.9961).epsilon(1e-4));
        CHECK(radius({}, 50e3) == approx(1.0023).epsilon(1e-4));
        CHECK(radius({}, 100e3) == approx(1.254).epsilon(5e-4));
        CHECK(radius({}, 240e3) == approx(1.717).epsilon(5e-4));
        const double limit = largest_stable([](double k) { return radius({}, k) < 1.0; }, 240e3);
        CHECK(limit == approx(49.6e3).epsilon(2e-3));
        CHECK(radius({.damping = 200.0}, 100e3) < 1.0);
    }

    TEST_CASE("below a radius of one a run of mass and pantograph fades, above it grows") {
        CHECK(growth({}, 30e3, 4000) < 0.9);
        CHECK(growth({}, 60e3, 4000) > 10.0);
    }

    TEST_CASE("a pulse is answered as by the reference engine") {
        const FiniteElements<> model(panto::catenary::en50318_2002(2), {.contact = 2.0});
        panto::catenary::ReferenceEngine<> engine(model, {.start = 33.0, .accept_coarse_mesh = true});
        const auto response = pulse_response(model, 33.0, dt, 200);
        REQUIRE(response.size() == 200);
        const double rest = engine.wire().height;
        double worst = 0.0, largest = 0.0;
        for (std::size_t n = 0; n < response.size(); ++n) {
            const double height = engine.step(n == 0 ? 1.0 : 0.0).height - rest;
            worst = std::max(worst, std::abs(height - response[n]));
            largest = std::max(largest, std::abs(height));
        }
        CHECK(largest > 1e-7);
        CHECK(worst < 1e-9 * largest + 1e-15);  // rounding of heights of a few centimetres
    }

    TEST_CASE("pulses are taken at the places that matter, as long as a wave runs to and fro") {
        const FiniteElements<> model(panto::catenary::en50318_2002(3), {.contact = 3.0});
        const auto responses = pulse_responses(model, dt);
        CHECK(responses.size() == 3);
        for (const auto& r : responses) CHECK(r.size() == 900);
        CHECK(pulse_responses(FiniteElements<>(panto::catenary::en50318_2002(1), {.contact = 3.0}), dt).size() == 2);
    }

    TEST_CASE("against a rigid wire the delayed loop always fades") {
        const std::vector<double> rigid(900, 0.0);
        for (const double k : {1e3, 1e5, 1e8}) CHECK(delayed_loop_fades(rigid, en50318_pantograph(), k));
    }

    TEST_CASE("against a wire that is a mere spring the loop fades while that spring is the stiffer one") {
        // F+ = k (head - c F) with a head that stands still: the factor from step to step is -k c.
        std::vector<double> spring(900, 0.0);
        spring[0] = 1e-5;  // 100 kN/m, without memory
        const auto fades = [&](double k) { return delayed_loop_fades(spring, anvil(), k); };
        CHECK(fades(95e3));
        CHECK_FALSE(fades(105e3));
        CHECK(largest_stable(fades, 1e6) == approx(100e3).epsilon(0.01));
    }

    TEST_CASE("a loop that runs away is stopped before its numbers end") {
        std::vector<double> soft(900, 0.0);
        soft[0] = 1.0;
        CHECK_FALSE(delayed_loop_fades(soft, anvil(), 1e9));
    }

    TEST_CASE("places, steps and stiffnesses that make no sense are refused by name") {
        const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
        const FiniteElements<> model(panto::catenary::en50318_2002(1), {.contact = 3.0});
        for (const double off : {nan, -1.0, model.length() + 1.0})
            CHECK_THROWS_WITH_AS(static_cast<void>(pulse_response(model, off, dt, 5)),
                                 doctest::Contains("m, where the line ends"), panto::SetupError);
        for (const double bad : {0.0, -dt, nan, inf}) {
            CHECK_THROWS_AS(static_cast<void>(pulse_response(model, 30.0, bad, 5)), panto::SetupError);
            CHECK_THROWS_AS(static_cast<void>(delayed_loop_fades({1e-5, 0.0}, anvil(), bad)), panto::SetupError);
            CHECK_THROWS_AS(
                static_cast<void>(mass_loop_radius(panto::interaction::InteractionMass<>({}, dt), anvil(), bad)),
                panto::SetupError);
        }
    }

    TEST_CASE("the largest stable value is found to six digits, from any value that is not") {
        for (const double border : {3.0, 1234.5, 9.99e8})
            CHECK(largest_stable([&](double v) { return v < border; }, 1e9) == approx(border).epsilon(2e-6));
    }

    TEST_CASE("where nothing is stable the search ends near zero") {
        CHECK(largest_stable([](double) { return false; }, 1e9) < 1e-8);
    }
}

}  // namespace stability_test
