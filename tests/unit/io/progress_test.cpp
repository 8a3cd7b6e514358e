// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The progress bar says the truth about time, and keeps quiet where nobody watches.

#include <panto/io/progress.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

using panto::io::Progress;

TEST_CASE("The line shows share, times, real-time factor and time left") {
    CHECK(Progress::line(2.5, 0.5, 10.0) == "[#####---------------]  25 %  2.5 of 10.0 s  5x real time  2 s left");
    CHECK(Progress::line(10.0, 40.0, 10.0) ==
          "[####################] 100 %  10.0 of 10.0 s  0.25x real time  0 s left");
    CHECK(Progress::line(0.0, 0.0, 10.0) == "[--------------------]   0 %  0.0 of 10.0 s");
}

TEST_CASE("Odd times do not break the line") {
    CHECK(Progress::line(20.0, 1.0, 10.0).starts_with("[####################] 100 %"));
    CHECK(Progress::line(-1.0, 1.0, 10.0).starts_with("[--------------------]   0 %"));
    CHECK(Progress::line(1.0, 1.0, 0.0).starts_with("[####################] 100 %"));
    CHECK(Progress::line(1e300, 1e-300, 1e300).size() < 160);
}

TEST_CASE("Without a terminal there are ten lines at most, without control characters") {
    std::ostringstream out;
    {
        Progress progress(10.0, false, out);
        for (int i = 0; i <= 10'000; ++i) progress.update(0.001 * i);
    }
    const std::string text = out.str();
    CHECK(std::count(text.begin(), text.end(), '\n') == 10);
    CHECK(text.find('\r') == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("On a terminal the bar stays on its line, is drawn at most ten times a second and taken away") {
    std::ostringstream out;
    {
        Progress progress(10.0, true, out);
        for (int i = 0; i <= 10'000; ++i) progress.update(0.001 * i);
    }
    const std::string text = out.str();
    CHECK(text.find('\n') == std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '#') < 200);
}
