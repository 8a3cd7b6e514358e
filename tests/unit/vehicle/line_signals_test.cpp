// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/lcg.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/line_signals.hpp>

#include "../../support/approx.hpp"
#include "../../support/golden_json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

using namespace panto::vehicle;

namespace line_signals_test {
namespace {

nlohmann::json golden_signals() {
    return panto::test::golden("vehicle_and_inverse_problems.json").at("F.signals").at("value");
}

void close(double value, const nlohmann::json& g) { CHECK(value == approx(g.get<double>()).epsilon(1e-8)); }

}  // namespace

TEST_SUITE("vehicle::line_signals") {
    TEST_CASE("Welch's spectra, H1, H2 and coherence are the golden ones") {
        // White noise through a resonance of 10 Hz and 5 % damping, with noise of 0.3 on the output.
        const auto g = golden_signals().at("welch");
        panto::Lcg random(9);
        const int n = 40000;
        std::vector<double> x, y;
        for (int i = 0; i < n; ++i) x.push_back(random.normal());
        const double zeta = 0.05, w = 2.0 * std::numbers::pi * 10.0 / 400.0, r = std::exp(-zeta * w),
                     c = std::cos(w * std::sqrt(1.0 - zeta * zeta));
        double y1 = 0.0, y2 = 0.0;
        for (int i = 0; i < n; ++i) {
            const double next =
                (1.0 - 2.0 * r * c + r * r) * x[static_cast<std::size_t>(i)] + 2.0 * r * c * y1 - r * r * y2;
            y2 = y1, y1 = next;
            y.push_back(next);
        }
        for (double& value : y) value += 0.3 * random.normal();
        const auto s = cross_spectra(x, y, 400.0);
        CHECK(s.segments == (n - 800) / 320 + 1);
        for (std::size_t i = 0; i < 3; ++i) {
            const auto k = static_cast<std::size_t>(std::lround(2.0 * g.at("f")[i].get<double>()));
            CAPTURE(k);
            close(s.frequency[k], g.at("f")[i]);
            close(s.h1(k).real(), g.at("H1")[i][0]);
            close(s.h1(k).imag(), g.at("H1")[i][1]);
            close(std::abs(s.h2(k)), g.at("H2abs")[i]);
            close(s.coherence(k), g.at("coh")[i]);
            close(s.xx[k], g.at("Pxx")[i]);
            const std::complex<double> z = std::polar(1.0, -2.0 * std::numbers::pi * s.frequency[k] / 400.0);
            close(std::abs((1.0 - 2.0 * r * c + r * r) / (1.0 - 2.0 * r * c * z + r * r * z * z)), g.at("Htrue")[i]);
        }
    }

    TEST_CASE("the displacement of two records is the golden one, to a hundredth of a sample") {
        const auto wave = WaveSum::of([](double o) { return TrackSpectrum{}.vertical_density(o); }, {}, 5);
        std::vector<double> here, later;
        for (int i = 0; i < 1000; ++i)
            here.push_back(wave.at(0.25 * i).value), later.push_back(wave.at(0.25 * (i - 3.37)).value);
        const Displacement d = displacement(here, later, 20);
        close(d.samples, golden_signals().at("pkshift")[0]);
        close(d.correlation, golden_signals().at("pkshift")[1]);
        CHECK(displacement(later, here, 20).samples == approx(-d.samples).epsilon(1e-9));
        CHECK_THROWS_AS((void)displacement(here, {1.0}, 20), panto::SetupError);
        CHECK_THROWS_AS((void)displacement(here, later, 400), panto::SetupError);
        CHECK(!d.at_edge);
        CHECK(displacement(here, later, 3).at_edge);  // 3.4 samples are more than 3
        const std::vector<double> constant(1000, 0.1);
        CHECK_THROWS_WITH_AS((void)displacement(constant, constant, 20),
                             "vehicle::displacement: x is constant, 0.1: every lag would fit equally well",
                             panto::SetupError);
        CHECK_THROWS_WITH_AS((void)displacement(here, constant, 20),
                             "vehicle::displacement: y is constant, 0.1: every lag would fit equally well",
                             panto::SetupError);
    }

    TEST_CASE("the sum of a density over its lines is the variance; a sine shows in the segments it is in") {
        std::vector<double> x;
        panto::Lcg random(4);
        for (int i = 0; i < 8000; ++i)
            x.push_back(i < 4000 ? random.normal() : std::sin(2.0 * std::numbers::pi * 0.1 * i));
        const auto s = short_time_spectrum(x, 1.0, {.segment = 400, .overlap = 200});
        CHECK(s.time.front() == 200.0);
        double early = 0.0, late = 0.0;
        for (std::size_t k = 0; k < s.frequency.size(); ++k)
            early += s.density[2][k] / 400.0, late += s.density.back()[k] / 400.0;
        CHECK(early == approx(1.0).epsilon(0.3));  // 400 normals under a window: some 10 %
        CHECK(late == approx(0.5).epsilon(1e-9));
        CHECK(s.density.back()[40] > 0.5 * 400.0 * late / 1.5);
    }

    TEST_CASE("sections begin at their posts, and gaps are refused with their place") {
        LineRecord r{99.0, 0.5, std::vector<double>(1000, 1.0)};
        const LineRecord part = section(r, 150.0, 200.0);
        CHECK(part.start == 150.0);
        CHECK(part.values.size() == 101);
        const auto all = sections(r, 100.0);
        REQUIRE(all.size() == 4);
        CHECK(all[0].start == 100.0);
        CHECK(all[3].end() == 500.0);
        r.values[10] = std::numeric_limits<double>::quiet_NaN();
        CHECK_THROWS_WITH_AS((void)section(r, 100.0, 200.0),
                             "vehicle::section: the sample at 104 m is not finite: the record must have no gaps",
                             panto::SetupError);
        CHECK_NOTHROW((void)section(r, 105.0, 200.0));
        CHECK_THROWS_AS((void)section(r, 90.0, 200.0), panto::SetupError);
        CHECK_THROWS_AS((void)sections(r, 0.0), panto::SetupError);
        CHECK_THROWS_AS((void)cross_spectra({1.0, 2.0}, {1.0, 2.0}, 1.0), panto::SetupError);
    }
}

}  // namespace line_signals_test
