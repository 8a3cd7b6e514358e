// SPDX-License-Identifier: BSD-3-Clause
// Which parameter matters? Sobol's total indices of a known function against the number of evaluations.
#include <panto/sensitivity/exact.hpp>
#include <panto/sensitivity/sobol.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    const Eigen::Vector3d a(0.0, 1.0, 4.5);  // the smaller, the more its parameter matters
    const sensitivity::GFunction g(a);
    io::Chart chart{.title = "Total index of each parameter; thin lines are exact",
                    .x_label = "evaluations",
                    .y_label = "total index",
                    .y_range = {{0.0, 1.0}},
                    .log_x = true};
    const std::array tones{io::Tone::main, io::Tone::good, io::Tone::warn};
    const auto exact = g.exact();
    for (int i = 0; i < 3; ++i) {
        io::Points estimate, line;
        for (int rows = 16; rows <= 4096; rows *= 2) {
            const auto design = sensitivity::sobol_design(3, {.rows = rows});
            Eigen::VectorXd values(design.unit.cols());
            for (Eigen::Index k = 0; k < values.size(); ++k) values[k] = g(design.unit.col(k));
            const double total = sensitivity::sobol(design, values, {.bootstrap = 0}).total[i];
            estimate.emplace_back(5.0 * rows, std::clamp(total, 0.0, 1.0));
            line.emplace_back(5.0 * rows, exact.total[i]);
        }
        const auto tone = tones[static_cast<std::size_t>(i)];
        chart.curves.push_back({"x" + std::to_string(i + 1), tone, io::Look::line, estimate});
        chart.curves.push_back({"", tone, io::Look::thin, line});
    }
    gallery::draw("13_sobol", chart);
}
