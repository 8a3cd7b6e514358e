// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How the set-up side reports trouble: one exception type, one readable sentence.

#pragma once

#include <panto/core/finite.hpp>

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

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

}  // namespace panto
