// SPDX-License-Identifier: BSD-3-Clause
// What panto_run decides before a run, and what it does with the files of one.
#include "job.hpp"

#include <panto/core/time_step.hpp>
#include <panto/element/contact.hpp>
#include <panto/io/chart_dygraphs.hpp>
#include <panto/io/machine.hpp>
#include <panto/io/pantograph_json.hpp>
#include <panto/io/section_json.hpp>
#include <panto/io/stop_signal.hpp>
#include <panto/pantograph/static_force.hpp>
#include <panto/session/comparison_json.hpp>
#include <panto/session/evaluation.hpp>
#include <panto/session/report.hpp>
#include <panto/session/results_table.hpp>
#include <panto/session/run_csv.hpp>
#include <panto/session/summary_json.hpp>
#include <panto/version.hpp>

#include "roof.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

using namespace panto;

namespace panto_run {

namespace {

/// Refuses a value outside of a range, in the unit of its option.
void require_between(double value, double low, double high, const std::string& option, const std::string& unit) {
    require(value >= low && value <= high, "panto_run", option, " is ", value, " ", unit, ", must be from ", low,
            " to ", high, " ", unit);
}

void require_known(std::string_view kind, std::string_view name, std::span<const std::string_view> known) {
    if (std::find(known.begin(), known.end(), name) == known.end())
        throw SetupError(unknown_name("panto_run", kind, name, known));
}

/// The longest time steps, ms.
struct LongestSteps {
    double allowed = 0.0;
    double of_rig = 0.0;  ///< with which the rig can be made ready; for runs without a rig the same
};

LongestSteps longest_steps(const Options& o, const rig::CommissioningPlan& plan) {
    const bool on_rig = o.mode == "hil" && !o.mpc();
    const double ready = on_rig ? 1e3 * rig::longest_period(plan) : 20.0;
    const double holds = !on_rig || o.accept_unstable   ? ready
                         : o.controller == "predictive" ? longest_predictive_step
                         : o.controller == "lqg"        ? longest_lqg_step
                         : o.controller == "mpc"        ? longest_mpc_step
                                                        : ready;
    return {std::min(holds, ready), ready};
}

/// Refuses time steps, ms, with which the rig cannot be made ready, or with which the controller does not hold the
/// force although it passes the check of the pad.
void require_time_step(const Options& o, double dt_ms, const rig::CommissioningPlan& plan) {
    const bool on_rig = o.mode == "hil" && !o.mpc();
    const auto [longest, ready] = longest_steps(o, plan);
    constexpr double finest = 0.01;
    const double shortest = on_rig && o.controller == "predictive" ? shortest_predictive_step : finest;
    std::string why;
    if (dt_ms < shortest) {
        if (shortest > finest) why = "; --controller lqg accepts " + shown(finest) + " ms and more";
    } else if (on_rig && longest < ready) {
        why = " with this --controller, which with longer ones does not hold the force on every line";
        if (o.controller != "mpc")
            why += ", unless --accept-unstable is set, which allows up to " + shown(ready) + " ms";
    } else if (on_rig) {
        why = " with --mode hil: longer ones leave too few readings to check the sign of the force";
    }
    require(dt_ms >= shortest * (1.0 - 1e-9) && dt_ms <= longest * (1.0 + 1e-9), "panto_run", "--dt is ", dt_ms,
            " ms, must be from ", shortest, " to ", longest, " ms", why);
}

}  // namespace

Job prepared(const Options& o) {
    require_known("mode", o.mode, modes);
    require_known("controller", o.controller, controllers);
    require_known("rig", o.rig, rigs);
    require_known("engine", o.engine, engines);
    Job job{.section = io::section_by_name_or_file(o.catenary),
            .pantograph = io::pantograph_by_name_or_file(o.pantograph)};
    io::RunPlan& plan = job.plan;
    require_between(o.speed_kmh, 1.0, 600.0, "--speed", "km/h");
    require_between(o.force_noise, 0.0, 100.0, "--force-noise", "N");
    require_between(o.position_noise_mm, 0.0, 10.0, "--position-noise", "mm");
    require(o.pantographs >= 1 && o.pantographs <= 8, "panto_run", "--pantographs is ", o.pantographs,
            ", must be from 1 to 8");
    require_between(o.spacing, 1.0, 1000.0, "--spacing", "m");
    // A simulation has the time for a step and, below, a mesh on which the figures have settled.
    const double dt_ms = o.dt_ms.value_or(o.mpc() ? 1e3 / 170.0 : o.mode == "hil" ? 1e3 * default_time_step : 0.5);
    require_time_step(o, dt_ms, plan.commissioning);
    const double length = job.section.length();
    job.passage = {.speed = o.speed_kmh / 3.6,
                   .start = o.start.value_or(std::max(0.1 * length, std::min(o.train() + 0.05 * length, 0.5 * length))),
                   .dt = 1e-3 * dt_ms};
    require(job.passage.start >= 0.0 && job.passage.start < length, "panto_run", "--start is ", job.passage.start,
            " m, must be from 0 to below ", length, " m, the end of the line");
    require(job.passage.start >= o.train(), "panto_run", "--start is ", job.passage.start,
            " m, but the last of the pantographs stands ", o.train(),
            " m behind the first: must be at least that; use a longer line or a smaller --spacing");
    if (o.mpc() || o.rig_mpc() || (o.mode == "simulate" && o.engine == "moving")) {
        // A line that repeats itself, as in the train's frame, needs a whole number of steps in a span.
        const double time = job.section.spans.front().length / job.passage.speed, steps = time / job.passage.dt;
        if (!o.dt_ms) {
            const double usual = o.mpc() ? 1.0 / 170.0 : o.rig_mpc() ? default_time_step : 1e-3;
            job.passage.dt = time / std::ceil(time / usual - 1e-6);
        } else {
            const double shorter = 1e3 * time / std::ceil(steps), longer = 1e3 * time / std::floor(steps);
            require(std::abs(steps - std::round(steps)) < 1e-6 * steps, "panto_run", "--dt is ", dt_ms,
                    " ms, of which a span takes ", steps, ", must be a whole number: use ", shorter,
                    longer <= longest_steps(o, plan.commissioning).allowed ? " or " + shown(longer) : std::string(),
                    " ms, or leave out --dt");
            job.passage.dt = time / std::round(steps);
        }
    }
    require(!(o.duration && o.distance), "panto_run", "--duration and --distance are given, give only one of them");
    plan.end = o.duration   ? job.passage.start + *o.duration * job.passage.speed
               : o.distance ? job.passage.start + *o.distance
                            : std::min(length, 0.9 * length + o.train());
    require(plan.end > job.passage.start && plan.end <= length, "panto_run", "the run goes from ", job.passage.start,
            " m to ", plan.end, " m, must run forward inside the section of ", length,
            " m; see --start, --distance, --duration");
    const double samples = job.duration() / job.passage.dt;
    const double most = std::min(1e6, 1e8 / static_cast<double>(job.section.supports.size() + 4));  // fills 1 GB
    require(samples <= most, "panto_run", "the run takes ", std::ceil(samples), " steps, at most ", std::floor(most),
            ": use a larger --dt or --speed or a shorter --distance");
    // Where nothing is said: the middle half of a long section, the two spans in the middle of a short one.
    const std::size_t spans = job.section.spans.size();
    const bool is_long = spans >= 16;
    const std::size_t first = is_long ? spans / 4 : (spans > 1 ? spans / 2 - 1 : 0);
    const std::size_t last = is_long ? spans - spans / 4 : std::min(spans, first + 2);
    plan.evaluation = {.from = job.section.support_position(first),
                       .to = job.section.support_position(last),
                       .filter = interaction::contact_force_filter(o.filter)};
    const double covered = plan.end - o.train();  // m, by all pantographs
    if (o.window.size() == 2)
        plan.evaluation.from = o.window[0], plan.evaluation.to = o.window[1];
    else if (plan.evaluation.from < job.passage.start || plan.evaluation.to > covered)
        plan.evaluation.from = 0.5 * (job.passage.start + covered), plan.evaluation.to = covered;
    require(o.window.empty() || o.window[0] < o.window[1], "panto_run", "--window is ", plan.evaluation.from, " to ",
            plan.evaluation.to, " m, must go from the smaller position to the larger one");
    require(covered > job.passage.start, "panto_run", "the last pantograph only comes to ", covered,
            " m, but the first one starts at ", job.passage.start,
            " m: no part of the line is passed by all; use a longer line or a smaller --spacing");
    require(plan.evaluation.from >= job.passage.start && plan.evaluation.from < plan.evaluation.to &&
                plan.evaluation.to <= covered,
            "panto_run", "--window is ", plan.evaluation.from, " to ", plan.evaluation.to,
            " m, must be a part of the run, ", job.passage.start, " to ", covered, " m",
            o.pantographs > 1 ? ", as far as all pantographs pass it" : "");
    const auto steps = static_cast<std::size_t>(std::ceil(samples - 1e-9));
    try {
        io::require_evaluable(job.passage.start, job.passage.speed, job.passage.dt, steps + (o.mode == "hil" ? 0 : 1),
                              plan.evaluation);
    } catch (const SetupError& e) {
        throw SetupError("panto_run: this run could not be evaluated; see --distance, --window and --dt: " +
                         std::string(e.what()));
    }
    plan.static_force = o.static_force ? *o.static_force
                        : job.pantograph.static_force
                            ? *job.pantograph.static_force
                            : pantograph::static_force_at({.law = pantograph::StaticForceLaw::ac}, job.passage.speed);
    require_between(plan.static_force, 0.0, rig::CycleLimits{}.force,
                    o.static_force ? "--static-force" : "static force of '" + job.pantograph.name + "'", "N");
    plan.rig = {.pad_stiffness = o.stiffness.value_or(o.mpc()           ? 10e3
                                                      : o.mode == "hil" ? plant::default_pad_stiffness
                                                                        : element::default_contact_stiffness),
                .pantograph = job.pantograph.params,
                .force_filter = {.cut_off = o.force_filter ? 100.0 : 0.0}};
    require_between(plan.rig.pad_stiffness, 1.0, 1e8, "--contact-stiffness", "N/m");  // beyond, a simulation chatters
    // Elements must carry 20 Hz ahead of the pantograph, h <= (c - v) / 40 Hz, see catenary::highest_frequency.
    const double ahead = catenary::wave_speed(job.section.contact_wire) - job.passage.speed;
    const double usual = o.mode == "hil" ? 0.75 : 0.5;
    const double element = o.element.value_or(ahead > 0.0 ? std::clamp(ahead / 40.0, 0.1, usual) : usual);
    require_between(element, 0.05, 100.0, "--element", "m");
    job.mesh = {.contact = element, .messenger = 2.0 * element, .stitch = element / 1.5};
    job.model.emplace(job.section, job.mesh);
    const double carried = catenary::highest_frequency(*job.model, job.passage.speed);
    require(!(carried > 0.0) || carried >= 20.0, "panto_run", "--element is ", element,
            " m, which carries waves ahead of the pantograph up to ", carried, " Hz at ", o.speed_kmh,
            " km/h, 20 Hz are needed: must be at most ", ahead / 40.0, " m");
    if (o.mode == "simulate" ? o.engine != "moving" : !o.mpc()) plan.start = interaction::Start::loaded_equilibrium;
    // Slowly: a head without damper rings on the pad for ever.
    plan.commissioning.approach_speed = 2e-3;
    plan.commissioning.preload_speed = 1e-3;
    plan.stop_requested = &io::StopSignal::flag();
    require(o.without_effect.empty(), "panto_run", o.without_effect);
    if (!o.fault.empty()) {
        const auto& known = rig::simulated_fault_names;
        require_known("fault of the simulated rig", o.fault, known);
        require_between(o.fault_at, 0.0, job.duration() - job.passage.dt, "--fault-at", "s");
        job.fault = static_cast<rig::SimulatedFault>(std::find(known.begin(), known.end(), o.fault) - known.begin());
    }
    if (!o.vehicle.empty()) add_roof(o, job);
    return job;
}

io::RunRecord described(const Options& o, const Job& job) {
    const io::RunPlan& plan = job.plan;
    io::RunRecord run{.catenary = job.section.name,
                      .pantograph = job.pantograph.name,
                      .mode = o.mode,
                      .controller = o.mode == "hil" ? o.controller : "",
                      .speed = job.passage.speed,
                      .version = std::string(panto::version)};
    if (o.mode == "hil") run.seed = o.seed;
    if (o.report)
        if (std::string warning = io::dygraphs_warning(); !warning.empty()) run.warnings.push_back(std::move(warning));
    run.metadata = {{"catenary data", job.section.source},
                    {"pantograph data", job.pantograph.source + "; confidence " + job.pantograph.confidence},
                    {"engine", o.engine},
                    {"time step", shown(1e3 * job.passage.dt) + " ms"},
                    {"elements of the contact wire", "up to " + shown(job.mesh.contact) + " m"},
                    {"way", shown(job.passage.start) + " m to " + shown(plan.end) + " m"},
                    {"evaluated", shown(plan.evaluation.from) + " m to " + shown(plan.evaluation.to) + " m"},
                    {"static force", shown(plan.static_force) + " N"},
                    {o.mode == "hil" ? "pad stiffness" : "contact stiffness", shown(plan.rig.pad_stiffness) + " N/m"}};
    if (o.mode == "hil") {
        run.metadata.emplace_back("noise", shown(o.force_noise) + " N, " + shown(o.position_noise_mm) + " mm");
        run.metadata.emplace_back("force filter of the rig", o.force_filter ? "100 Hz, first order" : "none");
    }
    if (o.mode == "hil" && o.controller == "mpc") run.metadata.emplace_back("rig", o.rig);
    if (o.pantographs > 1)
        run.metadata.emplace_back("pantographs", shown(o.pantographs) + ", " + shown(o.spacing) + " m apart");
    if (job.fault) run.metadata.emplace_back("fault of the rig", o.fault + " from " + shown(o.fault_at) + " s on");
    run.metadata.insert(run.metadata.end(), job.roof.begin(), job.roof.end());
    std::string inputs = io::section_to_text(job.section) + io::pantograph_to_text(job.pantograph);
    for (const auto& [name, value] : run.metadata) inputs += name + "=" + value + "\n";
    inputs += run.mode + run.controller + shown(o.speed_kmh) + run.version + std::to_string(o.seed) + o.filter;
    run.inputs_hash = io::fingerprint(inputs);
    run.metadata.emplace_back("date", io::date_now());
    run.metadata.emplace_back("machine", io::machine_name());
    return run;
}

std::optional<io::OtherRun> other_run(const Options& o) {
    return o.compare.empty() ? std::nullopt : std::optional(io::read_other_run(o.compare));
}

int write(const Options& o, io::ResultFolder& results, io::RunRecord& run, std::optional<io::OtherRun> other) {
    for (const std::string& warning : run.warnings) std::cerr << "warning: " << warning << "\n";
    if (io::stopped_before_it_began(run) && std::filesystem::exists(results.path() / "series.csv")) {
        std::cerr << "the run is not complete: " << run.fault << "\nnothing was recorded; the earlier results in "
                  << results.path().string() << " are left as they are\n";
        return 1;
    }
    if (other) io::compare_runs(run, std::move(*other));
    io::write_series(results.fresh(), run);
    io::write_summary(results.fresh() / "summary.json", run);
    if (o.report) io::write_report(results.fresh(), run);
    results.swap_in();
    const std::filesystem::path folder = o.out;
    std::cout << io::results_as_text(run);
    if (run.other) std::cout << "\n" << io::comparison_as_text(*run.other);
    std::cout << "\nresults are in " << std::filesystem::absolute(folder).lexically_normal().string() << "\n";
    if (o.report) std::cout << "report: " << std::filesystem::absolute(folder / "report.html").string() << "\n";
    if (run.fault.empty()) return 0;
    const bool by_user = run.fault.find(name(Status::stopped_by_user)) != std::string::npos;
    std::cerr << "the run " << (by_user ? "is not complete: " : "ended with a fault: ") << run.fault << "\n";
    if (by_user) return 1;
    if (run.fault.starts_with("commissioning"))
        std::cerr << "note: the rig was not made ready, and no controller has run; "
                  << (o.stiffness && !(*o.stiffness >= softest_pad && *o.stiffness <= stiffest_pad)
                          ? "--contact-stiffness is " + shown(*o.stiffness) +
                                " N/m, commissioning is known to pass on pads of " + shown(softest_pad) + " to " +
                                shown(stiffest_pad) + " N/m: use such a pad" +
                                (*o.stiffness < softest_pad ? ", or a smaller --force-noise\n" : "\n")
                          : "see docs/rig.md, commissioning\n");
    else if (o.mode == "hil" && o.fault.empty() && run.controller == "predictive")
        std::cerr << "note: the predictive controller has limits (docs/control.md); try --controller lqg or a smaller "
                     "--dt\n";
    return 1;
}

}  // namespace panto_run
