// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What happens at a boundary that no sensor reaches, from one sensor inside: radiation and convection of a hot slab,
/// or the nonlinear rotational spring on which a beam rests [Ward, Goodson 1972].
///
///     identify_boundary                                   both problems, on records that it makes itself (--demo)
///     identify_boundary slab.csv --problem slab --thickness 0.02 ...
///     identify_boundary beam.csv --problem beam --length 0.4 ...
///
/// Every figure of the plate or beam, which --help lists, must be given with a record.
/// Records are CSV: time_s,temperature_rise_K for a slab, time_s,motion_m,bending_moment_Nm for a beam, evenly sampled
/// from rest. fit.json, series.csv and report.html go into the output folder.
#include <panto/core/random.hpp>
#include <panto/field/heat_slab.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/ident/boundary_fit.hpp>
#include <panto/ident/confidence.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/version.hpp>

#include "boundary_records.hpp"
#include "option_values.hpp"
#include "printed.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

using namespace panto;
using namespace panto::ident;

namespace {

struct Options {
    std::string record;
    std::string problem;
    std::string out = "identified";
    bool demo = false;
    bool report = true;
    double noise = 0.0;
    int substeps = 4;
    HeatSlabParams<> slab;
    RadiationParams temperatures;
    SpringBeamParams<> beam;
};

/// The words of a problem: names and units of its channels and of what the law relates.
struct Words {
    std::string title, sensor, motion, boundary, action, boundary_label, action_label, sensor_label;
    std::vector<std::string> units;  ///< of the parameters
};

const Words slab_words{"Radiation and convection of a slab",
                       "temperature_rise_K",
                       "",
                       "face_temperature_rise_K",
                       "flux_W_per_m2",
                       "rise of temperature at the face (K)",
                       "heat flux at the face (W/m^2)",
                       "rise of temperature at the sensor (K)",
                       {"W/(m^2 K^4)", "W/(m^2 K)"}};
const Words beam_words{"Nonlinear spring at the end of a beam",
                       "bending_moment_Nm",
                       "motion_m",
                       "slope",
                       "end_moment_Nm",
                       "slope at the knife edge",
                       "moment at the knife edge (N m)",
                       "bending moment at the sensor (N m)",
                       {"N m", "N m", "N m"}};

BoundaryRecord read_record(const std::filesystem::path& file, const Words& words) {
    const io::CsvTable table = io::read_csv(file);
    BoundaryRecord record{.time = table.column("time_s"), .sensor = table.column(words.sensor)};
    if (!words.motion.empty()) record.motion = table.column(words.motion);
    return record;
}

/// What a laboratory would have written down, with noise of 0.3 % of the largest value.
void write_demo(const std::filesystem::path& file, const Words& words, double period, const std::vector<double>& sensor,
                const std::vector<double>& motion, const std::string& truth) {
    Random random(1);
    io::CsvTable table{{"made by identify_boundary --demo, on a fine grid, with " + truth},
                       {{"time_s", {}}, {words.sensor, {}}}};
    if (!motion.empty()) table.columns.push_back({words.motion, motion});
    double largest = 0.0;
    for (const double y : sensor) largest = std::max(largest, std::abs(y));
    for (std::size_t k = 0; k < sensor.size(); ++k) {
        table.columns[0].values.push_back(static_cast<double>(k) * period);
        table.columns[1].values.push_back(sensor[k] + 0.003 * largest * random.normal());
    }
    io::write_csv(file, table);
}

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.5g", value);
    return text;
}

std::vector<double> at_samples(const std::vector<double>& fine, std::size_t steps) {
    std::vector<double> values;
    for (std::size_t k = 0; k < fine.size(); k += steps) values.push_back(fine[k]);
    return values;
}

void write_json(const std::filesystem::path& file, const Words& words, const BoundaryFit& fit) {
    nlohmann::ordered_json j;
    j["format"] = "panto-boundary-fit";
    j["version"] = 1;
    j["problem"] = words.title;
    for (std::size_t i = 0; i < fit.names.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        j["parameters"].push_back({{"name", fit.names[i]},
                                   {"unit", words.units[i]},
                                   {"value", fit.theta[k]},
                                   {"standard_deviation", fit.information.deviation[k]},
                                   {"by_half_the_step", fit.step_error[k]},
                                   {"lower_95", fit.lower[k]},
                                   {"upper_95", fit.upper[k]},
                                   {"by_regression", fit.regression[k]}});
        nlohmann::ordered_json row = nlohmann::ordered_json::array();
        for (Eigen::Index m = 0; m < fit.theta.size(); ++m) row.push_back(fit.information.correlation(k, m));
        j["correlation"].push_back(row);
    }
    j["noise_of_the_residuals"] = fit.noise;
    j["open_combinations"] = fit.weak;
    j["doubts"] = fit.doubts;
    j["search"] = {{"status", std::string(name(fit.search.status))},
                   {"reason", fit.search.reason},
                   {"iterations", fit.search.iterations},
                   {"marches", fit.search.evaluations}};
    j["recovery"] = {{"regularization", fit.recovery.regularization},
                     {"noise", fit.recovery.noise},
                     {"misfit", fit.recovery.misfit},
                     {"discrepancy_met", fit.recovery.discrepancy_met}};
    io::write_text(file, io::pretty(j) + "\n");
}

void write_series(const std::filesystem::path& file, const Words& words, const BoundaryRecord& record,
                  const BoundaryFit& fit) {
    const std::vector<double> modelled(fit.modelled.begin(), fit.modelled.end());
    io::write_csv(file, {{words.title + ": measured, fitted and recovered"},
                         {{"time_s", record.time},
                          {words.sensor, record.sensor},
                          {"modelled_" + words.sensor, modelled},
                          {words.boundary, at_samples(fit.recovery.boundary, fit.recovery.steps)},
                          {words.action, at_samples(fit.recovery.action, fit.recovery.steps)}}});
}

template <class Law>
void write_report(const std::filesystem::path& folder, const Words& words, const BoundaryRecord& record, const Law& law,
                  const BoundaryFit& fit) {
    io::Page page{
        .title = words.title, .subtitle = "Identified from one sensor inside", .version = std::string(panto::version)};
    for (const std::string& weak : fit.weak) page.warning += (page.warning.empty() ? "" : "; ") + weak;
    for (const std::string& doubt : fit.doubts) page.warning += (page.warning.empty() ? "" : "; ") + doubt;
    io::PageTable parameters{
        "Parameters",
        {"Parameter", "Unit", "Value", "Standard deviation", "By half the step", "95 % from", "to", "Regression"},
        {}};
    io::PageTable correlation{"Correlation", {"Parameter"}, {}};
    for (std::size_t i = 0; i < fit.names.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        parameters.rows.push_back({fit.names[i], words.units[i], short_number(fit.theta[k]),
                                   short_number(fit.information.deviation[k]), short_number(fit.step_error[k]),
                                   short_number(fit.lower[k]), short_number(fit.upper[k]),
                                   short_number(fit.regression[k])});
        correlation.columns.push_back(fit.names[i]);
        correlation.rows.push_back({fit.names[i]});
        for (Eigen::Index m = 0; m < fit.theta.size(); ++m)
            correlation.rows.back().push_back(short_number(fit.information.correlation(k, m)));
    }
    page.tables = {parameters, correlation};

    const std::vector<double> modelled(fit.modelled.begin(), fit.modelled.end());
    page.charts.push_back(
        {.name = "sensor",
         .title = "Sensor",
         .caption = "Measured, and what the fitted model answers.",
         .x_label = "time (s)",
         .y_label = words.sensor_label,
         .curves = {{"measured", io::Tone::raw, io::Look::points, io::thinned(record.time, record.sensor)},
                    {"fitted model", io::Tone::main, io::Look::line, io::thinned(record.time, modelled)}}});
    io::Points recovered, fitted;
    const auto [low, high] = std::minmax_element(fit.recovery.boundary.begin(), fit.recovery.boundary.end());
    for (std::size_t k = 0; k < fit.recovery.boundary.size(); ++k)
        recovered.emplace_back(fit.recovery.boundary[k], fit.recovery.action[k]);
    for (int k = 0; k <= 100; ++k) {
        const double v = *low + (*high - *low) * k / 100.0;
        fitted.emplace_back(v, weighted(law.basis(v), fit.theta));
    }
    std::sort(recovered.begin(), recovered.end());
    page.charts.push_back({.name = "law",
                           .title = "Law at the boundary",
                           .caption = "Recovered from the sensor without any law, and the fitted law.",
                           .x_label = words.boundary_label,
                           .y_label = words.action_label,
                           .curves = {{"recovered", io::Tone::warn, io::Look::points, io::thinned(recovered, 1200)},
                                      {"fitted law", io::Tone::main, io::Look::line, fitted}}});
    page.metadata = {{"samples", std::to_string(record.time.size())},
                     {"sampling period", panto::shown(record.time[1] - record.time[0]) + " s"},
                     {"noise of the residuals", short_number(fit.noise)},
                     {"search", fit.search.reason + ", " + std::to_string(fit.search.evaluations) + " marches"},
                     {"regularization of the recovery", short_number(fit.recovery.regularization)}};
    io::write_page(folder, page);
}

/// The field steps finer than the record is sampled, by --substeps and, to see what that leaves open, twice as fine.
template <class MakeField, class Law>
void identify(const Options& o, const std::filesystem::path& folder, const Words& words, const MakeField& make_field,
              const Law& law, const BoundaryRecord& record) {
    require(o.substeps >= 1 && o.substeps <= 1000, "--substeps", "is ", o.substeps, ", must be from 1 to 1000");
    const BoundaryFit fit = fit_boundary(make_field, law, record, o.substeps, {.recovery = {.noise = o.noise}});
    std::printf("%s, %zu samples\n", words.title.c_str(), record.time.size());
    for (std::size_t i = 0; i < fit.names.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        std::printf("  %-10s %12.5g +- %-8.2g %-12s half the step: %-8.2g 95 %%: %.5g to %.5g (regression %.5g)\n",
                    fit.names[i].c_str(), fit.theta[k], fit.information.deviation[k], words.units[i].c_str(),
                    fit.step_error[k], fit.lower[k], fit.upper[k], fit.regression[k]);
    }
    for (const std::string& weak : fit.weak) std::printf("  weak: %s\n", weak.c_str());
    for (const std::string& doubt : fit.doubts) std::printf("  doubtful: %s\n", doubt.c_str());
    std::printf("  %s after %d marches; noise of the residuals %.3g\n", fit.search.reason.c_str(),
                fit.search.evaluations, fit.noise);
    write_json(folder / "fit.json", words, fit);
    write_series(folder / "series.csv", words, record, fit);
    if (o.report) write_report(folder, words, record, law, fit);
}

void slab_problem(const Options& o, const std::filesystem::path& file, const std::filesystem::path& folder) {
    const RadiationConvection<> law(o.temperatures);
    identify(
        o, folder, slab_words, [&](double dt) { return heat_slab(o.slab, dt); }, law, read_record(file, slab_words));
}

void beam_problem(const Options& o, const std::filesystem::path& file, const std::filesystem::path& folder) {
    identify(
        o, folder, beam_words, [&](double dt) { return spring_beam(o.beam, dt); }, PolynomialSpring<3>(),
        read_record(file, beam_words));
}

/// A steel plate of 800 K that cools in a hall, and a strip of steel on a shaker.
void demo(Options o) {
    using Theta2 = std::array<double, 2>;
    using Theta3 = std::array<double, 3>;
    const std::filesystem::path out = o.out;
    o.slab = {.thickness = 0.05, .diffusivity = 1.2e-5, .conductivity = 45.0, .sensor = 0.6};
    o.temperatures = {.initial_temperature = 800.0, .ambient_temperature = 293.0};
    io::require_writable(out / "slab");
    write_demo(
        out / "slab.csv", slab_words, 4.0,
        boundary_records::cooled_slab(o.slab, RadiationConvection<>(o.temperatures), Theta2{4.5e-8, 12.0}, 4.0, 301),
        {}, "radiation 4.5e-8, convection 12");
    slab_problem(o, out / "slab.csv", out / "slab");

    o.beam = {.length = 0.4, .mass_per_length = 0.12, .damping = 0.4, .bending_stiffness = 1.6, .sensor = 0.14};
    io::require_writable(out / "beam");
    const auto table = [](double t) {
        return 0.02 * std::pow(1.0 - std::exp(-t / 0.05), 3) * std::sin(12.0 * std::numbers::pi * t);
    };
    std::vector<double> motion;
    for (int k = 0; k <= 400; ++k) motion.push_back(table(k * 1e-3));
    write_demo(out / "beam.csv", beam_words, 1e-3,
               boundary_records::shaken_beam(o.beam, PolynomialSpring<3>(), Theta3{4.0, 8.0, 400.0}, table, 1e-3, 401),
               motion, "linear 4, quadratic 8, cubic 400");
    beam_problem(o, out / "beam.csv", out / "beam");
}

void add_options(CLI::App& app, Options& o) {
    app.add_option("record", o.record, "CSV file of the measurement");
    app.add_option("--problem", o.problem, "slab or beam")->check(CLI::IsMember({"slab", "beam"}));
    app.add_flag("--demo", o.demo, "make records of both problems and identify them; the default without a record");
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "no report.html (which needs dygraphs or gnuplot)");
    app.add_option("--noise", o.noise, "standard deviation of the sensor; 0 estimates it")->capture_default_str();
    app.add_option("--substeps", o.substeps, "steps of the model in a sampling period")->capture_default_str();
    app.add_option("--sensor-slab", o.slab.sensor,
                   "position of the sensor, as a fraction of the thickness from the insulated face");
    app.add_option("--thickness", o.slab.thickness, "m");
    app.add_option("--diffusivity", o.slab.diffusivity, "m^2/s");
    app.add_option("--conductivity", o.slab.conductivity, "W/(m K)");
    app.add_option("--initial-temperature", o.temperatures.initial_temperature, "K");
    app.add_option("--ambient-temperature", o.temperatures.ambient_temperature, "K");
    app.add_option("--sensor-beam", o.beam.sensor,
                   "position of the strain gauge, as a fraction of the length from the knife edge");
    app.add_option("--length", o.beam.length, "m");
    app.add_option("--mass-per-length", o.beam.mass_per_length, "kg/m");
    app.add_option("--damping", o.beam.damping, "N s/m^2");
    app.add_option("--bending-stiffness", o.beam.bending_stiffness, "N m^2");
}

/// An option that says nothing about the problem at hand was meant for something else.
void check_options(const CLI::App& app, const Options& o) {
    const bool demo = o.demo || o.record.empty();
    require(!o.demo || o.record.empty(), "--demo", "makes records of its own, expected either this or '", o.record,
            "'");
    require(!demo || o.problem.empty(), "--problem", "must follow the file of a record");
    require(demo || !o.problem.empty(), "--problem", "is missing, expected slab or beam");
    const std::vector<std::string> slab{"--sensor-slab",  "--thickness",           "--diffusivity",
                                        "--conductivity", "--initial-temperature", "--ambient-temperature"};
    const std::vector<std::string> beam{"--sensor-beam", "--length", "--mass-per-length", "--damping",
                                        "--bending-stiffness"};
    for (const bool of_slab : {true, false})
        for (const std::string& option : of_slab ? slab : beam)
            require(app.count(option) == 0 || (!demo && (o.problem == "slab") == of_slab), option,
                    "is given, allowed only with the record of a ", (of_slab ? "slab" : "beam"));
    // A figure that was forgotten would be taken for another plate or beam: the fit then answers all the same.
    if (demo) return;
    for (const std::string& option : o.problem == "slab" ? slab : beam)
        require(app.count(option) > 0, option, "is missing: identification needs it, and it has no default");
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Identifies a nonlinear boundary from one sensor inside a linear field.");
    Options options;
    add_options(app, options);
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        check_options(app, options);
        const bool of_demo = options.demo || options.record.empty();
        std::vector<std::string> names{"fit.json", "series.csv", "report.html"};
        if (of_demo)
            names = {"slab.csv",         "beam.csv",      "slab/fit.json",   "slab/series.csv",
                     "slab/report.html", "beam/fit.json", "beam/series.csv", "beam/report.html"};
        io::ResultFolder results(options.out, names);
        if (options.report) io::require_drawing();
        options.out = results.fresh().string();
        if (of_demo) {
            demo(options);
        } else {
            (options.problem == "slab" ? slab_problem : beam_problem)(options, options.record, options.out);
        }
        results.swap_in();
        std::cout << "results are in " << results.path().string() << "\n";
        check_printed();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
