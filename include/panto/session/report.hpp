// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// report.html: one self-contained page with the results of a run, their limits, charts, and how the run was made.

#pragma once

#include <panto/core/status.hpp>
#include <panto/io/file.hpp>
#include <panto/io/page_parts.hpp>
#include <panto/session/report_plots.hpp>
#include <panto/session/results_table.hpp>
#include <panto/session/run_record.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace panto::io {

namespace detail {

[[nodiscard]] inline std::string banner(const RunRecord& run) {
    const auto [limits, kept] = count_limits(run);
    const std::string counted = std::to_string(kept) + " of " + std::to_string(limits) + " limits kept";
    if (!run.fault.empty())
        return std::string("<p class=\"banner fail\">The run ") +
               (run.fault.starts_with(name(Status::stopped_by_user)) ? "is not complete: " : "ended with a fault: ") +
               escaped(run.fault) + (limits > 0 ? " · " + counted : "") + "</p>\n";
    if (limits == 0) return "<p class=\"banner none\">No limits apply to this run.</p>\n";
    return std::string("<p class=\"banner ") + (kept == limits ? "pass" : "fail") + "\">" +
           (kept == limits ? "PASS · " : "FAIL · ") + counted + "</p>\n";
}

[[nodiscard]] inline std::string warnings(const RunRecord& run) {
    std::string html;
    for (const std::string& warning : run.warnings)
        html += "<p class=\"banner none\">Warning: " + escaped(warning) + "</p>\n";
    return html;
}

[[nodiscard]] inline std::string results_table(const RunRecord& run) {
    std::string html =
        "<section><h2>Results</h2><div class=\"scroll\"><table class=\"cards\">\n<tr "
        "class=\"head\"><th>Quantity</th><th class=\"n\">Value</th>"
        "<th>Unit</th><th class=\"n\">Allowed</th><th>Verdict</th><th>Limit: source and confidence</th></tr>\n";
    for (const ResultRow& row : run.results) {
        html += "<tr><td>" + escaped(row.name) + "</td><td class=\"n\">" + cell(row.value) + "</td><td>" +
                escaped(row.unit) + "</td><td class=\"n\"" + (allowed(row).empty() ? "" : " data-label=\"allowed\"") +
                ">" + escaped(allowed(row)) + "</td>";
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
    std::string html = "<section><h2>How the run was made</h2><div class=\"scroll\"><table class=\"pairs\">\n";
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
    for (const auto& [name, value] : with_origin(run.metadata)) add(name, value);
    add("panto version", run.version);
    add("fingerprint of the inputs", run.inputs_hash);
    return html + "</table></div></section>\n";
}

[[nodiscard]] inline std::string comparison_table(const OtherRun& other) {
    std::string html = "<section><h2>Comparison</h2><p class=\"sub\">Other run: " + escaped(other.name) +
                       "</p><div class=\"scroll\"><table class=\"cards\">\n<tr class=\"head\"><th>Figure</th><th "
                       "class=\"n\">This run</th><th class=\"n\">Other run</th><th class=\"n\">Difference</th></tr>\n";
    for (const auto& [name, here, there] : other.figures) {
        if (!here && !there) continue;
        const std::optional<double> difference = here && there ? std::optional(*here - *there) : std::nullopt;
        html += "<tr><td>" + escaped(name) + "</td><td class=\"n\">" + cell(here) +
                "</td><td class=\"n\" data-label=\"other\">" + cell(there) +
                "</td><td class=\"n\" data-label=\"difference\">" + cell(difference) + "</td></tr>\n";
    }
    return html + "</table></div></section>\n";
}

}  // namespace detail

/// The page as text. Date and machine are added to the metadata if they are not there. Charts are drawn by `library`
/// or, without it, by gnuplot, whose temporary files are written to `folder`. A chart that cannot be drawn is replaced
/// by a sentence.
/// @throws SetupError as validate() does.
template <class = void>
[[nodiscard]] std::string report_html(const std::filesystem::path& folder, const RunRecord& run,
                                      const std::optional<Dygraphs>& library = find_dygraphs()) {
    using detail::escaped;
    validate(run);
    const std::vector<Chart> charts = charts_of(run);
    return detail::page_begin(title_of(run, " · "), library) + "<p class=\"sub\">" + escaped(run.mode) +
           (run.controller.empty() ? "" : " · controller " + escaped(run.controller)) + "</p>\n" + detail::banner(run) +
           detail::warnings(run) + detail::results_table(run) +
           (run.other ? detail::comparison_table(*run.other) : std::string()) +
           detail::figures(folder, charts, library) + detail::metadata_table(run) +
           detail::page_end(run.version, "The numbers are in the files next to this page.", charts, library);
}

/// Writes report.html into the folder. Call require_drawing() before the run.
/// @throws SetupError as report_html() does, or naming the file if it cannot be written.
template <class = void>
void write_report(const std::filesystem::path& folder, const RunRecord& run) {
    write_text(folder / "report.html", report_html(folder, run));
}

#ifdef PANTO_COMPILED
extern template void write_report(const std::filesystem::path&, const RunRecord&);
#endif

}  // namespace panto::io
