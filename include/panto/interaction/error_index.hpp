// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The difference between two records that should be the same.
///
///     error index    eps = 100 sqrt(mean (F - F_ref)^2) / mean F_ref
///     NMSE fit       1 - sum (y - y^)^2 / sum (y - mean y)^2
///     NRMSE fit      1 - sqrt of the same ratio
///
/// F is a contact force, y a measurement and y^ the same quantity from a model.
/// Eq. (13) of the HiL paper is printed as sqrt(sum F^2 - F_ref^2) / N. The radicand of this expression can be
/// negative, and the expression is 0 for any two records with the same sum of squares. The paper's text and figures use
/// the index above.

#pragma once

#include <panto/core/check.hpp>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace panto::interaction {

/// The samples with from <= at[k] < to. `at` has one value per sample, as ForceRecord::position or ForceRecord::time.
struct ComparisonWindow {
    std::span<const double> at{};
    double from = 0.0;
    double to = 0.0;
};

/// The values inside of a window, for the functions below: `error_index(inside(force, w), inside(reference, w))`.
/// @throws SetupError if the window is empty, has no sample, or the sizes of `at` and the values differ.
[[nodiscard]] inline std::vector<double> inside(const std::vector<double>& values, const ComparisonWindow& window) {
    const std::string_view where = "interaction::inside";
    require_finite(window.from, where, "from");
    require_finite(window.to, where, "to");
    require(window.from < window.to, where, "the window goes from ", window.from, " to ", window.to,
            ", the end must come after the start");
    require(window.at.size() == values.size(), where, "at has ", window.at.size(),
            " values, expected one for each of the ", values.size(), " samples");
    std::vector<double> some;
    for (std::size_t i = 0; i < values.size(); ++i) {
        require_finite(window.at[i], where, "at[", i, "]");
        if (window.at[i] >= window.from && window.at[i] < window.to) some.push_back(values[i]);
    }
    require(!some.empty(), where, "no sample lies between ", window.from, " and ", window.to);
    return some;
}

namespace detail {

inline void check_pair(const std::vector<double>& values, const std::vector<double>& reference,
                       std::string_view where) {
    require(!reference.empty(), where, "reference is empty, at least one sample is needed");
    require(values.size() == reference.size(), where, "values has ", values.size(),
            " samples, expected as many as the reference has, ", reference.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!is_finite(values[i])) require_finite(values[i], where, "values[", i, "]");
        if (!is_finite(reference[i])) require_finite(reference[i], where, "reference[", i, "]");
    }
}

[[nodiscard]] inline double mean_of(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

[[nodiscard]] inline double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/// sum (y - y^)^2 / sum (y - mean y)^2
[[nodiscard]] inline double unexplained(const std::vector<double>& model, const std::vector<double>& measured,
                                        std::string_view where) {
    check_pair(model, measured, where);
    const double mean = mean_of(measured);
    double scatter = 0.0;
    for (const double y : measured) scatter += (y - mean) * (y - mean);
    require(scatter > 0.0, where, "the reference is constant, but must vary");
    return squared_distance(model, measured) / scatter;
}

}  // namespace detail

/// RMS difference of two contact forces in percent of the mean reference force. Filter both or neither.
/// @throws SetupError if sizes differ, a sample is not finite, or the mean of the reference is not positive.
[[nodiscard]] inline double error_index(const std::vector<double>& force, const std::vector<double>& reference) {
    const std::string_view where = "interaction::error_index";
    detail::check_pair(force, reference, where);
    const double mean = detail::mean_of(reference);
    require_positive(mean, where, "mean of the reference");
    return 100.0 * std::sqrt(detail::squared_distance(force, reference) / static_cast<double>(force.size())) / mean;
}

/// 1 is a perfect fit; 0 is as good as the mean of the measurement, a negative value is worse than this mean.
/// @throws SetupError if sizes differ, a sample is not finite, or the measurement is constant.
[[nodiscard]] inline double nmse_fit(const std::vector<double>& model, const std::vector<double>& measured) {
    return 1.0 - detail::unexplained(model, measured, "interaction::nmse_fit");
}

/// As nmse_fit, with the root of the ratio: a stricter scale with the same meaning of 1 and 0.
/// @throws SetupError as nmse_fit() does.
[[nodiscard]] inline double nrmse_fit(const std::vector<double>& model, const std::vector<double>& measured) {
    return 1.0 - std::sqrt(detail::unexplained(model, measured, "interaction::nrmse_fit"));
}

/// The factor <y^, y> / <y^, y^>, with which the model fits best. Multiply the model by it to compare only the shapes.
/// @throws SetupError if sizes differ, a sample is not finite, or the model is zero throughout.
[[nodiscard]] inline double best_gain(const std::vector<double>& model, const std::vector<double>& measured) {
    const std::string_view where = "interaction::best_gain";
    detail::check_pair(model, measured, where);
    const double power = std::inner_product(model.begin(), model.end(), model.begin(), 0.0);
    require(power > 0.0, where, "the model is 0 throughout, must have values that are not 0");
    return std::inner_product(model.begin(), model.end(), measured.begin(), 0.0) / power;
}

/// nmse_fit of the model times best_gain.
/// @throws SetupError as nmse_fit() and best_gain() do.
[[nodiscard]] inline double nmse_fit_gain_compensated(std::vector<double> model, const std::vector<double>& measured) {
    const double gain = best_gain(model, measured);
    for (double& y : model) y *= gain;
    return nmse_fit(model, measured);
}

}  // namespace panto::interaction
