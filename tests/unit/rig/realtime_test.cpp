// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/realtime.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace panto;
using namespace std::chrono_literals;

TEST_CASE("the clock of the rig is the steady one") {
    const rig::SteadyClock clock;
    const auto before = std::chrono::steady_clock::now().time_since_epoch();
    const auto now = clock.now();
    const auto after = std::chrono::steady_clock::now().time_since_epoch();
    CHECK(before <= now);
    CHECK(now <= after);
}

TEST_CASE("it sleeps until the time given, never less, and not at all if that has passed") {
    for (const rig::SteadyClock& clock : {rig::SteadyClock{}, rig::SteadyClock{500us}}) {
        const auto wake = clock.now() + 3ms;
        clock.sleep_until(wake);
        CHECK(clock.now() >= wake);
        const auto then = clock.now();
        clock.sleep_until(then - 10s);
        CHECK(clock.now() - then < 1s);  // generous: other programs may run in between
    }
}

TEST_CASE("a negative time to be awake before does not make it late") {
    const rig::SteadyClock clock(-300ms);
    const auto began = clock.now();
    clock.sleep_until(began + 1ms);
    CHECK(clock.now() - began < 250ms);
}

TEST_CASE("asking for real time never throws and says what was granted") {
    const rig::RealTimeGrant grant = rig::request_real_time(10);
    CHECK(grant.granted() == (grant.error == 0));
    rig::release_real_time();
    static_assert(noexcept(rig::request_real_time(10)));
}

TEST_CASE("no header of the library looks at the wall clock") {
    const std::filesystem::path headers = std::filesystem::path(PANTO_TEST_GOLDEN) / "../../include/panto/rig";
    int seen = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(headers)) {
        if (!entry.is_regular_file()) continue;
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        CAPTURE(entry.path().string());
        for (const char* word : {"system_clock", "CLOCK_REALTIME", "gettimeofday", "high_resolution_clock"})
            CHECK(text.str().find(word) == std::string::npos);
        ++seen;
    }
    CHECK(seen > 8);
}

TEST_CASE("looking at the clock and sleeping do not allocate") {
    // @rt-tested: SteadyClock::now SteadyClock::sleep_until
    const rig::SteadyClock clock;
    CHECK(panto::test::allocations_in([&] { clock.sleep_until(clock.now() + 1ms); }) == 0);
}
