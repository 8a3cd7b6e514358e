// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table of results for display: value, limits, verdict.

#pragma once

#include <panto/session/run_record.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

namespace panto::io {

/// A number for a table: four significant digits, or a dash if it is empty.
[[nodiscard]] inline std::string cell(const std::optional<double>& value) {
    if (!value) return "-";
    if (!is_finite(*value)) return "not finite";
    return std::abs(*value) >= 1000.0 && std::abs(*value) < 1e6 ? fixed_point(*value, 0) : shown(*value, 4);
}

/// "60 to 143.4", ">= 60", "> 0", "<= 350" or nothing; with a tolerance "60 to 143.4 +- 0.5".
[[nodiscard]] inline std::string allowed(const ResultRow& row) {
    const std::string more = row.tolerance > 0.0 ? " +- " + cell(row.tolerance) : "";
    if (row.low && row.high) return (row.low_excluded ? "above " : "") + cell(row.low) + " to " + cell(row.high) + more;
    if (row.low) return (row.low_excluded ? "> " : ">= ") + cell(row.low) + more;
    if (row.high) return "<= " + cell(row.high) + more;
    return "";
}

/// The number of rows with limits, and the number of rows that keep them.
struct LimitCount {
    std::size_t limits = 0;
    std::size_t kept = 0;
};

[[nodiscard]] inline LimitCount count_limits(const RunRecord& run) {
    LimitCount count;
    for (const ResultRow& row : run.results) {
        const Verdict v = verdict(row);
        count.limits += v == Verdict::pass || v == Verdict::fail;
        count.kept += v == Verdict::pass;
    }
    return count;
}

/// The table for a terminal.
[[nodiscard]] inline std::string results_as_text(const RunRecord& run) {
    const auto left = [](const std::string& text, std::size_t width) {
        return text + std::string(width - std::min(width, text.size()), ' ');
    };
    const auto right = [](const std::string& text, std::size_t width) {
        return std::string(width - std::min(width, text.size()), ' ') + text;
    };
    std::size_t widest = 8;
    for (const ResultRow& row : run.results) widest = std::max(widest, row.name.size());
    std::string table = left("quantity", widest) + right("value", 12) + " unit" + right("allowed", 18) + "  verdict\n";
    for (const ResultRow& row : run.results) {
        const Verdict v = verdict(row);
        std::string line = left(row.name, widest) + right(cell(row.value), 12) + " " + left(row.unit, 4) +
                           right(allowed(row), 18) + "  " +
                           (v == Verdict::pass       ? "pass"
                            : v == Verdict::fail     ? "FAIL"
                            : v == Verdict::no_value ? "no value"
                                                     : "");
        line.erase(line.find_last_not_of(' ') + 1);
        table += line + "\n";
    }
    return table;
}

/// Figures of two runs for a terminal.
[[nodiscard]] inline std::string comparison_as_text(const OtherRun& other) {
    const auto right = [](const std::string& text, std::size_t width) {
        return std::string(width - std::min(width, text.size()), ' ') + text;
    };
    std::string table = "compared with " + other.name + "\n" + right("this run", 36) + right("other", 12) +
                        right("difference", 12) + "\n";
    for (const auto& [name, here, there] : other.figures) {
        if (!here && !there) continue;
        const std::optional<double> difference = here && there ? std::optional(*here - *there) : std::nullopt;
        table += name + right(cell(here), 36 - std::min<std::size_t>(36, name.size())) + right(cell(there), 12) +
                 right(cell(difference), 12) + "\n";
    }
    return table;
}

}  // namespace panto::io
