// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The force with which the drive of a pantograph lifts the frame, as a function of running speed.
///
///     F = a v^2 + b,  v in km/h
///
/// The speed laws are the target mean contact forces of EN 50367 and the TSI Energy: AC 0.00047 v^2 + 90 N up to
/// 200 km/h and 0.00097 v^2 + 70 N above (the two meet at 200 km/h), DC 3 kV 0.00097 v^2 + 110 N, DC 1.5 kV
/// 0.00097 v^2 + 140 N. The AC law above 200 km/h is confirmed by three copies, the others by one each.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/names.hpp>
#include <panto/core/real.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace panto::pantograph {

enum class StaticForceLaw : std::uint8_t {
    constant,      ///< the given value, at any speed
    ac,            ///< ac_up_to_200 or ac_above_200, whichever applies at the speed
    ac_up_to_200,  ///< 0.00047 v^2 + 90 N
    ac_above_200,  ///< 0.00097 v^2 + 70 N
    dc_3kv,        ///< 0.00097 v^2 + 110 N
    dc_1p5kv       ///< 0.00097 v^2 + 140 N
};

inline constexpr std::array<std::string_view, 6> static_force_law_names{"constant",     "ac",     "ac_up_to_200",
                                                                        "ac_above_200", "dc_3kv", "dc_1p5kv"};

[[nodiscard]] constexpr std::string_view name(StaticForceLaw law) noexcept {
    return static_force_law_names[static_cast<std::size_t>(law)];
}

/// @throws SetupError with the nearest name if there is no such law.
[[nodiscard]] inline StaticForceLaw static_force_law(std::string_view text) {
    return enumerator_of<StaticForceLaw>("pantograph::static_force_law", "law of the static force", text,
                                         static_force_law_names);
}

/// Uplift force on the frame at a constant speed.
struct StaticForce {
    StaticForceLaw law = StaticForceLaw::constant;
    double constant = 120.0;  ///< N, used by StaticForceLaw::constant alone

    /// The force, N, for a speed in m/s. The AC law is continuous at 200 km/h; its derivative there is that of the
    /// lower branch.
    /// @rt
    template <Real Scalar>
    [[nodiscard]] Scalar operator()(const Scalar& speed) const noexcept {
        const Scalar kmh = Scalar(3.6) * speed;
        const auto parabola = [&](double a, double b) { return Scalar(Scalar(a) * kmh * kmh + Scalar(b)); };
        switch (law) {
            case StaticForceLaw::constant: break;
            case StaticForceLaw::ac: return Scalar(200.0) < kmh ? parabola(0.00097, 70.0) : parabola(0.00047, 90.0);
            case StaticForceLaw::ac_up_to_200: return parabola(0.00047, 90.0);
            case StaticForceLaw::ac_above_200: return parabola(0.00097, 70.0);
            case StaticForceLaw::dc_3kv: return parabola(0.00097, 110.0);
            case StaticForceLaw::dc_1p5kv: return parabola(0.00097, 140.0);
        }
        return Scalar(constant);
    }
};

/// The force, N, at a speed, m/s. The speed is checked first.
/// @throws SetupError if the speed is negative or not finite, or the constant force is not finite.
template <Real Scalar = double>
[[nodiscard]] Scalar static_force_at(const StaticForce& force, const Scalar& speed) {
    require_not_negative(value_of(speed), "pantograph::StaticForce", "speed");
    require_finite(force.constant, "pantograph::StaticForce", "constant");
    return force(speed);
}

/// The same for a speed in whole metres per second.
template <std::integral Whole>
[[nodiscard]] double static_force_at(const StaticForce& force, Whole speed) {
    return static_force_at(force, static_cast<double>(speed));
}

}  // namespace panto::pantograph
