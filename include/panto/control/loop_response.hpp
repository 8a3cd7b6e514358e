// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The response L(z) = -(C (z I - A)^-1 B + D) of a cut loop (cut_loop.hpp) on the unit circle. For many values A is
/// brought to Hessenberg form once, after which one value takes about 2 n^2 complex products.

#pragma once

#include <panto/control/cut_loop.hpp>
#include <panto/core/check.hpp>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <complex>
#include <numbers>
#include <utility>

namespace panto::control {

class LoopResponse {
  public:
    /// @throws SetupError as validate(CutLoop), or if the loop has no states or no time step.
    template <class = void>
    explicit LoopResponse(const CutLoop& loop) : D_(loop.D), dt_(loop.dt) {
        const char* where = "control::LoopResponse";
        validate(loop, where);
        require(loop.A.rows() > 0, where, "the loop has no states");
        require_positive(loop.dt, where, "dt");
        const Eigen::HessenbergDecomposition<Eigen::MatrixXd> form(loop.A);
        const Eigen::MatrixXd Q = form.matrixQ();
        H_ = form.matrixH();
        B_ = Q.transpose() * loop.B;
        C_ = loop.C * Q;
    }

    /// L at `frequency`, Hz; infinite or no number at a pole.
    template <class = void>
    [[nodiscard]] std::complex<double> operator()(double frequency) const {
        const Eigen::Index n = H_.rows();
        Rows M = -H_.cast<std::complex<double>>();
        M.diagonal().array() += std::polar(1.0, 2.0 * std::numbers::pi * frequency * dt_);
        Eigen::VectorXcd x = B_.cast<std::complex<double>>();
        for (Eigen::Index k = 0; k + 1 < n; ++k) {  // only one entry below the diagonal in each column
            if (std::norm(M(k + 1, k)) > std::norm(M(k, k))) {
                M.row(k).tail(n - k).swap(M.row(k + 1).tail(n - k));
                std::swap(x[k], x[k + 1]);
            }
            const std::complex<double> factor = M(k + 1, k) / M(k, k);
            if (factor == 0.0) continue;
            M.row(k + 1).tail(n - k) -= factor * M.row(k).tail(n - k);
            x[k + 1] -= factor * x[k];
        }
        for (Eigen::Index k = n - 1; k >= 0; --k) {
            for (Eigen::Index j = k + 1; j < n; ++j) x[k] -= M(k, j) * x[j];
            x[k] /= M(k, k);
        }
        std::complex<double> sum = D_;
        for (Eigen::Index k = 0; k < n; ++k) sum += C_[k] * x[k];
        return -sum;
    }

  private:
    using Rows = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::MatrixXd H_;
    Eigen::VectorXd B_;
    Eigen::RowVectorXd C_;
    double D_, dt_;
};

/// L at `frequency`, Hz. For many frequencies of the same loop a LoopResponse is faster.
/// @throws SetupError as LoopResponse, if the frequency is not finite, or if there is a pole.
template <class = void>
[[nodiscard]] std::complex<double> loop_gain(const CutLoop& loop, double frequency) {
    const char* where = "control::loop_gain";
    require_finite(frequency, where, "frequency");
    const std::complex<double> L = LoopResponse(loop)(frequency);
    require(is_finite(L.real()) && is_finite(L.imag()), where, "the loop has a pole at ", frequency, " Hz");
    return L;
}

}  // namespace panto::control
