// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Threads give what one thread gives, whatever their number.

#ifdef PANTO_STUDY_THREADS

#include <panto/opt/executor.hpp>
#include <panto/study/run.hpp>
#include <panto/study/serial.hpp>
#include <panto/study/threads.hpp>

#include "../../cases/study_cases.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace panto;

namespace study_threads_test {

TEST_CASE("Any number of threads gives the bits of one, failures and journal included") {
    const auto serial = test::study_in_one_thread();
    for (const int count : {0, 1, 2, 3, 8}) {
        CAPTURE(count);
        study::Threads threads(count);
        if (count > 0) CHECK(threads.count() == count);
        const study_sample::JournalPath path;
        for (const std::size_t resumed : {std::size_t{0}, std::size_t{300}}) {
            const auto parallel = test::study_in_threads(threads, {.journal = path.file});
            CHECK(parallel.resumed == resumed);
            CHECK(study_sample::same_bits(serial, parallel));
        }
    }
}

TEST_CASE("Two evaluations run at the same time, and the observer sees one at a time") {
    if (std::thread::hardware_concurrency() < 2) return;
    study::Threads threads(2);
    std::atomic<int> inside = 0, most = 0, watching = 0;
    const auto wait = [&](std::size_t) {
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        // Until somebody else has come, or ten seconds on a machine that is very busy.
        for (int n = 0; n < 10000 && most < 2; ++n) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --inside;
        return 1.0;
    };
    std::atomic<bool> overlap = false;
    const auto results =
        study::run({.name = "two at a time", .count = 20}, threads, wait, {.observer = [&](const study::Progress&) {
                       if (++watching != 1) overlap = true;
                       std::this_thread::sleep_for(std::chrono::milliseconds(2));
                       --watching;
                       return true;
                   }});
    CHECK(most == 2);
    CHECK_FALSE(overlap);
    CHECK(results.failed == 0);
}

TEST_CASE("Threads stop when the observer says so or throws") {
    study::Threads threads(4);
    const auto results = study::run(study_sample::description(500), threads, study_sample::evaluate,
                                    {.observer = [](const study::Progress& p) { return p.done < 10; }});
    CHECK(results.missing == 490);
    CHECK_THROWS_WITH(
        study::run(study_sample::description(500), threads, study_sample::evaluate,
                   {.observer = [](const study::Progress&) -> bool { throw std::runtime_error("lamp"); }}),
        "lamp");
}

TEST_CASE("Threads serve optimizers: every job once") {
    study::Threads threads(3);
    std::vector<int> calls(1000, 0);
    const opt::Executor executor = std::ref(threads);
    executor(1000, [&](int i) { ++calls[static_cast<std::size_t>(i)]; });
    CHECK(calls == std::vector<int>(1000, 1));
    CHECK_THROWS_WITH_AS(study::Threads(-1), "study::Threads: count is -1, must be from 0 to 10000", SetupError);
}

}  // namespace study_threads_test

#endif
