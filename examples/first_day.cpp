// SPDX-License-Identifier: BSD-3-Clause
// The first day on a rig: it is made ready and identified, and runs with a controller designed for what was found. The
// rig is simulated; its motor, delays, pad and pan-head differ from their description.
#include <panto/control/predictive_lqg.hpp>
#include <panto/control/robustness.hpp>
#include <panto/ident/rig_fit.hpp>
#include <panto/io/stop_signal.hpp>
#include <panto/panto.hpp>
#include <panto/session/session.hpp>

#include <chrono>
#include <iostream>

using namespace panto;

struct LabDrive {  // like a drive of your own, it knows nothing of the rig
    using Command = PositionCommand;
    rig::Simulated& stand;
    Result<Motion> read() const noexcept { return stand.drive.read(); }
    Status write(const PositionCommand& c) const noexcept { return stand.drive.write(c); }
    void stop() const noexcept { stand.drive.stop(); }
};

// [raise]
// Raises the pantograph until the drive holds it; then the uplift force grows to the static force.
void raise(rig::Simulated& stand, double held, double static_force) {
    for (int i = 0; i < 700 && !io::StopSignal::requested(); ++i) {
        stand.set_uplift_force(std::max(held + 1.7, 0.005 * (i - 500) * static_force));
        stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(20));
    }
}
// [raise]

int main() try {
    const io::StopSignal stop;                         // Ctrl-C and kill end a stage or the run, and the drive stops
    constexpr double dt = 2e-3, static_force = 130.0;  // s, N
    const plant::RigParams told{.pantograph = pantograph::preset("DSA380_HiL").params};
    plant::RigParams hidden = told;
    hidden.motor = {10.0, 2100.0, 340e3};
    hidden.pad_stiffness = 190e3;
    hidden.pantograph.mass[0] = 7.7;
    hidden.command_delay = 1.35;

    // The wire at rest under the pantograph, and the force between them: there the run begins.
    catenary::RealTimeEngine<> wire(
        catenary::FiniteElements<>(catenary::stitched_hil(10), {.contact = 0.75, .messenger = 1.5}),
        {.speed = 250.0 / 3.6, .start = 130.0, .dt = dt});
    io::RunPlan plan{.rig = told,
                     .end = 500.0,
                     .static_force = static_force,
                     .start = interaction::Start::loaded_equilibrium,
                     .stop_requested = &io::StopSignal::flag()};
    const double force = io::press(wire, plan), height = wire.wire().height;

    const double held = told.pantograph.stiffness.tail(1)[0] * height;  // N
    rig::Simulated stand({.rig = hidden,
                          .uplift_force = held,
                          .start_height = height + 2e-3,
                          .force_noise = 1.0,
                          .position_noise = 1e-5},
                         dt);
    LabDrive drive{.stand = stand};
    // [stages]
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning stages(sensor, drive, stand.clock,
                              {.preload_force = force, .stop_requested = &io::StopSignal::flag()});
    if (usable(stages.tare()) && usable(stages.excite_in_air())) {
        raise(stand, held, static_force);
        if (usable(stages.approach()) && usable(stages.preload()) && usable(stages.excite_in_contact()))
            (void)stages.check_sign();
    }
    // [stages]
    const rig::CommissioningReport& ready = stages.report();
    require(usable(ready.status), "first_day", name(ready.stage), ": ", rig::describe(ready.fault));
    // [fit]
    const ident::RigFit found = ident::fit_rig(told, stages.record(rig::CommissioningStage::excitation_in_air),
                                               stages.record(rig::CommissioningStage::excitation_in_contact));
    // [fit]
    for (Eigen::Index i = 0; i < found.x.size(); ++i)
        std::cout << ident::rig_parameter_names[static_cast<std::size_t>(i)] << ' ' << found.x[i]
                  << ", 95 %: " << found.lower[i] << " to " << found.upper[i] << '\n';
    for (const std::string& doubt : found.doubts) std::cout << "doubt: " << doubt << '\n';

    plan.rig = found.rig;
    // [settles]
    const auto response = control::wire_response(wire, force);
    const auto loop = [&](const plant::RigParams& rig) {
        const control::PredictiveLqg controller({.rig = rig, .wire = response}, dt);
        return control::cut_loop(plant::sampled_model(rig, dt), controller, response);
    };
    control::require_settles(found.rig, loop, "first_day", "PredictiveLqg");  // says on which pads it would
    // [settles]
    control::PredictiveLqg controller({.rig = found.rig, .wire = response}, dt);
    io::Session session(plan, sensor, wire, controller, drive, stand.clock);
    session.commissioned(ready);
    const rig::Report report = session.run();
    session.evaluate_beside_simulation();
    for (const io::ResultRow& row : session.record().results)
        if (row.value && row.name.find("error") != std::string::npos)
            std::cout << row.name << ' ' << *row.value << ' ' << row.unit << '\n';
    std::cout << report.explanation() << " after " << report.cycles << " cycles\n";
    return usable(report.status) ? 0 : 1;
} catch (const SetupError& e) {
    std::cerr << "error: " << e.what() << '\n';
    return 2;
}
