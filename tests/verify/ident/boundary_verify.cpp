// SPDX-License-Identifier: BSD-3-Clause
// The two examples of [Ward, Goodson 1972] with the figures of the method sheet's table.
#include <panto/ident/boundary_fit.hpp>
#include <panto/ident/heat_slab.hpp>
#include <panto/ident/infinite_product.hpp>
#include <panto/ident/spring_beam.hpp>

#include "catch.hpp"
#include "complex_step.hpp"
#include "golden_json.hpp"

#include <unsupported/Eigen/AutoDiff>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace boundary_verify {
namespace {

using namespace panto;
using namespace panto::ident;

using Samples = std::vector<double>;

/// Every m-th value.
Samples every(const Samples& v, std::size_t m) {
    Samples r;
    for (std::size_t k = 0; k < v.size(); k += m) r.push_back(v[k]);
    return r;
}

/// Cooling with radiation beta = 1 and convection eta to 0 K, from a model eight times as fine as the record.
BoundaryRecord slab_record(double end, double dt, double eta) {
    BoundaryRecord record;
    const auto n = static_cast<int>(std::lround(end / dt));
    const BoundaryModel model(heat_slab<double>({}, dt / 8), RadiationConvection<>(), {1.0, eta});
    record.sensor = every(respond(model, 8 * n + 1).sensor, 8);
    for (int k = 0; k <= n; ++k) record.time.push_back(k * dt);
    return record;
}

BoundaryRecord beam_record(double end, double dt) {
    BoundaryRecord record;
    const auto n = static_cast<int>(std::lround(end / dt));
    for (int k = 0; k <= n; ++k) {
        const double t = k * dt;
        record.time.push_back(t);
        record.motion.push_back(0.05 * std::pow(1.0 - std::exp(-t / 0.05), 3) * std::sin(16.0 * std::numbers::pi * t));
    }
    const BoundaryModel model(spring_beam<double>({}, dt), PolynomialSpring<3>(), {1.0, 2.0, 100.0});
    record.sensor = respond(model, n + 1, record.motion).sensor;
    return record;
}

template <class Law>
Parameters regress(const Law& law, const Samples& boundary, const Samples& wanted, const auto& answer) {
    const auto n = static_cast<Eigen::Index>(wanted.size());
    Matrix<double, Dynamic> R(n, Law::size);
    for (int i = 0; i < Law::size; ++i) {
        Samples phi;
        for (const double v : boundary) phi.push_back(law.basis(v)[static_cast<std::size_t>(i)]);
        R.col(i) = Parameters::Map(answer(phi).data(), n);
    }
    const Parameters y = Parameters::Map(wanted.data(), n);
    return R.householderQr().solve(y);
}

/// The report's own way: products of order N.
template <class Law>
Parameters by_products(const Law& law, const BoundaryRecord& record, int order) {
    const double dt = record.time[1];
    const auto G1 = product_filter(heat_product_G1(0.5, order), dt);
    const auto G2 = product_filter(heat_product_G2(0.5, order), dt);
    return regress(law, filtered(G1, record.sensor), record.sensor, [&](const Samples& q) { return filtered(G2, q); });
}

bool within(double value, double wanted, double part) { return std::abs(value - wanted) <= part * std::abs(wanted); }

TEST_CASE("the forward problem of the slab gives the reference temperatures") {
    const auto golden = test::golden("vehicle_and_inverse_problems.json")["G.heat"]["value"]["fwd"];
    for (const double eta : {0.0, 1.0}) {
        const Eigen::MatrixXd end = test::golden_matrix(golden[eta > 0.0 ? "b1e1" : "b1e0"]);
        const BoundaryModel model(heat_slab<double>({}, 1.0 / 6400), RadiationConvection<>(), {1.0, eta});
        const auto run = respond(model, 6401);
        // 1e-5 is the tolerance of the file.
        CHECK(std::abs(run.sensor.back() - end(0)) < 1e-5);
        CHECK(std::abs(run.boundary.back() - end(1)) < 1e-5);
        CHECK(std::abs(run.boundary[640] - test::golden_matrix(golden["u1_t0.1"])(eta > 0.0 ? 1 : 0)) < 1e-5);
    }
}

TEST_CASE("the slab's printed products identify what the table says, bias and all") {
    const BoundaryRecord radiation = slab_record(1.0, 0.00125, 0.0), both = slab_record(1.0, 0.00125, 1.0);
    const RadiationConvection<false> one;
    const RadiationConvection<> two;
    CHECK(within(by_products(one, radiation, 4)[0], 0.897, 0.02));
    const Parameters theta = by_products(two, both, 4);
    CHECK(within(theta[0], 0.178, 0.02));
    CHECK(within(theta[1], 1.086, 0.02));
    CHECK(within(by_products(one, slab_record(4.0, 0.005, 0.0), 4)[0], 0.943, 0.02));
    CHECK(within(by_products(one, slab_record(4.0, 0.005, 0.0), 10)[0], 0.975, 0.02));
    const Parameters longer = by_products(two, slab_record(4.0, 0.0025, 1.0), 4);
    CHECK(within(longer[0], 0.457, 0.02));
    CHECK(within(longer[1], 1.010, 0.02));
}

TEST_CASE("the slab's exact field in discrete time removes the bias: the regression as in the table, the fit exactly") {
    const BoundaryRecord radiation = slab_record(1.0, 0.01, 0.0), both = slab_record(1.0, 0.01, 1.0);
    const auto as_sampled = heat_slab<double>({}, 0.01), finer = heat_slab<double>({}, 0.01 / 8);
    CHECK(within(fit_boundary(as_sampled, RadiationConvection<false>(), radiation).regression[0], 0.9963, 0.02));
    const auto coarse = fit_boundary(as_sampled, RadiationConvection<>(), both);
    CHECK(within(coarse.regression[0], 0.9428, 0.02));
    CHECK(within(coarse.regression[1], 1.0065, 0.02));
    const auto fine = fit_boundary(finer, RadiationConvection<>(), both);
    CHECK(within(fine.regression[0], 1.0, 2e-3));
    CHECK(within(fine.theta[0], 1.0, 1e-8));
    CHECK(within(fine.theta[1], 1.0, 1e-8));
}

TEST_CASE("the beam's printed products and its exact field identify what the table says") {
    const double dt = 2.5e-4;
    const BoundaryRecord record = beam_record(1.0, dt);
    const PolynomialSpring<3> spring;
    const BeamProducts G = beam_products(0.14, 2);
    const auto filter = [&](const ProductForm& g, const Samples& u) {
        return filtered(product_filter(g, dt, 0.01, 0.03), u);
    };
    Samples slope = filter(G.G1, record.motion), wanted = record.sensor;
    const Samples by_moment = filter(G.G2, record.sensor), by_motion = filter(G.G3, record.motion);
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] += by_moment[k], wanted[k] -= by_motion[k];
    const Parameters printed = regress(spring, slope, wanted, [&](const Samples& M) { return filter(G.G4, M); });
    const Eigen::MatrixXd table =
        test::golden_matrix(test::golden("vehicle_and_inverse_problems.json")["G.beam"]["value"]["printed"]);
    for (Eigen::Index i = 0; i < 3; ++i) CHECK(within(printed[i], table(i), 0.02));

    const auto fit = fit_boundary(spring_beam<double>({}, dt), spring, record);
    const std::array<double, 3> truth{1.0, 2.0, 100.0};
    for (Eigen::Index i = 0; i < 3; ++i) CHECK(within(fit.theta[i], truth[static_cast<std::size_t>(i)], 1e-8));
}

TEST_CASE("with noise the truth lies in the joint 95 % ellipsoid as often as it should") {
    const BoundaryRecord clean = slab_record(1.0, 0.01, 1.0);
    const auto slab = heat_slab<double>({}, 0.01 / 8);
    const double sigma = 1e-3;
    int inside = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<> normal(0.0, sigma);
        BoundaryRecord noisy = clean;
        for (double& y : noisy.sensor) y += normal(random);
        const RadiationConvection<> law;
        const auto fit = fit_boundary(slab, law, noisy, {.recovery = {.noise = sigma, .knots = 40}});
        Parameters r;
        Matrix<double, Dynamic> J;
        REQUIRE(BoundaryMisfit(slab, law, noisy).linearize(fit.theta, r, J) == Status::ok);
        inside += distance_squared(J, fit.theta - Parameters::Ones(2), sigma) < 5.991;  // chi-square, 2 degrees
    }
    INFO(inside);
    CHECK(inside >= 89);  // 95 +- 2.7 standard deviations of the binomial
    CHECK(inside <= 99);
}

/// Derivatives of the mean square of sensor and boundary to four things at once: two of the law, two of the field.
template <Real S>
S slab_objective(const std::array<S, 4>& p) {
    HeatSlabParams<S> slab;
    slab.diffusivity = p[2], slab.conductivity = p[3];
    const BoundaryModel model(heat_slab<S>(slab, 0.01), RadiationConvection<>(), {p[0], p[1]});
    const auto run = respond(model, 101);
    S sum(0.0);
    for (std::size_t k = 0; k < run.sensor.size(); ++k) {
        sum += run.sensor[k] * run.sensor[k];
        sum += run.boundary[k] * run.boundary[k];
    }
    return sum;
}

template <Real S>
S beam_objective(const std::array<S, 4>& p) {
    SpringBeamParams<S> beam;
    beam.mass_per_length = p[2], beam.damping = p[3];
    const BoundaryModel model(spring_beam<S>(beam, 1e-3), PolynomialSpring<3>(), {p[0], S(2.0), p[1]});
    Samples motion;
    for (int k = 0; k < 301; ++k) motion.push_back(0.05 * std::sin(0.05 * k));
    const auto run = respond(model, 301, motion);
    S sum(0.0);
    for (std::size_t k = 0; k < run.sensor.size(); ++k) {
        sum += run.sensor[k] * run.sensor[k];
        sum += run.boundary[k] * run.boundary[k];
    }
    return sum;
}

template <class Objective>
double disagreement(const Objective& objective, const std::array<double, 4>& at) {
    using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 4, 1>>;
    std::array<Dual, 4> duals;
    for (std::size_t i = 0; i < 4; ++i) duals[i] = Dual(at[i], 4, static_cast<int>(i));
    const auto gradient = objective(duals).derivatives();
    double worst = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        std::array<test::ComplexStep, 4> z;
        for (std::size_t j = 0; j < 4; ++j)
            z[j] = i == j ? test::ComplexStep::variable(at[j]) : test::ComplexStep(at[j]);
        const double exact = objective(z).derivative();
        worst = std::max(worst, std::abs(gradient[static_cast<Eigen::Index>(i)] / exact - 1.0));
    }
    return worst;
}

TEST_CASE("dual numbers through slab and beam agree with the complex step") {
    const double slab = disagreement([](const auto& p) { return slab_objective(p); }, {1.0, 1.0, 1.0, 1.0});
    const double beam = disagreement([](const auto& p) { return beam_objective(p); }, {1.0, 100.0, 0.01, 0.03});
    INFO("slab " << slab << ", beam " << beam);
    CHECK(slab < 1e-10);
    CHECK(beam < 1e-10);
}

}  // namespace
}  // namespace boundary_verify
