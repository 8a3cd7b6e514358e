// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Golden section: where a function of one variable is least [Kiefer: Sequential minimax search for a maximum,
/// Proceedings of the American Mathematical Society 4 (1953)].

#pragma once

namespace panto {

/// The place between `low` and `high` at which f is least. Each of the `steps` costs one value of f and reduces the
/// interval by the factor 0.618; 60 steps reduce it by 3e-13. If f has several minima, one of them is found. f may
/// be infinite in a part of the interval that does not contain both inner points.
///
/// Near its minimum f is flat. Therefore the place is found only to about the square root of the rounding errors of f.
template <class F>
[[nodiscard]] double golden_section(const F& f, double low, double high, int steps = 60) {
    constexpr double ratio = 0.618033988749895;  // 2 / (1 + sqrt(5))
    double a = high - ratio * (high - low), b = low + ratio * (high - low), fa = f(a), fb = f(b);
    for (int n = 0; n < steps; ++n) {
        if (fa < fb) {
            high = b, b = a, fb = fa, a = high - ratio * (high - low), fa = f(a);
        } else {
            low = a, a = b, fa = fb, b = low + ratio * (high - low), fb = f(b);
        }
    }
    return 0.5 * (low + high);
}

}  // namespace panto
