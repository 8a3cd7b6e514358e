// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Analysis of records along a line: sections between two positions, the shift between two records, and averaged
/// spectra [Welch 1967]. X and Y are the transforms of segments of n samples, with their means removed, under the
/// periodic Hann window w; f_s is the sampling rate and <> the mean over the segments:
///     S_xy = 2 <conj(X) Y>/(f_s sum w^2) ,      one-sided density; without the 2 at 0 and at half the sampling rate
///     H_1 = S_xy/S_xx ,   H_2 = S_yy/S_yx ,   coherence = |S_xy|^2/(S_xx S_yy) .
/// H_1 is unbiased if only the output is noisy, H_2 if only the input is. A peak narrower than f_s/n is too low in
/// both.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/fft.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::vehicle {

/// Samples at equal distances along the line.
struct LineRecord {
    double start = 0.0;  ///< m, position of the first sample
    double step = 0.25;  ///< m
    std::vector<double> values{};

    [[nodiscard]] double end() const { return start + step * (static_cast<double>(values.size()) - 1.0); }
};

/// The part between two positions in m, both included.
/// @throws SetupError if the record does not cover them, or has a gap (NaN) between them; the message gives the
/// position of the gap.
template <class = void>
[[nodiscard]] LineRecord section(const LineRecord& r, double from, double to) {
    const std::string_view where = "vehicle::section";
    require_positive(r.step, where, "step");
    require(to > from, where, "to is ", to, " m, must be above from, ", from);
    const double slack = 1e-9 * r.step;
    require(!r.values.empty() && from >= r.start - slack && to <= r.end() + slack, where, "from ", from, " to ", to,
            " m is not in the record, which goes from ", r.start, " to ", r.values.empty() ? r.start : r.end());
    const auto first = static_cast<std::size_t>(std::max(0.0, std::ceil((from - r.start - slack) / r.step)));
    const auto last = static_cast<std::size_t>(std::floor((to - r.start + slack) / r.step));
    LineRecord part{r.start + r.step * static_cast<double>(first), r.step, {}};
    for (std::size_t i = first; i <= last; ++i) {
        require(is_finite(r.values[i]), where, "the sample at ", r.start + r.step * static_cast<double>(i),
                " m is not finite: the record must have no gaps");
        part.values.push_back(r.values[i]);
    }
    return part;
}

/// All sections of `length` m that begin at a multiple of it and lie inside the record.
/// @throws SetupError as section, or if the length is not positive.
template <class = void>
[[nodiscard]] std::vector<LineRecord> sections(const LineRecord& r, double length) {
    require_positive(length, "vehicle::sections", "length");
    std::vector<LineRecord> all;
    const double slack = 1e-9 * length;
    for (double k = std::ceil((r.start - slack) / length); !r.values.empty() && (k + 1.0) * length <= r.end() + slack;
         ++k)
        all.push_back(section(r, k * length, (k + 1.0) * length));
    return all;
}

/// By how much one record lags another.
struct Displacement {
    double samples = 0.0;
    double correlation = 0.0;  ///< at the nearest whole sample, 1 for equal shapes
    /// True if the correlation is largest at the largest lag allowed: the true lag may be larger, so allow more.
    bool at_edge = false;
};

/// The lag, in samples and fractions of a sample, at which x(i) resembles y(i + lag) most: the largest correlation of
/// the overlapping parts, means removed, refined by a parabola through the neighbours.
/// @throws SetupError if lengths differ, are below three largest lags, a sample is not finite, or a record is constant.
template <class = void>
[[nodiscard]] Displacement displacement(const std::vector<double>& x, const std::vector<double>& y, int largest_lag) {
    const std::string_view where = "vehicle::displacement";
    require(x.size() == y.size(), where, "the records have ", x.size(), " and ", y.size(), " samples, must be equal");
    require(largest_lag >= 1, where, "largest_lag is ", largest_lag, ", must be at least 1");
    require(x.size() >= 3 * static_cast<std::size_t>(largest_lag), where, "the records have ", x.size(),
            " samples, expected at least three times largest_lag, ", 3 * largest_lag);
    require_all_finite(x, where, "x");
    require_all_finite(y, where, "y");
    for (const auto& [values, name] : {std::pair{&x, "x"}, {&y, "y"}}) {
        const auto [least, most] = std::minmax_element(values->begin(), values->end());
        require(*most > *least, where, name, " is constant, ", *least, ": every lag would fit equally well");
    }
    const int n = static_cast<int>(x.size());
    const auto mean = [](const std::vector<double>& v) {
        return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    };
    const double x_mean = mean(x), y_mean = mean(y);
    std::vector<double> c;
    for (int lag = -largest_lag; lag <= largest_lag; ++lag) {
        double xy = 0.0, xx = 0.0, yy = 0.0;
        for (int i = std::max(0, -lag); i < std::min(n, n - lag); ++i) {
            const double a = x[static_cast<std::size_t>(i)] - x_mean, b = y[static_cast<std::size_t>(i + lag)] - y_mean;
            xy += a * b, xx += a * a, yy += b * b;
        }
        c.push_back(xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0);
    }
    const auto k = std::max_element(c.begin(), c.end()) - c.begin();
    Displacement d{static_cast<double>(k - largest_lag), c[static_cast<std::size_t>(k)]};
    d.at_edge = k == 0 || k == 2 * largest_lag;
    if (d.at_edge) return d;
    const double left = c[static_cast<std::size_t>(k - 1)], middle = c[static_cast<std::size_t>(k)],
                 right = c[static_cast<std::size_t>(k + 1)], bend = left - 2.0 * middle + right;
    if (!(bend < 0.0)) return d;
    d.samples += 0.5 * (left - right) / bend;
    return d;
}

struct WelchParams {
    int segment = 800;  ///< samples
    int overlap = 480;  ///< samples
};

/// Averaged spectra of an input x and an output y.
struct CrossSpectra {
    std::vector<double> frequency{};         ///< Hz (1/m for samples along the line)
    std::vector<double> xx{}, yy{};          ///< densities, unit^2/Hz
    std::vector<std::complex<double>> xy{};  ///< <conj(X) Y>
    int segments = 0;

    [[nodiscard]] std::complex<double> h1(std::size_t k) const { return xy[k] / xx[k]; }
    [[nodiscard]] std::complex<double> h2(std::size_t k) const { return yy[k] / std::conj(xy[k]); }
    [[nodiscard]] double coherence(std::size_t k) const { return std::norm(xy[k]) / (xx[k] * yy[k]); }
};

namespace detail {

/// Calls each(start, transform) for the segments in order, where `transform` is that of the windowed segment.
template <class Each>
void each_segment(const std::vector<double>& x, const WelchParams& p, const Each& each) {
    const auto n = static_cast<std::size_t>(p.segment), hop = static_cast<std::size_t>(p.segment - p.overlap);
    for (std::size_t start = 0; start + n <= x.size(); start += hop) {
        double mean = 0.0;
        for (std::size_t i = 0; i < n; ++i) mean += x[start + i] / static_cast<double>(n);
        std::vector<double> windowed(n);
        for (std::size_t i = 0; i < n; ++i)
            windowed[i] =
                (x[start + i] - mean) *
                (0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n)));
        each(start, linalg::fft(windowed));
    }
}

inline void check(const std::vector<double>& x, double rate, const WelchParams& p, std::string_view where) {
    require_positive(rate, where, "rate");
    require(p.segment >= 4, where, "segment is ", p.segment, ", must be at least 4");
    require(p.overlap >= 0 && p.overlap < p.segment, where, "overlap is ", p.overlap,
            ", must be at least 0 and below segment, ", p.segment);
    require(x.size() >= static_cast<std::size_t>(p.segment), where, "the record has ", x.size(),
            " samples, expected at least one segment, ", p.segment);
    require_all_finite(x, where, "x");
}

/// 2/(f_s sum w^2), half of it at the ends.
inline double density(std::size_t k, std::size_t n, double rate) {
    return (k == 0 || 2 * k == n ? 1.0 : 2.0) / (rate * 0.375 * static_cast<double>(n));  // sum w^2 = 3 n/8
}

}  // namespace detail

/// @param rate Hz, of the samples (1/m along the line)
/// @throws SetupError if the records have different lengths, are shorter than one segment or not finite.
template <class = void>
[[nodiscard]] CrossSpectra cross_spectra(const std::vector<double>& x, const std::vector<double>& y, double rate,
                                         const WelchParams& p = {}) {
    const std::string_view where = "vehicle::cross_spectra";
    detail::check(x, rate, p, where);
    detail::check(y, rate, p, where);
    require(x.size() == y.size(), where, "the records have ", x.size(), " and ", y.size(), " samples, must be equal");
    const auto n = static_cast<std::size_t>(p.segment), lines = n / 2 + 1;
    CrossSpectra s;
    s.xx.assign(lines, 0.0), s.yy.assign(lines, 0.0), s.xy.assign(lines, 0.0);
    std::vector<linalg::Complexes> inputs;
    detail::each_segment(x, p, [&](std::size_t, const linalg::Complexes& X) { inputs.push_back(X); });
    std::size_t i = 0;
    detail::each_segment(y, p, [&](std::size_t, const linalg::Complexes& Y) {
        const linalg::Complexes& X = inputs[i++];
        for (std::size_t k = 0; k < lines; ++k) {
            s.xx[k] += std::norm(X[k]), s.yy[k] += std::norm(Y[k]);
            s.xy[k] += std::conj(X[k]) * Y[k];
        }
    });
    s.segments = static_cast<int>(i);
    for (std::size_t k = 0; k < lines; ++k) {
        const double f = detail::density(k, n, rate) / static_cast<double>(i);
        s.frequency.push_back(rate * static_cast<double>(k) / static_cast<double>(n));
        s.xx[k] *= f, s.yy[k] *= f, s.xy[k] *= f;
    }
    return s;
}

/// The densities of each segment, to see how a spectrum changes along a record.
struct ShortTimeSpectrum {
    std::vector<double> time{};                  ///< s (m), of the centres of the segments
    std::vector<double> frequency{};             ///< Hz (1/m)
    std::vector<std::vector<double>> density{};  ///< [segment][line]
};

/// @throws SetupError as cross_spectra.
template <class = void>
[[nodiscard]] ShortTimeSpectrum short_time_spectrum(const std::vector<double>& x, double rate,
                                                    const WelchParams& p = {}) {
    detail::check(x, rate, p, "vehicle::short_time_spectrum");
    const auto n = static_cast<std::size_t>(p.segment);
    ShortTimeSpectrum s;
    for (std::size_t k = 0; k <= n / 2; ++k)
        s.frequency.push_back(rate * static_cast<double>(k) / static_cast<double>(n));
    detail::each_segment(x, p, [&](std::size_t start, const linalg::Complexes& X) {
        s.time.push_back((static_cast<double>(start) + 0.5 * static_cast<double>(n)) / rate);
        std::vector<double> lines;
        for (std::size_t k = 0; k <= n / 2; ++k) lines.push_back(detail::density(k, n, rate) * std::norm(X[k]));
        s.density.push_back(std::move(lines));
    });
    return s;
}

}  // namespace panto::vehicle
