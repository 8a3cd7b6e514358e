// SPDX-License-Identifier: BSD-3-Clause
#include <panto/wave/differences.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace differences_test {
namespace {

using namespace panto::wave;

// What is printed in every textbook, to the last bit and at compile time.
static_assert(central_difference<1>() == std::array<double, 3>{-0.5, 0.0, 0.5});
static_assert(central_difference<2>() == std::array<double, 3>{1.0, -2.0, 1.0});
static_assert(central_difference<3>() == std::array<double, 5>{-0.5, 1.0, 0.0, -1.0, 0.5});
static_assert(central_difference<4>() == std::array<double, 5>{1.0, -4.0, 6.0, -4.0, 1.0});
static_assert(one_sided_difference<1, 2>() == std::array<double, 3>{-1.5, 2.0, -0.5});
static_assert(one_sided_difference<2, 2>() == std::array<double, 4>{2.0, -5.0, 4.0, -1.0});

double power(double x, int n) { return n == 0 ? 1.0 : std::pow(x, n); }

/// m! where the weights of derivative m meet x^m, 0 on every other power they must be exact for; the first one they
/// miss.
template <std::size_t N>
int first_miss(const std::array<double, N>& weights, int first_node, int derivative) {
    for (int n = 0; n < 30; ++n) {
        double sum = 0.0, size = 0.0, wanted = n == derivative ? 1.0 : 0.0;
        for (int i = 2; i <= derivative && n == derivative; ++i) wanted *= i;
        for (std::size_t j = 0; j < N; ++j) {
            const double term = weights[j] * power(first_node + static_cast<double>(j), n);
            sum += term;
            size += std::abs(term);
        }
        if (std::abs(sum - wanted) > 1e-12 * (size + 1.0)) return n;  // rounding of weights that are not representable
    }
    return 30;
}

template <int Derivative, int Order>
void check_order() {
    CAPTURE(Derivative);
    CAPTURE(Order);
    constexpr auto w = central_difference<Derivative, Order>();
    constexpr int half = central_half_width(Derivative, Order);
    static_assert(w.size() == 2 * half + 1);
    // Exact up to x^(Derivative + Order - 1); the next power is the leading error.
    CHECK(first_miss(w, -half, Derivative) == Derivative + Order);
}

}  // namespace

TEST_SUITE("wave::differences") {
    TEST_CASE("a central difference is exact for all powers its order promises and for no more") {
        check_order<1, 2>();
        check_order<1, 6>();
        check_order<2, 2>();
        check_order<2, 4>();
        check_order<2, 8>();
        check_order<3, 4>();
        check_order<4, 2>();
        check_order<4, 4>();
        check_order<6, 2>();
    }

    TEST_CASE("a one-sided difference has the order it is asked for") {
        CHECK(first_miss(one_sided_difference<1, 1>(), 0, 1) == 2);
        CHECK(first_miss(one_sided_difference<2, 3>(), 0, 2) == 5);
        CHECK(first_miss(one_sided_difference<3, 2>(), 0, 3) == 5);
    }

    TEST_CASE("weights on uneven nodes are exact for polynomials") {
        const std::array<double, 4> nodes{-1.3, 0.2, 0.9, 2.0};
        const auto w = difference_weights(1, nodes);
        double cubic = 0.0;
        for (std::size_t j = 0; j < 4; ++j) {
            const double x = nodes[j];
            cubic += w[j] * (2.0 - 3.0 * x + 4.0 * x * x - 5.0 * x * x * x);
        }
        CHECK(cubic == approx(-3.0).epsilon(1e-13));
    }
}

}  // namespace differences_test
