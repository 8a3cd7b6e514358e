// SPDX-License-Identifier: BSD-3-Clause
// The two examples of [Ward, Goodson 1972] with the figures of the method sheet's table.
#include "../../cases/ident_boundary_cases.hpp"
#include "catch.hpp"
#include "complex_step.hpp"
#include "golden_json.hpp"

#include <unsupported/Eigen/AutoDiff>

#include <algorithm>
#include <array>
#include <cmath>

namespace boundary_verify {
namespace {

using namespace panto;
using namespace panto::ident;
using namespace panto::test::ward_goodson;

bool within(double value, double wanted, double part) { return std::abs(value - wanted) <= part * std::abs(wanted); }

TEST_CASE("the forward problem of the slab gives the reference temperatures") {
    CHECK(slab_forward_difference() < 1e-5);  // the tolerance of the file
}

TEST_CASE("the slab's printed products identify what the table says, bias and all") {
    const SlabAnswer short_one = slab_by_products(), longer = slab_by_products_longer(4);
    CHECK(within(short_one.radiation, 0.897, 0.02));
    CHECK(within(short_one.both[0], 0.178, 0.02));
    CHECK(within(short_one.both[1], 1.086, 0.02));
    CHECK(within(longer.radiation, 0.943, 0.02));
    CHECK(within(slab_by_products_longer(10).radiation, 0.975, 0.02));
    CHECK(within(longer.both[0], 0.457, 0.02));
    CHECK(within(longer.both[1], 1.010, 0.02));
}

TEST_CASE("the slab's exact field in discrete time removes the bias: the regression as in the table, the fit exactly") {
    const SlabAnswer coarse = slab_by_exact_field();
    CHECK(within(coarse.radiation, 0.9963, 0.02));
    CHECK(within(coarse.both[0], 0.9428, 0.02));
    CHECK(within(coarse.both[1], 1.0065, 0.02));
    const auto fine = slab_by_finer_field();
    CHECK(within(fine.regression[0], 1.0, 2e-3));
    CHECK(within(fine.theta[0], 1.0, 1e-8));
    CHECK(within(fine.theta[1], 1.0, 1e-8));
}

TEST_CASE("the beam's printed products and its exact field identify what the table says") {
    const Eigen::MatrixXd table =
        test::golden_matrix(test::golden("vehicle_and_inverse_problems.json")["G.beam"]["value"]["printed"]);
    const Parameters printed = spring_by_products(), exact = spring_by_exact_field();
    const std::array<double, 3> truth{1.0, 2.0, 100.0};
    for (Eigen::Index i = 0; i < 3; ++i) {
        CHECK(within(printed[i], table(i), 0.02));
        CHECK(within(exact[i], truth[static_cast<std::size_t>(i)], 1e-8));
    }
}

TEST_CASE("with noise the truth lies in the joint 95 % ellipsoid as often as it should") {
    const int inside = truths_in_slab_ellipsoid();
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
