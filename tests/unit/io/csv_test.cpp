// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Series as CSV: every double survives, and a damaged file is refused with the line.

#include <panto/io/csv.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

using namespace panto;

namespace csv_test {
namespace {

std::string error_of(const std::string& text) {
    try {
        (void)io::csv_from_text(text, "run.csv");
    } catch (const SetupError& e) {
        return e.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("Every double reads back bit for bit, infinities and NaN as such") {
    std::mt19937_64 random(7);
    io::CsvTable table{{"sampled at the end of each step"}, {{"time_s", {}}, {"contact_force_N", {}}}};
    for (int i = 0; i < 2000; ++i) {
        const double any = std::bit_cast<double>(random());
        table.columns[0].values.push_back(0.002 * i);
        table.columns[1].values.push_back(panto::is_finite(any) ? any : 0.1);
    }
    for (const double special :
         {0.0, -0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(),
          std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        table.columns[0].values.push_back(1.0);
        table.columns[1].values.push_back(special);
    }
    const io::CsvTable read = io::csv_from_text(io::csv_to_text(table), "run.csv");
    REQUIRE(read.columns.size() == 2);
    CHECK(read.comments == table.comments);
    for (std::size_t j = 0; j < 2; ++j) {
        CHECK(read.columns[j].name == table.columns[j].name);
        REQUIRE(read.columns[j].values.size() == table.columns[j].values.size());
        for (std::size_t i = 0; i < read.columns[j].values.size(); ++i)
            REQUIRE(std::bit_cast<std::uint64_t>(read.columns[j].values[i]) ==
                    std::bit_cast<std::uint64_t>(table.columns[j].values[i]));
    }
    const io::CsvTable nan =
        io::csv_from_text(io::csv_to_text({{}, {{"force_N", {std::numeric_limits<double>::quiet_NaN()}}}}), "run.csv");
    CHECK_FALSE(panto::is_finite(nan.column("force_N")[0]));
}

TEST_CASE("The text is what a spreadsheet expects") {
    CHECK(io::csv_to_text({{"sampling: end of step"}, {{"time_s", {0.0, 0.5}}, {"force_N", {1.25, -3.0}}}}) ==
          "# sampling: end of step\ntime_s,force_N\n0,1.25\n0.5,-3\n");
}

TEST_CASE("Windows line ends and comments between lines are accepted") {
    const io::CsvTable t = io::csv_from_text("a_m,b_N\r\n1,2\r\n#note\r\n3,4\r\n", "run.csv");
    CHECK(t.column("b_N") == std::vector<double>{2.0, 4.0});
    CHECK(t.comments == std::vector<std::string>{"note"});
}

TEST_CASE("A damaged series is refused with file, line and column") {
    CHECK(error_of("") == "file 'run.csv': is empty");
    CHECK(error_of("# only a comment\n") == "file 'run.csv': has no header line with the names of the columns");
    CHECK(error_of("a,b\n1,2\n3\n") == "file 'run.csv', line 3: has 1 values, 2 are needed, one per column");
    CHECK(error_of("a,b\n1,2\n3,x7\n") == "file 'run.csv', line 3: column 'b': 'x7' is not a number");
    CHECK(error_of("a,b\n1,\n") == "file 'run.csv', line 2: column 'b': '' is not a number");
    CHECK(error_of("a,b\n1,1e999\n") ==
          "file 'run.csv', line 2: column 'b': '1e999' is not a number a double can hold");
    CHECK(error_of("a,b\n1,2\n3,4") == "file 'run.csv', line 3: is cut off: the last line has no end");
    CHECK(error_of("a,a\n1,2\n") == "file 'run.csv', line 1: column 'a' appears twice");
    CHECK(error_of("a,,b\n") == "file 'run.csv', line 1: a column has no name");
    CHECK(error_of("a,b\n1,2\n\n3,4\n") == "file 'run.csv', line 3: has 1 values, 2 are needed, one per column");
}

TEST_CASE("What would not read back is not written") {
    CHECK_THROWS_AS((void)io::csv_to_text({}), SetupError);
    CHECK_THROWS_AS((void)io::csv_to_text({{}, {{"a,b", {1.0}}}}), SetupError);
    CHECK_THROWS_AS((void)io::csv_to_text({{}, {{"", {1.0}}}}), SetupError);
    CHECK_THROWS_AS((void)io::csv_to_text({{"two\nlines"}, {{"a", {1.0}}}}), SetupError);
    CHECK_THROWS_WITH_AS((void)io::csv_to_text({{}, {{"a", {1.0}}, {"b", {}}}}),
                         "io::write_csv: column 'b' has 0 values, 'a' has 1", SetupError);
    CHECK_THROWS_WITH_AS((void)io::csv_to_text({{}, {{"a", {1.0}}, {"a", {2.0}}}}),
                         "io::write_csv: column 'a' appears twice", SetupError);
}

TEST_CASE("An unknown column is answered with the nearest name") {
    const io::CsvTable table{{}, {{"time_s", {}}, {"contact_force_N", {}}}};
    CHECK_THROWS_WITH_AS((void)table.column("contact_force"), doctest::Contains("did you mean 'contact_force_N'"),
                         SetupError);
}

TEST_CASE("A byte order mark at the beginning is no part of the first line") {
    const io::CsvTable table = io::csv_from_text(
        "\xEF\xBB\xBF"
        "time_s,force_N\n1,2\n",
        "s.csv");
    CHECK(table.column("time_s") == std::vector<double>{1.0});
    CHECK(io::csv_from_text("\xEF\xBB\xBF# a comment\nx\n", "s.csv").comments.front() == "a comment");
}

}  // namespace csv_test
