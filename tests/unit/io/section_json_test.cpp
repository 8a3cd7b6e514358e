// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Catenary files: what is written reads back bit for bit, and nothing wrong passes without a message that names it.

#include <panto/io/section_json.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace panto;

namespace section_json_test {
namespace {

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same(const std::optional<double>& a, const std::optional<double>& b) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
bool same(const catenary::Wire<>& a, const catenary::Wire<>& b) {
    return same(a.mass_per_length, b.mass_per_length) && same(a.tension, b.tension) &&
           same(a.bending_stiffness, b.bending_stiffness) && same(a.axial_stiffness, b.axial_stiffness);
}
bool same(const catenary::Span& a, const catenary::Span& b) {
    bool equal = same(a.length, b.length) && a.droppers.size() == b.droppers.size();
    for (std::size_t i = 0; equal && i < a.droppers.size(); ++i)
        equal = same(a.droppers[i].position, b.droppers[i].position) &&
                same(a.droppers[i].contact_wire_height, b.droppers[i].contact_wire_height);
    return equal;
}
bool same(const catenary::Support<>& a, const catenary::Support<>& b) {
    if (!same(a.messenger_height, b.messenger_height) || !same(a.messenger_stiffness, b.messenger_stiffness) ||
        !same(a.messenger_damping, b.messenger_damping) || a.steady_arm.has_value() != b.steady_arm.has_value() ||
        a.stitch_wire.has_value() != b.stitch_wire.has_value())
        return false;
    if (a.steady_arm &&
        !(same(a.steady_arm->mass_per_length, b.steady_arm->mass_per_length) &&
          same(a.steady_arm->length, b.steady_arm->length) && same(a.steady_arm->stiffness, b.steady_arm->stiffness) &&
          same(a.steady_arm->damping, b.steady_arm->damping) &&
          same(a.steady_arm->held_height, b.steady_arm->held_height)))
        return false;
    return !a.stitch_wire || (same(a.stitch_wire->mass_per_length, b.stitch_wire->mass_per_length) &&
                              same(a.stitch_wire->tension, b.stitch_wire->tension) &&
                              same(a.stitch_wire->length, b.stitch_wire->length) &&
                              same(a.stitch_wire->clamp_mass, b.stitch_wire->clamp_mass) &&
                              same(a.stitch_wire->messenger_tension, b.stitch_wire->messenger_tension));
}
bool same(const catenary::Section<>& a, const catenary::Section<>& b) {
    bool equal = a.name == b.name && a.source == b.source && same(a.contact_wire, b.contact_wire) &&
                 same(a.messenger_wire, b.messenger_wire) && same(a.dropper.stiffness, b.dropper.stiffness) &&
                 same(a.dropper.axial_stiffness, b.dropper.axial_stiffness) &&
                 same(a.dropper.mass_per_length, b.dropper.mass_per_length) &&
                 same(a.dropper.clamp_mass_contact, b.dropper.clamp_mass_contact) &&
                 same(a.dropper.clamp_mass_messenger, b.dropper.clamp_mass_messenger) &&
                 same(a.damping.alpha, b.damping.alpha) && same(a.damping.beta, b.damping.beta) &&
                 same(a.gravity, b.gravity) && a.spans.size() == b.spans.size() &&
                 a.supports.size() == b.supports.size();
    for (std::size_t i = 0; equal && i < a.spans.size(); ++i) equal = same(a.spans[i], b.spans[i]);
    for (std::size_t i = 0; equal && i < a.supports.size(); ++i) equal = same(a.supports[i], b.supports[i]);
    return equal;
}

/// A section in which no two values are equal and none is a round number.
catenary::Section<> awkward(std::uint64_t seed, int droppers = 5) {
    std::mt19937_64 random(seed);
    const auto number = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
    catenary::Section<> s{.name = "awkward \"quoted\" \u00fc",
                          .source = "line\nbreak",
                          .contact_wire = {number(1, 2), number(2e4, 3e4), number(100, 200), number(1e6, 2e6)},
                          .messenger_wire = {number(1, 2), number(2e4, 3e4), number(100, 200), number(1e6, 2e6)},
                          .dropper = {number(1e4, 1e5), number(1e4, 1e5), number(0, 1), number(0, 1), number(0, 1)},
                          .damping = {number(0, 1), number(0, 1e-3)},
                          .gravity = number(9, 10)};
    for (int i = 0; i < 4; ++i) {
        catenary::Span span{.length = number(50, 60)};
        for (int j = 0; j < droppers; ++j)
            span.droppers.push_back({4.0 + 10.0 * j + number(0, 5), number(-0.05, 0.05)});
        s.spans.push_back(span);
    }
    s.spans.push_back(s.spans.back());
    // Equal as numbers, not bit for bit: must not be folded into one entry.
    s.spans[3].droppers[0].contact_wire_height = 0.0;
    s.spans[4].droppers[0].contact_wire_height = -0.0;
    for (int i = 0; i < 6; ++i) {
        catenary::Support<> support{.messenger_height = number(1, 2)};
        if (i > 0 && i < 5) {
            if (i != 2) support.messenger_stiffness = number(1e5, 1e6);
            if (i == 1) support.messenger_damping = number(0, 1e4);
            if (i != 3) support.steady_arm = catenary::SteadyArm<>{number(0, 1), number(0, 1), number(0, 1)};
            if (i == 1)
                support.steady_arm->held_height = number(-0.1, 0.1), support.steady_arm->damping = number(0, 1e3);
            if (i != 4)
                support.stitch_wire =
                    catenary::StitchWire<>{number(0.1, 1), number(1e3, 4e3), number(5, 20), number(0, 1)};
            if (i == 1) support.stitch_wire->messenger_tension = number(5e3, 9e3);
        }
        s.supports.push_back(support);
    }
    return s;
}

std::string error_of(const std::string& text) {
    try {
        (void)io::section_from_text(text, "line.json");
    } catch (const SetupError& e) {
        return e.what();
    }
    return "no error";
}

/// The message after one change of a valid file.
template <class Change>
std::string error_after(const Change& change) {
    nlohmann::json json = nlohmann::json::parse(io::section_to_text(catenary::stitched_hil()));
    change(json);
    return error_of(json.dump());
}

bool contains(const std::string& text, const std::string& part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found) MESSAGE("\"" << part << "\" is not in: " << text);
    return found;
}

}  // namespace

TEST_CASE("A section reads back bit for bit, whatever its numbers") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const catenary::Section<> section = awkward(seed);
        CAPTURE(seed);
        CHECK(same(section, io::section_from_text(io::section_to_text(section), "awkward.json")));
    }
}

TEST_CASE("The comparison of these tests sees the last bit of every number") {
    catenary::Section<> changed = awkward(1);
    changed.supports[1].stitch_wire->tension = std::nextafter(changed.supports[1].stitch_wire->tension, 1e9);
    CHECK_FALSE(same(changed, awkward(1)));
}

TEST_CASE("The shipped catenary files are the presets") {
    for (const std::string_view name : catenary::line_names) {
        const std::string file =
            std::string(PANTO_TEST_GOLDEN) + "/../../data/catenaries/" + std::string(name) + ".json";
        CAPTURE(file);
        CHECK(same(io::read_section(file), catenary::line(name)));
        CHECK(io::read_text(file) == io::section_to_text(catenary::line(name)));
        CHECK(same(io::section_by_name_or_file(file), io::section_by_name_or_file(std::string(name))));
    }
}

TEST_CASE("Equal spans in a row are one entry with repeat") {
    const auto json = nlohmann::json::parse(io::section_to_text(catenary::en50318_2002(12)));
    CHECK(json["spans"].size() == 1);
    CHECK(json["spans"][0]["repeat"] == 12);
    CHECK(json["supports"].size() == 3);
    CHECK(json["supports"][1]["repeat"] == 11);
}

TEST_CASE("An unknown key is named with its path and the nearest known key") {
    const std::string e = error_after([](auto& j) {
        j["spans"].push_back(j["spans"][0]);
        j["spans"][1]["droppers"][2]["postion_m"] = 1.0;
    });
    CHECK(contains(e, "file 'line.json': spans[1].droppers[2].postion_m: unknown key, did you mean 'position_m'?"));
    CHECK(contains(error_after([](auto& j) { j["gravity"] = 9.81; }), "did you mean 'gravity_m_per_s2'?"));
    CHECK(contains(error_after([](auto& j) { j["contact_wire"]["tension_kN"] = 9.81; }),
                   "contact_wire.tension_kN: unknown key, did you mean 'tension_N'?"));
}

TEST_CASE("A missing key is named with its path") {
    CHECK(contains(error_after([](auto& j) { j["supports"][1]["stitch_wire"].erase("length_m"); }),
                   "file 'line.json': supports[1].stitch_wire.length_m: missing"));
    CHECK(contains(error_after([](auto& j) { j.erase("damping"); }), "damping: missing"));
}

TEST_CASE("A value of the wrong type is shown with what is needed") {
    CHECK(contains(error_after([](auto& j) { j["spans"][0]["length_m"] = "65"; }),
                   "spans[0].length_m: is text \"65\", a number is needed"));
    CHECK(contains(error_after([](auto& j) { j["contact_wire"]["tension_N"] = "NaN"; }),
                   "contact_wire.tension_N: is text \"NaN\", a number is needed"));
    CHECK(contains(error_after([](auto& j) { j["gravity_m_per_s2"] = nullptr; }), "is null, a number is needed"));
    CHECK(contains(error_after([](auto& j) { j["name"] = 3; }), "name: is 3, text in quotes is needed"));
    CHECK(contains(error_after([](auto& j) { j["spans"] = 20; }), "spans: is 20, a list [ ] is needed"));
    CHECK(contains(error_after([](auto& j) { j["damping"] = 0.1; }), "damping: is 0.1, an object { } is needed"));
    CHECK(contains(error_after([](auto& j) { j["spans"][0]["repeat"] = 2.5; }),
                   "spans[0].repeat: is 2.5, must be a whole number from 1 to 20000"));
    CHECK(contains(error_after([](auto& j) { j["spans"][0]["repeat"] = 0; }), "repeat: is 0, must be"));
    CHECK(contains(error_after([](auto& j) { j["spans"][0]["repeat"] = ~std::uint64_t{0}; }), "must be a whole"));
}

TEST_CASE("NaN and numbers no double can hold are refused where they stand") {
    std::string text = io::section_to_text(catenary::stitched_hil());
    const std::size_t at = text.find("31500.0");
    CHECK(contains(error_of(std::string(text).replace(at, 7, "NaN")), "file 'line.json': is not valid JSON at line 9"));
    CHECK(contains(error_of(std::string(text).replace(at, 7, "-Infinity")), "is not valid JSON at line 9"));
    CHECK(contains(error_of(std::string(text).replace(at, 7, "1e999")),
                   "file 'line.json': contact_wire.tension_N: number overflow"));
    auto json = nlohmann::json::parse(text);
    json["damping"]["beta_s"] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)io::section_from_json(json, "built in memory"),
                         "file 'built in memory': damping.beta_s: is nan, a finite number is needed", SetupError);
}

TEST_CASE("A file of a newer version or another format is refused before anything else is looked at") {
    const std::string e = error_after([](auto& j) {
        j["version"] = 2;
        j["key of the future"] = 1;
    });
    CHECK(e == "file 'line.json': file has version 2, this version of panto reads up to version 1");
    CHECK(contains(error_after([](auto& j) { j["version"] = "1"; }), "version: is \"1\", must be a whole number"));
    CHECK(contains(error_after([](auto& j) { j["version"] = 0; }), "version: is 0, must be a whole number"));
    CHECK(contains(error_after([](auto& j) { j.erase("version"); }), "version: missing"));
    CHECK(contains(error_after([](auto& j) { j["format"] = "panto-pantograph"; }),
                   "format: is \"panto-pantograph\", \"panto-catenary\" is needed"));
    CHECK(contains(error_of("[1, 2]"), "is not a JSON object"));
}

TEST_CASE("An empty, truncated or missing file is named with the place") {
    CHECK(error_of("") == "file 'line.json': is empty");
    CHECK(error_of(" \n ") == "file 'line.json': is empty");
    const std::string text = io::section_to_text(catenary::en50318_2002());
    CHECK(contains(error_of(text.substr(0, 100)), "file 'line.json': is cut off at line 5, column "));
    CHECK_THROWS_WITH_AS((void)io::read_section("/nowhere/line.json"), "file '/nowhere/line.json': does not exist",
                         SetupError);
    CHECK_THROWS_WITH_AS((void)io::read_section("/"), "file '/': is a folder, a file is needed", SetupError);
}

TEST_CASE("No prefix of a file passes for a section") {
    const std::string text = io::section_to_text(catenary::en50318_2002(1));
    for (std::size_t n = 0; n + 2 < text.size(); ++n) {
        CAPTURE(n);
        REQUIRE(error_of(text.substr(0, n)) != "no error");
    }
}

TEST_CASE("A key that appears twice is refused with its path") {
    std::string text = io::section_to_text(catenary::stitched_hil());
    const std::string once = "\"position_m\": 24.18";
    text.replace(text.find(once), once.size(), "\"position_m\": 24.18, \"position_m\": 25.18");
    CHECK(error_of(text) == "file 'line.json': spans[0].droppers[2].position_m: the key appears twice");
}

TEST_CASE("Nesting without end is refused") {
    CHECK(contains(error_of(std::string(100'000, '[')), "nested deeper than the 32 levels"));
}

TEST_CASE("A file that would fill the memory is refused") {
    CHECK(contains(error_after([](auto& j) {
                       j["spans"][0]["repeat"] = 20'000;
                       j["spans"].push_back(j["spans"][0]);
                   }),
                   "spans[1].repeat: makes more than 20000 spans; at most that many are allowed"));
}

TEST_CASE("What cannot be built is refused with file, field, value and what is allowed") {
    CHECK(contains(error_after([](auto& j) { j["spans"][0]["droppers"][6]["position_m"] = 70.0; }),
                   "file 'line.json': catenary::Section 'stitched_hil': spans[0].droppers[6].position_m is 70, must be "
                   "above 49.52"));
    CHECK(contains(error_after([](auto& j) { j["spans"][0]["droppers"] = nlohmann::json::array(); }), "is empty"));
    CHECK(contains(error_after([](auto& j) { j["spans"] = nlohmann::json::array(); }), "spans is empty"));
    CHECK(contains(error_after([](auto& j) { j["supports"].erase(0); }), "supports has 20 entries for 20 spans"));
    CHECK(contains(error_after([](auto& j) { j["contact_wire"]["tension_N"] = -1.0; }),
                   "contact_wire.tension_N must be finite and > 0, got -1"));
    CHECK(contains(error_after([](auto& j) { j["gravity_m_per_s2"] = -1.0; }),
                   ": gravity_m_per_s2 must be finite and > 0, got -1"));
}

TEST_CASE("An unknown line is answered with the nearest name") {
    CHECK_THROWS_WITH_AS((void)io::section_by_name_or_file("stiched_hil"),
                         doctest::Contains("did you mean 'stitched_hil'"), SetupError);
    CHECK_THROWS_WITH_AS((void)io::section_by_name_or_file("stitched.json"), "file 'stitched.json': does not exist",
                         SetupError);
}

TEST_CASE("A section that is not valid or not UTF-8 is not written") {
    catenary::Section<> section = catenary::stitched_hil();
    section.name = "\xff\xfe";
    CHECK_THROWS_AS((void)io::section_to_text(section), SetupError);
    section = catenary::stitched_hil();
    section.gravity = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS((void)io::section_to_text(section), SetupError);
}

TEST_CASE("Deleting or replacing any value of a file gives a valid section or a SetupError that names the file") {
    const nlohmann::json good = nlohmann::json::parse(io::section_to_text(awkward(3, 2)));
    const std::vector<nlohmann::json> poison{nullptr,
                                             true,
                                             "NaN",
                                             "",
                                             -1,
                                             0,
                                             1e300,
                                             -1e300,
                                             1e-320,
                                             ~std::uint64_t{0},
                                             nlohmann::json::array(),
                                             nlohmann::json::object(),
                                             {1, 2}};
    int refused = 0;
    int accepted = 0;
    const auto attempt = [&](const nlohmann::json& changed) {
        try {
            catenary::validate(io::section_from_text(changed.dump(), "mutant.json"));
            ++accepted;
        } catch (const SetupError& e) {
            REQUIRE(std::string_view(e.what()).starts_with("file 'mutant.json': "));
            ++refused;
        }
    };
    // Every container and leaf, by JSON pointer.
    std::vector<nlohmann::json::json_pointer> places;
    const std::function<void(const nlohmann::json&, const nlohmann::json::json_pointer&)> collect =
        [&](const nlohmann::json& node, const nlohmann::json::json_pointer& here) {
            if (!here.empty()) places.push_back(here);
            if (node.is_object())
                for (const auto& item : node.items()) collect(item.value(), here / item.key());
            if (node.is_array())
                for (std::size_t i = 0; i < node.size(); ++i) collect(node[i], here / i);
        };
    collect(good, nlohmann::json::json_pointer());
    REQUIRE(places.size() > 100);
    for (const auto& place : places) {
        nlohmann::json changed = good;
        nlohmann::json& parent = changed[place.parent_pointer()];
        if (parent.is_array())
            parent.erase(static_cast<std::size_t>(std::stoul(place.back())));
        else
            parent.erase(place.back());
        attempt(changed);
        for (const nlohmann::json& value : poison) {
            changed = good;
            changed[place] = value;
            attempt(changed);
        }
    }
    CHECK(refused > 1000);  // most changes make no sense
    CHECK(accepted > 50);   // some do: another stiffness, no optional key
}

TEST_CASE("Random damage to the text never does worse than a SetupError") {
    const char* given = std::getenv("PANTO_SEED");
    const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : 20240717;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::string good = io::section_to_text(catenary::stitched_hil(3));
    for (int k = 0; k < 1500; ++k) {
        std::string text = good;
        for (auto n = random() % 4 + 1; n > 0; --n) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
                case 0: text[at] = static_cast<char>(random() % 256); break;
                case 1: text.erase(at, random() % 20 + 1); break;
                default: text.insert(at, 1, "0123456789-.eE\"{}[],: \n"[random() % 23]);
            }
        }
        try {
            catenary::validate(io::section_from_text(text, "damaged.json"));
        } catch (const SetupError&) {
        }
    }
}

TEST_CASE("The section of docs/io.md is a valid file") {
    const std::string page = io::read_text(std::string(PANTO_TEST_GOLDEN) + "/../../docs/io.md");
    const std::size_t format = page.find("\"panto-catenary\"");
    REQUIRE(format != std::string::npos);
    const std::size_t begin = page.rfind("```json\n", format) + 8;
    const std::string example = page.substr(begin, page.find("```", begin) - begin);
    CHECK_NOTHROW(catenary::validate(io::section_from_text(example, "docs/io.md")));
}

}  // namespace section_json_test
