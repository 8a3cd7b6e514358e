// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The files a run leaves behind in its folder, by name, and how those of a former run go before a new one begins.

#pragma once

#include <panto/core/check.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace panto::io {

inline constexpr std::array<std::string_view, 6> run_files{"summary.json", "series.csv",   "spectrum.csv",
                                                           "droppers.csv", "supports.csv", "report.html"};

/// Whether write_series, write_summary, write_report or draw_svg make files of that name, finished or not.
[[nodiscard]] inline bool is_run_file(std::string_view name) {
    if (name.ends_with(".part")) name.remove_suffix(5);
    if (std::find(run_files.begin(), run_files.end(), name) != run_files.end()) return true;
    return name.starts_with("plot_") && (name.ends_with(".gp") || name.ends_with(".svg") || name.ends_with(".log"));
}

/// Removes what a former run left in the folder, so that nothing of it stands beside the new results. Files of other
/// names, and folders, stay.
/// @throws SetupError naming the file that cannot be removed.
inline void remove_run_files(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (is_run_file(entry.path().filename().string()) && !entry.is_directory(error)) found.push_back(entry.path());
    for (const auto& file : found) {
        std::filesystem::remove(file, error);
        require(!error, "file '" + file.string() + "'", "of a former run cannot be removed: ", error.message());
    }
}

}  // namespace panto::io
