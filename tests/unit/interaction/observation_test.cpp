// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The record of a run: what an engine shows, step by step, and what becomes of a run that ends early.

#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/interaction/observation.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/pantograph/presets.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

using namespace panto;

namespace observation_test {
namespace {

using Engine = catenary::RealTimeEngine<>;

Engine engine_of_four_spans() {
    return Engine(catenary::FiniteElements<>(catenary::stitched_hil(4)), {.speed = 80.0, .start = 30.0});
}

interaction::SimulationParams passage() {
    return {.pantograph = pantograph::preset("DSA380_HiL").params,
            .uplift_force = 150.0,
            .start = interaction::Start::loaded_equilibrium,
            .end = 200.0};
}

}  // namespace

TEST_CASE("An observation keeps what the engine shows at every step and takes no memory for it") {
    Engine engine = engine_of_four_spans();
    interaction::Simulation<Engine> simulation(engine, passage());
    interaction::Observation<Engine> seen(engine, 2000);
    const interaction::SimulationRecord& record = seen.record();
    const std::size_t droppers = engine.model().droppers().size();
    std::vector<double> smallest(droppers, 0.0);
    for (std::size_t j = 0; j < droppers; ++j) smallest[j] = engine.model().droppers()[j].static_force;
    std::vector<int> slack_steps(droppers, 0), went_slack(droppers, 0), was_slack(droppers, 0);
    seen.sample(simulation.contact_force());
    std::int64_t allocated = 0;
    std::size_t k = 0;
    for (; !simulation.finished(); ++k) {
        (void)simulation.step();
        allocated += test::allocations_in([&] { seen.sample(simulation.contact_force()); });
        REQUIRE(record.contact.time.back() == engine.time());
        REQUIRE(record.contact.position.back() == engine.position());
        REQUIRE(record.contact.force.back() == simulation.contact_force());
        REQUIRE(record.contact.height.back() == engine.wire().height);
        REQUIRE(record.contact.supports[1].uplift.back() == engine.uplift(engine.model().mesh().contact_supports[2]));
        int slack_now = 0;
        for (std::size_t j = 0; j < droppers; ++j) {
            const bool slack = !(engine.dropper_force(j) > 0.0);
            smallest[j] = std::min(smallest[j], engine.dropper_force(j));
            slack_steps[j] += slack;
            went_slack[j] += slack && was_slack[j] == 0;
            slack_now += was_slack[j] = slack ? 1 : 0;
        }
        REQUIRE(record.slack_droppers.back() == slack_now);
    }
    CHECK(allocated == 0);
    CHECK(record.contact.time.size() == k + 1);
    REQUIRE(record.contact.supports.size() == 3);
    REQUIRE(record.droppers.size() == droppers);
    for (std::size_t j = 0; j < droppers; ++j) {
        const interaction::DropperRecord& d = record.droppers[j];
        CHECK(d.smallest == smallest[j]);
        CHECK(d.slack_steps == slack_steps[j]);
        CHECK(d.slack_count == went_slack[j]);
        CHECK(std::fabs(d.slack_time - 2e-3 * slack_steps[j]) < 1e-9);
    }
    CHECK(*std::max_element(went_slack.begin(), went_slack.end()) > 0);
}

TEST_CASE("A run that is stopped or breaks down keeps its record, the last step included") {
    Engine engine = engine_of_four_spans();
    const auto whole = interaction::simulate(engine, passage());

    SUBCASE("to the end") {
        engine.reset();
        interaction::Simulation<Engine> simulation(engine, passage());
        interaction::Observation<Engine> seen(engine, 2000);
        std::size_t steps = 0;
        const Status status = interaction::run(simulation, seen, [&](const interaction::SimulationStep& step) {
            ++steps;
            return step.status == Status::ok && step.took.count() >= 0;
        });
        CHECK(status == Status::ok);
        CHECK(steps + 1 == whole.contact.time.size());
        CHECK(seen.record().contact.force == whole.contact.force);
        CHECK(seen.record().slack_droppers == whole.slack_droppers);
    }
    SUBCASE("stopped") {
        engine.reset();
        interaction::Simulation<Engine> simulation(engine, passage());
        interaction::Observation<Engine> seen(engine, 2000);
        const Status status =
            interaction::run(simulation, seen, [&](const interaction::SimulationStep&) { return engine.time() < 0.1; });
        CHECK(status == Status::stopped_by_user);
        REQUIRE(seen.record().contact.time.size() == 51);
        CHECK(std::equal(seen.record().contact.force.begin(), seen.record().contact.force.end(),
                         whole.contact.force.begin()));
    }
    SUBCASE("broken down") {
        struct Breaking : Engine {
            using Engine::Engine;
            Result<double> step_contact(const catenary::ImplicitContact<double>& contact) noexcept {
                return time() < 0.1 ? Engine::step_contact(contact) : Result<double>{0.0, Status::not_finite};
            }
        } breaking(engine.model(), {.speed = 80.0, .start = 30.0});
        interaction::Simulation<Breaking> simulation(breaking, passage());
        interaction::Observation<Breaking> seen(breaking, 2000);
        std::vector<Status> told;
        const Status status = interaction::run(simulation, seen, [&](const interaction::SimulationStep& step) {
            return told.push_back(step.status), true;
        });
        CHECK(status == Status::not_finite);
        REQUIRE(!told.empty());
        CHECK(told.back() == status);
        CHECK(seen.record().contact.time.size() == told.size() + 1);
        CHECK(seen.record().contact.time.size() < whole.contact.time.size());
    }
}

}  // namespace observation_test
