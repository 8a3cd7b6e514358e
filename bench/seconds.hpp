// SPDX-License-Identifier: BSD-3-Clause
// How long a call takes, for benchmarks that measure two things side by side.
#pragma once

#include <chrono>

/// s, of one call.
template <class Call>
double seconds(const Call& call) {
    const auto began = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}
