// SPDX-License-Identifier: BSD-3-Clause
// The loop standing still, where the line is stiffest and where it is softest: what the check of the pad cannot see.
#include <panto/catenary/lines.hpp>
#include <panto/control/closed_loop.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/control/wire_response.hpp>
#include <panto/rig/standing_run.hpp>

#include "catch.hpp"

#include <cmath>

using namespace panto;

namespace standing_verify {
namespace {

rig::StandingParams stand() {
    rig::StandingParams p{.stand = {.uplift_force = 0.00097 * 300.0 * 300.0 + 70.0}};
    p.stand.rig.force_filter.cut_off = 100.0;
    return p;
}

void check_settles(double dt, bool wanted_below_support, bool wanted_in_the_middle) {
    const catenary::FiniteElements<> model(catenary::stitched_hil(8),
                                           {.contact = 1.5, .messenger = 3.0, .stitch = 1.0});
    const auto places = rig::stiffest_and_softest(model, 0.1 * model.length(), 0.9 * model.length());
    REQUIRE(std::fmod(places[0], 65.0) == 0.0);   // a support
    REQUIRE(std::fmod(places[1], 65.0) == 32.5);  // the middle of a span
    const control::Lqg controller({.rig = stand().stand.rig}, dt);
    CHECK(control::closed_loop_radius(plant::sampled_model(stand().stand.rig, dt), controller,
                                      control::table2_interaction_mass) < 1.0);
    const rig::StandingRun below = rig::standing_run(model, places[0], controller, stand(), dt);
    const rig::StandingRun between = rig::standing_run(model, places[1], controller, stand(), dt);
    CAPTURE(dt, below.largest, below.left, between.largest, between.left);
    CHECK(below.settles() == wanted_below_support);
    CHECK(between.settles() == wanted_in_the_middle);
    if (between.settles()) CHECK(between.report.explanation() == "ok");
    CHECK(below.largest > 1.0);  // the push is felt
}

}  // namespace

TEST_CASE("a step of 4 ms settles on the pad and in the middle of a span, not under a support", "[rig]") {
    check_settles(4e-3, false, true);
}

TEST_CASE("2 ms settle everywhere, 3 and 5 ms not under a support, 8 ms nowhere", "[rig][long]") {
    check_settles(2e-3, true, true);
    check_settles(3e-3, false, true);
    check_settles(5e-3, false, true);
    check_settles(8e-3, false, false);
}

// A loop in equilibrium stays there. With the interaction mass as datum the drive moved by 3.6 mm, and the force by 209
// N.
TEST_CASE("an estimating controller stays at rest on its own and settles after a push", "[rig]") {
    constexpr double dt = 2e-3;
    const catenary::FiniteElements<> model(catenary::stitched_hil(6),
                                           {.contact = 0.75, .messenger = 1.5, .stitch = 0.5});
    rig::StandingParams p = stand();
    p.stand.rig.pad_stiffness = 240e3;
    for (const double place : {195.0, 162.5}) {  // a support, the middle of a span
        catenary::RealTimeEngine<> wire(model, {.speed = 0.0, .start = place, .dt = dt});
        const control::PredictiveLqg controller(
            {.rig = p.stand.rig, .wire = control::wire_response(wire, p.stand.uplift_force)}, dt);
        p.push = 0.0, p.duration = 1.0;
        const rig::StandingRun still = rig::standing_run(model, place, controller, p, dt);
        p.push = 20.0, p.duration = 10.0;
        const rig::StandingRun pushed = rig::standing_run(model, place, controller, p, dt);
        CAPTURE(place, still.largest, still.left, pushed.largest, pushed.left);
        CHECK(still.largest < 1.0);  // N
        CHECK(still.settles());
        CHECK(pushed.largest > 1.0);
        CHECK(pushed.largest < 20.0);  // the strip takes a part of the push
        CHECK(pushed.settles());
    }
}

// The verdict on a loop that nothing moves: no deviation can halve.
TEST_CASE("a loop that nothing moves settles", "[rig]") {
    const catenary::FiniteElements<> model(catenary::stitched_hil(2));
    rig::StandingParams p = stand();
    p.push = 0.0, p.duration = 0.5;
    const rig::StandingRun still = rig::standing_run(model, 65.0, control::Lqg({.rig = p.stand.rig}, 2e-3), p, 2e-3);
    CHECK(still.largest < 1e-6);
    CHECK(still.settles());
}

TEST_CASE("a standing run says where it stands and refuses what it cannot do", "[rig]") {
    const catenary::FiniteElements<> model(catenary::stitched_hil(2));
    const auto ends = rig::stiffest_and_softest(model, 40.0, 50.0);
    CHECK(ends[0] + ends[1] == 90.0);
    // Nothing can stand on the end of the line.
    const auto last = rig::stiffest_and_softest(model, model.length() - 20.0, model.length());
    CHECK(last[0] + last[1] == 2.0 * model.length() - 30.0);
    const auto first = rig::stiffest_and_softest(model, 0.0, 20.0);
    CHECK(first[0] + first[1] == 30.0);
    for (const auto& [from, to] : {std::array{125.0, 180.0}, std::array{140.0, 150.0}, std::array{-40.0, -10.0},
                                   std::array{60.0, 60.0}, std::array{80.0, 40.0}})
        CHECK_THROWS_WITH((void)rig::stiffest_and_softest(model, from, to),
                          Catch::Matchers::Contains("must be rising and from 0 to 130 m"));
    CHECK_THROWS_AS((void)rig::stiffest_and_softest(model, std::nan(""), 40.0), SetupError);
    rig::StandingParams p = stand();
    p.duration = 0.0;
    CHECK_THROWS_AS((void)rig::standing_run(model, 65.0, control::Lqg({.rig = p.stand.rig}, 2e-3), p, 2e-3),
                    SetupError);
}

}  // namespace standing_verify
