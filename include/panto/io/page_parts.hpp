// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The common parts of report pages: styles for light and dark screens, phones and print, and the charts, drawn by
/// dygraphs if it is installed, otherwise by gnuplot.

#pragma once

#include <panto/core/check.hpp>
#include <panto/io/chart.hpp>
#include <panto/io/chart_dygraphs.hpp>
#include <panto/io/chart_gnuplot.hpp>
#include <panto/io/file.hpp>
#include <panto/io/gnuplot.hpp>
#include <panto/io/machine.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::io {

/// Checks that dygraphs or gnuplot is available to draw charts. Call it before a run.
/// @throws SetupError that says how to install gnuplot if there is neither.
template <class = void>
void require_drawing() {
    if (!find_dygraphs()) require_gnuplot();
}

namespace detail {

[[nodiscard]] inline std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

inline constexpr std::string_view page_style = R"CSS(
:root { color-scheme: light; --page: #f4f6f9; --card: #fff; --text: #1f2630; --soft: #566171; --edge: #e1e5eb;
  --pass: #175c33; --pass-back: #e5f4ea; --fail: #932317; --fail-back: #fbe6e3; --none-back: #e9edf3;
  --main: #174a9c; --raw: #93acd3; --good: #2b7a4b; --warn: #c07a10; --limit: #c0392b; --quiet: #a8b1be;
  --axis: #8a94a3; --grid: #e7eaef; --shade: #f2f6fc; }
@media screen and (prefers-color-scheme: dark) { :root:not(.paper) { color-scheme: dark; --page: #12161c; --card: #1b212a;
  --text: #e3e8ef; --soft: #a3aebd; --edge: #2e3743; --pass: #7fd6a0; --pass-back: #16301f; --fail: #ff9c8f;
  --fail-back: #3a1c18; --none-back: #262e39; --main: #7fb0ff; --raw: #4d6894; --good: #6fce95; --warn: #f0b557;
  --limit: #ff8273; --quiet: #566171; --axis: #66717f; --grid: #2a323d; --shade: #212a37; }
  .paper-picture { filter: invert(1) hue-rotate(180deg); } }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .3rem; }
.sub { color: var(--soft); margin: 0 0 1rem; }
section { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 1rem 1.2rem; margin: 1rem 0; }
.banner { border-radius: 8px; padding: .6rem 1.2rem; font-weight: 600; overflow-wrap: anywhere; }
.banner.pass { background: var(--pass-back); color: var(--pass); }
.banner.fail { background: var(--fail-back); color: var(--fail); }
.banner.none { background: var(--none-back); color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid var(--edge); vertical-align: top; }
th { color: var(--soft); font-weight: 600; font-size: .9rem; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.pass { color: var(--pass); font-weight: 600; }
td.fail { color: var(--fail); font-weight: 700; background: var(--fail-back); }
td.quiet { color: var(--soft); font-size: .9rem; }
td.text { overflow-wrap: anywhere; }
figure { margin: 0; }
figcaption { color: var(--soft); font-size: .95rem; margin-bottom: .4rem; }
svg { display: block; width: 100%; min-width: 46rem; height: auto; }
svg text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.chart { width: 100%; height: var(--high); touch-action: pan-y pinch-zoom; }
.legend { font-size: .85rem; min-height: 1.4em; color: var(--soft); }
.chart .dygraph-axis-label { color: var(--soft); font-size: 12px; }
.chart .dygraph-xlabel, .chart .dygraph-ylabel { color: var(--text); font-size: 13px; }
.tools { margin: .2rem 0 0; text-align: right; }
.tools button { font: inherit; font-size: .85rem; color: var(--soft); background: none; border: 1px solid var(--edge);
  border-radius: 6px; padding: .2rem .7rem; }
td.wide { width: 60%; }
.bar { display: block; position: relative; height: .8rem; margin-top: .35rem; min-width: 5rem; }
.bar span { position: absolute; top: 0; bottom: 0; border-radius: 2px; background: var(--main); }
.bar span.whisker { top: 40%; bottom: 40%; background: var(--warn); }
footer { color: var(--soft); font-size: .9rem; }
footer pre { white-space: pre-wrap; font-size: .75rem; }
@media (max-width: 640px) {
  main { padding: 1rem .6rem 2rem; } section { padding: .8rem; } h1 { font-size: 1.25rem; }
  .chart { height: 260px; }
  table.cards thead, table.cards tr.head { display: none; }
  table.cards tr { display: grid; grid-template-columns: 1fr auto; border-bottom: 1px solid var(--edge); padding: .4rem 0; }
  table.cards td { border: 0; padding: .1rem .3rem; text-align: left; }
  table.cards td:nth-child(2) { text-align: right; }
  table.cards td:empty { display: none; }
  table.cards td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); font-weight: 400; }
  table.pairs tr { display: block; border-bottom: 1px solid var(--edge); padding: .3rem 0; }
  table.pairs th, table.pairs td { display: block; border: 0; padding: 0 .3rem; } }
@media print { body { background: #fff; font-size: 11pt; } main { max-width: none; padding: 0; }
  section, figure, tr { break-inside: avoid; } section { border-color: #bbb; } .tools { display: none; }
  .bar span, td.fail, .banner { print-color-adjust: exact; } }
)CSS";

/// The page up to its title. The content policy forbids the page to load anything.
[[nodiscard]] inline std::string page_begin(const std::string& title, const std::optional<Dygraphs>& library) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
           "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
           escaped(title) + "</title>\n<style>" + (library ? library->style : "") + std::string(page_style) +
           "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped(title) + "</h1>\n";
}

/// The picture, or the reason why it could not be drawn: the page is made in any case.
[[nodiscard]] inline std::string drawn(const std::filesystem::path& folder, const Plot& plot) {
    try {
        return "<div class=\"scroll paper-picture\">" +
               draw_svg(folder, plot.name, escaped(plot.title), plot.script, 1000, plot.height) + "</div>";
    } catch (const SetupError& e) {
        return "<p class=\"sub\">This plot is left out: " + escaped(e.what()) + "</p>\n";
    }
}

[[nodiscard]] inline std::string figure(const std::string& title, const std::string& caption,
                                        const std::string& picture) {
    return "<section><figure><h2>" + escaped(title) + "</h2><figcaption>" + escaped(caption) + "</figcaption>\n" +
           picture + "</figure></section>\n";
}

/// Every chart as a figure. Temporary files of gnuplot are written to `folder`.
[[nodiscard]] inline std::string figures(const std::filesystem::path& folder, const std::vector<Chart>& charts,
                                         const std::optional<Dygraphs>& library) {
    std::string html;
    for (const Chart& chart : charts)
        html += figure(chart.title, chart.caption,
                       chart.empty() ? "<p class=\"sub\">This plot is left out: there is nothing in its range.</p>\n"
                       : library     ? dygraphs_place(chart)
                                     : drawn(folder, plot_of(chart)));
    return html;
}

/// The metadata, and date and machine of the page unless they have entries of these names.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> with_origin(
    std::vector<std::pair<std::string, std::string>> metadata) {
    const auto add = [&](const char* name, std::string (*value)()) {
        if (std::none_of(metadata.begin(), metadata.end(), [&](const auto& entry) { return entry.first == name; }))
            metadata.emplace_back(name, value());
    };
    add("date", &date_now);
    add("machine", &machine_name);
    return metadata;
}

/// The end of the page, with the scripts that its charts need.
[[nodiscard]] inline std::string page_end(const std::string& version, const std::string& beside,
                                          const std::vector<Chart>& charts, const std::optional<Dygraphs>& library) {
    std::vector<Chart> alive;
    for (const Chart& chart : charts)
        if (!chart.empty()) alive.push_back(chart);
    std::string html = std::string(page_mark) + escaped(version) + ". " + escaped(beside) + "</p>";
    if (!library || alive.empty()) return html + "</footer>\n</main>\n</body>\n</html>\n";
    return html +
           "<p>Drag across a plot to zoom, upwards or sideways; double-click or &ldquo;show all&rdquo; to go back; two "
           "fingers zoom on a screen that is touched.</p><noscript><p>The plots need JavaScript.</p></noscript>"
           "<details><summary>Plots are drawn by dygraphs; its licence</summary><pre>" +
           escaped(library->licence) + "</pre></details></footer>\n</main>\n" + dygraphs_script(*library, alive) +
           "</body>\n</html>\n";
}

}  // namespace detail

#ifdef PANTO_COMPILED
extern template void require_drawing();
#endif

}  // namespace panto::io
