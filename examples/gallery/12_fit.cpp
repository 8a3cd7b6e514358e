// SPDX-License-Identifier: BSD-3-Clause
// Parameters from a noisy record: a damped oscillation fitted by Levenberg and Marquardt.
#include <panto/core/random.hpp>
#include <panto/opt/levenberg_marquardt.hpp>

#include "plot.hpp"

using namespace panto;

double model(const Parameters& p, double t) { return p[0] * std::exp(-p[1] * t) * std::cos(p[2] * t); }

struct Residuals {
    io::Points record;
    Status residuals(const Parameters& p, Parameters& r) const {
        r.resize(static_cast<Eigen::Index>(record.size()));
        for (Eigen::Index i = 0; i < r.size(); ++i) {
            const auto& [t, y] = record[static_cast<std::size_t>(i)];
            r[i] = model(p, t) - y;
        }
        return Status::ok;
    }
};

int main() {
    const Parameters truth = Eigen::Vector3d(5.0, 0.8, 12.0);  // mm, 1/s, rad/s
    Random random(1);
    Residuals problem;
    for (double t = 0.0; t <= 3.0; t += 0.03) problem.record.emplace_back(t, model(truth, t) + 0.4 * random.normal());
    const opt::Minimum found = opt::levenberg_marquardt(problem, Eigen::Vector3d(3.0, 0.3, 11.0));
    io::Points fitted;
    for (double t = 0.0; t <= 3.0; t += 0.01) fitted.emplace_back(t, model(found.x, t));
    gallery::draw("12_fit", {.title = "Fitted " + shown(found.x[0], 4) + " mm, " + shown(found.x[1], 3) + " 1/s, " +
                                      shown(found.x[2], 4) + " rad/s; true are 5, 0.8 and 12",
                             .x_label = "time (s)",
                             .y_label = "displacement (mm)",
                             .curves = {{"record", io::Tone::raw, io::Look::points, problem.record},
                                        {"fit", io::Tone::main, io::Look::line, fitted}}});
}
