// SPDX-License-Identifier: BSD-3-Clause
// Levenberg-Marquardt on the 27 nonlinear regressions of NIST's Statistical Reference Datasets, from both starts, with
// exact Jacobians and by differences. NIST asks of a good program for 4 to 6 digits of the parameters.
#include <panto/opt/levenberg_marquardt.hpp>

#include "../../cases/nonlinear_problems.hpp"
#include "catch.hpp"

using namespace panto;

namespace opt_nist_verify {
namespace {

/// Where the search does not arrive, the status must say so.
bool is_given_up(const std::string& name, int start, bool exact) { return name == "MGH17" && start == 0 && !exact; }

}  // namespace

TEST_CASE("the data are NIST's: certified parameters give the certified sum, and are stationary", "[opt][nist]") {
    const auto all = test::nist_problems();
    REQUIRE(all.size() == 27);
    for (const test::NistProblem& p : all) {
        INFO(p.name);
        // Eleven digits of the parameters: the sum is flat there, but Lanczos1's is rounding of its data alone.
        if (p.name == "Lanczos1")
            CHECK(p(p.certified).squaredNorm() < 1e-20);
        else
            CHECK(p(p.certified).squaredNorm() == Approx(p.certified_value).epsilon(1e-9));
    }
}

TEST_CASE("six digits of the parameters from both starts of all 27 regressions", "[opt][nist]") {
    for (const test::NistProblem& p : test::nist_problems())
        for (const int start : {0, 1})
            for (const bool exact : {true, false}) {
                const auto m =
                    exact ? opt::levenberg_marquardt(ident::DualResiduals<test::NistProblem>(p), p.start[start])
                          : opt::levenberg_marquardt(test::ByDifferences<test::NistProblem>{p}, p.start[start]);
                const double digits = test::digits(m.x, p.certified);
                INFO(p.name << " from start " << start + 1 << (exact ? ", exact: " : ", differences: ") << digits
                            << " digits, " << m.value << " of " << p.certified_value << ", " << m.evaluations
                            << " evaluations, " << name(m.status) << ": " << m.reason);
                if (m.status == Status::ok) {
                    // The sum of squares to nine digits: the minimum, and no other one.
                    CHECK((p.name == "Lanczos1" ? m.value < 1e-24 : m.value <= (1.0 + 1e-9) * p.certified_value));
                    CHECK(digits >= (exact ? 6.0 : 4.0));
                } else {
                    CHECK(is_given_up(p.name, start, exact));
                }
            }
}

}  // namespace opt_nist_verify
