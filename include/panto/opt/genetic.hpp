// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A genetic algorithm for one objective in a box: the operators of NSGA-II (simulated binary crossover, polynomial
/// mutation, binary tournaments), and the best half of parents and children survives. Evaluations of a
/// generation run on any executor; same seed, same result.

#pragma once

#include <panto/opt/detail/conclusion.hpp>
#include <panto/opt/nsga2.hpp>

#include <algorithm>

namespace panto::opt {

struct GeneticParams {
    Bounds bounds{};  ///< finite for every parameter
    int population = 50;
    int iteration_limit = 300;  ///< generations
    double crossover_probability = 0.9;
    double crossover_index = 5.0;
    double mutation_index = 20.0;
    double mutation_probability = -1.0;  ///< of each parameter; negative: 1 / number of parameters
    double tolerance = 1e-12;            ///< stop when worst and best of a generation differ by less than this fraction
    std::uint64_t seed = 1;
    Observer observer{};
    Executor executor = serial;
};

namespace detail {

/// One objective as a MultiObjective.
struct OnlyObjective {
    const Function& f;
    [[nodiscard]] int objectives() const noexcept { return 1; }
    Status operator()(const Parameters& x, Parameters& values) const {
        values = Parameters::Constant(1, f(x));
        return Status::ok;
    }
};

template <class = void>
[[nodiscard]] Minimum search(const Function& f, const Parameters& start, const GeneticParams& p) {
    constexpr std::string_view here = "opt::genetic";
    check_start(start, p.bounds, here);
    p.bounds.check_finite(start.size(), here);
    require_not_negative(p.tolerance, here, "tolerance");
    require(p.iteration_limit > 0, here, "iteration_limit is 0 or less, must be at least 1");
    Minimum best;
    best.x = start;
    best.value = Bounds::infinite;
    Minimum count;
    bool equal = false, stopped = false;
    Nsga2Params all;
    all.bounds = p.bounds, all.population = p.population, all.generations = p.iteration_limit;
    all.crossover_probability = p.crossover_probability, all.crossover_index = p.crossover_index;
    all.mutation_probability = p.mutation_probability, all.mutation_index = p.mutation_index;
    all.seed = p.seed, all.executor = p.executor, all.start = {start};
    all.observer = [&](const Generation& now) {
        const auto less = [](const Individual& a, const Individual& b) { return a.objectives[0] < b.objectives[0]; };
        const auto [low, high] = std::minmax_element(now.population.begin(), now.population.end(), less);
        best.x = low->x, best.value = low->objectives[0];
        best.iterations = now.number, best.evaluations = now.evaluations;
        stopped = !go_on(p.observer, best, p.iteration_limit);
        equal = high->objectives[0] - low->objectives[0] <= p.tolerance * std::abs(best.value);
        return !stopped && !equal;
    };
    const FrontResult result = nsga2(OnlyObjective{f}, all);
    best.failures = result.failures;
    if (!is_finite(best.value))
        return finish(best, Status::not_finite, "no point has a value: " + result.population[0].failure);
    if (stopped) return finish(best, Status::stopped_by_user, "stopped by the observer");
    if (equal) return concluded(f, p.bounds, value_of(f, start, count), "all of a generation are equally good", best);
    return finish(best, Status::not_converged, "the iteration limit is reached");
}

#ifdef PANTO_COMPILED
extern template Minimum search(const Function&, const Parameters&, const GeneticParams&);
#endif

}  // namespace detail

/// `start` belongs to the first population. @throws SetupError if the parameters are invalid or the start lies outside
/// the bounds.
template <Objective F>
[[nodiscard]] Minimum genetic(const F& f, const Parameters& start, const GeneticParams& p) {
    return detail::search(detail::Function(f), start, p);
}

/// The same as an Optimizer.
struct Genetic {
    GeneticParams params{};

    template <Objective F>
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        return genetic(f, start, params);
    }
};

}  // namespace panto::opt
