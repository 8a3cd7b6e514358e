// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of merit of current collection, from the record of a run [EN 50317, EN 50318].
///
/// The whole record is filtered, then the window from <= x < to is evaluated. Mean, sigma and extremes are those of the
/// filtered force; sigma divides by N; loss of contact is counted where the raw force is zero; the band sigmas are sums
/// over the spectrum of the window's raw samples, see spectrum.hpp.

#pragma once

#include <panto/core/check.hpp>
#include <panto/interaction/filter.hpp>
#include <panto/interaction/record.hpp>
#include <panto/interaction/spectrum.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::interaction {

struct EvaluationParams {
    double from = 0.0;  ///< m, the window begins here
    double to = 0.0;    ///< m, the window ends before this
    ContactForceFilter filter = ContactForceFilter::butterworth3_zero_phase_3db;
    double cut_off = 20.0;  ///< Hz, of the filter
};

struct ContactLoss {
    double time = 0.0;      ///< s, first sample without contact
    double position = 0.0;  ///< m
    double duration = 0.0;  ///< s, number of samples times the time step
};

struct SupportUplift {
    double position = 0.0;  ///< m
    double uplift = 0.0;    ///< m, largest over the whole run
};

/// Forces in N, lengths in m, times in s.
struct FiguresOfMerit {
    EvaluationParams evaluation = {};  ///< the parameters of the evaluation
    std::size_t samples = 0;           ///< in the window
    double time_step = 0.0;            ///< s

    double mean = 0.0;             ///< Fm
    double sigma = 0.0;            ///< of the filtered force, 0-20 Hz
    double statistical_max = 0.0;  ///< Fm + 3 sigma
    double statistical_min = 0.0;  ///< Fm - 3 sigma
    double actual_max = 0.0;       ///< of the filtered force
    double actual_min = 0.0;

    double raw_mean = 0.0;
    double raw_sigma = 0.0;
    double raw_max = 0.0;
    double raw_min = 0.0;

    double sigma_0_2 = 0.0;  ///< of the raw force in the band 0-2 Hz; the next ones likewise
    double sigma_0_5 = 0.0;
    double sigma_5_20 = 0.0;
    double sigma_0_20_fft = 0.0;

    double loss_percent = 0.0;             ///< share of the samples without contact
    std::vector<ContactLoss> losses = {};  ///< in order of time

    double height_min = 0.0;  ///< of the contact point
    double height_max = 0.0;
    double height_range = 0.0;

    std::vector<SupportUplift> uplift = {};  ///< every recorded support
    std::optional<double> uplift_max = {};   ///< largest at supports strictly inside the window; empty if none
};

namespace detail {

template <class... Field>
void check_series(const std::vector<double>& series, std::size_t n, const Field&... field) {
    const std::string_view where = "interaction::figures_of_merit";
    require(series.size() == n, where, "record.", field..., " has ", series.size(),
            " samples, expected as many as record.time has, ", n);
    for (std::size_t i = 0; i < n; ++i)
        if (!is_finite(series[i])) require_finite(series[i], where, "record.", field..., "[", i, "]");
}

/// The constant time step of a valid record, s.
[[nodiscard]] inline double check_record(const ForceRecord& record) {
    const std::string_view where = "interaction::figures_of_merit";
    const std::size_t n = record.time.size();
    require(n >= 2, where, "record.time has ", n, " samples, at least 2 are needed");
    check_series(record.time, n, "time");
    check_series(record.position, n, "position");
    check_series(record.force, n, "force");
    check_series(record.height, n, "height");
    for (std::size_t s = 0; s < record.supports.size(); ++s) {
        require_finite(record.supports[s].position, where, "record.supports[", s, "].position");
        check_series(record.supports[s].uplift, n, "supports[", s, "].uplift");
    }

    const double dt = (record.time.back() - record.time.front()) / static_cast<double>(n - 1);
    require_positive(dt, where, "mean time step of record.time");
    // Times may be rounded or accumulated; a lost or doubled sample is off by a whole step.
    for (std::size_t i = 1; i < n; ++i) {
        const double step = record.time[i] - record.time[i - 1];
        require(std::abs(step - dt) <= 0.01 * dt, where, "the step before record.time[", i, "] is ", step,
                " s, the time step must be constant, ", dt, " s");
        require(record.position[i] > record.position[i - 1], where, "record.position[", i, "] is ", record.position[i],
                " m, must be more than the one before, ", record.position[i - 1], " m");
    }
    return dt;
}

[[nodiscard]] inline double sigma_of(const std::vector<double>& x, double mean) {
    double sum = 0.0;
    for (const double value : x) sum += (value - mean) * (value - mean);
    return std::sqrt(sum / static_cast<double>(x.size()));
}

}  // namespace detail

/// @throws SetupError if the record is too short or inconsistent, a sample is not finite, the time step is not
/// constant, the window reaches beyond the record or holds fewer than 2 samples, or the filter does not suit the
/// record.
[[nodiscard]] inline FiguresOfMerit figures_of_merit(const ForceRecord& record, const EvaluationParams& evaluation) {
    const std::string_view where = "interaction::figures_of_merit";
    FiguresOfMerit out{.evaluation = evaluation};
    out.time_step = detail::check_record(record);
    require_finite(evaluation.from, where, "from");
    require_finite(evaluation.to, where, "to");
    const std::vector<double>& x = record.position;
    const double beyond = x.back() + (x.back() - x[x.size() - 2]);
    const double rounding = 1e-6 * (beyond - x.back());  // of positions added up or multiplied
    require(evaluation.from < evaluation.to && evaluation.from >= x.front() - rounding &&
                evaluation.to <= beyond + rounding,
            where, "the window is ", evaluation.from, " to ", evaluation.to, " m, must be a part of the record, ",
            x.front(), " to ", beyond, " m");
    const auto first = std::lower_bound(x.begin(), x.end(), evaluation.from) - x.begin();
    const auto last = std::lower_bound(x.begin(), x.end(), evaluation.to) - x.begin();
    require(last - first >= 2, where, "the window ", evaluation.from, " to ", evaluation.to, " m contains ",
            last - first, " samples, at least 2 are needed");
    const auto windowed = [&](const std::vector<double>& series) {
        return std::vector<double>(series.begin() + first, series.begin() + last);
    };

    const std::vector<double> filtered_force =
        windowed(filtered(evaluation.filter, record.force, out.time_step, evaluation.cut_off));
    const auto mean_of = [](const std::vector<double>& v) {
        return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    };
    out.samples = filtered_force.size();
    out.mean = mean_of(filtered_force);
    out.sigma = detail::sigma_of(filtered_force, out.mean);
    out.statistical_max = out.mean + 3.0 * out.sigma;
    out.statistical_min = out.mean - 3.0 * out.sigma;
    out.actual_max = *std::max_element(filtered_force.begin(), filtered_force.end());
    out.actual_min = *std::min_element(filtered_force.begin(), filtered_force.end());

    const std::vector<double> raw = windowed(record.force);
    out.raw_mean = mean_of(raw);
    out.raw_sigma = detail::sigma_of(raw, out.raw_mean);
    out.raw_max = *std::max_element(raw.begin(), raw.end());
    out.raw_min = *std::min_element(raw.begin(), raw.end());
    const Spectrum spectrum = amplitude_spectrum(raw, out.time_step);
    out.sigma_0_2 = band_sigma(spectrum, 0.0, 2.0);
    out.sigma_0_5 = band_sigma(spectrum, 0.0, 5.0);
    out.sigma_5_20 = band_sigma(spectrum, 5.0, 20.0);
    out.sigma_0_20_fft = band_sigma(spectrum, 0.0, 20.0);

    std::size_t lost = 0;
    bool touching = true;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const auto k = static_cast<std::size_t>(first) + i;
        const bool contact = raw[i] > 0.0;
        if (!contact) {
            ++lost;
            if (touching) out.losses.push_back({.time = record.time[k], .position = x[k]});
            out.losses.back().duration += out.time_step;
        }
        touching = contact;
    }
    out.loss_percent = 100.0 * static_cast<double>(lost) / static_cast<double>(raw.size());

    const auto [lowest, highest] = std::minmax_element(record.height.begin() + first, record.height.begin() + last);
    out.height_min = *lowest;
    out.height_max = *highest;
    out.height_range = *highest - *lowest;
    for (const SupportHistory& support : record.supports) {
        const double uplift = *std::max_element(support.uplift.begin(), support.uplift.end());
        out.uplift.push_back({.position = support.position, .uplift = uplift});
        if (support.position > evaluation.from && support.position < evaluation.to)
            out.uplift_max = std::max(out.uplift_max.value_or(uplift), uplift);
    }
    return out;
}

}  // namespace panto::interaction
