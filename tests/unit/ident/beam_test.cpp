// SPDX-License-Identifier: BSD-3-Clause
#include <panto/ident/beam.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/opt/concepts.hpp>
#include <panto/wave/march.hpp>

#include "../../cases/ident_cases.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>

namespace ident_beam_test {
namespace {

using namespace panto;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ident::BeamExperiment;
using ident::BeamModel;
using ident::BeamSupport;

static_assert(LinearizedLeastSquares<ident::BeamMisfit>);

nlohmann::json golden(const char* name) { return test::golden("waves_and_identification.json").at(name); }

VectorXd vector(std::initializer_list<double> entries) {
    VectorXd v(static_cast<Eigen::Index>(entries.size()));
    std::copy(entries.begin(), entries.end(), v.begin());
    return v;
}

using test::multisine;

BeamExperiment clamped_experiment() { return test::golden_beam("ident_clamped").experiment; }

const VectorXd clamped_truth = test::golden_beam("ident_clamped").truth;
const VectorXd shaker_truth = test::golden_beam("ident_shaker").truth;

/// Output, sensitivities and singular values against the golden case, to its tolerances.
void check_golden(const test::BeamAgreement& a) {
    CHECK(a.output <= 1e-9);
    CHECK(a.sensitivities <= 1e-9);
    CHECK(a.singular_values <= 1e-9);
    CHECK(a.smallest <= 1e-6);
    CHECK(a.directions <= 1e-6);
}

/// Marches a beam whose parameters carry their derivatives, with the supports of an experiment: a second way to all of
/// it.
template <class Make>
MatrixXd by_duals(const BeamExperiment& e, const VectorXd& p, const Make& make) {
    using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 5, 1>>;
    const auto dual = [&](int i) { return Dual(p[i], 5, i); };
    const wave::BeamParams<Dual> params{dual(0), dual(1), dual(2), dual(3), dual(4)};
    const double dx = e.length / (e.points - 1);
    const auto stencil = wave::beam_stencil(params, dx, e.dt);
    wave::March march(stencil, e.points, make(stencil), make(stencil));
    MatrixXd table(e.steps, 6);
    for (int n = 0; n < e.steps; ++n) {
        if (e.left_motion.size() > 0) march.left().set_motion(Dual(e.left_motion[n + 1]), Dual(0.0));
        const double newton = (n == 0 ? 0.5 : 1.0) * e.forces[0].newton[n];  // it begins with a step
        const std::array<wave::PointLoad<Dual>, 1> load{{{e.forces[0].point, Dual(newton / dx)}}};
        march.step(load);
        const Dual& here = march.level()[e.sensors[0]];
        table(n, 0) = here.value();
        table.row(n).tail(5) = here.derivatives().transpose();
    }
    return table;
}

}  // namespace

TEST_SUITE("ident::beam") {
    TEST_CASE("the clamped beam under a force is golden: output, sensitivities, singular values") {
        check_golden(test::agreement_with_golden_beam("ident_clamped"));
    }

    TEST_CASE("the shaken beam is golden too, and sees nothing of the common scale of its parameters") {
        const auto a = test::agreement_with_golden_beam("ident_shaker");
        check_golden(a);
        CHECK(a.null_output <= 1e-12);
        CHECK(a.null_direction <= 1e-12);
        const auto& f = a.information;
        CHECK(f.rank == 4);
        CHECK_FALSE(f.identifiable());
        CHECK(f.singular_values[4] < 1e-12 * f.singular_values[0]);
        CHECK(f.trace_of_inverse == std::numeric_limits<double>::infinity());
        CHECK(f.deviation[0] == std::numeric_limits<double>::infinity());
    }

    TEST_CASE("information of the clamped beam is golden") {
        const auto wanted = golden("ident_clamped");
        const auto f = test::agreement_with_golden_beam("ident_clamped").information;
        CHECK(f.identifiable());
        CHECK(f.log_determinant == approx(wanted.at("logdet_FIM").get<double>()).epsilon(1e-6));
        CHECK(f.trace_of_inverse == approx(wanted.at("trace_inv_FIM").get<double>()).epsilon(1e-6));
        CHECK(f.smallest_eigenvalue == approx(wanted.at("min_eig_FIM").get<double>()).epsilon(1e-6));
        CHECK(f.deviation.squaredNorm() == approx(f.trace_of_inverse).epsilon(1e-12));
    }

    TEST_CASE("the misfit is that of Publication A, without and with noise") {
        const auto wanted = golden("ident_Jperf").at("value");
        const auto found = test::publication_a_misfits();
        for (std::size_t i = 0; i < 3; ++i) CHECK(found[i] == approx(wanted[i].get<double>()).epsilon(1e-9));
        const VectorXd guess = test::beam_guess();
        const BeamModel model(clamped_experiment());
        const ident::BeamMisfit misfit(model, model.response(clamped_truth));
        VectorXd r, again;
        MatrixXd J;
        CHECK(misfit.residuals(guess, r) == Status::ok);
        CHECK(r.squaredNorm() == approx(misfit(guess)).epsilon(1e-13));
        CHECK(misfit.linearize(guess, again, J) == Status::ok);
        CHECK((again - r).norm() <= 1e-13);
    }

    TEST_CASE("derivatives are those of a march of dual numbers, whatever the supports and however moved") {
        BeamExperiment e{.length = 3.0, .points = 13, .dt = 2e-4, .steps = 60, .sensors = {4}};
        e.forces = {{.point = 1, .newton = multisine(40.0, 3, 100.0, e.dt, e.steps)}};
        VectorXd motion = multisine(25.0, 2, 1e-3, e.dt, e.steps);
        motion[0] = 0.0;
        const VectorXd p = vector({1.2, 0.7, 0.05, 120.0, 9e3});
        const auto check = [&](BeamSupport kind, const auto& make) {
            CAPTURE(static_cast<int>(kind));
            e.left = e.right = kind;
            e.forces[0].point = std::max(1, ident::held_points(kind));
            e.left_motion = kind == BeamSupport::free ? VectorXd() : motion;
            VectorXd y;
            MatrixXd Psi;
            const BeamModel model(e);
            model.response(p, y, Psi);
            const MatrixXd wanted = by_duals(e, p, make);
            CHECK((y - wanted.col(0)).norm() <= 1e-12 * y.norm());
            for (int i = 0; i < 5; ++i) {
                CAPTURE(i);
                CHECK((Psi.col(i) - wanted.col(i + 1)).norm() <= 1e-11 * Psi.col(i).norm());
            }
            CHECK((model.response(p) - y).norm() <= 1e-13 * y.norm());
        };
        check(BeamSupport::clamped_first_order, [](const auto& s) { return wave::clamped_first_order(s); });
        check(BeamSupport::clamped, [](const auto& s) { return wave::clamped(s); });
        check(BeamSupport::pinned, [](const auto& s) { return wave::pinned(s); });
        check(BeamSupport::free, [](const auto& s) { return wave::free_end(s); });
    }

    TEST_CASE("many beams at once respond as each by itself") {
        auto e = clamped_experiment();
        e.steps = 200;
        e.sensors = {9, 12};
        for (const auto kind : {BeamSupport::clamped_first_order, BeamSupport::free}) {
            e.left = e.right = kind;
            const BeamModel model(e);
            MatrixXd sets(5, 11);  // more than the lanes, and not a multiple of them
            for (int i = 0; i < 11; ++i)
                sets.col(i) = (1.0 + 0.02 * i) * clamped_truth + VectorXd::Constant(5, 0.01 * i);
            const MatrixXd together = model.responses(sets);
            REQUIRE(together.cols() == 11);
            for (int i = 0; i < 11; ++i) {
                const VectorXd alone = model.response(sets.col(i));
                CHECK((together.col(i) - alone).norm() <= 1e-12 * alone.norm());  // rounding: another order of sums
            }
        }
        CHECK(BeamModel(e).responses(MatrixXd(5, 0)).cols() == 0);
    }

    TEST_CASE("several sensors stand one after another") {
        auto e = clamped_experiment();
        e.steps = 50;
        e.sensors = {9, 17};
        const VectorXd both = BeamModel(e).response(clamped_truth);
        e.sensors = {17};
        const VectorXd second = BeamModel(e).response(clamped_truth);
        REQUIRE(both.size() == 100);
        CHECK((both.tail(50) - second).norm() == 0.0);
        CHECK(second.norm() > 0.0);
    }

    TEST_CASE("the growth rate says which sets are stable") {
        const BeamModel model(clamped_experiment());
        CHECK(model.growth_rate(clamped_truth) < 0.0);
        // The step of 1e-4 s is too long for a tension of 15e6 N.
        CHECK(model.growth_rate(vector({1.0, 0.5, 0.02, 150.0, 15e6})) > 0.0);
    }

    TEST_CASE("what makes no sense is refused by name") {
        const auto refused = [](const BeamExperiment& e, const char* words) {
            CAPTURE(words);
            CHECK_THROWS_WITH_AS(BeamModel{e}, doctest::Contains(words), SetupError);
        };
        const BeamExperiment good = clamped_experiment();
        auto e = good;
        e.length = -1.0, refused(e, "length must be finite and > 0, got -1");
        e = good, e.points = 4, refused(e, "points is 4");
        e = good, e.steps = 0, refused(e, "steps is 0");
        e = good, e.steps = 5000, refused(e, "a force has 2001 samples, expected at least 5000");
        e = good, e.sensors.clear(), refused(e, "no sensor");
        e = good, e.sensors = {23}, refused(e, "sensor is at point 23, must be from 0 to 22");
        e = good, e.forces.clear(), refused(e, "neither a force nor a motion");
        e = good, e.forces[0].newton[7] = std::numeric_limits<double>::quiet_NaN(),
        refused(e, "a sample of a force must be finite, got nan");
        e = good, e.left_motion = VectorXd::Zero(7), refused(e, "a motion has 7 samples, expected at least 2001");
        // What a support holds feels no force and tells nothing; a free end goes its own way.
        e = good, e.sensors = {9, 21}, refused(e, "sensor is at point 21, which a support holds, must be from 2 to 20");
        e = good, e.left = BeamSupport::pinned, e.forces[0].point = 0,
        refused(e, "force is at point 0, which a support holds, must be from 1 to 20");
        e = good, e.left = e.right = BeamSupport::free, e.sensors = {0, 22};
        CHECK_NOTHROW(BeamModel{e});
        e.right_motion = VectorXd::Zero(2001);
        refused(e, "right_motion has 2001 samples, expected none: that end is free");
        e = good, e.left = BeamSupport::free, e.left_motion = VectorXd::Zero(2001), refused(e, "left_motion has 2001");
        const BeamModel model(good);
        CHECK_THROWS_WITH_AS((void)model.response(VectorXd::Ones(4)), doctest::Contains("p has 4 entries"), SetupError);
        CHECK_THROWS_WITH_AS((void)model.response(vector({-1.0, 0.0, 0.0, 1.0, 1.0})),
                             doctest::Contains("mass_per_length must be finite and > 0, got -1"), SetupError);
        CHECK_THROWS_WITH_AS(ident::BeamMisfit(model, VectorXd::Ones(7)), doctest::Contains("7 samples, expected 2000"),
                             SetupError);
        CHECK_THROWS_AS(ident::BeamMisfit(model, VectorXd::Zero(2000)), SetupError);
        CHECK_THROWS_WITH_AS((void)ident::information(MatrixXd::Ones(3, 2), 0.0),
                             doctest::Contains("deviation must be finite and > 0, got 0"), SetupError);
        CHECK_THROWS_AS((void)ident::distance_squared(MatrixXd::Ones(3, 2), VectorXd::Ones(3), 1.0), SetupError);
    }
}

}  // namespace ident_beam_test
