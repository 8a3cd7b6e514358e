// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Multi-objective identification of the axially loaded beam (Publication A): the misfit of every record and the growth
/// factor of the scheme as objectives of NSGA-II; a set that grows is not a solution, however well it fits. Beyond the
/// paper, BeamMisfits fits all records at once with exact derivatives, to refine a member of the front. A front holds
/// for the grid of its records and says nothing about the bias of that grid; to learn about this bias, start fit_beam()
/// from a member.

#pragma once

#include <panto/ident/beam.hpp>
#include <panto/opt/nsga2.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

/// Several experiments with one beam: with stacked residuals, so that r'r is the sum of the misfits.
class BeamMisfits {
    using Vec = Vector<double, Dynamic>;

  public:
    /// @throws SetupError if there is none.
    explicit BeamMisfits(std::vector<BeamMisfit> records) : records_(std::move(records)) {
        require(!records_.empty(), "ident::BeamMisfits", "there is no record, at least one is needed");
    }

    [[nodiscard]] const std::vector<BeamMisfit>& records() const noexcept { return records_; }

    [[nodiscard]] Status residuals(const Vec& p, Vec& r) const {
        r.resize(0);
        Vec part;
        Status worst = Status::ok;
        for (const BeamMisfit& record : records_) {
            const Status status = record.residuals(p, part);
            if (!usable(status)) worst = status;
            r.conservativeResize(r.size() + part.size());
            r.tail(part.size()) = part;
        }
        return worst;
    }

    [[nodiscard]] Status linearize(const Vec& p, Vec& r, Matrix<double, Dynamic>& J) const {
        r.resize(0), J.resize(0, beam_parameter_count);
        Vec part;
        Matrix<double, Dynamic> rows;
        Status worst = Status::ok;
        for (const BeamMisfit& record : records_) {
            const Status status = record.linearize(p, part, rows);
            if (!usable(status)) worst = status;
            r.conservativeResize(r.size() + part.size());
            r.tail(part.size()) = part;
            J.conservativeResize(J.rows() + rows.rows(), Eigen::NoChange);
            J.bottomRows(rows.rows()) = rows;
        }
        return worst;
    }

    /// Whether no wave of the grid of any of the experiments grows by more than rounding.
    [[nodiscard]] bool stable(const Vec& p) const {
        return std::all_of(records_.begin(), records_.end(), [&p](const BeamMisfit& record) {
            const BeamModel& model = record.model();
            const auto stencil = wave::beam_stencil(beam_params(p), model.dx(), model.marched().dt);
            return wave::is_stable(stencil, wave::WaveGrid::of_cells(model.experiment().points - 1));
        });
    }

    /// The largest growth rate among the experiments, 1/s.
    [[nodiscard]] double growth_rate(const Vec& p) const {
        double largest = -opt::Bounds::infinite;
        for (const BeamMisfit& record : records_) largest = std::max(largest, record.model().growth_rate(p));
        return largest;
    }

  private:
    std::vector<BeamMisfit> records_;
};

/// A growth rate below this, 1/s, is the rounding of a scheme that neither grows nor decays.
inline constexpr double growth_resolution = 1e-6;

/// The front over the misfit of each record, then the growth rate in 1/s to `growth_resolution`. Sets that grow are
/// infeasible: their growth guides the search, but they never enter the front. All sets of a generation are
/// marched in lanes.
/// @throws SetupError if the bounds are not finite, one for each of the five parameters.
template <class = void>
[[nodiscard]] opt::FrontResult beam_front(const BeamMisfits& misfits, const opt::Nsga2Params& params) {
    params.bounds.check_finite(beam_parameter_count, "ident::beam_front");
    const auto& records = misfits.records();
    const auto count = static_cast<Eigen::Index>(records.size());
    const auto failed = [count](opt::Individual& point, const std::string& why) {
        point.objectives = Parameters::Constant(count + 1, opt::Bounds::infinite);
        point.violation = opt::Bounds::infinite;
        point.failure = why;
    };
    const auto evaluate_all = [&](std::vector<opt::Individual>& batch) {
        std::vector<opt::Individual*> marched;
        for (opt::Individual& point : batch) {
            try {
                const double rate = misfits.growth_rate(point.x);
                point.failure.clear();
                point.objectives = Parameters::Zero(count + 1);
                point.objectives[count] = std::round(rate / growth_resolution) * growth_resolution;
                point.violation = misfits.stable(point.x) ? 0.0 : std::max(rate, growth_resolution);
                // A growing set is not marched: its misfit is huge or not finite.
                if (point.feasible()) marched.push_back(&point);
            } catch (const std::exception& e) {
                failed(point, std::string("the model threw: ") + e.what());
            }
        }
        if (marched.empty()) return;
        Matrix<double, Dynamic> sets(beam_parameter_count, static_cast<Eigen::Index>(marched.size()));
        for (std::size_t i = 0; i < marched.size(); ++i) sets.col(static_cast<Eigen::Index>(i)) = marched[i]->x;
        for (Eigen::Index k = 0; k < count; ++k) {
            const BeamMisfit& record = records[static_cast<std::size_t>(k)];
            const Matrix<double, Dynamic> y = record.model().responses(sets);
            for (std::size_t i = 0; i < marched.size(); ++i)
                marched[i]->objectives[k] = record.of_response(y.col(static_cast<Eigen::Index>(i)));
        }
        for (opt::Individual* point : marched)
            if (!is_finite(point->objectives.sum())) failed(*point, "a value is not a finite number");
    };
    return opt::nsga2_by_batches(evaluate_all, params);
}

/// The member nearest to the ideal point, every objective divided by its range over the front and weighted (empty: by 1
/// each).
/// @throws SetupError if the front is empty, its members differ in the number of objectives, there is not a weight for
/// each objective, or one is negative.
template <class = void>
[[nodiscard]] opt::Individual choose(const std::vector<opt::Individual>& front, const Parameters& weights = {}) {
    require(!front.empty(), "ident::choose", "the front is empty: no set was stable");
    const Eigen::Index n = front.front().objectives.size();
    require(weights.size() == 0 || weights.size() == n, "ident::choose", weights.size(),
            " weights, expected none or one for each of the ", n, " objectives");
    for (const double weight : weights) require_not_negative(weight, "ident::choose", "a weight");
    require(weights.size() == 0 || weights.maxCoeff() > 0.0, "ident::choose",
            "all weights are 0, at least one must be > 0");
    Parameters low = front.front().objectives, high = low;
    for (const opt::Individual& member : front) {
        require(member.objectives.size() == n, "ident::choose", "a member has ", member.objectives.size(),
                " objectives and the first ", n, ", must be equal");
        low = low.cwiseMin(member.objectives);
        high = high.cwiseMax(member.objectives);
    }
    const auto distance = [&](const opt::Individual& member) {
        double sum = 0.0;
        for (Eigen::Index k = 0; k < n; ++k) {
            if (!(high[k] > low[k])) continue;
            const double part = (member.objectives[k] - low[k]) / (high[k] - low[k]);
            sum += (weights.size() ? weights[k] : 1.0) * part * part;
        }
        return sum;
    };
    return *std::min_element(front.begin(), front.end(), [&](const opt::Individual& a, const opt::Individual& b) {
        return distance(a) < distance(b);
    });
}

}  // namespace panto::ident
