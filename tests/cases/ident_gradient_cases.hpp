// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Exact gradients of heat slab with radiation and beam with a cubic boundary: dual numbers and discrete adjoint
/// against the complex step, and what the adjoint costs in steps.

#pragma once

#include <panto/core/dual.hpp>
#include <panto/field/heat_slab.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/ident/boundary_adjoint.hpp>

#include "../support/complex_step.hpp"
#include "../support/counted_stepper.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test::boundary_gradient {

using namespace panto::ident;
using Vec = Vector<double, Dynamic>;

/// 100 terms with bounded slopes, all of them at work: sin(i v)/i^2.
struct HundredTerms {
    static constexpr int size = 100;
    template <class S>
    std::array<S, 100> basis(const S& v) const noexcept {
        std::array<S, 100> f{};
        for (std::size_t i = 0; i < 100; ++i)
            f[i] = sin(S(static_cast<double>(i + 1)) * v) / S(static_cast<double>((i + 1) * (i + 1)));
        return f;
    }
    std::array<double, 100> basis(const double& v) const noexcept {
        std::array<double, 100> f{};
        for (std::size_t i = 0; i < 100; ++i) {
            const double k = static_cast<double>(i + 1);
            f[i] = std::sin(k * v) / (k * k);
        }
        return f;
    }
    template <class S>
    std::array<S, 100> slopes(const S& v) const noexcept {
        std::array<S, 100> f{};
        for (std::size_t i = 0; i < 100; ++i)
            f[i] = cos(S(static_cast<double>(i + 1)) * v) / S(static_cast<double>(i + 1));
        return f;
    }
    std::array<double, 100> slopes(const double& v) const noexcept {
        std::array<double, 100> f{};
        for (std::size_t i = 0; i < 100; ++i) {
            const double k = static_cast<double>(i + 1);
            f[i] = std::cos(k * v) / k;
        }
        return f;
    }
    static std::array<std::string, 100> names() { return {}; }
};

inline double wanted(int n) { return 0.3 * std::sin(0.05 * n); }

/// sum_n (sensor_n - wanted_n)^2
template <class Scalar, class Field, class Law>
Scalar misfit(const Field& field, const Law& law, const std::array<Scalar, std::size_t(Law::size)>& theta, int steps,
              const std::vector<double>& motion) {
    const BoundaryModel<Field, Law> model(field, law, theta);
    const auto run = respond(model, steps + 1, motion);
    if (run.sensor.size() != static_cast<std::size_t>(steps) + 1) throw std::runtime_error("the march ended early");
    Scalar sum(0.0);
    for (int n = 0; n <= steps; ++n) {
        const Scalar e = run.sensor[static_cast<std::size_t>(n)] - Scalar(wanted(n));
        sum += e * e;
    }
    return sum;
}

/// Of a BoundaryStepper, counted or not.
template <class Stepper>
AdjointResult<Vec> adjoint_of(const Stepper& stepper, Eigen::Index sensor, int steps, CheckpointPolicy policy = {}) {
    return adjoint_gradient(
        stepper, steps, [&](int n, const Vec& x) { return (x[sensor] - wanted(n)) * (x[sensor] - wanted(n)); },
        [&](int n, const Vec& x, Vec& lambda) { lambda[sensor] += 2.0 * (x[sensor] - wanted(n)); }, policy);
}

template <class Model>
AdjointResult<Vec> adjoint(const Model& model, int steps, const std::vector<double>& motion,
                           CheckpointPolicy policy = {}) {
    const BoundaryStepper stepper(model, motion);
    auto result = adjoint_of(stepper, stepper.sensor(), steps, policy);
    stepper.start_transposed(result.start, result.gradient);
    return result;
}

/// Largest relative differences.
struct Agreement {
    double value = 0.0;        ///< of the adjoint's J from that of the march of dual numbers
    double duals = 0.0;        ///< from the complex step
    double adjoint = 0.0;      ///< from the complex step
    double checkpoints = 0.0;  ///< of the gradient with the fewest states kept from that with all of them
    double states_kept = 0.0;  ///< with the fewest, over those with all
};

/// `make` gives the field for a scalar. Every parameter by the complex step, all by duals, all by the adjoint.
template <class Law, class Make>
Agreement agreement(const Make& make, const Law& law, const std::array<double, std::size_t(Law::size)>& theta,
                    int steps, const std::vector<double>& motion) {
    constexpr int P = Law::size;
    std::array<Dual<P>, std::size_t(P)> dual_theta;
    for (int i = 0; i < P; ++i)
        dual_theta[static_cast<std::size_t>(i)] = Dual<P>::variable(theta[static_cast<std::size_t>(i)], i);
    const Dual<P> dual = misfit(make(Dual<P>()), law, dual_theta, steps, motion);
    const BoundaryModel model(make(0.0), law, theta);
    const auto all = adjoint(model, steps, motion),
               few = adjoint(model, steps, motion, CheckpointPolicy::fewest(steps));
    Agreement a;
    a.value = std::abs(all.value / dual.value() - 1.0);
    for (int i = 0; i < P; ++i) {
        std::array<ComplexStep, std::size_t(P)> complex_theta;
        for (std::size_t k = 0; k < complex_theta.size(); ++k) complex_theta[k] = ComplexStep(theta[k]);
        complex_theta[static_cast<std::size_t>(i)] = ComplexStep::variable(theta[static_cast<std::size_t>(i)]);
        const double exact = misfit(make(ComplexStep()), law, complex_theta, steps, motion).derivative();
        a.duals = std::max(a.duals, std::abs(dual.derivative(i) / exact - 1.0));
        a.adjoint = std::max(a.adjoint, std::abs(all.gradient[i] / exact - 1.0));
        a.checkpoints = std::max(a.checkpoints, std::abs(few.gradient[i] / all.gradient[i] - 1.0));
    }
    a.states_kept = static_cast<double>(few.states_kept) / all.states_kept;
    return a;
}

template <class Scalar>
HeatSlab<Scalar> slab(const Scalar&) {
    return heat_slab<Scalar>({}, 0.01);
}

template <class Scalar>
SpringBeam<Scalar> beam(const Scalar&) {
    return spring_beam<Scalar>({.modes = 4}, 0.005);
}

inline std::vector<double> shaken(int steps) {
    std::vector<double> z;
    for (int n = 0; n <= steps; ++n) {
        const double t = 0.005 * n;
        z.push_back(0.05 * std::pow(1.0 - std::exp(-t / 0.05), 3) * std::sin(16.0 * std::acos(-1.0) * t));
    }
    return z;
}

inline Agreement radiating_slab() {
    return agreement([](const auto& s) { return slab(s); }, RadiationConvection<>({1.0, 0.2}), {0.9, 0.4}, 200, {});
}

inline Agreement cubic_beam() {
    return agreement([](const auto& s) { return beam(s); }, PolynomialSpring<3>{}, {1.0, 2.0, 100.0}, 200, shaken(200));
}

inline std::array<double, 6> six_parameters() { return {1.0, 0.2, 0.1, 0.05, 0.02, 0.01}; }

inline std::array<double, 100> hundred_parameters() {
    std::array<double, 100> theta{};
    theta.fill(0.01);
    theta[0] = 1.0;
    return theta;
}

/// Steps, forward and transposed, of value and gradient over those of the march alone.
template <class Law>
double cost_in_marches(const Law& law, const std::array<double, std::size_t(Law::size)>& theta,
                       CheckpointPolicy policy = {}) {
    constexpr int steps = 2000;
    const BoundaryModel model(heat_slab<double>({}, 0.01), law, theta);
    const BoundaryStepper stepper(model);
    const CountedStepper counted(stepper);
    (void)adjoint_of(counted, stepper.sensor(), steps, policy);
    return static_cast<double>(counted.forward + counted.transposed) / steps;
}

}  // namespace panto::test::boundary_gradient

namespace panto::test {

inline std::vector<Measured> boundary_gradient_figures() {
    using namespace boundary_gradient;
    const Agreement slab = radiating_slab(), beam = cubic_beam();
    const auto fewest = CheckpointPolicy::fewest(2000);
    return {{"gradient.slab.duals", slab.duals},
            {"gradient.slab.adjoint", slab.adjoint},
            {"gradient.spring_beam.duals", beam.duals},
            {"gradient.spring_beam.adjoint", beam.adjoint},
            {"gradient.slab.marches_6", cost_in_marches(PolynomialSpring<6>{}, six_parameters())},
            {"gradient.slab.marches_100", cost_in_marches(HundredTerms{}, hundred_parameters())},
            {"gradient.slab.marches_100_few_states", cost_in_marches(HundredTerms{}, hundred_parameters(), fewest)}};
}

}  // namespace panto::test
