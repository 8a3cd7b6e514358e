// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program whose reader is gone, or whose disk is full, must not end as if all had been read.

#pragma once

#include <iostream>
#include <stdexcept>

/// Call it when everything is printed.
/// @throws std::runtime_error if standard output did not take it all.
inline void check_printed() {
    if (!std::cout.flush())
        throw std::runtime_error("standard output could not be written; the result files are complete");
}
