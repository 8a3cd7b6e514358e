// SPDX-License-Identifier: BSD-3-Clause
// Your own drive and load cell on the rig, with report, series and log: write the members the concepts ask for.
#include <panto/io/stop_signal.hpp>
#include <panto/panto.hpp>
#include <panto/session/session.hpp>

#include <iostream>

using namespace panto;

struct FieldBus {  // stands for whatever you have: EtherCAT process data, a DAQ card, shared memory
    double load_cell = 120.0, position = 0.0;  // N, m
    bool healthy = true;
};
struct LabLoadCell {
    const FieldBus* bus;
    Result<double> read() const noexcept { return {bus->load_cell, bus->healthy ? Status::ok : Status::sensor_lost}; }
};
struct LabDrive {
    using Command = PositionCommand;  // a controller made for ForceCommand would not compile
    FieldBus* bus;
    Result<Motion> read() const noexcept { return {{.height = bus->position}}; }
    Status write(const PositionCommand& c) const noexcept { return bus->position = c.value, Status::ok; }
    void stop() const noexcept {}  // this one stands still unless it is written to
};
static_assert(ForceSensor<LabLoadCell> && Drive<LabDrive>);  // the compiler reports a missing member here

int main() {
    const io::StopSignal stop;  // Ctrl-C and kill end the run: the drive stops, the results are written
    FieldBus bus;
    LabLoadCell sensor{&bus};
    LabDrive drive{&bus};
    rig::SteadyClock clock;
    catenary::RealTimeEngine<> wire(catenary::FiniteElements<>(catenary::stitched_hil(6)),
                                    {.speed = 70.0, .start = 65, .dt = 2e-3});  // m/s, m, s
    const io::RunPlan plan{.rig = {.pantograph = pantograph::preset("DSA380_HiL").params},
                           .end = 90.0,            // m
                           .static_force = 120.0,  // N
                           .overrun = rig::Overrun::skip,
                           .stop_requested = &io::StopSignal::flag()};
    control::Lqg controller({.rig = plan.rig}, wire.dt());
    io::ResultFolder results("own_hardware_results", io::run_files);
    io::Session session(plan, sensor, wire, controller, drive, clock, {.pantograph = "DSA380_HiL"});
    session.record_in(results);
    const rig::Report report = session.run();  // on a real rig after session.commission()
    session.evaluate();
    session.write();
    std::cout << report.explanation() << " after " << report.cycles << " cycles, see own_hardware_results\n";
    return usable(report.status) ? 0 : 1;
}
