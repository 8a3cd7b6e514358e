// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_contacts.hpp>
#include <panto/interaction/several_pantographs.hpp>
#include <panto/pantograph/presets.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace panto::interaction;
using panto::SetupError;
using panto::Status;
using panto::catenary::en50318_2002;
using panto::catenary::FiniteElements;
using panto::catenary::PassageParams;
using panto::catenary::RealTimeContacts;
using panto::catenary::RealTimeEngine;

namespace several_pantographs_test {
namespace {

const FiniteElements<>& line_of_five() {
    static const FiniteElements<> model(en50318_2002(5), {.contact = 1.0, .messenger = 2.0});
    return model;
}

PantographOfTrain usual(double uplift = 120.0) {
    return {.pantograph = panto::pantograph::preset("EN50318_2002").params, .uplift_force = uplift};
}

/// Largest difference of two series over the first `count` samples.
double apart(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
    double most = 0.0;
    for (std::size_t i = 0; i < std::min({count, a.size(), b.size()}); ++i)
        most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

TEST_CASE("several pantographs: a train with one is the simulation of one") {
    for (const Start start : {Start::at_datum, Start::loaded_equilibrium}) {
        const double ramp = start == Start::at_datum ? 30.0 : 0.0;
        RealTimeEngine<> engine(line_of_five(), {.speed = 60.0, .start = 70.0});
        RealTimeContacts<> line(line_of_five(), {.speed = 60.0, .start = 70.0}, {});
        const auto roof = [](double t) {
            return panto::Motion{0.01 * std::sin(9.0 * t), 0.09 * std::cos(9.0 * t), 0.0};
        };
        const auto expected = simulate(engine, {.pantograph = usual().pantograph,
                                                .uplift_force = 120.0,
                                                .start = start,
                                                .uplift_ramp = ramp,
                                                .end = 110.0,
                                                .roof = roof});
        PantographOfTrain one = usual();
        one.roof = roof;
        const auto got = simulate(line, {.pantographs = {one}, .start = start, .uplift_ramp = ramp, .end = 110.0});
        REQUIRE(got.size() == 1);
        const ForceRecord &a = got[0].contact, &b = expected.contact;
        REQUIRE(a.time.size() == b.time.size());
        CHECK(a.position == b.position);
        CHECK(apart(a.force, b.force, a.force.size()) < 1e-6);  // the engine of one contact stops at 1e-10 N
        CHECK(apart(a.height, b.height, a.height.size()) < 1e-10);
        CHECK(apart(a.supports[1].uplift, b.supports[1].uplift, a.time.size()) < 1e-10);
        CHECK(got[0].droppers.size() == expected.droppers.size());
        CHECK(got[0].droppers[20].smallest == approx(expected.droppers[20].smallest).epsilon(1e-7));
    }
}

TEST_CASE("several pantographs: each is alone until the waves of the other arrive") {
    // 122 m/s on both wires; the leading wave is at d / (c + v) at the trailing pantograph, the trailing one at
    // d / (c - v) at the leading one. Before, less than a thousandth of the force may show.
    const double v = 45.0, d = 100.0, c = std::sqrt(20e3 / 1.35), dt = 2e-3;
    const PassageParams passage{.speed = v, .start = 130.0, .dt = dt};
    const auto alone = [&](double start) {
        RealTimeEngine<> engine(line_of_five(), {.speed = v, .start = start, .dt = dt});
        return simulate(
            engine,
            {.pantograph = usual().pantograph, .uplift_force = 120.0, .uplift_ramp = 5.0, .end = start + 120.0});
    };
    RealTimeContacts<> line(line_of_five(), passage, {d});
    const auto train = simulate(line, {.pantographs = {usual(), usual()}, .uplift_ramp = 5.0, .end = 250.0});
    const auto leading = alone(130.0), trailing = alone(30.0);
    const auto steps = [&](double seconds) { return static_cast<std::size_t>(seconds / dt); };
    const auto &lead = train[0].contact, &trail = train[1].contact;
    CHECK(apart(trail.force, trailing.contact.force, steps(0.9 * d / (c + v))) < 0.2);
    CHECK(apart(lead.force, leading.contact.force, steps(0.9 * d / (c - v))) < 0.2);
    CHECK(apart(trail.force, trailing.contact.force, steps(1.6 * d / (c + v))) > 3.0);
    CHECK(apart(lead.force, leading.contact.force, steps(1.6 * d / (c - v))) > 3.0);
    CHECK(trail.position[100] == approx(lead.position[100] - d));
    CHECK(train[0].slack_droppers == train[1].slack_droppers);
}

TEST_CASE("several pantographs: from the loaded equilibrium nothing moves while the train stands") {
    RealTimeContacts<> line(line_of_five(), {.speed = 0.0, .start = 200.0}, {40.0, 101.0});
    TrainSimulation train(
        line, {.pantographs = {usual(), usual(90.0), usual(150.0)}, .start = Start::loaded_equilibrium, .end = 210.0});
    std::vector<double> begin;
    for (std::size_t i = 0; i < 3; ++i) begin.push_back(line.contact_force(i));
    for (int n = 0; n < 200; ++n) CHECK(train.step() == Status::ok);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(line.contact_force(i) == approx(begin[i]).epsilon(1e-7));
        // What the frame's spring takes: 50 N/m times its height.
        const double uplift = i == 0 ? 120.0 : i == 1 ? 90.0 : 150.0;
        CHECK(begin[i] < uplift);
        CHECK(begin[i] > uplift - 10.0);
    }
}

TEST_CASE("several pantographs: what cannot be simulated is refused by name") {
    RealTimeContacts<> line(line_of_five(), {.speed = 60.0, .start = 70.0}, {50.0});
    const auto refused = [&](const TrainSimulationParams& p) { CHECK_THROWS_AS((void)simulate(line, p), SetupError); };
    refused({.pantographs = {usual()}, .end = 100.0});
    refused({.pantographs = {usual(), usual(-1.0)}, .end = 100.0});
    refused({.pantographs = {usual(), usual()}, .end = 60.0});
    refused({.pantographs = {usual(), usual()}, .end = 1000.0});
    refused({.pantographs = {usual(), usual()}, .start = Start::loaded_equilibrium, .uplift_ramp = 1.0, .end = 100.0});
    PantographOfTrain soft = usual();
    soft.contact_stiffness = 0.0;
    refused({.pantographs = {usual(), soft}, .end = 100.0});
    line.step(std::vector<double>{100.0, 100.0});
    refused({.pantographs = {usual(), usual()}, .end = 100.0});
    line.reset();
    int calls = 0;
    const auto part =
        simulate(line, {.pantographs = {usual(), usual()}, .end = 100.0}, [&](double) { return ++calls < 7; });
    CHECK(part[1].contact.time.size() == 8);
}

TEST_CASE("several pantographs: an example") {
    namespace catenary = panto::catenary;
    namespace pantograph = panto::pantograph;
    // [train]
    const catenary::FiniteElements<> model(catenary::stitched_hil(4), {.contact = 1.0, .messenger = 2.0});
    catenary::RealTimeContacts<> line(model, {.speed = 70.0, .start = 130.0, .dt = 2e-3}, {100.0});  // 100 m apart
    const PantographOfTrain one{.pantograph = pantograph::preset("DSA380_HiL").params, .uplift_force = 130.0};
    const std::vector<SimulationRecord> train =
        simulate(line, {.pantographs = {one, one}, .start = Start::loaded_equilibrium, .end = 195.0});
    const std::vector<double>& trailing_force = train[1].contact.force;  // N
    // [train]
    CHECK(trailing_force.size() == train[0].contact.force.size());
    CHECK(*std::min_element(trailing_force.begin(), trailing_force.end()) > 0.0);
}

TEST_CASE("several pantographs: a step does not allocate") {
    // @rt-tested: TrainSimulation::step
    RealTimeContacts<> line(line_of_five(), {.speed = 60.0, .start = 70.0}, {50.0});
    TrainSimulation train(line, {.pantographs = {usual(), usual()}, .start = Start::loaded_equilibrium, .end = 150.0});
    CHECK(panto::test::allocations_in([&] {
              for (int n = 0; n < 20; ++n) (void)train.step();
          }) == 0);
    CHECK(train.contact_force(1) > 0.0);
    CHECK(train.head_height(1) != 0.0);
}

}  // namespace
}  // namespace several_pantographs_test
