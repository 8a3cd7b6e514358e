// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Placement of sensors and actuators: chooses the most informative set of candidates. A candidate is given by the
/// sensitivities that it would record. For a sensor, these are the rows of its channel; for an actuator or a whole
/// experiment, the rows of all channels that it would move. The variances are those of noise alone: the bias of a model
/// or a grid is not in them. See `doubts` in confidence.hpp for a fit.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/svd.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

/// A: sum of the variances. D: volume of the ellipsoid. E: longest of its axes.
enum class Criterion { A, D, E };

enum class Search {
    exhaustive,  ///< every choice: the optimum
    greedy       ///< the best one first, then the best addition, and so on: near the optimum, for many candidates
};

struct Candidate {
    std::string name = {};
    Matrix<double, Dynamic> sensitivity = {};  ///< d y / d p, a column for each parameter
    double noise = 1.0;                        ///< standard deviation of its samples
};

struct PlacementParams {
    int count = 1;  ///< how many to choose
    Criterion criterion = Criterion::D;
    Search search = Search::exhaustive;
    Vector<double, Dynamic> scale{};  ///< of the parameters, which makes A and E meaningful; empty: 1 each
};

struct Placement {
    std::vector<std::size_t> chosen = {};  ///< in order of the candidates; greedy: in order of choice
    int rank = 0;        ///< identifiable combinations of parameters; less than their number if some are not
    double value = 0.0;  ///< for A, D, E over identifiable combinations: sum of variances, minus log determinant,
                         ///< largest variance; small is good
    int tried = 0;       ///< number of choices
};

namespace detail {

template <class = void>
[[nodiscard]] Placement judged(const std::vector<Candidate>& all, std::vector<std::size_t> chosen,
                               const PlacementParams& p) {
    const Eigen::Index n = all.front().sensitivity.cols();
    Eigen::Index rows = n;  // zero rows, so that there are never fewer than columns
    for (const std::size_t c : chosen) rows += all[c].sensitivity.rows();
    Eigen::MatrixXd Psi = Eigen::MatrixXd::Zero(rows, n);
    Eigen::Index at = 0;
    for (const std::size_t c : chosen) {
        const auto& s = all[c].sensitivity;
        Psi.middleRows(at, s.rows()) = s / all[c].noise;
        at += s.rows();
    }
    if (p.scale.size() > 0)
        for (Eigen::Index k = 0; k < n; ++k) Psi.col(k) *= p.scale[k];
    const linalg::Svd svd = linalg::svd(Psi);
    Placement result{std::move(chosen), 0, 0.0, 1};
    for (const double s : svd.values) {
        if (!(s > 1e-12 * svd.values[0])) break;
        ++result.rank;
        const double variance = 1.0 / (s * s);
        if (p.criterion == Criterion::A) result.value += variance;
        if (p.criterion == Criterion::D) result.value += std::log(variance);
        if (p.criterion == Criterion::E) result.value = variance;
    }
    return result;
}

template <class = void>
[[nodiscard]] bool better(const Placement& a, const Placement& b) {
    return b.chosen.empty() || a.rank > b.rank || (a.rank == b.rank && a.value < b.value);
}

}  // namespace detail

/// A choice that identifies more combinations of parameters always wins; among those that identify equally many the
/// criterion decides, and among equals the first.
/// @throws SetupError if there are not as many candidates as are to be chosen, their sizes differ, a noise or a
/// scale is not positive, or an exhaustive search would try more than a million choices.
template <class = void>
[[nodiscard]] Placement place(const std::vector<Candidate>& candidates, const PlacementParams& p) {
    constexpr const char* where = "ident::place";
    const int n = static_cast<int>(candidates.size());
    require(p.count >= 1 && p.count <= n, where, "count is ", p.count, ", must be from 1 to the number of candidates, ",
            n);
    for (const Candidate& c : candidates) {
        require_positive(c.noise, where, "noise of candidate '", c.name, "'");
        require(c.sensitivity.cols() == candidates.front().sensitivity.cols(), where, "candidate '", c.name, "' has ",
                c.sensitivity.cols(), " parameters, others ", candidates.front().sensitivity.cols());
        require(c.sensitivity.cols() > 0, where, "candidate '", c.name,
                "' has a sensitivity without columns, expected one for each parameter");
        for (const double entry : c.sensitivity.reshaped())
            require_finite(entry, where, "an entry of the sensitivity of candidate '", c.name, "'");
    }
    require(p.scale.size() == 0 || p.scale.size() == candidates.front().sensitivity.cols(), where, "scale has ",
            p.scale.size(), " entries, expected none or one for each parameter");
    for (const double entry : p.scale) require_positive(entry, where, "an entry of scale");
    Placement best;
    int tried = 0;
    const auto attempt = [&](const std::vector<std::size_t>& chosen, Placement& against) {
        ++tried;
        Placement now = detail::judged(candidates, chosen, p);
        if (detail::better(now, against)) against = std::move(now);
    };
    if (p.search == Search::greedy) {
        std::vector<char> used(candidates.size(), 0);
        for (int k = 0; k < p.count; ++k) {
            Placement next;
            for (std::size_t c = 0; c < candidates.size(); ++c) {
                if (used[c]) continue;
                std::vector<std::size_t> chosen = best.chosen;
                chosen.push_back(c);
                attempt(chosen, next);
            }
            best = next;
            used[best.chosen.back()] = 1;
        }
    } else {
        double choices = 1.0;
        for (int k = 0; k < p.count; ++k) choices *= static_cast<double>(n - k) / (k + 1);
        require(choices <= 1e6, where, choices,
                " choices, allowed are at most a million in an exhaustive search; search greedily");
        std::vector<std::size_t> chosen(static_cast<std::size_t>(p.count));
        for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = k;
        for (bool more = true; more;) {
            attempt(chosen, best);
            more = false;
            for (std::size_t k = chosen.size(); k-- > 0;) {
                if (chosen[k] + (chosen.size() - k) >= candidates.size()) continue;
                ++chosen[k];
                for (std::size_t m = k + 1; m < chosen.size(); ++m) chosen[m] = chosen[m - 1] + 1;
                more = true;
                break;
            }
        }
    }
    best.tried = tried;
    return best;
}

}  // namespace panto::ident
