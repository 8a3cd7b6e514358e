// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A made-up run with everything a record can hold, for the tests of summary, series and report.

#pragma once

#include <panto/session/run_record.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace panto::test {

[[nodiscard]] inline io::RunRecord sample_run() {
    io::RunRecord run;
    run.catenary = "stitched_hil";
    run.pantograph = "DSA380_HiL";
    run.mode = "hil";
    run.controller = "lqg";
    run.speed = 275.0 / 3.6;
    run.seed = 7;
    run.version = "0.1.0";
    run.inputs_hash = "85944171f73967e8";
    run.overruns = 0;
    run.metadata = {{"time step", "2 ms"}, {"noise", "1 N, 0.01 mm"}};
    run.window = {325.0, 975.0};
    run.sampling = "end of each step, t_k = k * 2 ms";
    run.filter = "Butterworth order 3, forward and backward, -3 dB at 20 Hz";
    run.figures = {.mean = 141.25,
                   .sigma_0_20 = 24.5,
                   .statistical_max = 214.75,
                   .statistical_min = 67.75,
                   .actual_max = 231.0,
                   .actual_min = 55.5,
                   .uplift_max = 0.0625,
                   .contact_loss = 0.0,
                   .error_filtered = 0.041,
                   .error_raw = 0.0625,
                   .position_error_rms = 0.0002,
                   .position_error_max = 0.00085};
    run.results = {{"mean contact force", 141.25, "N", 60.0, 143.4, "TSI, confidence A / C"},
                   {"standard deviation 0-20 Hz", 44.5, "N", {}, 42.375, "0.3 of the mean, confidence B"},
                   {"statistical minimum", 67.75, "N", 0.0, {}, "confidence B"},
                   {"uplift at supports", 62.5, "mm", {}, {}, ""},
                   {"error index, raw", {}, "%", {}, 5.0, "needs a reference run"}};
    run.force_limits = {{"statistical maximum", 350.0}, {"statistical minimum", 0.0}};

    std::mt19937_64 random(7);
    std::normal_distribution<> noise;
    const double pi = std::numbers::pi;
    for (int k = 0; k < 6000; ++k) {
        const double t = 0.002 * k;
        const double x = 50.0 + run.speed * t;
        const double slow = 140.0 + 30.0 * std::sin(2.0 * pi * x / 65.0) + 12.0 * std::sin(2.0 * pi * x / 8.5);
        const double height = 0.05 + 0.015 * std::cos(2.0 * pi * x / 65.0) + 0.002 * std::sin(2.0 * pi * x / 8.5);
        run.time.push_back(t);
        run.position.push_back(x);
        run.force_filtered.push_back(slow);
        run.force_raw.push_back(slow + 9.0 * noise(random));
        run.wire_height.push_back(height);
        run.reference_position.push_back(height + 0.01);
        run.achieved_position.push_back(height + 0.01 + 0.0003 * std::sin(2.0 * pi * x / 20.0) + 2e-5 * noise(random));
    }
    for (int i = 0; i <= 20; ++i) {
        const bool end = i == 0 || i == 20;
        run.supports.push_back({65.0 * i, end ? std::optional<double>() : 0.055 + 0.004 * noise(random)});
    }
    for (int i = 0; i < 20; ++i)
        for (const double x : {6.0, 15.48, 24.18, 32.5, 40.82, 49.52, 59.0}) {
            const bool slack = i > 1 && x > 24.0 && x < 41.0;
            run.droppers.push_back({.position = 65.0 * i + x,
                                    .static_force = x < 7.0 || x > 58.0 ? 160.0 : 118.0,
                                    .minimum = slack ? 0.0 : 40.0 + 10.0 * noise(random),
                                    .slack_count = slack ? 2 : 0,
                                    .slack_time = slack ? 0.08 : 0.0});
        }
    for (int k = 0; k < 3000; ++k) {
        const double f = k / 12.0;
        run.spectrum_frequency.push_back(f);
        run.spectrum_amplitude.push_back(k == 0 ? 140.0 : (20.0 / (1.0 + f * f) + 0.15) * std::abs(noise(random)));
    }
    std::vector<double> seconds;
    for (int k = 0; k < 6000; ++k)
        seconds.push_back(35e-6 * std::exp(0.15 * noise(random)) * (k % 500 == 3 ? 3.0 : 1.0));
    run.step_times = io::step_times_of(seconds);
    run.step_times.period = 2e-3;
    return run;
}

/// The same with losses of contact, beside another run.
[[nodiscard]] inline io::RunRecord compared_run() {
    io::RunRecord run = sample_run();
    for (std::size_t i = 2000; i < 4000; i += 500)
        for (std::size_t j = 0; j < 15; ++j) run.force_raw[i + j] = 0.0;
    run.other = io::OtherRun{"other line · <DSA380> · 250 km/h · simulate", run.position, run.force_filtered, {}};
    for (double& force : run.other->force_filtered) force *= 0.9;
    run.other->figures = {{"mean_N", 141.25, 127.1}, {"sigma_0_20_N", 24.5, 22.0}, {"error_raw_percent", 6.25, {}}};
    return run;
}

/// The most that panto_run takes, and more supports, droppers and losses of contact than any line has.
[[nodiscard]] inline io::RunRecord long_run() {
    io::RunRecord run = compared_run();
    run.position.clear();
    for (auto* series : {&run.time, &run.force_raw, &run.force_filtered, &run.wire_height, &run.reference_position,
                         &run.achieved_position})
        series->clear();
    std::mt19937_64 random(3);
    std::uniform_real_distribution<> noise(-0.98765, 1.12345);
    for (int k = 0; k < 1'000'000; ++k) {
        run.time.push_back(0.0005 * k);
        run.position.push_back(51.234567 + 0.0375 * k);
        run.force_raw.push_back(100.0 * (0.95 + noise(random)));
        run.force_filtered.push_back(130.0 + 20.0 * noise(random));
        run.wire_height.push_back(0.05 * noise(random));
        run.reference_position.push_back(0.05 * noise(random));
        run.achieved_position.push_back(run.reference_position.back() + 1e-3 * noise(random));
    }
    run.other->position = run.position;
    for (double& x : run.other->position) x += 0.01;
    run.other->force_filtered = run.force_raw;
    run.supports.assign(20'000, {});
    run.droppers.assign(140'000, {});
    for (std::size_t i = 0; i < run.supports.size(); ++i)
        run.supports[i] = {1.875 * static_cast<double>(i), 0.06 + 0.01 * noise(random)};
    for (std::size_t i = 0; i < run.droppers.size(); ++i)
        run.droppers[i] = {.position = 0.2678 * static_cast<double>(i),
                           .static_force = 150.0 + noise(random),
                           .minimum = 60.0 + 50.0 * noise(random),
                           .slack_count = i % 3 == 0};
    run.spectrum_frequency.clear();
    run.spectrum_amplitude.clear();
    for (int k = 0; k < 500'000; ++k) {
        run.spectrum_frequency.push_back(0.002 * k);
        run.spectrum_amplitude.push_back(1.2 + noise(random));
    }
    return run;
}

}  // namespace panto::test
