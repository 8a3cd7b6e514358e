// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An axially loaded beam from one record [Publication A]: a front over misfit and growth by NSGA-II, then exact
/// derivatives on grids each twice as fine, with the extrapolated answer, what noise and grid leave open, and why it
/// may be doubtful.
///
///     identify_beam                                      a record that it makes itself, from modes (--demo)
///     identify_beam record.csv --length 7.5 --points 45 --sensor 18 --force 34
///
/// Records are CSV: time_s,force_N,displacement_m, evenly sampled from rest, and go with the four figures above.
/// front.csv, fit.csv and report.html go into the output folder.
#include <panto/core/random.hpp>
#include <panto/field/modal_beam.hpp>
#include <panto/ident/beam_fit.hpp>
#include <panto/ident/beam_front.hpp>
#include <panto/ident/boundary_record.hpp>
#include <panto/ident/records.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/version.hpp>

#include "option_values.hpp"
#include "printed.hpp"
#include "seed_option.hpp"

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
using Vec = Vector<double, Dynamic>;
using Mat = Matrix<double, Dynamic>;

namespace {

struct Options {
    std::string record;
    std::string out = "identified_beam";
    double length = 7.5;
    int points = 45, sensor = 18, force = 34, generations = 30, population = 48;
    double noise = 0.0;
    std::uint64_t seed = 1;
    std::vector<double> lower{0.5, 0.0, 0.0, 50.0, 5000.0}, upper{1.5, 2.0, 0.1, 300.0, 30000.0};
    bool demo = false, report = true;
};

Vec vector_of(const std::vector<double>& v) {
    return Eigen::Map<const Vec>(v.data(), static_cast<Eigen::Index>(v.size()));
}
std::vector<double> list_of(const Vec& v) { return {v.begin(), v.end()}; }

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.5g", value);
    return text;
}

/// The clamped beam of Publication A under ten sines, with 1 mm of noise on 12 mm of signal: by its modes, since a
/// record that the fitted scheme has made would hide what is wrong with that scheme.
void write_demo(const std::filesystem::path& file, const Options& o) {
    constexpr int steps = 2000;
    constexpr double dt = 1e-4, pi = std::numbers::pi;
    std::vector<SineForce> sines;
    for (int j = 1; j <= 10; ++j) sines.push_back({.newton = 100.0, .hertz = 10.0 * j, .phase = pi * j * j / 10.0});
    const ModalBeam beam({.length = o.length, .beam = {1.0, 0.5, 0.02, 150.0, 15000.0}});
    const double dx = o.length / (o.points - 1);
    const Mat y = beam.response(o.force * dx, sines, {o.sensor * dx}, dt, steps);
    Random random(1);
    std::vector<double> time, force, displacement{0.0};
    for (int n = 0; n <= steps; ++n) {
        time.push_back(n * dt);
        force.push_back(0.0);
        for (const SineForce& sine : sines)
            force.back() += sine.newton * std::sin(2.0 * pi * sine.hertz * time.back() + sine.phase);
        if (n > 0) displacement.push_back(y(n - 1, 0) + 1e-3 * random.normal());
    }
    io::write_csv(file, {{"made by identify_beam --demo from modes with rA 1, dv 0.5, dm 0.02, EI 150, T 15000"},
                         {{"time_s", time}, {"force_N", force}, {"displacement_m", displacement}}});
}

double noise_of(const Vec& signal) { return estimated_noise({signal.data(), static_cast<std::size_t>(signal.size())}); }

struct Record {
    BeamExperiment experiment;
    Vec time, displacement;
};

Record read_record(const Options& o) {
    const io::CsvTable table = io::read_csv(o.record);
    const Vec time = vector_of(table.column("time_s"));
    const Channel force{.name = "force_N", .time = time, .values = vector_of(table.column("force_N"))};
    const Channel moved{.name = "displacement_m", .time = time, .values = vector_of(table.column("displacement_m"))};
    check_record({force, moved});
    const Eigen::Index steps = time.size() - 1;
    require(steps >= 4 * beam_parameter_count, "identify_beam", steps + 1, " samples, expected at least ",
            4 * beam_parameter_count + 1);
    const double near = 0.05 * (moved.values.maxCoeff() - moved.values.minCoeff()) + 6.0 * noise_of(moved.values);
    require(std::abs(moved.values[0]) <= near, "identify_beam", "displacement_m[0] is ", moved.values[0],
            ", expected a beam at rest, 0 to within ", near,
            ": subtract what was there before, and begin before the force does");
    const double dt = (time[steps] - time[0]) / static_cast<double>(steps);
    for (Eigen::Index i = 0; i <= steps; ++i)
        require(std::abs(time[i] - time[0] - static_cast<double>(i) * dt) < 1e-3 * dt, "identify_beam", "time_s[", i,
                "] is ", time[i], ", samples must be evenly spaced");
    BeamExperiment e{.length = o.length,
                     .points = o.points,
                     .dt = dt,
                     .steps = static_cast<int>(steps),
                     .sensors = {o.sensor},
                     .forces = {{o.force, force.values}}};
    // The search tries all of its box, the lightest and stiffest beam too.
    Vec stiffest = vector_of(o.upper);
    stiffest[0] = o.lower[0];
    e.substeps = stable_substeps(e, stiffest);
    return {e, time.tail(steps), moved.values.tail(steps)};
}

struct Answer {
    opt::FrontResult front;
    BeamFit fit;
    double growth = 0.0;  ///< 1/s
};

Answer identified(const Options& o, const Record& record) {
    const opt::Bounds bounds{vector_of(o.lower), vector_of(o.upper)};
    const BeamMisfits misfits({BeamMisfit(BeamModel(record.experiment), record.displacement)});
    const opt::Nsga2Params search{
        .bounds = bounds, .population = o.population, .generations = o.generations, .seed = o.seed};
    Answer a;
    a.front = beam_front(misfits, search);
    Vec fit_only(2);
    fit_only << 1.0, 0.0;
    BeamExperiment grid = record.experiment;
    grid.substeps = 1;
    a.fit =
        fit_beam(grid, record.displacement, choose(a.front.front, fit_only).x, {.bounds = bounds, .noise = o.noise});
    a.growth = misfits.growth_rate(a.fit.x);
    return a;
}

std::string with_unit(std::size_t i) {
    return std::string(beam_parameter_names[i]) + " (" + beam_parameter_units[i] + ")";
}

io::Page page_of(const Options& o, const Record& record, const Answer& a) {
    const Information& f = a.fit.information;
    io::Page page{.title = "Identified beam", .subtitle = o.record, .version = std::string(version)};
    io::PageTable parameters{
        "Parameters",
        {"parameter", "unit", "value", "standard deviation", "grid", "between samples", "95 % from", "to"},
        {}};
    io::PageTable grids{"Answers of single grids", {"points", "steps in a sample"}, {}};
    io::PageTable correlation{"Correlation", {""}, {}};
    for (std::size_t i = 0; i < beam_parameter_names.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        parameters.rows.push_back({beam_parameter_names[i], beam_parameter_units[i], number(a.fit.x[k]),
                                   number(f.deviation[k]), number(a.fit.grid_error[k]), number(a.fit.input_error[k]),
                                   number(a.fit.lower[k]), number(a.fit.upper[k])});
        grids.columns.push_back(with_unit(i));
        correlation.columns.emplace_back(beam_parameter_names[i]);
        std::vector<std::string> row{beam_parameter_names[i]};
        for (Eigen::Index m = 0; m < a.fit.x.size(); ++m) row.push_back(number(f.correlation(k, m)));
        correlation.rows.push_back(row);
    }
    for (const BeamGridAnswer& grid : a.fit.grids) {
        grids.rows.push_back({std::to_string(grid.points), std::to_string(grid.substeps)});
        for (const double value : grid.x) grids.rows.back().push_back(number(value));
    }
    grids.rows.push_back({"extrapolated", ""});
    for (const double value : a.fit.x) grids.rows.back().push_back(number(value));
    io::PageTable fisher{"Fisher information of relative changes", {}, {}};
    for (Eigen::Index k = 0; k < f.singular_values.size(); ++k)
        fisher.rows.push_back({"singular value " + std::to_string(k + 1), number(f.singular_values[k])});
    fisher.rows.push_back({"A: sum of the variances", number(f.trace_of_inverse)});
    fisher.rows.push_back({"D: log determinant", number(f.log_determinant)});
    fisher.rows.push_back({"E: smallest eigenvalue", number(f.smallest_eigenvalue)});
    page.tables = {parameters, grids, correlation, fisher};
    for (const std::string& doubt : a.fit.doubts) page.warning += "Doubtful: " + doubt + ". ";
    for (const std::string& combination : a.fit.unidentified)
        page.warning += "The record does not determine " + combination + ". ";
    io::Points front;
    for (const opt::Individual& member : a.front.front) front.emplace_back(member.objectives[0], member.objectives[1]);
    std::sort(front.begin(), front.end());
    const std::vector<double> time = list_of(record.time);
    page.charts.push_back({.name = "front",
                           .title = "Front",
                           .caption = "Misfit and growth rate of the sets that no other dominates; all are stable.",
                           .x_label = "misfit",
                           .y_label = "growth rate (1/s)",
                           .curves = {{"front", io::Tone::main, io::Look::points, front}},
                           .log_x = true});
    page.charts.push_back(
        {.name = "fit",
         .title = "Fit",
         .caption = "What was measured and what the identified beam does.",
         .x_label = "time (s)",
         .y_label = "displacement (m)",
         .curves = {{"measured", io::Tone::raw, io::Look::points, io::thinned(time, list_of(record.displacement))},
                    {"identified", io::Tone::main, io::Look::line, io::thinned(time, list_of(a.fit.modelled))}}});
    page.metadata = {{"record", o.record},
                     {"front", std::to_string(a.front.evaluations) + " sets, seed " + std::to_string(o.seed)},
                     {"fit on the finest grid", std::to_string(a.fit.grids.back().search.evaluations) +
                                                    " marches: " + a.fit.grids.back().search.reason},
                     {"noise of the residuals (m)", number(a.fit.noise)},
                     {"growth rate (1/s)", number(a.growth)}};
    return page;
}

void run(const Options& o) {
    const std::filesystem::path out = o.out;
    const Record record = read_record(o);
    const Answer a = identified(o, record);
    std::cout << "front: " << a.front.front.size() << " stable sets of " << a.front.evaluations << "\nfit: residuals "
              << number(a.fit.noise) << " m, growth rate " << number(a.growth) << " 1/s\n";
    for (const BeamGridAnswer& grid : a.fit.grids)
        std::printf("  %4d points, %d steps in a sample: EI %s N m^2, T %s N\n", grid.points, grid.substeps,
                    number(grid.x[3]).c_str(), number(grid.x[4]).c_str());
    for (std::size_t i = 0; i < beam_parameter_names.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        std::printf("  %-18s %-10s %-8s noise %-9s grid %-9s between samples %-9s 95 %%: %s to %s\n",
                    beam_parameter_names[i], number(a.fit.x[k]).c_str(), beam_parameter_units[i],
                    number(a.fit.information.deviation[k]).c_str(), number(a.fit.grid_error[k]).c_str(),
                    number(a.fit.input_error[k]).c_str(), number(a.fit.lower[k]).c_str(),
                    number(a.fit.upper[k]).c_str());
    }
    for (const std::string& combination : a.fit.unidentified)
        std::cout << "  not determined by the record: " << combination << "\n";
    for (const std::string& doubt : a.fit.doubts) std::cout << "  doubtful: " << doubt << "\n";

    io::CsvTable front{{"misfit and growth rate of the front, and its sets"},
                       {{"misfit", {}}, {"growth_rate_per_s", {}}}};
    for (const char* name : beam_parameter_names) front.columns.push_back({name, {}});
    for (const opt::Individual& member : a.front.front) {
        for (Eigen::Index k = 0; k < 2; ++k)
            front.columns[static_cast<std::size_t>(k)].values.push_back(member.objectives[k]);
        for (Eigen::Index k = 0; k < 5; ++k)
            front.columns[static_cast<std::size_t>(k) + 2].values.push_back(member.x[k]);
    }
    io::write_csv(out / "front.csv", front);
    io::write_csv(out / "fit.csv", {{"measured and identified displacement"},
                                    {{"time_s", list_of(record.time)},
                                     {"measured_m", list_of(record.displacement)},
                                     {"identified_m", list_of(a.fit.modelled)}}});
    if (o.report) io::write_page(out, page_of(o, record, a));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Identifies an axially loaded beam, clamped at both ends, from a force and a displacement.");
    Options o;
    app.add_option("record", o.record, "CSV file: time_s,force_N,displacement_m");
    app.add_flag("--demo", o.demo, "make a record and identify it; the default without a record");
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "no report.html (which needs dygraphs or gnuplot)");
    app.add_option("--length", o.length, "m; required with a record")->capture_default_str();
    app.add_option("--points", o.points, "of the coarsest grid, both ends included; required with a record")
        ->capture_default_str();
    app.add_option("--sensor", o.sensor, "grid point, the left end is 0; required with a record")
        ->capture_default_str();
    app.add_option("--force", o.force, "grid point; required with a record")->capture_default_str();
    app.add_option("--noise", o.noise, "m, standard deviation of the sensor; 0 estimates it")->capture_default_str();
    app.add_option("--generations", o.generations, "of NSGA-II")->capture_default_str();
    app.add_option("--population", o.population, "of NSGA-II")->capture_default_str();
    add_seed(app, o.seed, "of NSGA-II");
    app.add_option("--lower", o.lower, "lower bounds of rA, dv, dm, EI, T")->expected(5)->capture_default_str();
    app.add_option("--upper", o.upper, "upper bounds of rA, dv, dm, EI, T")->expected(5)->capture_default_str();
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        require(!o.demo || o.record.empty(), "--demo", "makes a record of its own, expected either this or '", o.record,
                "'");
        if (!o.record.empty())  // the defaults are those of the demo
            for (const char* option : {"--length", "--points", "--sensor", "--force"})
                require(app.count(option) > 0, option, "is missing: identification needs it");
        for (const int point : {o.sensor, o.force})
            require(point >= 1 && point < o.points - 1, "identify_beam", "sensor or force at point ", point,
                    ", must be from 1 to ", o.points - 2, ": the clamps hold the others");
        for (const auto* bounds : {&o.lower, &o.upper})
            for (const double bound : *bounds) require_not_negative(bound, "identify_beam", "a bound");
        const std::vector<std::string> names{"front.csv", "fit.csv", "report.html"};
        io::ResultFolder results(o.out, names);
        if (o.report) io::require_drawing();
        if (o.demo || o.record.empty()) {
            o.record = (std::filesystem::path(o.out) / "record.csv").string();
            write_demo(o.record, o);
        }
        o.out = results.fresh().string();
        run(o);
        results.swap_in();
        std::cout << "results are in " << results.path().string() << "\n";
        check_printed();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
