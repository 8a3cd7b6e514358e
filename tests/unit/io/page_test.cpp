// SPDX-License-Identifier: BSD-3-Clause
#include <panto/io/page.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

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

    TEST_CASE("a page without warning has no banner") {
        const std::string html = panto::io::page_html(std::filesystem::temp_directory_path(), {.title = "t"});
        CHECK(html.find("banner fail") == std::string::npos);
    }
}

}  // namespace page_test
