// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -ffast-math, under which std::isfinite may fold to true: the guards of the rig must not.
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>

#include <cstdint>
#include <cstdio>

#ifndef __FAST_MATH__
#error "this program is meant to be compiled with -ffast-math"
#endif

namespace {

// The bits come through a volatile, so that nothing is decided while compiling.
double from_bits(std::uint64_t bits) {
    volatile std::uint64_t hidden = bits;
    return std::bit_cast<double>(static_cast<std::uint64_t>(hidden));
}

int failures = 0;

void expect(bool right, const char* what) {
    if (right) return;
    std::printf("wrong under -ffast-math: %s\n", what);
    ++failures;
}

}  // namespace

int main() {
    const double nan = from_bits(0x7ff8'0000'0000'0000);
    const double infinity = from_bits(0x7ff0'0000'0000'0000);
    const double one = from_bits(0x3ff0'0000'0000'0000);
    expect(!panto::is_finite(nan), "NaN is not finite");
    expect(!panto::is_finite(-nan), "-NaN is not finite");
    expect(!panto::is_finite(infinity), "infinity is not finite");
    expect(!panto::is_finite(-infinity), "-infinity is not finite");
    expect(panto::is_finite(one), "1 is finite");
    expect(!panto::is_finite(panto::Motion{one, nan, one}), "a motion with a NaN speed is not finite");
    return failures;
}
