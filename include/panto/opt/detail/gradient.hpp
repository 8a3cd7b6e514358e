// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Value and gradient of an objective: its own gradient, or finite differences inside the box.

#pragma once

#include <panto/opt/detail/guarded.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace panto::opt::detail {

/// The gradient at x, where the value is `value`; by differences for objectives without one. False if it cannot be had.
template <Objective F>
bool gradient_of(const F& f, const Parameters& x, double value, const Bounds& box, Parameters& gradient,
                 Minimum& count) {
    if constexpr (DifferentiableObjective<F>) {
        ++count.derivatives;
        try {
            (void)f(x, gradient);
            if (gradient.size() == x.size() && is_finite(gradient.squaredNorm())) return true;
            count.reason = "the gradient is not finite";
        } catch (const std::exception& e) {
            count.reason = std::string("the gradient threw: ") + e.what();
        }
        return false;
    } else {
        gradient.resize(x.size());
        Parameters other = x;
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            const double h = 6e-6 * std::max(std::abs(x[i]), 1e-3);  // cube root of the rounding error
            const double up = box.project(i, x[i] + h), down = box.project(i, x[i] - h);
            other[i] = up;
            double above = up > x[i] ? value_of(f, other, count) : value;
            other[i] = down;
            double below = down < x[i] ? value_of(f, other, count) : value;
            other[i] = x[i];
            const double from = is_finite(below) ? down : x[i], to = is_finite(above) ? up : x[i];
            if (!is_finite(below)) below = value;
            if (!is_finite(above)) above = value;
            gradient[i] = to > from ? (above - below) / (to - from) : 0.0;
            if (!(to > from) && box.low(i) < box.high(i)) return false;
        }
        return true;
    }
}

/// Parameters on a bound that the gradient pushes outward; their entries of `direction` become 0.
inline void hold(const Parameters& x, const Parameters& gradient, const Bounds& box, Parameters& direction) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        if ((x[i] <= box.low(i) && gradient[i] >= 0.0) || (x[i] >= box.high(i) && gradient[i] <= 0.0))
            direction[i] = 0.0;
}

/// Entries of `direction` that lead out of the box at once become 0.
inline void hold_on_bounds(const Parameters& x, const Bounds& box, Parameters& direction) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        if ((x[i] <= box.low(i) && direction[i] < 0.0) || (x[i] >= box.high(i) && direction[i] > 0.0))
            direction[i] = 0.0;
}

/// Largest entry of x - P(x - gradient): 0 exactly where no small step within the box descends. Not by that difference,
/// in which the gradient at a large x is lost.
inline double stationarity(const Parameters& x, const Parameters& gradient, const Bounds& box) {
    double largest = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i)
        largest = std::max(largest, gradient[i] > 0.0 ? std::min(gradient[i], x[i] - box.low(i))
                                                      : std::min(-gradient[i], box.high(i) - x[i]));
    return largest;
}

}  // namespace panto::opt::detail
