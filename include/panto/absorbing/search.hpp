// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The methods of Publication B for designing an absorbing stencil: pattern search on one objective with the stability
/// of the bounded system as constraint, Sec. 3.4, and NSGA-II on objective and spectral radius together, Sec. 3.5. Both
/// use only values; design.hpp needs a hundredth of their evaluations for a fraction of their error. They are
/// here for comparison.

#pragma once

#include <panto/absorbing/output_error.hpp>
#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/stability.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/core/check.hpp>
#include <panto/core/status.hpp>
#include <panto/opt/nsga2.hpp>
#include <panto/opt/pattern_search.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace panto::wave {

/// The objective. `reflection`: sum_k |R_k| of (16) on the published grid without theta = 0 and pi, where it is
/// meaningless. `output_error`: (18). `joint`: |r|^2 + |e|^2 of the joint reflection. All are weighted means over
/// theta.
enum class SearchObjective { reflection, output_error, joint };

struct AbsorbingSearchParams {
    AbsorbingForm form{};
    SearchObjective objective = SearchObjective::reflection;
    FrequencyWeight weight{};
    int intervals = 10;           ///< of theta from 0 to pi
    int points = 11;              ///< of the system whose stability is checked, absorbing at both ends
    double largest_weight = 1.5;  ///< NSGA-II searches weights from minus this to this
};

/// Objective and spectral radius of a stencil, as functions of its weights.
template <int H>
class AbsorbingSearch {
  public:
    /// @throws SetupError if the form does not belong to the scheme, the scheme is unstable, a weight is negative, or a
    /// range is empty.
    AbsorbingSearch(const Stencil<double, H>& scheme, AbsorbingSearchParams params)
        : scheme_(scheme), params_(std::move(params)) {
        constexpr const char* where = "wave::AbsorbingSearch";
        detail::require_matching<H>(AbsorbingStencil(params_.form), where);
        require(params_.intervals >= 2, where, "intervals is ", params_.intervals, ", must be at least 2");
        require_positive(params_.largest_weight, where, "largest_weight");
        double sum = 0.0;
        for (int m = 1; m < params_.intervals; ++m) {
            const double theta = std::numbers::pi * m / params_.intervals;
            modes_.push_back(boundary_modes(scheme, theta));
            frequency_weights_.push_back(detail::weight_at(params_.weight, theta));
            sum += frequency_weights_.back();
        }
        require_positive(sum, where, "the sum of all frequency weights");
        for (double& w : frequency_weights_) w /= sum;
        (void)radius(Parameters::Zero(params_.form.size()));
    }

    [[nodiscard]] double objective(const Parameters& x) const {
        const AbsorbingStencil end(params_.form, x);
        double sum = 0.0;
        for (std::size_t m = 0; m < modes_.size(); ++m) {
            double at = 0.0;
            switch (params_.objective) {
                case SearchObjective::reflection:
                    for (const auto& R : point_reflection(end, modes_[m])) at += std::abs(R);
                    break;
                case SearchObjective::output_error: at = output_error(scheme_, end, modes_[m].theta); break;
                case SearchObjective::joint: at = joint_reflection(end, modes_[m]).amplitude.squaredNorm(); break;
            }
            sum += frequency_weights_[m] * at;
        }
        return sum;
    }

    [[nodiscard]] double radius(const Parameters& x) const {
        return bounded_radius(scheme_, AbsorbingStencil(params_.form, x), params_.points, FarEnd::absorbing);
    }

    /// One objective: pattern search from `start`, which has to be stable; unstable points are rejected.
    /// @throws SetupError as opt::pattern_search, or if the start has the wrong size.
    [[nodiscard]] opt::Minimum by_pattern_search(const Parameters& start,
                                                 const opt::PatternSearchParams& p = {}) const {
        require(start.size() == params_.form.size(), "wave::AbsorbingSearch", "start has ", start.size(),
                " entries, must be ", params_.form.size(), ", the size of the form");
        const auto value = [this](const Parameters& x) {
            return radius(x) <= most_radius ? objective(x) : std::numeric_limits<double>::quiet_NaN();
        };
        return opt::pattern_search(value, start, p);
    }

    /// Two objectives: (objective, spectral radius); unstable points rank behind all stable ones. `p.bounds` is set
    /// here.
    /// @throws SetupError as opt::nsga2.
    [[nodiscard]] opt::FrontResult by_nsga2(opt::Nsga2Params p = {}) const {
        p.bounds.lower = Parameters::Constant(params_.form.size(), -params_.largest_weight);
        p.bounds.upper = -p.bounds.lower;
        return opt::nsga2(Both{*this}, p);
    }

    /// Each boundary point takes the old value of its inner neighbour: a stable stencil to start from.
    [[nodiscard]] Parameters plain_start() const {
        Parameters x = Parameters::Zero(params_.form.size());
        const AbsorbingStencil empty(params_.form);
        for (int k = 0; k < params_.form.boundary_points; ++k)
            x[empty.index(k, 0, std::min(k + 1, params_.form.reach - 1))] = 1.0;
        return x;
    }

  private:
    static constexpr double most_radius = 1.0 + 1e-8;  // as StabilityRule has it

    struct Both {
        const AbsorbingSearch& search;
        [[nodiscard]] static int objectives() { return 2; }
        [[nodiscard]] static int constraints() { return 1; }
        Status operator()(const Parameters& x, Parameters& values, Parameters& constraints) const {
            values.resize(2);
            values << search.objective(x), search.radius(x);
            constraints.resize(1);
            constraints << values[1] - most_radius;
            return Status::ok;
        }
    };

    Stencil<double, H> scheme_;
    AbsorbingSearchParams params_;
    std::vector<BoundaryModes<H>> modes_;
    std::vector<double> frequency_weights_;
};

}  // namespace panto::wave
