// SPDX-License-Identifier: BSD-3-Clause
// Values that fall for ever, parameters that lose their effect, and those that never had one or are on the flat side of
// a one-sided penalty.
#include <panto/opt/bfgs.hpp>
#include <panto/opt/conjugate_gradient.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/pattern_search.hpp>
#include <panto/opt/sum_of_squares.hpp>
#include <panto/opt/trust_region.hpp>

#include "../../support/approx.hpp"
#include "../../support/point.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

using namespace panto;
using namespace panto::opt;

namespace opt_lost_effect_test {
namespace {

using test::point;

using Value = std::function<double(const Parameters&)>;

struct WithGradient {
    Value value;
    std::function<Parameters(const Parameters&)> slope;
    double operator()(const Parameters& x) const { return value(x); }
    double operator()(const Parameters& x, Parameters& g) const { return g = slope(x), value(x); }
};

struct Any {
    std::function<Parameters(const Parameters&)> give;
    Status residuals(const Parameters& x, Parameters& r) const { return r = give(x), Status::ok; }
};

template <class F>
std::vector<Minimum> descents(const F& f, const Parameters& start) {
    return {bfgs(f, start), conjugate_gradient(f, start), trust_region(f, start)};
}

std::vector<Minimum> all(const WithGradient& f, const Parameters& start) {
    std::vector<Minimum> found = descents(f, start), more = descents(f.value, start);
    found.insert(found.end(), more.begin(), more.end());
    found.push_back(pattern_search(f.value, start));
    return found;
}

/// Levenberg-Marquardt with both kinds of differences.
std::vector<Minimum> fits(const Any& f, const Parameters& start, const Bounds& box = {}) {
    return {levenberg_marquardt(f, start, {.bounds = box}),
            levenberg_marquardt(f, start, {.bounds = box, .differences = Differences::central})};
}

/// b_0 / (1 + exp(-b_1 (t - b_2))) minus data.
Any logistic(Parameters t, Parameters y) {
    return {[t = std::move(t), y = std::move(y)](const Parameters& b) {
        return Parameters((b[0] / (1.0 + (-b[1] * (t.array() - b[2])).exp()) - y.array()).matrix());
    }};
}

/// NIST's Rat42, y = b_0 / (1 + exp(b - b_1 t)); b = b_1 b_2.
Any rat42() {
    return logistic(point({9, 14, 21, 28, 42, 57, 63, 70, 79}),
                    point({8.93, 10.8, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08}));
}
constexpr double rat42_certified = 8.0565229338;  // residual sum of squares

/// A population that grows from 1.5e9 to 6.3e9 between 1950 and 2007, without noise.
Any population() {
    const Parameters t = Parameters::LinSpaced(20, 1950.0, 2007.0);
    return logistic(t, (8e9 / (1.0 + (-0.05 * (t.array() - 1980.0)).exp())).matrix());
}

}  // namespace

TEST_CASE("a value without a minimum is never called minimized") {
    const auto square = [](double x) { return x * x; };
    const std::vector<std::pair<const char*, WithGradient>> problems = {
        {"-x^2", {[](const Parameters& x) { return -x[0] * x[0]; }, [](const Parameters& x) { return -2.0 * x; }}},
        {"x^3",
         {[](const Parameters& x) { return std::pow(x[0], 3); },
          [](const Parameters& x) { return point({3.0 * x[0] * x[0]}); }}},
        {"exp(-x)",
         {[](const Parameters& x) { return std::exp(-x[0]); },
          [](const Parameters& x) { return point({-std::exp(-x[0])}); }}},
        {"1 + exp(-x)",
         {[](const Parameters& x) { return 1.0 + std::exp(-x[0]); },
          [](const Parameters& x) { return point({-std::exp(-x[0])}); }}},
        {"1 / (1 + x^2)",
         {[](const Parameters& x) { return 1.0 / (1.0 + x[0] * x[0]); },
          [](const Parameters& x) { return point({-2.0 * x[0] / std::pow(1.0 + x[0] * x[0], 2)}); }}},
        {"atan x",
         {[](const Parameters& x) { return std::atan(x[0]); },
          [](const Parameters& x) { return point({1.0 / (1.0 + x[0] * x[0])}); }}},
    };
    for (const auto& problem : problems)  // Clang 14 does not capture structured bindings
        for (const double start : {0.0, 1.0, -3.0}) {
            const auto& what = problem.first;
            const auto& f = problem.second;
            CAPTURE(what);
            CAPTURE(start);
            for (const Minimum& m : all(f, point({start}))) {
                CAPTURE(m.x[0]);
                CAPTURE(m.reason);
                CHECK(m.status == Status::not_converged);
            }
        }
    const std::vector<std::pair<const char*, WithGradient>> beside = {
        {"(x - 2)^2 + exp(-y)",
         {[&](const Parameters& x) { return square(x[0] - 2.0) + std::exp(-x[1]); },
          [](const Parameters& x) { return point({2.0 * (x[0] - 2.0), -std::exp(-x[1])}); }}},
        {"1 + (x - 2)^2 + exp(-y)",
         {[&](const Parameters& x) { return 1.0 + square(x[0] - 2.0) + std::exp(-x[1]); },
          [](const Parameters& x) { return point({2.0 * (x[0] - 2.0), -std::exp(-x[1])}); }}},
        {"(x - y)^2 - x - y",
         {[&](const Parameters& x) { return square(x[0] - x[1]) - x[0] - x[1]; },
          [](const Parameters& x) {
              const double d = 2.0 * (x[0] - x[1]);
              return point({d - 1.0, -d - 1.0});
          }}},
    };
    for (const auto& problem : beside)
        for (const double start : {0.0, 1.0, -3.0}) {
            const auto& what = problem.first;
            const auto& f = problem.second;
            CAPTURE(what);
            CAPTURE(start);
            for (const Minimum& m : all(f, point({start, 1.0}))) {
                CAPTURE(m.x);
                CAPTURE(m.reason);
                CHECK(m.status != Status::ok);
            }
        }
    const auto endless = bfgs(problems[0].second, point({1.0}));
    CHECK(endless.reason.find("the value falls without end") != std::string::npos);
}

TEST_CASE("a sum of squares that falls for ever is never called minimized") {
    for (const double start : {0.5, 1.0, -3.0}) {
        CAPTURE(start);
        const Any problems[] = {
            {[](const Parameters& x) { return point({1.0 / (1.0 + x[0] * x[0]), x[1] - 1.0}); }},
            {[](const Parameters& x) { return point({1.0, 1.0 / (1.0 + x[0] * x[0]), x[1] - 1.0}); }},
            {[](const Parameters& x) { return point({1.0, std::exp(-x[0]), x[1] - 1.0}); }},
        };
        for (const Any& f : problems)
            for (const Minimum& m : fits(f, point({start, 5.0}))) {
                CAPTURE(m.x);
                CAPTURE(m.value);
                CAPTURE(m.reason);
                CHECK(m.status != Status::ok);
            }
    }
}

TEST_CASE("a logistic curve that has left its data is not called fitted") {
    for (const Parameters& start : {point({1e9, 0.01, 1950.0}), point({8e9, 0.5, 1950.0}), point({1e9, 1.0, 1990.0}),
                                    point({1.0, 1.0, 1.0}), point({1e9, 1.0, -1e6})}) {
        CAPTURE(start);
        for (const Minimum& m : fits(population(), start)) {
            CAPTURE(m.x);
            CAPTURE(m.reason);
            CHECK((m.status != Status::ok || (m.x - point({8e9, 0.05, 1980.0})).norm() < 1.0));
        }
        const Any f = population();
        const SumOfSquares<Any> value(f);
        for (const Minimum& m : descents(value, start)) {
            CAPTURE(m.x);
            CAPTURE(m.reason);
            CHECK((m.status != Status::ok || m.value < 1e-10 * value(start)));
        }
    }
    for (const Parameters& start : {point({75.0, 0.067, 38.0}), point({1.0, 1.0, 1.0}), point({100.0, 5.0, 10.0}),
                                    point({100.0, 0.05, 1000.0}), point({10.0, 1.0, -1e6})}) {
        CAPTURE(start);
        for (const Minimum& m : fits(rat42(), start)) {
            CAPTURE(m.x);
            CAPTURE(m.value);
            CAPTURE(m.reason);
            CHECK((m.status != Status::ok || m.value == approx(rat42_certified).epsilon(1e-9)));
        }
    }
}

TEST_CASE("a plateau is left where the value falls at its edge") {
    // Without the way down at the edge both searches stay where b_2 has no effect: at 4648, the variance of the data.
    for (const Minimum& m : fits(rat42(), point({10.0, 1.0, -1e6})))
        CHECK(m.value == approx(rat42_certified).epsilon(1e-9));
}

// y = 3 exp(-((t - 2.2) / 0.5)^2 / 2) + 0.4 with a ripple, t = 0, 0.1, ..., 4.9. Where the peak of the model lies
// beside the data, height, place and width have no effect, and only the offset is fitted.
TEST_CASE("a peak that begins beside its data is found, or not called fitted") {
    const auto peak = [](const Parameters& p, double t) {
        return p[0] * std::exp(-0.5 * std::pow((t - p[1]) / p[2], 2)) + p[3];
    };
    const Any f{[peak](const Parameters& p) {
        Parameters r(50);
        for (int i = 0; i < 50; ++i) {
            const double t = 0.1 * i;
            r[i] = peak(p, t) - peak(point({3.0, 2.2, 0.5, 0.4}), t) - 0.02 * std::sin(40.0 * t);
        }
        return r;
    }};
    const SumOfSquares<Any> value(f);
    const double least = levenberg_marquardt(f, point({3.0, 2.2, 0.5, 0.4})).value;
    CHECK(least < 0.02);
    for (const double place : {40.0, -40.0, 400.0, -3.0})
        for (const double width : {0.1, 1e-3}) {
            CAPTURE(place);
            CAPTURE(width);
            const Parameters start = point({1.0, place, width, 0.0});
            std::vector<Minimum> found = fits(f, start);
            for (const Minimum& m : descents(value, start)) found.push_back(m);
            for (const Minimum& m : found) {
                CAPTURE(m.x);
                CAPTURE(m.reason);
                CHECK((m.status != Status::ok || m.value == approx(least).epsilon(1e-6)));
            }
            if (place == 40.0 && width == 0.1)  // the place alone leads to the data
                for (const Minimum& m : fits(f, start)) CHECK(m.status == Status::ok);
        }
    // parameters that have no effect in a perfect fit, or nowhere, are no reason for a doubt
    const Any idle{[](const Parameters& x) { return point({x[0] - 2.0, x[0] - 3.0}); }};
    for (const Minimum& m : fits(idle, point({0.0, 5.0, 7.0}))) CHECK(m.status == Status::ok);
}

TEST_CASE("a value that levels off beside another parameter is not minimized") {
    const auto value = [](const Parameters& x) {
        return 3.0 - x[0] * x[0] / (1.0 + x[0] * x[0]) + std::pow(x[1] - 1.0, 2);
    };
    for (const double start : {0.5, 1.0, 3.0})
        for (const Minimum& m : descents(value, point({start, 0.0}))) {
            CAPTURE(m.x);
            CAPTURE(m.reason);
            CHECK(m.status != Status::ok);
        }
}

TEST_CASE("one-sided penalties and parameters that change nothing do not spoil a minimum") {
    for (const int power : {2, 3, 4})
        for (const double start : {3.0, 1e3, 0.0}) {
            CAPTURE(power);
            CAPTURE(start);
            const auto over = [power](double x) { return std::pow(std::max(0.0, x - 1.0), power); };
            const WithGradient f = {
                [&](const Parameters& x) { return 5.0 + std::pow(x[1] - 2.0, 2) + over(x[0]); },
                [&](const Parameters& x) {
                    return point({power * std::pow(std::max(0.0, x[0] - 1.0), power - 1), 2.0 * (x[1] - 2.0)});
                }};
            for (const Minimum& m : descents(f, point({start, 0.0}))) {
                CAPTURE(m.x);
                CAPTURE(m.reason);
                CHECK(m.value == approx(5.0).epsilon(1e-9));
                if (m.value < 5.0 + 1e-12) CHECK(m.status == Status::ok);
            }
            const Any squares{
                [&](const Parameters& x) { return point({x[1] - 2.0, x[1] - 3.0, std::max(0.0, x[0] - 1.0)}); }};
            for (const Minimum& m : fits(squares, point({start, 0.0}))) {
                CAPTURE(m.x);
                CAPTURE(m.reason);
                CHECK(m.value == approx(0.5).epsilon(1e-12));  // x_1 = 2.5
                CHECK(m.status == Status::ok);
            }
        }
    // the third parameter changes nothing anywhere; the second only where the first is not 0
    const Any unseen{[](const Parameters& x) { return point({x[0] - 2.0, x[0] - 3.0, x[1] - 1.0}); }};
    for (const Minimum& m : fits(unseen, point({0.0, 5.0, 7.0}))) {
        CHECK(m.x[2] == 7.0);
        CHECK(m.status == Status::ok);
    }
    const Any amplitude{[](const Parameters& x) { return point({x[0] * std::exp(x[1]), x[0], 1.0}); }};
    for (const Minimum& m : fits(amplitude, point({1.0, 0.5}))) {
        CAPTURE(m.x);
        CAPTURE(m.reason);
        CHECK(m.value == approx(1.0));
        CHECK(m.status == Status::ok);
    }
    // a box ends the way: the smallest value lies in it
    const Any decay{[](const Parameters& x) { return point({1.0, std::exp(-x[0])}); }};
    for (const Minimum& m : fits(decay, point({1.0}), {point({0.0}), point({3.0})})) {
        CHECK(m.x[0] == 3.0);
        CHECK(m.status == Status::ok);
    }
}

}  // namespace opt_lost_effect_test
