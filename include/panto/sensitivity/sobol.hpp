// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sobol' indices: the part of the variance of an output that comes from one parameter alone (first order), and the
/// part that would remain if all other parameters were known (total, with all interactions). The estimators of Saltelli
/// et al. 2010 and Jansen 1999 use two independent sets of points, A and B, and the sets AB_i, which are A with
/// parameter i taken from B:
///
///     S_i = mean( f_B (f_ABi - f_A) ) / V ,   ST_i = mean( (f_A - f_ABi)^2 ) / 2V ,   V the variance over A and B .
///
/// With the formula as printed, the error of S_i grows with the ratio of the mean of f to its standard deviation: with
/// a mean of 120 and a standard deviation of 10, the result of a thousand rows is meaningless. Therefore the mean over
/// A and B is subtracted from f_B, which does not change the expectation.
///
/// N rows cost N (n + 2) evaluations. Confidence intervals come from bootstrap over the rows.

#pragma once

#include <panto/sensitivity/sampling.hpp>

namespace panto::sensitivity {

enum class Sampling {
    random,  ///< Lcg, from the seed
    halton   ///< more even for a few parameters; the intervals from bootstrap are then rather too wide
};

struct SobolParams {
    int rows = 1024;  ///< N
    Sampling sampling = Sampling::random;
    std::uint64_t seed = 1;
    std::uint64_t halton_start = 20;
};

struct SobolDesign {
    int parameters = 0;
    int rows = 0;
    Points unit = {};  ///< A, then B, then AB_0, AB_1, ..., each with `rows` points
};

struct Interval {
    double low = 0.0, high = 0.0;
};

struct SobolResult {
    Vector<double, Dynamic> first = {};  ///< S_i
    Vector<double, Dynamic> total = {};  ///< ST_i
    std::vector<Interval> first_interval =
        {};  ///< empty without bootstrap; infinite if the output does not vary in any resampling
    std::vector<Interval> total_interval = {};
    double mean = 0.0;      ///< over A and B
    double variance = 0.0;  ///< V, mean square deviation over A and B
    int used = 0;           ///< number of rows used
    int failed = 0;         ///< evaluations without a value
};

struct SobolAnalysis {
    FailedRuns policy = FailedRuns::drop;
    int bootstrap = 200;       ///< number of resamplings; 0: no intervals
    double confidence = 0.95;  ///< level of the intervals
    bool centered = true;      ///< false: S_i as printed, for comparison with other programs
    std::uint64_t seed = 2;    ///< of the resampling
};

/// @throws SetupError if a number is out of its range.
[[nodiscard]] inline SobolDesign sobol_design(int parameters, const SobolParams& p = {}) {
    constexpr std::string_view here = "sensitivity::sobol_design";
    require(parameters > 0, here, "parameters is ", parameters, ", must be at least 1");
    require(p.rows >= 2, here, "rows is ", p.rows, ", must be at least 2");
    detail::check_count(static_cast<double>(p.rows) * (parameters + 2.0), here);
    const int n = parameters;
    const Eigen::Index N = p.rows;
    const Points both = p.sampling == Sampling::halton ? halton_points(2 * n, p.rows, p.halton_start)
                                                       : random_points(2 * n, p.rows, p.seed);
    SobolDesign design{n, p.rows, Points(n, N * (n + 2))};
    const Points A = both.topRows(n), B = both.bottomRows(n);
    design.unit.leftCols(N) = A;
    design.unit.middleCols(N, N) = B;
    for (int i = 0; i < n; ++i) {
        design.unit.middleCols((2 + i) * N, N) = A;
        design.unit.middleCols((2 + i) * N, N).row(i) = B.row(i);
    }
    return design;
}

namespace detail {

/// Indices from the given rows of the table whose columns are A, B, AB_0, AB_1, ...
inline void sobol_indices(const Matrix<double, Dynamic>& table, const std::vector<int>& rows, bool centered,
                          SobolResult& result) {
    const Eigen::Index n = table.cols() - 2;
    const auto count = static_cast<double>(rows.size());
    double sum = 0.0;
    for (const int r : rows) sum += table(r, 0) + table(r, 1);
    const double mean = result.mean = sum / (2.0 * count);
    double squares = 0.0;
    for (const int r : rows) squares += std::pow(table(r, 0) - mean, 2) + std::pow(table(r, 1) - mean, 2);
    result.variance = squares / (2.0 * count);
    const double offset = centered ? mean : 0.0;
    result.first.resize(n), result.total.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        double product = 0.0, square = 0.0;
        for (const int r : rows) {
            const double change = table(r, 2 + i) - table(r, 0);
            product += (table(r, 1) - offset) * change, square += change * change;
        }
        result.first[i] = product / count / result.variance;
        result.total[i] = 0.5 * square / count / result.variance;
    }
}

/// Sorts `values` and returns the central interval that contains the given share of them; infinite if there are none.
inline Interval percentiles(std::vector<double>& values, double confidence) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (values.empty()) return {-infinite, infinite};
    std::sort(values.begin(), values.end());
    const double last = static_cast<double>(values.size() - 1), tail = 0.5 * (1.0 - confidence);
    const auto at = [&](double share) { return values[static_cast<std::size_t>(std::lround(share * last))]; };
    return {at(tail), at(1.0 - tail)};
}

}  // namespace detail

/// `values` are those of the model at the points of the design, each point scaled from the unit cube to the ranges. A
/// row with a failed evaluation is left out as a whole, so that all indices use the same rows. Check `failed` first: if
/// the failures are not random, but for instance all in one corner of the ranges, the indices are those of a model
/// without that corner.
/// @throws SetupError if there is not one value per point, fewer than two rows are left, the output does not vary, or
/// some failed and the policy is `refuse`.
[[nodiscard]] inline SobolResult sobol(const SobolDesign& design, const Vector<double, Dynamic>& values,
                                       const SobolAnalysis& p = {}) {
    constexpr std::string_view here = "sensitivity::sobol";
    require(p.bootstrap == 0 || p.bootstrap >= 2, here, "bootstrap is ", p.bootstrap, ", must be 0 or at least 2");
    require(p.confidence > 0.0 && p.confidence < 1.0, here, "confidence is ", p.confidence,
            ", must be between 0 and 1");
    SobolResult result;
    result.failed = detail::count_failed(values, design.unit.cols(), p.policy, here);
    const int n = design.parameters;
    const Matrix<double, Dynamic> table = values.reshaped(design.rows, n + 2);
    std::vector<int> good;
    for (int r = 0; r < design.rows; ++r)
        if (is_finite(table.row(r).sum())) good.push_back(r);
    result.used = static_cast<int>(good.size());
    require(result.used >= 2, here, result.used, " of ", design.rows, " rows are left, expected at least 2");
    detail::sobol_indices(table, good, p.centered, result);
    require(is_finite(result.variance), here, "the variance of the output is ", result.variance,
            ", must be finite: scale the output");
    // A variance this small is the rounding of a constant.
    require(result.variance > 1e-28 * result.mean * result.mean, here, "the output does not vary: its variance is ",
            result.variance);
    if (p.bootstrap == 0) return result;

    Lcg random(p.seed);
    std::vector<std::vector<double>> first(static_cast<std::size_t>(n)), total(first);
    std::vector<int> drawn(good.size());
    for (int b = 0; b < p.bootstrap; ++b) {
        for (int& r : drawn) r = good[static_cast<std::size_t>(random.index(result.used))];
        SobolResult again;
        detail::sobol_indices(table, drawn, p.centered, again);
        if (!(again.variance > 0.0)) continue;
        for (int i = 0; i < n; ++i) {
            first[static_cast<std::size_t>(i)].push_back(again.first[i]);
            total[static_cast<std::size_t>(i)].push_back(again.total[i]);
        }
    }
    for (std::size_t i = 0; i < first.size(); ++i) {
        result.first_interval.push_back(detail::percentiles(first[i], p.confidence));
        result.total_interval.push_back(detail::percentiles(total[i], p.confidence));
    }
    return result;
}

/// Makes the design, evaluates the model f, and returns the result. @throws SetupError as the parts do.
template <class F>
[[nodiscard]] SobolResult sobol(const F& f, const Ranges& ranges, const SobolParams& p = {},
                                const SobolAnalysis& analysis = {}) {
    ranges.check("sensitivity::sobol");
    const SobolDesign design = sobol_design(ranges.size(), p);
    return sobol(design, evaluate(f, ranges.scale(design.unit)), analysis);
}

}  // namespace panto::sensitivity
