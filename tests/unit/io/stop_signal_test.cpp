// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ctrl-C asks a run to end in good order; once the run is over, signals mean what they meant before.

#include <panto/io/stop_signal.hpp>

#include <doctest/doctest.h>

#include <csignal>

using namespace panto;

namespace stop_signal_test {

TEST_CASE("The first SIGINT or SIGTERM sets the flag, and the handler before is back afterwards") {
    const auto before = std::signal(SIGTERM, SIG_IGN);
    for (const int number : {SIGINT, SIGTERM}) {
        const io::StopSignal stop;
        CHECK_FALSE(io::StopSignal::requested());
        std::raise(number);
        CHECK(io::StopSignal::requested());
        CHECK(io::StopSignal::flag().load());
        struct sigaction now = {};
        ::sigaction(number, nullptr, &now);
        CHECK((now.sa_handler == SIG_DFL));  // a second one ends the program
    }
    CHECK((std::signal(SIGTERM, before) == SIG_IGN));
}

}  // namespace stop_signal_test
