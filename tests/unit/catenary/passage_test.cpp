// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/passage.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using namespace panto::catenary;
using panto::SetupError;

namespace passage_test {
namespace {

const FiniteElements<>& model() {
    static const FiniteElements<> m(en50318_2002(3), {.contact = 1.0});
    return m;
}

const double contact_speed = std::sqrt(20e3 / 1.35);    // 121.7 m/s
const double messenger_speed = std::sqrt(16e3 / 1.07);  // 122.3 m/s

}  // namespace

TEST_SUITE("catenary::Passage") {
    TEST_CASE("an ordinary passage is accepted without a word") {
        CHECK(check_passage(model(), {.speed = 70.0}).empty());
        CHECK(check_passage(model(), {.speed = 0.0, .start = 179.9}).empty());
    }

    TEST_CASE("at the wave speed of a wire and above there is a warning that names the wire and both speeds") {
        CHECK(check_passage(model(), {.speed = 0.999 * contact_speed, .accept_coarse_mesh = true}).empty());
        const auto one = check_passage(model(), {.speed = contact_speed});
        REQUIRE(one.size() == 1);
        CHECK(one[0] ==
              "speed 438.178046 km/h is at or above the wave speed of the contact wire, 438.178046 km/h: the linear "
              "model has no steady solution there");
        CHECK(check_passage(model(), {.speed = messenger_speed}).size() == 2);
        CHECK(check_passage(model(), {.speed = 500.0}).size() == 2);
    }

    TEST_CASE("the highest frequency is that of the shortest wave ahead, two elements long") {
        const double longest = model().longest_contact_element();
        CHECK(highest_frequency(model(), 70.0) == approx((contact_speed - 70.0) / (2.0 * longest)));
        CHECK(highest_frequency(model(), 0.0) == approx(contact_speed / (2.0 * longest)));
        CHECK(highest_frequency(model(), contact_speed) == 0.0);
        CHECK(highest_frequency(model(), 1e3) == 0.0);
    }

    TEST_CASE("a mesh too coarse for the speed is refused with what it carries and what would do") {
        const FiniteElements<> coarse(en50318_2002(2), {.contact = 2.0});  // elements of 1.875 m: bays of 5.5 / 3 m
        const double carried = highest_frequency(coarse, 70.0), longest = coarse.longest_contact_element();
        REQUIRE(carried < 20.0);
        std::string text;
        try {
            check_passage(coarse, {.speed = 70.0});
        } catch (const SetupError& error) {
            text = error.what();
        }
        CHECK(text == "catenary::Passage: the mesh is too coarse for 252 km/h: contact-wire elements of " +
                          panto::shown(longest) + " m carry waves ahead of the pantograph up to " +
                          panto::shown(carried) + " Hz, at least 20 Hz are needed; use elements of at most " +
                          panto::shown(longest * carried / 20.0) + " m or set accept_coarse_mesh");
        CHECK_NOTHROW(check_passage(coarse, {.speed = 70.0, .accept_coarse_mesh = true}));
        CHECK_NOTHROW(check_passage(coarse, {.speed = 30.0}));
        const double enough = longest * carried / 20.0;
        CHECK_NOTHROW(check_passage(FiniteElements<>(en50318_2002(2), {.contact = enough}), {.speed = 70.0}));
    }

    TEST_CASE("parameters that make no sense are named") {
        using Limits = std::numeric_limits<double>;
        for (const double bad : {-1.0, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
            CHECK_THROWS_WITH_AS(check_passage(model(), {.speed = bad}),
                                 ("catenary::Passage: speed must be finite and >= 0, got " + panto::shown(bad)).c_str(),
                                 SetupError);
            CHECK_THROWS_WITH_AS(
                check_passage(model(), {.speed = 70.0, .dt = bad}),
                ("catenary::Passage: dt is " + panto::shown(bad) + " s, must be from 1e-7 to 1 s").c_str(), SetupError);
            CHECK_THROWS_AS(check_passage(model(), {.speed = 70.0, .start = bad}), SetupError);
        }
        CHECK_THROWS_AS(check_passage(model(), {.speed = 70.0, .dt = 0.0}), SetupError);
    }

    TEST_CASE("a start outside the section is refused with the length of it") {
        for (const double outside : {-0.001, 180.0, 1e9})
            CHECK_THROWS_WITH_AS(check_passage(model(), {.speed = 70.0, .start = outside}),
                                 ("catenary::Passage: start is " + panto::shown(outside) +
                                  " m, must be at least 0 and below the length of the section, 180 m")
                                     .c_str(),
                                 SetupError);
        CHECK_NOTHROW(check_passage(model(), {.speed = 70.0, .start = 0.0}));
    }

    TEST_CASE("the position is start plus speed times time, without drift") {
        const PassageParams p{.speed = 250.0 / 3.6, .start = 12.0, .dt = 1e-3};
        CHECK(passage_position(p, 0) == 12.0);
        CHECK(passage_position(p, 3600) == approx(12.0 + 250.0).epsilon(1e-15));
        CHECK(passage_position(p, 36'000'000) == approx(12.0 + 2.5e6).epsilon(1e-15));
    }

    TEST_CASE("interpolation leaves held unknowns out, and allocates nothing") {
        // @rt-tested: interpolate passage_position
        const std::array<double, 4> weight{1.0, 10.0, 100.0, 1000.0};
        const auto value = [](int row) { return static_cast<double>(row); };
        double all = 0.0, some = 0.0, x = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  all = interpolate<double>(std::array{1, 2, 3, 4}, weight, value);
                  some = interpolate<double>(std::array{-1, 2, -1, 4}, weight, value);
                  x = passage_position({.speed = 1.0}, 5);
              }) == 0);
        CHECK(all == 4321.0);
        CHECK(some == 4020.0);
        CHECK(x == 0.01);
    }
}

}  // namespace passage_test
