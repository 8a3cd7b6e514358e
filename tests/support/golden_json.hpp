// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Golden numbers from JSON files, as numbers and matrices.

#pragma once

#include <Eigen/Core>

#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace panto::test {

/// tests/golden/<name>. Python's bare Infinity, which JSON does not have, becomes null.
inline nlohmann::json golden(const std::string& name) {
    std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/" + name);
    if (!file) throw std::runtime_error("cannot read tests/golden/" + name);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t at; (at = text.find("Infinity")) != std::string::npos;) text.replace(at, 8, "null");
    return nlohmann::json::parse(text);
}

/// A list of numbers as a column, a list of lists as a matrix; the text "NaN" as the number.
inline Eigen::MatrixXd golden_matrix(const nlohmann::json& rows) {
    const auto number = [](const nlohmann::json& j) {
        return j.is_string() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>();
    };
    const auto n = static_cast<Eigen::Index>(rows.size());
    const auto columns = rows.at(0).is_array() ? static_cast<Eigen::Index>(rows.at(0).size()) : 1;
    Eigen::MatrixXd M(n, columns);
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < columns; ++j) {
            const auto& row = rows.at(static_cast<std::size_t>(i));
            M(i, j) = number(row.is_array() ? row.at(static_cast<std::size_t>(j)) : row);
        }
    return M;
}

}  // namespace panto::test
