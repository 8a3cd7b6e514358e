// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What threads refuse, and what they have nothing to do for.

#ifdef PANTO_STUDY_THREADS

#include <panto/study/threads.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace panto;

namespace study_threads_input_test {

TEST_CASE("More threads than a machine can begin are refused") {
    CHECK_THROWS_AS(study::Threads{std::numeric_limits<int>::max()}, SetupError);  // it would take minutes to begin
}

TEST_CASE("Fewer jobs than none are none") {
    study::Threads threads(2);
    int done = 0;
    threads(-5, [&](int) { ++done; });
    CHECK(done == 0);
}

}  // namespace study_threads_input_test

#endif
