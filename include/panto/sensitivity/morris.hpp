// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Morris' method of elementary effects [Morris 1991; Campolongo, Cariboni, Saltelli 2007]. A trajectory starts at a
/// random point of a grid with p levels in the unit cube and moves along every axis once, by delta = p / (2 (p - 1));
/// every step gives one effect,
///
///     EE_i = +-( J(x +- delta e_i) - J(x) ) / delta .
///
/// mu = mean EE, mu* = mean |EE|, sigma = standard deviation of EE. mu* ranks the influence of the parameters; mu does
/// not, because in it effects of different sign cancel. A sigma that is large compared with mu* means that the effect
/// is nonlinear or depends on the other parameters. r trajectories cost r (n + 1) evaluations. Effects are per whole
/// range of a parameter, so that they can be compared.

#pragma once

#include <panto/sensitivity/sampling.hpp>

namespace panto::sensitivity {

struct MorrisParams {
    int trajectories = 10;
    int levels = 4;  ///< p, even: with an odd number some levels would be used more often
    std::uint64_t seed = 1;
};

struct MorrisDesign {
    int parameters = 0;
    int trajectories = 0;
    double delta = 0.0;               ///< length of a step in the unit cube
    Points unit = {};                 ///< n + 1 points per trajectory, one after the other
    std::vector<int> moved = {};      ///< parameter moved in each step, n steps per trajectory
    std::vector<int> direction = {};  ///< +1 or -1
};

struct MorrisResult {
    Vector<double, Dynamic> mu = {};
    Vector<double, Dynamic> mu_star = {};
    Vector<double, Dynamic> sigma = {};          ///< computed with r - 1
    Vector<double, Dynamic> mu_star_error = {};  ///< standard error of mu*, from the scatter of |EE|
    Eigen::VectorXi used = {};                   ///< number of effects used, at most that of the trajectories
    int failed = 0;                              ///< evaluations without a value
};

/// Draws for each trajectory the base levels, the directions, and the order of the parameters (Fisher and Yates).
/// @throws SetupError if a number is out of its range.
[[nodiscard]] inline MorrisDesign morris_design(int parameters, const MorrisParams& p = {}) {
    constexpr std::string_view here = "sensitivity::morris_design";
    require(parameters > 0, here, "parameters is ", parameters, ", must be at least 1");
    require(p.trajectories >= 2, here, "trajectories is ", p.trajectories, ", must be at least 2: one has no scatter");
    require(p.levels >= 2 && p.levels % 2 == 0, here, "levels is ", p.levels, ", must be an even number of at least 2");
    const int n = parameters;
    const Eigen::Index stride = Eigen::Index{n} + 1;
    detail::check_count(static_cast<double>(p.trajectories) * static_cast<double>(stride), here);
    MorrisDesign design;
    design.parameters = parameters, design.trajectories = p.trajectories;
    design.delta = p.levels / (2.0 * (p.levels - 1));
    design.unit.resize(n, p.trajectories * stride);
    Lcg random(p.seed);
    std::vector<int> order(static_cast<std::size_t>(n)), sign(order);
    Vector<double, Dynamic> x(n);
    for (int t = 0; t < p.trajectories; ++t) {
        for (int i = 0; i < n; ++i) x[i] = static_cast<double>(random.index(p.levels / 2)) / (p.levels - 1);
        for (int i = 0; i < n; ++i) {
            sign[static_cast<std::size_t>(i)] = random.uniform() < 0.5 ? 1 : -1;
            if (sign[static_cast<std::size_t>(i)] < 0) x[i] += design.delta;
        }
        for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
        for (int i = n - 1; i > 0; --i)
            std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.index(i + 1))]);
        design.unit.col(t * stride) = x;
        for (int k = 0; k < n; ++k) {
            const int i = order[static_cast<std::size_t>(k)];
            x[i] += sign[static_cast<std::size_t>(i)] * design.delta;
            design.unit.col(t * stride + k + 1) = x;
            design.moved.push_back(i);
            design.direction.push_back(sign[static_cast<std::size_t>(i)]);
        }
    }
    return design;
}

/// `values` are those of the model at the points of the design, each scaled from the unit cube to the ranges. An effect
/// with a failed evaluation is left out; a parameter without any effect left gets NaN.
/// @throws SetupError if there is not one value per point, if some failed and the policy is `refuse`, or if the values
/// are so large that the effects or their squares are not finite.
[[nodiscard]] inline MorrisResult morris(const MorrisDesign& design, const Vector<double, Dynamic>& values,
                                         FailedRuns policy = FailedRuns::drop) {
    MorrisResult result;
    result.failed = detail::count_failed(values, design.unit.cols(), policy, "sensitivity::morris");
    const int n = design.parameters;
    const Eigen::Index stride = n + 1;
    std::size_t step = 0;
    std::vector<std::vector<double>> effects(static_cast<std::size_t>(n));
    for (int t = 0; t < design.trajectories; ++t)
        for (int k = 0; k < n; ++k, ++step) {
            const double before = values[t * stride + k], after = values[t * stride + k + 1];
            if (is_finite(before) && is_finite(after))
                effects[static_cast<std::size_t>(design.moved[step])].push_back(
                    (after - before) / (design.direction[step] * design.delta));
        }
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    result.mu = result.mu_star = result.sigma = result.mu_star_error = Vector<double, Dynamic>::Constant(n, none);
    result.used.resize(n);
    for (int i = 0; i < n; ++i) {
        const auto& own = effects[static_cast<std::size_t>(i)];
        const auto count = static_cast<Eigen::Index>(own.size());
        result.used[i] = static_cast<int>(count);
        if (count == 0) continue;
        const Eigen::Map<const Eigen::ArrayXd> effect(own.data(), count);
        result.mu[i] = effect.mean();
        result.mu_star[i] = effect.abs().mean();
        const auto check = [i](double figure, const char* what) {
            require(is_finite(figure), "sensitivity::morris", what, " of parameter ", i, " is ", figure,
                    ", must be finite: scale the output");
        };
        check(result.mu_star[i], "mu*");
        if (count == 1) continue;
        const auto free = static_cast<double>(count - 1);
        result.sigma[i] = std::sqrt((effect - result.mu[i]).square().sum() / free);
        result.mu_star_error[i] =
            std::sqrt((effect.abs() - result.mu_star[i]).square().sum() / free / static_cast<double>(count));
        check(result.sigma[i], "sigma");
    }
    return result;
}

/// Makes the design, evaluates the model f, and returns the result. @throws SetupError as the parts do.
template <class F>
[[nodiscard]] MorrisResult morris(const F& f, const Ranges& ranges, const MorrisParams& p = {},
                                  FailedRuns policy = FailedRuns::drop) {
    ranges.check("sensitivity::morris");
    const MorrisDesign design = morris_design(ranges.size(), p);
    return morris(design, evaluate(f, ranges.scale(design.unit)), policy);
}

}  // namespace panto::sensitivity
