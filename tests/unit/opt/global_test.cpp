// SPDX-License-Identifier: BSD-3-Clause
// Searches for the lowest of many minima: annealing, genetic algorithm, global-then-local, many starts.
#include <panto/opt/bfgs.hpp>
#include <panto/opt/genetic.hpp>
#include <panto/opt/global_then_local.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/pattern_search.hpp>
#include <panto/opt/simulated_annealing.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <thread>

using namespace panto;

namespace global_test {
namespace {

/// Rastrigin's egg box about a point off the middle: 11^n minima in the box, the lowest 0 there.
struct EggBox {
    double offset = 0.7;
    double operator()(const Parameters& x) const {
        double sum = 0.0;
        for (const double xi : x) {
            const double d = xi - offset;
            sum += d * d + 10.0 * (1.0 - std::cos(2.0 * std::numbers::pi * d));
        }
        return sum;
    }
};

/// The same as residuals.
struct EggBoxResiduals {
    Status residuals(const Parameters& x, Parameters& r) const {
        r.resize(2 * x.size());
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            const double d = x[i] - 0.7;
            r[2 * i] = d, r[2 * i + 1] = std::sqrt(20.0) * std::sin(std::numbers::pi * d);
        }
        return Status::ok;
    }
};

const opt::Bounds box{Parameters::Constant(3, -5.0), Parameters::Constant(3, 5.0)};
const Parameters far_off = Parameters::Constant(3, -4.2);

opt::SimulatedAnnealingParams annealing(std::uint64_t seed) {
    opt::SimulatedAnnealingParams p;
    p.bounds = box, p.seed = seed;
    return p;
}

opt::GeneticParams breeding(std::uint64_t seed) {
    opt::GeneticParams p;
    p.bounds = box, p.seed = seed;
    return p;
}

void two_threads(int count, const std::function<void(int)>& job) {
    std::thread other([&] {
        for (int i = 1; i < count; i += 2) job(i);
    });
    for (int i = 0; i < count; i += 2) job(i);
    other.join();
}

static_assert(Optimizer<opt::SimulatedAnnealing, EggBox> && Optimizer<opt::Genetic, EggBox>);
static_assert(Optimizer<opt::GlobalThenLocal<opt::Genetic, opt::LevenbergMarquardt>, EggBoxResiduals>);

}  // namespace

TEST_CASE("annealing finds the lowest of 1331 minima with five seeds, and the same with the same seed") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto m = opt::simulated_annealing(EggBox{}, far_off, annealing(seed));
        CAPTURE(seed);
        CHECK((m.x - Parameters::Constant(3, 0.7)).norm() < 1e-3);
        CHECK(m.status == Status::ok);
        CHECK(m.x == opt::simulated_annealing(EggBox{}, far_off, annealing(seed)).x);
    }
    CHECK(opt::simulated_annealing(EggBox{}, far_off, annealing(1)).x !=
          opt::simulated_annealing(EggBox{}, far_off, annealing(2)).x);
}

TEST_CASE("the genetic algorithm finds the lowest of 1331 minima with five seeds, the same on one thread and two") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        auto p = breeding(seed);
        const auto m = opt::genetic(EggBox{}, far_off, p);
        CHECK((m.x - Parameters::Constant(3, 0.7)).norm() < 1e-2);
        p.executor = two_threads;
        CHECK(m.x == opt::genetic(EggBox{}, far_off, p).x);
    }
}

TEST_CASE("a minimum just outside the box is approached to its face") {
    const Parameters face = Parameters::Constant(3, 0.68);
    auto a = annealing(1);
    a.bounds.upper = face;
    const auto annealed = opt::simulated_annealing(EggBox{}, far_off, a);
    CHECK((annealed.x - face).norm() < 1e-3);
    CHECK(a.bounds.contains(annealed.x));
    auto g = breeding(1);
    g.bounds.upper = face;
    const auto bred = opt::genetic(EggBox{}, far_off, g);
    CHECK((bred.x - face).norm() < 1e-3);
    CHECK(g.bounds.contains(bred.x));
}

TEST_CASE("a minimum on bounds lies on them exactly, and is one") {
    struct Plane {  // falls to (-1, 0) in the box below
        double operator()(const Parameters& x) const { return x[0] + x[1] * x[1]; }
    };
    struct Far {  // (3, .3) projected on the box
        double operator()(const Parameters& x) const { return std::pow(x[0] - 3.0, 2) + std::pow(x[1] - 0.3, 2) + 1.0; }
    };
    struct Oblique {  // on x_1 = 2 the sum of (x_0 - 3)^2 and (x_0 - .3)^2 is lowest halfway
        double operator()(const Parameters& x) const {
            return std::pow(x[0] + x[1] - 5.0, 2) + std::pow(x[0] - 0.3, 2);
        }
    };
    struct Corner {
        double operator()(const Parameters& x) const { return -(x[0] + 2.0) * (x[1] + 2.0); }
    };
    const auto check = [](const auto& f, const Eigen::Vector2d& at, int on) {
        opt::Bounds square{Eigen::Vector2d(-1.0, -1.0), Eigen::Vector2d(2.0, 2.0)};
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            opt::SimulatedAnnealingParams a;
            a.bounds = square, a.seed = seed;
            opt::GeneticParams g;
            g.bounds = square, g.seed = seed;
            const Eigen::Vector2d start(1.0, 1.0);
            for (const auto& m : {opt::simulated_annealing(f, start, a), opt::genetic(f, start, g)}) {
                CAPTURE(at);
                CAPTURE(m.reason);
                CHECK(m.status == Status::ok);
                CHECK((m.x - at).cwiseAbs().maxCoeff() < 3e-4);  // a ten thousandth of the box
                if (on != 1) CHECK(m.x[0] == at[0]);
                if (on != 0) CHECK(m.x[1] == at[1]);
            }
        }
    };
    check(Plane{}, {-1.0, 0.0}, 0);
    check(Far{}, {2.0, 0.3}, 0);
    check(Oblique{}, {1.65, 2.0}, 1);
    check(Corner{}, {2.0, 2.0}, 2);
}

TEST_CASE("global-then-local ends at the bottom to rounding, for objectives and for residuals") {
    opt::PatternSearchParams fine;
    fine.mesh_tolerance = 1e-10;
    const auto m =
        opt::GlobalThenLocal{opt::Genetic{breeding(1)}, opt::PatternSearch{fine}}.minimize(EggBox{}, far_off);
    CHECK((m.x - Parameters::Constant(3, 0.7)).norm() < 1e-7);  // root of the rounding error
    const auto r = opt::GlobalThenLocal{opt::SimulatedAnnealing{annealing(1)}, opt::LevenbergMarquardt{}}.minimize(
        EggBoxResiduals{}, far_off);
    CHECK((r.x - Parameters::Constant(3, 0.7)).norm() < 1e-13);
    CHECK(r.evaluations > 1000);
}

TEST_CASE("many starts find what one does not, the same on one thread and two") {
    opt::MultiStartParams p;
    p.bounds = box, p.starts = 60;
    const opt::Bounds line{Parameters::Constant(1, -5.0), Parameters::Constant(1, 5.0)};
    p.bounds = line;
    const Parameters start = Parameters::Constant(1, -4.2);
    const opt::LevenbergMarquardt local;
    CHECK(local.minimize(EggBoxResiduals{}, start).value > 1.0);
    const auto m = opt::multi_start(local, EggBoxResiduals{}, start, p);
    CHECK(m.x[0] == approx(0.7));
    CHECK(m.value < 1e-20);
    p.executor = two_threads;
    CHECK(m.x == opt::multi_start(local, EggBoxResiduals{}, start, p).x);
}

TEST_CASE("objectives that throw everywhere, stops and bad input") {
    const auto never = [](const Parameters&) -> double { throw std::runtime_error("never"); };
    CHECK(opt::simulated_annealing(never, far_off, annealing(1)).status == Status::not_finite);
    const auto lost = opt::genetic(never, far_off, breeding(1));
    CHECK(lost.status == Status::not_finite);
    CHECK(lost.reason == "no point has a value: the model threw: never");
    auto a = annealing(1);
    a.observer = [](const opt::Progress& now) { return now.iteration < 3; };
    CHECK(opt::simulated_annealing(EggBox{}, far_off, a).status == Status::stopped_by_user);
    CHECK(opt::simulated_annealing(EggBox{}, far_off, a).iterations == 3);
    auto g = breeding(1);
    g.observer = a.observer;
    CHECK(opt::genetic(EggBox{}, far_off, g).iterations == 3);
    CHECK(opt::genetic(EggBox{}, far_off, g).status == Status::stopped_by_user);
    a.cooling = 1.0;
    CHECK_THROWS_AS((void)opt::simulated_annealing(EggBox{}, far_off, a), SetupError);
    a = annealing(1), a.bounds = {};
    CHECK_THROWS_AS((void)opt::simulated_annealing(EggBox{}, far_off, a), SetupError);
    CHECK_THROWS_AS((void)opt::genetic(EggBox{}, Parameters::Constant(3, 9.0), breeding(1)), SetupError);
    opt::MultiStartParams none;
    none.bounds = box, none.starts = 0;
    CHECK_THROWS_AS((void)opt::multi_start(opt::LevenbergMarquardt{}, EggBoxResiduals{}, far_off, none), SetupError);
}

}  // namespace global_test
