// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the tests of this room evaluate: numbers whose last bits depend on everything, and some evaluations that fail.

#pragma once

#include <panto/study/run.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace study_sample {

/// Two outputs by a chaotic map; 5, 22, 39, ... throw, 7, 30, 53, ... give NaN.
inline std::vector<double> evaluate(std::size_t i) {
    if (i % 17 == 5) throw std::runtime_error("no equilibrium at " + std::to_string(i) + "\nin span 3");
    if (i % 23 == 7) return {1.0, std::numeric_limits<double>::quiet_NaN()};
    double x = 0.1 + 0.8 / (1.0 + static_cast<double>(i)), sum = 0.0;
    for (int n = 0; n < 200; ++n) {
        x = 3.99 * x * (1.0 - x);
        sum -= x;
    }
    return {x, sum};
}

inline panto::study::Description description(std::size_t count = 100) {
    return {.name = "chaotic map",
            .count = count,
            .outputs = 2,
            .inputs = panto::study::Hash().add(3.99).add("map").value()};
}

/// Evaluations whose values differ in a bit, or whose reasons do.
inline std::size_t differing(const panto::study::Results& a, const panto::study::Results& b) {
    const std::size_t count = std::min(a.outcomes.size(), b.outcomes.size());
    std::size_t found = std::max(a.outcomes.size(), b.outcomes.size()) - count;
    for (std::size_t i = 0; i < count; ++i) {
        const panto::study::Outcome &x = a.outcomes[i], &y = b.outcomes[i];
        bool same = x.reason == y.reason && x.values.size() == y.values.size();
        for (std::size_t k = 0; same && k < x.values.size(); ++k)
            same = std::bit_cast<std::uint64_t>(x.values[k]) == std::bit_cast<std::uint64_t>(y.values[k]);
        found += !same;
    }
    return found;
}

inline bool same_bits(const panto::study::Results& a, const panto::study::Results& b) {
    return differing(a, b) == 0 && a.failed == b.failed && a.missing == b.missing;
}

/// A path in a fresh folder that is gone afterwards.
struct JournalPath {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("panto_study_test_" + std::to_string(::getpid()));
    std::filesystem::path file = folder / "study.journal";
    JournalPath() {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
    }
    JournalPath(const JournalPath&) = delete;
    JournalPath& operator=(const JournalPath&) = delete;
    ~JournalPath() { std::filesystem::remove_all(folder); }
};

}  // namespace study_sample
