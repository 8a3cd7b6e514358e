// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a search by Levenberg and Marquardt can be told.

#pragma once

#include <panto/opt/concepts.hpp>
#include <panto/opt/detail/linearization.hpp>

namespace panto::opt {

struct LevenbergMarquardtParams {
    Bounds bounds{};
    int iteration_limit = 1000;
    double value_tolerance = 1e-15;  ///< stop when a full step is predicted to lower r'r by less than this fraction
    double step_tolerance = 1e-12;   ///< check for a minimum when the radius is below this fraction of || D x ||
    double gradient_tolerance =
        1e-12;  ///< stop when the cosine between r and the column space of the free parameters is below this
    double value_goal = 0.0;    ///< stop when r'r is not above this
    double first_radius = 1.0;  ///< in multiples of || D x || at the start, or of || r || / 100 if that is more
    Differences differences = Differences::forward;  ///< only for residuals without a Jacobian
    double difference_step = 0.0;                    ///< relative step of the differences; 0: chosen and checked
    Parameters typical{};  ///< typical sizes of the parameters, for differences; empty: found from x
    Observer observer{};
};

namespace detail {

inline void check(const LevenbergMarquardtParams& p, const Parameters& start) {
    constexpr std::string_view here = "opt::levenberg_marquardt";
    check_start(start, p.bounds, here);
    require(p.iteration_limit > 0, here, "iteration_limit is ", p.iteration_limit, ", must be at least 1");
    require_not_negative(p.value_tolerance, here, "value_tolerance");
    require_not_negative(p.step_tolerance, here, "step_tolerance");
    require_not_negative(p.gradient_tolerance, here, "gradient_tolerance");
    require_not_negative(p.value_goal, here, "value_goal");
    require_positive(p.first_radius, here, "first_radius");
    require_not_negative(p.difference_step, here, "difference_step");
    check_typical(p.typical, start.size(), here);
}

}  // namespace detail
}  // namespace panto::opt
