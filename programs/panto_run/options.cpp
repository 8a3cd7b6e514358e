// SPDX-License-Identifier: BSD-3-Clause
// The command line of panto_run.
#include "options.hpp"

#include <panto/version.hpp>

#include "../option_values.hpp"
#include "../seed_option.hpp"

#include <CLI/CLI.hpp>

namespace panto_run {

namespace {

/// Group of the options that only one mode has, as --help shows it.
std::string only_with(const std::string& mode) { return "Only with --mode " + mode; }

void add_options(CLI::App& app, Options& o) {
    app.add_option("--catenary", o.catenary, "name or JSON file")->capture_default_str();
    app.add_option("--pantograph", o.pantograph, "name or JSON file")->capture_default_str();
    app.add_option("--speed", o.speed_kmh, "km/h")->capture_default_str();
    app.add_option("--mode", o.mode, "simulate: both models coupled; hil: closed loop over a simulated rig")
        ->capture_default_str();
    app.add_option("--duration", o.duration, "s; default: given by --distance");
    app.add_option("--distance", o.distance, "m; default: to 90 % of the section");
    app.add_option("--start", o.start, "m; default: 10 % of the section");
    app.add_option("--window", o.window, "m m; from and to of the part that is evaluated")->expected(2);
    app.add_option("--filter", o.filter, "of the contact force, by name")->capture_default_str();
    app.add_option("--static-force", o.static_force, "N; default: the pantograph's own, or the AC law of EN 50367");
    app.add_option("--contact-stiffness", o.stiffness,
                   "N/m; default: 50e3, with hil 240e3 (the pad), with --rig linear_drive or two_drives 10e3");
    app.add_option("--element", o.element,
                   "m, longest element of the contact wire; default: 0.5, with hil 0.75, less at high speed");
    app.add_option("--dt", o.dt_ms,
                   "ms, time step; default: 0.5, with moving about 1, with hil 2 (the period of the loop), with --rig "
                   "linear_drive "
                   "or two_drives 1000/170");
    app.add_option("--out", o.out, "output folder; results of an earlier run there are replaced")
        ->capture_default_str();
    app.add_option("--compare", o.compare, "folder of another run to compare with; may be that of --out");
    app.add_flag("!--no-report", o.report, "no report.html (which needs dygraphs or gnuplot)");
    CLI::Option* vehicle = app.add_option(
        "--vehicle", o.vehicle, "name or JSON file; the roof of this vehicle moves the base of the pantograph");
    app.add_option("--track", o.track, "low or high (disturbance), level, or a CSV file of four rails")
        ->capture_default_str()
        ->needs(vehicle);
    app.add_option("--track-seed", o.track_seed, "of a random track")->capture_default_str()->needs(vehicle);
    app.add_option("--roof-body", o.roof_body,
                   "body of the vehicle that carries the pantograph; default: the heaviest one")
        ->needs(vehicle);
    app.add_option("--roof-x", o.roof_x, "m, position of the pantograph ahead of the centre of that body")
        ->capture_default_str()
        ->needs(vehicle);
    app.add_option("--engine", o.engine,
                   "realtime, reference, moving; with --controller mpc realtime or, by default, moving")
        ->capture_default_str()
        ->group(only_with("simulate"));
    app.add_option("--pantographs", o.pantographs, "how many are raised, one behind the other")
        ->capture_default_str()
        ->group(only_with("simulate"));
    app.add_option("--spacing", o.spacing, "m, from one pantograph to the next")
        ->capture_default_str()
        ->group(only_with("simulate"));
    const std::string hil = only_with("hil");
    app.add_option(
           "--controller", o.controller,
           "of the drive: predictive, lqg, paper_lqg, none, mpc (see --rig). Unless one is given, lqg takes over "
           "if a run with predictive ends with a fault that is not a --fault")
        ->capture_default_str()
        ->group(hil);
    app.add_option("--rig", o.rig,
                   "pad: motor, pad and delays; for mpc alone linear_drive: that of the predictive paper, two_drives: "
                   "the same on a robot. Default: pad; "
                   "with mpc linear_drive, unless another --catenary than predictive_hil is given")
        ->group(hil);
    app.add_option("--force-noise", o.force_noise, "N, standard deviation")->capture_default_str()->group(hil);
    app.add_option("--position-noise", o.position_noise_mm, "mm, standard deviation")
        ->capture_default_str()
        ->group(hil);
    app.add_flag("--force-filter,!--no-force-filter", o.force_filter, "100 Hz filter of the load cell")->group(hil);
    app.add_flag("--accept-unstable", o.accept_unstable, "run even if the controller does not settle on this pad")
        ->group(hil);
    add_seed(app, o.seed, "of the noise")->group(hil);
    CLI::Option* fault =
        app.add_option("--fault", o.fault,
                       "of the simulated rig, by name, such as base_refuses or force_lost: see what the cycle does");
    fault->group(hil);
    app.add_option("--fault-at", o.fault_at, "s after the start of the run")
        ->capture_default_str()
        ->needs(fault)
        ->group(hil);
    app.set_version_flag("--version", std::string(panto::version));
    app.footer(
        "Exit status: 0 the run is complete, whether or not limits are met; 1 it ended with a fault or was\n"
        "stopped (Ctrl-C), and what was recorded is written; 2 it was refused, or results or standard output\n"
        "could not be written; above 100 the command line is invalid.");
}

/// Why an option would do nothing; empty if each of them does something.
std::string without_effect(const CLI::App& app, const Options& o) {
    const std::string& mode = o.mode;
    for (const CLI::Option* option : app.get_options())
        for (const std::string_view other : modes)
            if (option->count() > 0 && other != mode && option->get_group() == only_with(std::string(other)) &&
                !(o.mpc() && option->get_name() == "--engine"))
                return option->get_name() + " belongs to --mode " + std::string(other) + ", but --mode is " + mode;
    if (o.pantographs == 1 && app.get_option("--spacing")->count() > 0)
        return "--spacing has no effect with one pantograph; see --pantographs";
    if (o.pantographs > 1 && o.engine == "moving")
        return "--engine is moving, must be realtime or reference with more than one of --pantographs";
    if (o.pantographs > 1 && !o.vehicle.empty())
        return "--vehicle has no effect with more than one of --pantographs; leave it out";
    if (o.track != "low" && o.track != "high" && app.get_option("--track-seed")->count() > 0)
        return "--track-seed has no effect with this --track, which is not random; leave it out";
    const bool still = o.vehicle.empty() || o.track == "level";
    if (still && (o.fault == "base_frozen" || o.fault == "base_stuck"))
        return "--fault " + o.fault + " has no effect where the base of the pantograph stands still; give a --vehicle" +
               (o.vehicle.empty() ? "" : " on a --track that is not level");
    if (o.mode == "hil" && o.controller != "mpc" && o.rig != "pad")
        return "--rig is " + o.rig + ", must be pad with --controller " + o.controller +
               "; it belongs to --controller mpc";
    if (o.rig_mpc() && app.get_option("--accept-unstable")->count() > 0)
        return "--accept-unstable has no effect with --controller mpc, which is not checked before the run; leave it "
               "out";
    if (o.mpc()) {
        if (o.engine == "reference")
            return "--engine is reference, must be moving or realtime with --controller mpc: the reference engine "
                   "cannot predict";
        for (const char* name :
             {"--element", "--vehicle", "--position-noise", "--force-filter", "--accept-unstable", "--fault"})
            if (app.get_option(name)->count() > 0 && !(o.engine == "realtime" && name == std::string("--element")))
                return std::string(name) + " has no effect with --controller mpc and --rig " + o.rig + "; leave it out";
    }
    return {};
}

}  // namespace

std::variant<Options, int> parsed(int argc, char** argv) {
    Options options;
    CLI::App app("A pantograph under a virtual catenary: simulation or hardware-in-the-loop test on a simulated rig.");
    add_options(app, options);
    check_values(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e);
    }
    if (options.rig.empty()) {
        const bool paper =
            options.controller == "mpc" && (app.count("--catenary") == 0 || options.catenary == "predictive_hil");
        options.rig = paper ? "linear_drive" : "pad";
    }
    // The predictive paper's line, pantograph and speed.
    if (options.mpc()) {
        if (app.count("--catenary") == 0) options.catenary = "predictive_hil";
        if (app.count("--pantograph") == 0) options.pantograph = "EN50318_2002";
        if (app.count("--speed") == 0) options.speed_kmh = 216.0;
        if (app.count("--engine") == 0) options.engine = "moving";
    }
    options.controller_given = app.count("--controller") > 0;
    options.without_effect = without_effect(app, options);
    return options;
}

}  // namespace panto_run
