// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Draws with gnuplot: from a script to an SVG picture for an HTML page. POSIX only.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/reason.hpp>
#include <panto/io/file.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace panto::io {

namespace detail {

/// Runs a program without a shell, with its output and errors written to files. Returns its exit status.
/// @throws SetupError if it cannot be started or is killed.
inline int run_program(std::vector<std::string> arguments, const std::filesystem::path& output,
                       const std::filesystem::path& errors) {
    std::vector<char*> pointers;
    for (std::string& a : arguments) pointers.push_back(a.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    pid_t child = 0;
    std::vector<char*> environment;  // with the locale C: decimal points, messages in English
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (!std::string_view(*entry).starts_with("LC_ALL=")) environment.push_back(*entry);
    std::string locale = "LC_ALL=C";
    environment.push_back(locale.data());
    environment.push_back(nullptr);
    const int error = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    require(error == 0, "program '" + arguments[0] + "'", "cannot be started: ", reason(error));
    int status = 0;
    while (waitpid(child, &status, 0) < 0) require(errno == EINTR, "program '" + arguments[0] + "'", reason(errno));
    require(WIFEXITED(status), "program '" + arguments[0] + "'", "was killed by a signal");
    return WEXITSTATUS(status);
}

inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

}  // namespace detail

/// Checks that gnuplot can be started. Call it before a run whose report needs it.
/// @throws SetupError that says how to install gnuplot if it cannot be started.
inline void require_gnuplot(const std::string& program = "gnuplot") {
    try {
        const int status = detail::run_program({program, "--version"}, "/dev/null", "/dev/null");
        require(status == 0, "program '" + program + "'", "failed with exit status ", status);
    } catch (const SetupError& e) {
        throw SetupError(std::string(e.what()) +
                         "; the plots of the report are drawn by gnuplot 5 (Debian: apt-get install gnuplot-nox)");
    }
}

/// Draws one picture and returns it as an <svg> element for an HTML page. The script must not set terminal or output.
/// `name` (letters and digits) must differ between the pictures of a page; `title` is what a screen reader reads.
/// Temporary files are removed in any case.
/// @throws SetupError with the message of gnuplot.
[[nodiscard]] inline std::string draw_svg(const std::filesystem::path& folder, const std::string& name,
                                          std::string_view title, std::string_view script, int width, int height) {
    struct Scratch {  // a folder of its own: another process may draw a picture of this name
        std::string path;
        explicit Scratch(std::string pattern) : path(std::move(pattern)) {
            require(::mkdtemp(path.data()) != nullptr, "folder '" + path + "'", "cannot be created: ", reason(errno));
        }
        Scratch(const Scratch&) = delete;
        Scratch& operator=(const Scratch&) = delete;
        ~Scratch() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
    };
    const Scratch scratch((folder / ("plot_" + name + "_" + std::string(6, 'X'))).string());
    const std::filesystem::path in = scratch.path;
    const std::filesystem::path script_file = in / "plot.gp", svg_file = in / "plot.svg",
                                message_file = in / "plot.log";
    write_text(script_file, "set terminal svg size " + std::to_string(width) + "," + std::to_string(height) +
                                " dynamic noenhanced font 'sans-serif,13' name '" + name + "'\nset encoding utf8\n" +
                                std::string(script));
    // -d: without the user's start-up file, which could change the picture.
    const int status = detail::run_program({"gnuplot", "-d", script_file.string()}, svg_file, message_file);
    std::string svg = read_text(svg_file);
    const std::size_t begin = svg.find("<svg");
    const std::size_t end = svg.rfind("</svg>");
    if (status != 0 || begin == std::string::npos || end == std::string::npos)
        throw SetupError("gnuplot: failed with exit status " + std::to_string(status) + " for '" +
                         script_file.string() + "': " + read_text(message_file));
    svg = svg.substr(begin, end + 6 - begin) + "\n";
    detail::replace_all(svg, "<title>" + name + "</title>", "<title>" + std::string(title) + "</title>");
    for (const std::string_view shared : {"gpDot", "gpPt", "textbox", "greybox", "gnuplot_canvas"})
        detail::replace_all(svg, shared, name + "_" + std::string(shared));
    return svg;
}

}  // namespace panto::io
