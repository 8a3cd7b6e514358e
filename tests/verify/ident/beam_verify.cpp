// SPDX-License-Identifier: BSD-3-Clause
// The golden clamped beam identified from its own record, without and with noise.
#include <panto/ident/beam.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/opt/levenberg_marquardt.hpp>

#include "catch.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace ident_beam_verify {
namespace {

using namespace panto;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ident::BeamModel golden_model() {
    VectorXd force = VectorXd::Zero(2000);
    for (int n = 0; n < 2000; ++n)
        for (int j = 1; j <= 10; ++j)
            force[n] +=
                100.0 * std::sin(2.0 * std::numbers::pi * 10.0 * j * n * 1e-4 + std::numbers::pi * j * j / 10.0);
    return ident::BeamModel({.length = 7.5,
                             .points = 23,
                             .dt = 1e-4,
                             .steps = 2000,
                             .sensors = {9},
                             .forces = {{.point = 17, .newton = force}}});
}

VectorXd vector(double rA, double dv, double dm, double EI, double T) {
    VectorXd p(5);
    p << rA, dv, dm, EI, T;
    return p;
}

const VectorXd truth = vector(1.0, 0.5, 0.02, 150.0, 15e3);

const VectorXd guess = vector(1.05, 0.5, 0.03, 140.0, 15.2e3);

opt::LevenbergMarquardt method() {
    opt::LevenbergMarquardt m;
    m.params.bounds.lower = vector(0.1, 0.0, 0.0, 1.0, 100.0);
    return m;
}

}  // namespace

TEST_CASE("without noise Levenberg-Marquardt finds the beam in at most 20 marches", "[ident][beam]") {
    const ident::BeamModel model = golden_model();
    const ident::BeamMisfit misfit(model, model.response(truth));
    const auto found = method().minimize(misfit, guess);
    INFO(found.reason << ", " << found.evaluations << " marches, misfit " << found.value);
    CHECK((found.x - truth).cwiseQuotient(truth).cwiseAbs().maxCoeff() <= 1e-6);
    CHECK(found.evaluations <= 20);
}

TEST_CASE("with noise the truth lies in the 95 % ellipsoid as often as it should", "[ident][beam][long]") {
    const ident::BeamModel model = golden_model();
    const VectorXd clean = model.response(truth);
    const double deviation = 1e-3;  // m, of 0.012 m signal: a tenth of dv and a twentieth of dm, far from the bounds
    int inside = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> noise(0.0, deviation);
        VectorXd record = clean;
        for (double& sample : record) sample += noise(random);
        const ident::BeamMisfit misfit(model, record);
        const auto found = method().minimize(misfit, guess);
        VectorXd y;
        MatrixXd Psi;
        model.response(found.x, y, Psi);
        inside += ident::distance_squared(Psi, truth - found.x, deviation) <= 11.070;
    }
    CAPTURE(inside);
    CHECK(inside >= 89);
    CHECK(inside <= 99);
}

}  // namespace ident_beam_verify
