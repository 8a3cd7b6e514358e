// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Exact gradients of a passage with slack droppers: dual numbers and discrete adjoint against the complex step, and
/// what the adjoint costs in steps.

#pragma once

#include <panto/catenary/lines.hpp>
#include <panto/catenary/passage_adjoint.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/core/dual.hpp>
#include <panto/ident/adjoint.hpp>

#include "../support/complex_step.hpp"
#include "../support/counted_stepper.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace panto::test::passage_gradient {

using namespace panto::catenary;
using Vec = Vector<double, Dynamic>;

constexpr int steps = 80;
constexpr MeshSize coarse{.contact = 3.0, .messenger = 6.0};
constexpr PassageParams passage{.speed = 50.0, .start = 26.0, .accept_coarse_mesh = true};
constexpr std::size_t node = 14;
/// Contact-wire tension and mass, messenger tension, dropper stiffness, both Rayleigh coefficients.
constexpr std::array<double, 6> truth{20e3, 1.35, 16e3, 1e5, 0.0125, 1e-4};

inline double force(int n) { return 180.0 + 170.0 * std::sin(0.2 * n); }
inline double wanted(int n) { return 0.02 * std::sin(0.05 * n); }

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
        if (from.messenger_stiffness) to.messenger_damping = S(400.0);  // N s/m
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

/// Of a PassageStepper, counted or not.
template <class Stepper>
ident::AdjointResult<Vec> adjoint(const Stepper& stepper, int row, int count = steps) {
    return ident::adjoint_gradient(
        stepper, count, [&](int n, const Vec& x) { return (x[row] - wanted(n)) * (x[row] - wanted(n)); },
        [&](int n, const Vec& x, Vec& lambda) { lambda[row] += 2.0 * (x[row] - wanted(n)); });
}

inline int observed_row(const FiniteElements<>& model) { return model.contact_row(node)[0]; }

/// The six parameters, as the first of K.
template <int K>
std::array<Dual<K>, 6> seeded() {
    std::array<Dual<K>, 6> p;
    for (int i = 0; i < 6; ++i)
        p[static_cast<std::size_t>(i)] = Dual<K>::variable(truth[static_cast<std::size_t>(i)], i);
    return p;
}

/// Largest relative differences over the six parameters.
struct Agreement {
    int slack = 0;         ///< slack droppers, summed over the steps
    double value = 0.0;    ///< of the adjoint's J from that of the march of dual numbers
    double duals = 0.0;    ///< from the complex step
    double adjoint = 0.0;  ///< from the complex step
};

inline Agreement slack_passage() {
    Agreement a;
    const Dual<6> dual = misfit(seeded<6>(), &a.slack);
    const FiniteElements<> model(section(truth), coarse);
    const PassageStepper stepper(model, passage, force);
    const auto result = adjoint(stepper, observed_row(model));
    a.value = std::abs(result.value / dual.value() - 1.0);
    const Vec gradient =
        stepper.section_gradient(result.gradient, FiniteElements<Dual<6>>(section(seeded<6>()), coarse));
    for (std::size_t i = 0; i < 6; ++i) {
        std::array<ComplexStep, 6> p;
        for (std::size_t k = 0; k < 6; ++k) p[k] = k == i ? ComplexStep::variable(truth[k]) : ComplexStep(truth[k]);
        const double exact = misfit(p).derivative();
        a.duals = std::max(a.duals, std::abs(dual.derivative(static_cast<int>(i)) / exact - 1.0));
        a.adjoint = std::max(a.adjoint, std::abs(gradient[static_cast<Eigen::Index>(i)] / exact - 1.0));
    }
    return a;
}

/// Steps, forward and transposed, of value and gradient over those of the march alone.
inline double cost_in_marches() {
    const FiniteElements<> model(section(truth), coarse);
    const PassageStepper stepper(model, passage, force);
    const CountedStepper counted(stepper);
    (void)adjoint(counted, observed_row(model));
    return static_cast<double>(counted.forward + counted.transposed) / steps;
}

}  // namespace panto::test::passage_gradient

namespace panto::test {

inline std::vector<Measured> passage_gradient_figures() {
    const auto a = passage_gradient::slack_passage();
    return {{"gradient.passage.duals", a.duals},
            {"gradient.passage.adjoint", a.adjoint},
            {"gradient.passage.marches", passage_gradient::cost_in_marches()}};
}

}  // namespace panto::test
