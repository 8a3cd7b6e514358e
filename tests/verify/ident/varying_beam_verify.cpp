// SPDX-License-Identifier: BSD-3-Clause
// A beam that is weaker in one place, found from two recorded displacements by a method that sees nothing but the value
// and the gradient that the adjoint gives.
#include <panto/ident/beam_profile.hpp>
#include <panto/ident/misfit.hpp>
#include <panto/opt/bfgs.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ident_varying_beam_verify {
namespace {

using namespace panto;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int sections = 8, points = 41;

ident::BeamExperiment experiment() {
    constexpr int steps = 4000;
    VectorXd force = VectorXd::Zero(steps);
    for (int n = 0; n < steps; ++n)
        for (int j = 1; j <= 20; ++j)
            force[n] += 10.0 * std::sin(2.0 * std::numbers::pi * 6.0 * j * n * 5e-5 + std::numbers::pi * j * j / 20.0);
    return {.length = 3.0,
            .points = points,
            .dt = 5e-5,
            .steps = steps,
            .sensors = {12, 27},
            .left = ident::BeamSupport::clamped,
            .right = ident::BeamSupport::pinned,
            .forces = {{.point = 17, .newton = force}}};
}

/// The stiffness of each section as a multiple of 150 N m^2; everything else is known.
struct BySection {
    ident::VaryingBeam beam{experiment()};
    VectorXd known;
    MatrixXd B = MatrixXd::Zero(5 * points, sections);
    VectorXd record;

    BySection() {
        VectorXd five(5);
        five << 1.0, 0.5, 0.02, 0.0, 500.0;
        known = beam.constant(five);
        for (int k = 0; k < points; ++k) B(3 * points + k, std::min(sections - 1, k * sections / points)) = 150.0;
    }

    [[nodiscard]] VectorXd response(const VectorXd& theta) const { return beam.response(known + B * theta); }

    [[nodiscard]] ident::Misfit misfit() const {
        const auto steps = static_cast<Eigen::Index>(experiment().steps);
        const VectorXd time = VectorXd::LinSpaced(steps, 1.0, static_cast<double>(steps)) * experiment().dt;
        return ident::Misfit({{.name = "left", .time = time, .values = record.head(steps)},
                              {.name = "right", .time = time, .values = record.tail(steps)}},
                             {});
    }
};

/// For opt, with the chain rule from points to sections.
struct Objective {
    const BySection* model;
    const ident::Misfit* misfit;

    double operator()(const VectorXd& theta) const { return (*misfit)(model->response(theta)); }
    double operator()(const VectorXd& theta, VectorXd& gradient) const {
        const auto all = ident::beam_gradient(model->beam, model->known + model->B * theta, *misfit);
        gradient = model->B.transpose() * all.gradient;
        return all.value;
    }
};

}  // namespace

TEST_CASE("BFGS on the adjoint's gradients finds which section of a beam is weak", "[ident][beam]") {
    BySection model;
    VectorXd truth = VectorXd::Ones(sections);
    truth[5] = 0.7;
    model.record = model.response(truth);
    const ident::Misfit misfit = model.misfit();
    opt::Bfgs method;
    method.params.bounds.lower = VectorXd::Constant(sections, 0.1);
    const auto found = method.minimize(Objective{&model, &misfit}, VectorXd::Ones(sections));
    INFO(found.reason << ", " << found.evaluations << " values, " << found.derivatives << " gradients, misfit "
                      << found.value << "\n"
                      << found.x.transpose());
    CHECK((found.x - truth).cwiseAbs().maxCoeff() <= 1e-4);
}

}  // namespace ident_varying_beam_verify
