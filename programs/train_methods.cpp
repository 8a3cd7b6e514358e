// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Methods of identification compared on a train, in the form of the thesis' Tables 4.2 to 4.5: from the accelerations
/// of a hidden train, the parameters of another, by annealing, a genetic algorithm, pattern search and least squares.
///
///     train_methods                           all rows, 200 runs each, on threads
///     train_methods --rows 1 3 9 --budget 1000 --length 1000
///     mpirun -n 4 train_methods --journal methods.journal
///
/// The hidden train is nonlinear and has another creep law, parameters that are off by up to 30 %, noise and a record
/// that is 1.2 m late; the one that is fitted is linear. Misfits are in the band from 1 to 10 Hz. summary.json,
/// methods.csv and report.html go into the output folder.
#include <panto/ident/misfit.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/machine.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/opt/genetic.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/pattern_search.hpp>
#include <panto/opt/simulated_annealing.hpp>
#include <panto/sensitivity/sampling.hpp>
#include <panto/study/progress.hpp>
#include <panto/study/run.hpp>
#include <panto/vehicle/line_record.hpp>
#include <panto/vehicle/linear_march.hpp>
#include <panto/version.hpp>

#include "executor_option.hpp"
#include "option_values.hpp"
#include "seed_option.hpp"
#include "track_option.hpp"
#include "vehicle_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace panto;

namespace {

using Values = Vector<double, Dynamic>;

struct Options {
    std::vector<int> rows;  // empty: all
    int budget = 200;       // runs for each row
    double length = 250.0;  // m
    double noise = 0.1;     // of the record
    std::uint64_t seed = 1;
    std::string executor = "auto";
    std::string journal;
    std::string out = "train_methods";
    bool report = true;
};

/// Where is measured: Tables 4.2 to 4.5.
enum class Sensors { bogie_vertical, carriage_lateral, power_car, power_car_and_carriages };
constexpr std::array<const char*, 4> sensors_names{"bogie A vertical", "carriage 2 lateral", "power car",
                                                   "power car, carriages 1 to 3"};
constexpr std::array<const char*, 4> tables{"4.2", "4.3", "4.4", "4.5"};

struct Row {
    Sensors sensors;
    const char* method;     // SA, GA, PS as in the thesis, LM: Levenberg and Marquardt
    const char* criterion;  // LS: least squares, Max: maxima
    bool shift;             // of the record along the line, PK, among the parameters
    bool all;               // all parameters of the suspension, or the eight of Table 4.1
    double tolerance;
};
constexpr std::array<Row, 17> rows{{{Sensors::bogie_vertical, "SA", "LS", false, false, 0.5},
                                    {Sensors::bogie_vertical, "SA", "LS", true, false, 0.5},
                                    {Sensors::bogie_vertical, "SA", "Max", true, false, 0.5},
                                    {Sensors::bogie_vertical, "SA", "LS", true, true, 0.5},
                                    {Sensors::bogie_vertical, "SA", "LS", true, false, 0.1},
                                    {Sensors::bogie_vertical, "GA", "LS", true, false, 0.5},
                                    {Sensors::bogie_vertical, "GA", "Max", true, false, 0.5},
                                    {Sensors::bogie_vertical, "PS", "LS", true, false, 0.5},
                                    {Sensors::bogie_vertical, "LM", "LS", true, false, 0.5},
                                    {Sensors::bogie_vertical, "LM", "LS", true, true, 0.5},
                                    {Sensors::carriage_lateral, "SA", "LS", true, true, 0.5},
                                    {Sensors::carriage_lateral, "LM", "LS", true, true, 0.5},
                                    {Sensors::power_car, "SA", "LS", true, true, 0.5},
                                    {Sensors::power_car, "LM", "LS", true, true, 0.5},
                                    {Sensors::power_car_and_carriages, "GA", "LS", true, true, 0.5},
                                    {Sensors::power_car_and_carriages, "PS", "LS", true, true, 0.5},
                                    {Sensors::power_car_and_carriages, "LM", "LS", true, true, 0.5}}};

/// The hidden train's record, and the train that is fitted to it.
class Problem {
  public:
    Problem(const Options& o, const Row& row) : row_(row), length_(o.length) {
        for (std::size_t i = 0; i < train_.parameters.size(); ++i) {
            const int number = std::atoi(train_.parameters[i].name.c_str());  // masses have numbers from 90 on
            const bool eight = std::find(important.begin(), important.end(), number) != important.end();
            if (number >= 1 && number < 90 && train_.parameters[i].value > 0.0 && (row.all || eight))
                varied_.push_back(i);
        }
        track_.emplace(random_track(vehicle::TrackSpectrum::low_disturbance(), 5, 0.0, lead + o.length + 60.0));
        auto hidden = train_.values();
        sensitivity::Lcg random(o.seed);
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            const int number = std::atoi(train_.parameters[i].name.c_str());
            const auto k = std::find(important.begin(), important.end(), number) - important.begin();
            if (k < static_cast<long>(important.size()))
                hidden[i] *= k % 2 == 0 ? 0.7 : 1.3;
            else if (number >= 1 && number < 90)
                hidden[i] *= 0.9 + 0.2 * random.uniform();
        }
        const vehicle::NonlinearVehicle<vehicle::Polach> train(vehicle::assemble(train_, hidden), speed, {}, {},
                                                               {.stiffness = 15e6});
        Matrix<double, Dynamic> y =
            vehicle::accelerations(train, *track_, probes(train.assembly()),
                                   {.start = late, .lead = lead, .length = length_, .period = period});
        require(y.allFinite(), "train_methods", "the hidden train leaves its rails with --seed ", o.seed,
                ", take another one");
        std::vector<ident::Channel> record;
        for (Eigen::Index c = 0; c < y.rows(); ++c) {
            ident::Channel channel{.name = std::to_string(c + 1), .values = y.row(c).transpose()};
            channel.scale = std::sqrt(channel.values.squaredNorm() / static_cast<double>(y.cols()));
            for (double& v : channel.values) v += o.noise * channel.scale * random.normal();
            channel.time = Values::LinSpaced(y.cols(), 0.0, period * static_cast<double>(y.cols() - 1));
            record.push_back(std::move(channel));
        }
        const bool peaks = std::string(row.criterion) == "Max";
        misfit_.emplace(std::move(record),
                        ident::MisfitParams{.kind = peaks ? ident::MisfitKind::peaks : ident::MisfitKind::least_squares,
                                            .band = {1.0, 10.0}});
    }

    /// Of every parameter, and of the shift where it is one, from -1 to 1.
    [[nodiscard]] Eigen::Index unknowns() const {
        return static_cast<Eigen::Index>(varied_.size()) + (row_.shift ? 1 : 0);
    }
    [[nodiscard]] std::size_t parameters() const { return varied_.size(); }

    [[nodiscard]] Values model(const Values& z) const {
        ++runs;
        auto values = train_.values();
        for (std::size_t i = 0; i < varied_.size(); ++i)
            values[varied_[i]] *= 1.0 + row_.tolerance * z[static_cast<Eigen::Index>(i)];
        const vehicle::LinearMarch march(vehicle::linearize(vehicle::assemble(train_, values), speed), period);
        const auto where = probes(march.vehicle().assembly);
        const double start = row_.shift ? largest_shift * z[z.size() - 1] : 0.0;
        const auto before = static_cast<long>(std::ceil(lead / speed / period));
        const Eigen::Index samples = misfit_->samples();
        Matrix<double, Dynamic> y(samples, static_cast<Eigen::Index>(where.size()));
        auto x = march.rest();
        for (long n = 0; n < before + samples; ++n) {
            for (std::size_t i = 0; n >= before && i < where.size(); ++i)
                y(n - before, static_cast<Eigen::Index>(i)) = march.acceleration(where[i], x);
            march.step(start / speed + static_cast<double>(n) * period, *track_, x);
        }
        return y.reshaped();
    }
    double operator()(const Values& z) const {
        const double J = (*misfit_)(model(z));
        best = std::min(best, J);
        return J;
    }
    /// For opt::levenberg_marquardt.
    Status residuals(const Values& z, Values& r) const {
        r = misfit_->residuals(model(z));
        const double J = r.squaredNorm();
        if (!is_finite(J)) return Status::not_finite;
        best = std::min(best, J);
        return Status::ok;
    }

    mutable int runs = 0;
    mutable double best = 1e300;

  private:
    static constexpr std::array<int, 8> important{3, 6, 9, 10, 11, 17, 20, 26};
    static constexpr double speed = 300.0 / 3.6, period = 2e-3, lead = 120.0, late = 1.2, largest_shift = 3.0;

    [[nodiscard]] std::vector<vehicle::Probe> probes(const vehicle::Assembly& parts) const {
        using vehicle::Direction;
        std::vector<vehicle::Probe> all;
        const auto add = [&](const char* body, double ahead, double side, Direction direction) {
            const auto& c = parts.nodes[static_cast<std::size_t>(parts.node(body))].centre;
            all.push_back(parts.probe(body, {c[0] + ahead, side, c[2]}, direction));
        };
        const auto both = [&](std::initializer_list<const char*> bodies) {
            for (const char* body : bodies) add(body, 0.8, 1.0, Direction::z), add(body, 0.8, 0.0, Direction::y);
        };
        switch (row_.sensors) {
            case Sensors::bogie_vertical:
                for (const double ahead : {1.5, -1.5})
                    for (const double side : {1.0, -1.0}) add("A", ahead, side, Direction::z);
                break;
            case Sensors::carriage_lateral:
                add("R2", 6.0, 0.0, Direction::y), add("R2", -6.0, 0.0, Direction::y);
                break;
            case Sensors::power_car_and_carriages: both({"1", "2", "3", "R1", "R2", "R3"}); [[fallthrough]];
            case Sensors::power_car: both({"A", "B", "M1"}); break;
        }
        return all;
    }

    Row row_;
    double length_;  // m
    vehicle::Multibody train_ = vehicle_called("tgv_like_117");
    std::vector<std::size_t> varied_{};
    std::optional<vehicle::SampledTrack> track_{};
    std::optional<ident::Misfit> misfit_{};
};

/// Misfit before and after, %, runs, s, number of parameters.
std::vector<double> identified(const Options& o, const Row& row) {
    const auto begin = std::chrono::steady_clock::now();
    const Problem problem(o, row);
    const Eigen::Index n = problem.unknowns();
    const Values start = Values::Zero(n), one = Values::Ones(n);
    const double first = problem(start);
    const opt::Bounds box{-one, one};
    const opt::Observer within = [&](const opt::Progress&) { return problem.runs < o.budget; };
    const std::string method = row.method;
    if (method == "SA")
        (void)opt::simulated_annealing(
            problem, start, {.bounds = box, .sweeps = 1, .adaptations = 1, .seed = o.seed, .observer = within});
    else if (method == "GA")
        (void)opt::genetic(problem, start, {.bounds = box, .population = 20, .seed = o.seed, .observer = within});
    else if (method == "PS")
        (void)opt::pattern_search(
            problem, start, {.bounds = box, .first_mesh = 0.25, .evaluation_limit = o.budget, .observer = within});
    else
        (void)opt::levenberg_marquardt(
            problem, start,
            {.bounds = box, .value_tolerance = 1e-4, .difference_step = 1e-3, .typical = one, .observer = within});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return {100.0 * first, 100.0 * problem.best, static_cast<double>(problem.runs), seconds,
            static_cast<double>(problem.parameters())};
}

void report(const std::vector<std::size_t>& chosen, const study::Results& results, const Options& o,
            const std::filesystem::path& folder) {
    const std::vector<std::string> columns{"row",    "Meth",  "Crit",  "PK",   "Num",   "Tol %",
                                           "init %", "end %", "red %", "runs", "time s"};
    io::CsvTable csv{{"rows of train_methods.cpp; misfits before and after, in %"},
                     {{"row", {}},
                      {"parameters", {}},
                      {"tolerance_percent", {}},
                      {"before_percent", {}},
                      {"after_percent", {}},
                      {"reduction_percent", {}},
                      {"runs", {}},
                      {"time_s", {}}}};
    nlohmann::ordered_json json{{"format", "panto-train-methods"},
                                {"version", 1},
                                {"length_m", o.length},
                                {"budget", o.budget},
                                {"failed", results.failed}};
    io::Page page{
        .title = "Methods of identification on a train",
        .subtitle = shown(o.length) + " m at 300 km/h, 1 to 10 Hz, " + std::to_string(o.budget) + " runs for each row",
        .version = std::string(version)};
    std::printf("%-30s", "");
    for (const std::string& c : columns) std::printf(" %7s", c.c_str());
    std::printf("\n");
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const Row& row = rows[chosen[k]];
        const auto sensors = static_cast<std::size_t>(row.sensors);
        const std::string title = std::string(sensors_names[sensors]) + " (Table " + tables[sensors] + ")";
        if (page.tables.empty() || page.tables.back().title != title)
            page.tables.push_back({.title = title, .columns = columns, .rows = {}});
        const study::Outcome& outcome = results.outcomes[k];
        if (!outcome.ok()) {
            std::printf("row %zu failed: %s\n", chosen[k] + 1, outcome.reason.c_str());
            page.warning = "Row " + std::to_string(chosen[k] + 1) + " failed: " + outcome.reason;
            continue;
        }
        const auto& v = outcome.values;
        const double reduction = 100.0 * (1.0 - v[1] / v[0]);
        const std::vector<std::string> cells{std::to_string(chosen[k] + 1),
                                             row.method,
                                             row.criterion,
                                             row.shift ? "yes" : "no",
                                             shown(v[4]),
                                             shown(100.0 * row.tolerance),
                                             shown(v[0], 3),
                                             shown(v[1], 3),
                                             shown(reduction, 3),
                                             shown(v[2]),
                                             shown(v[3], 3)};
        std::printf("%-30s", sensors_names[sensors]);
        for (const std::string& c : cells) std::printf(" %7s", c.c_str());
        std::printf("\n");
        page.tables.back().rows.push_back(cells);
        const std::array<double, 8> numbers{
            static_cast<double>(chosen[k] + 1), v[4], 100.0 * row.tolerance, v[0], v[1], reduction, v[2], v[3]};
        for (std::size_t c = 0; c < numbers.size(); ++c) csv.columns[c].values.push_back(numbers[c]);
        json["rows"].push_back({{"row", chosen[k] + 1},
                                {"sensors", sensors_names[sensors]},
                                {"method", row.method},
                                {"criterion", row.criterion},
                                {"shift", row.shift},
                                {"parameters", v[4]},
                                {"tolerance", row.tolerance},
                                {"before_percent", v[0]},
                                {"after_percent", v[1]},
                                {"runs", v[2]},
                                {"seconds", v[3]}});
    }
    io::write_csv(folder / "methods.csv", csv);
    io::write_text(folder / "summary.json", io::pretty(json) + "\n");
    if (!o.report) return;
    page.metadata = {{"hidden train", "nonlinear, Polach's creep law, parameters off by up to 30 %, record 1.2 m late"},
                     {"noise", shown(100.0 * o.noise) + " % of each channel"},
                     {"seed", std::to_string(o.seed)},
                     {"date", io::date_now()},
                     {"machine", io::machine_name()}};
    io::write_page(folder, page);
}

template <StudyExecutor Executor>
void conduct(const Options& o, Executor&& executor) {
    std::vector<std::size_t> chosen;
    for (const int row : o.rows) {
        require(row >= 1 && row <= static_cast<int>(rows.size()), "--rows", "has ", row, ", must be from 1 to ",
                rows.size());
        chosen.push_back(static_cast<std::size_t>(row - 1));
    }
    if (chosen.empty())
        for (std::size_t i = 0; i < rows.size(); ++i) chosen.push_back(i);
    require(o.budget >= 1, "--budget", "is ", o.budget, ", must be at least 1");
    require(o.length >= 100.0 && o.length <= 1e4, "--length", "is ", o.length, " m, must be from 100 to 10000");
    require(o.noise >= 0.0 && o.noise <= 1.0, "--noise", "is ", o.noise, ", must be from 0 to 1");
    std::optional<io::ResultFolder> results;
    if (executor.keeps_results()) {  // known before the work is done
        results.emplace(o.out, std::vector<std::string>{"summary.json", "methods.csv", "report.html"});
        if (o.report) io::require_drawing();
    }
    study::Hash inputs;
    inputs.add("train_methods").add(o.budget).add(o.length).add(o.noise).add(o.seed).add(chosen);
    const study::Description description{
        .name = "methods of identification", .count = chosen.size(), .outputs = 5, .inputs = inputs.value()};
    study::ProgressBar bar;
    const study::Results found =
        study::run(description, executor, [&](std::size_t i) { return identified(o, rows[chosen[i]]); },
                   {.journal = o.journal, .observer = std::ref(bar)});
    if (!results) return;
    report(chosen, found, o, results->fresh());
    results->swap_in();
    std::cout << "results are in " << results->path().string() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Methods of identification compared on a train, as in the thesis' Tables 4.2 to 4.5.");
    Options o;
    app.add_option("--rows", o.rows, "numbers of rows, 1 to 17; default: all");
    app.add_option("--budget", o.budget, "runs of the train for each row, after which its method ends")
        ->capture_default_str();
    app.add_option("--length", o.length, "m, of the section")->capture_default_str();
    app.add_option("--noise", o.noise, "standard deviation, over the root mean square of each channel")
        ->capture_default_str();
    add_seed(app, o.seed, "of the hidden parameters, the noise and the methods");
    add_executor(app, o.executor);
    app.add_option("--journal", o.journal, "file to which finished rows are written, and read at the next start");
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        with_executor(o.executor, [&](auto&& executor) { conduct(o, executor); });
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
