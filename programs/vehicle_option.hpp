// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A vehicle by the name of a shipped one or by its file.

#pragma once

#include <panto/io/vehicle_json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// @throws panto::SetupError with the shipped names if there is neither such a file nor such a name.
inline panto::vehicle::Multibody vehicle_called(const std::string& name) {
    namespace fs = std::filesystem;
    if (fs::exists(name)) return panto::io::read_vehicle(name);
    const fs::path folder = fs::path(PANTO_DATA_DIR) / "vehicles";
    if (fs::exists(folder / (name + ".json"))) return panto::io::read_vehicle(folder / (name + ".json"));
    std::vector<std::string> shipped;
    if (fs::exists(folder))
        for (const auto& entry : fs::directory_iterator(folder)) shipped.push_back(entry.path().stem().string());
    panto::require(!shipped.empty(), "--vehicle", "there is no file '", name, "', and no vehicle in ", folder.string());
    std::sort(shipped.begin(), shipped.end());
    const std::vector<std::string_view> known(shipped.begin(), shipped.end());
    throw panto::SetupError(panto::unknown_name("--vehicle", "file or shipped vehicle", name, known));
}
