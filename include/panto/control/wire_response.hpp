// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Response of the wire above the strip to a change of the contact force, as a small linear model:
///
///     v+ = a v + b f,   z+ = z + dt/2 (v + v+) + g f          f: change of the force, from now on
///
/// v and z are the changes of speed and height of the wire. The model holds for a few steps, until waves return
/// from droppers and supports. An infinite string with tension T and mass per length m' would move at the speed
/// f / (2 sqrt(T m')); the steady speed of a contact wire, (b / (1 - a) + g / dt) f, is close to that.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

namespace panto::control {

struct WireResponse {
    double a = 0.592;    ///< per step
    double b = 9.28e-4;  ///< m/s per newton and step
    double g = 5.2e-8;   ///< m per newton and step
    double dt = 2e-3;    ///< s, the time step that a, b and g belong to
};

/// @throws SetupError naming the field that is not valid.
inline void validate(const WireResponse& p, std::string_view where) {
    require(p.a >= 0.0 && p.a < 1.0, where, "wire.a is ", p.a, ", must be from 0 to below 1");
    require_not_negative(p.b, where, "wire.b");
    require_finite(p.b, where, "wire.b");
    require_positive(p.dt, where, "wire.dt");
    require(is_finite(p.g) && 0.5 * p.dt * p.b + p.g >= 0.0, where, "wire.g is ", p.g,
            " m/N; with wire.b and wire.dt the wire must not move against the force, so it must be at least ",
            -0.5 * p.dt * p.b);
}

namespace detail {

/// Number of steps of the response that a WireResponse is fitted to.
inline constexpr std::size_t fitted_steps = 7;

/// @param rise  m/N, by which the height rises in each time step after a change of the force
inline WireResponse fitted(const std::array<double, fitted_steps>& rise, double dt) {
    constexpr std::size_t steps = fitted_steps;
    const char* where = "control::wire_response";
    for (std::size_t k = 0; k < steps; ++k)
        require(is_finite(rise[k]), where, "the prediction is not finite at step ", k + 1);
    // rise[k] = c + d a^k: a from the differences of neighbours, then c and d, all by least squares.
    double up = 0.0, down = 0.0;
    for (std::size_t k = 1; k + 1 < steps; ++k) {
        const double first = rise[k] - rise[k - 1], second = rise[k + 1] - rise[k];
        up += first * second;
        down += first * first;
    }
    WireResponse r{.dt = dt};
    require(down > 0.0 && up < down, where, "the wire's response to a change of the force does not settle");
    r.a = std::max(up / down, std::exp(-dt / 1.5e-3));
    double n = 0.0, p = 0.0, pp = 0.0, y = 0.0, py = 0.0, power = 1.0;
    for (std::size_t k = 0; k < steps; ++k, power *= r.a)
        n += 1.0, p += power, pp += power * power, y += rise[k], py += power * rise[k];
    const double d = (n * py - p * y) / (n * pp - p * p), c = (y - p * d) / n;
    // v after k steps is b (1 - a^k) / (1 - a), so that rise[k] = dt b / (1 - a) + g - dt b (1 + a) / (2 (1 - a)) a^k.
    r.b = -2.0 * d * (1.0 - r.a) / (dt * (1.0 + r.a));
    r.g = c - dt * r.b / (1.0 - r.a);
    require(r.b > 0.0 && is_finite(r.g), where, "the wire moves away from the force that presses on it");
    return r;
}

}  // namespace detail

/// The response of a catenary at the present position of the contact, from two of its predictions. The catenary is not
/// advanced. If the contact passes a dropper, support or mesh node, the time constant found may be too short. It is
/// therefore never taken below 1.5 ms; on the lines tried it is 2 to 6 ms.
/// @param force  N, mean of the force; it determines which droppers are slack.
/// @throws SetupError if the predictions are not finite, or if the wire does not move with the force.
template <class Catenary>
    requires requires(Catenary& catenary, double force, std::span<Motion> ahead) {
        catenary.predict(force, ahead);
        catenary.dt();
    }
[[nodiscard]] WireResponse wire_response(Catenary& catenary, double force) {
    require_finite(force, "control::wire_response", "force");
    constexpr double change = 1.0;  // N
    std::array<Motion, detail::fitted_steps> as_is, more;
    catenary.predict(force, as_is);
    catenary.predict(force + change, more);
    std::array<double, detail::fitted_steps> rise{};
    double before = 0.0;
    for (std::size_t k = 0; k < rise.size(); ++k) {
        const double z = (more[k].height - as_is[k].height) / change;
        rise[k] = z - before;
        before = z;
    }
    return detail::fitted(rise, catenary.dt());
}

/// The response of a linearised line, such as catenary::LineResponse, over its first seven steps.
/// @throws SetupError if it has fewer steps, or as above.
template <class Response>
    requires requires(const Response& r) {
        r.to_constant_force(0)[0];
        r.steps();
        r.dt;
    }
[[nodiscard]] WireResponse wire_response(const Response& line) {
    std::array<double, detail::fitted_steps> rise{};
    require(line.steps() >= static_cast<int>(rise.size()), "control::wire_response", "the response has ", line.steps(),
            " steps, must have at least ", rise.size());
    double before = 0.0;
    for (std::size_t k = 0; k < rise.size(); ++k) {
        const double z = line.to_constant_force(static_cast<int>(k))[0];
        rise[k] = z - before;
        before = z;
    }
    return detail::fitted(rise, line.dt);
}

}  // namespace panto::control
