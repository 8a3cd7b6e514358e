// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The output folder of a program: one process writes into it at a time, old results stay until the new
/// ones are complete, and the record of a killed run is kept. POSIX only.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/reason.hpp>
#include <panto/io/file.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace panto::io {

/// The files that write_series, write_summary, write_report and Session::write can write.
inline constexpr std::array<std::string_view, 7> run_files{"summary.json", "series.csv", "spectrum.csv", "droppers.csv",
                                                           "supports.csv", "cycles.csv", "report.html"};

/// The record of a run in progress, see Spool.
inline constexpr std::string_view running_file = "running.csv";

/// New results are written into fresh(). swap_in() then moves them all together into the folder and removes old results
/// that have no new version; it can be repeated, for instance for the next run. If the program is killed before
/// swap_in(), the old results are unchanged; if it is killed while it moves files, the next program completes the move.
class ResultFolder {
  public:
    /// Creates the folder if it does not exist and locks it (flock; the lock ends with the process).
    /// @param names  of the results; files with other names are never touched. A report.html that panto did not write
    /// stays unless there is a new one
    /// @throws SetupError naming the folder if it cannot be used or another process writes into it, or naming the file
    /// if a folder or device has the name of a result.
    template <class Names>
    ResultFolder(const std::filesystem::path& folder, const Names& names);
    ResultFolder(const ResultFolder&) = delete;
    ResultFolder& operator=(const ResultFolder&) = delete;
    ~ResultFolder() {
        std::error_code ignored;
        if (!fresh().empty()) std::filesystem::remove_all(fresh(), ignored);
    }

    /// The folder into which new results are written; it is inside the result folder, on the same file system.
    [[nodiscard]] std::filesystem::path fresh() const { return folder_ / ".panto_new"; }
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_; }
    /// The file with the record of a killed run; empty if there was none in the folder.
    [[nodiscard]] const std::filesystem::path& killed_run() const noexcept { return killed_run_; }

    /// Replaces the old results by the new ones, and removes the record of the run in progress.
    /// @throws SetupError naming the file that cannot be put in place; the next program then completes the move.
    void swap_in() {
        rename(fresh(), complete());  // from here on the new results are the valid ones
        remove_former();
        move_in();
        std::error_code error;
        std::filesystem::create_directory(fresh(), error);
        require(!error, where_, "is not writable: ", reason(error.value()));
    }

  private:
    struct Descriptor {
        int descriptor = -1;
        Descriptor() = default;
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;
        ~Descriptor() {
            if (descriptor >= 0) ::close(descriptor);
        }
    };

    [[nodiscard]] std::filesystem::path complete() const { return folder_ / ".panto_complete"; }
    [[nodiscard]] std::filesystem::path moving() const { return folder_ / ".panto_moving"; }

    static void rename(const std::filesystem::path& from, const std::filesystem::path& to) {
        std::error_code error;
        std::filesystem::rename(from, to, error);
        require(!error, "file '" + to.string() + "'", "cannot be moved to its place: ", reason(error.value()));
    }

    /// Whether a report is not a page of panto. One that cannot be read stays too.
    static bool of_the_user(const std::filesystem::path& file) {
        if (file.filename() != "report.html" || !std::filesystem::exists(file)) return false;
        try {
            return read_text(file).find(page_mark) == std::string::npos;
        } catch (const SetupError&) {
            return true;
        }
    }

    /// Removes old results that have no new version, then renames the folder with the new results to mark the removal
    /// as done.
    void remove_former() {
        std::error_code error;
        for (const std::string& name : names_) {
            if (std::filesystem::exists(complete() / name) || of_the_user(folder_ / name)) continue;
            std::filesystem::remove(folder_ / name, error);
            require(!error, "file '" + (folder_ / name).string() + "'",
                    "is left from an earlier run and cannot be removed: ", reason(error.value()));
        }
        rename(complete(), moving());
    }

    void move_in() {
        std::error_code error;
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(moving(), error))
            if (!entry.is_directory()) files.push_back(entry.path());
        require(!error, where_, "cannot be read: ", reason(error.value()));
        for (const auto& file : files) {
            const std::filesystem::path target = folder_ / file.lexically_relative(moving());
            std::filesystem::create_directories(target.parent_path(), error);
            if (std::filesystem::is_symlink(target, error)) {  // replace the file that the link points to, not the link
                write_text(target, read_text(file));
            } else {
                rename(file, target);
            }
        }
        std::filesystem::remove(folder_ / running_file, error);
        std::filesystem::remove_all(moving(), error);
    }

    /// Cuts the record of a killed run after its last whole line, and gives it a name that no run touches.
    void keep_killed_run() {
        const std::filesystem::path record = folder_ / running_file;
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(record, error);
        if (error) return;
        constexpr std::uintmax_t longest_line = 1 << 16;
        const std::uintmax_t begin = size > longest_line ? size - longest_line : 0;
        std::string tail(static_cast<std::size_t>(size - begin), '\0');
        std::ifstream stream(record, std::ios::binary);
        stream.seekg(static_cast<std::streamoff>(begin));
        stream.read(tail.data(), static_cast<std::streamsize>(tail.size()));
        stream.close();
        const std::size_t end = tail.rfind('\n');
        const std::size_t line = end == std::string::npos || end == 0 ? end : tail.rfind('\n', end - 1);
        double number = 0.0;
        const bool recorded =
            line != std::string::npos && std::from_chars(&tail[line] + 1, tail.data() + end, number).ec == std::errc();
        if (!recorded) {
            std::filesystem::remove(record, error);
            return;
        }
        std::filesystem::resize_file(record, begin + end + 1, error);
        killed_run_ = folder_ / "killed_run.csv";
        for (int i = 2; std::filesystem::exists(killed_run_); ++i)
            killed_run_ = folder_ / ("killed_run_" + std::to_string(i) + ".csv");
        rename(record, killed_run_);
    }

    std::string where_;
    std::vector<std::string> names_;
    std::filesystem::path folder_;
    std::filesystem::path killed_run_;
    Descriptor lock_;
};

template <class Names>
ResultFolder::ResultFolder(const std::filesystem::path& folder, const Names& names)
    : where_("output folder '" + folder.string() + "'"), names_(std::begin(names), std::end(names)) {
    require_writable(folder);
    std::error_code error;
    folder_ = std::filesystem::canonical(folder, error);
    require(!error, where_, "cannot be found: ", reason(error.value()));
    lock_.descriptor = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(lock_.descriptor >= 0, where_, "cannot be opened: ", reason(errno));
    // On a file system without locks there is no protection.
    if (::flock(lock_.descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw SetupError(where_ +
                         ": another run is writing into it: wait for it to end, or choose "
                         "another folder");
    if (std::filesystem::exists(complete())) remove_former();
    if (std::filesystem::exists(moving())) move_in();
    std::filesystem::remove_all(fresh(), error);
    keep_killed_run();
    for (const std::string& name : names_) {
        const auto there = std::filesystem::status(folder_ / name, error);
        require(!std::filesystem::exists(there) || std::filesystem::is_regular_file(there),
                "file '" + (folder / name).string() + "'", "is a folder or a device, a file is needed");
    }
    std::filesystem::create_directory(fresh(), error);
    require(!error, where_, "is not writable: ", reason(error.value()));
}

#ifdef PANTO_COMPILED
extern template ResultFolder::ResultFolder(const std::filesystem::path&, const std::array<std::string_view, 7>&);
#endif

}  // namespace panto::io
