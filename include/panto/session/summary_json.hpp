// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// summary.json: the figures of a run under names that do not change, for scripts. The unit is part of the key. A
/// figure that the run does not have is null.

#pragma once

#include <panto/io/json_object.hpp>
#include <panto/session/run_record.hpp>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace panto::io {

namespace detail {

[[nodiscard]] inline nlohmann::ordered_json number_or_null(const std::optional<double>& value, double scale = 1.0) {
    if (!value || !is_finite(*value)) return nullptr;
    if (scale == 1.0) return *value;
    const std::string digits = shown(*value * scale, 12);  // so that 0.0625 m is 62.5 mm, not 62.500000000000007
    double rounded = 0.0;
    std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
    return rounded;
}

[[nodiscard]] inline nlohmann::ordered_json text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return text;
}

[[nodiscard]] inline std::string_view verdict_name(Verdict v) {
    switch (v) {
        case Verdict::pass: return "pass";
        case Verdict::fail: return "fail";
        case Verdict::no_limit: return "no limit";
        case Verdict::no_value: return "no value";
    }
    return "unknown";
}

}  // namespace detail

/// The summary, with its keys in the order of the file.
[[nodiscard]] inline nlohmann::ordered_json summary_of(const RunRecord& run) {
    using detail::number_or_null;
    using detail::text_or_null;
    const Figures& f = run.figures;
    nlohmann::ordered_json json = {
        {"catenary", text_or_null(run.catenary)},
        {"pantograph", text_or_null(run.pantograph)},
        {"speed_kmh", number_or_null(run.speed, 3.6)},
        {"mode", text_or_null(run.mode)},
        {"controller", text_or_null(run.controller)},
        {"seed", nullptr},
        {"version", text_or_null(run.version)},
        {"inputs_hash", text_or_null(run.inputs_hash)},
        {"mean_N", number_or_null(f.mean)},
        {"sigma_0_20_N", number_or_null(f.sigma_0_20)},
        {"statistical_max_N", number_or_null(f.statistical_max)},
        {"statistical_min_N", number_or_null(f.statistical_min)},
        {"actual_max_N", number_or_null(f.actual_max)},
        {"actual_min_N", number_or_null(f.actual_min)},
        {"uplift_max_mm", number_or_null(f.uplift_max, 1e3)},
        {"contact_loss_percent", number_or_null(f.contact_loss, 1e2)},
        {"error_filtered_percent", number_or_null(f.error_filtered, 1e2)},
        {"error_raw_percent", number_or_null(f.error_raw, 1e2)},
        {"position_error_rms_mm", number_or_null(f.position_error_rms, 1e3)},
        {"position_error_max_mm", number_or_null(f.position_error_max, 1e3)},
        {"step_median_us", number_or_null(run.step_times.median, 1e6)},
        {"step_p999_us", number_or_null(run.step_times.p999, 1e6)},
        {"step_max_us", number_or_null(run.step_times.longest, 1e6)},
        {"overruns", nullptr},
        {"fault", text_or_null(run.fault)},
    };
    json["warnings"] = run.warnings;
    if (run.seed) json["seed"] = *run.seed;
    if (run.overruns) json["overruns"] = *run.overruns;
    json["filter"] = text_or_null(run.filter);
    json["window_m"] = nullptr;
    if (run.window) json["window_m"] = {run.window->first, run.window->second};
    json["results"] = nlohmann::ordered_json::array();
    for (const ResultRow& row : run.results)
        json["results"].push_back({{"name", row.name},
                                   {"value", number_or_null(row.value)},
                                   {"unit", row.unit},
                                   {"low", number_or_null(row.low)},
                                   {"high", number_or_null(row.high)},
                                   {"tolerance", row.tolerance},
                                   {"verdict", detail::verdict_name(verdict(row))},
                                   {"confidence", text_or_null(row.confidence)}});
    json["metadata"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : run.metadata) json["metadata"][name] = value;
    return json;
}

/// @throws SetupError naming the file if it cannot be written.
inline void write_summary(const std::filesystem::path& file, const RunRecord& run) {
    write_text(file, pretty(summary_of(run)) + "\n");
}

}  // namespace panto::io
