// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The charts in the report of a run, with a bounded number of points for any length of the run.

#pragma once

#include <panto/core/check.hpp>
#include <panto/io/chart.hpp>
#include <panto/session/run_record.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace panto::io {

namespace detail {

/// The range of positions of the samples, m; without samples, that of the supports, or empty.
[[nodiscard]] inline std::optional<std::pair<double, double>> way_of(const RunRecord& run) {
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (const double x : run.position)
        if (is_finite(x)) first = std::min(first, x), last = std::max(last, x);
    if (!(first < last))
        for (const SupportUplift& s : run.supports)
            if (is_finite(s.position)) first = std::min(first, s.position), last = std::max(last, s.position);
    return first < last ? std::optional(std::pair(first, last)) : std::nullopt;
}

/// An empty chart along the track: evaluated part shaded, supports as dashed lines unless there are more than 100.
[[nodiscard]] inline Chart along_track(const RunRecord& run) {
    Chart chart;
    chart.x_label = "position along the track (m)";
    chart.along_track = true;
    chart.x_range = way_of(run);
    if (run.window && is_finite(run.window->first) && is_finite(run.window->second)) chart.shaded = {*run.window};
    if (!chart.x_range) return chart;
    for (const SupportUplift& s : run.supports)
        if (s.position >= chart.x_range->first && s.position <= chart.x_range->second)
            chart.marks.push_back({s.position, "", Tone::quiet});
    if (chart.marks.size() > 100) chart.marks.clear();
    if (!chart.marks.empty()) chart.marks_name = "supports";
    return chart;
}

[[nodiscard]] inline bool inside(const Chart& chart, double x) {
    return is_finite(x) && (!chart.x_range || (x >= chart.x_range->first && x <= chart.x_range->second));
}

/// Positions, m, at which the raw force falls to 0 or below, one for each loss of contact.
[[nodiscard]] inline std::vector<double> losses_of(const RunRecord& run) {
    std::vector<double> places;
    bool lost = false;
    for (std::size_t i = 0; i < run.force_raw.size() && i < run.position.size(); ++i) {
        const bool now = run.force_raw[i] <= 0.0;
        if (now && !lost && is_finite(run.position[i])) places.push_back(run.position[i]);
        lost = now;
    }
    return places;
}

}  // namespace detail

[[nodiscard]] inline Chart force_chart(const RunRecord& run) {
    using namespace detail;
    Chart chart = along_track(run);
    chart.name = "force";
    chart.title = "Contact force along the track";
    chart.caption = run.filter.empty() ? "Raw and filtered." : "Raw, and filtered: " + run.filter + ".";
    chart.y_label = "contact force (N)";
    chart.height = 380;
    const std::vector<Points> forces = thinned_together(run.position, {&run.force_raw, &run.force_filtered});
    chart.curves = {{"raw", Tone::raw, Look::thin, forces[0]}, {"filtered", Tone::main, Look::line, forces[1]}};
    double top = 0.0, bottom = 0.0;
    if (run.other) {
        chart.curves.push_back({"filtered, " + std::string("other run"), Tone::warn, Look::line,
                                thinned(run.other->position, run.other->force_filtered, 1.0, 600)});
        chart.caption += " Other run: " + run.other->name + ".";
    }
    for (const Curve& curve : chart.curves)
        for (const auto& [x, y] : curve.points) top = std::max(top, y), bottom = std::min(bottom, y);
    const auto level = [&](const std::string& name, double value, Tone tone) {
        if (!is_finite(value)) return;
        top = std::max(top, value);
        bottom = std::min(bottom, value);
        chart.levels.push_back({value, name + " " + shown(value, 4) + " N", tone});
    };
    for (const ForceLimit& limit : run.force_limits) level(limit.name, limit.value, Tone::limit);
    if (run.figures.mean && run.figures.sigma_0_20) {
        const double mean = *run.figures.mean, three = 3.0 * *run.figures.sigma_0_20;
        level("Fm + 3 sigma", mean + three, Tone::good);
        level("Fm", mean, Tone::good);
        level("Fm - 3 sigma", mean - three, Tone::good);
    }
    const std::vector<double> losses = losses_of(run);
    if (!losses.empty())
        chart.caption += " " + std::to_string(losses.size()) +
                         (losses.size() == 1 ? " loss of contact" : " losses of contact") +
                         (losses.size() <= 100 ? ", marked by a dot." : ", of which 100 are marked.");
    Points marked;
    for (std::size_t i = 0; i < std::min<std::size_t>(losses.size(), 100); ++i)
        marked.emplace_back(losses[i * losses.size() / std::min<std::size_t>(losses.size(), 100)], 0.0);
    if (!marked.empty()) chart.curves.push_back({"loss of contact", Tone::limit, Look::points, marked});
    chart.y_range = {bottom < 0.0 ? 1.08 * bottom : bottom, 1.08 * top + 1.0};
    return chart;
}

[[nodiscard]] inline Chart height_chart(const RunRecord& run) {
    Chart chart = detail::along_track(run);
    chart.name = "height";
    chart.title = "Height of the contact point";
    chart.caption = "Contact wire above the strip, upward from its nominal height.";
    chart.y_label = "height (mm)";
    chart.curves = {{"contact wire above the strip", Tone::good, Look::line,
                     thinned_together(run.position, {&run.wire_height}, 1e3)[0]}};
    return chart;
}

[[nodiscard]] inline Chart position_chart(const RunRecord& run) {
    Chart chart = detail::along_track(run);
    chart.name = "drive";
    chart.title = "Reference and achieved position of the drive";
    chart.caption = "The motion the drive had to follow and the one it made.";
    chart.y_label = "position (mm)";
    const std::vector<Points> both =
        thinned_together(run.position, {&run.reference_position, &run.achieved_position}, 1e3, 500);
    chart.curves = {{"reference", Tone::warn, Look::line, both[0]}, {"achieved", Tone::main, Look::thin, both[1]}};
    return chart;
}

[[nodiscard]] inline Chart difference_chart(const RunRecord& run) {
    Chart chart = detail::along_track(run);
    chart.name = "difference";
    chart.title = "Position error of the drive";
    chart.caption = "Achieved less reference.";
    chart.y_label = "difference (mm)";
    chart.height = 260;
    std::vector<double> difference;
    for (std::size_t i = 0; i < run.achieved_position.size(); ++i)
        difference.push_back(run.achieved_position[i] - run.reference_position[i]);
    chart.curves = {
        {"achieved - reference", Tone::limit, Look::thin, thinned_together(run.position, {&difference}, 1e3)[0]}};
    return chart;
}

/// The chart of a program's own; its first series is highlighted. However many charts and series there are, together
/// they take the space of one chart with two series: k series have 2k points in each piece of the track, so 2k^2
/// numbers.
[[nodiscard]] inline Chart own_chart(const RunRecord& run, const OwnChart& own) {
    Chart chart = detail::along_track(run);
    chart.name = own.name;
    chart.title = own.title;
    chart.caption = own.caption;
    chart.y_label = own.y_label;
    std::vector<const std::vector<double>*> values;
    for (const OwnChart::Series& series : own.series) values.push_back(&series.values);
    std::size_t numbers = 0;
    for (const OwnChart& each : run.own_charts) numbers += 2 * each.series.size() * each.series.size();
    const std::size_t pieces = std::max<std::size_t>(20, 300 * 8 / std::max<std::size_t>(8, numbers));
    const std::vector<Points> points = thinned_together(run.position, values, 1.0, pieces);
    for (std::size_t i = 0; i < points.size(); ++i)
        chart.curves.push_back(
            {own.series[i].label, i == 0 ? Tone::main : Tone::limit, i == 0 ? Look::line : Look::thin, points[i]});
    return chart;
}

[[nodiscard]] inline Chart spectrum_chart(const RunRecord& run) {
    Chart chart;
    chart.name = "spectrum";
    chart.title = "Spectrum of the contact force";
    chart.caption = "One-sided amplitudes; dashed: the bands of the figures of merit.";
    chart.x_label = "frequency (Hz)";
    chart.y_label = "amplitude (N)";
    chart.log_x = chart.log_y = true;
    Points points;  // on a logarithmic axis: the highest amplitude in each hundredth of a decade
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
    if (!points.empty()) {
        chart.x_range = {points.front().first, points.back().first};
        chart.y_range = {1e-5 * top, 2.0 * top};
        for (const double f : {2.0, 5.0, 20.0})
            if (f > points.front().first && f < points.back().first)
                chart.marks.push_back({f, shown(f) + " Hz", Tone::quiet});
    }
    chart.curves = {{"raw contact force", Tone::main, Look::line, points}};
    return chart;
}

[[nodiscard]] inline Chart uplift_chart(const RunRecord& run) {
    Chart chart = detail::along_track(run);
    chart.name = "uplift";
    chart.title = "Uplift at the supports";
    chart.caption = "Largest uplift of the contact wire from its static height.";
    chart.y_label = "largest uplift (mm)";
    chart.marks.clear();
    chart.marks_name.clear();
    chart.height = 300;
    Points points;
    double top = 0.0;
    for (const SupportUplift& s : run.supports) {
        if (!s.uplift_max || !is_finite(*s.uplift_max) || !detail::inside(chart, s.position)) continue;
        points.emplace_back(s.position, 1e3 * *s.uplift_max);
        top = std::max(top, points.back().second);
    }
    chart.y_range = {0.0, 1.1 * top + 1e-3};
    chart.curves = {{"largest uplift", Tone::good, Look::stems, thinned(points, 200)}};
    return chart;
}

[[nodiscard]] inline Chart dropper_chart(const RunRecord& run) {
    Chart chart = detail::along_track(run);
    chart.name = "droppers";
    chart.title = "Dropper forces";
    chart.y_label = "dropper force (N)";
    Points at_rest, least, slack;
    std::size_t slack_droppers = 0;
    for (const DropperForce& d : run.droppers) {
        slack_droppers += d.slack_count > 0;
        if (!is_finite(d.static_force) || !is_finite(d.minimum) || !detail::inside(chart, d.position)) continue;
        at_rest.emplace_back(d.position, d.static_force);
        (d.slack_count > 0 ? slack : least).emplace_back(d.position, d.minimum);
    }
    chart.caption =
        std::to_string(slack_droppers) + " of " + std::to_string(run.droppers.size()) + " droppers went slack.";
    chart.curves = {{"static", Tone::raw, Look::points, thinned(at_rest, 150)},
                    {"least during the run", Tone::main, Look::points, thinned(least, 150)},
                    {"went slack", Tone::limit, Look::points, thinned(slack, 150)}};
    return chart;
}

[[nodiscard]] inline Chart step_time_chart(const RunRecord& run) {
    const StepTimes& times = run.step_times;
    Chart chart;
    chart.name = "steptimes";
    chart.title = "Time of one step";
    chart.caption = "Number of steps by the time they took; both axes logarithmic.";
    chart.x_label = "time of one step (µs)";
    chart.y_label = "steps";
    chart.log_x = chart.log_y = true;
    chart.height = 300;
    const auto mark = [&](const std::optional<double>& value, const char* name, Tone tone) {
        if (value && *value > 0.0 && is_finite(*value)) chart.marks.push_back({1e6 * *value, name, tone});
    };
    mark(times.median, "median", Tone::good);
    mark(times.p999, "99.9 %", Tone::warn);
    mark(times.longest, "longest", Tone::limit);
    mark(times.period, "period", Tone::main);
    constexpr double floor = 0.7;  // lower end of the logarithmic axis of counts
    Points outline;
    double most = 0.0;
    for (const StepTimes::Bin& bin : times.bins) {
        if (bin.count <= 0 || !(bin.low > 0.0)) continue;
        const auto count = static_cast<double>(bin.count);
        if (outline.empty() || outline.back().first < 1e6 * bin.low * (1.0 - 1e-9)) {
            outline.emplace_back(1e6 * bin.low, floor);
        } else {
            outline.pop_back();  // no gap before this bin
        }
        for (const double edge : {bin.low, bin.high}) outline.emplace_back(1e6 * edge, count);
        outline.emplace_back(1e6 * bin.high, floor);
        most = std::max(most, count);
    }
    if (!outline.empty()) {
        const double high =
            std::max({1e-6 * outline.back().first, times.longest.value_or(0.0), times.period.value_or(0.0)});
        chart.x_range = {0.8 * outline.front().first, 1.6e6 * high};
        chart.y_range = {floor, 2.0 * most};
    }
    chart.curves = {{"steps", Tone::main, Look::line, outline}};
    return chart;
}

/// All charts for which the run has data, in the order of a report.
[[nodiscard]] inline std::vector<Chart> charts_of(const RunRecord& run) {
    std::vector<Chart> charts;
    const auto spread = [&](const std::vector<double>& y) { return thinned(run.position, y).size() > 1; };
    if ((!run.force_raw.empty() && spread(run.force_raw)) ||
        (!run.force_filtered.empty() && spread(run.force_filtered)))
        charts.push_back(force_chart(run));
    if (!run.reference_position.empty() && !run.achieved_position.empty() && spread(run.reference_position) &&
        spread(run.achieved_position)) {
        charts.push_back(position_chart(run));
        charts.push_back(difference_chart(run));
    }
    for (const OwnChart& own : run.own_charts)
        if (!own.series.empty() && spread(own.series.front().values)) charts.push_back(own_chart(run, own));
    if (run.spectrum_frequency.size() > 2) charts.push_back(spectrum_chart(run));
    const auto recorded = [](const SupportUplift& s) { return s.uplift_max && is_finite(*s.uplift_max); };
    if (std::any_of(run.supports.begin(), run.supports.end(), recorded)) charts.push_back(uplift_chart(run));
    if (!run.droppers.empty()) charts.push_back(dropper_chart(run));
    if (!run.wire_height.empty() && spread(run.wire_height)) charts.push_back(height_chart(run));
    const auto counted = [](const StepTimes::Bin& bin) { return bin.count > 0 && bin.low > 0.0; };
    if (std::any_of(run.step_times.bins.begin(), run.step_times.bins.end(), counted))
        charts.push_back(step_time_chart(run));
    return charts;
}

}  // namespace panto::io
