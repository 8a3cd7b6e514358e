// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Residuals as an objective, for optimizers without least squares: r'r, with the gradient 2 J'r if the
/// residuals have a Jacobian.

#pragma once

#include <panto/opt/concepts.hpp>

#include <limits>

namespace panto::opt {

/// Keeps a reference. Points without usable residuals have the value NaN.
template <LeastSquares F>
class SumOfSquares {
  public:
    explicit SumOfSquares(const F& f) : f_(f) {}

    double operator()(const Parameters& x) const {
        Parameters r;
        return usable(f_.residuals(x, r)) && r.size() > 0 ? r.squaredNorm() : std::numeric_limits<double>::quiet_NaN();
    }

    double operator()(const Parameters& x, Parameters& gradient) const
        requires DifferentiableLeastSquares<F>
    {
        Parameters r;
        Matrix<double, Dynamic> J;
        const bool good = usable(f_.residuals(x, r)) && usable(f_.jacobian(x, J));
        if (!good)
            return gradient = Parameters::Constant(x.size(), std::numeric_limits<double>::quiet_NaN()), gradient[0];
        gradient = 2.0 * J.transpose() * r;
        return r.squaredNorm();
    }

  private:
    const F& f_;
};

}  // namespace panto::opt
