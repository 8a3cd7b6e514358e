// SPDX-License-Identifier: BSD-3-Clause
#include <panto/interaction/filter.hpp>

#include "../../support/approx.hpp"
#include "golden_csv.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using panto::interaction::contact_force_filter;
using panto::interaction::contact_force_filter_names;
using panto::interaction::ContactForceFilter;
using panto::interaction::filtered;
using panto::test::golden_column;
using panto::test::largest_difference;

namespace filter_test {
namespace {

/// Amplitude left in the middle of a long 20 Hz sine of amplitude 1.
double left_at_20_hz(ContactForceFilter filter) {
    constexpr double dt = 0.00025;  // fine, so that the warping of the frequency axis does not show
    std::vector<double> sine(8000);
    for (std::size_t i = 0; i < sine.size(); ++i) sine[i] = std::sin(2 * std::numbers::pi * 20.0 * dt * double(i));
    const auto out = filtered(filter, sine, dt);
    double largest = 0.0;
    for (std::size_t i = 3000; i < 5000; ++i) largest = std::fmax(largest, out[i]);
    return largest;
}

}  // namespace

TEST_SUITE("interaction::filtered") {
    TEST_CASE("gives what scipy and numpy give, for every named filter") {
        const auto force = golden_column("scipy/filters.csv", "force_N");
        for (const auto text : contact_force_filter_names) {
            CAPTURE(text);
            const auto scipy = golden_column("scipy/filters.csv", std::string(text) + "_N");
            CHECK(largest_difference(filtered(contact_force_filter(text), force, 0.002), scipy) < 1e-10);
        }
    }

    TEST_CASE("leaves at 20 Hz what the filter's name says") {
        // Peaks are sampled every 200th of a period and the warped axis moves 20 Hz by 5e-5: 1e-3 covers both.
        CHECK(left_at_20_hz(ContactForceFilter::butterworth3_zero_phase_3db) ==
              approx(1.0 / std::numbers::sqrt2).epsilon(1e-3));
        CHECK(left_at_20_hz(ContactForceFilter::butterworth3_zero_phase_6db) == approx(0.5).epsilon(1e-3));
        CHECK(left_at_20_hz(ContactForceFilter::butterworth6_causal) ==
              approx(1.0 / std::numbers::sqrt2).epsilon(1e-3));
        CHECK(left_at_20_hz(ContactForceFilter::fft_brick_wall) == approx(1.0).epsilon(1e-3));
    }

    TEST_CASE("is found by every name it has, and suggests the nearest otherwise") {
        for (const auto text : contact_force_filter_names) CHECK(name(contact_force_filter(text)) == text);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(contact_force_filter("butterworth6")),
            "interaction::contact_force_filter: no contact force filter is called 'butterworth6'; did you mean "
            "'butterworth6_causal'? Known are butterworth3_zero_phase_3db, butterworth3_zero_phase_6db, "
            "butterworth6_causal, fft_brick_wall",
            panto::SetupError);
    }

    TEST_CASE("names the sample that is no number") {
        std::vector<double> samples(100, 120.0);
        samples[37] = std::nan("");
        for (const auto name : contact_force_filter_names)
            CHECK_THROWS_WITH_AS(static_cast<void>(filtered(contact_force_filter(name), samples, 2e-3)),
                                 "interaction::filtered: sample 37 must be finite, got nan", panto::SetupError);
    }

    TEST_CASE("refuses a record too short to filter") {
        CHECK_THROWS_AS(static_cast<void>(filtered(ContactForceFilter::butterworth3_zero_phase_3db, {1.0, 2.0}, 0.002)),
                        panto::SetupError);
    }
}

}  // namespace filter_test
