// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Evaluations one after the other on the calling thread: the reference for all other executors.

#pragma once

#include <panto/study/concepts.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace panto::study {

struct Serial {
    [[nodiscard]] bool keeps_results() const { return true; }

    void run(const Description&, std::span<const std::size_t> pending, const Evaluate& evaluate,
             const Take& take) const {
        for (const std::size_t i : pending)
            if (!take(i, evaluate(i))) return;
    }

    [[nodiscard]] std::string share(const std::function<std::string()>&) const { return {}; }

    /// Makes the object an opt::Executor too.
    void operator()(int count, const std::function<void(int)>& job) const {
        for (int i = 0; i < count; ++i) job(i);
    }
};
static_assert(StudyExecutor<Serial>);

}  // namespace panto::study
