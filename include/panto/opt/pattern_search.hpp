// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Generalized pattern search [Torczon 1997] for objectives without derivatives: poll x + m e_1, x - m e_1, x + m e_2,
/// ... and go to the first that is strictly better. The mesh m doubles after a success, is halved after a full poll
/// without one, and the search ends when it is finer than the tolerance. Polls outside the box are moved to its face.
/// In a valley oblique to the axes the search can stop far from the bottom; the curvatures there decide on the status.
///
/// The unit of a parameter multiplies its mesh. If none is given, it is the power of 2 nearest to its start value (1
/// for 0), at most half the width of its bounds. It becomes longer if the first polls do not change the value at all,
/// and shorter if the parameter has become much smaller, or if the value still falls at steps far below the tolerance.

#pragma once

#include <panto/opt/detail/conclusion.hpp>

#include <cmath>
#include <limits>

namespace panto::opt {

struct PatternSearchParams {
    Bounds bounds{};
    double first_mesh = 1.0;
    double mesh_tolerance = 1e-6;  ///< stop below this
    Parameters scale{};            ///< unit of every parameter, multiplies the mesh; empty: found from the start
    int iteration_limit = 100000;  ///< polls
    int evaluation_limit = std::numeric_limits<int>::max();
    Observer observer{};
};

namespace detail {

template <class = void>
[[nodiscard]] Minimum search(const Function& f, const Parameters& start, const PatternSearchParams& p) {
    constexpr std::string_view here = "opt::pattern_search";
    check_start(start, p.bounds, here);
    require_positive(p.first_mesh, here, "first_mesh");
    require_positive(p.mesh_tolerance, here, "mesh_tolerance");
    require(p.scale.size() == 0 || p.scale.size() == start.size(), here, "scale has ", p.scale.size(),
            " entries, expected none or one for each parameter");
    for (const double s : p.scale) require_positive(s, here, "an entry of scale");
    require(p.iteration_limit > 0 && p.evaluation_limit > 0, here,
            "iteration_limit or evaluation_limit is 0 or less, must be at least 1");

    Minimum best;
    best.x = start;
    best.value = value_of(f, start, best);
    if (!is_finite(best.value)) return lost(best);
    const bool told = p.scale.size() > 0;
    const auto natural = [&](Eigen::Index i) { return size_of(best.x[i], p.bounds.low(i), p.bounds.high(i)); };
    Parameters trial = start, unit = told ? p.scale : start, fell = Parameters::Zero(start.size());
    for (Eigen::Index i = 0; i < start.size() && !told; ++i) unit[i] = natural(i);
    /// Whether there are now finer units to search with.
    const auto refined = [&] {
        bool finer = false;
        for (Eigen::Index i = 0; i < start.size() && !told; ++i) {
            const double now = std::max(1.0, natural(i));
            if (fell[i] > 0.0 && now < 0.2 * unit[i]) unit[i] = now, finer = true;
        }
        if (finer) return true;
        const double share = p.mesh_tolerance / p.first_mesh;
        Outlook closer;
        if (!falls_closer(f, p.bounds, Parameters(p.mesh_tolerance * unit), Parameters(10.0 * share * fell), closer,
                          best))
            return false;
        unit = (closer.moved.array() > 0.0).select(closer.moved, unit);
        trial = best.x;
        return true;
    };
    double mesh = p.first_mesh;
    while (mesh >= p.mesh_tolerance) {
        if (best.iterations == p.iteration_limit || best.evaluations >= p.evaluation_limit)
            return finish(best, Status::not_converged, "the iteration or evaluation limit is reached");
        ++best.iterations;
        bool better = false, longer = false;
        for (Eigen::Index i = 0; i < start.size() && !better; ++i) {
            bool polled = false, changed = false;
            for (const double sign : {1.0, -1.0}) {
                trial[i] = p.bounds.project(i, best.x[i] + sign * mesh * unit[i]);
                if (!(std::abs(trial[i] - best.x[i]) > 0.0)) continue;
                const double value = value_of(f, trial, best);
                polled = true, changed = changed || std::abs(value - best.value) > 0.0;
                if (value < best.value) {
                    fell[i] += best.value - value;
                    best.x[i] = trial[i], best.value = value, better = true;
                    break;
                }
                trial[i] = best.x[i];
            }
            if (told || !polled || changed || fell[i] > 0.0 || mesh < p.first_mesh || unit[i] > 1e15) continue;
            const double next = std::min(1000.0 * unit[i], 0.5 * (p.bounds.high(i) - p.bounds.low(i)));
            if (next > unit[i]) unit[i] = next, longer = true;
        }
        if (better || !longer) mesh *= better ? 2.0 : 0.5;
        if (!go_on(p.observer, best, p.iteration_limit))
            return finish(best, Status::stopped_by_user, "stopped by the observer");
        if (mesh < p.mesh_tolerance && refined()) mesh = p.first_mesh;
    }
    const Parameters lengths = best.x.cwiseAbs().cwiseMax(p.first_mesh * unit), finest = p.mesh_tolerance * unit;
    const Parameters steps = finest.cwiseMax(1e-5 * lengths);
    return concluded(f, p.bounds, steps, lengths, Parameters(10.0 * finest), start,
                     "the mesh is finer than mesh_tolerance", best);
}

#ifdef PANTO_COMPILED
extern template Minimum search(const Function&, const Parameters&, const PatternSearchParams&);
#endif

}  // namespace detail

/// @throws SetupError if the parameters are invalid or the start lies outside the bounds.
template <Objective F>
[[nodiscard]] Minimum pattern_search(const F& f, const Parameters& start, const PatternSearchParams& p = {}) {
    return detail::search(detail::Function(f), start, p);
}

/// The same as an Optimizer.
struct PatternSearch {
    PatternSearchParams params{};

    template <Objective F>
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        return pattern_search(f, start, params);
    }
};

}  // namespace panto::opt
