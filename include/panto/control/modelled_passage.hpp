// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The passage for which a controller's model of the line is made, and whether a line fits it. A model of one span is
/// periodic in time only at its own speed, and each of its cycles belongs to a place of the span.

#pragma once

#include <panto/core/check.hpp>

#include <cmath>
#include <string_view>

namespace panto::control {

struct ModelledPassage {
    double speed = 0.0;  ///< m/s; 0: the model does not say it, nothing is compared
    double start = 0.0;  ///< m, position of the contact at the beginning of a period
};

/// From the members `speed` and `start` of a model, if it has them.
/// @throws SetupError if one is not finite, or the speed is negative.
template <class Model>
[[nodiscard]] ModelledPassage modelled_passage(const Model& model, std::string_view where) {
    if constexpr (requires { ModelledPassage{model.speed, model.start}; }) {
        require_not_negative(model.speed, where, "the line's speed");
        require_finite(model.start, where, "the line's start");
        return {model.speed, model.start};
    } else {
        return {};
    }
}

/// Refuses a line whose speed changes within a period, or whose speed or place in the period differs from the model's.
/// Lines that do not tell the position of their contact pass.
/// @param period  duration of the model's period, s
/// @param since   time from the beginning of a period to the line's present state, s
/// @throws SetupError with the values of both.
template <class Line>
void require_passage(const ModelledPassage& model, double period, double since, const Line& line,
                     std::string_view where) {
    if constexpr (requires { line.position_after(period) - line.position(); }) {
        const double tenth = 0.1 * period, speed = (line.position_after(tenth) - line.position()) / tenth;
        for (int i = 1; i < 10; ++i) {
            const double later = (line.position_after((i + 1) * tenth) - line.position_after(i * tenth)) / tenth;
            require(std::abs(later - speed) <= 1e-6 * std::abs(speed), where, "the line's speed is ", speed,
                    " m/s at first and ", later, " m/s ", i * tenth,
                    " s later; the controller is made for one speed: begin where it is constant");
        }
        if (!(model.speed > 0.0)) return;
        require(std::abs(speed - model.speed) <= 1e-6 * model.speed, where, "the line's contact runs at ", speed,
                " m/s, the controller's model of the line at ", model.speed,
                " m/s, must be the same: make the controller for this line and speed");
        const double length = period * model.speed, at = model.start + since * model.speed,
                     apart = std::remainder(line.position() - at, length);
        require(std::abs(apart) <= 1e-6 * length, where, "the line's contact is at ", line.position(),
                " m, the controller's model of the line at ", at,
                " m, must be the same place but for whole periods of ", length,
                " m: start the line there, make the controller for this start, or give the cycle of its period that "
                "belongs to this place as the phase");
    }
}

}  // namespace panto::control
