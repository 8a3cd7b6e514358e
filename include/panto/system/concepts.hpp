// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What it takes to be stepped: the concept that models, observers and controllers meet at.

#pragma once

#include <panto/core/real.hpp>

#include <concepts>

namespace panto {

/// x[k+1] = f(x[k], u),  y[k] = g(x[k], u). Whether u belongs to the beginning or the end of the step is the model's.
///
/// The model is constant and the state is a plain value handed in and out, so that one model can serve a
/// simulation, an observer and a sensitivity run at once.
template <class M>
concept DiscreteSystem = requires(const M& model, typename M::State& next, const typename M::State& x,
                                  const typename M::Input& u, typename M::Output& y) {
    { model.step(x, u, next) } noexcept -> std::same_as<void>;
    { model.output(x, u, y) } noexcept -> std::same_as<void>;
    { model.dt() } noexcept -> std::convertible_to<double>;  ///< s
};

}  // namespace panto
