// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An HTML page of tables and plots for results that are not those of a run: a design, an identification, a study.

#pragma once

#include <panto/core/check.hpp>
#include <panto/io/file.hpp>
#include <panto/io/page_parts.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace panto::io {

/// Rows of cells under a heading; the first cell of a row is its name.
struct PageTable {
    std::string title = {};
    std::vector<std::string> columns = {};  ///< may be empty
    std::vector<std::vector<std::string>> rows = {};
};

/// Bars side by side under a heading, from 0, each with an interval if it has one.
struct BarChart {
    struct Bar {
        std::string name = {};
        double value = 0.0;
        std::optional<std::pair<double, double>> interval{};
    };
    std::string title = {};
    std::string caption = {};
    std::vector<Bar> bars{};
};

struct Page {
    std::string title = {};
    std::string subtitle = {};
    std::string warning{};  ///< shown in a red banner if not empty
    std::vector<PageTable> tables{};
    std::vector<BarChart> bars{};
    std::vector<Chart> charts{};
    std::vector<Plot> plots{};                                    ///< drawn by gnuplot, even if dygraphs is installed
    std::vector<std::pair<std::string, std::string>> metadata{};  ///< how the results were made
    std::string version{};
};

namespace detail {

/// The bars as HTML, without a script and without gnuplot; readable on a phone and on paper.
[[nodiscard]] inline std::string bars_html(const BarChart& chart) {
    double low = 0.0, high = 0.0;
    for (const BarChart::Bar& bar : chart.bars) {
        if (!is_finite(bar.value)) continue;
        const auto [from, to] = bar.interval.value_or(std::pair(bar.value, bar.value));
        for (const double x : {bar.value, from, to})
            if (is_finite(x)) low = std::min(low, x), high = std::max(high, x);
    }
    const auto piece = [&](double a, double b, const char* kind) {
        const double from = std::min(a, b), width = std::max(std::abs(b - a), 0.003 * (high - low));
        if (!(high > low) || !is_finite(from) || !is_finite(width)) return std::string();
        return "<span" + std::string(kind) + " style=\"left:" + fixed_point(100.0 * (from - low) / (high - low), 2) +
               "%;width:" + fixed_point(100.0 * width / (high - low), 2) + "%\"></span>";
    };
    std::string html = "<section><h2>" + escaped(chart.title) + "</h2><p class=\"sub\">" + escaped(chart.caption) +
                       "</p><table class=\"bars\">\n";
    for (const BarChart::Bar& bar : chart.bars) {
        html +=
            "<tr><td>" + escaped(bar.name) + "</td><td class=\"wide\"><span class=\"bar\">" + piece(0.0, bar.value, "");
        if (bar.interval) html += piece(bar.interval->first, bar.interval->second, " class=\"whisker\"");
        html += "</span></td><td class=\"n\">" + (is_finite(bar.value) ? shown(bar.value, 3) : "-") + "</td></tr>\n";
    }
    return html + "</table></section>\n";
}

}  // namespace detail

/// The page as text. Date and machine are added to the metadata if they are not there. Temporary files of gnuplot are
/// written to `folder`.
[[nodiscard]] inline std::string page_html(const std::filesystem::path& folder, const Page& page,
                                           const std::optional<Dygraphs>& library = find_dygraphs()) {
    using detail::escaped;
    const auto row = [](const std::vector<std::string>& cells, const std::string& tag) {
        std::string html = "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i)
            html += "<" + tag + (i > 0 ? " class=\"n\">" : ">") + escaped(cells[i]) + "</" + tag + ">";
        return html + "</tr>\n";
    };
    const std::string sub = "<p class=\"sub\">" + escaped(page.subtitle) + "</p>\n";
    std::string html = detail::page_begin(page.title, library) + sub;
    if (!page.warning.empty()) html += "<p class=\"banner fail\">" + escaped(page.warning) + "</p>\n";
    if (!library && !page.charts.empty())
        if (const std::string warning = dygraphs_warning(); !warning.empty())
            html += "<p class=\"banner none\">Warning: " + escaped(warning) + "</p>\n";
    for (const PageTable& table : page.tables) {
        html += "<section><h2>" + escaped(table.title) + "</h2><div class=\"scroll\"><table>\n";
        if (!table.columns.empty()) html += row(table.columns, "th");
        for (const auto& cells : table.rows) html += row(cells, "td");
        html += "</table></div></section>\n";
    }
    for (const BarChart& chart : page.bars) html += detail::bars_html(chart);
    html += detail::figures(folder, page.charts, library);
    for (const Plot& plot : page.plots) html += detail::figure(plot.title, plot.caption, detail::drawn(folder, plot));
    html += "<section><h2>How it was made</h2><div class=\"scroll\"><table class=\"pairs\">\n";
    for (const auto& [name, value] : detail::with_origin(page.metadata))
        html += "<tr><th>" + escaped(name) + "</th><td class=\"text\">" + escaped(value) + "</td></tr>\n";
    return html + "</table></div></section>\n" + detail::page_end(page.version, "", page.charts, library);
}

/// Writes report.html into the folder. @throws SetupError if the file cannot be written.
template <class = void>
void write_page(const std::filesystem::path& folder, const Page& page) {
    write_text(folder / "report.html", page_html(folder, page));
}

#ifdef PANTO_COMPILED
extern template void write_page(const std::filesystem::path&, const Page&);
#endif

}  // namespace panto::io
