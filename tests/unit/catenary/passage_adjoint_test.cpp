// SPDX-License-Identifier: BSD-3-Clause
// A catenary with slack droppers: dual numbers and discrete adjoint against the complex step.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/passage_adjoint.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/ident/adjoint.hpp>

#include "complex_step.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace passage_adjoint_test {
namespace {

using namespace panto;
using namespace panto::catenary;
using test::ComplexStep;
using Vec = Vector<double, Dynamic>;

constexpr int steps = 80;
constexpr MeshSize coarse{.contact = 3.0, .messenger = 6.0};
constexpr PassageParams passage{.speed = 50.0, .start = 26.0, .accept_coarse_mesh = true};
constexpr std::size_t node = 14;
/// Contact-wire tension and mass, messenger tension, dropper stiffness, both Rayleigh coefficients.
constexpr std::array<double, 6> truth{20e3, 1.35, 16e3, 1e5, 0.0125, 1e-4};

double force(int n) { return 180.0 + 170.0 * std::sin(0.2 * n); }
double wanted(int n) { return 0.02 * std::sin(0.05 * n); }

/// Two spans of 60 m of the EN 50318 line.
template <Real S>
Section<S> section(const std::array<S, 6>& p) {
    const Section<> plain = en50318_2002(2);
    Section<S> s;
    s.contact_wire = {p[1], p[0], S(195.0), S(0.0)};
    s.messenger_wire = {S(1.07), p[2], S(131.7), S(0.0)};
    s.dropper.stiffness = p[3];
    s.dropper.axial_stiffness = s.dropper.mass_per_length = S(0.0);
    s.dropper.clamp_mass_contact = s.dropper.clamp_mass_messenger = S(0.0);
    s.damping = {p[4], p[5]};
    s.spans = plain.spans;
    for (const Support<>& from : plain.supports) {
        Support<S> to{.messenger_height = from.messenger_height};
        if (from.messenger_stiffness) to.messenger_stiffness = S(*from.messenger_stiffness);
        if (from.steady_arm) to.steady_arm = SteadyArm<S>{S(0.0), S(0.0), S(0.0), from.steady_arm->held_height};
        s.supports.push_back(to);
    }
    return s;
}

template <Real S>
S misfit(const std::array<S, 6>& p, int* slack = nullptr) {
    ReferenceEngine<S> engine(FiniteElements<S>(section(p), coarse), passage);
    S sum(wanted(0) * wanted(0));
    for (int n = 0; n < steps; ++n) {
        engine.step(force(n));
        const S e = engine.uplift(node) - S(wanted(n + 1));
        sum += e * e;
        if (slack)
            for (std::size_t j = 0; j < engine.model().droppers().size(); ++j)
                *slack += value_of(engine.dropper_force(j)) == 0.0;
    }
    return sum;
}

ident::AdjointResult<Vec> adjoint(const PassageStepper& stepper, int count = steps) {
    const int row = stepper.model().contact_row(node)[0];
    return ident::adjoint_gradient(
        stepper, count, [&](int n, const Vec& x) { return (x[row] - wanted(n)) * (x[row] - wanted(n)); },
        [&](int n, const Vec& x, Vec& lambda) { lambda[row] += 2.0 * (x[row] - wanted(n)); });
}

/// The six parameters, as the first of K.
template <int K>
std::array<Dual<K>, 6> seeded() {
    std::array<Dual<K>, 6> p;
    for (int i = 0; i < 6; ++i)
        p[static_cast<std::size_t>(i)] = Dual<K>::variable(truth[static_cast<std::size_t>(i)], i);
    return p;
}

}  // namespace

TEST_SUITE("catenary::PassageStepper") {
    TEST_CASE("gives the gradient of a passage with slack droppers as dual numbers and the complex step do") {
        int slack = 0;
        const Dual<6> dual = misfit(seeded<6>(), &slack);
        CHECK(slack > 20);
        const FiniteElements<> model(section(truth), coarse);
        const PassageStepper stepper(model, passage, force);
        const auto result = adjoint(stepper);
        CHECK(result.value == doctest::Approx(dual.value()).epsilon(1e-12));
        const Vec gradient =
            stepper.section_gradient(result.gradient, FiniteElements<Dual<6>>(section(seeded<6>()), coarse));
        for (std::size_t i = 0; i < 6; ++i) {
            std::array<ComplexStep, 6> p;
            for (std::size_t k = 0; k < 6; ++k) p[k] = k == i ? ComplexStep::variable(truth[k]) : ComplexStep(truth[k]);
            const double exact = misfit(p).derivative();
            CAPTURE(i);
            CHECK(dual.derivative(static_cast<int>(i)) == doctest::Approx(exact).epsilon(1e-10));
            CHECK(gradient[static_cast<Eigen::Index>(i)] == doctest::Approx(exact).epsilon(1e-10));
        }
    }
}

TEST_SUITE("long") {
    TEST_CASE("a passage's gradient costs at most five marches, with 6 parameters and with 100") {
        constexpr int many = 800;  // 1.6 s: both spans
        const FiniteElements<> model(section(truth), coarse);
        const PassageStepper stepper(model, passage, force);
        double sum = 0.0;
        const auto seconds = [](const auto& call) {
            double best = 1e9;
            for (int k = 0; k < 5; ++k) {
                const auto start = std::chrono::steady_clock::now();
                call();
                best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            }
            return best;
        };
        const double march = seconds([&] {
            Vec x = stepper.start(), next = x;
            for (int n = 0; n < many; ++n) {
                stepper.step(n, x, next);
                x.swap(next);
            }
            sum += x[0];
        });
        const auto gradient = [&]<int K>() {
            const FiniteElements<Dual<K>> dual(section(seeded<K>()), coarse);
            sum += stepper.section_gradient(adjoint(stepper, many).gradient, dual)[0];
        };
        const double six = seconds([&] { gradient.template operator()<6>(); });
        const double hundred = seconds([&] { gradient.template operator()<100>(); });
        CHECK(std::isfinite(sum));
        CHECK(six < 5.0 * march);
        CHECK(hundred < 5.0 * march);
        MESSAGE("marches: ", six / march, " with 6 parameters, ", hundred / march, " with 100");
    }
}

}  // namespace passage_adjoint_test
