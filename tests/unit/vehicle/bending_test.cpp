// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/linear_gradient.hpp>
#include <panto/vehicle/nonlinear_vehicle.hpp>
#include <panto/vehicle/roof_motion.hpp>

#include "../../support/approx.hpp"
#include "../../support/message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

using namespace panto::vehicle;

namespace bending_test {
namespace {

constexpr double length = 20.0, mass = 40e3, stiffness = 2e9;

/// sqrt(E I/(m L^3)), rad/s.
double frequency_unit() { return std::sqrt(stiffness / (mass * length)) / length; }

/// A car body that bends, on two wheelsets by springs at `where` to either side of its centre.
Multibody car(double where, double spring, int modes, Direction direction = Direction::z) {
    Multibody v;
    v.bodies.push_back({"box", mass, {5e4, 1.4e6, 1.4e6}, {0.0, 0.0, 1.5}});
    if (modes > 0) v.bodies[0].bending.push_back({direction, modes, length, stiffness, 0.02});
    for (const double end : {1.0, -1.0}) {
        const std::string name = end > 0.0 ? "front" : "rear";
        v.axles.push_back({name, 1500.0, 900.0, 100.0, end * where});
        for (const double side : {1.0, -1.0})
            v.links.push_back({name,
                               {"box", name},
                               {end * where, side, 1.5},
                               {{.direction = Direction::x, .stiffness = 0.25 * spring},
                                {.direction = Direction::y, .stiffness = spring},
                                {.direction = Direction::z, .stiffness = spring}}});
    }
    return v;
}

/// Frequencies of the undamped body on wheelsets that stand still, rad/s, in rising order.
std::vector<double> frequencies(const Multibody& v) {
    const LinearVehicle l = linearize(assemble(v), 30.0);
    const Node& box = l.assembly.nodes[static_cast<std::size_t>(l.assembly.node("box"))];
    const auto K = l.stiffness.block(box.first, box.first, box.freedoms, box.freedoms);
    const auto M = l.mass.block(box.first, box.first, box.freedoms, box.freedoms);
    const auto squares = panto::linalg::eigenvalues(M.inverse() * K);
    std::vector<double> all;
    for (const auto& s : squares) all.push_back(std::sqrt(std::max(0.0, s.real())));
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

TEST_SUITE("vehicle::Bending") {
    TEST_CASE("modes of a free beam: roots, free ends, orthogonal to each other and to the rigid body") {
        const std::array<double, 4> roots{4.730040744862704, 7.853204624095838, 10.995607838001671, 14.13716549125746};
        std::vector<BendingMode> modes;
        for (int n = 1; n <= 4; ++n) {
            CHECK(free_beam_root(n) == approx(roots[static_cast<std::size_t>(n - 1)]).epsilon(1e-14));
            modes.push_back({Direction::z, n, length, free_beam_root(n), 1.0, 0.0});
        }
        const int steps = 4000;  // Simpson
        const auto integral = [&](const auto& f) {
            double sum = 0.0;
            for (int i = 0; i <= steps; ++i)
                sum += (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * f(length * (1.0 * i / steps - 0.5));
            return sum / (3.0 * steps);
        };
        for (const auto& a : modes) {
            CHECK(std::abs(integral([&](double x) { return a.shape(x).first; })) < 1e-9);
            CHECK(std::abs(integral([&](double x) { return x * a.shape(x).first; })) < 1e-8);
            for (const auto& b : modes)
                CHECK(std::abs(integral([&](double x) { return a.shape(x).first * b.shape(x).first; }) -
                               (a.number == b.number ? 1.0 : 0.0)) < 1e-9);
            // The slope is that of the shape, and the bending moment vanishes at the end.
            const double h = 1e-4, x = 0.31 * length, end = 0.5 * length;
            CHECK((a.shape(x + h).first - a.shape(x - h).first) / (2.0 * h) == approx(a.shape(x).second).epsilon(1e-6));
            CHECK(std::abs(a.shape(end).second - a.shape(end - h).second) / h < 1e-3 * std::pow(a.root / length, 2));
        }
    }

    TEST_CASE("on soft springs the body has the frequencies of the free beam") {
        const auto f = frequencies(car(8.0, 1e3, 3));
        CHECK(f.size() == 9);
        for (int n = 1; n <= 3; ++n)
            CHECK(f[static_cast<std::size_t>(5 + n)] ==
                  approx(std::pow(free_beam_root(n), 2) * frequency_unit()).epsilon(1e-4));
        // as it has sideways
        const auto y = frequencies(car(8.0, 1e3, 1, Direction::y));
        CHECK(y.back() == approx(f[6]).epsilon(1e-4));
    }

    TEST_CASE("on stiff springs at its ends it comes near the beam on two supports, from above") {
        const double exact = std::pow(std::numbers::pi, 2) * frequency_unit();
        const auto lowest = [&](int modes) {
            double nearest = 1e9;
            for (const double f : frequencies(car(0.5 * length, 1e13, modes)))
                if (std::abs(f - exact) < std::abs(nearest - exact)) nearest = f;
            return nearest;
        };
        const double one = lowest(1), four = lowest(4);
        CAPTURE(one / exact);
        CAPTURE(four / exact);
        CHECK(four > exact);
        CHECK(four < one);
        CHECK(four < 1.02 * exact);
    }

    TEST_CASE("it sags under its weight as a beam on two supports does") {
        // 5 q L^4/(384 E I) in the middle, of supports at the ends; the wheels carry the weight.
        const Assembly a = assemble(car(0.5 * length, 1e12, 3));
        CHECK(2.0 * a.wheel_load(a.axles[0]) == approx(0.5 * (mass + 3000.0) * 9.81).epsilon(1e-9));
        const LinearVehicle l = linearize(a, 30.0);
        const Node& box = a.nodes[static_cast<std::size_t>(a.node("box"))];
        Eigen::VectorXd weight = Eigen::VectorXd::Zero(box.freedoms);
        weight[2] = -mass * 9.81;
        const Eigen::VectorXd q =
            l.stiffness.block(box.first, box.first, box.freedoms, box.freedoms).ldlt().solve(weight);
        const auto height = [&](double x) {
            return a.probe("box", {x, 0.0, 1.5}, Direction::z).row.head(box.freedoms).dot(q);
        };
        const double sag = 5.0 * mass * 9.81 * std::pow(length, 3) / (384.0 * stiffness);
        CHECK(height(0.5 * length) - height(0.0) == approx(sag).epsilon(0.02));
    }

    TEST_CASE(
        "points above the beam move forward as it bends, and the roof moves otherwise than that of a rigid body") {
        const Assembly a = assemble(car(8.0, 2e6, 2));
        const Node& box = a.nodes[static_cast<std::size_t>(a.node("box"))];
        CHECK(box.freedoms == 8);
        const auto [phi, slope] = box.modes[1].shape(3.0);
        CHECK(a.probe("box", {3.0, 0.7, 3.5}, Direction::z).row[7] == phi);
        CHECK(a.probe("box", {3.0, 0.7, 3.5}, Direction::x).row[7] == approx(-2.0 * slope));
        CHECK(a.probe("box", {3.0, 0.7, 3.5}, Direction::pitch).row[7] == -slope);
        CHECK(a.probe("box", {3.0, 0.7, 3.5}, Direction::y).row[7] == 0.0);

        const SmoothDefect<> bump{.start = 9.0, .length = 6.0, .vertical = 4e-3};
        const auto roof = [&](int modes, double dt) {
            const Assembly parts = assemble(car(8.0, 2e6, modes));
            const LinearMarch march(linearize(parts, 30.0), dt);
            return roof_motion(march, bump, parts.probe("box", {0.0, 0.0, 3.5}, Direction::z), 0.0, 1.0);
        };
        const auto rigid = roof(0, 1e-3), bends = roof(2, 1e-3);
        double apart = 0.0, most = 0.0;
        for (std::size_t i = 0; i < rigid.height.size(); ++i) {
            apart = std::max(apart, std::abs(bends.height[i] - rigid.height[i]));
            most = std::max(most, std::abs(rigid.height[i]));
        }
        CHECK(apart > 0.05 * most);
        // The nonlinear vehicle bends alike.
        const NonlinearVehicle<> ride(a, 30.0);
        const auto fine = roof(2, 2.5e-4);
        auto s = ride.rest();
        const Probe probe = a.probe("box", {0.0, 0.0, 3.5}, Direction::z);
        double off = 0.0;
        for (std::size_t n = 0; n + 1 < fine.height.size(); ++n) {
            ride.step(static_cast<double>(n) * 2.5e-4, 2.5e-4, bump, s);
            ride.evaluate(static_cast<double>(n + 1) * 2.5e-4, bump, s);
            off = std::max(off, std::abs(ride.displacement(probe, s) - fine.height[n + 1]));
        }
        CHECK(off < 0.01 * most);
    }

    TEST_CASE("the motion of a roof is linear between its samples, and constant after the last") {
        const RoofMotion roof{.dt = 0.1, .height = {0.0, 1.0, 4.0}, .rate = {2.0, 6.0, 8.0}};
        CHECK(roof.at(0.025).height == approx(0.25));
        CHECK(roof.at(0.025).speed == approx(3.0));
        CHECK(roof.at(0.15).height == approx(2.5));
        CHECK(roof.at(0.15).speed == approx(7.0));
        CHECK(roof.at(0.3).height == 4.0);
        CHECK(roof.at(0.3).speed == 0.0);
    }

    TEST_CASE("damping is that of every mode, in both models") {
        const Assembly a = assemble(car(8.0, 1e3, 1));
        const double w = std::pow(free_beam_root(1), 2) * frequency_unit();
        double nearest = 1e9;
        for (const auto& e : eigenvalues(linearize(a, 30.0)))
            nearest = std::min(nearest, std::abs(e - w * std::complex<double>(-0.02, std::sqrt(1.0 - 4e-4))));
        CHECK(nearest < 1e-3 * w);
        const NonlinearVehicle<> ride(a, 30.0);
        auto s = ride.rest();
        const int k = a.nodes[static_cast<std::size_t>(a.node("box"))].first + 6;
        s.x[k] = 1e-3;
        const double dt = 1e-3, period = 2.0 * std::numbers::pi / (w * std::sqrt(1.0 - 4e-4));
        const int steps = static_cast<int>(std::lround(period / dt));
        for (int n = 0; n < steps; ++n) ride.step(n * dt, dt, LevelTrack{}, s);
        CHECK(s.x[k] == approx(1e-3 * std::exp(-0.02 * w * steps * dt) * std::cos(w * steps * dt)).epsilon(0.01));
    }

    TEST_CASE("what cannot bend is refused by name") {
        using panto::test::message;
        const auto says = [](const auto& spoil) {
            Multibody v = car(8.0, 1e6, 1);
            spoil(v.bodies[0].bending[0]);
            return message([&] { (void)assemble(v); });
        };
        CHECK(says([](Bending& b) {
                  b.length = 12.0;
              }).find("is 8 m ahead of the centre of 'box', beyond the end of its bending beam, which is 12 m long") !=
              std::string::npos);
        CHECK(says([](Bending& b) {
                  b.direction = Direction::x;
              }).find("box: bending is in direction x, must be y or z") != std::string::npos);
        CHECK(says([](Bending& b) { b.modes = 5; }).find("box: bending has 5 modes") != std::string::npos);
        CHECK(says([](Bending& b) { b.stiffness = 0.0; }).find("box: stiffness of bending") != std::string::npos);
        CHECK(says([](Bending& b) { b.damping = -1.0; }).find("box: damping of bending") != std::string::npos);
        const Multibody v = car(8.0, 1e6, 1);
        CHECK(message([&] { LinearRun(v, v.values(), 30.0, 1e-3); }).find("body 'box' bends") != std::string::npos);
    }
}

}  // namespace bending_test
