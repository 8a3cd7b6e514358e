// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The series of a run as CSV tables: along time, at supports, at droppers, the spectrum.

#pragma once

#include <panto/io/csv.hpp>
#include <panto/session/run_record.hpp>

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace panto::io {

/// One line per sample; series that the run does not have are left out.
/// @throws SetupError as validate() does.
[[nodiscard]] inline CsvTable series_of(const RunRecord& run) {
    validate(run);
    CsvTable table;
    table.comments = {title_of(run, ", ") + ", " + run.mode,
                      "sampling instants: " + (run.sampling.empty() ? "not stated" : run.sampling)};
    for (char& c : table.comments.front())  // names come from files, but the comment must be one line
        if (c == '\n' || c == '\r') c = ' ';
    if (!run.filter.empty()) table.comments.push_back("filter of contact_force_filtered_N: " + run.filter);
    const auto add = [&](const std::string& name, const std::vector<double>& values) {
        if (!values.empty() || table.columns.empty()) table.columns.push_back({name, values});
    };
    add("time_s", run.time);
    add("position_m", run.position);
    add("contact_force_N", run.force_raw);
    add("contact_force_filtered_N", run.force_filtered);
    add("wire_height_m", run.wire_height);
    add("reference_position_m", run.reference_position);
    add("achieved_position_m", run.achieved_position);
    for (const OwnChart& chart : run.own_charts)
        for (const OwnChart::Series& series : chart.series) add(series.column, series.values);
    return table;
}

/// The head of a Spool for a run in progress: the columns of series.csv without the filtered force, which is only known
/// at the end.
template <class = void>
[[nodiscard]] CsvTable spool_head(const RunRecord& run, bool with_drive) {
    CsvTable head{{}, {{"time_s", {}}, {"position_m", {}}, {"contact_force_N", {}}, {"wire_height_m", {}}}};
    head.comments = series_of(run).comments;
    head.comments.resize(2);  // without the comment on the filter
    head.comments.emplace_back("recorded while the run went on; a run that ends removes this file");
    if (with_drive)
        for (const char* name : {"reference_position_m", "achieved_position_m"}) head.columns.push_back({name, {}});
    return head;
}

/// One line per support.
[[nodiscard]] inline CsvTable supports_of(const RunRecord& run) {
    CsvTable table{{"largest uplift of the contact wire over the run; nan where it was not recorded"},
                   {{"position_m", {}}, {"uplift_max_m", {}}}};
    for (const SupportUplift& s : run.supports) {
        table.columns[0].values.push_back(s.position);
        table.columns[1].values.push_back(s.uplift_max.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return table;
}

/// One line per dropper.
[[nodiscard]] inline CsvTable droppers_of(const RunRecord& run) {
    CsvTable table{{"droppers over the whole run"},
                   {{"position_m", {}},
                    {"static_force_N", {}},
                    {"minimum_force_N", {}},
                    {"slack_count", {}},
                    {"slack_time_s", {}}}};
    for (const DropperForce& d : run.droppers) {
        table.columns[0].values.push_back(d.position);
        table.columns[1].values.push_back(d.static_force);
        table.columns[2].values.push_back(d.minimum);
        table.columns[3].values.push_back(d.slack_count);
        table.columns[4].values.push_back(d.slack_time);
    }
    return table;
}

/// One line per frequency.
/// @throws SetupError as validate() does.
[[nodiscard]] inline CsvTable spectrum_of(const RunRecord& run) {
    validate(run);
    return {{"one-sided amplitude spectrum of contact_force_N"},
            {{"frequency_Hz", run.spectrum_frequency}, {"amplitude_N", run.spectrum_amplitude}}};
}

/// Writes series.csv and, if the run has them, supports.csv, droppers.csv and spectrum.csv into the folder.
/// @throws SetupError as validate() does, or naming the file that cannot be written.
template <class = void>
void write_series(const std::filesystem::path& folder, const RunRecord& run) {
    write_csv(folder / "series.csv", series_of(run));
    if (!run.supports.empty()) write_csv(folder / "supports.csv", supports_of(run));
    if (!run.droppers.empty()) write_csv(folder / "droppers.csv", droppers_of(run));
    if (!run.spectrum_frequency.empty()) write_csv(folder / "spectrum.csv", spectrum_of(run));
}

#ifdef PANTO_COMPILED
extern template CsvTable spool_head(const RunRecord&, bool);
extern template void write_series(const std::filesystem::path&, const RunRecord&);
#endif

}  // namespace panto::io
