// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The string and the one-dimensional wave equation as stencils:
///     rA u_tt + dv u_t = T u_xx + f ,      u_tt = c^2 u_xx + f .

#pragma once

#include <panto/wave/beam.hpp>

namespace panto::wave {

/// The string under tension: a beam without bending, with only mass, viscous damping and tension.
/// @throws SetupError as beam_stencil, and if the tension is not positive or a bending stiffness or material damping is
/// given.
template <int Order = 2, Real Scalar>
[[nodiscard]] Stencil<Scalar, central_half_width(2, Order)> string_stencil(const BeamParams<Scalar>& p, double dx,
                                                                           double dt) {
    constexpr const char* where = "wave::string_stencil";
    detail::require_beam(p, where);
    detail::require_steps(dx, dt, where);
    require_positive(value_of(p.tension), where, "tension");
    require(!(value_of(p.bending_stiffness) > 0.0) && !(value_of(p.material_damping) > 0.0), where,
            "bending_stiffness and material_damping must be 0 for a string; else use beam_stencil");
    auto s = detail::empty_stencil<Scalar, central_half_width(2, Order)>(dx, dt);
    detail::add_inertia(s, p.mass_per_length, p.viscous_damping);
    detail::add_difference(s.now, central_difference<2, Order>(), p.tension / Scalar(dx * dx));
    detail::require_weights(s, where);
    return s;
}

/// u_tt = c^2 u_xx; `speed` is c in m/s.
/// @throws SetupError if `speed`, `dx` or `dt` is not positive.
template <int Order = 2, Real Scalar = double>
[[nodiscard]] Stencil<Scalar, central_half_width(2, Order)> wave_equation_stencil(const Scalar& speed, double dx,
                                                                                  double dt) {
    require_positive(value_of(speed), "wave::wave_equation_stencil", "speed");
    return string_stencil<Order>(BeamParams<Scalar>{.tension = speed * speed}, dx, dt);
}

}  // namespace panto::wave
