// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The report: one page with everything inside, and no run is started whose report could not be drawn.

#include <panto/io/machine.hpp>
#include <panto/io/page.hpp>
#include <panto/session/report.hpp>
#include <panto/session/run_csv.hpp>

#include "sample_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

using namespace panto;
namespace fs = std::filesystem;

namespace report_test {
namespace {

struct Folder {
    fs::path path = fs::temp_directory_path() / ("panto report's test " + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path); }
};

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
    return n;
}

bool have_gnuplot() {
    try {
        io::require_gnuplot();
        return true;
    } catch (const SetupError&) {
        MESSAGE("gnuplot is not installed: the pictures are not tested");
        return false;
    }
}

}  // namespace

TEST_CASE("A missing gnuplot is found before the run, with the way to install it") {
    CHECK_THROWS_WITH_AS(io::require_gnuplot("gnuplot-that-is-not-there"),
                         "program 'gnuplot-that-is-not-there': cannot be started: No such file or directory; the plots "
                         "of the report are drawn by gnuplot 5 (Debian: apt-get install gnuplot-nox)",
                         SetupError);
    CHECK_THROWS_WITH_AS(io::require_gnuplot("false"), doctest::Contains("failed with exit status 1"), SetupError);
}

TEST_CASE("Drawn by gnuplot the report is one file with eight pictures and nothing to fetch") {
    if (!have_gnuplot()) return;
    const Folder folder;
    const std::string html = io::report_html(folder.path, test::sample_run(), std::nullopt);
    CHECK(fs::is_empty(folder.path));
    CHECK(count(html, "<svg") == 8);
    CHECK(count(html, "</svg>") == 8);
    // Addresses may appear as names of XML vocabularies only.
    CHECK(count(html, "://") == count(html, "=\"http://www.w3.org/"));
    for (const char* external : {"<script", "<link", "<img", "<iframe", "src=", "@import", "url(", "<?xml"})
        CHECK_MESSAGE(html.find(external) == std::string::npos, external);
    std::set<std::string> ids;
    std::size_t with_id = 0;
    for (const char quote : {'"', '\''})
        for (std::size_t at = 0; (at = html.find(std::string(" id=") + quote, at)) != std::string::npos;
             ++at, ++with_id)
            ids.insert(html.substr(at + 5, html.find(quote, at + 5) - at - 5));
    CHECK(ids.size() == with_id);
    CHECK(with_id > 100);
    CHECK(html.size() < 420'000);
}

TEST_CASE("Results stand beside their limits with a verdict in words") {
    if (!have_gnuplot()) return;
    const Folder folder;
    io::RunRecord run = test::sample_run();
    run.time.clear();
    for (auto* series : {&run.position, &run.force_raw, &run.force_filtered, &run.wire_height, &run.reference_position,
                         &run.achieved_position, &run.spectrum_frequency, &run.spectrum_amplitude})
        series->clear();
    run.supports.clear();
    run.droppers.clear();
    run.step_times = {};
    const std::string html = io::report_html(folder.path, run, std::nullopt);  // no series: no plots, so no gnuplot
    CHECK(html.find("FAIL · 2 of 3 limits kept") != std::string::npos);
    CHECK(html.find("<td class=\"n\">44.5</td><td>N</td><td class=\"n\" data-label=\"allowed\">&lt;= 42.38</td><td "
                    "class=\"fail\">FAIL</td>") != std::string::npos);
    CHECK(html.find("60 to 143.4") != std::string::npos);
    CHECK(count(html, "class=\"pass\">pass") == 2);
    CHECK(count(html, "no value") == 1);
    CHECK(count(html, "<svg") == 0);
    run.results.erase(run.results.begin() + 1);
    CHECK(io::report_html(folder.path, run, std::nullopt).find("PASS · 2 of 2 limits kept") != std::string::npos);
    run.fault = "sensor lost at 3.2 s";
    CHECK(io::report_html(folder.path, run, std::nullopt).find("ended with a fault: sensor lost at 3.2 s") !=
          std::string::npos);
    run.fault = "stopped by user, at 12 m";
    CHECK(io::report_html(folder.path, run, std::nullopt).find("The run is not complete: stopped by user") !=
          std::string::npos);
    run.fault.clear();
    run.results.clear();
    run.warnings = {"speed > 0.7 of the wave speed"};
    CHECK(io::report_html(folder.path, run, std::nullopt).find("Warning: speed &gt; 0.7 of the wave speed") !=
          std::string::npos);
    CHECK(io::report_html(folder.path, run, std::nullopt).find("No limits apply") != std::string::npos);
}

TEST_CASE("A report says once when and where it was made, also if the run says it") {
    const Folder folder;
    io::RunRecord run;
    io::write_report(folder.path, run);
    std::string html = io::read_text(folder.path / "report.html");
    CHECK(count(html, "<th>date</th><td class=\"text\">" + io::date_now().substr(0, 7)) == 1);
    CHECK(count(html, "<th>machine</th><td class=\"text\">" + io::detail::escaped(io::machine_name()) + "</td>") == 1);
    run.metadata = {{"date", "long ago"}};
    html = io::report_html(folder.path, run, std::nullopt);
    CHECK(count(html, "<th>date</th><td class=\"text\">long ago</td>") == 1);
    CHECK(count(html, "<th>date</th>") == 1);
    CHECK(count(html, "<th>machine</th>") == 1);
}

TEST_CASE("Names from files cannot break the page or the plots") {
    if (!have_gnuplot()) return;
    const Folder folder;
    io::RunRecord run = test::sample_run();
    run.catenary = "<script>alert('x')</script>";
    run.force_limits = {{"it's <b> \\ `date` \n$x", 300.0}};
    const std::string html = io::report_html(folder.path, run, std::nullopt);
    CHECK(html.find("<script") == std::string::npos);
    CHECK(html.find("&lt;script&gt;alert(&#39;x&#39;)") != std::string::npos);
    CHECK(html.find("it's &lt;b> \\ `date`  $x 300 N") != std::string::npos);
}

TEST_CASE("A run that broke off is still shown: samples that are not finite, hardly any samples") {
    if (!have_gnuplot()) return;
    const Folder folder;
    io::RunRecord run = test::sample_run();
    run.fault = "not finite";
    for (std::size_t i = 3000; i < run.time.size(); ++i)
        run.force_raw[i] = run.force_filtered[i] = run.achieved_position[i] = std::numeric_limits<double>::quiet_NaN();
    run.droppers[0].minimum = std::numeric_limits<double>::infinity();
    run.supports[3].uplift_max = std::numeric_limits<double>::quiet_NaN();
    CHECK(count(io::report_html(folder.path, run, std::nullopt), "<svg") == 8);
    run.force_filtered.clear();
    run.reference_position.clear();
    CHECK(count(io::report_html(folder.path, run, std::nullopt), "<svg") == 6);
    for (auto* series : {&run.time, &run.position, &run.force_raw, &run.wire_height, &run.achieved_position})
        series->resize(1);
    CHECK(count(io::report_html(folder.path, run, std::nullopt), "<svg") == 4);
}

TEST_CASE("A plot with nothing in its range is left out with a sentence, and the report is written") {
    if (!have_gnuplot()) return;
    const Folder folder;
    io::RunRecord run = test::sample_run();
    run.fault = "out of range";
    for (auto* series : {&run.time, &run.position, &run.force_raw, &run.force_filtered, &run.wire_height,
                         &run.reference_position, &run.achieved_position})
        series->resize(3);  // 0.3 m of track without a support or a dropper
    const std::string html = io::report_html(folder.path, run, std::nullopt);
    CHECK(count(html, "This plot is left out: there is nothing in its range.") == 2);
    CHECK(count(html, "<figure>") == 8);
    CHECK(html.find("ended with a fault: out of range") != std::string::npos);
    CHECK(fs::is_empty(folder.path));
}

TEST_CASE("What gnuplot refuses comes back in its own words, with nothing left in the folder") {
    if (!have_gnuplot()) return;
    const Folder folder;
    CHECK_THROWS_WITH_AS((void)io::draw_svg(folder.path, "bad", "title", "plot nonsense(\n", 100, 100),
                         doctest::Contains("line 3"), SetupError);
    CHECK(fs::is_empty(folder.path));
}

TEST_CASE("Series that do not fit together are refused by name") {
    io::RunRecord run = test::sample_run();
    run.achieved_position.pop_back();
    CHECK_THROWS_WITH_AS(io::validate(run), "io::RunRecord: achieved_position has 5999 values, expected 6000 or none",
                         SetupError);
}

TEST_CASE("Charts of a program's own are drawn along the track, and their series are columns of series.csv") {
    io::RunRecord run = test::sample_run();
    const std::size_t before = io::charts_of(run).size();
    std::vector<double> rising(run.time.size());
    for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = 0.01 * static_cast<double>(i);
    run.own_charts = {{.name = "correction",
                       .title = "Correction",
                       .caption = "",
                       .y_label = "N",
                       .series = {{"correction_N", "F_cor", rising}, {"correction_lowest_N", "lowest", rising}}}};
    const std::vector<io::Chart> charts = io::charts_of(run);
    REQUIRE(charts.size() == before + 1);
    const auto own =
        std::find_if(charts.begin(), charts.end(), [](const io::Chart& c) { return c.name == "correction"; });
    REQUIRE(own != charts.end());
    CHECK(own->curves.size() == 2);
    CHECK(own->curves[0].points.back().second == rising.back());
    const io::CsvTable table = io::series_of(run);
    CHECK(table.columns.back().name == "correction_lowest_N");
    CHECK(table.columns.back().values == rising);
    run.own_charts[0].series[1].values.pop_back();
    CHECK_THROWS_AS(io::validate(run), SetupError);
    run.own_charts[0].series[1] = {"", "no column", rising};
    CHECK_THROWS_AS(io::validate(run), SetupError);
}

TEST_CASE("Many charts of a program's own take no more space than one with two series") {
    io::RunRecord run = test::sample_run();
    const auto points_of = [&](int charts, int series) {
        run.own_charts.clear();
        for (int c = 0; c < charts; ++c) {
            io::OwnChart chart{.name = "own_" + std::to_string(c), .title = "own", .y_label = "N"};
            for (int s = 0; s < series; ++s) {
                std::vector<double> values(run.time.size());
                for (std::size_t i = 0; i < values.size(); ++i)
                    values[i] = std::sin(static_cast<double>(i * i * static_cast<std::size_t>(7 * c + 3 * s + 1)));
                chart.series.push_back({"own_" + std::to_string(c) + std::to_string(s), "own", values});
            }
            run.own_charts.push_back(chart);
        }
        std::size_t points = 0;
        for (const io::Chart& chart : io::charts_of(run))
            if (chart.title == "own")
                for (const io::Curve& curve : chart.curves) points += curve.points.size();
        return static_cast<double>(points);
    };
    const double two = points_of(1, 2);
    CHECK(two > 2000);
    for (const auto& [charts, series] : {std::array{1, 4}, {2, 2}, {3, 3}, {6, 1}, {2, 4}}) {
        const double points = points_of(charts, series);
        CHECK(points <= 1.15 * two);
        CHECK(points > 0.5 * two);
    }
}

TEST_CASE("The table for a terminal shows values, limits and verdicts") {
    CHECK(io::results_as_text(test::sample_run()) ==
          "quantity                         value unit           allowed  verdict\n"
          "mean contact force               141.2 N          60 to 143.4  pass\n"
          "standard deviation 0-20 Hz        44.5 N             <= 42.38  FAIL\n"
          "statistical minimum              67.75 N                 >= 0  pass\n"
          "uplift at supports                62.5 mm\n"
          "error index, raw                     - %                 <= 5  no value\n");
}

// What dygraphs makes of it in a browser is looked at in tests/browser.
TEST_CASE("Drawn by dygraphs the report has the library with its licence and all charts in it") {
    const io::Dygraphs library{"/* the library */", "/* its style */", "the terms <of> the licence"};
    const Folder folder;
    io::RunRecord run = test::compared_run();
    run.catenary = "</script><script>alert('x')</script>";
    run.force_limits = {{"it's </script> \\ `date` \n$x", 300.0}};
    const std::string html = io::report_html(folder.path, run, library);
    CHECK(fs::is_empty(folder.path));
    CHECK(count(html, "<svg") == 0);
    CHECK(count(html, "<script>") == 2);
    CHECK(count(html, "</script>") == 2);
    for (const char* part : {"/* the library */", "/* its style */", "the terms &lt;of&gt; the licence", "<noscript>",
                             "default-src 'none'", "Fm + 3 sigma 214.8 N", "Fm - 3 sigma 67.75 N",
                             "4 losses of contact, marked", "<h2>Comparison</h2>", "other line · &lt;DSA380&gt;",
                             "<td>mean_N</td><td class=\"n\">141.2</td><td class=\"n\" data-label=\"other\">127.1</td>"
                             "<td class=\"n\" data-label=\"difference\">14.15</td>"})
        CHECK_MESSAGE(html.find(part) != std::string::npos, part);
    for (const char* name : {"force", "drive", "difference", "spectrum", "uplift", "droppers", "height", "steptimes"}) {
        CHECK(count(html, "id=\"chart_" + std::string(name) + "\"") == 1);
        CHECK(count(html, "{name:\"" + std::string(name) + "\"") == 1);
    }
    for (const char* external : {"<link", "<img", "<iframe", " src=", "@import", "url(", "nan,", "inf,"})
        CHECK_MESSAGE(html.find(external) == std::string::npos, external);
}

TEST_CASE("However long a run is, its report has 420 kB at most, the library included") {
    const io::Dygraphs library{std::string(131'072, ' '), std::string(1'300, ' '), std::string(3'000, ' ')};
    const Folder folder;
    CHECK(io::report_html(folder.path, test::long_run(), library).size() < 420'000);
    if (have_gnuplot()) CHECK(io::report_html(folder.path, test::long_run(), std::nullopt).size() < 420'000);
}

TEST_CASE("A library without its licence, or that would break the page, is not taken") {
    const Folder folder;
    CHECK_FALSE(io::dygraphs_in(folder.path).has_value());
    io::write_text(folder.path / "dygraph.min.js", "code();\n//# sourceMappingURL=dygraph.min.js.map");
    io::write_text(folder.path / "dygraph.min.css", "p{}/*# sourceMappingURL=dygraph.min.css.map */");
    io::write_text(folder.path / "LICENSE.txt", "MIT");
    const auto library = io::dygraphs_in(folder.path);
    REQUIRE(library.has_value());
    CHECK(library->script == "code();\n");
    CHECK(library->style == "p{}");
    CHECK(library->licence == "MIT");
    io::write_text(folder.path / "dygraph.min.js", "'</script>'");
    CHECK_FALSE(io::dygraphs_in(folder.path).has_value());
}

TEST_CASE("A folder of PANTO_DYGRAPHS without the library is warned of") {
    const char* before = std::getenv("PANTO_DYGRAPHS");
    const std::string kept = before ? before : "";
    const Folder folder;
    const fs::path empty = folder.path / "empty";
    ::setenv("PANTO_DYGRAPHS", empty.c_str(), 1);
    const std::string warning = io::dygraphs_warning();
    CHECK(warning.starts_with("PANTO_DYGRAPHS is '" + empty.string() + "'"));
    io::Page page{.title = "page"};
    CHECK(io::page_html(folder.path, page).find("Warning") == std::string::npos);  // nothing is drawn
    page.charts.resize(1);                                                         // nothing is in it
    CHECK(io::page_html(folder.path, page).find("Warning: PANTO_DYGRAPHS is ") != std::string::npos);
    ::setenv("PANTO_DYGRAPHS", "", 1);  // asks for static plots
    CHECK(io::dygraphs_warning() == "");
    ::unsetenv("PANTO_DYGRAPHS");
    CHECK(io::dygraphs_warning() == "");
    if (before) ::setenv("PANTO_DYGRAPHS", kept.c_str(), 1);
}

TEST_CASE("Thinning keeps every extreme of the series") {
    const io::RunRecord run = test::sample_run();
    const auto points = io::thinned(run.position, run.force_raw);
    CHECK(points.size() < 2500);
    const auto by_force = [](const auto& a, const auto& b) { return a.second < b.second; };
    CHECK(std::max_element(points.begin(), points.end(), by_force)->second ==
          *std::max_element(run.force_raw.begin(), run.force_raw.end()));
    CHECK(std::min_element(points.begin(), points.end(), by_force)->second ==
          *std::min_element(run.force_raw.begin(), run.force_raw.end()));
    CHECK(std::is_sorted(points.begin(), points.end()));
}

}  // namespace report_test
