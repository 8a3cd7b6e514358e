// SPDX-License-Identifier: BSD-3-Clause
// Three receding-horizon sequences of a thousand quadratic programs each, with reference solutions.
#include "../../cases/qp_cases.hpp"
#include "catch.hpp"

#include <string>

using namespace panto;

namespace opt_quadratic_program_verify {
namespace {

void solve_all(const std::string& name, bool warm) {
    const test::QpErrors e = test::qp_errors(name, warm);
    INFO(name << (warm ? " warm" : " cold"));
    CHECK(e.failed == 0);
    // Asked for is 1e-6. A dual active-set method ends at rounding: condition 653 at most, entries of H up to 1e2.
    CHECK(e.residual < 1e-11);
    CHECK(e.x < 1e-11);
    CHECK(e.cost < 1e-11);
}

}  // namespace

TEST_CASE("the condensed Hessian is the published one", "[opt][qp]") {
    const test::QpSequence s(PANTO_TEST_GOLDEN, "osc_N10");
    const auto published = test::read_matrix(std::string(PANTO_TEST_GOLDEN) + "/qp/osc_N10/H.csv");
    CHECK((s.H - published).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("three thousand problems of receding horizons, cold and warm", "[opt][qp]") {
    for (const char* name : {"osc_N10", "dint_N25", "osc_N50"})
        for (const bool warm : {false, true}) solve_all(name, warm);
}

}  // namespace opt_quadratic_program_verify
