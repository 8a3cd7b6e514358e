// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Published lumped pantographs by name, with the source of the numbers and their confidence.
///
/// Confidence: A = at least two public copies agree, B = one copy, C = from memory, check before publishing.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/names.hpp>
#include <panto/pantograph/lumped.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace panto::pantograph {

struct Preset {
    std::string name = {};
    std::string source = {};
    std::string confidence = {};
    std::string note = {};
    LumpedParams<> params = {};
    std::optional<double> static_force = {};  ///< N, as published; if empty, take a speed law (static_force.hpp)
};

namespace detail {

struct PresetRow {
    std::string_view name = {};
    std::string_view source = {};
    std::string_view confidence = {};
    std::string_view note = {};
    std::size_t masses = 0;
    std::array<double, 3> mass = {};       // kg, head first
    std::array<double, 3> stiffness = {};  // N/m
    std::array<double, 3> damping = {};    // N s/m
    double static_force = 0.0;             // N; 0 where none was published
};

inline constexpr std::array<PresetRow, 8> preset_rows{{
    {"EN50318_2002",
     "EN 50318:2002 reference model, from a public reprint (faraway, backend/sim/parameters.py); the standard itself "
     "was not at hand",
     "B, agrees with a recalled value",
     "",
     2,
     {7.2, 15.0},
     {4200.0, 50.0},
     {10.0, 90.0},
     120.0},
    {"benchmark2015",
     "Bruni et al. 2015, doi 10.1080/00423114.2014.953183, from a public reprint (pantograph-catenary-model-ui)",
     "masses and stiffnesses B, damping C",
     "",
     3,
     {7.5, 9.0, 6.0},
     {7000.0, 15500.0, 160.0},
     {45.0, 0.1, 100.0}},
    {"DSA380",
     "Wang et al. 2015, IEEE Trans. Magnetics, extended Habedank arc model; two public codes agree",
     "A",
     "the DSA 380 of the benchmark literature; the HiL paper uses other numbers, see DSA380_HiL",
     3,
     {7.12, 6.0, 5.8},
     {9430.0, 14100.0, 0.1},
     {0.0, 0.0, 70.0}},
    {"DSA380_HiL",
     "Table 1 of the HiL paper (Tur et al., general overhead contact line geometry)",
     "A",
     "the pantograph of every HiL golden number; not the DSA 380 of the benchmark literature",
     3,
     {6.6, 5.8, 5.8},
     {7000.0, 14100.0, 80.0},
     {0.0, 0.0, 70.0}},
    {"DSA250",
     "public rigid-catenary code citing Chen Long, PhD thesis, SWJTU",
     "B",
     "",
     3,
     {7.51, 5.855, 4.645},
     {8380.0, 6200.0, 80.0},
     {0.0, 0.0, 70.0}},
    {"TSG18F",
     "public rigid-catenary code citing Chen Long, PhD thesis, SWJTU",
     "B",
     "metro pantograph, rigid catenary",
     3,
     {10.31, 6.15, 15.3},
     {53415.8, 6754.2, 40687.0},
     {29.6, 0.2, 1.14}},
    {"Faiveley_CX",
     "recalled from the papers of Ambrosio and Pombo",
     "C",
     "the values of benchmark2015 look like its rounding",
     3,
     {7.75, 8.78, 5.58},
     {7000.0, 15487.0, 178.45},
     {45.85, 0.009, 108.39}},
    {"SSS400+", "recalled", "C, low", "", 3, {6.05, 6.4, 14.0}, {5813.0, 13600.0, 0.0}, {0.0, 0.0, 64.9}},
}};

}  // namespace detail

inline constexpr std::array<std::string_view, detail::preset_rows.size()> preset_names = [] {
    std::array<std::string_view, detail::preset_rows.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = detail::preset_rows[i].name;
    return names;
}();

/// The published pantograph of that name.
/// @throws SetupError with the nearest name if there is none.
[[nodiscard]] inline Preset preset(std::string_view name) {
    const auto row = std::find_if(detail::preset_rows.begin(), detail::preset_rows.end(),
                                  [&](const detail::PresetRow& r) { return r.name == name; });
    if (row == detail::preset_rows.end())
        throw SetupError(unknown_name("pantograph::preset", "pantograph", name, preset_names));

    const auto vector = [&](const std::array<double, 3>& values) {
        return Vector<double, Dynamic>(
            Eigen::Map<const Vector<double, Dynamic>>(values.data(), static_cast<Eigen::Index>(row->masses)));
    };
    return {.name = std::string(row->name),
            .source = std::string(row->source),
            .confidence = std::string(row->confidence),
            .note = std::string(row->note),
            .params = {.mass = vector(row->mass), .damping = vector(row->damping), .stiffness = vector(row->stiffness)},
            .static_force = row->static_force > 0.0 ? std::optional<double>(row->static_force) : std::nullopt};
}

}  // namespace panto::pantograph
