// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bisection: where a condition changes between two numbers.

#pragma once

#include <panto/core/finite.hpp>

#include <algorithm>
#include <cmath>

namespace panto {

/// Two numbers between which a condition changes, and whether bisect() brought them as close together as required.
struct Bracket {
    double holds = 0.0;      ///< the condition holds here
    double fails = 0.0;      ///< and does not hold here
    bool converged = false;  ///< false if there were not enough halvings, or an end is not a number

    [[nodiscard]] double middle() const { return 0.5 * (holds + fails); }
};

/// Halves the interval between `holds`, where the condition is known to hold, and `fails`, where it is known not to;
/// either may be the larger one. It ends when the width of the interval is at most `tolerance` times the larger of
/// |holds| and |fails|, when the ends are neighbouring numbers, after `limit` halvings, or when `done()`, which is
/// asked before each halving, is true. The condition is not tested at the ends themselves. If it changes more than
/// once, one of the changes is found.
template <class Condition, class Done>
[[nodiscard]] Bracket bisect(const Condition& condition, double holds, double fails, double tolerance, int limit,
                             const Done& done) {
    Bracket b{holds, fails};
    const auto close = [&] {
        const double middle = b.middle();
        return std::fabs(b.fails - b.holds) <= tolerance * std::max(std::fabs(b.fails), std::fabs(b.holds)) ||
               !(middle > std::min(b.holds, b.fails) && middle < std::max(b.holds, b.fails));
    };
    for (int i = 0; i < limit && !close() && !done(); ++i) {
        const double middle = b.middle();
        (condition(middle) ? b.holds : b.fails) = middle;
    }
    b.converged = close() && !is_nan(b.middle());
    return b;
}

template <class Condition>
[[nodiscard]] Bracket bisect(const Condition& condition, double holds, double fails, double tolerance = 0.0,
                             int limit = 200) {
    return bisect(condition, holds, fails, tolerance, limit, [] { return false; });
}

}  // namespace panto
