// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Evaluations on the cores of one machine, by oneTBB. A free thread takes the next index. The evaluations themselves
/// may use oneTBB. Link panto::study_threads.

#pragma once

#include <panto/core/check.hpp>
#include <panto/study/concepts.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <utility>

namespace panto::study {

class Threads {
  public:
    /// @param count  number of evaluations that run at the same time; 0: oneTBB decides, usually one per core
    /// @throws SetupError if count is negative or above 10000.
    explicit Threads(int count = 0) {
        require(count >= 0 && count <= 10000, "study::Threads", "count is ", count, ", must be from 0 to 10000");
        // Raises the limit of oneTBB above one thread per core, because evaluations that wait leave cores free.
        if (count > tbb::info::default_concurrency())
            more_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
        arena_.initialize(count > 0 ? count : tbb::task_arena::automatic);
    }

    [[nodiscard]] int count() const { return arena_.max_concurrency(); }
    [[nodiscard]] bool keeps_results() const { return true; }

    void run(const Description&, std::span<const std::size_t> pending, const Evaluate& evaluate, const Take& take) {
        std::atomic<std::size_t> next = 0;
        std::atomic<bool> stopped = false;
        std::mutex taking;
        each(pending.size(), [&](std::size_t) {
            if (stopped) return;
            const std::size_t i = pending[next++];
            // A thread that waits for parallel work inside an evaluation must not begin another evaluation meanwhile.
            Outcome outcome = tbb::this_task_arena::isolate([&] { return evaluate(i); });
            const std::lock_guard lock(taking);
            if (!stopped && take(i, std::move(outcome))) return;
            stopped = true;
        });
    }

    [[nodiscard]] std::string share(const std::function<std::string()>&) const { return {}; }

    /// Makes the object an opt::Executor too, for instance for NSGA-II; pass it by std::ref.
    void operator()(int count, const std::function<void(int)>& job) {
        each(static_cast<std::size_t>(std::max(count, 0)), [&](std::size_t i) { job(static_cast<int>(i)); });
    }

  private:
    /// Runs the tasks. If a task throws, tasks that have not begun are cancelled, and the exception is passed on.
    template <class Task>
    void each(std::size_t n, const Task& task) {
        arena_.execute([&] { tbb::parallel_for(std::size_t{0}, n, task, tbb::simple_partitioner()); });
    }

    std::optional<tbb::global_control> more_;
    tbb::task_arena arena_;
};
static_assert(StudyExecutor<Threads>);

}  // namespace panto::study
