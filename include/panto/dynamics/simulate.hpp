// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Runs any DiscreteSystem over a series of inputs.

#pragma once

#include <panto/core/status.hpp>
#include <panto/dynamics/concepts.hpp>

#include <type_traits>
#include <utility>

namespace panto::dynamics {

namespace detail {

/// The status that a call returns; ok for a call that returns nothing.
template <class Call>
[[nodiscard]] Status outcome(const Call& call) noexcept {
    if constexpr (std::is_void_v<std::invoke_result_t<Call>>)
        return call(), Status::ok;
    else
        return call();
}

}  // namespace detail

/// Takes `steps` steps from the state `x`: step k = 0, 1, ... under `input(k)`, after which `observe(y)` gets the
/// output. Ends at the first status that is not ok and returns it; `x` is then the state before that step.
template <DiscreteSystem Model, class Input, class Observe>
Status simulate(const Model& model, typename Model::State& x, int steps, const Input& input, Observe&& observe) {
    typename Model::State next = x;
    typename Model::Output y;
    for (int k = 0; k < steps; ++k) {
        const typename Model::Input u = input(k);
        Status status = detail::outcome([&] { return model.step(x, u, next); });
        if (status == Status::ok) status = detail::outcome([&] { return model.output(next, u, y); });
        if (status != Status::ok) return status;
        std::swap(x, next);
        observe(std::as_const(y));
    }
    return Status::ok;
}

}  // namespace panto::dynamics
