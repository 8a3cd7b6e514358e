// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How robust the loop of a rig is: margins over rigs that are not as told, as maps; whole runs on such simulated rigs;
/// and the controllers side by side.
///
///     robustness                          predictive at 300 km/h on 240 kN/m: some minutes
///     robustness --quick                  the same in outline, within a minute
///     robustness --controller lqg --speed 250 --pad 120 --runs 200 --journal runs.journal
///     robustness --coverage --seeds 3     all lines, pantographs, speeds and pads
///
/// Killed and started again with the same arguments and a journal, it goes on where it was. summary.json, runs.csv,
/// pads.csv, motor_delay.csv and report.html go into the output folder.
#include <panto/catenary/lines.hpp>
#include <panto/control/robustness.hpp>
#include <panto/io/result_folder.hpp>

#include "option_values.hpp"
#include "printed.hpp"
#include "robustness/results.hpp"
#include "robustness/study.hpp"
#include "seed_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

using namespace panto;
using namespace robustness;

namespace {

/// What the aims of the controllers are given for: see docs/robustness.md.
constexpr plant::Perturbation range{
    .pad = 0.15, .head_mass = 0.2, .damping = 0.2, .motor = 0.15, .filter = 0.2, .delay = 5e-4};

std::string percent(double part) { return (part > 0.0 ? "+" : "") + shown(100.0 * part, 3) + " %"; }

std::vector<double> steps(double from, double to, int count) {
    std::vector<double> at;
    for (int i = 0; i < count; ++i) at.push_back(from + (to - from) * i / (count - 1));
    return at;
}

void add_margins(const Options& o, Results& r) {
    const Passage& p = r.passages.front();
    const control::WireResponse wire = response_of(p);
    const auto told = [&](double pad) {
        plant::RigParams rig = p.rig;
        rig.pad_stiffness = 1e3 * pad;
        return rig;
    };
    for (const std::string_view name : controllers)
        r.nominal.push_back(
            {std::string(name), control::margins(loop_of(name, p.rig, wire)(plant::sampled_model(p.rig, dt)), 10.0)});
    for (const std::string_view name : controllers) {
        const Loop loop = loop_of(name, p.rig, wire);
        if (!control::settles(control::radius(loop(plant::sampled_model(p.rig, dt))))) continue;
        for (const plant::PerturbedQuantity& q : plant::perturbed_quantities) {
            const auto value = q.value;
            if (value == &plant::Perturbation::filter && !(o.filter > 0.0)) continue;
            const bool time = value == &plant::Perturbation::delay;
            const double most = time ? 2e-3 : 0.6, scale = time ? 1e3 : 100.0;
            const double shortest = time ? std::min(most, o.command_delay * dt) : most;
            const auto reach = [&](double way) {
                plant::Perturbation direction;
                direction.*value = way;
                return way == 0.0 ? 0.0 : scale * way * control::largest_perturbation(p.rig, direction, dt, loop);
            };
            r.borders.push_back({std::string(name), std::string(q.name), time ? "ms" : "%", reach(-shortest),
                                 reach(most), scale * most});
        }
    }

    const int fine = o.quick ? 5 : 21;
    Map pads{.name = "pads",
             .title = "Pads, each described with an error: " + o.controller,
             .caption =
                 "The controller is designed for the pad as described. Disk margin of the loop on the true one; "
                 "crosses: it does not settle.",
             .x_label = "true pad less the described one (%)",
             .y_label = "described pad (kN/m)",
             .x_column = "error_percent",
             .y_column = "told_kN_per_m",
             .x = steps(-50.0, 50.0, fine),
             .y = o.pads};
    pads.at.resize(pads.x.size() * pads.y.size());
    const std::string motor_delay = "motor_delay";
    Map motor{.name = motor_delay,
              .title = "Motor and delay: " + o.controller,
              .caption = "Pad as described. Disk margin of the loop; crosses: it does not settle.",
              .x_label = "motor frequency above the described one (%)",
              .y_label = "delay above the described one (ms)",
              .x_column = "motor_percent",
              .y_column = "delay_ms",
              .x = steps(-40.0, 40.0, o.quick ? 5 : 17),
              .y = steps(-std::min(1.5, 1e3 * o.command_delay * dt), 1.5, o.quick ? 5 : 13)};
    motor.at.resize(motor.x.size() * motor.y.size());
    const std::size_t of_pads = pads.at.size();
    in_parallel(o, "margins over the rigs", of_pads + motor.at.size(), [&](std::size_t i) {
        const auto margins_of = [&](const plant::RigParams& rig, const plant::Perturbation& change) {
            const auto model = plant::sampled_model(plant::perturbed(rig, change, dt), dt);
            return control::margins(loop_of(o.controller, rig, wire)(model), 10.0);
        };
        if (i < of_pads) {
            pads.at[i] = margins_of(told(pads.y[i / pads.x.size()]), {.pad = 0.01 * pads.x[i % pads.x.size()]});
        } else {
            const std::size_t k = i - of_pads;
            motor.at[k] = margins_of(
                p.rig, {.motor = 0.01 * motor.x[k % motor.x.size()], .delay = 1e-3 * motor.y[k / motor.x.size()]});
        }
    });
    r.maps = {std::move(pads), std::move(motor)};
}

std::vector<Case> cases_of(const Options& o, const plant::RigParams& rig) {
    std::vector<Case> cases;
    for (const std::string_view name : controllers)
        cases.push_back({"comparison", std::string(name), std::string(name), {}, rig, o.seeds, o.seed});
    for (const auto& [name, value] : plant::perturbed_quantities) {
        if (value == &plant::Perturbation::filter && !(o.filter > 0.0)) continue;
        const bool time = value == &plant::Perturbation::delay;
        if (o.quick && !time && value != &plant::Perturbation::motor) continue;
        for (const double side : {-1.0, 1.0}) {
            plant::Perturbation p;
            p.*value = side * range.*value;
            if (time && o.command_delay * dt + p.delay < 0.0) continue;
            cases.push_back({"one",
                             std::string(name) + " " +
                                 (time ? (side > 0 ? "+" : "") + shown(1e3 * p.delay) + " ms" : percent(p.*value)),
                             o.controller, p, rig, 1, o.seed});
        }
    }
    for (const double pad : o.pads)
        for (const double error : {-0.15, 0.0, 0.15}) {
            if (o.quick && error != 0.0) continue;
            plant::RigParams told = rig;
            told.pad_stiffness = 1e3 * pad;
            cases.push_back({"pads",
                             shown(pad) + " kN/m, " + (error == 0.0 ? "as described" : percent(error)),
                             o.controller,
                             {.pad = error},
                             told,
                             1,
                             o.seed});
        }
    const double share = 0.5;  // of the range of each quantity
    for (int i = 0; i < o.runs; ++i) {
        const auto seed = o.seed + static_cast<std::uint64_t>(i);
        auto p = plant::scaled(plant::random_perturbation(range, seed), share);
        p.delay = std::max(p.delay, -o.command_delay * dt);
        cases.push_back({"random",
                         "pad " + percent(p.pad) + ", head " + percent(p.head_mass) + ", damping " +
                             percent(p.damping) + ", motor " + percent(p.motor) + ", filter " + percent(p.filter) +
                             ", delay " + shown(1e3 * p.delay, 2) + " ms",
                         o.controller, p, rig, 1, seed});
    }
    return cases;
}

/// All that is shipped: every line, every pantograph for overhead lines, four speeds where waves still run well ahead.
void add_coverage(const Options& o, Results& r) {
    for (const char* line : {"stitched_hil", "en50318_2002", "ac_simple_2015"})
        for (const std::string_view pantograph : pantograph::preset_names) {
            if (pantograph == "TSG18F") continue;  // for rigid lines
            for (const double speed : {200.0, 250.0, 300.0, 330.0}) {
                const auto section = catenary::line(line);
                if (speed / 3.6 > 0.7 * catenary::wave_speed(section.contact_wire) + 1e-9) continue;
                Passage p = passage_of(o, line, std::string(pantograph), speed);
                // As a user commissions it by default, and with the limits a user has.
                p.params.commissioning = rig::CommissioningPlan{};
                p.params.limits = {.frames_held = 2};
                for (const double pad : o.pads) {
                    Case c{"coverage",
                           std::string(line) + ", " + std::string(pantograph) + ", " + shown(speed) + " km/h, " +
                               shown(pad) + " kN/m",
                           o.controller,
                           {},
                           p.rig,
                           o.seeds,
                           o.seed,
                           r.passages.size()};
                    c.rig.pad_stiffness = 1e3 * pad;
                    r.cases.push_back(c);
                }
                r.passages.push_back(std::move(p));
            }
        }
}

void check(const Options& o) {
    const char* where = "robustness";
    if (std::find(controllers.begin(), controllers.end(), o.controller) == controllers.end())
        throw SetupError(unknown_name("--controller", "controller", o.controller, controllers));
    const auto between = [&](double value, double low, double high, const char* option, const char* unit) {
        require(value >= low && value <= high, where, option, " is ", value, unit, ", must be from ", low, " to ", high,
                unit);
    };
    between(o.speed_kmh, 10.0, 600.0, "--speed", " km/h");
    between(o.pad, 0.1, 1e5, "--pad", " kN/m");
    for (const double pad : o.pads) between(pad, 0.1, 1e5, "--pads", " kN/m");
    between(o.filter, 0.0, 1e4, "--filter", " Hz");
    between(o.command_delay, 0.0, plant::longest_delay - 2.0, "--command-delay", " periods");
    between(o.reading_delay, 0.0, plant::longest_delay, "--reading-delay", " periods");
    require(o.reading_delay == std::floor(o.reading_delay), where, "--reading-delay is ", o.reading_delay,
            ", must be a whole number of periods; put a fraction into --command-delay, only the sum counts");
    between(o.seeds, 1.0, 1e4, "--seeds", "");
    between(o.runs, 0.0, 1e6, "--runs", "");
    between(o.threads, 0.0, 1e4, "--threads", "");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    CLI::App app("How robust the loop of a rig is: margins and runs on simulated rigs that are not as described.");
    app.add_option("--catenary", o.catenary, "name of a shipped line or a JSON file")->capture_default_str();
    app.add_option("--pantograph", o.pantograph, "name of a preset or a JSON file")->capture_default_str();
    app.add_option("--speed", o.speed_kmh, "km/h")->capture_default_str();
    app.add_option("--controller", o.controller, "none, paper_lqg, lqg or predictive; all are compared")
        ->capture_default_str();
    app.add_option("--pad", o.pad, "kN/m, of comparison and perturbations")->capture_default_str();
    app.add_option("--pads", o.pads, "kN/m, of the map, separated by commas")->delimiter(',')->capture_default_str();
    app.add_option("--filter", o.filter, "Hz, of the load cell; 0: none")->capture_default_str();
    app.add_option("--command-delay", o.command_delay, "periods of 2 ms")->capture_default_str();
    app.add_option("--reading-delay", o.reading_delay, "whole periods")->capture_default_str();
    auto* seeds = app.add_option("--seeds", o.seeds, "runs of every controller, or of every case of --coverage")
                      ->capture_default_str();
    auto* runs = app.add_option("--runs", o.runs, "random combinations at half the ranges")->capture_default_str();
    add_seed(app, o.seed, "the first one, of noise and combinations");
    app.add_flag("--quick", o.quick, "an outline: two spans, few runs, coarse maps");
    app.add_flag("--coverage", o.coverage, "instead: every line, pantograph, speed and pad");
    app.add_option("--threads", o.threads, "0: as many as there are cores")->capture_default_str();
    app.add_option("--journal", o.journal, "file to which finished runs are written, and read at the next start");
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html");
    app.footer(
        "Exit status: 0 the study is complete, whatever its runs did; 2 it was refused, or results could not be\n"
        "written; above 100 the command line is invalid.");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        if (o.coverage)
            refuse_idle(app, {"--catenary", "--pantograph", "--speed", "--pad", "--runs"}, "with --coverage");
        check(o);
        if (o.coverage && app.count("--pads") == 0) o.pads = {120.0, 240.0, 300.0};
        if (o.quick) {
            if (seeds->count() == 0) o.seeds = 1;
            if (runs->count() == 0) o.runs = 2;
            if (app.count("--pads") == 0) o.pads = {60.0, 240.0};
        }
        Results r;
        if (o.coverage)
            add_coverage(o, r);
        else
            r.passages.push_back(passage_of(o, o.catenary, o.pantograph, o.speed_kmh));
        io::ResultFolder results(
            o.out, std::vector<std::string>{"summary.json", "runs.csv", "pads.csv", "motor_delay.csv", "report.html"});
        if (o.report) io::require_drawing();
        if (!o.coverage) {
            add_margins(o, r);
            r.cases = cases_of(o, r.passages.front().rig);
        }
        r.figures = conduct(o, r.passages, r.cases);
        write(o, r, results.fresh());
        results.swap_in();
        std::cout << "results are in " << results.path().string() << "\n";
        check_printed();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
