// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The main job: a pantograph under a virtual catenary, simulated or as a hardware-in-the-loop test on a simulated rig.
///     panto_run --catenary stitched_hil --pantograph DSA380_HiL --speed 275 --mode hil --out results
/// Writes summary.json, series.csv and others, and report.html into the output folder.

#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/lqg_plus.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/io/evaluation.hpp>
#include <panto/io/observation.hpp>
#include <panto/io/pantograph_json.hpp>
#include <panto/io/progress.hpp>
#include <panto/io/report.hpp>
#include <panto/io/run_csv.hpp>
#include <panto/io/section_json.hpp>
#include <panto/io/summary_json.hpp>
#include <panto/pantograph/static_force.hpp>
#include <panto/rig/commissioning.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/simulated.hpp>
#include <panto/version.hpp>

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
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace panto;

namespace {

/// What was asked for on the command line, in the units of the options.
struct Options {
    std::string catenary = "stitched_hil";
    std::string pantograph = "DSA380_HiL";
    double speed_kmh = 275.0;
    std::string mode = "hil";
    std::string controller = "lqg_plus";
    std::string engine = "realtime";
    std::optional<double> duration;  // s
    std::optional<double> distance;  // m
    std::optional<double> start;     // m
    std::vector<double> window;      // m, two of them
    std::string filter = std::string(name(interaction::ContactForceFilter::butterworth3_zero_phase_3db));
    std::optional<double> static_force;  // N
    std::optional<double> stiffness;     // N/m
    std::optional<double> element;       // m
    std::optional<double> dt_ms;
    bool accept_unstable = false;
    double force_noise = 1.0;         // N
    double position_noise_mm = 0.01;  // mm
    bool force_filter = false;
    std::uint64_t seed = 1;
    std::string out = "panto_results";
    bool report = true;
};

constexpr std::array<std::string_view, 2> modes{"simulate", "hil"};
constexpr std::array<std::string_view, 3> controllers{"lqg_plus", "paper_lqg", "none"};
constexpr std::array<std::string_view, 2> engines{"realtime", "reference"};

void require_known(std::string_view kind, std::string_view name, std::span<const std::string_view> known) {
    if (std::find(known.begin(), known.end(), name) == known.end())
        throw SetupError(unknown_name("panto_run", kind, name, known));
}

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

    [[nodiscard]] double duration() const { return (end - passage.start) / passage.speed; }
    [[nodiscard]] auto steps() const { return static_cast<std::int64_t>(std::ceil(duration() / passage.dt - 1e-9)); }
};

Job prepared(const Options& o) {
    require_known("mode", o.mode, modes);
    require_known("controller", o.controller, controllers);
    require_known("engine", o.engine, engines);
    Job job{.section = io::section_by_name_or_file(o.catenary),
            .pantograph = io::pantograph_by_name_or_file(o.pantograph)};
    require_positive(o.speed_kmh, "panto_run", "--speed");
    // A simulation has the time for a step and, below, a mesh on which the figures have settled.
    const double dt_ms = o.dt_ms.value_or(o.mode == "hil" ? 2.0 : 0.5);
    require_positive(dt_ms, "panto_run", "--dt");
    const double length = job.section.length();
    job.passage = {.speed = o.speed_kmh / 3.6, .start = o.start.value_or(0.1 * length), .dt = 1e-3 * dt_ms};
    require(!(o.duration && o.distance), "panto_run", "--duration and --distance are given, allowed is one of them");
    job.end = o.duration   ? job.passage.start + *o.duration * job.passage.speed
              : o.distance ? job.passage.start + *o.distance
                           : 0.9 * length;
    require(job.end > job.passage.start && job.end <= length, "panto_run",
            "the run goes from " + shown(job.passage.start) + " m to " + shown(job.end) +
                " m, allowed is a way forward inside the section of " + shown(length) + " m");
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
            "panto_run",
            "--window is " + shown(job.evaluation.from) + " to " + shown(job.evaluation.to) +
                " m, allowed is a part of the run, " + shown(job.passage.start) + " to " + shown(job.end) + " m");
    job.lift = o.static_force.value_or(
        pantograph::static_force_at({.law = pantograph::StaticForceLaw::ac}, job.passage.speed));
    require_not_negative(job.lift, "panto_run", "--static-force");
    job.stiffness = o.stiffness.value_or(o.mode == "hil" ? 240e3 : 50e3);
    require_positive(job.stiffness, "panto_run", "--contact-stiffness");
    const double element = o.element.value_or(o.mode == "hil" ? 1.5 : 0.5);
    require_positive(element, "panto_run", "--element");
    job.mesh = {.contact = element, .messenger = 2.0 * element, .stitch = element / 1.5};
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
                    {"engine", o.engine},
                    {"time step", shown(1e3 * job.passage.dt) + " ms"},
                    {"elements of the contact wire", "up to " + shown(job.mesh.contact) + " m"},
                    {"way", shown(job.passage.start) + " m to " + shown(job.end) + " m"},
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
    Engine engine(catenary::FiniteElements<>(job.section, job.mesh), job.passage);
    for (const std::string& warning : engine.warnings()) std::cerr << "warning: " << warning << "\n";
    return engine;
}

/// Both models, implicitly coupled. Ends early, with the reason in `fault`, if the solution breaks down.
template <class Engine>
io::Observation<Engine> simulated(Engine& engine, const Job& job, interaction::Start start, io::RunRecord& run,
                                  rig::Histogram& step_times) {
    using clock = std::chrono::steady_clock;
    interaction::Simulation<Engine> simulation(engine,
                                               {.pantograph = job.pantograph.params,
                                                .uplift_force = job.lift,
                                                .contact_stiffness = job.stiffness,
                                                .start = start,
                                                .uplift_ramp = start == interaction::Start::at_datum ? 50.0 : 0.0,
                                                .end = job.end});
    io::Observation<Engine> observation(engine, static_cast<std::size_t>(job.steps()) + 2);
    io::Progress progress(job.duration());
    observation.sample(simulation.contact_force());
    while (!simulation.finished()) {
        const auto began = clock::now();
        const Status status = simulation.step();
        step_times.add(clock::now() - began);
        observation.sample(simulation.contact_force());
        if (!usable(status)) {
            run.fault = std::string(name(status)) + " at " + shown(engine.position()) + " m";
            break;
        }
        progress.update(engine.time());
    }
    return observation;
}

void simulate(const Options& o, const Job& job, io::RunRecord& run) {
    const auto go = [&]<class Engine>(Engine engine) {
        rig::Histogram step_times;
        const auto seen = simulated(engine, job, interaction::Start::loaded_equilibrium, run, step_times);
        run.step_times = io::step_times_of(step_times);
        run.sampling = "end of each step, k * " + shown(1e3 * job.passage.dt) + " ms after the start";
        run.droppers = seen.droppers();
        io::add_series(run, seen.record(), job.evaluation);
        if (!run.fault.empty()) return;
        const auto figures = io::evaluate(run, seen.record(), job.evaluation);
        const double kmh = 3.6 * job.passage.speed;
        if (job.section.name == "en50318_2002" && (std::abs(kmh - 250.0) < 0.5 || std::abs(kmh - 300.0) < 0.5))
            io::add_criteria(run, interaction::en50318_2002_ranges(figures, job.passage.speed), "accepted: ");
    };
    if (o.engine == "reference")
        go(engine_for<catenary::ReferenceEngine<>>(job));
    else
        go(engine_for<catenary::RealTimeEngine<>>(job));
}

/// A cycle that knows how long its steps take on the real clock, whatever clock the rig has.
template <class CycleType>
struct Timed {
    CycleType& cycle;
    std::chrono::nanoseconds period;
    rig::Histogram times{};
    std::int64_t overruns = 0;

    Status start() noexcept { return cycle.start(); }
    Status stop(Status why) noexcept { return cycle.stop(why); }
    [[nodiscard]] const Exchange& exchange() const noexcept { return cycle.exchange(); }
    template <class Mark>
    Status step(Mark mark) noexcept {
        const auto began = std::chrono::steady_clock::now();
        const Status status = cycle.step(mark);
        const auto took = std::chrono::steady_clock::now() - began;
        times.add(took);
        overruns += took > period;
        return status;
    }
};

/// Raises the simulated pantograph and makes the rig ready: tare, soft approach, preload, sign check.
rig::CommissioningReport make_ready(rig::Simulated& stand, rig::TaredSensor<rig::Simulated::Sensor>& sensor,
                                    rig::nanoseconds period, double lift) {
    rig::Commissioning stages(sensor, stand.drive, stand.clock, {.period = period, .preload_force = lift});
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

/// Refuses a controller that does not settle on this pad and pantograph.
template <Controller C>
void require_stable(const Options& o, const Job& job, const C& controller) {
    if (o.accept_unstable) return;
    const control::PadPlant plant = control::pad_plant(
        {.pantograph = {job.pantograph.params.mass, job.pantograph.params.damping, job.pantograph.params.stiffness},
         .pad_stiffness = job.stiffness,
         .force_filter = o.force_filter ? 100.0 : 0.0},
        job.passage.dt);
    const auto radius = [&] {
        if constexpr (std::same_as<C, control::Direct>)
            return control::closed_loop_radius(plant, control::direct_controller(), control::table2_interaction_mass);
        else
            return control::closed_loop_radius(plant, controller, control::table2_interaction_mass);
    }();
    require(radius < 1.0, "panto_run",
            "--controller " + o.controller + " does not settle on a pad of " + shown(job.stiffness) +
                " N/m: disturbances grow by a factor of " + shown(radius) +
                " a step. Take lqg_plus or a softer pad (--contact-stiffness), or set --accept-unstable");
}

/// The closed loop over the simulated rig, then the simulation it should have been like.
template <Controller C>
void hil(const Options& o, const Job& job, C& controller, io::RunRecord& run) {
    require_stable(o, job, controller);
    const double dt = job.passage.dt;
    const double ramp = 50.0 / job.passage.speed;  // s, in which the wire takes up the force
    auto wire = engine_for<catenary::RealTimeEngine<>>(job);
    rig::Simulated stand({.pad_stiffness = job.stiffness,
                          .pantograph = job.pantograph.params,
                          .lift = 0.0,
                          .start_height = 2e-3,
                          .force_filter = o.force_filter ? std::optional<double>(100.0) : std::nullopt,
                          .force_noise = o.force_noise,
                          .position_noise = 1e-3 * o.position_noise_mm,
                          .seed = o.seed},
                         dt);
    const rig::nanoseconds period(std::llround(1e9 * dt));
    rig::TaredSensor sensor{stand.sensor};
    const rig::CommissioningReport ready = make_ready(stand, sensor, period, job.lift);
    run.metadata.emplace_back("preload", shown(ready.preload) + " N");
    run.metadata.emplace_back("fall of the force in the sign check", shown(ready.fall) + " N");
    if (!usable(ready.status)) {
        run.fault = "commissioning, " + std::string(name(ready.stage)) + ": " + std::string(name(ready.status));
        return;
    }
    rig::Cycle cycle(sensor, wire, controller, stand.drive, interaction::MassInteraction({.ramp_time = ramp}, dt));
    Timed<decltype(cycle)> timed{cycle, period};
    const rig::Schedule schedule{.period = period, .duration = job.steps() * period};
    rig::Recorder recorder(schedule);
    io::Observation seen(wire, static_cast<std::size_t>(job.steps()) + 1);
    io::Progress progress(job.duration());
    wire.reset();
    seen.sample(0.0);
    const rig::Report report = rig::run(timed, stand.clock, schedule, [&](const rig::CycleRecord& record) noexcept {
        recorder(record);
        seen.sample(record.exchange.wire_force);
        progress.update(record.exchange.time);  // allowed because the rig's clock stands still meanwhile
    });
    progress.finish();

    // Sample k of the wire is the work of cycle k - 1; drive and load cell of that instant are read `delay` cycles
    // later. Sample 0 is the start, when nothing has moved yet.
    const auto delay = static_cast<std::size_t>(stand.params().measurement_delay);
    interaction::ForceRecord& record = seen.record();
    const std::size_t complete = recorder.size() > delay ? recorder.size() - delay + 1 : 0;
    for (auto* series : {&record.time, &record.position, &record.force, &record.height}) series->resize(complete);
    for (auto& support : record.supports) support.uplift.resize(complete);
    for (std::size_t k = 0; k < complete; ++k) {
        const std::size_t cycle_of_sample = k > 0 ? k - 1 : 0;
        const Exchange& read = recorder[cycle_of_sample + delay].exchange;
        record.force[k] = std::max(0.0, read.strip_force);  // noise must not pass for a pull
        run.achieved_position.push_back(read.strip.height);
        run.reference_position.push_back(recorder[cycle_of_sample].exchange.reference.height);
    }
    run.sampling = "force and achieved position at the instant they were measured, k * " + shown(1e3 * dt) +
                   " ms after the start (read " + std::to_string(delay) +
                   " period later); wire height, reference and droppers at the same instant of the virtual line";
    run.step_times = io::step_times_of(timed.times, dt);
    run.overruns = timed.overruns;
    run.droppers = seen.droppers();
    io::add_series(run, record, job.evaluation);
    if (!usable(report.status)) {
        run.fault = std::string(report.reason()) + " at " + shown(wire.position()) + " m";
        return;
    }
    io::evaluate(run, record, job.evaluation);
    io::RunRecord ideal;
    rig::Histogram unused;
    auto engine = engine_for<catenary::RealTimeEngine<>>(job);
    const auto reference = simulated(engine, job, interaction::Start::at_datum, ideal, unused);
    if (ideal.fault.empty()) io::compare_with(run, reference.record(), job.evaluation);
    io::add_position_error(run, job.evaluation);
}

void hil(const Options& o, const Job& job, io::RunRecord& run) {
    const double dt = job.passage.dt;
    std::variant<control::LqgPlus, control::Lqg, control::Direct> chosen = [&]() -> decltype(chosen) {
        if (o.controller == "none") return control::Direct();
        if (o.controller == "paper_lqg") return control::Lqg({.pad_stiffness = job.stiffness}, dt);
        return control::LqgPlus({.head_mass = job.pantograph.params.mass[0],
                                 .pad_stiffness = job.stiffness,
                                 .force_filter = o.force_filter ? 100.0 : 0.0},
                                dt);
    }();
    std::visit([&](auto& controller) { hil(o, job, controller, run); }, chosen);
}

void add_options(CLI::App& app, Options& o) {
    app.add_option("--catenary", o.catenary, "name or JSON file")->capture_default_str();
    app.add_option("--pantograph", o.pantograph, "name or JSON file")->capture_default_str();
    app.add_option("--speed", o.speed_kmh, "km/h")->capture_default_str();
    app.add_option("--mode", o.mode, "simulate: both models coupled; hil: closed loop over a simulated rig")
        ->capture_default_str();
    app.add_option("--controller", o.controller, "of the drive: lqg_plus, paper_lqg, none")->capture_default_str();
    app.add_option("--duration", o.duration, "s; else --distance");
    app.add_option("--distance", o.distance, "m; else to 90 % of the section");
    app.add_option("--start", o.start, "m; else 10 % of the section");
    app.add_option("--window", o.window, "m m; part of the run that is evaluated")->expected(2);
    app.add_option("--filter", o.filter, "of the contact force, by name")->capture_default_str();
    app.add_option("--static-force", o.static_force, "N; else the AC law of EN 50367 at that speed");
    app.add_option("--contact-stiffness", o.stiffness, "N/m; else 50e3, of the pad in hil 240e3");
    app.add_option("--element", o.element, "m, longest of the contact wire; else 0.5, in hil 1.5");
    app.add_option("--dt", o.dt_ms, "ms, time step; else 0.5, in hil 2 (the period of the loop)");
    app.add_option("--engine", o.engine, "of simulate: realtime, reference")->capture_default_str();
    app.add_option("--force-noise", o.force_noise, "N, standard deviation, hil")->capture_default_str();
    app.add_option("--position-noise", o.position_noise_mm, "mm, standard deviation, hil")->capture_default_str();
    app.add_flag("--force-filter,!--no-force-filter", o.force_filter, "100 Hz filter of the rig's load cell, hil");
    app.add_flag("--accept-unstable", o.accept_unstable, "run a controller that does not settle on this pad, hil");
    app.add_option("--seed", o.seed, "of the noise")->capture_default_str();
    app.add_option("--out", o.out, "output folder")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html, for which gnuplot is needed");
    app.set_version_flag("--version", std::string(panto::version));
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("A pantograph under a virtual catenary: simulation or hardware-in-the-loop test on a simulated rig.");
    add_options(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        const Job job = prepared(options);
        io::require_writable(options.out);
        if (options.report) io::require_gnuplot();
        io::RunRecord run = described(options, job);
        if (options.mode == "hil")
            hil(options, job, run);
        else
            simulate(options, job, run);

        const std::filesystem::path folder = options.out;
        io::write_series(folder, run);
        io::write_summary(folder / "summary.json", run);
        std::cout << io::results_as_text(run);
        if (options.report) io::write_report(folder, run);
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
