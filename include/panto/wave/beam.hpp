// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The axially loaded Euler-Bernoulli beam with viscous and material damping as a stencil:
///     rA u_tt + dv u_t + dm u_xxxxt = -EI u_xxxx + T u_xx + f
/// with central differences in time (u_t and u_xxxxt over two steps) and, of any even order, in space:
///     M+ u^{n+1} = M0 u^n + M- u^{n-1} + f^n ,
///     M+ = rA/dt^2 + dv/2dt + dm D4/2dt ,  M0 = 2 rA/dt^2 - EI D4 + T D2 ,  M- = -rA/dt^2 + dv/2dt + dm D4/2dt .
/// (The material damping has a plus sign on both sides.)

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/wave/differences.hpp>
#include <panto/wave/stencil.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace panto::wave {

template <Real Scalar = double>
struct BeamParams {
    Scalar mass_per_length{1.0};    ///< kg/m, rA
    Scalar viscous_damping{0.0};    ///< N s/m^2, dv
    Scalar material_damping{0.0};   ///< N m^2 s, dm; above 0 the scheme is implicit
    Scalar bending_stiffness{0.0};  ///< N m^2, EI
    Scalar tension{0.0};            ///< N, T
};

namespace detail {

template <Real Scalar>
void require_beam(const BeamParams<Scalar>& p, std::string_view where) {
    require_positive(value_of(p.mass_per_length), where, "mass_per_length");
    require_not_negative(value_of(p.viscous_damping), where, "viscous_damping");
    require_not_negative(value_of(p.material_damping), where, "material_damping");
    require_not_negative(value_of(p.bending_stiffness), where, "bending_stiffness");
    require_not_negative(value_of(p.tension), where, "tension");
    require(value_of(p.bending_stiffness) > 0.0 || value_of(p.tension) > 0.0, where,
            "bending_stiffness and tension are both 0, expected one of them above 0");
}

inline void require_steps(double dx, double dt, std::string_view where) {
    require_positive(dx, where, "dx");
    require_positive(dt, where, "dt");
}

/// All weights are 0, and their derivatives, which value initialization does not set.
template <Real Scalar, int H>
[[nodiscard]] Stencil<Scalar, H> empty_stencil(double dx, double dt) {
    Stencil<Scalar, H> s;
    s.next.fill(Scalar(0.0));
    s.now.fill(Scalar(0.0));
    s.before.fill(Scalar(0.0));
    s.dx = dx;
    s.dt = dt;
    return s;
}

/// row += factor * weights, both centred.
template <Real Scalar, std::size_t Points, std::size_t Width>
void add_difference(std::array<Scalar, Points>& row, const std::array<double, Width>& weights,
                    const std::type_identity_t<Scalar>& factor) {
    static_assert(Width <= Points);
    constexpr std::size_t shift = (Points - Width) / 2;
    for (std::size_t j = 0; j < Width; ++j) row[shift + j] += factor * Scalar(weights[j]);
}

/// Mass and viscous damping of a stencil, both acting at the point alone.
template <Real Scalar, int H>
void add_inertia(Stencil<Scalar, H>& s, const Scalar& mass, const Scalar& damping) {
    const Scalar m = mass / Scalar(s.dt * s.dt), c = damping / Scalar(2.0 * s.dt);
    s.next[H] += m + c;
    s.now[H] += Scalar(2.0) * m;
    s.before[H] += c - m;
}

}  // namespace detail

/// The beam's stencil, with space differences of even order `Order`; explicit only if `material_damping` is 0.
/// It is not checked for stability here: see dispersion.hpp; a March refuses an unstable one.
/// @throws SetupError if a parameter is negative or not finite, the mass, `dx` or `dt` is not positive, or there is
/// neither bending stiffness nor tension, or if dx or dt is so small that a weight overflows.
template <int Order = 2, Real Scalar>
[[nodiscard]] Stencil<Scalar, central_half_width(4, Order)> beam_stencil(const BeamParams<Scalar>& p, double dx,
                                                                         double dt) {
    detail::require_beam(p, "wave::beam_stencil");
    detail::require_steps(dx, dt, "wave::beam_stencil");
    auto s = detail::empty_stencil<Scalar, central_half_width(4, Order)>(dx, dt);
    constexpr auto D2 = central_difference<2, Order>();
    constexpr auto D4 = central_difference<4, Order>();
    detail::add_inertia(s, p.mass_per_length, p.viscous_damping);
    detail::add_difference(s.now, D2, p.tension / Scalar(dx * dx));
    detail::add_difference(s.now, D4, -p.bending_stiffness / Scalar(dx * dx * dx * dx));
    if (value_of(p.material_damping) > 0.0) {
        const Scalar dm = p.material_damping / Scalar(2.0 * dt * dx * dx * dx * dx);
        detail::add_difference(s.next, D4, dm);
        detail::add_difference(s.before, D4, dm);
    }
    detail::require_weights(s, "wave::beam_stencil");
    return s;
}

/// The derivatives of the beam's stencil, which is linear in the parameters, in the order of BeamParams.
/// @throws SetupError if `dx` or `dt` is not positive.
template <int Order = 2>
[[nodiscard]] std::array<Stencil<double, central_half_width(4, Order)>, 5> beam_stencil_derivatives(double dx,
                                                                                                    double dt) {
    detail::require_steps(dx, dt, "wave::beam_stencil_derivatives");
    constexpr int H = central_half_width(4, Order);
    constexpr auto D2 = central_difference<2, Order>();
    constexpr auto D4 = central_difference<4, Order>();
    const double d2 = 1.0 / (dx * dx), d4 = d2 * d2;
    std::array<Stencil<double, H>, 5> by;
    by.fill(detail::empty_stencil<double, H>(dx, dt));
    detail::add_inertia(by[0], 1.0, 0.0);
    detail::add_inertia(by[1], 0.0, 1.0);
    detail::add_difference(by[2].next, D4, d4 / (2.0 * dt));
    detail::add_difference(by[2].before, D4, d4 / (2.0 * dt));
    detail::add_difference(by[3].now, D4, -d4);
    detail::add_difference(by[4].now, D2, d2);
    return by;
}

/// The largest stable step of an undamped or damped beam with second-order differences, in closed form (Publication B,
/// (5)):
///     dt = sqrt( rA dx^4 / (T dx^2 + 4 EI) ) ;
/// neither damping changes this step, since the root -1 at theta = pi does not depend on the dampings.
/// @throws SetupError as beam_stencil, or if dx^4 overflows or underflows.
template <Real Scalar>
[[nodiscard]] Scalar beam_largest_step(const BeamParams<Scalar>& p, double dx) {
    detail::require_beam(p, "wave::beam_largest_step");
    require_positive(dx, "wave::beam_largest_step", "dx");
    using std::sqrt;
    const auto d2 = static_cast<Scalar>(dx * dx);
    const Scalar step = sqrt(p.mass_per_length * d2 * d2 / (p.tension * d2 + Scalar(4.0) * p.bending_stiffness));
    require(value_of(step) > 0.0 && is_finite(value_of(step)), "wave::beam_largest_step", "dx is ", dx,
            " m, expected numbers whose fourth power is a finite double");
    return step;
}

}  // namespace panto::wave
