// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/fft.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace fft_test {
namespace {

using namespace panto;

linalg::Complexes signal(std::size_t n) {
    linalg::Complexes x(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto t = static_cast<double>(i);
        x[i] = {std::sin(0.1 * t * t) + 0.3, std::cos(0.7 * t)};
    }
    return x;
}

}  // namespace

TEST_CASE("a transform is its sum, for powers of two, primes and what lies between, and its inverse takes it back") {
    for (const std::size_t n : {1UL, 2UL, 3UL, 12UL, 64UL, 101UL}) {
        CAPTURE(n);
        const auto x = signal(n), X = linalg::fft(x, -1.0), back = linalg::fft(X, 1.0);
        for (std::size_t k = 0; k < n; ++k) {
            std::complex<double> sum = 0.0;
            for (std::size_t j = 0; j < n; ++j)
                sum += x[j] * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(j * k % n) /
                                                  static_cast<double>(n));
            CHECK(std::abs(X[k] - sum) < 1e-13 * static_cast<double>(n));  // rounding of n terms of size 1
            CHECK(std::abs(back[k] / static_cast<double>(n) - x[k]) < 1e-14 * static_cast<double>(n));
        }
    }
    CHECK(linalg::fft(linalg::Complexes{}, -1.0).empty());
}

TEST_CASE("a sign that is neither -1 nor 1 is refused") {
    for (const double sign : {0.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_WITH_AS((void)linalg::fft(signal(3), sign), doctest::Contains("allowed is -1"), SetupError);
}

}  // namespace fft_test
