// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/moving_engine.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/testing/catenary.hpp>

#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

using namespace panto;

namespace moving_tester_test {
namespace {

/// Two droppers and a support every 8 m.
catenary::PeriodicLine small_line() {
    const wave::BeamParams<> wire{
        .mass_per_length = 1.3, .viscous_damping = 0.4, .bending_stiffness = 100.0, .tension = 20e3};
    catenary::PeriodicLine line{.period = 8.0, .contact_wire = wire, .messenger_wire = wire, .beta = 1e-4};
    line.droppers = {{2.0, 3000.0, 2.0, 50.0}, {6.0, 3000.0, 2.0, 50.0}};
    line.on_messenger = {{.stiffness = 5e4}};
    return line;
}

}  // namespace

TEST_CASE("an engine that is no finite-element model passes the tester and runs in a cycle") {
    auto engine =
        catenary::moving_engine(small_line(), {.speed = 40.0, .dt = 8.0 / (40.0 * 80.0), .cells = 16, .spans = 3});
    CHECK(testing::as_text(testing::test_catenary(engine)) == "");

    struct Hold {
        using Command = PositionCommand;
        Result<Command> update(const Exchange& e) const noexcept { return {{e.strip.height}, Status::ok}; }
        void reset(const Motion&) const noexcept {}
        int preview_steps() const noexcept { return 4; }
    } hold;
    test::ScriptedSensor sensor;
    test::WatchedDrive drive;
    rig::Cycle cycle(sensor, engine, hold, drive);
    REQUIRE(cycle.start() == Status::ok);
    for (int n = 0; n < 100; ++n) REQUIRE(cycle.step() == Status::ok);
    CHECK(cycle.exchange().wire.height > 0.0);  // 100 N lift it
    CHECK(cycle.exchange().preview.count == 4);
}

}  // namespace moving_tester_test
