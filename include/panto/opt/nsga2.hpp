// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// NSGA-II, the elitist genetic algorithm for several objectives [Deb, Pratap, Agarwal, Meyarivan 2002]: parents by
/// binary tournaments on (rank, crowding), simulated binary crossover, polynomial mutation, and
/// the best half of parents and children survives. The same seed gives the same result with any executor.

#pragma once

#include <panto/core/random.hpp>
#include <panto/opt/detail/variation.hpp>
#include <panto/opt/executor.hpp>
#include <panto/opt/pareto.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace panto::opt {

/// The state of the search after a generation.
struct Generation {
    int number = 0;
    int limit = 0;
    int evaluations = 0;
    const std::vector<Individual>& population;
};

struct Nsga2Params {
    Bounds bounds{};  ///< finite for every parameter
    int population = 100;
    int generations = 250;
    double crossover_probability = 0.9;
    double crossover_index = 15.0;       ///< eta_c: larger keeps children nearer to their parents
    double mutation_index = 20.0;        ///< eta_m
    double mutation_probability = -1.0;  ///< of each parameter; negative: 1 / number of parameters
    std::uint64_t seed = 1;
    std::vector<Parameters> start{};                    ///< points of the first population; the others are random
    std::function<bool(const Generation&)> observer{};  ///< after every generation; false stops
    Executor executor = serial;
};

/// The result of a search.
struct FrontResult {
    std::vector<Individual> front = {};       ///< feasible and dominated by none; may be empty
    std::vector<Individual> population = {};  ///< the last one
    int generations = 0;
    int evaluations = 0;
    int failures = 0;  ///< points without a value
    /// ok: all generations done and the front has points, whatever their quality; not_converged: none is feasible;
    /// stopped_by_user; not_finite: no point had a value
    Status status = Status::ok;
};

namespace detail {

inline void check(const Nsga2Params& p) {
    constexpr std::string_view here = "opt::nsga2";
    const Eigen::Index n = p.bounds.lower.size();
    require(n > 0, here, "bounds are empty, expected a lower and an upper bound for each parameter");
    p.bounds.check_finite(n, here);
    require(p.population >= 4 && p.population % 2 == 0, here, "population is ", p.population,
            ", must be an even number of at least 4");
    require(p.generations >= 0, here, "generations is ", p.generations, ", must be at least 0");
    const auto probability = [](double x) { return x >= 0.0 && x <= 1.0; };
    require(probability(p.crossover_probability), here, "crossover_probability is ", p.crossover_probability,
            ", must be from 0 to 1");
    require(p.mutation_probability < 0.0 || probability(p.mutation_probability), here, "mutation_probability is ",
            p.mutation_probability, ", must be from 0 to 1, or negative for 1/n");
    require_positive(p.crossover_index, here, "crossover_index");
    require_positive(p.mutation_index, here, "mutation_index");
    require(p.start.size() <= static_cast<std::size_t>(p.population), here, "start has ", p.start.size(),
            " points, must be at most the population, ", p.population);
    for (const Parameters& x : p.start) check_start(x, p.bounds, here);
    require(static_cast<bool>(p.executor), here, "executor is empty, pass opt::serial or an executor of your own");
}

/// Refuses a batch that `evaluate_all` has not filled; values that are not finite become failures. `objectives`, their
/// number, is taken from the first batch.
inline void settle(std::vector<Individual>& batch, std::size_t size, const Nsga2Params& p, Eigen::Index& objectives) {
    constexpr std::string_view here = "opt::nsga2_by_batches";
    require(batch.size() == size, here, "evaluate_all returned ", batch.size(), " of ", size,
            " individuals, must fill them in place, without adding, removing or moving any");
    for (const Individual& point : batch)
        if (objectives == 0) objectives = point.objectives.size();
    require(objectives > 0, here, "evaluate_all set no objectives, expected at least one for every individual");
    for (std::size_t i = 0; i < size; ++i) {
        Individual& point = batch[i];
        require(point.x.size() == p.bounds.lower.size(), here, "evaluate_all changed x of individual ", i);
        const bool lost = !is_finite(point.violation);
        require(lost || point.objectives.size() == objectives, here, "individual ", i, " has ", point.objectives.size(),
                " objectives, expected ", objectives, " as the first has");
        if (!lost && is_finite(point.objectives.sum())) continue;
        if (point.failure.empty()) point.failure = "a value is not a finite number";
        point.objectives = Parameters::Constant(objectives, Bounds::infinite);
        point.violation = Bounds::infinite;
    }
}

inline bool wins(const Individual& a, const Individual& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.crowding > b.crowding;
}

inline std::vector<Individual> children(const std::vector<Individual>& parents, const Nsga2Params& p,
                                        panto::Random& random) {
    const std::size_t size = parents.size();
    // Every individual takes part in exactly two tournaments: this loses fewer pieces of a front by chance.
    std::vector<std::size_t> order;
    for (int round = 0; round < 2; ++round) {
        const auto next = random.permutation(size);
        order.insert(order.end(), next.begin(), next.end());
    }
    const auto winner = [&](std::size_t tournament) -> const Parameters& {
        const std::size_t a = order[2 * tournament], b = order[2 * tournament + 1];
        const bool first = wins(parents[a], parents[b]) || (!wins(parents[b], parents[a]) && random.chance(0.5));
        return parents[first ? a : b].x;
    };
    const double mutation =
        p.mutation_probability < 0.0 ? 1.0 / static_cast<double>(p.bounds.lower.size()) : p.mutation_probability;
    std::vector<Individual> result(size);
    for (std::size_t i = 0; i < size; i += 2) {
        Parameters &a = result[i].x, &b = result[i + 1].x;
        a = winner(i), b = winner(i + 1);
        if (random.chance(p.crossover_probability)) crossover(a, b, p.bounds, p.crossover_index, random);
        mutate(a, p.bounds, p.mutation_index, mutation, random);
        mutate(b, p.bounds, p.mutation_index, mutation, random);
    }
    return result;
}

/// Ranks all, keeps the best `size`.
inline std::vector<Individual> survivors(std::vector<Individual>& all, std::size_t size) {
    std::vector<Individual> kept;
    auto fronts = sort_into_fronts(all);
    for (auto& front : fronts) {
        set_crowding(all, front);
        if (kept.size() + front.size() > size)
            std::stable_sort(front.begin(), front.end(),
                             [&all](std::size_t a, std::size_t b) { return all[a].crowding > all[b].crowding; });
        for (const std::size_t i : front)
            if (kept.size() < size) kept.push_back(std::move(all[i]));
        if (kept.size() == size) break;
    }
    return kept;
}

/// Fills objectives and violation of all individuals of a batch.
using EvaluateAll = std::function<void(std::vector<Individual>&)>;

template <class = void>
[[nodiscard]] FrontResult evolve(const EvaluateAll& evaluate_all, const Nsga2Params& p) {
    check(p);
    panto::Random random(p.seed);
    FrontResult result;
    const auto size = static_cast<std::size_t>(p.population);
    const auto count = [&result](const std::vector<Individual>& batch) {
        result.evaluations += static_cast<int>(batch.size());
        for (const Individual& point : batch) result.failures += !is_finite(point.violation);
    };
    std::vector<Individual> all(size);
    for (std::size_t i = 0; i < size; ++i) all[i].x = i < p.start.size() ? p.start[i] : random_point(p.bounds, random);
    Eigen::Index objectives = 0;
    evaluate_all(all);
    settle(all, size, p, objectives);
    count(all);
    result.population = survivors(all, size);
    while (result.generations < p.generations) {
        std::vector<Individual> next = children(result.population, p, random);
        evaluate_all(next);
        settle(next, size, p, objectives);
        count(next);
        all = std::move(result.population);
        all.insert(all.end(), std::make_move_iterator(next.begin()), std::make_move_iterator(next.end()));
        result.population = survivors(all, size);
        ++result.generations;
        if (p.observer && !p.observer({result.generations, p.generations, result.evaluations, result.population})) {
            result.status = Status::stopped_by_user;
            break;
        }
    }
    result.front = pareto_front(result.population);
    if (result.failures == result.evaluations)
        result.status = Status::not_finite;
    else if (result.front.empty() && result.status == Status::ok)
        result.status = Status::not_converged;
    return result;
}

#ifdef PANTO_COMPILED
extern template FrontResult evolve(const EvaluateAll&, const Nsga2Params&);
#endif

}  // namespace detail

/// NSGA-II with evaluation by the caller: `evaluate_all(batch)` fills objectives and violation of every individual of a
/// std::vector<Individual> in any way. An infinite violation, or an objective that is not finite, means a failure.
/// @throws SetupError if the parameters are invalid, or the batch comes back without objectives.
template <class EvaluateAll>
    requires std::invocable<EvaluateAll&, std::vector<Individual>&>
[[nodiscard]] FrontResult nsga2_by_batches(EvaluateAll&& evaluate_all, const Nsga2Params& p) {
    return detail::evolve([&evaluate_all](std::vector<Individual>& batch) { evaluate_all(batch); }, p);
}

/// @throws SetupError if the parameters are invalid or f has no objectives.
template <class F>
    requires MultiObjective<F> || ConstrainedMultiObjective<F>
[[nodiscard]] FrontResult nsga2(const F& f, const Nsga2Params& p) {
    require(f.objectives() >= 1, "opt::nsga2", "objectives is ", f.objectives(), ", must be at least 1");
    return nsga2_by_batches(
        [&f, &p](std::vector<Individual>& batch) {
            p.executor(static_cast<int>(batch.size()),
                       [&f, &batch](int i) { evaluate(f, batch[static_cast<std::size_t>(i)]); });
        },
        p);
}

}  // namespace panto::opt
