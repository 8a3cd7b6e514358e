// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whether the step of a difference is short against the length on which a model changes, judged by its values at
/// that step and at a sixteenth of it; and the longest shorter one that is.

#pragma once

#include <panto/opt/concepts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace panto::opt::detail {

/// No difference is shorter: a model that rounds x itself loses a thousandth of the slope there.
[[nodiscard]] inline double shortest_step(double x) {
    return 1000.0 * std::numeric_limits<double>::epsilon() * std::abs(x);
}

/// From one step to the next shorter one.
inline constexpr double rung = 16.0;

/// Mean slopes from x to a point on each side, or to two on one side where a bound is on the other.
struct Sides {
    bool known = false;
    double to[2] = {};
    Parameters slope[2] = {};
};

template <class Along>
Sides sides(const Along& along, double x, const Parameters& centre, double low, double high, double h) {
    Sides s;
    const double at[] = {x + h <= high ? x + h : x - 2.0 * h, x - h >= low ? x - h : x + 2.0 * h};
    for (int k = 0; k < 2; ++k) {
        Parameters y;
        if (at[k] < low || at[k] > high || !along(at[k], y) || y.size() != centre.size()) return s;
        s.to[k] = at[k] - x;
        if (!(std::abs(s.to[k]) > 0.0)) return s;
        s.slope[k] = (y - centre) / s.to[k];
    }
    s.known = true;
    return s;
}

/// The longest of `step`, step/16, step/256, ... at which the values agree to a hundredth of their change, or to
/// rounding, with the parabola through x and the points at a sixteenth of it. The model's values along one parameter
/// are along(t, y), false where there are none, and `centre` at t = x; `noise` is their rounding. 0 if there is no such
/// step: the model has a kink at x, or noise of its own. Four evaluations where `step` is good, two more for each
/// shorter one.
template <class Along>
double credible_step(const Along& along, double x, const Parameters& centre, double noise, double low, double high,
                     double step) {
    const auto size = [](const Sides& s) { return std::max(s.slope[0].stableNorm(), s.slope[1].stableNorm()); };
    const double rounding = std::numeric_limits<double>::epsilon() * std::abs(x);
    Sides far = sides(along, x, centre, low, high, step);
    for (int k = 0; k < 12; ++k) {
        const double h = step / rung;
        if (h < 0.2 * shortest_step(x)) return 0.0;
        Sides near = sides(along, x, centre, low, high, h);
        if (near.known && far.known) {
            const Parameters bend = (near.slope[0] - near.slope[1]) / (near.to[0] - near.to[1]);
            double miss = 0.0;
            for (int i = 0; i < 2; ++i) {
                const Parameters off = far.slope[i] - near.slope[0] - bend * (far.to[i] - near.to[0]);
                miss = std::max(miss, off.stableNorm());
            }
            const double blur = 2.0 * rung * (noise + rounding * size(near)) / h;
            if (k > 0 && blur > 0.1 * size(far)) return 0.0;
            if (miss <= 0.01 * size(far) + blur) return step;
            if (!(size(near) > 0.0)) return 0.0;
        }
        step = h, far = std::move(near);
    }
    return 0.0;
}

}  // namespace panto::opt::detail
