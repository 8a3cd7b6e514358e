// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/nonlinear_vehicle.hpp>

#include "../../cases/multibody_cases.hpp"
#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

using namespace panto::vehicle;

namespace free_wheelset_test {
namespace {

/// The bogie of parts with either kind of wheelset, on material that much stiffer than steel.
Multibody bogie(bool free, double stiffer = 1.0) {
    Multibody v = panto::test::bogie_of_parts({}, {});
    v.free_wheelsets = free;
    v.rail.material.young *= stiffer;
    v.rail.creep_reduction = std::cbrt(1.0 / stiffer);  // creep as with steel
    return v;
}

/// A creep law without creep.
struct Frictionless {
    template <panto::Real S>
    [[nodiscard]] CreepForce<S> operator()(const Creepage<S>&, const ContactPatch<S>&) const noexcept {
        return {S(0.0), S(0.0), S(0.0)};
    }
};

}  // namespace

TEST_SUITE("vehicle::FreeWheelset") {
    TEST_CASE("two spheres approach as Hertz says, other bodies as a flat punch on their ellipse") {
        const Elasticity<> steel;
        const double R = 0.4, E = steel.young / (2.0 * (1.0 - steel.poisson * steel.poisson));
        const auto circle = contact_ellipse<double>(8e4, 1.0 / R, 1.0 / R, steel);
        CHECK(hertz_approach<double>(8e4, circle, steel) == approx(circle.a * circle.a / R).epsilon(1e-12));
        const auto approach = [&](double N) {
            return hertz_approach<double>(N, contact_ellipse<double>(N, 1.0 / 0.46, 1.0 / 0.3, steel), steel);
        };
        CHECK(approach(8e4) == approx(4.0 * approach(1e4)).epsilon(1e-12));
        // The next piece of load meets the stiffness of a flat punch of the shape of the ellipse, pi E* major/K.
        const auto e = contact_ellipse<double>(8e4, 1.0 / 0.46, 1.0 / 0.3, steel);
        const double major = std::max(e.a, e.b), minor = std::min(e.a, e.b);
        const double K = std::comp_ellint_1(std::sqrt(1.0 - minor * minor / (major * major)));
        const double slope = (approach(8e4 + 1.0) - approach(8e4 - 1.0)) / 2.0;
        CHECK(1.0 / slope == approx(std::acos(-1.0) * E * major / K).epsilon(1e-6));
        CHECK_THROWS_AS((void)hertz_approach<double>(8e4, {0.0, 1e-3}, steel), panto::SetupError);
    }

    TEST_CASE("the lateral motions of a bogie are those of two freedoms, the nearer the stiffer the contact") {
        std::array<double, 3> worst{};
        const auto lateral = [](const Multibody& v) {
            const LinearVehicle l = linearize(assemble(v), 60.0);
            std::vector<Eigen::Index> own;
            for (const int order : {0, 1})
                for (const Node& n : l.assembly.nodes)
                    for (const int j : n.constrained() ? std::vector<int>{0, 1} : std::vector<int>{1, 3, 5})
                        own.push_back(order * l.mass.rows() + n.first + j);
            return panto::linalg::eigenvalues(Eigen::MatrixXd(state_matrix(l)(own, own)));
        };
        for (const std::size_t k : {0U, 1U, 2U}) {
            const double stiffer = k == 0 ? 1.0 : k == 1 ? 1e2 : 1e4;
            const auto two = lateral(bogie(false, stiffer)), six = lateral(bogie(true, stiffer));
            CHECK(two.size() == 14);
            CHECK(six.size() == 18);
            for (const auto& e : two) {
                double nearest = 1e9;
                for (const auto& other : six) nearest = std::min(nearest, std::abs(e - other) / std::abs(e));
                worst[k] = std::max(worst[k], nearest);
            }
        }
        CHECK(eigenvalues(linearize(assemble(bogie(true)), 60.0)).size() == 2 * 18 - 4);
        CAPTURE(worst[0]);
        CAPTURE(worst[1]);
        CAPTURE(worst[2]);
        CHECK(worst[0] < 0.02);
        CHECK(worst[1] / worst[2] == approx(std::pow(100.0, 2.0 / 3.0)).epsilon(0.1));  // stiffness grows with E^(2/3)
    }

    TEST_CASE("matrices of bodies and suspension stay symmetric, and rolling on costs no force") {
        const LinearVehicle l = linearize(assemble(bogie(true)), 60.0);
        CHECK(l.mass.rows() == 18);
        for (const auto* m : {&l.mass, &l.damping, &l.stiffness})
            CHECK((*m - m->transpose()).norm() <= 1e-15 * m->norm());
        const Assembly& a = l.assembly;
        Eigen::VectorXd forward = Eigen::VectorXd::Zero(18);
        for (const Node& n : a.nodes) {
            forward[n.first] = 1.0;
            if (n.axle) forward[n.first + 4] = 1.0 / a.rail.profile.radius;
        }
        const Eigen::MatrixXd C = l.damping + l.contact_damping, K = l.stiffness + l.contact_stiffness;
        CHECK((K * forward).norm() < 1e-12 * K.norm());
        CHECK((C * forward).norm() < 1e-12 * C.norm());
        // and a wheelset that only slides brakes by the slope of its creep law at both wheels
        Eigen::VectorXd slides = Eigen::VectorXd::Zero(18);
        slides[a.nodes[0].first] = 1.0;
        const double spin = std::sin(0.2) / a.rail.profile.radius, slip = 1e-9;
        const double slope = -VermeulenJohnson{}(Creepage<>{slip, 0.0, spin}, a.patch(0)).xi / slip;
        CHECK((l.contact_damping * slides)[a.nodes[0].first] == approx(2.0 * slope / 60.0).epsilon(1e-9));
    }

    TEST_CASE("it follows a track that is shifted, raised or bears off, without a force") {
        const Assembly a = assemble(bogie(true));
        const LinearVehicle l = linearize(a, 40.0);
        const Eigen::MatrixXd K = l.stiffness + l.contact_stiffness, C = l.damping + l.contact_damping;
        Eigen::VectorXd aside = Eigen::VectorXd::Zero(18), turned = aside, raised = aside,
                        w = Eigen::VectorXd::Zero(18);
        for (const Node& n : a.nodes) {
            aside[n.first + 1] = 1.0, raised[n.first + 2] = 1.0;
            turned[n.first + 1] = n.centre[0], turned[n.first + 5] = 1.0;
        }
        w[0] = w[9] = 1.0;
        CHECK((K * aside - l.track * w).norm() < 1e-9 * K.norm());
        w << a.nodes[0].centre[0], 1.0, 0, 0, 0, 0, 0, 0, 0, a.nodes[2].centre[0], 1.0, 0, 0, 0, 0, 0, 0, 0;
        CHECK((K * turned + 40.0 * C * aside - l.track * w).norm() < 1e-9 * K.norm());
        w.setZero();
        w[3] = w[12] = 1.0;
        CHECK((K * raised - l.track * w).norm() < 1e-9 * K.norm());
    }

    TEST_CASE("on a small defect it is the linear march") {
        const Assembly a = assemble(bogie(true));
        const SmoothDefect<> defect{.start = 1.0, .lateral = 1e-7, .vertical = 1e-7, .roll = 1e-7};
        const LinearMarch march(linearize(a, 40.0), 1e-4);
        const NonlinearVehicle<> vehicle(a, 40.0);
        auto x = march.rest();
        auto s = vehicle.rest();
        double difference = 0.0, largest = 0.0;
        for (int n = 0; n < 2500; ++n) {
            march.step(n * 1e-4, defect, x);
            vehicle.step(n * 1e-4, 1e-4, defect, s);
            difference = std::max(difference, (x.q - s.x.head<18>()).cwiseAbs().maxCoeff());
            largest = std::max(largest, x.q.cwiseAbs().maxCoeff());
        }
        CHECK(difference < 5e-3 * largest);  // the contact's 3/2, and the trapezoidal rule's phase
    }

    TEST_CASE("on a defect motion and loads are those of two freedoms but for the give of the contact") {
        for (const auto form : {WheelsetForm{}, WheelsetForm{.normal_force = NormalForce::dynamic}}) {
            const SmoothDefect<> defect{.start = 2.0, .lateral = 4e-3, .vertical = 4e-3, .roll = 1e-3};
            const NonlinearVehicle<> two(assemble(bogie(false)), 40.0, {}, form, {.stiffness = 1e7, .clearance = 2e-3});
            const NonlinearVehicle<> six(assemble(bogie(true)), 40.0, {}, form, {.stiffness = 1e7, .clearance = 2e-3});
            auto s = two.rest(), t = six.rest();
            double most = 0.0, off = 0.0, load = 0.0, change = 0.0, flange = 0.0;
            for (int n = 0; n < 1200; ++n) {
                two.step(n * 5e-4, 5e-4, defect, s), six.step(n * 5e-4, 5e-4, defect, t);
                two.evaluate((n + 1) * 5e-4, defect, s), six.evaluate((n + 1) * 5e-4, defect, t);
                for (int i = 0; i < 2; ++i) {
                    const auto k = static_cast<std::size_t>(i);
                    most = std::max(most, std::abs(s.axles[k].rho));
                    off = std::max(off, std::abs(s.axles[k].rho - t.axles[k].rho));
                    const auto p = two.loads(i, s), q = six.loads(i, t);
                    flange = std::max(flange, std::abs(p[0].lateral - p[1].lateral));
                    for (const std::size_t side : {0U, 1U}) {
                        load = std::max({load, std::abs(p[side].vertical - q[side].vertical),
                                         std::abs(p[side].lateral - q[side].lateral)});
                        change = std::max(change, std::abs(p[side].vertical - 80e3));
                    }
                }
            }
            CAPTURE(off);
            CAPTURE(load);
            CAPTURE(change);
            CHECK(most > 2e-3);  // the flange touches
            // With two freedoms the present normal force is that of creep under the one at rest.
            CHECK(off < (form.normal_force == NormalForce::dynamic ? 0.05 : 0.02) * most);
            CHECK(change > 2e3);
            CHECK(load < 0.1 * change);
        }
    }

    TEST_CASE("without creep and damping energy is kept, at the order of the integrator") {
        Multibody v = bogie(true);
        for (Link& l : v.links)
            for (Suspension& part : l.parts) part.damping = 0.0;
        const Assembly a = assemble(v);
        const NonlinearVehicle<Frictionless> ride(a, 40.0);
        const auto energy = [&](const decltype(ride.rest())& s) {
            double e = 0.0;
            for (const Node& n : a.nodes) {
                const auto q = s.x.segment<6>(n.first), rate = s.x.segment<6>(a.freedoms + n.first);
                for (int j = 0; j < 3; ++j)
                    e += 0.5 * n.mass * rate[j] * rate[j] +
                         0.5 * n.inertia[static_cast<std::size_t>(j)] * rate[3 + j] * rate[3 + j];
                if (!n.axle) {
                    double turning = 0.0;  // preloads that turn with their springs
                    for (const Part& p : a.parts)
                        for (std::size_t i = 0; i < 2; ++i)
                            if (p.direction == Direction::z &&
                                a.nodes[static_cast<std::size_t>(p.node[i])].name == n.name)
                                turning += (i == 0 ? 1.0 : -1.0) * p.preload * p.height[i];
                    e += 0.5 * turning * (q[3] * q[3] + q[4] * q[4]);
                    continue;
                }
                e += (n.suspension_load + n.mass * a.gravity) * q[2];
                const ElasticContact<> c = elastic_contact(a, a.node(n.name), Frictionless{}, {});
                const double lever = std::cos(0.2), p = -lever * q[2];
                // of N_0 (1 + p/p_0)^(3/2), both wheels
                e += 2.0 * c.normal * c.approach * 0.4 * std::pow(1.0 + p / c.approach, 2.5);
            }
            for (const Part& p : a.parts) {
                std::array<NodeMotion, 2> u{NodeMotion::Zero(), NodeMotion::Zero()};
                for (std::size_t i = 0; i < 2; ++i)
                    u[i].head<6>() = s.x.segment<6>(a.nodes[static_cast<std::size_t>(p.node[i])].first);
                const double delta = p.stretch(u[0], u[1]);
                e += 0.5 * p.stiffness * delta * delta;
            }
            return e;
        };
        // The wheelset behind pushed down by a twentieth of a millimetre, both bouncing from there.
        std::array<double, 2> drift{};
        for (const int k : {0, 1}) {
            auto s = ride.rest();
            s.x[a.nodes[2].first + 2] = 4e-5, s.x[a.nodes[1].first + 2] = 5e-3, s.x[a.nodes[1].first] = 1e-3;
            const double start = energy(s), dt = k == 0 ? 2e-4 : 1e-4;
            const int steps = k == 0 ? 500 : 1000;
            for (int n = 0; n < steps; ++n) ride.step(n * dt, dt, LevelTrack{}, s);
            drift[static_cast<std::size_t>(k)] = std::abs(energy(s) - start);
            CHECK(std::abs(s.x[a.nodes[2].first + 1]) < 1e-12);  // straight ahead
        }
        CAPTURE(drift[0]);
        CAPTURE(drift[1]);
        CHECK(drift[0] > 0.0);
        CHECK(drift[0] / drift[1] > 20.0);  // RK4 loses energy at the fifth order
    }

    TEST_CASE("a wheel lifts where two freedoms would have to be told so, and comes back") {
        const SmoothDefect<> dip{.start = 1.0, .length = 1.5, .vertical = -0.01};
        const NonlinearVehicle<> ride(assemble(bogie(true)), 40.0);
        auto s = ride.rest();
        bool lifted = false;
        RideState last;
        for (int n = 0; n < 5000; ++n) {
            ride.step(n * 2e-4, 2e-4, dip, s);
            ride.evaluate((n + 1) * 2e-4, dip, s);
            last = ride.check((n + 1) * 2e-4, s);
            lifted = lifted || last.status == RideStatus::wheel_lifted;
        }
        CHECK(lifted);
        CHECK(last.ok());
        double carried = 0.0;
        for (int i = 0; i < 2; ++i)
            for (const auto& w : ride.loads(i, s)) carried += w.vertical;
        CHECK(carried == approx(4 * 80e3).epsilon(0.1));
    }

    TEST_CASE("a wheelset without spin inertia is refused, and steps do not allocate") {
        // @rt-tested: ElasticContact::force free_wheelset free_wheelset_creep free_wheelset_acceleration
        // @rt-tested: free_wheel_loads wheel_creep_under
        Multibody v = bogie(true);
        const auto message = [](const auto& what) {
            try {
                what();
            } catch (const panto::SetupError& e) {
                return std::string(e.what());
            }
            return std::string();
        };
        const NonlinearVehicle<> ride(assemble(v), 40.0, {}, {.normal_force = NormalForce::dynamic});
        auto s = ride.rest();
        const SmoothDefect<> defect{.start = 0.0, .lateral = 1e-3};
        CHECK(panto::test::allocations_in([&] {
                  for (int n = 0; n < 5; ++n) ride.step(n * 1e-3, 1e-3, defect, s);
                  ride.evaluate(5e-3, defect, s);
                  (void)ride.loads(0, s);
              }) == 0);
        v.axles[0].spin_inertia = 0.0;
        CHECK(message([&] { (void)assemble(v); }).find("front: spin_inertia") != std::string::npos);
    }
}

}  // namespace free_wheelset_test
