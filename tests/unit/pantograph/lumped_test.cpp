// SPDX-License-Identifier: BSD-3-Clause
#include <panto/pantograph/lumped.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <Eigen/LU>
#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>
#include <unsupported/Eigen/MatrixFunctions>

#include <algorithm>
#include <cmath>
#include <limits>

using panto::Dynamic;
using panto::pantograph::Lumped;
using panto::pantograph::LumpedParams;

namespace lumped_test {
namespace {

using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;

constexpr double dt = 1e-3;
// Head, middle, frame: the pantograph of the HiL paper, and a damped one in which every link matters.
const LumpedParams<double, 3> dsa380{
    .mass = {6.6, 5.8, 5.8}, .damping = {0.0, 0.0, 70.0}, .stiffness = {7000.0, 14100.0, 80.0}};
const LumpedParams<double, 3> damped{
    .mass = {7.5, 9.0, 6.0}, .damping = {45.0, 20.0, 100.0}, .stiffness = {7000.0, 15500.0, 160.0}};

template <class Params>
LumpedParams<> with_run_time_size(const Params& p) {
    return {.mass = p.mass, .damping = p.damping, .stiffness = p.stiffness};
}

/// A chain of any length, every entry different.
LumpedParams<> chain(Eigen::Index n) {
    LumpedParams<> p;
    p.mass.setLinSpaced(n, 5.0, 9.0);
    p.damping.setLinSpaced(n, 10.0, 40.0);
    p.stiffness.setLinSpaced(n, 3000.0, 900.0);
    return p;
}

double contact_at(int k) { return 100.0 + 60.0 * std::sin(0.07 * k) + 20.0 * std::cos(0.31 * k); }
double uplift_at(int k) { return 120.0 + 5.0 * std::cos(0.05 * k); }

/// State after `steps` steps from rest, under forces that change in every step.
template <class Pantograph>
typename Pantograph::State run(const Pantograph& p, int steps) {
    auto x = p.at_rest(), next = x;
    p.balance(x, {contact_at(0), uplift_at(0)});
    for (int k = 1; k <= steps; ++k) {
        p.step(x, {contact_at(k), uplift_at(k)}, next);
        std::swap(x, next);
    }
    return x;
}

}  // namespace

TEST_SUITE("pantograph::Lumped") {
    TEST_CASE("steps by the trapezoidal rule of its state-space form") {
        const Lumped<double, 3> p(damped, dt);
        const auto m = p.state_matrices();
        const Eigen::Matrix<double, 6, 6> I = Eigen::Matrix<double, 6, 6>::Identity();
        const Eigen::Matrix<double, 6, 6> implicit = I - 0.5 * dt * m.A, explicit_half = I + 0.5 * dt * m.A;
        const auto forces = [](int k) { return Eigen::Vector2d(contact_at(k), uplift_at(k)); };

        Eigen::Matrix<double, 6, 1> x = Eigen::Matrix<double, 6, 1>::Zero();
        for (int k = 1; k <= 500; ++k)
            x = implicit.partialPivLu().solve(explicit_half * x + 0.5 * dt * m.B * (forces(k - 1) + forces(k)));

        const auto state = run(p, 500);
        // Heights are about 1 m, speeds 1 m/s; 500 steps of round-off amplified by 1/dt in the speeds.
        CHECK((state.u - x.head<3>()).norm() < 1e-11);
        CHECK((state.v - x.tail<3>()).norm() < 1e-9);
    }

    TEST_CASE("approaches the exact solution with the square of the time step") {
        const Eigen::Vector2d forces(100.0, 120.0);
        const double duration = 0.5;
        const auto m = Lumped<double, 3>(damped, dt).state_matrices();
        // Exact for constant forces: zero-order hold by the exponential of the augmented matrix.
        Eigen::Matrix<double, 8, 8> augmented = Eigen::Matrix<double, 8, 8>::Zero();
        augmented.topLeftCorner<6, 6>() = m.A * duration;
        augmented.topRightCorner<6, 2>() = m.B * duration;
        const Eigen::Matrix<double, 8, 8> hold = augmented.exp();
        const Eigen::Matrix<double, 6, 1> exact = hold.topRightCorner<6, 2>() * forces;

        const auto error = [&](int steps) {
            const Lumped<double, 3> p(damped, duration / steps);
            auto x = p.at_rest(), next = x;
            p.balance(x, {forces[0], forces[1]});
            for (int k = 0; k < steps; ++k) {
                p.step(x, {forces[0], forces[1]}, next);
                std::swap(x, next);
            }
            return (x.u - exact.head<3>()).norm();
        };
        const double coarse = error(1000), fine = error(2000);
        CHECK(coarse < 1e-5);
        CHECK(std::log2(coarse / fine) == approx(2.0).epsilon(0.01));
    }

    TEST_CASE("keeps its energy when nothing damps or drives it") {
        auto p = dsa380;
        p.damping.setZero();
        const Lumped<double, 3> undamped(p, dt);
        auto x = undamped.at_rest(), next = x;
        x.u << 0.1, 0.08, 0.05;
        x.v << -0.5, 0.2, 0.3;
        undamped.balance(x, {0.0, 0.0});
        const double initially = undamped.energy(x);
        // By hand: 0.5 (6.6 .25 + 5.8 .04 + 5.8 .09) + 0.5 (7000 .0004 + 14100 .0009 + 80 .0025)
        CHECK(initially == approx(1.202 + 7.845).epsilon(1e-12));
        for (int k = 0; k < 10'000; ++k) {
            undamped.step(x, {0.0, 0.0}, next);
            std::swap(x, next);
        }
        CHECK(undamped.energy(x) == approx(initially).epsilon(1e-9));  // round-off of 1e4 steps
    }

    TEST_CASE("gains the work of its forces and loses what the dampers take") {
        // Over a trapezoidal step the change of energy is exactly (mean force - C mean speed) times displacement.
        const Lumped<double, 3> p(damped, dt);
        auto x = run(p, 300), next = x;
        p.step(x, {contact_at(301), uplift_at(301)}, next);
        const Eigen::Vector3d moved = next.u - x.u, speed = moved / dt;
        const double work =
            -0.5 * (contact_at(300) + contact_at(301)) * moved[0] + 0.5 * (uplift_at(300) + uplift_at(301)) * moved[2];
        const double lost = dt * (45.0 * std::pow(speed[0] - speed[1], 2) + 20.0 * std::pow(speed[1] - speed[2], 2) +
                                  100.0 * speed[2] * speed[2]);
        CHECK(p.energy(next) - p.energy(x) == approx(work - lost).epsilon(1e-8));
    }

    TEST_CASE("gives way at the head by its compliance, per newton of force at the end of the step") {
        const Lumped<double, 3> p(damped, dt);
        const auto x = run(p, 100);
        auto free = x, pressed = x;
        p.predict(x, 120.0, free);
        p.step(x, {1.0, 120.0}, pressed);
        CHECK(free.u[0] - pressed.u[0] == approx(p.head_compliance()).epsilon(1e-9));
        CHECK((free.v - pressed.v - 2.0 / dt * (free.u - pressed.u)).norm() < 1e-12);
        CHECK((free.a - pressed.a - 4.0 / (dt * dt) * (free.u - pressed.u)).norm() < 1e-8);

        const Lumped<double, Dynamic> single(chain(1), dt);  // 9 kg, 40 N s/m, 900 N/m
        const double stiffness = 4.0 * 9.0 / (dt * dt) + 2.0 * 40.0 / dt + 900.0;
        CHECK(single.head_compliance() == approx(1.0 / stiffness).epsilon(1e-14));
    }

    TEST_CASE("meets an elastic wall with the force of the implicit coupling") {
        const Lumped<double, 3> p(dsa380, dt);
        const double stiffness = 50e3, wall = 0.01;
        auto x = p.at_rest(), next = x;
        double force = 0.0;
        for (int k = 0; k < 4000; ++k) {
            // [implicit]
            p.predict(x, 120.0, next);
            force = std::max(0.0, stiffness * (next.u[0] - wall)) / (1.0 + stiffness * p.head_compliance());
            p.add_contact(force, next);
            // [implicit]
            CHECK(force == approx(std::max(0.0, stiffness * (next.u[0] - wall))).epsilon(1e-9));
            std::swap(x, next);
        }
        CHECK(force > 0.0);
    }

    TEST_CASE("takes a contact force in several parts as it takes it at once") {
        const Lumped<double, 3> p(dsa380, dt);
        auto x = p.at_rest(), at_once = x, in_parts = x;
        p.step(x, {150.0, 120.0}, at_once);
        p.predict(x, 120.0, in_parts);
        p.add_contact(100.0, in_parts);
        p.add_contact(50.0, in_parts);
        CHECK((at_once.u - in_parts.u).norm() < 1e-15);
    }

    TEST_CASE("rests with a contact force that is the uplift force less what the roof spring holds") {
        const Lumped<double, 3> p(dsa380, dt);
        const double uplift = 157.3, contact = 148.0;
        const auto x = p.in_equilibrium(uplift, contact);
        CHECK(contact == approx(uplift - 80.0 * x.u[2]).epsilon(1e-12));
        CHECK(x.u[1] == approx(x.u[2] - contact / 14100.0).epsilon(1e-12));
        CHECK(x.u[0] == approx(x.u[1] - contact / 7000.0).epsilon(1e-12));
        CHECK(p.static_contact_force(x.u[0], uplift) == approx(contact).epsilon(1e-12));

        auto moved = x, next = x;
        for (int k = 0; k < 100; ++k) {
            p.step(moved, {contact, uplift}, next);
            std::swap(moved, next);
        }
        CHECK((moved.u - x.u).norm() < 1e-12);
        CHECK(moved.v.norm() < 1e-10);
    }

    TEST_CASE("can rest at any height on an uplift drive without a spring to the roof") {
        auto params = dsa380;
        params.stiffness[2] = 0.0;
        const Lumped<double, 3> p(params, dt);
        CHECK(p.in_equilibrium(70.0, 70.0).u[2] == 0.0);
        CHECK(p.static_contact_force(0.3, 70.0) == approx(70.0));
        CHECK_THROWS_AS(static_cast<void>(p.static_contact_force(std::numeric_limits<double>::quiet_NaN(), 70.0)),
                        panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(p.static_contact_force(0.3, std::numeric_limits<double>::infinity())),
                        panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(p.in_equilibrium(120.0, 70.0)),
                             "pantograph::Lumped::in_equilibrium: stiffness[2] is 0, but this spring would have to "
                             "carry 50 N; expected a positive stiffness, or forces that cancel",
                             panto::SetupError);
        params.stiffness[0] = 0.0;
        CHECK_THROWS_WITH_AS(static_cast<void>(Lumped<double, 3>(params, dt).static_contact_force(0.0, 70.0)),
                             "pantograph::Lumped::static_contact_force: stiffness[0] must be finite and > 0, got 0",
                             panto::SetupError);
    }

    TEST_CASE("reports the motion of the head") {
        const Lumped<double, 3> p(damped, dt);
        const auto x = run(p, 50);
        Lumped<double, 3>::Output y;
        p.output(x, {}, y);
        CHECK(y.height == x.u[0]);
        CHECK(y.speed == x.v[0]);
        CHECK(y.acceleration == x.a[0]);
    }

    TEST_CASE("is the same with sizes known at compile time or at run time") {
        const auto fixed = run(Lumped<double, 3>(damped, dt), 500);
        const auto dynamic = run(Lumped<>(with_run_time_size(damped), dt), 500);
        CHECK((fixed.u - dynamic.u).norm() < 1e-13);
        CHECK((fixed.v - dynamic.v).norm() < 1e-11);
        CHECK((Lumped<double, 3>(damped, dt).state_matrices().A -
               Lumped<>(with_run_time_size(damped), dt).state_matrices().A)
                  .norm() == 0.0);
    }

    TEST_CASE("computes in single precision") {
        const LumpedParams<float, 3> single{.mass = damped.mass.cast<float>(),
                                            .damping = damped.damping.cast<float>(),
                                            .stiffness = damped.stiffness.cast<float>()};
        const Lumped<float, 3> p(single, dt);
        auto x = p.in_equilibrium(120.0F, 100.0F), next = x;
        p.step(x, {100.0F, 120.0F}, next);
        CHECK((next.u - x.u).norm() <
              1e-6F);  // heights of 0.1 m carry 1e-8; the step divides by dt^2 and multiplies back
    }

    TEST_CASE("gives the derivative with respect to a parameter when run with dual numbers") {
        const auto height = [](double stiffness) {
            auto p = damped;
            p.stiffness[1] = stiffness;
            return run(Lumped<double, 3>(p, dt), 200).u[0];
        };
        LumpedParams<Dual, 3> p;
        for (int i = 0; i < 3; ++i) {
            p.mass[i] = Dual(damped.mass[i]);
            p.damping[i] = Dual(damped.damping[i]);
            p.stiffness[i] = Dual(damped.stiffness[i]);
        }
        p.stiffness[1] = Dual(15500.0, 1, 0);
        const Lumped<Dual, 3> model(p, dt);
        auto x = model.at_rest(), next = x;
        model.balance(x, {Dual(contact_at(0)), Dual(uplift_at(0))});
        for (int k = 1; k <= 200; ++k) {
            model.step(x, {Dual(contact_at(k)), Dual(uplift_at(k))}, next);
            std::swap(x, next);
        }
        const double h = 1.0;
        CHECK(x.u[0].value() == approx(height(15500.0)).epsilon(1e-12));
        CHECK(x.u[0].derivatives()[0] == approx((height(15500.0 + h) - height(15500.0 - h)) / (2.0 * h)).epsilon(1e-5));
    }

    TEST_CASE("does not allocate while stepping, whatever its size") {
        // @rt-tested: Lumped::predict Lumped::add_contact Lumped::step Lumped::output Lumped::head_compliance
        // @rt-tested: Lumped::balance Lumped::energy Lumped::add_force Lumped::compliance
        for (Eigen::Index n = 1; n <= 12; ++n) {
            const Lumped<> p(chain(n), dt);
            auto x = p.at_rest(), next = x;
            Lumped<>::Output y;
            double sum = 0.0;
            CHECK(panto::test::allocations_in([&] {
                      p.balance(x, {100.0, 120.0});
                      p.predict(x, 120.0, next);
                      p.add_contact(100.0, next);
                      p.add_force(n - 1, 10.0, next);
                      p.step(next, {100.0, 120.0}, x);
                      p.output(x, {}, y);
                      sum = p.energy(x) + p.head_compliance() + p.compliance(0, n - 1) + y.height;
                  }) == 0);
            CHECK(std::isfinite(sum));
        }
        static_assert(noexcept(std::declval<const Lumped<>&>().step(std::declval<Lumped<>::State&>(), {},
                                                                    std::declval<Lumped<>::State&>())));
    }

    TEST_CASE("refuses parameters that make no sense, and says which") {
        const auto build = [](LumpedParams<> p, double step = dt) { return Lumped<>(p, step); };
        const LumpedParams<> good = with_run_time_size(dsa380);
        CHECK_NOTHROW(build(good));
        CHECK_THROWS_WITH_AS(build({}), "pantograph::Lumped: mass is empty, at least one mass is needed",
                             panto::SetupError);
        CHECK_THROWS_WITH_AS(build(good, 0.0), "pantograph::Lumped: dt must be finite and > 0, got 0",
                             panto::SetupError);
        CHECK_THROWS_AS(build(good, std::numeric_limits<double>::quiet_NaN()), panto::SetupError);
        CHECK_THROWS_AS(build(good, 1e-160), panto::SetupError);

        LumpedParams<> p = good;
        p.damping = Eigen::VectorXd::Zero(2);
        CHECK_THROWS_WITH_AS(build(p), "pantograph::Lumped: damping has 2 entries, expected one per mass: 3",
                             panto::SetupError);
        p = good;
        p.stiffness = Eigen::VectorXd::Zero(4);
        CHECK_THROWS_WITH_AS(build(p), "pantograph::Lumped: stiffness has 4 entries, expected one per mass: 3",
                             panto::SetupError);
        for (const double bad :
             {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            p = good;
            p.mass[1] = bad;
            CHECK_THROWS_AS(build(p), panto::SetupError);
        }
        p = good;
        p.mass[1] = 0.0;
        CHECK_THROWS_WITH_AS(build(p), "pantograph::Lumped: mass[1] must be finite and > 0, got 0", panto::SetupError);
        p = good;
        p.stiffness[0] = -7000.0;
        CHECK_THROWS_WITH_AS(build(p), "pantograph::Lumped: stiffness[0] must be finite and >= 0, got -7000",
                             panto::SetupError);
        p = good;
        p.damping[2] = -70.0;
        CHECK_THROWS_WITH_AS(build(p), "pantograph::Lumped: damping[2] must be finite and >= 0, got -70",
                             panto::SetupError);
    }

    TEST_CASE("a state of another size is refused and nothing is written") {
        const Lumped<> chain(with_run_time_size(dsa380), dt);
        const Lumped<>::State good = chain.at_rest();
        for (const int wrong : {0, 2, 4}) {
            Lumped<>::State bad{Eigen::VectorXd::Ones(wrong), Eigen::VectorXd::Ones(3), Eigen::VectorXd::Ones(3)};
            Lumped<>::State next = good;
            Lumped<>::Output y{7.0, 7.0, 7.0};
            CHECK(chain.step(bad, {1.0, 1.0}, next) == panto::Status::out_of_range);
            CHECK(chain.step(good, {1.0, 1.0}, bad) == panto::Status::out_of_range);
            CHECK(chain.predict(bad, 1.0, next) == panto::Status::out_of_range);
            CHECK(chain.add_contact(1.0, bad) == panto::Status::out_of_range);
            CHECK(chain.balance(bad, {1.0, 1.0}) == panto::Status::out_of_range);
            CHECK(chain.output(bad, {}, y) == panto::Status::out_of_range);
            CHECK(std::isnan(chain.energy(bad)));
            CHECK(y.height == 7.0);
            CHECK(next.u == good.u);
            CHECK(bad.v == Eigen::Vector3d::Ones());
        }
        Lumped<>::State next = good;
        CHECK(chain.step(good, {1.0, 1.0}, next) == panto::Status::ok);
        CHECK(next.u[2] > 0.0);
    }
}

}  // namespace lumped_test
