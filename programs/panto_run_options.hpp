// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The command line of panto_run: options in the units they are given in, and what each may be.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/names.hpp>
#include <panto/interaction/filter.hpp>
#include <panto/version.hpp>

#include "option_values.hpp"
#include "seed_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace panto_run {

/// What was asked for on the command line, in the units of the options.
struct Options {
    std::string catenary = "stitched_hil";
    std::string pantograph = "DSA380_HiL";
    double speed_kmh = 275.0;
    std::string mode = "hil";
    std::string controller = "lqg";
    std::string engine = "realtime";
    std::optional<double> duration;  // s
    std::optional<double> distance;  // m
    std::optional<double> start;     // m
    std::vector<double> window;      // m, two of them
    std::string filter = std::string(name(panto::interaction::ContactForceFilter::butterworth3_zero_phase_3db));
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
    std::string compare;  // folder of another run
    bool report = true;
};

inline constexpr std::array<std::string_view, 2> modes{"simulate", "hil"};
inline constexpr std::array<std::string_view, 3> controllers{"lqg", "paper_lqg", "none"};
inline constexpr std::array<std::string_view, 2> engines{"realtime", "reference"};

/// Refuses a value outside of a range, in the unit of its option.
inline void require_between(double value, double low, double high, const std::string& option, const std::string& unit) {
    panto::require(value >= low && value <= high, "panto_run", option, " is ", value, " ", unit, ", must be from ", low,
                   " to ", high, " ", unit);
}

inline void require_known(std::string_view kind, std::string_view name, std::span<const std::string_view> known) {
    if (std::find(known.begin(), known.end(), name) == known.end())
        throw panto::SetupError(panto::unknown_name("panto_run", kind, name, known));
}

/// Group of the options that only one mode has, as --help shows it.
inline std::string only_with(const std::string& mode) { return "Only with --mode " + mode; }

inline void add_options(CLI::App& app, Options& o) {
    app.add_option("--catenary", o.catenary, "name or JSON file")->capture_default_str();
    app.add_option("--pantograph", o.pantograph, "name or JSON file")->capture_default_str();
    app.add_option("--speed", o.speed_kmh, "km/h")->capture_default_str();
    app.add_option("--mode", o.mode, "simulate: both models coupled; hil: closed loop over a simulated rig")
        ->capture_default_str();
    app.add_option("--duration", o.duration, "s; else --distance");
    app.add_option("--distance", o.distance, "m; else to 90 % of the section");
    app.add_option("--start", o.start, "m; else 10 % of the section");
    app.add_option("--window", o.window, "m m; part of the run that is evaluated")->expected(2);
    app.add_option("--filter", o.filter, "of the contact force, by name")->capture_default_str();
    app.add_option("--static-force", o.static_force, "N; else the pantograph's own or the AC law of EN 50367");
    app.add_option("--contact-stiffness", o.stiffness, "N/m; else 50e3, of the pad in hil 240e3");
    app.add_option("--element", o.element, "m, longest of the contact wire; else 0.5, in hil 1.5, less at high speed");
    app.add_option("--dt", o.dt_ms, "ms, time step; else 0.5, in hil 2 (the period of the loop)");
    app.add_option("--out", o.out, "output folder; results of a former run in it are replaced")->capture_default_str();
    app.add_option("--compare", o.compare, "folder of another run, shown beside this one; may be that of --out");
    app.add_flag("!--no-report", o.report, "leave out report.html, for which dygraphs or gnuplot is needed");
    app.add_option("--engine", o.engine, "realtime, reference")->capture_default_str()->group(only_with("simulate"));
    const std::string hil = only_with("hil");
    app.add_option("--controller", o.controller, "of the drive: lqg, paper_lqg, none")
        ->capture_default_str()
        ->group(hil);
    app.add_option("--force-noise", o.force_noise, "N, standard deviation")->capture_default_str()->group(hil);
    app.add_option("--position-noise", o.position_noise_mm, "mm, standard deviation")
        ->capture_default_str()
        ->group(hil);
    app.add_flag("--force-filter,!--no-force-filter", o.force_filter, "100 Hz filter of the load cell")->group(hil);
    app.add_flag("--accept-unstable", o.accept_unstable, "run a controller that does not settle on this pad")
        ->group(hil);
    add_seed(app, o.seed, "of the noise")->group(hil);
    app.set_version_flag("--version", std::string(panto::version));
    app.footer(
        "Exit status: 0 the run is complete, whether or not limits are kept; 1 it ended with a fault or was\n"
        "stopped (Ctrl-C), what was recorded is written; 2 refused, or results could not be written; above 100\n"
        "the command line cannot be read.");
}

/// Refuses options that would do nothing.
inline void require_options_of_mode(const CLI::App& app, const std::string& mode) {
    for (const CLI::Option* option : app.get_options())
        for (const std::string_view other : modes)
            panto::require(
                option->count() == 0 || other == mode || option->get_group() != only_with(std::string(other)),
                "panto_run", option->get_name(), " belongs to --mode ", other, ", but --mode is ", mode);
}

}  // namespace panto_run
