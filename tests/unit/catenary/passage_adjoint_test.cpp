// SPDX-License-Identifier: BSD-3-Clause
// A catenary with slack droppers: dual numbers and discrete adjoint against the complex step.
#include "../../cases/catenary_gradient_cases.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

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

TEST_SUITE("long") {
    TEST_CASE("a passage's gradient costs at most five marches, with 6 parameters and with 100") {
        constexpr int many = 800;  // 1.6 s: both spans
        const FiniteElements<> model(section(truth), coarse);
        const PassageStepper stepper(model, passage, force);
        double sum = 0.0;
        const auto seconds = [](const auto& call) {
            double best = 1e9;
            for (int k = 0; k < 5; ++k) {
                const auto start = std::chrono::steady_clock::now();
                call();
                best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            }
            return best;
        };
        const double march = seconds([&] {
            Vec x = stepper.start(), next = x;
            for (int n = 0; n < many; ++n) {
                stepper.step(n, x, next);
                x.swap(next);
            }
            sum += x[0];
        });
        const auto gradient = [&]<int K>() {
            const FiniteElements<Dual<K>> dual(section(seeded<K>()), coarse);
            sum += stepper.section_gradient(adjoint(stepper, observed_row(model), many).gradient, dual)[0];
        };
        const double six = seconds([&] { gradient.template operator()<6>(); });
        const double hundred = seconds([&] { gradient.template operator()<100>(); });
        CHECK(std::isfinite(sum));
        CHECK(six < 5.0 * march);
        CHECK(hundred < 5.0 * march);
        MESSAGE("marches: ", six / march, " with 6 parameters, ", hundred / march, " with 100");
    }
}

}  // namespace passage_adjoint_test
