// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The points at which a model is evaluated: ranges of its parameters, points of the unit cube from a portable random
/// generator or from Halton's sequence, and the evaluation of all points, with NaN for failures.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/lcg.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace panto::sensitivity {

/// One column per evaluation, one row per parameter.
using Points = Matrix<double, Dynamic>;

/// What to do when some evaluations failed, that is, are NaN or infinite.
enum class FailedRuns {
    drop,   ///< leave out everything that depends on them; the result says how much is left
    refuse  ///< throw SetupError
};

using panto::Lcg;

/// Number `index` of van der Corput's sequence in a prime base: the digits of the index, mirrored at the decimal point.
/// @throws SetupError if the base is below 2.
[[nodiscard]] inline double van_der_corput(std::uint64_t index, std::uint64_t base) {
    require(base >= 2, "sensitivity::van_der_corput", "base is ", base, ", expected a prime number");
    double value = 0.0, weight = 1.0;
    for (; index > 0; index /= base) {
        weight /= static_cast<double>(base);
        value += weight * static_cast<double>(index % base);
    }
    return value;
}

namespace detail {

inline void check_points(int dimensions, int count, std::string_view where) {
    require(dimensions > 0, where, "dimensions is ", dimensions, ", must be at least 1");
    require(count >= 0, where, "count is ", count, ", must be at least 0");
}

/// Evaluations are counted with int. @throws SetupError if there are too many.
inline void check_count(double evaluations, std::string_view where) {
    require(evaluations <= std::numeric_limits<int>::max(), where, "the design needs ", evaluations,
            " evaluations, allowed are at most ", std::numeric_limits<int>::max());
}

}  // namespace detail

/// `count` points of Halton's sequence from number `first` on, bases 2, 3, 5, ... Above about ten dimensions its
/// projections on planes are no longer filled evenly: use random points instead.
/// @throws SetupError if dimensions is below 1 or count is negative.
[[nodiscard]] inline Points halton_points(int dimensions, int count, std::uint64_t first = 20) {
    detail::check_points(dimensions, count, "sensitivity::halton_points");
    Points points(dimensions, count);
    std::vector<std::uint64_t> primes;
    for (std::uint64_t p = 2; static_cast<int>(primes.size()) < dimensions; ++p)
        if (std::none_of(primes.begin(), primes.end(), [p](std::uint64_t q) { return p % q == 0; }))
            primes.push_back(p);
    for (int j = 0; j < count; ++j)
        for (int i = 0; i < dimensions; ++i)
            points(i, j) = van_der_corput(first + static_cast<std::uint64_t>(j), primes[static_cast<std::size_t>(i)]);
    return points;
}

/// `count` random points, drawn point by point. @throws SetupError if dimensions is below 1 or count is negative.
[[nodiscard]] inline Points random_points(int dimensions, int count, std::uint64_t seed) {
    detail::check_points(dimensions, count, "sensitivity::random_points");
    Points points(dimensions, count);
    Lcg random(seed);
    for (double& value : points.reshaped()) value = random.uniform();
    return points;
}

/// The range of each parameter.
struct Ranges {
    Vector<double, Dynamic> lower = {};
    Vector<double, Dynamic> upper = {};

    [[nodiscard]] int size() const noexcept { return static_cast<int>(lower.size()); }

    /// @throws SetupError unless for each parameter lower and upper are finite and lower is below upper.
    void check(std::string_view where) const {
        require(lower.size() > 0 && lower.size() == upper.size(), where, "ranges have ", lower.size(), " lower and ",
                upper.size(), " upper ends, expected one of each per parameter, and at least one parameter");
        for (Eigen::Index i = 0; i < lower.size(); ++i)
            require(is_finite(lower[i]) && is_finite(upper[i]) && lower[i] < upper[i] && is_finite(upper[i] - lower[i]),
                    where, "parameter ", i, " ranges from ", lower[i], " to ", upper[i],
                    ", expected a finite range, the lower end first");
    }

    /// Scales points of the unit cube to these ranges.
    /// @throws SetupError as check() does, or if there is not one row for each parameter.
    [[nodiscard]] Points scale(const Points& unit) const {
        constexpr std::string_view here = "sensitivity::Ranges";
        check(here);
        require(unit.rows() == lower.size(), here, "points have ", unit.rows(), " rows, expected one for each of the ",
                lower.size(), " parameters");
        return ((upper - lower).asDiagonal() * unit).colwise() + lower;
    }
};

/// f at every column of `points`; NaN where f throws or was not called. `run(count, job)` calls job(i) once for every
/// i, on any thread, as opt::Executor does.
template <class F, class Run>
[[nodiscard]] Vector<double, Dynamic> evaluate(const F& f, const Points& points, Run&& run) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    Vector<double, Dynamic> values = Vector<double, Dynamic>::Constant(points.cols(), none);
    run(static_cast<int>(points.cols()), std::function<void(int)>([&](int i) {
            try {
                values[i] = static_cast<double>(f(Vector<double, Dynamic>(points.col(i))));
            } catch (...) {
                values[i] = none;
            }
        }));
    return values;
}

/// The same, one evaluation after the other.
template <class F>
[[nodiscard]] Vector<double, Dynamic> evaluate(const F& f, const Points& points) {
    return evaluate(f, points, [](int count, const std::function<void(int)>& job) {
        for (int i = 0; i < count; ++i) job(i);
    });
}

/// Indices of the parameters, the most influential first; those without a number last.
[[nodiscard]] inline std::vector<int> ranking(const Vector<double, Dynamic>& influence) {
    std::vector<int> order(static_cast<std::size_t>(influence.size()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto key = [&](int i) {
        return is_finite(influence[i]) ? influence[i] : -std::numeric_limits<double>::infinity();
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) > key(b); });
    return order;
}

namespace detail {

/// Number of `values` that are not finite. @throws SetupError if there are not `expected` values, or some failed and
/// the policy is `refuse`.
inline int count_failed(const Vector<double, Dynamic>& values, Eigen::Index expected, FailedRuns policy,
                        std::string_view where) {
    require(values.size() == expected, where, values.size(), " values for ", expected,
            " evaluations, expected one for each");
    int failed = 0;
    Eigen::Index first = -1;
    for (Eigen::Index i = 0; i < values.size(); ++i)
        if (!is_finite(values[i])) {
            if (failed++ == 0) first = i;
        }
    require(failed == 0 || policy == FailedRuns::drop, where, failed, " of ", expected,
            " evaluations failed, the first is number ", first, "; FailedRuns::drop leaves them out");
    return failed;
}

}  // namespace detail

}  // namespace panto::sensitivity
