// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/vehicle/irregularity.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "../../support/golden_json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

using namespace panto::vehicle;
using panto::Dual;

namespace irregularity_test {
namespace {

double golden_number(const char* key) {
    return panto::test::golden("vehicle_and_inverse_problems.json").at("F.signals").at("value").at(key).get<double>();
}

/// Standard deviation in the band of 3 to 200 m, by Simpson's rule on the logarithm.
template <class Density>
double deviation(const Density& density) {
    const double lo = std::log(2.0 * std::numbers::pi / 200.0), hi = std::log(2.0 * std::numbers::pi / 3.0);
    const int n = 4000;
    double sum = 0.0;
    for (int i = 0; i <= n; ++i) {
        const double o = std::exp(lo + (hi - lo) * i / n), w = i == 0 || i == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        sum += w * density(o) * o;
    }
    return std::sqrt(sum * (hi - lo) / (3.0 * n));
}

}  // namespace

TEST_SUITE("vehicle::TrackSpectrum") {
    TEST_CASE("densities and deviations are the golden ones, one-sided") {
        const auto low = TrackSpectrum::low_disturbance(), high = TrackSpectrum::high_disturbance();
        const double pi2 = 2.0 * std::numbers::pi;
        const auto close = [](double value, const char* key, double tolerance = 1e-8) {
            CAPTURE(key);
            CHECK(value == approx(golden_number(key)).epsilon(tolerance));
        };
        close(low.vertical_density(pi2 / 10.0), "Sv_low_at_2pi/10");
        close(low.vertical_density(pi2 / 100.0), "Sv_low_at_2pi/100");
        close(deviation([&](double o) { return low.vertical_density(o); }), "sigma_low_Av_3_200m");
        close(deviation([&](double o) { return low.alignment_density(o); }), "sigma_low_Aa_3_200m");
        // The golden integral is 3.2e-8 too high; 4000 and 40 000 intervals agree in 13 digits.
        close(deviation([&](double o) { return low.cross_level_density(o); }), "sigma_low_cross_rad", 4e-8);
        close(deviation([&](double o) { return high.vertical_density(o); }), "sigma_high_Av_3_200m");
        close(deviation([&](double o) { return high.alignment_density(o); }), "sigma_high_Aa_3_200m");
        close(deviation([&](double o) { return high.cross_level_density(o); }), "sigma_high_cross_rad");
    }

    TEST_CASE("a realization is the golden one; its waves are those of its derivatives") {
        const auto golden =
            panto::test::golden("vehicle_and_inverse_problems.json").at("F.signals").at("value").at("synth");
        const TrackSpectrum low;
        const auto z = WaveSum::of([&](double o) { return low.vertical_density(o); }, {}, 5);
        CHECK(z.at(0.0).value == approx(golden.at("z0").get<double>()).epsilon(1e-8));
        CHECK(z.at(10.0).value == approx(golden.at("z10").get<double>()).epsilon(1e-8));
        CHECK(z.at(100.0).value == approx(golden.at("z100").get<double>()).epsilon(1e-8));
        CHECK(z.variance() == approx(golden.at("var").get<double>()).epsilon(1e-8));
        const auto d = z.at(Dual<1>::variable(33.0, 0));
        CHECK(d.value.derivative(0) == approx(d.slope.value()).epsilon(1e-10));
        CHECK(d.slope.derivative(0) == approx(d.curvature.value()).epsilon(1e-10));
    }
}

TEST_SUITE("vehicle::SampledTrack") {
    TEST_CASE("follows the track it was sampled from, with two derivatives, and is level outside") {
        const auto exact = RandomTrack::of({}, {}, {5, 6, 7});
        const auto sampled = SampledTrack::ramped(exact, 100.0, 300.0, 0.1, 40.0);
        for (const double s : {180.03, 222.22, 299.99}) {
            const auto a = exact.at(s), b = sampled.at(s);
            // Waves of 3 m, 30 samples each: (pi/15)^4/384 of the amplitude in value, some 1e-3 in curvature.
            CHECK(std::abs(a.lateral.value - b.lateral.value) < 1e-8);
            CHECK(std::abs(a.vertical.slope - b.vertical.slope) < 1e-6);
            CHECK(std::abs(a.roll.curvature - b.roll.curvature) < 1e-5);
        }
        const auto d = sampled.at(Dual<1>::variable(211.17, 0));
        CHECK(d.lateral.value.derivative(0) == approx(d.lateral.slope.value()).epsilon(1e-10));
        CHECK(d.lateral.slope.derivative(0) == approx(d.lateral.curvature.value()).epsilon(1e-10));
        CHECK(sampled.at(99.0).vertical.value == 0.0);
        CHECK(sampled.at(100.0).vertical.value == 0.0);
        CHECK(std::abs(sampled.at(400.0).roll.value) < 1e-15);
        CHECK(sampled.at(401.0).roll.value == 0.0);
    }

    TEST_CASE("four rails give middle, height and roll") {
        std::vector<double> zl, zr, yl, yr;
        for (int i = 0; i < 50; ++i) {
            const double s = 0.5 * i;
            zl.push_back(1e-3 * std::sin(0.2 * s) + 0.75 * 2e-3);
            zr.push_back(1e-3 * std::sin(0.2 * s) - 0.75 * 2e-3);
            yl.push_back(2e-3 + 1e-3);
            yr.push_back(2e-3 - 1e-3);  // gauge widened by 2 mm
        }
        const auto track = SampledTrack::from_rails(0.0, 0.5, zl, zr, yl, yr, 0.75);
        const auto t = track.at(10.0);
        CHECK(t.vertical.value == approx(1e-3 * std::sin(2.0)).epsilon(1e-6));
        CHECK(t.roll.value == approx(2e-3));
        CHECK(t.lateral.value == approx(2e-3));
    }

    TEST_CASE("a track in stack: the sum of two") {
        const SuperposedTrack<SmoothDefect<>, SmoothDefect<>> both{{.lateral = 1e-3}, {.lateral = 2e-3, .roll = 1e-3}};
        CHECK(both.at(15.0).lateral.value == approx(3e-3));
        CHECK(both.at(15.0).roll.value == approx(1e-3));
    }

    TEST_CASE("does not allocate") {
        // @rt-tested: WaveSum::at RandomTrack::at SampledTrack::at SuperposedTrack::at
        const auto exact = RandomTrack::of({}, {.waves = 20}, {5, 6, 7});
        const SuperposedTrack<RandomTrack, SampledTrack> both{exact,
                                                              SampledTrack::ramped(exact, 0.0, 50.0, 0.25, 10.0)};
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] { sum = both.at(20.0).lateral.value; }) == 0);
        CHECK(sum == approx(2.0 * exact.at(20.0).lateral.value).epsilon(1e-3));
    }

    TEST_CASE("refuses gaps, and says where on the line") {
        SampledTrack::Samples s{10.0, 0.5, {0.0, 1e-3, 0.0, 0.0, 0.0}, {}, {}};
        CHECK_NOTHROW(SampledTrack{s});
        s.lateral[3] = std::numeric_limits<double>::quiet_NaN();
        CHECK_THROWS_WITH_AS(SampledTrack{s},
                             "vehicle::SampledTrack: lateral[3] at 11.5 m is not finite: the record must have no gaps",
                             panto::SetupError);
        CHECK_THROWS_AS((SampledTrack{{0.0, 0.5, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0}, {}}}),
                        panto::SetupError);
        CHECK_THROWS_AS((SampledTrack{{0.0, 0.5, {}, {}, {}}}), panto::SetupError);
        CHECK_THROWS_AS((void)WaveSum::of([](double) { return -1.0; }, {}, 1), panto::SetupError);
        CHECK_THROWS_AS(validate(TrackSpectrum{.half_distance = 0.0}), panto::SetupError);
    }
}

}  // namespace irregularity_test
