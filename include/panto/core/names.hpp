// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Suggestions for unknown names: the nearest known one.

#pragma once

#include <panto/core/check.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Number of single-character edits between two words, ignoring case (Levenshtein distance).
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row[b.size()];
}

/// The known name with the fewest edits; one that begins with `name` is preferred. `known` must not be empty.
[[nodiscard]] inline std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
    const auto distance = [&](std::string_view candidate) {
        const bool begun = name.size() > 1 && edit_distance(name, candidate.substr(0, name.size())) == 0;
        return begun ? 0 : edit_distance(name, candidate);
    };
    return *std::min_element(known.begin(), known.end(),
                             [&](std::string_view a, std::string_view b) { return distance(a) < distance(b); });
}

/// "where: no <kind> is called 'name'; did you mean 'x'? Known are a, b, c"
[[nodiscard]] inline std::string unknown_name(std::string_view where, std::string_view kind, std::string_view name,
                                              std::span<const std::string_view> known) {
    std::string text(where);
    text.append(": no ").append(kind).append(" is called '").append(name).append("'; did you mean '");
    text.append(nearest_name(name, known)).append("'? Known are ");
    for (std::size_t i = 0; i < known.size(); ++i) text.append(i ? ", " : "").append(known[i]);
    return text;
}

/// The enumerator with the name `text`; `known` lists the names in the order of the enumerators.
/// @throws SetupError with the nearest name if there is no such name.
template <class Enum>
[[nodiscard]] Enum enumerator_of(std::string_view where, std::string_view kind, std::string_view text,
                                 std::span<const std::string_view> known) {
    for (std::size_t i = 0; i < known.size(); ++i)
        if (known[i] == text) return static_cast<Enum>(i);
    throw SetupError(unknown_name(where, kind, text, known));
}

}  // namespace panto
