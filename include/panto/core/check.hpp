// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How the set-up side reports trouble: one exception type, one readable sentence.

#pragma once

#include <panto/core/finite.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Thrown by constructors and factories when the given data make no sense.
class SetupError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/// Throws SetupError("where: what") unless `condition` holds. For set-up code only.
inline void require(bool condition, std::string_view where, std::string_view what) {
    if (!condition) throw SetupError(std::string(where) + ": " + std::string(what));
}

/// A number as an error message shows it: short, and exact enough to be recognised.
inline std::string shown(double value) {
    std::ostringstream out;
    out.precision(9);
    out << value;
    return out.str();
}

/// Throws "where: field is value, allowed is ..." unless `value` is finite and positive.
inline void require_positive(double value, std::string_view where, std::string_view field) {
    if (!(value > 0.0) || !finite(value))
        throw SetupError(std::string(where) + ": " + std::string(field) + " is " + shown(value) +
                         ", allowed is a finite number above 0");
}

/// Throws "where: field is value, allowed is ..." unless `value` is finite and not negative.
inline void require_not_negative(double value, std::string_view where, std::string_view field) {
    if (!(value >= 0.0) || !finite(value))
        throw SetupError(std::string(where) + ": " + std::string(field) + " is " + shown(value) +
                         ", allowed is a finite number of at least 0");
}

/// Throws "where: field is value, allowed is ..." unless `value` is finite.
inline void require_finite(double value, std::string_view where, std::string_view field) {
    if (!finite(value))
        throw SetupError(std::string(where) + ": " + std::string(field) + " is " + shown(value) +
                         ", allowed is a finite number");
}

/// The same for every one of `values`; the message has the index.
inline void require_all_finite(const std::vector<double>& values, std::string_view where, std::string_view field) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!finite(values[i])) require_finite(values[i], where, std::string(field) + "[" + std::to_string(i) + "]");
}

/// A part that was made for one time step and says which, in s.
template <class T>
concept KnowsTimeStep = requires(const T& part) {
    { part.dt() } noexcept -> std::convertible_to<double>;
};

/// Throws "where: field is made for a time step of ..., allowed is ..." if `part` knows its step and it is another
/// than `dt`, by more than rounding. A part without dt() is taken for one that does not care.
template <class Part>
void require_time_step(const Part& part, double dt, std::string_view where, std::string_view field) {
    if constexpr (KnowsTimeStep<Part>) {
        const double own = part.dt();
        if (!(std::fabs(own - dt) <= 1e-9 * dt))
            throw SetupError(std::string(where) + ": " + std::string(field) + " is made for a time step of " +
                             shown(own) + " s, allowed is that of the loop, " + shown(dt) + " s");
    }
}

}  // namespace panto
