// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Functions whose Sobol' indices are known exactly. Estimates for them show how many rows a study needs, which design
/// is suitable, and whether a program is correct. All parameters are independent.
///
/// For a product of functions of one parameter each, with means m_i and variances v_i [Saltelli et al., Comput. Phys.
/// Commun. 181, 2010, 259-270; Sobol', Math. Comput. Simul. 55, 2001, 271-280]:
///
///     V = prod (m_i^2 + v_i) - prod m_i^2,    V_i = v_i prod_{j != i} m_j^2,    VT_i = v_i prod_{j != i} (m_j^2 + v_j)
///
/// For a sum, V_i = VT_i = v_i. A function whose values are uniform from low to high has v = (high - low)^2 / 12.
///
/// For Ishigami's function sin x_1 + a sin^2 x_2 + b x_3^4 sin x_1, all x_i uniform in [-pi, pi] [Ishigami and Homma,
/// ISUMA 1990, 398-403]:
///
///     V_1 = (1 + b pi^4 / 5)^2 / 2,    V_2 = a^2 / 8,    V_13 = 8 b^2 pi^8 / 225,    the others are 0

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace panto::sensitivity {

/// The indices for an infinite number of evaluations.
struct ExactIndices {
    Vector<double, Dynamic> first = {};  ///< S_i = V_i / V
    Vector<double, Dynamic> total = {};  ///< ST_i = VT_i / V
    double mean = 0.0;
    double variance = 0.0;  ///< V
};

namespace detail {

inline void check_moments(const Vector<double, Dynamic>& means, const Vector<double, Dynamic>& variances,
                          std::string_view where) {
    require(means.size() > 0 && means.size() == variances.size(), where, "there are ", means.size(), " means and ",
            variances.size(), " variances, expected one of each for every parameter");
    for (Eigen::Index i = 0; i < means.size(); ++i) {
        require_finite(means[i], where, "means[", i, "]");
        require_not_negative(variances[i], where, "variances[", i, "]");
    }
}

inline void check_variance(double variance, std::string_view where) {
    require(variance > 0.0 && is_finite(variance), where, "the variance is ", variance,
            ", must be finite and > 0: a constant has no indices");
}

}  // namespace detail

/// f_1(x_1) f_2(x_2) ... with the mean and the variance of every factor.
/// @throws SetupError if the sizes differ, a variance is negative, or the product does not vary.
[[nodiscard]] inline ExactIndices exact_product(const Vector<double, Dynamic>& means,
                                                const Vector<double, Dynamic>& variances) {
    constexpr std::string_view here = "sensitivity::exact_product";
    detail::check_moments(means, variances, here);
    const Eigen::Index n = means.size();
    ExactIndices exact{.first = variances, .total = variances, .mean = 1.0};
    for (Eigen::Index i = 0; i < n; ++i) {
        // Factor by factor, so that small variances are not lost in rounding beside large means.
        const double square = means[i] * means[i];
        exact.variance = exact.variance * (square + variances[i]) + exact.mean * exact.mean * variances[i];
        exact.mean *= means[i];
        for (Eigen::Index j = 0; j < n; ++j)
            if (j != i) exact.first[j] *= square, exact.total[j] *= square + variances[i];
    }
    detail::check_variance(exact.variance, here);
    exact.first /= exact.variance;
    exact.total /= exact.variance;
    return exact;
}

/// f_1(x_1) + f_2(x_2) + ... with the mean and the variance of every term.
/// @throws SetupError if the sizes differ, a variance is negative, or the sum does not vary.
[[nodiscard]] inline ExactIndices exact_sum(const Vector<double, Dynamic>& means,
                                            const Vector<double, Dynamic>& variances) {
    constexpr std::string_view here = "sensitivity::exact_sum";
    detail::check_moments(means, variances, here);
    const double variance = variances.sum();
    detail::check_variance(variance, here);
    return {variances / variance, variances / variance, means.sum(), variance};
}

/// Sobol's g-function, prod (|4 x_i - 2| + a_i) / (1 + a_i) with x uniform in the unit cube; the smaller a_i, the more
/// x_i matters.
class GFunction {
  public:
    /// @throws SetupError if `a` is empty or has a negative entry.
    explicit GFunction(Vector<double, Dynamic> a) : a_(std::move(a)) {
        require(a_.size() > 0, "sensitivity::GFunction", "a is empty, expected one entry for each parameter");
        for (Eigen::Index i = 0; i < a_.size(); ++i)
            require_not_negative(a_[i], "sensitivity::GFunction", "a[", i, "]");
    }

    [[nodiscard]] double operator()(const Vector<double, Dynamic>& x) const {
        require(x.size() == a_.size(), "sensitivity::GFunction", "x has ", x.size(), " entries, expected ", a_.size());
        double product = 1.0;
        for (Eigen::Index i = 0; i < a_.size(); ++i) product *= (std::abs(4.0 * x[i] - 2.0) + a_[i]) / (1.0 + a_[i]);
        return product;
    }

    [[nodiscard]] ExactIndices exact() const {
        const Vector<double, Dynamic> variances = 1.0 / (3.0 * (1.0 + a_.array()).square());
        return exact_product(Vector<double, Dynamic>::Ones(a_.size()), variances);
    }

  private:
    Vector<double, Dynamic> a_;
};

/// Ishigami's function of three parameters in [-pi, pi]: nonlinear, and x_3 acts only through x_1.
struct Ishigami {
    double a = 7.0;
    double b = 0.1;

    [[nodiscard]] double operator()(const Vector<double, Dynamic>& x) const {
        require(x.size() == 3, "sensitivity::Ishigami", "x has ", x.size(), " entries, expected 3");
        return std::sin(x[0]) + a * std::pow(std::sin(x[1]), 2) + b * std::pow(x[2], 4) * std::sin(x[0]);
    }

    /// @throws SetupError if the variance is not a finite number.
    [[nodiscard]] ExactIndices exact() const {
        const double pi4 = std::pow(std::numbers::pi, 4);
        const double alone = 0.5 * std::pow(1.0 + b * pi4 / 5.0, 2), bent = a * a / 8.0;
        const double together = 8.0 * b * b * pi4 * pi4 / 225.0, V = alone + bent + together;
        detail::check_variance(V, "sensitivity::Ishigami");
        Vector<double, Dynamic> first(3), total(3);
        first << alone / V, bent / V, 0.0;
        total << (alone + together) / V, bent / V, together / V;
        return {first, total, 0.5 * a, V};
    }
};

}  // namespace panto::sensitivity
