// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Discrete Fourier transform of any length in O(n log n): radix 2, and Bluestein's chirp for the rest, so that a
/// record whose length is a large prime costs no more than its neighbor.

#pragma once

#include <panto/core/check.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace panto::linalg {

using Complexes = std::vector<std::complex<double>>;

namespace detail {

/// X_k = sum_j x_j exp(sign 2 pi i j k / n) for n a power of two, in place.
inline void fft_power_of_two(Complexes& x, double sign) {
    const std::size_t n = x.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(x[i], x[j]);
    }
    Complexes twiddle(n / 2);
    for (std::size_t k = 0; k < n / 2; ++k)
        twiddle[k] = std::polar(1.0, sign * 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    for (std::size_t half = 1; half < n; half *= 2) {
        const std::size_t stride = n / (2 * half);
        for (std::size_t start = 0; start < n; start += 2 * half)
            for (std::size_t k = 0; k < half; ++k) {
                const std::complex<double> odd = x[start + k + half] * twiddle[k * stride];
                x[start + k + half] = x[start + k] - odd;
                x[start + k] += odd;
            }
    }
}

}  // namespace detail

/// X_k = sum_j x_j exp(sign 2 pi i j k / n), not normalized. `sign` is -1 for the transform, +1 for its inverse.
/// @throws SetupError if it is neither.
[[nodiscard]] inline Complexes fft(Complexes x, double sign) {
    require(std::abs(std::abs(sign) - 1.0) <= 0.0, "linalg::fft", "sign is ", sign,
            ", allowed is -1 (transform) or +1 (inverse)");
    const std::size_t n = x.size();
    if (n <= 1) return x;
    if (std::has_single_bit(n)) {
        detail::fft_power_of_two(x, sign);
        return x;
    }
    // j k = (j^2 + k^2 - (k - j)^2) / 2 turns the sum into a convolution with the chirp exp(-sign pi i m^2 / n).
    Complexes chirp(n);
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint64_t square = static_cast<std::uint64_t>(k) * k % (2 * n);  // keeps the angle small and exact
        chirp[k] = std::polar(1.0, sign * std::numbers::pi * static_cast<double>(square) / static_cast<double>(n));
    }
    const std::size_t m = std::bit_ceil(2 * n - 1);
    Complexes a(m), b(m);
    for (std::size_t k = 0; k < n; ++k) {
        a[k] = x[k] * chirp[k];
        b[k] = std::conj(chirp[k]);
        if (k > 0) b[m - k] = b[k];
    }
    detail::fft_power_of_two(a, -1.0);
    detail::fft_power_of_two(b, -1.0);
    for (std::size_t k = 0; k < m; ++k) a[k] *= b[k];
    detail::fft_power_of_two(a, +1.0);
    for (std::size_t k = 0; k < n; ++k) x[k] = chirp[k] * a[k] / static_cast<double>(m);
    return x;
}

/// The transform of real samples.
[[nodiscard]] inline Complexes fft(const std::vector<double>& samples) {
    return fft(Complexes(samples.begin(), samples.end()), -1.0);
}

}  // namespace panto::linalg
