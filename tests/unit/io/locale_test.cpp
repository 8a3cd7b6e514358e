// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Nothing that panto writes, hashes or reads follows the locale of the program around it.

#include <panto/core/names.hpp>
#include <panto/core/reason.hpp>
#include <panto/ident/confidence.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/machine.hpp>
#include <panto/io/page.hpp>
#include <panto/io/pantograph_json.hpp>
#include <panto/io/progress.hpp>
#include <panto/io/section_json.hpp>
#include <panto/session/report.hpp>
#include <panto/session/results_table.hpp>
#include <panto/session/run_csv.hpp>
#include <panto/session/summary_json.hpp>

#include "sample_run.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace panto;

namespace locale_test {
namespace {

/// "50.000,5", as in Germany.
struct German : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

/// While one lives the C locale has these signs in its numbers. Systems rarely have the locale a test needs, so its
/// file LC_NUMERIC is made here, as glibc reads it: a magic number, six offsets, six values.
struct NumbersOf {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("panto_locale_" + std::to_string(getpid()));
    bool set = false;
    NumbersOf(const std::string& point, const std::string& thousands) {
        const std::string name = "made" + std::to_string(point.size());  // glibc keeps a locale that it has read
        const auto nul = [](const std::string& s) { return s + '\0'; };
        const std::array<std::string, 6> values{nul(point),           nul(thousands),       nul("\3"),
                                                std::string(4, '\1'), std::string(4, '\1'), nul("UTF-8")};
        std::vector<std::uint32_t> head{0x20031115u ^ LC_NUMERIC, 6u};
        std::string body;
        for (std::size_t i = 0; i < values.size(); ++i) {
            while (i > 2 && body.size() % 4 > 0) body += '\0';
            head.push_back(static_cast<std::uint32_t>(32 + body.size()));
            body += values[i];
        }
        std::filesystem::create_directories(folder / name);
        std::ofstream file(folder / name / "LC_NUMERIC", std::ios::binary);
        for (const std::uint32_t number : head) file.write(reinterpret_cast<const char*>(&number), 4);
        file << body;
        file.close();
        ::setenv("LOCPATH", folder.c_str(), 1);
        set = std::setlocale(LC_NUMERIC, name.c_str()) != nullptr;
    }
    NumbersOf(const NumbersOf&) = delete;
    NumbersOf& operator=(const NumbersOf&) = delete;
    ~NumbersOf() {
        std::setlocale(LC_NUMERIC, "C");
        ::unsetenv("LOCPATH");
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
};

/// While one lives the program is German: the global locale of C++, and that of C.
struct GermanProgram {
    std::locale before{std::locale::global(std::locale(std::locale::classic(), new German))};
    NumbersOf c{",", "."};
    GermanProgram() = default;
    GermanProgram(const GermanProgram&) = delete;
    GermanProgram& operator=(const GermanProgram&) = delete;
    ~GermanProgram() { std::locale::global(before); }
};

/// Everything that is written for a run, and what is read back from it.
std::string everything() {
    io::RunRecord run = test::sample_run();
    run.position[7] = 12345.678;
    run.figures.mean = 1234.5678;
    run.results.push_back({"large", 54321.9, "N", 1234.5, 2e6, ""});
    std::string all = shown(50000.0) + shown(1234567.5, 3) + fixed_point(54321.25, 1);
    all += io::pretty(io::summary_of(run)) + io::results_as_text(run) + io::csv_to_text(io::series_of(run));
    all += io::csv_to_text(io::supports_of(run)) + io::csv_to_text(io::droppers_of(run));
    for (const io::Chart& chart : io::charts_of(run)) all += io::plot_of(chart).script + io::detail::js_chart(chart);
    all += io::detail::bars_html({"", "", {{"a", 1234.5678, std::pair(1000.5, 2000.5)}}});
    all += io::date_now().substr(0, 13);
    run.metadata.emplace_back("date", "of one of two calls");
    all += io::detail::metadata_table(run) + io::detail::results_table(run);
    all += io::Progress::line(1234.5, 1000.0, 54321.0);
    const std::string section = io::section_to_text(catenary::stitched_hil(3));
    const std::string pantograph = io::pantograph_to_text(pantograph::preset("DSA380_HiL"));
    all += section + pantograph + io::fingerprint(section + pantograph);
    all += io::section_to_text(io::section_from_text(section, "section"));
    all += io::pantograph_to_text(io::pantograph_from_text(pantograph, "pantograph"));
    all += io::csv_to_text(io::csv_from_text("a,b\n1234.5,-2.5e-3\n", "series"));
    try {
        (void)io::csv_from_text("a\n1,5\n", "series");
    } catch (const SetupError& e) {
        all += e.what();
    }
    try {
        (void)io::read_text("/dev/null/there is nothing below a device");
    } catch (const SetupError& e) {
        all += e.what();
    }
    ident::Information seen;
    seen.singular_values = Eigen::Vector2d(1.0, 0.0);
    seen.directions = Eigen::Matrix2d{{0.8, 0.6}, {-0.6, 0.8}};
    seen.rank = 1;
    for (const std::string& text : ident::unidentifiable(seen, {"a", "b"})) all += text;
    all += std::to_string(edit_distance("INDIGO\xC4", "indigo\xE4"));
    all += reason(ENOENT) + reason(EACCES);
    return all;
}

}  // namespace

TEST_CASE("What is written, hashed and read is the same in a German program") {
    const std::string here = everything();
    const GermanProgram german;
    std::ostringstream proof;
    proof << 50000.5;
    REQUIRE(proof.str() == "50.000,5");
    REQUIRE(german.c.set);
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", 0.5);
    REQUIRE(std::string(text) == "0,5");
    CHECK(everything() == here);
    CHECK(here.find("50.000") == std::string::npos);
}

TEST_CASE("A decimal sign of two bytes, as in Persian, changes nothing either") {
    const std::string here = everything();
    const NumbersOf persian("\xD9\xAB", "\xD9\xAC");
    REQUIRE(persian.set);
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", 0.5);
    REQUIRE(std::string(text) ==
            "0\xD9\xAB"
            "5");
    CHECK(io::parse_json("[0.5, -1.25e-3]", "numbers")[0].get<double>() == 0.5);
    CHECK(everything() == here);
    std::snprintf(text, sizeof text, "%.1f", 0.5);
    CHECK(std::string(text) ==
          "0\xD9\xAB"
          "5");  // the locale of the program is as it was
}

TEST_CASE("gnuplot draws the same picture in a German program and a German environment") {
    try {
        io::require_gnuplot();
    } catch (const SetupError&) {
        MESSAGE("gnuplot is not installed: the picture is not tested");
        return;
    }
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("panto_locale_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const io::Plot plot = io::plot_of(io::force_chart(test::sample_run()));
    const std::string here = io::draw_svg(folder, plot.name, plot.title, plot.script, 1000, plot.height);
    const GermanProgram german;
    ::setenv("LC_ALL", "de_DE.UTF-8", 1);
    const std::string there = io::draw_svg(folder, plot.name, plot.title, plot.script, 1000, plot.height);
    ::unsetenv("LC_ALL");
    CHECK(here == there);
    std::filesystem::remove_all(folder);
}

}  // namespace locale_test
