// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parameters of a train from what accelerometers on its leading bogie and car body recorded on one section of line.
///
///     identify_train                                  eight parameters of Table B.1 from 20 % off, noise of 1 %
///     identify_train --parameters 17 26 --length 100 --noise 0.02
///
/// The record is a virtual one: the same train with another creep law (Polach) and half the step, and with noise.
/// Parameters are given by number or name. They are found by Levenberg and Marquardt's method; their intervals come
/// from the noise of the residuals. summary.json, series.csv and report.html go into the output folder.
#include <panto/ident/fisher.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/sensitivity/sampling.hpp>
#include <panto/vehicle/line_record.hpp>
#include <panto/version.hpp>

#include "option_values.hpp"
#include "track_option.hpp"
#include "vehicle_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace panto;

namespace {

using Values = Vector<double, Dynamic>;

struct Options {
    std::string vehicle = "tgv_like_117";
    std::vector<std::string> parameters{"3", "6", "9", "10", "11", "17", "20", "26"};
    std::string track = "low";
    std::uint64_t track_seed = 5;
    double speed = 300.0;   // km/h
    double length = 250.0;  // m
    double noise = 0.01;    // of the record
    double off = 0.2;
    std::uint64_t seed = 1;
    std::string out = "identified_train";
    bool report = true;
};

/// The train as a user would model it: its record by the parameters asked for, over their values in the file.
class Model {
  public:
    explicit Model(const Options& o) : train_(vehicle_called(o.vehicle)), speed_(o.speed / 3.6) {
        for (const std::string& text : o.parameters) {
            const std::size_t i = index(text);
            require(std::find(which_.begin(), which_.end(), i) == which_.end(), "--parameters", "'",
                    train_.parameters[i].name, "' is given twice");
            require(train_.parameters[i].value > 0.0, "--parameters", "'", train_.parameters[i].name, "' is ",
                    train_.parameters[i].value, ", only values above 0 can be varied");
            which_.push_back(i);
        }
        const vehicle::Assembly parts = vehicle::assemble(train_);
        const double front = parts.nodes[static_cast<std::size_t>(parts.axles.front())].centre[0];
        // Sensors on the leading bogie, above its axle boxes, and at both ends of the heaviest body.
        const std::string bogie = carrier(parts, parts.axles.front()), car = heaviest(parts);
        const auto at = [&](const std::string& name) -> const vehicle::Node& {
            return parts.nodes[static_cast<std::size_t>(parts.node(name))];
        };
        const auto add = [&](const std::string& name, double ahead, double side, const char* where) {
            const auto& c = at(name).centre;
            probes_.push_back(parts.probe(name, {c[0] + ahead, side, c[2]}, vehicle::Direction::z));
            sensors_.push_back(name + where);
        };
        add(bogie, 1.5, 1.0, " front left"), add(bogie, 1.5, -1.0, " front right");
        add(bogie, -1.5, 1.0, " rear left"), add(bogie, -1.5, -1.0, " rear right");
        add(car, 7.0, 0.0, " front"), add(car, -7.0, 0.0, " rear");
        // The car body with its bogies has left the rise of the track when the record begins.
        const double rise = 50.0, lead = rise + 70.0;
        section_ = {.start = -front, .lead = lead, .length = o.length};
        const auto spectrum = spectrum_called(o.track);
        track_.emplace(spectrum ? random_track(*spectrum, o.track_seed, 0.0, lead + o.length + rise)
                                : recorded_track(o.track));
        if (!spectrum) section_.start = track_->start() - front;
    }

    template <class Law>
    [[nodiscard]] Values record(const Values& theta, int substeps) const {
        auto values = train_.values();
        for (std::size_t i = 0; i < which_.size(); ++i) values[which_[i]] *= theta[static_cast<Eigen::Index>(i)];
        const vehicle::NonlinearVehicle<Law> train(vehicle::assemble(train_, values), speed_, {}, {},
                                                   {.stiffness = 15e6});
        vehicle::LineSection section = section_;
        section.substeps = substeps;
        return vehicle::accelerations(train, *track_, probes_, section).reshaped();
    }

    /// What is compared, for opt::levenberg_marquardt.
    Status residuals(const Values& theta, Values& r) const {
        if (!(theta.minCoeff() > 0.0)) return Status::out_of_range;
        r = record<vehicle::VermeulenJohnson>(theta, 2) - measured;
        ++runs;
        if (!(r.squaredNorm() < 1e30)) return Status::not_finite;
        best = std::min(best, r.squaredNorm());
        std::printf("\r  %3d runs, misfit %.3g m/s^2 rms ", runs,
                    std::sqrt(best / static_cast<double>(measured.size())));
        std::fflush(stdout);
        return Status::ok;
    }

    [[nodiscard]] const vehicle::Multibody& train() const { return train_; }
    [[nodiscard]] const vehicle::Multibody::Parameter& parameter(std::size_t i) const {
        return train_.parameters[which_[i]];
    }
    [[nodiscard]] std::size_t count() const { return which_.size(); }
    [[nodiscard]] const std::vector<std::string>& sensors() const { return sensors_; }
    [[nodiscard]] double period() const { return section_.period; }

    Values measured{};
    mutable int runs = 0;
    mutable double best = 1e300;

  private:
    [[nodiscard]] std::size_t index(const std::string& text) const {
        for (std::size_t i = 0; i < train_.parameters.size(); ++i)
            if (train_.parameters[i].name == text || train_.parameters[i].name.starts_with(text + " ")) return i;
        return static_cast<std::size_t>(train_.parameter_index(text));  // says which there are
    }
    /// The body that rests on a wheelset.
    [[nodiscard]] static std::string carrier(const vehicle::Assembly& parts, int axle) {
        for (const vehicle::Part& p : parts.parts)
            for (std::size_t i = 0; i < 2; ++i)
                if (p.node[i] == axle) return parts.nodes[static_cast<std::size_t>(p.node[1 - i])].name;
        throw SetupError("--vehicle: nothing rests on the leading wheelset");
    }
    [[nodiscard]] static std::string heaviest(const vehicle::Assembly& parts) {
        const auto most = std::max_element(parts.nodes.begin(), parts.nodes.end(), [](const auto& a, const auto& b) {
            return (a.axle ? 0.0 : a.mass) < (b.axle ? 0.0 : b.mass);
        });
        return most->name;
    }

    vehicle::Multibody train_;
    double speed_;  // m/s
    std::vector<std::size_t> which_{};
    std::vector<vehicle::Probe> probes_{};
    std::vector<std::string> sensors_{};
    vehicle::LineSection section_{};
    std::optional<vehicle::SampledTrack> track_{};
};

void run(const Options& o, const std::filesystem::path& folder) {
    Model model(o);
    const auto n = static_cast<Eigen::Index>(model.count());
    const auto begin = std::chrono::steady_clock::now();
    Values truth = Values::Ones(n), start(n);
    for (Eigen::Index i = 0; i < n; ++i) start[i] = 1.0 + (i % 2 == 0 ? -o.off : o.off);
    const Values clean = model.record<vehicle::Polach>(truth, 4);
    require(clean.allFinite(), "--vehicle", "'", model.train().name, "' does not stay on its rails at ", o.speed,
            " km/h: take a lower --speed");
    const auto samples = static_cast<double>(clean.size());
    const double noise = o.noise * std::sqrt(clean.squaredNorm() / samples);
    sensitivity::Lcg random(o.seed);
    model.measured = clean;
    for (double& y : model.measured) y += noise * random.normal();

    Values r;
    (void)model.residuals(start, r);
    const Values first = model.measured + r;
    const auto fit = opt::levenberg_marquardt(
        model, start, {.value_tolerance = 1e-6, .differences = opt::Differences::central, .difference_step = 1e-3});
    Matrix<double, Dynamic> J(r.size(), n);
    for (Eigen::Index i = 0; i < n; ++i) {
        Values up = fit.x, down = fit.x, other;
        up[i] *= 1.001, down[i] *= 0.999;
        (void)model.residuals(up, r), (void)model.residuals(down, other);
        J.col(i) = (r - other) / (up[i] - down[i]);
    }
    (void)model.residuals(fit.x, r);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double left = std::sqrt(r.squaredNorm() / (samples - static_cast<double>(n)));
    require(left > 0.0, "--noise", "is ", o.noise, ", and the fit leaves nothing: there are no intervals");
    const auto information = ident::information(J, left);

    std::printf("\n");
    nlohmann::ordered_json json{{"format", "panto-train-fit"},
                                {"version", 1},
                                {"vehicle", model.train().name},
                                {"track", o.track},
                                {"speed_m_per_s", o.speed / 3.6},
                                {"length_m", o.length},
                                {"noise_of_the_record_m_per_s2", noise},
                                {"noise_of_the_residuals_m_per_s2", left},
                                {"status", std::string(name(fit.status))},
                                {"runs", model.runs},
                                {"seconds", seconds}};
    io::PageTable table{.title = "Parameters",
                        .columns = {"", "found", "95 % from", "to", "truth", "start", "error %"}};
    for (std::size_t i = 0; i < model.count(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const auto& p = model.parameter(i);
        const double value = fit.x[k] * p.value, half = 1.96 * information.deviation[k] * p.value;
        const bool inside = std::abs(value - p.value) <= half;
        std::printf("  %-46s %12.5g +- %-9.2g (truth %.5g, start %.5g)%s\n", p.name.c_str(), value, half, p.value,
                    start[k] * p.value, inside ? "" : " outside");
        json["parameters"].push_back({{"name", p.name},
                                      {"value", value},
                                      {"low", value - half},
                                      {"high", value + half},
                                      {"truth", p.value},
                                      {"start", start[k] * p.value},
                                      {"inside", inside}});
        table.rows.push_back({p.name, shown(value, 5), shown(value - half, 5), shown(value + half, 5),
                              shown(p.value, 5), shown(start[k] * p.value, 5), shown(100.0 * (fit.x[k] - 1.0), 2)});
    }
    std::printf("  noise of the residuals %.3g m/s^2, of the record %.3g m/s^2, %d runs, %.0f s\n", left, noise,
                model.runs, seconds);
    io::write_text(folder / "summary.json", io::pretty(json) + "\n");

    // One sensor of the bogie and one of the car body.
    const auto sensors = static_cast<Eigen::Index>(model.sensors().size());
    const Values found = model.measured + r;
    const auto channel = [&](const Values& y, Eigen::Index which) {
        std::vector<double> values;
        for (Eigen::Index i = which; i < y.size(); i += sensors) values.push_back(y[i]);
        return values;
    };
    std::vector<double> time;
    for (Eigen::Index i = 0; i < r.size() / sensors; ++i) time.push_back(static_cast<double>(i) * model.period());
    io::CsvTable series{{"vertical accelerations of " + model.sensors()[0] + " and " + model.sensors()[4]},
                        {{"time_s", time}}};
    for (const auto& [which, prefix] : {std::pair<Eigen::Index, const char*>{0, "bogie"}, {4, "car"}})
        for (const auto& [what, y] : {std::pair<const char*, const Values&>{"measured", model.measured},
                                      {"start", first},
                                      {"identified", found}})
            series.columns.push_back({std::string(prefix) + "_" + what + "_m_per_s2", channel(y, which)});
    io::write_csv(folder / "series.csv", series);
    if (!o.report) return;
    io::Page page{.title = "A train identified",
                  .subtitle = model.train().name + ", " + shown(o.length) + " m at " + shown(o.speed) + " km/h",
                  .version = std::string(version)};
    page.tables.push_back(table);
    for (const Eigen::Index which : {Eigen::Index{0}, Eigen::Index{4}}) {
        const std::string& sensor = model.sensors()[static_cast<std::size_t>(which)];
        page.charts.push_back(
            {.name = which == 0 ? "bogie" : "car",
             .title = sensor,
             .caption = "Vertical acceleration.",
             .x_label = "time (s)",
             .y_label = "m/s^2",
             .curves = {{.name = "measured",
                         .tone = io::Tone::raw,
                         .points = io::thinned(time, channel(model.measured, which))},
                        {.name = "start", .tone = io::Tone::good, .points = io::thinned(time, channel(first, which))},
                        {.name = "identified", .points = io::thinned(time, channel(found, which))}}});
    }
    page.metadata = {{"vehicle", model.train().source},
                     {"track", o.track},
                     {"noise of the record", shown(noise, 3) + " m/s^2"},
                     {"noise of the residuals", shown(left, 3) + " m/s^2"},
                     {"runs", std::to_string(model.runs)},
                     {"time", shown(seconds, 3) + " s"}};
    io::write_page(folder, page);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Parameters of a train from accelerations on one section of line.");
    Options o;
    app.add_option("--vehicle", o.vehicle, "name of a shipped vehicle or a JSON file")->capture_default_str();
    app.add_option("--parameters", o.parameters, "numbers or names")->capture_default_str();
    app.add_option("--track", o.track, "low or high (disturbance), or a CSV file of four rails")->capture_default_str();
    app.add_option("--track-seed", o.track_seed, "of a random track")->capture_default_str();
    app.add_option("--speed", o.speed, "km/h")->capture_default_str();
    app.add_option("--length", o.length, "m, of the section")->capture_default_str();
    app.add_option("--noise", o.noise, "standard deviation, over the root mean square of the record")
        ->capture_default_str();
    app.add_option("--off", o.off, "by which the start is off, as a part")->capture_default_str();
    app.add_option("--seed", o.seed, "of the noise")->capture_default_str();
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        if (!spectrum_called(o.track)) refuse_idle(app, {"--track-seed"}, "with a recorded --track");
        require_positive(o.speed, "--speed", "speed");
        require(o.length >= 10.0 && o.length <= 1e4, "--length", "is ", o.length, " m, must be from 10 to 10000");
        require(o.noise >= 0.0 && o.noise <= 1.0, "--noise", "is ", o.noise, ", must be from 0 to 1");
        require(o.off >= 0.0 && o.off <= 0.5, "--off", "is ", o.off, ", must be from 0 to 0.5");
        io::ResultFolder results(o.out, std::vector<std::string>{"summary.json", "series.csv", "report.html"});
        if (o.report) io::require_drawing();
        run(o, results.fresh());
        results.swap_in();
        std::cout << "results are in " << results.path().string() << "\n";
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
