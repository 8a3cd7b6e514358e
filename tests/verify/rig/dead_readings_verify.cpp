// SPDX-License-Identifier: BSD-3-Clause
// A load cell or an encoder that freezes in a run over the stitched line and goes on saying "ok": found within a
// second, wherever it happens; and no live sensor is taken for a dead one.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/lqg.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/simulated.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <optional>

namespace dead_readings_verify {
namespace {

using namespace panto;
using rig::SimulatedFault;

constexpr double dt = 2e-3;

struct Case {
    double kmh = 250.0;
    double seconds = 3.0;
    double force_step = 0.0;
    double noise = 0.0;
    std::optional<SimulatedFault> fault{};
    double from = 0.0;
};

rig::Report report_of(const Case& c) {
    static const catenary::FiniteElements<> model(catenary::stitched_hil(8));
    const double v = c.kmh / 3.6;
    catenary::RealTimeEngine<> wire(model, {.speed = v, .start = 100.0, .dt = dt});
    rig::Simulated stand({.uplift_force = 0.00097 * c.kmh * c.kmh + 70.0,
                          .start_height = 2e-3,
                          .force_noise = c.noise,
                          .position_noise = 1e-5 * c.noise,
                          .force_step = c.force_step},
                         dt);
    if (c.fault) stand.inject(*c.fault, c.from, 1e9);
    control::Lqg controller({.rig = stand.params().rig}, dt);
    rig::Cycle cycle(stand.sensor, wire, controller, stand.drive,
                     interaction::MassInteraction({.ramp_time = 50.0 / v}, dt));
    const auto duration = std::chrono::milliseconds(static_cast<int>(1e3 * c.seconds));
    return rig::run(cycle, stand.clock, {.duration = duration});
}

}  // namespace

TEST_CASE("dead readings are found within a second, wherever they die", "[rig]") {
    for (const SimulatedFault fault :
         {SimulatedFault::force_frozen, SimulatedFault::force_zero, SimulatedFault::encoder_frozen})
        for (int place = 0; place < 8; ++place) {
            const double from = 0.5 + 0.117 * place;
            const double noise = place % 2 ? 1.0 : 0.0;
            CAPTURE(place, static_cast<int>(fault));
            const auto report = report_of({.noise = noise, .fault = fault, .from = from});
            // A frozen encoder may be further than `following` from the commands before half a second is over.
            const bool astray = fault == SimulatedFault::encoder_frozen && report.status == Status::drive_fault;
            CHECK((astray || report.status == Status::sensor_implausible));
            CHECK(dt * static_cast<double>(report.cycles) < from + 1.0);
        }
}

TEST_CASE("a sensor that lives is not taken for a dead one: without noise, with coarse steps, fast and slow", "[rig]") {
    for (const double kmh : {250.0, 60.0})
        for (const double step : {0.0, 1.0, 5.0}) {
            CAPTURE(kmh, step);
            CHECK(report_of({.kmh = kmh, .force_step = step}).status == Status::ok);
        }
    // At rest nothing moves and every reading is the same, for as long as one likes.
    static const catenary::FiniteElements<> model(catenary::stitched_hil(2));
    catenary::RealTimeEngine<> wire(model, {.speed = 0.0, .start = 60.0, .dt = dt});
    rig::Simulated stand({.start_height = 2e-3}, dt);
    struct Holding {
        using Command = PositionCommand;
        Result<Command> update(const Exchange&) noexcept { return {{at}, Status::ok}; }
        void reset(const Motion& strip) noexcept { at = strip.height; }
        double at = 0.0;
    } holding;
    rig::Cycle cycle(stand.sensor, wire, holding, stand.drive);
    CHECK(rig::run(cycle, stand.clock, {.duration = std::chrono::seconds(5)}).status == Status::ok);
}

}  // namespace dead_readings_verify
