// SPDX-License-Identifier: BSD-3-Clause
// A line of a user's own that does not tell where its wire is: the first error is a sentence that says so.
// refused: io::Session: the line lacks wire\(\)
// first: io::Session: the line lacks wire\(\)
#include <panto/control/direct.hpp>
#include <panto/rig/simulated.hpp>
#include <panto/rig/wait.hpp>
#include <panto/session/session.hpp>

struct MyLine {
    panto::Motion at{};
    panto::Motion step(double) noexcept { return at; }
    void reset() noexcept {}
    double dt() const noexcept { return 2e-3; }
    double time() const noexcept { return 0.0; }
    double position() const noexcept { return 0.0; }
    double position_after(double) const noexcept { return 0.0; }
#ifdef ACCEPTED
    panto::Motion wire() const noexcept { return at; }
#endif
};
using Rig = panto::rig::Simulated;

void refused(const panto::io::RunPlan& plan, Rig& rig, MyLine& line, panto::control::Direct& controller) {
    panto::io::Session session(plan, rig.sensor, line, controller, rig.drive, rig.clock, {.pantograph = "mine"});
    session.run();
}
