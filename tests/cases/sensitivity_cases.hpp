// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Morris' measures and Sobol' indices of functions that are known in closed form, against golden numbers.

#pragma once

#include <panto/sensitivity/exact.hpp>
#include <panto/sensitivity/morris.hpp>
#include <panto/sensitivity/sampling.hpp>
#include <panto/sensitivity/sobol.hpp>

#include "../support/golden_json.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test {

inline double ishigami(const Vector<double, Dynamic>& x) { return sensitivity::Ishigami{}(x); }

inline sensitivity::Ranges ishigami_ranges() {
    using List = Vector<double, Dynamic>;
    return {List::Constant(3, -std::numbers::pi), List::Constant(3, std::numbers::pi)};
}

/// Sobol's g-function of eight parameters.
inline double g_function(const Vector<double, Dynamic>& x) {
    static const sensitivity::GFunction g(
        (Vector<double, Dynamic>(8) << 0.0, 1.0, 4.5, 9.0, 99.0, 99.0, 99.0, 99.0).finished());
    return g(x);
}

inline nlohmann::json sensitivity_golden(const std::string& name) {
    return golden("vehicle_and_inverse_problems.json").at(name).at("value");
}

/// Largest difference, each over the golden value, those below 1e-3 over 1e-3.
inline double index_difference(const Vector<double, Dynamic>& found, const nlohmann::json& expected) {
    const Vector<double, Dynamic> wanted = golden_matrix(expected);
    if (found.size() != wanted.size()) throw std::runtime_error("a list of indices has another length");
    double worst = 0.0;
    for (Eigen::Index i = 0; i < wanted.size(); ++i)
        worst = std::max(worst, std::abs(found[i] - wanted[i]) / std::max(std::abs(wanted[i]), 1e-3));
    return worst;
}

inline sensitivity::MorrisResult ishigami_morris() { return sensitivity::morris(ishigami, ishigami_ranges()); }

inline sensitivity::SobolResult ishigami_sobol() {
    return sensitivity::sobol(ishigami, ishigami_ranges(), {.rows = 4096, .sampling = sensitivity::Sampling::halton},
                              {.bootstrap = 0, .centered = false});
}

inline sensitivity::SobolResult g_function_sobol() {
    using List = Vector<double, Dynamic>;
    return sensitivity::sobol(g_function, {List::Zero(8), List::Ones(8)}, {.rows = 4096},
                              {.bootstrap = 0, .centered = false});
}

inline std::vector<Measured> sensitivity_figures() {
    std::vector<Measured> all;
    const auto s = ishigami_sobol(), g = g_function_sobol();
    const auto m = ishigami_morris();
    for (Eigen::Index i = 0; i < 3; ++i) {
        const std::string number = std::to_string(i + 1);
        all.push_back({"sens.ishigami.first_" + number, s.first[i]});
        all.push_back({"sens.ishigami.total_" + number, s.total[i]});
    }
    all.push_back({"sens.ishigami.mean", s.mean});
    all.push_back({"sens.ishigami.variance", s.variance});
    all.push_back({"sens.g.first", index_difference(g.first, sensitivity_golden("C.gfun_lcg4096").at("S"))});
    all.push_back({"sens.g.total", index_difference(g.total, sensitivity_golden("C.gfun_lcg4096").at("ST"))});
    const auto wanted = sensitivity_golden("C.morris_ishigami");
    all.push_back({"sens.morris.mu", index_difference(m.mu, wanted.at("mu"))});
    all.push_back({"sens.morris.mu_star", index_difference(m.mu_star, wanted.at("mustar"))});
    all.push_back({"sens.morris.sigma", index_difference(m.sigma, wanted.at("sigma"))});
    return all;
}

}  // namespace panto::test
