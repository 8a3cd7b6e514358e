// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Amplitude spectrum of a sampled quantity, and its standard deviation in frequency bands.
///
///     sigma^2(low, high) = sum over low < f_k <= high of 2 |X_k|^2 / n^2,   f_k = k / (n dt)
///
/// (factor 1 at half the sampling rate), with the discrete Fourier transform X_k of the n samples. So the squares of
/// adjacent bands add up, and those of all bands give the variance of the samples [Parseval]. There is no window
/// function: a signal that does not repeat after n samples leaks into neighbouring frequencies.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/fft.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::interaction {

/// One-sided spectrum: a sine of amplitude 1 at one of the frequencies has the entry 1 there. Entry 0 is |mean|.
struct Spectrum {
    std::vector<double> frequency = {};  ///< Hz
    std::vector<double> amplitude = {};  ///< in the unit of the samples
    std::size_t samples = 0;             ///< number of samples it was made from
};

/// @param time_step s
/// @throws SetupError if there are no samples, one of them is not finite, or the time step is not positive.
[[nodiscard]] inline Spectrum amplitude_spectrum(const std::vector<double>& samples, double time_step) {
    const std::string_view where = "interaction::amplitude_spectrum";
    require(!samples.empty(), where, "samples is empty, at least one is needed");
    require_positive(time_step, where, "time_step");
    require_all_finite(samples, where, "samples");

    const std::size_t n = samples.size();
    const linalg::Complexes transformed = linalg::fft(samples);
    Spectrum out;
    out.samples = n;
    for (std::size_t k = 0; k <= n / 2; ++k) {
        const bool alone = k == 0 || 2 * k == n;  // all others stand for +f and -f
        out.frequency.push_back(static_cast<double>(k) / (static_cast<double>(n) * time_step));
        out.amplitude.push_back((alone ? 1.0 : 2.0) * std::abs(transformed[k]) / static_cast<double>(n));
    }
    return out;
}

/// Standard deviation (1/N) of the part of the samples with low < f <= high, Hz. The mean is never included.
/// @throws SetupError unless 0 <= low < high.
[[nodiscard]] inline double band_sigma(const Spectrum& spectrum, double low, double high) {
    require(low >= 0.0 && low < high, "interaction::band_sigma", "the band is ", low, " to ", high,
            " Hz, must satisfy 0 <= low < high");
    double variance = 0.0;
    for (std::size_t k = 1; k < spectrum.frequency.size(); ++k) {
        if (!(spectrum.frequency[k] > low && spectrum.frequency[k] <= high)) continue;
        const double square = spectrum.amplitude[k] * spectrum.amplitude[k];
        variance += 2 * k == spectrum.samples ? square : 0.5 * square;
    }
    return std::sqrt(variance);
}

/// Removes everything above `cut_off` from the spectrum. The record is treated as one period, so a
/// difference between its ends causes ringing there.
/// @throws SetupError as amplitude_spectrum() does, or if the cut-off is not positive.
[[nodiscard]] inline std::vector<double> low_pass_brick_wall(const std::vector<double>& samples, double cut_off,
                                                             double time_step) {
    const std::string_view where = "interaction::low_pass_brick_wall";
    require(!samples.empty(), where, "samples is empty, at least one is needed");
    require_positive(time_step, where, "time_step");
    require_positive(cut_off, where, "cut_off");
    require_all_finite(samples, where, "samples");
    const std::size_t n = samples.size();
    linalg::Complexes transformed = linalg::fft(samples);
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t distance = k <= n / 2 ? k : n - k;
        if (static_cast<double>(distance) / (static_cast<double>(n) * time_step) > cut_off) transformed[k] = 0.0;
    }
    transformed = linalg::fft(std::move(transformed), +1.0);
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = transformed[i].real() / static_cast<double>(n);
    return out;
}

}  // namespace panto::interaction
