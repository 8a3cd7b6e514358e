// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How set-up code reports failure: one exception type, one readable sentence.

#pragma once

#include <panto/core/finite.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Thrown by constructors and factories if the given data are invalid.
class SetupError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/// A number as messages and files show it: short, recognizable, the same in every locale.
/// @param digits  significant ones, 1 to 17
inline std::string shown(double value, int digits = 9) {
    std::array<char, 32> text;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr;
    return {text.data(), end};
}

/// A number with a given number of decimals, 0 to 17, the same in every locale.
inline std::string fixed_point(double value, int decimals) {
    std::array<char, 350> text;  // the largest double has 309 digits before the point
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals).ptr;
    return {text.data(), end};
}

/// One piece of a message: a text or a number. It becomes text only when a message is built.
class MessagePart {
  public:
    MessagePart(std::string_view text) : text_(text) {}
    MessagePart(const char* text) : text_(text) {}
    MessagePart(const std::string& text) : text_(text) {}
    template <std::integral Integer>
    MessagePart(Integer value) : whole_(static_cast<long long>(value)), kind_(Kind::whole) {}
    template <std::floating_point Float>
    MessagePart(Float value) : number_(static_cast<double>(value)), kind_(Kind::number) {}

    void append_to(std::string& message) const {
        if (kind_ == Kind::text) message += text_;
        if (kind_ == Kind::whole) message += std::to_string(whole_);
        if (kind_ == Kind::number) message += shown(number_);
    }

  private:
    enum class Kind : unsigned char { text, whole, number };
    std::string_view text_;
    long long whole_ = 0;
    double number_ = 0.0;
    Kind kind_ = Kind::text;
};

/// Throws SetupError("where: " and the parts one after the other).
[[noreturn]] inline void throw_setup_error(std::string_view where, std::initializer_list<MessagePart> what) {
    std::string message(where);
    message += ": ";
    for (const MessagePart& part : what) part.append_to(message);
    throw SetupError(message);
}

/// Throws SetupError("where: what") unless `condition` holds. `what` are texts and numbers; they are joined only if it
/// throws. For set-up code only.
template <class... Parts>
void require(bool condition, std::string_view where, const Parts&... what) {
    if (!condition) [[unlikely]]
        throw_setup_error(where, {MessagePart(what)...});
}

/// Throws "where: field must be finite and > 0, got value" unless the value is. `field` may be texts and
/// numbers, such as "mass[", 2, "]".
template <class... Parts>
void require_positive(double value, std::string_view where, const Parts&... field) {
    if (!(value > 0.0) || !is_finite(value)) [[unlikely]]
        throw_setup_error(where, {MessagePart(field)..., " must be finite and > 0, got ", value});
}

/// Throws "where: field must be finite and >= 0, got value" unless the value is.
template <class... Parts>
void require_not_negative(double value, std::string_view where, const Parts&... field) {
    if (!(value >= 0.0) || !is_finite(value)) [[unlikely]]
        throw_setup_error(where, {MessagePart(field)..., " must be finite and >= 0, got ", value});
}

/// Throws "where: field must be finite, got value" unless the value is.
template <class... Parts>
void require_finite(double value, std::string_view where, const Parts&... field) {
    if (!is_finite(value)) [[unlikely]]
        throw_setup_error(where, {MessagePart(field)..., " must be finite, got ", value});
}

/// The same for every one of `values`; the message has the index.
template <class... Parts>
void require_all_finite(const std::vector<double>& values, std::string_view where, const Parts&... field) {
    for (std::size_t i = 0; i < values.size(); ++i) require_finite(values[i], where, field..., "[", i, "]");
}

/// A part that was made for one time step, which dt() returns in s.
template <class T>
concept KnowsTimeStep = requires(const T& part) {
    { part.dt() } noexcept -> std::convertible_to<std::optional<double>>;
};

/// Throws "where: field is made for a time step of ..., expected that of the loop, ..." if `part` knows its time step
/// and this step differs from `dt` by more than rounding. A part without dt() fits every step, and so does a part whose
/// dt() is empty.
template <class Part, class... Parts>
void require_time_step(const Part& part, double dt, std::string_view where, const Parts&... field) {
    if constexpr (KnowsTimeStep<Part>) {
        const std::optional<double> own = part.dt();
        if (!own) return;
        require(std::fabs(*own - dt) <= 1e-9 * dt, where, field..., " is made for a time step of ", *own,
                " s, expected that of the loop, ", dt, " s");
    }
}

}  // namespace panto
