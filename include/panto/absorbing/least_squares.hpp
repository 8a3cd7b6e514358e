// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The design of an absorbing stencil as nonlinear least squares. With (r, e) the joint reflection of
/// reflection.hpp and theta_m = pi s_m^2 (dense at long waves), the residuals are
///     W_r r(theta_m) ,   W_e e(theta_m) ,
/// weighted such that their sum of squares is, apart from interference, the squared simulated error of
/// space_time_error.hpp:
///     W_r^2 = U^2 ( (T - a/c)_+ + (T - b/c)_+ ) dtheta ,      W_e^2 = U^2 dx / (c (1 - |kappa|^2)) dtheta ,
/// U the spectrum of the bump, c the group velocity, a and b the paths of the wave to the absorbing end, directly and
/// via the clamped one, |kappa| the decay of the evanescent mode. From M (r, e) = -M_out follows the derivative with
/// respect to a weight,
///     M d(r, e) = tau^-(i+1) u_j unit_k ,    u_j = kappa_out^j + r kappa_in^j + sum e_m kappa_m^j .
/// Without M the defect M_out remains. It is linear in the weights, so that every choice of frequency weights gives a
/// start by a linear fit.

#pragma once

#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/space_time_error.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/core/check.hpp>
#include <panto/core/status.hpp>
#include <panto/opt/concepts.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>
#include <Eigen/QR>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace panto::wave {

/// A LinearizedLeastSquares problem in the weights of a stencil.
template <int H>
class AbsorbingLeastSquares {
  public:
    /// `floor` is the least weight as a fraction of the largest one. Above 0 it includes waves that the bump does not
    /// contain.
    /// @throws SetupError if the scheme is unstable, a frequency weight is negative or not finite, the bump does not
    /// fit, or no wave with a weight reaches the end within the duration.
    AbsorbingLeastSquares(const Stencil<double, H>& scheme, const AbsorbingForm& form, const ReleasedBump& bump,
                          const FrequencyWeight& weight = {}, double floor = 0.0, int points = 600)
        : form_(form) {
        constexpr const char* where = "wave::AbsorbingLeastSquares";
        (void)AbsorbingStencil(form);
        require(form.boundary_points == H, where, "the form has ", form.boundary_points,
                " boundary points, the scheme needs ", H);
        require(points >= 10, where, "points is ", points, ", must be at least 10");
        require_not_negative(floor, where, "floor");
        detail::require_bump(scheme, bump, std::max(16, form.reach), where);
        modes_.reserve(static_cast<std::size_t>(points));
        weights_.setZero(H, points);
        const auto cells = static_cast<int>(0.5 * bump.width / scheme.dx + 1e-9);
        const double direct = bump.center, reflected = 2.0 * bump.length - bump.center;
        for (int i = 0; i < points; ++i) {
            const double s = (i + 0.5) / points, theta = std::numbers::pi * s * s;
            const double step = 2.0 * std::numbers::pi * s / points;
            // Damping can prevent long waves from propagating; short ones that do not propagate mean an unstable
            // scheme.
            if (theta < 0.5 * std::numbers::pi && !oscillates(scheme, theta)) continue;
            modes_.push_back(boundary_modes(scheme, theta));
            const BoundaryModes<H>& at = modes_.back();
            const auto m = static_cast<Eigen::Index>(modes_.size()) - 1;
            double spectrum = 0.0;
            for (int j = -cells; j <= cells; ++j) {
                const double root = std::cos(std::numbers::pi * j * scheme.dx / bump.width);
                spectrum += root * root * std::cos(j * theta);
            }
            const double w = detail::weight_at(weight, theta) * spectrum * spectrum * step * scheme.dx;
            weights_(0, m) = w * (std::max(0.0, bump.duration - direct / at.speed) +
                                  std::max(0.0, bump.duration - reflected / at.speed));
            for (int c = 1; c < H; ++c)
                weights_(c, m) =
                    w * scheme.dx / (at.speed * (1.0 - std::norm(at.decaying[static_cast<std::size_t>(c - 1)])));
        }
        weights_.conservativeResize(H, static_cast<Eigen::Index>(modes_.size()));
        require(weights_.row(0).sum() > 0.0, where,
                "the sum of all frequency weights is 0: no wave with a weight above 0 travels from the bump at ",
                bump.center, " m to the end within the duration of ", bump.duration, " s");
        weights_ = (weights_ / weights_.row(0).sum()).cwiseSqrt();
        weights_ = weights_.cwiseMax(floor * weights_.row(0).maxCoeff());
    }

    [[nodiscard]] const AbsorbingForm& form() const noexcept { return form_; }
    [[nodiscard]] const std::vector<BoundaryModes<H>>& modes() const noexcept { return modes_; }

    [[nodiscard]] Status residuals(const Parameters& x, Parameters& r) const {
        Matrix<double, Dynamic> J;
        return linearize(x, r, J);
    }

    [[nodiscard]] Status linearize(const Parameters& x, Parameters& r, Matrix<double, Dynamic>& J) const {
        const AbsorbingStencil end(form_, x);
        const auto n = static_cast<Eigen::Index>(modes_.size());
        r.resize(2 * H * n);
        J.resize(2 * H * n, form_.size());
        std::array<std::complex<double>, AbsorbingStencil::most> u;
        for (Eigen::Index m = 0; m < n; ++m) {
            const BoundaryModes<H>& at = modes_[static_cast<std::size_t>(m)];
            const JointReflection<H> a = joint_reflection(end, at);
            field(at, a, u);
            for (int c = 0; c < H; ++c) {
                const Eigen::Index row = 2 * (H * m + c);
                const double w = weights_(c, m);
                r[row] = w * a.amplitude[c].real();
                r[row + 1] = w * a.amplitude[c].imag();
                for (int k = 0; k < H; ++k) {
                    std::complex<double> factor = w * a.inverse(c, k);
                    for (int i = 0; i < form_.levels; ++i) {
                        factor /= at.tau;
                        for (int j = 0; j < form_.reach; ++j) {
                            const std::complex<double> d = factor * u[static_cast<std::size_t>(j)];
                            J(row, end.index(k, i, j)) = d.real();
                            J(row + 1, end.index(k, i, j)) = d.imag();
                        }
                    }
                }
            }
        }
        return Status::ok;
    }

    /// The weights with the least defect sum_m w(theta_m)^2 |M_out|^2, one linear problem for each boundary point.
    [[nodiscard]] Parameters linear_start(const std::function<double(double)>& weight) const {
        const auto n = static_cast<Eigen::Index>(modes_.size());
        const int columns = form_.levels * form_.reach;
        Eigen::MatrixXd A(2 * n, columns), b(2 * n, H);
        for (Eigen::Index m = 0; m < n; ++m) {
            const BoundaryModes<H>& at = modes_[static_cast<std::size_t>(m)];
            const double w = weight(at.theta);
            std::complex<double> time = w;
            for (int i = 0; i < form_.levels; ++i) {
                time /= at.tau;
                std::complex<double> value = time;
                for (int j = 0; j < form_.reach; ++j, value *= at.out) {
                    A(2 * m, i * form_.reach + j) = value.real();
                    A(2 * m + 1, i * form_.reach + j) = value.imag();
                }
            }
            for (int k = 0; k < H; ++k) {
                const std::complex<double> wanted = std::polar(w, k * at.theta);
                b(2 * m, k) = wanted.real();
                b(2 * m + 1, k) = wanted.imag();
            }
        }
        const Eigen::MatrixXd solution = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(A).solve(b);
        return solution.reshaped();
    }

  private:
    void field(const BoundaryModes<H>& at, const JointReflection<H>& a,
               std::array<std::complex<double>, AbsorbingStencil::most>& u) const {
        for (int j = 0; j < form_.reach; ++j) u[static_cast<std::size_t>(j)] = 0.0;
        const auto add = [&](std::complex<double> amplitude, std::complex<double> kappa) {
            for (int j = 0; j < form_.reach; ++j, amplitude *= kappa) u[static_cast<std::size_t>(j)] += amplitude;
        };
        add(1.0, at.out);
        add(a.amplitude[0], at.in);
        for (int c = 1; c < H; ++c) add(a.amplitude[c], at.decaying[static_cast<std::size_t>(c - 1)]);
    }

    AbsorbingForm form_;
    std::vector<BoundaryModes<H>> modes_;
    Eigen::MatrixXd weights_;  ///< H x points: of r, then of the evanescent modes
};

}  // namespace panto::wave
