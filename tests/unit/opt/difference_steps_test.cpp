// SPDX-License-Identifier: BSD-3-Clause
// Steps of differences against closed forms: parameters that are large compared with the length on which they act, and
// points where the gradient vanishes but that are no minima.
#include <panto/ident/gradient.hpp>
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

using namespace panto;
using namespace panto::opt;

namespace difference_steps_test {
namespace {

using test::point;

using Value = std::function<double(const Parameters&)>;

/// When a pulse of width w and height 3 passed, T0 + .65 w, from 21 samples at T0 + i w/2 without noise.
struct Pulse {
    double T0, w;
    Status residuals(const Parameters& x, Parameters& r) const {
        r.resize(21);
        for (int i = -10; i <= 10; ++i) {
            const double u = (T0 + 0.5 * i * w - x[0]) / w, v = 0.5 * i - 0.65;
            r[i + 10] = x[1] * std::exp(-u * u) - 3.0 * std::exp(-v * v);
        }
        return Status::ok;
    }
    [[nodiscard]] double shift(const Parameters& x) const { return (x[0] - T0) / w; }
    /// d(r'r)/dx0 at (T0, 1), where u = i/2 exactly
    [[nodiscard]] double slope() const {
        double sum = 0.0;
        for (int i = -10; i <= 10; ++i) {
            const double u = 0.5 * i, v = u - 0.65, e = std::exp(-u * u);
            sum += 2.0 * (e - 3.0 * std::exp(-v * v)) * 2.0 * u * e / w;
        }
        return sum;
    }
};

const Pulse pulses[] = {{0.0, 1.0},     {100.0, 1.0}, {3600.0, 0.5}, {1e4, 0.1},
                        {86400.0, 1.0}, {1e6, 0.002}, {1.7e9, 2.0}};

/// A peak of Gauss at c + 3 against itself: height 1, width 2, sampled from c - 3 to c + 8.8. x is exact to 1.2e-4 at
/// 1e12.
struct Peak {
    double c;
    Status residuals(const Parameters& x, Parameters& r) const {
        r.resize(60);
        for (int i = 0; i < 60; ++i) {
            const double t = 0.2 * i - 3.0, u = (t - (x[1] - c)) / x[2], v = 0.5 * (t - 3.0);
            r[i] = x[0] * std::exp(-u * u) - std::exp(-v * v);
        }
        return Status::ok;
    }
};

struct PeakWithJacobian : Peak {
    Status jacobian(const Parameters& x, Matrix<double, Dynamic>& J) const {
        J.resize(60, 3);
        for (int i = 0; i < 60; ++i) {
            const double u = (0.2 * i - 3.0 - (x[1] - c)) / x[2], e = std::exp(-u * u), b = 2.0 * x[0] * e * u / x[2];
            J(i, 0) = e, J(i, 1) = b, J(i, 2) = b * u;
        }
        return Status::ok;
    }
};

/// x^2 - y^2 + y^4 + 1 about (a, b): a saddle of 1, minima of 3/4 at y = b +- 1/sqrt 2.
struct Saddle {
    double a, b;
    double operator()(const Parameters& p) const {
        const double x = p[0] - a, y = p[1] - b;
        return x * x - y * y + y * y * y * y + 1.0;
    }
    double operator()(const Parameters& p, Parameters& g) const {
        const double x = p[0] - a, y = p[1] - b;
        g = point({2.0 * x, -2.0 * y + 4.0 * y * y * y});
        return (*this)(p);
    }
};

}  // namespace

TEST_CASE("a time is found by differences, however long ago the clock started") {
    for (const Pulse& f : pulses) {
        CAPTURE(f.T0);
        CAPTURE(f.w);
        const Parameters start = point({f.T0, 1.0}), typical = point({f.w, 1.0});
        LevenbergMarquardtParams plain, central, told, box;
        central.differences = Differences::central;
        told.typical = typical;
        box.bounds = {point({f.T0 - 2.0 * f.w, 0.0}), point({f.T0 + 2.0 * f.w, 9.0})};
        for (const auto& p : {plain, central, told, box}) {
            const Minimum m = levenberg_marquardt(f, start, p);
            CAPTURE(m.reason);
            // x0 itself is rounded: by 1.2e-7 of the width at 1.7e9
            CHECK(f.shift(m.x) == approx(0.65).epsilon(1e-6));
            CHECK(m.status == Status::ok);
        }
        const SumOfSquares value(f);
        DescentParams descent;
        TrustRegionParams region;
        for (const bool tell : {false, true}) {
            CAPTURE(tell);
            if (tell) descent.typical = region.typical = typical, region.scale = typical;
            for (const Minimum& m : {bfgs(value, start, descent), trust_region(value, start, region),
                                     conjugate_gradient(value, start, descent)}) {
                CAPTURE(m.reason);
                CHECK(f.shift(m.x) == approx(0.65).epsilon(1e-5));  // half of the digits
                CHECK((m.status == Status::ok || f.T0 > 0.9e6));
            }
        }
    }
}

TEST_CASE("a length of 2 beside 1e13 is found or not, but never called found where it is not") {
    for (const double c : {0.0, 1e6, 1e9, 1e12, 1e13}) {
        CAPTURE(c);
        const Parameters start = point({0.7, c + 1.0, 3.0});
        LevenbergMarquardtParams central;
        central.differences = Differences::central;
        for (const Minimum& m : {levenberg_marquardt(Peak{c}, start), levenberg_marquardt(Peak{c}, start, central),
                                 levenberg_marquardt(PeakWithJacobian{{c}}, start)}) {
            CAPTURE(m.reason);
            CHECK(m.value < 1e-12);  // 3 and 2 are exact beside all c
            CHECK(m.status == Status::ok);
        }
        // u^2 / (1 + u^2) + (y - 1)^2 and a hyperbola, with their minima at (c + 3, 1) and (c, 0)
        const Value bowl = [c](const Parameters& x) {
            const double u = 0.5 * (x[0] - c - 3.0), v = x[1] - 1.0;
            return u * u / (1.0 + u * u) + v * v;
        };
        const Value hyperbola = [c](const Parameters& x) {
            return std::sqrt(1.0 + std::pow(x[0] - c, 2)) + x[1] * x[1];
        };
        for (const Minimum& m : {bfgs(bowl, point({c + 1.2, 4.0})), conjugate_gradient(bowl, point({c + 1.2, 4.0})),
                                 trust_region(bowl, point({c + 1.2, 4.0}))}) {
            CAPTURE(m.reason);
            CHECK((m.status == Status::not_converged || m.value < 1e-6));
        }
        for (const Minimum& m :
             {bfgs(hyperbola, point({c + 5.0, 1.0})), conjugate_gradient(hyperbola, point({c + 5.0, 1.0})),
              trust_region(hyperbola, point({c + 5.0, 1.0}))}) {
            CAPTURE(m.reason);
            CHECK((m.status == Status::not_converged || m.value < 1.0 + 1e-6));
        }
    }
    // no number lies between c and c + 16
    const Minimum lost = levenberg_marquardt(Peak{1e17}, point({0.7, 1e17, 3.0}));
    CHECK(lost.status == Status::not_converged);
}

TEST_CASE("central differences see a peak that is narrow beside its place, and steps of the user's are checked") {
    struct Narrow {  // height 1, width .2, at c + .3
        double c;
        Status residuals(const Parameters& x, Parameters& r) const {
            r.resize(60);
            for (int i = 0; i < 60; ++i) {
                const double t = c - 0.3 + 0.02 * i, u = (t - x[1]) / x[2], v = (t - c - 0.3) / 0.2;
                r[i] = x[0] * std::exp(-u * u) - std::exp(-v * v);
            }
            return Status::ok;
        }
    };
    for (const double c : {1e4, 1e6, 1e8}) {
        CAPTURE(c);
        LevenbergMarquardtParams p;
        p.differences = Differences::central;
        const Minimum m = levenberg_marquardt(Narrow{c}, point({0.7, c, 0.3}), p);
        CAPTURE(m.reason);
        CHECK(m.value < 1e-10);
        CHECK(m.status == Status::ok);
        p.differences = Differences::forward;
        p.difference_step = 1e-3;
        const Minimum told = levenberg_marquardt(Narrow{c}, point({0.7, c, 0.3}), p);
        CHECK((told.status == Status::not_converged || told.value < 1e-10));
    }
}

TEST_CASE("slopes by differences of parameters that are large beside the length on which they act") {
    for (const Pulse& f : pulses) {
        CAPTURE(f.T0);
        const SumOfSquares value(f);
        for (const Parameters& typical : {Parameters(), point({f.w, 1.0})}) {
            const Parameters g = ident::gradient_by_differences(value, point({f.T0, 1.0}), 6e-6, typical);
            // the step after one that agrees to 1/100 is 1/16 of it, its error 1/256; a thousandth at the shortest step
            CHECK(g[0] == approx(f.slope()).epsilon(1e-3));
        }
    }
    const auto slope = [](const std::function<double(double)>& f, double at) {
        return ident::gradient_by_differences([&](const Parameters& x) { return f(x[0]); }, point({at}))[0];
    };
    CHECK(slope([](double x) { return std::cos(x); }, 1e6) == approx(-std::sin(1e6)).epsilon(1e-4));
    CHECK(slope([](double x) { return 1e3 + std::cos(x); }, 1e6) == approx(-std::sin(1e6)).epsilon(1e-4));
    const auto narrow = [](double x) { return std::exp(-std::pow((x - 4000.004) / 0.01, 2)); };
    CHECK(slope(narrow, 4000.0) == approx(0.008 / 1e-4 * std::exp(-0.16)).epsilon(1e-4));
    CHECK(slope([](double x) { return static_cast<double>(std::sin(static_cast<float>(x))); }, 0.5) ==
          approx(std::cos(0.5)).epsilon(1e-2));  // two digits of float: steps are not shortened into its rounding
    CHECK(slope([](double x) { return x * x; }, 1e-150) == approx(2e-150).epsilon(1e-9));
}

TEST_CASE("slopes by differences of a parameter 1e12 and more below the length on which it acts") {
    using Function = std::function<double(double)>;
    const std::pair<Function, Function> all[] = {
        // of u = x / S, with their slopes
        {[](double u) { return std::exp(-u); }, [](double u) { return -std::exp(-u); }},
        {[](double u) { return std::pow(u - 3.0, 2); }, [](double u) { return 2.0 * (u - 3.0); }},
        {[](double u) { return 1e3 + std::pow(u - 3.0, 2); }, [](double u) { return 2.0 * (u - 3.0); }},
        {[](double u) { return std::cos(u + 1.0); }, [](double u) { return -std::sin(u + 1.0); }},
        {[](double u) { return 5.0 + u; }, [](double) { return 1.0; }},
        {[](double u) { return std::sqrt(1.0 + u); }, [](double u) { return 0.5 / std::sqrt(1.0 + u); }}};
    for (const double S : {1e-12, 1.0, 1e9, 1e12, 1e15})
        for (const double u : {1.0, 1e-6, 1e-12, 1e-14, 1e-16, 1e-20, 0.0})
            for (const auto& one : all) {
                const auto& f = one.first;
                const auto& slope = one.second;
                CAPTURE(S);
                CAPTURE(u);
                const auto of_x = [&](const Parameters& x) { return f(x[0] / S); };
                // a step that changes the value by 1e4 roundings
                CHECK(S * ident::gradient_by_differences(of_x, point({S * u}))[0] == approx(slope(u)).epsilon(1e-4));
            }
    const auto line = [](const Parameters& x) { return 1e12 + x[0]; };  // known to 1e-4
    CHECK(ident::gradient_by_differences(line, point({1.0}))[0] == approx(1.0).epsilon(1e-3));
    CHECK_THROWS_WITH_AS(
        (void)ident::gradient_by_differences(line, point({1.0}), 6e-6, point({0.1})),
        doctest::Contains("p[0] = 1 changes f by 0.0009765625 at most, hardly more than the rounding of "
                          "f = 1e+12: give a larger typical size"),
        SetupError);
    // steps that reach a kink far away say nothing of the slope on the flat part, and 0 is right if nothing changes
    const auto flat = [](const Parameters& x) { return std::max(1.0, x[0] - 5.0); };
    for (const double at : {-3.0, 0.3, 2.0, 5.9}) CHECK(ident::gradient_by_differences(flat, point({at}))[0] == 0.0);
    CHECK(ident::gradient_by_differences([](const Parameters&) { return 7.0; }, point({3.0}))[0] == 0.0);
}

TEST_CASE("the check of the steps costs four evaluations a parameter, and nothing on the way") {
    int runs = 0;
    const auto value = [&](const Parameters& x) { return ++runs, std::exp(x[0]) + x[0] * x[1] + std::sin(x[2]); };
    (void)ident::gradient_by_differences(value, point({1.0, 2.0, 3.0}));
    CHECK(runs == 4 * 3 + 1);
    struct Valley {
        Status residuals(const Parameters& x, Parameters& r) const {
            return r = point({10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]}), Status::ok;
        }
    };
    const Minimum m = levenberg_marquardt(Valley{}, point({-1.2, 1.0}));
    CHECK(m.status == Status::ok);
    CHECK(m.checks <= 4 * 2 + 2);
    CHECK(m.evaluations <= 101);  // as before the check was introduced
}

TEST_CASE("a typical size shortens the steps") {
    double longest = 0.0;
    const auto value = [&](const Parameters& x) {
        longest = std::max(longest, std::abs(x[0] - 1e6));
        return std::cos(x[0]);
    };
    const Parameters g = ident::gradient_by_differences(value, point({1e6}), 6e-6, point({1.0}));
    CHECK(g[0] == approx(-std::sin(1e6)).epsilon(1e-4));
    CHECK(longest < 1e-3);
}

TEST_CASE("a saddle is left, a maximum as well") {
    for (const double b : {0.0, 5.0, 1e3}) {
        CAPTURE(b);
        const Saddle f{b > 0.0 ? 3.0 : 0.0, b};
        const Parameters start = point({f.a + 1.0, b});
        const Value alone = [&](const Parameters& x) { return f(x); };
        const Value rounded = [&](const Parameters& x) { return static_cast<double>(static_cast<float>(f(x))); };
        for (const Minimum& m : {trust_region(f, start), bfgs(f, start), conjugate_gradient(f, start),
                                 trust_region(alone, start), bfgs(alone, start), conjugate_gradient(alone, start)}) {
            CAPTURE(m.reason);
            CHECK(m.value == approx(0.75).epsilon(1e-8));
            CHECK(m.status == Status::ok);
        }
        for (const Minimum& m :
             {trust_region(rounded, start), bfgs(rounded, start), conjugate_gradient(rounded, start)}) {
            CAPTURE(m.reason);
            CHECK((m.status != Status::ok || m.value == approx(0.75).epsilon(1e-5)));
            CHECK(m.value < 0.99);
        }
    }
    const Value top = [](const Parameters& x) {  // 7 at (1, 2), 6.5 at the minima
        const double a = std::pow(x[0] - 1.0, 2), b = std::pow(x[1] - 2.0, 2);
        return 7.0 - a - b + a * a + b * b;
    };
    for (const Minimum& m : {bfgs(top, point({1.0, 2.0})), trust_region(top, point({1.0, 2.0}))}) {
        CHECK(m.value == approx(6.5).epsilon(1e-8));
        CHECK(m.status == Status::ok);
    }
    // along the axes nothing falls; along x = -y it does
    const Value oblique = [](const Parameters& x) { return 1.0 + x[0] * x[1] + std::pow(x.squaredNorm(), 2); };
    const Minimum polled = pattern_search(oblique, point({0.0, 0.0}));
    CHECK(polled.status == Status::not_converged);
    CHECK(polled.reason.find("saddle") != std::string::npos);
    // out of a bound on which the slope is 0
    DescentParams p;
    p.bounds.lower = point({-9.0, 0.0});
    const Minimum inward = bfgs(Saddle{0.0, 0.0}, point({1.0, 0.0}), p);
    CHECK(inward.value == approx(0.75).epsilon(1e-8));
}

TEST_CASE("least squares leave a saddle that the Gauss-Newton model cannot see") {
    struct Powell {  // badly scaled; x0 = x1 from here on, where r'r has a saddle of .960
        Status residuals(const Parameters& x, Parameters& r) const {
            r = point({1e4 * x[0] * x[1] - 1.0, std::exp(-x[0]) + std::exp(-x[1]) - 1.0001});
            return Status::ok;
        }
    };
    for (const double s : {50.0, 3.0, 0.5}) {
        CAPTURE(s);
        const Minimum m = levenberg_marquardt(Powell{}, point({s, s}));
        CAPTURE(m.value);
        CAPTURE(m.reason);
        CHECK((m.status == Status::not_converged || m.value < 1e-20));
        CHECK(m.value < 0.95);
    }
    struct Root {  // (x^2 - 1)^2 has a maximum at 0, and J is 0
        Status residuals(const Parameters& x, Parameters& r) const {
            return r = point({x[0] * x[0] - 1.0}), Status::ok;
        }
        Status jacobian(const Parameters& x, Matrix<double, Dynamic>& J) const {
            J.setConstant(1, 1, 2.0 * x[0]);
            return Status::ok;
        }
    };
    const Minimum m = levenberg_marquardt(Root{}, point({0.0}));
    CHECK(std::abs(m.x[0]) == approx(1.0).epsilon(1e-12));
    CHECK(m.status == Status::ok);
}

TEST_CASE("a step at which the model has no value is not the end") {
    struct Valley {
        double unit;
        Status residuals(const Parameters& x, Parameters& r) const {
            r = point({10.0 * (x[1] / unit - std::pow(x[0] / unit, 2)), 1.0 - x[0] / unit});
            return Status::ok;
        }
    };
    for (const double unit : {1e-150, 1e-90, 1e-8, 1.0}) {
        CAPTURE(unit);
        const Minimum m = levenberg_marquardt(Valley{unit}, point({0.0, 0.0}));
        CAPTURE(m.reason);
        CHECK(m.status != Status::not_finite);
        CHECK((m.status == Status::not_converged || (m.x / unit - Parameters::Ones(2)).norm() < 1e-9));
    }
    const auto strip = [](const Parameters& x) {  // has values only between 999.999 and 1000.001
        return std::log(1e-6 - std::pow(x[0] - 1000.0, 2));
    };
    const double at = 1000.0005;
    CHECK(ident::gradient_by_differences(strip, point({at}))[0] ==
          approx(-2.0 * (at - 1000.0) / (1e-6 - std::pow(at - 1000.0, 2))).epsilon(1e-3));
}

}  // namespace difference_steps_test
