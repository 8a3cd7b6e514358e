// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/wait.hpp>
#include <panto/session/recorded_run.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace panto;
using namespace std::chrono_literals;

namespace recorded_run_test {
namespace {

/// A loop without a rig: in cycle k it reads k N and 0.1 k m, then moves its line to (k + 1) mm, as a
/// rig::ImpedanceLoop does.
struct CountingLoop {
    int fails_in = 1000, cycle = 0;
    bool stopped = false;
    Motion line{};
    Exchange e{};
    rig::Fault what{};

    Status start() noexcept { return Status::ok; }
    template <class Mark>
    Status step(Mark mark) noexcept {
        e.time = time();
        e.strip_force = cycle;
        e.strip.height = 0.1 * cycle;
        mark(rig::Stage::read);
        if (cycle == fails_in) {
            what = {.status = Status::out_of_range, .quantity = rig::Quantity::force, .value = e.strip_force};
            return what.status;
        }
        line.height = 1e-3 * ++cycle;
        e.reference = line;
        mark(rig::Stage::compute);
        mark(rig::Stage::write);
        return Status::ok;
    }
    Status stop(Status why) noexcept { return stopped = true, why; }
    const Exchange& exchange() const noexcept { return e; }
    const rig::Fault& fault() const noexcept { return what; }
    std::chrono::nanoseconds took() const noexcept { return 30us; }
    double dt() const noexcept { return 2e-3; }
    double time() const noexcept { return cycle * dt(); }
    double position() const noexcept { return 50.0 * time(); }
    double position_after(double seconds) const noexcept { return position() + 50.0 * seconds; }
    const Motion& wire() const noexcept { return line; }
};
static_assert(rig::Runnable<CountingLoop>);

struct Outcome {
    io::RunRecord run{};
    io::RecordedRun done{};
    int watched = 0;
};

Outcome outcome(CountingLoop& loop, rig::Schedule schedule, const std::filesystem::path& running = {}) {
    Outcome o;
    rig::JumpingClock clock;
    rig::Recorder cycles(schedule);
    o.done = io::recorded_run(o.run, loop, clock, loop, cycles, {.schedule = schedule, .delay = 1, .running = running},
                              [&](const rig::CycleRecord&) noexcept { ++o.watched; });
    return o;
}

}  // namespace

TEST_CASE("every sample of a recorded run has readings, line and position of the same instant") {
    CountingLoop loop;
    const Outcome o = outcome(loop, {.period = 2ms, .duration = 20ms});
    CHECK(o.done.report.status == Status::ok);
    CHECK(loop.stopped);
    CHECK(o.watched == 10);
    const interaction::ForceRecord& r = o.done.seen.contact;
    REQUIRE(r.time.size() == 10);
    for (std::size_t k = 0; k < 10; ++k) {
        const auto n = static_cast<double>(k);
        CHECK(r.time[k] == approx(2e-3 * n));
        CHECK(r.position[k] == approx(0.1 * n));
        CHECK(r.force[k] == approx(n));
        CHECK(r.height[k] == approx(1e-3 * n));
        CHECK(o.run.achieved_position[k] == approx(0.1 * n));
    }
    // The loop has measured its computing time.
    CHECK(o.run.step_times.longest.value() == approx(30e-6));
    CHECK(o.done.overruns == 0);
}

TEST_CASE("a recorded run ends at a fault or when it is asked to, and keeps what there is until then") {
    CountingLoop faulty{.fails_in = 3};
    const Outcome o = outcome(faulty, {.period = 2ms, .duration = 20ms});
    CHECK(o.done.report.explanation().find("measured force 3 N") != std::string::npos);
    CHECK(o.done.seen.contact.force == std::vector<double>{0.0, 1.0, 2.0, 3.0});  // the faulty reading is the last
    CHECK(faulty.stopped);
    const std::atomic<bool> enough{true};
    CountingLoop stopped;
    const Outcome none = outcome(stopped, {.period = 2ms, .duration = 20ms, .stop_requested = &enough});
    CHECK(none.done.report.status == Status::stopped_by_user);
    CHECK(none.done.seen.contact.time.empty());
    CHECK(stopped.stopped);
}

TEST_CASE("a recorded run is on disk as well, one row a sample") {
    const auto file = std::filesystem::temp_directory_path() / "panto_recorded_run_test.csv";
    CountingLoop loop;
    const Outcome o = outcome(loop, {.period = 2ms, .duration = 20ms}, file);
    CHECK(o.run.warnings.empty());
    std::ifstream in(file);
    std::string line, last;
    int rows = 0;
    while (std::getline(in, line))
        if (!line.empty() && line[0] >= '0' && line[0] <= '9') ++rows, last = line;
    CHECK(rows == 10);
    CHECK(last.starts_with("0.018000000000000002,0.9"));
    std::filesystem::remove(file);
    CHECK_THROWS_AS(outcome(loop, {.period = 2ms, .duration = 20ms}, "/no/such/folder/running.csv"), SetupError);
}

}  // namespace recorded_run_test
