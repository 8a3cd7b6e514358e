// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Starts the program again with its memory in huge pages, as docs/rig.md advises for a rig: a model scattered over
/// pages of 4 kB falls on the same places of a cache in one run and not in the next.

#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <unistd.h>

namespace panto::bench {

/// Of glibc 2.35 and later, where the kernel has transparent huge pages; elsewhere nothing changes.
inline void run_in_huge_pages(char** arguments) {
    if (std::getenv("GLIBC_TUNABLES")) return;
    if (::setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1) == 0) ::execv("/proc/self/exe", arguments);
}

/// BENCHMARK_MAIN in huge pages.
inline int run(int argc, char** argv) {
    run_in_huge_pages(argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

}  // namespace panto::bench
