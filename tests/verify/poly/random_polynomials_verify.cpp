// SPDX-License-Identifier: BSD-3-Clause
// Zero-location tests on 10^5 real and 10^5 complex polynomials of degree 1 to 8; see tests/cases/poly_cases.hpp.
#include "../../cases/poly_cases.hpp"
#include "catch.hpp"

using namespace panto;

namespace random_polynomials_verify {
namespace {

void expect_targets(poly::Test which, int samples) {
    for (const bool real : {true, false}) {
        const test::ZeroTally t = test::tally_of_zero_test(real, which, samples);
        INFO((real ? "real" : "complex") << ", test " << static_cast<int>(which) << ": of " << t.samples << " ("
                                         << t.stable << " stable) undecided " << t.undecided << ", of " << t.far
                                         << " far ones " << t.undecided_far);
        CHECK(t.stable > samples / 4);
        CHECK(t.far > samples / 10);
        CHECK(t.wrong == 0);
        CHECK(t.miscounted == 0);
        CHECK(t.undecided_percent() <= 2.0);
        CHECK(t.undecided_far_percent() <= 0.1);
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
