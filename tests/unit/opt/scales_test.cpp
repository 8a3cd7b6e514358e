// SPDX-License-Identifier: BSD-3-Clause
// Parameters of every order of magnitude, against minima known in closed form.
#include <panto/opt/bfgs.hpp>
#include <panto/opt/conjugate_gradient.hpp>
#include <panto/opt/genetic.hpp>
#include <panto/opt/pattern_search.hpp>
#include <panto/opt/simulated_annealing.hpp>
#include <panto/opt/trust_region.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

using namespace panto;
using namespace panto::opt;

namespace opt_scales_test {
namespace {

using Value = std::function<double(const Parameters&)>;

Parameters point(double a, double b) { return Eigen::Vector2d(a, b); }

/// A function whose minimum `least` is at s (3, -2).
struct Case {
    const char* name;
    Value f;
    double least;
};

std::vector<Case> cases(double s) {
    return {
        {"bowl", [s](const Parameters& x) { return std::pow(x[0] / s - 3.0, 2) + std::pow(x[1] / s + 2.0, 2); }, 0.0},
        {"bowl on a pedestal",
         [s](const Parameters& x) { return 1e3 + std::pow(x[0] / s - 3.0, 2) + std::pow(x[1] / s + 2.0, 2); }, 1e3},
        {"kink", [s](const Parameters& x) { return 1.0 + std::abs(x[0] / s - 3.0) + std::abs(x[1] / s + 2.0); }, 1.0},
        {"hanging chain",
         [s](const Parameters& x) { return std::exp(x[0] / s - 3.0) - x[0] / s + std::cosh(x[1] / s + 2.0); }, -1.0}};
}

const double scales[] = {1e-20, 1e-12, 1e-9, 1e-5, 1.0, 1e4, 1e9, 1e15};

}  // namespace

TEST_CASE("pattern search finds parameters of every size, from near them and from 0") {
    for (const double s : scales)
        for (const Case& c : cases(s))
            for (const Parameters& start : {point(s, -1.2 * s), point(0.0, 0.0), point(1e-3 * s, 0.0)}) {
                CAPTURE(s);
                CAPTURE(c.name);
                CAPTURE(start);
                const Minimum m = pattern_search(c.f, start);
                CAPTURE(m.reason);
                CAPTURE(m.value);
                CHECK((m.x / s - point(3.0, -2.0)).norm() < 1e-4);
                CHECK(m.value - c.least < 1e-4);
                CHECK((m.status == Status::ok || s > 1e14));  // x is known to 1e-9 there, less than the mesh
                CHECK(m.evaluations < 2000);
            }
    // one parameter of size 1 beside one of 1e-9
    const Value mixed = [](const Parameters& x) { return std::pow(x[0] - 30.0, 2) + std::pow(x[1] / 1e-9 + 2.0, 2); };
    for (const double tiny : {0.0, 1e-9, 1e-12}) {
        const Minimum m = pattern_search(mixed, point(0.0, tiny));
        CHECK(m.value < 1e-6);
        CHECK(m.status == Status::ok);
    }
}

TEST_CASE("a box or a scale that is far too wide does not make the start a minimum") {
    for (const double s : {1e-12, 1e-9})
        for (const Case& c : cases(s)) {
            CAPTURE(s);
            CAPTURE(c.name);
            const Bounds box{point(-1.0, -1.0), point(1.0, 1.0)};
            PatternSearchParams told;
            told.scale = Parameters::Ones(2);
            for (const Parameters& start : {point(s, -1.2 * s), point(0.0, 0.0)})
                for (const Minimum& m :
                     {pattern_search(c.f, start, told), pattern_search(c.f, start, {.bounds = box}),
                      simulated_annealing(c.f, start, {.bounds = box, .sweeps = 2, .adaptations = 1}),
                      genetic(c.f, start, {.bounds = box, .population = 20})}) {
                    CAPTURE(m.reason);
                    CHECK((m.status != Status::ok || m.value - c.least < 0.02));  // a thousandth of the fall
                }
        }
    const Value bowl = cases(1e-9)[0].f;
    const Minimum m =
        genetic(bowl, point(0.0, 0.0), {.bounds = {point(-1.0, -1.0), point(1.0, 1.0)}, .population = 20});
    CHECK(m.reason.find("narrow its bounds") != std::string::npos);
    // in a box of their size both find it
    const Bounds box{point(-10.0, -10.0), point(10.0, 10.0)};
    for (const Case& c : cases(1.0))
        for (const Minimum& found : {simulated_annealing(c.f, point(-9.0, 9.0), {.bounds = box}),
                                     genetic(c.f, point(-9.0, 9.0), {.bounds = box})}) {
            CAPTURE(found.reason);
            CHECK(found.status == Status::ok);
        }
}

TEST_CASE("parameters far from the clock's start, in their own unit in the end") {
    // a start of 1000 is no reason to be content with 1e-3 at 3, nor one of 1.7e9 s with less than 2 s
    const Minimum near = pattern_search(cases(1.0)[0].f, point(1000.0, -4000.0));
    CHECK((near.x - point(3.0, -2.0)).norm() < 1e-5);
    CHECK(near.status == Status::ok);
    const Value pulse = [](const Parameters& x) {
        return 2.0 - std::exp(-std::pow((x[0] - 1.7e9 - 1.5) / 2.0, 2)) + std::pow(x[1] - 1.0, 2);
    };
    const Minimum late = pattern_search(pulse, point(1.7e9, 0.0));
    CHECK(late.x[0] - 1.7e9 == approx(1.5).epsilon(1e-4));
    CHECK(late.status == Status::ok);
}

TEST_CASE("a box in which nothing changes holds no minimum, whatever the unit of the mesh") {
    const Value far = [](const Parameters& x) { return 1.0 - std::exp(-std::pow(x[0] - 60.0, 2)); };
    for (const double wide : {1e-3, 9.0})
        for (const Parameters& start : {point(0.1 * wide, 0.2 * wide), point(0.0, 0.0)}) {
            const Bounds box{point(-wide, -wide), point(wide, wide)};
            for (const Minimum& m :
                 {pattern_search(far, start, {.bounds = box}), bfgs(far, start, {.bounds = box}),
                  conjugate_gradient(far, start, {.bounds = box}), trust_region(far, start, {.bounds = box}),
                  genetic(far, start, {.bounds = box}), simulated_annealing(far, start, {.bounds = box})}) {
                CAPTURE(m.reason);
                CHECK(m.status == Status::not_converged);
            }
        }
}

TEST_CASE("descent and trust region leave 0 and tiny starts") {
    for (const double s : {1e-9, 1e-12, 1e-16, 1e-20})
        for (const Case& c : cases(s)) {
            if (std::string(c.name) == "kink" || (s < 1e-19 && c.least < 0.0)) continue;  // exp(1e20) overflows
            for (const Parameters& start : {point(s, -1.2 * s), point(0.0, 0.0)}) {
                CAPTURE(s);
                CAPTURE(c.name);
                CAPTURE(start);
                for (const Minimum& m : {bfgs(c.f, start), conjugate_gradient(c.f, start), trust_region(c.f, start)}) {
                    CAPTURE(m.reason);
                    CAPTURE(m.evaluations);
                    CHECK(m.value - c.least < 1e-6);
                    CHECK(m.status == Status::ok);
                    CHECK(m.iterations < 200);
                }
            }
        }
}

// Factors that begin at 1 and end at 2e-5, 1e-7 and 4e-12: y = p_0 t^p_1 (creep), p_0 exp(1000 p_1 / T) (viscosity),
// p_0 K^p_1 in micrometres (Paris). The least values are those of scipy's least_squares for the logarithm of p_0.
TEST_CASE("a factor that becomes tiny is fitted, or not called fitted") {
    struct Law {
        const char* name;
        std::function<double(const Parameters&, double)> model;
        Parameters truth;
        double first, step;
        int count;
        double error, least;
        Parameters start;
    };
    const auto power = [](const Parameters& p, double t) { return p[0] * std::pow(t, p[1]); };
    const auto viscosity = [](const Parameters& p, double T) { return p[0] * std::exp(1000.0 * p[1] / T); };
    const auto paris = [](const Parameters& p, double K) { return 1e6 * p[0] * std::pow(K, p[1]); };
    const std::vector<Law> laws = {
        {"creep", power, point(2e-5, 2.3), 1e3, 1e3, 29, 0.01, 37535165.169889316, point(1.0, 10.0)},
        {"creep", power, point(2e-5, 2.3), 1e3, 1e3, 29, 0.01, 37535165.169889316, point(1.0, 3.0)},
        {"viscosity", viscosity, point(1e-7, 14.0), 900.0, 20.0, 12, 0.02, 5.250235042282763e-05, point(1.0, 1.0)},
        {"Paris", paris, point(4e-12, 3.1), 8.0, 2.0, 25, 0.05, 0.005543075488067876, point(1.0, 1.0)},
    };
    for (const Law& law : laws) {
        const auto value = [&law](const Parameters& p) {
            double sum = 0.0;
            for (int i = 0; i < law.count; ++i) {
                const double t = law.first + i * law.step;
                sum += std::pow(law.model(p, t) - (1.0 + law.error * std::sin(7.0 * i)) * law.model(law.truth, t), 2);
            }
            return sum;
        };
        for (const Minimum& m :
             {bfgs(value, law.start), conjugate_gradient(value, law.start), trust_region(value, law.start)}) {
            CAPTURE(law.name);
            CAPTURE(m.x);
            CAPTURE(m.reason);
            CHECK((m.status != Status::ok || m.value == approx(law.least).epsilon(1e-5)));
        }
    }
}

}  // namespace opt_scales_test
