// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Absorbing boundary for a wire of your own: beam, steps and form of the stencil in, coefficients out.
///     design_absorbing_boundary --ei 150 --tension 15000 --mass 1 --dx 0.05 --dt 9.9e-5 --reach 4 --levels 1
/// Writes stencil.json, front.csv, reflection.csv, error_over_time.csv and report.html into the output folder.

#include <panto/absorbing/design.hpp>
#include <panto/absorbing/higdon.hpp>
#include <panto/absorbing/search.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/version.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/string.hpp>

#include "design_absorbing_boundary_plots.hpp"
#include "option_values.hpp"
#include "printed.hpp"
#include "seed_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace panto;
using namespace panto::wave;
using namespace design_absorbing_boundary;

namespace {

constexpr const char* me = "design_absorbing_boundary";

/// What was asked for on the command line.
struct Options {
    BeamParams<> beam{.mass_per_length = 1.0, .bending_stiffness = 150.0, .tension = 15e3};
    double dx = 0.05;          // m
    std::optional<double> dt;  // s
    int reach = 4;
    int levels = 1;
    std::vector<double> weight;  // from, to, factor, ...
    std::uint64_t seed = 1;
    int starts = 40;
    double time_limit = 50.0;  // s
    std::string method = "least_squares";
    std::vector<double> margins{1e-7, 1e-6, 1e-5, 1e-4, 1e-3};
    std::optional<double> length, center, width, duration;  // m, m, m, s
    std::string out = "panto_absorbing";
    bool report = true;
};

/// The largest stable step, rounded down to two digits.
double rounded_down(double step) {
    const double unit = std::pow(10.0, std::floor(std::log10(step)) - 1.0);
    return std::floor(step / unit) * unit;
}

FrequencyWeight weight_of(const std::vector<double>& bands) {
    if (bands.empty()) return {};
    require(bands.size() % 3 == 0, me, "--weight needs three numbers for each band: from, to, factor");
    for (std::size_t i = 0; i < bands.size(); i += 3) {
        require(bands[i] >= 0.0 && bands[i] < bands[i + 1], me, "--weight has the band ", bands[i], " to ",
                bands[i + 1], " rad per cell, expected 0 <= from < to");
        require_not_negative(bands[i + 2], me, "the factor of a band of --weight");
    }
    return [bands](double theta) {
        double weight = 1.0;
        for (std::size_t i = 0; i < bands.size(); i += 3)
            if (theta >= bands[i] && theta < bands[i + 1]) weight *= bands[i + 2];
        return weight;
    };
}

/// The experiment of the publication, in cells: 2000 long, a bump of 10 at 500, and time for a wave to cross the
/// wire 1.84 times.
template <int H>
ReleasedBump bump_of(const Options& o, const Stencil<double, H>& scheme) {
    const double speed = o.beam.tension > 0.0 ? std::sqrt(o.beam.tension / o.beam.mass_per_length)
                                              : boundary_modes(scheme, 0.1 * std::numbers::pi).speed;
    ReleasedBump bump{.length = o.length.value_or(2000.0 * o.dx)};
    bump.center = o.center.value_or(0.25 * bump.length);
    bump.width = o.width.value_or(10.0 * o.dx);
    bump.duration = o.duration.value_or(1.5 * std::sqrt(15e3) / 100.0 * bump.length / speed);
    // However long it takes, the far end of the reference must not be heard.
    bump.elongation = std::max(10.0, std::ceil(fastest_wave(scheme) * bump.duration / (2.0 * bump.length)));
    return bump;
}

/// One line on standard error, in place on a terminal.
class Line {
  public:
    Line() = default;
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    bool operator()(const DesignProgress& p) {
        const bool news = stage_ != p.stage;
        if (!terminal_ && !news) return true;
        stage_ = p.stage;
        char text[160];
        std::snprintf(
            text, sizeof text, "%-10s %3d of %-3d  %5.1f s  error %s", p.stage, p.done, p.total, p.seconds,
            panto::is_finite(p.best) ? (shown(100.0 * p.best) + " % of a clamped end").c_str() : "not known yet");
        std::cerr << (terminal_ ? "\r\x1b[K" : "") << text << (terminal_ ? "" : "\n") << std::flush;
        return true;
    }
    ~Line() {
        if (terminal_) std::cerr << "\r\x1b[K";
    }

  private:
    bool terminal_ = ::isatty(STDERR_FILENO) == 1;
    std::string stage_;
};

/// The published ways: what they find, as designs, stable ones first and of these the one with the least error. They
/// look at the stability of 11 points alone, so that the whole rule may call what they find unstable.
template <int H>
std::vector<AbsorbingDesign> searched(const Options& o, const Stencil<double, H>& scheme, const AbsorbingForm& form,
                                      const AbsorbingDesigner<H>& designer, Line& line) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
    const auto go_on = [&](const char* stage, int done, int total) {
        line({stage, done, total, seconds(), std::numeric_limits<double>::infinity()});
        return seconds() < o.time_limit;
    };
    const AbsorbingSearch<H> search(scheme, {.form = form, .weight = weight_of(o.weight)});
    std::vector<Parameters> points;
    bool in_time = true;
    constexpr int most = 50000;  // evaluations of the pattern search
    if (o.method == "pattern_search") {
        const auto polled = [&](const opt::Progress& p) { return go_on("evaluations", p.evaluations, most); };
        const opt::Minimum found = search.by_pattern_search(
            search.plain_start(), {.first_mesh = 0.1, .evaluation_limit = most, .observer = polled});
        in_time = found.status != Status::stopped_by_user;
        points.push_back(found.x);
    } else {
        const auto bred = [&](const opt::Generation& g) { return go_on("generation", g.number, g.limit); };
        const auto found = search.by_nsga2({.seed = o.seed, .start = {search.plain_start()}, .observer = bred});
        in_time = found.status != Status::stopped_by_user;
        for (const opt::Individual& i : found.front)
            if (std::find(points.begin(), points.end(), i.x) == points.end()) points.push_back(i.x);
    }
    std::vector<AbsorbingDesign> designs;
    for (const Parameters& x : points) {
        AbsorbingDesign d{.stencil = AbsorbingStencil(form, x)};
        d.error = designer.experiment().error(d.stencil) / designer.clamped_error();
        d.objective = search.objective(x);
        d.stability = check_stability(scheme, d.stencil);
        d.margin = 1.0 - d.stability.both;
        d.status = in_time ? Status::ok : Status::not_converged;
        designs.push_back(std::move(d));
    }
    const auto stable = std::count_if(designs.begin(), designs.end(), [](const auto& d) { return d.stability.stable; });
    for (AbsorbingDesign& d : designs) {
        d.starts = static_cast<int>(designs.size());
        d.stable = static_cast<int>(stable);
        d.seconds = seconds();
    }
    std::sort(designs.begin(), designs.end(), [](const auto& a, const auto& b) {
        return a.stability.stable != b.stability.stable ? a.stability.stable : a.error < b.error;
    });
    return designs;
}

nlohmann::ordered_json as_json(const Options& o, double dt, const AbsorbingDesign& d) {
    nlohmann::ordered_json S = nlohmann::ordered_json::array();
    for (int k = 0; k < d.stencil.points(); ++k) {
        nlohmann::ordered_json levels = nlohmann::ordered_json::array();
        for (int i = 0; i < d.stencil.past_levels(); ++i) {
            std::vector<double> row;
            for (int j = 0; j < d.stencil.reach(); ++j) row.push_back(d.stencil.weight(k, i, j));
            levels.push_back(row);
        }
        S.push_back(levels);
    }
    return {{"format", "panto absorbing stencil"},
            {"version", 1},
            {"mass_per_length_kg_per_m", o.beam.mass_per_length},
            {"viscous_damping_Ns_per_m2", o.beam.viscous_damping},
            {"bending_stiffness_Nm2", o.beam.bending_stiffness},
            {"tension_N", o.beam.tension},
            {"dx_m", o.dx},
            {"dt_s", dt},
            {"boundary_points", d.stencil.points()},
            {"levels", d.stencil.past_levels()},
            {"reach", d.stencil.reach()},
            {"weights_S[k][i][j]", S},
            {"error_of_clamped", d.error},
            {"stable", d.stability.stable},
            {"rho_both_ends_absorbing", d.stability.both},
            {"rho_far_end_clamped", d.stability.clamped},
            {"method", o.method},
            {"seed", o.seed},
            {"seconds", d.seconds}};
}

template <int H>
void run(const Options& o, const Stencil<double, H>& scheme, const std::filesystem::path& folder) {
    const AbsorbingForm form{H, o.levels, o.reach};
    const ReleasedBump bump = bump_of(o, scheme);
    std::vector<AbsorbingDesign> front;
    AbsorbingDesign best;
    double clamped = 0.0;
    std::vector<double> over_time;
    {
        Line line;
        AbsorbingDesigner<H> designer(scheme, {.form = form,
                                               .bump = bump,
                                               .weight = weight_of(o.weight),
                                               .seed = o.seed,
                                               .starts = o.starts,
                                               .time_limit = o.time_limit,
                                               .observer = [&line](const DesignProgress& p) { return line(p); }});
        clamped = designer.clamped_error();
        if (o.method == "least_squares") {
            best = designer.design();
            require(panto::is_finite(best.objective), me, "none of ", best.starts,
                    " starts led to a stable stencil; try more starts (--starts), more time (--time-limit), another "
                    "seed or another form");
            front = o.margins.empty() ? std::vector<AbsorbingDesign>{best} : designer.front(best, o.margins);
        } else {
            front = searched(o, scheme, form, designer, line);
            require(!front.empty(), me, "the search found no stable stencil");
            best = front.front();
            std::sort(front.begin(), front.end(), [](const auto& a, const auto& b) { return a.margin < b.margin; });
        }
        (void)designer.experiment().error(best.stencil, &over_time);
    }
    const std::string warning = stencil_warning(best.stencil, best.stability);
    const std::string tried = o.method == "least_squares" ? "starts" : "stencils found";
    std::cout << "error: " << percent(best.error) << " of a clamped end (E = " << best.error * clamped << ")\n"
              << "rho - 1: " << best.stability.both - 1.0 << " with both ends absorbing, "
              << best.stability.clamped - 1.0 << " with the far end clamped\n"
              << tried << ": " << best.starts << ", stable: " << best.stable << ", " << best.seconds << " s\n";
    if (best.status == Status::not_converged)
        std::cerr << "warning: "
                  << (best.seconds < o.time_limit
                          ? "no fit led to a stable stencil; this one was improved from a poor one. Try more starts "
                            "(--starts), another seed or another form"
                          : "the time limit ended the design; this is the best so far")
                  << "\n";
    if (!warning.empty()) std::cerr << "warning: " << warning << "\n";

    io::write_text(folder / "stencil.json", io::pretty(as_json(o, scheme.dt, best)) + "\n");
    io::CsvTable front_table{{"margin: 1 - rho with both ends absorbing; error: E over that of a clamped end"},
                             {{"margin", {}}, {"error", {}}, {"rho_far_end_clamped", {}}, {"stable", {}}}};
    for (const AbsorbingDesign& d : front) {
        front_table.columns[0].values.push_back(d.margin);
        front_table.columns[1].values.push_back(d.error);
        front_table.columns[2].values.push_back(d.stability.clamped);
        front_table.columns[3].values.push_back(d.stability.stable ? 1.0 : 0.0);
    }
    for (int p = 0; p < form.size(); ++p) {  // every point of the front with its stencil
        const int j = p % form.reach, i = p / form.reach % form.levels, k = p / (form.reach * form.levels);
        io::CsvColumn column{"S_" + std::to_string(k) + "_" + std::to_string(i) + "_" + std::to_string(j), {}};
        for (const AbsorbingDesign& d : front) column.values.push_back(d.stencil.weights()[p]);
        front_table.columns.push_back(column);
    }
    io::write_csv(folder / "front.csv", front_table);
    io::CsvTable error_table{{"e(t) at the end of each step"}, {{"time_s", {}}, {"error", over_time}}};
    for (std::size_t n = 0; n < over_time.size(); ++n)
        error_table.columns[0].values.push_back(static_cast<double>(n) * scheme.dt);
    io::write_csv(folder / "error_over_time.csv", error_table);
    std::vector<std::pair<std::string, AbsorbingStencil>> ends{{"designed", best.stencil}};
    if (o.beam.tension > 0.0) {
        const double c = std::sqrt(o.beam.tension / o.beam.mass_per_length);
        ends.emplace_back("Mur", mur_end(H, 1, c, o.dx, scheme.dt));
        ends.emplace_back("Higdon_2", mur_end(H, 2, c, o.dx, scheme.dt));
    }
    std::vector<Reflection> curves;
    const io::CsvTable reflection_table = reflections(scheme, ends, curves);
    io::write_csv(folder / "reflection.csv", reflection_table);
    if (!o.report) return;

    io::Page page{.title = "Absorbing boundary, " + std::to_string(o.reach) + " points, " + std::to_string(o.levels) +
                           (o.levels == 1 ? " level" : " levels"),
                  .subtitle = "error " + percent(best.error) + " of a clamped end",
                  .warning = warning,
                  .version = std::string(panto::version)};
    page.tables.push_back({"Result",
                           {},
                           {{"error E over that of a clamped end", percent(best.error)},
                            {"rho - 1, both ends absorbing", shown(best.stability.both - 1.0)},
                            {"rho - 1, far end clamped", shown(best.stability.clamped - 1.0)},
                            {tried + ", stable ones", std::to_string(best.starts) + ", " + std::to_string(best.stable)},
                            {"time of the design", shown(best.seconds) + " s"}}});
    io::PageTable weights{"Weights S[k][i][j]", {"boundary point, level"}, {}};
    for (int j = 0; j < o.reach; ++j) weights.columns.push_back("u_" + std::to_string(j));
    for (int k = 0; k < H; ++k)
        for (int i = 0; i < o.levels; ++i) {
            std::vector<std::string> row{"u_" + std::to_string(k) + ", n" + (i ? "-" + std::to_string(i) : "")};
            for (int j = 0; j < o.reach; ++j) row.push_back(shown(best.stencil.weight(k, i, j)));
            weights.rows.push_back(row);
        }
    page.tables.push_back(weights);
    page.charts = {reflection_chart(reflection_table, curves), error_chart(over_time, scheme.dt),
                   snapshot_chart(snapshots_of(scheme, best.stencil, bump), o.dx)};
    if (std::any_of(front.begin(), front.end(), [](const auto& d) { return d.stability.stable; }))
        page.charts.insert(page.charts.begin() + 1, front_chart(front));
    page.metadata = {{"beam", "EI = " + shown(o.beam.bending_stiffness) + " N m2, T = " + shown(o.beam.tension) +
                                  " N, mass " + shown(o.beam.mass_per_length) + " kg/m, viscous damping " +
                                  shown(o.beam.viscous_damping) + " N s/m2"},
                     {"steps", "dx = " + shown(o.dx) + " m, dt = " + shown(scheme.dt) + " s"},
                     {"experiment", "wire of " + shown(bump.length) + " m, bump of " + shown(bump.width) + " m at " +
                                        shown(bump.center) + " m, " + shown(bump.duration) + " s"},
                     {"method", o.method},
                     {"seed", std::to_string(o.seed)},
                     {"time limit", shown(o.time_limit) + " s"}};
    io::write_page(folder, page);
}

void add_options(CLI::App& app, Options& o) {
    app.add_option("--mass", o.beam.mass_per_length, "kg/m")->capture_default_str();
    app.add_option("--ei", o.beam.bending_stiffness, "N m^2, bending stiffness; 0: a string")->capture_default_str();
    app.add_option("--tension", o.beam.tension, "N")->capture_default_str();
    app.add_option("--viscous-damping", o.beam.viscous_damping, "N s/m^2")->capture_default_str();
    app.add_option("--dx", o.dx, "m, grid spacing")->capture_default_str();
    app.add_option("--dt", o.dt, "s, time step; default: the largest stable one, rounded down to two digits");
    app.add_option("--reach", o.reach, "N_x, points of the stencil")->capture_default_str();
    app.add_option("--levels", o.levels, "N_t, time levels of the stencil")->capture_default_str();
    app.add_option("--weight", o.weight, "bands of frequency: from to factor ..., in rad per cell (0 to pi)");
    add_seed(app, o.seed, "of the starts");
    app.add_option("--starts", o.starts, "number of starts")->capture_default_str();
    app.add_option("--time-limit", o.time_limit, "s, for the design and again for the front, or for the search")
        ->capture_default_str();
    app.add_option("--method", o.method, "least_squares, or as published: pattern_search, nsga2")
        ->capture_default_str()
        ->check(CLI::IsMember({"least_squares", "pattern_search", "nsga2"}));
    app.add_option("--margins", o.margins, "stability margins of the front, with least_squares")->capture_default_str();
    app.add_flag_callback("--no-front", [&o] { o.margins.clear(); }, "design one stencil only");
    app.add_option("--length", o.length, "m, of the wire in the experiment; default: 2000 dx");
    app.add_option("--center", o.center, "m, of the bump; default: a quarter of the length");
    app.add_option("--width", o.width, "m, of the bump; default: 10 dx");
    app.add_option("--duration", o.duration,
                   "s, of the experiment; default: 1.84 times the time of a wave along the wire");
    app.add_option("--out", o.out, "output folder")->capture_default_str();
    app.add_flag("!--no-report", o.report, "no report.html (which needs dygraphs or gnuplot)");
    app.set_version_flag("--version", std::string(panto::version));
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    CLI::App app("Designs an absorbing boundary for the finite-difference scheme of a beam or string.");
    add_options(app, o);
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        if (o.method != "least_squares")
            refuse_idle(app, {"--starts", "--margins", "--no-front"}, "with --method " + o.method);
        const double largest = beam_largest_step(o.beam, o.dx);
        const double dt = o.dt.value_or(rounded_down(largest));
        require_positive(dt, me, "--dt");
        require(dt <= largest, me, "--dt is ", dt, " s, the largest stable step with --dx ", o.dx, " m is ", largest,
                " s");
        for (const double margin : o.margins)
            require(margin > 0.0 && margin < 1.0, me, "a margin of --margins is ", margin,
                    ", must be above 0 and below 1");
        constexpr std::array names{"stencil.json", "front.csv", "error_over_time.csv", "reflection.csv", "report.html"};
        io::ResultFolder results(o.out, names);
        if (o.report) io::require_drawing();
        if (o.beam.bending_stiffness > 0.0)
            run(o, beam_stencil(o.beam, o.dx, dt), results.fresh());
        else
            run(o, string_stencil(o.beam, o.dx, dt), results.fresh());
        results.swap_in();
        const std::filesystem::path report = results.path() / "report.html";
        if (o.report) std::cout << "report: " << report.string() << "\n";
        check_printed();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
