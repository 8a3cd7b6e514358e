// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ctrl-C asks a run to end in good order; once the run is over, signals mean what they meant before.

#include <panto/io/stop_signal.hpp>

#include <doctest/doctest.h>

#include <csignal>

using namespace panto;

namespace stop_signal_test {

TEST_CASE("The first SIGINT, SIGTERM, SIGHUP or SIGXCPU sets the flag, and the handler before is back afterwards") {
    const auto mine = [](int) {};
    const auto before = std::signal(SIGTERM, mine);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
        const io::StopSignal stop;
        CHECK_FALSE(io::StopSignal::requested());
        std::raise(number);
        CHECK(io::StopSignal::requested());
        CHECK(io::StopSignal::flag().load());
        struct sigaction now = {};
        ::sigaction(number, nullptr, &now);
        CHECK((now.sa_handler == SIG_DFL));  // a second one ends the program
    }
    CHECK((std::signal(SIGTERM, before) == +mine));
}

TEST_CASE("What was ignored at the start stays ignored, as under nohup; a reader that goes away ends nothing") {
    const auto before = std::signal(SIGHUP, SIG_IGN);
    {
        const io::StopSignal stop;
        for (const int number : {SIGHUP, SIGPIPE, SIGXFSZ}) std::raise(number);
        CHECK_FALSE(io::StopSignal::requested());
    }
    CHECK((std::signal(SIGHUP, before) == SIG_IGN));
    struct sigaction now = {};
    ::sigaction(SIGPIPE, nullptr, &now);
    CHECK((now.sa_handler == SIG_DFL));
}

}  // namespace stop_signal_test
