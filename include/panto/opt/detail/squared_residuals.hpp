// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The sum of squared residuals as an objective, for the check at the end of a search.

#pragma once

#include <panto/opt/detail/function.hpp>

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

}  // namespace panto::opt::detail
