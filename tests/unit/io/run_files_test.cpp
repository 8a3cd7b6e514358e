// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Nothing of a former run stands beside the results of a new one, and nothing else is touched.

#include <panto/io/run_csv.hpp>
#include <panto/io/run_files.hpp>
#include <panto/io/summary_json.hpp>

#include "sample_run.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <unistd.h>

using namespace panto;
namespace fs = std::filesystem;

namespace run_files_test {

TEST_CASE("Every file a run writes is removed before the next one, and no other") {
    const fs::path folder = fs::temp_directory_path() / ("panto_run_files_test_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    io::write_series(folder, test::sample_run());
    io::write_summary(folder / "summary.json", test::sample_run());
    for (const char* name : {"report.html", "plot_force.gp", "plot_force.svg", "plot_force.log", "series.csv.part"})
        io::write_text(folder / name, "old");
    const std::set<std::string> mine{"notes.txt", "plot_of_mine.png", "series.csv.bak", "line.json"};
    for (const std::string& name : mine) io::write_text(folder / name, "mine");
    fs::create_directories(folder / "plot_folder.gp");
    io::remove_run_files(folder);
    std::set<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder)) left.insert(entry.path().filename().string());
    std::set<std::string> expected = mine;
    expected.insert("plot_folder.gp");
    CHECK(left == expected);
    fs::remove_all(folder);
}

}  // namespace run_files_test
