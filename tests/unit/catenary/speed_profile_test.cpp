// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/catenary/speed_profile.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace panto::catenary;
using panto::Motion;
using panto::SetupError;

namespace speed_profile_test {
namespace {

/// Stands for a second, gains 10 m/s within 4 s, keeps them for 5 s, brakes to a halt in 2 s.
const SpeedProfile there_and_halt({{0.0, 0.0}, {1.0, 0.0}, {5.0, 10.0}, {10.0, 10.0}, {12.0, 0.0}});

const FiniteElements<>& en50318() {
    static const FiniteElements<> m(en50318_2002(3), {.contact = 1.0});
    return m;
}

}  // namespace

TEST_SUITE("catenary::SpeedProfile") {
    TEST_CASE("speed and way are those of uniform acceleration") {
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-12; };  // rounding of numbers below 80
        CHECK(near(there_and_halt.way(0.5), 0.0));
        CHECK(near(there_and_halt.speed(3.0), 5.0));
        CHECK(near(there_and_halt.way(3.0), 0.5 * 2.5 * 4.0));
        CHECK(near(there_and_halt.way(5.0), 20.0));
        CHECK(near(there_and_halt.way(8.0), 50.0));
        CHECK(near(there_and_halt.speed(11.0), 5.0));
        CHECK(near(there_and_halt.way(11.0), 70.0 + 10.0 - 2.5));
        CHECK(near(there_and_halt.way(12.0), 80.0));
        CHECK(near(there_and_halt.way(1e6), 80.0));
        CHECK(there_and_halt.speed(1e6) == 0.0);
        CHECK(there_and_halt.way(-1.0) == 0.0);
        CHECK(there_and_halt.highest() == 10.0);
        CHECK(SpeedProfile().empty());
        for (int i = 0; i < 130; ++i) {  // the way is the integral of the speed: Simpson's rule is exact within a piece
            const double t = 0.1 * i, h = 0.1;
            const double integral =
                h / 6.0 *
                (there_and_halt.speed(t) + 4.0 * there_and_halt.speed(t + 0.5 * h) + there_and_halt.speed(t + h));
            CHECK(near(there_and_halt.way(t + h) - there_and_halt.way(t), integral));
        }
    }

    TEST_CASE("a way takes the time after which it is exceeded, for ever where the train stops before") {
        for (const double t : {1.0, 1.5, 3.0, 5.0, 8.0, 11.0, 11.9}) {
            CAPTURE(t);
            CHECK(std::abs(there_and_halt.time_until(there_and_halt.way(t)) - t) <
                  1e-9);  // the way is flat near a halt
        }
        CHECK(there_and_halt.time_until(0.0) == 1.0);
        CHECK(there_and_halt.time_until(81.0) == std::numeric_limits<double>::infinity());
        CHECK(SpeedProfile({{0.0, 20.0}}).time_until(50.0) == 2.5);
        CHECK(SpeedProfile({{0.0, 0.0}}).time_until(0.0) == std::numeric_limits<double>::infinity());
    }

    TEST_CASE("points that make no sense are refused") {
        CHECK_THROWS_WITH_AS(SpeedProfile(std::vector<SpeedPoint>{}),
                             "catenary::SpeedProfile: there are no points; must have at least one, at time 0",
                             SetupError);
        CHECK_THROWS_WITH_AS(SpeedProfile({{1.0, 2.0}}), "catenary::SpeedProfile: the first time is 1 s, must be 0",
                             SetupError);
        CHECK_THROWS_WITH_AS(SpeedProfile({{0.0, 2.0}, {3.0, 1.0}, {3.0, 2.0}}),
                             "catenary::SpeedProfile: the time 3 s comes after 3 s; times must increase", SetupError);
        CHECK_THROWS_AS(SpeedProfile({{0.0, -2.0}}), SetupError);
        CHECK_THROWS_AS(SpeedProfile({{0.0, 2.0}, {std::nan(""), 1.0}}), SetupError);
        CHECK_THROWS_WITH_AS(check_passage(en50318(), {.speed = 20.0, .profile = there_and_halt}),
                             "catenary::Passage: speed is 20 m/s and there is a speed profile; give only one of them",
                             SetupError);
        CHECK_THROWS_AS(check_passage(en50318(), {.profile = SpeedProfile({{0.0, 1.0}, {5.0, 100.0}})}), SetupError);
        CHECK(
            check_passage(en50318(), {.accept_coarse_mesh = true, .profile = SpeedProfile({{0.0, 1.0}, {5.0, 150.0}})})
                .size() == 2);
    }

    TEST_CASE("a profile of constant speed is that speed, to the last bit") {
        RealTimeEngine<> plain(en50318(), {.speed = 60.0, .start = 30.0});
        RealTimeEngine<> told(en50318(), {.start = 30.0, .profile = SpeedProfile({{0.0, 60.0}})});
        CHECK(plain.steps_on_line() == told.steps_on_line());
        bool same = true;
        for (int n = 0; n < 200; ++n) {
            const Motion a = plain.step(150.0), b = told.step(150.0);
            same = same && a.height == b.height && a.speed == b.speed && plain.position() == told.position();
        }
        CHECK(same);
    }

    TEST_CASE("both engines pass at the speeds told, and the wire's speed is the rate of its height") {
        const PassageParams passage{
            .start = 30.0, .dt = 1e-3, .profile = SpeedProfile({{0.0, 0.0}, {0.4, 80.0}, {0.5, 80.0}, {0.8, 20.0}})};
        RealTimeEngine<> fast(en50318(), passage);
        ReferenceEngine<> slow(en50318(), passage);
        double before = fast.wire().height, rate_before = 0.0, apart = 0.0, off = 0.0;
        for (int n = 1; n <= 800; ++n) {
            const double force = n < 100 ? 0.0 : 120.0, expected = fast.position_after(passage.dt);
            const Motion wire = fast.step(force), other = slow.step(force);
            CHECK(std::abs(fast.position() - expected) < 1e-12);
            apart = std::max({apart, std::abs(wire.height - other.height), std::abs(wire.speed - other.speed)});
            // Mean of the rates at both ends of a step, against the change: what the step leaves of it, 0.009 m/s at
            // constant 60 m/s as well, half with half the step. At rest, the static slope alone is passed, exactly.
            if (n < 100)
                CHECK(std::abs(wire.speed - fast.speed() * en50318().static_height(fast.position())[1]) < 1e-9);
            if (n > 110 || n < 100)
                off = std::max(off, std::abs(0.5 * (wire.speed + rate_before) - (wire.height - before) / passage.dt));
            before = wire.height, rate_before = wire.speed;
        }
        CHECK(apart < 1e-8);
        CHECK(off < 0.02);  // a speed of 60 m/s where it is 80: 0.2 m/s and more
        CHECK(fast.speed() == approx(20.0));
        CHECK(fast.position() == approx(30.0 + 16.0 + 8.0 + 15.0));
    }

    TEST_CASE("the last step on the line is found at any speed") {
        const PassageParams passage{.start = 150.0, .profile = SpeedProfile({{0.0, 0.0}, {2.0, 50.0}})};
        RealTimeEngine<> engine(en50318(), passage);  // 180 m: 30 m at 25 m/s^2 take 1.549 s
        CHECK(engine.steps_on_line() == 774);
        CHECK(passage_position(passage, 774) <= engine.length());
        CHECK(passage_position(passage, 775) > engine.length());
        const PassageParams halting{.start = 90.0, .profile = there_and_halt};
        CHECK(steps_on_line(en50318(), halting) == std::numeric_limits<std::int64_t>::max());
    }

    TEST_CASE("no allocation in a step") {
        // @rt-tested: SpeedProfile::speed SpeedProfile::way SpeedProfile::time_until passage_position_at passage_speed
        // @rt-tested: PassingEngine::position_after PassingEngine::steps_on_line PassingEngine::supports
        // @rt-tested: PassingEngine::support_uplift RealTimeEngine::steps ReferenceEngine::steps
        const PassageParams passage{.start = 30.0, .profile = SpeedProfile({{0.0, 0.0}, {0.4, 80.0}})};
        RealTimeEngine<> fast(en50318(), passage);
        ReferenceEngine<> slow(en50318(), passage);
        double sum = 0.0;
        const auto look = [&](const auto& e) {
            sum += e.position_after(1.0) + static_cast<double>(e.steps_on_line() + e.steps()) + e.supports()[0] +
                   e.support_uplift(1) + e.speed();
        };
        CHECK(panto::test::allocations_in([&] {
                  sum += fast.step(1.0).height + slow.step(1.0).height;
                  sum += there_and_halt.speed(2.0) + there_and_halt.way(2.0) + there_and_halt.time_until(2.0);
                  sum += passage_position_at(passage, 0.1) + passage_speed(passage, 3);
                  look(fast), look(slow);
              }) == 0);
        CHECK(std::isfinite(sum));
    }
}

}  // namespace speed_profile_test
