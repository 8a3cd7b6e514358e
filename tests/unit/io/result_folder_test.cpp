// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One run at a time in a folder; former results stay until the new ones are complete; nothing is mixed or lost.

#include <panto/io/file.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/session/report.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace panto;
namespace fs = std::filesystem;

namespace result_folder_test {
namespace {

struct Folder {
    fs::path path = fs::temp_directory_path() / ("panto_result_folder_test_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path); }
};

std::map<std::string, std::string> content(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder))
        files[entry.path().filename().string()] = entry.is_directory() ? "folder" : io::read_text(entry.path());
    return files;
}

/// A whole run of another process; it never comes back.
[[noreturn]] void run_and_end(const fs::path& folder, const std::string& mark) {
    try {
        io::ResultFolder results(folder, io::run_files);
        std::ofstream(results.path() / io::running_file) << "time_s\n" << mark << "\n";
        for (const std::string_view name : io::run_files) io::write_text(results.fresh() / name, mark);
        results.swap_in();
    } catch (const SetupError&) {
        ::_exit(2);
    }
    ::_exit(0);
}

}  // namespace

TEST_CASE("New results replace former ones all together, and no other file is touched") {
    const Folder folder;
    for (const char* name : {"series.csv", "supports.csv", "notes.txt"}) io::write_text(folder.path / name, "old");
    {
        io::ResultFolder results(folder.path, io::run_files);
        io::write_text(results.fresh() / "series.csv", "new");
        io::write_text(results.fresh() / "summary.json", "new");
        CHECK(io::read_text(folder.path / "series.csv") == "old");
        CHECK_FALSE(fs::exists(folder.path / "summary.json"));
        results.swap_in();
    }
    CHECK(content(folder.path) ==
          std::map<std::string, std::string>{{"notes.txt", "old"}, {"series.csv", "new"}, {"summary.json", "new"}});
    {
        io::ResultFolder results(folder.path, io::run_files);  // refused later, say
        io::write_text(results.fresh() / "series.csv", "newer");
    }
    CHECK(io::read_text(folder.path / "series.csv") == "new");
    CHECK(content(folder.path).size() == 3);
}

TEST_CASE("One folder takes the results of several runs, one after the other") {
    const Folder folder;
    {
        io::ResultFolder results(folder.path, io::run_files);
        for (const char* run : {"first", "second", "third"}) {
            io::write_text(results.fresh() / "series.csv", run);
            if (std::string(run) == "second") io::write_text(results.fresh() / "spectrum.csv", run);
            results.swap_in();
            CHECK(io::read_text(folder.path / "series.csv") == run);
            CHECK(fs::exists(folder.path / "spectrum.csv") == (std::string(run) == "second"));
        }
    }
    CHECK(content(folder.path) == std::map<std::string, std::string>{{"series.csv", "third"}});
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("A report of an earlier run is removed, one of the user is kept until there is a new one") {
    const Folder folder;
    const fs::path report = folder.path / "report.html";
    const auto next = [&](bool with_report) {
        io::ResultFolder results(folder.path, io::run_files);
        if (with_report) io::write_report(results.fresh(), {.version = "0.1"});
        results.swap_in();
    };
    io::write_text(report, "<html>mine, written by hand</html>");
    next(false);
    CHECK(io::read_text(report) == "<html>mine, written by hand</html>");
    next(true);
    CHECK(io::read_text(report).find("mine") == std::string::npos);
    next(false);
    CHECK_FALSE(fs::exists(report));
}

TEST_CASE("Results may be in folders below, and behind a link the file is replaced") {
    const Folder folder;
    fs::create_directories(folder.path / "elsewhere");
    io::write_text(folder.path / "elsewhere" / "fit.json", "old");
    io::write_text(folder.path / "elsewhere" / "mine", "mine");
    fs::create_directories(folder.path / "results");
    fs::create_symlink("../elsewhere/fit.json", folder.path / "results" / "fit.json");
    fs::create_symlink("results", folder.path / "link");
    const std::string names[] = {"fit.json", "slab/series.csv"};
    io::ResultFolder results(folder.path / "link", names);
    fs::create_directories(results.fresh() / "slab");
    io::write_text(results.fresh() / "slab" / "series.csv", "new");
    io::write_text(results.fresh() / "fit.json", "new");
    results.swap_in();
    CHECK(io::read_text(folder.path / "results" / "slab" / "series.csv") == "new");
    CHECK(fs::is_symlink(folder.path / "results" / "fit.json"));
    CHECK(fs::is_symlink(folder.path / "link"));
    CHECK(io::read_text(folder.path / "elsewhere" / "fit.json") == "new");
    CHECK(io::read_text(folder.path / "elsewhere" / "mine") == "mine");
}

TEST_CASE("A folder in use is refused; a dead process holds nothing") {
    const Folder folder;
    std::optional<io::ResultFolder> first;
    first.emplace(folder.path, io::run_files);
    CHECK_THROWS_WITH_AS(io::ResultFolder(folder.path, io::run_files),
                         doctest::Contains("another run is writing into it: wait"), SetupError);
    first.reset();
    CHECK_NOTHROW(io::ResultFolder(folder.path, io::run_files));
    fs::create_directories(folder.path / "series.csv");
    CHECK_THROWS_WITH_AS(io::ResultFolder(folder.path, io::run_files),
                         doctest::Contains("series.csv': is a folder or a device"), SetupError);
}

TEST_CASE("The record of a killed run is kept up to its last whole line, under a name of its own") {
    const Folder folder;
    const auto begin = [&](const std::string& record) {
        io::write_text(folder.path / io::running_file, record);
        return io::ResultFolder(folder.path, io::run_files).killed_run().filename().string();
    };
    CHECK(begin("# c\ntime_s,force_N\n0,1\n0.5,2\n1.0,") == "killed_run.csv");
    CHECK(io::read_text(folder.path / "killed_run.csv") == "# c\ntime_s,force_N\n0,1\n0.5,2\n");
    CHECK(begin("time_s,force_N\nnan,inf\n") == "killed_run_2.csv");
    for (const char* empty : {"", "# c", "# c\n", "# c\ntime_s,force_N\n", "# c\ntime_s,force_N\n0.3"})
        CHECK(begin(empty) == "");
    CHECK(content(folder.path).size() == 2);
}

TEST_CASE("Of a run killed at any moment former or new results are whole, whatever was moved already") {
    const Folder folder;
    int finished = 0;
    for (int i = 0; i < 60; ++i) {
        const std::string mark = std::to_string(i);
        const pid_t child = ::fork();
        if (child == 0) run_and_end(folder.path, mark);
        std::this_thread::sleep_for(std::chrono::microseconds(37 * i));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        finished += WIFEXITED(status);
        std::optional<io::ResultFolder>(std::in_place, folder.path, io::run_files).reset();  // ends what was begun
        std::map<std::string, std::string> files = content(folder.path);
        std::erase_if(files, [](const auto& file) { return file.first.starts_with("killed_run"); });
        CHECK((files.empty() || files.size() == io::run_files.size()));
        for (const auto& file : files) CHECK_MESSAGE(file.second == files.begin()->second, file.first);
        if (WIFEXITED(status)) CHECK(files.begin()->second == mark);
    }
    CHECK(finished < 60);  // else nothing was tried
}

TEST_CASE("Two runs at the same moment: one does it all, the other is refused, 25 times of 25") {
    const Folder folder;
    for (int i = 0; i < 25; ++i) {
        pid_t children[2];
        for (pid_t& child : children) {
            child = ::fork();
            if (child == 0) run_and_end(folder.path, &child == children ? "first" : "second");
        }
        for (const pid_t child : children) {
            int status = 0;
            ::waitpid(child, &status, 0);
            CHECK(WIFEXITED(status));
        }
        std::map<std::string, std::string> files = content(folder.path);
        std::erase_if(files, [](const auto& file) { return file.first.starts_with("."); });
        REQUIRE(files.size() == io::run_files.size());
        for (const auto& file : files) CHECK_MESSAGE(file.second == files.begin()->second, file.first);
    }
}

}  // namespace result_folder_test
