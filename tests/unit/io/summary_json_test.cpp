// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// summary.json, the series as CSV and the figures of step times.

#include <panto/session/comparison_json.hpp>
#include <panto/session/run_csv.hpp>
#include <panto/session/summary_json.hpp>

#include "../../support/approx.hpp"
#include "sample_run.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <unistd.h>
#include <vector>

using namespace panto;

namespace summary_json_test {
namespace {

const std::vector<std::string> promised{"catenary",
                                        "pantograph",
                                        "speed_kmh",
                                        "mode",
                                        "controller",
                                        "seed",
                                        "version",
                                        "inputs_hash",
                                        "mean_N",
                                        "sigma_0_20_N",
                                        "statistical_max_N",
                                        "statistical_min_N",
                                        "actual_max_N",
                                        "actual_min_N",
                                        "uplift_max_mm",
                                        "contact_loss_percent",
                                        "error_filtered_percent",
                                        "error_raw_percent",
                                        "position_error_rms_mm",
                                        "position_error_max_mm",
                                        "step_median_us",
                                        "step_p999_us",
                                        "step_max_us",
                                        "overruns",
                                        "fault"};

}  // namespace

TEST_CASE("The summary has every promised key, null where it has no meaning") {
    const auto full = io::summary_of(test::sample_run());
    const auto empty = io::summary_of({});
    for (const std::string& key : promised) {
        CAPTURE(key);
        REQUIRE(full.contains(key));
        REQUIRE(empty.contains(key));
        CHECK(full[key].is_null() == (key == "fault"));
        CHECK(empty[key].is_null() == (key != "speed_kmh"));
    }
    io::RunRecord warned;
    warned.warnings = {"one", "two"};
    CHECK(empty["warnings"].empty());
    CHECK(io::summary_of(warned)["warnings"].dump() == R"(["one","two"])");
}

TEST_CASE("The summary holds the figures in the unit of the key") {
    const auto json = io::summary_of(test::sample_run());
    CHECK(json["speed_kmh"] == 275.0);
    CHECK(json["mean_N"] == 141.25);
    CHECK(json["uplift_max_mm"] == 62.5);
    CHECK(json["contact_loss_percent"] == 0.0);
    CHECK(json["error_filtered_percent"] == 4.1);
    CHECK(json["position_error_max_mm"].get<double>() == approx(0.85));
    CHECK(json["step_median_us"].get<double>() == approx(35.0).epsilon(0.05));
    CHECK(json["seed"] == 7);
    CHECK(json["overruns"] == 0);
    CHECK(json["results"][1]["verdict"] == "fail");
    CHECK(json["results"][4]["verdict"] == "no value");
    CHECK(json["results"][4]["value"].is_null());
}

TEST_CASE("The summary of a faulty run is valid JSON") {
    io::RunRecord run = test::sample_run();
    run.figures.mean = std::numeric_limits<double>::quiet_NaN();
    run.fault = "sensor \"lost\"";
    const std::string text = io::pretty(io::summary_of(run));
    const auto json = nlohmann::json::parse(text);
    CHECK(json["mean_N"].is_null());
    CHECK(json["fault"] == "sensor \"lost\"");
}

TEST_CASE("A limit is kept at equality, and broken by a value that is not finite") {
    using io::Verdict;
    CHECK(io::verdict({"x", 1.0, "N", 1.0, 1.0, ""}) == Verdict::pass);
    CHECK(io::verdict({"x", std::nextafter(1.0, 2.0), "N", {}, 1.0, ""}) == Verdict::fail);
    CHECK(io::verdict({"x", std::nextafter(1.0, 0.0), "N", 1.0, {}, ""}) == Verdict::fail);
    CHECK(io::verdict({"x", std::numeric_limits<double>::quiet_NaN(), "N", {}, 1.0, ""}) == Verdict::fail);
    CHECK(io::verdict({"x", {}, "N", {}, 1.0, ""}) == Verdict::no_value);
    CHECK(io::verdict({"x", 3.0, "N", {}, {}, ""}) == Verdict::no_limit);
}

TEST_CASE("The series state their sampling instants and read back the same") {
    const io::RunRecord run = test::sample_run();
    const auto folder = std::filesystem::temp_directory_path() / ("panto_series_test_" + std::to_string(::getpid()));
    io::require_writable(folder);
    io::write_series(folder, run);
    const io::CsvTable series = io::read_csv(folder / "series.csv");
    CHECK(series.comments[0] == "stitched_hil, DSA380_HiL, 275 km/h, hil");
    CHECK(series.comments[1] == "sampling instants: end of each step, t_k = k * 2 ms");
    CHECK(series.column("contact_force_N") == run.force_raw);
    CHECK(series.column("contact_force_filtered_N") == run.force_filtered);
    CHECK(series.column("achieved_position_m") == run.achieved_position);
    CHECK(io::read_csv(folder / "droppers.csv").column("static_force_N").size() == 140);
    CHECK_FALSE(panto::is_finite(io::read_csv(folder / "supports.csv").column("uplift_max_m")[0]));
    CHECK(io::read_csv(folder / "spectrum.csv").column("amplitude_N") == run.spectrum_amplitude);
    std::filesystem::remove_all(folder);
}

TEST_CASE("Another run is named by what is known of it") {
    io::RunRecord run = test::sample_run();
    const auto folder = std::filesystem::temp_directory_path() / ("panto_other_test_" + std::to_string(::getpid()));
    io::require_writable(folder);
    io::write_series(folder, run);
    const auto named = [&] {
        io::write_text(folder / "summary.json", io::pretty(io::summary_of(run)));
        return io::read_other_run(folder).name;
    };
    CHECK(named() == "stitched_hil · DSA380_HiL · 275 km/h · hil");
    run.catenary.clear();
    CHECK(named() == "DSA380_HiL · 275 km/h · hil");
    run.pantograph.clear();
    CHECK(named() == "275 km/h · hil");
    run.speed = std::numeric_limits<double>::quiet_NaN();
    CHECK(named() == "hil");
    run.mode.clear();
    CHECK(named() == folder.string());
    std::filesystem::remove_all(folder);
}

TEST_CASE("Step times: ranks by definition, every sample in one bin") {
    std::vector<double> seconds;
    for (int i = 2000; i >= 1; --i) seconds.push_back(1e-6 * i);
    const io::StepTimes times = io::step_times_of(seconds);
    CHECK(times.median == 1e-6 * 1000);
    CHECK(times.p999 == 1e-6 * 1998);
    CHECK(times.longest == 1e-6 * 2000);
    std::int64_t counted = 0;
    double edge = 0.0;
    for (const auto& bin : times.bins) {
        CHECK(bin.low >= edge * (1.0 - 1e-12));  // bins follow each other; edges come from exp2, a few ulp apart
        CHECK(bin.low < bin.high);
        edge = bin.high;
        counted += bin.count;
    }
    CHECK(counted == 2000);
    CHECK_FALSE(io::step_times_of(std::vector<double>{}).median.has_value());
}

TEST_CASE("A name of two lines does not break the series") {
    io::RunRecord run = test::sample_run();
    run.catenary = "two\nlines";
    CHECK(io::csv_from_text(io::csv_to_text(io::series_of(run)), "s.csv").comments.front().starts_with("two lines, "));
}

}  // namespace summary_json_test
