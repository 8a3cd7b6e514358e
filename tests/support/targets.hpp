// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The one list of figures that panto is held against (tests/golden/targets.json), and measured values beside them.

#pragma once

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test {

struct Measured {
    std::string id;
    double value = 0.0;
};

struct Target {
    std::string id, what, unit, source;
    double low = 0.0, high = 0.0;    ///< accepted range, may be infinite
    bool is_range = false;           ///< given as such, not as a value with a tolerance
    std::string missed_because;      ///< not empty: the figure is known to lie outside, for this reason
    std::string benchmark, counter;  ///< not empty: this counter of that program, one in bench/ or robustness

    [[nodiscard]] bool holds(double value) const { return value >= low && value <= high; }
};

class Targets {
  public:
    explicit Targets(const std::string& file) {
        std::ifstream in(file);
        if (!in) throw std::runtime_error("cannot read " + file);
        const nlohmann::json file_content = nlohmann::json::parse(in);
        for (const auto& row : file_content.at("targets")) {
            Target t{row.at("id"),
                     row.at("what"),
                     row.at("unit"),
                     row.at("source"),
                     -HUGE_VAL,
                     HUGE_VAL,
                     false,
                     row.value("missed_because", ""),
                     row.value("benchmark", ""),
                     row.value("counter", "")};
            if (row.contains("value")) {
                const double value = row.at("value"), tolerance = row.at("tolerance");
                t.low = value - tolerance;
                t.high = value + tolerance;
            } else {
                t.low = row.value("at_least", t.low);
                t.high = row.value("at_most", t.high);
                t.is_range = true;
            }
            order_.push_back(t.id);
            by_id_.emplace(t.id, t);
        }
    }

    [[nodiscard]] const Target& at(const std::string& id) const {
        const auto found = by_id_.find(id);
        if (found == by_id_.end()) throw std::runtime_error("no target is called " + id);
        return found->second;
    }
    [[nodiscard]] const std::vector<std::string>& order() const { return order_; }

  private:
    std::vector<std::string> order_;
    std::map<std::string, Target> by_id_;
};

}  // namespace panto::test
