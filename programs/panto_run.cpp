// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The main job: a pantograph under a virtual catenary, simulated or as a hardware-in-the-loop test on a simulated rig.
///     panto_run --catenary stitched_hil --pantograph DSA380_HiL --speed 275 --mode hil --out results
/// Writes summary.json, series.csv and others, and report.html into the output folder.

#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/paper_lqg.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/io/comparison.hpp>
#include <panto/io/evaluation.hpp>
#include <panto/io/loop_record.hpp>
#include <panto/io/machine.hpp>
#include <panto/io/observation.hpp>
#include <panto/io/pantograph_json.hpp>
#include <panto/io/progress.hpp>
#include <panto/io/report.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/io/run_csv.hpp>
#include <panto/io/section_json.hpp>
#include <panto/io/spool.hpp>
#include <panto/io/stop_signal.hpp>
#include <panto/io/summary_json.hpp>
#include <panto/io/timed_cycle.hpp>
#include <panto/pantograph/static_force.hpp>
#include <panto/rig/commissioning.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/simulated.hpp>
#include <panto/version.hpp>

#include "panto_run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

using namespace panto;
using namespace panto_run;

namespace {

/// Everything that is decided before the run.
struct Job {
    catenary::Section<> section;
    pantograph::Preset pantograph;
    catenary::PassageParams passage;
    interaction::EvaluationParams evaluation;
    double end = 0.0;        // m
    double lift = 0.0;       // N
    double stiffness = 0.0;  // N/m, contact or pad
    catenary::MeshSize mesh;
    std::optional<catenary::FiniteElements<>> model;

    [[nodiscard]] double duration() const { return (end - passage.start) / passage.speed; }
    [[nodiscard]] auto steps() const { return static_cast<std::int64_t>(std::ceil(duration() / passage.dt - 1e-9)); }
};

Job prepared(const Options& o) {
    require_known("mode", o.mode, modes);
    require_known("controller", o.controller, controllers);
    require_known("engine", o.engine, engines);
    Job job{.section = io::section_by_name_or_file(o.catenary),
            .pantograph = io::pantograph_by_name_or_file(o.pantograph)};
    require_between(o.speed_kmh, 1.0, 600.0, "--speed", "km/h");
    require_between(o.force_noise, 0.0, 100.0, "--force-noise", "N");
    require_between(o.position_noise_mm, 0.0, 10.0, "--position-noise", "mm");
    // A simulation has the time for a step and, below, a mesh on which the figures have settled.
    const double dt_ms = o.dt_ms.value_or(o.mode == "hil" ? 2.0 : 0.5);
    // From 6 ms on the loop leaves the range of the load cell, although it passes the check of the pad.
    if (o.mode == "hil" && !o.accept_unstable)
        require(dt_ms >= 0.01 && dt_ms <= 5.0, "panto_run", "--dt is ", dt_ms,
                " ms, allowed is 0.01 to 5 ms with --mode hil, unless --accept-unstable is set: a slower loop does not "
                "hold "
                "the force");
    require_between(dt_ms, 0.01, 20.0, "--dt", "ms");
    const double length = job.section.length();
    job.passage = {.speed = o.speed_kmh / 3.6, .start = o.start.value_or(0.1 * length), .dt = 1e-3 * dt_ms};
    require(!(o.duration && o.distance), "panto_run", "--duration and --distance are given, allowed is one of them");
    job.end = o.duration   ? job.passage.start + *o.duration * job.passage.speed
              : o.distance ? job.passage.start + *o.distance
                           : 0.9 * length;
    require(job.end > job.passage.start && job.end <= length, "panto_run", "the run goes from ", job.passage.start,
            " m to ", job.end, " m, allowed is a way forward inside the section of ", length,
            " m; see --start, --distance, --duration");
    const double samples = job.duration() / job.passage.dt;
    const double most = std::min(1e6, 1e8 / static_cast<double>(job.section.supports.size() + 4));  // fills 1 GB
    require(samples <= most, "panto_run", "the run takes ", std::ceil(samples), " steps, allowed are ",
            std::floor(most), ": take a larger --dt or --speed or a shorter --distance");
    // Where nothing is said: the middle half of a long section, the two spans in the middle of a short one.
    const std::size_t spans = job.section.spans.size();
    const bool is_long = spans >= 16;
    const std::size_t first = is_long ? spans / 4 : (spans > 1 ? spans / 2 - 1 : 0);
    const std::size_t last = is_long ? spans - spans / 4 : std::min(spans, first + 2);
    job.evaluation = {.from = job.section.support_position(first),
                      .to = job.section.support_position(last),
                      .filter = interaction::contact_force_filter(o.filter)};
    if (o.window.size() == 2)
        job.evaluation.from = o.window[0], job.evaluation.to = o.window[1];
    else if (job.evaluation.from < job.passage.start || job.evaluation.to > job.end)
        job.evaluation.from = 0.5 * (job.passage.start + job.end), job.evaluation.to = job.end;
    require(job.evaluation.from >= job.passage.start && job.evaluation.from < job.evaluation.to &&
                job.evaluation.to <= job.end,
            "panto_run", "--window is ", job.evaluation.from, " to ", job.evaluation.to,
            " m, allowed is a part of the run, ", job.passage.start, " to ", job.end, " m");
    try {
        io::require_evaluable(job.passage.start, job.passage.speed, job.passage.dt,
                              static_cast<std::size_t>(job.steps()) + (o.mode == "hil" ? 0 : 1), job.evaluation);
    } catch (const SetupError& e) {
        throw SetupError("panto_run: this run could not be evaluated; see --distance, --window and --dt: " +
                         std::string(e.what()));
    }
    job.lift = o.static_force ? *o.static_force
               : job.pantograph.static_force
                   ? *job.pantograph.static_force
                   : pantograph::static_force_at({.law = pantograph::StaticForceLaw::ac}, job.passage.speed);
    require_between(job.lift, 0.0, rig::CycleLimits{}.force,
                    o.static_force ? "--static-force" : "static force of '" + job.pantograph.name + "'", "N");
    job.stiffness = o.stiffness.value_or(o.mode == "hil" ? 240e3 : 50e3);
    require_between(job.stiffness, 1.0, 1e9, "--contact-stiffness", "N/m");
    // Elements must carry 20 Hz ahead of the pantograph, h <= (c - v) / 40 Hz, see catenary::highest_frequency.
    const double ahead = catenary::wave_speed(job.section.contact_wire) - job.passage.speed;
    const double usual = o.mode == "hil" ? 1.5 : 0.5;
    const double element = o.element.value_or(ahead > 0.0 ? std::clamp(ahead / 40.0, 0.1, usual) : usual);
    require_between(element, 0.05, 100.0, "--element", "m");
    job.mesh = {.contact = element, .messenger = 2.0 * element, .stitch = element / 1.5};
    job.model.emplace(job.section, job.mesh);
    const double carried = catenary::highest_frequency(*job.model, job.passage.speed);
    require(!(carried > 0.0) || carried >= 20.0, "panto_run", "--element is ", element,
            " m, which carries waves ahead of the pantograph up to ", carried, " Hz at ", o.speed_kmh,
            " km/h, needed are 20 Hz: allowed is up to ", ahead / 40.0, " m");
    return job;
}

io::RunRecord described(const Options& o, const Job& job) {
    io::RunRecord run{.catenary = job.section.name,
                      .pantograph = job.pantograph.name,
                      .mode = o.mode,
                      .controller = o.mode == "hil" ? o.controller : "",
                      .speed = job.passage.speed,
                      .version = std::string(panto::version)};
    if (o.mode == "hil") run.seed = o.seed;
    run.metadata = {{"catenary data", job.section.source},
                    {"pantograph data", job.pantograph.source + "; confidence " + job.pantograph.confidence},
                    {"engine", o.mode == "hil" ? std::string(engines[0]) : o.engine},
                    {"time step", shown(1e3 * job.passage.dt) + " ms"},
                    {"elements of the contact wire", "up to " + shown(job.mesh.contact) + " m"},
                    {"way", shown(job.passage.start) + " m to " + shown(job.end) + " m"},
                    {"evaluated", shown(job.evaluation.from) + " m to " + shown(job.evaluation.to) + " m"},
                    {"static force", shown(job.lift) + " N"},
                    {o.mode == "hil" ? "pad stiffness" : "contact stiffness", shown(job.stiffness) + " N/m"}};
    if (o.mode == "hil") {
        run.metadata.emplace_back("noise", shown(o.force_noise) + " N, " + shown(o.position_noise_mm) + " mm");
        run.metadata.emplace_back("force filter of the rig", o.force_filter ? "100 Hz, first order" : "none");
    }
    std::string inputs = io::section_to_text(job.section) + io::pantograph_to_text(job.pantograph);
    for (const auto& [name, value] : run.metadata) inputs += name + "=" + value + "\n";
    inputs += run.mode + run.controller + shown(o.speed_kmh) + run.version + std::to_string(o.seed) + o.filter;
    run.inputs_hash = io::fingerprint(inputs);
    return run;
}

template <class Engine>
Engine engine_for(const Job& job) {
    Engine engine(*job.model, job.passage);
    for (const std::string& warning : engine.warnings()) std::cerr << "warning: " << warning << "\n";
    return engine;
}

/// What could not be spooled is in memory all the same.
void close(io::Spool& spool) {
    if (const std::string trouble = spool.close(); !trouble.empty())
        std::cerr << "warning: " << io::running_file << " is not complete: " << trouble << "\n";
}

/// Both models, implicitly coupled. Ends early, with the reason in `fault`, if the solution breaks down.
template <class Engine>
io::Observation<Engine> simulated(Engine& engine, const Job& job, interaction::Start start, io::RunRecord& run,
                                  rig::Histogram& step_times, const std::optional<std::filesystem::path>& spooled) {
    using clock = std::chrono::steady_clock;
    interaction::Simulation<Engine> simulation(engine,
                                               {.pantograph = job.pantograph.params,
                                                .uplift_force = job.lift,
                                                .contact_stiffness = job.stiffness,
                                                .start = start,
                                                .uplift_ramp = start == interaction::Start::at_datum ? 50.0 : 0.0,
                                                .end = job.end});
    const std::size_t samples = static_cast<std::size_t>(job.steps()) + 2;
    io::Observation<Engine> observation(engine, samples);
    std::optional<io::Spool> spool;
    if (spooled) spool.emplace(*spooled, io::spool_head(run, false), samples);
    const auto observe = [&] {
        observation.sample(simulation.contact_force());
        const interaction::ForceRecord& r = observation.record();
        if (spool) spool->append(std::array{r.time.back(), r.position.back(), r.force.back(), r.height.back()});
    };
    io::Progress progress(job.duration());
    observe();
    while (!simulation.finished()) {
        const auto began = clock::now();
        const Status status = simulation.step();
        step_times.add(clock::now() - began);
        observe();
        if (!usable(status)) {
            run.fault = std::string(name(status)) + " at " + shown(engine.position()) + " m";
            break;
        }
        if (io::StopSignal::requested()) {
            run.fault = std::string(name(Status::stopped_by_user)) + " at " + shown(engine.position()) + " m";
            break;
        }
        progress.update(engine.time());
    }
    if (spool) close(*spool);
    return observation;
}

void simulate(const Options& o, const Job& job, io::RunRecord& run, const std::filesystem::path& spooled) {
    const auto go = [&]<class Engine>(Engine engine) {
        rig::Histogram step_times;
        run.sampling = "end of each step, k * " + shown(1e3 * job.passage.dt) + " ms after the start";
        const auto seen = simulated(engine, job, interaction::Start::loaded_equilibrium, run, step_times, spooled);
        run.step_times = io::step_times_of(step_times);
        run.droppers = seen.droppers();
        io::add_series(run, seen.record(), job.evaluation);
        if (!run.fault.empty()) return;
        const auto figures = io::evaluate_or_say_why(run, seen.record(), job.evaluation);
        if (!figures) return;
        const double kmh = 3.6 * job.passage.speed;
        if (job.section.name == "en50318_2002" && (std::abs(kmh - 250.0) < 0.5 || std::abs(kmh - 300.0) < 0.5))
            io::add_criteria(run, interaction::en50318_2002_ranges(*figures, job.passage.speed), "accepted: ");
    };
    if (o.engine == "reference")
        go(engine_for<catenary::ReferenceEngine<>>(job));
    else
        go(engine_for<catenary::RealTimeEngine<>>(job));
}

/// Raises the simulated pantograph and makes the rig ready: tare, soft approach, preload, sign check.
rig::CommissioningReport make_ready(rig::Simulated& stand, rig::TaredSensor<rig::Simulated::Sensor>& sensor,
                                    const rig::CommissioningPlan& plan) {
    rig::Commissioning stages(sensor, stand.drive, stand.clock, plan);
    const double lift = plan.preload_force;
    const auto wait = [&](std::chrono::milliseconds time) { stand.clock.sleep_until(stand.clock.now() + time); };
    if (!usable(stages.tare())) return stages.report();
    stand.set_lift(1.7);  // N: floats up gently until the drive holds it, then gains force within two seconds
    wait(std::chrono::seconds(10));
    for (int i = 1; i <= 100; ++i) {
        stand.set_lift(std::max(1.7, 0.01 * i * lift));
        wait(std::chrono::milliseconds(20));
    }
    if (usable(stages.approach()) && usable(stages.preload())) (void)stages.check_sign();
    return stages.report();
}

/// The rig of the run, told once.
plant::RigParams rig_of(const Options& o, const Job& job) {
    return {.pad_stiffness = job.stiffness,
            .pantograph = job.pantograph.params,
            .force_filter = {.cut_off = o.force_filter ? 100.0 : 0.0}};
}

/// Refuses a controller that does not settle on this pad and pantograph.
template <Controller C>
void require_stable(const Options& o, const Job& job, const C& controller) {
    if (o.accept_unstable) return;
    const plant::SampledModel plant = plant::sampled_model(rig_of(o, job), job.passage.dt);
    const auto radius = [&] {
        if constexpr (std::same_as<C, control::Direct>)
            return control::closed_loop_radius(plant, control::direct_controller(), control::table2_interaction_mass);
        else
            return control::closed_loop_radius(plant, controller, control::table2_interaction_mass);
    }();
    require(radius < 1.0, "panto_run", "--controller ", o.controller, " does not settle on a pad of ", job.stiffness,
            " N/m: disturbances grow by a factor of ", radius,
            " a step. Take lqg or a softer pad (--contact-stiffness), or set --accept-unstable");
}

/// Refuses a plan of commissioning that cannot be carried out, by the options it comes from.
void require_commissionable(const Options& o, const Job& job, const rig::CommissioningPlan& plan) {
    require(job.lift > plan.preload_tolerance && job.lift < plan.force_limit, "panto_run",
            o.static_force ? "--static-force" : "static force of '" + job.pantograph.name + "'", " is ", job.lift,
            " N; with --mode hil the strip is pressed against the pad with it beforehand, allowed is above ",
            plan.preload_tolerance, " N and below ", plan.force_limit, " N: change --static-force");
    try {
        rig::validate(plan);
    } catch (const SetupError& e) {
        throw SetupError("panto_run: --dt is " + shown(1e3 * job.passage.dt) +
                         " ms, with which the rig cannot be made ready; take a smaller one, such as the usual 2 ms (" +
                         e.what() + ")");
    }
}

/// The closed loop over the simulated rig, then the simulation it should have been like.
template <Controller C>
void hil(const Options& o, const Job& job, C& controller, io::RunRecord& run, const std::filesystem::path& spooled) {
    require_stable(o, job, controller);
    const double dt = job.passage.dt;
    const double ramp = 50.0 / job.passage.speed;  // s, in which the wire takes up the force
    auto wire = engine_for<catenary::RealTimeEngine<>>(job);
    rig::Simulated stand({.rig = rig_of(o, job),
                          .lift = 0.0,
                          .start_height = 2e-3,
                          .force_noise = o.force_noise,
                          .position_noise = 1e-3 * o.position_noise_mm,
                          .seed = o.seed},
                         dt);
    const rig::nanoseconds period(std::llround(1e9 * dt));
    rig::TaredSensor sensor{stand.sensor};
    // Slowly: a head without damper rings on the pad for ever.
    const rig::CommissioningPlan plan{.period = period,
                                      .approach_speed = 2e-3,
                                      .preload_force = job.lift,
                                      .preload_speed = 1e-3,
                                      .stop_requested = &io::StopSignal::flag()};
    require_commissionable(o, job, plan);
    const rig::CycleLimits limits{};
    rig::Cycle cycle(sensor, wire, controller, stand.drive, interaction::MassInteraction({.ramp_time = ramp}, dt),
                     {.limits = limits});
    const auto delay = static_cast<std::size_t>(stand.params().rig.reading_delay);
    run.sampling = "force and achieved position at the instant they were measured, k * " + shown(1e3 * dt) +
                   " ms after the start (read " + std::to_string(delay) +
                   " period later); wire height, reference and droppers at the same instant of the virtual line";
    const rig::CommissioningReport ready = make_ready(stand, sensor, plan);
    run.metadata.emplace_back("preload", shown(ready.preload) + " N");
    run.metadata.emplace_back("fall of the force in the sign check", shown(ready.fall) + " N");
    if (!usable(ready.status)) {
        run.fault = "commissioning, " + std::string(name(ready.stage)) + ": " + rig::describe(ready.fault);
        return;
    }
    io::TimedCycle<decltype(cycle)> timed{cycle, period};
    const rig::Schedule schedule{
        .period = period,
        .duration = std::min(job.steps(), cycle.steps_on_line()) * period,  // a last step beyond the line is left out
        .stop_requested = &io::StopSignal::flag()};
    rig::Recorder recorder(schedule);
    io::Observation seen(wire, static_cast<std::size_t>(job.steps()) + 1);
    io::Spool spool(spooled, io::spool_head(run, true), static_cast<std::size_t>(job.steps()) + 1);
    io::Progress progress(job.duration());
    wire.reset();
    seen.sample(0.0);
    const rig::Report report = rig::run(timed, stand.clock, schedule, [&](const rig::CycleRecord& record) noexcept {
        recorder(record);
        seen.sample(record.exchange.wire_force);
        io::append_complete(spool, seen.record(), recorder, delay);
        progress.update(record.exchange.time);  // allowed because the rig's clock stands still meanwhile
    });
    progress.finish();
    close(spool);

    interaction::ForceRecord& record = seen.record();
    io::align_readings(run, record, recorder, delay);
    run.step_times = io::step_times_of(timed.times, dt);
    run.overruns = timed.overruns;
    run.droppers = seen.droppers();
    io::add_series(run, record, job.evaluation);
    if (!usable(report.status)) {
        run.fault = report.explanation() + ", at " + shown(wire.position()) + " m";
        return;
    }
    if (!io::evaluate_or_say_why(run, record, job.evaluation)) return;
    io::RunRecord ideal;
    rig::Histogram unused;
    auto engine = engine_for<catenary::RealTimeEngine<>>(job);
    const auto reference = simulated(engine, job, interaction::Start::at_datum, ideal, unused, std::nullopt);
    if (ideal.fault.empty()) io::compare_or_say_why(run, reference.record(), job.evaluation);
    if (!ideal.fault.empty())
        run.results.push_back({"error index", {}, "%", {}, {}, "not compared, the simulation ended: " + ideal.fault});
    io::add_position_error(run, job.evaluation);
}

void hil(const Options& o, const Job& job, io::RunRecord& run, const std::filesystem::path& spooled) {
    const double dt = job.passage.dt;
    std::variant<control::Lqg, control::PaperLqg, control::Direct> chosen = [&]() -> decltype(chosen) {
        if (o.controller == "none") return control::Direct();
        if (o.controller == "paper_lqg") return control::PaperLqg({.pad_stiffness = job.stiffness}, dt);
        return control::Lqg({.rig = rig_of(o, job)}, dt);
    }();
    std::visit([&](auto& controller) { hil(o, job, controller, run, spooled); }, chosen);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("A pantograph under a virtual catenary: simulation or hardware-in-the-loop test on a simulated rig.");
    add_options(app, options);
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        const Job job = prepared(options);
        require_options_of_mode(app, options.mode);
        const auto other = options.compare.empty() ? std::nullopt : std::optional(io::read_other_run(options.compare));
        io::ResultFolder results(options.out, io::run_files);
        if (!results.killed_run().empty())
            std::cerr << "note: a run into this folder was killed; what it recorded is kept in "
                      << results.killed_run().filename().string() << "\n";
        if (options.report) io::require_drawing();
        io::RunRecord run = described(options, job);
        run.metadata.emplace_back("date", io::date_now());
        run.metadata.emplace_back("machine", io::machine_name());
        const io::StopSignal stop;
        const std::filesystem::path spooled = results.path() / io::running_file;
        if (options.mode == "hil")
            hil(options, job, run, spooled);
        else
            simulate(options, job, run, spooled);

        if (other) io::compare_runs(run, *other);
        io::write_series(results.fresh(), run);
        io::write_summary(results.fresh() / "summary.json", run);
        if (options.report) io::write_report(results.fresh(), run);
        results.swap_in();
        const std::filesystem::path folder = options.out;
        std::cout << io::results_as_text(run);
        if (run.other) std::cout << "\n" << io::comparison_as_text(*run.other);
        std::cout << "\nresults are in " << std::filesystem::absolute(folder).lexically_normal().string() << "\n";
        if (options.report)
            std::cout << "report: " << std::filesystem::absolute(folder / "report.html").string() << "\n";
        if (run.fault.empty()) return 0;
        std::cerr << "the run ended with a fault: " << run.fault << "\n";
        return 1;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
