// SPDX-License-Identifier: BSD-3-Clause
#include <panto/io/chart_dygraphs.hpp>
#include <panto/io/chart_gnuplot.hpp>
#include <panto/io/machine.hpp>
#include <panto/io/page.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace page_test {

TEST_SUITE("io::page") {
    TEST_CASE("a page shows its tables and warning with text that cannot break it") {
        const panto::io::Page page{.title = "a < b",
                                   .subtitle = "sub",
                                   .warning = "\"careful\"",
                                   .tables = {{"Weights", {"point", "u_0"}, {{"k & n", "0.5"}}}},
                                   .metadata = {{"seed", "1"}},
                                   .version = "0"};
        const std::string html = panto::io::page_html(std::filesystem::temp_directory_path(), page);
        CHECK(html.find("<h1>a &lt; b</h1>") != std::string::npos);
        CHECK(html.find("&quot;careful&quot;") != std::string::npos);
        CHECK(html.find("<td>k &amp; n</td><td class=\"n\">0.5</td>") != std::string::npos);
        CHECK(html.find("<th>seed</th><td class=\"text\">1</td>") != std::string::npos);
        CHECK(html.find("banner fail") != std::string::npos);
    }

    TEST_CASE("a page says when and where it was made, unless its metadata do") {
        const std::string machine = panto::io::machine_name();
        REQUIRE(machine.find_first_of("<>&\"'") == std::string::npos);
        panto::io::Page page{.title = "t"};
        std::string html = panto::io::page_html(std::filesystem::temp_directory_path(), page);
        CHECK(html.find("<th>date</th><td class=\"text\">" + panto::io::date_now().substr(0, 7)) != std::string::npos);
        CHECK(html.find("<th>machine</th><td class=\"text\">" + machine + "</td>") != std::string::npos);
        page.metadata = {{"machine", "rig3"}, {"date", "long ago"}};
        html = panto::io::page_html(std::filesystem::temp_directory_path(), page);
        CHECK(html.find("<tr><th>machine</th><td class=\"text\">rig3</td></tr>\n"
                        "<tr><th>date</th><td class=\"text\">long ago</td></tr>\n</table>") != std::string::npos);
        CHECK(html.find(machine) == std::string::npos);
    }

    TEST_CASE("bars stand for their values from 0, with intervals, and what is no number has none") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const panto::io::Page page{
            .title = "t",
            .bars = {
                {"Index <1>", "c", {{"a", 0.5, std::pair(0.25, 1.0)}, {"b", -1.0}, {"c", nan, std::pair(nan, 2.0)}}}}};
        const std::string html = panto::io::page_html(std::filesystem::temp_directory_path(), page, std::nullopt);
        CHECK(html.find("<h2>Index &lt;1&gt;</h2>") != std::string::npos);
        CHECK(html.find("<span style=\"left:50.00%;width:25.00%\">") != std::string::npos);  // of -1 to 1
        CHECK(html.find("whisker\" style=\"left:62.50%;width:37.50%\">") != std::string::npos);
        CHECK(html.find("<span style=\"left:0.00%;width:50.00%\">") != std::string::npos);
        CHECK(html.find("nan") == std::string::npos);
    }

    TEST_CASE("a page without warning has no banner") {
        const std::string html = panto::io::page_html(std::filesystem::temp_directory_path(), {.title = "t"});
        CHECK(html.find("banner fail") == std::string::npos);
    }
}

TEST_SUITE("io::Chart") {
    using panto::io::Chart;

    TEST_CASE("what an axis has no place for is not drawn: nothing at 0 or below on a logarithmic one") {
        const double infinite = std::numeric_limits<double>::infinity();
        Chart chart{.name = "c",
                    .curves = {{.name = "f", .points = {{0.0, 1.0}, {2.0, 3.0}, {4.0, -1.0}}}},
                    .levels = {{-7.0, "below"}, {0.0, "zero"}, {5.0, "five"}, {infinite, "none"}},
                    .marks = {{-7.0, "behind"}, {0.0, "origin"}, {5.0, "here"}, {infinite, "nowhere"}},
                    .shaded = {{-7.0, 5.0}, {5.0, 6.0}, {5.0, infinite}},
                    .x_range = {{0.0, 9.0}},
                    .y_range = {{1.0, 9.0}}};
        const auto count = [](const std::string& text, const std::string& part) {
            int n = 0;
            for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
            return n;
        };
        for (const bool log : {false, true}) {
            CAPTURE(log);
            chart.log_x = chart.log_y = log;
            const std::string plot = panto::io::plot_of(chart).script;
            CHECK(count(plot, "set arrow") == (log ? 2 : 6));
            CHECK(count(plot, "set arrow from 5, graph 0 to 5, graph 1") == 1);
            CHECK(count(plot, "set arrow from graph 0, first 5 to graph 1, first 5") == 1);
            CHECK(count(plot, "set label") == (log ? 2 : 6));
            CHECK(count(plot, "set object") == (log ? 1 : 2));
            CHECK(count(plot, "set xrange") == (log ? 0 : 1));
            CHECK(count(plot, "set yrange [1:9]") == 1);
            const std::string page = panto::io::dygraphs_script({}, {chart});
            CHECK(count(page, log ? "levels:[[5,\"five\",'quiet']],marks:[[5,\"here\",'quiet']],shaded:[[5,6],]"
                                  : "levels:[[-7,\"below\",'quiet'],[0,\"zero\",'quiet'],[5,\"five\",'quiet']],") == 1);
            CHECK(count(page, log ? "xRange:null,yRange:[1,9]" : "xRange:[0,9],yRange:[1,9]") == 1);
            CHECK(count(page, log ? "rows:[[2,3]]" : "rows:[[0,1],[2,3],[4,-1]]") == 1);
            CHECK(count(plot, "inf") == 0);
            CHECK(count(page, "[inf") + count(page, ",inf") == 0);  // no name of JavaScript: it ends the page's script
        }
    }
}

}  // namespace page_test
