// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Generalized pattern search [Torczon 1997] for objectives without derivatives: poll x + m e_1, x - m e_1, x + m e_2,
/// ... and go to the first that is strictly better. The mesh m doubles after a success, is halved after a full poll
/// without one, and the search ends when it is finer than the tolerance. Polls outside the box are moved to its face.
/// In a valley oblique to the axes the search can stop far from the bottom; the curvatures there decide on the status.

#pragma once

#include <panto/opt/detail/outlook.hpp>

#include <cmath>
#include <limits>

namespace panto::opt {

struct PatternSearchParams {
    Bounds bounds{};
    double first_mesh = 1.0;
    double mesh_tolerance = 1e-6;  ///< stop below this
    Parameters scale{};            ///< unit of every parameter, multiplies the mesh; empty: 1 for all
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
    Parameters trial = start;
    double mesh = p.first_mesh;
    while (mesh >= p.mesh_tolerance) {
        if (best.iterations == p.iteration_limit || best.evaluations >= p.evaluation_limit)
            return finish(best, Status::not_converged, "the iteration or evaluation limit is reached");
        ++best.iterations;
        bool better = false;
        for (Eigen::Index i = 0; i < start.size() && !better; ++i)
            for (const double sign : {1.0, -1.0}) {
                const double step = sign * mesh * (p.scale.size() > 0 ? p.scale[i] : 1.0);
                trial[i] = p.bounds.project(i, best.x[i] + step);
                if (!(std::abs(trial[i] - best.x[i]) > 0.0)) continue;
                const double value = value_of(f, trial, best);
                if (value < best.value) {
                    best.x[i] = trial[i], best.value = value, better = true;
                    break;
                }
                trial[i] = best.x[i];
            }
        mesh *= better ? 2.0 : 0.5;
        if (!go_on(p.observer, best, p.iteration_limit))
            return finish(best, Status::stopped_by_user, "stopped by the observer");
    }
    Parameters lengths(start.size()), near(start.size()), steps(start.size());
    for (Eigen::Index i = 0; i < start.size(); ++i) {
        const double unit = p.scale.size() > 0 ? p.scale[i] : 1.0;
        lengths[i] = std::max(std::abs(best.x[i]), p.first_mesh * unit);
        steps[i] = std::max(1e-5 * lengths[i], p.mesh_tolerance * unit);
        near[i] = 10.0 * p.mesh_tolerance * unit;
    }
    return concluded(f, p.bounds, steps, lengths, near, "the mesh is finer than mesh_tolerance", best);
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
