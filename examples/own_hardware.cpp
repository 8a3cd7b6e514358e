// SPDX-License-Identifier: BSD-3-Clause
// Your own drive and load cell on the rig: write the members the concepts ask for, and nothing else.
#include <panto/panto.hpp>

#include <iostream>

using namespace panto;
using namespace std::chrono_literals;

struct FieldBus {  // stands for whatever you have: EtherCAT process data, a DAQ card, shared memory
    double load_cell = 60.0, position = 0.0;  // N, m
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
    void stop() const noexcept { bus->healthy = false; }
};
static_assert(ForceSensor<LabLoadCell> && Drive<LabDrive>);  // says here what is missing

int main() {
    FieldBus bus;
    LabLoadCell sensor{&bus};
    LabDrive drive{&bus};
    rig::SteadyClock clock;
    catenary::RealTimeEngine<> wire(catenary::FiniteElements<>(catenary::stitched_hil(6)),
                                    {.speed = 70.0, .start = 65});
    const plant::RigParams my_rig{.pad_stiffness = 240e3, .pantograph = pantograph::preset("DSA380_HiL").params};
    control::Lqg controller({.rig = my_rig}, wire.dt());
    rig::Cycle cycle(sensor, wire, controller, drive, interaction::MassInteraction({}, wire.dt()));
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 100ms, .overrun = rig::Overrun::skip});
    std::cout << report.reason() << " after " << report.cycles << " cycles\n";
}
