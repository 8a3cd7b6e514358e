// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/linear_gradient.hpp>

#include "../../cases/multibody_cases.hpp"
#include "../../support/message.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace panto::vehicle;

namespace linear_gradient_test {
namespace {

/// The bogie of parts with parameters of every kind, and a damper in series beside one without.
Multibody bogie() {
    Multibody v = panto::test::bogie_of_parts({}, {});
    const auto name = [&](const char* text, Quantity& q) { q = v.add_parameter(text, q.at({})); };
    name("frame mass", v.bodies[0].mass), name("frame roll", v.bodies[0].inertia[0]);
    name("frame pitch", v.bodies[0].inertia[1]), name("dead load", v.bodies[0].dead_load);
    name("axle mass", v.axles[0].mass), name("axle inertia", v.axles[0].inertia);
    name("axle spin", v.axles[0].spin_inertia);
    Link& link = v.links[0];
    for (Suspension& s : link.parts) {
        const std::string way(direction_names[static_cast<std::size_t>(s.direction)]);
        name(("stiffness " + way).c_str(), s.stiffness), name(("damping " + way).c_str(), s.damping);
    }
    Suspension arm{.direction = Direction::z};
    arm.damping = v.add_parameter("arm damping", 2e4), arm.series = v.add_parameter("arm series", 3e6);
    link.parts.push_back(arm);
    Suspension none{.direction = Direction::y};
    none.damping = v.add_parameter("no damping", 0.0);
    link.parts.push_back(none);
    v.links[1].at[0] = v.links[1].at[0] + v.add_parameter("place", 0.0);
    return v;
}

}  // namespace

TEST_CASE("the transposed march gives the gradient by masses, springs, dampers, arms and loads") {
    const Multibody v = bogie();
    const SmoothDefect<> defect{.start = 3.0, .length = 6.0, .lateral = 3e-3, .vertical = 2e-3, .roll = 1e-3};
    const auto record = [&](const std::vector<double>& values, LinearRun* kept = nullptr) {
        LinearRun run(v, values, 40.0, 1e-3);
        const auto& a = run.assembly();
        const Probe vertical = a.probe(v.bodies[0].name, {1.2, 0.9, 0.5}, Direction::z);
        const Probe lateral = a.probe(v.axles[1].name, {0.0, 0.0, 0.46}, Direction::y);
        const Eigen::MatrixXd y = run.run(defect, {vertical, lateral}, 0.0, 60, 200);
        if (kept) *kept = std::move(run);
        return y;
    };
    LinearRun run(v, v.values(), 40.0, 1e-3);
    const Eigen::MatrixXd y = record(v.values(), &run);
    const auto misfit = [&](const Eigen::MatrixXd& z) {
        return (z.row(0).squaredNorm() + 3.0 * z.row(1).squaredNorm()) / 2.0;
    };
    Eigen::MatrixXd by = y;
    by.row(1) *= 3.0;
    const std::string moved = panto::test::message([&] { (void)run.gradient(by); });
    CHECK(moved.find("vehicle::LinearRun: parameter 'place' moves link") == 0);

    Multibody fixed = v;
    fixed.parameters.pop_back();
    for (auto& link : fixed.links)
        for (auto& q : link.at) q = Quantity(q.at(v.values()));
    LinearRun again(fixed, fixed.values(), 40.0, 1e-3);
    const auto& a = again.assembly();
    (void)again.run(defect,
                    {a.probe(v.bodies[0].name, {1.2, 0.9, 0.5}, Direction::z),
                     a.probe(v.axles[1].name, {0.0, 0.0, 0.46}, Direction::y)},
                    0.0, 60, 200);
    const Eigen::VectorXd gradient = again.gradient(by);
    for (std::size_t i = 0; i + 1 < v.parameters.size(); ++i) {
        auto up = v.values(), down = up;
        const double h = up[i] == 0.0 ? 1e-2 : 1e-4 * up[i];
        up[i] += h;
        if (up[i] > h) down[i] -= h;
        const double difference = (misfit(record(up)) - misfit(record(down))) / (up[i] - down[i]);
        CAPTURE(v.parameters[i].name);
        // Of central differences: 1e-8 by their step, and the rounding of a misfit that hardly knows the parameter.
        const double rounding = 1e-12 * misfit(y) / (up[i] - down[i]);
        CHECK(std::abs(gradient[static_cast<Eigen::Index>(i)] - difference) < 1e-6 * std::abs(difference) + rounding);
    }
    CHECK_THROWS_AS((void)again.gradient(Eigen::MatrixXd::Zero(2, 199)), panto::SetupError);
    CHECK_THROWS_AS((void)again.run(defect, {}, 0.0, 0, 0), panto::SetupError);
}

}  // namespace linear_gradient_test
