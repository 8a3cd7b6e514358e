// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loop that stopped says for which quantity, and readings that come late are put where they belong.

#include <panto/io/cycle_fault.hpp>
#include <panto/io/loop_record.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <vector>

using namespace panto;

namespace cycle_fault_test {
namespace {

rig::Recorder recorder_of(const std::vector<Exchange>& exchanges) {
    using std::chrono::milliseconds;
    rig::Recorder recorder(
        {.period = milliseconds(2), .duration = milliseconds(2) * static_cast<int>(exchanges.size())});
    for (const Exchange& e : exchanges) recorder({.exchange = e});
    return recorder;
}

}  // namespace

TEST_CASE("The quantity beyond its limit is named with value and limit") {
    const rig::CycleLimits limits{.force = 500.0, .lowest = -0.3, .highest = 0.3, .command_rate = 10.0};
    CHECK(io::last_values_beside_limits(recorder_of({{.strip_force = 612.5}}), limits, 0.0, 2e-3) ==
          "measured force 612.5 N (allowed -500 to 500 N)");
    // 0.25 m above the virtual datum is 0.35 m of the drive whose datum lies 0.1 m lower.
    CHECK(io::last_values_beside_limits(recorder_of({{.strip = {.height = 0.25}}}), limits, 0.1, 2e-3) ==
          "position of the drive 0.35 m (allowed -0.3 to 0.3 m)");
    CHECK(io::last_values_beside_limits(recorder_of({{.command = 0.0}, {.command = 0.05}}), limits, 0.0, 2e-3) ==
          "rate of the command 25 m/s (allowed -10 to 10 m/s)");
}

TEST_CASE("Where everything is inside its limits all of it is shown, and nothing without a cycle") {
    const rig::CycleLimits limits{};
    CHECK(io::last_values_beside_limits(recorder_of({{.strip_force = 100.0, .command = 0.01}}), limits, 0.0, 2e-3) ==
          "measured force 100 N (allowed -500 to 500 N), position of the drive 0 m (allowed -0.3 to 0.3 m), command "
          "0.01 m (allowed -0.3 to 0.3 m)");
    CHECK(io::last_values_beside_limits(recorder_of({}), limits, 0.0, 2e-3).empty());
}

TEST_CASE("A reading that comes one cycle late is put beside the wire it belongs to") {
    const rig::Recorder recorder = recorder_of({{.strip_force = 1.0, .reference = {.height = 10.0}},
                                                {.strip_force = 2.0, .reference = {.height = 20.0}},
                                                {.strip_force = -3.0, .reference = {.height = 30.0}}});
    interaction::ForceRecord record{.time = {0.0, 0.1, 0.2, 0.3}, .position = {0.0, 1.0, 2.0, 3.0}};
    record.force = record.height = std::vector<double>(4, 0.0);
    io::RunRecord run;
    io::align_readings(run, record, recorder, 1);
    CHECK(record.time == std::vector<double>{0.0, 0.1, 0.2});
    CHECK(record.force == std::vector<double>{2.0, 2.0, 0.0});  // noise below zero is no pull
    CHECK(run.reference_position == std::vector<double>{10.0, 10.0, 20.0});
    io::RunRecord stopped;
    io::align_readings(stopped, record, recorder_of({{}}), 1);
    CHECK(record.time.empty());  // stopped before the first reading came in
}

}  // namespace cycle_fault_test
