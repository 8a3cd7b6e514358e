// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Simulated annealing in a box: one parameter at a time is moved at random, a worse value is accepted with probability
/// exp(-increase / temperature), the temperature falls from stage to stage. The reach of every parameter is adapted so
/// that about half of its moves are accepted [Corana, Marchesi, Martini, Ridella 1987]; moves are drawn from Cauchy's
/// distribution, whose rare long jumps still leave a valley when the reach has shrunk to its size [Szu, Hartley 1987].

#pragma once

#include <panto/opt/detail/conclusion.hpp>
#include <panto/opt/detail/variation.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace panto::opt {

struct SimulatedAnnealingParams {
    Bounds bounds{};                 ///< finite for every parameter
    double first_temperature = 0.0;  ///< in units of the objective; 0: standard deviation of 20 random points
    double cooling = 0.85;           ///< ratio of the temperature to that of the stage before
    int sweeps = 20;                 ///< moves of every parameter between two adaptations of its reach
    int adaptations = 5;             ///< of the reach, at one temperature
    int iteration_limit = 200;       ///< stages
    double tolerance =
        1e-8;  ///< stop when four stages end within this fraction of the value, or of 1 % of the first temperature
    std::uint64_t seed = 1;
    Observer observer{};
};

namespace detail {

template <class = void>
[[nodiscard]] Minimum search(const Function& f, const Parameters& start, const SimulatedAnnealingParams& p) {
    constexpr std::string_view here = "opt::simulated_annealing";
    check_start(start, p.bounds, here);
    p.bounds.check_finite(start.size(), here);
    require_not_negative(p.first_temperature, here, "first_temperature");
    require_not_negative(p.tolerance, here, "tolerance");
    require(p.cooling > 0.0 && p.cooling < 1.0, here, "cooling is ", p.cooling, ", must be between 0 and 1");
    require(p.sweeps > 0 && p.adaptations > 0 && p.iteration_limit > 0, here,
            "sweeps, adaptations or iteration_limit is 0 or less, must be at least 1");

    const Eigen::Index n = start.size();
    panto::Random random(p.seed);
    Minimum best;
    best.x = start;
    best.value = value_of(f, start, best);
    if (!is_finite(best.value)) return lost(best);
    const double first = best.value;
    double temperature = p.first_temperature;
    if (!(temperature > 0.0)) {
        double sum = 0.0, squares = 0.0, count = 0.0;
        for (int k = 0; k < 20; ++k) {
            const double value = value_of(f, random_point(p.bounds, random), best) - best.value;
            if (is_finite(value)) sum += value, squares += value * value, ++count;
        }
        temperature = count > 1.0 ? std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1.0))) : 0.0;
        if (!(temperature > 0.0)) temperature = std::max(std::abs(best.value), 1.0);
    }
    const double spread = 0.01 * temperature;
    Parameters x = best.x, reach = p.bounds.upper - p.bounds.lower;
    double value = best.value;
    int quiet = 0;
    while (best.iterations < p.iteration_limit) {
        const double before = value;
        for (int round = 0; round < p.adaptations; ++round) {
            Parameters kept = Parameters::Zero(n);
            for (int sweep = 0; sweep < p.sweeps; ++sweep)
                for (Eigen::Index i = 0; i < n; ++i) {
                    const double old = x[i];
                    x[i] += reach[i] * std::tan(std::numbers::pi * (random.uniform() - 0.5));
                    if (x[i] < p.bounds.low(i) || x[i] > p.bounds.high(i))
                        x[i] = random.uniform(p.bounds.low(i), p.bounds.high(i));
                    const double trial = value_of(f, x, best);
                    const double luck = random.uniform();
                    if (!(trial <= value) && !(luck < std::exp((value - trial) / temperature))) {
                        x[i] = old;
                        continue;
                    }
                    value = trial, kept[i] += 1.0;
                    if (value < best.value) best.value = value, best.x = x;
                }
            for (Eigen::Index i = 0; i < n; ++i) {
                const double share = kept[i] / p.sweeps;
                reach[i] *= share > 0.6   ? 1.0 + 2.0 * (share - 0.6) / 0.4
                            : share < 0.4 ? 1.0 / (1.0 + 2.0 * (0.4 - share) / 0.4)
                                          : 1.0;
                reach[i] = std::min(reach[i], p.bounds.high(i) - p.bounds.low(i));
            }
        }
        ++best.iterations;
        const double close = p.tolerance * std::max(spread, std::abs(best.value));
        quiet = std::abs(value - before) <= close && value - best.value <= close ? quiet + 1 : 0;
        if (!go_on(p.observer, best, p.iteration_limit))
            return finish(best, Status::stopped_by_user, "stopped by the observer");
        if (quiet == 4) return concluded(f, p.bounds, first, "four stages in a row ended with equal values", best);
        temperature *= p.cooling;
        x = best.x, value = best.value;
    }
    return finish(best, Status::not_converged, "the iteration limit is reached");
}

#ifdef PANTO_COMPILED
extern template Minimum search(const Function&, const Parameters&, const SimulatedAnnealingParams&);
#endif

}  // namespace detail

/// @throws SetupError if the parameters are invalid or the start lies outside the bounds.
template <Objective F>
[[nodiscard]] Minimum simulated_annealing(const F& f, const Parameters& start, const SimulatedAnnealingParams& p) {
    return detail::search(detail::Function(f), start, p);
}

/// The same as an Optimizer.
struct SimulatedAnnealing {
    SimulatedAnnealingParams params{};

    template <Objective F>
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        return simulated_annealing(f, start, params);
    }
};

}  // namespace panto::opt
