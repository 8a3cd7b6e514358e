// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whether the step of a finite difference is short compared with the length over which a model changes, judged by the
/// model's values at that step and at a sixteenth of it. If it is not, the longest shorter step that is.

#pragma once

#include <panto/opt/concepts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace panto::opt::detail {

/// The shortest step at x for a model that may round x itself, which then changes the slope by a thousandth.
[[nodiscard]] inline double shortest_step(double x) {
    return 1000.0 * std::numeric_limits<double>::epsilon() * std::abs(x);
}

/// The shortest step of all: two roundings of x.
[[nodiscard]] inline double finest_step(double x) { return 2.0 * std::numeric_limits<double>::epsilon() * std::abs(x); }

/// The shortest step at x of a parameter for which steps down to `found` were checked; 0 if none were.
[[nodiscard]] inline double shortest_step(double x, double found) {
    return found > 0.0 ? std::max(std::min(found, shortest_step(x)), finest_step(x)) : shortest_step(x);
}

/// Ratio of a step to the next shorter one.
inline constexpr double rung = 16.0;

/// Mean slopes from x to a point on each side, or to two points on one side if there is a bound on the other.
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

/// What is known of the steps at one point.
struct Credible {
    double step = 0.0;    ///< short enough; 0: none is, as the model has a kink at x or noise of its own
    bool coarse = false;  ///< none can be: the model changes a lot within the shortest steps at x
};

/// How much the values near x change because the model rounds x: their largest second difference over steps of a few
/// roundings of x, almost 0 if the model does not round x. `guess` if a value is missing.
template <class Along>
double rounding_beside(const Along& along, double x, const Parameters& centre, double low, double high, double guess) {
    const double ulp = std::nextafter(std::abs(x), std::numeric_limits<double>::infinity()) - std::abs(x);
    double largest = 0.0;
    for (const double h : {ulp, 2.0 * ulp, 3.0 * ulp}) {  // at one of them x may be rounded alike by chance
        Parameters above, below;
        if (!(x + h <= high) || !(x - h >= low) || !along(x + h, above) || !along(x - h, below)) return guess;
        if (above.size() != centre.size() || below.size() != centre.size()) return guess;
        largest = std::max(largest, ((above - centre) + (below - centre)).stableNorm());
    }
    return largest;
}

/// The longest of `step`, step/16, step/256, ... that is short enough: the values there differ from the parabola
/// through x and the points at a sixteenth of the step by at most a hundredth of their change, or by rounding.
/// along(t, y) writes the model's values along one parameter to y, or returns false if there are none. At t = x they
/// are `centre`; `noise` is their rounding. Takes four evaluations if `step` is short enough, two more for each shorter
/// step, and six for steps of hardly more than roundings of x.
template <class Along>
Credible credible_step(const Along& along, double x, const Parameters& centre, double noise, double low, double high,
                       double step) {
    const auto size = [](const Sides& s) { return std::max(s.slope[0].stableNorm(), s.slope[1].stableNorm()); };
    const auto change = [&](const Sides& s) { return s.known ? size(s) * std::abs(s.to[0]) : 0.0; };
    double largest = 0.0;  // so far; at a kink the change falls with the step
    const auto none = [&](const Sides& last) {
        return Credible{0.0, change(last) > 0.05 * centre.stableNorm() && change(last) > 1e-3 * largest};
    };
    const double guess = std::numeric_limits<double>::epsilon() * std::abs(x);
    double measured = -1.0;
    Sides far = sides(along, x, centre, low, high, step);
    for (int k = 0; k < 12; ++k) {
        const double h = std::max(step / rung, finest_step(x));
        largest = std::max(largest, change(far));
        if (!(h < 0.7 * step)) return none(far);
        Sides near = sides(along, x, centre, low, high, h);
        if (near.known && far.known) {
            if (measured < 0.0 && h < 5.0 * shortest_step(x))
                measured = rounding_beside(along, x, centre, low, high, guess * size(near));
            const double rounded = measured < 0.0 ? guess * size(near) : measured;
            const Parameters bend = (near.slope[0] - near.slope[1]) / (near.to[0] - near.to[1]);
            double miss = 0.0;
            for (int i = 0; i < 2; ++i) {
                const Parameters off = far.slope[i] - near.slope[0] - bend * (far.to[i] - near.to[0]);
                miss = std::max(miss, off.stableNorm());
            }
            const double blur = 2.0 * rung * (noise + rounded) / h;
            if (k > 0 && blur > 0.1 * size(far)) return none(far);
            if (miss <= 0.01 * size(far) + blur) return {step, false};
            if (!(size(near) > 0.0)) return {};
        }
        step = h, far = std::move(near);
    }
    return {};
}

}  // namespace panto::opt::detail
