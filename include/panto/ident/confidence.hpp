// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The uncertainty of identified parameters: confidence intervals, the size of the joint ellipsoid, the names of
/// combinations that the record does not determine, and reasons to doubt the intervals.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/linalg/svd.hpp>
#include <panto/opt/concepts.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

/// P(X <= x) for X chi-square with `freedom` degrees, by the series of the incomplete gamma function.
/// @throws SetupError if x is NaN or freedom below 1.
template <class = void>
[[nodiscard]] double chi_square_probability(double x, int freedom) {
    require(!is_nan(x), "ident::chi_square_probability", "x is nan, must be a number");
    require(freedom >= 1, "ident::chi_square_probability", "freedom is ", freedom, ", must be at least 1");
    if (!(x > 0.0)) return 0.0;
    const double a = 0.5 * freedom, z = 0.5 * x;
    double term = 1.0 / a, sum = term;
    for (int k = 1; k < 10000 && term > 1e-17 * sum; ++k) sum += term *= z / (a + k);
    return std::min(1.0, std::exp(a * std::log(z) - z - std::lgamma(a)) * sum);
}

/// The x below which a chi-square distributed X lies with `probability`. This is the squared size of the joint
/// ellipsoid of `freedom` parameters; for one parameter it is the square of the normal quantile, 1.96^2 for 95 %.
/// @throws SetupError if the probability is not between 0 and 1 or freedom below 1.
template <class = void>
[[nodiscard]] double chi_square_quantile(double probability, int freedom) {
    require(probability > 0.0 && probability < 1.0, "ident::chi_square_quantile", "probability is ", probability,
            ", must be between 0 and 1");
    require(freedom >= 1, "ident::chi_square_quantile", "freedom is ", freedom, ", must be at least 1");
    const auto below = [&](double x) { return chi_square_probability(x, freedom) < probability; };
    double high = freedom + 10.0;
    while (below(high) && high < 1e6) high *= 2.0;
    return bisect(below, 0.0, high, 1e-14).middle();
}

/// What information() says of parameters within `bounds`. Those with equal bounds are known: their deviation is 0, and
/// they take no part in any combination.
/// @throws SetupError as information() does, or if the bounds have another size.
template <class = void>
[[nodiscard]] Information information(const Matrix<double, Dynamic>& Psi, double deviation, const opt::Bounds& bounds,
                                      double accuracy = 0.0) {
    const Eigen::Index n = Psi.cols();
    bounds.check(n, "ident::information");
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < n; ++i)
        if (bounds.low(i) < bounds.high(i)) free.push_back(i);
    if (static_cast<Eigen::Index>(free.size()) == n) return information(Psi, deviation, accuracy);
    Information f;
    f.deviation.setZero(n);
    f.covariance.setZero(n, n);
    f.correlation.setIdentity(n, n);
    const auto m = static_cast<Eigen::Index>(free.size());
    f.directions.setZero(n, m);
    if (free.empty()) return f;
    Matrix<double, Dynamic> columns(Psi.rows(), m);
    for (Eigen::Index i = 0; i < m; ++i) columns.col(i) = Psi.col(free[static_cast<std::size_t>(i)]);
    const Information known = information(columns, deviation, accuracy);
    f.singular_values = known.singular_values, f.rank = known.rank;
    f.trace_of_inverse = known.trace_of_inverse, f.log_determinant = known.log_determinant;
    f.smallest_eigenvalue = known.smallest_eigenvalue;
    for (Eigen::Index i = 0; i < m; ++i) {
        const Eigen::Index to = free[static_cast<std::size_t>(i)];
        f.deviation[to] = known.deviation[i];
        for (Eigen::Index k = 0; k < m; ++k) {
            const Eigen::Index other = free[static_cast<std::size_t>(k)];
            f.directions(to, k) = known.directions(i, k);
            f.covariance(to, other) = known.covariance(i, k);
            f.correlation(to, other) = known.correlation(i, k);
        }
    }
    return f;
}

struct Interval {
    double lower = 0.0, upper = 0.0;
};

/// The interval of each parameter alone, infinite for a parameter that cannot be identified.
template <class = void>
[[nodiscard]] std::vector<Interval> confidence_intervals(const Vector<double, Dynamic>& estimate, const Information& f,
                                                         double probability = 0.95) {
    require(estimate.size() == f.deviation.size(), "ident::confidence_intervals", estimate.size(),
            " parameters and an information matrix for ", f.deviation.size(), ", must be equal");
    const double wide = std::sqrt(chi_square_quantile(probability, 1));
    std::vector<Interval> all;
    for (Eigen::Index i = 0; i < estimate.size(); ++i)
        all.push_back({estimate[i] - wide * f.deviation[i], estimate[i] + wide * f.deviation[i]});
    return all;
}

/// Each combination the record does not determine, as "0.707 mass_per_length + 0.707 tension", largest share first;
/// shares below 1 % of the largest are left out. For the information of Psi diag(p) they are shares of relative
/// changes.
/// @throws SetupError if there is not a name for each parameter.
template <class = void>
[[nodiscard]] std::vector<std::string> unidentifiable(const Information& f, const std::vector<std::string>& names) {
    require(static_cast<Eigen::Index>(names.size()) == f.directions.rows(), "ident::unidentifiable", names.size(),
            " names for ", f.directions.rows(), " parameters, must be equal");
    std::vector<std::string> all;
    for (Eigen::Index i = f.rank; i < f.singular_values.size(); ++i) {
        Vector<double, Dynamic> v = f.directions.col(i);
        std::vector<std::size_t> order(names.size());
        for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
        const auto share = [&v](std::size_t k) { return v[static_cast<Eigen::Index>(k)]; };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return std::abs(share(a)) > std::abs(share(b)); });
        if (share(order[0]) < 0.0) v = -v;
        std::string text;
        for (const std::size_t k : order) {
            if (std::abs(share(k)) < 0.01 * std::abs(share(order[0]))) continue;
            text += text.empty() ? "" : share(k) < 0.0 ? " - " : " + ";
            text += shown(std::abs(share(k)), 3) + " " + names[k];
        }
        all.push_back(std::move(text));
    }
    return all;
}

/// Deviation of a residual from white noise without offset [Ljung, Box, Biometrika 65 (1978) 297],
///     Q = n (n + 2) sum_{k=1..m} r_k^2/(n - k) ,   r_k = sum e_i e_{i+k} / sum e_i^2 ,
/// which is chi-square distributed with m degrees of freedom for white noise.
struct Whiteness {
    int lags = 0;          ///< m: 10 log10 n, at most a fifth of the samples
    double statistic = 0;  ///< Q
    double limit = 0;      ///< exceeded by one white residual in 1000
    double first = 0;      ///< r_1: above 0 if the residual changes slowly, below 0 if it alternates
    [[nodiscard]] bool white() const { return statistic <= limit; }
};

/// @throws SetupError if there are fewer than 10 samples or one is not finite, or all are 0.
[[nodiscard]] inline Whiteness whiteness(const Vector<double, Dynamic>& residual) {
    constexpr const char* here = "ident::whiteness";
    const Eigen::Index n = residual.size();
    require(n >= 10, here, n, " samples, expected at least 10");
    const double largest = residual.cwiseAbs().maxCoeff();
    for (const double sample : residual) require_finite(sample, here, "a sample of the residual");
    require(largest > 0.0, here, "all samples are 0: there is no residual to examine");
    const Vector<double, Dynamic> e = residual / largest;
    const double square = e.squaredNorm(), count = static_cast<double>(n);
    Whiteness w;
    w.lags = std::min(static_cast<int>(10.0 * std::log10(count)), static_cast<int>(n / 5));
    for (int k = 1; k <= w.lags; ++k) {
        const double r = e.head(n - k).dot(e.tail(n - k)) / square;
        if (k == 1) w.first = r;
        w.statistic += count * (count + 2.0) * r * r / (count - k);
    }
    w.limit = chi_square_quantile(0.999, w.lags);
    return w;
}

/// How far the minimum of the linearized problem is from here, in standard deviations: a chi-square distance's root, as
/// in distance_squared(). Psi = dr/dp and the residual belong to the same point x. Parameters on a bound, with the
/// residual pulling them outwards, stay there.
/// @throws SetupError as information() does, or if sizes differ.
template <class = void>
[[nodiscard]] double deviations_left(const Matrix<double, Dynamic>& Psi, const Vector<double, Dynamic>& residual,
                                     double noise, const Vector<double, Dynamic>& x, const opt::Bounds& bounds) {
    constexpr std::string_view here = "ident::deviations_left";
    require_positive(noise, here, "noise");
    require(Psi.rows() == residual.size() && Psi.cols() == x.size(), here, "Psi has ", Psi.rows(), " rows and ",
            Psi.cols(), " columns, expected one for each of ", residual.size(), " samples and ", x.size(),
            " parameters");
    bounds.check(x.size(), here);
    Matrix<double, Dynamic> free(Psi.rows(), Psi.cols());
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        const double slope = Psi.col(i).dot(residual), size = Psi.col(i).norm();
        if ((!(x[i] > bounds.low(i)) && slope > 0.0) || (!(x[i] < bounds.high(i)) && slope < 0.0)) continue;
        if (size > 0.0) free.col(count++) = Psi.col(i) / size;
    }
    if (count == 0) return 0.0;
    const linalg::Svd svd = linalg::svd(free.leftCols(count));
    double square = 0.0;
    for (Eigen::Index i = 0; i < count; ++i) {
        if (!(svd.values[i] > 1e-12 * svd.values[0])) break;
        const double part = svd.U.col(i).dot(residual) / noise;
        square += part * part;
    }
    return std::sqrt(square);
}

/// What to say about a search with exact derivatives that did not end with `ok`, or nothing if only a step of at most
/// 0.03 standard deviations was left, which no interval shows. Where the values around the end contradict the
/// derivatives, this step says nothing.
template <class = void>
[[nodiscard]] std::string ended_early(const opt::Minimum& search, double left) {
    constexpr double enough = 0.03;
    if (search.status == Status::ok) return "";
    if (search.status == Status::not_converged && left <= enough && !search.contradicted) return "";
    return "the search ended early: " + search.reason +
           (is_finite(left) ? "; the minimum may be " + shown(left, 2) + " standard deviations away" : "");
}

/// Why the intervals of a fit may be wrong; they hold for a model that leaves only white
/// noise, and for parameters inside their box. `noise` is the standard deviation of the sensor, measured before or
/// estimated (estimated_noise()); 0: not known. A parameter with equal bounds is known, and no reason. The residual is
/// that of one channel, in order of time. A residual below 1e-9 of the signal is rounding, and its whiteness is not
/// tested.
/// @throws SetupError if sizes differ, there is no sample, or noise is negative.
template <class = void>
[[nodiscard]] std::vector<std::string> doubts(const Vector<double, Dynamic>& residual,
                                              const Vector<double, Dynamic>& signal, double noise,
                                              const Vector<double, Dynamic>& estimate, const opt::Bounds& bounds,
                                              const std::vector<std::string>& names) {
    constexpr std::string_view here = "ident::doubts";
    require(residual.size() == signal.size() && residual.size() > 0, here, residual.size(), " residuals of ",
            signal.size(), " samples, expected one for each sample");
    require(static_cast<Eigen::Index>(names.size()) == estimate.size(), here, names.size(), " names for ",
            estimate.size(), " parameters, must be equal");
    require_not_negative(noise, here, "noise");
    bounds.check(estimate.size(), here);
    std::vector<std::string> all;
    const auto rms = [](const auto& x) { return x.norm() / std::sqrt(static_cast<double>(x.size())); };
    const double left = rms(residual), share = left / rms(signal);
    const auto times_its_noise = [&] { return shown(std::round(10.0 * left / noise) / 10.0) + " times its noise"; };
    // A residual slightly above the noise may only mean that the noise was underestimated.
    if (!(left <= 1.5 * noise) && !(share <= 0.05))
        all.push_back("the model leaves " + shown(std::round(100.0 * share)) + " % of the signal unexplained, " +
                      (noise > 0.0 ? times_its_noise() : std::string("and there is no noise")) +
                      ": the model, the units or the description of the experiment is wrong, and the intervals "
                      "mean nothing");
    if (share > 1e-9 && is_finite(share) && residual.size() >= 10) {
        const Whiteness w = whiteness(residual);
        if (!w.white())
            all.push_back("the residual is not white (Ljung-Box " + shown(std::round(w.statistic)) + " over " +
                          shown(w.lags) + " lags, 1 of 1000 white residuals exceeds " + shown(std::round(w.limit)) +
                          "; neighbours correlate by " + shown(std::round(100.0 * w.first) / 100.0) +
                          "): the model leaves out something, or the noise is coloured, and the intervals are too "
                          "narrow");
        else if (noise > 0.0 && left > noise * (1.0 + 8.0 / std::sqrt(static_cast<double>(residual.size()))) &&
                 share <= 0.05)
            all.push_back("the model leaves " + times_its_noise() +
                          ": it leaves out something, or the noise is larger");
    }
    for (Eigen::Index i = 0; i < estimate.size(); ++i)
        if (bounds.low(i) < bounds.high(i) && (!(estimate[i] > bounds.low(i)) || !(estimate[i] < bounds.high(i))))
            all.push_back(names[static_cast<std::size_t>(i)] + " lies on its bound " + shown(estimate[i]) +
                          ": its interval is not valid");
    return all;
}

}  // namespace panto::ident
