// SPDX-License-Identifier: BSD-3-Clause
// Heat slab with radiation and beam with a cubic boundary: dual numbers and discrete adjoint against the complex step.
#include <panto/core/dual.hpp>
#include <panto/ident/boundary_adjoint.hpp>
#include <panto/ident/heat_slab.hpp>
#include <panto/ident/spring_beam.hpp>

#include "complex_step.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <vector>

namespace adjoint_test {
namespace {

using namespace panto;
using namespace panto::ident;
using test::ComplexStep;
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

double wanted(int n) { return 0.3 * std::sin(0.05 * n); }

/// sum_n (sensor_n - wanted_n)^2
template <class Scalar, class Field, class Law>
Scalar misfit(const Field& field, const Law& law, const std::array<Scalar, std::size_t(Law::size)>& theta, int steps,
              const std::vector<double>& motion) {
    const BoundaryModel<Field, Law> model(field, law, theta);
    const auto run = respond(model, steps + 1, motion);
    REQUIRE(run.sensor.size() == static_cast<std::size_t>(steps) + 1);
    Scalar sum(0.0);
    for (int n = 0; n <= steps; ++n) {
        const Scalar e = run.sensor[static_cast<std::size_t>(n)] - Scalar(wanted(n));
        sum += e * e;
    }
    return sum;
}

template <class Model>
AdjointResult<Vec> adjoint(const Model& model, int steps, const std::vector<double>& motion,
                           CheckpointPolicy policy = {}) {
    const BoundaryStepper stepper(model, motion);
    const auto at = stepper.sensor();
    auto result = adjoint_gradient(
        stepper, steps, [&](int n, const Vec& x) { return (x[at] - wanted(n)) * (x[at] - wanted(n)); },
        [&](int n, const Vec& x, Vec& lambda) { lambda[at] += 2.0 * (x[at] - wanted(n)); }, policy);
    stepper.start_transposed(result.start, result.gradient);
    return result;
}

/// `make` gives the field for a scalar. Every parameter by the complex step, all by duals, all by the adjoint.
template <class Law, class Make>
void compare(const Make& make, const Law& law, const std::array<double, std::size_t(Law::size)>& theta, int steps,
             const std::vector<double>& motion) {
    constexpr int P = Law::size;
    std::array<Dual<P>, std::size_t(P)> dual_theta;
    for (int i = 0; i < P; ++i)
        dual_theta[static_cast<std::size_t>(i)] = Dual<P>::variable(theta[static_cast<std::size_t>(i)], i);
    const Dual<P> dual = misfit(make(Dual<P>()), law, dual_theta, steps, motion);
    const BoundaryModel model(make(0.0), law, theta);
    const auto all = adjoint(model, steps, motion),
               few = adjoint(model, steps, motion, CheckpointPolicy::fewest(steps));
    CHECK(all.value == doctest::Approx(dual.value()).epsilon(1e-12));
    for (int i = 0; i < P; ++i) {
        std::array<ComplexStep, std::size_t(P)> complex_theta;
        for (std::size_t k = 0; k < complex_theta.size(); ++k) complex_theta[k] = ComplexStep(theta[k]);
        complex_theta[static_cast<std::size_t>(i)] = ComplexStep::variable(theta[static_cast<std::size_t>(i)]);
        const double exact = misfit(make(ComplexStep()), law, complex_theta, steps, motion).derivative();
        CHECK(dual.derivative(i) == doctest::Approx(exact).epsilon(1e-10));  // demanded; 1e-13 is reached
        CHECK(all.gradient[i] == doctest::Approx(exact).epsilon(1e-10));
        CHECK(few.gradient[i] == all.gradient[i]);  // the same numbers, marched again
    }
    CHECK(few.states_kept < all.states_kept / 4);
}

template <class Scalar>
HeatSlab<Scalar> slab(const Scalar&) {
    return heat_slab<Scalar>({}, 0.01);
}

template <class Scalar>
SpringBeam<Scalar> beam(const Scalar&) {
    return spring_beam<Scalar>({.modes = 4}, 0.005);
}

std::vector<double> shaken(int steps) {
    std::vector<double> z;
    for (int n = 0; n <= steps; ++n) {
        const double t = 0.005 * n;
        z.push_back(0.05 * std::pow(1.0 - std::exp(-t / 0.05), 3) * std::sin(16.0 * std::acos(-1.0) * t));
    }
    return z;
}

template <class Call>
double seconds(const Call& call) {
    double best = 1e9;
    for (int k = 0; k < 7; ++k) {
        const auto start = std::chrono::steady_clock::now();
        call();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

/// Time of value and gradient over that of the march alone.
template <class Law>
double relative_cost(const Law& law, const std::array<double, std::size_t(Law::size)>& theta) {
    constexpr int steps = 2000;
    const BoundaryModel model(heat_slab<double>({}, 0.01), law, theta);
    const BoundaryStepper stepper(model);
    double sum = 0.0;
    const double march = seconds([&] {
        Vec x = stepper.start(), next = x;
        for (int n = 0; n < steps; ++n) {
            stepper.step(n, x, next);
            x.swap(next);
            sum += x[stepper.sensor()];
        }
    });
    const double both = seconds([&] { sum += adjoint(model, steps, {}).gradient[0]; });
    CHECK(std::isfinite(sum));
    return both / march;
}

}  // namespace

TEST_SUITE("ident::adjoint_gradient") {
    TEST_CASE("of a slab that radiates agrees with dual numbers and the complex step") {
        compare([](const auto& s) { return slab(s); }, RadiationConvection<>({1.0, 0.2}), {0.9, 0.4}, 200, {});
    }

    TEST_CASE("of a beam with a cubic boundary agrees with dual numbers and the complex step") {
        compare([](const auto& s) { return beam(s); }, PolynomialSpring<3>{}, {1.0, 2.0, 100.0}, 200, shaken(200));
    }

    TEST_CASE("costs at most five marches, with 6 parameters and with 100") {
        HundredTerms hundred;
        std::array<double, 100> theta{};
        theta.fill(0.01);
        theta[0] = 1.0;
        CHECK(relative_cost(PolynomialSpring<6>{}, {1.0, 0.2, 0.1, 0.05, 0.02, 0.01}) < 5.0);
        CHECK(relative_cost(hundred, theta) < 5.0);
    }

    TEST_CASE("refuses a march of no steps") {
        const BoundaryModel model(heat_slab<double>({}, 0.01), PolynomialSpring<1>{}, {1.0});
        CHECK_THROWS_AS((void)adjoint(model, 0, {}), SetupError);
        CHECK_THROWS_AS((void)adjoint(model, 5, {}, {.interval = 0}), SetupError);
    }
}

}  // namespace adjoint_test
