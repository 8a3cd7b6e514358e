// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The results of a run as plain data, for summary, series and report. Fields that do not apply to a run stay empty.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/status.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::io {

enum class Verdict { pass, fail, no_limit, no_value };

/// One line of the table of results.
struct ResultRow {
    std::string name = {};
    std::optional<double> value = {};
    std::string unit = {};
    std::optional<double> low = {};   ///< lowest allowed value, in `unit`
    std::optional<double> high = {};  ///< highest allowed value, in `unit`
    std::string confidence = {};      ///< confidence in the limit, and its source
    std::optional<bool> met{};  ///< verdict of a criterion, which allows for rounding; if empty, the limits decide
    bool low_excluded = false;  ///< the value must be above `low`, not equal to it
    double tolerance = 0.0;     ///< a value this far beyond a limit still meets it
};

/// A value equal to a limit meets it, unless the limit is excluded, and so does one within the tolerance. A value that
/// is not finite fails.
[[nodiscard]] inline Verdict verdict(const ResultRow& row) {
    if (!row.low && !row.high) return Verdict::no_limit;
    if (!row.value) return Verdict::no_value;
    if (row.met) return *row.met ? Verdict::pass : Verdict::fail;
    const bool kept =
        is_finite(*row.value) &&
        (!row.low || (row.low_excluded ? *row.value > *row.low : *row.value >= *row.low - row.tolerance)) &&
        (!row.high || *row.value <= *row.high + row.tolerance);
    return kept ? Verdict::pass : Verdict::fail;
}

/// The figures that summary.json holds under fixed names, in SI units.
struct Figures {
    std::optional<double> mean = {};                ///< N
    std::optional<double> sigma_0_20 = {};          ///< N
    std::optional<double> statistical_max = {};     ///< N
    std::optional<double> statistical_min = {};     ///< N
    std::optional<double> actual_max = {};          ///< N
    std::optional<double> actual_min = {};          ///< N
    std::optional<double> uplift_max = {};          ///< m
    std::optional<double> contact_loss = {};        ///< share of time, 0 to 1
    std::optional<double> error_filtered = {};      ///< error index of the filtered force, 0 to 1
    std::optional<double> error_raw = {};           ///< error index of the raw force, 0 to 1
    std::optional<double> position_error_rms = {};  ///< m
    std::optional<double> position_error_max = {};  ///< m
};

struct ForceLimit {
    std::string name = {};
    double value = 0.0;  ///< N
};

struct SupportUplift {
    double position = 0.0;                  ///< m along the track
    std::optional<double> uplift_max = {};  ///< m; empty where it was not recorded
};

struct DropperForce {
    double position = 0.0;      ///< m along the track
    double static_force = 0.0;  ///< N, in the static configuration
    double minimum = 0.0;       ///< N, smallest force over the run
    int slack_count = 0;        ///< number of times it went slack
    double slack_time = 0.0;    ///< s, total time slack
};

/// Durations of the steps. Bins may have any width; empty ones may be left out.
struct StepTimes {
    struct Bin {
        double low = 0.0;   ///< s
        double high = 0.0;  ///< s
        std::int64_t count = 0;
    };
    std::optional<double> median = {};   ///< s
    std::optional<double> p999 = {};     ///< s, not exceeded by 99.9 % of all steps
    std::optional<double> longest = {};  ///< s
    std::optional<double> period = {};   ///< s, longest time that a step may take
    std::vector<Bin> bins = {};
};

/// A chart of a program's own along the track; its series are also columns of series.csv.
struct OwnChart {
    struct Series {
        std::string column = {};  ///< in series.csv, with the unit: correction_N
        std::string label = {};   ///< in the chart
        std::vector<double> values = {};
    };
    std::string name = {};  ///< one word
    std::string title = {}, caption = {}, y_label = {};
    std::vector<Series> series = {};
};

/// Another run for comparison.
struct OtherRun {
    /// A figure of both runs, with its name in summary.json; empty if a run does not have it.
    struct Figure {
        std::string name{};
        std::optional<double> here{}, there{};
    };
    std::string name{};                    ///< line, pantograph, speed
    std::vector<double> position{};        ///< m
    std::vector<double> force_filtered{};  ///< N; the raw force if the run was not evaluated
    std::vector<Figure> figures{};
};

struct RunRecord {
    std::string catenary = {};  ///< a session asks the line for it: its section's name, or its own name()
    std::string pantograph = {};
    std::string mode = {};        ///< simulate, hil
    std::string controller = {};  ///< empty if there is none
    double speed = 0.0;           ///< m/s
    std::optional<std::uint64_t> seed = {};
    std::string version = {};                                        ///< of the library
    std::string inputs_hash = {};                                    ///< fingerprint() of everything the run depends on
    std::string fault = {};                                          ///< why the run ended early; empty if it did not
    std::vector<std::string> warnings = {};                          ///< problems that did not end the run
    std::optional<std::int64_t> overruns = {};                       ///< steps that missed their deadline
    std::vector<std::pair<std::string, std::string>> metadata = {};  ///< further information for the reader, in order

    Figures figures = {};
    std::vector<ResultRow> results = {};
    std::optional<std::pair<double, double>> window = {};  ///< m along the track, the part that is evaluated

    std::string sampling = {};                    ///< instants of the samples
    std::string filter = {};                      ///< of the filtered force, by name
    std::vector<double> time = {};                ///< s
    std::vector<double> position = {};            ///< m along the track, of the contact point
    std::vector<double> force_raw = {};           ///< N
    std::vector<double> force_filtered = {};      ///< N
    std::vector<double> wire_height = {};         ///< m, of the contact wire above the strip
    std::vector<double> reference_position = {};  ///< m, the reference of the drive; empty without a drive
    std::vector<double> achieved_position = {};   ///< m, the position of the drive
    std::vector<ForceLimit> force_limits = {};    ///< drawn in the chart of the force
    std::vector<OwnChart> own_charts = {};

    std::vector<SupportUplift> supports = {};
    std::vector<DropperForce> droppers = {};
    std::vector<double> spectrum_frequency = {};  ///< Hz
    std::vector<double> spectrum_amplitude = {};  ///< N
    StepTimes step_times = {};
    std::optional<OtherRun> other{};
};

/// Line, pantograph and speed, joined by `between`. A name that is not known is left out.
[[nodiscard]] inline std::string title_of(const RunRecord& run, std::string_view between) {
    std::string title;
    for (const std::string& name : {run.catenary, run.pantograph})
        if (!name.empty()) title.append(name).append(between);
    return title + shown(run.speed * 3.6) + " km/h";
}

/// @throws SetupError naming the series and its length, unless all have the same length. Values that are not finite are
/// allowed: the record of a faulty run contains them.
inline void validate(const RunRecord& run) {
    constexpr const char* where = "io::RunRecord";
    const auto same_length = [&](const std::vector<double>& series, std::string_view name, std::size_t length) {
        require(series.empty() || series.size() == length, where, name, " has ", series.size(), " values, expected ",
                length, " or none");
    };
    same_length(run.position, "position", run.time.size());
    same_length(run.force_raw, "force_raw", run.time.size());
    same_length(run.force_filtered, "force_filtered", run.time.size());
    same_length(run.wire_height, "wire_height", run.time.size());
    same_length(run.reference_position, "reference_position", run.time.size());
    same_length(run.achieved_position, "achieved_position", run.time.size());
    for (const OwnChart& chart : run.own_charts)
        for (const OwnChart::Series& series : chart.series) {
            require(!series.column.empty(), where, "a series of the chart ", chart.name, " has no column name");
            same_length(series.values, series.column, run.time.size());
        }
    same_length(run.spectrum_amplitude, "spectrum_amplitude", run.spectrum_frequency.size());
    require(run.time.empty() || !run.position.empty(), where, "position is empty although there are samples");
}

/// Median, 99.9 % quantile and histogram of step times in seconds. All bins have the same ratio, eight per octave.
[[nodiscard]] inline StepTimes step_times_of(std::vector<double> seconds) {
    StepTimes times;
    std::erase_if(seconds, [](double s) { return !(s > 0.0) || !is_finite(s); });
    if (seconds.empty()) return times;
    std::sort(seconds.begin(), seconds.end());
    // Nearest rank: the smallest value that at least this share of all samples does not exceed.
    const auto quantile = [&](double share) {
        const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(seconds.size())));
        return seconds[std::max<std::size_t>(rank, 1) - 1];
    };
    times.median = quantile(0.5);
    times.p999 = quantile(0.999);
    times.longest = seconds.back();
    for (const double s : seconds) {
        if (times.bins.empty() || !(s < times.bins.back().high)) {
            const double low = std::exp2(std::floor(8.0 * std::log2(s)) / 8.0);
            times.bins.push_back({low, std::max(low * std::exp2(0.125), std::nextafter(s, 1e300)), 0});
        }
        ++times.bins.back().count;
    }
    return times;
}

/// Whether a user stopped the run before anything was recorded.
[[nodiscard]] inline bool stopped_before_it_began(const RunRecord& run) {
    return run.position.empty() && run.fault.find(name(Status::stopped_by_user)) != std::string::npos;
}

}  // namespace panto::io
