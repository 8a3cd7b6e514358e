// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The period of a line: seen from the train, it repeats after one span. A discrete model is periodic only if a span
/// takes a whole number of steps.

#pragma once

#include <panto/core/check.hpp>

#include <cmath>
#include <string_view>

namespace panto::catenary {

/// Number of steps of `dt`, s, that a span of length `period`, m, takes at `speed`, m/s, of either sign.
/// @throws SetupError if a value is not valid, or if the number of steps is not whole, with the nearest speeds and
/// steps for which it is.
[[nodiscard]] inline int steps_per_period(double period, double speed, double dt,
                                          std::string_view where = "catenary::steps_per_period") {
    require_positive(period, where, "period");
    require_positive(dt, where, "dt");
    require(std::abs(speed) > 0.0 && is_finite(speed), where, "speed is ", speed,
            " m/s, must be finite and not 0: seen from a standing train, a line has no period");
    const double steps = period / (std::abs(speed) * dt), nearest = std::round(steps);
    constexpr double fewest = 2.0, most = 1e6;
    require(steps >= fewest - 0.5 && steps <= most, where, "a span of ", period, " m takes ", steps, " steps of ", dt,
            " s at ", speed, " m/s, must be from ", fewest, " to ", most);
    if (std::abs(steps - nearest) > 1e-9 * nearest) {
        const double below = std::floor(steps), above = below + 1.0;
        require(false, where, "a span of ", period, " m takes ", steps, " steps of ", dt, " s at ", speed,
                " m/s, must be a whole number; use a speed of ", std::copysign(period / (above * dt), speed), " or ",
                std::copysign(period / (below * dt), speed), " m/s, or a step of ", period / (above * std::abs(speed)),
                " or ", period / (below * std::abs(speed)), " s");
    }
    return static_cast<int>(nearest);
}

/// @throws SetupError unless `factor` divides `steps`, the steps of a period, with the nearest factors that do.
inline void require_down_sampling(int steps, int factor, std::string_view where = "catenary::require_down_sampling") {
    require(factor >= 1 && factor <= steps, where, "factor is ", factor, ", must be from 1 to ", steps,
            ", the steps of a period");
    if (steps % factor == 0) return;
    int below = factor, above = factor;
    while (steps % below != 0) --below;
    while (steps % above != 0) ++above;
    require(false, where, "factor is ", factor, ", which does not divide the ", steps, " steps of a period; use ",
            below, " or ", above);
}

}  // namespace panto::catenary
