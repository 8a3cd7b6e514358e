// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/direct.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/run.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

using namespace panto;
using namespace std::chrono_literals;
using rig::CycleRecord;
using rig::Overrun;
using rig::Stage;
using std::chrono::nanoseconds;
using test::FakeClock;

namespace run_test {
namespace {

/// A cycle that takes as long as it is told to, by the fake clock.
struct TimedCycle {
    FakeClock& clock;
    std::vector<nanoseconds> takes;  // cycle by cycle, then nothing
    Status fails_with = Status::ok;
    std::size_t fails_in = 1'000'000;
    std::vector<nanoseconds> began{};
    Exchange e{};
    Status stopped_with = Status::ok;
    int starts = 0, stops = 0;
    Status start_answer = Status::ok;

    Status start() noexcept { return ++starts, start_answer; }
    template <class Mark>
    Status step(Mark mark) noexcept {
        const std::size_t n = began.size();
        began.push_back(clock.time);
        e.time = static_cast<double>(n);
        const nanoseconds t = n < takes.size() ? takes[n] : 0ns;
        clock.time += t / 4;
        mark(Stage::read);
        clock.time += t / 2;
        mark(Stage::compute);
        clock.time += t / 4;
        mark(Stage::write);
        return n == fails_in ? fails_with : Status::ok;
    }
    Status stop(Status why) noexcept { return ++stops, stopped_with = why; }
    const Exchange& exchange() const noexcept { return e; }
};

using Ignore = void (*)(const CycleRecord&) noexcept;

}  // namespace

TEST_CASE("cycles begin at whole multiples of the period, however long each takes") {
    FakeClock clock{.time = 17ns};
    TimedCycle cycle{clock, {1ms, 0ms, 1999999ns, 2ms, 1ms}};
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 20ms});
    CHECK(report.status == Status::ok);
    CHECK(report.cycles == 10);
    CHECK(report.overruns == 0);  // ending as the next one is due is in time
    for (std::size_t n = 0; n < 10; ++n) CHECK(cycle.began[n] == 17ns + static_cast<std::int64_t>(n) * 2ms);
    CHECK(cycle.stops == 1);
    CHECK(cycle.stopped_with == Status::ok);
}

TEST_CASE("no drift over a hundred thousand cycles of an uneven period") {
    FakeClock clock;
    TimedCycle cycle{clock, {}};
    cycle.began.reserve(100000);
    rig::run(cycle, clock, {.period = 1234567ns, .duration = 100000 * 1234567ns});
    CHECK(cycle.began.size() == 100000);
    CHECK(cycle.began.back() == 99999 * 1234567ns);
}

TEST_CASE("an overrun stops the drive if so wished") {
    FakeClock clock;
    TimedCycle cycle{clock, {1ms, 2000004ns}};
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 1s});
    CHECK(report.status == Status::deadline_missed);
    CHECK(report.reason() == "deadline missed");
    CHECK(report.cycles == 2);
    CHECK(report.overruns == 1);
    CHECK(cycle.stopped_with == Status::deadline_missed);
}

TEST_CASE("or cycles that are due already are left out and the rest stays in phase") {
    FakeClock clock;
    TimedCycle cycle{clock, {1ms, 5ms, 1ms}};
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 20ms, .overrun = Overrun::skip});
    CHECK(report.status == Status::ok);
    CHECK(report.overruns == 1);
    CHECK(report.skipped == 2);  // those due at 4 and 6 ms: the one at 2 ms ended at 7 ms
    CHECK(report.cycles == 8);
    CHECK(cycle.began == std::vector<nanoseconds>{0ms, 2ms, 8ms, 10ms, 12ms, 14ms, 16ms, 18ms});
}

TEST_CASE("skipping ends with the schedule") {
    FakeClock clock;
    TimedCycle cycle{clock, {50ms}};
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 10ms, .overrun = Overrun::skip});
    CHECK(report.cycles == 1);
    CHECK(report.skipped == 4);
    CHECK(report.status == Status::ok);
}

TEST_CASE("or they are done at once until the loop is in time again") {
    FakeClock clock;
    TimedCycle cycle{clock, {1ms, 5ms, 1ms, 500us, 500us}};
    const auto report =
        rig::run(cycle, clock, {.period = 2ms, .duration = 20ms, .overrun = Overrun::catch_up, .catch_up_limit = 3});
    CHECK(report.status == Status::ok);
    CHECK(report.cycles == 10);
    CHECK(report.skipped == 0);
    // Ends at 7 (next due at 4: late), 8 (6: late), 8.5 (8: late), 9 ms (10: in time).
    CHECK(report.overruns == 3);
    CHECK(cycle.began[2] == 7ms);
    CHECK(cycle.began[3] == 8ms);
    CHECK(cycle.began[4] == 8500us);
    CHECK(cycle.began[5] == 10ms);
    CHECK(report.late.longest() == 3ms);
}

TEST_CASE("but not for ever") {
    FakeClock clock;
    TimedCycle cycle{clock, std::vector<nanoseconds>(100, 2100us)};
    const auto report =
        rig::run(cycle, clock, {.period = 2ms, .duration = 1s, .overrun = Overrun::catch_up, .catch_up_limit = 5});
    CHECK(report.status == Status::deadline_missed);
    CHECK(report.cycles == 6);
    CHECK(report.overruns == 6);
}

TEST_CASE("the report names what ended a run: quantity, value and what is allowed") {
    FakeClock clock;
    TimedCycle late{clock, {1ms, 2000004ns}};
    CHECK(rig::run(late, clock, {.period = 2ms, .duration = 1s}).explanation() ==
          "deadline missed: lateness of a cycle 4e-09 s (allowed up to 0 s)");
    TimedCycle often{clock, std::vector<nanoseconds>(100, 2100us)};
    CHECK(rig::run(often, clock, {.period = 2ms, .duration = 1s, .overrun = Overrun::catch_up, .catch_up_limit = 5})
              .explanation() == "deadline missed: late cycles in a row 6 (allowed up to 5)");
    TimedCycle sound{clock, {}};
    const auto good = rig::run(sound, clock, {.period = 2ms, .duration = 1s});
    CHECK(good.explanation() == "ok");
    CHECK(rig::run(sound, clock, {.period = 0ms}).explanation() == "refused: the schedule is invalid");
    struct Narrow {
        std::int64_t room() const noexcept { return 3; }
        void operator()(const CycleRecord&) const noexcept {}
    } narrow;
    CHECK(rig::run(sound, clock, {.period = 2ms, .duration = 1s}, narrow).explanation() ==
          "refused: the observer has no room for the cycles of the schedule: cycles of the schedule 500 (allowed 0 to "
          "3)");
}

TEST_CASE("a schedule longer than the line is refused before the drive is touched") {
    struct ShortLine : TimedCycle {
        std::int64_t steps_on_line() const noexcept { return 4; }
    };
    FakeClock clock;
    ShortLine cycle{{clock, {}}};
    const auto refused = rig::run(cycle, clock, {.period = 2ms, .duration = 10ms});
    CHECK(refused.refused == rig::Refusal::line);
    CHECK(refused.status == Status::out_of_range);
    CHECK(refused.explanation() ==
          "refused: the schedule is longer than the line: cycles of the schedule 5 (allowed 0 to 4)");
    CHECK(cycle.starts == 0);
    CHECK(cycle.stops == 0);
    CHECK(rig::run(cycle, clock, {.period = 2ms, .duration = 8ms}).status == Status::ok);
}

TEST_CASE("a clock may go back by a tenth of a period, which is its resolution, and no further") {
    for (const auto& [back, expected] : {std::pair{190us, Status::ok}, std::pair{210us, Status::deadline_missed}}) {
        FakeClock clock;
        TimedCycle cycle{clock, {0ns, 0ns, 0ns, -nanoseconds(back)}};
        const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 40ms});
        CHECK(report.status == expected);
        if (expected != Status::ok) {
            CHECK(report.fault.quantity == rig::Quantity::clock);
            CHECK(report.fault.value == approx(2.21e-3));  // s: a period and the step back
            CHECK(report.fault.highest == approx(2.2e-3));
        }
    }
}

TEST_CASE("each stage's times are kept apart") {
    FakeClock clock;
    TimedCycle cycle{clock, std::vector<nanoseconds>(5, 40ns)};
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 10ms});
    CHECK(report.read.longest() == 10ns);
    CHECK(report.compute.longest() == 20ns);
    CHECK(report.write.longest() == 10ns);
    CHECK(report.step.median() == 40ns);
    CHECK(report.step.count() == 5);
}

TEST_CASE("a fault ends the run with its reason, and the faulty cycle is the last record") {
    FakeClock clock;
    TimedCycle cycle{.clock = clock, .takes = {}, .fails_with = Status::sensor_lost, .fails_in = 4};
    // [recorder]
    const rig::Schedule schedule{.period = 2ms, .duration = 1s};
    rig::Recorder recorder(schedule);
    const auto report = rig::run(cycle, clock, schedule, recorder);
    // [recorder]
    CHECK(report.status == Status::sensor_lost);
    CHECK(report.cycles == 5);
    CHECK(recorder.size() == 5);
    CHECK(recorder.back().status == Status::sensor_lost);
    CHECK(recorder.back().exchange.time == 4.0);
    CHECK(cycle.stops == 1);
    CHECK(cycle.stopped_with == Status::sensor_lost);
}

TEST_CASE("a cycle that does not start is not run, but stopped") {
    FakeClock clock;
    TimedCycle cycle{.clock = clock, .takes = {}};
    cycle.start_answer = Status::drive_fault;
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 1s});
    CHECK(report.status == Status::drive_fault);
    CHECK(report.cycles == 0);
    CHECK(cycle.stops == 1);
}

TEST_CASE("the user ends a run through a flag or the observer") {
    FakeClock clock;
    SUBCASE("flag") {
        std::atomic<bool> enough{false};
        TimedCycle cycle{clock, {}};
        const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 1s, .stop_requested = &enough},
                                     [&](const CycleRecord& r) noexcept { enough = r.exchange.time >= 6.0; });
        CHECK(report.status == Status::stopped_by_user);
        CHECK(report.cycles == 7);
        CHECK(cycle.stops == 1);
    }
    SUBCASE("observer") {
        TimedCycle cycle{clock, {}};
        const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 1s},
                                     [](const CycleRecord& r) noexcept { return r.exchange.time < 6.0; });
        CHECK(report.status == Status::stopped_by_user);
        CHECK(report.cycles == 7);
    }
}

TEST_CASE("the observer's time counts against the deadline") {
    FakeClock clock;
    TimedCycle cycle{clock, {1ms}};
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 1s},
                                 [&](const CycleRecord&) noexcept { clock.time += 1500us; });
    CHECK(report.status == Status::deadline_missed);
    CHECK(report.cycles == 1);
}

TEST_CASE("a schedule without sense never touches the drive") {
    FakeClock clock;
    TimedCycle cycle{clock, {}};
    for (const rig::Schedule& schedule : {rig::Schedule{.period = 0ns}, rig::Schedule{.period = -1ms},
                                          rig::Schedule{.duration = -1s}, rig::Schedule{.catch_up_limit = -1}}) {
        CHECK(rig::run(cycle, clock, schedule).status == Status::out_of_range);
        CHECK(cycle.starts == 0);
        CHECK_THROWS_AS(rig::Recorder{schedule}, SetupError);
    }
}

TEST_CASE("a schedule whose period is not the cycle's time step is refused before the drive is touched") {
    struct StepAware : TimedCycle {
        double own;
        double dt() const noexcept { return own; }
    };
    FakeClock clock;
    StepAware cycle{{clock, {}}, 2e-3};
    const auto report = rig::run(cycle, clock, {.period = 1ms, .duration = 10ms});
    CHECK(report.status == Status::out_of_range);
    CHECK(report.refused == rig::Refusal::period);
    CHECK(report.reason() == "refused: the schedule's period is not the time step of the cycle");
    CHECK(cycle.starts == 0);
    CHECK(cycle.stops == 0);
    CHECK(rig::run(cycle, clock, {.period = 2ms, .duration = 10ms}).status == Status::ok);
    StepAware third{{clock, {}}, 1e-3 / 3.0};  // no whole number of nanoseconds
    CHECK(rig::run(third, clock, {.period = 333333ns, .duration = 10ms}).status == Status::ok);
    CHECK(rig::run(third, clock, {.period = 333332ns, .duration = 10ms}).refused == rig::Refusal::period);
    TimedCycle any{clock, {}};  // without dt() it may be called at any pace
    CHECK(rig::run(any, clock, {.period = 1ms, .duration = 10ms}).status == Status::ok);
}

TEST_CASE("each refusal has a reason of its own") {
    FakeClock clock;
    TimedCycle cycle{clock, {}};
    CHECK(rig::run(cycle, clock, {.period = 0ns}).reason() == "refused: the schedule is invalid");
    rig::Recorder recorder({.period = 2ms, .duration = 10ms});
    const auto report = rig::run(cycle, clock, {.period = 2ms, .duration = 12ms}, recorder);
    CHECK(report.reason() == "refused: the observer has no room for the cycles of the schedule");
    CHECK(cycle.starts == 0);
}

TEST_CASE("a start that fails leaves the offending readings in the record") {
    test::ScriptedSensor sensor;
    test::StandInWire wire(2e-3);
    test::WatchedDrive drive;
    control::Direct controller;
    FakeClock clock;
    rig::Cycle cycle(sensor, wire, controller, drive);
    const rig::Schedule schedule{.period = 2ms, .duration = 1s};
    rig::Recorder recorder(schedule);
    sensor.next = {777.0, Status::ok};
    const auto report = rig::run(cycle, clock, schedule, recorder);
    CHECK(report.status == Status::out_of_range);
    CHECK(report.refused == rig::Refusal::none);
    CHECK(report.reason() == "out of range");
    CHECK(report.cycles == 0);
    REQUIRE(recorder.size() == 1);
    CHECK(recorder.back().status == Status::out_of_range);
    CHECK(recorder.back().exchange.strip_force == 777.0);
    CHECK(drive.writes == 0);
    CHECK(drive.stopped);
}

TEST_CASE("the last record of an empty recorder says that nothing was run") {
    rig::Recorder recorder({.period = 2ms, .duration = 10ms});
    CHECK(recorder.back().status == Status::not_running);
    recorder(CycleRecord{.exchange = {}, .status = Status::saturated});
    CHECK(recorder.back().status == Status::saturated);
    recorder.clear();
    CHECK(recorder.back().status == Status::not_running);
}

TEST_CASE("std::ref of an observer is that observer, with its room and its wish to stop") {
    FakeClock clock;
    TimedCycle cycle{clock, {}};
    rig::Recorder recorder({.period = 2ms, .duration = 10ms});
    static_assert(rig::CycleObserver<std::reference_wrapper<rig::Recorder>>);
    static_assert(rig::HasRoom<std::reference_wrapper<rig::Recorder>>);
    CHECK(rig::run(cycle, clock, {.period = 2ms, .duration = 12ms}, std::ref(recorder)).refused == rig::Refusal::room);
    CHECK(rig::run(cycle, clock, {.period = 2ms, .duration = 10ms}, std::ref(recorder)).cycles == 5);
    CHECK(recorder.size() == 5);
    int told = 0;
    auto third = [&](const CycleRecord&) noexcept { return ++told < 3; };
    TimedCycle again{clock, {}};
    CHECK(rig::run(again, clock, {.period = 2ms, .duration = 10ms}, std::ref(third)).status == Status::stopped_by_user);
    CHECK(told == 3);
    const auto steady = [](const CycleRecord&) noexcept {};
    TimedCycle once_more{clock, {}};
    CHECK(rig::run(once_more, clock, {.period = 2ms, .duration = 10ms}, std::cref(steady)).status == Status::ok);
}

TEST_CASE("the longest durations are counted without overflow, and a recorder for them is refused by name") {
    constexpr rig::Schedule forever{.period = 2ms, .duration = nanoseconds::max()};
    static_assert(forever.cycles() == nanoseconds::max().count() / 2'000'000 + 1);
    static_assert(rig::Schedule{.period = 2ms, .duration = 4ms}.cycles() == 2);
    static_assert(rig::Schedule{.period = 2ms, .duration = 4ms + 1ns}.cycles() == 3);
    static_assert(rig::Schedule{.period = nanoseconds::max(), .duration = nanoseconds::max()}.cycles() == 1);
    CHECK_THROWS_WITH_AS((rig::Recorder{forever}),
                         "rig::Recorder: the schedule has 4611686018428 cycles, expected at most 20000000", SetupError);
}

TEST_CASE("an observer may not throw") {
    const auto throwing = [](const CycleRecord&) {};
    static_assert(!rig::CycleObserver<decltype(throwing)>);
    static_assert(rig::CycleObserver<Ignore>);
    static_assert(noexcept(rig::run(std::declval<TimedCycle&>(), std::declval<FakeClock&>(),
                                    std::declval<const rig::Schedule&>(), std::declval<Ignore>())));
}

TEST_CASE("a recorder has room for its whole schedule and refuses a longer one beforehand") {
    FakeClock clock;
    const rig::Schedule schedule{.period = 2ms, .duration = 9999us};
    rig::Recorder recorder(schedule);
    CHECK(recorder.room() == 5);
    {
        TimedCycle cycle{clock, {}};
        CHECK(rig::run(cycle, clock, {.period = 2ms, .duration = 12ms}, recorder).status == Status::out_of_range);
        CHECK(cycle.starts == 0);
        CHECK(recorder.empty());
    }
    TimedCycle cycle{clock, {}};
    CHECK(rig::run(cycle, clock, schedule, recorder).status == Status::ok);
    CHECK(recorder.room() == 0);
    for (std::size_t i = 0; i < 5; ++i) CHECK(recorder[i].exchange.time == static_cast<double>(i));
    CHECK(recorder.series([](const Exchange& e) { return 2.0 * e.time; }) == std::vector<double>{0, 2, 4, 6, 8});

    CHECK(rig::run(cycle, clock, schedule, recorder).status == Status::out_of_range);  // full
    recorder.clear();
    TimedCycle again{clock, {}};
    CHECK(rig::run(again, clock, schedule, recorder).status == Status::ok);

    CHECK_THROWS_WITH_AS((rig::Recorder({.period = 1ns, .duration = 1s}, 1000)),
                         "rig::Recorder: the schedule has 1000000000 cycles, expected at most 1000", SetupError);
}

TEST_CASE("running and recording do not allocate") {  // @rt-tested: run Recorder::operator()
    FakeClock clock;
    TimedCycle cycle{clock, {}};
    cycle.began.reserve(1000);
    const rig::Schedule schedule{.period = 2ms, .duration = 2s};
    rig::Recorder recorder(schedule);
    CHECK(panto::test::allocations_in([&] { rig::run(cycle, clock, schedule, recorder); }) == 0);
    CHECK(recorder.size() == 1000);
}

TEST_CASE("a clock that goes back, stands still or runs ahead of its sleep does not make the loop run free") {
    struct OddClock : FakeClock {
        enum { standing, set_back, early } how = standing;
        int sleeps = 0;
        void sleep_until(nanoseconds t) noexcept {
            ++sleeps;
            if (how == early)
                time += (t - time + 1ns) / 2;  // as if woken by a signal, again and again
            else if (sleeps == 5)
                time -= how == set_back ? 10s : 0s;
            else
                FakeClock::sleep_until(t);
        }
    };
    OddClock clock;
    TimedCycle cycle{clock, {}};
    const auto standing = rig::run(cycle, clock, {.period = 2ms, .duration = 1s, .overrun = Overrun::skip});
    CHECK(standing.status == Status::deadline_missed);
    CHECK(cycle.began.size() == 5);
    CHECK(cycle.stopped_with == Status::deadline_missed);

    OddClock back;
    back.how = OddClock::set_back;
    TimedCycle second{back, {}};
    CHECK(rig::run(second, back, {.period = 2ms, .duration = 1s}).status == Status::deadline_missed);
    CHECK(second.began.size() == 5);
    CHECK(second.stops == 1);

    OddClock woken;
    woken.how = OddClock::early;
    TimedCycle third{woken, {}};
    const auto report = rig::run(third, woken, {.period = 2ms, .duration = 20ms});
    CHECK(report.status == Status::ok);
    for (std::size_t n = 0; n < 10; ++n) CHECK(third.began[n] == static_cast<std::int64_t>(n) * 2ms);
}

TEST_CASE("a start that fails is recorded even where the schedule has no cycle") {
    FakeClock clock;
    TimedCycle cycle{.clock = clock, .takes = {}, .start_answer = Status::sensor_lost};
    rig::Recorder recorder({.duration = 0s});
    CHECK(rig::run(cycle, clock, {.duration = 0s}, recorder).status == Status::sensor_lost);
    REQUIRE(recorder.size() == 1);
    CHECK(recorder.back().status == Status::sensor_lost);
}

}  // namespace run_test
