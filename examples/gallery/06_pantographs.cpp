// SPDX-License-Identifier: BSD-3-Clause
// How much a pantograph's head moves per newton of contact force, against frequency: resonances of frame and head.
#include <panto/pantograph/lumped.hpp>
#include <panto/pantograph/presets.hpp>

#include "plot.hpp"

#include <Eigen/LU>

#include <complex>
#include <numbers>

using namespace panto;

int main() {
    io::Chart chart{.title = "Receptance of the pan-head",
                    .x_label = "frequency (Hz)",
                    .y_label = "displacement per force (mm/N)",
                    .log_x = true,
                    .log_y = true};
    const std::array tones{io::Tone::main, io::Tone::warn, io::Tone::good};
    std::size_t k = 0;
    for (const char* name : {"DSA380", "DSA380_HiL", "EN50318_2002"}) {
        const pantograph::Lumped<> chain(pantograph::preset(name).params, 1e-3);
        const auto [A, B] = chain.state_matrices();
        io::Points points;
        for (double f = 0.1; f < 40.0; f *= 1.03) {
            Eigen::MatrixXcd M = -A.cast<std::complex<double>>();
            M.diagonal().array() += std::complex<double>(0.0, 2.0 * std::numbers::pi * f);
            const Eigen::VectorXcd x = M.partialPivLu().solve(B.col(0).cast<std::complex<double>>());
            points.emplace_back(f, 1e3 * std::abs(x[0]));
        }
        chart.curves.push_back({name, tones[k++], io::Look::line, points});
    }
    gallery::draw("06_pantographs", chart);
}
