// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A global search that finds the valley, followed by a local one that finds its bottom; and many local searches from
/// random starts in the box, of which the best is kept.

#pragma once

#include <panto/opt/detail/variation.hpp>
#include <panto/opt/executor.hpp>
#include <panto/opt/sum_of_squares.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace panto::opt {

/// Any two optimizers in sequence; the counts include both. If the global search accepts only objectives, residuals are
/// passed to it as their sum of squares.
template <class Global, class Local>
struct GlobalThenLocal {
    Global global = {};
    Local local = {};

    template <class F>
        requires Optimizer<Local, F> && (Optimizer<Global, F> || LeastSquares<F>)
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        Minimum first = search(f, start);
        if (first.status == Status::stopped_by_user || first.status == Status::not_finite) return first;
        Minimum second = local.minimize(f, first.x);
        second.iterations += first.iterations, second.evaluations += first.evaluations;
        second.failures += first.failures, second.derivatives += first.derivatives, second.checks += first.checks;
        if (second.value <= first.value) return second;
        second.x = first.x, second.value = first.value;  // the local search had no value there, or made it worse
        if (second.status == Status::ok) second.status = first.status, second.reason = first.reason;
        return second;
    }

  private:
    template <class F>
    Minimum search(const F& f, const Parameters& start) const {
        if constexpr (Optimizer<Global, F>)
            return global.minimize(f, start);
        else
            return global.minimize(SumOfSquares<F>(f), start);
    }
};

template <class Global, class Local>
GlobalThenLocal(Global, Local) -> GlobalThenLocal<Global, Local>;

struct MultiStartParams {
    Bounds bounds{};  ///< finite: where starts are drawn
    int starts = 20;  ///< the given one included
    std::uint64_t seed = 1;
    Executor executor = serial;  ///< runs whole local searches
};

/// The best of many local searches; if two are equal, the earlier one. The counts include all searches.
/// @throws SetupError if the parameters are invalid, the start lies outside the bounds, or as the local search does.
template <class Local, class F>
    requires Optimizer<Local, F>
[[nodiscard]] Minimum multi_start(const Local& local, const F& f, const Parameters& start, const MultiStartParams& p) {
    constexpr std::string_view here = "opt::multi_start";
    check_start(start, p.bounds, here);
    p.bounds.check_finite(start.size(), here);
    require(p.starts > 0, here, "starts is ", p.starts, ", must be at least 1");
    require(static_cast<bool>(p.executor), here, "executor is empty, pass opt::serial or an executor of your own");
    panto::Random random(p.seed);
    std::vector<Parameters> starts{start};
    while (starts.size() < static_cast<std::size_t>(p.starts)) starts.push_back(detail::random_point(p.bounds, random));
    Minimum not_run;
    not_run.x = start, not_run.value = Bounds::infinite;
    not_run.status = Status::not_finite, not_run.reason = "the executor ran none of the starts";
    std::vector<Minimum> found(starts.size(), not_run);
    p.executor(p.starts, [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        found[k] = local.minimize(f, starts[k]);
    });
    std::size_t winner = 0;
    Minimum sum;
    for (std::size_t k = 0; k < found.size(); ++k) {
        sum.iterations += found[k].iterations, sum.evaluations += found[k].evaluations;
        sum.failures += found[k].failures, sum.derivatives += found[k].derivatives, sum.checks += found[k].checks;
        if (found[k].status != Status::not_finite &&
            (found[winner].status == Status::not_finite || found[k].value < found[winner].value))
            winner = k;
    }
    Minimum best = std::move(found[winner]);
    best.iterations = sum.iterations, best.evaluations = sum.evaluations;
    best.failures = sum.failures, best.derivatives = sum.derivatives, best.checks = sum.checks;
    return best;
}

}  // namespace panto::opt
