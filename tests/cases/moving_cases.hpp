// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The line in the train's frame against tests/golden/lptv_reference.csv, which an independent program made in the
/// ground's.

#pragma once

#include <panto/catenary/moving_transparent.hpp>

#include "../support/predictive_line.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test {

/// 1 - sum (y - ref)^2 / sum (ref - mean ref)^2 over the last `count` values, in percent.
inline double fit(const std::vector<double>& y, const std::vector<double>& ref, std::size_t count) {
    double mean = 0.0, missed = 0.0, spread = 0.0;
    for (std::size_t i = ref.size() - count; i < ref.size(); ++i) mean += ref[i] / static_cast<double>(count);
    for (std::size_t i = ref.size() - count; i < ref.size(); ++i) {
        missed += (y[i] - ref[i]) * (y[i] - ref[i]);
        spread += (ref[i] - mean) * (ref[i] - mean);
    }
    return 100.0 * (1.0 - missed / spread);
}

inline const std::vector<double>& lptv_reference() {
    static const std::vector<double> rows = [] {
        std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/lptv_reference.csv");
        if (!file) throw std::runtime_error("cannot read tests/golden/lptv_reference.csv");
        std::string line;
        std::vector<double> all;
        std::getline(file, line);
        while (std::getline(file, line)) all.push_back(std::stod(line));
        return all;
    }();
    return rows;
}

inline catenary::MovingGrid paper_grid(int spans, double damping = 1e-4) {
    return {
        .speed = 60.0, .dt = 1.0 / 850.0, .cells = 39, .spans = spans, .least_damping = damping, .accept_growth = true};
}

/// The golden run: 120 N, reached within a second.
template <class Engine>
double golden_fit(Engine&& engine) {
    std::vector<double> y;
    for (std::size_t i = 0; i < lptv_reference().size(); ++i)
        y.push_back(engine.step(120.0 * std::min(1.0, static_cast<double>(i + 1) * engine.dt())).height);
    return fit(y, lptv_reference(), 3400);
}

/// The rows `moving.*` of targets.json.
inline std::vector<Measured> moving_figures() {
    using namespace catenary;
    const PeriodicLine line = predictive_line();
    const auto engine = [&](int spans, double damping) { return moving_engine(line, paper_grid(spans, damping)); };
    const MovingGrid one = paper_grid(1, 0.0), four = paper_grid(4);
    const MovingEngine<wave::Support<>> clamped(line, one, clamped_ends(moving_wires(line, one)));
    const MovingEngine<wave::TransparentEnd<>> open(line, four,
                                                    transparent_ends(moving_wires(line, four), {.states = 16}));
    return {{"moving.radius_open", engine(1, 0.0).period_radius()},
            {"moving.radius_clamped", clamped.period_radius()},
            {"moving.fit_2", golden_fit(engine(2, 0.0))},
            {"moving.fit_4", golden_fit(engine(4, 0.0))},
            {"moving.fit_8", golden_fit(engine(8, 0.0))},
            {"moving.damped.fit_4", golden_fit(engine(4, 1e-4))},
            {"moving.damped.fit_8", golden_fit(engine(8, 1e-4))},
            {"moving.damped.radius_4", engine(4, 1e-4).period_radius()},
            {"moving.transparent.fit_4", golden_fit(MovingEngine(open))},
            {"moving.transparent.radius_4", open.period_radius()}};
}

}  // namespace panto::test
