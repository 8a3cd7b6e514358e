// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/curve.hpp>
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/nonlinear_vehicle.hpp>

#include "../../cases/multibody_cases.hpp"
#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "../../support/message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace panto::vehicle;

namespace curve_test {
namespace {

/// The bogie on a contact of small angle, lambda 0.1.
Assembly bogie() {
    Multibody v = panto::test::bogie_of_parts({}, {});
    v.coefficients = ContactCoefficients<>{0.1, 0.05, 0.1, 0.07, 0.04};
    return assemble(v);
}

/// The default bogie with dampers in series along the track, which the frames stretch.
Multibody bogie_with_arms(bool free) {
    Multibody v = panto::test::bogie_of_parts({}, {});
    v.free_wheelsets = free;
    for (Link& l : v.links) l.parts.push_back({.direction = Direction::x, .damping = 5e4, .series = 5e6});
    return v;
}

/// A design as irregularities of a straight track, about which the equations of straight track hold.
struct AsIrregularity {
    TrackDesign way;  // a member `design` would make it a CurvedTrack
    template <panto::Real S>
    [[nodiscard]] TrackPoint<S> at(const S& s) const noexcept {
        const DesignPoint p = way.at(s);
        TrackPoint<S> t;
        t.lateral = {p.offset, p.heading, p.curvature};
        t.roll = {-p.cant.value, -p.cant.slope, -p.cant.curvature};
        return t;
    }
};

/// The largest difference, m, of the frame's place from that on the same way taken as irregularities, and the largest
/// of that way.
std::array<double, 2> apart(const LinearVehicle& l, const TrackDesign& design, double h, int steps) {
    const LinearMarch march(l, h);
    const Assembly& a = march.vehicle().assembly;
    const DesignedTrack<> curved{design};
    const AsIrregularity straight{design};
    static_assert(CurvedTrack<DesignedTrack<>> && !CurvedTrack<AsIrregularity>);
    const Node& n = a.nodes[static_cast<std::size_t>(a.node("frame"))];
    const Probe across = a.probe("frame", {n.centre[0] + 1.0, 0.0, n.centre[2]}, Direction::y);
    auto x = march.rest(), y = march.rest();
    double most = 0.0, way = 0.0;
    for (int i = 0; i < steps; ++i) {
        march.step(i * h, curved, x), march.step(i * h, straight, y);
        const double s = l.speed * (i + 1) * h;
        NodeMotion f = node_frame(a, n, l.speed, design.at(s + n.centre[0]), {}).place;
        const double there = march.displacement(across, x) + across.row.dot(f);
        most = std::max(most, std::abs(there - march.displacement(across, y))), way = std::max(way, std::abs(there));
    }
    return {most, way};
}

}  // namespace

TEST_SUITE("vehicle::steady_curve") {
    TEST_CASE("a free wheelset rolls where its radii fit the curve, to the outer side") {
        const Assembly a = bogie();
        const LinearVehicle l = linearize(a, 40.0);
        const int f = a.nodes[static_cast<std::size_t>(a.axles[0])].first;
        const double R = 3000.0, r0 = 0.46, half = 0.7175;
        // Without its links: the two rows of the contact alone, in the balanced curve.
        const Curve balanced{1.0 / R, 40.0 * 40.0 / (R * 9.81)};
        LinearVehicle free = l;
        free.assembly.parts.clear();
        const Eigen::Vector2d force = curve_force(free, balanced).segment<2>(f);
        const Eigen::Vector2d q = l.contact_stiffness.block<2, 2>(f, f).fullPivLu().solve(force);
        CHECK(q[0] == approx(-r0 * half / (0.1 * R)).epsilon(1e-4));
        // 2 Q zeta rho - 2 f22 q psi = w_Iy v^2 kappa/(r0 R): the sheet's row y.
        const auto patch = a.patch(a.axles[0]);
        const double Q = a.wheel_load(a.axles[0]), kappa = 0.05 / half;
        CHECK(2.0 * Q * 0.07 * q[0] - 2.0 * patch.f22 * (1.0 + r0 * kappa) * q[1] ==
              approx(450.0 * 1600.0 * kappa / (r0 * R)).epsilon(1e-6));
    }

    TEST_CASE("a mirrored curve gives the mirrored state; the axle boxes carry what presses the frame outward") {
        const Assembly a = bogie();
        const LinearVehicle l = linearize(a, 40.0);
        const double R = 1000.0;
        const Eigen::VectorXd q = steady_curve(l, {1.0 / R, 0.0}), mirror = steady_curve(l, {-1.0 / R, 0.0});
        CHECK((q + mirror).norm() < 1e-12 * q.norm());
        // What presses outward is carried by the contact: the sum of both wheelsets' lateral springs.
        double carried = 0.0;
        for (const Part& p : a.parts)
            if (p.direction == Direction::y) {
                const auto motion = [&](int k) {
                    const Node& n = a.nodes[static_cast<std::size_t>(k)];
                    using Vector6 = panto::Vector<double, 6>;
                    NodeMotion u = NodeMotion::Zero();
                    u.head<6>() =
                        n.axle ? Vector6(l.map.motion * q.segment<2>(n.first)) : Vector6(q.segment<6>(n.first));
                    u[1] += 0.5 * n.centre[0] * n.centre[0] / R, u[5] += n.centre[0] / R;
                    return u;
                };
                carried += p.stiffness * p.stretch(motion(p.node[0]), motion(p.node[1]));
            }
        CHECK(carried == approx(2380.0 * 1600.0 / R).epsilon(1e-6));
        CHECK_THROWS_AS((void)steady_curve(l, {std::numeric_limits<double>::infinity(), 0.0}), panto::SetupError);
        CHECK_THROWS_AS((void)steady_curve(l, {0.0, 150.0}), panto::SetupError);  // mm, most likely
    }

    TEST_CASE("with six freedoms it is that of two but for the give of the contact; wheelsets turn as the curve asks") {
        const Curve c{.curvature = 1.0 / 2000.0, .cant = 0.05};
        const Assembly two = assemble(bogie_with_arms(false)), six = assemble(bogie_with_arms(true));
        const LinearVehicle l = linearize(two, 40.0), m = linearize(six, 40.0);
        const Eigen::VectorXd q = steady_curve(l, c), r = steady_curve(m, c);
        for (int i = 0; i < 2; ++i) {
            const int f = two.nodes[static_cast<std::size_t>(two.axles[static_cast<std::size_t>(i)])].first;
            const int g = six.nodes[static_cast<std::size_t>(six.axles[static_cast<std::size_t>(i)])].first;
            CHECK(r[g + 1] == approx(q[f]).epsilon(0.02));
            CHECK(r[g + 5] == approx(q[f + 1]).epsilon(0.02));
            // Left and right creep against each other: the wheelset rolls at the speed of its middle, to first order.
            CHECK(std::abs(r[g + 4]) < 1e-9 * 40.0 / 0.46);
        }
        const int b = two.nodes[static_cast<std::size_t>(two.node("frame"))].first;
        const int k = six.nodes[static_cast<std::size_t>(six.node("frame"))].first;
        CHECK(r[k + 1] == approx(q[b + 1]).epsilon(0.02));
    }
}

TEST_SUITE("vehicle::TrackDesign") {
    TEST_CASE("a clothoid turns by half of its length over the radius, and bears off by L^2/(6 R)") {
        const double L = 80.0, R = 500.0;
        const TrackDesign d = TrackDesign::curve(100.0, L, 200.0, {1.0 / R, 0.1}, 6.0);
        CHECK(d.at(90.0).curvature == 0.0);
        CHECK(d.at(90.0).offset == 0.0);
        const DesignPoint full = d.at(100.0 + L);
        CHECK(full.curvature == approx(1.0 / R).epsilon(1e-14));
        CHECK(full.heading == approx(L / (2.0 * R)).epsilon(1e-14));
        CHECK(full.offset == approx(L * L / (6.0 * R)).epsilon(1e-14));
        const DesignPoint arc = d.at(100.0 + L + 200.0);
        CHECK(arc.heading == approx(L / (2.0 * R) + 200.0 / R).epsilon(1e-14));
        CHECK(arc.offset == approx(L * L / (6.0 * R) + 200.0 * L / (2.0 * R) + 200.0 * 200.0 / (2.0 * R)));
        CHECK(d.at(1000.0).curvature == approx(0.0));
        CHECK(d.at(1000.0).heading == approx(L / R + 200.0 / R).epsilon(1e-14));
        // The cant rises evenly, and at the corner it is slope * rounding/8 above it.
        CHECK(d.at(140.0).cant.value == approx(0.05).epsilon(1e-14));
        CHECK(d.at(140.0).cant.slope == approx(0.1 / L).epsilon(1e-14));
        CHECK(d.at(100.0).cant.value == approx(0.1 / L * 6.0 / 8.0).epsilon(1e-14));
        CHECK(d.at(200.0).cant.value == approx(0.1).epsilon(1e-14));
        for (const double s : {97.5, 99.0, 102.0, 130.0, 178.5, 181.9, 300.0, 381.0, 459.0}) {
            const double h = 1e-4;
            const DesignPoint p = d.at(s), up = d.at(s + h), down = d.at(s - h);
            CHECK(p.cant.slope == approx((up.cant.value - down.cant.value) / (2.0 * h)).epsilon(1e-7));
            CHECK(std::abs(p.cant.curvature - (up.cant.slope - down.cant.slope) / (2.0 * h)) < 1e-9);
            CHECK(std::abs(p.curvature_slope - (up.curvature - down.curvature) / (2.0 * h)) < 1e-12);
            CHECK(std::abs(p.curvature - (up.heading - down.heading) / (2.0 * h)) < 1e-9);
            CHECK(std::abs(p.heading - (up.offset - down.offset) / (2.0 * h)) < 1e-8);
        }
        CHECK(TrackDesign().straight());
        CHECK(TrackDesign().at(5.0).curvature == 0.0);
    }

    TEST_CASE("refuses posts that are out of order, too near or not finite, and says which") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const auto message = [](std::vector<TrackDesign::Post> posts, double rounding = 5.0) {
            return panto::test::message([&] { (void)TrackDesign(std::move(posts), rounding); });
        };
        CHECK(message({{0.0, {}}, {-10.0, {}}}).find("post 1 is at -10 m, must be at least 5 m") != std::string::npos);
        CHECK(message({{0.0, {}}, {4.0, {}}}).find("post 1 is at 4 m") != std::string::npos);
        CHECK(message({{0.0, {}}, {40.0, {nan, 0.0}}}).find("post 1: curvature") != std::string::npos);
        CHECK(message({{0.0, {1e-3, 1.5}}}).find("post 0: cant is 1.5 rad") != std::string::npos);
        CHECK(message({{0.0, {300.0, 0.0}}}).find("post 0: curvature is 300 1/m, must be") != std::string::npos);
        CHECK(message({}).find("there is no post") != std::string::npos);
        CHECK(message({{0.0, {}}}, 0.0).find("rounding") != std::string::npos);
    }

    TEST_CASE("a curve is the same way on straight track, seen from the frames") {
        // To the first order of the step, because the slope of the curvature jumps inside of a step.
        const TrackDesign bend = TrackDesign::curve(4.0, 12.0, 10.0, {1.0 / 300.0, 0.0});
        for (const bool free : {false, true}) {
            CAPTURE(free);
            const LinearVehicle l = linearize(assemble(bogie_with_arms(free)), 40.0);
            const auto coarse = apart(l, bend, 5e-4, 1800), fine = apart(l, bend, 1.25e-4, 7200);
            CHECK(coarse[0] < 1e-6 * coarse[1]);
            CHECK(fine[0] < 0.4 * coarse[0]);
        }
    }

    TEST_CASE("a cant is a roll of straight track, seen from the frames, but for the weight") {
        // Almost without weight, which acts otherwise in the two descriptions, with as much creep as usual all the
        // same.
        for (const bool free : {false, true}) {
            CAPTURE(free);
            Multibody v = bogie_with_arms(free);
            v.gravity = 1e-9, v.bodies[0].dead_load = 4.0, v.rail.creep_reduction = 1e3;
            v.coefficients = ContactCoefficients<>{0.1, 0.05, 0.1, 0.07, 0.04};  // without creep by spin
            const LinearVehicle l = linearize(assemble(v), 40.0, VermeulenJohnson{}, {.preload = false});
            const TrackDesign twist = TrackDesign::curve(4.0, 12.0, 10.0, {0.0, 0.1});
            const auto coarse = apart(l, twist, 5e-4, 1800), fine = apart(l, twist, 1.25e-4, 7200);
            CHECK(fine[0] < 1e-4 * fine[1]);
            CHECK(fine[0] < 0.4 * coarse[0]);
        }
    }

    TEST_CASE("behind the transition the run settles to the steady curve; wheels carry what cant does not balance") {
        const Curve c{.curvature = 1.0 / 15000.0, .cant = 0.008};
        const double v = 40.0, L = 60.0;
        const DesignedTrack<> track{TrackDesign::curve(5.0, L, 400.0, c)};
        const Assembly a = assemble(bogie_with_arms(false));
        const LinearVehicle l = linearize(a, v);
        const Eigen::VectorXd q = steady_curve(l, c);
        const LinearMarch march(l, 2e-3);
        const NonlinearVehicle<> ride(a, v);
        auto x = march.rest();
        auto s = ride.rest();
        for (int n = 0; n < 4000; ++n) march.step(n * 2e-3, track, x);
        for (int n = 0; n < 8000; ++n) ride.step(n * 1e-3, 1e-3, track, s);
        CHECK((x.q - q).norm() < 1e-5 * q.norm());
        CHECK((s.x.head(a.freedoms) - q).norm() < 0.03 * q.norm());  // the creep law bends by a third of its creepage
        ride.evaluate(8.0, track, s);
        const double missing = cant_deficiency(c, v);
        CHECK(missing == approx(v * v / 15000.0 - 9.81 * 0.008).epsilon(1e-14));
        double across = 0.0, turning = 0.0;
        for (int i = 0; i < 2; ++i) {
            const auto wheels = ride.loads(i, s);
            const auto& contact = s.axles[static_cast<std::size_t>(i)].contact;
            across += wheels[0].lateral + wheels[1].lateral;
            turning += contact.outward[1] * wheels[1].vertical - contact.outward[0] * wheels[0].vertical;
        }
        // The bodies turn to the left: the rails push them to the left with what is missing. Normal forces and shape of
        // the contact fit to the first order of the shift only, and 1e-6 of the weight is 0.2 % of this force.
        CHECK(across == approx(a.mass() * missing).epsilon(5e-3));
        // About the middle between the rails: mass times height, the gyroscopes of the wheelsets, and the shift of the
        // weight to the outside, for the frame from the chord between its wheelsets, L^2/(8 R) inside of its arc.
        double moment = 0.0;
        for (const Node& n : a.nodes) {
            const double place = n.axle ? s.x[n.first] : s.x[n.first + 1] - 2.5 * 2.5 / 8.0 * c.curvature;
            moment += n.mass * n.centre[2] * missing - (n.mass * a.gravity + n.dead_load) * place;
            if (n.axle) moment += n.inertia[1] * v / 0.46 * v * c.curvature;
        }
        CHECK(turning == approx(moment).epsilon(0.01));
    }

    TEST_CASE("steps through a curve do not allocate") {
        // @rt-tested: TrackDesign::at DesignedTrack::at cant_deficiency node_frame follow curve_force
        const DesignedTrack<> track{TrackDesign::curve(0.0, 20.0, 50.0, {1e-3, 0.05})};
        const Assembly a = assemble(bogie_with_arms(true));
        const LinearMarch march(linearize(a, 40.0), 1e-3);
        const NonlinearVehicle<> ride(a, 40.0);
        auto x = march.rest();
        auto s = ride.rest();
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  for (int n = 0; n < 5; ++n) march.step(n * 1e-3, track, x), ride.step(n * 1e-3, 1e-3, track, s);
                  sum = cant_deficiency({1e-3, 0.05}, 40.0);
              }) == 0);
        CHECK(sum > 0.0);
        // The same state on straight track forgets the curve's forces.
        march.step(5e-3, LevelTrack{}, x);
        CHECK(x.force.norm() == 0.0);
    }
}

}  // namespace curve_test
