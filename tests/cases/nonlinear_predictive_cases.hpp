// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The second rig of the papers with the real-time engine of the ground's frame as its virtual line: `predictive_hil`
/// of 20 spans, droppers that only pull, 1e-4 s of damping, two steps a cycle. The controller's linear model is that of
/// predictive_cases.hpp, one span in the train's frame.

#pragma once

#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/rig/nonlinear_impedance_loop.hpp>

#include "predictive_cases.hpp"

namespace panto::test {

struct NonlinearRun {
    double lift = 120.0;  ///< N
    bool slack = false;   ///< seven droppers in a span instead of four: each bears 110 N instead of 200
    int cells = 39;       ///< of the linear model
    double dt = 1.0 / 340.0;
    PredictiveRun run{.seconds = 14.0};  ///< from the fourth support on
};

inline PredictiveResult nonlinear_predictive_run(const NonlinearRun& of) {
    auto section = catenary::predictive_hil();
    section.damping.beta = 1e-4;
    if (of.slack)
        for (catenary::Span& span : section.spans)
            span.droppers = {{5.0, 0.0},   {13.33, 0.0}, {21.67, 0.0}, {30.0, 0.0},
                             {38.33, 0.0}, {46.67, 0.0}, {55.0, 0.0}};
    const auto model = catenary::periodic_state_space(
        catenary::moving_engine(catenary::periodic_line(section),
                                {.speed = 60.0, .dt = 1.0 / 850.0, .cells = of.cells, .spans = 1}),
        5);
    const catenary::RealTimeEngine<> line(catenary::FiniteElements<>(section, {}),
                                          {.speed = 60.0, .start = 180.0, .dt = of.dt});
    plant::DriveRigParams params{.pantograph = pantograph::preset("EN50318_2002").params};
    control::ImpedanceMpcParams told{.drive = rig::drive_model(params)};
    told.balance.form = of.run.form;
    params.drive.bandwidth *= of.run.drive_share;
    params.lift = 0.0;
    WorkingRig stand(params, of.run.lose_every);
    rig::NonlinearImpedanceLoop loop(stand, line, control::ImpedanceMpc(told, model), line.wire().height);
    return measured(loop, stand, of.lift, of.run);
}

}  // namespace panto::test
