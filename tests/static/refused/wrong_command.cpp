// SPDX-License-Identifier: BSD-3-Clause
// A controller that thinks in newtons on a drive that expects metres.
// refused: same_as|constraint|is_same
#include <panto/rig/cycle.hpp>

struct Sensor {
    panto::Result<double> read() noexcept { return {}; }
};
struct Wire {
    panto::Motion step(double) noexcept { return {}; }
    void reset() noexcept {}
    double dt() const noexcept { return 0.002; }
};
template <class CommandType>
struct Controller {
    using Command = CommandType;
    panto::Result<Command> update(const panto::Exchange&) noexcept { return {}; }
    void reset(const panto::Motion&) noexcept {}
};
struct Drive {
    using Command = panto::PositionCommand;
    panto::Result<panto::Motion> read() noexcept { return {}; }
    panto::Status write(const Command&) noexcept { return panto::Status::ok; }
    void stop() noexcept {}
};

#ifdef ACCEPTED
using Chosen = Controller<panto::PositionCommand>;
#else
using Chosen = Controller<panto::ForceCommand>;
#endif

void refused(Sensor& sensor, Wire& wire, Chosen& controller, Drive& drive) {
    panto::rig::Cycle cycle(sensor, wire, controller, drive);
    cycle.stop(panto::Status::stopped_by_user);
}
