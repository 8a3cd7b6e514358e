// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tables, maps and files of the program robustness.

#pragma once

#include <panto/io/page.hpp>

#include "study.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace robustness {

/// Radius and disk margin over two quantities; row by row.
struct Map {
    std::string name{}, title{}, caption{}, x_label{}, y_label{};
    std::string x_column{}, y_column{};         // of the file
    std::vector<double> x{}, y{};               // in the units of the labels
    std::vector<panto::control::Margins> at{};  // [i * x.size() + k] at y[i], x[k]
    bool settles(std::size_t i) const;
};

/// How far a quantity may go in either direction before the loop no longer settles.
struct Border {
    std::string controller, quantity, unit;
    double below = 0.0, above = 0.0, most = 0.0;  // in the unit; `most`: how far was looked
};

/// What the linear loop of a controller has on the rig as told.
struct Nominal {
    std::string controller;
    panto::control::Margins margins;
};

struct Results {
    std::vector<Nominal> nominal;
    std::vector<Border> borders;
    std::vector<Map> maps;
    std::vector<Case> cases;
    std::vector<Figures> figures;  // of the cases
    std::vector<Passage> passages;
};

/// Prints the tables and writes summary.json, CSV files and report.html into the folder.
void write(const Options& options, const Results& results, const std::filesystem::path& folder);

}  // namespace robustness
