// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A study on one thread: results by index, failures with their reasons, progress, the end on demand, bad descriptions.

#include <panto/study/run.hpp>
#include <panto/study/serial.hpp>

#include "../../support/approx.hpp"
#include "sample_study.hpp"

#include <Eigen/Core>
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace panto;

namespace study_run_test {
namespace {

study::Outcome outcome_of(const auto& f, std::size_t outputs = 1) { return study::attempt(f, 0, outputs); }

}  // namespace

TEST_CASE("A study gives every evaluation's numbers at its index") {
    const auto squares = study::run({.name = "squares", .count = 5}, study::Serial(),
                                    [](std::size_t i) { return static_cast<double>(i * i); });
    CHECK(squares.output() == std::vector<double>{0.0, 1.0, 4.0, 9.0, 16.0});
    CHECK(squares.failed + squares.missing + squares.resumed + squares.damaged == 0);
}

TEST_CASE("Whatever goes wrong in an evaluation becomes its reason, and the study goes on") {
    const auto results = study::run(study_sample::description(40), study::Serial(), study_sample::evaluate);
    CHECK(results.failed == 5);  // 5, 22, 39 and 7, 30
    CHECK(results.missing == 0);
    CHECK(results.outcomes[22].reason == "threw: no equilibrium at 22 in span 3");
    CHECK(results.outcomes[30].reason == "output 1 is nan");
    CHECK(results.outcomes[39].values.size() == 2);
    CHECK_FALSE(results.outcomes[30].values[0] == results.outcomes[30].values[0]);  // nobody takes half a result
    CHECK(results.outcomes[31].ok());

    CHECK(outcome_of([](std::size_t) -> double { throw 3; }).reason == "threw something that is not a std::exception");
    CHECK(outcome_of([](std::size_t) { return -std::numeric_limits<double>::infinity(); }).reason ==
          "output 0 is -inf");
    CHECK(outcome_of([](std::size_t) { return std::array{1.0, 2.0}; }, 3).reason == "returned 2 outputs, expected 3");
    CHECK(outcome_of([](std::size_t) { return std::vector<double>{}; }).reason == "returned 0 outputs, expected 1");
    CHECK(outcome_of([](std::size_t) -> double { throw std::runtime_error(std::string(5000, 'x')); }).reason.size() ==
          400);
}

TEST_CASE("The observer learns how far a study is, how much failed and how long it will still take") {
    std::size_t calls = 0;
    std::string last;
    const study::Observer watch = [&](const study::Progress& p) {
        CHECK(p.done == ++calls);
        CHECK(p.count == 30);
        CHECK(p.index == calls - 1);
        CHECK(p.elapsed >= 0.0);
        // The rest takes as long for each as what was done: left / elapsed = rest / done.
        CHECK(p.left * static_cast<double>(p.done) == approx(p.elapsed * static_cast<double>(p.count - p.done)));
        last = study::line(p);
        return true;
    };
    study::run(study_sample::description(30), study::Serial(), study_sample::evaluate, {.observer = watch});
    CHECK(calls == 30);
    CHECK(last == "[####################] 100 %  30 of 30  3 failed  0 s left");
}

TEST_CASE("A bar shows tenths where there is no terminal, and hours where there are many") {
    std::ostringstream out;
    {
        study::ProgressBar bar(false, out);
        const study::Outcome fine{{1.0}, ""};
        for (std::size_t n = 1; n <= 40; ++n) bar({.done = n, .count = 40, .left = 9000.0, .outcome = fine});
    }
    const std::string text = out.str();
    CHECK(std::count(text.begin(), text.end(), '\n') == 10);
    CHECK(text.starts_with("[##------------------]  10 %  4 of 40  2 h 30 min left\n"));
}

TEST_CASE("A study that its observer stops has what was done, and says what is missing") {
    const auto results = study::run(study_sample::description(20), study::Serial(), study_sample::evaluate,
                                    {.observer = [](const study::Progress& p) { return p.done < 4; }});
    CHECK(results.missing == 16);
    CHECK(results.failed == 0);
    CHECK(results.outcomes[3].ok());
    CHECK(results.outcomes[4].reason == "not evaluated: the study was stopped");
}

TEST_CASE("A study that makes no sense is refused with the field") {
    const auto one = [](std::size_t) { return 1.0; };
    const auto refused = [&](const study::Description& d, const char* words) {
        CHECK_THROWS_WITH_AS(study::run(d, study::Serial(), one), doctest::Contains(words), SetupError);
    };
    refused({.name = "", .count = 1}, "study '': name is empty");
    refused({.name = "a\nb", .count = 1}, "name has a control character");
    refused({.name = "none", .count = 0}, "study 'none': count is 0, must be at least 1");
    refused({.name = "mute", .count = 1, .outputs = 0}, "study 'mute': outputs is 0, must be at least 1");
}

TEST_CASE("The hash of the inputs is the published FNV-1a, and knows order, lengths and the sign of zero") {
    using study::Hash;
    // FNV-1a of eight bytes 'a' 0 0 0 0 0 0 0, by hand in Python from the constants of the Internet draft.
    CHECK(Hash().add(0x61).digits() == "6926124a7b1433c4");
    CHECK(Hash().add("ab").add("c").value() != Hash().add("a").add("bc").value());
    CHECK(Hash().add(1.0).add(2.0).value() != Hash().add(2.0).add(1.0).value());
    CHECK(Hash().add(0.0).value() != Hash().add(-0.0).value());
    const std::vector<std::vector<double>> points{{1.0, 2.0}, {3.0}}, others{{1.0}, {2.0, 3.0}};
    CHECK(Hash().add(points).value() != Hash().add(others).value());
    CHECK(Hash().add(points[0]).value() == Hash().add(std::array{1.0, 2.0}).value());
    CHECK(Hash().add(std::string("x")).value() == Hash().add("x").value());
}

TEST_CASE("A row of a matrix is read as it stands, not as it lies in memory") {
    Eigen::MatrixXd points(3, 2);
    points << 1, 2, 3, 4, 5, 6;
    const auto results = study::run({.name = "rows", .count = 3, .outputs = 2}, study::Serial(),
                                    [&](std::size_t i) { return points.row(static_cast<Eigen::Index>(i)); });
    CHECK(results.output(0) == std::vector<double>{1.0, 3.0, 5.0});
    CHECK(results.output(1) == std::vector<double>{2.0, 4.0, 6.0});
    CHECK_THROWS_WITH_AS((void)results.output(2), "study::Results: output is 2, must be from 0 to 1", SetupError);
}

TEST_CASE("The hash sees every entry of a part of a matrix, however it is stored, and does not take paths") {
    using study::Hash;
    Eigen::MatrixXd points = Eigen::MatrixXd::Random(4, 3), other = points;
    other(0, 2) += 1.0;
    CHECK(Hash().add(points.topRows(1)).value() != Hash().add(other.topRows(1)).value());
    CHECK(Hash().add(points.topRows(2)).value() != Hash().add(other.topRows(2)).value());
    CHECK(Hash().add(points.bottomRows(2)).value() == Hash().add(other.bottomRows(2)).value());
    const Eigen::Matrix<double, -1, -1, Eigen::RowMajor> by_rows = points;
    CHECK(Hash().add(by_rows).value() == Hash().add(points).value());
    const auto takes = [](const auto& x) { return requires(Hash h) { h.add(x); }; };
    CHECK(takes(std::string("beam.json")));
    CHECK_FALSE(takes(std::filesystem::path("beam.json")));  // its content is meant; and a path is a range of paths
}

TEST_CASE("A progress line is never longer than its bar, whatever the numbers") {
    const study::Outcome outcome;
    CHECK(study::line({.done = 7, .count = 4, .outcome = outcome}).starts_with("[####################]"));
}

TEST_CASE("A study of more evaluations than memory holds is refused with their number") {
    const auto one = [](std::size_t) { return 1.0; };
    CHECK_THROWS_WITH_AS(
        (void)study::run({.name = "endless", .count = std::numeric_limits<std::size_t>::max()}, study::Serial(), one),
        "study 'endless': count is 18446744073709551615, more evaluations than memory can hold", SetupError);
}

}  // namespace study_run_test
