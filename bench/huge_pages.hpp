// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Starts the program again with its memory in huge pages, as docs/rig.md advises for a rig: a model scattered over
/// pages of 4 kB falls on the same places of a cache in one run and not in the next.

#pragma once

#include <cstdlib>
#include <unistd.h>

namespace panto::bench {

/// Of glibc 2.35 and later, where the kernel has transparent huge pages; elsewhere nothing changes.
inline void run_in_huge_pages(char** arguments) {
    if (std::getenv("GLIBC_TUNABLES")) return;
    if (::setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1) == 0) ::execv("/proc/self/exe", arguments);
}

}  // namespace panto::bench
