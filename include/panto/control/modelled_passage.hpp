// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The line and the passage for which a controller's model of the line is made, and whether a line fits it. A model of
/// one span is periodic in time only at the speed it is made for, and each of its cycles belongs to a place of the
/// span.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/line_facts.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace panto::control {

struct ModelledPassage {
    double speed = 0.0;   ///< m/s; 0 if the model does not give it: it is not compared then
    double start = 0.0;   ///< m, position of the contact at the beginning of a period
    LineFacts line = {};  ///< properties of the modelled line; empty if the model does not give them
};

/// From the members `speed`, `start` and `line` of a model; those it does not have are left empty.
/// @throws SetupError if one is not finite, or the speed is negative.
template <class Model>
[[nodiscard]] ModelledPassage modelled_passage(const Model& model, std::string_view where) {
    ModelledPassage passage;
    if constexpr (requires { ModelledPassage{model.speed, model.start}; }) {
        require_not_negative(model.speed, where, "the line's speed");
        require_finite(model.start, where, "the line's start");
        passage = {.speed = model.speed, .start = model.start};
    }
    if constexpr (requires { passage.line = model.line; }) passage.line = model.line;
    return passage;
}

/// Refuses a line whose properties differ from those of the modelled one. Only properties that both have are compared.
/// @throws SetupError with the quantity and both values.
template <class = void>
void require_same_line(const LineFacts& model, const LineFacts& line, std::string_view where) {
    for (const LineFact& f : model) {
        const auto same = [&](const LineFact& other) { return other.name == f.name; };
        const auto of_line = std::find_if(line.begin(), line.end(), same);
        if (of_line == line.end() || of_line->value == f.value) continue;
        const double largest = std::fmax(std::fabs(f.value), std::fabs(of_line->value));
        require(std::fabs(of_line->value - f.value) <= f.tolerance * largest && is_finite(largest), where,
                "the line's ", f.name, " is ", of_line->value, f.unit, ", in the controller's model of the line ",
                f.value, f.unit,
                ", must be the same: make the controller for this line, or clear `line` of its model to study a line "
                "that differs");
    }
}

/// Refuses a line whose speed changes before the contact leaves it. Also refuses a line that differs from the modelled
/// one in its properties, in the speed, or in its place in the period. A line without position_after() is accepted.
/// @param period  duration of the model's period, s
/// @param since   time from the beginning of a period to the line's present state, s
/// @throws SetupError with the values of both.
template <class Line>
void require_passage(const ModelledPassage& model, double period, double since, const Line& line,
                     std::string_view where) {
    if constexpr (requires { line.position_after(period) - line.position(); }) {
        const double tenth = 0.1 * period, speed = (line.position_after(tenth) - line.position()) / tenth;
        // Tenths of the period at first, then stretches of 2 % of the time, for more than a day.
        for (double at = tenth, to = 2.0 * tenth; at < 1e5; at = to, to += std::fmax(tenth, 0.02 * (to - period))) {
            if constexpr (requires { line.length() < line.position(); })
                if (line.position_after(at) >= line.length()) break;
            const double later = (line.position_after(to) - line.position_after(at)) / (to - at);
            require(std::abs(later - speed) <= 1e-6 * std::abs(speed), where, "the line's speed is ", speed,
                    " m/s at first and ", later, " m/s on average from ", at, " to ", to,
                    " s later; the controller is made for one speed: begin where it is constant, and keep it to the "
                    "end of the line");
        }
        if constexpr (requires { line.line_facts(0.0); })  // where the period began
            require_same_line(model.line, line.line_facts(line.position() - since * speed), where);
        if (!(model.speed > 0.0)) return;
        require(std::abs(speed - model.speed) <= 1e-6 * model.speed, where, "the line's contact runs at ", speed,
                " m/s, the controller's model of the line at ", model.speed,
                " m/s, must be the same: make the controller for this line and speed");
        const double length = period * model.speed, at = model.start + since * model.speed,
                     apart = std::remainder(line.position() - at, length);
        require(
            std::abs(apart) <= 1e-6 * length, where, "the line's contact is at ", line.position(),
            " m, the controller's model of the line at ", at, " m, must be the same place but for whole periods of ",
            length,
            " m: start the line there, make the controller for this start, or give a NonlinearImpedanceLoop the cycle "
            "of the period that belongs to this place as its phase");
    }
}

}  // namespace panto::control
