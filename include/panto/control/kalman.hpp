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

#include <Eigen/Cholesky>

#include <cmath>
#include <string>

namespace panto::control {

template <int Nx = Dynamic, int Ny = Dynamic>
struct KalmanGains {
    Matrix<double, Nx, Ny> filter = {};     ///< L_f, applied to the innovation before predicting
    Matrix<double, Nx, Ny> predictor = {};  ///< L = A L_f
    Matrix<double, Nx> covariance = {};     ///< P, of the prediction error
    double radius = 0.0;                    ///< of A - LC, below 1
};

namespace detail {

/// @throws SetupError unless `M` is finite, symmetric and positive semi-definite.
template <class = void>
void require_covariance(const Eigen::MatrixXd& M, const char* where, const char* name) {
    for (const double entry : M.reshaped()) require_finite(entry, where, "an entry of ", name);
    const double size = M.size() == 0 ? 0.0 : M.cwiseAbs().maxCoeff();
    if (size == 0.0) return;
    require((M - M.transpose()).cwiseAbs().maxCoeff() <= 1e-10 * size, where, name, " is not symmetric");
    const double least = linalg::eigenvalues(M).real().minCoeff();
    require(least >= -1e-12 * size, where, name, " is not positive semi-definite: it has the eigenvalue ", least,
            ", its eigenvalues must be >= 0");
}

template <class = void>
KalmanGains<> kalman_gains(const Eigen::MatrixXd& A, const Eigen::MatrixXd& C, const Eigen::MatrixXd& W,
                           const Eigen::MatrixXd& V) {
    const char* where = "control::kalman_gains";
    const Eigen::Index nx = A.rows(), ny = C.rows();
    require(nx > 0 && ny > 0, where, "there must be at least one state and one reading");
    require(A.cols() == nx && C.cols() == nx && W.rows() == nx && W.cols() == nx && V.rows() == ny && V.cols() == ny,
            where, "the sizes of A, C, W and V must agree");
    for (const double entry : A.reshaped()) require_finite(entry, where, "an entry of A");
    for (const double entry : C.reshaped()) require_finite(entry, where, "an entry of C");
    require_covariance(W, where, "W"), require_covariance(V, where, "V");
    const std::string mode = linalg::detail::uncontrollable_mode(A.transpose(), C.transpose());
    require(mode.empty(), where, "(A, C) is not detectable: no reading shows the mode with eigenvalue ", mode,
            ", which does not decay by itself");
    try {
        const linalg::DareSolution<> s =
            linalg::detail::solve_dare({A.transpose(), C.transpose(), W, V, Eigen::MatrixXd::Zero(nx, ny)});
        const Eigen::MatrixXd PC = s.X * C.transpose(), variance = C * PC;
        const auto solved = linalg::detail::solve_positive(
            linalg::detail::symmetric_part<Eigen::MatrixXd>(variance + V).cast<long double>(),
            PC.transpose().cast<long double>());
        require(solved.has_value(), where, "C P C' + V is singular");
        return {solved->transpose().cast<double>(), s.K.transpose(), s.X, s.closed_loop_radius};
    } catch (const SetupError& e) {
        throw SetupError(std::string("control::kalman_gains: the dual problem (A', C', W, V) fails: ") + e.what());
    }
}

#ifdef PANTO_COMPILED
extern template KalmanGains<> kalman_gains(const Eigen::MatrixXd&, const Eigen::MatrixXd&, const Eigen::MatrixXd&,
                                           const Eigen::MatrixXd&);
#endif

}  // namespace detail

/// Steady-state gains. W and V are covariances (squares of standard deviations). Sizes may be fixed or Dynamic.
/// @throws SetupError if sizes disagree, an entry is not finite, W or V is not a covariance, no reading shows a mode
/// that does not decay by itself (it is named), or as linalg::dare does for the dual system (A', C', W, V).
template <class DerivedA, class DerivedC, class DerivedW, class DerivedV>
[[nodiscard]] KalmanGains<DerivedA::RowsAtCompileTime, DerivedC::RowsAtCompileTime> kalman_gains(
    const Eigen::MatrixBase<DerivedA>& A, const Eigen::MatrixBase<DerivedC>& C, const Eigen::MatrixBase<DerivedW>& W,
    const Eigen::MatrixBase<DerivedV>& V) {
    const KalmanGains<> g = detail::kalman_gains(A, C, W, V);
    return {g.filter, g.predictor, g.covariance, g.radius};
}

/// Standard deviation of the estimate `row` x, after an update with the steady gain `filter`, that comes from noise of
/// the readings with the covariance V alone. The observer must be stable. All are dynamic matrices.
template <class Row, class M>
[[nodiscard]] double noise_of_estimate(const Row& row, const M& filter, const M& A, const M& C, const M& V) {
    M power = A - filter * C * A, P = filter * V * filter.transpose();
    for (int i = 0; i < 20; ++i) {  // the sum of 2^20 terms
        P += (power * P * power.transpose()).eval();
        power = (power * power).eval();
    }
    return std::sqrt(row.dot(P * row.transpose()));
}

template <int Nx = Dynamic, int Nu = Dynamic, int Ny = Dynamic>
struct KalmanParams {
    Matrix<double, Nx> A;
    Matrix<double, Nx, Nu> B;
    Matrix<double, Ny, Nx> C;
    Matrix<double, Nx> W;  ///< covariance of the process noise per step, positive semi-definite
    Matrix<double, Ny> V;  ///< covariance of the measurement noise, positive semi-definite
};

/// The filter with a time-varying covariance. Call update() with each measurement, and predict() to go on to the next
/// step; if a measurement is missing, leave out update(). On failure the state is unchanged.
///
/// Readings are decorrelated at set-up (V = L D L', y and C times L^-1) and then processed one by one: no matrix is
/// inverted, and singular covariances need no special case.
///
/// If the plant switches between two models with the same state (a strip on the wire and off it, say), make a filter
/// for each, and let one take_over() from the other.
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
          PC_(x0),
          k_(x0),
          P_(P0),
          P_new_(P0),
          spare_(P0),
          C_(p.C),
          independent_(p.V),
          factor_(p.V),
          y_(Output::Zero(p.C.rows())),
          noise_(y_) {
        const Eigen::LDLT<Eigen::MatrixXd> factor(p.V);
        const Eigen::MatrixXd permuted = factor.transpositionsP() * Eigen::MatrixXd::Identity(y_.size(), y_.size());
        independent_ = factor.matrixL().solve(permuted);
        noise_ = factor.vectorD().cwiseMax(0.0);
        p_.C = independent_ * p.C;
    }

    /// Processes a measurement. out_of_range if its size is not the number of rows of C, sensor_implausible if it is
    /// not finite, not_finite if the result would not be finite: then nothing changes. ok otherwise. @rt
    Status update(const Output& y) noexcept {
        if (y.size() != y_.size()) return Status::out_of_range;
        for (Eigen::Index i = 0; i < y.size(); ++i)
            if (!is_finite(y[i])) return Status::sensor_implausible;
        y_.noalias() = independent_ * y;
        start();
        for (Eigen::Index i = 0; i < y_.size(); ++i) take_in(p_.C.row(i), y_[i], noise_[i]);
        return commit();
    }

    /// The same with a gate: returns sensor_implausible and changes nothing if the reading is further from the expected
    /// one than `gate` standard deviations, i.e. if the normalized square of the innovation, nu'(C P C' + V)^-1 nu,
    /// exceeds gate^2. While readings are refused, the covariance grows in predict(), so the gate becomes wider.
    /// out_of_range also if `gate` is negative or not a number. @rt
    Status update(const Output& y, double gate) noexcept {
        if (y.size() != y_.size() || !(gate >= 0.0)) return Status::out_of_range;
        for (Eigen::Index i = 0; i < y.size(); ++i)
            if (!is_finite(y[i])) return Status::sensor_implausible;
        y_.noalias() = independent_ * y;
        start();
        for (Eigen::Index i = 0; i < y_.size(); ++i) take_in(p_.C.row(i), y_[i], noise_[i]);
        return surprise_ <= gate * gate ? commit() : Status::sensor_implausible;
    }

    /// Processes only the readings that have arrived, those with a true entry in `arrived`; the others are ignored. @rt
    template <class Flags>
    Status update_some(const Output& y, const Flags& arrived) noexcept {
        const Eigen::Index ny = y_.size();
        if (y.size() != ny || static_cast<Eigen::Index>(arrived.size()) != ny) return Status::out_of_range;
        const auto there = [&arrived](Eigen::Index i) {
            return static_cast<bool>(arrived[static_cast<std::size_t>(i)]);
        };
        for (Eigen::Index i = 0; i < ny; ++i)
            if (there(i) && !is_finite(y[i])) return Status::sensor_implausible;
        // V = L D L' for the readings that are there. noise_ stays the D of all readings.
        start();
        for (Eigen::Index i = 0; i < ny; ++i) {
            if (!there(i)) continue;
            y_[i] = y[i];
            row_ = C_.row(i);
            double noise = p_.V(i, i);
            for (Eigen::Index j = 0; j < i; ++j) {
                if (!there(j)) continue;
                double entry = p_.V(i, j);
                for (Eigen::Index m = 0; m < j; ++m)
                    if (there(m)) entry -= factor_(i, m) * factor_(m, m) * factor_(j, m);
                factor_(i, j) = factor_(j, j) > 0.0 ? entry / factor_(j, j) : 0.0;
                noise -= factor_(i, j) * factor_(i, j) * factor_(j, j);
            }
            factor_(i, i) = noise > 1e-15 * p_.V(i, i) ? noise : 0.0;
            // L^-1 times y and C, row by row.
            for (Eigen::Index j = 0; j < i; ++j) {
                if (!there(j)) continue;
                y_[i] -= factor_(i, j) * y_[j];
                row_ -= factor_(i, j) * rows_.row(j);
            }
            rows_.row(i) = row_;
        }
        for (Eigen::Index i = 0; i < ny; ++i)
            if (there(i)) take_in(rows_.row(i), y_[i], factor_(i, i));
        return commit();
    }

    /// Continues from the estimate of another filter. out_of_range if the numbers of states differ. @rt
    template <int OtherNu, int OtherNy>
    Status take_over(const Kalman<Nx, OtherNu, OtherNy>& from) noexcept {
        if (from.state().size() != x_.size()) return Status::out_of_range;
        x_ = from.state();
        P_ = from.covariance();
        return Status::ok;
    }

    /// Predicts one step under the input `u`. out_of_range if its size is not the number of columns of B, not_finite if
    /// the result would not be finite: then nothing changes. ok otherwise. @rt
    Status predict(const Input& u) noexcept {
        if (u.size() != p_.B.cols()) return Status::out_of_range;
        x_new_.noalias() = p_.A * x_;
        x_new_.noalias() += p_.B * u;
        spare_.noalias() = p_.A * P_;
        P_new_.noalias() = spare_ * p_.A.transpose();
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
            for (const double entry : M.reshaped()) require_finite(entry, where, "an entry of ", name);
        };
        finite_matrix(p.A, "A"), finite_matrix(p.B, "B"), finite_matrix(p.C, "C"), finite_matrix(x0, "x0");
        detail::require_covariance(p.W, where, "W"), detail::require_covariance(p.V, where, "V");
        detail::require_covariance(P0, where, "P0");
    }

    void start() noexcept {
        x_new_ = x_;
        P_new_ = P_;
        surprise_ = 0.0;
    }

    /// Processes one independent reading y = c x + noise of variance r: k = P c'/s, s = c P c' + r, then Joseph's form.
    template <class Row>
    void take_in(const Row& c, double y, double r) noexcept {
        PC_.noalias() = P_new_ * c.transpose();
        const double known = c.dot(PC_), variance = known + r;
        // Ignore an exact reading of something already known exactly: the remaining variance is rounding.
        const double before = c.cwiseAbs2().dot(P_.diagonal());
        if (!(variance > 0.0) || (r == 0.0 && known <= 1e-14 * before)) return;
        k_ = PC_ / variance;
        const double innovation = y - c.dot(x_new_);
        surprise_ += innovation * innovation / variance;
        x_new_ += k_ * innovation;
        P_new_.noalias() -= k_ * PC_.transpose();  // (I - k c) P
        PC_.noalias() = P_new_ * c.transpose();
        PC_ -= r * k_;
        P_new_.noalias() -= PC_ * k_.transpose();  // ... (I - k c)' + r k k'
    }

    Status commit() noexcept {
        for (Eigen::Index j = 0; j < P_.cols(); ++j) {
            if (!is_finite(x_new_[j])) return Status::not_finite;
            for (Eigen::Index i = 0; i < P_.rows(); ++i)
                if (!is_finite(P_new_(i, j))) return Status::not_finite;
        }
        x_ = x_new_;
        for (Eigen::Index j = 0; j < P_.cols(); ++j)
            for (Eigen::Index i = 0; i < P_.rows(); ++i) P_(i, j) = 0.5 * (P_new_(i, j) + P_new_(j, i));
        return Status::ok;
    }

    Params p_;  // its C is that of the independent readings
    State x_, x_new_, PC_, k_;
    Matrix<double, Nx> P_, P_new_, spare_;
    Matrix<double, Ny, Nx> C_, rows_ = C_;  // C as given; rows L^-1 C of the readings that have arrived
    Matrix<double, Ny> independent_;        // L^-1
    Matrix<double, Ny> factor_;             // L below the diagonal, D on it, of the readings that have arrived
    Output y_, noise_;
    Eigen::Matrix<double, 1, Nx> row_ = C_.row(0);
    double surprise_ = 0.0;  // normalized square of the innovation of the last update
};

}  // namespace panto::control
