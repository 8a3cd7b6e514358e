// SPDX-License-Identifier: BSD-3-Clause
// The predictive rig as a whole: position, energy and momentum over minutes, with noise and with a drive that is slower
// than its model.
#include "../../cases/predictive_cases.hpp"
#include "allocations.hpp"
#include "catch.hpp"

#include <string>

using namespace panto;
using namespace panto::test;

TEST_CASE("the predictive rig keeps position, energy and momentum with small corrections") {
    using Form = PredictiveRun::Form;
    const auto budget = predictive_run({.seconds = 20.0}),
               paper = predictive_run({.seconds = 20.0, .form = Form::paper});
    CHECK(budget.worst == Status::ok);
    CHECK(budget.height_rms_mm < 0.1);
    CHECK(budget.height_max_mm < 0.3);
    CHECK(budget.energy_max < 1.2);
    CHECK(budget.energy_late < 1.0);
    CHECK(budget.momentum_max < 10.0);
    CHECK(budget.correction_rms < 0.25 * paper.correction_rms);
    // Theorem 1 of the paper, wherever neither another limit nor the threshold acts; the budget lets |DE| grow.
    CHECK(paper.bounded > 500);
    CHECK(paper.grew == 0);
    CHECK(budget.grew > 100);
}

TEST_CASE("a loop whose parts do not fit each other is refused; its steps take no memory") {
    const auto line =
        catenary::moving_engine(predictive_line(), {.speed = 60.0, .dt = 1.0 / 510.0, .cells = 20, .spans = 1});
    const auto model = catenary::periodic_state_space(line, 3);
    plant::DriveRigParams params{.pantograph = pantograph::preset("EN50318_2002").params};
    const control::ImpedanceMpc controller({.drive = rig::drive_model(params), .horizon = 5}, model);
    plant::DriveRig stand(params);
    rig::ImpedanceLoop loop(stand, line, controller);
    // @rt-tested: ImpedanceLoop::step
    Status status = Status::infeasible;
    CHECK(allocations_in([&] { status = loop.step(); }) == 0);
    CHECK(status == Status::ok);
    params.drive_steps = 29;
    plant::DriveRig other(params);
    CHECK_THROWS_AS((rig::ImpedanceLoop(other, line, controller)), SetupError);
    const auto fine =
        catenary::moving_engine(predictive_line(), {.speed = 60.0, .dt = 1.0 / 425.0, .cells = 20, .spans = 1});
    CHECK_THROWS_AS((rig::ImpedanceLoop(stand, fine, controller)), SetupError);
}

TEST_CASE("ten minutes of the predictive rig, also with noise and a slower drive", "[long]") {
    const Targets targets(std::string(PANTO_TEST_GOLDEN) + "/targets.json");
    for (const Measured& m : predictive_loop()) {
        CAPTURE(m.id, m.value);
        CHECK(targets.at(m.id).holds(m.value));
    }
}
