// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A plot as data, independent of the program that draws it: curves, lines and shaded parts over two axes.

#pragma once

#include <panto/core/finite.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace panto::io {

using Points = std::vector<std::pair<double, double>>;

enum class Look { line, thin, points, stems };  ///< stems rise from 0

/// The meaning of a color; the page chooses the color itself, for light, dark and printed style.
enum class Tone { main, raw, good, warn, limit, quiet };

struct Curve {
    std::string name{};
    Tone tone = Tone::main;
    Look look = Look::line;
    Points points{};  ///< in order of x
};

/// A straight line across the plot, horizontal or vertical.
struct Rule {
    double at = 0.0;
    std::string text{};  ///< beside it; may be empty
    Tone tone = Tone::quiet;
};

struct Chart {
    std::string name{};     ///< letters only
    std::string title{};    ///< heading
    std::string caption{};  ///< what the chart shows
    std::string x_label{}, y_label{};
    std::vector<Curve> curves{};
    std::vector<Rule> levels{};                          ///< horizontal
    std::vector<Rule> marks{};                           ///< vertical, dashed
    std::string marks_name{};                            ///< legend entry of marks that have no text
    std::vector<std::pair<double, double>> shaded{};     ///< parts of the x axis
    std::optional<std::pair<double, double>> x_range{};  ///< if empty, that of the curves
    std::optional<std::pair<double, double>> y_range{};  ///< if empty, that of the curves
    bool log_x = false, log_y = false;
    bool along_track = false;  ///< shares its x axis with the other charts along the track
    int height = 340;          ///< for a width of 1000

    [[nodiscard]] bool empty() const {
        return std::all_of(curves.begin(), curves.end(), [](const Curve& c) { return c.points.empty(); });
    }
};

/// Whether a number can be drawn on an axis: finite and, on a logarithmic axis, positive. Others are left out.
[[nodiscard]] inline bool on_axis(double at, bool log) { return is_finite(at) && (!log || at > 0.0); }

[[nodiscard]] inline bool on_axis(const std::pair<double, double>& range, bool log) {
    return on_axis(range.first, log) && on_axis(range.second, log);
}

/// x and several y as points, with no more points than can be seen: of every group of neighbouring samples, those with
/// the lowest or highest value of any series are kept. Samples that are not finite are left out. A series whose length
/// is not that of x gives no points.
[[nodiscard]] inline std::vector<Points> thinned_together(const std::vector<double>& x,
                                                          const std::vector<const std::vector<double>*>& series,
                                                          double scale = 1.0, std::size_t buckets = 600) {
    std::vector<Points> points(series.size());
    const std::size_t per_bucket = std::max<std::size_t>(1, (x.size() + buckets - 1) / buckets);
    std::vector<std::size_t> kept;
    for (std::size_t begin = 0; begin < x.size(); begin += per_bucket) {
        const std::size_t end = std::min(begin + per_bucket, x.size());
        kept.clear();
        for (const std::vector<double>* y : series) {
            if (y->size() != x.size()) continue;
            std::size_t low = end, high = end;
            for (std::size_t i = begin; i < end; ++i) {
                if (!is_finite(x[i]) || !is_finite((*y)[i])) continue;
                if (low == end || (*y)[i] < (*y)[low]) low = i;
                if (high == end || (*y)[i] > (*y)[high]) high = i;
            }
            if (low == end) continue;
            kept.push_back(low);
            kept.push_back(high);
        }
        std::sort(kept.begin(), kept.end());
        kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
        for (std::size_t k = 0; k < series.size(); ++k)
            for (const std::size_t i : kept)
                if (series[k]->size() == x.size() && is_finite((*series[k])[i]))
                    points[k].emplace_back(x[i], scale * (*series[k])[i]);
    }
    return points;
}

/// The same for one series.
[[nodiscard]] inline Points thinned(const std::vector<double>& x, const std::vector<double>& y, double scale = 1.0,
                                    std::size_t buckets = 1200) {
    return thinned_together(x, {&y}, scale, buckets)[0];
}

/// The same for points.
[[nodiscard]] inline Points thinned(const Points& points, std::size_t buckets) {
    std::vector<double> x, y;
    for (const auto& [px, py] : points) x.push_back(px), y.push_back(py);
    return thinned(x, y, 1.0, buckets);
}

}  // namespace panto::io
