// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The length of vectors of any size.

#pragma once

#include <cmath>

namespace panto::opt::detail {

/// || v ||, also where the squares overflow or underflow.
template <class V>
[[nodiscard]] double norm_of(const V& v) {
    const double squared = v.squaredNorm();
    return squared > 1e-280 && squared < 1e280 ? std::sqrt(squared) : v.stableNorm();
}

}  // namespace panto::opt::detail
