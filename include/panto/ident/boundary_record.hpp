// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What was measured to identify a boundary: one sensor inside the field, the known motion where there is one, evenly
/// sampled from rest; and the checks that every identification makes of it first.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace panto::ident {

/// The first sample is the field at rest. `motion` stays empty where the field has no known input.
struct BoundaryRecord {
    std::vector<double> time;      ///< s
    std::vector<double> sensor;    ///< K for heat_slab(), N m for spring_beam()
    std::vector<double> motion{};  ///< m, of the shaker table
};

/// The sampling period of a record that can be used.
/// @throws SetupError naming channel, sample and value if lengths differ, a sample is not finite, time does not
/// increase evenly, the sensor is constant, or there are fewer than 10 samples or 3 for each of `parameters`.
inline double checked_period(const BoundaryRecord& record, bool with_motion, int parameters) {
    constexpr std::string_view here = "ident::BoundaryRecord";
    const std::size_t n = record.time.size();
    const auto sized = [&](const std::vector<double>& channel, const char* name, std::size_t wanted) {
        require(channel.size() == wanted, here,
                std::string(name) + " has " + std::to_string(channel.size()) + " samples and time " +
                    std::to_string(n) + ", allowed is " + std::to_string(wanted));
        for (std::size_t k = 0; k < channel.size(); ++k)
            require_finite(channel[k], here, std::string(name) + "[" + std::to_string(k) + "]");
    };
    sized(record.time, "time", n);
    sized(record.sensor, "sensor", n);
    sized(record.motion, "motion", with_motion ? n : 0);
    const std::size_t least = std::max<std::size_t>(10, 3 * static_cast<std::size_t>(parameters));
    require(n >= least, here,
            "there are " + std::to_string(n) + " samples, allowed is at least " + std::to_string(least) + " for " +
                std::to_string(parameters) + " parameters");
    const double period = (record.time.back() - record.time.front()) / static_cast<double>(n - 1);
    for (std::size_t k = 1; k < n; ++k) {
        const double step = record.time[k] - record.time[k - 1];
        require(step > 0.0, here,
                "time[" + std::to_string(k) + "] is " + shown(record.time[k]) + " after " + shown(record.time[k - 1]) +
                    ", allowed is increasing time");
        require(std::abs(step - period) <= 1e-3 * period, here,
                "the step before time[" + std::to_string(k) + "] is " + shown(step) + " and " + shown(period) +
                    " on average, allowed is even sampling");
    }
    const auto [low, high] = std::minmax_element(record.sensor.begin(), record.sensor.end());
    const double size = std::max(std::abs(*low), std::abs(*high));
    require(
        *high - *low > 1e-12 * size, here,
        "sensor is constant at " + shown(*low) + ", allowed is a signal that changes: nothing can be learned from it");
    return period;
}

/// How many steps of a field fit into a sampling period. More than one makes the model finer than the record: a slab
/// whose cooling begins with a jump asks for it.
/// @throws SetupError if it is not a whole number.
[[nodiscard]] inline std::size_t steps_per_sample(double period, double dt, std::string_view where) {
    const double ratio = std::round(period / dt);
    require(ratio >= 1.0 && std::abs(period - ratio * dt) <= 1e-6 * period, where,
            "the record is sampled every " + shown(period) + " s and the field steps " + shown(dt) +
                " s, allowed is the same or a whole number of steps per sample");
    return static_cast<std::size_t>(ratio);
}

/// A channel with straight lines between its samples, `steps` of them to each.
[[nodiscard]] inline std::vector<double> refined(std::span<const double> channel, std::size_t steps) {
    std::vector<double> fine;
    for (std::size_t k = 0; k < channel.size(); ++k) {
        fine.push_back(channel[k]);
        if (k + 1 == channel.size()) break;
        for (std::size_t j = 1; j < steps; ++j)
            fine.push_back(channel[k] +
                           (channel[k + 1] - channel[k]) * static_cast<double>(j) / static_cast<double>(steps));
    }
    return fine;
}

/// Standard deviation of white noise on a signal that is smooth from sample to sample, from its third differences: the
/// median magnitude, which a few spikes do not move, over that of a Gaussian. An upper estimate for rough signals.
[[nodiscard]] inline double estimated_noise(std::span<const double> signal) {
    require(signal.size() >= 10, "ident::estimated_noise",
            "signal has " + std::to_string(signal.size()) + " samples, allowed is at least 10");
    std::vector<double> third;
    for (std::size_t k = 3; k < signal.size(); ++k)
        third.push_back(std::abs(signal[k] - 3.0 * signal[k - 1] + 3.0 * signal[k - 2] - signal[k - 3]));
    const auto middle = third.begin() + static_cast<std::ptrdiff_t>(third.size() / 2);
    std::nth_element(third.begin(), middle, third.end());
    return *middle / (0.674489750 * std::sqrt(20.0));
}

}  // namespace panto::ident
