// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An axially loaded beam from one record [Publication A]: a front over misfit and growth by NSGA-II, then exact
/// derivatives, with confidence and correlation beside the answer.
///
///     identify_beam                                      a record that it makes itself (--demo)
///     identify_beam record.csv --length 7.5 --points 23 --sensor 9 --force 17
///
/// Records are CSV: time_s,force_N,displacement_m, evenly sampled from rest, and go with the four figures above.
/// front.csv, fit.csv and report.html go into the output folder.
#include <panto/ident/beam_front.hpp>
#include <panto/ident/boundary_record.hpp>
#include <panto/ident/confidence.hpp>
#include <panto/ident/records.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/random.hpp>
#include <panto/version.hpp>

#include "option_values.hpp"
#include "seed_option.hpp"

#include <CLI/CLI.hpp>
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
    int points = 23, sensor = 9, force = 17, generations = 30, population = 48;
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

/// The clamped beam of Publication A under ten sines, with 1 mm of noise on 12 mm of signal.
void write_demo(const std::filesystem::path& file, const Options& o) {
    constexpr int steps = 2000;
    constexpr double dt = 1e-4, pi = std::numbers::pi;
    Vec force(steps + 1), truth(5);
    for (int n = 0; n <= steps; ++n) {
        force[n] = 0.0;
        for (int j = 1; j <= 10; ++j) force[n] += 100.0 * std::sin(2.0 * pi * 10.0 * j * n * dt + pi * j * j / 10.0);
    }
    truth << 1.0, 0.5, 0.02, 150.0, 15000.0;
    const BeamModel model({.length = o.length,
                           .points = o.points,
                           .dt = dt,
                           .steps = steps,
                           .sensors = {o.sensor},
                           .forces = {{o.force, force}}});
    const Vec y = model.response(truth);
    opt::Random random(1);
    std::vector<double> time, displacement{0.0};
    for (int n = 0; n <= steps; ++n) {
        time.push_back(n * dt);
        if (n > 0) displacement.push_back(y[n - 1] + 1e-3 * random.normal());
    }
    io::write_csv(file, {{"made by identify_beam --demo with rA 1, dv 0.5, dm 0.02, EI 150, T 15000"},
                         {{"time_s", time}, {"force_N", list_of(force)}, {"displacement_m", displacement}}});
}

double noise_of(const Vec& signal) { return estimated_noise({signal.data(), static_cast<std::size_t>(signal.size())}); }

BeamMisfit read_misfit(const Options& o) {
    const io::CsvTable table = io::read_csv(o.record);
    const Vec time = vector_of(table.column("time_s"));
    const Channel force{.name = "force_N", .time = time, .values = vector_of(table.column("force_N"))};
    const Channel moved{.name = "displacement_m", .time = time, .values = vector_of(table.column("displacement_m"))};
    check_record({force, moved});
    const Eigen::Index steps = time.size() - 1;
    require(steps >= 4 * beam_parameter_count, "identify_beam", steps + 1, " samples, allowed is at least ",
            4 * beam_parameter_count + 1);
    const double near = 0.05 * (moved.values.maxCoeff() - moved.values.minCoeff()) + 6.0 * noise_of(moved.values);
    require(std::abs(moved.values[0]) <= near, "identify_beam", "displacement_m[0] is ", moved.values[0],
            ", allowed is a beam at rest, 0 to within ", near,
            ": subtract what was there before, and begin before the force does");
    const double dt = (time[steps] - time[0]) / static_cast<double>(steps);
    for (Eigen::Index i = 0; i <= steps; ++i)
        require(std::abs(time[i] - time[0] - static_cast<double>(i) * dt) < 1e-3 * dt, "identify_beam", "time_s[", i,
                "] is ", time[i], ", allowed is even sampling");
    return BeamMisfit(BeamModel({.length = o.length,
                                 .points = o.points,
                                 .dt = dt,
                                 .steps = static_cast<int>(steps),
                                 .sensors = {o.sensor},
                                 .forces = {{o.force, force.values}}}),
                      moved.values.tail(steps));
}

std::string block(const std::string& name, const Vec& x, const Vec& y) {
    std::string text = "$" + name + " << EOD\n";
    for (Eigen::Index i = 0; i < x.size(); ++i) text += number(x[i]) + " " + number(y[i]) + "\n";
    return text + "EOD\n";
}

struct Answer {
    opt::FrontResult front;
    opt::Minimum fit;
    Vec time, measured, modelled;
    Information relative;  ///< of relative changes
    double noise = 0.0;    ///< m, standard deviation of what the fit leaves
    double growth = 0.0;   ///< 1/s
    std::vector<std::string> open, doubts;
};

Answer identified(const Options& o, const BeamMisfits& misfits) {
    const BeamMisfit& misfit = misfits.records()[0];
    const opt::Bounds bounds{vector_of(o.lower), vector_of(o.upper)};
    const io::CsvTable table = io::read_csv(o.record);
    Answer a;
    const opt::Nsga2Params search{
        .bounds = bounds, .population = o.population, .generations = o.generations, .seed = o.seed};
    a.front = beam_front(misfits, search);
    Vec fit_only(2);
    fit_only << 1.0, 0.0;
    opt::LevenbergMarquardtParams params{.bounds = bounds};
    a.fit = opt::levenberg_marquardt(misfits, choose(a.front.front, fit_only).x, params);
    Mat Psi;
    misfit.model().response(a.fit.x, a.modelled, Psi);
    const Eigen::Index steps = a.modelled.size();
    a.time = vector_of(table.column("time_s")).tail(steps);
    a.measured = vector_of(table.column("displacement_m")).tail(steps);
    a.noise = (a.modelled - a.measured).norm() / std::sqrt(static_cast<double>(steps - beam_parameter_count));
    // In relative changes where that is possible: a parameter on a bound at 0 has none.
    Vec scale = a.fit.x.cwiseAbs();
    for (double& v : scale)
        if (!(v > 0.0)) v = 1.0;
    a.relative = information(Psi * scale.asDiagonal(), std::max(a.noise, 1e-100));
    for (Eigen::Index i = 0; i < scale.size(); ++i) a.relative.deviation[i] *= scale[i];  // back to the unit
    a.open = unidentifiable(a.relative, {beam_parameter_names.begin(), beam_parameter_names.end()});
    a.doubts = doubts(a.modelled - a.measured, a.measured, noise_of(a.measured), a.fit.x, bounds,
                      {beam_parameter_names.begin(), beam_parameter_names.end()});
    a.growth = misfits.growth_rate(a.fit.x);
    return a;
}

io::Page page_of(const Options& o, const Answer& a) {
    const auto intervals = confidence_intervals(a.fit.x, a.relative);
    io::Page page{.title = "Identified beam", .subtitle = o.record, .version = std::string(version)};
    io::PageTable parameters{"Parameters", {"parameter", "value", "standard deviation", "95 % from", "to"}, {}};
    io::PageTable correlation{"Correlation", {""}, {}};
    for (std::size_t i = 0; i < beam_parameter_names.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        parameters.rows.push_back({beam_parameter_names[i], number(a.fit.x[k]), number(a.relative.deviation[k]),
                                   number(intervals[i].lower), number(intervals[i].upper)});
        correlation.columns.emplace_back(beam_parameter_names[i]);
        std::vector<std::string> row{beam_parameter_names[i]};
        for (Eigen::Index m = 0; m < a.fit.x.size(); ++m) row.push_back(number(a.relative.correlation(k, m)));
        correlation.rows.push_back(row);
    }
    io::PageTable fisher{"Fisher information of relative changes", {}, {}};
    for (Eigen::Index k = 0; k < a.relative.singular_values.size(); ++k)
        fisher.rows.push_back({"singular value " + std::to_string(k + 1), number(a.relative.singular_values[k])});
    fisher.rows.push_back({"A: sum of the variances", number(a.relative.trace_of_inverse)});
    fisher.rows.push_back({"D: log determinant", number(a.relative.log_determinant)});
    fisher.rows.push_back({"E: smallest eigenvalue", number(a.relative.smallest_eigenvalue)});
    page.tables = {parameters, correlation, fisher};
    for (const std::string& doubt : a.doubts) page.warning += "Doubtful: " + doubt + ". ";
    for (const std::string& combination : a.open) page.warning += "The record does not see " + combination + ". ";
    Vec misfit(static_cast<Eigen::Index>(a.front.front.size())), rate = misfit;
    for (std::size_t i = 0; i < a.front.front.size(); ++i) {
        misfit[static_cast<Eigen::Index>(i)] = a.front.front[i].objectives[0];
        rate[static_cast<Eigen::Index>(i)] = a.front.front[i].objectives[1];
    }
    page.plots.push_back(
        {"front", "Front", "Misfit and growth rate of the sets that no other dominates; all are stable.",
         io::detail::axes("misfit", "growth rate (1/s)") + block("front", misfit, rate) +
             "set logscale x\nplot $front using 1:2 with points pt 7 lc rgb '#2563c9' title 'front'\n"});
    page.plots.push_back({"fit", "Fit", "What was measured and what the identified beam does.",
                          io::detail::axes("time (s)", "displacement (m)") + block("measured", a.time, a.measured) +
                              block("model", a.time, a.modelled) +
                              "plot $measured using 1:2 with points pt 7 ps 0.2 lc rgb '#a8b1be' title 'measured', "
                              "$model using 1:2 with lines lw 1.5 lc rgb '#c93b25' title 'identified'\n"});
    page.metadata = {{"record", o.record},
                     {"front", std::to_string(a.front.evaluations) + " sets, seed " + std::to_string(o.seed)},
                     {"fit", std::to_string(a.fit.evaluations) + " marches with derivatives: " + a.fit.reason},
                     {"noise of the residuals (m)", number(a.noise)},
                     {"growth rate (1/s)", number(a.growth)}};
    return page;
}

void run(const Options& o) {
    const std::filesystem::path out = o.out;
    const Answer a = identified(o, BeamMisfits({read_misfit(o)}));
    const auto intervals = confidence_intervals(a.fit.x, a.relative);
    std::cout << "front: " << a.front.front.size() << " stable sets of " << a.front.evaluations
              << "\nfit: " << a.fit.evaluations << " marches with derivatives, misfit " << number(a.fit.value)
              << ", residuals " << number(a.noise) << " m, growth rate " << number(a.growth) << " 1/s\n";
    for (std::size_t i = 0; i < beam_parameter_names.size(); ++i)
        std::printf("  %-18s %-10s 95 %%: %s to %s\n", beam_parameter_names[i],
                    number(a.fit.x[static_cast<Eigen::Index>(i)]).c_str(), number(intervals[i].lower).c_str(),
                    number(intervals[i].upper).c_str());
    for (const std::string& combination : a.open) std::cout << "  not seen by the record: " << combination << "\n";
    for (const std::string& doubt : a.doubts) std::cout << "  doubtful: " << doubt << "\n";

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
    io::write_csv(
        out / "fit.csv",
        {{"measured and identified displacement"},
         {{"time_s", list_of(a.time)}, {"measured_m", list_of(a.measured)}, {"identified_m", list_of(a.modelled)}}});
    if (o.report) io::write_page(out, page_of(o, a));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Identifies an axially loaded beam, clamped at both ends, from a force and a displacement.");
    Options o;
    app.add_option("record", o.record, "CSV file: time_s,force_N,displacement_m");
    app.add_flag("--demo", o.demo, "make a record and identify it; the default without a record");
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html, for which gnuplot is needed");
    app.add_option("--length", o.length, "m")->capture_default_str();
    app.add_option("--points", o.points, "grid points, both ends included")->capture_default_str();
    app.add_option("--sensor", o.sensor, "grid point, the left end is 0")->capture_default_str();
    app.add_option("--force", o.force, "grid point")->capture_default_str();
    app.add_option("--generations", o.generations, "of NSGA-II")->capture_default_str();
    app.add_option("--population", o.population, "of NSGA-II")->capture_default_str();
    add_seed(app, o.seed, "of NSGA-II");
    app.add_option("--lower", o.lower, "lower bounds of rA, dv, dm, EI, T")->expected(5)->capture_default_str();
    app.add_option("--upper", o.upper, "upper bounds of rA, dv, dm, EI, T")->expected(5)->capture_default_str();
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        require(!o.demo || o.record.empty(), "--demo", "makes a record of its own, allowed is it or '", o.record, "'");
        if (!o.record.empty())  // the defaults are those of the demo
            for (const char* option : {"--length", "--points", "--sensor", "--force"})
                require(app.count(option) > 0, option,
                        "is missing, allowed is a figure: identification takes it for known");
        for (const int point : {o.sensor, o.force})
            require(point >= 2 && point < o.points - 2, "identify_beam", "sensor or force at point ", point,
                    ", allowed is 2 to ", o.points - 3, ": the clamps hold the others");
        const std::vector<std::string> names{"front.csv", "fit.csv", "report.html"};
        io::ResultFolder results(o.out, names);
        if (o.report) io::require_gnuplot();
        if (o.demo || o.record.empty()) {
            o.record = (std::filesystem::path(o.out) / "record.csv").string();
            write_demo(o.record, o);
        }
        o.out = results.fresh().string();
        run(o);
        results.swap_in();
        std::cout << "results are in " << results.path().string() << "\n";
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
