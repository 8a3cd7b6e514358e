// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The main job: a pantograph under a virtual catenary, simulated or as a hardware-in-the-loop test on a simulated rig.
///     panto_run --catenary stitched_hil --pantograph DSA380_HiL --speed 275 --mode hil --out results
/// Writes summary.json, series.csv and others, and report.html into the output folder.

#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/paper_lqg.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/control/robustness.hpp>
#include <panto/io/page_parts.hpp>
#include <panto/io/progress.hpp>
#include <panto/io/stop_signal.hpp>
#include <panto/rig/drive_pair.hpp>
#include <panto/rig/rehearsal.hpp>
#include <panto/rig/simulated.hpp>
#include <panto/rig/standing_run.hpp>
#include <panto/session/session.hpp>

#include "panto_run/balances.hpp"
#include "panto_run/job.hpp"
#include "panto_run/mpc.hpp"
#include "panto_run/options.hpp"
#include "panto_run/rig_mpc.hpp"
#include "panto_run/roof.hpp"
#include "printed.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

using namespace panto;
using namespace panto_run;

namespace {

/// The linear loop of a controller of this kind, designed for a rig.
template <Controller C>
control::CutLoop loop_on(const plant::RigParams& rig, const C& controller, const io::RunPlan& plan, double dt) {
    const plant::SampledModel plant = plant::sampled_model(rig, dt);
    if constexpr (std::same_as<C, control::Direct>) {
        return control::cut_loop(plant, control::direct_controller(), plan.mass);
    } else {
        auto p = controller.params();
        p.rig = rig;
        if constexpr (std::same_as<C, control::PredictiveLqg>)
            return control::cut_loop(plant, C(p, dt), p.wire);
        else
            return control::cut_loop(plant, C(p, dt), plan.mass);
    }
}

using Wire = catenary::RealTimeEngine<>;

/// N/m, the stiffest pad on which a kind of controller is accepted.
template <Controller C>
constexpr double stiffest_pad_of() {
    if constexpr (std::same_as<C, control::PredictiveLqg>)
        return C::stiffest_pad;
    else
        return HUGE_VAL;
}

/// Whether a controller would be accepted on the pad of the job.
template <Controller C>
bool accepted(const Job& job, const C& controller) {
    return job.plan.rig.pad_stiffness <= stiffest_pad_of<C>() &&
           control::settles(control::radius(loop_on(job.plan.rig, controller, job.plan, job.passage.dt)));
}

control::PredictiveLqg predictive(const Job& job, Wire& wire) {
    return {{.rig = job.plan.rig,
             .wire = control::wire_response(wire, io::press(wire, job.plan)),
             .accept_stiff_pad = true},  // see require_stable
            job.passage.dt};
}

control::Lqg lqg(const Job& job) { return {{.rig = job.plan.rig, .interaction_mass = job.plan.mass}, job.passage.dt}; }

/// "--controller lqg, or ": the controllers other than the one asked for that would run on this rig; empty if none.
std::string others(const Options& o, const Job& job, Wire& wire) {
    std::string names;
    const auto ask = [&](const char* name, double longest_step, auto&& made) {
        if (o.controller == name || job.passage.dt > 1e-3 * longest_step * (1.0 + 1e-9)) return;
        const auto runs = [&] {
            try {
                return accepted(job, made());
            } catch (const SetupError&) {  // it cannot be designed for this rig
                return false;
            }
        };
        if (runs()) names += std::string(names.empty() ? "--controller " : "or ") + name + ", ";
    };
    if (job.passage.dt >= 1e-3 * shortest_predictive_step * (1.0 - 1e-9))
        ask("predictive", longest_predictive_step, [&] { return predictive(job, wire); });
    ask("lqg", longest_lqg_step, [&] { return lqg(job); });
    ask("none", HUGE_VAL, [] { return control::Direct(); });
    return names.empty() ? names : names + "or ";
}

/// Refuses a controller that does not settle on this pad and pantograph, and says on which pads it would, and which
/// controllers do.
template <Controller C>
void require_stable(const Options& o, const Job& job, Wire& wire, const C& controller) {
    if (o.accept_unstable || accepted(job, controller)) return;
    const auto loop = [&](const plant::RigParams& rig) { return loop_on(rig, controller, job.plan, job.passage.dt); };
    control::require_settles(
        job.plan.rig, loop, "panto_run", "--controller " + o.controller,
        "Use " + others(o, job, wire) + "one of these pads (--contact-stiffness), or set --accept-unstable",
        stiffest_pad_of<C>());
}

/// Warns where the loop does not come to rest below a line that stands still: the check of the pad does not know that.
/// Loops above 1 kHz, for which ten seconds take long, are not asked.
template <Controller C>
void warn_of_standing(const Job& job, const C& controller, io::RunRecord& record) {
    if (job.passage.dt < 1e-3) return;
    const rig::StandingParams p{.stand = {.rig = job.plan.rig, .uplift_force = job.plan.static_force},
                                .interaction = job.plan.mass};
    const auto places = rig::stiffest_and_softest(*job.model, job.passage.start, job.plan.end);
    constexpr std::array where{"stiffest", "softest"};
    std::vector<std::future<rig::StandingRun>> runs;  // at once
    for (std::size_t i = 0; i < (places[0] == places[1] ? 1 : places.size()); ++i)
        runs.push_back(std::async(std::launch::async, [&job, &controller, &p, at = places[i]] {
            return rig::standing_run(*job.model, at, controller, p, job.passage.dt);
        }));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const rig::StandingRun run = runs[i].get();
        if (run.settles()) continue;
        record.warnings.push_back("standing still at " + shown(places[i]) + " m, where the line is " + where[i] +
                                  ", this loop " + (run.lost ? "loses contact" : "does not come to rest") +
                                  " after a push of " + shown(p.push) + " N with a time step of " +
                                  shown(1e3 * job.passage.dt) +
                                  " ms: do not stop or creep there, or use a smaller --dt");
    }
}

/// Refuses a plan of commissioning that cannot be carried out, by the options it comes from.
void require_commissionable(const Options& o, const Job& job, const rig::CommissioningPlan& plan) {
    require(job.plan.static_force > plan.preload_tolerance && job.plan.static_force < plan.force_limit, "panto_run",
            o.static_force ? "--static-force" : "static force of '" + job.pantograph.name + "'", " is ",
            job.plan.static_force,
            " N; with --mode hil the strip is pressed against the pad with it beforehand, must be above ",
            plan.preload_tolerance, " N and below ", plan.force_limit, " N: change --static-force");
    require(plan.preload_force > plan.preload_tolerance, "panto_run", "--contact-stiffness is ",
            job.plan.rig.pad_stiffness, " N/m: on so soft a pad a static force of ", job.plan.static_force,
            " N presses strip and wire together with only ", plan.preload_force, " N, must be above ",
            plan.preload_tolerance, " N: use a larger one, such as the usual 240e3 N/m");
    try {
        rig::validate(plan);
    } catch (const SetupError& e) {
        throw SetupError("panto_run: the rig cannot be made ready: " + std::string(e.what()));
    }
}

/// The closed loop over the simulated rig, then the reference simulation of the same passage. Both start at rest, strip
/// and wire pressed together: the pantograph waits below the height at which the wire stands then.
template <Controller C>
io::RunRecord hil(const Options& o, const Job& job, Wire& wire, C controller, io::RunRecord run,
                  io::ResultFolder& results) {
    constexpr bool corrects = std::same_as<C, control::RigMpc>;
    if constexpr (!corrects) {  // which is made for a line that moves at one speed
        require_stable(o, job, wire, controller);
        warn_of_standing(job, controller, run);
    }
    const double height = wire.wire().height, held = job.plan.rig.pantograph.stiffness.tail(1)[0] * height;
    rig::Simulated stand({.rig = job.plan.rig,
                          .uplift_force = held,
                          .start_height = height + 2e-3,
                          .force_noise = o.force_noise,
                          .position_noise = 1e-3 * o.position_noise_mm,
                          .seed = o.seed},
                         wire.dt());
    const auto& roof = job.plan.roof;
    rig::DrivePair drive(
        stand.drive, stand.base, [&](double t) noexcept { return roof ? roof(t).height : 0.0; }, wire.dt());
    io::Session session(job.plan, stand.sensor, wire, controller, drive, stand.clock, std::move(run));
    require_commissionable(o, job, session.plan().commissioning);
    session.record_in(results, false);
    session.commission([&] { rig::raise_gently(stand, held, job.plan.static_force); });
    if (job.fault) stand.inject(*job.fault, stand.time() + o.fault_at, HUGE_VAL);
    Balances balances;
    TrueBalances in_truth;
    balances.begin();
    {
        io::Progress progress(job.duration());  // allowed in the loop: the rig's clock stands still meanwhile
        session.run([&](const rig::CycleRecord& r) noexcept {
            progress.update(r.exchange.time);
            if constexpr (corrects) balances.add(controller.balance());
            in_truth.add(stand.contact_force(), stand.motor_height(), r.exchange.wire_force, r.exchange.wire.height);
        });
    }
    const auto after = [](bool stopped) { return stopped ? "stopped" : "not stopped"; };
    session.record().metadata.emplace_back(
        "drives after the run", std::string("under the pad ") + after(stand.stopped()) + ", under the pantograph " +
                                    after(stand.base_stopped()));
    session.evaluate_beside_simulation();
    if constexpr (corrects) balances.put_into(session.record());
    if constexpr (rig::EstimatingController<C>) in_truth.put_into(session.record(), wire.dt());
    add_share_of_roof(session.record(), wire, job);
    return std::move(session.record());
}

io::RunRecord hil(const Options& o, const Job& job, io::RunRecord run, io::ResultFolder& results) {
    const double dt = job.passage.dt;
    if (o.mpc()) return mpc_run(o, job, std::move(run), results);
    const plant::RigParams& rig = job.plan.rig;
    auto wire = engine_for<Wire>(job, run);
    (void)io::press(wire, job.plan);
    const auto with = [&](auto controller) {
        return hil(o, job, wire, std::move(controller), std::move(run), results);
    };
    if (o.controller == "mpc") return with(rig_mpc(o, job, wire));
    if (o.controller == "none") return with(control::Direct());
    const plant::InteractionMassParams& mass = job.plan.mass;
    if (o.controller == "paper_lqg") return with(control::PaperLqg({.rig = rig, .interaction_mass = mass}, dt));
    if (o.controller == "lqg") return with(lqg(job));
    io::RunRecord record = with(predictive(job, wire));
    const bool ran = record.fault.empty() || record.fault.starts_with("stopped");  // stopped by the user
    if (o.controller_given || job.fault || ran || record.fault.starts_with("commissioning")) return record;
    // Nobody asked for this controller: the one that runs in more cases takes its place.
    Options instead = o;
    instead.controller = "lqg";
    io::RunRecord other = hil(instead, job, described(instead, job), results);
    other.warnings.push_back("the run with --controller predictive, the default, ended with a fault: " + record.fault +
                             "; these are the results with lqg, whose errors are larger");
    return other;
}

/// The files of a run without cycles.csv, which this program never writes: in the folder it may be a file of the user.
/// One that a session wrote is an old result, which must not stay beside new ones.
std::vector<std::string_view> names_in(const std::filesystem::path& folder) {
    std::vector<std::string_view> names(io::run_files.begin(), io::run_files.end());
    std::string line;
    std::ifstream file(folder / "cycles.csv");
    std::getline(file, line);
    if (line != "# " + std::string(io::cycles_heading)) std::erase(names, "cycles.csv");
    return names;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto asked = parsed(argc, argv);
        if (const int* status = std::get_if<int>(&asked)) return *status;
        const Options& options = std::get<Options>(asked);
        const Job job = prepared(options);
        const std::optional<io::OtherRun> other = other_run(options);
        io::ResultFolder results(options.out, names_in(options.out));
        if (!results.killed_run().empty())
            std::cerr << "note: a run into this folder was killed; what it recorded is kept in "
                      << results.killed_run().filename().string() << "\n";
        if (options.report) io::require_drawing();
        const io::StopSignal stop;
        io::RunRecord run = options.mode == "hil" ? hil(options, job, described(options, job), results)
                                                  : simulated(options, job, described(options, job), results);
        const int status = write(options, results, run, other);
        if (status == 0) check_printed();
        return status;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
