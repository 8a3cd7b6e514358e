// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A session on stand-in hardware: what it refuses before anything moves, what it leaves behind when all goes well and
/// when it does not.

#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/paper_lqg.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/rig/drive_ref.hpp>
#include <panto/rig/simulated.hpp>
#include <panto/session/session.hpp>

#include "allocations.hpp"
#include "message.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

using namespace panto;

namespace session_test {
namespace {

namespace fs = std::filesystem;
using Wire = catenary::RealTimeEngine<>;

struct Folder {
    fs::path path = fs::temp_directory_path() / ("panto_session_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path); }
};

/// A strip that gives way, and is lost, pulled out of reach or shaken at 42 Hz from the reading it is told.
struct SoftStrip {
    const test::WatchedDrive* drive;
    int lost_in = -1, torn_in = -1, shaken_from = -1;
    int reads = 0;
    Result<double> read() noexcept {
        const int n = reads++;
        if (n == lost_in) return {0.0, Status::sensor_lost};
        if (n == torn_in) return {900.0, Status::ok};
        const double shaken = shaken_from < 0 || n < shaken_from ? 0.0 : (n / 6 % 2 == 0 ? 120.0 : -120.0);
        return {100.0 + shaken - 500.0 * drive->next.value.height, Status::ok};
    }
};
static_assert(ForceSensor<SoftStrip>);

Wire wire_of_two_spans(double dt = 2e-3) {
    return Wire(catenary::FiniteElements<>(catenary::stitched_hil(2)), {.speed = 80.0, .start = 20.0, .dt = dt});
}

io::RunPlan plan_of_fifty_metres() {
    return {.rig = {.pad_stiffness = 15e3, .pantograph = pantograph::preset("DSA380_HiL").params}, .end = 70.0};
}

/// Everything a run needs, with hardware that goes where it is told.
struct Bench {
    Folder folder;
    test::WatchedDrive drive;
    SoftStrip strip{&drive};
    test::FakeClock clock;
    Wire wire = wire_of_two_spans();
    control::Direct controller;
    io::RunPlan plan = plan_of_fifty_metres();

    [[nodiscard]] auto session() {
        return io::Session(plan, strip, wire, controller, drive, clock, {.pantograph = "stand-in"});
    }
    [[nodiscard]] io::CsvTable csv(const char* name) const { return io::read_csv(folder.path / name); }
};

}  // namespace

TEST_CASE("A session leaves series, log and report behind") {
    Bench bench;
    auto session = bench.session();
    io::ResultFolder results(bench.folder.path, io::run_files);
    session.record_in(results);
    std::vector<std::int64_t> allocated;
    allocated.reserve(1000);
    const rig::Report report =
        session.run([&](const rig::CycleRecord&) noexcept { allocated.push_back(test::allocations()); });
    REQUIRE(report.status == Status::ok);
    const std::size_t steps = 313;  // 50 m at 80 m/s in steps of 2 ms
    CHECK(report.cycles == static_cast<std::int64_t>(steps));
    CHECK(allocated.size() == steps);
    CHECK(allocated.back() - allocated.front() <= 5);  // of the thread that writes running.csv
    CHECK(bench.drive.writes == static_cast<int>(steps));
    CHECK(fs::exists(bench.folder.path / "running.csv"));
    const io::CsvTable running = bench.csv("running.csv");
    session.evaluate();
    CHECK(session.record().fault == "");
    session.write();

    const io::CsvTable series = bench.csv("series.csv");
    CHECK(series.column("time_s").size() == steps);  // the last one has no reading any more
    for (const char* name : {"time_s", "position_m", "contact_force_N", "wire_height_m", "achieved_position_m"})
        CHECK(running.column(name) == series.column(name));
    CHECK(series.column("position_m").front() == 20.0);
    CHECK(*session.record().figures.mean > 80.0);
    CHECK(*session.record().figures.position_error_max < 0.01);
    CHECK(session.record().window == std::pair(45.0, 70.0));
    CHECK(session.record().catenary == "stitched_hil");
    CHECK(session.record().overruns.has_value());

    const io::CsvTable cycles = bench.csv("cycles.csv");
    REQUIRE(cycles.column("time_s").size() == steps);
    // A reading is one period old: what the series say of an instant was read one cycle later.
    CHECK(cycles.column("strip_force_N")[9] == series.column("contact_force_N")[9]);
    CHECK(cycles.column("reference_m")[8] == series.column("reference_position_m")[9]);
    CHECK(cycles.column("wire_height_m")[8] == series.column("wire_height_m")[9]);
    CHECK(*std::max_element(cycles.column("status").begin(), cycles.column("status").end()) == 0.0);
    const std::string page = io::read_text(bench.folder.path / "report.html");
    for (const char* said : {"stand-in", "<th>date</th>", "<th>machine</th>"})
        CHECK_MESSAGE(page.find(said) != std::string::npos, said);
    for (const char* name : {"supports.csv", "droppers.csv", "spectrum.csv"})
        CHECK(fs::exists(bench.folder.path / name));
    CHECK_FALSE(fs::exists(bench.folder.path / "running.csv"));
}

TEST_CASE("A session stops a loop that rings, unless it is told to look for nothing") {
    for (const bool watched : {true, false}) {
        Bench bench;
        bench.strip.shaken_from = 100;
        if (!watched) bench.plan.cycle.limits.ringing = {.amplitude = HUGE_VAL, .motion = HUGE_VAL};
        auto session = bench.session();
        const rig::Report report = session.run();
        CHECK(report.status == (watched ? Status::out_of_range : Status::ok));
        if (!watched) continue;
        CHECK(report.fault.quantity == rig::Quantity::ringing);
        CHECK(report.cycles <= 100 + 75);  // ten half-waves of six readings, and two to settle
    }
}

TEST_CASE("A line of one's own gives the report its name, and a title has no gap if it has none") {
    struct Named : test::StandInCatenary {
        static std::string name() { return "a spring"; }
    } line;
    Bench bench;
    io::Session session(bench.plan, bench.strip, line, bench.controller, bench.drive, bench.clock);
    CHECK(session.record().catenary == "a spring");
    io::RunRecord run{.catenary = "a spring", .pantograph = "mine", .speed = 70.0};
    CHECK(io::title_of(run, " · ") == "a spring · mine · 252 km/h");
    run.catenary.clear();
    CHECK(io::title_of(run, " · ") == "mine · 252 km/h");
}

TEST_CASE("A session refuses parts that do not fit before anything moves") {
    Bench bench;
    const auto refusal = [&](auto& controller, auto& drive) {
        return test::message([&] { io::Session(bench.plan, bench.strip, bench.wire, controller, drive, bench.clock); });
    };
    SUBCASE("another time step") {
        control::Lqg slow({.rig = bench.plan.rig}, 4e-3);
        CHECK(refusal(slow, bench.drive) ==
              "rig::Cycle: the controller is made for a time step of 0.004 s, expected that of the loop, 0.002 s");
        rig::Simulated fast({}, 1e-3);  // its sensor is tared, and says its time step all the same
        CHECK(test::message([&] {
                  io::Session(bench.plan, fast.sensor, bench.wire, bench.controller, bench.drive, bench.clock);
              }).find("the sensor is made for a time step of 0.001 s") != std::string::npos);
    }
    SUBCASE("a controller for another rig") {
        auto other = bench.plan.rig;
        other.pad_stiffness = 240e3;
        control::Lqg stiff({.rig = other}, 2e-3);
        CHECK(refusal(stiff, bench.drive) ==
              "io::Session: the controller is made for a different rig from that of the plan: pad_stiffness is 240000 "
              "(that of the plan is 15000); make it for plan.rig, or set cycle.accept_other_rig");
        bench.plan.cycle.accept_other_rig = true;
        CHECK(refusal(stiff, bench.drive) == "");
    }
    SUBCASE("the paper's controller for another rig") {
        auto other = bench.plan.rig;
        other.pad_stiffness = 240e3;
        control::PaperLqg printed({.rig = other}, 2e-3);
        CHECK(refusal(printed, bench.drive)
                  .find("from that of the plan: pad_stiffness is 240000 (that of the plan is 15000)") !=
              std::string::npos);
        bench.plan.rig = other;
        CHECK(refusal(printed, bench.drive) == "");
        control::PaperLqg nowhere({}, 2e-3);  // the tables name no pantograph
        CHECK(refusal(nowhere, bench.drive).find("pantograph.mass.size() is 0 (that of the plan is ") !=
              std::string::npos);
    }
    SUBCASE("a controller for another interaction mass") {
        control::Lqg soft({.rig = bench.plan.rig, .interaction_mass = {.stiffness = 20e3}}, 2e-3);
        CHECK(refusal(soft, bench.drive) ==
              "rig::Cycle: the controller is designed for an interaction mass whose stiffness is 20000 N/m, that of "
              "the coupling is 50000 N/m; give both the same parameters: the controller's interaction_mass and the "
              "mass of the coupling, which is RunPlan::mass in a session, or set accept_other_rig");
        bench.plan.mass.stiffness = 20e3;
        CHECK(refusal(soft, bench.drive) == "");
        bench.plan.mass.damper = plant::MassDamper::wire;
        CHECK(
            refusal(soft, bench.drive).find("damper is MassDamper::ground, that of the coupling is MassDamper::wire") !=
            std::string::npos);
        bench.plan.cycle.accept_other_rig = true;
        CHECK(refusal(soft, bench.drive) == "");
    }
    SUBCASE("a pantograph for rigid lines") {
        bench.plan.rig.pantograph = pantograph::preset("TSG18F").params;
        CHECK(refusal(bench.controller, bench.drive).find("this pantograph is made for rigid lines") !=
              std::string::npos);
    }
    SUBCASE("a drive of another rig") {
        struct OtherDrive : test::WatchedDrive {
            plant::RigParams rig{};
            [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return rig; }
        } drive;
        drive.rig = bench.plan.rig;
        CHECK(refusal(bench.controller, drive) == "");
        drive.rig.reading_delay = 2.0;
        CHECK(refusal(bench.controller, drive).find("the drive is made for a different rig") != std::string::npos);
        struct CopyingDrive : test::WatchedDrive {
            double late = 2.0;
            [[nodiscard]] plant::RigParams rig_params() const noexcept {
                plant::RigParams rig = plan_of_fifty_metres().rig;
                rig.reading_delay = late;
                return rig;
            }
        } copying;
        CHECK(refusal(bench.controller, copying).find("reading_delay is 2 (that of the plan is 1)") !=
              std::string::npos);
        copying.late = bench.plan.rig.reading_delay;
        CHECK(refusal(bench.controller, copying) == "");
        rig::DriveRef<PositionCommand> behind(drive);
        CHECK(refusal(bench.controller, behind).find("the drive is made for a different rig") != std::string::npos);
    }
    SUBCASE("the plan") {
        bench.plan.end = 20.0;
        CHECK(refusal(bench.controller, bench.drive) == "io::RunPlan: end is 20 m, must be above the start, 20 m");
        bench.plan.end = 70.0;
        bench.plan.rig.pad_stiffness = -1.0;
        CHECK(refusal(bench.controller, bench.drive).find("pad_stiffness") != std::string::npos);
        bench.plan.rig.pad_stiffness = 15e3;
        bench.plan.rig.reading_delay = 1.5;
        CHECK(refusal(bench.controller, bench.drive).find("rig.reading_delay is 1.5 periods") != std::string::npos);
        bench.plan.rig.reading_delay = 1.0;
        bench.plan.evaluation = {.from = 60.0, .to = 80.0};  // behind the end
        CHECK(refusal(bench.controller, bench.drive).find("60 to 80 m") != std::string::npos);
        bench.plan.evaluation = {};
        (void)bench.wire.step(0.0);
        CHECK(refusal(bench.controller, bench.drive).find("call its reset() first") != std::string::npos);
    }
    SUBCASE("a drive that cannot hold the preload") {
        bench.plan.static_force = 120.0;
        bench.plan.rig.drive_limits.force = 50.0;
        CHECK(refusal(bench.controller, bench.drive) ==
              "io::Session: drive_limits.force of the rig is 50 N, but the contact force at rest is 120 N: the drive "
              "could not hold the strip; the limit must be above this force, or the uplift force smaller");
    }
    SUBCASE("a preload that the limits of the cycle exclude, or that is told twice") {
        bench.plan.static_force = 120.0;
        bench.plan.cycle.limits.force = 60.0;
        CHECK(refusal(bench.controller, bench.drive) ==
              "io::Session: the preload is 120 N, must be below cycle.limits.force, 60 N");
        bench.plan.cycle.limits.force = 300.0;
        bench.plan.commissioning.preload_force = 80.0;
        CHECK(
            refusal(bench.controller, bench.drive) ==
            "io::Session: commissioning.preload_force is 80 N, but the preload of a run follows from static_force and "
            "is 120 N; leave preload_force out and set static_force");
    }
    CHECK(bench.drive.writes == 0);
    CHECK(bench.strip.reads == 0);
}

TEST_CASE("Commissioning keeps the limits of the cycle where they are tighter than its own") {
    Bench bench;
    bench.plan.cycle.limits.force = 300.0;
    bench.plan.cycle.limits.highest = 0.02;
    bench.plan.commissioning.lowest = -0.01;
    bench.plan.cycle.limits.following = 2e-3;
    const rig::CommissioningPlan made = bench.session().plan().commissioning;
    CHECK(made.force_limit == 300.0);
    CHECK(made.highest == 0.02);
    CHECK(made.lowest == -0.01);
    CHECK(made.following == 2e-3);
    // A strip that gives 100 N at once: neither preload nor approach may go on beyond the limit of the cycle.
    bench.plan.cycle.limits.following = 0.02;
    bench.plan.cycle.limits.force = 99.0;
    auto session = bench.session();
    (void)session.commission();
    CHECK(session.record().fault.find("allowed -99 to 99 N") != std::string::npos);
}

TEST_CASE("A session that ends early leaves complete files behind") {
    Bench bench;
    std::string fault;
    std::size_t samples = 0;
    std::atomic<bool> stop{false};
    SUBCASE("a lost reading") {
        bench.strip.lost_in = 101;  // the first reading is that of the start
        fault = "sensor lost: missing force readings in a row 1 (allowed up to 0), at 36 m";
        samples = 101;
    }
    SUBCASE("a force beyond the limit") {
        bench.strip.torn_in = 101;
        fault = "out of range: measured force 900 N (allowed -500 to 500 N), at 36 m";
        samples = 101;
    }
    SUBCASE("the first reading") {
        bench.strip.lost_in = 0;
        fault = "sensor lost: missing force readings in a row 1 (allowed up to 0), at 20 m";
        samples = 0;
    }
    SUBCASE("asked to stop") {
        bench.plan.stop_requested = &stop;
        fault = "stopped by user, at 28 m";
        samples = 50;
    }
    auto session = bench.session();
    io::ResultFolder results(bench.folder.path, io::run_files);
    session.record_in(results, false);
    const rig::Report report =
        session.run([&](const rig::CycleRecord& r) noexcept { stop = r.exchange.time >= 0.097; });
    CHECK_FALSE(usable(report.status));
    CHECK(bench.drive.stopped);
    session.evaluate();
    session.write();
    CHECK(session.record().fault == fault);
    CHECK_FALSE(session.record().figures.mean);
    CHECK(bench.csv("series.csv").column("time_s").size() == samples);
    CHECK(bench.csv("cycles.csv").column("time_s").size() == std::max<std::size_t>(samples, 1));
    CHECK_FALSE(fs::exists(bench.folder.path / "running.csv"));
}

TEST_CASE("A session stopped before its first cycle leaves earlier results as they are") {
    Bench bench;
    std::atomic<bool> stop{true};
    bench.plan.stop_requested = &stop;
    const auto run_and_write = [&] {
        auto session = bench.session();
        io::ResultFolder results(bench.folder.path, io::run_files);
        session.record_in(results, false);
        CHECK_FALSE(usable(session.run().status));
        session.write();
        return session.record().fault;
    };
    CHECK(run_and_write().starts_with("stopped by user"));  // nothing is there yet: the files say so
    CHECK(bench.csv("series.csv").column("time_s").size() == 0);
    io::write_text(bench.folder.path / "series.csv", "time_s\n1\n2\n");
    bench.wire.reset();
    bench.drive = {};
    CHECK(run_and_write().starts_with("stopped by user"));
    CHECK(bench.csv("series.csv").column("time_s").size() == 2);
}

TEST_CASE("Cycles left out shorten the way, and the window that was not told with it") {
    Bench bench;
    bench.plan.overrun = rig::Overrun::skip;
    bench.clock.per_call = std::chrono::microseconds(700);  // several looks at the clock in a cycle: each is too long
    SUBCASE("not told") {
        auto session = bench.session();
        const rig::Report report = session.run();
        REQUIRE(report.status == Status::ok);
        CHECK(report.skipped > 100);
        REQUIRE(session.record().warnings.size() == 1);
        CHECK(session.record().warnings[0].starts_with(std::to_string(report.skipped) + " periods were left out"));
        session.evaluate();
        CHECK(session.record().fault == "");
        CHECK(session.record().window->second == session.record().position.back());
        CHECK(session.record().figures.mean.has_value());
    }
    SUBCASE("told") {
        bench.plan.evaluation = {.from = 45.0, .to = 70.0};
        auto session = bench.session();
        (void)session.run();
        session.evaluate();
        CHECK(session.record().fault.starts_with("not evaluated"));
    }
}

TEST_CASE("A rig that cannot be made ready does not run") {
    Bench bench;
    auto session = bench.session();
    io::ResultFolder results(bench.folder.path, io::run_files);
    session.record_in(results, false);
    int raised = 0;
    const auto ready = session.commission([&] { ++raised; });  // it presses already: that is no offset
    CHECK(ready.status == Status::sensor_implausible);
    CHECK(ready.stage == rig::CommissioningStage::tare);
    CHECK(raised == 0);
    const int writes = bench.drive.writes;
    const rig::Report report = session.run();
    CHECK(report.status == ready.status);
    CHECK(report.cycles == 0);
    CHECK(bench.drive.writes == writes);
    session.evaluate();
    session.write();
    CHECK(session.record().fault.starts_with("commissioning, tare: sensor implausible: offset of the load cell"));
    CHECK(bench.csv("series.csv").column("time_s").empty());
    CHECK_FALSE(fs::exists(bench.folder.path / "cycles.csv"));
}

TEST_CASE("Where noise hides the fall of the force in the sign check, the fault says what to do") {
    Bench bench;
    auto session = bench.session();
    const auto fault = [&](Status status) {
        session.commissioned(
            {.status = status,
             .stage = rig::CommissioningStage::sign_check,
             .fault = {.status = status, .quantity = rig::Quantity::fall, .value = 0.338, .lowest = 0.378}});
        return session.record().fault;
    };
    CHECK(fault(Status::sensor_implausible).find("0.378 N); noise hides the fall: use a stiffer pad") !=
          std::string::npos);
    CHECK(fault(Status::sign_wrong).ends_with("0.378 N)"));  // no noise made the force rise
}

TEST_CASE("A session beside the simulation it should have been like") {
    Bench bench;
    auto session = bench.session();
    session.run();
    session.evaluate_beside_simulation();
    REQUIRE(session.record().figures.error_raw);
    CHECK(*session.record().figures.error_raw > 0.0);
    const auto& rows = session.record().results;
    CHECK(rows.back().name == "position error, largest");
    CHECK(std::any_of(rows.begin(), rows.end(), [](const auto& r) { return r.name == "error index, raw force"; }));
}

TEST_CASE("A report of commissioning without preload or sign check is refused") {
    Bench bench;
    auto session = bench.session();
    const auto refused = [&](const rig::CommissioningReport& report) -> std::string {
        try {
            session.commissioned(report);
        } catch (const SetupError& e) {
            return e.what();
        }
        return "accepted";
    };
    CHECK(refused({}).find("preload of 0 N") != std::string::npos);
    CHECK(refused({.preload = 120.0}).find("fell by 0 N") != std::string::npos);
    CHECK(refused({.preload = 120.0, .fall = 5.0}) == "accepted");
    CHECK(refused({.status = Status::sensor_lost}) == "accepted");  // told in the record
}

TEST_CASE("A run that starts under load finds the line at rest, as its simulation does") {
    Bench bench;
    bench.plan.start = interaction::Start::loaded_equilibrium;
    bench.plan.static_force = 100.0;
    const double force = io::press(bench.wire, bench.plan), height = bench.wire.wire().height;
    CHECK(force > 90.0);
    CHECK(force < 100.0);  // the springs of the raised pantograph take the rest
    CHECK(height > 0.01);
    CHECK(std::fabs(height - bench.wire.static_height(force)) < 1e-9);
    (void)bench.wire.step(force);
    bench.wire.reset();
    CHECK(bench.wire.wire().height == height);
    auto session = bench.session();
    CHECK(session.plan().commissioning.preload_force == force);
}

TEST_CASE("With an estimated force, wire and readings of one cycle belong together") {
    struct Estimating : control::Direct {
        double contact_force(const Exchange& e) noexcept { return e.strip_force; }
    };
    Bench bench;
    Estimating controller;
    io::Session session(bench.plan, bench.strip, bench.wire, controller, bench.drive, bench.clock);
    // It follows the wire itself; the mass of the plan is for the others.
    static_assert(std::same_as<decltype(session), io::Session<SoftStrip, Wire, Estimating, test::WatchedDrive,
                                                              test::FakeClock, interaction::DirectInteraction>>);
    static_assert(std::same_as<decltype(bench.session()),
                               io::Session<SoftStrip, Wire, control::Direct, test::WatchedDrive, test::FakeClock>>);
    // This plan begins at the datum.
    REQUIRE(session.record().warnings.size() == 1);
    CHECK(session.record().warnings[0].find("without a ramp") != std::string::npos);
    CHECK(bench.session().record().warnings.empty());
    io::ResultFolder results(bench.folder.path, io::run_files);
    session.record_in(results, false);
    REQUIRE(session.run().status == Status::ok);
    CHECK(session.record().sampling.find("in the same cycle in which the line reaches this instant") !=
          std::string::npos);
    session.write();
    const io::CsvTable series = bench.csv("series.csv"), cycles = bench.csv("cycles.csv");
    REQUIRE(series.column("time_s").size() == cycles.column("time_s").size() + 1);  // and the start
    for (const std::size_t n : {10U, 200U}) {
        CHECK(series.column("contact_force_N")[n + 1] == cycles.column("strip_force_N")[n]);
        CHECK(series.column("achieved_position_m")[n + 1] == cycles.column("strip_height_m")[n]);
        CHECK(series.column("wire_height_m")[n + 1] == cycles.column("wire_height_m")[n]);
    }
}

TEST_CASE("A simulated run is recorded on disk while it goes on") {
    Bench bench;
    io::RunRecord run{.catenary = "two spans", .speed = 80.0};
    const fs::path running = bench.folder.path / "running.csv";
    std::size_t steps = 0;
    const auto record =
        io::simulate(run, bench.wire, bench.plan, running, [&](const interaction::SimulationStep&) { ++steps; });
    CHECK(run.fault == "");
    CHECK(record.contact.time.size() == steps + 1);
    const io::CsvTable spooled = io::read_csv(running);
    CHECK(spooled.column("contact_force_N") == record.contact.force);
    CHECK(run.force_raw == record.contact.force);
    CHECK(*run.step_times.longest > 0.0);

    std::atomic<bool> stop{true};
    bench.plan.stop_requested = &stop;
    bench.wire.reset();
    io::RunRecord stopped{.speed = 80.0};
    (void)io::simulate(stopped, bench.wire, bench.plan, {}, [](const interaction::SimulationStep&) {});
    CHECK(stopped.fault == "stopped by user at 20.16 m");
    CHECK(stopped.force_raw.size() == 2);
}

}  // namespace session_test
