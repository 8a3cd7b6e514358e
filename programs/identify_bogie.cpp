// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A bogie's suspension, and the defect it ran over, from a noisy record of another model: Polach's creep law, half the
/// step, a place known to some metres only.
///
///     identify_bogie                       from the thesis' start, 4.5e7 and 3.2e6 N/m
///     identify_bogie --noise 2e-4 --seed 3
///
/// Found are c_x and c_y of the axle boxes, place, length and height of the defect, by Levenberg and Marquardt's method
/// with derivatives by dual numbers. summary.json, series.csv and report.html go into the output folder.
#include <panto/core/lcg.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/ident/gradient.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/vehicle/line_signals.hpp>
#include <panto/vehicle/ride.hpp>
#include <panto/version.hpp>

#include "option_values.hpp"
#include "printed.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

using namespace panto;

namespace {

struct Options {
    std::string out = "identified_bogie";
    double noise = 5e-5;  // m
    double shift = 3.7;   // m, by which the record's place is off
    std::uint64_t seed = 1;
    bool report = true;
};

constexpr double speed = 40.0, period = 2e-3, seconds = 1.2;
constexpr int samples = static_cast<int>(seconds / period) + 1;

using Values = Vector<double, Dynamic>;
const std::array<const char*, 5> names{"c_x", "c_y", "start of the defect", "length of the defect",
                                       "height of the defect"};
const std::array<const char*, 5> units{"N/m", "N/m", "m", "m", "m"};
const std::array<double, 5> scale{5.2e7, 3.5e6, 5.0, 20.0, 5e-3};

/// Lateral motion of both wheelsets and of the frame, one after the other, by theta, parameters over their scale.
template <class Law, class S>
Vector<S, Dynamic> lateral(const Vector<S, Dynamic>& theta, int substeps) {
    vehicle::BogieParams<S> p;
    p.stiffness[0] = theta[0] * S(scale[0]), p.stiffness[1] = theta[1] * S(scale[1]);
    const vehicle::SmoothDefect<S> defect{theta[2] * S(scale[2]), theta[3] * S(scale[3]), theta[4] * S(scale[4]),
                                          S(0.0), S(0.0)};
    const vehicle::Bogie<S, vehicle::SmoothDefect<S>, Law> bogie(p, {}, S(speed), defect);
    Vector<S, 20> x = Vector<S, 20>::Zero(), next;
    Vector<S, Dynamic> y(3 * samples);
    const double dt = period / substeps;
    for (int n = 0; n < samples; ++n) {
        if (const auto state = vehicle::check_ride(bogie, n * period, x); !state.ok())
            throw SetupError("identify_bogie: " + vehicle::described(state, 0.0, {"front wheelset", "rear wheelset"}));
        y[n] = x[6], y[samples + n] = x[7], y[2 * samples + n] = x[1];
        for (int k = 0; k < substeps; ++k) {
            bogie.step(S((n * substeps + k) * dt), S(dt), x, next);
            x = next;
        }
    }
    return y;
}

/// The bogie as a user would model it, less the record.
struct Residuals {
    Values measured;
    template <class S>
    Vector<S, Dynamic> operator()(const Vector<S, Dynamic>& theta) const {
        Vector<S, Dynamic> r = lateral<vehicle::VermeulenJohnson, S>(theta, 1);
        for (Eigen::Index i = 0; i < r.size(); ++i) r[i] = r[i] - S(measured[i]);
        return r;
    }
};

std::vector<double> channel(const Values& y, int k) { return {y.data() + k * samples, y.data() + (k + 1) * samples}; }

void run(const Options& o, const std::filesystem::path& folder) {
    const auto begin = std::chrono::steady_clock::now();
    Values truth = Values::Ones(5), start(5);
    truth[2] = (5.0 + o.shift) / scale[2];
    Values measured = lateral<vehicle::Polach, double>(truth, 4);
    Lcg random(o.seed);
    for (double& y : measured) y += o.noise * random.normal();

    // Where the record lies, by its correlation with the model at the start; then all five parameters.
    start << 4.5e7 / scale[0], 3.2e6 / scale[1], 1.0, 0.95, 0.8;
    const Residuals residuals{measured};
    const Values first = lateral<vehicle::VermeulenJohnson, double>(start, 1);
    const auto d = vehicle::displacement(channel(first, 0), channel(measured, 0), samples / 3 - 1);
    require(!d.at_edge, "--shift", "the record is ", d.samples * period * speed,
            " m or more behind, must be less to be found by correlation");
    start[2] += d.samples * period * speed / scale[2];
    std::printf("the record is %.2f m behind (correlation %.3f)\n", d.samples * period * speed, d.correlation);

    const ident::DualResiduals<Residuals, 5> problem(residuals);
    const auto fit = opt::levenberg_marquardt(problem, start, {.observer = [](const opt::Progress& now) {
                                                  std::printf("\r  %3d runs, misfit %.3g m rms ", now.evaluations,
                                                              std::sqrt(now.value / (3.0 * samples)));
                                                  std::fflush(stdout);
                                                  return true;
                                              }});
    std::printf("\n");
    Values r;
    Matrix<double, Dynamic> J;
    (void)problem.linearize(fit.x, r, J);
    const double noise = std::sqrt(r.squaredNorm() / static_cast<double>(r.size() - 5));
    const auto information = ident::information(J, noise);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    nlohmann::ordered_json json{{"format", "panto-bogie-fit"},
                                {"version", 1},
                                {"displacement_m", d.samples * period * speed},
                                {"noise_of_the_residuals_m", noise},
                                {"noise_of_the_record_m", o.noise},
                                {"status", std::string(name(fit.status))},
                                {"runs", fit.evaluations},
                                {"seconds", took}};
    io::PageTable table{.title = "Parameters",
                        .columns = {"", "found", "standard deviation", "truth", "start", "unit"}};
    for (std::size_t i = 0; i < 5; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const double value = fit.x[k] * scale[i], deviation = information.deviation[k] * scale[i],
                     true_value = truth[k] * scale[i];
        std::printf("  %-22s %12.5g +- %-9.2g %-4s (truth %.5g, start %.5g)\n", names[i], value, deviation, units[i],
                    true_value, start[k] * scale[i]);
        json["parameters"].push_back({{"name", names[i]},
                                      {"unit", units[i]},
                                      {"value", value},
                                      {"standard_deviation", deviation},
                                      {"truth", true_value},
                                      {"start", start[k] * scale[i]}});
        table.rows.push_back({names[i], shown(value, 5), shown(deviation, 2), shown(true_value, 5),
                              shown(start[k] * scale[i], 5), units[i]});
    }
    std::printf("  noise of the residuals %.3g m, of the record %.3g m, %d runs, %.1f s\n", noise, o.noise,
                fit.evaluations, took);
    io::write_text(folder / "summary.json", io::pretty(json) + "\n");

    const Values found = measured + r;
    std::vector<double> time;
    for (int n = 0; n < samples; ++n) time.push_back(n * period);
    io::write_csv(folder / "series.csv", {{"lateral motion of the first wheelset"},
                                          {{"time_s", time},
                                           {"measured_m", channel(measured, 0)},
                                           {"start_m", channel(first, 0)},
                                           {"identified_m", channel(found, 0)}}});
    if (!o.report) return;
    io::Page page{
        .title = "A bogie identified", .subtitle = "from a record of another model", .version = std::string(version)};
    page.tables.push_back(table);
    page.charts.push_back(
        {.name = "motion",
         .title = "First wheelset",
         .caption = "Lateral motion.",
         .x_label = "time (s)",
         .y_label = "mm",
         .curves = {{.name = "measured", .tone = io::Tone::raw, .points = io::thinned(time, channel(measured, 0), 1e3)},
                    {.name = "identified", .points = io::thinned(time, channel(found, 0), 1e3)}}});
    page.metadata = {{"noise of the residuals", shown(noise, 3) + " m"},
                     {"runs", std::to_string(fit.evaluations)},
                     {"time", shown(took, 2) + " s"}};
    io::write_page(folder, page);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Identifies a bogie's suspension and a track defect from a noisy record.");
    Options o;
    app.add_option("--noise", o.noise, "m, standard deviation")->capture_default_str();
    app.add_option("--shift", o.shift, "m, error of the position of the record")->capture_default_str();
    app.add_option("--seed", o.seed, "of the noise")->capture_default_str();
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        require_not_negative(o.noise, "--noise", "noise");
        require(std::abs(o.shift) <= 10.0, "--shift", "is ", o.shift, " m, must be from -10 to 10");
        io::ResultFolder results(o.out, std::vector<std::string>{"summary.json", "series.csv", "report.html"});
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
