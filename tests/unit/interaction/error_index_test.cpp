// SPDX-License-Identifier: BSD-3-Clause
#include <panto/interaction/error_index.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

using namespace panto::interaction;  // NOLINT(google-build-using-namespace): a test of this room alone

namespace error_index_test {
namespace {

/// sum (F^2 - F_ref^2), the radicand of Eq. (13) of the HiL paper as printed.
double printed_radicand(const std::vector<double>& f, const std::vector<double>& reference) {
    double sum = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += f[i] * f[i] - reference[i] * reference[i];
    return sum;
}

}  // namespace

TEST_SUITE("interaction::error_index") {
    TEST_CASE("is the RMS difference in percent of the mean reference force") {
        CHECK(error_index({103.0, 96.0, 105.0, 100.0}, {100.0, 100.0, 100.0, 100.0}) ==
              approx(100.0 * std::sqrt((9.0 + 16.0 + 25.0) / 4.0) / 100.0));
        CHECK(error_index({90.0, 110.0}, {100.0, 300.0}) ==
              approx(100.0 * std::sqrt((100.0 + 190.0 * 190.0) / 2.0) / 200.0));
        CHECK(error_index({100.0, 50.0}, {100.0, 50.0}) == 0.0);
    }

    TEST_CASE("sees differences to which the formula printed in the paper is blind (erratum T4)") {
        // Mirrored in time: every sample wrong, same energy, printed index exactly zero.
        const std::vector<double> reference{50.0, 100.0, 150.0, 200.0}, mirrored{200.0, 150.0, 100.0, 50.0};
        CHECK(printed_radicand(mirrored, reference) == 0.0);
        CHECK(error_index(mirrored, reference) == approx(100.0 * std::sqrt(12500.0) / 125.0));
        // A weaker force: the printed radicand is negative, so there is no printed index at all.
        const std::vector<double> weaker{49.0, 99.0, 149.0, 199.0};
        CHECK(printed_radicand(weaker, reference) < 0.0);
        CHECK(error_index(weaker, reference) == approx(100.0 / 125.0));
    }

    TEST_CASE("comes with fits that are 1 for the truth and 0 for the mean") {
        const std::vector<double> measured{1.0, 2.0, 3.0, 6.0}, mean(4, 3.0);
        CHECK(nmse_fit(measured, measured) == 1.0);
        CHECK(nrmse_fit(measured, measured) == 1.0);
        CHECK(nmse_fit(mean, measured) == approx(0.0).scale(1.0));
        CHECK(nrmse_fit(mean, measured) == approx(0.0).scale(1.0));
        const std::vector<double> model{1.5, 2.0, 3.0, 5.0};  // misses by 1.25 in squares, of a scatter of 14
        CHECK(nmse_fit(model, measured) == approx(1.0 - 1.25 / 14.0));
        CHECK(nrmse_fit(model, measured) == approx(1.0 - std::sqrt(1.25 / 14.0)));
    }

    TEST_CASE("comes with the gain that makes a model of the right shape perfect") {
        const std::vector<double> measured{1.0, 2.0, 3.0, 6.0}, half{0.5, 1.0, 1.5, 3.0};
        CHECK(best_gain(half, measured) == approx(2.0));
        CHECK(nmse_fit(half, measured) < 0.5);
        CHECK(nmse_fit_gain_compensated(half, measured) == approx(1.0));
        // Of all gains it is the one with the best fit.
        std::vector<double> model{1.0, -1.0, 2.0, 4.0};
        const double best = nmse_fit_gain_compensated(model, measured), gain = best_gain(model, measured);
        for (const double factor : {0.99, 1.01}) {
            auto scaled = model;
            for (double& y : scaled) y *= gain * factor;
            CHECK(nmse_fit(scaled, measured) < best);
        }
    }

    TEST_CASE("refuses records that cannot be compared, and says why") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        CHECK_THROWS_WITH_AS(static_cast<void>(error_index({1.0}, {1.0, 2.0})),
                             "interaction::error_index: values has 1 samples, expected as many as the reference has, 2",
                             panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(error_index({}, {})),
                             "interaction::error_index: reference is empty, at least one sample is needed",
                             panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(error_index({1.0, nan}, {1.0, 1.0})),
                             "interaction::error_index: values[1] must be finite, got nan", panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(error_index({1.0, 1.0}, {nan, 1.0})),
                             "interaction::error_index: reference[0] must be finite, got nan", panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(error_index({1.0, 1.0}, {1.0, -1.0})),
                             "interaction::error_index: mean of the reference must be finite and > 0, got 0",
                             panto::SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(nmse_fit({1.0, 2.0}, {1.0, 1.0})),
                             "interaction::nmse_fit: the reference is constant, but must vary", panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(best_gain({0.0, 0.0}, {1.0, 2.0})), panto::SetupError);
    }

    TEST_CASE("a window compares the samples inside of it, and nothing else") {
        const std::vector<double> x{0.0, 1.0, 2.0, 3.0, 4.0};
        const std::vector<double> force{9e9, 103.0, 96.0, 105.0, -9e9}, reference{1.0, 100.0, 101.0, 99.0, 1.0};
        const ComparisonWindow window{.at = x, .from = 1.0, .to = 4.0};  // the upper end is left out
        CHECK(inside(force, window) == std::vector<double>{103.0, 96.0, 105.0});
        CHECK(error_index(inside(force, window), inside(reference, window)) ==
              error_index({103.0, 96.0, 105.0}, {100.0, 101.0, 99.0}));
        const auto refused = [&](const ComparisonWindow& w, const char* text) {
            CHECK_THROWS_WITH_AS((void)inside(force, w), doctest::Contains(text), panto::SetupError);
        };
        refused({.at = x, .from = 3.0, .to = 1.0}, "the window goes from 3 to 1");
        refused({.at = x, .from = 1.2, .to = 1.8}, "no sample lies between 1.2 and 1.8");
        refused({.at = std::span(x).first(3), .from = 1.0, .to = 4.0}, "at has 3 values");
        refused({.at = x, .from = std::nan(""), .to = 4.0}, "from must be finite, got nan");
    }
}

}  // namespace error_index_test
