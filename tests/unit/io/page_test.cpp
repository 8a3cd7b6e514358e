// SPDX-License-Identifier: BSD-3-Clause
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

}  // namespace page_test
