// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pantograph files: what is written reads back bit for bit, and what is wrong is named.

#include <panto/io/pantograph_json.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace panto;

namespace pantograph_json_test {
namespace {

/// Doubles compare by value: there is no NaN and no signed zero in a preset.
bool same(const pantograph::Preset& a, const pantograph::Preset& b) {
    return a.name == b.name && a.source == b.source && a.confidence == b.confidence && a.note == b.note &&
           a.static_force == b.static_force && a.params.mass.size() == b.params.mass.size() &&
           a.params.mass == b.params.mass && a.params.damping == b.params.damping &&
           a.params.stiffness == b.params.stiffness;
}

std::string error_of(const std::string& text) {
    try {
        (void)io::pantograph_from_text(text, "pan.json");
    } catch (const SetupError& e) {
        return e.what();
    }
    return "no error";
}

template <class Change>
std::string error_after(const Change& change) {
    nlohmann::json json = nlohmann::json::parse(io::pantograph_to_text(pantograph::preset("DSA380_HiL")));
    change(json);
    return error_of(json.dump());
}

}  // namespace

TEST_CASE("The shipped pantograph files are the presets") {
    for (const std::string_view name : pantograph::preset_names) {
        const std::string file =
            std::string(PANTO_TEST_GOLDEN) + "/../../data/pantographs/" + std::string(name) + ".json";
        CAPTURE(file);
        CHECK(same(io::read_pantograph(file), pantograph::preset(name)));
        CHECK(io::read_text(file) == io::pantograph_to_text(pantograph::preset(name)));
        CHECK(same(io::pantograph_by_name_or_file(file), io::pantograph_by_name_or_file(std::string(name))));
    }
}

TEST_CASE("A pantograph of four masses with awkward numbers reads back the same") {
    pantograph::Preset preset{.name = "four", .source = "made up"};
    preset.params.mass = Vector<double, Dynamic>(4);
    preset.params.mass << 0.1, 1.0 / 3.0, 1e-300, 4e17 / 7.0;
    preset.params.damping = preset.params.mass / 3.0;
    preset.params.stiffness = preset.params.mass * 7.7;
    CHECK(same(io::pantograph_from_text(io::pantograph_to_text(preset), "four.json"), preset));
}

TEST_CASE("What is wrong in a pantograph file is named with its path") {
    CHECK(error_after([](auto& j) {
              j["masses_head_first"][1]["mass"] = 5.0;
          }).starts_with("file 'pan.json': masses_head_first[1].mass: unknown key, did you mean 'mass_kg'?"));
    CHECK(error_after([](auto& j) { j["masses_head_first"][2].erase("mass_kg"); }) ==
          "file 'pan.json': masses_head_first[2].mass_kg: missing");
    CHECK(error_after([](auto& j) { j["masses_head_first"][0]["damping_Ns_per_m"] = "NaN"; }) ==
          "file 'pan.json': masses_head_first[0].damping_Ns_per_m: is text \"NaN\", a number is needed");
    CHECK(error_after([](auto& j) { j["version"] = 2; }) ==
          "file 'pan.json': file has version 2, this version of panto reads up to version 1");
    CHECK(error_of("") == "file 'pan.json': is empty");
    CHECK(error_of(io::pantograph_to_text(pantograph::preset("DSA250")).substr(0, 60))
              .starts_with("file 'pan.json': is cut off at line 4"));
}

TEST_CASE("A pantograph that cannot be built is refused with the field and its value") {
    CHECK(error_after([](auto& j) { j["masses_head_first"][1]["mass_kg"] = -5.8; }) ==
          "file 'pan.json': pantograph::Lumped: masses_head_first[1].mass_kg must be finite and > 0, got -5.8");
    CHECK(error_after([](auto& j) {
              j["masses_head_first"][2]["damping_Ns_per_m"] = -1;
          }).find("masses_head_first[2].damping_Ns_per_m must be finite and >= 0, got -1") != std::string::npos);
    CHECK(error_after([](auto& j) {
              j["masses_head_first"] = nlohmann::json::array();
          }).find("masses_head_first is empty, at least one mass is needed") != std::string::npos);
}

TEST_CASE("The confidence of a pantograph is A, B or C, with words around it") {
    CHECK(error_after([](auto& j) { j["confidence"] = "D"; }) ==
          "file 'pan.json': confidence: is text \"D\", expected a text with one of the letters A, B and C, such as "
          "\"B, "
          "one copy\"");
    CHECK(error_after([](auto& j) { j["confidence"] = "Absolutely"; }) != "no error");
    for (const char* good : {"", "A", "C, low", "masses B, damping C"})
        CHECK(error_after([&](auto& j) { j["confidence"] = good; }) == "no error");
}

TEST_CASE("A pantograph that would not read back is not written") {
    pantograph::Preset preset = pantograph::preset("DSA380");
    preset.confidence = "sure";
    CHECK_THROWS_WITH_AS((void)io::pantograph_to_text(preset),
                         "pantograph::Preset: confidence is 'sure', expected a text with one of the letters A, B and C",
                         SetupError);
    preset.confidence = "A";
    preset.static_force = -5.0;
    CHECK_THROWS_AS((void)io::pantograph_to_text(preset), SetupError);
    preset.static_force = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS((void)io::pantograph_to_text(preset), SetupError);
}

TEST_CASE("The static force of a published model travels with it") {
    CHECK(pantograph::preset("EN50318_2002").static_force == 120.0);  // EN 50318:2002, static force of its model
    CHECK_FALSE(pantograph::preset("DSA380_HiL").static_force.has_value());
    CHECK(error_after([](auto& j) { j["static_force_N"] = -1; }) ==
          "file 'pan.json': static_force_N: is -1, must be a number of at least 0");
}

TEST_CASE("An unknown pantograph is answered with the nearest name") {
    CHECK_THROWS_WITH_AS((void)io::pantograph_by_name_or_file("DSA380HiL"),
                         doctest::Contains("did you mean 'DSA380_HiL'"), SetupError);
}

TEST_CASE("The pantograph of docs/io.md is a valid file") {
    const std::string page = io::read_text(std::string(PANTO_TEST_GOLDEN) + "/../../docs/io.md");
    const std::size_t format = page.find("\"panto-pantograph\"");
    REQUIRE(format != std::string::npos);
    const std::size_t begin = page.rfind("```json\n", format) + 8;
    const std::string example = page.substr(begin, page.find("```", begin) - begin);
    CHECK_NOTHROW(pantograph::validate(io::pantograph_from_text(example, "docs/io.md").params));
}

}  // namespace pantograph_json_test
