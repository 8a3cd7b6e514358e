// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Zero-location tests on 10^5 real and 10^5 complex polynomials of degree 1 to 8. Truth: the zeros they were built
/// from; for the 1 % nearest to the circle the 40-digit zeros of the rounded coefficients (tests/golden/poly).

#pragma once

#include <panto/poly/stability.hpp>

#include "../support/random_polynomials.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test {

struct KnownPolynomial {
    poly::ComplexPolynomial b;
    int outside = 0;
};

inline std::map<int, KnownPolynomial> nearest_polynomials(const std::string& kind) {
    std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/poly/nearest_zeros.csv");
    std::map<int, KnownPolynomial> result;
    for (std::string line; std::getline(file, line);) {
        std::istringstream row(line);
        std::string word;
        std::vector<std::string> words;
        while (std::getline(row, word, ',')) words.push_back(word);
        if (words.at(0) != kind) continue;
        const std::size_t stride = kind == "real" ? 1 : 2;
        KnownPolynomial known;
        known.outside = std::atoi(words.at(2).c_str());
        known.b.resize(static_cast<Eigen::Index>((words.size() - 4) / stride));
        for (std::size_t k = 4; k < words.size(); k += stride)
            known.b[static_cast<Eigen::Index>((k - 4) / stride)] = {
                std::strtod(words[k].c_str(), nullptr), stride == 2 ? std::strtod(words[k + 1].c_str(), nullptr) : 0.0};
        result[std::atoi(words.at(1).c_str())] = known;
    }
    if (result.size() != 1000) throw std::runtime_error("tests/golden/poly/nearest_zeros.csv is not as it should be");
    return result;
}

struct ZeroTally {
    int samples = 0, wrong = 0, miscounted = 0, undecided = 0, far = 0, undecided_far = 0, stable = 0;

    [[nodiscard]] double undecided_percent() const { return 100.0 * undecided / samples; }
    [[nodiscard]] double undecided_far_percent() const { return 100.0 * undecided_far / far; }
};

/// The verdicts of one test on the first `samples` random polynomials.
inline ZeroTally tally_of_zero_test(bool real, poly::Test test, int samples) {
    const auto stored = nearest_polynomials(real ? "real" : "complex");
    RandomPolynomials numbers(real, real ? 1 : 2);
    ZeroTally t;
    for (int i = 0; i < samples; ++i) {
        auto sample = numbers.next();
        if (const auto known = stored.find(i); known != stored.end()) {
            // other compilers may contract to FMA: the same polynomial to rounding, then
            if (!((known->second.b - sample.b).norm() <= 1e-13 * sample.b.norm()))
                throw std::runtime_error("random polynomial " + std::to_string(i) + " is not the stored one");
            sample.b = known->second.b, sample.outside = known->second.outside;
        }
        const auto count = poly::stability(sample.b, {.test = test});
        const bool undecided = count.verdict == poly::Verdict::undecided, far = sample.distance > 1e-3;
        ++t.samples;
        t.stable += sample.outside == 0;
        t.wrong += !undecided && (count.verdict == poly::Verdict::stable) != (sample.outside == 0);
        t.miscounted += count.near == 0 && count.outside != sample.outside;
        t.undecided += undecided;
        t.far += far;
        t.undecided_far += undecided && far;
    }
    return t;
}

/// All four tests on all polynomials: the sum of their wrong verdicts, the worst share that one leaves undecided.
inline std::vector<Measured> random_polynomial_figures() {
    std::vector<Measured> all;
    for (const bool real : {true, false}) {
        int wrong = 0, miscounted = 0;
        double undecided = 0.0, undecided_far = 0.0;
        for (const auto test : {poly::Test::schur_cohn, poly::Test::bistritz, poly::Test::jury, poly::Test::scan}) {
            const ZeroTally t = tally_of_zero_test(real, test, 100000);
            wrong += t.wrong;
            miscounted += t.miscounted;
            undecided = std::max(undecided, t.undecided_percent());
            undecided_far = std::max(undecided_far, t.undecided_far_percent());
        }
        const std::string id = real ? "poly.real." : "poly.complex.";
        all.push_back({id + "wrong", static_cast<double>(wrong)});
        all.push_back({id + "miscounted", static_cast<double>(miscounted)});
        all.push_back({id + "undecided", undecided});
        all.push_back({id + "undecided_far", undecided_far});
    }
    return all;
}

}  // namespace panto::test
