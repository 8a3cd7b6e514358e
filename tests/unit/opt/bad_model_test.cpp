// SPDX-License-Identifier: BSD-3-Clause
// Models that break their promises: none of them may crash a search, or be reported as solved.
#include <panto/opt/bfgs.hpp>
#include <panto/opt/conjugate_gradient.hpp>
#include <panto/opt/genetic.hpp>
#include <panto/opt/global_then_local.hpp>
#include <panto/opt/hypervolume.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/nsga2.hpp>
#include <panto/opt/simulated_annealing.hpp>
#include <panto/opt/sum_of_squares.hpp>
#include <panto/opt/trust_region.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace panto;
using namespace panto::opt;

namespace opt_bad_model_test {
namespace {

using Jacobian = Matrix<double, Dynamic>;

const Parameters ones = Parameters::Ones(2);
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Residuals {
    std::function<void(const Parameters&, Parameters&)> give;
    Status residuals(const Parameters& x, Parameters& r) const { return give(x, r), Status::ok; }
};
struct WithJacobian {
    Jacobian J;
    Status residuals(const Parameters& x, Parameters& r) const { return r = x, Status::ok; }
    Status jacobian(const Parameters&, Jacobian& given) const { return given = J, Status::ok; }
};
struct AtOnce {
    Jacobian J;
    Status residuals(const Parameters& x, Parameters& r) const { return r = x, Status::ok; }
    Status linearize(const Parameters& x, Parameters& r, Jacobian& given) const { return r = x, given = J, Status::ok; }
};
/// A bowl whose gradient is turned by `sign`.
struct Bowl {
    double sign = 1.0;
    double operator()(const Parameters& x) const { return x.squaredNorm(); }
    double operator()(const Parameters& x, Parameters& gradient) const {
        return gradient = 2.0 * sign * x, x.squaredNorm();
    }
};
struct Front {
    int count = 2, given_constraints = 1;
    [[nodiscard]] int objectives() const { return count; }
    [[nodiscard]] static int constraints() { return 1; }
    Status operator()(const Parameters& x, Parameters& values, Parameters& constraints) const {
        values = x, constraints = Parameters::Constant(given_constraints, -1.0);
        return Status::ok;
    }
};

const Nsga2Params few{.bounds = {-ones, ones}, .population = 8, .generations = 3};

}  // namespace

TEST_CASE("a least-squares model without residuals is not solved") {
    const auto none = levenberg_marquardt(Residuals{[](const Parameters&, Parameters&) {}}, ones);
    CHECK(none.status == Status::not_finite);
    CHECK(none.reason == "at the start the model returned 0 residuals, expected at least 1");
    const Residuals forgetful{[](const Parameters&, Parameters&) {}};
    CHECK_FALSE(panto::is_finite(SumOfSquares<Residuals>(forgetful)(ones)));
    int calls = 0;
    const auto changing = levenberg_marquardt(
        Residuals{[&calls](const Parameters& x, Parameters& r) { r = Parameters::Constant(calls++ ? 3 : 2, x[0]); }},
        ones);
    CHECK(changing.status == Status::not_finite);
    CHECK(changing.reason == "at the start the model returned 3 residuals, expected 2 as at the start");
}

TEST_CASE("a Jacobian of another size is refused with both sizes") {
    for (const auto& [rows, columns] : {std::pair<int, int>{1, 2}, {2, 3}, {0, 0}, {3, 2}}) {
        const Jacobian J = Jacobian::Ones(rows, columns);
        for (const Minimum& m : {levenberg_marquardt(WithJacobian{J}, ones), levenberg_marquardt(AtOnce{J}, ones)}) {
            CHECK(m.status == Status::not_finite);
            CHECK(m.reason == "at the start the Jacobian is " + std::to_string(rows) + " by " +
                                  std::to_string(columns) + ", expected residuals by parameters, 2 by 2");
        }
    }
    const auto lost = levenberg_marquardt(Residuals{[](const Parameters& x, Parameters& r) { r = x; }}, ones,
                                          {.difference_step = 1e-30});
    CHECK(lost.reason == "at the start parameter 0 cannot be moved by 1e-30");
}

TEST_CASE("derivatives of the wrong sign are not reported as a minimum") {
    const auto is_lost = [](const Minimum& m) {
        CHECK(m.x == ones);
        CHECK(m.status == Status::not_converged);
        CHECK(m.reason.find("they may be wrong") != std::string::npos);
    };
    is_lost(bfgs(Bowl{-1.0}, ones));
    is_lost(conjugate_gradient(Bowl{-1.0}, ones));
    is_lost(trust_region(Bowl{-1.0}, ones));
    is_lost(levenberg_marquardt(WithJacobian{-Jacobian::Identity(2, 2)}, ones));
    // the same searches with the right sign
    CHECK(bfgs(Bowl{}, ones).status == Status::ok);
    CHECK(trust_region(Bowl{}, ones).status == Status::ok);
    CHECK(levenberg_marquardt(WithJacobian{Jacobian::Identity(2, 2)}, ones).status == Status::ok);
}

TEST_CASE("derivatives that are 0 everywhere are not reported as a minimum where the values are none") {
    // Rosenbrock from its usual start. The values along each parameter lead into the valley, to about 0.05; there only
    // both together lead further.
    struct Valley {
        int missing;  // bits of the parameters whose derivatives are not filled
        double operator()(const Parameters& x) const {
            return 100.0 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1.0 - x[0], 2);
        }
        double operator()(const Parameters& x, Parameters& gradient) const {
            gradient.resize(2);
            gradient << -400.0 * x[0] * (x[1] - x[0] * x[0]) - 2.0 * (1.0 - x[0]), 200.0 * (x[1] - x[0] * x[0]);
            for (int k = 0; k < 2; ++k)
                if ((missing >> k & 1) != 0) gradient[k] = 0.0;
            return (*this)(x);
        }
        Status residuals(const Parameters& x, Parameters& r) const {
            r.resize(2);
            r << 10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0];
            return Status::ok;
        }
        Status jacobian(const Parameters& x, Jacobian& J) const {
            J.resize(2, 2);
            J << -20.0 * x[0], 10.0, -1.0, 0.0;
            for (int k = 0; k < 2; ++k)
                if ((missing >> k & 1) != 0) J.col(k).setZero();
            return Status::ok;
        }
    };
    const Parameters start = -1.2 * Parameters::Unit(2, 0) + Parameters::Unit(2, 1);
    const auto all = [&](int missing) {
        const Valley f{missing};
        return std::vector{bfgs(f, start), conjugate_gradient(f, start), trust_region(f, start),
                           levenberg_marquardt(f, start)};
    };
    for (const Minimum& m : all(3)) {
        CHECK(m.value > 0.01);
        CHECK(m.status == Status::not_converged);
        CHECK(m.reason.find("the derivatives may be wrong") != std::string::npos);
    }
    for (const int one : {1, 2})
        for (const Minimum& m : all(one)) CHECK((m.status != Status::ok || m.value < 1e-8));
    for (const Minimum& m : all(0)) CHECK(m.status == Status::ok);
}

TEST_CASE("residuals whose squares overflow are told from residuals that are not finite") {
    const auto start_of = [](double unit) {
        const Residuals f{[unit](const Parameters& x, Parameters& r) {
            r.resize(3);
            r << x[0] - 3.0, x[1] + 2.0, x[0] * x[1] + 6.1;
            r *= unit;
        }};
        return levenberg_marquardt(f, ones);
    };
    CHECK(start_of(1.0).status == Status::ok);
    CHECK(start_of(1e154).status == Status::not_finite);
    CHECK(start_of(1e154).reason ==
          "at the start the sum of the squares of the residuals overflows: scale the residuals");
    CHECK(start_of(nan).reason == "at the start a residual is not a finite number");
}

TEST_CASE("a slope that never ends is not a vanishing gradient") {
    const auto downhill = [](const Parameters& x) { return -x[0]; };
    const Parameters start = Parameters::Ones(1);
    for (const Minimum& m : {bfgs(downhill, start), conjugate_gradient(downhill, start), trust_region(downhill, start)})
        CHECK(m.reason != "the gradient vanishes");
    const Bounds box{Parameters::Zero(1), Parameters::Constant(1, 1e30)};
    CHECK(trust_region(downhill, start, {.bounds = box}).x[0] == 1e30);
}

TEST_CASE("many starts that the executor leaves out are no minimum") {
    const MultiStartParams lazy{.bounds = {-ones, ones}, .starts = 3, .executor = [](int, const auto&) {}};
    const auto none = multi_start(Bfgs{}, Bowl{}, ones, lazy);
    CHECK(none.status == Status::not_finite);
    CHECK(none.x == ones);
}

TEST_CASE("a box whose width is no number is refused by global searches") {
    const Bounds box{Parameters::Constant(1, -1.5e308), Parameters::Constant(1, 1.5e308)};
    const auto square = [](const Parameters& x) { return x.squaredNorm(); };
    const Parameters start = Parameters::Ones(1);
    CHECK_THROWS_AS((void)simulated_annealing(square, start, {.bounds = box}), SetupError);
    CHECK_THROWS_AS((void)genetic(square, start, {.bounds = box}), SetupError);
}

TEST_CASE("a model that gives fewer constraints than it promised has no feasible point") {
    CHECK_FALSE(nsga2(Front{}, few).front.empty());
    const auto none = nsga2(Front{.given_constraints = 0}, few);
    CHECK(none.front.empty());
    CHECK(none.status == Status::not_finite);
    CHECK(none.population.front().failure == "the model returned a wrong number of constraints");
    CHECK_THROWS_WITH_AS((void)nsga2(Front{.count = 0}, few), "opt::nsga2: objectives is 0, must be at least 1",
                         SetupError);
    CHECK_THROWS_AS((void)nsga2(Front{.count = -1}, few), SetupError);
}

TEST_CASE("a batch that comes back unfilled, uneven or shorter is refused; what is no number is a failure") {
    using Batch = std::vector<Individual>;
    const auto run = [](const std::function<void(Batch&)>& fill) { return nsga2_by_batches(fill, few); };
    CHECK_THROWS_WITH_AS(
        (void)run([](Batch&) {}),
        "opt::nsga2_by_batches: evaluate_all set no objectives, expected at least one for every individual",
        SetupError);
    const auto ramp = [](Batch& batch) {
        for (Individual& point : batch) point.objectives = point.x;
    };
    CHECK(run(ramp).front.size() > 0);
    CHECK_THROWS_AS((void)run([&](Batch& batch) { ramp(batch), batch.back().objectives.resize(1); }), SetupError);
    CHECK_THROWS_AS((void)run([&](Batch& batch) { ramp(batch), batch.clear(); }), SetupError);
    CHECK_THROWS_AS((void)run([&](Batch& batch) { ramp(batch), batch.back().x.resize(0); }), SetupError);
    const auto partly = run([&](Batch& batch) { ramp(batch), batch.front().objectives[1] = nan; });
    CHECK(partly.failures == 4);  // one in each batch
    for (const Individual& point : partly.front) CHECK(panto::is_finite(point.objectives.sum()));
    CHECK(run([&](Batch& batch) {
              for (Individual& point : batch) point.objectives = Parameters::Constant(2, nan);
          }).status == Status::not_finite);
}

TEST_CASE("individuals that cannot be compared are refused, and a violation that is no number is one") {
    std::vector<Individual> all(2);
    all[0].objectives = ones, all[1].objectives = Parameters::Ones(1);
    CHECK_THROWS_AS((void)sort_into_fronts(all), SetupError);
    all[0].violation = nan;
    CHECK_FALSE(all[0].feasible());
}

TEST_CASE("a hypervolume leaves out what is not finite, and refuses such a reference") {
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<std::pair<double, double>> points{{nan, 1.0}, {1.0, 0.0}, {0.5, 0.5}, {0.0, nan}};
    CHECK(hypervolume(points, {2.0, 2.0}) == approx(2.75));
    points.insert(points.end(), {{-inf, 1.0}, {1.0, -inf}, {-inf, -inf}, {inf, -inf}});
    CHECK(hypervolume(points, {2.0, 2.0}) == approx(2.75));
    CHECK_THROWS_AS((void)hypervolume(points, {nan, 2.0}), SetupError);
}

TEST_CASE("one of no things cannot be drawn") {
    Random random(1);
    CHECK_THROWS_WITH_AS((void)random.index(0), doctest::Contains("n is 0, must be at least 1"), SetupError);
    CHECK(random.permutation(0).empty());
    CHECK(random.index(1) == 0);
}

}  // namespace opt_bad_model_test
