// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/status_line.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

TEST_CASE("the bar shows whole percents, never more than are done") {
    CHECK(panto::progress_bar(0.25) == "[#####---------------]  25 %");
    CHECK(panto::progress_bar(0.29) == "[#####---------------]  29 %");  // 100 * 0.29 is 28.999... in double precision
    CHECK(panto::progress_bar(0.999) == "[###################-]  99 %");
    CHECK(panto::progress_bar(1.0) == "[####################] 100 %");
    CHECK(panto::progress_bar(7.0) == panto::progress_bar(1.0));
    CHECK(panto::progress_bar(-1.0) == "[--------------------]   0 %");
    CHECK(panto::progress_bar(std::numeric_limits<double>::quiet_NaN()) == panto::progress_bar(0.0));
}

TEST_CASE("without a terminal a status line is written every tenth, on one the line is rewritten and cleared") {
    std::ostringstream file, terminal;
    {
        panto::StatusLine in_file(false, file), in_place(true, terminal);
        for (int i = 0; i <= 1000; ++i) {
            in_file.show(1e-3 * i, [i] { return std::to_string(i); });
            in_place.show(1e-3 * i, [i] { return std::to_string(i); });
        }
    }
    CHECK(file.str() == "100\n200\n300\n400\n500\n600\n700\n800\n900\n1000\n");
    const std::string seen = terminal.str();
    CHECK(seen.find('\n') == std::string::npos);
    CHECK(std::count(seen.begin(), seen.end(), '\r') < 20);  // ten a second, and the loop takes far less than one
}
