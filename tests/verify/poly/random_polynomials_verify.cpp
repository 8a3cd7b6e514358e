// SPDX-License-Identifier: BSD-3-Clause
// Zero-location tests on 10^5 real and 10^5 complex polynomials of degree 1 to 8. Truth: the zeros they were built
// from; for the 1 % nearest to the circle the 40-digit zeros of the rounded coefficients (tests/golden/poly).
#include <panto/poly/stability.hpp>

#include "catch.hpp"
#include "random_polynomials.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

using namespace panto;

namespace random_polynomials_verify {
namespace {

struct Known {
    poly::ComplexPolynomial b;
    int outside = 0;
};

std::map<int, Known> nearest(const std::string& kind) {
    std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/poly/nearest_zeros.csv");
    std::map<int, Known> result;
    for (std::string line; std::getline(file, line);) {
        std::istringstream row(line);
        std::string word;
        std::vector<std::string> words;
        while (std::getline(row, word, ',')) words.push_back(word);
        if (words.at(0) != kind) continue;
        const std::size_t stride = kind == "real" ? 1 : 2;
        Known known;
        known.outside = std::atoi(words.at(2).c_str());
        known.b.resize(static_cast<Eigen::Index>((words.size() - 4) / stride));
        for (std::size_t k = 4; k < words.size(); k += stride)
            known.b[static_cast<Eigen::Index>((k - 4) / stride)] = {
                std::strtod(words[k].c_str(), nullptr), stride == 2 ? std::strtod(words[k + 1].c_str(), nullptr) : 0.0};
        result[std::atoi(words.at(1).c_str())] = known;
    }
    return result;
}

struct Tally {
    int samples = 0, wrong = 0, miscounted = 0, undecided = 0, far = 0, undecided_far = 0, stable = 0;
};

Tally run(bool real, poly::Test test, int samples) {
    const auto stored = nearest(real ? "real" : "complex");
    REQUIRE(stored.size() == 1000);
    test::RandomPolynomials numbers(real, real ? 1 : 2);
    Tally t;
    for (int i = 0; i < samples; ++i) {
        auto sample = numbers.next();
        if (const auto known = stored.find(i); known != stored.end()) {
            // other compilers may contract to FMA: the same polynomial to rounding, then
            REQUIRE((known->second.b - sample.b).norm() <= 1e-13 * sample.b.norm());
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

void expect_targets(poly::Test test, int samples) {
    for (const bool real : {true, false}) {
        const Tally t = run(real, test, samples);
        INFO((real ? "real" : "complex") << ", test " << static_cast<int>(test) << ": of " << t.samples << " ("
                                         << t.stable << " stable) undecided " << t.undecided << ", of " << t.far
                                         << " far ones " << t.undecided_far);
        CHECK(t.stable > samples / 4);
        CHECK(t.far > samples / 10);
        CHECK(t.wrong == 0);
        CHECK(t.miscounted == 0);
        CHECK(t.undecided <= samples * 2 / 100);
        CHECK(t.undecided_far * 1000 <= t.far);
    }
}

}  // namespace

TEST_CASE("no verdict of the zero tests is wrong on ten thousand random polynomials, and few stay undecided") {
    for (const auto test : {poly::Test::schur_cohn, poly::Test::bistritz}) expect_targets(test, 10000);
}

TEST_CASE("no verdict of any zero test is wrong on two hundred thousand random polynomials", "[long]") {
    for (const auto test : {poly::Test::schur_cohn, poly::Test::bistritz, poly::Test::jury, poly::Test::scan})
        expect_targets(test, 100000);
}

}  // namespace random_polynomials_verify
