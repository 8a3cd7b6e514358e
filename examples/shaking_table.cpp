// SPDX-License-Identifier: BSD-3-Clause
// A transfer system of your own: a shaking table whose bus delays commands by 3.5 samples follows an earthquake.
#include <panto/control/tracking_controller.hpp>

#include <cmath>
#include <iostream>

using namespace panto;

int main() {
    const double dt = 0.002;  // s
    // [controller]
    // The table from commanded to true position: a servo of 12 Hz with a damping ratio of 0.5, y'' + 2 z w y' + w^2 y =
    // w^2 u.
    const double w = 2.0 * 3.14159265 * 12.0, zeta = 0.5;
    const control::StateSpace table{Eigen::Matrix2d{{0.0, 1.0}, {-w * w, -2.0 * zeta * w}}, Eigen::Vector2d(0.0, w * w),
                                    Eigen::RowVector2d(1.0, 0.0), Eigen::MatrixXd::Zero(1, 1)};

    // The controller's model: 3.5 samples in all, one of them on the way back from the encoder.
    control::TrackingController<> controller({
        .plant = control::sampled(table, dt, control::InputHold::zero_order, 3.5 * dt),
        .reading_delay = 1.0,
        .reading_noise = Eigen::MatrixXd::Constant(1, 1, 1e-5 * 1e-5),  // m^2
        .lowest = -0.15,
        .highest = 0.15,
    });
    // [controller]

    // The laboratory's: commands arrive 2.5 samples late, the encoder's value is one sample old and rounded to 10 um;
    // the building on the table pushes it off by 3 mm from the second second on.
    const control::StateSpace real = control::sampled(table, dt, control::InputHold::zero_order, 2.5 * dt);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(real.states());
    double read = 0.0, uncontrolled = 0.0, controlled = 0.0;
    Eigen::VectorXd plain = x;

    const auto ground = [](double t) {  // 40 mm at 1.1 Hz and 6 mm at 3.7 Hz, swelling in the first second
        const double a = 2.0 * 3.14159265 * 1.1, b = 2.0 * 3.14159265 * 3.7;
        const double swell = t < 1.0 ? t * t * (3.0 - 2.0 * t) : 1.0;
        return Motion{swell * (0.04 * std::sin(a * t) + 0.006 * std::sin(b * t)),
                      swell * (0.04 * a * std::cos(a * t) + 0.006 * b * std::cos(b * t)),
                      -swell * (0.04 * a * a * std::sin(a * t) + 0.006 * b * b * std::sin(b * t))};
    };
    for (int k = 0; k < 5000; ++k) {
        const double t = (k + 1) * dt;  // end of the cycle
        Exchange e;
        e.strip.height = read;
        e.reference = ground(t);
        const double command = controller.update(e).value.value;

        read = 1e-5 * std::round((real.C * x)[0] / 1e-5);
        x = (real.A * x + real.B * (command + (t > 2.0 ? 0.003 : 0.0))).eval();
        plain = (real.A * plain + real.B * ground(t).height).eval();
        if (t < 4.0) continue;
        controlled = std::max(controlled, std::abs((real.C * x)[0] - ground(t).height));
        uncontrolled = std::max(uncontrolled, std::abs((real.C * plain)[0] - ground(t).height));
    }
    std::cout << "largest error: " << 1e3 * uncontrolled << " mm without a controller, " << 1e3 * controlled
              << " mm with it\n";
}
