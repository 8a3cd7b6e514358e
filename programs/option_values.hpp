// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the example programs take for the value of an option, whatever CLI11 or the locale would make of it.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/names.hpp>

#include <CLI/CLI.hpp>
#include <charconv>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// What CLI11 says, and the nearest option to one that does not exist.
inline std::string with_nearest_option(const CLI::App* app, const CLI::Error& error) {
    std::string text = CLI::FailureMessage::simple(app, error);
    std::vector<std::string_view> known;
    for (const CLI::Option* option : app->get_options())
        known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
    for (const std::string& given : app->remaining())
        if (given.starts_with("--") && !known.empty())
            text.append("Did you mean --").append(panto::nearest_name(given.substr(2, given.find('=') - 2), known)) +=
                "?\n";
    return text;
}

/// Refuses options that were given although they do nothing, `why`.
/// @throws panto::SetupError naming the option.
inline void refuse_idle(const CLI::App& app, std::initializer_list<const char*> options, const std::string& why) {
    for (const char* option : options)
        panto::require(app.count(option) == 0, option, "has no effect ", why, "; leave it out");
}

/// Call it when all options are known. CLI11 passes over an empty text, or takes the next option for the value, takes
/// 010 for eight, nan for a number and what is too large for infinity.
inline void check_values(CLI::App& app) {
    app.failure_message(with_nearest_option);
    const auto whole = []<class Number>(const std::string& given, Number value, const char* allowed) -> std::string {
        std::string_view text = given;
        if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && panto::is_finite(static_cast<double>(value)))
            return {};
        return "is '" + given + "', expected a " + allowed;
    };
    for (CLI::Option* option : app.get_options()) {
        if (option->get_type_size() == 0) continue;  // a flag
        const std::string type = option->get_type_name();
        option->check([type, whole](const std::string& given) -> std::string {
            if (type.starts_with("FLOAT")) return whole(given, 0.0, "finite number");
            if (type.starts_with("INT")) return whole(given, 0LL, "whole number");
            if (type.starts_with("UINT")) return whole(given, 0ULL, "whole number of at least 0");
            if (given.empty()) return "must not be empty";
            return given.starts_with("--") ? "is '" + given + "', which is an option: is a value missing?" : "";
        });
    }
}
