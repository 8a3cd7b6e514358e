// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/roof_motion.hpp>

#include "../../cases/multibody_cases.hpp"
#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>

using namespace panto::vehicle;

namespace multibody_test {
namespace {

/// A mass on one wheelset, with a damper in series with a spring beside its vertical spring.
Multibody hopper() {
    Multibody v;
    v.bodies.push_back({"box", 4000.0, {2000.0, 2000.0, 2000.0}, {0.0, 0.0, 1.0}});
    v.axles.push_back({"axle", 1500.0, 900.0, 100.0, 0.0});
    for (const double side : {1.0, -1.0})
        v.links.push_back({"spring",
                           {"box", "axle"},
                           {0.0, side, 0.46},
                           {{.direction = Direction::x, .stiffness = 1e7},
                            {.direction = Direction::y, .stiffness = 5e6, .damping = 2e4},
                            {.direction = Direction::z, .stiffness = 2e5, .damping = 1e4, .series = 4e5},
                            {.direction = Direction::pitch, .stiffness = 1e6, .damping = 2e4}}});
    return v;
}

}  // namespace

TEST_SUITE("vehicle::assemble") {
    TEST_CASE("a bogie put together is the bogie written by hand, linearized") {
        const BogieParams<> p;
        const WheelRail<> rail;
        const LinearVehicle linear = linearize(assemble(panto::test::bogie_of_parts(p, rail)), 40.0);
        const Eigen::MatrixXd A = state_matrix(linear);
        const auto J = jacobian(Bogie<>(p, rail, 40.0));
        // Here from front to rear: wheelset, frame, wheelset.
        const std::array<int, 10> of{6, 8, 0, 1, 2, 3, 4, 5, 7, 9};
        for (int i = 0; i < 20; ++i)
            for (int j = 0; j < 20; ++j) {
                const auto k = [&](int n) { return of[static_cast<std::size_t>(n % 10)] + 10 * (n / 10); };
                CHECK(std::abs(A(i, j) - J(k(i), k(j))) < 1e-13 * J.row(k(i)).cwiseAbs().maxCoeff());
            }
        // The present normal force would depend on the frame.
        CHECK_THROWS_AS((void)linearize(linear.assembly, 40.0, VermeulenJohnson{},
                                        {.wheelset = {.normal_force = NormalForce::dynamic}}),
                        panto::SetupError);
    }

    TEST_CASE("a vehicle follows a track that is shifted, raised or bears off, without a force") {
        const Assembly a = assemble(panto::test::bogie_of_parts({}, {}));
        const LinearVehicle l = linearize(a, 40.0);
        const Eigen::MatrixXd K = l.stiffness + l.contact_stiffness, C = l.damping + l.contact_damping;
        Eigen::VectorXd aside = Eigen::VectorXd::Zero(10), turned = aside, raised = aside,
                        w = Eigen::VectorXd::Zero(18);
        for (const Node& n : a.nodes) {
            aside[n.first + (n.axle ? 0 : 1)] = 1.0;
            turned[n.first + (n.axle ? 0 : 1)] = n.centre[0];
            turned[n.first + (n.axle ? 1 : 5)] = 1.0;
            if (!n.axle) raised[n.first + 2] = 1.0;
        }
        w[0] = w[9] = 1.0;
        CHECK((K * aside - l.track * w).norm() < 1e-9 * K.norm());
        w << a.nodes[0].centre[0], 1.0, 0, 0, 0, 0, 0, 0, 0, a.nodes[2].centre[0], 1.0, 0, 0, 0, 0, 0, 0, 0;
        CHECK((K * turned + 40.0 * C * aside - l.track * w).norm() < 1e-9 * K.norm());
        w.setZero();
        w[3] = w[12] = 1.0;
        CHECK((K * raised - l.track * w).norm() < 1e-9 * K.norm());
    }

    TEST_CASE("wheelsets carry the weight, and where it lies") {
        Multibody v = panto::test::bogie_of_parts({}, {});
        v.bodies[0].centre[0] = 0.3;
        v.bodies[0].dead_load = 0.0;
        const Assembly a = assemble(v);
        const double front = 2.0 * a.wheel_load(a.axles[0]), rear = 2.0 * a.wheel_load(a.axles[1]);
        CHECK(front + rear == approx(a.mass() * 9.81).epsilon(1e-12));
        CHECK((front - rear) * 1.25 == approx(2380.0 * 9.81 * 0.3).epsilon(1e-9));
    }

    TEST_CASE("parameters are found by name, and enter where they are named") {
        Multibody v = hopper();
        const Quantity load = v.add_parameter("load", 8000.0), tare = v.add_parameter("tare", 1000.0);
        v.bodies[0].mass = 0.5 * load + tare;
        CHECK(assemble(v).mass() == approx(6500.0));
        v.set_parameter("load", 4000.0);
        CHECK(assemble(v).mass() == approx(4500.0));
        CHECK(assemble(v, {6000.0, 1.0}).mass() == approx(4501.0));
        CHECK(v.parameter("tare") == 1000.0);
        CHECK_THROWS_WITH_AS(
            (void)v.parameter("lode"),
            "vehicle::Multibody: no parameter is called 'lode'; did you mean 'load'? Known are load, tare",
            panto::SetupError);
        CHECK_THROWS_AS((void)v.add_parameter("load", 1.0), panto::SetupError);
    }

    TEST_CASE("an air spring is Nishimura's, and half of it is a half") {
        Multibody v = hopper();
        for (Link& l : v.links) {
            l.parts[2] = {.direction = Direction::z, .air = AirSpring{6e5, 0.275, 0.072, 0.06, 0.19, 2e4}};
            l.parts[2].scale = 0.5;
        }
        const Assembly a = assemble(v);
        const Part& p = a.parts[2];
        const auto n = panto::element::NishimuraParams<>::of(
            {.pressure = 6e5, .area = 0.275, .bellows = 0.06, .reservoir = 0.19, .area_slope = 0.072}, 2e4);
        const std::complex<double> s(0.0, 9.0),
            c = s * n.orifice, K = n.area + n.bellows * (n.reservoir + c) / (n.bellows + n.reservoir + c),
            found = p.stiffness + p.series * s / (s + p.series / p.damping);
        CHECK(std::abs(found - 0.5 * K) < 1e-12 * std::abs(K));
        CHECK(p.memory >= 0);
        CHECK(p.stiffness == approx(0.5 * 0.29e6).epsilon(0.01));
        v.links[0].parts[2].air->bellows = 0.0;
        CHECK_THROWS_AS((void)assemble(v), panto::SetupError);
        v.links[0].parts[2].air->bellows = 0.06;
        v.links[0].parts[2].stiffness = 1.0;
        CHECK_THROWS_AS((void)assemble(v), panto::SetupError);
    }

    TEST_CASE("refuses what cannot be put together, and names it") {
        const auto refuses = [](const auto& spoil, const char* text) {
            Multibody v = hopper();
            spoil(v);
            std::string message = "nothing";
            try {
                (void)assemble(v);
            } catch (const panto::SetupError& e) {
                message = e.what();
            }
            CAPTURE(message);
            CHECK(message.find(text) != std::string::npos);
        };
        refuses([](Multibody& v) { v.links[0].between[1] = "axel"; },
                "link 'spring': no body is called 'axel'; did you mean 'axle'?");
        refuses([](Multibody& v) { v.links[0].between[1] = "box"; }, "link 'spring' connects 'box' to itself");
        refuses([](Multibody& v) { v.links.clear(); }, "body 'box' floats: no spring holds its motion in x");
        refuses([](Multibody& v) { v.links[0].parts.pop_back(), v.links[1].parts.pop_back(); },
                "body 'box' floats: no spring holds its motion in pitch");
        refuses([](Multibody& v) { v.bodies.push_back(v.bodies[0]); }, "'box' is the name of two bodies");
        refuses([](Multibody& v) { v.bodies[0].inertia[1] = 5000.0; }, "box: the inertia about y is 5000");
        refuses([](Multibody& v) { v.bodies[0].mass = -1.0; }, "box: mass must be finite and > 0, got -1");
        refuses([](Multibody& v) { v.links[1].parts[2].series = -1.0; },
                "spring z: series must be finite and >= 0, got -1");
        refuses([](Multibody& v) { v.bodies[0].dead_load = -1e5; }, "wheelset 'axle' carries");
        refuses([](Multibody& v) { v.axles.clear(); }, "there is no wheelset");
        refuses(
            [](Multibody& v) {
                auto& z = v.links[0].parts[2];
                z.damping = 1e4, z.knee_force = 500.0, z.knee_speed = 0.1;
            },
            "spring z: damping is 10000 and knee_force 500; give one of them");
        refuses([](Multibody& v) { v.coefficients = ContactCoefficients<>{0.1, std::nan(""), 0.1, 0.07, 0.04}; },
                "coefficient sigma is nan, must be from 0 to 1");
        const auto with = [](double lambda, double sigma, double xi) {
            return [=](Multibody& v) { v.coefficients = ContactCoefficients<>{lambda, sigma, 0.1, 0.07, xi}; };
        };
        refuses(with(-1.0, 0.05, 0.04), "coefficient lambda is -1, must be from 0 to 1");
        refuses(with(0.1, 1e9, 0.04), "coefficient sigma is 1e+09, must be from 0 to 1");
        refuses(with(0.1, 0.05, 1e9), "coefficient xi is 1e+09 m, must be from 0 to 100");
        refuses([&](Multibody& v) { with(0.1, 0.05, 0.04)(v), v.rail.profile.wheel_curvature = 1.0; },
                "wheel_curvature is 1 1/m and the contact coefficients, which replace it, are given");
        const Assembly a = assemble(hopper());
        const LinearMarch march(linearize(a, 30.0), 1e-3);
        const Probe probe = a.probe("box", {0.0, 0.0, 1.0}, Direction::z);
        CHECK_THROWS_AS((void)roof_motion(march, LevelTrack{}, probe, std::nan(""), 1.0), panto::SetupError);
        CHECK_THROWS_AS((void)roof_motion(march, SmoothDefect<>{.length = 0.0}, probe, 0.0, 1.0), panto::SetupError);
        CHECK_THROWS_AS((void)roof_motion(march, LevelTrack{}, probe, 0.0, 1e12), panto::SetupError);
        refuses([](Multibody& v) { v.bodies[0].mass = Quantity::of(3); }, "box: mass must be finite and > 0, got nan");
        refuses([](Multibody& v) { v.links[1].at[1] = Quantity::of(-1); }, "spring: at[1] must be finite, got nan");
    }

    TEST_CASE("parts that would have no effect are refused by name") {
        const auto refuses = [](const auto& spoil, const std::string& message) {
            Multibody v = hopper();
            spoil(v, v.links[0].parts[1]);  // y: a spring and a damper
            CHECK_THROWS_WITH_AS((void)assemble(v), ("vehicle::assemble: " + message).c_str(), panto::SetupError);
        };
        refuses([](Multibody& v, Suspension&) { v.axles.push_back({"spare", 1500.0, 900.0, 100.0, 2.0}); },
                "wheelset 'spare' floats: no link touches it, link it to a body");
        refuses([](Multibody& v, Suspension&) { v.links.push_back({"rod", {"box", "axle"}, {}, {}}); },
                "link 'rod' has no parts, at least one is needed");
        const auto idle = [](const std::string& what, const std::string& without) {
            return "link 'spring' y has " + what + " without " + without + ", which it needs";
        };
        refuses([](Multibody&, Suspension& s) { s.gap = 0.02; }, idle("a gap", "a stop"));
        refuses([](Multibody&, Suspension& s) { s.damping = 0.0, s.series = 1e6; },
                idle("a series stiffness", "a damper"));
        refuses([](Multibody&, Suspension& s) { s.knee_speed = 0.1; }, idle("knee_speed", "knee_force"));
        refuses([](Multibody&, Suspension& s) { s.beyond = 0.1; }, idle("a slope beyond the knee", "a knee_force"));
        refuses([](Multibody&, Suspension& s) { s.friction_length = 0.01; }, idle("friction_length", "friction"));
        refuses([](Multibody&, Suspension& s) { s.friction_stroke = 0.01; }, idle("friction_stroke", "friction"));
        refuses([](Multibody&, Suspension& s) { s = {.direction = Direction::y}; },
                idle("no effect", "a spring, damper, stop, friction or air spring"));
        refuses(
            [](Multibody&, Suspension& s) {
                s = {.direction = Direction::y, .series = 1e6, .air = AirSpring{6e5, 0.275, 0.072, 0.06, 0.19, 2e4}};
            },
            idle("a series stiffness", "a damper"));
        // A parameter may be 0: it is there to be varied.
        Multibody v = hopper();
        v.links[0].parts[1].gap = 0.02;
        v.links[0].parts[1].stop = v.add_parameter("stop", 0.0);
        CHECK_NOTHROW((void)assemble(v));
    }

    TEST_CASE("a probe on no node is refused, or answered by no number") {
        const LinearMarch march(linearize(assemble(hopper()), 30.0), 1e-3);
        const auto x = march.rest();
        for (const int node : {-1, 2}) {
            const Probe nowhere{.node = node};
            CHECK(std::isnan(march.displacement(nowhere, x)));
            CHECK(std::isnan(march.rate(nowhere, x)));
            CHECK(std::isnan(march.acceleration(nowhere, x)));
            CHECK_THROWS_AS((void)roof_motion(march, LevelTrack{}, nowhere, 0.0, 1.0), panto::SetupError);
        }
    }
}

TEST_SUITE("vehicle::LinearMarch") {
    TEST_CASE("bounces at the frequency of its spring, and loses what its damper takes") {
        const Assembly a = assemble(hopper());
        const auto eigen = panto::linalg::eigenvalues(state_matrix(linearize(a, 30.0)));
        // m z.. + k z + f = 0, f. = s z. - (s/d) f of both sides: the cubic's complex pair.
        const double m = 4000.0, k = 4e5, s = 8e5, r = 4e5 / 1e4;
        double nearest = 1e9;
        for (const auto& e : eigen)
            nearest = std::min(nearest, std::abs(m * e * e * (e + r) + k * (e + r) + s * e) / (m * std::norm(e) * r));
        CHECK(nearest < 1e-9);

        // Trapezoidal: halving the step divides the error by four.
        const SmoothDefect<> bump{.start = 1.0, .length = 8.0, .vertical = 5e-3};
        const auto height = [&](double dt) {
            const LinearMarch march(linearize(a, 30.0), dt);
            auto x = march.rest();
            const int steps = static_cast<int>(std::lround(0.4 / dt));
            for (int n = 0; n < steps; ++n) march.step(n * dt, bump, x);
            return march.displacement(a.probe("box", {0.0, 0.0, 1.0}, Direction::z), x);
        };
        const double exact = height(1e-4), coarse = height(4e-3) - exact, fine = height(2e-3) - exact;
        CHECK(std::abs(exact) > 5e-4);
        CHECK(coarse / fine == approx(4.0).epsilon(0.03));
    }

    TEST_CASE("a probe sees what its point does, on a body and on a wheelset") {
        const Assembly a = assemble(hopper());
        const LinearMarch march(linearize(a, 30.0), 1e-3);
        auto x = march.rest();
        x.q[a.nodes[0].first + (a.nodes[0].axle ? 0 : 4)] = 0.0;
        const int box = a.node("box"), first = a.nodes[static_cast<std::size_t>(box)].first;
        x.q[first + 2] = 1e-3, x.q[first + 3] = 2e-3, x.q[first + 4] = 3e-3;
        CHECK(march.displacement(a.probe("box", {2.0, 0.5, 1.4}, Direction::z), x) ==
              approx(1e-3 + 0.5 * 2e-3 - 2.0 * 3e-3));
        CHECK(march.displacement(a.probe("box", {2.0, 0.5, 1.4}, Direction::y), x) == approx(-0.4 * 2e-3));
        x.w[3] = 4e-3;
        CHECK(march.displacement(a.probe("axle", {0.0, 0.0, 0.46}, Direction::z), x) == approx(4e-3));
        CHECK_THROWS_AS((void)a.probe("bogie", {0.0, 0.0, 0.0}, Direction::z), panto::SetupError);
    }

    TEST_CASE("the motion of a roof ends where a wheel lifts or leaves its rail, with wheel and time") {
        const LinearMarch march(linearize(assemble(hopper()), 60.0), 1e-3);
        const Probe roof = march.vehicle().assembly.probe("box", {0.0, 0.0, 3.0}, Direction::z);
        const auto says = [&](const auto& track, const char* what) {
            std::string text = "nothing";
            try {
                (void)roof_motion(march, track, roof, 0.0, 0.3);
            } catch (const panto::SetupError& e) {
                text = e.what();
            }
            CAPTURE(text);
            CHECK(text.find(what) != std::string::npos);
        };
        says(SmoothDefect<>{.start = 1.0, .length = 6.0, .vertical = 0.06},
             "vehicle::roof_motion: wheel lifted after 0.0");
        says(SmoothDefect<>{.start = 1.0, .length = 6.0, .vertical = 0.06}, "s: axle, left, whose normal force is -");
        says(SmoothDefect<>{.start = 1.0, .length = 20.0, .lateral = 0.06}, "s: axle, right, shifted by -17.");
        says(SmoothDefect<>{.start = 1.0, .length = 20.0, .lateral = 2e-3}, "nothing");
    }

    TEST_CASE("the roof's rate is that of its height, and on level track it stands still") {
        const Assembly a = assemble(hopper());
        const LinearMarch march(linearize(a, 30.0), 1e-3);
        const Probe roof = a.probe("box", {0.0, 0.0, 3.0}, Direction::z);
        const auto m =
            roof_motion(march, SmoothDefect<>{.start = 1.0, .length = 8.0, .vertical = 5e-3}, roof, 0.0, 0.3);
        double most = 0.0, error = 0.0;
        for (std::size_t i = 1; i < m.height.size(); ++i) {  // the trapezoidal rule's own relation
            error = std::max(error, std::abs(m.height[i] - m.height[i - 1] - 5e-4 * (m.rate[i] + m.rate[i - 1])));
            most = std::max(most, std::abs(m.height[i]));
        }
        CHECK(m.height.size() == 301);
        CHECK(m.at(0.1005).height == approx(0.5 * (m.height[100] + m.height[101])).epsilon(1e-9));
        CHECK(m.at(0.1005).speed == approx(0.5 * (m.rate[100] + m.rate[101])).epsilon(1e-9));
        CHECK(m.at(7.0).height == m.height.back());
        CHECK(m.at(7.0).speed == 0.0);
        CHECK(most > 1e-3);
        CHECK(error < 1e-15);
        for (const double z : roof_motion(march, LevelTrack{}, roof, 0.0, 0.1).height) CHECK(z == 0.0);
        CHECK_THROWS_AS((void)roof_motion(march, LevelTrack{}, roof, 0.0, 0.0), panto::SetupError);
    }

    TEST_CASE("a state of another vehicle is refused, and nothing is written") {
        const LinearMarch march(linearize(assemble(hopper()), 30.0), 1e-3);
        auto other = LinearMarch(linearize(assemble(panto::test::bogie_of_parts({}, {})), 30.0), 1e-3).rest();
        other.next_w.setConstant(7.0);
        CHECK(march.step(0.0, SmoothDefect<>{.start = -1.0, .lateral = 1e-3}, other) == panto::Status::out_of_range);
        CHECK(march.advance(other) == panto::Status::out_of_range);
        CHECK(other.q.isZero());
        CHECK((other.next_w.array() == 7.0).all());
        const panto::vehicle::Assembly a = assemble(hopper());
        const panto::vehicle::LinearLoads loads(march.vehicle());
        const auto last = static_cast<int>(a.axles.size()) - 1;
        for (const auto& x : {other, LinearMarch::State{}}) {
            const panto::vehicle::Probe p = a.probe(a.nodes.back().name, {0.0, 0.0, 0.0}, panto::vehicle::Direction::z);
            CHECK(std::isnan(march.displacement(p, x)));
            CHECK(std::isnan(march.rate(p, x)));
            CHECK(std::isnan(march.acceleration(p, x)));
            CHECK(std::isnan(loads.normal(last, x)[0]));
            CHECK(loads.check(0.0, x).status == panto::vehicle::RideStatus::not_finite);
        }
        auto own = march.rest();
        CHECK(march.step(0.0, LevelTrack{}, own) == panto::Status::ok);
        own.work.resize(1);
        CHECK(march.step(0.0, LevelTrack{}, own) == panto::Status::out_of_range);
    }

    TEST_CASE("does not allocate") {
        // @rt-tested: LinearMarch::step LinearMarch::advance LinearMarch::displacement LinearMarch::rate
        // @rt-tested: LinearMarch::acceleration RoofMotion::at
        // @rt-tested: Part::stretch Node::inertia_of Assembly::has
        const Assembly a = assemble(hopper());
        const LinearMarch march(linearize(a, 30.0), 1e-3);
        auto x = march.rest();
        const Probe probe = a.probe("axle", {0.0, 0.0, 0.46}, Direction::y);
        double sum = 0.0;
        const RoofMotion roof{1.0, {0.0, 1.0}, {1.0, 1.0}};
        const auto allocations = panto::test::allocations_in([&] {
            for (int n = 0; n < 20; ++n) march.step(n * 1e-3, SmoothDefect<>{.start = 0.0, .lateral = 1e-3}, x);
            sum = march.acceleration(probe, x) + march.rate(probe, x) + march.displacement(probe, x);
            sum += a.parts[0].stretch(NodeMotion::Ones(), NodeMotion::Zero());
            sum += roof.at(0.5).height + a.nodes[0].inertia_of(0);
        });
        CHECK(allocations == 0);
        CHECK(std::isfinite(sum));
        CHECK_THROWS_AS(LinearMarch(linearize(a, 30.0), 0.0), panto::SetupError);
        CHECK_THROWS_AS((void)linearize(a, 0.0), panto::SetupError);
    }
}

}  // namespace multibody_test
