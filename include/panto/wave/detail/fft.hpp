// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Fast Fourier transform of a power-of-two length, radix 2, for set-up code [Cooley, Tukey 1965].

#pragma once

#include <panto/core/check.hpp>

#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace panto::wave::detail {

/// Replaces x by X_n = sum_k x_k exp(sign 2 pi i k n / N). No scaling.
/// @throws SetupError if the length is not a power of two.
inline void fourier_transform(std::vector<std::complex<double>>& x, int sign) {
    const std::size_t n = x.size();
    require(n > 0 && (n & (n - 1)) == 0, "wave::fourier_transform", "the length must be a power of two");
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(x[i], x[j]);
    }
    std::vector<std::complex<double>> turn(n / 2);
    for (std::size_t k = 0; k < n / 2; ++k)
        turn[k] = std::polar(1.0, sign * 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    for (std::size_t half = 1; half < n; half <<= 1)
        for (std::size_t start = 0; start < n; start += 2 * half)
            for (std::size_t k = 0; k < half; ++k) {
                const std::complex<double> odd = turn[k * (n / (2 * half))] * x[start + half + k];
                x[start + half + k] = x[start + k] - odd;
                x[start + k] += odd;
            }
}

}  // namespace panto::wave::detail
