// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Draws an io::Chart as an SVG picture, with nothing but this header. The gallery uses it.

#pragma once

#include <panto/core/check.hpp>
#include <panto/io/chart.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gallery {

using panto::io::Chart;
using panto::io::Look;
using panto::io::Points;
using panto::io::Tone;

/// One axis: where a value lies between the ends of the plot, and where its ticks are.
struct Axis {
    double low = 0.0, high = 1.0;
    bool logarithmic = false;

    [[nodiscard]] double part(double value) const {
        return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    }
    [[nodiscard]] std::vector<double> ticks() const {
        std::vector<double> at;
        if (logarithmic) {
            for (double t = std::pow(10.0, std::ceil(std::log10(low) - 1e-9)); t <= high * 1.000001; t *= 10.0)
                at.push_back(t);
            return at;
        }
        const double rough = (high - low) / 6.0, power = std::pow(10.0, std::floor(std::log10(rough)));
        const double step = power * (rough < 2.0 * power ? 2.0 : rough < 5.0 * power ? 5.0 : 10.0);
        for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1.0) at.push_back(k * step);
        return at;
    }
};

inline Axis axis(const Chart& chart, bool horizontal) {
    const auto& range = horizontal ? chart.x_range : chart.y_range;
    Axis a{1e300, -1e300, horizontal ? chart.log_x : chart.log_y};
    if (range) return {range->first, range->second, a.logarithmic};
    for (const auto& curve : chart.curves)
        for (const auto& [x, y] : curve.points) {
            a.low = std::min(a.low, horizontal ? x : y);
            a.high = std::max(a.high, horizontal ? x : y);
        }
    const double room = horizontal || a.logarithmic ? 0.0 : 0.05 * (a.high - a.low);
    return {a.low - room, a.high + room, a.logarithmic};
}

inline std::string_view color(Tone tone) {
    constexpr std::array<std::string_view, 6> colors{"#1f5fa8", "#9aa4ae", "#2e8b57", "#d9822b", "#c0392b", "#6b7680"};
    return colors[static_cast<std::size_t>(tone)];
}

/// Writes NAME.svg into the current folder.
inline void draw(const std::string& name, const Chart& chart) {
    constexpr double width = 760.0, left = 70.0, right = 20.0, top = 28.0, below = 48.0;
    const double height = chart.height, w = width - left - right, h = height - top - below;
    const Axis x_axis = axis(chart, true), y_axis = axis(chart, false);
    const auto px = [&](double x) { return panto::fixed_point(left + w * x_axis.part(x), 1); };
    const auto py = [&](double y) { return panto::fixed_point(top + h * (1.0 - y_axis.part(y)), 1); };
    const auto number = [](double v) { return panto::shown(std::abs(v) < 1e-12 ? 0.0 : v, 6); };
    std::ofstream out(name + ".svg");
    const auto text = [&](const std::string& x, const std::string& y, const char* how, const std::string& what) {
        out << "<text x=\"" << x << "\" y=\"" << y << "\" " << how << '>' << what << "</text>\n";
    };
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
        << "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#444\">\n<rect width=\"100%\" height=\"100%\" "
           "fill=\"#fff\"/>\n";
    const std::string bottom = panto::fixed_point(height - below, 1), edge = panto::fixed_point(width - right, 1);
    for (const double t : x_axis.ticks()) {
        out << "<path d=\"M" << px(t) << ' ' << top << 'V' << bottom << "\" stroke=\"#e3e6e9\"/>\n";
        text(px(t), panto::fixed_point(height - below + 16.0, 1), "text-anchor=\"middle\"", number(t));
    }
    for (const double t : y_axis.ticks()) {
        out << "<path d=\"M" << left << ' ' << py(t) << 'H' << edge << "\" stroke=\"#e3e6e9\"/>\n";
        text("62", py(t), "text-anchor=\"end\" dominant-baseline=\"middle\"", number(t));
    }
    text(panto::fixed_point(left + w / 2, 1), panto::fixed_point(height - 10.0, 1), "text-anchor=\"middle\"",
         chart.x_label);
    text("0", "0",
         ("transform=\"translate(16 " + panto::fixed_point(top + h / 2, 1) + ") rotate(-90)\" text-anchor=\"middle\"")
             .c_str(),
         chart.y_label);
    double key = left;  // the names of the curves stand above the plot, one beside the other
    for (const auto& curve : chart.curves) {
        const std::string paint(color(curve.tone));
        if (curve.look == Look::points) {
            for (const auto& [x, y] : curve.points)
                out << "<circle cx=\"" << px(x) << "\" cy=\"" << py(y) << "\" r=\"3\" fill=\"" << paint << "\"/>\n";
        } else {
            out << "<polyline fill=\"none\" stroke=\"" << paint << "\" stroke-width=\""
                << (curve.look == Look::thin ? "1" : "2") << "\" points=\"";
            for (const auto& [x, y] : curve.points) out << px(x) << ',' << py(y) << ' ';
            out << "\"/>\n";
        }
        text(panto::fixed_point(key, 1), "16", ("style=\"fill:" + paint + "\"").c_str(), curve.name);
        if (!curve.name.empty()) key += 7.0 * static_cast<double>(curve.name.size()) + 18.0;
    }
    out << "</svg>\n";
    std::cout << name << ".svg: " << chart.title << '\n';
}

}  // namespace gallery
