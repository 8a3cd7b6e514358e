// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A run that ends at the limits of the model: when a wheel lifts, when a wheelset has shifted beyond the range of its
/// contact, or when the motion diverges. The result says which wheel, and when.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/vehicle/bogie.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

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
    double shift = 8e-3;  ///< m, largest |rho|, about where a flange would touch; take more if the model has one
};

/// @rt
template <class Bogie>
[[nodiscard]] RideState check_ride(const Bogie& bogie, double time, const typename Bogie::State& x,
                                   const RideLimits& limits = {}) noexcept {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        if (!is_finite(value_of(x[i]))) return {RideStatus::not_finite, time};
    const auto m = bogie.motions(time, x);
    for (int i = 0; i < 2; ++i) {
        const double rho = value_of(m[static_cast<std::size_t>(i)].rho);
        if (std::abs(rho) > limits.shift) return {RideStatus::off_the_rail, time, i, rho > 0.0 ? 0 : 1, rho};
    }
    const auto loads = bogie.loads(time, x);
    for (int i = 0; i < 2; ++i)
        for (int side = 0; side < 2; ++side) {
            const double load = value_of(loads[static_cast<std::size_t>(i)][static_cast<std::size_t>(side)].normal);
            if (!(load > 0.0)) return {RideStatus::wheel_lifted, time, i, side, load};
        }
    return {RideStatus::on_the_rails, time};
}

/// Runs `steps` steps of `dt`, s, from x at `start`, s, or up to the first state that is not on the rails. x becomes
/// the last state. `observe(time, x)` is called with every state, including the first and the last.
/// @throws SetupError if dt is not positive or steps is negative.
template <class Bogie, class Observer>
RideState ride(const Bogie& bogie, typename Bogie::State& x, double dt, int steps, const Observer& observe,
               const RideLimits& limits = {}, double start = 0.0) {
    require_positive(dt, "vehicle::ride", "dt");
    require(steps >= 0, "vehicle::ride", "steps is ", steps, ", must be at least 0");
    require_positive(limits.shift, "vehicle::ride", "limits.shift");
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
