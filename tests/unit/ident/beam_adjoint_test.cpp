// SPDX-License-Identifier: BSD-3-Clause
// The adjoint of the beam's two-step scheme against its forward sensitivities, against the complex step through marches
// written a second time, and with parameters that vary along the beam.
#include <panto/ident/beam_adjoint.hpp>
#include <panto/ident/beam_profile.hpp>
#include <panto/ident/misfit.hpp>
#include <panto/opt/concepts.hpp>
#include <panto/wave/march.hpp>

#include "../../support/approx.hpp"
#include "complex_step.hpp"

#include <Eigen/LU>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

namespace beam_adjoint_test {
namespace {

using namespace panto;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;
using ident::beam_gradient;
using ident::BeamExperiment;
using ident::BeamModel;
using ident::BeamSupport;
using ident::CheckpointPolicy;
using ident::VaryingBeam;
using test::ComplexStep;

constexpr std::array<BeamSupport, 4> all_supports{BeamSupport::clamped_first_order, BeamSupport::clamped,
                                                  BeamSupport::pinned, BeamSupport::free};

VectorXd wave_of(double f, double amplitude, double dt, int steps) {
    VectorXd record(steps + 1);
    for (int n = 0; n <= steps; ++n) record[n] = amplitude * std::sin(2.0 * std::numbers::pi * f * n * dt);
    return record;
}

/// Two forces, of which one acts near the border, a moving end, two sensors.
BeamExperiment experiment(BeamSupport left, BeamSupport right, int steps = 60) {
    BeamExperiment e{.length = 3.0, .points = 13, .dt = 2e-4, .steps = steps, .sensors = {4, 9}};
    e.left = left;
    e.right = right;
    e.forces = {{.point = std::max(1, ident::held_points(left)), .newton = wave_of(40.0, 100.0, e.dt, steps)},
                {.point = 7, .newton = wave_of(90.0, 30.0, e.dt, steps)}};
    if (left != BeamSupport::free) e.left_motion = wave_of(25.0, 1e-3, e.dt, steps);
    return e;
}

VectorXd five() {
    VectorXd p(5);
    p << 1.2, 0.7, 0.05, 120.0, 9e3;
    return p;
}

/// Neither quadratic nor the same for all samples: sum_i i cos(1000 y_i).
struct Odd {
    double operator()(const VectorXd& y) const {
        double sum = 0.0;
        for (Eigen::Index i = 0; i < y.size(); ++i) sum += static_cast<double>(i + 1) * std::cos(1e3 * y[i]);
        return sum;
    }
    VectorXd gradient(const VectorXd& y) const {
        VectorXd g(y.size());
        for (Eigen::Index i = 0; i < y.size(); ++i) g[i] = -1e3 * static_cast<double>(i + 1) * std::sin(1e3 * y[i]);
        return g;
    }
};

/// rA, dv, dm, EI, T by point, each with a course of its own.
VectorXd varied(const VaryingBeam& beam) {
    VectorXd p = beam.constant(five());
    for (Eigen::Index i = 0; i < p.size(); ++i) p[i] *= 1.0 + 0.2 * std::sin(1.7 * static_cast<double>(i));
    return p;
}

/// Odd of the response of a beam with varying parameters, from its energies: stiffness and tension as the second
/// derivatives of
///     1/2 sum_q EI_q (u_xx)_q^2 dx_q + 1/2 sum_cells T (u_x)^2 dx ,
/// with half a cell at the borders, full matrices and a complex arithmetic.
std::complex<double> by_energies(const BeamExperiment& e, const VectorXcd& p) {
    const int N = e.points;
    const double dx = e.length / (N - 1), dt = e.dt;
    MatrixXcd curvature = MatrixXcd::Zero(N, N), of_EI = curvature, of_dm = curvature, of_T = curvature;
    for (int q = 1; q + 1 < N; ++q) curvature(q, q - 1) = curvature(q, q + 1) = 1.0, curvature(q, q) = -2.0;
    const auto border = [&](BeamSupport kind, int q, int inside) {  // a clamp: u_xx = 2 (u_1 - u_0)/dx^2
        if (kind == BeamSupport::clamped) curvature(q, q) = -2.0, curvature(q, inside) = 2.0;
    };
    border(e.left, 0, 1), border(e.right, N - 1, N - 2);
    curvature /= dx * dx;
    VectorXd cell = VectorXd::Constant(N, dx);
    cell[0] = cell[N - 1] = 0.5 * dx;
    for (int q = 0; q < N; ++q) {
        of_EI += p[3 * N + q] * cell[q] * curvature.row(q).transpose() * curvature.row(q);
        of_dm += p[2 * N + q] * cell[q] * curvature.row(q).transpose() * curvature.row(q);
    }
    for (int k = 0; k + 1 < N; ++k) {
        const std::complex<double> s = 0.5 * (p[4 * N + k] + p[4 * N + k + 1]) / dx;
        of_T(k, k) += s, of_T(k + 1, k + 1) += s, of_T(k, k + 1) -= s, of_T(k + 1, k) -= s;
    }
    MatrixXcd next = of_dm / (2.0 * dt), now = -of_EI - of_T, before = next;
    VectorXcd u = VectorXcd::Zero(N), old = u;
    std::vector<bool> held(static_cast<std::size_t>(N), false);
    for (int k = 0; k < N; ++k) {
        const std::complex<double> m = cell[k] * p[k] / (dt * dt), c = cell[k] * p[N + k] / (2.0 * dt);
        next(k, k) += m + c;
        now(k, k) += 2.0 * m;
        before(k, k) += c - m;
        const int from_border = std::min(k, N - 1 - k);
        const BeamSupport kind = k < N / 2 ? e.left : e.right;
        held[static_cast<std::size_t>(k)] =
            kind == BeamSupport::clamped_first_order ? from_border < 2 : kind != BeamSupport::free && from_border < 1;
        if (!held[static_cast<std::size_t>(k)]) continue;
        next.row(k).setZero(), now.row(k).setZero(), before.row(k).setZero();
        next(k, k) = 1.0;
    }
    const Eigen::PartialPivLU<MatrixXcd> solver(next);
    std::complex<double> sum = 0.0;
    for (int n = 0; n < e.steps; ++n) {
        VectorXcd right = now * u + before * old;
        for (int k = 0; k < 2; ++k)
            if (held[static_cast<std::size_t>(k)]) right[k] = e.left_motion[n + 1];
        for (const auto& force : e.forces)
            if (!held[static_cast<std::size_t>(force.point)])
                right[force.point] += force.newton[n] / dx * cell[force.point];
        old = u;
        u = solver.solve(right);
        for (std::size_t c = 0; c < e.sensors.size(); ++c) {
            const double i = static_cast<double>(static_cast<int>(c) * e.steps + n + 1);
            sum += i * std::cos(1e3 * u[e.sensors[c]]);
        }
    }
    return sum;
}

}  // namespace

TEST_SUITE("ident::beam_gradient") {
    TEST_CASE("is what the forward sensitivities say, whatever the supports") {
        for (const BeamSupport left : all_supports)
            for (const BeamSupport right : all_supports) {
                CAPTURE(static_cast<int>(left));
                CAPTURE(static_cast<int>(right));
                const BeamModel model(experiment(left, right));
                VectorXd y;
                MatrixXd Psi;
                model.response(five(), y, Psi);
                const VectorXd wanted = Psi.transpose() * Odd().gradient(y);
                const auto found = beam_gradient(model, five(), Odd());
                CHECK((found.response - y).norm() <= 1e-13 * y.norm());  // rounding: the same sums
                CHECK(found.value == approx(Odd()(y)).epsilon(1e-12));
                for (Eigen::Index i = 0; i < 5; ++i) {
                    CAPTURE(i);
                    CHECK(found.gradient[i] == approx(wanted[i]).epsilon(1e-10));  // demanded; 1e-12 is reached
                }
            }
    }

    TEST_CASE("agrees with the complex step through a march of stencil and supports") {
        const BeamExperiment e = experiment(BeamSupport::clamped, BeamSupport::clamped);
        const auto found = beam_gradient(BeamModel(e), five(), Odd());
        for (Eigen::Index i = 0; i < 5; ++i) {
            CAPTURE(i);
            std::array<ComplexStep, 5> p;
            for (std::size_t k = 0; k < 5; ++k) p[k] = five()[static_cast<Eigen::Index>(k)];
            p[static_cast<std::size_t>(i)] = ComplexStep::variable(five()[i]);
            const double dx = e.length / (e.points - 1);
            const auto stencil =
                wave::beam_stencil(wave::BeamParams<ComplexStep>{p[0], p[1], p[2], p[3], p[4]}, dx, e.dt);
            wave::March march(stencil, e.points, wave::clamped(stencil), wave::clamped(stencil));
            ComplexStep sum(0.0);
            for (int n = 0; n < e.steps; ++n) {
                march.left().set_motion(ComplexStep(e.left_motion[n + 1]), ComplexStep(0.0));
                std::array<wave::PointLoad<ComplexStep>, 2> loads;
                for (std::size_t c = 0; c < 2; ++c)
                    loads[c] = {e.forces[c].point, ComplexStep(e.forces[c].newton[n] / dx)};
                march.step(loads);
                for (std::size_t c = 0; c < 2; ++c)
                    sum += ComplexStep(static_cast<double>(static_cast<int>(c) * e.steps + n + 1)) *
                           cos(ComplexStep(1e3) * march.level()[e.sensors[c]]);
            }
            CHECK(found.value == approx(sum.value()).epsilon(1e-11));
            CHECK(found.gradient[i] == approx(sum.derivative()).epsilon(1e-10));
        }
    }

    TEST_CASE("of the objective of Publication A is twice residuals times Jacobian") {
        const BeamModel model(experiment(BeamSupport::clamped_first_order, BeamSupport::clamped_first_order, 2000));
        const ident::BeamMisfit misfit(model, model.response(1.05 * five()));
        VectorXd r;
        MatrixXd J;
        REQUIRE(misfit.linearize(five(), r, J) == Status::ok);
        const VectorXd wanted = 2.0 * J.transpose() * r;
        const auto found = beam_gradient(misfit, five());
        CHECK(found.value == approx(r.squaredNorm()).epsilon(1e-12));
        for (Eigen::Index i = 0; i < 5; ++i) CHECK(found.gradient[i] == approx(wanted[i]).epsilon(1e-10));
    }

    TEST_CASE("is the same number by number with few levels in memory") {
        const BeamModel model(experiment(BeamSupport::clamped, BeamSupport::free, 400));
        const auto all = beam_gradient(model, five(), Odd());
        const auto few = beam_gradient(model, five(), Odd(), CheckpointPolicy::fewest(400));
        CHECK((all.gradient - few.gradient).norm() == 0.0);
        CHECK(all.states_kept >= 400);
        CHECK(few.states_kept <= 42);  // 2 sqrt(400) and two at the seam
    }

    TEST_CASE("takes the slope of any misfit over a recorded channel") {
        BeamExperiment e = experiment(BeamSupport::pinned, BeamSupport::pinned, 200);
        e.sensors = {5};
        const BeamModel model(e);
        const ident::Channel channel{.time = VectorXd::LinSpaced(200, e.dt, 200 * e.dt),
                                     .values = model.response(1.1 * five())};
        const ident::Misfit misfit({channel}, {.kind = ident::MisfitKind::correlation});
        VectorXd y;
        MatrixXd Psi;
        VectorXd p = five();
        p[3] *= 1.3;
        model.response(p, y, Psi);
        const VectorXd wanted = Psi.transpose() * misfit.gradient(y);
        const ident::BeamObjective objective(model, misfit);
        static_assert(DifferentiableObjective<decltype(objective)>);
        VectorXd g;
        CHECK(objective(p, g) == approx(misfit(y)).epsilon(1e-12));
        CHECK(objective(p) == approx(misfit(y)).epsilon(1e-12));
        for (Eigen::Index i = 0; i < 5; ++i) CHECK(g[i] == approx(wanted[i]).epsilon(1e-10));
    }

    TEST_CASE("passes on what the model refuses") {
        const BeamModel model(experiment(BeamSupport::clamped, BeamSupport::clamped));
        CHECK_THROWS_WITH_AS((void)beam_gradient(model, VectorXd::Ones(4), Odd()), doctest::Contains("p has 4 entries"),
                             SetupError);
        CHECK_THROWS_WITH_AS((void)beam_gradient(model, five(), Odd(), CheckpointPolicy{0}),
                             doctest::Contains("interval is 0"), SetupError);
    }
}

TEST_SUITE("ident::VaryingBeam") {
    TEST_CASE("with equal values is the uniform beam, and its gradient adds up to that one's") {
        for (const BeamSupport left : all_supports)
            for (const BeamSupport right : all_supports) {
                CAPTURE(static_cast<int>(left));
                CAPTURE(static_cast<int>(right));
                const BeamExperiment e = experiment(left, right);
                const VaryingBeam varying(e);
                const BeamModel uniform(e);
                const VectorXd y = uniform.response(five());
                CHECK((varying.response(varying.constant(five())) - y).norm() <= 1e-12 * y.norm());
                const auto many = beam_gradient(varying, varying.constant(five()), Odd());
                const auto few = beam_gradient(uniform, five(), Odd());
                REQUIRE(many.gradient.size() == 65);
                for (int i = 0; i < 5; ++i)
                    CHECK(many.gradient.segment(i * 13, 13).sum() == approx(few.gradient[i]).epsilon(1e-9));
            }
    }

    TEST_CASE("agrees by every parameter at every point with the complex step through its energies") {
        for (const auto& [left, right] : std::vector<std::pair<BeamSupport, BeamSupport>>{
                 {BeamSupport::clamped, BeamSupport::free}, {BeamSupport::pinned, BeamSupport::clamped_first_order}}) {
            const BeamExperiment e = experiment(left, right);
            const VaryingBeam beam(e);
            const VectorXd p = varied(beam);
            const auto found = beam_gradient(beam, p, Odd());
            const double largest = found.gradient.cwiseProduct(p).cwiseAbs().maxCoeff();
            for (Eigen::Index i = 0; i < p.size(); ++i) {
                CAPTURE(i);
                VectorXcd z = p.cast<std::complex<double>>();
                z[i] += std::complex<double>(0.0, 1e-30);
                const std::complex<double> J = by_energies(e, z);
                CHECK(found.value == approx(J.real()).epsilon(1e-11));
                // Relative to the largest of all, since some parameters do next to nothing.
                CHECK(std::abs(found.gradient[i] - J.imag() / 1e-30) * p[i] <= 1e-10 * largest);
            }
        }
    }

    TEST_CASE("gives six parameters by the chain rule: five of the beam and a stiffness of its right half") {
        const BeamExperiment e = experiment(BeamSupport::clamped, BeamSupport::clamped);
        const VaryingBeam beam(e);
        MatrixXd B = MatrixXd::Zero(beam.size(), 6);
        for (int i = 0; i < 5; ++i) B.block(i * 13, i, 13, 1).setOnes();
        B.block(3 * 13 + 7, 5, 6, 1).setOnes();
        B.block(3 * 13 + 7, 3, 6, 1).setZero();
        VectorXd q(6);
        q << five(), 80.0;
        const VectorXd gradient = B.transpose() * beam_gradient(beam, B * q, Odd()).gradient;
        for (Eigen::Index i = 0; i < 6; ++i) {
            CAPTURE(i);
            VectorXcd z = q.cast<std::complex<double>>();
            z[i] += std::complex<double>(0.0, 1e-30);
            CHECK(gradient[i] == approx(by_energies(e, B * z).imag() / 1e-30).epsilon(1e-10));
        }
    }

    TEST_CASE("refuses what is no beam by name and place") {
        const VaryingBeam beam(experiment(BeamSupport::clamped, BeamSupport::free));
        VectorXd p = beam.constant(five());
        CHECK_THROWS_WITH_AS((void)beam.response(five()), doctest::Contains("p has 5 entries, expected 5 for each"),
                             SetupError);
        p[3] = 0.0;
        CHECK_THROWS_WITH_AS((void)beam.rows(p),
                             doctest::Contains("mass_per_length at point 3 must be finite and > 0, got 0"), SetupError);
        p = beam.constant(five());
        p[3 * 13 + 12] = std::numeric_limits<double>::quiet_NaN();
        CHECK_THROWS_WITH_AS((void)beam_gradient(beam, p, Odd()), doctest::Contains("bending_stiffness at point 12"),
                             SetupError);
        BeamExperiment e = experiment(BeamSupport::clamped, BeamSupport::free);
        e.sensors = {0};
        CHECK_THROWS_WITH_AS(VaryingBeam{e}, doctest::Contains("sensor is at point 0, which a support holds"),
                             SetupError);
        e = experiment(BeamSupport::clamped, BeamSupport::free);
        e.right_motion = e.left_motion;
        CHECK_THROWS_WITH_AS(VaryingBeam{e}, doctest::Contains("right_motion has 61 samples, expected none"),
                             SetupError);
    }

    TEST_CASE("refuses a march that its experiment does not feed, and a misfit of another record") {
        const BeamExperiment e = experiment(BeamSupport::clamped, BeamSupport::free);
        const auto rows = BeamModel(e).rows(five());
        BeamExperiment other = e;
        other.points = 12;
        CHECK_THROWS_WITH_AS(ident::BeamStepper(other, rows), doctest::Contains("there are rows for 13 points"),
                             SetupError);
        other = e;
        other.forces[0].newton.conservativeResize(e.steps - 1);
        CHECK_THROWS_WITH_AS(ident::BeamStepper(other, rows), doctest::Contains("has 59 samples"), SetupError);
        other = e;
        other.left_motion.conservativeResize(e.steps);
        CHECK_THROWS_WITH_AS(ident::BeamStepper(other, rows), doctest::Contains("a motion has 60 samples"), SetupError);
        struct Short {
            double operator()(const VectorXd& y) const { return y.sum(); }
            VectorXd gradient(const VectorXd& y) const { return VectorXd::Ones(y.size() - 1); }
        };
        CHECK_THROWS_WITH_AS((void)beam_gradient(BeamModel(e), five(), Short{}),
                             doctest::Contains("the misfit's gradient has"), SetupError);
    }

    TEST_CASE("a step over states of another size, or outside of the record, is refused with the size") {
        const BeamExperiment e = experiment(BeamSupport::clamped, BeamSupport::pinned);
        const ident::BeamStepper stepper(e, BeamModel(e).rows(five()));
        VectorXd good = stepper.start(), next = good, bad = VectorXd::Zero(good.size() - 1);
        VectorXd gradient = VectorXd::Zero(stepper.gradient_size()), few = gradient.head(3);
        CHECK_THROWS_WITH_AS(stepper.step(0, bad, next), doctest::Contains("a state has 33 entries, expected 34"),
                             SetupError);
        CHECK_THROWS_AS(stepper.step(0, good, bad), SetupError);
        CHECK_THROWS_WITH_AS(stepper.step(60, good, next), doctest::Contains("step is 60"), SetupError);
        CHECK_THROWS_AS(stepper.step(-1, good, next), SetupError);
        CHECK_THROWS_AS(stepper.step_transposed(0, good, next, bad, gradient), SetupError);
        CHECK_THROWS_AS(stepper.step_transposed(0, good, next, next, few), SetupError);
        CHECK_THROWS_AS((void)stepper.by_entries(few), SetupError);
        CHECK_NOTHROW(stepper.step(59, good, next));
    }
}

}  // namespace beam_adjoint_test
