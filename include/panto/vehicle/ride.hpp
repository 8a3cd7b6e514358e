// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A run that ends at the limits of the model: when a wheel lifts, when a wheelset has shifted beyond the range of its
/// contact, or when the motion diverges. The result says which wheel, and when. The range is
///     the range of the table ,        for a TabulatedGeometry,
///     clearance + N_0/stiffness ,     with a flange: there the flange pushes with the static load N_0 of the wheel, so
///                                     Y/Q = 1, Nadal's limit for a flange of 62 degrees and a friction of 0.3 ,
///     8 mm                            otherwise: about where the flange of a wheel would touch .

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/vehicle/bogie.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::vehicle {

enum class RideStatus : std::uint8_t {
    on_the_rails,
    wheel_lifted,  ///< the normal force of a wheel would be negative
    off_the_rail,  ///< a wheelset has left the range of its contact
    not_finite     ///< the motion is not finite
};

[[nodiscard]] constexpr std::string_view name(RideStatus s) noexcept {
    switch (s) {
        case RideStatus::on_the_rails: return "on the rails";
        case RideStatus::wheel_lifted: return "wheel lifted";
        case RideStatus::off_the_rail: return "off the rail";
        case RideStatus::not_finite: return "not finite";
    }
    return "unknown";
}

struct RideState {
    RideStatus status = RideStatus::on_the_rails;
    double time = 0.0;   ///< s
    int wheelset = -1;   ///< 0 is the leading one
    int side = -1;       ///< 0 left, 1 right
    double value = 0.0;  ///< N, load of the lifted wheel, or m, shift of the wheelset that is off the rail

    [[nodiscard]] bool ok() const noexcept { return status == RideStatus::on_the_rails; }
};

struct RideLimits {
    std::optional<double> shift{};  ///< m, largest |rho|, in place of the range of the contact model
};

/// The largest shift |rho| for which the contact model holds, in m, as the file comment defines it. `load` is the
/// static load of a wheel in N.
/// @rt
template <class Geometry>
[[nodiscard]] double largest_shift(const Geometry& geometry, const Flange<>& flange, double load) noexcept {
    if constexpr (requires { geometry.range(); }) return geometry.range();
    return flange.stiffness > 0.0 ? flange.clearance + load / flange.stiffness : 8e-3;
}

/// The state in words, as in "wheel lifted after 1.774 s: bogie A/wheelset 1, left". `wheelsets` are their names, from
/// the front.
/// @param start  s, the time at which the run began
[[nodiscard]] inline std::string described(const RideState& s, double start,
                                           const std::vector<std::string>& wheelsets) {
    std::string text = std::string(name(s.status)) + " after " + shown(s.time - start, 4) + " s";
    const auto i = static_cast<std::size_t>(s.wheelset);
    if (i < wheelsets.size()) text += ": " + wheelsets[i] + (s.side == 0 ? ", left" : ", right");
    if (s.status == RideStatus::wheel_lifted) text += ", whose normal force is " + shown(s.value, 3) + " N";
    if (s.status == RideStatus::off_the_rail) text += ", shifted by " + shown(1e3 * s.value, 3) + " mm";
    return text;
}

/// @rt
template <class Bogie>
[[nodiscard]] RideState check_ride(const Bogie& bogie, double time, const typename Bogie::State& x,
                                   const RideLimits& limits = {}) noexcept {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        if (!is_finite(value_of(x[i]))) return {RideStatus::not_finite, time};
    const auto m = bogie.motions(time, x);
    const auto& f = bogie.params().flange;
    const double most = limits.shift ? *limits.shift
                                     : largest_shift(bogie.geometry(),
                                                     {value_of(f.stiffness), value_of(f.clearance), value_of(f.width)},
                                                     value_of(bogie.patch().load));
    for (int i = 0; i < 2; ++i) {
        const double rho = value_of(m[static_cast<std::size_t>(i)].rho);
        if (std::abs(rho) > most) return {RideStatus::off_the_rail, time, i, rho > 0.0 ? 0 : 1, rho};
    }
    const auto loads = bogie.loads(time, x);
    for (int i = 0; i < 2; ++i)
        for (int side = 0; side < 2; ++side) {
            const double load = value_of(loads[static_cast<std::size_t>(i)][static_cast<std::size_t>(side)].normal);
            if (!(load > 0.0)) return {RideStatus::wheel_lifted, time, i, side, load};
        }
    return {RideStatus::on_the_rails, time};
}

/// Runs `steps` steps of `dt` from the state x at the time `start`, or up to the first state that is not on the rails.
/// Times are in s. x becomes the last state. `observe(time, x)` is called with every state, including the first and the
/// last.
/// @throws SetupError if dt is not positive or steps is negative.
template <class Bogie, class Observer>
RideState ride(const Bogie& bogie, typename Bogie::State& x, double dt, int steps, const Observer& observe,
               const RideLimits& limits = {}, double start = 0.0) {
    require_positive(dt, "vehicle::ride", "dt");
    require(steps >= 0, "vehicle::ride", "steps is ", steps, ", must be at least 0");
    if (limits.shift) require_positive(*limits.shift, "vehicle::ride", "limits.shift");
    typename Bogie::State next;
    for (int n = 0;; ++n) {
        const double time = start + n * dt;
        observe(time, x);
        const RideState state = check_ride(bogie, time, x, limits);
        if (!state.ok() || n == steps) return state;
        bogie.step(time, dt, x, next);
        x = next;
    }
}

}  // namespace panto::vehicle
