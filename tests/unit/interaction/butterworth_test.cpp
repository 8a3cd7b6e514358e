// SPDX-License-Identifier: BSD-3-Clause
#include <panto/interaction/butterworth.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "golden_csv.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

using panto::interaction::butterworth;
using panto::interaction::low_pass_causal;
using panto::interaction::low_pass_zero_phase;
using panto::interaction::LowPass;
using panto::test::golden_column;
using panto::test::largest_difference;

namespace butterworth_test {
namespace {

constexpr double dt = 0.002;

/// |H(f)| from the coefficients.
double gain(int order, double cut_off, double frequency) {
    const std::complex<double> z = std::polar(1.0, 2.0 * std::numbers::pi * frequency * dt);
    std::complex<double> h = 1.0;
    for (const auto& s : butterworth(order, cut_off, dt))
        h *= (s.b0 + s.b1 / z + s.b2 / (z * z)) / (1.0 + s.a1 / z + s.a2 / (z * z));
    return std::abs(h);
}

}  // namespace

TEST_SUITE("interaction::butterworth") {
    TEST_CASE("has the amplitude response that defines it, at any order and cut-off") {
        const auto warped = [](double f) { return std::tan(std::numbers::pi * f * dt); };
        for (int order = 1; order <= 20; ++order)
            for (const double cut_off : {2.0, 20.0, 200.0})
                for (const double f : {0.0, 1.0, 15.0, 20.0, 90.0, 240.0}) {
                    CAPTURE(order);
                    CAPTURE(cut_off);
                    CAPTURE(f);
                    const double ratio = std::pow(warped(f) / warped(cut_off), 2 * order);
                    // Poles crowd near 1 for low cut-offs: their round-off shows in the response.
                    CHECK(gain(order, cut_off, f) == approx(1.0 / std::sqrt(1.0 + ratio)).epsilon(1e-9));
                }
    }

    TEST_CASE("answers an impulse as scipy's filter does") {
        for (const int order : {1, 2, 3, 4, 5, 8, 13}) {
            CAPTURE(order);
            LowPass filter(order, 20.0, dt);
            std::vector<double> response;
            for (int k = 0; k < 60; ++k) response.push_back(filter(k == 0 ? 1.0 : 0.0));
            const auto scipy = golden_column("scipy/impulse_responses.csv", "order_" + std::to_string(order));
            CHECK(largest_difference(response, scipy) < 1e-12);
        }
    }

    TEST_CASE("stays at rest when started in the steady state of its input") {
        for (const int order : {1, 2, 3, 6}) {
            LowPass filter(order, 20.0, dt);
            filter.reset(117.0);
            for (int k = 0; k < 100; ++k) CHECK(filter(117.0) == approx(117.0).epsilon(1e-12));
        }
    }

    TEST_CASE("does not delay when run both ways, and keeps a straight line") {
        std::vector<double> line, hump;
        for (int k = 0; k < 401; ++k) {
            line.push_back(3.0 - 0.2 * k);
            hump.push_back(std::exp(-1e-3 * (k - 200) * (k - 200)));
        }
        // Odd extension continues the line; what remains is the start of each pass, decayed over the padding.
        const auto straight = low_pass_zero_phase(line, 3, 20.0, dt);
        CHECK(straight[200] == approx(line[200]).epsilon(1e-9));
        const auto smooth = low_pass_zero_phase(hump, 3, 20.0, dt);
        for (std::size_t k = 1; k <= 150; ++k)
            CHECK(smooth[200 - k] == approx(smooth[200 + k]).epsilon(1e-9).scale(1.0));
        const auto delayed = low_pass_causal(hump, 3, 20.0, dt);
        CHECK(delayed[190] < delayed[210]);
    }

    TEST_CASE("does not allocate sample by sample") {
        // @rt-tested: LowPass::operator() LowPass::reset
        LowPass filter(6, 20.0, dt);
        double y = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  filter.reset(1.0);
                  y = filter(2.0);
              }) == 0);
        CHECK(y > 1.0);
        static_assert(noexcept(filter(1.0)) && noexcept(filter.reset(1.0)));
    }

    TEST_CASE("refuses what it cannot build, and says what is allowed") {
        CHECK_THROWS_WITH_AS(static_cast<void>(butterworth(0, 20.0, dt)),
                             "interaction::butterworth: order is 0, must be from 1 to 20", panto::SetupError);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(butterworth(3, 250.0, dt)),
            "interaction::butterworth: cut_off is 250 Hz, must be below half the sampling rate, 250 Hz",
            panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(butterworth(3, -20.0, dt)),
                             "interaction::butterworth: cut_off must be finite and > 0, got -20", panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(butterworth(3, 20.0, std::numeric_limits<double>::quiet_NaN())),
                        panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(butterworth(3, 20.0, 0.0)), panto::SetupError);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(low_pass_zero_phase(std::vector<double>(12, 1.0), 3, 20.0, dt)),
            "interaction::low_pass_zero_phase: samples has 12 entries, must be more than 12 for order 3",
            panto::SetupError);
        CHECK(low_pass_zero_phase(std::vector<double>(13, 1.0), 3, 20.0, dt).size() == 13);
        CHECK_THROWS_AS(static_cast<void>(low_pass_causal({}, 3, 20.0, dt)), panto::SetupError);
        std::vector<double> spoilt(20, 1.0);
        spoilt[7] = std::numeric_limits<double>::quiet_NaN();
        CHECK_THROWS_WITH_AS(static_cast<void>(low_pass_causal(spoilt, 3, 20.0, dt)),
                             "interaction::low_pass_causal: samples[7] must be finite, got nan", panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(low_pass_zero_phase(spoilt, 3, 20.0, dt)),
                             "interaction::low_pass_zero_phase: samples[7] must be finite, got nan", panto::SetupError);
    }
}

}  // namespace butterworth_test
