// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Discrete Fourier transform of any length in O(n log n). Lengths whose prime factors above 5 add up to no
/// more than 20 are left to Eigen's kissfft. All other lengths become a convolution with a chirp, padded to a
/// length with small prime factors [Bluestein, IEEE Trans. Audio Electroacoust. 18(4), 1970, 451-455]. So even a large
/// prime takes only a few times as long as the lengths next to it.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>

#include <unsupported/Eigen/FFT>

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

/// n >= 1 without its prime factors up to `largest`.
[[nodiscard]] constexpr std::size_t without_factors(std::size_t n, std::size_t largest) noexcept {
    for (std::size_t p = 2; p <= largest; ++p)
        while (n % p == 0) n /= p;
    return n;
}

/// The sum of the prime factors above 5 of n >= 1. Each prime p among them costs p operations a sample, where kissfft
/// has faster ones for 2, 3 and 5.
[[nodiscard]] constexpr std::size_t sum_of_slow_factors(std::size_t n) noexcept {
    std::size_t sum = 0;
    n = without_factors(n, 5);
    for (std::size_t p = 7; n > 1 && sum <= 20; p += 2) {
        if (p * p > n) return sum + n;
        for (; n % p == 0; n /= p) sum += p;
    }
    return sum;
}

/// Tables and memory of one length, for both directions.
class FftPlan {
  public:
    explicit FftPlan(std::size_t n) : n_(n) {
        engine_.SetFlag(Engine::Unscaled);
        if (sum_of_slow_factors(n) <= 20) return;  // above, three transforms of twice the length cost less
        // j k = (j^2 + k^2 - (k - j)^2) / 2 turns the sum into a convolution with the chirp exp(-pi i m^2 / n).
        chirp_.resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint64_t square = static_cast<std::uint64_t>(k) * k % (2 * n);  // keeps the angle small, exact
            chirp_[k] = std::polar(1.0, -std::numbers::pi * static_cast<double>(square) / static_cast<double>(n));
        }
        std::size_t m = 2 * n - 1;
        while (without_factors(m, 5) != 1) ++m;
        padded_.assign(m, 0.0);
        kernel_.resize(m);
        for (std::size_t k = 0; k < n; ++k) {
            padded_[k] = std::conj(chirp_[k]) / static_cast<double>(m);
            if (k > 0) padded_[m - k] = padded_[k];
        }
        engine_.fwd(kernel_.data(), padded_.data(), static_cast<int>(m));
        transformed_.resize(m);
    }

    [[nodiscard]] std::size_t length() const noexcept { return n_; }

    void transform(Complexes& x, bool inverse) {
        if (!chirp_.empty()) return convolve(x, inverse);
        transformed_.resize(n_);
        if (inverse)
            engine_.inv(transformed_.data(), x.data(), static_cast<int>(n_));
        else
            engine_.fwd(transformed_.data(), x.data(), static_cast<int>(n_));
        x.swap(transformed_);
    }

  private:
    using Engine = Eigen::FFT<double>;

    /// The inverse is the transform of the conjugates, conjugated.
    void convolve(Complexes& x, bool inverse) {
        const auto turned = [inverse](std::complex<double> z) { return inverse ? std::conj(z) : z; };
        const auto m = static_cast<int>(kernel_.size());
        for (std::size_t k = 0; k < n_; ++k) padded_[k] = times(turned(x[k]), chirp_[k]);
        for (std::size_t k = n_; k < padded_.size(); ++k) padded_[k] = 0.0;
        engine_.fwd(transformed_.data(), padded_.data(), m);
        for (std::size_t k = 0; k < kernel_.size(); ++k) transformed_[k] = times(transformed_[k], kernel_[k]);
        engine_.inv(padded_.data(), transformed_.data(), m);
        for (std::size_t k = 0; k < n_; ++k) x[k] = turned(times(padded_[k], chirp_[k]));
    }

    /// The product of finite numbers, without the special cases of operator* for infinities.
    static std::complex<double> times(std::complex<double> a, std::complex<double> b) noexcept {
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    }

    std::size_t n_;
    Engine engine_;
    Complexes chirp_, kernel_;  // empty where the factors are small
    Complexes padded_, transformed_;
};

}  // namespace detail

/// X_k = sum_j x_j exp(sign 2 pi i j k / n), not normalized. `sign` is -1 for the transform, +1 for its inverse. Each
/// thread keeps the tables of the length it transformed last. For set-up code and evaluation.
/// @throws SetupError if sign is neither of them, or n is above 5e8.
[[nodiscard]] inline Complexes fft(Complexes x, double sign) {
    require(std::abs(std::abs(sign) - 1.0) <= 0.0, "linalg::fft", "sign is ", sign,
            ", expected -1 (transform) or +1 (inverse)");
    require(x.size() <= 500000000, "linalg::fft", "the signal has ", x.size(), " samples, expected at most 5e8");
    if (x.size() <= 1) return x;
    thread_local detail::FftPlan plan(x.size());
    if (plan.length() != x.size()) plan = detail::FftPlan(x.size());
    plan.transform(x, sign > 0.0);
    return x;
}

/// The transform of real samples.
[[nodiscard]] inline Complexes fft(const std::vector<double>& samples) {
    return fft(Complexes(samples.begin(), samples.end()), -1.0);
}

}  // namespace panto::linalg
