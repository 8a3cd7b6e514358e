// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The information of a record about parameters: Fisher information of a least-squares fit with independent noise, from
/// the sensitivity matrix Psi = dy/dp (a row for each sample, a column for each parameter). Everything follows from the
/// singular values s of Psi; Psi'Psi, whose condition number is squared, is never formed.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/linalg/svd.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace panto::ident {

struct Information {
    Vector<double, Dynamic> singular_values = {};  ///< of Psi, descending
    Matrix<double, Dynamic> directions =
        {};        ///< column i: the combination of parameters that singular value i belongs to
    int rank = 0;  ///< how many of these combinations the record determines

    double trace_of_inverse = 0.0;     ///< A-criterion, sum of the variances; infinite without full rank
    double log_determinant = 0.0;      ///< D-criterion, of the information; minus infinity without full rank
    double smallest_eigenvalue = 0.0;  ///< E-criterion, of the information

    Vector<double, Dynamic> deviation =
        {};  ///< standard deviation of each parameter; infinite if it takes part in an undetermined direction
    Matrix<double, Dynamic> covariance = {};   ///< of the parameters, restricted to determined directions
    Matrix<double, Dynamic> correlation = {};  ///< likewise; 1 on the diagonal

    /// Whether every parameter is identifiable.
    [[nodiscard]] bool identifiable() const { return rank == static_cast<int>(singular_values.size()); }
};

/// `deviation` is the standard deviation of the noise of each sample. Scale parameters of very different sizes:
/// Psi diag(p) gives relative deviations. `accuracy` is the error of Psi, relative to each column: the record does not
/// determine a combination whose effect is smaller than that of the errors. 0 stands for rounding of the entries alone.
/// @throws SetupError if Psi has more columns than rows or a non-finite entry, or `deviation` is not positive or
/// differs so much from the effect of the parameters on the record that variances leave the range of a number.
template <class = void>
[[nodiscard]] Information information(const Matrix<double, Dynamic>& Psi, double deviation, double accuracy = 0.0) {
    require_positive(deviation, "ident::information", "deviation");
    require_not_negative(accuracy, "ident::information", "accuracy");
    const linalg::Svd svd = linalg::svd(Psi);
    const Eigen::Index n = Psi.cols();
    const double infinite = std::numeric_limits<double>::infinity();
    const double rounding = static_cast<double>(Psi.rows()) * std::numeric_limits<double>::epsilon() * svd.values[0];
    const Vector<double, Dynamic> errors = accuracy * Psi.colwise().norm().transpose();
    Information f;
    f.singular_values = svd.values;
    f.directions = svd.V;
    f.covariance.setZero(n, n);
    f.deviation.setZero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const double s = svd.values[i], ratio = deviation / s, variance = ratio * ratio;
        if (s > std::max(rounding, svd.V.col(i).cwiseAbs().dot(errors))) {
            require(ratio > 1e-150 && ratio < 1e150, "ident::information", "deviation is ", deviation,
                    " and the record changes by ", s,
                    " with the parameters, their ratio must be between 1e-150 and 1e150");
            ++f.rank;
            f.trace_of_inverse += variance;
            f.log_determinant -= 2.0 * std::log(ratio);
            f.covariance += variance * svd.V.col(i) * svd.V.col(i).transpose();
        } else {
            f.trace_of_inverse = infinite;
            f.log_determinant = -infinite;
            // A parameter that takes part in this direction beyond rounding is not identifiable.
            for (Eigen::Index k = 0; k < n; ++k)
                if (std::abs(svd.V(k, i)) > 1e-12) f.deviation[k] = infinite;
        }
        f.smallest_eigenvalue = s > 0.0 ? 1.0 / variance : 0.0;
    }
    f.correlation.setIdentity(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        f.deviation[i] += std::sqrt(f.covariance(i, i));
        for (Eigen::Index k = 0; k < n; ++k)
            if (i != k && f.covariance(i, i) > 0.0 && f.covariance(k, k) > 0.0)
                f.correlation(i, k) =
                    f.covariance(i, k) / std::sqrt(f.covariance(i, i)) / std::sqrt(f.covariance(k, k));
    }
    return f;
}

/// The distance of a point from the estimate in the metric of the joint confidence ellipsoid: || Psi (p - estimate)
/// ||^2 / deviation^2. For the true parameters it is chi-square distributed with as many degrees of freedom as
/// parameters; its 95 % quantiles for 1 to 5 are 3.841, 5.991, 7.815, 9.488 and 11.070.
template <class = void>
[[nodiscard]] double distance_squared(const Matrix<double, Dynamic>& Psi, const Vector<double, Dynamic>& difference,
                                      double deviation) {
    require_positive(deviation, "ident::distance_squared", "deviation");
    require(Psi.cols() == difference.size(), "ident::distance_squared", "Psi has ", Psi.cols(),
            " columns and the difference ", difference.size(), " entries, must be equal");
    return (Psi * difference).squaredNorm() / (deviation * deviation);
}

}  // namespace panto::ident
