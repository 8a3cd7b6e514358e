// SPDX-License-Identifier: BSD-3-Clause
// Passages on simulated rigs that are not as told. The border of stability that the linear loop has is that of the
// whole rig.
#include <panto/catenary/lines.hpp>
#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/control/robustness.hpp>
#include <panto/rig/rehearsal.hpp>

#include "catch.hpp"

#include <cmath>
#include <cstdint>

using namespace panto;

namespace rehearsal_verify {
namespace {

plant::RigParams with_pad(double stiffness) {
    return {.pad_stiffness = stiffness, .pantograph = pantograph::preset("DSA380_HiL").params};
}

/// Two spans at 250 km/h, of which the second is the window.
const rig::Rehearsal& short_passage() {
    static const rig::Rehearsal passage(
        catenary::FiniteElements<>(catenary::stitched_hil(4), {.contact = 1.0, .messenger = 2.0, .stitch = 1.0}),
        {.passage = {.speed = 250.0 / 3.6, .start = 65.0},
         .end = 195.0,
         .uplift_force = 130.6,
         .evaluation = {.from = 130.0, .to = 195.0}});
    return passage;
}

}  // namespace

TEST_CASE("a rehearsal on the rig as told is that of the run without a rig", "[rig]") {
    // [rehearse]
    const plant::RigParams told = with_pad(240e3);
    const rig::Rehearsal& passage = short_passage();
    const rig::Reference ideal = passage.reference(told);
    const auto wire = passage.response(ideal.force);
    const control::PredictiveLqg controller({.rig = told, .wire = wire}, passage.dt());
    const rig::Rehearsed as_told = passage.run(controller, told, ideal, 1);
    // [rehearse]
    CAPTURE(as_told.trouble, as_told.index, as_told.error);
    CHECK(as_told.complete());
    CHECK(ideal.keeps_contact());
    CHECK(as_told.loss_percent == 0.0);
    CHECK(as_told.index > 0.05);  // noise and delays
    CHECK(as_told.index <= 1.5);  // the bounds of predictive_verify.cpp, at most 250 km/h
    CHECK(as_told.error <= 5e-4);

    // The same seed gives the same run, a perturbation of zero the same rig.
    const auto again = passage.run(controller, plant::perturbed(told, {}, passage.dt()), ideal, 1);
    CHECK(again.index == as_told.index);
    CHECK(passage.run(controller, told, ideal, 2).index != as_told.index);
}

TEST_CASE("the border of the linear loop is the border of the simulated rig", "[rig]") {
    const plant::RigParams told = with_pad(240e3);
    const rig::Rehearsal& passage = short_passage();
    const rig::Reference ideal = passage.reference(told);
    const auto wire = passage.response(ideal.force);
    const control::PredictiveLqg controller({.rig = told, .wire = wire}, passage.dt());
    const auto loop = [&](const plant::SampledModel& rig) { return control::cut_loop(rig, controller, wire); };
    const plant::Perturbation later{.delay = 2e-3};
    const double factor = control::largest_perturbation(told, later, passage.dt(), loop, 2.0);
    CAPTURE(factor);
    CHECK(factor > 0.25);  // half a millisecond
    CHECK(factor < 1.0);   // a whole period untold is too much
    const auto run = [&](double f) {
        return passage.run(controller, plant::perturbed(told, plant::scaled(later, f), passage.dt()), ideal, 1);
    };
    const auto inside = run(0.7 * factor), outside = run(1.4 * factor);
    CAPTURE(inside.trouble, inside.index, outside.trouble, outside.index, outside.loss_percent);
    CHECK(inside.complete());
    CHECK_FALSE((outside.complete() && outside.loss_percent == 0.0));
}

TEST_CASE("without control the rig runs on soft pads alone", "[rig]") {
    const rig::Rehearsal& passage = short_passage();
    const auto soft = passage.run(control::Direct{}, with_pad(10e3)),
               stiff = passage.run(control::Direct{}, with_pad(240e3));
    CAPTURE(soft.trouble, soft.index, stiff.trouble, stiff.index);
    CHECK(soft.complete());
    CHECK(soft.loss_percent == 0.0);
    CHECK(stiff.trouble.find("amplitude of an oscillation of the drive") != std::string::npos);
}

TEST_CASE("a rehearsal can begin with commissioning", "[rig]") {
    rig::RehearsalParams p = short_passage().params();
    p.commissioning = rig::CommissioningPlan{.approach_speed = 2e-3, .preload_speed = 1e-3};
    const catenary::FiniteElements<> model(catenary::stitched_hil(4),
                                           {.contact = 1.0, .messenger = 2.0, .stitch = 1.0});
    const rig::Rehearsal passage(model, p);
    const plant::RigParams rig = with_pad(20e3);
    const auto r = passage.run(control::Direct{}, rig);
    CAPTURE(r.trouble, r.index);
    CHECK(r.complete());
    p.commissioning->tare_noise = 0.1;  // N; the load cell has 1 N
    const auto noisy = rig::Rehearsal(model, p).run(control::Direct{}, rig);
    CAPTURE(noisy.trouble);
    CHECK(noisy.trouble.find("commissioning, tare") == 0);
    CHECK(std::isnan(noisy.index));
}

TEST_CASE(
    "a window outside of the run, a fraction of a reading delay, no lift and another interaction mass are refused",
    "[rig]") {
    const catenary::FiniteElements<> model(catenary::stitched_hil(4), {.contact = 1.5, .messenger = 3.0});
    rig::RehearsalParams p = short_passage().params();
    p.evaluation.to = 200.0;
    CHECK_THROWS_AS(rig::Rehearsal(model, p), SetupError);
    p = short_passage().params();
    p.uplift_force = -10.0;
    CHECK_THROWS_AS(rig::Rehearsal(model, p).reference(with_pad(240e3)), SetupError);
    plant::RigParams rig = with_pad(10e3);
    rig.reading_delay = 0.5;
    CHECK_THROWS_AS(short_passage().run(control::Direct{}, rig), SetupError);
    const control::Lqg soft({.rig = with_pad(240e3), .interaction_mass = {.stiffness = 20e3}}, short_passage().dt());
    CHECK_THROWS_WITH(short_passage().run(soft, with_pad(240e3)),
                      Catch::Matchers::Contains("stiffness is 20000 N/m, that of the coupling is 50000 N/m"));
    rig = with_pad(10e3);
    rig.drive_limits.force = 50.0;
    CHECK_THROWS_WITH(short_passage().run(control::Direct{}, rig),
                      Catch::Matchers::Contains("rig::Rehearsal: drive_limits.force of the rig is 50 N, but the "
                                                "contact force at rest is "));
    // A reference that was never made.
    CHECK_THROWS_WITH(short_passage().run(control::Direct{}, with_pad(10e3), rig::Reference{}, 1),
                      Catch::Matchers::Contains("rig::Rehearsal: the reference has 0 positions and 0 contact forces"));
}

// One of the cases of `robustness --coverage` on each line, with the limits and the plan that a user has by default.
TEST_CASE("commissioned by default, every line is run without a fault within 2.5 %, over 20 seeds", "[rig][long]") {
    const plant::RigParams told = with_pad(240e3);
    const double speed = 250.0;  // km/h
    for (const char* name : {"stitched_hil", "en50318_2002", "ac_simple_2015"}) {
        const auto section = catenary::line(name);
        const double span = section.length() / 20.0;
        const rig::Rehearsal passage(
            catenary::FiniteElements<>(section, {.contact = 0.75, .messenger = 1.5, .stitch = 0.5}),
            {.passage = {.speed = speed / 3.6, .start = 2.0 * span},
             .end = 16.0 * span,
             .uplift_force = 0.00097 * speed * speed + 70.0,
             .evaluation = {.from = 5.0 * span, .to = 15.0 * span},
             .limits = {.frames_held = 2},
             .commissioning = rig::CommissioningPlan{}});
        const rig::Reference ideal = passage.reference(told);
        CHECK(ideal.keeps_contact());
        const control::PredictiveLqg controller({.rig = told, .wire = passage.response(ideal.force)}, passage.dt());
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const rig::Rehearsed r = passage.run(controller, told, ideal, seed);
            CAPTURE(name, seed, r.trouble, r.index, r.error);
            CHECK(r.complete());
            CHECK(r.index <= 2.5);
        }
    }
}

}  // namespace rehearsal_verify
