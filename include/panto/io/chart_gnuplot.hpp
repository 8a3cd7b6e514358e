// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A chart as a script for gnuplot with its data inside.

#pragma once

#include <panto/core/check.hpp>
#include <panto/io/chart.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace panto::io {

/// One picture in a report, drawn by gnuplot.
struct Plot {
    std::string name = {};     ///< letters only: file name and prefix of ids
    std::string title = {};    ///< heading
    std::string caption = {};  ///< what the picture shows
    std::string script = {};
    int height = 340;  ///< for a width of 1000
};

namespace detail {

using io::Points;
using io::thinned;

[[nodiscard]] inline std::string data_block(const std::string& name, const Points& points) {
    std::string out = "$" + name + " << EOD\n";
    for (const auto& [x, y] : points) out.append(shown(x, 7)).append(" ").append(shown(y, 7)).append("\n");
    return out + "EOD\n";
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

/// The common look of all plots: grey axes, a light grid, the key above the picture.
[[nodiscard]] inline std::string axes(const std::string& x_label, const std::string& y_label) {
    return "set border 3 lc rgb '#8a94a3'\nset tics nomirror tc rgb '#3d4653'\nset grid lt 1 lw 1 lc rgb '#e7eaef'\n"
           "set key outside above left horizontal nobox Left reverse samplen 2.5\nset bmargin 3.6\n"
           "set xlabel " +
           plot_text(x_label) + " tc rgb '#1f2630'\nset ylabel " + plot_text(y_label) + " tc rgb '#1f2630'\n";
}

/// Color for a light page; a dark page inverts its pictures.
[[nodiscard]] inline std::string color_of(Tone tone) {
    switch (tone) {
        case Tone::main: return "rgb '#174a9c'";
        case Tone::raw: return "rgb '#93acd3'";
        case Tone::good: return "rgb '#2b7a4b'";
        case Tone::warn: return "rgb '#c07a10'";
        case Tone::limit: return "rgb '#c0392b'";
        case Tone::quiet: return "rgb '#a8b1be'";
    }
    return "rgb '#000000'";
}

[[nodiscard]] inline std::string range_of(const std::pair<double, double>& range) {
    return " [" + shown(range.first) + ":" + shown(range.second) + "]\n";
}

}  // namespace detail

[[nodiscard]] inline Plot plot_of(const Chart& chart) {
    using namespace detail;
    std::string script = axes(chart.x_label, chart.y_label);
    if (chart.log_x) script += "set logscale x\nset format x '%g'\n";
    if (chart.log_y) script += "set logscale y\nset format y '%g'\n";
    if (chart.x_range && on_axis(*chart.x_range, chart.log_x)) script += "set xrange" + range_of(*chart.x_range);
    if (chart.y_range && on_axis(*chart.y_range, chart.log_y)) script += "set yrange" + range_of(*chart.y_range);
    for (const auto& [from, to] : chart.shaded)
        if (on_axis({from, to}, chart.log_x))
            script += "set object rect from " + shown(from) + ", graph 0 to " + shown(to) +
                      ", graph 1 behind fc rgb '#f2f6fc' fs solid noborder\n";
    double level = 0.97;  // height of a label; each next one is lower
    for (const Rule& mark : chart.marks) {
        if (!on_axis(mark.at, chart.log_x)) continue;
        const std::string color = color_of(mark.tone);
        script += "set arrow from " + shown(mark.at) + ", graph 0 to " + shown(mark.at) +
                  ", graph 1 nohead back dt 2 lw 1 lc " + color + "\n";
        if (mark.text.empty()) continue;
        script += "set label " + plot_text(mark.text) + " at " + shown(mark.at) + ", graph " + shown(level) +
                  " left offset 0.5,0 front tc " + color + " font ',12'\n";
        level = level > 0.5 ? level - 0.08 : 0.97;
    }
    for (const Rule& rule : chart.levels) {
        if (!on_axis(rule.at, chart.log_y)) continue;
        const std::string color = color_of(rule.tone), at = shown(rule.at);
        script += "set arrow from graph 0, first " + at + " to graph 1, first " + at + " nohead front lw 1.4 lc " +
                  color + "\nset label " + plot_text(rule.text) + " at graph 0.995, first " + at +
                  " right offset 0,0.5 front tc " + color + " font ',12'\n";
    }
    std::string plot;
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        const Curve& curve = chart.curves[i];
        if (curve.points.empty()) continue;
        const std::string block = "c" + std::to_string(i);
        script += data_block(block, thinned(curve.points, 500));  // fewer points: a picture cannot be zoomed
        const std::string look = curve.look == Look::line     ? "l lw 1.8"
                                 : curve.look == Look::thin   ? "l lw 1"
                                 : curve.look == Look::points ? "p pt 7 ps 0.6"
                                                              : "impulses lw 8";
        plot += (plot.empty() ? "plot $" : ", $") + block + " w " + look + " lc " + color_of(curve.tone) + " t " +
                plot_text(curve.name);
    }
    if (!chart.marks_name.empty() && !plot.empty())
        plot += ", NaN w l dt 2 lw 1 lc " + color_of(Tone::quiet) + " t " + plot_text(chart.marks_name);
    return {chart.name, chart.title, chart.caption, script + plot + "\n", chart.height};
}

}  // namespace panto::io
