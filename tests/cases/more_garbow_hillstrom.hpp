// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Problems with published answers: the 35 functions of Moré, Garbow and Hillstrom, "Testing unconstrained optimization
/// software", ACM TOMS 7 (1981) 17-41. All are templates on the scalar: with dual numbers they have exact Jacobians.

#pragma once

#include "nonlinear_problems.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace panto::test {

/// One of the 35 functions by its number in the paper.
struct MghProblem {
    int number = 0;
    std::string name;
    Parameters start;
    std::vector<double> minima;  ///< published local minima of r'r

    template <class S>
    [[nodiscard]] Vector<S, Dynamic> operator()(const Vector<S, Dynamic>& x) const;
};

namespace detail {

inline constexpr double bard[] = {.14, .18, .22, .25, .29, .32, .35, .39, .37, .58, .73, .96, 1.34, 2.1, 4.39};
inline constexpr double gaussian[] = {.0009, .0044, .0175, .054, .1295, .242, .3521, .3989};  // symmetric
inline constexpr double meyer[] = {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744,
                                   8261,  7030,  6005,  5147,  4427,  3820,  3307,  2872};
inline constexpr double kowalik_y[] = {.1957, .1947, .1735, .16, .0844, .0627, .0456, .0342, .0323, .0235, .0246};
inline constexpr double kowalik_u[] = {4, 2, 1, .5, .25, .167, .125, .1, .0833, .0714, .0625};
inline constexpr double osborne1[] = {.844, .908, .932, .936, .925, .908, .881, .85,  .818, .784, .751,
                                      .718, .685, .658, .628, .603, .58,  .558, .538, .522, .506, .49,
                                      .478, .467, .457, .448, .438, .431, .424, .42,  .414, .411, .406};
inline constexpr double osborne2[] = {1.366, 1.191, 1.112, 1.013, .991, .885, .831, .847, .786, .725, .746, .679, .608,
                                      .655,  .616,  .606,  .602,  .626, .651, .724, .649, .649, .694, .644, .624, .661,
                                      .612,  .558,  .533,  .495,  .5,   .423, .395, .375, .372, .391, .396, .405, .428,
                                      .429,  .523,  .562,  .607,  .653, .672, .708, .633, .668, .645, .632, .591, .559,
                                      .597,  .625,  .739,  .71,   .729, .72,  .636, .581, .428, .292, .162, .098, .054};

}  // namespace detail

template <class S>
Vector<S, Dynamic> MghProblem::operator()(const Vector<S, Dynamic>& x) const {
    using std::abs, std::atan, std::cos, std::exp, std::pow, std::sin, std::sqrt;
    using namespace detail;
    const auto n = static_cast<int>(x.size());
    const auto rows = [](int m, const auto& row) {
        Vector<S, Dynamic> r(m);
        for (int i = 1; i <= m; ++i) r[i - 1] = row(i);
        return r;
    };
    const auto list = [](std::initializer_list<S> entries) {
        Vector<S, Dynamic> r(static_cast<Eigen::Index>(entries.size()));
        std::copy(entries.begin(), entries.end(), r.data());
        return r;
    };
    const auto sum = [n](const auto& term) {
        S s(0.0);
        for (int j = 1; j <= n; ++j) s += term(j);
        return s;
    };
    const auto square = [](const S& a) { return S(a * a); };
    switch (number) {
        case 1: return list({10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]});
        case 2:
            return list({-13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1],
                         -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1]});
        case 3: return list({1e4 * x[0] * x[1] - 1.0, exp(-x[0]) + exp(-x[1]) - 1.0001});
        case 4: return list({x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2.0});
        case 5: {
            const double y[] = {1.5, 2.25, 2.625};
            return rows(3, [&](int i) { return S(y[i - 1] - x[0] * (1.0 - pow(x[1], double(i)))); });
        }
        case 6:
            return rows(10, [&](int i) { return S(2.0 + 2.0 * i - (exp(double(i) * x[0]) + exp(double(i) * x[1]))); });
        case 7: {
            const S turn = atan(x[1] / x[0]) / (2.0 * std::numbers::pi) + (value_of(x[0]) < 0.0 ? 0.5 : 0.0);
            return list({10.0 * (x[2] - 10.0 * turn), 10.0 * (sqrt(x[0] * x[0] + x[1] * x[1]) - 1.0), x[2]});
        }
        case 8:
            return rows(15, [&](int i) {
                const double u = i, v = 16 - i, w = std::min(u, v);
                return S(bard[i - 1] - (x[0] + u / (v * x[1] + w * x[2])));
            });
        case 9:
            return rows(15, [&](int i) {
                const double t = (8 - i) / 2.0;
                return S(x[0] * exp(-x[1] * square(t - x[2]) / 2.0) - gaussian[i <= 8 ? i - 1 : 15 - i]);
            });
        case 10: return rows(16, [&](int i) { return S(x[0] * exp(x[1] / (45.0 + 5.0 * i + x[2])) - meyer[i - 1]); });
        case 11:
            return rows(99, [&](int i) {
                const double t = i / 100.0, y = 25.0 + std::pow(-50.0 * std::log(t), 2.0 / 3.0);
                return S(exp(-pow(abs(S(y - x[1])), x[2]) / x[0]) - t);
            });
        case 12:
            return rows(10, [&](int i) {
                const double t = 0.1 * i;
                return S(exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (std::exp(-t) - std::exp(-10.0 * t)));
            });
        case 13:
        case 22: {
            Vector<S, Dynamic> r(n);
            for (int i = 0; i < n; i += 4) {
                r[i] = x[i] + 10.0 * x[i + 1], r[i + 1] = std::sqrt(5.0) * (x[i + 2] - x[i + 3]);
                r[i + 2] = square(x[i + 1] - 2.0 * x[i + 2]), r[i + 3] = std::sqrt(10.0) * square(x[i] - x[i + 3]);
            }
            return r;
        }
        case 14:
            return list({10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0], std::sqrt(90.0) * (x[3] - x[2] * x[2]), 1.0 - x[2],
                         std::sqrt(10.0) * (x[1] + x[3] - 2.0), (x[1] - x[3]) / std::sqrt(10.0)});
        case 15:
            return rows(11, [&](int i) {
                const double u = kowalik_u[i - 1];
                return S(kowalik_y[i - 1] - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3]));
            });
        case 16:
            return rows(20, [&](int i) {
                const double t = i / 5.0;
                return S(square(x[0] + t * x[1] - std::exp(t)) + square(x[2] + x[3] * std::sin(t) - std::cos(t)));
            });
        case 17:
            return rows(33, [&](int i) {
                const double t = 10.0 * (i - 1);
                return S(osborne1[i - 1] - (x[0] + x[1] * exp(-t * x[3]) + x[2] * exp(-t * x[4])));
            });
        case 18:
            return rows(13, [&](int i) {
                const double t = 0.1 * i, y = std::exp(-t) - 5.0 * std::exp(-10.0 * t) + 3.0 * std::exp(-4.0 * t);
                return S(x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) + x[5] * exp(-t * x[4]) - y);
            });
        case 19:
            return rows(65, [&](int i) {
                const double t = (i - 1) / 10.0;
                return S(osborne2[i - 1] -
                         (x[0] * exp(-t * x[4]) + x[1] * exp(-square(t - x[8]) * x[5]) +
                          x[2] * exp(-square(t - x[9]) * x[6]) + x[3] * exp(-square(t - x[10]) * x[7])));
            });
        case 20:
            return rows(31, [&](int i) {
                if (i == 30) return S(x[0]);
                if (i == 31) return S(x[1] - x[0] * x[0] - 1.0);
                const double t = i / 29.0;
                const S slope = sum([&](int j) { return S(j > 1 ? (j - 1) * std::pow(t, j - 2) * x[j - 1] : S(0.0)); });
                return S(slope - square(sum([&](int j) { return S(std::pow(t, j - 1) * x[j - 1]); })) - 1.0);
            });
        case 21: {
            Vector<S, Dynamic> r(n);
            for (int i = 0; i < n; i += 2) r[i] = 10.0 * (x[i + 1] - x[i] * x[i]), r[i + 1] = 1.0 - x[i];
            return r;
        }
        case 23:
            return rows(n + 1, [&](int i) {
                return i <= n ? S(std::sqrt(1e-5) * (x[i - 1] - 1.0))
                              : S(sum([&](int j) { return square(x[j - 1]); }) - 0.25);
            });
        case 24:
            return rows(2 * n, [&](int i) {
                const double root = std::sqrt(1e-5);
                if (i == 1) return S(x[0] - 0.2);
                if (i <= n)
                    return S(root * (exp(x[i - 1] / 10.0) + exp(x[i - 2] / 10.0) - std::exp(i / 10.0) -
                                     std::exp((i - 1) / 10.0)));
                if (i < 2 * n) return S(root * (exp(x[i - n] / 10.0) - std::exp(-0.1)));
                return S(sum([&](int j) { return S((n - j + 1.0) * square(x[j - 1])); }) - 1.0);
            });
        case 25: {
            const S all = sum([&](int j) { return S(j * (x[j - 1] - 1.0)); });
            return rows(n + 2, [&](int i) { return i <= n ? S(x[i - 1] - 1.0) : i == n + 1 ? all : square(all); });
        }
        case 26: {
            const S all = sum([&](int j) { return cos(x[j - 1]); });
            return rows(n, [&](int i) { return S(n - all + i * (1.0 - cos(x[i - 1])) - sin(x[i - 1])); });
        }
        case 27: {
            const S all = sum([&](int j) { return x[j - 1]; });
            S product(1.0);
            for (const S& each : x) product *= each;
            return rows(n, [&](int i) { return i < n ? S(x[i - 1] + all - (n + 1.0)) : S(product - 1.0); });
        }
        case 28: {
            const double h = 1.0 / (n + 1);
            return rows(n, [&](int i) {
                const S left = i > 1 ? x[i - 2] : S(0.0), right = i < n ? x[i] : S(0.0), u = x[i - 1] + i * h + 1.0;
                return S(2.0 * x[i - 1] - left - right + h * h * u * u * u / 2.0);
            });
        }
        case 29: {
            const double h = 1.0 / (n + 1);
            return rows(n, [&](int i) {
                const double t = i * h;
                const S rest = sum([&](int j) {
                    const double tj = j * h;
                    const S u = x[j - 1] + tj + 1.0;
                    return S((j <= i ? (1.0 - t) * tj : t * (1.0 - tj)) * u * u * u);
                });
                return S(x[i - 1] + h / 2.0 * rest);
            });
        }
        case 30:
            return rows(n, [&](int i) {
                const S left = i > 1 ? x[i - 2] : S(0.0), right = i < n ? x[i] : S(0.0);
                return S((3.0 - 2.0 * x[i - 1]) * x[i - 1] - left - 2.0 * right + 1.0);
            });
        case 31:
            return rows(n, [&](int i) {
                const S rest = sum([&](int j) {
                    return j != i && j >= i - 5 && j <= i + 1 ? S(x[j - 1] * (1.0 + x[j - 1])) : S(0.0);
                });
                return S(x[i - 1] * (2.0 + 5.0 * x[i - 1] * x[i - 1]) + 1.0 - rest);
            });
        case 32: {
            const S all = sum([&](int j) { return x[j - 1]; });
            return rows(20, [&](int i) { return S((i <= n ? x[i - 1] : S(0.0)) - 2.0 / 20.0 * all - 1.0); });
        }
        case 33: {
            const S all = sum([&](int j) { return S(double(j) * x[j - 1]); });
            return rows(20, [&](int i) { return S(double(i) * all - 1.0); });
        }
        case 34: {
            const S all = sum([&](int j) { return j > 1 && j < n ? S(double(j) * x[j - 1]) : S(0.0); });
            return rows(20, [&](int i) { return i > 1 && i < 20 ? S((i - 1.0) * all - 1.0) : S(-1.0); });
        }
        default: {  // 35
            Vector<S, Dynamic> r = Vector<S, Dynamic>::Zero(n);
            for (const S& each : x) {
                const S u = 2.0 * each - 1.0;
                S before(1.0), now = u;
                for (int i = 1; i <= n; ++i) {
                    r[i - 1] += now / double(n);
                    const S next = 2.0 * u * now - before;
                    before = now, now = next;
                }
            }
            for (int i = 2; i <= n; i += 2) r[i - 1] += 1.0 / (i * i - 1.0);
            return r;
        }
    }
}

inline std::vector<MghProblem> mgh_problems() {
    const auto point = [](std::initializer_list<double> values) {
        Parameters x(static_cast<Eigen::Index>(values.size()));
        std::copy(values.begin(), values.end(), x.data());
        return x;
    };
    const auto made = [](int n, const auto& entry) {
        Parameters x(n);
        for (int i = 1; i <= n; ++i) x[i - 1] = entry(i);
        return x;
    };
    const auto constant = [](int n, double value) { return Parameters(Parameters::Constant(n, value)); };
    const auto valley = [&](int n) { return made(n, [](int i) { return i % 2 == 1 ? -1.2 : 1.0; }); };
    const auto powell = [&](int n) {
        return made(n, [](int i) { return i % 4 == 1 ? 3.0 : i % 4 == 2 ? -1.0 : i % 4 == 3 ? 0.0 : 1.0; });
    };
    const auto grid = [&](int n) { return made(n, [n](int i) { return i / (n + 1.0) * (i / (n + 1.0) - 1.0); }); };
    const auto chebyshev = [&](int n) { return made(n, [n](int i) { return i / (n + 1.0); }); };
    const auto counted = [&](int n) { return made(n, [](int i) { return double(i); }); };
    return {
        {1, "Rosenbrock", point({-1.2, 1.0}), {0.0}},
        {2, "Freudenstein and Roth", point({0.5, -2.0}), {0.0, 48.9842536792}},
        {3, "Powell badly scaled", point({0.0, 1.0}), {0.0}},
        {4, "Brown badly scaled", point({1.0, 1.0}), {0.0}},
        {5, "Beale", point({1.0, 1.0}), {0.0}},
        {6, "Jennrich and Sampson", point({0.3, 0.4}), {124.362182356}},
        {7, "helical valley", point({-1.0, 0.0, 0.0}), {0.0}},
        {8, "Bard", point({1.0, 1.0, 1.0}), {8.21487730658e-3, 17.4286}},
        {9, "Gaussian", point({0.4, 1.0, 0.0}), {1.12793276962e-8}},
        {10, "Meyer", point({0.02, 4000.0, 250.0}), {87.9458551709}},
        {11, "Gulf", point({5.0, 2.5, 0.15}), {0.0}},
        {12, "Box", point({0.0, 10.0, 20.0}), {0.0}},
        {13, "Powell singular", powell(4), {0.0}},
        {14, "Wood", point({-3.0, -1.0, -3.0, -1.0}), {0.0}},
        {15, "Kowalik and Osborne", point({0.25, 0.39, 0.415, 0.39}), {3.07505603849e-4, 1.02734e-3}},
        {16, "Brown and Dennis", point({25.0, 5.0, -5.0, -1.0}), {85822.2016264}},
        {17, "Osborne 1", point({0.5, 1.5, -1.0, 0.01, 0.02}), {5.46489469748e-5}},
        {18, "Biggs EXP6", point({1.0, 2.0, 1.0, 1.0, 1.0, 1.0}), {0.0, 5.65564992518e-3}},
        {19, "Osborne 2", point({1.3, 0.65, 0.65, 0.7, 0.6, 3.0, 5.0, 7.0, 2.0, 4.5, 5.5}), {4.01377362935e-2}},
        {20, "Watson, 6", constant(6, 0.0), {2.28767005355e-3}},
        {20, "Watson, 9", constant(9, 0.0), {1.39976013e-6}},
        {20, "Watson, 12", constant(12, 0.0), {4.72238e-10}},
        {21, "Rosenbrock, 10", valley(10), {0.0}},
        {22, "Powell singular, 12", powell(12), {0.0}},
        {23, "penalty I, 4", counted(4), {2.24997750089e-5}},
        {23, "penalty I, 10", counted(10), {7.08765146709e-5}},
        {24, "penalty II, 4", constant(4, 0.5), {9.37629253e-6}},
        {24, "penalty II, 10", constant(10, 0.5), {2.93660e-4}},
        {25, "variably dimensioned", made(10, [](int i) { return 1.0 - i / 10.0; }), {0.0}},
        {26, "trigonometric", constant(10, 0.1), {0.0, 2.79506e-5}},
        {27, "Brown almost linear", constant(10, 0.5), {0.0, 1.0}},
        {28, "discrete boundary value", grid(10), {0.0}},
        {29, "discrete integral equation", grid(10), {0.0}},
        {30, "Broyden tridiagonal", constant(10, -1.0), {0.0}},
        {31, "Broyden banded", constant(10, -1.0), {0.0}},
        {32, "linear, full rank", constant(10, 1.0), {10.0}},
        {33, "linear, rank 1", constant(10, 1.0), {20.0 * 19.0 / (2.0 * 41.0)}},
        {34, "linear, rank 1 with zeros", constant(10, 1.0), {(400.0 + 60.0 - 6.0) / (2.0 * 37.0)}},
        {35, "Chebyquad, 8", chebyshev(8), {3.51687372568e-3}},
        {35, "Chebyquad, 9", chebyshev(9), {0.0}},
        {35, "Chebyquad, 10", chebyshev(10), {6.50395e-3}},
    };
}

}  // namespace panto::test
