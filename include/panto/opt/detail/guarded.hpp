// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Evaluates objectives and turns every value that is not finite into plus infinity.

#pragma once

#include <panto/opt/detail/function.hpp>

#include <exception>

namespace panto::opt::detail {

/// f(x), counted as an evaluation. If it throws or is not finite: plus infinity, counted as a failure as well.
[[nodiscard]] inline double value_of(const Function& f, const Parameters& x, Minimum& count) {
    ++count.evaluations;
    try {
        const double value = f(x);
        if (is_finite(value)) return value;
        count.reason = "the objective is not a finite number";
    } catch (const std::exception& e) {
        count.reason = std::string("the objective threw: ") + e.what();
    }
    ++count.failures;
    return Bounds::infinite;
}

/// Puts the outcome into `best` and returns it.
inline Minimum finish(Minimum& best, Status status, std::string_view reason) {
    best.status = status;
    best.reason = reason;
    return best;
}

/// The result of a search whose start has no value; `best.reason` says why.
inline Minimum lost(Minimum& best) { return finish(best, Status::not_finite, "at the start " + best.reason); }

/// Calls the observer; without one the search continues.
inline bool go_on(const Observer& observer, const Minimum& best, int iteration_limit) {
    return !observer || observer({best.iterations, iteration_limit, best.evaluations, best.value, best.x});
}

}  // namespace panto::opt::detail
