// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The concept of a model in discrete time; dynamics/simulate.hpp runs any such model.

#pragma once

#include <panto/core/real.hpp>
#include <panto/core/status.hpp>

#include <concepts>

namespace panto {

/// The result of a step or an output: nothing if the compiler knows all sizes, otherwise a Status.
template <class R>
concept StepOutcome = std::same_as<R, void> || std::same_as<R, Status>;

/// x[k+1] = f(x[k], u),  y[k] = g(x[k], u). The model defines whether u belongs to the beginning or the end of the
/// step.
///
/// The model is constant and the state is a separate value, so that one model can serve a simulation, an observer and
/// a sensitivity run at the same time. If some sizes are known only at run time, both functions return a Status:
/// out_of_range, with nothing written, if a size does not fit.
template <class M>
concept DiscreteSystem = requires(const M& model, typename M::State& next, const typename M::State& x,
                                  const typename M::Input& u, typename M::Output& y) {
    { model.step(x, u, next) } noexcept -> StepOutcome;
    { model.output(x, u, y) } noexcept -> StepOutcome;
    { model.dt() } noexcept -> std::convertible_to<double>;  ///< s
};

}  // namespace panto
