// SPDX-License-Identifier: BSD-3-Clause
#include <panto/sensitivity/exact.hpp>
#include <panto/sensitivity/sobol.hpp>

#include "../../cases/sensitivity_cases.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace {

namespace exact_cases = panto::sensitivity;
using ExactList = panto::Vector<double, panto::Dynamic>;

/// Indices of a function of three parameters by their definition, V_i = Var(E(f | x_i)) and VT_i = E(Var(f | others)),
/// from its values at the midpoints of a grid of n^3 cells over [low, high]^3.
template <class F>
exact_cases::ExactIndices by_definition(const F& f, double low, double high, int n) {
    std::vector<double> value;
    const auto at = [&](int i) { return low + (high - low) * (i + 0.5) / n; };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) value.push_back(f((ExactList(3) << at(i), at(j), at(k)).finished()));
    const auto entry = [&](int i, int j, int k) { return value[static_cast<std::size_t>((i * n + j) * n + k)]; };
    exact_cases::ExactIndices found{.first = ExactList::Zero(3), .total = ExactList::Zero(3)};
    for (const double v : value) found.mean += v / std::pow(n, 3);
    for (const double v : value) found.variance += std::pow(v - found.mean, 2) / std::pow(n, 3);
    for (int p = 0; p < 3; ++p) {
        const auto turned = [&](int own, int other, int third) {
            return p == 0 ? entry(own, other, third) : p == 1 ? entry(other, own, third) : entry(other, third, own);
        };
        for (int own = 0; own < n; ++own) {
            double mean = 0.0;
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k) mean += turned(own, j, k) / (n * n);
            found.first[p] += std::pow(mean - found.mean, 2) / n / found.variance;
        }
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
                double mean = 0.0, square = 0.0;
                for (int own = 0; own < n; ++own) mean += turned(own, j, k) / n;
                for (int own = 0; own < n; ++own) square += std::pow(turned(own, j, k) - mean, 2) / n;
                found.total[p] += square / (n * n) / found.variance;
            }
    }
    return found;
}

void check_same(const exact_cases::ExactIndices& a, const exact_cases::ExactIndices& b, double tolerance) {
    CHECK(a.mean == approx(b.mean).epsilon(tolerance).scale(1.0));
    CHECK(a.variance == approx(b.variance).epsilon(tolerance));
    CHECK((a.first - b.first).cwiseAbs().maxCoeff() < tolerance);
    CHECK((a.total - b.total).cwiseAbs().maxCoeff() < tolerance);
}

}  // namespace

TEST_CASE("exact indices are those of the definition, by quadrature") {
    // 40 midpoints are exact for sines over a period and 1/40^2 short in the variance of a line; they miss 0.8 % of the
    // mean of x^8, which makes up a quarter of Ishigami's variance. The lines of the g-function are half as long: its
    // variance is 1/20^2 short for each factor, 2.8e-3 in all.
    const exact_cases::GFunction g((ExactList(3) << 0.0, 0.5, 3.0).finished());
    check_same(g.exact(), by_definition(g, 0.0, 1.0, 40), 3e-3);
    for (const exact_cases::Ishigami f : {exact_cases::Ishigami{}, exact_cases::Ishigami{2.0, 0.05}})
        check_same(f.exact(), by_definition(f, -std::numbers::pi, std::numbers::pi, 40), 4e-3);
    // A product of lines with means 2, 0 and -1: a factor without a mean acts only together with the others.
    const auto lines = [](const ExactList& x) { return (1.5 + x[0]) * (2.0 * x[1] - 1.0) * (3.0 * x[2] - 2.5); };
    const ExactList means = (ExactList(3) << 2.0, 0.0, -1.0).finished();
    const ExactList variances = (ExactList(3) << 1.0, 4.0, 9.0).finished() / 12.0;
    check_same(exact_cases::exact_product(means, variances), by_definition(lines, 0.0, 1.0, 40), 2e-3);
    const auto sum = [](const ExactList& x) { return (1.5 + x[0]) + (2.0 * x[1] - 1.0) + (3.0 * x[2] - 2.5); };
    check_same(exact_cases::exact_sum(means, variances), by_definition(sum, 0.0, 1.0, 40), 2e-3);
}

TEST_CASE("exact indices of Ishigami's function are the golden ones") {
    const auto golden = panto::test::sensitivity_golden("C.ishigami_exact");
    const auto exact = exact_cases::Ishigami{}.exact();
    CHECK(exact.variance == approx(golden.at("V").get<double>()).epsilon(1e-14));
    CHECK(panto::test::index_difference(exact.first, golden.at("S")) < 1e-13);
    CHECK(panto::test::index_difference(exact.total, golden.at("ST")) < 1e-13);
}

TEST_CASE("an estimate of a study comes closer to the exact indices with more rows") {
    const exact_cases::GFunction g((ExactList(4) << 0.0, 1.0, 4.5, 9.0).finished());
    const auto error = [&](int rows) {
        const auto found =
            exact_cases::sobol(g, {ExactList::Zero(4), ExactList::Ones(4)},
                               {.rows = rows, .sampling = exact_cases::Sampling::halton}, {.bootstrap = 0});
        return (found.total - g.exact().total).cwiseAbs().maxCoeff();
    };
    CHECK(error(4096) < 0.01);  // Monte Carlo's own 1 / sqrt(4096) = 0.016 is what Halton's points must beat
    CHECK(error(4096) < error(64));
}

TEST_CASE("small variances beside large means do not vanish") {
    const auto exact = exact_cases::exact_product(ExactList::Constant(3, 1e6), ExactList::Constant(3, 1e-6));
    CHECK(exact.variance == approx(3e18).epsilon(1e-12));  // 3 v m^4; the difference of products would be 0
    CHECK(exact.first.sum() == approx(1.0).epsilon(1e-12));
}

TEST_CASE("exact indices refuse what has none") {
    CHECK_THROWS_WITH_AS(static_cast<void>(exact_cases::exact_sum(ExactList::Ones(2), ExactList::Ones(3))),
                         "sensitivity::exact_sum: there are 2 means and 3 variances, expected one of each for every "
                         "parameter",
                         panto::SetupError);
    CHECK_THROWS_WITH_AS(static_cast<void>(exact_cases::exact_product(ExactList::Ones(2), ExactList::Zero(2))),
                         "sensitivity::exact_product: the variance is 0, must be finite and > 0: a "
                         "constant has no indices",
                         panto::SetupError);
    CHECK_THROWS_WITH_AS(exact_cases::GFunction(ExactList::Constant(1, -1.0)),
                         "sensitivity::GFunction: a[0] must be finite and >= 0, got -1", panto::SetupError);
    CHECK_THROWS_AS(static_cast<void>(exact_cases::Ishigami{}(ExactList::Zero(2))), panto::SetupError);
}
