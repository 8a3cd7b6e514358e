// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/wait.hpp>

#include "allocations.hpp"
#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace panto;
using namespace std::chrono_literals;

namespace wait_test {
namespace {

/// Its time comes in ticks, to which it rounds down what it is asked for.
struct CoarseClock {
    std::chrono::nanoseconds tick{1ms};
    std::chrono::nanoseconds time{0};
    std::chrono::nanoseconds now() const noexcept { return time; }
    void sleep_until(std::chrono::nanoseconds t) noexcept { time = t - t % tick; }
};

}  // namespace

TEST_CASE("a clock whose ticks miss the instant by less than a tenth of a period is good enough") {
    CoarseClock clock;
    CHECK(rig::wait_until(clock, 10ms + 900us, 10ms + 900us));
    CHECK(clock.time == 10ms);
    CHECK(rig::wait_until(clock, 21ms + 800us, 10ms + 900us));  // further ahead than a period by what was missing
    clock = {.tick = 4ms};
    CHECK_FALSE(rig::wait_until(clock, 11ms, 11ms));  // 3 ms are missing
}

TEST_CASE("what has passed is not waited for, and what is further ahead than a period is no deadline") {
    test::FakeClock clock{.time = 5ms};
    CHECK(rig::wait_until(clock, 4ms, 2ms));
    CHECK(clock.time == 5ms);
    CHECK(rig::wait_until(clock, 7ms, 2ms));
    CHECK(clock.time == 7ms);
    CHECK_FALSE(rig::wait_until(clock, 9ms + 200us + 1ns, 2ms));
    CHECK(clock.time == 7ms);
}

TEST_CASE(
    "a clock set back while it sleeps is waited for, unless the sleep is lost, and the limit is what is accepted") {
    struct SetBack {
        std::chrono::nanoseconds back, time{0};
        std::chrono::nanoseconds now() const noexcept { return time; }
        void sleep_until(std::chrono::nanoseconds t) noexcept { time = t - std::exchange(back, 0ns); }
    };
    for (const auto back : {100us, 500us, 1980us}) {  // a period lasts 2 ms
        SetBack clock{back};
        CHECK(rig::wait_until(clock, 2ms, 2ms));
        CHECK(clock.time == 2ms);
    }
    const auto refused = [](std::chrono::nanoseconds left, std::chrono::nanoseconds allowed, auto clock) {
        const rig::Waited waited = rig::wait_until(clock, 2ms, 2ms);
        CHECK_FALSE(waited);
        CHECK(waited.left == left);
        CHECK(waited.allowed == allowed);
    };
    refused(2100us, 2ms, SetBack{2100us});          // more is left than before the sleep
    refused(2210us, 2200us, SetBack{0ns, -210us});  // before it, 1.1 periods are allowed
    refused(2ms, 200us, CoarseClock{.tick = 4ms});  // stands still: a tenth of a period
}

TEST_CASE("waiting does not allocate") {  // @rt-tested: wait_until
    test::FakeClock clock;
    CHECK(panto::test::allocations_in([&] { static_cast<void>(rig::wait_until(clock, 2ms, 2ms)); }) == 0);
}

TEST_CASE("a jumping clock has every time that is waited for, and never goes back") {
    // @rt-tested: JumpingClock::now JumpingClock::sleep_until
    rig::JumpingClock clock;
    CHECK(test::allocations_in([&] { CHECK(rig::wait_until(clock, 2ms, 2ms)); }) == 0);
    CHECK(clock.now() == 2ms);
    clock.sleep_until(1ms);
    CHECK(clock.now() == 2ms);
}

}  // namespace wait_test
