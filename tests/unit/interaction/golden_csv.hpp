// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reads a column of a small CSV file with a header line.

#pragma once

#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test {

/// Column `name` of tests/golden/<path>.
inline std::vector<double> golden_column(const std::string& path, const std::string& name) {
    std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/" + path);
    std::string line, cell;
    if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
    std::size_t column = 0;
    std::istringstream header(line);
    while (std::getline(header, cell, ',') && cell != name) ++column;
    if (cell != name) throw std::runtime_error(path + " has no column " + name);

    std::vector<double> values;
    while (std::getline(file, line)) {
        std::istringstream row(line);
        for (std::size_t i = 0; i <= column; ++i) std::getline(row, cell, ',');
        values.push_back(std::stod(cell));
    }
    return values;
}

/// Largest absolute difference; infinite if the sizes differ.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return HUGE_VAL;
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
    return largest;
}

}  // namespace panto::test
