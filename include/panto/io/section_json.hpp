// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Catenary sections as JSON files, format "panto-catenary", version 1. The unit is part of every key
/// (`tension_N`, `position_m`). Equal spans and supports in a row can be written once with "repeat". See docs/io.md.

#pragma once

#include <panto/catenary/lines.hpp>
#include <panto/catenary/section.hpp>
#include <panto/io/json_object.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace panto::io {

inline constexpr std::string_view section_format = "panto-catenary";
inline constexpr std::int64_t section_version = 1;
inline constexpr std::int64_t most_spans = 20'000;  ///< in a file, repeats included: about 1000 km

namespace detail {

[[nodiscard]] inline catenary::Wire<> read_wire(const JsonObject& parent, const std::string& key) {
    const JsonObject wire =
        parent.object(key, {"mass_kg_per_m", "tension_N", "bending_stiffness_N_m2", "axial_stiffness_N"});
    return {.mass_per_length = wire.number("mass_kg_per_m"),
            .tension = wire.number("tension_N"),
            .bending_stiffness = wire.number("bending_stiffness_N_m2"),
            .axial_stiffness = wire.number_or("axial_stiffness_N", 0.0)};
}

[[nodiscard]] inline catenary::DropperType<> read_dropper_type(const JsonObject& parent) {
    const JsonObject dropper = parent.object("dropper", {"stiffness_N_per_m", "axial_stiffness_N", "mass_kg_per_m",
                                                         "clamp_mass_contact_kg", "clamp_mass_messenger_kg"});
    return {.stiffness = dropper.optional_number("stiffness_N_per_m"),
            .axial_stiffness = dropper.number_or("axial_stiffness_N", 0.0),
            .mass_per_length = dropper.number_or("mass_kg_per_m", 0.0),
            .clamp_mass_contact = dropper.number_or("clamp_mass_contact_kg", 0.0),
            .clamp_mass_messenger = dropper.number_or("clamp_mass_messenger_kg", 0.0)};
}

[[nodiscard]] inline catenary::Span read_span(const JsonObject& from) {
    catenary::Span span{.length = from.number("length_m")};
    for (const JsonObject& dropper : from.objects("droppers", {"position_m", "contact_wire_height_m"}))
        span.droppers.push_back({dropper.number("position_m"), dropper.number("contact_wire_height_m")});
    return span;
}

[[nodiscard]] inline catenary::Support<> read_support(const JsonObject& from) {
    catenary::Support<> support{.messenger_height = from.number("messenger_height_m"),
                                .messenger_stiffness = from.optional_number("messenger_stiffness_N_per_m"),
                                .messenger_damping = from.optional_number("messenger_damping_N_s_per_m")};
    if (from.has("steady_arm")) {
        const JsonObject arm = from.object(
            "steady_arm", {"mass_kg_per_m", "length_m", "stiffness_N_per_m", "damping_N_s_per_m", "held_height_m"});
        support.steady_arm = catenary::SteadyArm<>{.mass_per_length = arm.number_or("mass_kg_per_m", 0.0),
                                                   .length = arm.number_or("length_m", 0.0),
                                                   .stiffness = arm.number_or("stiffness_N_per_m", 0.0),
                                                   .held_height = arm.optional_number("held_height_m"),
                                                   .damping = arm.number_or("damping_N_s_per_m", 0.0)};
    }
    if (from.has("stitch_wire")) {
        const JsonObject wire = from.object(
            "stitch_wire", {"mass_kg_per_m", "tension_N", "length_m", "clamp_mass_kg", "messenger_tension_N"});
        support.stitch_wire = catenary::StitchWire<>{.mass_per_length = wire.number("mass_kg_per_m"),
                                                     .tension = wire.number("tension_N"),
                                                     .length = wire.number("length_m"),
                                                     .clamp_mass = wire.number_or("clamp_mass_kg", 0.0),
                                                     .messenger_tension = wire.optional_number("messenger_tension_N")};
    }
    return support;
}

/// The entries of a list. An entry with "repeat": n is taken n times.
template <class Entry, class Read>
[[nodiscard]] std::vector<Entry> read_repeated(const JsonObject& parent, const std::string& key,
                                               JsonObject::Names known, const Read& read) {
    known.insert(known.begin(), "repeat");
    std::vector<Entry> list;
    for (const JsonObject& from : parent.objects(key, known)) {
        const std::int64_t times = from.has("repeat") ? from.integer("repeat", 1, most_spans) : 1;
        if (static_cast<std::int64_t>(list.size()) + times > most_spans + 1)
            from.fail("repeat",
                      "makes more than " + std::to_string(most_spans) + " " + key + "; at most that many are allowed");
        list.insert(list.end(), static_cast<std::size_t>(times), read(from));
    }
    return list;
}

/// A list in which equal neighbors are written as one entry with "repeat".
template <class Entry, class Write>
[[nodiscard]] nlohmann::ordered_json written_repeated(const std::vector<Entry>& list, const Write& write) {
    nlohmann::ordered_json result = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < list.size();) {
        const nlohmann::ordered_json entry = write(list[i]);
        std::size_t end = i + 1;
        // Compared as text, because 0.0 and -0.0 are equal as numbers but not bit for bit.
        for (const std::string text = entry.dump(); end < list.size() && write(list[end]).dump() == text;) ++end;
        nlohmann::ordered_json repeated = nlohmann::ordered_json::object();
        if (end - i > 1) repeated["repeat"] = end - i;
        repeated.update(entry);
        result.push_back(std::move(repeated));
        i = end;
    }
    return result;
}

[[nodiscard]] inline nlohmann::ordered_json written(const catenary::Wire<>& wire) {
    return {{"mass_kg_per_m", wire.mass_per_length},
            {"tension_N", wire.tension},
            {"bending_stiffness_N_m2", wire.bending_stiffness},
            {"axial_stiffness_N", wire.axial_stiffness}};
}

[[nodiscard]] inline nlohmann::ordered_json written(const catenary::DropperType<>& dropper) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (dropper.stiffness) json["stiffness_N_per_m"] = *dropper.stiffness;
    json["axial_stiffness_N"] = dropper.axial_stiffness;
    json["mass_kg_per_m"] = dropper.mass_per_length;
    json["clamp_mass_contact_kg"] = dropper.clamp_mass_contact;
    json["clamp_mass_messenger_kg"] = dropper.clamp_mass_messenger;
    return json;
}

[[nodiscard]] inline nlohmann::ordered_json written(const catenary::Span& span) {
    nlohmann::ordered_json droppers = nlohmann::ordered_json::array();
    for (const catenary::Dropper& d : span.droppers)
        droppers.push_back({{"position_m", d.position}, {"contact_wire_height_m", d.contact_wire_height}});
    return {{"length_m", span.length}, {"droppers", std::move(droppers)}};
}

[[nodiscard]] inline nlohmann::ordered_json written(const catenary::Support<>& support) {
    nlohmann::ordered_json json = {{"messenger_height_m", support.messenger_height}};
    if (support.messenger_stiffness) json["messenger_stiffness_N_per_m"] = *support.messenger_stiffness;
    if (support.messenger_damping) json["messenger_damping_N_s_per_m"] = *support.messenger_damping;
    if (const auto& arm = support.steady_arm) {
        json["steady_arm"] = {
            {"mass_kg_per_m", arm->mass_per_length}, {"length_m", arm->length}, {"stiffness_N_per_m", arm->stiffness}};
        if (arm->damping > 0.0) json["steady_arm"]["damping_N_s_per_m"] = arm->damping;
        if (arm->held_height) json["steady_arm"]["held_height_m"] = *arm->held_height;
    }
    if (const auto& wire = support.stitch_wire) {
        json["stitch_wire"] = {{"mass_kg_per_m", wire->mass_per_length},
                               {"tension_N", wire->tension},
                               {"length_m", wire->length},
                               {"clamp_mass_kg", wire->clamp_mass}};
        if (wire->messenger_tension) json["stitch_wire"]["messenger_tension_N"] = *wire->messenger_tension;
    }
    return json;
}

/// A message of catenary::validate in which names of members are replaced by keys of the file: "spans[3].length is"
/// becomes "spans[3].length_m is".
[[nodiscard]] inline std::string with_section_keys(std::string_view message) {
    static constexpr std::array<std::array<std::string_view, 2>, 20> keys{
        {{"mass_per_length", "mass_kg_per_m"},
         {"tension", "tension_N"},
         {"bending_stiffness", "bending_stiffness_N_m2"},
         {"axial_stiffness", "axial_stiffness_N"},
         {"stiffness", "stiffness_N_per_m"},
         {"clamp_mass_contact", "clamp_mass_contact_kg"},
         {"clamp_mass_messenger", "clamp_mass_messenger_kg"},
         {"clamp_mass", "clamp_mass_kg"},
         {"alpha", "alpha_per_s"},
         {"beta", "beta_s"},
         {"gravity", "gravity_m_per_s2"},
         {"length", "length_m"},
         {"position", "position_m"},
         {"contact_wire_height", "contact_wire_height_m"},
         {"messenger_height", "messenger_height_m"},
         {"messenger_stiffness", "messenger_stiffness_N_per_m"},
         {"messenger_damping", "messenger_damping_N_s_per_m"},
         {"damping", "damping_N_s_per_m"},  // of a steady arm; the section's damping has the same name in both
         {"held_height", "held_height_m"},
         {"messenger_tension", "messenger_tension_N"}}};
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";
    std::string text;
    while (!message.empty()) {
        const std::size_t end = std::min(message.find_first_not_of(letters), message.size());
        std::string_view word = message.substr(0, end);
        message.remove_prefix(end);
        if (text.ends_with('.') || text.ends_with(": "))  // the name of a member, not a word of the sentence
            for (const auto& [member, key] : keys)
                if (word == member && (word != "damping" || text.ends_with("steady_arm."))) {
                    word = key;
                    break;
                }
        text += word;
        const std::size_t next = std::min(message.find_first_of(letters), message.size());
        text += message.substr(0, next);
        message.remove_prefix(next);
    }
    return text;
}

}  // namespace detail

/// The section of a parsed document; `file` is its name in messages.
/// @throws SetupError with file and path of the first error, or as catenary::validate does.
[[nodiscard]] inline catenary::Section<> section_from_json(const nlohmann::json& document, const std::string& file) {
    require_format(document, file, section_format, section_version);
    const JsonObject root(document, file, "",
                          {"format", "version", "name", "source", "gravity_m_per_s2", "contact_wire", "messenger_wire",
                           "dropper", "damping", "spans", "supports"});
    catenary::Section<> section{.name = root.text("name"),
                                .source = root.text_or("source", ""),
                                .contact_wire = detail::read_wire(root, "contact_wire"),
                                .messenger_wire = detail::read_wire(root, "messenger_wire"),
                                .dropper = detail::read_dropper_type(root)};
    const JsonObject damping = root.object("damping", {"alpha_per_s", "beta_s"});
    section.damping = {.alpha = damping.number("alpha_per_s"), .beta = damping.number("beta_s")};
    section.gravity = root.number_or("gravity_m_per_s2", section.gravity);
    section.spans = detail::read_repeated<catenary::Span>(root, "spans", {"length_m", "droppers"}, &detail::read_span);
    section.supports =
        detail::read_repeated<catenary::Support<>>(root, "supports",
                                                   {"messenger_height_m", "messenger_stiffness_N_per_m",
                                                    "messenger_damping_N_s_per_m", "steady_arm", "stitch_wire"},
                                                   &detail::read_support);
    try {
        catenary::validate(section);
    } catch (const SetupError& e) {
        throw SetupError("file '" + file + "': " + detail::with_section_keys(e.what()) +
                         " (spans and supports counted with repeats written out)");
    }
    return section;
}

/// The section of a text; `file` is its name in messages.
/// @throws SetupError as section_from_json() does, or if the text is not JSON.
[[nodiscard]] inline catenary::Section<> section_from_text(std::string_view text, const std::string& file) {
    return section_from_json(parse_json(text, file), file);
}

/// The section in a file.
/// @throws SetupError as section_from_text() does, or if the file cannot be read.
[[nodiscard]] inline catenary::Section<> read_section(const std::filesystem::path& file) {
    return section_from_text(read_text(file), file.string());
}

/// The text of a file from which the same section is read, bit for bit.
/// @throws SetupError if the section is not valid or its texts are not UTF-8.
[[nodiscard]] inline std::string section_to_text(const catenary::Section<>& section) {
    catenary::validate(section);
    const nlohmann::ordered_json json = {
        {"format", section_format},
        {"version", section_version},
        {"name", section.name},
        {"source", section.source},
        {"gravity_m_per_s2", section.gravity},
        {"contact_wire", detail::written(section.contact_wire)},
        {"messenger_wire", detail::written(section.messenger_wire)},
        {"dropper", detail::written(section.dropper)},
        {"damping", {{"alpha_per_s", section.damping.alpha}, {"beta_s", section.damping.beta}}},
        {"spans", detail::written_repeated(section.spans, [](const auto& span) { return detail::written(span); })},
        {"supports",
         detail::written_repeated(section.supports, [](const auto& support) { return detail::written(support); })}};
    try {
        return pretty(json) + "\n";
    } catch (const nlohmann::json::exception&) {
        throw SetupError("catenary::Section: name or source is not valid UTF-8 text");
    }
}

/// @throws SetupError as section_to_text() does, or if the file cannot be written.
inline void write_section(const std::filesystem::path& file, const catenary::Section<>& section) {
    write_text(file, section_to_text(section));
}

/// A published line by its name, or the line in a file, if the text ends in .json or names an existing file.
/// @throws SetupError as read_section() does, or with the nearest name if there is no such line.
[[nodiscard]] inline catenary::Section<> section_by_name_or_file(const std::string& text) {
    std::error_code error;
    if (text.ends_with(".json") || std::filesystem::is_regular_file(text, error)) return read_section(text);
    return catenary::line(text);
}

}  // namespace panto::io
