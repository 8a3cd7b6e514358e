// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The wave equation u_tt = c^2 (u_xx + u_yy) on a rectangular grid, leap-frog in time and central in space. Its waves
/// e^{i (theta_x k + theta_y l)} tau^n obey, with r_x = c dt/dx and r_y = c dt/dy,
///     sin^2(omega dt/2) = r_x^2 sin^2(theta_x/2) + r_y^2 sin^2(theta_y/2) .

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>

#include <array>
#include <cmath>
#include <string>

namespace panto::wave {

struct WaveEquation2dParams {
    double speed = 1.0;  ///< m/s, c
    double dx = 1.0;     ///< m
    double dy = 1.0;     ///< m
    double dt = 0.0;     ///< s
};

class WaveEquation2d {
  public:
    /// u(k, l) is the value at x = k dx, y = l dy.
    using Grid = Eigen::ArrayXXd;

    /// @throws SetupError if a parameter is not positive or the step above largest_step().
    explicit WaveEquation2d(const WaveEquation2dParams& p) : p_(p) {
        constexpr const char* where = "wave::WaveEquation2d";
        require_positive(p.speed, where, "speed");
        require_positive(p.dx, where, "dx");
        require_positive(p.dy, where, "dy");
        require_positive(p.dt, where, "dt");
        const double x = p.speed * p.dt / p.dx, y = p.speed * p.dt / p.dy;
        rx_ = x * x;
        ry_ = y * y;
        require(rx_ + ry_ <= 1.0 + 1e-14, where, "dt is ", p.dt, ", which is unstable; the largest stable step is ",
                largest_step(p));
    }

    /// The largest stable step, dt = 1 / ( c sqrt(1/dx^2 + 1/dy^2) ); the dt in the parameters does not matter.
    /// @throws SetupError if speed, dx or dy is not positive.
    [[nodiscard]] static double largest_step(const WaveEquation2dParams& p) {
        constexpr const char* where = "wave::WaveEquation2d::largest_step";
        require_positive(p.speed, where, "speed");
        require_positive(p.dx, where, "dx");
        require_positive(p.dy, where, "dy");
        return 1.0 / (p.speed * std::sqrt(1.0 / (p.dx * p.dx) + 1.0 / (p.dy * p.dy)));
    }

    [[nodiscard]] const WaveEquation2dParams& params() const noexcept { return p_; }
    [[nodiscard]] double courant_x() const noexcept { return std::sqrt(rx_); }
    [[nodiscard]] double courant_y() const noexcept { return std::sqrt(ry_); }

    /// Computes level n+1 of all points except the outermost frame, which is unchanged. `next_and_before` holds level
    /// n-1 on entry. out_of_range, with nothing done, unless both grids are of one size, at least 3 x 3. @rt
    Status step_interior(const Grid& now, Grid& next_and_before) const noexcept {
        if (now.rows() < 3 || now.cols() < 3 || now.rows() != next_and_before.rows() ||
            now.cols() != next_and_before.cols())
            return Status::out_of_range;
        const Eigen::Index rows = now.rows() - 2, columns = now.cols() - 2;
        const double centre = 2.0 - 2.0 * rx_ - 2.0 * ry_;
        for (Eigen::Index l = 1; l <= columns; ++l) {
            auto next = next_and_before.col(l).segment(1, rows);
            next = centre * now.col(l).segment(1, rows) +
                   rx_ * (now.col(l).segment(0, rows) + now.col(l).segment(2, rows)) +
                   ry_ * (now.col(l - 1).segment(1, rows) + now.col(l + 1).segment(1, rows)) - next;
        }
        return Status::ok;
    }

    /// omega dt, 0..pi, of the wave with these angles per cell.
    /// @throws SetupError if an angle is not finite.
    [[nodiscard]] double phase(double theta_x, double theta_y) const {
        require_finite(theta_x, "wave::WaveEquation2d::phase", "theta_x");
        require_finite(theta_y, "wave::WaveEquation2d::phase", "theta_y");
        const double x = std::sin(0.5 * theta_x), y = std::sin(0.5 * theta_y);
        return 2.0 * std::asin(std::sqrt(std::fmin(1.0, rx_ * x * x + ry_ * y * y)));
    }

    /// Group velocity of the wave whose crests travel in the direction (theta_x, theta_y), m/s in x and y; 0 for
    /// theta = 0.
    /// @throws SetupError as phase().
    [[nodiscard]] std::array<double, 2> group_velocity(double theta_x, double theta_y) const {
        const double sine = std::sin(phase(theta_x, theta_y));
        if (!(sine > 0.0)) return {0.0, 0.0};
        return {rx_ * std::sin(theta_x) / sine * p_.dx / p_.dt, ry_ * std::sin(theta_y) / sine * p_.dy / p_.dt};
    }

    /// The angles per cell of the wave on the grid with phase omega dt whose crests travel at `angle` (rad) to the x
    /// axis.
    /// @throws SetupError if the grid carries no such wave.
    [[nodiscard]] std::array<double, 2> wave_numbers(double phase_per_step, double angle) const {
        constexpr const char* where = "wave::WaveEquation2d::wave_numbers";
        require_positive(phase_per_step, where, "phase_per_step");
        require_finite(angle, where, "angle");
        const double cx = std::cos(angle) * p_.dx, cy = std::sin(angle) * p_.dy;  // theta = kappa (cx, cy)
        const double most = std::acos(-1.0) / std::fmax(std::fabs(cx), std::fabs(cy));
        require(phase(most * cx, most * cy) >= phase_per_step, where, "phase_per_step is ", phase_per_step,
                ", above what the grid carries in this direction");
        const auto slower = [&](double kappa) { return phase(kappa * cx, kappa * cy) < phase_per_step; };
        const double kappa = bisect(slower, 0.0, most).holds;
        return {kappa * cx, kappa * cy};
    }

  private:
    WaveEquation2dParams p_;
    double rx_ = 0.0, ry_ = 0.0;  // squares of the Courant numbers
};

}  // namespace panto::wave
