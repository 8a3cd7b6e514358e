// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for a StudyExecutor.

#pragma once

#include <panto/study/concepts.hpp>
#include <panto/testing/executor.hpp>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace panto::testing {

/// If the executor has several processes, call it in each of them.
template <StudyExecutor E>
[[nodiscard]] Findings test_study_executor(E& executor) {
    Findings f;
    const study::Description study{.name = "tester", .count = 50};
    std::vector<std::size_t> pending;
    for (std::size_t i = 0; i < study.count; ++i)
        if (i % 3 != 0) pending.push_back(i);  // as if the others were in a journal
    std::atomic<int> taking = 0, at_once = 0;
    auto taken = detail::counters(static_cast<int>(study.count));
    bool wrong_value = false;
    const study::Evaluate evaluate = [](std::size_t i) {
        study::Outcome outcome;
        outcome.values = {10.0 * static_cast<double>(i)};
        return outcome;
    };
    executor.run(study, pending, evaluate, [&](std::size_t i, study::Outcome&& outcome) {
        if (++taking > 1) ++at_once;
        std::this_thread::yield();
        ++taken[i];
        wrong_value = wrong_value || outcome.values != std::vector<double>{10.0 * static_cast<double>(i)};
        --taking;
        return true;
    });
    if (executor.keeps_results()) {
        for (std::size_t i = 0; i < study.count; ++i)
            if (!expect(f, taken[i] == (i % 3 != 0), "evaluation ", i, i % 3 != 0 ? " was pending" : " was not pending",
                        " and was taken ", taken[i].load(), " times"))
                break;
        expect(f, !wrong_value, "take() is given the outcome of another evaluation");
        expect(f, at_once == 0, "take() is called while another call of it runs");
    }
    std::atomic<int> calls = 0;
    executor.run(study, pending, evaluate, [&](std::size_t, study::Outcome&&) { return ++calls < 5; });
    expect(f, calls <= 5, "take() is called again after it returned false");
    bool thrown = !executor.keeps_results();
    try {
        executor.run(study, pending, evaluate,
                     [](std::size_t, study::Outcome&&) -> bool { throw std::runtime_error("full"); });
    } catch (const std::runtime_error&) {
        thrown = true;
    } catch (...) {
    }
    expect(f, thrown, "an exception of take() is not passed on by run()");
    return f;
}

}  // namespace panto::testing
