// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lumped pantographs as JSON files, format "panto-pantograph", version 1. One entry per mass, pan-head first; spring
/// and damper of an entry join its mass to the next one, those of the last entry to the roof. See docs/io.md.

#pragma once

#include <panto/io/json_object.hpp>
#include <panto/pantograph/presets.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace panto::io {

inline constexpr std::string_view pantograph_format = "panto-pantograph";
inline constexpr std::int64_t pantograph_version = 1;

namespace detail {

/// Empty, or a text that contains A, B or C as a word.
[[nodiscard]] inline bool says_confidence(std::string_view text) {
    const auto letter = [&](std::size_t i) {
        if (i >= text.size()) return false;
        const char c = text[i];
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    };
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] >= 'A' && text[i] <= 'C' && (i == 0 || !letter(i - 1)) && !letter(i + 1)) return true;
    return text.empty();
}

/// "mass[1]" of LumpedParams as "masses_head_first[1].mass_kg", the path in the file.
[[nodiscard]] inline std::string with_pantograph_keys(std::string message) {
    const std::array<std::pair<std::string, std::string>, 3> keys{
        {{"mass", "mass_kg"}, {"damping", "damping_Ns_per_m"}, {"stiffness", "stiffness_N_per_m"}}};
    for (const auto& [field, key] : keys) {
        const std::size_t at = message.find(": " + field + "[");
        const std::size_t end = message.find(']', at);
        if (at == std::string::npos || end == std::string::npos) continue;
        message.insert(end + 1, "." + key);
        message.replace(at + 2, field.size(), "masses_head_first");
    }
    if (const std::size_t at = message.find(": mass is empty"); at != std::string::npos)
        message.replace(at + 2, 4, "masses_head_first");
    return message;
}

}  // namespace detail

/// The pantograph of a parsed document; `file` is its name in messages.
/// @throws SetupError with file and path of the first error, or as pantograph::validate does.
[[nodiscard]] inline pantograph::Preset pantograph_from_json(const nlohmann::json& document, const std::string& file) {
    require_format(document, file, pantograph_format, pantograph_version);
    const JsonObject root(
        document, file, "",
        {"format", "version", "name", "source", "confidence", "note", "static_force_N", "masses_head_first"});
    pantograph::Preset preset{.name = root.text("name"),
                              .source = root.text_or("source", ""),
                              .confidence = root.text_or("confidence", ""),
                              .note = root.text_or("note", "")};
    if (!detail::says_confidence(preset.confidence))
        root.fail("confidence", "is text \"" + preset.confidence.substr(0, 60) +
                                    "\", expected a text with one of the letters A, B and C, such as \"B, one copy\"");
    preset.static_force = root.optional_number("static_force_N");
    if (preset.static_force && *preset.static_force < 0.0)
        root.fail("static_force_N", "is " + shown(*preset.static_force) + ", must be a number of at least 0");
    const std::vector<JsonObject> masses =
        root.objects("masses_head_first", {"mass_kg", "damping_Ns_per_m", "stiffness_N_per_m"});
    const auto count = static_cast<Eigen::Index>(masses.size());
    preset.params = {.mass = Vector<double, Dynamic>(count),
                     .damping = Vector<double, Dynamic>(count),
                     .stiffness = Vector<double, Dynamic>(count)};
    for (Eigen::Index i = 0; i < count; ++i) {
        const JsonObject& mass = masses[static_cast<std::size_t>(i)];
        preset.params.mass[i] = mass.number("mass_kg");
        preset.params.damping[i] = mass.number("damping_Ns_per_m");
        preset.params.stiffness[i] = mass.number("stiffness_N_per_m");
    }
    try {
        pantograph::validate(preset.params);
    } catch (const SetupError& e) {
        throw SetupError("file '" + file + "': " + detail::with_pantograph_keys(e.what()));
    }
    return preset;
}

/// The pantograph of a text; `file` is its name in messages.
/// @throws SetupError as pantograph_from_json() does, or if the text is not JSON.
[[nodiscard]] inline pantograph::Preset pantograph_from_text(std::string_view text, const std::string& file) {
    return pantograph_from_json(parse_json(text, file), file);
}

/// The pantograph in a file.
/// @throws SetupError as pantograph_from_text() does, or if the file cannot be read.
[[nodiscard]] inline pantograph::Preset read_pantograph(const std::filesystem::path& file) {
    return pantograph_from_text(read_text(file), file.string());
}

/// The text of a file from which the same pantograph is read, bit for bit.
/// @throws SetupError if the pantograph is not valid, would not read back, or its texts are not UTF-8.
[[nodiscard]] inline std::string pantograph_to_text(const pantograph::Preset& preset) {
    pantograph::validate(preset.params);
    require(detail::says_confidence(preset.confidence), "pantograph::Preset", "confidence is '", preset.confidence,
            "', expected a text with one of the letters A, B and C");
    if (preset.static_force) require_not_negative(*preset.static_force, "pantograph::Preset", "static_force");
    nlohmann::ordered_json masses = nlohmann::ordered_json::array();
    for (Eigen::Index i = 0; i < preset.params.mass.size(); ++i)
        masses.push_back({{"mass_kg", preset.params.mass[i]},
                          {"damping_Ns_per_m", preset.params.damping[i]},
                          {"stiffness_N_per_m", preset.params.stiffness[i]}});
    try {
        nlohmann::ordered_json json = {
            {"format", pantograph_format}, {"version", pantograph_version},   {"name", preset.name},
            {"source", preset.source},     {"confidence", preset.confidence}, {"note", preset.note}};
        if (preset.static_force) json["static_force_N"] = *preset.static_force;
        json["masses_head_first"] = masses;
        return pretty(json) + "\n";
    } catch (const nlohmann::json::exception&) {
        throw SetupError("pantograph::Preset: name, source, confidence or note is not valid UTF-8 text");
    }
}

/// @throws SetupError as pantograph_to_text() does, or if the file cannot be written.
inline void write_pantograph(const std::filesystem::path& file, const pantograph::Preset& preset) {
    write_text(file, pantograph_to_text(preset));
}

/// A published pantograph by its name, or the one in a file, if the text ends in .json or names an existing file.
/// @throws SetupError as read_pantograph() does, or with the nearest name if there is no such pantograph.
[[nodiscard]] inline pantograph::Preset pantograph_by_name_or_file(const std::string& text) {
    std::error_code error;
    if (text.ends_with(".json") || std::filesystem::is_regular_file(text, error)) return read_pantograph(text);
    return pantograph::preset(text);
}

}  // namespace panto::io
