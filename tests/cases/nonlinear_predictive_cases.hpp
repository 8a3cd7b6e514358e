// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The second rig of the papers with the real-time engine of the ground's frame as its virtual line: `predictive_hil`
/// of 20 spans, droppers that only pull, 1e-4 s of damping, two steps a cycle, 14 s from the fourth support on. The
/// controller's linear model is one span in the train's frame.

#pragma once

#include <panto/catenary/linearised.hpp>
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/rig/nonlinear_impedance_loop.hpp>

#include "predictive_cases.hpp"

#include <span>

namespace panto::test {

/// The engine without its static shape, whose kinks at the droppers change the speed of the wire by 0.6 m/s at once: a
/// line at rest is flat, as that of predictive_cases.hpp. Its droppers bear what they bore.
class FlatLine {
  public:
    explicit FlatLine(catenary::RealTimeEngine<> engine, double height = 0.0)
        : engine_(std::move(engine)), height_(height) {}
    Motion step(double force) noexcept {
        const double height = wire().height;
        static_cast<void>(engine_.step(force));
        work += 0.5 * (std::exchange(force_, force) + force) * (wire().height - height);
        return wire();
    }
    void predict(double force, std::span<Motion> ahead) noexcept {
        engine_.predict(force, ahead);
        double seconds = 0.0;
        for (Motion& m : ahead) m = less_shape(m, engine_.position_after(seconds += dt()));
    }
    void reset() noexcept { engine_.reset(); }
    [[nodiscard]] double dt() const noexcept { return engine_.dt(); }
    [[nodiscard]] Motion wire() const noexcept { return less_shape(engine_.wire(), engine_.position()); }
    [[nodiscard]] Status status() const noexcept { return engine_.status(); }
    [[nodiscard]] int slack_droppers() const noexcept { return engine_.slack_droppers(); }
    double work = 0.0;  // J, of the mean of the forces before and after each step, as the scheme takes them

  private:
    [[nodiscard]] Motion less_shape(Motion m, double position) const noexcept {
        const auto shape = engine_.model().static_height(position);
        m.height += height_ - shape[0];
        m.speed -= engine_.speed() * shape[1];
        return m;
    }
    catenary::RealTimeEngine<> engine_;
    double height_;       // m, at rest
    double force_ = 0.0;  // N
};

/// The engine with its static shape, which counts the same.
struct WorkedEngine : catenary::RealTimeEngine<> {
    explicit WorkedEngine(const RealTimeEngine& engine) : RealTimeEngine(engine) {}
    Motion step(double next) noexcept {
        const double height = wire().height;
        static_cast<void>(RealTimeEngine::step(next));
        work += 0.5 * (std::exchange(force, next) + next) * (wire().height - height);
        return wire();
    }
    double force = 0.0, work = 0.0;  // N, J
};

struct NonlinearRun {
    double lift = 120.0;  ///< N
    bool flat = true;     ///< without the static shape
    double height = 0.0;  ///< m, of the flat line at rest, where the drive stands at 0
    bool own = false;     ///< the controller knows the line by the engine's own answers, not by a model of it
    bool slack = false;   ///< 19 droppers in a span instead of four: each bears 40 N instead of 200
    PredictiveRun run{.seconds = 14.0};
};

inline PredictiveResult nonlinear_predictive_run(const NonlinearRun& of) {
    auto section = catenary::predictive_hil();
    section.damping.beta = 1e-4;
    if (of.slack)
        for (catenary::Span& span : section.spans) {
            span.droppers.clear();
            for (int i = 1; i < 20; ++i) span.droppers.push_back({3.0 * i, 0.0});
        }
    const catenary::RealTimeEngine<> line(catenary::FiniteElements<>(section, {}),
                                          {.speed = 60.0, .start = 180.0, .dt = 1.0 / 340.0});
    plant::DriveRigParams params{.pantograph = pantograph::preset("EN50318_2002").params};
    const auto controller =
        [&, told = control::ImpedanceMpcParams{
                .drive = rig::drive_model(params),
                .balance = {.form = of.run.form, .largest = of.run.largest, .largest_change = of.run.largest_change}}] {
            if (of.own) {  // 170 cycles of two steps in a span of 60 m
                const catenary::LinearisedLine about(line, 2 * (169 + told.horizon));
                return control::ImpedanceMpc(told, catenary::periodic_response(about, 170, 2, told.horizon));
            }
            const auto engine = catenary::moving_engine(catenary::periodic_line(section),
                                                        {.speed = 60.0, .dt = 1.0 / 850.0, .spans = 1});
            return control::ImpedanceMpc(told, catenary::periodic_state_space(engine, 5));
        }();
    params.drive.bandwidth *= of.run.drive_share;
    params.uplift_force = 0.0;
    WorkingRig stand(params, of.run.lose_every);
    if (of.flat) {
        rig::NonlinearImpedanceLoop loop(stand, FlatLine(line, of.height), controller, of.height);
        return measured(loop, stand, of.lift, of.run);
    }
    rig::NonlinearImpedanceLoop loop(stand, WorkedEngine(line), controller, line.wire().height);
    return measured(loop, stand, of.lift, of.run);
}

}  // namespace panto::test
