// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kalman filter for x[k+1] = A x[k] + B u[k] + w, y[k] = C x[k] + v, cov(w) = W, cov(v) = V [Kalman 1960].
///
/// Steady state: P = A P A' - A P C'(C P C' + V)^-1 C P A' + W, the Riccati equation of the dual system (A', C').
///     filter gain      L_f = P C'(C P C' + V)^-1:  x(k|k)   = x(k|k-1) + L_f (y - C x(k|k-1))
///     predictor gain   L   = A L_f:                x(k+1|k) = A x(k|k-1) + B u + L (y - C x(k|k-1))
///
/// Time-varying: Joseph's form P <- (I - LC) P (I - LC)' + L V L', which stays symmetric and positive semi-definite
/// for any gain. W, V and P may be singular.

#pragma once

#include <panto/core/status.hpp>
#include <panto/linalg/dare.hpp>

#include <Eigen/Eigenvalues>

#include <cmath>
#include <string>
#include <utility>

namespace panto::control {

template <int Nx = Dynamic, int Ny = Dynamic>
struct KalmanGains {
    Matrix<double, Nx, Ny> filter;     ///< L_f, applied to the innovation before predicting
    Matrix<double, Nx, Ny> predictor;  ///< L = A L_f
    Matrix<double, Nx> covariance;     ///< P, of the prediction error
    double radius = 0.0;               ///< of A - LC, below 1
};

/// Steady-state gains. W and V are covariances (squares of standard deviations).
/// @throws SetupError as linalg::dare does for the dual system: there, a mode that no input moves is one that no
/// measurement sees.
template <class DerivedA, class DerivedC, class DerivedW, class DerivedV>
[[nodiscard]] auto kalman_gains(const Eigen::MatrixBase<DerivedA>& A, const Eigen::MatrixBase<DerivedC>& C,
                                const Eigen::MatrixBase<DerivedW>& W, const Eigen::MatrixBase<DerivedV>& V) {
    constexpr int Nx = DerivedA::RowsAtCompileTime, Ny = DerivedC::RowsAtCompileTime;
    try {
        const auto s = linalg::dare(A.transpose(), C.transpose(), W, V);
        KalmanGains<Nx, Ny> gains;
        gains.covariance = s.X;
        gains.predictor = s.K.transpose();
        const Eigen::MatrixXd PC = s.X * C.transpose();
        const auto solved = linalg::detail::solve_positive(
            linalg::detail::symmetric_part<Eigen::MatrixXd>(C * PC + V).template cast<long double>(),
            PC.transpose().cast<long double>());
        require(solved.has_value(), "control::kalman_gains", "C P C' + V is singular");
        gains.filter = solved->transpose().template cast<double>();
        gains.radius = s.closed_loop_radius;
        return gains;
    } catch (const SetupError& e) {
        throw SetupError(std::string("control::kalman_gains: the dual problem (A', C', W, V) fails: ") + e.what());
    }
}

template <int Nx = Dynamic, int Nu = Dynamic, int Ny = Dynamic>
struct KalmanParams {
    Matrix<double, Nx> A;
    Matrix<double, Nx, Nu> B;
    Matrix<double, Ny, Nx> C;
    Matrix<double, Nx> W;  ///< covariance of the process noise per step, positive semi-definite
    Matrix<double, Ny> V;  ///< covariance of the measurement noise, positive semi-definite
};

/// The filter with a covariance that moves. update() with a measurement, predict() to the next step; a missing
/// measurement is simply not given. On failure the state stays what it was.
template <int Nx = Dynamic, int Nu = Dynamic, int Ny = Dynamic>
class Kalman {
  public:
    using State = Vector<double, Nx>;
    using Input = Vector<double, Nu>;
    using Output = Vector<double, Ny>;
    using Params = KalmanParams<Nx, Nu, Ny>;

    /// @throws SetupError if sizes disagree, an entry is not finite, or W, V or P0 is not a covariance.
    Kalman(const Params& p, const State& x0, const Matrix<double, Nx>& P0)
        : p_((validate(p, x0, P0), p)),
          x_(x0),
          x_new_(x0),
          P_(P0),
          P_new_(P0),
          factor_(P0),
          gain_(Matrix<double, Nx, Ny>::Zero(x0.size(), p.C.rows())),
          PC_(gain_),
          innovation_(Output::Zero(p.C.rows())),
          scale_(innovation_),
          S_(p.V),
          S_inverse_(p.V),
          gain_V_(gain_),
          eigen_(p.C.rows()) {}

    /// Takes a measurement in. sensor_implausible if it is not finite, not_finite if the result would not be, ok
    /// otherwise; unless ok nothing has changed. @rt
    Status update(const Output& y) noexcept {
        for (Eigen::Index i = 0; i < y.size(); ++i)
            if (!finite(y[i])) return Status::sensor_implausible;
        PC_.noalias() = P_ * p_.C.transpose();
        S_.noalias() = p_.C * PC_;
        S_ += p_.V;
        if (!invert()) return Status::not_finite;
        gain_.noalias() = PC_ * S_inverse_;

        innovation_.noalias() = y - p_.C * x_;
        x_new_.noalias() = gain_ * innovation_;
        x_new_ += x_;

        factor_.setIdentity();
        factor_.noalias() -= gain_ * p_.C;
        P_new_.noalias() = factor_ * P_;
        times_transposed(P_new_, factor_);
        gain_V_.noalias() = gain_ * p_.V;
        P_new_.noalias() += gain_V_ * gain_.transpose();
        return commit();
    }

    /// Moves on by one step under the input `u`. not_finite if the result would not be; then nothing has changed. @rt
    Status predict(const Input& u) noexcept {
        x_new_.noalias() = p_.A * x_;
        x_new_.noalias() += p_.B * u;
        P_new_.noalias() = p_.A * P_;
        times_transposed(P_new_, p_.A);
        P_new_ += p_.W;
        return commit();
    }

    [[nodiscard]] const State& state() const noexcept { return x_; }
    [[nodiscard]] const Matrix<double, Nx>& covariance() const noexcept { return P_; }

  private:
    static void validate(const Params& p, const State& x0, const Matrix<double, Nx>& P0) {
        const char* where = "control::Kalman";
        const Eigen::Index nx = p.A.rows(), ny = p.C.rows();
        require(nx > 0 && ny > 0 && p.A.cols() == nx && p.B.rows() == nx && p.C.cols() == nx && p.W.rows() == nx &&
                    p.W.cols() == nx && p.V.rows() == ny && p.V.cols() == ny && x0.size() == nx && P0.rows() == nx &&
                    P0.cols() == nx,
                where, "the sizes of A, B, C, W, V, x0 and P0 must agree");
        const auto finite_matrix = [where](const Eigen::MatrixXd& M, const char* name) {
            for (const double entry : M.reshaped()) require_finite(entry, where, std::string("an entry of ") + name);
        };
        finite_matrix(p.A, "A"), finite_matrix(p.B, "B"), finite_matrix(p.C, "C"), finite_matrix(x0, "x0");
        const auto covariance = [&](const Eigen::MatrixXd& M, const char* name) {
            finite_matrix(M, name);
            const double size = M.cwiseAbs().maxCoeff();
            require((M - M.transpose()).cwiseAbs().maxCoeff() <= 1e-10 * size, where,
                    std::string(name) + " is not symmetric");
            const double least = linalg::eigenvalues(M).real().minCoeff();
            require(
                least >= -1e-12 * size, where,
                std::string(name) + " has the eigenvalue " + shown(least) + ", allowed are eigenvalues of at least 0");
        };
        covariance(p.W, "W"), covariance(p.V, "V"), covariance(P0, "P0");
    }

    /// P <- P M', through the spare matrix.
    void times_transposed(Matrix<double, Nx>& P, const Matrix<double, Nx>& M) noexcept {
        spare_.noalias() = P * M.transpose();
        P = spare_;
    }

    /// Pseudo-inverse of S. Measurements in different units are first brought to unit variance; directions without
    /// any variance (exact and redundant measurements) get no gain.
    bool invert() noexcept {
        const double eps = 1e-13;
        for (Eigen::Index i = 0; i < S_.rows(); ++i) scale_[i] = S_(i, i) > 0.0 ? 1.0 / std::sqrt(S_(i, i)) : 0.0;
        for (Eigen::Index j = 0; j < S_.cols(); ++j)
            for (Eigen::Index i = 0; i < S_.rows(); ++i) S_(i, j) *= scale_[i] * scale_[j];
        eigen_.compute(S_);
        if (eigen_.info() != Eigen::Success) return false;
        S_inverse_.setZero();
        for (Eigen::Index i = 0; i < S_.rows(); ++i) {
            const double lambda = eigen_.eigenvalues()[i];
            if (!(lambda > eps)) continue;
            S_inverse_.noalias() +=
                eigen_.eigenvectors().col(i) * (1.0 / lambda) * eigen_.eigenvectors().col(i).transpose();
        }
        for (Eigen::Index j = 0; j < S_.cols(); ++j)
            for (Eigen::Index i = 0; i < S_.rows(); ++i) S_inverse_(i, j) *= scale_[i] * scale_[j];
        return true;
    }

    Status commit() noexcept {
        for (Eigen::Index j = 0; j < P_.cols(); ++j) {
            if (!finite(x_new_[j])) return Status::not_finite;
            for (Eigen::Index i = 0; i < P_.rows(); ++i)
                if (!finite(P_new_(i, j))) return Status::not_finite;
        }
        x_ = x_new_;
        for (Eigen::Index j = 0; j < P_.cols(); ++j)
            for (Eigen::Index i = 0; i < P_.rows(); ++i) P_(i, j) = 0.5 * (P_new_(i, j) + P_new_(j, i));
        return Status::ok;
    }

    Params p_;
    State x_, x_new_;
    Matrix<double, Nx> P_, P_new_, factor_, spare_{P_};
    Matrix<double, Nx, Ny> gain_, PC_;
    Output innovation_, scale_;
    Matrix<double, Ny> S_, S_inverse_;
    Matrix<double, Nx, Ny> gain_V_;
    Eigen::SelfAdjointEigenSolver<Matrix<double, Ny>> eigen_;
};

}  // namespace panto::control
