// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The sum of squared residuals as an objective, and the directions in which they hardly change, for the check at the
/// end of a search.

#pragma once

#include <panto/opt/detail/function.hpp>

#include <Eigen/Eigenvalues>

#include <vector>

namespace panto::opt::detail {

/// r'r with its gradient, by central differences of the residuals if the model has no derivatives.
template <class = void>
class SquaredResiduals {
  public:
    SquaredResiduals(const Residuals& f, const Bounds& box, const Parameters& lengths)
        : f_(f), box_(box), lengths_(lengths) {}

    double operator()(const Parameters& x) const {
        Parameters r;
        return usable(f_.residuals(x, r)) ? r.squaredNorm() : Bounds::infinite;
    }
    double operator()(const Parameters& x, Parameters& gradient) const {
        Parameters r;
        Matrix<double, Dynamic> J;
        bool good = true;
        if (f_.joint())
            good = usable(f_.linearize(x, r, J));
        else
            good = usable(f_.residuals(x, r)) && (f_.exact() ? usable(f_.jacobian(x, J)) : differences(x, J));
        if (!good) return gradient.resize(0), Bounds::infinite;
        gradient = 2.0 * J.transpose() * r;
        return r.squaredNorm();
    }

  private:
    bool differences(const Parameters& x, Matrix<double, Dynamic>& J) const {
        Parameters other = x, up, down;
        for (Eigen::Index k = 0; k < x.size(); ++k) {
            const double from = box_.project(k, x[k] - 6e-6 * lengths_[k]),
                         to = box_.project(k, x[k] + 6e-6 * lengths_[k]);
            other[k] = to;
            if (!usable(f_.residuals(other, up))) return false;
            other[k] = from;
            if (!usable(f_.residuals(other, down)) || up.size() != down.size()) return false;
            other[k] = x[k];
            if (k == 0) J.setZero(up.size(), x.size());
            if (to > from) J.col(k) = (up - down) / (to - from);
        }
        return true;
    }

    const Residuals& f_;
    const Bounds& box_;
    Parameters lengths_;
};

/// The directions, as columns, in which J changes the residuals by less than their norm when the free parameters change
/// by their whole sizes.
template <class = void>
Matrix<double, Dynamic> weak_ways(const Matrix<double, Dynamic>& J, double norm, const std::vector<Eigen::Index>& free,
                                  const Parameters& size) {
    const auto n = static_cast<Eigen::Index>(free.size());
    Matrix<double, Dynamic> A(J.rows(), n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::Index k = free[static_cast<std::size_t>(i)];
        A.col(i) = J.col(k) * (size[k] / norm);
    }
    const Eigen::SelfAdjointEigenSolver<Matrix<double, Dynamic>> eigen(A.transpose() * A);
    Eigen::Index weak = 0;
    while (weak < n && eigen.eigenvalues()[weak] < 1.0) ++weak;
    Matrix<double, Dynamic> ways = Matrix<double, Dynamic>::Zero(size.size(), weak);
    if (weak == 0) return ways;
    for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::Index k = free[static_cast<std::size_t>(i)];
        ways.row(k) = size[k] * eigen.eigenvectors().row(i).head(weak);
    }
    return ways;
}

}  // namespace panto::opt::detail
