// SPDX-License-Identifier: BSD-3-Clause
/// The virtual rig under the stitched line of the HiL paper, held against tests/golden/targets.json.

#include "../../cases/rig_cases.hpp"
#include "allocations.hpp"
#include "catch.hpp"
#include "targets.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace panto;
using namespace panto::test;

namespace {

void check(const std::vector<Measured>& measured) {
    static const Targets targets(PANTO_TEST_GOLDEN "/targets.json");
    REQUIRE_FALSE(measured.empty());
    for (const Measured& m : measured) {
        const Target& t = targets.at(m.id);
        INFO(t.what << ": " << m.value << ' ' << t.unit << ", accepted " << t.low << " to " << t.high);
        CHECK(t.holds(m.value));
    }
}

}  // namespace

TEST_CASE("LQG+ with three steps of preview errs as in the golden runs", "[rig][golden]") {
    check(rig_at(GENERATE(250, 275, 300)));
}

TEST_CASE("noise of 1 N and 0.01 mm is borne", "[rig][golden]") { check(rig_with_noise(GENERATE(250, 275, 300))); }

TEST_CASE("with ten other seeds too: the error index always, the peak as a rule", "[rig][golden][long]") {
    const int speed = GENERATE(250, 275, 300);
    const Targets targets(PANTO_TEST_GOLDEN "/targets.json");
    const std::string id = "noise" + std::to_string(speed);
    std::vector<double> peaks;
    for (std::uint64_t seed = 2; seed <= 11; ++seed) {
        CAPTURE(seed);
        for (const Measured& m : rig_with_noise(speed, seed)) {
            if (m.id == id + ".max")
                peaks.push_back(m.value);
            else
                CHECK(targets.at(m.id).holds(m.value));
        }
    }
    // A peak is one sample of some 4000 and noise moves it: the median is held against the target, and the worst,
    // measured up to 2 % beyond it, must stay close.
    std::sort(peaks.begin(), peaks.end());
    CHECK(targets.at(id + ".max").holds(0.5 * (peaks[4] + peaks[5])));
    CHECK(peaks.back() < 1.05 * targets.at(id + ".max").high);
}

TEST_CASE("other controllers err as in the golden runs: too little preview, one step more, none, as printed",
          "[rig][golden]") {
    check(rig_with_other_controllers());
}

TEST_CASE("a known force filter belongs into the design model, and there it does little harm", "[rig][golden]") {
    const RigResult filtered = rig_run({.force_filter = 100.0});
    REQUIRE(filtered.report.status == Status::ok);
    // Measured 5.4 % and 1.25 mm; without the filter 5.7 % and 1.0 mm. No golden figure: the sheet only says that
    // leaving the filter out of the model loses stability.
    CHECK(filtered.error.filtered < 6.0);
    CHECK(filtered.position_max_mm < 1.4);
}

TEST_CASE("the paper's off-line iteration ends near the ideal coupling, and the run in the loop is near to both",
          "[rig][golden]") {
    // The head is damped: without that the imposed motion excites it at 29 Hz and the iteration does not converge.
    const OffLine check =
        off_line({.head_damping = 300.0}, {.iterations = 20, .tolerance = 2.0, .memory = 10, .relaxation = 0.3});
    CHECK(check.result.status == Status::ok);
    CHECK(check.result.change.back() < 0.25 * check.result.change.front());
    CHECK(check.against_ideal < 5.0);  // measured 3.4 %: two ways to the same force, the start differs
    CHECK(check.of_recording < 6.0);   // the paper's figure; measured 4.5 %
}

TEST_CASE("the whole loop with finite elements, LQG+ and preview does not allocate", "[rig]") {
    constexpr double step = 2e-3;
    const FiniteElements<> model(catenary::stitched_hil(6), {});
    catenary::RealTimeEngine<> wire(model, {.speed = 80.0, .start = 130.0, .dt = step});
    rig::Simulated stand({.uplift_force = 150.0, .start_height = 3e-3, .force_noise = 1.0, .position_noise = 1e-5},
                         step);
    control::Lqg controller({.rig = stand.params().rig}, step);
    rig::Cycle cycle(stand.sensor, wire, controller, stand.drive,
                     interaction::MassInteraction({.ramp_time = 0.5}, step));
    const rig::Schedule schedule{.period = std::chrono::milliseconds(2), .duration = std::chrono::seconds(2)};
    rig::Recorder recorder(schedule);
    rig::Report report;
    CHECK(allocations_in([&] { report = rig::run(cycle, stand.clock, schedule, recorder); }) == 0);
    CHECK(report.status == Status::ok);
    CHECK(recorder.size() == 1000);
}
