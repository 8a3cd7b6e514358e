// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The classical Runge-Kutta step of fourth order for x' = f(t, x), for any scalar type. The step length is fixed, so
/// that the result is a smooth function of every parameter; a step size control would add noise to derivatives and
/// misfits. The step is stable for decay rates up to 2.78/dt (in 1/s) and oscillations up to 2.83/dt (in rad/s).

#pragma once

#include <panto/core/real.hpp>

namespace panto::dynamics {

/// Advances x by dt. `f(t, x, slope)` writes the slope and does not allocate; `next` must not alias `x`. @rt
template <class F, Real Scalar, class State>
void runge_kutta_step(const F& f, const Scalar& t, const Scalar& dt, const State& x, State& next) noexcept {
    const Scalar half = dt * Scalar(0.5), sixth = dt / Scalar(6.0);
    State k = x, at = x;
    f(t, x, k);
    next = x + sixth * k;
    at = x + half * k;
    f(Scalar(t + half), at, k);
    next += Scalar(2.0) * sixth * k;
    at = x + half * k;
    f(Scalar(t + half), at, k);
    next += Scalar(2.0) * sixth * k;
    at = x + dt * k;
    f(Scalar(t + dt), at, k);
    next += sixth * k;
}

}  // namespace panto::dynamics
