// SPDX-License-Identifier: BSD-3-Clause
#include <panto/opt/pattern_search.hpp>

#include "../../cases/opt_cases.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

using namespace panto;
using opt::pattern_search;

namespace pattern_search_test {
namespace {

Eigen::Vector2d at(double a, double b) { return {a, b}; }

using Bowl = test::GoldenBowl;
using test::rosenbrock;

static_assert(Optimizer<opt::PatternSearch, Bowl>);

}  // namespace

TEST_CASE("the golden bowls: minimum, evaluations and iterations") {
    const auto golden = test::golden("waves_and_identification.json").at("gps");
    const auto compare = [](const opt::Minimum& m, const nlohmann::json& expected) {
        CHECK(m.x == test::golden_matrix(expected.at("x")));
        CHECK(m.value == approx(expected.at("f").get<double>()).epsilon(1e-9));
        CHECK(m.evaluations == expected.at("evals").get<int>());
        CHECK(m.iterations == expected.at("iters").get<int>());
        CHECK(m.status == Status::ok);
    };
    for (const char* name : {"quad", "quad_off"}) compare(test::search_golden_bowl(name), golden.at(name));
}

TEST_CASE("Rosenbrock's valley takes 12907 evaluations") {
    const auto m = test::search_rosenbrock();
    CHECK(m.evaluations == 12907);
    CHECK(m.value == approx(1.05e-7).epsilon(0.005));  // the method sheet's three digits
}

TEST_CASE("the box is kept and its faces are reached exactly") {
    opt::PatternSearchParams p;
    p.bounds = {at(-0.3, -0.4), at(0.7, 5.0)};
    const auto m = pattern_search(Bowl{at(1.0, -2.0)}, at(0.0, 0.0), p);
    CHECK(m.x == at(0.7, -0.4));
}

TEST_CASE("points without a value are passed by") {
    const auto f = [](const Parameters& x) {
        if (x[0] > 1.5) throw std::runtime_error("too far");
        return x[1] < -2.5 ? std::nan("") : Bowl{at(1.0, -2.0)}(x);
    };
    const auto m = pattern_search(f, at(0.0, 0.0));
    CHECK((m.x - at(1.0, -2.0)).norm() < 2e-6);
    CHECK(m.failures > 0);
    CHECK(pattern_search(f, at(2.0, 0.0)).status == Status::not_finite);
    CHECK(pattern_search(f, at(2.0, 0.0)).reason == "at the start the objective threw: too far");
}

TEST_CASE("budget, observer and scale") {
    opt::PatternSearchParams p;
    p.evaluation_limit = 50;
    CHECK(pattern_search(rosenbrock, at(-1.2, 1.0), p).status == Status::not_converged);
    p = {};
    p.observer = [](const opt::Progress& at_now) { return at_now.iteration < 5; };
    const auto stopped = pattern_search(rosenbrock, at(-1.2, 1.0), p);
    CHECK(stopped.status == Status::stopped_by_user);
    CHECK(stopped.iterations == 5);
    p = {};
    p.scale = at(1.0, 1e6);
    const auto m =
        pattern_search([](const Parameters& x) { return Bowl{at(1.0, 1.0)}(at(x[0], x[1] / 1e6)); }, at(0.0, 0.0), p);
    CHECK(m.x == at(1.0, 1e6));
}

TEST_CASE("bad input is named") {
    opt::PatternSearchParams p;
    p.first_mesh = 0.0;
    CHECK_THROWS_WITH_AS((void)pattern_search(rosenbrock, at(0.0, 0.0), p),
                         "opt::pattern_search: first_mesh must be finite and > 0, got 0", SetupError);
    p = {};
    p.scale = at(1.0, -1.0);
    CHECK_THROWS_AS((void)pattern_search(rosenbrock, at(0.0, 0.0), p), SetupError);
    p = {};
    p.bounds.upper = at(-1.0, -1.0);
    CHECK_THROWS_AS((void)pattern_search(rosenbrock, at(0.0, 0.0), p), SetupError);
}

}  // namespace pattern_search_test
