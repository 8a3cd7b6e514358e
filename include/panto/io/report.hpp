// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// report.html: one page that shows a run, with everything it needs inside: results beside their limits, plots drawn
/// by gnuplot, how the run was made.

#pragma once

#include <panto/io/file.hpp>
#include <panto/io/gnuplot.hpp>
#include <panto/io/report_plots.hpp>
#include <panto/io/results_table.hpp>
#include <panto/io/run_record.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace panto::io {

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

inline constexpr std::string_view report_style = R"(
:root { color-scheme: light; }
body { margin: 0; background: #f4f6f9; color: #1f2630; font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; }
h2 { font-size: 1.15rem; margin: 0 0 .3rem; }
.sub { color: #5b6675; margin: 0 0 1rem; }
section { background: #fff; border: 1px solid #e1e5eb; border-radius: 8px; padding: 1rem 1.2rem; margin: 1rem 0; }
.banner { border-radius: 8px; padding: .6rem 1.2rem; font-weight: 600; }
.banner.pass { background: #e5f4ea; color: #175c33; }
.banner.fail { background: #fbe6e3; color: #932317; }
.banner.none { background: #e9edf3; color: #3d4653; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid #e7eaef; vertical-align: top; }
th { color: #5b6675; font-weight: 600; font-size: .9rem; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.pass { color: #175c33; font-weight: 600; }
td.fail { color: #932317; font-weight: 700; background: #fbe6e3; }
td.quiet { color: #5b6675; font-size: .9rem; }
td.text { overflow-wrap: anywhere; }
figure { margin: 0; }
figcaption { color: #5b6675; font-size: .95rem; margin-bottom: .4rem; }
svg { display: block; width: 100%; height: auto; }
svg text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
footer { color: #5b6675; font-size: .9rem; }
)";

[[nodiscard]] inline std::string banner(const RunRecord& run) {
    const auto [limits, kept] = count_limits(run);
    const std::string counted = std::to_string(kept) + " of " + std::to_string(limits) + " limits kept";
    if (!run.fault.empty())
        return "<p class=\"banner fail\">The run ended with a fault: " + escaped(run.fault) +
               (limits > 0 ? " · " + counted : "") + "</p>\n";
    if (limits == 0) return "<p class=\"banner none\">No limits apply to this run.</p>\n";
    return std::string("<p class=\"banner ") + (kept == limits ? "pass" : "fail") + "\">" +
           (kept == limits ? "PASS · " : "FAIL · ") + counted + "</p>\n";
}

[[nodiscard]] inline std::string results_table(const RunRecord& run) {
    std::string html =
        "<section><h2>Results</h2><div class=\"scroll\"><table>\n<tr><th>Quantity</th><th class=\"n\">Value</th>"
        "<th>Unit</th><th class=\"n\">Allowed</th><th>Verdict</th><th>Limit: source and confidence</th></tr>\n";
    for (const ResultRow& row : run.results) {
        html += "<tr><td>" + escaped(row.name) + "</td><td class=\"n\">" + cell(row.value) + "</td><td>" +
                escaped(row.unit) + "</td><td class=\"n\">" + escaped(allowed(row)) + "</td>";
        switch (verdict(row)) {
            case Verdict::pass: html += "<td class=\"pass\">pass</td>"; break;
            case Verdict::fail: html += "<td class=\"fail\">FAIL</td>"; break;
            case Verdict::no_limit: html += "<td></td>"; break;
            case Verdict::no_value: html += "<td class=\"quiet\">no value</td>"; break;
        }
        html += "<td class=\"quiet\">" + escaped(row.confidence) + "</td></tr>\n";
    }
    return html + "</table></div></section>\n";
}

[[nodiscard]] inline std::string metadata_table(const RunRecord& run) {
    std::string html = "<section><h2>How the run was made</h2><div class=\"scroll\"><table>\n";
    const auto add = [&](const std::string& name, const std::string& value) {
        if (!value.empty())
            html += "<tr><th>" + escaped(name) + "</th><td class=\"text\">" + escaped(value) + "</td></tr>\n";
    };
    add("catenary", run.catenary);
    add("pantograph", run.pantograph);
    add("speed", shown(run.speed * 3.6) + " km/h");
    add("mode", run.mode);
    add("controller", run.controller);
    add("seed", run.seed ? std::to_string(*run.seed) : "");
    add("evaluated part of the track",
        run.window ? shown(run.window->first) + " m to " + shown(run.window->second) + " m" : "");
    add("filter", run.filter);
    add("sampling instants", run.sampling);
    add("samples", run.time.empty() ? "" : std::to_string(run.time.size()));
    add("steps over their deadline", run.overruns ? std::to_string(*run.overruns) : "");
    for (const auto& [name, value] : run.metadata) add(name, value);
    add("panto version", run.version);
    add("fingerprint of the inputs", run.inputs_hash);
    return html + "</table></div></section>\n";
}

/// The picture, or why there is none: a plot that cannot be drawn must not cost the whole page.
[[nodiscard]] inline std::string drawn(const std::filesystem::path& folder, const Plot& plot) {
    try {
        return draw_svg(folder, plot.name, escaped(plot.title), plot.script, 1000, plot.height);
    } catch (const SetupError& e) {
        const bool nothing = std::string_view(e.what()).find("all points y value undefined") != std::string_view::npos;
        return "<p class=\"sub\">This plot is left out: " +
               (nothing ? "the run has nothing to show in its range." : escaped(e.what())) + "</p>\n";
    }
}

}  // namespace detail

/// The page as text. Scripts and pictures of the plots come and go in `folder`; a plot that gnuplot refuses is replaced
/// by a sentence.
/// @throws SetupError if the record does not fit together.
[[nodiscard]] inline std::string report_html(const std::filesystem::path& folder, const RunRecord& run) {
    using detail::escaped;
    validate(run);
    const std::string title = run.catenary + " · " + run.pantograph + " · " + shown(run.speed * 3.6) + " km/h";
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>" +
        escaped(title) + "</title>\n<style>" + std::string(detail::report_style) +
        "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped(title) + "</h1>\n<p class=\"sub\">" + escaped(run.mode) +
        (run.controller.empty() ? "" : " · controller " + escaped(run.controller)) + "</p>\n" + detail::banner(run) +
        detail::results_table(run);
    for (const Plot& plot : plots_of(run))
        html += "<section><figure><h2>" + escaped(plot.title) + "</h2><figcaption>" + escaped(plot.caption) +
                "</figcaption>\n" + detail::drawn(folder, plot) + "</figure></section>\n";
    return html + detail::metadata_table(run) + "<footer><p>Written by panto " + escaped(run.version) +
           "; plots drawn by gnuplot. The numbers stand in summary.json and the CSV files beside this "
           "page.</p></footer>\n"
           "</main>\n</body>\n</html>\n";
}

/// Writes report.html into the folder. Call require_writable() and require_gnuplot() before the run.
/// @throws SetupError as report_html() does, or naming the file if it cannot be written.
inline void write_report(const std::filesystem::path& folder, const RunRecord& run) {
    write_text(folder / "report.html", report_html(folder, run));
}

}  // namespace panto::io
