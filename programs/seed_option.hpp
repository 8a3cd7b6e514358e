// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The option --seed of the example programs.

#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

/// CLI11 takes a number that is too large for the largest there is, without a word: such seeds would all be the same.
inline CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed, const std::string& of_what) {
    const auto fits = [](const std::string& text) -> std::string {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size()) return {};
        return "is '" + text + "', must be a whole number from 0 to " +
               std::to_string(std::numeric_limits<std::uint64_t>::max());
    };
    return app.add_option("--seed", seed, of_what)->check(fits)->capture_default_str();
}
