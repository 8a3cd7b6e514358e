// SPDX-License-Identifier: BSD-3-Clause
// Singular values of a table on two actuators: no reference is amplified by more than the largest of them.
#include <panto/control/singular_values.hpp>

#include "plot.hpp"

using namespace panto;

int main() {
    constexpr double dt = 2e-3, pi = 3.14159265358979, heave = 2 * pi * 8, pitch = 2 * pi * 25;
    // Two actuators, a metre from the middle each, lift the table together and tilt it against each other.
    const Eigen::Matrix4d A{
        {0, 1, 0, 0}, {-heave * heave, -0.2 * heave, 0, 0}, {0, 0, 0, 1}, {0, 0, -pitch * pitch, -0.06 * pitch}};
    const Eigen::Matrix<double, 4, 2> B{
        {0, 0}, {0.5 * heave * heave, 0.5 * heave * heave}, {0, 0}, {0.5 * pitch * pitch, -0.5 * pitch * pitch}};
    const Eigen::Matrix<double, 2, 4> C{{1, 0, 1, 0}, {1, 0, -1, 0}};  // height above each actuator
    const auto table = control::sampled({A, B, C, Eigen::Matrix2d::Zero()}, dt, control::InputHold::zero_order, 2 * dt);
    // An integrator for each actuator, 3/s.
    const Eigen::Matrix2d one = Eigen::Matrix2d::Identity();
    const control::StateSpace integrators{one, 3.0 * dt * one, one, 0.0 * one, dt};
    const auto closed = control::feedback(control::series(integrators, table), control::static_gain(one, dt));

    std::vector<double> frequencies;  // rad/s
    for (double f = 0.1; f < 240.0; f *= 1.02) frequencies.push_back(2 * pi * f);
    io::Chart chart{.title = "Reference to position", .x_label = "frequency (Hz)", .y_label = "singular value"};
    chart.log_x = chart.log_y = true;
    const auto add = [&](const char* name, io::Tone tone, io::Points curve) {
        for (auto& point : curve) point.first /= 2 * pi;
        chart.curves.push_back({name, tone, io::Look::line, curve});
    };
    const auto values = control::singular_values(closed, frequencies);
    add("largest", io::Tone::main, values[0]);
    add("smallest", io::Tone::warn, values[1]);
    gallery::draw("15_singular_values", chart);
}
