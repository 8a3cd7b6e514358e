// SPDX-License-Identifier: BSD-3-Clause
// The experiment of the predictive paper.
#include "mpc.hpp"

#include <panto/catenary/moving_state_space.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/drive_work.hpp>
#include <panto/io/progress.hpp>
#include <panto/rig/carried_drive.hpp>
#include <panto/rig/impedance_loop.hpp>
#include <panto/rig/nonlinear_impedance_loop.hpp>
#include <panto/rig/parts.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/wait.hpp>
#include <panto/session/evaluation.hpp>
#include <panto/session/recorded_run.hpp>

#include "balances.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace panto;

namespace panto_run {

namespace {

constexpr int line_steps = 5;       // of the line in the train's frame, in a cycle
constexpr int real_time_steps = 5;  // of the real-time engine
constexpr double cell = 60.0 / 39;  // m

/// The uplift force, N, at a time of the run.
double lift_at(const Options& o, const Job& job, double t) {
    return o.static_force ? *o.static_force : 130.0 + 90.0 * t / job.duration();
}

/// How the command of the drive is split between a robot and the linear drive on it.
class Split {
  public:
    void add(const rig::CarriedDrive& drives) {
        for (std::size_t i = 0; i < 2; ++i) {
            auto& range = ranges_[i];
            const double height = i == 0 ? drives.slow().height : drives.fast();
            chart_.series[i].values.push_back(1e3 * height);
            range = {std::min(range[0], height), std::max(range[1], height)};
        }
        speed_ = std::max(speed_, std::fabs(drives.slow().speed));
    }
    void put_into(io::RunRecord& run) {
        const auto row = [&](const char* name, double value, const char* unit) {
            run.results.push_back({name, value, unit, {}, {}, ""});
        };
        row("robot, range of its motion", 1e3 * (ranges_[0][1] - ranges_[0][0]), "mm");
        row("robot, largest speed", 1e3 * speed_, "mm/s");
        row("linear drive on it, lowest", 1e3 * ranges_[1][0], "mm");
        row("linear drive on it, highest", 1e3 * ranges_[1][1], "mm");
        for (auto& series : chart_.series) series.values.resize(run.time.size());
        run.own_charts.push_back(std::move(chart_));
    }

  private:
    std::array<std::array<double, 2>, 2> ranges_{};  // m
    double speed_ = 0.0;                             // m/s
    io::OwnChart chart_{.name = "drives",
                        .title = "Both drives",
                        .caption = "The robot, from where it began, and the linear drive on it.",
                        .y_label = "position (mm)",
                        .series = {{"robot_mm", "robot"}, {"linear_drive_mm", "linear drive on it"}}};
};

/// The simulated rig of a run: the uplift force grows, the load cell is noisy, and what is true at each reading is
/// kept.
template <class Rig>
class Stand {
  public:
    Stand(Rig& rig, const Options& o, const Job& job) : rig_(rig), options_(o), job_(job), random_(o.seed) {}

    [[nodiscard]] double force() noexcept {
        true_force.push_back(rig_.force());
        const auto drive = rig_.drive_state();
        leaked_ += work_.take(true_force.back(), drive[0], drive[1]);
        most_leaked = std::max(most_leaked, std::fabs(leaked_));
        if constexpr (std::same_as<Rig, rig::CarriedDrive>) split.add(rig_);
        return true_force.back() + options_.force_noise * normal_(random_);
    }
    Status step(double command) noexcept {
        rig_.set_uplift_force(lift_at(options_, job_, static_cast<double>(cycle_++) * dt()));
        return rig_.step(command);
    }
    void line_took(double work) noexcept { leaked_ -= work; }  // J
    void stop() noexcept {
        if constexpr (requires { rig_.stop(); }) rig_.stop();
    }
    [[nodiscard]] auto drive_state() const noexcept { return rig_.drive_state(); }
    [[nodiscard]] double dt() const noexcept { return rig_.dt(); }
    [[nodiscard]] rig::Fault fault() const noexcept {
        if constexpr (rig::TellsFault<Rig>) return rig_.fault();
        return {};
    }

    std::vector<double> true_force{};  // N
    double most_leaked = 0.0;          // J
    Split split{};

  private:
    Rig& rig_;
    const Options& options_;
    const Job& job_;
    std::int64_t cycle_ = 0;
    std::mt19937_64 random_;
    std::normal_distribution<double> normal_{};
    control::DriveWork work_{rig_.dt()};
    double leaked_ = 0.0;  // J
};

/// Runs the loop and evaluates it. @param datum height of the line at which the drive stands at 0, m
template <class Rig, class Loop>
void carry_out(const Job& job, const io::ResultFolder& results, Stand<Rig>& stand, Loop& loop, double datum,
               io::RunRecord& run) {
    for (const std::string& warning : loop.controller().warnings()) run.warnings.push_back(warning);
    const std::chrono::nanoseconds period(std::llround(1e9 * loop.dt()));
    const rig::Schedule schedule{
        .period = period,
        .duration = static_cast<std::int64_t>(std::ceil(job.duration() / loop.dt() - 1e-9)) * period,
        .stop_requested = job.plan.stop_requested};
    rig::JumpingClock clock;
    rig::Recorder cycles(schedule);
    Balances balances;
    io::Progress progress(job.duration());
    auto [report, seen, overruns] =
        io::recorded_run(run, loop, clock, loop, cycles,
                         {.schedule = schedule, .delay = 1, .running = results.path() / io::running_file},
                         [&](const rig::CycleRecord& r) noexcept {
                             stand.line_took(loop.line_work());
                             balances.add(loop.controller().balance());
                             progress.update(r.exchange.time);
                         });
    interaction::ForceRecord& contact = seen.contact;
    std::copy_n(stand.true_force.begin(), contact.force.size(), contact.force.begin());
    for (std::size_t k = 0; k < contact.height.size(); ++k) {  // as the controller has it
        run.reference_position[k] = contact.height[k] - datum;
        contact.height[k] = run.reference_position[k] + datum;
    }
    if (!usable(report.status))
        run.fault =
            rig::describe(report.fault) + " at " + shown(job.passage.start + job.passage.speed * loop.time()) + " m";
    io::add_series(run, contact, job.plan.evaluation);
    if (run.fault.empty()) static_cast<void>(io::evaluate_or_say_why(run, contact, job.plan.evaluation));
    io::add_position_error(run, job.plan.evaluation);
    balances.put_into(run);
    run.results.push_back({"energy error in truth, largest",
                           stand.most_leaked,
                           "J",
                           {},
                           {},
                           "true work of the drive; that on the line as its scheme counts it"});
    if constexpr (std::same_as<Rig, rig::CarriedDrive>) stand.split.put_into(run);
}

}  // namespace

io::RunRecord mpc_run(const Options& o, const Job& job, io::RunRecord run, const io::ResultFolder& results) {
    const double dt = job.passage.dt;
    const catenary::PeriodicLine line = [&] {
        try {
            return catenary::periodic_line(job.section);
        } catch (const SetupError& e) {
            throw SetupError(
                std::string(e.what()) +
                "; leave --catenary out for predictive_hil, or set --rig pad, which only needs equal spans where the "
                "run passes");
        }
    }();
    auto engine = catenary::moving_engine(line, {.speed = job.passage.speed,
                                                 .dt = dt / line_steps,
                                                 .cells = static_cast<int>(std::round(line.period / cell)),
                                                 .spans = 1,
                                                 .start = job.passage.start});
    auto model = catenary::periodic_state_space(engine, line_steps);

    plant::DriveRigParams params{.pantograph = job.pantograph.params, .uplift_force = lift_at(o, job, 0.0)};
    params.contact_stiffness = job.plan.rig.pad_stiffness;
    params.drive_steps = std::max(1, static_cast<int>(std::round(params.drive.rate * dt)));
    params.drive.rate = params.drive_steps / dt;
    const control::ImpedanceMpcParams told{.drive = rig::drive_model(params)};

    run.sampling = "beginning of each cycle, k * " + shown(1e3 * dt) + " ms after the start";
    run.metadata.emplace_back("uplift force", o.static_force ? shown(*o.static_force) + " N" : "130 N to 220 N");
    const auto with = [&](auto& rig) {
        Stand stand(rig, o, job);
        if (o.engine == "realtime") {
            catenary::PassageParams passage = job.passage;
            passage.dt = dt / real_time_steps;
            // Without damping the loop grows at the highest frequency of the cycle, within some 12 s.
            catenary::Section<> section = job.section;
            const double least = catenary::MovingGrid{}.least_damping;
            if (section.damping.beta < least) {
                section.damping.beta = least;
                run.metadata.emplace_back("damping of the line",
                                          shown(least) + " s in proportion to its stiffness, added");
            }
            const catenary::RealTimeEngine<> wire(catenary::FiniteElements<>(section, job.mesh), passage);
            for (const std::string& warning : wire.warnings()) run.warnings.push_back(warning);
            const double datum = wire.wire().height;  // the drive starts at 0
            control::ImpedanceMpcParams firm = told;
            firm.balance.kappa = 100.0;  // the kinks of the static shape let energy leak in jumps
            rig::NonlinearImpedanceLoop loop(stand, wire, control::ImpedanceMpc(firm, model), datum);
            run.metadata.emplace_back("virtual line", "the section in the ground's frame, " + shown(real_time_steps) +
                                                          " steps a cycle, droppers that only pull");
            carry_out(job, results, stand, loop, datum, run);
        } else {
            const double datum = model.rest[0][0];
            for (auto& rest : model.rest) rest[0] -= datum;
            rig::ImpedanceLoop loop(stand, engine, control::ImpedanceMpc(told, model));
            run.metadata.emplace_back("virtual line", "one span in the train's frame, " + shown(line_steps) +
                                                          " steps a cycle, periodic droppers that pull and push");
            carry_out(job, results, stand, loop, datum, run);
        }
    };
    if (o.rig == "two_drives") {
        // The stroke covers the rise of the unloaded line at the start, of which the robot takes up little.
        const rig::CarriedDriveParams p{.drive = params,
                                        .split = {.crossover = 0.5, .fast_lowest = -0.15, .fast_highest = 0.15}};
        run.metadata.emplace_back("drives", "a robot of " + shown(p.robot_bandwidth) +
                                                " Hz carries the linear drive; it gets what is slower than " +
                                                shown(p.split.crossover) + " Hz");
        rig::CarriedDrive drives(p);
        with(drives);
    } else {
        plant::DriveRig drive(params);
        with(drive);
    }
    return run;
}

}  // namespace panto_run
