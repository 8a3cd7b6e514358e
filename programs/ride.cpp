// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A vehicle or train over a line: accelerations of its bodies, forces of its wheels, spectra.
///
///     ride                                            the train of the TGV kind at 300 km/h, track of low disturbance
///     ride --vehicle manchester_1 --speed 160 --track high --length 2000
///     ride --track rails.csv                          four rails of a recording
///
/// A recording has the columns position_m (evenly spaced), left_height_m, right_height_m, left_side_m, right_side_m.
/// The track rises from level over the first and last 50 m. A wheel that lifts or leaves its rail ends the run, with
/// exit code 3. summary.json, series.csv, spectrum.csv, transfer.csv and report.html go into the output folder.
#include <panto/io/csv.hpp>
#include <panto/io/page.hpp>
#include <panto/io/progress.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/vehicle/line_signals.hpp>
#include <panto/vehicle/nonlinear_vehicle.hpp>
#include <panto/vehicle/track_design.hpp>
#include <panto/version.hpp>

#include "option_values.hpp"
#include "printed.hpp"
#include "track_option.hpp"
#include "vehicle_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
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
    std::string vehicle = "tgv_like";
    std::string track = "low";
    std::string out = "ride";
    double speed = 300.0;  // km/h
    double length = 1000.0;
    double dt = 1e-3;
    double radius = 0.0;  // m, positive to the left; 0: straight
    double cant = 0.0;    // mm over 1.5 m, positive if the outer rail is higher
    double transition = 200.0;
    std::uint64_t seed = 5;
    bool report = true;
};

vehicle::SampledTrack track_of(const Options& o) {
    const auto spectrum = spectrum_called(o.track);
    return spectrum ? random_track(*spectrum, o.seed, 0.0, o.length) : recorded_track(o.track);
}

/// Straight, or a curve that begins 50 m behind the start and goes on to the end.
vehicle::TrackDesign design_of(const Options& o, double start) {
    if (!(std::abs(o.radius) > 0.0)) return {};
    const vehicle::Curve curve{1.0 / o.radius, std::copysign(1e-3 / 1.5 * o.cant, o.radius)};
    return vehicle::TrackDesign({{start + 50.0, {}}, {start + 50.0 + o.transition, curve}});
}

/// What is recorded of one body or wheelset.
struct Channel {
    std::string name;
    std::vector<double> values{};
};

double rms(const std::vector<double>& x) {
    double sum = 0.0;
    for (const double v : x) sum += v * v;
    return x.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(x.size()));
}
double largest(const std::vector<double>& x) {
    double most = 0.0;
    for (const double v : x) most = std::max(most, std::abs(v));
    return most;
}

/// Between the track below a body, m, and the acceleration of the body, m/s^2, in one direction.
void add_transfer(const std::string& direction, const vehicle::CrossSpectra& s, io::CsvTable& table, io::Chart& gain,
                  io::Chart& coherence) {
    const io::Tone tone = gain.curves.empty() ? io::Tone::main : io::Tone::good;
    io::CsvColumn h1{direction + "_H1_per_s2"}, h2{direction + "_H2_per_s2"}, linked{direction + "_coherence"};
    io::Curve gains{.name = direction, .tone = tone}, coherences{gains};
    for (std::size_t k = 1; k < s.frequency.size(); ++k) {
        h1.values.push_back(std::abs(s.h1(k))), h2.values.push_back(std::abs(s.h2(k)));
        linked.values.push_back(s.coherence(k));
        // Of a track that is level in this direction there is neither.
        if (s.frequency[k] > 30.0 || !is_finite(linked.values.back())) continue;
        gains.points.emplace_back(s.frequency[k], h1.values.back());
        coherences.points.emplace_back(s.frequency[k], linked.values.back());
    }
    table.columns.insert(table.columns.end(), {h1, h2, linked});
    gain.curves.push_back(gains), coherence.curves.push_back(coherences);
}

/// y over x in the order of time, the last 4000 samples: a chart has its points in the order of x.
io::Plot phase_plot(const std::vector<double>& x, const std::vector<double>& y) {
    std::string script = "set grid\nset xlabel 'shift (mm)'\nset ylabel 'rate (mm/s)'\nunset key\n$data << EOD\n";
    for (std::size_t i = x.size() - std::min<std::size_t>(x.size(), 4000); i < x.size(); ++i)
        script += shown(1e3 * x[i], 4) + " " + shown(1e3 * y[i], 4) + "\n";
    return {.name = "phase",
            .title = "Phase plot of the leading wheelset",
            .caption =
                "Its shift against the track and the rate of the shift, at the end of the run, at most 4000 "
                "samples. A vehicle that hunts ends on a closed curve.",
            .script = script + "EOD\nplot $data with lines lw 1 lc rgb '#174a9c'\n",
            .height = 480};
}

int run(const Options& o, const std::filesystem::path& folder) {
    const vehicle::Multibody description = vehicle_called(o.vehicle);
    // Flanges give like a rail, 15 MN/m, behind a clearance of 7 mm.
    const vehicle::NonlinearVehicle<> train(vehicle::assemble(description), o.speed / 3.6, {}, {}, {.stiffness = 15e6});
    const vehicle::Assembly& parts = train.assembly();
    const vehicle::SampledTrack irregular = track_of(o);
    const vehicle::DesignedTrack<vehicle::SampledTrack> track{design_of(o, irregular.start()), irregular};
    double front = parts.nodes.front().centre[0], rear = parts.nodes.back().centre[0];
    const double start = (irregular.start() - front) / train.speed(), end = (irregular.end() - rear) / train.speed();
    const auto steps = static_cast<int>(std::ceil((end - start) / o.dt));

    const auto car = std::max_element(parts.nodes.begin(), parts.nodes.end(), [](const auto& a, const auto& b) {
        return (a.axle ? 0.0 : a.mass) < (b.axle ? 0.0 : b.mass);
    });
    std::size_t of_car = 0;  // its lateral acceleration, the vertical one is the next
    std::vector<vehicle::Probe> probes;
    std::vector<Channel> acceleration;
    for (const auto& node : parts.nodes) {
        if (node.axle) continue;
        if (&node == &*car) of_car = acceleration.size();
        for (const auto direction : {vehicle::Direction::y, vehicle::Direction::z}) {
            probes.push_back(parts.probe(node.name, node.centre, direction));
            acceleration.push_back({node.name + (direction == vehicle::Direction::y ? " lateral" : " vertical")});
        }
    }
    const auto wheelsets = parts.axles.size();
    std::vector<double> time, Q, Y, quotient;           // of the leading wheelset, left
    std::vector<double> shift, shift_rate;              // of the leading wheelset
    std::vector<double> below_lateral, below_vertical;  // the track below the heaviest body
    std::vector<double> least_Q(wheelsets, 1e30), most_Q(wheelsets, 0.0), most_Y(wheelsets, 0.0),
        most_YQ(wheelsets, 0.0);

    auto x = train.rest();
    vehicle::RideState state;
    io::Progress progress(end - start);
    const int every = std::max(1, static_cast<int>(std::lround(2e-3 / o.dt)));
    for (int n = 0; n <= steps && state.ok(); ++n) {
        const double t = start + n * o.dt;
        if (n % every == 0) {
            progress.update(t - start);
            train.evaluate(t, track, x);
            state = train.check(t, x);
            time.push_back(t - start);
            shift.push_back(x.axles[0].rho), shift_rate.push_back(x.axles[0].rho_rate);
            const auto below = track.at(train.speed() * t + car->centre[0]);
            below_lateral.push_back(below.lateral.value), below_vertical.push_back(below.vertical.value);
            for (std::size_t i = 0; i < probes.size(); ++i)
                acceleration[i].values.push_back(train.acceleration(probes[i], x));
            for (std::size_t i = 0; i < wheelsets; ++i) {
                const auto loads = train.loads(static_cast<int>(i), x);
                for (std::size_t side = 0; side < 2; ++side) {
                    least_Q[i] = std::min(least_Q[i], loads[side].vertical);
                    most_Q[i] = std::max(most_Q[i], loads[side].vertical);
                    most_Y[i] = std::max(most_Y[i], std::abs(loads[side].lateral));
                    most_YQ[i] = std::max(most_YQ[i], std::abs(loads[side].derailment_quotient(side)));
                }
                if (i == 0) {
                    Q.push_back(loads[0].vertical), Y.push_back(-loads[0].lateral);
                    quotient.push_back(loads[0].derailment_quotient(0));
                }
            }
        }
        train.step(t, o.dt, track, x);
    }
    progress.finish();

    std::string ended;
    if (!state.ok()) {
        ended = std::string(name(state.status)) + " after " + shown(state.time - start, 4) + " s";
        if (state.wheelset >= 0)
            ended += ": " +
                     parts.nodes[static_cast<std::size_t>(parts.axles[static_cast<std::size_t>(state.wheelset)])].name +
                     (state.side == 0 ? ", left" : ", right");
        std::printf("the run ended: %s\n", ended.c_str());
    }

    io::Page page{.title = description.name + " at " + shown(o.speed) + " km/h",
                  .warning = ended,
                  .version = std::string(version)};
    io::PageTable bodies{.title = "Accelerations of the bodies", .columns = {"", "rms m/s^2", "largest m/s^2"}};
    io::CsvTable series{
        {"accelerations at the centres of mass; forces of the leading wheelset's left wheel, and its shift"},
        {{"time_s", time}}};
    nlohmann::ordered_json summary{{"format", "panto-ride"},
                                   {"version", 1},
                                   {"vehicle", description.name},
                                   {"speed_m_per_s", train.speed()},
                                   {"track", o.track},
                                   {"radius_m", o.radius},
                                   {"cant_mm", o.cant},
                                   {"ended", ended}};
    for (const Channel& c : acceleration) {
        bodies.rows.push_back({c.name, shown(rms(c.values), 3), shown(largest(c.values), 3)});
        summary["accelerations"].push_back(
            {{"what", c.name}, {"rms_m_per_s2", rms(c.values)}, {"largest_m_per_s2", largest(c.values)}});
        std::string column = c.name + "_m_per_s2";
        std::replace_if(column.begin(), column.end(), [](char k) { return k == ' ' || k == '/' || k == ','; }, '_');
        series.columns.push_back({column, c.values});
    }
    series.columns.push_back({"Q_N", Q});
    series.columns.push_back({"Y_N", Y});
    series.columns.push_back({"Y_over_Q", quotient});
    series.columns.push_back({"shift_m", shift});
    series.columns.push_back({"shift_rate_m_per_s", shift_rate});
    io::write_csv(folder / "series.csv", series);
    io::PageTable wheels{.title = "Forces of the wheelsets",
                         .columns = {"", "least Q kN", "most Q kN", "most |Y| kN", "most |Y/Q|"}};
    for (std::size_t i = 0; i < wheelsets; ++i) {
        const auto& wheelset = parts.nodes[static_cast<std::size_t>(parts.axles[i])].name;
        wheels.rows.push_back({wheelset, shown(1e-3 * least_Q[i], 4), shown(1e-3 * most_Q[i], 4),
                               shown(1e-3 * most_Y[i], 3), shown(most_YQ[i], 3)});
        summary["wheelsets"].push_back({{"name", wheelset},
                                        {"least_Q_N", least_Q[i]},
                                        {"most_Q_N", most_Q[i]},
                                        {"most_Y_N", most_Y[i]},
                                        {"most_Y_over_Q", most_YQ[i]}});
    }
    page.tables = {bodies, wheels};

    // Spectra of the car body that moves most, where the record is long enough.
    std::size_t lively = 0;
    for (std::size_t i = 0; i < acceleration.size(); i += 2)
        if (rms(acceleration[i].values) > rms(acceleration[lively].values)) lively = i;
    const vehicle::WelchParams welch{.segment = 1000, .overlap = 600};
    if (time.size() >= 1000 && state.ok()) {
        const double rate = 1.0 / (every * o.dt);
        const auto s =
            vehicle::cross_spectra(acceleration[lively].values, acceleration[lively + 1].values, rate, welch);
        io::write_csv(
            folder / "spectrum.csv",
            {{"of " + acceleration[lively].name + " and vertical, one-sided densities"},
             {{"frequency_Hz", s.frequency}, {"lateral_m2_per_s4_Hz", s.xx}, {"vertical_m2_per_s4_Hz", s.yy}}});
        io::Curve lateral{.name = "lateral"}, vertical{.name = "vertical", .tone = io::Tone::good};
        for (std::size_t k = 1; k < s.frequency.size() && s.frequency[k] <= 30.0; ++k)
            lateral.points.emplace_back(s.frequency[k], s.xx[k]), vertical.points.emplace_back(s.frequency[k], s.yy[k]);
        page.charts.push_back({.name = "spectrum",
                               .title = "Spectrum of " + acceleration[lively].name + " and vertical",
                               .caption = "Welch, segments of 1000 samples, one-sided.",
                               .x_label = "frequency (Hz)",
                               .y_label = "density ((m/s^2)^2/Hz)",
                               .curves = {lateral, vertical},
                               .log_y = true});
    }
    // From the track to the car body. Of a single segment the coherence is 1, whatever is in it.
    if (time.size() >= 2200 && state.ok()) {
        const double rate = 1.0 / (every * o.dt);
        io::Chart gain{.name = "transfer",
                       .title = "From the track to " + car->name,
                       .caption = "H1 from the track below its centre to its acceleration.",
                       .x_label = "frequency (Hz)",
                       .y_label = "|H1| (1/s^2)",
                       .log_y = true};
        io::Chart coherence{.name = "coherence",
                            .title = "Coherence of track and " + car->name,
                            .x_label = "frequency (Hz)",
                            .y_label = "coherence",
                            .y_range = std::pair(0.0, 1.05)};
        const auto lateral = vehicle::cross_spectra(below_lateral, acceleration[of_car].values, rate, welch);
        const auto vertical = vehicle::cross_spectra(below_vertical, acceleration[of_car + 1].values, rate, welch);
        coherence.caption = "Averaged over " + std::to_string(vertical.segments) +
                            " segments of 1000 samples. What the track in this direction does not explain lowers it.";
        io::CsvTable table{{"from the track below " + car->name + " to its acceleration, magnitudes"},
                           {{"frequency_Hz", {vertical.frequency.begin() + 1, vertical.frequency.end()}}}};
        add_transfer("lateral", lateral, table, gain, coherence);
        add_transfer("vertical", vertical, table, gain, coherence);
        io::write_csv(folder / "transfer.csv", table);
        page.charts.insert(page.charts.end(), {gain, coherence});
    }
    page.plots.push_back(phase_plot(shift, shift_rate));
    page.charts.push_back(
        {.name = "motion",
         .title = "Accelerations",
         .caption = "Of the body that moves most.",
         .x_label = "time (s)",
         .y_label = "m/s^2",
         .curves = {{.name = acceleration[lively].name, .points = io::thinned(time, acceleration[lively].values)},
                    {.name = acceleration[lively + 1].name,
                     .tone = io::Tone::good,
                     .points = io::thinned(time, acceleration[lively + 1].values)}}});
    page.charts.push_back({.name = "load",
                           .title = "Wheel load",
                           .caption = "Leading wheelset, left.",
                           .x_label = "time (s)",
                           .y_label = "Q (kN)",
                           .curves = {{.name = "Q", .points = io::thinned(time, Q, 1e-3)}}});
    page.metadata = {{"vehicle", description.source},
                     {"track", o.track},
                     {"step", shown(o.dt) + " s"},
                     {"freedoms", std::to_string(parts.freedoms)}};
    io::write_text(folder / "summary.json", io::pretty(summary) + "\n");
    if (o.report) io::write_page(folder, page);
    std::printf("%zu bodies, %zu wheelsets, %.0f m at %.0f km/h; most |Y/Q| %.3f, least Q %.1f kN\n", probes.size() / 2,
                wheelsets, irregular.end() - irregular.start(), o.speed,
                *std::max_element(most_YQ.begin(), most_YQ.end()),
                1e-3 * *std::min_element(least_Q.begin(), least_Q.end()));
    return state.ok() ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Runs a vehicle over a line: accelerations, wheel forces, spectra.");
    Options o;
    app.add_option("--vehicle", o.vehicle, "name of a shipped vehicle or a JSON file")->capture_default_str();
    app.add_option("--track", o.track, "low or high (disturbance), or a CSV file of four rails")->capture_default_str();
    app.add_option("--speed", o.speed, "km/h")->capture_default_str();
    app.add_option("--length", o.length, "m, of a random track")->capture_default_str();
    app.add_option("--dt", o.dt, "s")->capture_default_str();
    app.add_option("--radius", o.radius, "m, of a curve, positive to the left; 0: straight")->capture_default_str();
    app.add_option("--cant", o.cant, "mm over 1.5 m, by which the outer rail of the curve is higher")
        ->capture_default_str();
    app.add_option("--transition", o.transition, "m, of the clothoid before the curve")->capture_default_str();
    app.add_option("--seed", o.seed, "of a random track")->capture_default_str();
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        if (!spectrum_called(o.track)) refuse_idle(app, {"--length", "--seed"}, "with a recorded --track");
        require_positive(o.speed, "--speed", "speed");
        require(o.length >= 10.0 && o.length <= 1e5, "--length", "is ", o.length, " m, must be from 10 to 100000");
        require(o.dt > 0.0 && o.dt <= 2e-3, "--dt", "is ", o.dt, " s, must be above 0 and at most 0.002");
        require(!(std::abs(o.radius) > 0.0) || (std::abs(o.radius) >= 100.0 && is_finite(o.radius)), "--radius", "is ",
                o.radius, " m, must be 100 or more to either side, or 0 for straight track");
        require(std::abs(o.cant) <= 300.0, "--cant", "is ", o.cant, " mm, must be from -300 to 300");
        require(std::abs(o.radius) > 0.0 || !(std::abs(o.cant) > 0.0), "--cant", "is ", o.cant,
                " mm on straight track, give --radius too");
        require(o.transition >= 10.0 && is_finite(o.transition), "--transition", "is ", o.transition,
                " m, must be at least 10");
        io::ResultFolder results(o.out, std::vector<std::string>{"summary.json", "series.csv", "spectrum.csv",
                                                                 "transfer.csv", "report.html"});
        if (o.report) io::require_drawing();
        const int code = run(o, results.fresh());
        results.swap_in();
        std::cout << "results are in " << results.path().string() << "\n";
        if (code == 0) check_printed();
        return code;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
