// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Gradient of a function of a march by the discrete adjoint: one march forward and one backward with the transposed
/// step, at a cost independent of the number of parameters. With x_{n+1} = F_n(x_n, p) and J = sum_n j_n(x_n),
///     lambda_N = dj_N/dx ,   lambda_n = (dF_n/dx)' lambda_{n+1} + dj_n/dx ,   dJ/dp = sum_n (dF_n/dp)' lambda_{n+1} .
/// It is the exact derivative of the computed J, not the discretization of an adjoint equation, so line searches do not
/// stall.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

namespace panto {

/// A step and its transpose. `step_transposed(n, x, next, lambda, gradient)` gets the states before and after step n;
/// it replaces `lambda` = dJ/dnext by dJ/dx and adds (dF/dp)' lambda to `gradient`.
template <class M>
concept TransposableStepper = requires(const M& m, int n, const typename M::State& x, typename M::State& next,
                                       Vector<double, Dynamic>& gradient) {
    { m.start() } -> std::same_as<typename M::State>;
    m.step(n, x, next);
    m.step_transposed(n, x, next, next, gradient);
    { m.gradient_size() } -> std::convertible_to<Eigen::Index>;
};

namespace ident {

/// Which states of the forward march are kept: every interval-th. The states between are computed again, a segment at a
/// time. This takes one more forward march and reduces the states kept from N to N/interval + interval.
struct CheckpointPolicy {
    int interval = 1;

    /// All states: no step is repeated.
    [[nodiscard]] static CheckpointPolicy all() { return {1}; }

    /// The fewest states, about 2 sqrt(N).
    [[nodiscard]] static CheckpointPolicy fewest(int steps) {
        int interval = 1;
        while (static_cast<long long>(interval) * interval < steps) ++interval;
        return {interval};
    }
};

template <class State>
struct AdjointResult {
    double value = 0.0;                     ///< J
    Vector<double, Dynamic> gradient = {};  ///< of J, in the order of the stepper
    State start = {};                       ///< dJ/dx_0: for parameters of the initial state
    int states_kept = 0;                    ///< largest number of states in memory at the same time
};

/// @param value `value(n, x)`, the term j_n; called for n = 0..steps.
/// @param source `source(n, x, lambda)` adds dj_n/dx to lambda; `source(n, x, lambda, gradient)` also adds dj_n/dp to
/// the gradient, where j_n depends on the parameters themselves, as an acceleration does.
/// @throws SetupError if steps or the interval is below 1.
template <TransposableStepper M, class Value, class Source>
[[nodiscard]] AdjointResult<typename M::State> adjoint_gradient(const M& model, int steps, const Value& value,
                                                                const Source& source, CheckpointPolicy policy = {}) {
    using State = typename M::State;
    require(steps >= 1, "ident::adjoint_gradient", "steps is ", steps, ", must be at least 1");
    require(policy.interval >= 1, "ident::adjoint_gradient", "interval is ", policy.interval, ", must be at least 1");
    const int interval = policy.interval;
    AdjointResult<State> result;
    const auto add_source = [&](int n, const State& at, State& lambda) {
        if constexpr (requires { source(n, at, lambda, result.gradient); })
            source(n, at, lambda, result.gradient);
        else
            source(n, at, lambda);
    };
    State x = model.start(), next = x;
    const std::size_t kept = static_cast<std::size_t>((steps - 1) / interval + 1);
    std::vector<State> checkpoints, segment(static_cast<std::size_t>(interval) + 1, x);
    checkpoints.reserve(kept);
    for (int n = 0; n < steps; ++n) {
        if (n % interval == 0) checkpoints.push_back(x);
        result.value += value(n, x);
        model.step(n, x, next);
        std::swap(x, next);
    }
    result.value += value(steps, x);
    result.states_kept = static_cast<int>(kept) + (interval > 1 ? interval + 1 : 1);

    State lambda = x;
    lambda.setZero();
    result.gradient.setZero(model.gradient_size());
    add_source(steps, x, lambda);
    for (int last = steps; last > 0;) {
        const int first = (last - 1) / interval * interval, count = last - first;
        std::swap(segment[0], checkpoints.back());
        checkpoints.pop_back();
        for (int i = 0; i < count - 1; ++i)
            model.step(first + i, segment[static_cast<std::size_t>(i)], segment[static_cast<std::size_t>(i) + 1]);
        for (int i = count - 1; i >= 0; --i) {
            State& before = segment[static_cast<std::size_t>(i)];
            model.step_transposed(first + i, before, x, lambda, result.gradient);
            add_source(first + i, before, lambda);
            std::swap(x, before);
        }
        last = first;
    }
    result.start = lambda;
    return result;
}

}  // namespace ident
}  // namespace panto
