// SPDX-License-Identifier: BSD-3-Clause
#include <panto/field/infinite_product.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace infinite_product_test {
namespace {

using namespace panto;
using namespace panto::ident;

TEST_SUITE("ident::infinite_product") {
    TEST_CASE("the products tend to the transfer functions as they grow") {
        const Complex s(2.0, 7.0);
        const auto off = [&](int order) {
            return std::abs(heat_product_G1(0.4, order)(s) / heat_G1(s, 0.4) - 1.0) +
                   std::abs(heat_product_G2(0.4, order)(s) / heat_G2(s, 0.4) - 1.0);
        };
        CHECK(off(400) < 4e-3);
        CHECK(off(400) < 0.6 * off(200));  // the factors left out: first order
        const Complex p(-60.0, 25.0);
        const auto G = beam_transfer(p, 0.14);
        const auto two = beam_products(0.14, 2), eight = beam_products(0.14, 8);
        for (const auto& [exact, few, many] : {std::tuple(G.G1, two.G1(p), eight.G1(p)),
                                               {G.G2, two.G2(p), eight.G2(p)},
                                               {G.G3, two.G3(p), eight.G3(p)},
                                               {G.G4, two.G4(p), eight.G4(p)}}) {
            CHECK(std::abs(few / exact - 1.0) < 0.05);
            CHECK(std::abs(many / exact - 1.0) < 0.1 * std::abs(few / exact - 1.0) + 1e-4);
        }
    }

    TEST_CASE("the filter of a product answers a step as its partial fractions say") {
        const ProductForm g{.gain = 2.0, .zeros = {-3.0}, .poles = {-1.0, -5.0}};
        const double dt = 0.05;
        const std::vector<double> step(60, 1.0), y = filtered(product_filter(g, dt), step);
        for (std::size_t k = 0; k < y.size(); ++k) {
            const double t = dt * static_cast<double>(k);
            // 2 (1 + s/3) / ((1 + s)(1 + s/5)) / s by hand.
            CHECK(y[k] ==
                  approx(2.0 - 5.0 / 3.0 * std::exp(-t) - 1.0 / 3.0 * std::exp(-5.0 * t)).epsilon(1e-12).scale(1.0));
        }
        const std::vector<double> ramp = filtered(product_filter({.gain = -1.0, .integrator = true}, dt, 2.0), step);
        CHECK(ramp[40] == approx(-2.0 * 2.0));
        const std::vector<double> direct =
            filtered(product_filter({.gain = 1.0, .zeros = {-2.0}, .poles = {-1.0}}, dt), step);
        CHECK(direct[0] == approx(0.5));
        CHECK(direct[20] == approx(1.0 - 0.5 * std::exp(-1.0)));
    }

    TEST_CASE("a beam's pole is an oscillator") {
        const double a = 0.01, pole = 225.0, dt = 1e-3, omega = std::sqrt(pole / a);
        const std::vector<double> step(100, 1.0),
            y = filtered(product_filter({.gain = 1.0, .poles = {pole}}, dt, a, 0.0), step);
        for (std::size_t k = 0; k < y.size(); ++k)
            CHECK(y[k] == approx(1.0 - std::cos(omega * dt * static_cast<double>(k))).epsilon(1e-10));
    }

    TEST_CASE("what cannot be a filter is refused") {
        const auto refused = [](auto&& call, const char* words) {
            CAPTURE(words);
            CHECK_THROWS_WITH_AS((void)call(), doctest::Contains(words), SetupError);
        };
        refused([] { return product_filter({.zeros = {-1.0}}, 0.1); }, "1 zeros and 0 poles");
        refused([] { return product_filter({.poles = {1.0}}, 0.1); }, "a pole is 1 1/s");
        refused([] { return product_filter({.poles = {-1.0, -1.0}}, 0.1); }, "two poles are equal");
        refused([] { return product_filter({.poles = {-1.0}}, 0.1, 0.01, 0.0); }, "must be above 0 for a beam");
        refused([] { return product_filter({.integrator = true}, 0.1, 0.01, 0.0); }, "integrator");
        refused([] { return heat_product_G1(1.0, 4); }, "x is 1");
        refused([] { return heat_product_G1(0.5, 0); }, "order is 0");
        refused([] { return beam_products(0.7, 2); }, "x is 0.7");
        refused([] { return beam_products(0.14, 0); }, "poles is 0");
    }
}

}  // namespace
}  // namespace infinite_product_test
