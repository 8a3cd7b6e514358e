// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/histogram.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using panto::rig::Histogram;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST_CASE("every duration lies in the bin whose edges enclose it") {
    std::mt19937_64 random(3);
    for (int bits = 0; bits < 36; ++bits) {
        for (int i = 0; i < 50; ++i) {
            const std::uint64_t value = random() >> (63 - bits);
            if (value >= (1ull << 36)) continue;
            const std::size_t bin = Histogram::bin_of(value);
            CHECK(Histogram::lower_edge(bin) <= static_cast<std::int64_t>(value));
            CHECK(static_cast<std::int64_t>(value) < Histogram::lower_edge(bin + 1));
        }
    }
}

TEST_CASE("bins are exact up to 63 ns and at most 1/32 wide above") {
    for (std::size_t i = 0; i + 1 < Histogram::bins; ++i) {
        const auto width = static_cast<double>(Histogram::lower_edge(i + 1) - Histogram::lower_edge(i));
        CHECK(width >= 1.0);
        CHECK(width <= std::max(1.0, static_cast<double>(Histogram::lower_edge(i)) / 32.0));
    }
}

TEST_CASE("quantiles are those of the sorted samples, within the width of a bin") {
    Histogram histogram;
    std::vector<std::int64_t> samples;
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> duration(9.0, 0.8);
    for (int i = 0; i < 20000; ++i) {
        samples.push_back(static_cast<std::int64_t>(duration(random)));
        histogram.add(nanoseconds(samples.back()));
    }
    std::sort(samples.begin(), samples.end());
    for (const double share : {0.01, 0.5, 0.9, 0.999}) {
        const auto index = static_cast<std::size_t>(share * 20000.0) - 1;
        const auto exact = static_cast<double>(samples[index]);
        const auto found = static_cast<double>(histogram.quantile(share).count());
        CHECK(found >= exact);
        CHECK(found <= exact * (1.0 + 1.0 / 32.0));
    }
    CHECK(histogram.quantile(1.0).count() == samples.back());
}

TEST_CASE("the longest duration is kept exactly and no sample is lost, not even an absurd one") {
    Histogram histogram;
    CHECK(histogram.median() == 0ns);
    histogram.add(123457ns);
    histogram.add(nanoseconds(5'000'000'000'001));
    histogram.add(-7ns);
    CHECK(histogram.longest().count() == 5'000'000'000'001);
    CHECK(histogram.count() == 3);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < Histogram::bins; ++i) sum += histogram[i];
    CHECK(sum == 3);
    CHECK(histogram[0] == 1);
    CHECK(histogram[Histogram::bins - 1] == 1);
}

TEST_CASE("a bin that there is not holds nothing and begins nowhere") {
    Histogram histogram;
    histogram.add(1ms);
    for (const std::size_t wrong : {Histogram::bins, Histogram::bins + 1, ~std::size_t{0}})
        CHECK(histogram[wrong] == 0);
    CHECK(Histogram::lower_edge(Histogram::bins) > Histogram::lower_edge(Histogram::bins - 1));
    CHECK(Histogram::lower_edge(~std::size_t{0}) > Histogram::lower_edge(Histogram::bins));
}

TEST_CASE("counting a duration does not allocate") {  // @rt-tested: Histogram::add
    Histogram histogram;
    CHECK(panto::test::allocations_in([&] { histogram.add(1ms); }) == 0);
}
