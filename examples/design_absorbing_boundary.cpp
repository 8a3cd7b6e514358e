// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Absorbing boundary for a wire of your own: beam, steps and form of the stencil in, coefficients out.
///     design_absorbing_boundary --ei 150 --tension 15000 --mass 1 --dx 0.05 --dt 9.9e-5 --reach 4 --levels 1
/// Writes stencil.json, front.csv, reflection.csv, error_over_time.csv and report.html into the output folder.

#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/page.hpp>
#include <panto/version.hpp>
#include <panto/wave/absorbing_design.hpp>
#include <panto/wave/absorbing_higdon.hpp>
#include <panto/wave/absorbing_search.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/string.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
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
        require(bands[i] >= 0.0 && bands[i] < bands[i + 1], me,
                "--weight has the band " + shown(bands[i]) + " to " + shown(bands[i + 1]) +
                    " rad per cell, allowed is one that is not empty, from 0 on");
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
    return bump;
}

/// One line on standard error, in place on a terminal.
class Line {
  public:
    bool operator()(const DesignProgress& p) {
        const bool news = stage_ != p.stage;
        if (!terminal_ && !news) return true;
        stage_ = p.stage;
        char text[160];
        std::snprintf(
            text, sizeof text, "%-10s %3d of %-3d  %5.1f s  error %s", p.stage, p.done, p.total, p.seconds,
            panto::finite(p.best) ? (shown(100.0 * p.best) + " % of a clamped end").c_str() : "not known yet");
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

/// The published ways: what they find, as designs, the one with the least error first.
template <int H>
std::vector<AbsorbingDesign> searched(const Options& o, const Stencil<double, H>& scheme, const AbsorbingForm& form,
                                      const AbsorbingDesigner<H>& designer) {
    const AbsorbingSearch<H> search(scheme, {.form = form, .weight = weight_of(o.weight)});
    std::vector<Parameters> points;
    if (o.method == "pattern_search") {
        points.push_back(
            search.by_pattern_search(search.plain_start(), {.first_mesh = 0.1, .evaluation_limit = 50000}).x);
    } else {
        const auto found = search.by_nsga2({.seed = o.seed, .start = {search.plain_start()}});
        for (const opt::Individual& i : found.front) points.push_back(i.x);
    }
    std::vector<AbsorbingDesign> designs;
    for (const Parameters& x : points) {
        AbsorbingDesign d{.stencil = AbsorbingStencil(form, x)};
        d.error = designer.experiment().error(d.stencil) / designer.clamped_error();
        d.objective = search.objective(x);
        d.stability = check_stability(scheme, d.stencil);
        d.margin = 1.0 - d.stability.both;
        d.status = Status::ok;
        designs.push_back(std::move(d));
    }
    std::sort(designs.begin(), designs.end(), [](const auto& a, const auto& b) { return a.error < b.error; });
    return designs;
}

std::string percent(double part) { return shown(100.0 * part) + " %"; }

struct Snapshot {
    double time = 0.0;
    Eigen::VectorXd bounded, reference;  // of the wire's points
};

/// The released bump between the designed end on the left and a clamped one, and on the wire that goes on.
template <int H>
std::vector<Snapshot> snapshots_of(const Stencil<double, H>& scheme, const AbsorbingStencil& end,
                                   const ReleasedBump& bump) {
    const AbsorbingStencil clamp(AbsorbingForm{H, 1, H});
    const int points = static_cast<int>(std::lround(bump.length / scheme.dx)) + 1;
    const int ahead = static_cast<int>(bump.elongation) * (points - 1);
    Eigen::VectorXd start = Eigen::VectorXd::Zero(ahead + points);
    for (int k = 0; k < points; ++k) {
        const double s = (k * scheme.dx - bump.center) / bump.width;
        if (std::abs(s) <= 0.5) start[ahead + k] = std::pow(std::cos(std::numbers::pi * s), 2);
    }
    March bounded(scheme, points, end, clamp), whole(scheme, ahead + points, clamp, clamp);
    bounded.start(start.tail(points), start.tail(points));
    whole.start(start, start);
    std::vector<Snapshot> seen;
    std::int64_t n = 0;
    for (const double part : {0.0, 1.0 / 30.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 2.0, 5.0 / 6.0}) {
        for (const auto last = std::llround(part * bump.duration / scheme.dt); n < last; ++n)
            bounded.step(), whole.step();
        seen.push_back({static_cast<double>(n) * scheme.dt, bounded.level(), whole.level().tail(points)});
    }
    return seen;
}

io::Plot snapshot_plot(const std::vector<Snapshot>& snapshots, double dx) {
    std::string script = io::detail::axes("position along the wire (m)", "displacement, each time shifted by 1/2");
    std::string plot = "plot ";
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        const Snapshot& s = snapshots[i];
        std::vector<double> x, bounded, reference;
        for (Eigen::Index k = 0; k < s.bounded.size(); ++k) {
            x.push_back(static_cast<double>(k) * dx);
            bounded.push_back(s.bounded[k] - 0.5 * static_cast<double>(i));
            reference.push_back(s.reference[k] - 0.5 * static_cast<double>(i));
        }
        const std::string at = std::to_string(i);
        script += io::detail::data_block("r" + at, io::detail::thinned(x, reference)) +
                  io::detail::data_block("b" + at, io::detail::thinned(x, bounded)) + "set label " +
                  io::detail::plot_text(shown(1e-3 * std::round(1e3 * s.time)) + " s") + " at graph 0.995, first " +
                  shown(0.12 - 0.5 * static_cast<double>(i)) + " right tc rgb '#5b6675' font ',12'\n";
        plot += "$r" + at + " w l lw 3 lc rgb '#c9d6ea' " + (i == 0 ? "t 'wire that goes on', " : "notitle, ") + "$b" +
                at + " w l lw 1.2 lc rgb '#174a9c' " + (i == 0 ? "t 'absorbing left end', " : "notitle, ");
    }
    return {"snapshots", "Snapshots", "A bump released at rest; absorbing end on the left, clamped end on the right.",
            script + plot.substr(0, plot.size() - 2) + "\n", 520};
}

/// |r| and |e| over frequency, of several ends.
struct Reflection {
    std::string name;
    std::vector<double> wave, layer;
};

template <int H>
io::CsvTable reflections(const Stencil<double, H>& scheme,
                         const std::vector<std::pair<std::string, AbsorbingStencil>>& ends,
                         std::vector<Reflection>& curves) {
    constexpr int points = 400;
    io::CsvTable table{{"amplitude 1 runs into the left end; joint reflection with the evanescent mode"},
                       {{"theta_rad", {}}, {"frequency_Hz", {}}}};
    for (const auto& [name, end] : ends) {
        Reflection curve{name, {}, {}};
        for (int i = 1; i < points; ++i) {
            const double s = static_cast<double>(i) / points, theta = std::numbers::pi * s * s;
            if (!oscillates(scheme, theta)) continue;
            const BoundaryModes<H> modes = boundary_modes(scheme, theta);
            if (curves.empty()) {
                table.columns[0].values.push_back(theta);
                table.columns[1].values.push_back(std::arg(modes.tau) / (2.0 * std::numbers::pi * scheme.dt));
            }
            const auto a = joint_reflection(end, modes);
            const auto dB = [](double amplitude) { return 20.0 * std::log10(std::max(amplitude, 1e-12)); };
            curve.wave.push_back(dB(std::abs(a.reflected())));
            if constexpr (H > 1) curve.layer.push_back(dB(std::abs(a.evanescent())));
        }
        curves.push_back(curve);
        table.columns.push_back({name + "_reflected_dB", curve.wave});
        if constexpr (H > 1) table.columns.push_back({name + "_evanescent_dB", curve.layer});
    }
    return table;
}

io::Plot reflection_plot(const io::CsvTable& table, const std::vector<Reflection>& curves) {
    const std::array<const char*, 4> colors{"#174a9c", "#c0392b", "#2b7a4b", "#8a6d1f"};
    std::string script = io::detail::axes("frequency (Hz)", "amplitude (dB)") +
                         "set logscale x\nset xrange [0.1:]\nset yrange [-120:10]\n";
    std::string plot = "plot ";
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const std::string at = std::to_string(i), color = colors[i % colors.size()];
        script += io::detail::data_block("w" + at, io::detail::thinned(table.columns[1].values, curves[i].wave));
        plot += "$w" + at + " w l lw 1.8 lc rgb '" + color + "' t " + io::detail::plot_text(curves[i].name) + ", ";
        if (curves[i].layer.empty() || i > 0) continue;
        script += io::detail::data_block("e" + at, io::detail::thinned(table.columns[1].values, curves[i].layer));
        plot += "$e" + at + " w l dt 2 lw 1.4 lc rgb '" + color + "' t " +
                io::detail::plot_text(curves[i].name + ", evanescent") + ", ";
    }
    return {"reflection", "Reflection", "What comes back of a wave of amplitude 1, evanescent mode taken into account.",
            script + plot.substr(0, plot.size() - 2) + "\n", 400};
}

io::Plot front_plot(const std::vector<AbsorbingDesign>& front) {
    io::detail::Points points;
    for (const AbsorbingDesign& d : front) points.emplace_back(std::max(d.margin, 1e-9), 100.0 * d.error);
    return {"front", "Error against stability margin",
            "Margin: 1 - rho of two absorbing ends, per step; drawn at 1e-9 where there is none.",
            io::detail::axes("stability margin", "error (% of a clamped end)") +
                "set logscale xy\nset format x '1e%T'\n" + io::detail::data_block("front", points) +
                "plot $front w lp pt 7 ps 0.7 lw 1.4 lc rgb '#174a9c' notitle\n",
            340};
}

io::Plot error_plot(const std::vector<double>& error, double dt) {
    std::vector<double> time, e;
    for (std::size_t n = 0; n < error.size(); ++n)
        time.push_back(static_cast<double>(n) * dt), e.push_back(std::max(error[n], 1e-16));
    return {"error", "Error over time", "e(t): distance to the wire that goes on, divided by the length.",
            io::detail::axes("time (s)", "e(t)") + "set logscale y\nset format y '1e%T'\n" +
                io::detail::data_block("error", io::detail::thinned(time, e)) +
                "plot $error w l lw 1.4 lc rgb '#174a9c' notitle\n",
            300};
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
            {"rho_both_ends_absorbing", d.stability.both},
            {"rho_far_end_clamped", d.stability.clamped},
            {"method", o.method},
            {"seed", o.seed},
            {"seconds", d.seconds}};
}

template <int H>
int run(const Options& o, const Stencil<double, H>& scheme) {
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
            require(
                panto::finite(best.objective), me,
                "none of " + std::to_string(best.starts) +
                    " starts led to a stable stencil; try more starts (--starts), more time (--time-limit), another "
                    "seed or another form");
            front = o.margins.empty() ? std::vector<AbsorbingDesign>{best} : designer.front(best, o.margins);
        } else {
            front = searched(o, scheme, form, designer);
            require(!front.empty(), me, "the search found no stable stencil");
            best = front.front();
            std::sort(front.begin(), front.end(), [](const auto& a, const auto& b) { return a.margin < b.margin; });
        }
        (void)designer.experiment().error(best.stencil, &over_time);
    }
    const std::string warning = low_frequency_warning(best.stencil);
    std::cout << "error: " << percent(best.error) << " of a clamped end (E = " << best.error * clamped << ")\n"
              << "rho - 1: " << best.stability.both - 1.0 << " with both ends absorbing, "
              << best.stability.clamped - 1.0 << " with the far end clamped\n"
              << "starts: " << best.starts << ", stable: " << best.stable << ", " << best.seconds << " s\n";
    if (best.status == Status::not_converged)
        std::cerr << "warning: the time limit ended the design; this is the best so far\n";
    if (!warning.empty()) std::cerr << "warning: " << warning << "\n";

    const std::filesystem::path folder = o.out;
    io::write_text(folder / "stencil.json", io::pretty(as_json(o, scheme.dt, best)) + "\n");
    io::CsvTable front_table{{"margin: 1 - rho with both ends absorbing; error: E over that of a clamped end"},
                             {{"margin", {}}, {"error", {}}, {"rho_far_end_clamped", {}}}};
    for (const AbsorbingDesign& d : front) {
        front_table.columns[0].values.push_back(d.margin);
        front_table.columns[1].values.push_back(d.error);
        front_table.columns[2].values.push_back(d.stability.clamped);
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
    if (!o.report) return 0;

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
                            {"starts, stable ones", std::to_string(best.starts) + ", " + std::to_string(best.stable)},
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
    page.plots = {reflection_plot(reflection_table, curves), front_plot(front), error_plot(over_time, scheme.dt),
                  snapshot_plot(snapshots_of(scheme, best.stencil, bump), o.dx)};
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
    std::cout << "report: " << std::filesystem::absolute(folder / "report.html").lexically_normal().string() << "\n";
    return 0;
}

void add_options(CLI::App& app, Options& o) {
    app.add_option("--mass", o.beam.mass_per_length, "kg/m")->capture_default_str();
    app.add_option("--ei", o.beam.bending_stiffness, "N m^2, bending stiffness; 0: a string")->capture_default_str();
    app.add_option("--tension", o.beam.tension, "N")->capture_default_str();
    app.add_option("--viscous-damping", o.beam.viscous_damping, "N s/m^2")->capture_default_str();
    app.add_option("--dx", o.dx, "m, grid spacing")->capture_default_str();
    app.add_option("--dt", o.dt, "s, time step; else the largest stable one, rounded down to two digits");
    app.add_option("--reach", o.reach, "N_x, points of the stencil")->capture_default_str();
    app.add_option("--levels", o.levels, "N_t, time levels of the stencil")->capture_default_str();
    app.add_option("--weight", o.weight, "bands of frequency: from to factor ..., in rad per cell (0 to pi)");
    app.add_option("--seed", o.seed, "of the starts")->capture_default_str();
    app.add_option("--starts", o.starts, "how many")->capture_default_str();
    app.add_option("--time-limit", o.time_limit, "s, for the design and again for the front")->capture_default_str();
    app.add_option("--method", o.method, "least_squares, or as published: pattern_search, nsga2")
        ->capture_default_str()
        ->check(CLI::IsMember({"least_squares", "pattern_search", "nsga2"}));
    app.add_option("--margins", o.margins, "stability margins of the front, least_squares")->capture_default_str();
    app.add_flag_callback("--no-front", [&o] { o.margins.clear(); }, "design one stencil only");
    app.add_option("--length", o.length, "m, of the wire in the experiment; else 2000 dx");
    app.add_option("--center", o.center, "m, of the bump; else a quarter of the length");
    app.add_option("--width", o.width, "m, of the bump; else 10 dx");
    app.add_option("--duration", o.duration, "s, of the experiment; else 1.84 times the way of a wave along the wire");
    app.add_option("--out", o.out, "output folder")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html, for which gnuplot is needed");
    app.set_version_flag("--version", std::string(panto::version));
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    CLI::App app("Designs an absorbing boundary for the finite-difference scheme of a beam or string.");
    add_options(app, o);
    CLI11_PARSE(app, argc, argv);
    try {
        const double largest = beam_largest_step(o.beam, o.dx);
        const double dt = o.dt.value_or(rounded_down(largest));
        require_positive(dt, me, "--dt");
        require(dt <= largest, me,
                "--dt is " + shown(dt) + " s, the largest stable step with --dx " + shown(o.dx) + " m is " +
                    shown(largest) + " s");
        for (const double margin : o.margins) require_positive(margin, me, "a margin of --margins");
        io::require_writable(o.out);
        if (o.report) io::require_gnuplot();
        return o.beam.bending_stiffness > 0.0 ? run(o, beam_stencil(o.beam, o.dx, dt))
                                              : run(o, string_stencil(o.beam, o.dx, dt));
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
