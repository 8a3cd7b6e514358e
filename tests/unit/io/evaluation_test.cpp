// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From a run to what is shown of it: droppers, figures beside their limits, comparison of runs.

#include <panto/interaction/record.hpp>
#include <panto/session/evaluation.hpp>
#include <panto/session/results_table.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <string>

using namespace panto;

namespace evaluation_test {
namespace {

/// A force that is known exactly: 100 N, and 10 N at 1 Hz, sampled over 10 s at 10 m/s.
interaction::ForceRecord known_record() {
    interaction::ForceRecord record;
    for (int k = 0; k < 2001; ++k) {
        const double t = 0.005 * k;
        record.time.push_back(t);
        record.position.push_back(10.0 * t);
        record.force.push_back(100.0 + 10.0 * std::sin(2.0 * std::numbers::pi * t));
        record.height.push_back(0.01 * std::cos(2.0 * std::numbers::pi * t));
    }
    record.supports.push_back({50.0, std::vector<double>(2001, 0.0)});
    record.supports[0].uplift[1000] = 0.05;
    return record;
}

const io::ResultRow& row(const io::RunRecord& run, const std::string& name) {
    const auto found =
        std::find_if(run.results.begin(), run.results.end(), [&](const auto& r) { return r.name == name; });
    REQUIRE_MESSAGE(found != run.results.end(), name);
    return *found;
}

}  // namespace

TEST_CASE("Droppers of a record are shown by their least force and how often they went slack") {
    const interaction::SimulationRecord record{.contact = known_record(),
                                               .droppers = {{.position = 5.0,
                                                             .static_force = 120.0,
                                                             .smallest = 0.0,
                                                             .largest = 130.0,
                                                             .slack_steps = 4,
                                                             .slack_time = 0.02,
                                                             .slack_count = 2}}};
    io::RunRecord run{.speed = 10.0};
    run.droppers.resize(3);  // of a former run
    io::add_series(run, record, {.from = 20.0, .to = 80.0});
    REQUIRE(run.droppers.size() == 1);
    const io::DropperForce& d = run.droppers[0];
    CHECK(d.position == 5.0);
    CHECK(d.static_force == 120.0);
    CHECK(d.minimum == 0.0);
    CHECK(d.slack_count == 2);
    CHECK(d.slack_time == 0.02);
    CHECK(run.force_raw == record.contact.force);
}

TEST_CASE("A window shorter than a span, or than half a second, is warned of") {
    interaction::ForceRecord record = known_record();  // at 10 m/s
    const auto warnings = [&](double from, double to) {
        io::RunRecord run{.speed = 10.0};
        io::add_series(run, record, {.from = from, .to = to});
        io::evaluate(run, record, {.from = from, .to = to});
        return run.warnings;
    };
    REQUIRE(record.supports.size() == 1);  // no span is known
    CHECK(warnings(20.0, 25.0).empty());   // 0.5 s
    REQUIRE(warnings(20.0, 24.0).size() == 1);
    CHECK(warnings(20.0, 24.0)[0].starts_with("only 4 m of the line, 0.4 s, are evaluated, less than 0.5 s"));
    record.supports.push_back(record.supports[0]);
    record.supports[1].position = 90.0;
    CHECK(warnings(20.0, 60.0).empty());  // a whole span of 40 m
    REQUIRE(warnings(20.0, 59.0).size() == 1);
    CHECK(warnings(20.0, 59.0)[0].find("3.9 s, are evaluated, less than a span of 40 m") != std::string::npos);
}

TEST_CASE("Figures, limits and spectrum of a known force") {
    io::RunRecord run{.speed = 250.0 / 3.6};
    const interaction::EvaluationParams evaluation{.from = 20.0, .to = 80.0};
    io::add_series(run, known_record(), evaluation);
    io::evaluate(run, known_record(), evaluation);
    CHECK(*run.figures.mean == approx(100.0).epsilon(1e-6));
    CHECK(*run.figures.sigma_0_20 == approx(10.0 / std::numbers::sqrt2).epsilon(1e-4));
    CHECK(*run.figures.uplift_max == 0.05);
    CHECK(*run.figures.contact_loss == 0.0);
    CHECK(row(run, "uplift at supports, largest").value == 50.0);
    CHECK(io::verdict(row(run, "mean force")) == io::Verdict::pass);
    CHECK(*row(run, "mean force").high == approx(0.00097 * 250.0 * 250.0 + 70.0));
    CHECK(*row(run, "range of the contact point").value == approx(20.0));
    const auto peak = std::max_element(run.spectrum_amplitude.begin() + 1, run.spectrum_amplitude.end());
    CHECK(*peak == approx(10.0));
    CHECK(run.spectrum_frequency[static_cast<std::size_t>(peak - run.spectrum_amplitude.begin())] == approx(1.0));
    CHECK(run.force_filtered.size() == run.time.size());
    CHECK(run.supports[0].uplift_max == 0.05);
    CHECK_NOTHROW(io::validate(run));
}

TEST_CASE("A run compared with itself has no error, and 5 N more are 5 percent of 100 N") {
    const interaction::EvaluationParams evaluation{.from = 20.0, .to = 80.0};
    interaction::ForceRecord record = known_record();
    io::RunRecord run{.speed = 10.0};
    io::add_series(run, record, evaluation);
    io::evaluate(run, record, evaluation);
    io::compare_with(run, record, evaluation);
    CHECK(*run.figures.error_raw == 0.0);
    CHECK(*run.figures.error_filtered == 0.0);
    for (double& f : record.force) f += 5.0;
    io::RunRecord other{.speed = 10.0};
    io::add_series(other, record, evaluation);
    io::evaluate(other, record, evaluation);
    io::compare_with(other, known_record(), evaluation);
    CHECK(*other.figures.error_raw == approx(0.05).epsilon(1e-6));
    CHECK(*other.figures.error_filtered == approx(0.05).epsilon(1e-6));
    for (double& x : record.position) x += 0.01;
    CHECK_THROWS_WITH_AS(io::compare_with(run, record, evaluation), doctest::Contains("io::compare_with: sample"),
                         SetupError);
}

TEST_CASE("The position error counts inside the window only") {
    io::RunRecord run;
    run.position = {0.0, 1.0, 2.0, 3.0};
    run.reference_position = {0.0, 0.0, 0.0, 0.0};
    run.achieved_position = {9.0, 0.003, -0.004, 9.0};
    io::add_position_error(run, {.from = 1.0, .to = 3.0});
    CHECK(*run.figures.position_error_max == 0.004);
    CHECK(*run.figures.position_error_rms == approx(std::sqrt(12.5e-6)));
}

TEST_CASE("A loop's histogram becomes step times with every sample in one bin") {
    rig::Histogram histogram;
    for (int i = 1; i <= 1000; ++i) histogram.add(std::chrono::microseconds(i));
    const io::StepTimes times = io::step_times_of(histogram, 2e-3);
    // The histogram resolves 1/32.
    CHECK(*times.median == approx(500e-6).epsilon(1.0 / 32));
    CHECK(*times.p999 == approx(999e-6).epsilon(1.0 / 32));
    CHECK(*times.longest == approx(1e-3));
    CHECK(*times.period == 2e-3);
    std::int64_t counted = 0;
    for (const auto& bin : times.bins) counted += bin.count;
    CHECK(counted == 1000);
    CHECK_FALSE(io::step_times_of(rig::Histogram{}).median.has_value());
}

TEST_CASE("A run too short to be evaluated is found before it is done") {
    const interaction::EvaluationParams evaluation{.from = 10.0, .to = 20.0};
    CHECK_NOTHROW(io::require_evaluable(0.0, 10.0, 0.005, 401, evaluation));
    CHECK_THROWS_AS(io::require_evaluable(0.0, 10.0, 0.005, 300, evaluation), SetupError);  // ends at 15 m
    CHECK_THROWS_AS(io::require_evaluable(0.0, 10.0, 0.05, 41, evaluation), SetupError);    // 20 Hz is above Nyquist
    CHECK_THROWS_AS(io::require_evaluable(0.0, 10.0, 0.005, 401, {.from = 10.01, .to = 10.02}), SetupError);
}

TEST_CASE("What cannot be evaluated or compared leaves its reason and no figure") {
    const interaction::EvaluationParams evaluation{.from = 10.0, .to = 90.0};
    interaction::ForceRecord record = known_record();
    io::RunRecord run;
    io::add_series(run, record, evaluation);
    REQUIRE(io::evaluate_or_say_why(run, record, evaluation).has_value());
    CHECK(run.fault.empty());
    interaction::ForceRecord pulling = record;
    for (double& force : pulling.force) force = -force;
    io::compare_or_say_why(run, pulling, evaluation);
    CHECK_FALSE(run.figures.error_filtered.has_value());
    CHECK_FALSE(run.figures.error_raw.has_value());
    CHECK(row(run, "error index").confidence.find("mean of the reference") != std::string::npos);
    record.force[7] = std::nan("");
    CHECK_FALSE(io::evaluate_or_say_why(run, record, evaluation).has_value());
    CHECK(run.fault.find("not evaluated: interaction::figures_of_merit: record.force[7]") == 0);
}

TEST_CASE("The table's verdict is that of the criterion, which knows what is rounding") {
    io::RunRecord run;
    interaction::FiguresOfMerit figures;
    figures.mean = 108.83, figures.statistical_min = 0.0, figures.samples = 1, figures.time_step = 1e-3;
    io::add_criteria(run, interaction::quality_criteria(figures, 200.0 / 3.6));
    CHECK(io::verdict(row(run, "mean force")) == io::Verdict::pass);
    CHECK(io::allowed(row(run, "mean force")) == "60 to 108.8 +- 0.5");  // EN 50367, AC at 200 km/h
    CHECK(io::verdict(row(run, "statistical min")) == io::Verdict::fail);
    CHECK(io::allowed(row(run, "statistical min")) == "> 0");  // what is said is what decides
    CHECK(row(run, "statistical min").confidence == "B; Fm - 3 sigma");
    io::ResultRow by_limit{.value = 0.0, .low = 0.0};
    CHECK(io::verdict(by_limit) == io::Verdict::pass);
    CHECK(io::allowed(by_limit) == ">= 0");
    by_limit.low_excluded = true;
    CHECK(io::verdict(by_limit) == io::Verdict::fail);
    by_limit.high = 5.0;
    CHECK(io::allowed(by_limit) == "above 0 to 5");
    by_limit.value = 5.5;
    CHECK(io::verdict(by_limit) == io::Verdict::fail);
    by_limit.tolerance = 0.5;
    CHECK(io::verdict(by_limit) == io::Verdict::pass);
}

}  // namespace evaluation_test
