// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The beam seen from a frame that travels along it at speed v (the pantograph's), x = distance on the beam - v t:
///     rA (u_tt - 2 v u_xt + v^2 u_xx) + dv (u_t - v u_x) + dm u_xxxxt + EI u_xxxx - T u_xx = f ,
/// in central differences of second order. With D1 for u_x:
///     next   =  rA/dt^2 + dv/2dt + dm D4/2dt - rA v D1/dt ,
///     now    =  2 rA/dt^2 - EI D4 + (T - rA v^2) D2 + dv v D1 ,
///     before = -rA/dt^2 + dv/2dt + dm D4/2dt - rA v D1/dt .
/// The sign of the mixed (Coriolis) term is that of the equation above; the papers print the other sign. This term
/// couples neighbours at level n+1, so the scheme is implicit and unsymmetric for v != 0.

#pragma once

#include <panto/wave/beam.hpp>

#include <array>

namespace panto::wave {

/// `upwind` blends D1 from the central difference (0) to the forward one, (u_{k+1} - u_k)/dx (1). An `upwind` with the
/// sign of `speed` damps short waves; with the opposite sign the scheme is unstable at every step.
/// @throws SetupError as beam_stencil, and if `speed` is not finite or `upwind` outside [-1, 1].
template <Real Scalar>
[[nodiscard]] Stencil<Scalar, 2> moving_beam_stencil(const BeamParams<Scalar>& p, const Scalar& speed, double dx,
                                                     double dt, double upwind = 0.0) {
    constexpr const char* where = "wave::moving_beam_stencil";
    require_finite(value_of(speed), where, "speed");
    require(upwind >= -1.0 && upwind <= 1.0, where, "upwind is ", upwind, ", must be from -1 to 1");
    Stencil<Scalar, 2> s = beam_stencil(p, dx, dt);
    const std::array<double, 3> D1{-0.5 * (1.0 - upwind), -upwind, 0.5 * (1.0 - upwind) + upwind};
    const Scalar coriolis = -p.mass_per_length * speed / Scalar(dx * dt);
    detail::add_difference(s.next, D1, coriolis);
    detail::add_difference(s.before, D1, coriolis);
    detail::add_difference(s.now, D1, p.viscous_damping * speed / Scalar(dx));
    detail::add_difference(s.now, central_difference<2>(), -p.mass_per_length * speed * speed / Scalar(dx * dx));
    detail::require_weights(s, where);
    return s;
}

}  // namespace panto::wave
