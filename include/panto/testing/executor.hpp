// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for an opt::Executor. The tester for a StudyExecutor is in panto/study/tester.hpp.

#pragma once

#include <panto/opt/executor.hpp>
#include <panto/testing/findings.hpp>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::testing {

namespace detail {

inline std::vector<std::atomic<int>> counters(int count) {
    return std::vector<std::atomic<int>>(static_cast<std::size_t>(count));
}

/// Expects that every job has been done exactly once.
inline void expect_each_once(Findings& f, const std::vector<std::atomic<int>>& done, const char* when) {
    for (std::size_t i = 0; i < done.size(); ++i)
        if (!expect(f, done[i] == 1, when, ": job ", i, " of ", done.size(), " was done ", done[i].load(),
                    " times, must be 1"))
            return;
}

}  // namespace detail

/// @param executor  anything that can be converted to an opt::Executor
template <class = void>
[[nodiscard]] Findings test_executor(const opt::Executor& executor) {
    Findings f;
    if (!expect(f, static_cast<bool>(executor), "the executor is empty")) return f;
    for (const int count : {1, 2, 7, 1000}) {
        auto done = detail::counters(count);
        std::atomic<bool> outside = false;
        executor(count, [&](int i) {
            if (i < 0 || i >= count)
                outside = true;
            else
                ++done[static_cast<std::size_t>(i)];
        });
        expect(f, !outside, "with ", count, " jobs it does one that is not from 0 to ", count - 1);
        detail::expect_each_once(f, done, "when it returns");
        if (!f.empty()) return f;
    }
    bool any = false;
    executor(0, [&](int) { any = true; });
    expect(f, !any, "with 0 jobs it does one");

    bool thrown = false;
    try {
        executor(8, [](int i) {
            if (i == 3) throw std::runtime_error("job 3");
        });
    } catch (const std::runtime_error& e) {
        thrown = std::string(e.what()) == "job 3";
    } catch (...) {
    }
    expect(f, thrown, "an exception of a job does not reach the caller of the executor");
    auto again = detail::counters(20);
    executor(20, [&](int i) { ++again[static_cast<std::size_t>(i)]; });
    detail::expect_each_once(f, again, "after an exception");
    return f;
}

}  // namespace panto::testing
