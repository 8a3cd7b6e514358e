// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/fft.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
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
    for (const std::size_t n :
         {1UL, 2UL, 3UL, 12UL, 22UL, 31UL, 37UL, 49UL, 64UL, 74UL, 77UL, 101UL, 343UL, 360UL, 1009UL}) {
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

// kissfft takes as many operations a sample as the prime factors of the length add up to.
TEST_CASE("every length takes O(n log n) operations") {
    const auto factors = [](int n) {
        int sum = 0;
        for (int p = 2; n > 1; ++p)
            for (; n % p == 0; n /= p) sum += p;
        return static_cast<double>(sum);
    };
    double most = 0.0;
    for (int n = 2; n < 3000; ++n) {
        double operations = n * factors(n);
        if (linalg::detail::sum_of_slow_factors(static_cast<std::size_t>(n)) > 20) {  // a chirp, and three transforms
            int padded = 2 * n - 1;
            while (linalg::detail::without_factors(static_cast<std::size_t>(padded), 5) != 1) ++padded;
            operations = 3.0 * padded * factors(padded);
        }
        most = std::max(most, operations / (n * std::log2(n)));
    }
    CHECK(most < 16.0);  // a power of two takes 2; without chirps a prime of 3000 would take 260
}

TEST_CASE("a sign that is neither -1 nor 1 is refused") {
    for (const double sign : {0.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_WITH_AS((void)linalg::fft(signal(3), sign), doctest::Contains("expected -1"), SetupError);
}

TEST_SUITE("long") {
    // Chirps of their own took 56 to 156 times FFTW's time (bench/linalg/fft_bench.cpp), 40 times that of a power of
    // two; now 1 to 10 and 15, a prime against a power of two. 30 leaves room for a busy machine.
    TEST_CASE("by the clock, too, lengths that are no power of two cost little more") {
        using clock = std::chrono::steady_clock;
        const auto fastest = [](std::size_t n) {
            const auto x = signal(n);
            double best = 1e9;
            for (int i = 0; i < 7; ++i) {
                const auto start = clock::now();
                (void)linalg::fft(x, -1.0);
                best = std::min(best, std::chrono::duration<double>(clock::now() - start).count());
            }
            return best;
        };
        const double power_of_two = fastest(16384);
        CHECK(fastest(15000) < 5.0 * power_of_two);
        const double prime = fastest(16381);
        CHECK(prime < 30.0 * power_of_two);
        CHECK(fastest(17 * 31 * 31) < 2.0 * prime);  // with these factors 5 times
    }
}

}  // namespace fft_test
