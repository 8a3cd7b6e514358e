// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Crossover and mutation of real parameters in a box, for the genetic algorithms of this room.

#pragma once

#include <panto/core/random.hpp>
#include <panto/opt/concepts.hpp>

#include <algorithm>
#include <cmath>

namespace panto::opt::detail {

/// Simulated binary crossover, bounded [Deb, Agrawal 1995; Deb, Beyer 2001]. Half of the parameters cross; which child
/// gets which of the two values is drawn for each parameter separately. Without that draw the children stay on the
/// parents' diagonal and the ZDT fronts are missed (hypervolume .45 to .71 of the true one).
inline void crossover(Parameters& a, Parameters& b, const Bounds& box, double eta, panto::Random& random) {
    for (Eigen::Index i = 0; i < a.size(); ++i) {
        if (!random.chance(0.5)) continue;
        const double gap = std::abs(a[i] - b[i]);
        if (!(gap > 1e-14 * std::max(1.0, std::abs(a[i])))) continue;
        const double low = std::min(a[i], b[i]), high = std::max(a[i], b[i]), draw = random.uniform();
        const auto spread = [&](double room) {
            const double alpha = 2.0 - std::pow(1.0 + 2.0 * room / gap, -(eta + 1.0));
            const double ratio = draw * alpha <= 1.0 ? draw * alpha : 1.0 / (2.0 - draw * alpha);
            return std::pow(ratio, 1.0 / (eta + 1.0));
        };
        const double middle = 0.5 * (low + high);
        double first = box.project(i, middle - 0.5 * gap * spread(low - box.low(i)));
        double second = box.project(i, middle + 0.5 * gap * spread(box.high(i) - high));
        if (random.chance(0.5)) std::swap(first, second);
        a[i] = first, b[i] = second;
    }
}

/// Polynomial mutation, bounded [Deb, Goyal 1996]; each parameter with the given probability.
inline void mutate(Parameters& x, const Bounds& box, double eta, double probability, panto::Random& random) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        if (!random.chance(probability)) continue;
        const double range = box.high(i) - box.low(i);
        if (!(range > 0.0)) continue;
        const double below = (x[i] - box.low(i)) / range, above = (box.high(i) - x[i]) / range;
        const double draw = random.uniform(), power = 1.0 / (eta + 1.0);
        const double move =
            draw < 0.5
                ? std::pow(2.0 * draw + (1.0 - 2.0 * draw) * std::pow(1.0 - below, eta + 1.0), power) - 1.0
                : 1.0 - std::pow(2.0 * (1.0 - draw) + 2.0 * (draw - 0.5) * std::pow(1.0 - above, eta + 1.0), power);
        x[i] = box.project(i, x[i] + move * range);
    }
}

inline Parameters random_point(const Bounds& box, panto::Random& random) {
    Parameters x(box.lower.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = box.project(i, random.uniform(box.lower[i], box.upper[i]));
    return x;
}

}  // namespace panto::opt::detail
