// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One finished evaluation as one line of text, for journals and for messages between processes:
///     17 ok 0.25 -3.5e-07 9f86d081884c7d65
///     18 failed threw: no equilibrium 2c26b46b68ffc68f
/// Numbers have as many digits as are needed to read the same bits. The last word is a checksum of the study's
/// fingerprint and the line, so a damaged line, or one of another study, is recognised.

#pragma once

#include <panto/study/concepts.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace panto::study {

struct Record {
    std::size_t index = 0;
    Outcome outcome = {};
};

/// The checksum of a line, 16 digits.
[[nodiscard]] inline std::string checksum(std::uint64_t fingerprint, std::string_view line) {
    return Hash().add(fingerprint).add(line).digits();
}

/// The line, without the newline.
[[nodiscard]] inline std::string to_record(std::uint64_t fingerprint, std::size_t index, const Outcome& outcome) {
    std::string line = std::to_string(index);
    if (outcome.ok()) {
        line += " ok";
        char digits[32];
        for (const double value : outcome.values)
            line.append(" ").append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    } else {
        line.append(" failed ").append(outcome.reason);
    }
    return line + ' ' + checksum(fingerprint, line);
}

/// Reads a line; empty if it is damaged, incomplete, or does not belong to this study.
[[nodiscard]] inline std::optional<Record> from_record(const Description& study, std::uint64_t fingerprint,
                                                       std::string_view line) {
    constexpr std::size_t tail = 17;  // a space and the checksum
    if (line.size() < tail) return {};
    const std::string_view sum = line.substr(line.size() - tail + 1);
    if (line[line.size() - tail] != ' ') return {};
    line.remove_suffix(tail);
    if (sum != checksum(fingerprint, line)) return {};

    const char* at = line.data();
    const char* const end = at + line.size();
    Record record;
    const auto index = std::from_chars(at, end, record.index);
    if (index.ec != std::errc() || record.index >= study.count) return {};
    std::string_view rest(index.ptr, static_cast<std::size_t>(end - index.ptr));
    if (rest.starts_with(" failed ")) {
        record.outcome = Outcome::failed(rest.substr(8), study.outputs);
        return record;
    }
    if (!rest.starts_with(" ok")) return {};
    at = rest.data() + 3;
    while (at != end) {
        double value = 0.0;
        if (*at++ != ' ') return {};
        const auto number = std::from_chars(at, end, value);
        if (number.ec != std::errc()) return {};
        record.outcome.values.push_back(value);
        at = number.ptr;
    }
    if (record.outcome.values.size() != study.outputs) return {};
    return record;
}

}  // namespace panto::study
