// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Butterworth low-pass filters of any order, as a chain of second-order sections.
///
///     |H(f)|^2 = 1 / (1 + (tan(pi f/fs) / tan(pi fc/fs))^(2 n))
///
/// with the order n, the cut-off fc and the sampling rate fs, by the bilinear transformation with the cut-off
/// prewarped; the same filters as scipy.signal.butter(n, fc, fs=fs). Every section has gain 1 at frequency 0, so a
/// constant input leaves each section as the same constant.

#pragma once

#include <panto/core/check.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

namespace panto::interaction {

/// y = b0 x + b1 x- + b2 x-- - a1 y- - a2 y-- , where - marks the value one sample earlier and -- two samples earlier.
struct FilterSection {
    double b0 = 1.0, b1 = 0.0, b2 = 0.0;
    double a1 = 0.0, a2 = 0.0;
};

/// Sections of a Butterworth low-pass that is -3 dB at `cut_off`. An odd order ends with a section of first order.
/// @param cut_off   Hz
/// @param time_step s
/// @throws SetupError unless 1 <= order <= 20 and 0 < cut_off < half the sampling rate.
[[nodiscard]] inline std::vector<FilterSection> butterworth(int order, double cut_off, double time_step) {
    constexpr const char* where = "interaction::butterworth";
    require(order >= 1 && order <= 20, where, "order is ", order, ", must be from 1 to 20");
    require_positive(time_step, where, "time_step");
    require_positive(cut_off, where, "cut_off");
    require(cut_off * time_step < 0.5, where, "cut_off is ", cut_off, " Hz, must be below half the sampling rate, ",
            0.5 / time_step, " Hz");

    const double w = std::tan(std::numbers::pi * cut_off * time_step);
    std::vector<FilterSection> sections;
    for (int i = 0; i < order / 2; ++i) {
        // Conjugate poles of the analog prototype: s^2 + 2 zeta w s + w^2.
        const double zeta = std::sin(std::numbers::pi * (2 * i + 1) / (2.0 * order));
        const double scale = 1.0 / (1.0 + 2.0 * zeta * w + w * w);
        sections.push_back({.b0 = w * w * scale,
                            .b1 = 2.0 * w * w * scale,
                            .b2 = w * w * scale,
                            .a1 = 2.0 * (w * w - 1.0) * scale,
                            .a2 = (1.0 - 2.0 * zeta * w + w * w) * scale});
    }
    if (order % 2 == 1)
        sections.push_back({.b0 = w / (1.0 + w), .b1 = w / (1.0 + w), .b2 = 0.0, .a1 = (w - 1.0) / (w + 1.0)});
    return sections;
}

/// A causal low-pass for one sample at a time.
class LowPass {
  public:
    /// @throws SetupError as butterworth() does.
    LowPass(int order, double cut_off, double time_step)
        : sections_(butterworth(order, cut_off, time_step)), memory_(sections_.size()) {}

    /// Starts in the steady state of the constant input `value`. @rt
    void reset(double value) noexcept {
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            const FilterSection& s = sections_[i];
            memory_[i] = {.first = (1.0 - s.b0) * value, .second = (s.b2 - s.a2) * value};
        }
    }

    /// Next output. @rt
    [[nodiscard]] double operator()(double input) noexcept {
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            const FilterSection& s = sections_[i];
            const double output = s.b0 * input + memory_[i].first;
            memory_[i].first = s.b1 * input - s.a1 * output + memory_[i].second;
            memory_[i].second = s.b2 * input - s.a2 * output;
            input = output;
        }
        return input;
    }

  private:
    struct Memory {  // transposed direct form II
        double first = 0.0;
        double second = 0.0;
    };
    std::vector<FilterSection> sections_;
    std::vector<Memory> memory_;
};

/// Filters in one pass, which starts in the steady state of the first sample. The filter delays the signal.
/// @throws SetupError as butterworth() does, or if there are no samples or one is not finite.
[[nodiscard]] inline std::vector<double> low_pass_causal(const std::vector<double>& samples, int order, double cut_off,
                                                         double time_step) {
    require(!samples.empty(), "interaction::low_pass_causal", "samples is empty, at least one is needed");
    require_all_finite(samples, "interaction::low_pass_causal", "samples");
    LowPass filter(order, cut_off, time_step);
    filter.reset(samples.front());
    std::vector<double> out(samples.size());
    std::transform(samples.begin(), samples.end(), out.begin(), [&](double x) { return filter(x); });
    return out;
}

/// Filters forward and backward: no delay, and the square of the amplitude response (-6 dB at `cut_off`). The record is
/// extended at both ends by 3 (order + 1) samples, mirrored through its end points, and each pass starts in the steady
/// state: the defaults of scipy.signal.sosfiltfilt.
/// @throws SetupError as butterworth() does, or if there are not more than 3 (order + 1) samples or one is not finite.
[[nodiscard]] inline std::vector<double> low_pass_zero_phase(const std::vector<double>& samples, int order,
                                                             double cut_off, double time_step) {
    LowPass filter(order, cut_off, time_step);
    const std::size_t pad = 3 * (static_cast<std::size_t>(order) + 1);
    const std::size_t n = samples.size();
    require(n > pad, "interaction::low_pass_zero_phase", "samples has ", n, " entries, must be more than ", pad,
            " for order ", order);
    require_all_finite(samples, "interaction::low_pass_zero_phase", "samples");

    std::vector<double> extended;
    extended.reserve(n + 2 * pad);
    for (std::size_t i = pad; i > 0; --i) extended.push_back(2.0 * samples.front() - samples[i]);
    extended.insert(extended.end(), samples.begin(), samples.end());
    for (std::size_t i = 1; i <= pad; ++i) extended.push_back(2.0 * samples.back() - samples[n - 1 - i]);

    for (int pass = 0; pass < 2; ++pass) {
        filter.reset(extended.front());
        for (double& x : extended) x = filter(x);
        std::reverse(extended.begin(), extended.end());
    }
    const auto first = extended.begin() + static_cast<std::ptrdiff_t>(pad);
    return {first, first + static_cast<std::ptrdiff_t>(n)};
}

}  // namespace panto::interaction
