// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One study by one thread and by several: the same bits.

#pragma once

#include <panto/study/run.hpp>
#include <panto/study/serial.hpp>
#ifdef PANTO_STUDY_THREADS
#include <panto/study/threads.hpp>
#endif

#include "../support/targets.hpp"
#include "../unit/study/sample_study.hpp"

#include <cstddef>
#include <vector>

namespace panto::test {

inline study::Results study_in_one_thread() {
    return study::run(study_sample::description(300), study::Serial(), study_sample::evaluate);
}

#ifdef PANTO_STUDY_THREADS
inline study::Results study_in_threads(study::Threads& threads, const study::Options& options = {}) {
    return study::run(study_sample::description(300), threads, study_sample::evaluate, options);
}
#endif

/// Not measured where oneTBB is missing.
inline std::vector<Measured> study_figures() {
    std::vector<Measured> all;
#ifdef PANTO_STUDY_THREADS
    const study::Results serial = study_in_one_thread();
    std::size_t differing = 0;
    for (const int count : {0, 1, 2, 3, 8}) {
        study::Threads threads(count);
        differing += study_sample::differing(serial, study_in_threads(threads));
    }
    all.push_back({"study.threads.differing", static_cast<double>(differing)});
#endif
    return all;
}

}  // namespace panto::test
