// SPDX-License-Identifier: BSD-3-Clause
// A catenary with slack droppers: dual numbers and discrete adjoint against the complex step.
#include "../../cases/catenary_gradient_cases.hpp"

#include <doctest/doctest.h>

namespace passage_adjoint_test {
namespace {

using namespace panto;
using namespace panto::catenary;
using namespace panto::test::passage_gradient;

}  // namespace

TEST_SUITE("catenary::PassageStepper") {
    TEST_CASE("gives the gradient of a passage with slack droppers as dual numbers and the complex step do") {
        const Agreement a = slack_passage();
        CHECK(a.slack > 20);
        CHECK(a.value <= 1e-12);
        CHECK(a.duals <= 1e-10);
        CHECK(a.adjoint <= 1e-10);
        CHECK(cost_in_marches() == 2.0);
    }
}

TEST_CASE("a step over states or gradients of another size is refused with the size") {
    const FiniteElements<> model(section(truth), coarse);
    const PassageStepper stepper(model, passage, force);
    Eigen::VectorXd good = stepper.start(), next = good, lambda = good;
    Eigen::VectorXd bad = Eigen::VectorXd::Zero(good.size() - 1);
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(stepper.gradient_size()), few = gradient.head(3);
    CHECK_THROWS_WITH_AS(stepper.step(0, bad, next), doctest::Contains("a state has "), SetupError);
    CHECK_THROWS_AS(stepper.step_transposed(0, good, bad, lambda, gradient), SetupError);
    CHECK_THROWS_WITH_AS(stepper.step_transposed(0, good, next, bad, gradient), doctest::Contains("lambda has "),
                         SetupError);
    CHECK_THROWS_WITH_AS(stepper.step_transposed(0, good, next, lambda, few),
                         doctest::Contains("the gradient has 3 entries"), SetupError);
    CHECK_THROWS_AS((void)stepper.section_gradient(few, FiniteElements<Dual<6>>(section(seeded<6>()), coarse)),
                    SetupError);
}

}  // namespace passage_adjoint_test
