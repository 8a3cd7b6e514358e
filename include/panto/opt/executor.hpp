// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Runs many independent evaluations: in one thread, or however the caller likes. Random numbers are drawn beforehand,
/// so that the result does not depend on the executor.

#pragma once

#include <functional>

namespace panto::opt {

/// Calls job(i) once for every i in 0 .. count - 1, in any order and on any thread, and returns when all are done.
/// With oneTBB: [](int count, const auto& job) { tbb::parallel_for(0, count, job); }
using Executor = std::function<void(int count, const std::function<void(int)>& job)>;

/// One after the other on the calling thread.
inline void serial(int count, const std::function<void(int)>& job) {
    for (int i = 0; i < count; ++i) job(i);
}

}  // namespace panto::opt
