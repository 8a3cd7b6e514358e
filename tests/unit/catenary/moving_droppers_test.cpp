// SPDX-License-Identifier: BSD-3-Clause
// The line in the train's frame: droppers that only pull, the coupled contact, and the periodic state space.
#include <panto/catenary/moving_state_space.hpp>
#include <panto/interaction/concepts.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

namespace moving_droppers_test {
namespace {

using namespace panto;
using namespace panto::catenary;
using Eigen::VectorXd;

static_assert(CoupledCatenary<MovingEngine<>>);

/// 8 m spans whose droppers carry `preload` N, with clamps and a damper in one of them.
PeriodicLine preloaded(double preload) {
    PeriodicLine line{.period = 8.0,
                      .contact_wire = {.mass_per_length = 1.3, .bending_stiffness = 100.0, .tension = 20e3},
                      .messenger_wire = {.mass_per_length = 1.0, .bending_stiffness = 80.0, .tension = 14e3}};
    line.droppers = {{1.1, 3000.0, 2.0, preload}, {5.3, 2000.0, 0.0, preload}};
    line.on_messenger = {{.position = 0.3, .stiffness = 5e4, .mass = 0.5}};
    line.on_contact = {{.position = 1.1, .mass = 0.3}};
    return line;
}
const MovingGrid linear{.speed = 40.0, .dt = 0.0025, .cells = 16, .spans = 3};
MovingGrid unilateral() {
    MovingGrid g = linear;
    g.unilateral = true;
    return g;
}
double push(int n) { return n < 20 ? 10.0 * n : 200.0 + 150.0 * std::sin(0.3 * n); }

}  // namespace

TEST_CASE("droppers that stay taut are linear, to the last bit; slack ones carry nothing and nobody pushes") {
    auto pulls = moving_engine(preloaded(1e4), unilateral()), both = moving_engine(preloaded(1e4), linear);
    auto slack = moving_engine(preloaded(30.0), unilateral());
    int steps_slack = 0;
    double apart = 0.0;
    for (int n = 0; n < 240; ++n) {
        const Motion a = pulls.step(push(n)), b = both.step(push(n)), c = slack.step(push(n));
        REQUIRE(std::abs(a.height - b.height) <= 0.0);
        REQUIRE(std::abs(a.speed - b.speed) <= 0.0);
        REQUIRE(pulls.slack_droppers() == 0);
        REQUIRE(slack.status() == Status::ok);
        steps_slack += slack.slack_droppers();
        apart = std::max(apart, std::abs(c.height - b.height));
        // Complementarity, from the wires alone: slack where and only where a linear dropper would push.
        const auto& now = slack.passage().phases[static_cast<std::size_t>((n + 1) % 80)];
        int pushing = 0;
        for (std::size_t j = 0; j < now.droppers.size(); ++j) {
            const auto& d = now.droppers[j];
            const double tension =
                d.static_force + d.stiffness * (d.at.of(slack.messenger_wire()) - d.at.of(slack.contact_wire()));
            pushing += tension < -1e-9;
            CHECK(std::abs(slack.dropper_force(j) - std::max(0.0, tension)) < 1e-8);
        }
        CHECK(slack.slack_droppers() >= pushing);
    }
    CHECK(steps_slack > 50);
    CHECK(apart > 1e-4);
}

TEST_CASE("the coupled contact solves its law together with slack droppers") {
    const ImplicitContact<double> contact{.stiffness = 4e4, .head_height = 0.03, .head_compliance = 3e-6};
    auto engine = moving_engine(preloaded(30.0), unilateral());
    int steps_slack = 0;
    for (int n = 0; n < 160; ++n) {
        const auto copy = engine;
        const auto result = engine.step_contact(contact);
        REQUIRE(result.status == Status::ok);
        const double gap = 0.03 - 3e-6 * result.value - engine.wire().height;
        CHECK(std::abs(result.value - std::max(0.0, 4e4 * gap)) < 1e-6 * (1.0 + result.value));
        auto given = copy;  // the same force, given
        given.step(result.value);
        CHECK(std::abs(given.wire().height - engine.wire().height) < 1e-12);
        steps_slack += engine.slack_droppers();
    }
    CHECK(steps_slack > 10);
    CHECK(engine.step_contact({.stiffness = -1.0}).status == Status::not_finite);
    CHECK(std::abs(engine.position_after(0.5) - engine.position() - 20.0) < 1e-9);
    // @rt-tested: MovingEngine::step_contact MovingEngine::slack_droppers MovingEngine::dropper_force
    // @rt-tested: MovingEngine::position_after MovingEngine::rest MovingEngine::messenger_wire
    // @rt-tested: slacken sweep height_in stretch_in interior LevelLoads::add LevelLoads::add_springs
    // @rt-tested: LevelLoads::add_inertia
    double sum = 0.0;
    CHECK(test::allocations_in([&] {
              sum += engine.step_contact(contact).value;
              engine.step(100.0);
              sum += engine.slack_droppers() + engine.dropper_force(0) + engine.rest(1)[0] +
                     engine.position_after(1.0) + engine.messenger_wire()[3];
          }) == 0);
    CHECK(std::isfinite(sum));
}

TEST_CASE("the periodic state space is the engine, down-sampled or not, and its period has the engine's radius") {
    MovingGrid grid = linear;
    grid.spans = 1;
    auto engine = moving_engine(preloaded(50.0), grid);
    const auto fine = periodic_state_space(engine, 1), coarse = periodic_state_space(engine, 5);
    REQUIRE(fine.samples() == 80);
    REQUIRE(coarse.samples() == 16);
    REQUIRE(coarse.states() == 4 * 17);
    CHECK(std::abs(coarse.dt - 5.0 * grid.dt) < 1e-15);
    VectorXd x = VectorXd::Zero(68), y = x, z = x;
    engine.put(z, 0);
    Eigen::MatrixXd period = Eigen::MatrixXd::Identity(68, 68);
    for (int k = 0; k < 32; ++k) {
        const double force = 50.0 + 20.0 * std::sin(0.7 * k);
        for (int i = 0; i < 5; ++i) {
            const auto at = static_cast<std::size_t>((5 * k + i) % 80);
            x = fine.A[at] * x + fine.B[at] * force;
            engine.advance(force);
        }
        const auto at = static_cast<std::size_t>(k % 16);
        y = coarse.A[at] * y + coarse.B[at] * force;
        if (k < 16) period = coarse.A[at] * period;
        engine.get(z);
        CHECK((x - z).norm() < 1e-12);
        CHECK((y - z).norm() < 1e-12);
        const VectorXd seen = coarse.C * z;
        CHECK(std::abs(seen[0] + coarse.rest[0][0] - engine.wire().height) < 1e-14);
    }
    CHECK(z.norm() > 1e-3);
    const double radius = linalg::spectral_radius(period);
    CHECK(std::abs(engine.period_radius() - radius) < 1e-5 * radius);
    CHECK(std::abs(dynamics::period_radius(coarse) - radius) < 1e-5 * radius);
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(has(test::message([&] { (void)periodic_state_space(engine, 3); }), "use 2 or 4"));
}

TEST_CASE("a line that nothing holds is refused with the number of its supports, not of its clamps") {
    PeriodicLine bare = preloaded(50.0);
    bare.on_messenger[0].stiffness = 0.0;  // the mass of a clamp stays
    const std::string refused = test::message([&] { (void)moving_engine(bare, linear); });
    CAPTURE(refused);
    CHECK(refused.find("(0 supports of the messenger a span)") != std::string::npos);
}

}  // namespace moving_droppers_test
