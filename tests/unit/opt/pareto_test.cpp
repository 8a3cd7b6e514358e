// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/random.hpp>
#include <panto/opt/hypervolume.hpp>
#include <panto/opt/nsga2.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <thread>

using namespace panto;

namespace pareto_test {
namespace {

opt::Individual point(double a, double b, double violation = 0.0) {
    opt::Individual i;
    i.objectives = Eigen::Vector2d(a, b);
    i.violation = violation;
    return i;
}

/// Schaffer's problem: the front is 0 <= x <= 2. No value where x is in the given hole.
struct Schaffer {
    double hole = 1e300;
    [[nodiscard]] int objectives() const { return 2; }
    Status operator()(const Parameters& x, Parameters& values) const {
        if (std::abs(x[0] - hole) < 0.1) throw std::runtime_error("in the hole");
        values = Eigen::Vector2d(x[0] * x[0], (x[0] - 2.0) * (x[0] - 2.0));
        return Status::ok;
    }
};

opt::Nsga2Params small_search() {
    opt::Nsga2Params p;
    p.bounds = {Parameters::Constant(1, -100.0), Parameters::Constant(1, 100.0)};
    p.population = 20, p.generations = 80;
    return p;
}

bool same(const std::vector<opt::Individual>& a, const std::vector<opt::Individual>& b) {
    bool equal = a.size() == b.size();
    for (std::size_t i = 0; equal && i < a.size(); ++i) equal = a[i].x == b[i].x && a[i].objectives == b[i].objectives;
    return equal;
}

}  // namespace

TEST_CASE("one point dominates another if it is nowhere worse and somewhere better") {
    CHECK(dominates(point(1.0, 2.0), point(1.0, 3.0)));
    CHECK_FALSE(dominates(point(1.0, 2.0), point(1.0, 2.0)));
    CHECK_FALSE(dominates(point(1.0, 2.0), point(2.0, 1.0)));
    CHECK_FALSE(dominates(point(2.0, 1.0), point(1.0, 2.0)));
}

TEST_CASE("feasible beats infeasible, and of two infeasible ones the smaller violation wins") {
    CHECK(dominates(point(9.0, 9.0), point(1.0, 1.0, 0.1)));
    CHECK(dominates(point(9.0, 9.0, 0.1), point(1.0, 1.0, 0.2)));
    CHECK_FALSE(dominates(point(1.0, 1.0, 0.1), point(2.0, 2.0, 0.1)));
}

TEST_CASE("fronts and crowding of a set sorted by hand") {
    std::vector<opt::Individual> all{point(1.0, 4.0), point(2.0, 2.0), point(3.0, 3.0),
                                     point(5.0, 1.0), point(6.0, 6.0), point(0.0, 0.0, 1.0)};
    const auto fronts = opt::sort_into_fronts(all);
    REQUIRE(fronts.size() == 4);
    CHECK(fronts[0] == std::vector<std::size_t>{0, 1, 3});
    CHECK(fronts[1] == std::vector<std::size_t>{2});
    CHECK(fronts[2] == std::vector<std::size_t>{4});
    CHECK(fronts[3] == std::vector<std::size_t>{5});
    CHECK(all[4].rank == 2);
    opt::set_crowding(all, fronts[0]);
    CHECK(all[0].crowding == opt::Bounds::infinite);
    CHECK(all[1].crowding == approx((5.0 - 1.0) / 4.0 + (4.0 - 1.0) / 3.0));
    CHECK(opt::pareto_front(all).size() == 3);
}

TEST_CASE("hypervolume is the area of the union of boxes") {
    CHECK(opt::hypervolume({{1.0, 2.0}, {2.0, 1.0}}, {3.0, 3.0}) == 3.0);  // 2 + 2 - 1
    CHECK(opt::hypervolume({{2.0, 1.0}, {1.0, 2.0}, {2.5, 2.5}, {4.0, 0.0}, {1.0, 2.0}}, {3.0, 3.0}) == 3.0);
    CHECK(opt::hypervolume(std::vector<std::pair<double, double>>{}, {3.0, 3.0}) == 0.0);
    CHECK(opt::hypervolume(std::vector{point(1.0, 2.0), point(0.0, 0.0, 1.0)}, {3.0, 3.0}) == 2.0);
}

TEST_CASE("NSGA-II finds Schaffer's front, the same with the same seed, on one thread or two, another with another") {
    auto p = small_search();
    const auto one = opt::nsga2(Schaffer{}, p);
    CHECK(one.front.size() > 15);
    for (const auto& i : one.front) CHECK((i.x[0] > -0.05 && i.x[0] < 2.05));
    CHECK(one.evaluations == 20 * 81);
    CHECK(same(one.population, opt::nsga2(Schaffer{}, p).population));
    p.executor = [](int count, const std::function<void(int)>& job) {
        std::thread other([&] {
            for (int i = 1; i < count; i += 2) job(i);
        });
        for (int i = 0; i < count; i += 2) job(i);
        other.join();
    };
    CHECK(same(one.population, opt::nsga2(Schaffer{}, p).population));
    p.seed = 2;
    CHECK_FALSE(same(one.population, opt::nsga2(Schaffer{}, p).population));
}

TEST_CASE("points that throw are counted and never survive; if all do, the result says so") {
    const auto r = opt::nsga2(Schaffer{1.0}, small_search());
    CHECK(r.failures > 0);
    for (const auto& i : r.front) CHECK(std::abs(i.x[0] - 1.0) >= 0.1);
    struct Hopeless : Schaffer {
        Status operator()(const Parameters&, Parameters&) const { throw std::runtime_error("never"); }
    };
    const auto none = opt::nsga2(Hopeless{}, small_search());
    CHECK(none.front.empty());
    CHECK(none.status == Status::not_finite);
    CHECK(none.population[0].failure == "the model threw: never");
}

TEST_CASE("the observer sees every generation and may stop; given start points are in the first") {
    auto p = small_search();
    p.start = {Parameters::Constant(1, 1.25)};
    p.generations = 0;
    bool found = false;
    for (const auto& i : opt::nsga2(Schaffer{}, p).population) found = found || i.x[0] == 1.25;
    CHECK(found);
    p.generations = 80;
    p.observer = [](const opt::Generation& g) { return g.number < 7; };
    const auto r = opt::nsga2(Schaffer{}, p);
    CHECK(r.generations == 7);
    CHECK(r.status == Status::stopped_by_user);
}

TEST_CASE("bad input is named") {
    auto p = small_search();
    p.population = 7;
    CHECK_THROWS_WITH_AS((void)opt::nsga2(Schaffer{}, p),
                         "opt::nsga2: population is 7, must be an even number of at least 4", SetupError);
    p = small_search();
    p.bounds.upper[0] = opt::Bounds::infinite;
    CHECK_THROWS_AS((void)opt::nsga2(Schaffer{}, p), SetupError);
    p = small_search();
    p.start = {Parameters::Constant(1, 1e3)};
    CHECK_THROWS_AS((void)opt::nsga2(Schaffer{}, p), SetupError);
    p = small_search();
    p.mutation_probability = 2.0;
    CHECK_THROWS_AS((void)opt::nsga2(Schaffer{}, p), SetupError);
    p = small_search();
    p.bounds = {};
    CHECK_THROWS_AS((void)opt::nsga2(Schaffer{}, p), SetupError);
}

TEST_CASE("random numbers are those the standard fixes, and their distributions are sound") {
    Random random(5489);  // the default seed, whose 10000th number the standard gives
    std::mt19937_64 engine(5489);
    CHECK(random.uniform() == static_cast<double>(engine() >> 11) * 0x1p-53);
    double sum = 0.0, squares = 0.0;
    int counts[3] = {};
    for (int i = 0; i < 30000; ++i) {
        const double x = random.normal();
        sum += x, squares += x * x;
        ++counts[random.index(3)];
    }
    CHECK(std::abs(sum / 30000.0) < 5.0 / std::sqrt(30000.0));  // five standard errors
    CHECK(std::abs(squares / 30000.0 - 1.0) < 5.0 * std::sqrt(2.0 / 30000.0));
    for (const int c : counts) CHECK(std::abs(c - 10000) < 5.0 * std::sqrt(30000.0 * 2.0 / 9.0));
    const auto order = random.permutation(10);
    std::vector<std::size_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < 10; ++i) CHECK(sorted[i] == i);
}

}  // namespace pareto_test
