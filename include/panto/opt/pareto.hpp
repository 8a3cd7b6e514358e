// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Several objectives: concepts, dominance, sorting into fronts, crowding distance
/// [Deb, Pratap, Agarwal, Meyarivan 2002]. One point dominates another if it is nowhere worse and somewhere better.

#pragma once

#include <panto/opt/concepts.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace panto {

/// A function with several values to minimize. It may throw or return NaN; that point is then worse than all others.
template <class F>
concept MultiObjective = requires(const F& f, const Parameters& x, Parameters& values) {
    { f.objectives() } -> std::convertible_to<int>;  ///< how many
    { f(x, values) } -> std::same_as<Status>;        ///< resizes `values`
};

/// The same with constraints; each is satisfied if it is not above 0.
template <class F>
concept ConstrainedMultiObjective = requires(const F& f, const Parameters& x, Parameters& values) {
    { f.objectives() } -> std::convertible_to<int>;
    { f.constraints() } -> std::convertible_to<int>;
    { f(x, values, values) } -> std::same_as<Status>;  ///< objectives, constraints; resizes both
};

namespace opt {

/// A point and its quality.
struct Individual {
    Parameters x = {};
    Parameters objectives = {};
    double violation = 0.0;  ///< sum of the positive constraints; infinite if the point has no value
    int rank = 0;            ///< 0: dominated by none
    double crowding = 0.0;   ///< larger: more isolated in its front
    std::string failure{};   ///< why it has no value; empty if it has

    [[nodiscard]] bool feasible() const noexcept { return violation <= 0.0; }
};

/// Pareto dominance, with Deb's rule for constraints: feasible beats infeasible, of two infeasible ones the one that
/// violates less wins.
[[nodiscard]] inline bool dominates(const Individual& a, const Individual& b) {
    if (!a.feasible() || !b.feasible()) return a.violation < b.violation;
    bool better = false;
    for (Eigen::Index i = 0; i < a.objectives.size(); ++i) {
        if (a.objectives[i] > b.objectives[i]) return false;
        better = better || a.objectives[i] < b.objectives[i];
    }
    return better;
}

/// Indices of the points of each front, best front first; sets every rank. @throws SetupError if the points do not all
/// have the same number of objectives.
inline std::vector<std::vector<std::size_t>> sort_into_fronts(std::vector<Individual>& all) {
    for (const Individual& point : all)
        require(point.objectives.size() == all.front().objectives.size(), "opt::sort_into_fronts", "individuals have ",
                point.objectives.size(), " and ", all.front().objectives.size(),
                " objectives, expected the same number for all");
    std::vector<std::vector<std::size_t>> fronts(1), worse(all.size());
    std::vector<int> betters(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j)
            if (dominates(all[i], all[j]))
                worse[i].push_back(j), ++betters[j];
            else if (dominates(all[j], all[i]))
                worse[j].push_back(i), ++betters[i];
    for (std::size_t i = 0; i < all.size(); ++i)
        if (betters[i] == 0) fronts[0].push_back(i);
    while (!fronts.back().empty()) {
        std::vector<std::size_t> next;
        for (const std::size_t i : fronts.back()) {
            all[i].rank = static_cast<int>(fronts.size()) - 1;
            for (const std::size_t j : worse[i])
                if (--betters[j] == 0) next.push_back(j);
        }
        std::sort(next.begin(), next.end());
        fronts.push_back(std::move(next));
    }
    fronts.pop_back();
    return fronts;
}

/// Sets the crowding distance in one front: half the perimeter of the box that the neighbours of a point span, each
/// objective divided by its range in the front; infinite at the ends.
inline void set_crowding(std::vector<Individual>& all, std::vector<std::size_t> front) {
    if (front.empty()) return;
    for (const std::size_t i : front) all[i].crowding = 0.0;
    for (Eigen::Index k = 0; k < all[front[0]].objectives.size(); ++k) {
        const auto value = [&all, k](std::size_t i) { return all[i].objectives[k]; };
        std::stable_sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
        const double range = value(front.back()) - value(front.front());
        all[front.front()].crowding = all[front.back()].crowding = Bounds::infinite;
        if (!(range > 0.0) || !is_finite(range)) continue;
        for (std::size_t i = 1; i + 1 < front.size(); ++i)
            all[front[i]].crowding += (value(front[i + 1]) - value(front[i - 1])) / range;
    }
}

/// The feasible points that no other dominates.
[[nodiscard]] inline std::vector<Individual> pareto_front(std::vector<Individual> all) {
    std::vector<Individual> front;
    if (all.empty()) return front;
    const auto fronts = sort_into_fronts(all);
    for (const std::size_t i : fronts[0])
        if (all[i].feasible()) front.push_back(all[i]);
    return front;
}

/// Computes objectives and violation at `point.x`. If the model throws, returns a status that is not usable or gives
/// a value that is not finite, they become infinite and `failure` says why.
template <class F>
    requires MultiObjective<F> || ConstrainedMultiObjective<F>
void evaluate(const F& f, Individual& point) {
    Parameters constraints;
    point.violation = 0.0, point.failure.clear();
    try {
        Status status = Status::ok;
        if constexpr (ConstrainedMultiObjective<F>)
            status = f(point.x, point.objectives, constraints);
        else
            status = f(point.x, point.objectives);
        const bool sized = point.objectives.size() == f.objectives();
        bool constrained = true;
        if constexpr (ConstrainedMultiObjective<F>) constrained = constraints.size() == f.constraints();
        if (!usable(status))
            point.failure = "the model returned the status '" + std::string(name(status)) + "'";
        else if (!sized || !is_finite(point.objectives.sum()) || !is_finite(constraints.sum()))
            point.failure =
                sized ? "a value is not a finite number" : "the model returned a wrong number of objectives";
        else if (!constrained)
            point.failure = "the model returned a wrong number of constraints";
    } catch (const std::exception& e) {
        point.failure = std::string("the model threw: ") + e.what();
    }
    if (!point.failure.empty()) {
        point.objectives = Parameters::Constant(f.objectives(), Bounds::infinite);
        point.violation = Bounds::infinite;
        return;
    }
    for (const double g : constraints) point.violation += std::max(0.0, g);
}

}  // namespace opt
}  // namespace panto
