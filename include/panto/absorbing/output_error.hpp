// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Two more measures of Publication B. The output error (18) starts from the harmonic wave kappa^k tau^n, takes a
/// few steps and sums the squared deviation of the inner points from it,
///     e_OE = sum_{n=2..steps} sum_{k=2..points} | u_k^n - kappa^k tau^n |^2 ,
/// the far side being exact; J_OE (19) is its integral over theta (rad per cell; divide by dx for rad/m). The points
/// per wavelength of a boundary point say down to which wavelength its own equation has the right phase.

#pragma once

#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/core/check.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

namespace panto::wave {

/// The window of the output error.
struct OutputErrorWindow {
    int steps = 5;    ///< N_t^OE
    int points = 15;  ///< N_x^OE
};

/// e_OE at `theta` in [0, pi], rad per cell. The initial state is the wave at all levels the end reads.
/// @throws SetupError if the window is empty, the scheme implicit or the end for another scheme.
template <int H>
[[nodiscard]] double output_error(const Stencil<double, H>& scheme, const AbsorbingStencil& end, double theta,
                                  const OutputErrorWindow& window = {}) {
    using Complex = std::complex<double>;
    constexpr const char* where = "wave::output_error";
    detail::require_matching<H>(end, where);
    require(scheme.is_explicit(), where, "the scheme is implicit, must be explicit");
    detail::require_weights(scheme, where);
    require(window.steps >= 2 && window.points >= 2, where, "the window has ", window.steps, " steps and ",
            window.points, " points, must have at least 2 of each");
    require(theta >= 0.0 && theta <= std::numbers::pi, where, "theta is ", theta, ", must be a number from 0 to pi");
    const Complex tau = modes(scheme, theta).left;
    // Only the error is marched: it starts at zero, and outside the window it stays zero long enough.
    const int n_points = std::max(window.points, end.reach()) + H * (window.steps + 1) + 1;
    const auto levels = static_cast<std::size_t>(std::max(2, end.past_levels()) + 1);
    std::vector<Eigen::VectorXcd> e(levels, Eigen::VectorXcd::Zero(n_points));
    const auto wave = [&](int n, int k) { return std::polar(1.0, theta * k) * std::pow(tau, n); };
    double sum = 0.0;
    for (int n = 1; n <= window.steps; ++n) {
        std::rotate(e.rbegin(), e.rbegin() + 1, e.rend());
        for (int k = H; k < n_points - H; ++k) {
            Complex next = 0.0;
            for (int j = -H; j <= H; ++j)
                next += scheme.at(scheme.now, j) * e[1][k + j] + scheme.at(scheme.before, j) * e[2][k + j];
            e[0][k] = next / scheme.at(scheme.next, 0);
        }
        for (int k = H - 1; k >= 0; --k) {
            Complex next = 0.0;
            for (int j = k + 1; j < end.reach(); ++j) next += end.new_weight(k, j) * (e[0][j] + wave(n, j));
            for (int i = 0; i < end.past_levels(); ++i)
                for (int j = 0; j < end.reach(); ++j)
                    next += end.weight(k, i, j) * (e[static_cast<std::size_t>(i) + 1][j] + wave(n - 1 - i, j));
            e[0][k] = next - wave(n, k);
        }
        if (n >= 2) sum += e[0].segment(2, window.points - 1).squaredNorm();
    }
    return sum;
}

/// J_OE by the trapezoidal rule on `intervals` parts of [0, pi]; 10 in the publication.
/// @throws SetupError as output_error(), or if a weight is negative or not finite.
template <int H>
[[nodiscard]] double output_error_objective(const Stencil<double, H>& scheme, const AbsorbingStencil& end,
                                            const FrequencyWeight& weight = {}, int intervals = 10,
                                            const OutputErrorWindow& window = {}) {
    require(intervals >= 1, "wave::output_error_objective", "intervals is ", intervals, ", must be at least 1");
    double sum = 0.0;
    for (int m = 0; m <= intervals; ++m) {
        const double theta = std::numbers::pi * m / intervals;
        sum += (m == 0 || m == intervals ? 0.5 : 1.0) * detail::weight_at(weight, theta) *
               output_error(scheme, end, theta, window);
    }
    return sum * std::numbers::pi / intervals;
}

/// omega dt of the wave of angle `theta` according to boundary point k alone: the argument of that root of
/// B_k(tau, e^{i theta}) = 0 which lies nearest to e^{i near}.
/// @throws SetupError if there is no such point, or theta or near is not finite.
[[nodiscard]] inline double boundary_phase(const AbsorbingStencil& end, int k, double theta, double near) {
    constexpr const char* where = "wave::boundary_phase";
    end.require_point(k, where);
    require_finite(theta, where, "theta");
    require_finite(near, where, "near");
    using Complex = std::complex<double>;
    const Complex kappa = std::polar(1.0, theta);
    std::vector<Complex> c(static_cast<std::size_t>(end.past_levels()), 0.0);
    Complex leading = 1.0;
    for (int j = k + 1; j < end.reach(); ++j) leading -= end.new_weight(k, j) * std::pow(kappa, j - k);
    for (int i = 0; i < end.past_levels(); ++i)
        for (int j = 0; j < end.reach(); ++j)
            c[static_cast<std::size_t>(i)] += end.weight(k, i, j) * std::pow(kappa, j - k);
    Complex tau = std::polar(1.0, near);
    for (int newton = 0; newton < 50; ++newton) {
        Complex value = leading, slope = 0.0;
        for (const Complex& weight : c) {
            slope = slope * tau + value;
            value = value * tau - weight;
        }
        const Complex step = value / slope;
        tau -= step;
        if (std::abs(step) < 1e-14) break;
    }
    return std::arg(tau);
}

/// Grid points per wavelength of the shortest wave for which, as for all longer ones, boundary point k has a phase per
/// step within pi `threshold` of `exact(theta)`, omega dt of the continuum.
/// @throws SetupError if there is no such point, `threshold` is not positive or a phase is not finite.
template <class Exact>
[[nodiscard]] double boundary_points_per_wavelength(const AbsorbingStencil& end, int k, const Exact& exact,
                                                    double threshold = 0.05) {
    constexpr const char* where = "wave::boundary_points_per_wavelength";
    end.require_point(k, where);
    require_positive(threshold, where, "threshold");
    const auto excess = [&](double theta) {
        const double wanted = exact(theta);
        require_finite(wanted, where, "exact(", theta, ")");
        return std::abs(wanted - boundary_phase(end, k, theta, wanted)) / std::numbers::pi - threshold;
    };
    return detail::points_on_shortest(excess);
}

}  // namespace panto::wave
