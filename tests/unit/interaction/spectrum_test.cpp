// SPDX-License-Identifier: BSD-3-Clause
#include <panto/interaction/spectrum.hpp>

#include "../../support/approx.hpp"
#include "golden_csv.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

using namespace panto::interaction;  // NOLINT(google-build-using-namespace): a test of this room alone
using panto::test::golden_column;
using panto::test::largest_difference;

namespace spectrum_test {
namespace {

constexpr double dt = 0.002;

std::vector<double> made_up(std::size_t n) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 100.0 + 30.0 * std::sin(0.37 * double(i)) + double(i * i % 17);
    return x;
}

double scatter(const std::vector<double>& x) {
    double mean = 0.0, sum = 0.0;
    for (const double v : x) mean += v / double(x.size());
    for (const double v : x) sum += (v - mean) * (v - mean);
    return std::sqrt(sum / double(x.size()));
}

}  // namespace

TEST_SUITE("interaction::spectrum") {
    TEST_CASE("transforms records of any length as the defining sum does") {
        for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 8U, 12U, 17U, 30U, 64U, 97U}) {
            CAPTURE(n);
            const auto x = made_up(n);
            const auto fast = panto::linalg::fft(x);
            REQUIRE(fast.size() == n);
            for (std::size_t k = 0; k < n; ++k) {
                std::complex<double> sum = 0.0;
                for (std::size_t j = 0; j < n; ++j)
                    sum += x[j] * std::polar(1.0, -2.0 * std::numbers::pi * double(j * k % n) / double(n));
                CHECK(std::abs(fast[k] - sum) < 1e-9);  // sums of up to 100 terms of about 100
            }
        }
    }

    TEST_CASE("agrees with numpy's") {
        const auto spectrum = amplitude_spectrum(golden_column("scipy/filters.csv", "force_N"), dt);
        CHECK(largest_difference(spectrum.frequency, golden_column("scipy/spectrum.csv", "frequency_Hz")) < 1e-10);
        CHECK(largest_difference(spectrum.amplitude, golden_column("scipy/spectrum.csv", "amplitude_N")) < 1e-10);
    }

    TEST_CASE("shows the amplitude of a sine that fits the record, and puts its scatter into its band") {
        const std::size_t n = 1000;  // 2 s: lines every 0.5 Hz
        std::vector<double> x(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double t = dt * double(i);
            x[i] = 120.0 + 10.0 * std::cos(2 * std::numbers::pi * 1.5 * t) +
                   4.0 * std::sin(2 * std::numbers::pi * 12.0 * t) + 2.0 * std::sin(2 * std::numbers::pi * 50.0 * t);
        }
        const auto spectrum = amplitude_spectrum(x, dt);
        CHECK(spectrum.amplitude[0] == approx(120.0));
        CHECK(spectrum.frequency[3] == approx(1.5));
        CHECK(spectrum.amplitude[3] == approx(10.0));
        CHECK(spectrum.amplitude[24] == approx(4.0));
        CHECK(band_sigma(spectrum, 0.0, 2.0) == approx(10.0 / std::numbers::sqrt2));
        CHECK(band_sigma(spectrum, 5.0, 20.0) == approx(4.0 / std::numbers::sqrt2));
        CHECK(band_sigma(spectrum, 0.0, 20.0) == approx(std::sqrt((100.0 + 16.0) / 2.0)));
        // The upper end belongs to a band, the lower one does not, so neighbors never count a line twice.
        CHECK(band_sigma(spectrum, 1.5, 11.0) == approx(0.0).scale(1.0));
        CHECK(band_sigma(spectrum, 0.0, 1.5) == approx(10.0 / std::numbers::sqrt2));
    }

    TEST_CASE("divides the scatter of the samples among bands without loss") {
        for (const std::size_t n : {256U, 307U, 500U}) {
            const auto x = made_up(n);
            const auto spectrum = amplitude_spectrum(x, dt);
            CHECK(band_sigma(spectrum, 0.0, 0.5 / dt) == approx(scatter(x)).epsilon(1e-12));
            const double low = band_sigma(spectrum, 0.0, 5.0), high = band_sigma(spectrum, 5.0, 20.0);
            CHECK(std::hypot(low, high) == approx(band_sigma(spectrum, 0.0, 20.0)).epsilon(1e-12));
        }
    }

    TEST_CASE("has in a band the scatter of what a brick wall lets through") {
        for (const std::size_t n : {307U, 512U}) {
            const auto x = made_up(n);
            const auto low = low_pass_brick_wall(x, 20.0, dt);
            CHECK(band_sigma(amplitude_spectrum(x, dt), 0.0, 20.0) == approx(scatter(low)).epsilon(1e-12));
            CHECK(largest_difference(low_pass_brick_wall(low, 20.0, dt), low) < 1e-10);
        }
    }

    TEST_CASE("refuses records and bands that make no sense, and says which") {
        CHECK_THROWS_WITH_AS(static_cast<void>(amplitude_spectrum({}, dt)),
                             "interaction::amplitude_spectrum: samples is empty, at least one is needed",
                             panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(amplitude_spectrum({1.0, std::numeric_limits<double>::infinity()}, dt)),
                             "interaction::amplitude_spectrum: samples[1] must be finite, got inf", panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(amplitude_spectrum({1.0}, 0.0)), panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(band_sigma(amplitude_spectrum({1.0}, dt), 5.0, 2.0)),
                             "interaction::band_sigma: the band is 5 to 2 Hz, must satisfy 0 <= low < high",
                             panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(low_pass_brick_wall({}, 20.0, dt)), panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(low_pass_brick_wall({1.0}, -1.0, dt)), panto::SetupError);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(low_pass_brick_wall({1.0, std::numeric_limits<double>::infinity()}, 20.0, dt)),
            "interaction::low_pass_brick_wall: samples[1] must be finite, got inf", panto::SetupError);
    }
}

}  // namespace spectrum_test
