// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/linear_gradient.hpp>
#include <panto/vehicle/roof_motion.hpp>

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

/// The gradient against differences, which round by `eps` of the misfit.
template <class Track>
void check_gradient(Multibody v, const Track& track, double eps = 1e-12) {
    const auto run_of = [&](const std::vector<double>& values) {
        LinearRun run(v, values, 40.0, 1e-3);
        const auto& a = run.assembly();
        (void)run.run(track,
                      {a.probe(v.bodies[0].name, {1.2, 0.9, 0.5}, Direction::z),
                       a.probe(v.axles[1].name, {0.0, 0.0, 0.46}, Direction::y)},
                      0.0, 60, 200);
        return run;
    };
    const auto misfit = [&](const std::vector<double>& values) {
        const LinearRun run = run_of(values);
        return (run.record().row(0).squaredNorm() + 3.0 * run.record().row(1).squaredNorm()) / 2.0;
    };
    const LinearRun run = run_of(v.values());
    Eigen::MatrixXd by = run.record();
    by.row(1) *= 3.0;
    const Eigen::VectorXd gradient = run.gradient(by);
    const double middle = misfit(v.values());
    for (std::size_t i = 0; i < v.parameters.size(); ++i) {
        auto up = v.values(), down = up;
        const double h = up[i] == 0.0 ? 1e-2 : 1e-4 * up[i];
        up[i] += h;
        if (up[i] > h) down[i] -= h;
        const double difference = (misfit(up) - misfit(down)) / (up[i] - down[i]);
        CAPTURE(v.parameters[i].name);
        // Of central differences: 1e-8 by their step, and the rounding of a misfit that hardly knows the parameter.
        const double rounding = eps * middle / (up[i] - down[i]);
        CHECK(std::abs(gradient[static_cast<Eigen::Index>(i)] - difference) < 1e-6 * std::abs(difference) + rounding);
    }
    CHECK_THROWS_AS((void)run.gradient(Eigen::MatrixXd::Zero(2, 199)), panto::SetupError);
    // Of some parameters, in the order asked for.
    const Eigen::VectorXd some = run.gradient(by, {4, 1});
    CHECK(some.size() == 2);
    CHECK(some[0] == gradient[4]);
    CHECK(some[1] == gradient[1]);
    CHECK_THROWS_AS((void)run.gradient(by, {v.parameters.size()}), panto::SetupError);
}

/// The same with places as numbers.
Multibody without_places() {
    Multibody v = bogie();
    const auto values = v.values();
    v.parameters.pop_back();
    for (auto& link : v.links)
        for (auto& q : link.at) q = Quantity(q.at(values));
    return v;
}

constexpr SmoothDefect<> defect{.start = 3.0, .length = 6.0, .lateral = 3e-3, .vertical = 2e-3, .roll = 1e-3};

}  // namespace

TEST_CASE("the transposed march gives the gradient by masses, springs, dampers, arms and loads") {
    check_gradient(without_places(), defect);
    const Multibody v = bogie();
    LinearRun run(v, v.values(), 40.0, 1e-3);
    const Eigen::MatrixXd y =
        run.run(defect, {run.assembly().probe(v.bodies[0].name, {1.2, 0.9, 0.5}, Direction::z)}, 0.0, 60, 20);
    const std::string moved = panto::test::message([&] { (void)run.gradient(y); });
    CHECK(moved.find("vehicle::LinearRun: parameter 'place' moves link") == 0);
    CHECK(run.gradient(y, {0, 2}).allFinite());  // these do not move anything
    CHECK_THROWS_AS((void)run.run(defect, {}, 0.0, 0, 0), panto::SetupError);
}

TEST_CASE("a run of the linear vehicle ends where a wheel lifts or leaves its rail, and with the record of its track") {
    const Multibody v = without_places();
    LinearRun run(v, v.values(), 40.0, 1e-3);
    const std::vector<Probe> probes{run.assembly().probe(v.bodies[0].name, {1.2, 0.9, 0.5}, Direction::z)};
    const auto ended = [&](const auto& track) {
        return panto::test::message([&] { (void)run.run(track, probes, 0.0, 0, 200); });
    };
    const std::string lifted = ended(SmoothDefect<>{.start = 3.0, .length = 2.0, .vertical = 0.05});
    CAPTURE(lifted);
    CHECK(lifted.find("vehicle::LinearRun: wheel lifted after 0.0") == 0);
    CHECK(lifted.find(" s: front, ") != std::string::npos);
    CHECK(run.record().size() == 0);
    CHECK_THROWS_AS((void)run.gradient(Eigen::MatrixXd(0, 0)), panto::SetupError);
    const std::string left = ended(SmoothDefect<>{.start = 3.0, .length = 6.0, .lateral = 0.05});
    CAPTURE(left);
    CHECK(left.find("vehicle::LinearRun: ") == 0);
    CHECK(left.find(" s: front, ") != std::string::npos);
    const SampledTrack record({0.0, 1.0, {}, {0.0, 0.0, 0.0, 0.0, 0.0}, {}});
    const std::string outside =
        ": the record of the track goes from 0 to 4 m, but the leading wheelset runs up to 9.25 m";
    CHECK(ended(record).find("vehicle::LinearRun" + outside) == 0);
    CHECK(panto::test::message([&] {
              (void)roof_motion(run.march(), record, probes[0], 0.0, 0.2);
          }).find("vehicle::roof_motion" + outside) == 0);
    CHECK(ended(defect).empty());
    CHECK(run.record().cols() == 200);
}

TEST_CASE("the same in a transition curve with cant, and with wheelsets of six freedoms") {
    const DesignedTrack<SmoothDefect<>> track{TrackDesign::curve(1.0, 6.0, 10.0, {1.0 / 800.0, 0.06}), defect};
    Multibody v = without_places();
    check_gradient(v, track);
    v.free_wheelsets = true;
    check_gradient(v, track, 1e-11);  // contact springs are a thousand times stiffer than those of the suspension
}

}  // namespace linear_gradient_test
