// SPDX-License-Identifier: BSD-3-Clause
#include <panto/interaction/statistics.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

using panto::interaction::ContactForceFilter;
using panto::interaction::EvaluationParams;
using panto::interaction::figures_of_merit;
using panto::interaction::ForceRecord;

namespace statistics_test {
namespace {

constexpr double dt = 0.002;                                    // at 50 m/s: 0.1 m per sample
constexpr std::size_t count = 6001;                             // 0 to 600 m
constexpr EvaluationParams window{.from = 200.0, .to = 400.0};  // 4 s: whole periods of every component below

double sine(double frequency, double t) { return std::sin(2.0 * std::numbers::pi * frequency * t); }

/// 120 N, with 10 N at 1.5 Hz, 6 N at 4 Hz, 4 N at 12 Hz and 3 N at 60 Hz.
ForceRecord steady_run() {
    ForceRecord record;
    for (std::size_t i = 0; i < count; ++i) {
        const double t = dt * double(i);
        record.time.push_back(t);
        record.position.push_back(double(i) / 10.0);
        record.force.push_back(120.0 + 10.0 * sine(1.5, t) + 6.0 * sine(4.0, t) + 4.0 * sine(12.0, t) +
                               3.0 * sine(60.0, t));
        record.height.push_back(0.05 + 0.02 * sine(0.5, t));
    }
    // Largest when the pantograph is there; before and at the ends of the window larger than anywhere inside.
    for (const auto& [x, uplift] :
         {std::pair(150.0, 0.05), {200.0, 0.04}, {250.0, 0.025}, {300.0, 0.03}, {400.0, 0.04}}) {
        record.supports.push_back({.position = x, .uplift = std::vector<double>(count, 0.0)});
        for (std::size_t i = 0; i < count; ++i)
            record.supports.back().uplift[i] = uplift * std::exp(-0.01 * std::pow(record.position[i] - x, 2));
    }
    return record;
}

/// Amplitude response of two passes of order 3, from the definition.
double two_passes(double cut_off, double f) {
    const auto warped = [](double g) { return std::tan(std::numbers::pi * g * dt); };
    return 1.0 / (1.0 + std::pow(warped(f) / warped(cut_off), 6));
}

double sigma_behind(double cut_off) {
    return std::sqrt(0.5 *
                     (std::pow(10.0 * two_passes(cut_off, 1.5), 2) + std::pow(6.0 * two_passes(cut_off, 4.0), 2) +
                      std::pow(4.0 * two_passes(cut_off, 12.0), 2) + std::pow(3.0 * two_passes(cut_off, 60.0), 2)));
}

}  // namespace

TEST_SUITE("interaction::figures_of_merit") {
    TEST_CASE("gives mean and scatter of the filtered force in the window") {
        const auto figures = figures_of_merit(steady_run(), window);
        CHECK(figures.samples == 2000);
        CHECK(figures.time_step == approx(dt).epsilon(1e-9));
        // Filter transients from the ends of the record have died out: 4 s away, time constants of 0.02 s.
        CHECK(figures.mean == approx(120.0).epsilon(1e-9));
        CHECK(figures.sigma == approx(sigma_behind(20.0 * std::pow(std::sqrt(2.0) - 1.0, -1.0 / 6.0))).epsilon(1e-9));
        CHECK(figures.statistical_max == approx(120.0 + 3.0 * figures.sigma).epsilon(1e-9));
        CHECK(figures.statistical_min == approx(120.0 - 3.0 * figures.sigma).epsilon(1e-9));
        CHECK(figures.actual_max > 130.0);
        CHECK(figures.actual_max < figures.raw_max);
        CHECK(figures.actual_min > figures.raw_min);
        CHECK(figures.raw_mean == approx(120.0).epsilon(1e-9));
        CHECK(figures.raw_sigma == approx(std::sqrt((100.0 + 36.0 + 16.0 + 9.0) / 2.0)).epsilon(1e-9));
        CHECK(figures.raw_max <= 143.0);
        CHECK(figures.raw_min >= 97.0);
    }

    TEST_CASE("uses the filter it is told to") {
        auto other = window;
        other.filter = ContactForceFilter::butterworth3_zero_phase_6db;
        CHECK(figures_of_merit(steady_run(), other).sigma == approx(sigma_behind(20.0)).epsilon(1e-9));
        other.filter = ContactForceFilter::fft_brick_wall;
        // The record is one sample longer than 12 s, so the components leak a little at its ends.
        CHECK(figures_of_merit(steady_run(), other).sigma == approx(std::sqrt(76.0)).epsilon(1e-3));
        other.cut_off = 8.0;
        CHECK(figures_of_merit(steady_run(), other).sigma == approx(std::sqrt(68.0)).epsilon(1e-3));
    }

    TEST_CASE("divides the raw scatter of the window into bands") {
        const auto figures = figures_of_merit(steady_run(), window);
        CHECK(figures.sigma_0_2 == approx(std::sqrt(50.0)).epsilon(1e-9));
        CHECK(figures.sigma_0_5 == approx(std::sqrt(68.0)).epsilon(1e-9));
        CHECK(figures.sigma_5_20 == approx(std::sqrt(8.0)).epsilon(1e-9));
        CHECK(figures.sigma_0_20_fft == approx(std::sqrt(76.0)).epsilon(1e-9));
    }

    TEST_CASE("finds every loss of contact, with its place and duration") {
        auto record = steady_run();
        CHECK(figures_of_merit(record, window).losses.empty());
        CHECK(figures_of_merit(record, window).loss_percent == 0.0);
        for (const std::size_t i : {1000U, 2500U, 2501U, 2502U, 3100U, 5000U}) record.force[i] = 0.0;
        const auto figures = figures_of_merit(record, window);
        REQUIRE(figures.losses.size() == 2);  // those at 100 m and 500 m lie outside
        CHECK(figures.losses[0].position == approx(250.0));
        CHECK(figures.losses[0].time == approx(5.0));
        CHECK(figures.losses[0].duration == approx(0.006));
        CHECK(figures.losses[1].position == approx(310.0));
        CHECK(figures.losses[1].duration == approx(0.002));
        CHECK(figures.loss_percent == approx(100.0 * 4.0 / 2000.0));
        CHECK(figures.raw_min == 0.0);
    }

    TEST_CASE("takes the window from its first position up to, not including, its last") {
        auto record = steady_run();
        record.force[2000] = 0.0;
        record.force[4000] = 0.0;
        const auto figures = figures_of_merit(record, window);
        REQUIRE(figures.losses.size() == 1);
        CHECK(figures.losses[0].position == approx(200.0));
        // The whole record is a window, too.
        CHECK(figures_of_merit(record, {.from = 0.0, .to = 600.1}).samples == count);
    }

    TEST_CASE("gives the range of the contact point's height and the uplift at every support") {
        const auto figures = figures_of_merit(steady_run(), window);
        CHECK(figures.height_max == approx(0.07));
        CHECK(figures.height_min == approx(0.03));
        CHECK(figures.height_range == approx(0.04));
        REQUIRE(figures.uplift.size() == 5);
        CHECK(figures.uplift[0].position == 150.0);
        CHECK(figures.uplift[0].uplift == approx(0.050));
        CHECK(figures.uplift[4].uplift == approx(0.040));
        REQUIRE(figures.uplift_max.has_value());
        CHECK(*figures.uplift_max == approx(0.030));  // at 300 m; before and at the ends does not count

        auto record = steady_run();
        record.supports.clear();
        CHECK_FALSE(figures_of_merit(record, window).uplift_max.has_value());
    }

    TEST_CASE("reads as a page of documentation shows it") {
        const ForceRecord record = steady_run();
        // [figures]
        const EvaluationParams evaluation{.from = 200.0,  // m, the window along the track
                                          .to = 400.0,
                                          .filter = ContactForceFilter::butterworth6_causal};
        const auto figures = figures_of_merit(record, evaluation);
        // [figures]
        CHECK(figures.mean == approx(120.0).epsilon(1e-6));
        CHECK(figures.evaluation.filter == ContactForceFilter::butterworth6_causal);
    }

    TEST_CASE("refuses records that cannot be evaluated, and says why") {
        const auto refused = [](const ForceRecord& record, const char* why) {
            CHECK_THROWS_WITH_AS(static_cast<void>(figures_of_merit(record, window)), why, panto::SetupError);
        };
        const auto good = steady_run();
        refused({}, "interaction::figures_of_merit: record.time has 0 samples, at least 2 are needed");
        auto record = good;
        record.force.pop_back();
        refused(
            record,
            "interaction::figures_of_merit: record.force has 6000 samples, expected as many as record.time has, 6001");
        record = good;
        record.force[17] = std::numeric_limits<double>::quiet_NaN();
        refused(record, "interaction::figures_of_merit: record.force[17] must be finite, got nan");
        record = good;
        record.supports[1].uplift[3] = std::numeric_limits<double>::infinity();
        refused(record, "interaction::figures_of_merit: record.supports[1].uplift[3] must be finite, got inf");
        record = good;
        record.supports[1].uplift.clear();
        refused(record,
                "interaction::figures_of_merit: record.supports[1].uplift has 0 samples, expected as many as "
                "record.time has, 6001");
        record = good;
        for (std::size_t i = 100; i < count; ++i) record.time[i] += dt;  // one sample lost
        refused(record,
                "interaction::figures_of_merit: the step before record.time[100] is 0.004 s, the time step must be "
                "constant, 0.00200033333 s");
        record = good;
        record.position[100] = record.position[99];
        refused(record,
                "interaction::figures_of_merit: record.position[100] is 9.9 m, must be more than the one before, 9.9 "
                "m");
    }

    TEST_CASE("takes a window that ends with the record, whatever rounding did to the positions") {
        auto record = steady_run();
        for (std::size_t i = 0; i < count; ++i) record.position[i] = 130.0 + 200.0 / 3.6 * dt * double(i);
        for (const double length : {100.0, 200.0}) {
            const double end = record.position.front() + 200.0 / 3.6 * (dt * double(count));
            CHECK_NOTHROW(
                static_cast<void>(figures_of_merit(record, {.from = end - length, .to = end * (1.0 + 1e-15)})));
        }
        const double start = record.position.front() * (1.0 - 1e-15);
        CHECK_NOTHROW(static_cast<void>(figures_of_merit(record, {.from = start, .to = 300.0})));
    }

    TEST_CASE("refuses windows that the record does not cover, and says what it covers") {
        const auto refused = [](double from, double to, const char* why) {
            CHECK_THROWS_WITH_AS(static_cast<void>(figures_of_merit(steady_run(), {.from = from, .to = to})), why,
                                 panto::SetupError);
        };
        refused(-1.0, 100.0,
                "interaction::figures_of_merit: the window is -1 to 100 m, must be a part of the record, 0 to 600.1 m");
        refused(500.0, 700.0,
                "interaction::figures_of_merit: the window is 500 to 700 m, must be a part of the record, 0 to 600.1 "
                "m");
        refused(300.0, 200.0,
                "interaction::figures_of_merit: the window is 300 to 200 m, must be a part of the record, 0 to 600.1 "
                "m");
        refused(300.0, 300.05,
                "interaction::figures_of_merit: the window 300 to 300.05 m contains 1 samples, at least 2 are needed");
        refused(300.0, std::numeric_limits<double>::quiet_NaN(),
                "interaction::figures_of_merit: to must be finite, got nan");
    }
}

}  // namespace statistics_test
