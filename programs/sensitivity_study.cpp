// SPDX-License-Identifier: BSD-3-Clause
// Which parameters of a pantograph matter for mean and scatter of its contact force: Morris' screening or Sobol'
// indices over short runs under the stitched line. In one thread, in threads, or in several processes:
//     mpirun -n 4 sensitivity_study --method sobol --rows 200 --journal study.journal
// Killed and started again with the same arguments, it goes on from its journal; the results have the same bits.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/interaction/statistics.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/sensitivity/morris.hpp>
#include <panto/sensitivity/sobol.hpp>
#include <panto/study/progress.hpp>
#include <panto/study/run.hpp>
#include <panto/version.hpp>

#include "executor_option.hpp"
#include "option_values.hpp"
#include "printed.hpp"
#include "seed_option.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace panto;

namespace {

struct Options {
    std::string method = "morris";
    int trajectories = 4;
    int rows = 16;
    std::uint64_t seed = 1;
    double speed_kmh = 250.0;
    std::string executor = "auto";
    std::string journal;
    bool retry_failed = false;
    std::string out = "sensitivity";
    bool report = true;
};

struct Parameter {
    const char* name;  // with its unit
    double lower, upper;
};
const std::vector<Parameter> parameters{{"head_mass_kg", 5.3, 7.9},
                                        {"frame_mass_kg", 9.3, 13.9},
                                        {"head_stiffness_N_per_m", 5.6e3, 8.4e3},
                                        {"head_damping_Ns_per_m", 0.0, 60.0},
                                        {"frame_damping_Ns_per_m", 40., 120.},
                                        {"static_force_N", 100.0, 140.0}};
const std::vector<const char*> outputs{"mean_N", "sigma_N"};

/// Mean and 20 Hz standard deviation of the contact force over the two spans in the middle.
class ContactForce {
  public:
    explicit ContactForce(double speed_kmh)
        : rest_(catenary::FiniteElements<>(catenary::stitched_hil(6), {.contact = 1.5, .messenger = 3.0}),
                {.speed = speed_kmh / 3.6, .start = 65.0}) {}

    std::vector<double> operator()(const Vector<double, Dynamic>& p) const {
        auto wire = rest_;  // everybody moves a wire of his own
        interaction::SimulationParams run{.pantograph = {.mass = Eigen::Vector2d(p[0], p[1]),
                                                         .damping = Eigen::Vector2d(p[3], p[4]),
                                                         .stiffness = Eigen::Vector2d(p[2], 50.0)},
                                          .uplift_force = p[5],
                                          .start = interaction::Start::loaded_equilibrium,
                                          .end = 295.0};
        const auto record = interaction::simulate(wire, run);
        const auto merit = interaction::figures_of_merit(record.contact, {.from = 130.0, .to = 260.0});
        return {merit.mean, merit.sigma};
    }

  private:
    catenary::RealTimeEngine<> rest_;
};

/// The points to be evaluated, by one of the methods.
struct Design {
    explicit Design(const Options& o) {
        const auto n = static_cast<Eigen::Index>(parameters.size());
        sensitivity::Ranges ranges{Vector<double, Dynamic>(n), Vector<double, Dynamic>(n)};
        for (Eigen::Index i = 0; i < n; ++i) {
            ranges.lower[i] = parameters[static_cast<std::size_t>(i)].lower;
            ranges.upper[i] = parameters[static_cast<std::size_t>(i)].upper;
        }
        if (o.method == "morris") {
            morris = sensitivity::morris_design(ranges.size(), {.trajectories = o.trajectories, .seed = o.seed});
        } else {
            sobol = sensitivity::sobol_design(ranges.size(), {.rows = o.rows, .seed = o.seed});
        }
        points = ranges.scale(o.method == "morris" ? morris.unit : sobol.unit);
    }

    sensitivity::MorrisDesign morris;
    sensitivity::SobolDesign sobol;
    sensitivity::Points points;
};

Vector<double, Dynamic> ends(const std::vector<sensitivity::Interval>& intervals, double sensitivity::Interval::* end) {
    Vector<double, Dynamic> all(static_cast<Eigen::Index>(intervals.size()));
    for (std::size_t i = 0; i < intervals.size(); ++i) all[static_cast<Eigen::Index>(i)] = intervals[i].*end;
    return all;
}

/// The figures of every output as a table on the screen and as columns of a file in `folder`.
void report(const Options& o, const Design& design, const study::Results& results,
            const std::filesystem::path& folder) {
    require(results.failed < results.outcomes.size(), "sensitivity_study", "all ", results.failed,
            " evaluations failed, the first ", results.outcomes[0].reason);
    io::CsvTable table;
    io::Page page{.title = "Sensitivity of the contact force",
                  .subtitle = o.method + ", stitched_hil, " + shown(o.speed_kmh) + " km/h",
                  .version = std::string(version)};
    for (std::size_t i = 0; i < parameters.size(); ++i)
        table.comments.push_back("row " + std::to_string(i) + " is " + parameters[i].name);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const std::vector<double> column = results.output(k);
        const Eigen::Map<const Eigen::VectorXd> values(column.data(), static_cast<Eigen::Index>(column.size()));
        std::vector<std::pair<std::string, Vector<double, Dynamic>>> figures;
        if (o.method == "morris") {
            const auto r = sensitivity::morris(design.morris, values);
            figures = {{"mu", r.mu}, {"mu_star", r.mu_star}, {"mu_star_error", r.mu_star_error}, {"sigma", r.sigma}};
        } else {
            const auto r = sensitivity::sobol(design.sobol, values);
            figures = {{"first", r.first},
                       {"first_low", ends(r.first_interval, &sensitivity::Interval::low)},  // 95 %
                       {"first_high", ends(r.first_interval, &sensitivity::Interval::high)},
                       {"total", r.total},
                       {"total_low", ends(r.total_interval, &sensitivity::Interval::low)},
                       {"total_high", ends(r.total_interval, &sensitivity::Interval::high)}};
        }
        const auto bars = [&](const std::string& what, const std::string& caption, const Vector<double, Dynamic>& value,
                              const Vector<double, Dynamic>& low, const Vector<double, Dynamic>& high) {
            io::BarChart chart{.title = what + " of " + outputs[k], .caption = caption};
            for (std::size_t i = 0; i < parameters.size(); ++i) {
                const auto j = static_cast<Eigen::Index>(i);
                chart.bars.push_back({parameters[i].name, value[j], {}});
                if (low[j] < high[j]) chart.bars.back().interval = std::pair(low[j], high[j]);
            }
            page.bars.push_back(chart);
        };
        const auto figure = [&](std::size_t i) -> const auto& { return figures[i].second; };
        if (o.method == "morris") {
            bars("Mean effect mu*", "Over the whole range of a parameter; the thin bar is one standard error.",
                 figure(1), figure(1) - figure(2), figure(1) + figure(2));
            bars("Scatter sigma of the effects", "Large where a parameter acts together with others, or not linearly.",
                 figure(3), figure(3), figure(3));
        } else {
            const std::string interval = "The thin bar is the 95 % interval.";
            bars("Total index", "Share of the variance in which a parameter takes part. " + interval, figure(3),
                 figure(4), figure(5));
            bars("First-order index", "Share of the variance that is a parameter's alone. " + interval, figure(0),
                 figure(1), figure(2));
        }
        std::printf("%-24s", outputs[k]);
        for (const auto& [name, f] : figures) std::printf(" %13s", name.c_str());
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            std::printf("\n  %-22s", parameters[i].name);
            for (const auto& [name, f] : figures) std::printf(" %13.3f", f[static_cast<Eigen::Index>(i)]);
        }
        std::printf("\n");
        for (const auto& [name, f] : figures)
            table.columns.push_back({name + "_of_" + outputs[k], std::vector<double>(f.begin(), f.end())});
    }
    io::write_csv(folder / "sensitivity.csv", table);
    if (o.report) {
        io::PageTable ranges{"Parameters", {"parameter", "from", "to"}, {}};
        for (const Parameter& p : parameters) ranges.rows.push_back({p.name, shown(p.lower), shown(p.upper)});
        page.tables.push_back(ranges);
        page.metadata = {{"evaluations", std::to_string(results.outcomes.size())},
                         {"failed", std::to_string(results.failed)},
                         {"seed", std::to_string(o.seed)}};
        if (results.failed > 0) page.warning = std::to_string(results.failed) + " evaluations failed.";
        io::write_page(folder, page);
    }
    for (std::size_t i = 0; i < results.outcomes.size(); ++i)
        if (!results.outcomes[i].ok())
            std::printf("evaluation %zu failed: %s\n", i, results.outcomes[i].reason.c_str());
}

template <StudyExecutor Executor>
void conduct(const Options& o, Executor&& executor) {
    require_positive(o.speed_kmh, "--speed", "the speed in km/h");
    // Known before the work is done, not after it. Others than the keeper write nothing.
    std::optional<io::ResultFolder> folder;
    if (executor.keeps_results()) folder.emplace(o.out, std::array{"sensitivity.csv", "report.html"});
    const Design design(o);
    const ContactForce force(o.speed_kmh);
    study::Hash inputs;
    inputs.add("sensitivity_study: stitched_hil(6)").add(o.speed_kmh).add(design.points);
    const study::Description description{.name = o.method + " of the contact force",
                                         .count = static_cast<std::size_t>(design.points.cols()),
                                         .outputs = outputs.size(),
                                         .inputs = inputs.value()};
    study::ProgressBar bar;
    const auto evaluate = [&](std::size_t i) { return force(design.points.col(static_cast<Eigen::Index>(i))); };
    const study::Results results =
        study::run(description, executor, evaluate,
                   {.journal = o.journal, .retry_failed = o.retry_failed, .observer = std::ref(bar)});
    if (!folder) return;
    report(o, design, results, folder->fresh());
    folder->swap_in();
    std::printf("%zu evaluations, %zu of them from the journal, %zu failed; results are in %s\n",
                results.outcomes.size(), results.resumed, results.failed, folder->path().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    CLI::App app("Sensitivity of the contact force to the parameters of a pantograph.");
    app.add_option("--method", o.method)->check(CLI::IsMember({"morris", "sobol"}))->capture_default_str();
    app.add_option("--trajectories", o.trajectories, "of morris; each takes 7 evaluations")->capture_default_str();
    app.add_option("--rows", o.rows, "of sobol; each takes 8 evaluations")->capture_default_str();
    add_seed(app, o.seed, "of the points");
    app.add_option("--speed", o.speed_kmh, "km/h")->capture_default_str();
    add_executor(app, o.executor);
    app.add_option("--journal", o.journal,
                   "file to which finished evaluations are written, and read at the next start");
    app.add_flag("--retry-failed", o.retry_failed, "repeat evaluations that failed according to the journal");
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        refuse_idle(app, {o.method == "morris" ? "--rows" : "--trajectories"}, "with --method " + o.method);
        with_executor(o.executor, [&](auto&& executor) { conduct(o, executor); });
        check_printed();
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 2;
    }
}
