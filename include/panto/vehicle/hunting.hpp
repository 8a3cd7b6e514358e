// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stability of a running bogie: exact linearization by dual numbers, eigenvalues, and the speed above which it hunts.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/core/dual.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/vehicle/bogie.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace panto::vehicle {

/// Derivative of the slope, that is the rate of the state, with respect to the state, at a given time and state; by
/// default at rest on the centre line.
template <class Track, class Law, class Geometry>
[[nodiscard]] Matrix<double, 20> jacobian(const Bogie<double, Track, Law, Geometry>& bogie,
                                          const Vector<double, 20>& x = Vector<double, 20>::Zero(), double time = 0.0) {
    using D = Dual<20>;
    const auto dual = bogie.template cast<D>();
    Vector<D, 20> seeded, slope;
    for (int i = 0; i < 20; ++i) seeded[i] = D::variable(x[i], i);
    dual(D(time), seeded, slope);
    Matrix<double, 20> A;
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 20; ++j) A(i, j) = slope[i].derivative(j);
    return A;
}

/// The largest real part of the eigenvalues, 1/s; above 0 the motion grows.
/// @throws SetupError as linalg::eigenvalues.
template <class Derived>
[[nodiscard]] double growth_rate(const Eigen::MatrixBase<Derived>& A) {
    return linalg::eigenvalues(Eigen::MatrixXd(A)).real().maxCoeff();
}

/// The range of speeds in which the critical speed is searched.
struct SpeedRange {
    double lowest = 2.0;     ///< m/s
    double highest = 200.0;  ///< m/s
    double step = 5.0;       ///< m/s; two crossings within one step are missed
};

/// The lowest speed v at which growth(v) becomes positive, to rounding; v in m/s, growth in 1/s. NaN if this does not
/// happen inside the range; the lower end of the range if growth is positive there.
/// @throws SetupError if the range is empty, or the step not positive or below 1e-5 of the highest speed.
template <class Growth>
[[nodiscard]] double critical_speed_of(const Growth& growth, const SpeedRange& range = {}) {
    const char* where = "vehicle::critical_speed";
    require_positive(range.lowest, where, "lowest");
    require_positive(range.step, where, "step");
    require(range.highest > range.lowest && is_finite(range.highest), where, "highest is ", range.highest,
            " m/s, must be above lowest, ", range.lowest);
    require(range.step >= 1e-5 * range.highest, where, "step is ", range.step,
            " m/s, must be at least 1e-5 of highest, ", 1e-5 * range.highest,
            " m/s: smaller steps would take too long");
    constexpr double rounding = 1e-9;  // 1/s; an undamped mode is not an unstable one
    double stable = range.lowest, unstable = range.lowest;
    if (growth(stable) > rounding) return stable;
    while (!(growth(unstable) > rounding)) {
        if (unstable >= range.highest) return std::numeric_limits<double>::quiet_NaN();
        stable = unstable;
        unstable = std::min(range.highest, unstable + range.step);
    }
    return bisect([&](double v) { return !(growth(v) > rounding); }, stable, unstable, 1e-13).middle();
}

/// The speed above which the bogie hunts: where its linearization about rest loses stability.
/// @throws SetupError as critical_speed_of.
template <class Track, class Law, class Geometry>
[[nodiscard]] double critical_speed(const Bogie<double, Track, Law, Geometry>& bogie, const SpeedRange& range = {}) {
    return critical_speed_of([&](double v) { return growth_rate(jacobian(bogie.at_speed(v))); }, range);
}

#ifdef PANTO_COMPILED
extern template Matrix<double, 20> jacobian(const Bogie<>&, const Vector<double, 20>&, double);
#endif

}  // namespace panto::vehicle
