// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The hypervolume of a front of two objectives: the area between the front and a reference point that is worse than
/// all of it. It measures in one number how close a set of points is to the true front and how well it is spread.

#pragma once

#include <panto/opt/pareto.hpp>

#include <utility>

namespace panto::opt {

/// Exact. The points may be in any order and include dominated ones; points beyond the reference, or with a value
/// that is not finite, do not count. @throws SetupError if the reference is not finite.
[[nodiscard]] inline double hypervolume(std::vector<std::pair<double, double>> points,
                                        std::pair<double, double> reference) {
    require_finite(reference.first, "opt::hypervolume", "the reference's first objective");
    require_finite(reference.second, "opt::hypervolume", "the reference's second objective");
    std::erase_if(points, [](const auto& point) { return !is_finite(point.first) || !is_finite(point.second); });
    std::sort(points.begin(), points.end());
    double area = 0.0, height = reference.second;
    for (const auto& [first, second] : points)
        if (first < reference.first && second < height) {
            area += (reference.first - first) * (height - second);
            height = second;
        }
    return area;
}

/// Of the feasible individuals. @throws SetupError if one does not have two objectives.
[[nodiscard]] inline double hypervolume(const std::vector<Individual>& all, std::pair<double, double> reference) {
    std::vector<std::pair<double, double>> points;
    for (const Individual& point : all) {
        if (!point.feasible()) continue;
        require(point.objectives.size() == 2, "opt::hypervolume", "a point has ", point.objectives.size(),
                " objectives, expected 2");
        points.emplace_back(point.objectives[0], point.objectives[1]);
    }
    return hypervolume(std::move(points), reference);
}

}  // namespace panto::opt
