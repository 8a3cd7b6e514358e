// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From which speed on a vehicle hunts: growth of its slowest-decaying motion over the speed, from eigenvalues.
///
///     critical_speed                              the bogie of docs/vehicle.md, with its limit cycles
///     critical_speed --vehicle tgv_like           a shipped vehicle
///     critical_speed --vehicle my_train.json --to 400
///
/// summary.json, growth.csv, limit_cycles.csv (of the bogie) and report.html go into the output folder.
#include <panto/io/csv.hpp>
#include <panto/io/page.hpp>
#include <panto/io/progress.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/io/vehicle_json.hpp>
#include <panto/vehicle/limit_cycle.hpp>
#include <panto/vehicle/linear_vehicle.hpp>
#include <panto/version.hpp>

#include "option_values.hpp"
#include "printed.hpp"
#include "vehicle_option.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

using namespace panto;

namespace {

struct Options {
    std::string vehicle;
    std::string out = "critical_speed";
    double from = 60.0, to = 720.0, step = 20.0;  // km/h
    bool report = true;
};

struct Growth {
    std::vector<double> speed, growth, frequency;  // m/s, 1/s, Hz
};

Growth growth_over_speed(const Options& o, const std::function<Eigen::VectorXcd(double)>& eigenvalues) {
    Growth g;
    io::Progress progress(o.to - o.from);  // km/h in place of seconds
    const int last = static_cast<int>((o.to - o.from) / o.step * (1.0 + 1e-12));
    for (int i = 0; i <= last; ++i) {
        const double kmh = o.from + i * o.step;
        progress.update(kmh - o.from);
        const Eigen::VectorXcd values = eigenvalues(kmh / 3.6);
        Eigen::Index k = 0;
        values.real().maxCoeff(&k);
        g.speed.push_back(kmh / 3.6);
        g.growth.push_back(values[k].real());
        g.frequency.push_back(std::abs(values[k].imag()) / (2.0 * std::numbers::pi));
    }
    return g;
}

void run(const Options& o, const std::filesystem::path& folder) {
    const vehicle::SpeedRange range{.lowest = o.from / 3.6, .highest = o.to / 3.6, .step = o.step / 3.6};
    std::string name = "bogie";
    std::function<Eigen::VectorXcd(double)> eigenvalues;
    std::vector<vehicle::LimitCycle> cycles;
    const vehicle::Bogie<> bogie({}, {}, 40.0);
    vehicle::Assembly parts;
    if (o.vehicle.empty()) {
        eigenvalues = [&](double v) { return linalg::eigenvalues(vehicle::jacobian(bogie.at_speed(v))); };
    } else {
        const vehicle::Multibody told = vehicle_called(o.vehicle);
        name = told.name;
        parts = vehicle::assemble(told);
        eigenvalues = [&](double v) { return vehicle::eigenvalues(vehicle::linearize(parts, v)); };
    }
    const Growth g = growth_over_speed(o, eigenvalues);
    const double critical =
        vehicle::critical_speed_of([&](double v) { return eigenvalues(v).real().maxCoeff(); }, range);
    if (o.vehicle.empty() && is_finite(critical))
        cycles = vehicle::limit_cycle_branch(bogie, {2e-4, 5e-4, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3});

    if (is_finite(critical))
        std::printf("%s hunts from %.2f m/s on (%.1f km/h)\n", name.c_str(), critical, 3.6 * critical);
    else
        std::printf("%s does not hunt from %.0f to %.0f km/h\n", name.c_str(), o.from, o.to);
    io::write_csv(folder / "growth.csv",
                  {{"the motion that decays slowest"},
                   {{"speed_m_per_s", g.speed}, {"growth_per_s", g.growth}, {"frequency_Hz", g.frequency}}});
    io::Page page{.title = "Critical speed of " + name, .version = std::string(version)};
    nlohmann::ordered_json summary{{"format", "panto-critical-speed"}, {"version", 1}, {"vehicle", name}};
    summary["critical_speed_m_per_s"] =
        is_finite(critical) ? nlohmann::ordered_json(critical) : nlohmann::ordered_json();
    io::Chart chart{.name = "growth",
                    .title = "Growth of the slowest-decaying motion",
                    .caption = "Above 0 the vehicle hunts.",
                    .x_label = "speed (km/h)",
                    .y_label = "growth (1/s)"};
    io::Curve curve{.name = "growth"};
    for (std::size_t i = 0; i < g.speed.size(); ++i) curve.points.emplace_back(3.6 * g.speed[i], g.growth[i]);
    chart.curves.push_back(curve);
    page.charts.push_back(chart);
    if (!cycles.empty()) {
        io::CsvTable table{
            {"amplitudes of the first wheelset"},
            {{"speed_m_per_s", {}}, {"shift_m", {}}, {"yaw_rad", {}}, {"period_s", {}}, {"multiplier", {}}}};
        io::Curve branch{.name = "shift"};
        for (const auto& c : cycles) {
            if (c.status != Status::ok) continue;
            const double row[] = {c.speed, c.amplitude, c.yaw, c.period, c.multiplier};
            for (std::size_t k = 0; k < 5; ++k) table.columns[k].values.push_back(row[k]);
            branch.points.emplace_back(3.6 * c.speed, 1e3 * c.amplitude);
        }
        io::write_csv(folder / "limit_cycles.csv", table);
        page.charts.push_back({.name = "cycles",
                               .title = "Limit cycles",
                               .caption = "Lateral amplitude of the first wheelset.",
                               .x_label = "speed (km/h)",
                               .y_label = "shift (mm)",
                               .curves = {branch}});
    }
    page.tables.push_back({.title = "Result",
                           .columns = {"", "m/s", "km/h"},
                           .rows = {{"critical speed", is_finite(critical) ? shown(critical, 5) : "none in the range",
                                     is_finite(critical) ? shown(3.6 * critical, 5) : ""}}});
    io::write_text(folder / "summary.json", io::pretty(summary) + "\n");
    if (o.report) io::write_page(folder, page);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Finds the speed above which a vehicle hunts.");
    Options o;
    app.add_option("--vehicle", o.vehicle, "name of a shipped vehicle or a JSON file; default: the bogie");
    app.add_option("--from", o.from, "km/h")->capture_default_str();
    app.add_option("--to", o.to, "km/h")->capture_default_str();
    app.add_option("--step", o.step, "km/h; two crossings within one step are not seen")->capture_default_str();
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        require_positive(o.from, "--from", "speed");
        require_positive(o.step, "--step", "speed");
        require(o.to > o.from, "--to", "is ", o.to, " km/h, must be above --from, ", o.from);
        require(o.step >= 1e-4 * o.to, "--step", "is ", o.step, " km/h, must be at least a ten-thousandth of --to, ",
                1e-4 * o.to, " km/h");
        io::ResultFolder results(
            o.out, std::vector<std::string>{"summary.json", "growth.csv", "limit_cycles.csv", "report.html"});
        if (o.report) io::require_drawing();
        run(o, results.fresh());
        results.swap_in();
        std::cout << "results are in " << results.path().string() << "\n";
        check_printed();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
