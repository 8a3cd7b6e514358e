// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The linear sub-problem of Levenberg and Marquardt, in units in which no column of J is longer than 1:
///
///     minimize || e + A z ||  with  || z || <= radius ,    e = r / || r || ,  A = J / D ,  z = D p / || r || ,
///
/// by a QR factorization of A and the singular values of its triangle. They also give the part of r that lies in A's
/// range, which is all that a step can still remove.

#pragma once

#include <panto/core/real.hpp>
#include <panto/opt/concepts.hpp>
#include <panto/opt/detail/norm.hpp>

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <vector>

namespace panto::opt::detail {

/// min || e + A z || over some of the columns.
class DampedStep {
  public:
    /// R and q = Q'e of A = Q R, with some columns of R only. Singular values below `error` times the number of columns
    /// times the largest one count as 0.
    template <class = void>
    DampedStep(const Matrix<double, Dynamic>& R, const Eigen::VectorXd& q, double error);

    /// The step with || z || within 10 % of `radius`, or the undamped one if that is shorter. On entry `damping` is a
    /// guess of lambda in (A'A + lambda) z = -A'e; on return it is the lambda found.
    template <class = void>
    [[nodiscard]] Eigen::VectorXd within(double radius, double& damping) const {
        Eigen::VectorXd y = coefficients(0.0);
        double length = y.norm();
        if (length <= 1.1 * radius) {
            damping = 0.0;
            return step(y);
        }
        // phi(lambda) = || y || - radius falls and is convex: Hebden's iteration, kept between known bounds.
        double low = (length - radius) / (radius * slope(y, 0.0, length)), high = gradient() / radius;
        damping = std::clamp(damping, low, std::max(low, high));
        if (!(damping > 0.0)) damping = std::max(1e-3 * high, std::sqrt(low * high));
        for (int k = 0; k < 50; ++k) {
            y = coefficients(damping);
            length = y.norm();
            const double excess = length - radius;
            if (std::abs(excess) <= 0.1 * radius) break;
            (excess > 0.0 ? low : high) = damping;
            const double newton = damping + excess / (radius * slope(y, damping, length));
            damping = newton > low && newton < high ? newton : std::max(std::sqrt(low * high), 1e-3 * high);
        }
        return step(y);
    }

    /// Cosine of the angle between e and A's range; its square is || e ||^2 - min || e + A z ||^2. The part that the
    /// relative error of A's columns can cause even if e is orthogonal to the range is subtracted, while it is small.
    [[nodiscard]] double cosine(double error_of_columns) const {
        double sum = 0.0;
        const auto& s = svd_.singularValues();
        for (Eigen::Index i = 0; i < rank_; ++i) {
            const double unsure = 4.0 * error_of_columns * s[0] / s[i];
            const double sure = std::max(0.0, std::abs(c_[i]) - (unsure <= 0.01 ? unsure : 0.0));
            sum += sure * sure;
        }
        return std::sqrt(sum);
    }

  private:
    template <class = void>
    [[nodiscard]] Eigen::VectorXd coefficients(double damping) const {
        const auto& s = svd_.singularValues();
        Eigen::VectorXd y = Eigen::VectorXd::Zero(s.size());
        for (Eigen::Index i = 0; i < rank_; ++i) y[i] = -s[i] * c_[i] / (s[i] * s[i] + damping);
        return y;
    }

    /// -d || y || / d lambda, divided by || y ||
    [[nodiscard]] double slope(const Eigen::VectorXd& y, double damping, double length) const {
        const auto& s = svd_.singularValues();
        double sum = 0.0;
        for (Eigen::Index i = 0; i < rank_; ++i) sum += y[i] / length * (y[i] / length) / (s[i] * s[i] + damping);
        return sum;
    }

    [[nodiscard]] double gradient() const {
        const auto& s = svd_.singularValues();
        double sum = 0.0;
        for (Eigen::Index i = 0; i < rank_; ++i) sum += s[i] * c_[i] * (s[i] * c_[i]);
        return std::sqrt(sum);
    }

    [[nodiscard]] Eigen::VectorXd step(const Eigen::VectorXd& y) const { return svd_.matrixV() * y; }

    Eigen::JacobiSVD<Matrix<double, Dynamic>> svd_;
    Eigen::VectorXd c_;
    Eigen::Index rank_ = 0;
};

/// A = Q R and q = Q'e, and the sub-problem for some of the columns without touching A again.
class Triangle {
  public:
    template <class = void>
    void factorize(const Matrix<double, Dynamic>& A, const Eigen::VectorXd& e);

    template <class = void>
    [[nodiscard]] DampedStep restricted_to(const std::vector<Eigen::Index>& columns, double error) const {
        Matrix<double, Dynamic> some(R_.rows(), static_cast<Eigen::Index>(columns.size()));
        for (std::size_t i = 0; i < columns.size(); ++i) some.col(static_cast<Eigen::Index>(i)) = R_.col(columns[i]);
        return DampedStep(some, q_, error);
    }

    /// || e ||^2 - || e + A z ||^2, by a difference that does not cancel.
    [[nodiscard]] double reduction(const Eigen::VectorXd& z) const {
        const Eigen::VectorXd Rz = R_ * z;
        return -Rz.dot(2.0 * q_ + Rz);
    }

  private:
    Matrix<double, Dynamic> R_;
    Eigen::VectorXd q_;
};

template <class>
DampedStep::DampedStep(const Matrix<double, Dynamic>& R, const Eigen::VectorXd& q, double error)
    : svd_(R, Eigen::ComputeThinU | Eigen::ComputeThinV), c_(svd_.matrixU().transpose() * q) {
    const auto& s = svd_.singularValues();
    while (rank_ < s.size() && s[rank_] > 0.0 && s[rank_] > error * static_cast<double>(R.cols()) * s[0]) ++rank_;
}

template <class>
void Triangle::factorize(const Matrix<double, Dynamic>& A, const Eigen::VectorXd& e) {
    const Eigen::Index n = A.cols(), rank = std::min(A.rows(), n);
    const Eigen::HouseholderQR<Matrix<double, Dynamic>> qr(A);
    Eigen::VectorXd all = e;
    all.applyOnTheLeft(qr.householderQ().adjoint());
    q_ = all.head(rank);
    R_ = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
}

/// The triangle with all columns of A scaled to length 1: a column of J that was longer before may be tiny in A.
template <class = void>
Triangle stretched_triangle(Matrix<double, Dynamic> A, const Eigen::VectorXd& e) {
    for (Eigen::Index i = 0; i < A.cols(); ++i)
        if (const double length = norm_of(A.col(i)); length > 0.0) A.col(i) /= length;
    Triangle all;
    all.factorize(A, e);
    return all;
}

/// Removes parameters that a step did not move from the free ones. False if there were none, or nothing moved.
inline bool drop_unmoved(std::vector<Eigen::Index>& free, const Parameters& moved) {
    const auto still = [&moved](Eigen::Index i) { return !(std::abs(moved[i]) > 0.0); };
    const auto first = std::stable_partition(free.begin(), free.end(), [&](Eigen::Index i) { return !still(i); });
    if (first == free.end() || first == free.begin()) return false;
    free.erase(first, free.end());
    return true;
}

#ifdef PANTO_COMPILED
extern template DampedStep::DampedStep(const Matrix<double, Dynamic>&, const Eigen::VectorXd&, double);
extern template void Triangle::factorize(const Matrix<double, Dynamic>&, const Eigen::VectorXd&);
#endif

}  // namespace panto::opt::detail
