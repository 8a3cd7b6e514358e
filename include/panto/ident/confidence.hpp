// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What stands beside an identified number: its confidence interval, the size of the joint ellipsoid, and in words the
/// combinations of parameters that the record does not see, and what makes the interval doubtful.

#pragma once

#include <panto/core/check.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/opt/concepts.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

/// P(X <= x) for X chi-square with `freedom` degrees, by the series of the incomplete gamma function.
/// @throws SetupError if x is no number or freedom below 1.
[[nodiscard]] inline double chi_square_probability(double x, int freedom) {
    require(!is_nan(x), "ident::chi_square_probability", "x is nan, allowed is a number");
    require(freedom >= 1, "ident::chi_square_probability", "freedom is ", freedom, ", allowed is 1 and more");
    if (!(x > 0.0)) return 0.0;
    const double a = 0.5 * freedom, z = 0.5 * x;
    double term = 1.0 / a, sum = term;
    for (int k = 1; k < 10000 && term > 1e-17 * sum; ++k) sum += term *= z / (a + k);
    return std::min(1.0, std::exp(a * std::log(z) - z - std::lgamma(a)) * sum);
}

/// The x below which X lies with `probability`: the squared size of the joint ellipsoid of `freedom` parameters, and
/// for one parameter the square of the normal quantile, 1.96^2 for 95 %.
/// @throws SetupError if the probability is not between 0 and 1 or freedom below 1.
[[nodiscard]] inline double chi_square_quantile(double probability, int freedom) {
    require(probability > 0.0 && probability < 1.0, "ident::chi_square_quantile", "probability is ", probability,
            ", allowed is between 0 and 1");
    require(freedom >= 1, "ident::chi_square_quantile", "freedom is ", freedom, ", allowed is 1 and more");
    double low = 0.0, high = freedom + 10.0;
    while (chi_square_probability(high, freedom) < probability && high < 1e6) high *= 2.0;
    for (int k = 0; k < 200 && high - low > 1e-14 * high; ++k) {
        const double middle = 0.5 * (low + high);
        (chi_square_probability(middle, freedom) < probability ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

struct Interval {
    double lower = 0.0, upper = 0.0;
};

/// The interval of each parameter alone. Infinite where it cannot be identified.
[[nodiscard]] inline std::vector<Interval> confidence_intervals(const Vector<double, Dynamic>& estimate,
                                                                const Information& f, double probability = 0.95) {
    require(estimate.size() == f.deviation.size(), "ident::confidence_intervals", estimate.size(),
            " parameters with the information of ", f.deviation.size(), ", allowed is the same number");
    const double wide = std::sqrt(chi_square_quantile(probability, 1));
    std::vector<Interval> all;
    for (Eigen::Index i = 0; i < estimate.size(); ++i)
        all.push_back({estimate[i] - wide * f.deviation[i], estimate[i] + wide * f.deviation[i]});
    return all;
}

/// Each combination the record does not see, as "0.707 mass_per_length + 0.707 tension", largest share first; shares
/// below 1 % of the largest are left out. With Psi diag(p) they are shares of relative changes.
/// @throws SetupError if there is not a name for each parameter.
[[nodiscard]] inline std::vector<std::string> unidentifiable(const Information& f,
                                                             const std::vector<std::string>& names) {
    require(static_cast<Eigen::Index>(names.size()) == f.singular_values.size(), "ident::unidentifiable", names.size(),
            " names for ", f.singular_values.size(), " parameters, allowed is the same number");
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

/// Why the intervals of a fit are not to be believed, in words; they hold for a model that leaves nothing but white
/// noise, and for parameters inside their box. `noise` is the standard deviation of the sensor, measured before or
/// estimated (estimated_noise()).
/// @throws SetupError if sizes differ, there is no sample, or noise is negative.
[[nodiscard]] inline std::vector<std::string> doubts(const Vector<double, Dynamic>& residual,
                                                     const Vector<double, Dynamic>& signal, double noise,
                                                     const Vector<double, Dynamic>& estimate, const opt::Bounds& bounds,
                                                     const std::vector<std::string>& names) {
    constexpr std::string_view here = "ident::doubts";
    require(residual.size() == signal.size() && residual.size() > 0, here, residual.size(), " residuals of ",
            signal.size(), " samples, allowed is one for each sample");
    require(static_cast<Eigen::Index>(names.size()) == estimate.size(), here, names.size(), " names for ",
            estimate.size(), " parameters, allowed is the same number");
    require_not_negative(noise, here, "noise");
    bounds.check(estimate.size(), here);
    std::vector<std::string> all;
    const auto rms = [](const auto& x) { return x.norm() / std::sqrt(static_cast<double>(x.size())); };
    const double left = rms(residual), share = left / rms(signal);
    // A little more than noise may be a noise that was estimated too small.
    if (!(left <= 1.5 * noise) && !(share <= 0.05))
        all.push_back("the model leaves " + shown(std::round(100.0 * share)) + " % of the signal, " +
                      (noise > 0.0 ? shown(std::round(10.0 * left / noise) / 10.0) + " times its noise"
                                   : std::string("and there is no noise")) +
                      ": the model, the units or what is said of the experiment does not fit, and the intervals mean "
                      "nothing");
    for (Eigen::Index i = 0; i < estimate.size(); ++i)
        if (!(estimate[i] > bounds.low(i)) || !(estimate[i] < bounds.high(i)))
            all.push_back(names[static_cast<std::size_t>(i)] + " lies on its bound " + shown(estimate[i]) +
                          ": its interval does not hold");
    return all;
}

}  // namespace panto::ident
