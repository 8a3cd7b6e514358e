// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Comparison of two runs: the results of another run, shown in the report of this one.

#pragma once

#include <panto/core/check.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/session/run_record.hpp>
#include <panto/session/summary_json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace panto::io {

namespace detail {

/// Figures of a summary that are compared.
inline constexpr std::array<std::string_view, 15> compared{"speed_kmh",
                                                           "mean_N",
                                                           "sigma_0_20_N",
                                                           "statistical_max_N",
                                                           "statistical_min_N",
                                                           "actual_max_N",
                                                           "actual_min_N",
                                                           "uplift_max_mm",
                                                           "contact_loss_percent",
                                                           "error_filtered_percent",
                                                           "error_raw_percent",
                                                           "position_error_rms_mm",
                                                           "position_error_max_mm",
                                                           "step_median_us",
                                                           "step_p999_us"};

[[nodiscard]] inline std::optional<double> figure(const nlohmann::json& summary, std::string_view name) {
    const auto found = summary.find(name);
    return found != summary.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

}  // namespace detail

/// Series and figures of the run in `folder`. Read them before a new run replaces them.
/// @throws SetupError naming the file that is missing, damaged or not from a run.
[[nodiscard]] inline OtherRun read_other_run(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "summary.json";
    const nlohmann::json summary = parse_json(read_text(file), file.string());
    const auto text = [&](const char* key) {
        const auto found = summary.is_object() ? summary.find(key) : summary.end();
        require(summary.is_object() && found != summary.end(), "file '" + file.string() + "'", key,
                ": missing, the summary of a run is needed");
        if (found->is_number()) return shown(found->get<double>());
        return found->is_string() ? found->get<std::string>() : found->dump();
    };
    OtherRun other;
    for (const char* key : {"catenary", "pantograph", "speed_kmh", "mode"}) {
        const std::string known = text(key), unit = key == std::string_view("speed_kmh") ? " km/h" : "";
        if (known != "null") other.name += (other.name.empty() ? "" : " · ") + known + unit;
    }
    if (other.name.empty()) other.name = folder.string();
    for (const std::string_view name : detail::compared)
        other.figures.push_back({std::string(name), {}, detail::figure(summary, name)});
    const CsvTable series = read_csv(folder / "series.csv");
    other.position = series.column("position_m");
    const bool filtered = std::any_of(series.columns.begin(), series.columns.end(),
                                      [](const CsvColumn& c) { return c.name == "contact_force_filtered_N"; });
    other.force_filtered = series.column(filtered ? "contact_force_filtered_N" : "contact_force_N");
    return other;
}

/// Adds the other run to this one and compares their figures. Call it after this run has been evaluated.
inline void compare_runs(RunRecord& run, OtherRun other) {
    const nlohmann::json here = summary_of(run);
    for (OtherRun::Figure& f : other.figures) f.here = detail::figure(here, f.name);
    run.other = std::move(other);
}

}  // namespace panto::io
