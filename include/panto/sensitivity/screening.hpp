// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Screening: one parameter at a time is varied over its range, the others stay at their nominal values (Sec. 1.2.2.3.1
/// of the TGV thesis). Cheap and easy to plot, but without interactions of parameters: see morris.hpp and sobol.hpp.

#pragma once

#include <panto/sensitivity/sampling.hpp>

namespace panto::sensitivity {

struct ScreeningDesign {
    int parameters = 0;
    int levels = 0;
    Points points = {};  ///< the nominal point, then the levels of parameter 0 from low to high, of parameter 1, ...
};

/// Results for every parameter; NaN if an evaluation that is needed for it has failed.
struct Screening {
    Matrix<double, Dynamic> curves = {};  ///< value of the model, one row per level, one column per parameter
    Vector<double, Dynamic> spread = {};  ///< largest minus smallest value along the range, the nominal one included
    Vector<double, Dynamic> largest_change = {};  ///< largest difference from the value at the nominal point
    Vector<double, Dynamic> slope = {};           ///< of the straight line fitted to the values, per whole range
    double nominal = 0.0;                         ///< value at the nominal point
    int failed = 0;                               ///< evaluations without a value; they are left out
};

/// @throws SetupError if the ranges are invalid, the nominal point is outside or there are fewer than two levels.
[[nodiscard]] inline ScreeningDesign screening_design(const Ranges& ranges, const Vector<double, Dynamic>& nominal,
                                                      int levels = 5) {
    constexpr std::string_view here = "sensitivity::screening_design";
    ranges.check(here);
    const int n = ranges.size();
    require(nominal.size() == n, here, "nominal has ", nominal.size(), " entries, expected one for each of the ", n,
            " parameters");
    for (int i = 0; i < n; ++i)
        require(ranges.lower[i] <= nominal[i] && nominal[i] <= ranges.upper[i], here, "nominal[", i, "] is ",
                nominal[i], ", must be from ", ranges.lower[i], " to ", ranges.upper[i]);
    require(levels >= 2, here, "levels is ", levels, ", must be at least 2");
    detail::check_count(1.0 + static_cast<double>(n) * levels, here);
    ScreeningDesign design{n, levels, nominal.replicate(1, 1 + n * levels)};
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < levels; ++k)
            design.points(i, 1 + i * levels + k) =
                ranges.lower[i] + (ranges.upper[i] - ranges.lower[i]) * k / (levels - 1);
    return design;
}

/// @throws SetupError if the design is empty, there is not one value per point, some failed and the policy is `refuse`,
/// or the values are so large that their differences are not finite.
[[nodiscard]] inline Screening screening(const ScreeningDesign& design, const Vector<double, Dynamic>& values,
                                         FailedRuns policy = FailedRuns::drop) {
    require(design.points.cols() > 0, "sensitivity::screening", "the design has no points; make one first");
    Screening result;
    result.failed = detail::count_failed(values, design.points.cols(), policy, "sensitivity::screening");
    result.nominal = values[0];
    const int n = design.parameters, levels = design.levels;
    result.curves = values.tail(values.size() - 1).reshaped(levels, n);
    result.spread.resize(n), result.largest_change.resize(n), result.slope.resize(n);
    for (int i = 0; i < n; ++i) {
        double low = result.nominal, high = low, change = 0.0;
        double count = 0.0, t_sum = 0.0, y_sum = 0.0, tt = 0.0, ty = 0.0;
        for (int k = 0; k < levels; ++k) {
            const double y = result.curves(k, i), t = static_cast<double>(k) / (levels - 1);
            if (!is_finite(y)) continue;
            low = is_finite(low) ? std::min(low, y) : y, high = is_finite(high) ? std::max(high, y) : y;
            change = std::max(change, std::abs(y - result.nominal));
            ++count, t_sum += t, y_sum += y, tt += t * t, ty += t * y;
        }
        require(count == 0.0 || (is_finite(high - low) && is_finite(count * ty - t_sum * y_sum)),
                "sensitivity::screening", "parameter ", i, " takes the output from ", low, " to ", high,
                ", the difference is not finite: scale the output");
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        const double weight = count * tt - t_sum * t_sum;
        result.spread[i] = count > 0.0 ? high - low : none;
        result.largest_change[i] = count > 0.0 && is_finite(result.nominal) ? change : none;
        result.slope[i] = count > 1.0 ? (count * ty - t_sum * y_sum) / weight : none;
    }
    return result;
}

/// The points of a surface: two parameters on a grid of levels x levels over their ranges, the others nominal. `first`
/// varies fastest. @throws SetupError as screening_design() does, or if `first` and `second` are not two parameters.
[[nodiscard]] inline Points screening_surface(const Ranges& ranges, const Vector<double, Dynamic>& nominal, int first,
                                              int second, int levels) {
    const ScreeningDesign lines = screening_design(ranges, nominal, levels);
    require(first >= 0 && first < lines.parameters && second >= 0 && second < lines.parameters && first != second,
            "sensitivity::screening_surface", "parameters are ", first, " and ", second,
            ", expected two different ones from 0 to ", lines.parameters - 1);
    const Eigen::Index side = levels;
    detail::check_count(static_cast<double>(side) * static_cast<double>(side), "sensitivity::screening_surface");
    Points points = nominal.replicate(1, side * side);
    for (int b = 0; b < levels; ++b)
        for (int a = 0; a < levels; ++a) {
            points(first, b * levels + a) = lines.points(first, 1 + first * levels + a);
            points(second, b * levels + a) = lines.points(second, 1 + second * levels + b);
        }
    return points;
}

}  // namespace panto::sensitivity
