// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The measurement for identifying a boundary: one sensor inside the field and the known motion, if any, evenly
/// sampled from rest; and the checks made before every identification.

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
    std::vector<double> time = {};    ///< s
    std::vector<double> sensor = {};  ///< K for heat_slab(), N m for spring_beam()
    std::vector<double> motion{};     ///< m, of the shaker table
};

/// Standard deviation of white noise on a signal that is smooth from sample to sample, from its third differences:
/// their median magnitude, which a few spikes do not change, divided by the median magnitude for Gaussian noise of
/// deviation 1. For rough signals the result is an upper estimate.
[[nodiscard]] inline double estimated_noise(std::span<const double> signal) {
    require(signal.size() >= 10, "ident::estimated_noise", "signal has ", signal.size(),
            " samples, expected at least 10");
    std::vector<double> third;
    for (std::size_t k = 3; k < signal.size(); ++k)
        third.push_back(std::abs(signal[k] - 3.0 * signal[k - 1] + 3.0 * signal[k - 2] - signal[k - 3]));
    const auto middle = third.begin() + static_cast<std::ptrdiff_t>(third.size() / 2);
    std::nth_element(third.begin(), middle, third.end());
    return *middle / (0.674489750 * std::sqrt(20.0));
}

/// The sampling period of a valid record.
/// @throws SetupError naming channel, sample and value if lengths differ, a sample is not finite, time does not
/// increase evenly, the sensor is constant, a channel does not begin at rest, or there are fewer than 10 samples or 3
/// for each of `parameters`.
inline double checked_period(const BoundaryRecord& record, bool with_motion, int parameters) {
    constexpr std::string_view here = "ident::BoundaryRecord";
    const std::size_t n = record.time.size();
    const auto sized = [&](const std::vector<double>& channel, const char* name, std::size_t wanted) {
        require(channel.size() == wanted, here, name, " has ", channel.size(), " samples and time ", n, ", expected ",
                wanted);
        for (std::size_t k = 0; k < channel.size(); ++k) require_finite(channel[k], here, name, "[", k, "]");
    };
    sized(record.time, "time", n);
    sized(record.sensor, "sensor", n);
    sized(record.motion, "motion", with_motion ? n : 0);
    const std::size_t least = std::max<std::size_t>(10, 3 * static_cast<std::size_t>(parameters));
    require(n >= least, here, "there are ", n, " samples, expected at least ", least, " for ", parameters,
            " parameters");
    std::vector<double> steps;
    for (std::size_t k = 1; k < n; ++k) {
        steps.push_back(record.time[k] - record.time[k - 1]);
        require(steps.back() > 0.0, here, "time[", k, "] is ", record.time[k], " after ", record.time[k - 1],
                ", time must increase");
    }
    std::vector<double> sorted = steps;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    for (std::size_t k = 1; k < n; ++k)
        require(std::abs(steps[k - 1] - *middle) <= 1e-3 * *middle, here, "the step before time[", k, "] is ",
                steps[k - 1], " and most are ", *middle, ", samples must be evenly spaced");
    const double period = (record.time.back() - record.time.front()) / static_cast<double>(n - 1);
    const auto [low, high] = std::minmax_element(record.sensor.begin(), record.sensor.end());
    const double size = std::max(std::abs(*low), std::abs(*high));
    require(*high - *low > 1e-12 * size, here, "sensor is constant at ", *low,
            ", expected a signal that changes: nothing can be learned from it");
    const auto from_rest = [&](const std::vector<double>& channel, const char* name) {
        const auto [least_value, most] = std::minmax_element(channel.begin(), channel.end());
        const double near = 0.05 * (*most - *least_value) + 6.0 * estimated_noise(channel);
        require(std::abs(channel[0]) <= near, here, name, "[0] is ", channel[0],
                ", expected the field at rest, 0 to within ", near,
                ": subtract the value at rest, and begin the record before anything changes");
    };
    from_rest(record.sensor, "sensor");
    if (with_motion) from_rest(record.motion, "motion");
    return period;
}

/// How many steps of a field fit into a sampling period. More than one makes the model finer than the record, as is
/// needed for a slab whose cooling begins with a jump.
/// @throws SetupError if the ratio is not a whole number.
[[nodiscard]] inline std::size_t steps_per_sample(double period, double dt, std::string_view where) {
    const double ratio = std::round(period / dt);
    require(ratio >= 1.0 && std::abs(period - ratio * dt) <= 1e-6 * period, where, "the record is sampled every ",
            period, " s and the field steps ", dt, " s, expected the same or a whole number of steps per sample");
    return static_cast<std::size_t>(ratio);
}

/// A channel at `steps` instants per sample, by the cubic through the four nearest samples: linear interpolation would
/// excite a beam at every sample. Fewer than four samples are interpolated linearly.
[[nodiscard]] inline std::vector<double> refined(std::span<const double> channel, std::size_t steps) {
    const std::size_t n = channel.size();
    if (steps == 1 || n < 2) return {channel.begin(), channel.end()};
    std::vector<double> fine;
    fine.reserve((n - 1) * steps + 1);
    for (std::size_t k = 0; k + 1 < n; ++k) {
        for (std::size_t j = 0; j < steps && n < 4; ++j)
            fine.push_back(channel[k] +
                           (channel[k + 1] - channel[k]) * static_cast<double>(j) / static_cast<double>(steps));
        if (n < 4) continue;
        const std::size_t first = std::min(k > 0 ? k - 1 : 0, n - 4);
        for (std::size_t j = 0; j < steps; ++j) {
            const double t = static_cast<double>(k - first) + static_cast<double>(j) / static_cast<double>(steps);
            const double a = t - 1.0, b = t - 2.0, c = t - 3.0;
            fine.push_back(-a * b * c / 6.0 * channel[first] + t * b * c / 2.0 * channel[first + 1] -
                           t * a * c / 2.0 * channel[first + 2] + t * a * b / 6.0 * channel[first + 3]);
        }
    }
    fine.push_back(channel.back());
    return fine;
}

}  // namespace panto::ident
