// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The plots of a run's report as gnuplot scripts with their data inside.

#pragma once

#include <panto/io/run_record.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::io {

/// One picture of a report.
struct Plot {
    std::string name;     ///< letters only: file name and prefix of ids
    std::string title;    ///< heading
    std::string caption;  ///< what is to be seen
    std::string script;
    int height = 340;  ///< of a width of 1000
};

namespace detail {

/// Writes numbers the same under every locale.
[[nodiscard]] inline std::ostringstream plain_stream() {
    std::ostringstream stream;
    stream.imbue(std::locale::classic());
    return stream;
}

using Points = std::vector<std::pair<double, double>>;

/// x and y as points, with no more of them than can be seen: of every bucket of neighbors the lowest and the highest
/// stay. Samples that are not finite are left out; a series the run does not have gives no points.
[[nodiscard]] inline Points thinned(const std::vector<double>& x, const std::vector<double>& y, double scale = 1.0,
                                    std::size_t buckets = 1200) {
    if (x.size() != y.size()) return {};
    const std::size_t per_bucket = std::max<std::size_t>(1, x.size() / buckets);
    Points points;
    for (std::size_t begin = 0; begin < x.size(); begin += per_bucket) {
        const std::size_t end = std::min(begin + per_bucket, x.size());
        std::size_t low = end;
        std::size_t high = end;
        for (std::size_t i = begin; i < end; ++i) {
            if (!is_finite(x[i]) || !is_finite(y[i])) continue;
            if (low == end || y[i] < y[low]) low = i;
            if (high == end || y[i] > y[high]) high = i;
        }
        if (low == end) continue;
        points.emplace_back(x[std::min(low, high)], scale * y[std::min(low, high)]);
        if (low != high) points.emplace_back(x[std::max(low, high)], scale * y[std::max(low, high)]);
    }
    return points;
}

[[nodiscard]] inline std::string data_block(const std::string& name, const Points& points) {
    std::ostringstream out = plain_stream();
    out.precision(7);
    out << "$" << name << " << EOD\n";
    for (const auto& [x, y] : points) out << x << ' ' << y << '\n';
    out << "EOD\n";
    return out.str();
}

/// Text between single quotes, as gnuplot reads it.
[[nodiscard]] inline std::string plot_text(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') out += '\'';
        out += (c == '\n' || c == '\r') ? ' ' : c;
    }
    return out + "'";
}

/// Look shared by all plots: quiet axes, a light grid, the key above the picture.
[[nodiscard]] inline std::string axes(const std::string& x_label, const std::string& y_label) {
    return "set border 3 lc rgb '#8a94a3'\nset tics nomirror tc rgb '#3d4653'\nset grid lt 1 lw 1 lc rgb '#e7eaef'\n"
           "set key outside above left horizontal nobox Left reverse samplen 2.5\nset bmargin 3.6\n"
           "set xlabel " +
           plot_text(x_label) + " tc rgb '#1f2630'\nset ylabel " + plot_text(y_label) + " tc rgb '#1f2630'\n";
}

/// Track axis from the first to the last sample, evaluated part shaded, supports as dashed lines.
[[nodiscard]] inline std::string track(const RunRecord& run) {
    std::ostringstream out = plain_stream();
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (const double x : run.position) {
        if (!is_finite(x)) continue;
        first = std::min(first, x);
        last = std::max(last, x);
    }
    if (!(first < last)) {
        for (const SupportUplift& s : run.supports)
            first = std::min(first, s.position), last = std::max(last, s.position);
    }
    if (first < last) out << "set xrange [" << first << ":" << last << "]\n";
    if (run.window)
        out << "set object 1 rect from " << run.window->first << ", graph 0 to " << run.window->second
            << ", graph 1 behind fc rgb '#f2f6fc' fs solid noborder\n";
    for (const SupportUplift& s : run.supports)
        if (s.position >= first && s.position <= last)
            out << "set arrow from " << s.position << ", graph 0 to " << s.position
                << ", graph 1 nohead back dt 2 lw 1 lc rgb '#a8b1be'\n";
    return out.str();
}

inline constexpr std::string_view supports_key = "NaN w l dt 2 lw 1 lc rgb '#a8b1be' t 'supports'";

}  // namespace detail

[[nodiscard]] inline Plot force_plot(const RunRecord& run) {
    using namespace detail;
    const Points raw = thinned(run.position, run.force_raw);
    const Points filtered = thinned(run.position, run.force_filtered);
    double top = 0.0;
    double bottom = 0.0;
    for (const Points* points : {&raw, &filtered})
        for (const auto& point : *points) top = std::max(top, point.second), bottom = std::min(bottom, point.second);
    std::ostringstream script = plain_stream();
    script << axes("position along the track (m)", "contact force (N)") << track(run);
    for (const ForceLimit& limit : run.force_limits) {
        if (!is_finite(limit.value)) continue;
        top = std::max(top, limit.value);
        bottom = std::min(bottom, limit.value);
        script << "set arrow from graph 0, first " << limit.value << " to graph 1, first " << limit.value
               << " nohead front lw 1.4 lc rgb '#c0392b'\nset label "
               << plot_text(limit.name + " " + shown(limit.value) + " N") << " at graph 0.995, first " << limit.value
               << " right offset 0,0.5 front tc rgb '#c0392b' font ',12'\n";
    }
    script << "set yrange [" << bottom << ":" << 1.08 * top + 1.0 << "]\n"
           << data_block("raw", raw) << data_block("filtered", filtered);
    script << "plot ";
    if (!raw.empty()) script << "$raw w l lw 1 lc rgb '#93acd3' t 'raw', ";
    if (!filtered.empty()) script << "$filtered w l lw 1.8 lc rgb '#174a9c' t 'filtered', ";
    if (!run.force_limits.empty()) script << "NaN w l lw 1.4 lc rgb '#c0392b' t 'limits', ";
    script << supports_key << "\n";
    return {"force", "Contact force along the track",
            run.filter.empty() ? "Raw and filtered." : "Raw, and filtered: " + run.filter + ".", script.str(), 380};
}

[[nodiscard]] inline Plot height_plot(const RunRecord& run) {
    using namespace detail;
    return {"height", "Height of the contact point", "Contact wire above the strip, upward from its nominal height.",
            axes("position along the track (m)", "height (mm)") + track(run) +
                data_block("height", thinned(run.position, run.wire_height, 1e3)) +
                "plot $height w l lw 1.6 lc rgb '#2b7a4b' t 'contact wire above the strip', " +
                std::string(supports_key) + "\n"};
}

[[nodiscard]] inline Plot position_plot(const RunRecord& run) {
    using namespace detail;
    std::vector<double> difference;
    for (std::size_t i = 0; i < run.achieved_position.size(); ++i)
        difference.push_back(run.achieved_position[i] - run.reference_position[i]);
    return {"drive", "Reference and achieved position of the drive",
            "Above the motion the drive had to follow and the one it made, below the difference.",
            "set multiplot layout 2,1\n" + axes("", "position (mm)") + track(run) +
                data_block("reference", thinned(run.position, run.reference_position, 1e3)) +
                data_block("achieved", thinned(run.position, run.achieved_position, 1e3)) +
                data_block("difference", thinned(run.position, difference, 1e3)) +
                "plot $reference w l lw 2.2 lc rgb '#e0a030' t 'reference', $achieved w l lw 1.2 lc rgb '#174a9c' t "
                "'achieved', " +
                std::string(supports_key) + "\n" + axes("position along the track (m)", "difference (mm)") +
                "plot $difference w l lw 1.2 lc rgb '#c0392b' t 'achieved - reference'\nunset multiplot\n",
            500};
}

[[nodiscard]] inline Plot spectrum_plot(const RunRecord& run) {
    using namespace detail;
    Points points;  // on a logarithmic axis: the highest amplitude of every hundredth of a decade
    double top = 0.0;
    for (std::size_t i = 0; i < run.spectrum_frequency.size(); ++i) {
        const double f = run.spectrum_frequency[i];
        const double a = run.spectrum_amplitude[i];
        if (!(f > 0.0) || !(a > 0.0) || !is_finite(f) || !is_finite(a)) continue;
        const auto bucket = [](double frequency) { return std::floor(150.0 * std::log10(frequency)); };
        if (!points.empty() && bucket(points.back().first) == bucket(f)) {
            if (a > points.back().second) points.back() = {f, a};
        } else {
            points.emplace_back(f, a);
        }
        top = std::max(top, a);
    }
    std::ostringstream script = plain_stream();
    script << axes("frequency (Hz)", "amplitude (N)") << "set logscale xy\nset format x '%g'\nset format y '%g'\n";
    if (!points.empty()) {
        script << "set xrange [" << points.front().first << ":" << points.back().first << "]\nset yrange ["
               << 1e-5 * top << ":" << 2.0 * top << "]\n";
        for (const double f : {2.0, 5.0, 20.0})
            if (f > points.front().first && f < points.back().first)
                script << "set arrow from " << f << ", graph 0 to " << f
                       << ", graph 1 nohead back dt 2 lw 1 lc rgb '#a8b1be'\nset label '" << f << " Hz' at " << f
                       << ", graph 0.97 left offset 0.5,0 tc rgb '#5b6675' font ',12'\n";
    }
    script << data_block("spectrum", points) << "plot $spectrum w l lw 1.4 lc rgb '#174a9c' t 'raw contact force'\n";
    return {"spectrum", "Spectrum of the contact force",
            "One-sided amplitudes; dashed: the bands of the figures of merit.", script.str()};
}

[[nodiscard]] inline Plot uplift_plot(const RunRecord& run) {
    using namespace detail;
    Points points;
    double nearest = 60.0;
    for (const SupportUplift& s : run.supports) {
        if (!s.uplift_max || !is_finite(*s.uplift_max)) continue;
        if (!points.empty()) nearest = std::min(nearest, std::abs(s.position - points.back().first));
        points.emplace_back(s.position, 1e3 * *s.uplift_max);
    }
    std::ostringstream script = plain_stream();
    script << axes("position along the track (m)", "largest uplift (mm)") << track(run)
           << "unset arrow\nset yrange [0:*]\n"
           << "set style fill solid 0.85 noborder\nset boxwidth " << std::max(0.25 * nearest, 0.1) << "\n"
           << data_block("uplift", points) << "plot $uplift w boxes lc rgb '#2b7a4b' notitle, "
           << "$uplift using 1:2:(sprintf('%.0f', $2)) w labels offset 0,0.6 font ',11' tc rgb '#3d4653' notitle\n";
    return {"uplift", "Uplift at the supports", "Largest uplift of the contact wire from its static height.",
            script.str(), 300};
}

[[nodiscard]] inline Plot dropper_plot(const RunRecord& run) {
    using namespace detail;
    std::ostringstream all = plain_stream();
    std::ostringstream slack = plain_stream();
    int slack_droppers = 0;
    all.precision(7);
    slack.precision(7);
    for (const DropperForce& d : run.droppers) {
        if (!is_finite(d.position) || !is_finite(d.static_force) || !is_finite(d.minimum)) continue;
        all << d.position << ' ' << d.static_force << ' ' << d.minimum << '\n';
        if (d.slack_count > 0) slack << d.position << ' ' << d.minimum << '\n', ++slack_droppers;
    }
    std::string script = axes("position along the track (m)", "dropper force (N)") + track(run) +
                         "set offsets graph 0, 0, 0.06, 0.03\n" + "$all << EOD\n" + all.str() + "EOD\n$slack << EOD\n" +
                         slack.str() +
                         "EOD\nplot $all using 1:2:(0):($3-$2) w vectors nohead lw 1.2 lc rgb '#b9c6da' notitle, "
                         "$all using 1:2 w p pt 6 ps 0.7 lw 1.4 lc rgb '#3d4653' t 'static', "
                         "$all using 1:3 w p pt 7 ps 0.6 lc rgb '#174a9c' t 'least during the run', ";
    if (slack_droppers > 0) script += "$slack w p pt 9 ps 0.9 lc rgb '#c0392b' t 'went slack', ";
    return {"droppers", "Dropper forces",
            std::to_string(slack_droppers) + " of " + std::to_string(run.droppers.size()) + " droppers went slack.",
            script + std::string(supports_key) + "\n"};
}

[[nodiscard]] inline Plot step_time_plot(const RunRecord& run) {
    using namespace detail;
    const StepTimes& times = run.step_times;
    std::ostringstream script = plain_stream();
    script << axes("time of one step (µs)", "steps")
           << "set logscale xy\nset format x '%g'\nset format y '%g'\nset yrange [0.7:*]\n"
              "set style fill solid 0.85 border rgb '#ffffff'\n";
    double level = 0.97;
    const auto mark = [&](const std::optional<double>& value, const std::string& name, const std::string& color) {
        if (!value || !(*value > 0.0) || !is_finite(*value)) return;
        script << "set arrow from " << 1e6 * *value << ", graph 0 to " << 1e6 * *value
               << ", graph 1 nohead front lw 1.4 lc rgb '" << color << "'\nset label '" << name << "' at "
               << 1e6 * *value << ", graph " << level << " left offset 0.5,0 front tc rgb '" << color
               << "' font ',12'\n";
        level -= 0.08;
    };
    mark(times.median, "median", "#2b7a4b");
    mark(times.p999, "99.9 %", "#b06a00");
    mark(times.longest, "longest", "#c0392b");
    mark(times.period, "period", "#1f2630");
    double low = std::numeric_limits<double>::infinity();
    double high = 0.0;
    script << "$times << EOD\n";
    for (const StepTimes::Bin& bin : times.bins) {
        if (bin.count <= 0 || !(bin.low > 0.0)) continue;
        script << 0.5e6 * (bin.low + bin.high) << ' ' << bin.count << ' ' << 1e6 * (bin.high - bin.low) << '\n';
        low = std::min(low, bin.low);
        high = std::max(high, bin.high);
    }
    script << "EOD\n";
    high = std::max({high, times.longest.value_or(0.0), times.period.value_or(0.0)});
    if (low < high) script << "set xrange [" << 0.8e6 * low << ":" << 1.6e6 * high << "]\n";
    script << "plot $times using 1:2:3 w boxes lc rgb '#6f8fc0' notitle\n";
    return {"steptimes", "Time of one step", "Number of steps by the time they took; both axes logarithmic.",
            script.str(), 300};
}

/// Every plot the run has data for, in the order of a report.
[[nodiscard]] inline std::vector<Plot> plots_of(const RunRecord& run) {
    std::vector<Plot> plots;
    const auto spread = [&](const std::vector<double>& y) { return detail::thinned(run.position, y).size() > 1; };
    if ((!run.force_raw.empty() && spread(run.force_raw)) ||
        (!run.force_filtered.empty() && spread(run.force_filtered)))
        plots.push_back(force_plot(run));
    if (!run.reference_position.empty() && !run.achieved_position.empty() && spread(run.reference_position) &&
        spread(run.achieved_position))
        plots.push_back(position_plot(run));
    if (run.spectrum_frequency.size() > 2) plots.push_back(spectrum_plot(run));
    const auto recorded = [](const SupportUplift& s) { return s.uplift_max && is_finite(*s.uplift_max); };
    if (std::any_of(run.supports.begin(), run.supports.end(), recorded)) plots.push_back(uplift_plot(run));
    if (!run.droppers.empty()) plots.push_back(dropper_plot(run));
    if (!run.wire_height.empty() && spread(run.wire_height)) plots.push_back(height_plot(run));
    const auto counted = [](const StepTimes::Bin& bin) { return bin.count > 0 && bin.low > 0.0; };
    if (std::any_of(run.step_times.bins.begin(), run.step_times.bins.end(), counted))
        plots.push_back(step_time_plot(run));
    return plots;
}

}  // namespace panto::io
