// SPDX-License-Identifier: BSD-3-Clause
// A damper at a messenger support or a steady arm against a dense model that is put together here and advanced by the
// matrix exponential, and against the energy that it takes.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>

#include "../../support/approx.hpp"
#include "sections.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/MatrixFunctions>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace support_damper_test {
namespace {

using namespace panto;
using namespace panto::catenary;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double damper = 3000.0;  // N s/m, that of a tensioning or support hardware that is worth modelling
constexpr double x0 = 62.0;        // m, near the support at 60 m
const MeshSize coarse{.contact = 5.0, .messenger = 10.0, .stitch = 2.0};

enum class At { messenger, arm };

Section<> damped(double c = damper, At at = At::messenger) {
    Section<> s = en50318_2002(2);
    s.damping = {};
    constexpr double soft = 2e4;  // N/m: the support moves
    if (at == At::messenger)
        s.supports[1].messenger_stiffness = soft, s.supports[1].messenger_damping = c;
    else
        s.supports[1].steady_arm->stiffness = soft, s.supports[1].steady_arm->damping = c;
    return s;
}

/// Row of the height of the wire at the damper in the middle: the one that the soft spring is at.
int support_row(const FiniteElements<>& model) {
    int row = -1;
    for (int i = 0; i < model.size(); ++i)
        if (model.undamped()[i] > 0.0 && std::abs(model.undamped()[i] - 2e4) < 1e-6) row = i;
    return row;
}

MatrixXd full(const linalg::SymmetricBand<>& A) {
    MatrixXd M = MatrixXd::Zero(A.size(), A.size());
    for (int i = 0; i < A.size(); ++i)
        for (int k = 0; k <= std::min(i, A.half_bandwidth()); ++k) M(i, i - k) = M(i - k, i) = A.below(i, k);
    return M;
}

/// Deviation at the support after `steps` steps under a force that stands and is there from the start on.
VectorXd exact(const FiniteElements<>& model, double force, double time) {
    const int n = model.size(), row = support_row(model);
    const MatrixXd M = full(model.mass()), K = full(model.stiffness());
    MatrixXd D = MatrixXd::Zero(n, n);
    D(row, row) = damper;
    VectorXd f = VectorXd::Zero(n);
    const WirePoint p = model.point(x0);
    for (std::size_t i = 0; i < 4; ++i)
        if (p.row[i] >= 0) f[p.row[i]] += force * p.value[i];
    MatrixXd A = MatrixXd::Zero(2 * n + 1, 2 * n + 1);
    A.block(0, n, n, n).setIdentity();
    const Eigen::PartialPivLU<MatrixXd> lu(M);
    A.block(n, 0, n, n) = -lu.solve(K);
    A.block(n, n, n, n) = -lu.solve(D);
    A.block(n, 2 * n, n, 1) = lu.solve(f);
    const MatrixXd moved = (A * time).exp();
    return moved.block(0, 2 * n, n, 1);
}

template <class Engine>
double difference(double dt, At at) {
    const FiniteElements<> model(damped(damper, at), coarse);
    const double force = 20.0, time = 0.4;  // N: no dropper goes slack
    Engine engine(model, {.speed = 0.0, .start = x0, .dt = dt, .accept_coarse_mesh = true});
    // The force is there from the start: the first step begins under it.
    auto load = static_load(model, x0, 0.0);
    load.force = 0.0;
    engine.reset(load);
    const int steps = static_cast<int>(std::lround(time / dt));
    for (int n = 0; n < steps; ++n) engine.step(force);
    const VectorXd expected = exact(model, force, time - 0.5 * dt);  // a force that ramps within the first step
    double worst = 0.0;
    for (int i = 0; i < model.size(); ++i) {
        double here = 0.0;
        if constexpr (requires { engine.displacement(i); })
            here = engine.displacement(i);
        else
            here = engine.displacement()[i];
        worst = std::max(worst, std::abs(here - expected[i]));
    }
    return worst / expected.cwiseAbs().maxCoeff();
}

/// What the line has, and what it got less what the damper took, J.
std::array<double, 2> energies(double c, At at) {
    const FiniteElements<> model(damped(c, at), coarse);
    const int row = support_row(model);
    const MatrixXd M = full(model.mass()), K = full(model.stiffness());
    ReferenceEngine<> engine(model, {.speed = 0.0, .start = x0, .dt = 1e-3, .accept_coarse_mesh = true});
    double given = 0.0, force = 0.0;
    VectorXd u = engine.displacement(), v = engine.velocity();
    double height = engine.wire().height;
    for (int n = 0; n < 600; ++n) {
        const double next = 20.0 + 15.0 * std::sin(0.05 * n);
        engine.step(next);
        // The average acceleration rule keeps this balance exactly: work of the mean force, power of the mean speed.
        const double speed = 0.5 * (v[row] + engine.velocity()[row]);
        given += 0.5 * (force + next) * (engine.wire().height - height) - 1e-3 * c * speed * speed;
        force = next, height = engine.wire().height;
        u = engine.displacement(), v = engine.velocity();
    }
    return {0.5 * u.dot(K * u) + 0.5 * v.dot(M * v), given};
}

}  // namespace

TEST_SUITE("catenary::support_damper") {
    TEST_CASE("both engines move as a dense model with that damper does, of second order in the step") {
        const auto check = [](double coarse_step, double fine_step) {
            CHECK(fine_step < 4e-3);
            CHECK(fine_step < 0.3 * coarse_step);  // a quarter
        };
        for (const At at : {At::messenger, At::arm}) {
            const double dt = at == At::messenger ? 2e-3 : 1e-3;  // the contact wire beside the force moves faster
            check(difference<ReferenceEngine<>>(dt, at), difference<ReferenceEngine<>>(0.5 * dt, at));
            check(difference<RealTimeEngine<>>(dt, at), difference<RealTimeEngine<>>(0.5 * dt, at));
        }
    }

    TEST_CASE("the line keeps what it is given less what the damper takes") {
        for (const At at : {At::messenger, At::arm}) {
            const auto with = energies(damper, at), without = energies(0.0, at);
            CHECK(with[0] == approx(with[1]).epsilon(1e-9));
            CHECK(without[0] == approx(without[1]).epsilon(1e-9));
            CHECK(with[0] < 0.9 * without[0]);
        }
    }

    TEST_CASE("both engines agree step by step, slack droppers and Rayleigh damping included") {
        Section<> s = damped();
        s.damping = {.alpha = 0.02, .beta = 2e-4};
        const FiniteElements<> model(s, coarse);
        const PassageParams passage{.speed = 50.0, .start = 20.0, .dt = 2e-3, .accept_coarse_mesh = true};
        ReferenceEngine<> reference(model, passage);
        RealTimeEngine<> engine(model, passage);
        double worst = 0.0;
        int slack = 0;
        for (int n = 0; n < 500; ++n) {
            const double force = 180.0 + 120.0 * std::sin(0.03 * n);
            worst = std::max(worst, std::abs(reference.step(force).height - engine.step(force).height));
            for (std::size_t j = 0; j < model.droppers().size(); ++j) slack += engine.dropper_force(j) <= 0.0;
        }
        CHECK(slack > 0);
        CHECK(worst < 1e-10);  // as without the damper, see engines_test
    }

    TEST_CASE("a damper that cannot move, or is none, is refused with its place") {
        Section<> s = damped();
        s.supports[1].messenger_damping = -1.0;
        CHECK_THROWS_WITH_AS(FiniteElements<>{s},
                             doctest::Contains("supports[1].messenger_damping must be finite and >= 0, got -1"),
                             SetupError);
        s = damped();
        s.supports[1].messenger_stiffness.reset();
        CHECK_THROWS_WITH_AS(FiniteElements<>{s}, doctest::Contains("supports[1].messenger_damping is given"),
                             SetupError);
        s = damped();
        s.supports[0].messenger_damping = 1.0;
        CHECK_THROWS_WITH_AS(FiniteElements<>{s}, doctest::Contains("supports[0].messenger_damping"), SetupError);
        s = damped(-1.0, At::arm);
        CHECK_THROWS_WITH_AS(FiniteElements<>{s},
                             doctest::Contains("supports[1].steady_arm.damping must be finite and >= 0, got -1"),
                             SetupError);
        s = damped();
        s.supports[0].steady_arm = SteadyArm<>{.held_height = 0.0, .damping = 1.0};
        CHECK_THROWS_WITH_AS(FiniteElements<>{s}, doctest::Contains("supports[0] is an end of the section"),
                             SetupError);
    }
}

}  // namespace support_damper_test
