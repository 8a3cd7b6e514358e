// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An HTML page of tables and plots that are no test run: the result of a design. Look and plots are those of
/// report.hpp.

#pragma once

#include <panto/io/file.hpp>
#include <panto/io/gnuplot.hpp>
#include <panto/io/report.hpp>
#include <panto/io/report_plots.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace panto::io {

/// Rows of cells under a heading; the first cell of a row is its name.
struct PageTable {
    std::string title;
    std::vector<std::string> columns;  ///< may be empty
    std::vector<std::vector<std::string>> rows;
};

struct Page {
    std::string title;
    std::string subtitle;
    std::string warning{};  ///< shown in a red banner if there is one
    std::vector<PageTable> tables{};
    std::vector<Plot> plots{};
    std::vector<std::pair<std::string, std::string>> metadata{};  ///< how it was made
    std::string version{};
};

/// The page as text. Scripts and pictures of the plots come and go in `folder`.
/// @throws SetupError if gnuplot fails.
[[nodiscard]] inline std::string page_html(const std::filesystem::path& folder, const Page& page) {
    using detail::escaped;
    const auto row = [](const std::vector<std::string>& cells, const std::string& tag) {
        std::string html = "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i)
            html += "<" + tag + (i > 0 ? " class=\"n\">" : ">") + escaped(cells[i]) + "</" + tag + ">";
        return html + "</tr>\n";
    };
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>" +
        escaped(page.title) + "</title>\n<style>" + std::string(detail::report_style) +
        "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped(page.title) + "</h1>\n<p class=\"sub\">" +
        escaped(page.subtitle) + "</p>\n";
    if (!page.warning.empty()) html += "<p class=\"banner fail\">" + escaped(page.warning) + "</p>\n";
    for (const PageTable& table : page.tables) {
        html += "<section><h2>" + escaped(table.title) + "</h2><div class=\"scroll\"><table>\n";
        if (!table.columns.empty()) html += row(table.columns, "th");
        for (const auto& cells : table.rows) html += row(cells, "td");
        html += "</table></div></section>\n";
    }
    for (const Plot& plot : page.plots)
        html += "<section><figure><h2>" + escaped(plot.title) + "</h2><figcaption>" + escaped(plot.caption) +
                "</figcaption>\n" + draw_svg(folder, plot.name, escaped(plot.title), plot.script, 1000, plot.height) +
                "</figure></section>\n";
    html += "<section><h2>How it was made</h2><div class=\"scroll\"><table>\n";
    for (const auto& [name, value] : page.metadata)
        html += "<tr><th>" + escaped(name) + "</th><td class=\"text\">" + escaped(value) + "</td></tr>\n";
    return html + "</table></div></section>\n<footer><p>Written by panto " + escaped(page.version) +
           "; plots drawn by gnuplot.</p></footer>\n</main>\n</body>\n</html>\n";
}

/// Writes report.html into the folder. @throws SetupError as page_html(), or if the file cannot be written.
inline void write_page(const std::filesystem::path& folder, const Page& page) {
    write_text(folder / "report.html", page_html(folder, page));
}

}  // namespace panto::io
